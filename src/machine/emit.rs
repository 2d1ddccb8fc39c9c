//! How bytes leave: as payload of the present state, or as markup.

use super::word::ends_in_word;
use super::{Close, Feed, Line, Machine, State, Step};
use crate::dialect::spec::{Between, Flags, Framing};
use crate::event::{Diagnostic, DiagnosticKind, Event, ToolUse};
use crate::json::white::is_white_byte;
use crate::options::{Fences, Recoveries, bounds};
use crate::sink::Sink;

impl<S: Sink> Feed<'_, '_, S> {
    /// All bytes before `to` that have not left do so as payload.
    #[inline]
    pub fn payload(&mut self, to: usize) {
        if to == self.from {
            return;
        }
        if self.out.wants_markers() {
            self.tell_refused(to);
        }
        self.payload_as_it_is(to);
    }

    /// The same, of which nothing is told.
    #[inline]
    pub(super) fn payload_as_it_is(&mut self, to: usize) {
        for slice in self.view.slices(self.from, to) {
            if !slice.is_empty() {
                self.send(slice);
                self.from += slice.len();
                self.machine.note_end(self.grammar.words, slice);
            }
        }
    }

    #[inline]
    fn send(&mut self, slice: &str) {
        match self.machine.state {
            State::Prose => self.prose(slice),
            State::Section | State::Call => self.junk(slice),
            State::Value if self.machine.call.is_param => {
                self.out.event(Event::ToolUse(ToolUse::ParamDelta(slice)));
            }
            State::Value => self.out.event(Event::ToolUse(ToolUse::ArgumentsDelta(slice))),
            State::Body => self.body_slice(slice),
            State::Rest => self.out.event(Event::Markup(slice)),
        }
    }

    #[inline]
    fn prose(&mut self, slice: &str) {
        let kind = &self.grammar.prose[self.machine.prose as usize];
        if self.machine.flags.has(Flags::WHOLE) {
            self.whole_text(slice);
        }
        let of_message = if kind.reasoning { Flags::NONE } else { Flags::MESSAGE_START };
        let watched = Flags::STREAM_START | Flags::AFTER_CALL | Flags::OWED | of_message;
        if self.machine.flags.has_any(watched) && !slice.bytes().all(is_white_byte) {
            self.machine.flags = self.machine.flags.without(watched);
        }
        if kind.reasoning {
            return self.out.event(Event::Reasoning(slice));
        }
        if self.tables.options.fences == Fences::Quote {
            self.machine.fence.read(slice);
        }
        self.out.event(Event::TextContent(slice));
    }

    /// Text of an object that is no call, or behind its end.
    fn whole_text(&mut self, slice: &str) {
        let at = self.view.base + self.from;
        let Some(whole) = &mut self.machine.whole else { return };
        let end = whole.read(slice, at);
        self.machine.examined += end.map_or(slice.len(), |end| end - at);
        if let Some(end) = end {
            whole.end(end);
            self.machine.flags.set(Flags::WHOLE, false);
        }
    }

    /// Between parameters or calls: markup, and a diagnostic for the first word of a run.
    fn junk(&mut self, slice: &str) {
        let between = match self.machine.state {
            State::Call => &self.grammar.calls[self.machine.call.kind as usize].between,
            _ => &self.grammar.sections[self.machine.section as usize].between,
        };
        let quiet = match between {
            Between::Only(_) => return self.out.event(Event::Markup(slice)),
            Between::Junk(quiet) => *quiet,
        };
        let word = slice.find(|c| !quiet.has(c)).filter(|_| !self.machine.call.reported);
        let Some(word) = word else { return self.out.event(Event::Markup(slice)) };
        // The diagnostic stands right before the word, however the stream is cut.
        let (before, word) = slice.split_at(word);
        if !before.is_empty() {
            self.out.event(Event::Markup(before));
        }
        self.report_once(DiagnosticKind::StrayText, self.from + before.len());
        self.out.event(Event::Markup(word));
    }

    /// One diagnostic for a run of junk.
    pub fn report_once(&mut self, kind: DiagnosticKind, at: usize) {
        self.machine.flags.set(Flags::CALL_START, false);
        if !std::mem::replace(&mut self.machine.call.reported, true) {
            self.diagnose(kind, at);
        }
    }

    /// All bytes before `to` that have not left do so as markup.
    pub fn markup(&mut self, to: usize) {
        for slice in self.view.slices(self.from, to) {
            if !slice.is_empty() {
                self.out.event(Event::Markup(slice));
                self.machine.note_end(self.grammar.words, slice);
            }
        }
        self.from = to;
        self.machine.fence.end_run();
        if self.machine.flags.take(Flags::WHOLE) {
            if let Some(whole) = &mut self.machine.whole {
                whole.end(self.view.base + to);
            }
        }
        self.begins_after_markup();
        self.machine.flags.set(Flags::STREAM_START, false);
    }

    /// What comes next stands right after markup or a call.
    pub fn begins_after_markup(&mut self) {
        if self.machine.line != Line::Start {
            self.machine.line = Line::Markup;
        }
    }

    /// `at` is an offset of the view.
    pub fn diagnose(&mut self, kind: DiagnosticKind, at: usize) {
        let at = self.view.base + at;
        self.out.event(Event::Diagnostic(Diagnostic::new(kind, at)));
    }

