//! How bytes leave: as payload of the present state, or as markup.

use super::{Feed, Line, State};
use crate::dialect::spec::Rule;
use crate::event::{Diagnostic, DiagnosticKind, Event, ToolUse};
use crate::options::{Fences, Recoveries};
use crate::sink::Sink;

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// What [`Recoveries::Strict`] refuses in a call.
fn is_recovery(kind: DiagnosticKind) -> bool {
    matches!(
        kind,
        DiagnosticKind::MissingCloser
            | DiagnosticKind::MismatchedCloser
            | DiagnosticKind::MalformedTag
            | DiagnosticKind::MissingOpener
    )
}

impl<S: Sink> Feed<'_, '_, S> {
    /// All bytes before `to` that have not left do so as payload.
    #[inline]
    pub fn payload(&mut self, to: usize) {
        for slice in self.view.slices(self.from, to) {
            if !slice.is_empty() {
                self.send(slice);
                self.from += slice.len();
            }
        }
    }

    #[inline]
    pub fn send(&mut self, slice: &str) {
        match self.machine.state {
            State::Text | State::Answer => self.text(slice),
            State::Reasoning | State::Thought => self.reasoning(slice),
            State::Section | State::Call => self.junk(slice),
            State::Value => {
                self.machine.call.line_start = slice.ends_with('\n');
                self.out.event(Event::ToolUse(ToolUse::ParamDelta(slice)));
            }
            State::Body => self.body_slice(slice),
            State::Plain if self.machine.lines.param => {
                self.out.event(Event::ToolUse(ToolUse::ParamDelta(slice)));
            }
            State::Plain => self.out.event(Event::ToolUse(ToolUse::ArgumentsDelta(slice))),
            State::Invented | State::Name | State::Input | State::Orphan | State::Tail => {
                self.out.event(Event::Markup(slice));
            }
        }
    }

    #[inline]
    fn text(&mut self, slice: &str) {
        if self.tables.options.fences == Fences::Quote {
            self.machine.fence.read(slice);
        }
        self.machine.note_line(slice);
        if self.machine.behind_call {
            self.machine.behind_call = slice.bytes().all(is_white);
            self.machine.section.owed &= self.machine.behind_call;
        }
        self.out.event(Event::TextContent(slice));
    }

    #[inline]
    fn reasoning(&mut self, slice: &str) {
        if self.machine.pristine {
            self.machine.pristine = slice.bytes().all(is_white);
        }
        self.machine.note_line(slice);
        self.out.event(Event::Reasoning(slice));
    }

    /// Between parameters or calls: markup, and a diagnostic for the first word of the run.
    fn junk(&mut self, slice: &str) {
        if self.is_between() {
            self.machine.line = Line::Markup;
            return self.out.event(Event::Markup(slice));
        }
        let word = slice.trim_start_matches([' ', '\t', '\r', '\n']);
        if word.is_empty() || self.machine.call.stray {
            return self.out.event(Event::Markup(slice));
        }
        // The diagnostic stands right before the word, however the stream is cut.
        let white = &slice[..slice.len() - word.len()];
        if !white.is_empty() {
            self.out.event(Event::Markup(white));
        }
        self.stray(DiagnosticKind::StrayText, self.from + white.len());
        self.out.event(Event::Markup(word));
    }

    /// One diagnostic for a run of junk.
    pub fn stray(&mut self, kind: DiagnosticKind, at: usize) {
        self.machine.call.begun = true;
        if !std::mem::replace(&mut self.machine.call.stray, true) {
            self.diagnose(kind, at);
        }
    }

    /// All bytes before `to` that have not left do so as markup.
    pub fn markup(&mut self, to: usize) {
        for slice in self.view.slices(self.from, to) {
            if !slice.is_empty() {
                self.out.event(Event::Markup(slice));
            }
        }
        self.from = to;
        self.machine.line = Line::Markup;
        self.machine.pristine = false;
    }

    /// `at` is an offset of the view. A recovery may break the call.
    pub fn diagnose(&mut self, kind: DiagnosticKind, at: usize) {
        let strict = self.tables.options.recoveries == Recoveries::Strict;
        self.machine.call.broken |= strict && is_recovery(kind);
        let at = self.view.base + at;
        self.out.event(Event::Diagnostic(Diagnostic::new(kind, at)));
    }

    /// In a value with framing: how many bytes before `at` are a line break that may be framing.
    pub fn line_break_before(&self, at: usize) -> usize {
        let framed = self.machine.state == State::Value
            && self.tables.values[self.machine.call.value_kind as usize].line_breaks;
        if !framed || at <= self.from || self.view.byte(at - 1) != Some(b'\n') {
            return 0;
        }
        let cr = at - self.from > 1 && self.view.byte(at - 2) == Some(b'\r');
        1 + usize::from(cr)
    }

    /// First byte of a value: one line break is framing. Chunk ends behind CR: it is held. Stream
    /// ends there: it is value.
    pub fn value_start(&mut self) {
        let cr = usize::from(self.view.byte(self.from) == Some(b'\r'));
        let next = self.view.byte(self.from + cr);
        if next.is_none() {
            self.at = self.from + cr;
            return;
        }
        self.machine.call.at_value_start = false;
        if next == Some(b'\n') {
            self.markup(self.from + cr + 1);
            self.machine.call.line_start = true;
        }
        self.at = self.from;
    }

    /// The chunk ends: what can no longer be part of a marker leaves.
    #[inline]
    pub fn release(&mut self) {
        if self.machine.candidate.active || self.out.raised() || self.machine.call.at_value_start {
            return;
        }
        if self.machine.lines.open {
            return;
        }
        if self.machine.state == State::Plain {
            return self.plain_payload(self.view.len());
        }
        if self.machine.state == State::Body {
            return self.release_body();
        }
        let table = self.machine.table(self.tables);
        let end = self.view.len();
        let held = table.scanner.depth(self.machine.scan);
        let mut to = end - held;
        to -= match held == 0 && self.trailing_cr() {
            true => 1,
            false => self.line_break_before(to),
        };
        self.payload(to);
        if held > 0 && !self.may_begin(end - held) {
            self.machine.scan = table.scanner.start();
            self.payload(end);
        }
    }

    /// Whether the half head from `start` on can become one that counts here.
    fn may_begin(&mut self, start: usize) -> bool {
        let here = self.here(start);
        let scanner = &self.machine.table(self.tables).scanner;
        let sure = scanner.is_sure(self.machine.scan) && !here.quoted;
        sure || self.begun(start).any(|rule| here.counts(rule))
    }

    /// The rules whose markers begin with the half head from `start` on.
    pub fn begun(&self, start: usize) -> impl Iterator<Item = &Rule> {
        let table = self.machine.table(self.tables);
        let half = self.view.slices(start, self.view.len());
        table.scanner.beginning_with(half).flat_map(|head| {
            let begun = &table.begun[head];
            begun.runs.iter().map(|run| &table.rules[run.rule as usize])
        })
    }

    /// In a value with framing: the text ends with a CR that may belong to a framing line break.
    fn trailing_cr(&self) -> bool {
        let end = self.view.len();
        end > self.from
            && self.machine.state == State::Value
            && self.view.byte(end - 1) == Some(b'\r')
            && self.tables.values[self.machine.call.value_kind as usize].line_breaks
    }
}
