//! Reads a call from its Action line to its end, and an input that belongs to no call.
//!
//! ```text
//! json  := decoration? object | fence ws object     the object is the slice
//! plain := anything else, up to a line that ends it
//! paper := NAME "[" plain "]" blanks                at a line's end
//! ```

use super::super::pieces::{Proof, is_space, skip_spaces};
use super::super::tool_call::json::{End, value_end};
use super::Reader;
use super::keyword::{HELD, Keyword};
use super::name::{Action, Call, Form};
use toolstream::{
    Status, Tool, ToolUse,
    diagnostic::{Cause, DiagnosticKind as Kind},
};

/// The beginning of an object that is an input.
#[derive(Clone, Copy, Debug)]
struct Object {
    brace: usize,
    fenced: bool,
}

/// The end of a plain input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// A line that ends the input begins here, or the stream ends.
    At(usize),
    /// The closing bracket of the paper's notation stands here.
    Bracket(usize),
}

impl<'a> Reader<'a> {
    /// Reads a call from the Action line, which stands at the position, to its end.
    pub fn call(&mut self, call: Call) {
        let tool = self.names.tool(&call.name);
        let is_unknown = tool.is_none() && !self.names.tools.is_empty();
        self.in_fence = false;
        self.out.start(&call.name, self.out.position, is_unknown);
        match call.form {
            Form::Line(end) => {
                self.out.markup(end);
                self.after_name(tool);
            }
            Form::Cut => {
                self.out.markup(self.lines.input.len());
                self.cut_name();
            }
            Form::Json(brace) => self.json(Object { brace, fenced: false }),
            Form::Paper(inside) => self.plain(tool, inside, false, true),
        }
    }

    /// Reads blank lines, and then the Action Input, if there is one.
    fn after_name(&mut self, tool: Option<&Tool>) {
        let line = self.lines.after_blank(self.out.position);
        self.out.markup(line);
        match self.lines.keyword(line) {
            Some((Keyword::ActionInput, end)) => {
                self.out.markup(end);
                self.input(tool);
            }
            _ if line == self.lines.input.len() => self.end_after_name(tool),
            None if self.lines.is_cut(line, "Action Input", 1) => {
                self.out.markup(self.lines.input.len());
                self.cut_name();
            }
            // Without a letter of the keyword it is something else, if the model ended there.
            None if self.lines.is_open(line, "Action Input") => self.out.end_whole(Proof::End),
            _ => self.out.end_whole(Proof::Text),
        }
    }

    /// Ends a call whose name is the last thing in the stream, perhaps with the keyword of an input after it.
    fn end_after_name(&mut self, tool: Option<&Tool>) {
        if tool.is_some_and(|tool| !tool.params.iter().any(|param| param.required)) {
            self.out.end_whole(Proof::End);
        } else {
            self.cut_name();
        }
    }

    /// Ends a call because the stream ends after a name that is not enough, or may go on.
    fn cut_name(&mut self) {
        if !self.out.is_cut() {
            self.out.diagnose(Kind::MissingArguments, self.out.position);
        }
        self.out.end_cut();
    }

    /// Reads the input after "Action Input:".
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

