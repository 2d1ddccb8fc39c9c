//! The end of the stream: what is held is decided, what is open ends.
//!
//! | it ends in | then |
//! |---|---|
//! | a marker that the end confirms | the marker acts, and reading goes on after it |
//! | half a marker, in prose | payload; `cut_opener` if it is the beginning of a call |
//! | half a marker, in a section, a call or a value | markup |
//! | a value or a call | the call is incomplete, unless a stop token is its closer |
//! | a section | its closer is missing; if no call got a name in it: `cut_opener` |

use super::call::NO_OPENER;
use super::table::Begins;
use super::{Feed, Proof, State, Step};
use crate::dialect::spec::{Flags, Framing, Place, What};
use crate::event::DiagnosticKind;
use crate::json::white::is_white_byte;
use crate::sink::Sink;

/// How many bytes of a call's opener make a cut one.
const CUT_OPENER: usize = 3;

/// A marker that the end of the stream leaves undecided.
struct Undecided {
    /// View offset of its first byte.
    start: usize,
    /// It leaves as markup: half a marker where payload is not for the user.
    markup: bool,
    /// It may be the opener of a call or of a section, and enough of it is there.
    opener: bool,
    /// It may be the arguments of the object before it.
    resumes: bool,
}

impl<S: Sink> Feed<'_, '_, S> {
    /// Everything has been read. `true` if something was decided and there is more to read.
    pub fn settle(&mut self) -> bool {
        if self.out.raised() {
            return false;
        }
        if self.machine.state == State::Body && self.machine.body.waits() {
            self.look_ahead();
            return true;
        }
        match self.machine.step(self.grammar) {
            // It has begun like a known marker, which it is not: it is read.
            Step::Matching if self.machine.pending.forget_begun() => {
                self.at = self.machine.pending.start();
                return true;
            }
            Step::Matching => {}
            Step::Decoration => {
                self.close_decoration();
                return true;
            }
            _ => {
                self.close();
                return false;
            }
        }
        let cut = self.cut();
        let (pending, around) = self.pending();
        pending.end(&around);
        if let Some((found, known)) = pending.at_end(&around, cut) {
            // Half a header ends nothing well.
            let rule = &self.table().rules[found.rule as usize];
            let half = rule.action.note == Some(DiagnosticKind::CutOpener);
            let proof = if cut && !known || half { Proof::CutEnd } else { Proof::Text };
            // What passes as text may stand before half an object that would have been a call.
            let passes = rule.action.what == What::Pass && self.machine.pending.object().is_some();
            let half_call = passes.then(|| self.undecided()).filter(|half| half.opener);
            self.accept(&found, proof);
            if let Some(Undecided { start, .. }) = half_call {
                self.cut_opener(start);
            }
            return true;
        }
        self.half_marker();
        true
    }

    /// What the end of the stream shows by itself.
    fn end_proves(&self) -> Proof {
        if self.cut() { Proof::CutEnd } else { Proof::Text }
    }

    /// Nothing confirms the pending match: what stands there leaves.
    fn half_marker(&mut self) {
        let Undecided { start, markup, opener, resumes } = self.undecided();
        let end = self.view.len();
        if self.machine.flags.has(Flags::WAITING) {
            // If something else has begun, the object has closed.
            self.at = start;
            self.machine.pending.active = false;
            self.end_waiting(if resumes { self.end_proves() } else { Proof::Text });
            self.markup(end);
            self.at = end;
            return;
        }
        let in_string = self.machine.pending.begins == Begins::Quote;
        if markup && !self.machine.at_start && !in_string {
            self.machine.pending.active = false;
            match self.machine.state {
                State::Value => self.framed_payload(start),
                _ => self.payload(start),
            }
            self.markup(end);
            self.at = end;
            self.half = true;
        } else {
            self.reject(self.end_proves());
        }
        if opener {
            self.payload(self.at);
            self.cut_opener(start);
        }
    }

