//! What a marker does that counts, and what becomes of one that does not.

mod close;
mod open;

use super::outcome::Found;
use super::pattern::{Match, Stretch};
use super::pending::MatchVerdict;
use super::scan::LinesAhead;
use super::table::{Begins, CompiledRule};
use super::view::View;
use super::{Close, Feed, Line, Proof, State};
use crate::dialect::spec::{Action, Flags, Place, What};
use crate::event::DiagnosticKind;
use crate::json::white::WHITE_SPACE;
use crate::machine::ids::PartNumber;
use crate::machine::names;
use crate::options::{Recoveries, bounds};
use crate::sink::Sink;

/// A marker that counts: its rule, what it captured, and where it stands in the view.
#[derive(Clone, Copy)]
struct Marker<'m> {
    action: Action,
    part: PartNumber,
    kind: u8,
    entities: bool,
    how: &'m Match,
    start: usize,
    end: usize,
    proof: Proof,
}

impl Marker<'_> {
    /// Where what it does ends: after it, or before it.
    fn to(&self) -> usize {
        if self.action.before { self.start } else { self.end }
    }
}

fn sets_broken(marker: &Marker<'_>) -> bool {
    marker.action.sets.has(Flags::BROKEN)
}

/// The name that the marker captured.
fn copy_name(view: View<'_>, marker: &Marker<'_>, into: &mut String) {
    copy(view, marker.how.name, marker.start, into);
    if marker.entities {
        names::decode(into);
    }
}

/// What was captured, less white space around it.
fn copy(view: View<'_>, of: Stretch, start: usize, into: &mut String) {
    let from = start + of.at as usize;
    into.clear();
    view.copy(from, from + of.len as usize, into);
    into.truncate(into.trim_end_matches(WHITE_SPACE).len());
    let blanks = into.len() - into.trim_start_matches(WHITE_SPACE).len();
    into.drain(..blanks);
}

