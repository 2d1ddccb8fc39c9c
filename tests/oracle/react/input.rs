//! A call from its Action line to its end, and an input that belongs to no call.
//!
//! ```text
//! json  := decoration? object | fence ws object     the object is the slice
//! plain := anything else, up to a line that ends it
//! paper := NAME "[" plain "]" blanks                at a line's end
//! ```

use super::super::grammar::{is_space, skip_spaces};
use super::super::tool_call::json::{End, value_end};
use super::Reader;
use super::keyword::{HELD, Keyword};
use super::name::{Action, Call, Form};
use toolstream::{Cause, DiagnosticKind as Kind, Status, Tool, ToolUse};

/// Where an object begins that is an input.
#[derive(Clone, Copy, Debug)]
struct Object {
    brace: usize,
    fenced: bool,
}

/// How a plain input ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// A line that ends it begins here, or the stream ends.
    At(usize),
    /// The paper's closing bracket stands here.
    Bracket(usize),
}

impl<'a> Reader<'a> {
    /// From the Action line, where the position is, to the call's end.
    pub fn call(&mut self, call: Call) {
        let tool = self.names.tool(&call.name);
        if tool.is_none() && !self.names.tools.is_empty() {
            self.out.diagnose(Kind::UnknownTool, self.out.position);
        }
        self.out.start(&call.name, self.out.position);
        match call.form {
            Form::Line(end) => {
                self.out.markup(end);
                self.behind_name(tool);
            }
            Form::Cut => {
                self.out.markup(self.lines.input.len());
                self.out.end_cut();
            }
            Form::Json(brace) => self.json(Object { brace, fenced: false }),
            Form::Paper(inside) => self.plain(tool, inside, false, true),
        }
    }

    /// Blank lines, then the Action Input or none.
    fn behind_name(&mut self, tool: Option<&Tool>) {
        let line = self.lines.behind_blank(self.out.position);
        self.out.markup(line);
        match self.lines.keyword(line) {
            Some((Keyword::ActionInput, end)) => {
                self.out.markup(end);
                self.input(tool);
            }
            None if self.lines.is_cut(line, "Action Input", 1) => {
                self.out.markup(self.lines.input.len());
                self.out.end_cut();
            }
            _ => self.out.end(Status::Complete),
        }
    }

    /// Behind "Action Input:".
    fn input(&mut self, tool: Option<&Tool>) {
        let first = skip_spaces(self.lines.input, self.out.position);
        match self.object(first) {
            Some(object) => self.json(object),
            None => {
                let line = self.lines.start(first, self.out.position);
                self.plain(tool, line, line != self.out.position, false);
            }
        }
    }

    // ---- JSON ----

    /// The object that is the input that begins at `at`.
    fn object(&self, at: usize) -> Option<Object> {
        let input = self.lines.input;
        let brace = input.len() - input[at..].trim_start_matches(['*', '`']).len();
        if brace - at <= 8 && input[brace..].starts_with('{') {
            return Some(Object { brace, fenced: false });
        }
        let fence = self.lines.fence(at)?;
        let info = fence.info.to_ascii_lowercase();
        let brace = skip_spaces(input, fence.end);
        let counts = ["", "json", "json5", "jsonc"].contains(&&*info)
            && brace - fence.end <= HELD
            && input[brace..].starts_with('{');
        if counts { Some(Object { brace, fenced: true }) } else { None }
    }

    fn json(&mut self, object: Object) {
        self.out.markup(object.brace);
        let end = self.object_end(object);
        self.out.arguments(end.at());
        match end {
            End::Balanced(_) => {
                self.out.end(Status::Complete);
                let behind = self.out.position;
                let line = &self.lines.input[behind..self.lines.end(behind)];
                if let Some(stray) = line.find(|c| !is_space(c) && !"}]),;*_`".contains(c)) {
                    self.out.markup(behind + stray);
                    self.out.diagnose(Kind::StrayText, behind + stray);
                }
                self.behind_json(object, behind);
            }
            _ => self.out.end_cut(),
        }
    }

    fn object_end(&self, object: Object) -> End {
        // That scanner knows a closer, which begins with "<": no dialect of ReAct's.
        value_end(&self.lines.input.replace('<', "_"), object.brace)
    }

    /// The rest of the line, and the fence's closing line.
    fn behind_json(&mut self, object: Object, behind: usize) {
        let next = self.lines.next(behind);
        self.out.markup(next);
        let closed = self.lines.input[behind..next].contains("```");
        let first = skip_spaces(self.lines.input, next);
        if object.fenced && !closed && first - next <= HELD {
            if let Some(fence) = self.lines.bare_fence(self.lines.start(first, next)) {
                self.out.markup(fence.end);
            }
        }
    }

