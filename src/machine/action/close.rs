//! What a marker closes, and where it leads from there.

use super::{Marker, sets_broken};
use crate::dialect::spec::{Flags, Framing, Place, Scope, What};
use crate::event::{Cause, DiagnosticKind, Event, Status, ToolUse};
use crate::machine::call::NO_OPENER;
use crate::machine::grammar::TEXT;
use crate::machine::outcome::OPENER_KINDS;
use crate::machine::table::Begins;
use crate::machine::{Feed, Line, Proof, State};
use crate::sink::Sink;

impl<S: Sink> Feed<'_, '_, S> {
    pub(super) fn close_scope(&mut self, scope: Scope, marker: &Marker<'_>) {
        match (self.machine.state, scope) {
            (State::Value, Scope::Value) => self.close_value(marker),
            (State::Value, Scope::Call | Scope::Section) => {
                self.close_value(marker);
                self.leave_section(scope);
                self.end_call(marker.proof);
            }
            (State::Call, Scope::Call) => self.close_call(marker),
            (State::Call, Scope::Section) => {
                self.check_named(marker.start);
                self.leave_section(scope);
                self.markup(marker.to());
                self.end_call(marker.proof);
            }
            (State::Section, _) => {
                self.at = marker.start;
                self.end_waiting(marker.proof);
                self.markup(marker.to());
                self.close_section(marker.proof);
            }
            (State::Body, Scope::String) => return self.end_string(marker.start, marker.proof),
            (State::Body, _) if marker.action.before || marker.start == marker.end => {
                return self.end_body(marker.start, marker.proof);
            }
            (State::Body, _) => return self.close_body(marker.start, marker.end, marker.proof),
            (State::Prose, _) => {
                self.markup(marker.to());
                self.machine.prose = self.machine.back;
                self.machine.back = TEXT;
                self.enter(State::Prose, marker.proof);
                self.line_after_reasoning();
            }
            _ => self.leave(marker, self.machine.state),
        }
        if let Some(place) = marker.action.then {
            self.go_on(place, marker.proof);
        }
    }

    /// With the call its section ends, if the marker says so.
    fn leave_section(&mut self, scope: Scope) {
        if scope == Scope::Section {
            self.machine.flags = self.machine.flags.without(Flags::IN_SECTION | Flags::OWED);
        }
    }

    /// The state that follows what was closed.
    pub fn go_on(&mut self, place: Place, proof: Proof) {
        match place {
            Place::Prose(kind) => {
                self.machine.prose = kind;
                self.enter(State::Prose, proof);
            }
            Place::Section(kind) => {
                let calls = self.grammar.sections[kind as usize].calls;
                (self.machine.section, self.machine.unused) = (kind, NO_OPENER);
                // A section that goes on is owed its opener's closer as before.
                let goes_on = self.machine.flags.has(Flags::IN_SECTION);
                let owed = goes_on && self.machine.flags.has(Flags::OWED);
                self.machine.flags.set(Flags::OWED, owed);
                if !goes_on {
                    self.machine.back = self.machine.prose;
                }
                self.machine.flags.set(Flags::IN_SECTION, calls || goes_on);
                self.enter(State::Section, proof);
            }
            Place::Call(kind) => {
                self.machine.call.kind = kind;
                self.enter(State::Call, proof);
            }
            // No body begins without its brace.
            Place::Body(_) => {}
        }
    }

    fn close_value(&mut self, marker: &Marker<'_>) {
        if self.framing() == Framing::Recovered && marker.action.note.is_none() {
            // Its own closer: the line break before it is the value's.
            self.payload(marker.start);
        }
        self.markup(marker.to());
        let own = marker.action.what == What::Close(Scope::Value);
        self.end_value(!sets_broken(marker) && (own || marker.proof == Proof::Text));
        self.enter(State::Call, marker.proof);
    }

    /// The value is over.
    pub fn end_value(&mut self, closed: bool) {
        self.machine.call.at_value_start = false;
        if self.machine.call.is_param {
            self.end_param(closed);
        }
    }

    pub fn end_param(&mut self, closed: bool) {
        self.out.event(Event::ToolUse(ToolUse::ParamEnd { closed }));
    }

    fn close_call(&mut self, marker: &Marker<'_>) {
        let Marker { how, start, .. } = *marker;
        let from = start + how.name.at as usize;
        let name = self.view.slices(from, from + how.name.len as usize);
        let same = self.machine.call.captured.name.strip_prefix(name[0]) == Some(name[1]);
        if !how.name.is_empty() && !same && !marker.action.before {
            self.diagnose(DiagnosticKind::MismatchedCloser, start);
            self.recovers(DiagnosticKind::MismatchedCloser);
        }
        self.check_named(start);
        self.markup(marker.to());
        self.end_call(marker.proof);
    }

    /// The call is over; what it was opened in goes on.
    pub fn end_call(&mut self, proof: Proof) {
        let status = match proof.status() {
            Status::Complete if self.machine.flags.has(Flags::BROKEN) => {
                Status::Incomplete(Cause::Broken)
            }
            status => status,
        };
        self.out.event(Event::ToolUse(ToolUse::End { status, at: 0 }));
        self.machine.call.close();
        let section = self.machine.flags.has(Flags::IN_SECTION);
        let gone = Flags::BROKEN | Flags::NAMED | Flags::CALL_START | Flags::HOLDS_CLOSER;
        self.machine.flags = self.machine.flags.without(gone) | Flags::AFTER_CALL;
        self.machine.prose = TEXT;
        self.begins_after_markup();
        self.enter(if section { State::Section } else { State::Prose }, proof);
    }

    /// The section is over; what it was opened in goes on.
    pub fn close_section(&mut self, proof: Proof) {
        self.machine.call.long_white = false;
        self.machine.unused = NO_OPENER;
        self.machine.flags.set(Flags::IN_SECTION | Flags::SECTION_START, false);
        self.machine.prose = self.machine.back;
        self.machine.back = TEXT;
        self.enter(State::Prose, proof);
    }

    /// A closer of what is not open: text if a rejected opener cancels it.
    pub(super) fn orphan(&mut self, scope: Scope, marker: &Marker<'_>) {
        if self.is_paid_for(scope, marker) {
            self.at = marker.end;
            return;
        }
        self.diagnose(DiagnosticKind::OrphanCloser, marker.start);
        self.leave(marker, State::Prose);
        if scope == Scope::Prose {
            self.line_after_reasoning();
        }
    }

    /// Whether an opener was rejected that this closer belongs to: it is text then, as that was. A call's closer
    /// pays for a call's opener, a section's for a section's.
    fn is_paid_for(&mut self, scope: Scope, marker: &Marker<'_>) -> bool {
        let (machine, part) = (&mut *self.machine, marker.part as usize);
        let rejected = match scope {
            Scope::Prose => &mut machine.rejected_thoughts[part],
            // A call has as many parameters as it likes.
            Scope::Value => return machine.rejected[part] != [0; OPENER_KINDS],
            _ => &mut machine.rejected[part][marker.kind as usize],
        };
        let is_paid_for = *rejected > 0;
        *rejected = rejected.saturating_sub(1);
        is_paid_for
    }

    /// After a closer of reasoning a line begins, where lines count.
    fn line_after_reasoning(&mut self) {
        if self.grammar.prose[TEXT as usize].table.begins_at(Begins::Line) {
            self.machine.line = Line::Start;
        }
    }
}
