//! Behind the name of a call: its input, or none, and the rest of its line.
//!
//! ```text
//! call   := name ( blank-line* keyword-line(input) input )?
//! input  := json tail | text, up to a line that ends it | "[" text "]" line-end
//! tail   := the rest of the line, and the line that closes the fence round the JSON
//! orphan := keyword-line(input) ( white-space json tail | the rest of the line )     no call: all markup
//! ```

use super::super::input::{Input, input};
use super::super::keyword::{FENCE, FenceLine, Found, LEAD, LineTable, fence_line, is_blank};
use super::super::step::{Until, white_space};
use super::super::{Feed, State};
use super::{Judged, half_a_keyword};
use crate::dialect::lines::Role;
use crate::event::{Cause, DiagnosticKind, Event, Status, ToolUse};
use crate::options::bounds;
use crate::sink::Sink;

impl<S: Sink> Feed<'_, '_, S> {
    /// Behind a call's name.
    pub(super) fn behind_name(&mut self, table: &LineTable, text: &str) -> Judged {
        if let Some(judged) = self.blank_line(text) {
            return judged;
        }
        if self.end && self.is_cut_word(table, text) {
            return self.cut_word();
        }
        let cut = self.end && table.is_cut(text, Role::Input, 1);
        match table.keyword(text, self.end) {
            Found::More => return half_a_keyword(text),
            Found::Keyword { role: Role::Input, len } => {
                self.markup(self.at + len);
                self.input_begins();
            }
            _ if cut => {
                self.markup(self.at + text.len());
                self.name_is_cut();
            }
            _ => {
                self.end_call(Status::Complete);
                self.next_is_line(State::Text);
            }
        }
        Judged::Done
    }

    /// A blank line is markup, if it is not too long for one that waits.
    pub(super) fn blank_line(&mut self, text: &str) -> Option<Judged> {
        let white = white_space(text);
        if let Some(feed) = text[..white].find('\n').filter(|feed| *feed <= bounds::WHITE_SPACE) {
            self.markup(self.at + feed + 1);
            self.next_is_line(self.machine.state);
            return Some(Judged::Done);
        }
        let open = white == text.len() && white <= bounds::WHITE_SPACE;
        match open {
            true if self.end => {
                self.markup(self.at + white);
                self.at += white;
                Some(Judged::Done)
            }
            true => Some(Judged::More(Until::Word, bounds::WHITE_SPACE)),
            false => None,
        }
    }

    /// What follows is the input of the call.
    pub(super) fn input_begins(&mut self) {
        self.enter(State::Input);
        self.machine.lines.at_start = true;
        self.machine.lines.mid = true;
        self.machine.lines.inner = false;
        self.machine.lines.long = false;
        self.looked = 0;
    }

    /// Behind the keyword of the input.
    pub(super) fn behind_keyword(&mut self, table: &LineTable, text: &str) -> Judged {
        let white = white_space(text);
        if let Some(feed) = text[..white].rfind('\n') {
            self.markup(self.at + feed + 1);
            self.next_is_line(State::Input);
            return Judged::Done;
        }
        if self.machine.lines.mid || white > LEAD {
            self.markup(self.at + white);
            self.at += white;
            self.machine.lines.mid = true;
            return self.first_byte(table, &text[white..]);
        }
        if self.end && self.is_cut_word(table, text) {
            return self.cut_word();
        }
        if white == text.len() {
            return Judged::More(Until::Any, 0);
        }
        match table.keyword(text, self.end) {
            Found::More => return half_a_keyword(text),
            Found::Keyword { role, len } => match self.keyword(table, text, role, len) {
                Judged::Payload => {}
                judged => return judged,
            },
            Found::No => {}
        }
        self.first_byte(table, text)
    }

    /// The first byte of the input, or the blanks before it.
    pub(super) fn first_byte(&mut self, table: &LineTable, text: &str) -> Judged {
        let white = white_space(text);
        if text.is_empty() {
            return Judged::Done;
        }
        let start = self.at;
        if self.machine.lines.brackets {
            let text = &text[white..];
            self.markup(start + white);
            self.at += white;
            if text.is_empty() {
                return Judged::Done;
            }
            if text.starts_with(']') {
                match self.bracket(text) {
                    Judged::Payload => {}
                    judged => return judged,
                }
            }
            self.value_begins();
            self.enter(State::Plain);
            self.machine.lines.at_start = false;
            return Judged::Done;
        }
        match input(&table.spec, &text[white..], self.end) {
            Input::More => Judged::More(Until::Any, 0),
            Input::Json { framing, fenced } => {
                self.markup(start + white + framing);
                self.machine.lines.fenced = fenced;
                self.json_begins(true);
                Judged::Done
            }
            Input::Plain => self.plain_begins(text, white),
        }
    }