    /// Finds the object of an input that begins at `at`.
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
                self.out.end_whole(Proof::Text);
                let after = self.out.position;
                let line = &self.lines.input[after..self.lines.end(after)];
                if let Some(stray) = line.find(|c| !is_space(c) && !"}]),;*_`".contains(c)) {
                    self.out.markup(after + stray);
                    self.out.diagnose(Kind::StrayText, after + stray);
                }
                self.after_json(object, after);
            }
            _ => self.out.end_cut(),
        }
    }

    fn object_end(&self, object: Object) -> End {
        value_end(self.lines.input, object.brace, &[])
    }

    /// Reads the rest of the line, and the fence's closing line.
    fn after_json(&mut self, object: Object, after: usize) {
        let next = self.lines.next(after);
        self.out.markup(next);
        let closed = self.lines.input[after..next].contains("```");
        let first = skip_spaces(self.lines.input, next);
        if object.fenced && !closed && first - next <= HELD {
            if let Some(fence) = self.lines.bare_fence(first) {
                self.out.markup(fence.end);
            }
        }
    }

    /// Reads an Action Input that belongs to no call. Its keyword line is at the position.
    pub fn unexpected_input(&mut self, keyword_end: usize) {
        let lines = self.lines;
        self.out.markup(keyword_end);
        let blank = lines.input[keyword_end..lines.end(keyword_end)].trim_matches(is_space);
        let line = match blank.is_empty() {
            true => lines.after_blank(lines.next(keyword_end)),
            false => keyword_end,
        };
        let first = skip_spaces(lines.input, line);
        match self.object(first).filter(|_| lines.start(first, line) == line) {
            Some(object) => {
                let end = self.object_end(object);
                self.out.markup(end.at());
                if matches!(end, End::Balanced(_)) {
                    self.after_json(object, end.at());
                }
            }
            None if line == keyword_end => self.out.markup(lines.next(line)),
            None => self.out.markup(line),
        }
    }

    // ---- plain text ----

    /// Reads a plain input from `from` on: whole lines if `is_line`, otherwise first the rest of a line.
    fn plain(&mut self, tool: Option<&Tool>, from: usize, is_line: bool, paper: bool) {
        let input = self.lines.input;
        let (stop, proof) = self.plain_stop(from, is_line, paper);
        let (Stop::At(at) | Stop::Bracket(at)) = stop;
        // White space at both ends is framing, at the end only as much as may be held.
        let start = skip_spaces(input, from).min(at);
        let end = start + input[start..at].trim_end_matches(is_space).len();
        let end = if at - end > HELD { at } else { end };
        let bracket = !paper || matches!(stop, Stop::Bracket(_));
        if start < end {
            self.out.markup(start);
            match one_parameter(tool) {
                Some(name) => {
                    let name = name.to_string();
                    self.out.tool_use(ToolUse::ParamStart { name, hint: None });
                    self.out.value(end);
                    self.after_plain(stop);
                    let closed = bracket && self.out.proves(proof);
                    self.out.tool_use(ToolUse::ParamEnd { closed });
                }
                None => self.out.arguments(end),
            }
        }
        self.after_plain(stop);
        match bracket {
            true if start == end && at == input.len() => self.end_after_name(tool),
            true => self.out.end_whole(proof),
            false if at == input.len() || !self.out.proves(proof) => self.out.end_cut(),
            false => self.out.end(Status::Incomplete(Cause::Broken)),
        }
    }

    fn after_plain(&mut self, stop: Stop) {
        self.out.markup(match stop {
            Stop::At(line) => line,
            Stop::Bracket(at) => self.lines.next(at),
        });
    }

    /// Finds the end of a plain input, line by line.
    fn plain_stop(&self, from: usize, is_line: bool, paper: bool) -> (Stop, Proof) {
        let lines = self.lines;
        let mut at = from;
        let mut in_fence = false;
        loop {
            let begins_line = at > from || is_line;
            let ends = if begins_line && !in_fence { self.ends_plain(at, paper) } else { None };
            if let Some(proof) = ends {
                return (Stop::At(at), proof);
            }
            let line = &lines.input[at..lines.end(at)];
            let is_last = lines.end(at) == lines.input.len();
            if paper {
                let text = line.trim_end_matches(is_space);
                if text.ends_with(']') && line.len() - text.len() <= HELD {
                    let proof = if is_last { Proof::End } else { Proof::Text };
                    return (Stop::Bracket(at + text.len() - 1), proof);
                }
            } else {
                // The rest of the keyword's line may be a fence, too. Blanks before it are framing.
                let tick = if at > from { at } else { skip_spaces(lines.input, at) };
                in_fence = match lines.fence(tick) {
                    Some(fence) if in_fence => !fence.info.is_empty(),
                    Some(_) => true,
                    None => in_fence,
                };
            }
            if is_last {
                return (Stop::At(lines.input.len()), Proof::End);
            }
            at = lines.next(at);
        }
    }

    /// Whether this line ends a plain input, and with what proof.
    fn ends_plain(&self, line: usize, paper: bool) -> Option<Proof> {
        if let Some(fence) = self.lines.bare_fence(line).filter(|_| self.wrapped) {
            // A fence without a line end may still get an info word.
            let whole = self.lines.input[..fence.end].ends_with('\n');
            return Some(if whole { Proof::Text } else { Proof::End });
        }
        match self.lines.keyword(line) {
            Some((Keyword::Thought | Keyword::Observation | Keyword::Answer, _)) => {
                Some(Proof::Text)
            }
            Some((Keyword::Action, end)) => match self.names.action(end, false) {
                Action::Prose => None,
                Action::Call(Call { form: Form::Json(_) | Form::Paper(_), .. })
                | Action::Nameless { .. } => Some(Proof::Text),
                Action::Call(_) | Action::None(_) if self.names.is_open(end) => Some(Proof::End),
                Action::Call(_) | Action::None(_) => Some(Proof::Text),
            },
            Some((Keyword::Question, _)) => {
                let follows = [Keyword::Thought, Keyword::Action];
                self.lines.followed_by(line, &follows).then_some(Proof::Text)
            }
            Some((Keyword::ActionInput, _)) => None,
            None => (!paper && self.is_stop_word(line)).then_some(Proof::End),
        }
    }

    /// Whether this is half of a stop sequence, cut by the end of the stream.
    pub fn is_stop_word(&self, line: usize) -> bool {
        self.lines.is_cut(line, "Observation", 3)
    }
}

/// Returns the parameter for a plain input, if there is one.
pub fn one_parameter(tool: Option<&Tool>) -> Option<&str> {
    let Some(tool) = tool else { return Some("input") };
    let required: Vec<_> = tool.params.iter().filter(|param| param.required).collect();
    match (&*required, &*tool.params) {
        ([only], _) => Some(&only.name),
        ([], [only]) => Some(&only.name),
        _ => None,
    }
}