    /// An Action Input, whose keyword line is at the position, that belongs to no call.
    pub fn stray_input(&mut self, keyword_end: usize) {
        let lines = self.lines;
        self.out.markup(keyword_end);
        let blank = lines.input[keyword_end..lines.end(keyword_end)].trim_matches(is_space);
        let line = match blank.is_empty() {
            true => lines.behind_blank(lines.next(keyword_end)),
            false => keyword_end,
        };
        let first = skip_spaces(lines.input, line);
        match self.object(first).filter(|_| lines.start(first, line) == line) {
            Some(object) => {
                let end = self.object_end(object);
                self.out.markup(end.at());
                if matches!(end, End::Balanced(_)) {
                    self.behind_json(object, end.at());
                }
            }
            None if line == keyword_end => self.out.markup(lines.next(line)),
            None => self.out.markup(line),
        }
    }

    // ---- plain text ----

    /// From `from` on: a line, if `is_line`, else the rest of one.
    fn plain(&mut self, tool: Option<&Tool>, from: usize, is_line: bool, paper: bool) {
        let input = self.lines.input;
        let stop = self.plain_stop(from, is_line, paper);
        let (Stop::At(at) | Stop::Bracket(at)) = stop;
        // White space at both ends is framing; at the end only as much as may be held.
        let start = skip_spaces(input, from).min(at);
        let end = start + input[start..at].trim_end_matches(is_space).len();
        let end = if at - end > HELD { at } else { end };
        let closed = !paper || matches!(stop, Stop::Bracket(_));
        if start < end {
            self.out.markup(start);
            match one_parameter(tool) {
                Some(name) => {
                    let name = name.to_string();
                    self.out.tool_use(ToolUse::ParamStart { name, hint: None });
                    self.out.value(end);
                    self.out.tool_use(ToolUse::ParamEnd { closed });
                }
                None => self.out.arguments(end),
            }
        }
        self.out.markup(match stop {
            Stop::At(line) => line,
            Stop::Bracket(at) => self.lines.next(at),
        });
        self.out.end(match closed {
            true => Status::Complete,
            false if self.is_last_word(at) => Status::Incomplete(Cause::EndOfStream),
            false => Status::Incomplete(Cause::Broken),
        });
    }

    /// Line by line, until one ends the input.
    fn plain_stop(&self, from: usize, is_line: bool, paper: bool) -> Stop {
        let lines = self.lines;
        let mut at = from;
        let mut in_fence = false;
        loop {
            let begins_line = at > from || is_line;
            if begins_line && !in_fence && self.ends_plain(at) {
                return Stop::At(at);
            }
            let line = &lines.input[at..lines.end(at)];
            if paper {
                let text = line.trim_end_matches(is_space);
                if text.ends_with(']') && line.len() - text.len() <= HELD {
                    return Stop::Bracket(at + text.len() - 1);
                }
            } else {
                // The rest of the keyword's line may be a fence, too: blanks are framing there.
                let tick = if begins_line { at } else { skip_spaces(lines.input, at) };
                in_fence = match lines.fence(tick) {
                    Some(fence) if in_fence => !fence.info.is_empty(),
                    Some(_) => true,
                    None => in_fence,
                };
            }
            if lines.end(at) == lines.input.len() {
                return Stop::At(lines.input.len());
            }
            at = lines.next(at);
        }
    }

    /// Whether this line ends a plain input.
    fn ends_plain(&self, line: usize) -> bool {
        if self.wrapped && self.lines.bare_fence(line).is_some() {
            return true;
        }
        match self.lines.keyword(line) {
            Some((Keyword::Thought | Keyword::Observation | Keyword::Answer, _)) => true,
            Some((Keyword::Action, end)) => self.names.action(end, false) != Action::Prose,
            Some((Keyword::Question, _)) => {
                self.lines.followed_by(line, &[Keyword::Thought, Keyword::Action])
            }
            Some((Keyword::ActionInput, _)) => false,
            None => self.is_stop_word(line),
        }
    }

    /// The last line is a beginning of "Observation", or there is none.
    fn is_last_word(&self, line: usize) -> bool {
        line == self.lines.input.len() || self.is_stop_word(line)
    }

    /// A stop sequence that was cut in half.
    pub fn is_stop_word(&self, line: usize) -> bool {
        self.lines.is_cut(line, "Observation", 3)
    }
}

/// Where a plain input goes, if there is such a place.
pub fn one_parameter(tool: Option<&Tool>) -> Option<&str> {
    let Some(tool) = tool else { return Some("input") };
    let required: Vec<_> = tool.params.iter().filter(|param| param.required).collect();
    match (&*required, &*tool.params) {
        ([only], _) => Some(&only.name),
        ([], [only]) => Some(&only.name),
        _ => None,
    }
}