    /// What the pending match may be half of.
    fn undecided(&self) -> Undecided {
        let table = self.table();
        let in_prose = self.machine.state == State::Prose;
        let (mut markup, mut opener, mut resumes) = (false, false, false);
        let (mut plain, tried) = (false, self.machine.pending.object());
        for (number, whole) in self.machine.pending.open(table) {
            let rule = &table.rules[number];
            let noise = matches!(rule.action.what, What::Unexpected | What::Pass | What::Reject);
            resumes |= rule.needs.has(Flags::WAITING);
            // Half a keyword is data, and so is a closer that nothing confirms.
            let line = self.machine.pending.begins == Begins::Line;
            let data = (whole || line) && self.machine.state == State::Value;
            markup |= !(in_prose || noise || data || rule.tries);
            let tools = !self.tables.tools.is_empty();
            let call = match rule.action.what {
                What::Open(Place::Call(_) | Place::Body(_)) => true,
                What::Open(Place::Section(_)) => rule.opener.is_some_and(|of| of.names_tool),
                _ => false,
            };
            let opens = in_prose || call && self.machine.state == State::Section;
            let opens = opens && rule.opener.is_some_and(|opener| tools || !opener.needs_tool);
            // Without the object, what stands before one that is tried is no opener.
            opener |= opens && (!rule.tries || rule.rejectable || tried.is_some());
            plain |= opens && (!rule.tries || rule.rejectable);
            // Of a header that would be cut its first token is.
            let header = in_prose && rule.action.note == Some(DiagnosticKind::CutOpener);
            opener |= header;
            plain |= header;
        }
        let start = self.machine.pending.start();
        // If nothing but the object that is tried makes it an opener, that counts alone.
        let object = tried.filter(|_| !plain);
        let begins = object.map_or(self.after_white_space(start), |object| start + object);
        opener &= self.view.len() - begins >= CUT_OPENER;
        Undecided { start, markup, opener, resumes }
    }

    /// Where an opener begins that may stand after white space, at the start of a state.
    fn after_white_space(&self, start: usize) -> usize {
        let white = |at: &usize| self.view.byte(*at).is_some_and(is_white_byte);
        let white = (start..self.view.len()).take_while(white).count();
        start + if self.machine.pending.begins == Begins::State { white } else { 0 }
    }

    fn cut_opener(&mut self, start: usize) {
        if !std::mem::replace(&mut self.machine.cut, true) {
            self.diagnose(DiagnosticKind::CutOpener, start);
        }
    }

    /// Nothing is undecided: what is open ends here.
    fn close(&mut self) {
        let end = self.view.len();
        match self.machine.state {
            State::Prose | State::Rest => self.payload(end),
            State::Body => self.end_in_body(end),
            State::Section => self.end_in_section(end),
            State::Call => self.end_in_call(end),
            State::Value => self.end_in_value(end),
        }
    }

    fn end_in_body(&mut self, end: usize) {
        if self.machine.body.is_orphan() {
            return self.markup(end);
        }
        if self.cut_body() {
            self.end_call(Proof::CutEnd);
        } else {
            if self.machine.body.json.has_no_name() {
                self.diagnose(DiagnosticKind::MalformedCall, end);
            }
            self.cut_opener(end);
        }
    }

    fn end_in_section(&mut self, end: usize) {
        self.payload(end);
        self.end_waiting(self.end_proves());
        let of = &self.grammar.sections[self.machine.section as usize];
        if !of.calls {
        } else if self.machine.unused != NO_OPENER && self.machine.flags.has(Flags::SECTION_START) {
            self.cut_opener(end);
        } else if of.closes && !of.stripped && !self.machine.cut {
            self.diagnose(DiagnosticKind::MissingCloser, end);
        }
    }

    /// A call whose closer is a stop token is whole, if nothing of it was cut.
    fn end_in_call(&mut self, end: usize) {
        self.payload(end);
        let whole = self.grammar.calls[self.machine.call.kind as usize].whole_at_end;
        if !whole || self.cut() {
            return self.end_call(Proof::CutEnd);
        }
        let call = &self.machine.call;
        // In a dialect of lines an input would have been announced; elsewhere an empty body is one.
        let lines = self.grammar.lines_part == Some(call.part);
        let no_input = lines && self.machine.flags.has(Flags::CALL_START);
        let tool = self.tables.tools.get(call.tool as usize);
        let enough = !no_input || tool.is_some_and(|tool| tool.requires_nothing());
        if enough && !self.half && !call.cut_name {
            return self.end_call(Proof::Text);
        }
        if no_input {
            self.diagnose(DiagnosticKind::MissingArguments, end);
        }
        self.end_call(Proof::CutEnd);
    }

    fn end_in_value(&mut self, end: usize) {
        let whole = self.grammar.values[self.machine.call.value_kind as usize].whole_at_end;
        let whole = whole && !self.cut();
        if whole || self.framing() == Framing::White {
            self.framed_payload(end);
        } else {
            self.payload(end);
        }
        self.markup(end);
        self.end_value(whole);
        self.end_call(if whole { Proof::Text } else { Proof::CutEnd });
    }
}
