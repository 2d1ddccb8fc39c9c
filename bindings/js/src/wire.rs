//! Events and deltas as numbers and text, which JavaScript reads out of the memory: `border.js` is the other side.
//!
//! A record is a tag and its fields. A text is its length in bytes, and its bytes stand among the texts, in order. Each
//! tag has its fields in `RECORDS` of `border.js`.

use toolstream::adapt::Delta;
use toolstream::diagnostic::{Cause, Diagnostic};
use toolstream::{Event, Status, ToolLimitReached, ToolUse};

/// The number of a field that is absent.
const NONE: u32 = u32::MAX;

/// A slice of a text begins with one of these tags.
mod tag {
    pub const TEXT_CONTENT: u32 = 1;
    pub const REASONING: u32 = 2;
    pub const MARKUP: u32 = 3;
    pub const PARAM_DELTA: u32 = 4;
    pub const ARGUMENTS_DELTA: u32 = 5;
    pub const CONTENT: u32 = 6;
    pub const ARGUMENTS: u32 = 7;
    pub const TOOL_START: u32 = 8;
    pub const TOOL_ID: u32 = 9;
    pub const PARAM_START: u32 = 10;
    pub const PARAM_END: u32 = 11;
    pub const TOOL_END: u32 = 12;
    pub const ANSWER_START: u32 = 13;
    pub const OPAQUE: u32 = 14;
    pub const TOOL_LIMIT_REACHED: u32 = 15;
    pub const DIAGNOSTIC: u32 = 16;
    pub const CALL: u32 = 17;
    pub const CALL_END: u32 = 18;
}

/// The records of one chunk.
#[derive(Default)]
pub struct Wire {
    pub numbers: Vec<u32>,
    pub texts: Vec<u8>,
}

impl Wire {
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.texts.clear();
    }

    /// Returns how many numbers there are. A chunk that came through as one slice costs no copy: then it is the negative
    /// tag of that slice, and JavaScript has the text.
    pub fn code(&self, chunk: &[u8]) -> i32 {
        match self.numbers[..] {
            [tag, _] if tag <= tag::ARGUMENTS && self.texts == chunk => -number(tag as usize),
            _ => number(self.numbers.len()),
        }
    }

    pub fn event(&mut self, event: Event<&str>) {
        match event {
            Event::TextContent(text) => self.slice(tag::TEXT_CONTENT, text),
            Event::Reasoning(text) => self.slice(tag::REASONING, text),
            Event::Markup(text) => self.slice(tag::MARKUP, text),
            Event::ToolUse(event) => self.tool_use(event),
            Event::AnswerStart => self.tag(tag::ANSWER_START),
            Event::Opaque { of, json } => {
                self.slice(tag::OPAQUE, of.as_str());
                self.text(json);
            }
            Event::ToolLimitReached(ToolLimitReached { limit, at, .. }) => {
                self.tag(tag::TOOL_LIMIT_REACHED);
                self.number(at);
                self.number(limit);
            }
            Event::Diagnostic(Diagnostic { kind, at, call, .. }) => {
                self.slice(tag::DIAGNOSTIC, kind.as_str());
                self.number(at);
                self.optional(call);
            }
            // Both are of one repository: a new event has its record with the commit that brings it.
            _ => {}
        }
    }

    fn tool_use(&mut self, event: ToolUse<&str>) {
        match event {
            ToolUse::ParamDelta(text) => self.slice(tag::PARAM_DELTA, text),
            ToolUse::ArgumentsDelta(text) => self.slice(tag::ARGUMENTS_DELTA, text),
            ToolUse::Start { index, name, id, at, .. } => {
                self.tag(tag::TOOL_START);
                self.number(index);
                self.text(name);
                self.optional_text(id);
                self.number(at);
            }
            ToolUse::Id(id) => self.slice(tag::TOOL_ID, id),
            ToolUse::ParamStart { name, hint } => {
                self.slice(tag::PARAM_START, name);
                self.optional_text(hint.map(|hint| hint.as_str()));
            }
            ToolUse::ParamEnd { closed } => {
                self.tag(tag::PARAM_END);
                self.number(usize::from(closed));
            }
            ToolUse::End { status, at } => {
                let (status, cause) = match status {
                    Status::Complete => ("complete", None),
                    Status::Incomplete(Cause::EndOfStream) => ("incomplete", Some("end_of_stream")),
                    Status::Incomplete(_) => ("incomplete", Some("broken")),
                };
                self.slice(tag::TOOL_END, status);
                self.optional_text(cause);
                self.number(at);
            }
            _ => {}
        }
    }

    pub fn delta(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Content(text) => self.slice(tag::CONTENT, text),
            Delta::Reasoning(text) => self.slice(tag::REASONING, text),
            Delta::Arguments(text) => self.slice(tag::ARGUMENTS, text),
            Delta::Call { index, name, id } => {
                self.tag(tag::CALL);
                self.number(index);
                self.text(name);
                self.optional_text(id);
            }
            Delta::CallEnd { may_run, reason } => {
                self.tag(tag::CALL_END);
                self.number(usize::from(may_run));
                self.optional_text(reason.map(|reason| reason.to_string()).as_deref());
            }
            _ => {}
        }
    }

    fn tag(&mut self, tag: u32) {
        self.numbers.push(tag);
    }

    fn slice(&mut self, tag: u32, text: &str) {
        self.tag(tag);
        self.text(text);
    }

    fn number(&mut self, number: usize) {
        self.numbers.push(u32::try_from(number).unwrap_or(NONE - 1));
    }

    fn optional(&mut self, number: Option<usize>) {
        match number {
            Some(number) => self.number(number),
            None => self.numbers.push(NONE),
        }
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.texts.extend_from_slice(text.as_bytes());
    }

    fn optional_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.numbers.push(NONE),
        }
    }
}

fn number(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