impl<S: Sink> Feed<'_, '_, S> {
    /// The pending match is payload: reading goes on after its first byte.
    pub fn reject(&mut self, proof: Proof) {
        self.machine.pending.active = false;
        let (start, begins) = (self.machine.pending.start(), self.machine.pending.begins);
        if self.out.wants_markers() {
            self.tell_rejected(start, begins);
        }
        let machine = &mut *self.machine;
        if machine.state == State::Prose && self.grammar.prose[machine.prose as usize].reasoning {
            machine.pending.noticed.openers = Default::default();
        }
        self.rejected_before(None, start);
        self.text_as_a_whole(start);
        self.at = start;
        match begins {
            Begins::Line => {
                self.line_tried = Some(start);
                let ends = self.between_chars().is_some() && !self.machine.at_start;
                if ends && !self.may_stand_between(start) {
                    self.end_between(proof);
                }
            }
            Begins::Word => self.word_tried = Some(start),
            Begins::State => {}
            Begins::Quote => {
                let next = self.view.byte(start);
                self.machine.body.json.string_goes_on(next);
                self.report_body();
            }
            Begins::Byte if self.machine.state == State::Body => {
                self.machine.body.json.pass();
            }
            Begins::Byte => {
                let may_stand = self.between_chars().is_none_or(|chars| {
                    let waits = self.machine.flags.has(Flags::WAITING);
                    !waits && self.view.byte(start).is_some_and(|byte| chars.has(byte.into()))
                });
                if !may_stand {
                    return self.end_between(proof);
                }
                self.at = start + self.view.part(start).chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    /// In prose: what was tried at `start` is no call, and is text up to its end.
    fn text_as_a_whole(&mut self, start: usize) {
        let machine = &mut *self.machine;
        let Some(object) = machine.pending.object().filter(|_| machine.state == State::Prose)
        else {
            return;
        };
        let to = machine.pending.tried().unwrap_or(start);
        let whole = machine.whole.get_or_insert_default();
        whole.begin(self.view.base + start + object, self.view.base + to);
        machine.flags.set(Flags::WHOLE, true);
    }

    /// Whether a line that is no marker may stand between calls: it is blank, or another marker may begin behind its
    /// blanks.
    fn may_stand_between(&self, at: usize) -> bool {
        let rest = self.view.slices(at, self.view.len());
        let mut rest = rest.iter().flat_map(|rest| rest.bytes()).take(bounds::LINE + 1);
        match rest.find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
            None => self.end.is_some() && self.view.len() - at <= bounds::LINE,
            Some(byte) => byte == b'\n' || self.table().first.contains(&byte),
        }
    }

    /// What is read does not count, of the rules up to `last`.
    fn rejected_before(&mut self, last: Option<u8>, start: usize) {
        match self.machine.state {
            State::Prose => self.count_rejected(last),
            State::Value if self.machine.pending.noticed.own_closer => {
                self.machine.flags.set(Flags::HOLDS_CLOSER, true);
            }
            _ => {}
        }
        self.check_bounds(start, last);
    }

    /// Openers that were rejected: those of the rules up to `last`.
    fn count_rejected(&mut self, last: Option<u8>) {
        let openers = self.machine.pending.noticed.openers;
        let rejected = self.machine.rejected.as_flattened_mut();
        for (rejected, opener) in rejected.iter_mut().zip(openers.as_flattened()) {
            *rejected = rejected.saturating_add(u8::from(opener.is_up_to(last)));
        }
    }

    /// A marker failed, of the rules before the one that `counts`: a call in which it did so for a bound alone is broken.
    /// The one that counts has not failed, though an alternative of it may be too long: whether that was seen depends on
    /// how much has come.
    fn check_bounds(&mut self, start: usize, counts: Option<u8>) {
        let in_call = matches!(self.machine.state, State::Call | State::Value);
        if in_call && self.machine.pending.noticed.too_long.is_before(counts) {
            self.machine.flags.set(Flags::BROKEN, true);
            self.diagnose(DiagnosticKind::LimitExceeded, start);
        }
    }

    /// The marker counts.
    pub fn accept(&mut self, found: &Found, proof: Proof) {
        let start = self.machine.pending.start();
        self.machine.pending.active = false;
        if self.machine.state == State::Section {
            // The white space before it is no text's.
            self.payload(start);
            self.machine.call.long_white = false;
        }
        let rule: &CompiledRule = &self.table().rules[found.rule as usize];
        let how = &found.how;
        let end = start + how.mark.unwrap_or(how.at) as usize;
        let CompiledRule { action, part, kind, entities, .. } = *rule;
        let marker = Marker { action, part, kind, entities, how, start, end, proof };
        // What is owed to a call without a section is owed right after it.
        let owed = self.machine.state != State::Prose && self.machine.flags.has(Flags::OWED);
        self.machine.flags.set(Flags::OWED, owed);
        let Action { what, note, sets, clears, .. } = rule.action;
        if self.out.wants_markers() {
            self.tell_accepted(rule, start, end);
        }
        let late = matches!(what, What::Open(Place::Call(_)) | What::Unexpected);
        if self.machine.state == State::Call {
            self.check_bounds(start, Some(found.rule));
        }
        if what == What::Pass {
            self.rejected_before(Some(found.rule), start);
        }
        if let Some(note) = note.filter(|_| !late) {
            self.report(note, start);
        }
        self.machine.flags = self.machine.flags.without(clears) | sets.without(Flags::NESTED);
        if clears.has(Flags::NESTED) {
            self.machine.call.unnest();
        }
        if sets.has(Flags::NESTED) {
            self.nest(&marker);
        }
        if sets.has(Flags::DOUBTFUL) && self.tables.options.recoveries == Recoveries::Strict {
            self.machine.flags.set(Flags::BROKEN, true);
        }
        match what {
            What::Open(place) => self.open(place, &marker),
            What::Param(kind, named) => self.open_param(kind, named, &marker),
            What::Name => self.name_param(&marker),
            What::Close(scope) => self.close_scope(scope, &marker),
            What::Orphan(scope) => self.orphan(scope, &marker),
            What::Mark => self.leave(&marker, self.machine.state),
            What::Unexpected => {
                self.report_unexpected(note.unwrap_or(DiagnosticKind::StrayText), &marker);
                self.leave(&marker, State::Call);
            }
            What::Pass => {
                self.text_as_a_whole(start);
                self.at = end;
            }
            What::Reject => {
                self.count_rejected(Some(found.rule));
                let rejected = &mut self.machine.rejected_thoughts[marker.part as usize];
                *rejected = rejected.saturating_add(1);
                self.at = end;
            }
            What::Rest => self.leave(&marker, State::Rest),
        }
    }

    /// An element of the open value begins. One whose name is too many breaks the call: what closes it would
    /// not be known.
    fn nest(&mut self, marker: &Marker<'_>) {
        let mut room: Option<[u8; bounds::NAME]> = None;
        let Stretch { at, len } = marker.how.element;
        let name = self.view.stretch(marker.start + at as usize, &mut room);
        let name = name.get(..len as usize).unwrap_or_default();
        if !self.machine.call.nest(name) {
            self.machine.flags.set(Flags::BROKEN, true);
            self.diagnose(DiagnosticKind::LimitExceeded, marker.start);
        }
    }

    /// What stands in a call where it should not: once a run, unless it breaks the call.
    fn report_unexpected(&mut self, note: DiagnosticKind, marker: &Marker<'_>) {
        if !sets_broken(marker) {
            return self.report_once(note, marker.start);
        }
        self.machine.flags.set(Flags::CALL_START, false);
        self.check_named(marker.start);
        self.diagnose(note, marker.start);
    }

    /// What is reported of a marker that begins here: of suspect ones once a call.
    fn report(&mut self, note: DiagnosticKind, start: usize) {
        let suspect = note == DiagnosticKind::SuspectMarker;
        if suspect && self.machine.flags.has(Flags::SUSPECTED) {
            return;
        }
        self.diagnose(note, start);
        self.recovers(note);
    }

    /// The marker leaves as markup, and `state` begins after it; before it, if it acts there.
    fn leave(&mut self, marker: &Marker<'_>, state: State) {
        self.markup(marker.to());
        self.after_keyword(marker);
        self.enter(state, marker.proof);
    }

    /// Reading goes on at the first byte that has not left, in another state, which begins by this proof.
    pub fn enter(&mut self, state: State, proof: Proof) {
        let in_value = self.machine.state == State::Value;
        self.at = self.from;
        self.machine.state = state;
        self.lines = LinesAhead::default();
        (self.line_tried, self.word_tried) = (None, None);
        // A call goes on after a value: it began long ago.
        let begins = !(in_value && state == State::Call);
        self.machine.at_start = begins && self.table().begins_at(Begins::State);
        if self.machine.at_start && self.machine.close.len == 0 {
            self.start_at_once(proof);
        }
    }

    /// The rules at the start of a state of which the first needs no byte.
    fn start_at_once(&mut self, proof: Proof) {
        let table = self.table();
        let counts = table.counting(self.here(self.at));
        let tool = self.machine.call.tool;
        self.machine.pending.begin(table, Begins::State, counts, self.at, tool);
        self.machine.pending.active = false;
        if self.machine.pending.verdict(table) == MatchVerdict::Accept {
            self.machine.at_start = false;
            if let Some(found) = self.machine.pending.found() {
                self.accept(&found, proof);
            }
        }
    }

    /// After the keyword of a line its decoration may be closed, and no line begins.
    fn after_keyword(&mut self, marker: &Marker<'_>) {
        if marker.how.keyword.letters() == 0 || marker.action.before {
            return;
        }
        let line = marker.start + marker.how.line_at as usize;
        let decoration = marker.how.open_decoration();
        if marker.end > line && self.view.byte(marker.end - 1) != Some(b'\n') {
            self.machine.line = Line::Middle;
            let Stretch { at, len } = decoration;
            let signs = (at..at + len).map(|at| self.view.byte(marker.start + at as usize));
            self.machine.close = Close::of(signs.rev());
        }
    }
}