    /// A plain input, `white` bytes behind the start of the text: it may begin with a fence.
    pub(super) fn plain_begins(&mut self, text: &str, white: usize) -> Judged {
        let start = self.at + white;
        let mid = self.machine.lines.mid;
        match fence_line(if mid { &text[white..] } else { text }, self.end) {
            FenceLine::More => return Judged::More(Until::LineEnd, white + FENCE),
            FenceLine::Fence { bare, .. } => {
                if bare && !mid && self.machine.lines.wrapped {
                    return self.plain_ends();
                }
                self.machine.lines.inner = true;
            }
            FenceLine::No => {}
        }
        self.markup(start);
        self.value_begins();
        self.enter(State::Plain);
        self.machine.lines.at_start = false;
        self.machine.lines.mid = false;
        Judged::Done
    }

    /// A plain value begins: as the tool's one parameter, or as arguments.
    pub(super) fn value_begins(&mut self) {
        let name = self.tables.plain_param(self.machine.call.tool);
        self.machine.lines.param = name.is_some();
        if let Some(name) = name {
            self.out.event(Event::ToolUse(ToolUse::ParamStart { name, hint: None }));
        }
    }

    pub(super) fn json_begins(&mut self, call: bool) {
        self.machine.lines.at_start = false;
        self.open_line_json(call);
    }

    /// An input that belongs to no call: JSON, also on a later line, or the rest of the line.
    pub(super) fn orphan_input(&mut self, table: &LineTable, text: &str) -> Judged {
        let mid = self.machine.lines.mid;
        if let Some(judged) = self.blank_line(text) {
            return judged;
        }
        let white = white_space(text);
        if mid && white > bounds::WHITE_SPACE {
            self.markup(self.at + white);
            self.at += white;
            return Judged::Done;
        }
        match input(&table.spec, &text[white..], self.end) {
            Input::More => return Judged::More(Until::Any, 0),
            Input::Json { framing, fenced } if white <= bounds::WHITE_SPACE => {
                self.markup(self.at + white + framing);
                self.machine.lines.fenced = fenced;
                self.json_begins(false);
            }
            _ if mid => {
                self.behind_json(false);
            }
            _ => self.next_is_line(self.machine.interrupted),
        }
        Judged::Done
    }

    /// Behind JSON: the rest of the line. What stands there behind the input of a call is noticed.
    pub fn behind_json(&mut self, call: bool) {
        self.looked = 0;
        self.enter(State::Tail);
        self.machine.lines.at_start = true;
        if call {
            self.machine.interrupted = State::Text;
        }
        self.machine.lines.stray = !call;
        self.machine.lines.ticks = 0;
    }

    pub(super) fn tail(&mut self, text: &str) -> Judged {
        let line = text.find('\n').map_or(text.len(), |feed| feed + 1);
        let closing = |c: char| " \t\r\n}]),;*_`".contains(c);
        let word = text[..line].find(|c| !closing(c));
        if let Some(word) = word.filter(|_| !self.machine.lines.stray) {
            self.machine.lines.stray = true;
            self.count_ticks(&text[..word]);
            self.markup(self.at + word);
            self.at += word;
            self.diagnose(DiagnosticKind::StrayText, self.at);
            return Judged::Done;
        }
        self.count_ticks(&text[..line]);
        self.markup(self.at + line);
        match text[..line].ends_with('\n') {
            true => self.next_is_line(self.machine.interrupted),
            false => self.at += line,
        }
        Judged::Done
    }

    /// Three back-ticks close the fence round the JSON on its own line.
    pub(super) fn count_ticks(&mut self, text: &str) {
        let lines = &mut self.machine.lines;
        for byte in text.bytes() {
            lines.ticks = if byte == b'`' { (lines.ticks + 1).min(3) } else { 0 };
            lines.fenced &= lines.ticks < 3;
        }
    }

    /// At a `]` that may close a plain input in brackets.
    pub(super) fn bracket(&mut self, text: &str) -> Judged {
        let blanks = text[1..].bytes().take_while(|byte| is_blank(*byte) || *byte == b'\r').count();
        match text.as_bytes().get(1 + blanks) {
            _ if blanks > bounds::WHITE_SPACE => Judged::Payload,
            None if !self.end => Judged::More(Until::Any, 0),
            next @ (Some(b'\n') | None) => {
                let behind = self.at + 1 + blanks + usize::from(next.is_some());
                let status = match self.cut && next.is_none() {
                    true => Status::Incomplete(Cause::EndOfStream),
                    false => Status::Complete,
                };
                self.value_ends(self.at, behind, status);
                self.looked = 0;
                self.next_is_line(State::Text);
                Judged::Done
            }
            Some(_) => Judged::Payload,
        }
    }

    pub(super) fn bracket_is_data(&mut self) -> Judged {
        self.machine.lines.at_start = false;
        self.resume(self.at + 1);
        Judged::Done
    }
}