    /// Recovering from a mistake breaks the call, if the host wants that.
    pub fn recovers(&mut self, note: DiagnosticKind) {
        let recovery = matches!(
            note,
            DiagnosticKind::MissingCloser
                | DiagnosticKind::MismatchedCloser
                | DiagnosticKind::MalformedTag
                | DiagnosticKind::MissingOpener
        );
        if recovery && self.tables.options.recoveries == Recoveries::Strict {
            self.machine.flags.set(Flags::BROKEN, true);
        }
    }

    /// What of the open value's white space is the dialect's own. Where a section has no closer, white space
    /// may stand between calls, and what follows the last one is text.
    pub fn framing(&self) -> Framing {
        match self.machine.state {
            State::Value => self.tables.framing_by_rules(self.machine.call.value_kind),
            State::Section => self.grammar.sections[self.machine.section as usize].framing,
            _ => Framing::None,
        }
    }

    /// How many bytes before `at` are white space that may be framing.
    pub fn framing_before(&self, at: usize) -> usize {
        match self.framing() {
            Framing::LineBreak | Framing::Recovered
                if at > self.from && self.view.byte(at - 1) == Some(b'\n') =>
            {
                let cr = at - self.from > 1 && self.view.byte(at - 2) == Some(b'\r');
                1 + usize::from(cr)
            }
            Framing::White => {
                let white = self.view.white_space_before(self.from, at);
                let long = at - white > bounds::WHITE_SPACE
                    || self.machine.call.long_white && white == self.from;
                if long { 0 } else { at - white }
            }
            _ => 0,
        }
    }

    /// What stands before `to` leaves, but for the white space at its end that may be framing. A run that is
    /// too long for that is payload, however much more of it comes.
    #[inline]
    pub fn framed_payload(&mut self, to: usize) {
        if to == self.from {
            return;
        }
        match self.framing() {
            Framing::None => self.payload(to),
            framing => self.payload_in(framing, to),
        }
    }

    fn payload_in(&mut self, framing: Framing, to: usize) {
        let long = framing == Framing::White && {
            let run = to - self.view.white_space_before(self.from, to);
            let whole = run == to - self.from;
            run > bounds::WHITE_SPACE || whole && self.machine.call.long_white
        };
        let framing = self.framing_before(to);
        self.payload(to - framing);
        self.machine.call.long_white = long;
    }

    /// First byte of a value: one line break is framing. Chunk ends after CR: it is held. Stream ends
    /// there: it is value.
    pub fn value_start(&mut self) {
        let cr = usize::from(self.view.byte(self.from) == Some(b'\r'));
        let Some(next) = self.view.byte(self.from + cr) else {
            self.at = self.from + cr;
            return;
        };
        self.machine.call.at_value_start = false;
        if next == b'\n' {
            self.markup(self.from + cr + 1);
        }
        self.at = self.from;
    }

    /// After the colon of a keyword line: what closes its decoration is markup, if all of it comes.
    pub fn close_decoration(&mut self) {
        let close = self.machine.close;
        let next = |(at, sign): &(usize, Option<u8>)| self.view.byte(self.from + at) == *sign;
        let same = close.signs().enumerate().take_while(next).count();
        let whole = same == close.len as usize;
        if !whole && self.from + same == self.view.len() && self.end.is_none() {
            self.at = self.view.len();
            return;
        }
        self.machine.close = Close::default();
        if whole {
            // It belongs to the keyword.
            self.markup(self.from + same);
            self.machine.line = Line::Middle;
        }
        self.at = self.from;
        self.answer_starts();
    }

    /// After the whole keyword of an answer.
    pub fn answer_starts(&mut self) {
        let prose = &self.grammar.prose[self.machine.prose as usize];
        if self.machine.state == State::Prose && prose.answer {
            self.out.event(Event::AnswerStart);
        }
    }

    /// The chunk ends: what can no longer be part of a marker leaves.
    #[inline]
    pub fn release(&mut self) {
        let step = self.machine.step(self.grammar);
        let waits = matches!(step, Step::Matching | Step::ValueStart | Step::Decoration);
        if waits || self.out.raised() {
            return;
        }
        let end = if self.out.wants_markers() { self.told_up_to() } else { self.view.len() };
        match self.machine.state {
            State::Body => self.release_body(),
            State::Value | State::Section => {
                let cr = matches!(self.framing(), Framing::LineBreak | Framing::Recovered)
                    && end > self.from
                    && self.view.byte(end - 1) == Some(b'\r');
                self.framed_payload(end - usize::from(cr));
            }
            _ => self.payload(end),
        }
    }
}

impl Machine {
    /// This is the last thing that has left, as payload of the present state or as markup. `words`: a marker may
    /// begin with one.
    #[inline]
    pub(super) fn note_end(&mut self, words: bool, slice: &str) {
        self.line = match slice.as_bytes().last() {
            Some(b'\n') => Line::Start,
            _ if self.state != State::Prose => Line::Markup,
            Some(b' ' | b'\t') => self.line_after_blank(slice),
            _ => Line::Middle,
        };
        if words {
            self.in_word = ends_in_word(slice);
        }
    }

    /// Where in its line what comes after this text stands, which ends in a blank.
    fn line_after_blank(&self, slice: &str) -> Line {
        match (slice.bytes().rfind(|byte| !matches!(byte, b' ' | b'\t')), self.line) {
            (Some(b'\n'), _) | (None, Line::Start | Line::Blank) => Line::Blank,
            _ => Line::Middle,
        }
    }
}
