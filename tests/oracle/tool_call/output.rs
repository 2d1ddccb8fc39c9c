//! What the twin has said so far, and how far into the message it has come.

use super::super::fences::Fences;
use super::super::grammar::is_space;
use toolstream::{
    Cause, Diagnostic, DiagnosticKind as Kind, Event, LimitOn, Options, Status, ToolLimitReached,
    ToolUse,
};

pub struct Output<'a> {
    input: &'a str,
    options: &'a Options,
    pub events: Vec<Event<String>>,
    /// All bytes before it have left in a slice.
    pub position: usize,
    /// Where the last piece of markup ended.
    pub behind_markup: usize,
    /// Calls that have started.
    pub calls: usize,
    pub fences: Fences,
    /// `ToolLimitReached` went out: nothing follows.
    pub limit_reached: bool,
}

impl<'a> Output<'a> {
    pub fn new(input: &'a str, options: &'a Options) -> Self {
        Output {
            input,
            options,
            events: Vec::new(),
            position: 0,
            behind_markup: 0,
            calls: 0,
            fences: Fences::new(),
            limit_reached: false,
        }
    }

    pub fn rest_is_open(&self) -> bool {
        !self.limit_reached && self.position < self.input.len()
    }

    /// The end of the character at the position.
    pub fn next_char_end(&self) -> usize {
        let next = self.input[self.position..].chars().next();
        self.position + next.map_or(0, char::len_utf8)
    }

    // ---- slices: each gives out the bytes from the position to `end` ----

    fn slice(&mut self, end: usize, event: fn(String) -> Event<String>) {
        if self.position < end {
            self.events.push(event(self.input[self.position..end].to_string()));
            self.position = end;
        }
    }

    pub fn markup(&mut self, end: usize) {
        self.slice(end, Event::Markup);
        self.behind_markup = self.position;
    }

    pub fn reasoning(&mut self, end: usize) {
        self.slice(end, Event::Reasoning);
    }

    /// Visible text, up to the byte that raises the limit, if `text_after_tool` is set.
    pub fn text(&mut self, end: usize) {
        for c in self.input[self.position..end].chars() {
            let counts = self.options.limit_on == LimitOn::TextAfterTool && !is_space(c);
            if counts && self.is_surplus(self.position) {
                return;
            }
            self.fences.text(c);
            self.slice(self.position + c.len_utf8(), Event::TextContent);
        }
    }

    pub fn value(&mut self, end: usize) {
        self.slice(end, |value| Event::ToolUse(ToolUse::ParamDelta(value)));
    }

    pub fn arguments(&mut self, end: usize) {
        self.slice(end, |value| Event::ToolUse(ToolUse::ArgumentsDelta(value)));
    }

    // ---- events without a width ----

    pub fn diagnose(&mut self, kind: Kind, at: usize) {
        self.events.push(Event::Diagnostic(Diagnostic::new(kind, at)));
    }

    pub fn tool_use(&mut self, event: ToolUse<String>) {
        self.events.push(Event::ToolUse(event));
    }

    pub fn start(&mut self, name: &str, at: usize) {
        let index = self.calls;
        self.calls += 1;
        self.tool_use(ToolUse::Start { index, name: name.to_string(), id: None, at, dialect: 0 });
    }

    pub fn end(&mut self, status: Status) {
        self.tool_use(ToolUse::End { status });
    }

    pub fn end_cut(&mut self) {
        self.end(Status::Incomplete(Cause::EndOfStream));
    }

    /// Asks the tool limit for what begins at `at`; if that is too much, the message ends.
    pub fn is_surplus(&mut self, at: usize) -> bool {
        match self.options.tool_limit {
            Some(limit) if self.calls >= limit => {
                self.events.push(Event::ToolLimitReached(ToolLimitReached { limit, at }));
                self.limit_reached = true;
            }
            _ => {}
        }
        self.limit_reached
    }

    /// The message ended in what may have become a call's opener. At least three bytes of one are
    /// needed to say so; otherwise it says whether `or_else` is to be noted.
    pub fn diagnose_cut_opener(&mut self, at: usize, or_else: Option<Kind>) {
        if self.limit_reached {
            return;
        }
        let kind = if self.input.len() - at >= 3 { Some(Kind::CutOpener) } else { or_else };
        if let Some(kind) = kind {
            self.diagnose(kind, at);
        }
    }
}
