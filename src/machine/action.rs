//! What a marker does that counts, and what becomes of one that does not.

use super::call::{NO_OPENER, Section};
use super::grammar::TEXT;
use super::pattern::{Match, Stretch};
use super::pending::{Found, MatchVerdict};
use super::table::{Begins, CompiledRule};
use super::view::View;
use super::{Close, Feed, Line, State};
use crate::dialect::spec::{Action, Flags, Framing, Named, Place, Scope, What};
use crate::event::{Cause, Diagnostic, DiagnosticKind, Event, Status, ToolUse, TypeHint};
use crate::json::white::WHITE_SPACE;
use crate::machine::names;
use crate::machine::tables::{PartNumber, UNKNOWN};
use crate::options::bounds;
use crate::sink::Sink;

/// A marker that counts: its rule, what it captured, and where it stands in the view.
#[derive(Clone, Copy)]
struct Marker<'m> {
    action: Action,
    part: PartNumber,
    entities: bool,
    how: &'m Match,
    start: usize,
    end: usize,
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
    pub fn reject(&mut self) {
        let machine = &mut *self.machine;
        let pending = &mut machine.pending;
        pending.active = false;
        let (start, begins) = (pending.start(), pending.begins);
        if machine.state == State::Prose && self.grammar.prose[machine.prose as usize].reasoning {
            pending.openers = Default::default();
        }
        self.rejected_before(None, start);
        self.text_as_a_whole(start);
        self.at = start;
        match begins {
            Begins::Line => {
                self.line_tried = Some(start);
                let ends = self.between_chars().is_some() && !self.machine.at_start;
                if ends && !self.is_blank_line(start) {
                    self.end_between();
                }
            }
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
                    return self.end_between();
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

    /// Whether nothing but blanks stands up to the line's end.
    fn is_blank_line(&self, at: usize) -> bool {
        let rest = self.view.slices(at, self.view.len());
        let mut rest = rest.iter().flat_map(|rest| rest.bytes()).take(bounds::LINE + 1);
        match rest.find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
            None => self.end.is_some() && self.view.len() - at <= bounds::LINE,
            next => next == Some(b'\n'),
        }
    }

    /// What is read does not count, of the rules up to `last`.
    fn rejected_before(&mut self, last: Option<u8>, start: usize) {
        match self.machine.state {
            State::Prose => self.count_rejected(last),
            State::Value if self.machine.pending.own_closer => {
                self.machine.flags.set(Flags::HOLDS_CLOSER, true);
            }
            _ => {}
        }
        self.check_bounds(start, last);
    }

    /// Openers that were rejected: those of the rules up to `last`.
    fn count_rejected(&mut self, last: Option<u8>) {
        let openers = self.machine.pending.openers;
        for (rejected, opener) in self.machine.rejected.iter_mut().zip(openers) {
            *rejected = rejected.saturating_add(u8::from(opener.is_up_to(last)));
        }
    }

    /// A marker failed, of the rules up to `last`: a call in which it did so for a bound alone is broken.
    fn check_bounds(&mut self, start: usize, last: Option<u8>) {
        let in_call = matches!(self.machine.state, State::Call | State::Value);
        if in_call && self.machine.pending.too_long.is_up_to(last) {
            self.machine.flags.set(Flags::BROKEN, true);
            self.diagnose(DiagnosticKind::LimitExceeded, start);
        }
    }

    /// The marker counts.
    pub fn accept(&mut self, found: &Found) {
        let start = self.machine.pending.start();
        self.machine.pending.active = false;
        let rule: &CompiledRule = &self.table().rules[found.rule as usize];
        let how = &found.how;
        let end = start + how.mark.unwrap_or(how.at) as usize;
        let CompiledRule { action, part, entities, .. } = *rule;
        let marker = Marker { action, part, entities, how, start, end };
        // What is owed to a call without a section is owed right after it.
        let owed = self.machine.state != State::Prose && self.machine.flags.has(Flags::OWED);
        self.machine.flags.set(Flags::OWED, owed);
        let Action { what, note, sets, clears, .. } = rule.action;
        let late = matches!(what, What::Open(Place::Call(_)) | What::Unexpected);
        if self.machine.state == State::Call {
            self.check_bounds(start, Some(found.rule));
        }
        if what == What::Pass {
            self.rejected_before(Some(found.rule), start);
        }
        if let Some(note) = note.filter(|_| !late) {
            self.report(note, &marker);
        }
        self.machine.flags = self.machine.flags.without(clears) | sets.without(Flags::NESTED);
        let depth = &mut self.machine.call.depth;
        *depth = depth.saturating_add(sets.has(Flags::NESTED).into());
        *depth = depth.saturating_sub(clears.has(Flags::NESTED).into());
        if sets.has(Flags::DOUBTFUL) && self.tables.options.strict_recoveries {
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

    /// What stands in a call where it should not: once a run, unless it breaks the call.
    fn report_unexpected(&mut self, note: DiagnosticKind, marker: &Marker<'_>) {
        if !sets_broken(marker) {
            return self.report_once(note, marker.start);
        }
        self.machine.flags.set(Flags::CALL_START, false);
        self.check_named(marker.start);
        self.diagnose(note, marker.start);
    }

    /// What is reported of a marker, of payload after what stands before it has left: of suspect ones once a
    /// call.
    fn report(&mut self, note: DiagnosticKind, marker: &Marker<'_>) {
        let suspect = note == DiagnosticKind::SuspectMarker;
        if suspect && self.machine.flags.has(Flags::SUSPECTED) {
            return;
        }
        if marker.action.what == What::Pass {
            self.value_payload(marker.start);
        }
        self.diagnose(note, marker.start);
        self.recovers(note);
    }

    /// The marker leaves as markup, and `state` begins after it; before it, if it acts there.
    fn leave(&mut self, marker: &Marker<'_>, state: State) {
        self.markup(marker.to());
        self.after_keyword(marker);
        self.enter(state);
    }

    /// Reading goes on at the first byte that has not left, in another state.
    pub fn enter(&mut self, state: State) {
        let in_value = self.machine.state == State::Value;
        self.at = self.from;
        self.machine.state = state;
        self.forget_lines();
        self.line_tried = None;
        // A call goes on after a value: it began long ago.
        let begins = !(in_value && state == State::Call);
        self.machine.at_start = begins && self.table().begins_at(Begins::State);
        if self.machine.at_start && self.machine.close.len == 0 {
            self.start_at_once();
        }
    }

    /// The rules at the start of a state of which the first needs no byte.
    fn start_at_once(&mut self) {
        let table = self.table();
        let counts = table.counting(self.here(self.at));
        let tool = self.machine.call.tool;
        self.machine.pending.begin(table, Begins::State, counts, self.at, tool);
        self.machine.pending.active = false;
        if self.machine.pending.verdict(table) == MatchVerdict::Accept {
            self.machine.at_start = false;
            if let Some(found) = self.machine.pending.found() {
                self.accept(&found);
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
            let mut bits = 0_u64;
            for offset in 0..len {
                let byte = self.view.byte(marker.start + (at + len - 1 - offset) as usize);
                let code = b"*_`".iter().position(|of| Some(*of) == byte).unwrap_or(3) as u64;
                bits |= code << (2 * offset);
            }
            self.machine.close = Close { bits: bits.to_le_bytes(), len: len as u8 };
        }
    }

    fn open(&mut self, place: Place, marker: &Marker<'_>) {
        match place {
            Place::Prose(kind) => self.open_prose(kind, marker),
            Place::Section(kind) => self.open_section(kind, marker),
            Place::Call(kind) => self.open_call(kind, marker),
            // The brace that ends the marker begins the body.
            Place::Body(kind) => {
                if !marker.how.id.is_empty() {
                    // It stands where the name will, if one is found.
                    copy(self.view, marker.how.id, marker.start, &mut self.machine.call.name);
                }
                self.open_body(kind, marker.start, marker.end - 1);
                if !marker.how.id.is_empty() && self.machine.body.names_call() {
                    self.machine.call.set_id();
                    self.machine.body.is_named_inside();
                }
                if self.machine.body.skips() {
                    self.skip_call(marker);
                }
            }
        }
    }

    /// What belongs to no call is read by the parameters of the tool that it names, or names again.
    fn skip_call(&mut self, marker: &Marker<'_>) {
        let call = &mut self.machine.call;
        let named = !marker.how.name.is_empty();
        let tool =
            if named { marker.how.tool } else { self.tables.tool_number([call.first(), ""]) };
        let params = self.tables.tools.get(tool as usize).map_or(0, |tool| tool.params.len());
        call.skip(tool, params, marker.part);
    }

    fn open_prose(&mut self, kind: u8, marker: &Marker<'_>) {
        let machine = &mut *self.machine;
        machine.flags.set(Flags::AFTER_CALL, false);
        if machine.state == State::Prose {
            machine.back = machine.prose;
        }
        self.markup(marker.to());
        self.machine.prose = kind;
        self.after_keyword(marker);
        self.enter(State::Prose);
        if self.machine.close.len == 0 {
            self.answer_starts();
        }
    }

    fn open_section(&mut self, kind: u8, marker: &Marker<'_>) {
        let at = self.view.base + marker.start;
        let calls = self.grammar.sections[kind as usize].calls;
        if self.machine.state == State::Section {
            self.at = marker.start;
            self.end_waiting(Status::Complete);
        }
        if self.machine.state == State::Prose {
            if calls && !self.out.may_open(at) {
                return;
            }
            self.machine.back = if calls { TEXT } else { self.machine.prose };
            self.machine.call.reported = false;
            self.machine.section = Section { kind, unused: if calls { at } else { NO_OPENER } };
            self.machine.flags.set(Flags::IN_SECTION | Flags::SECTION_START, calls);
            self.machine.flags.set(Flags::BRACKET, false);
        } else if marker.action.sets.has(Flags::SECTION_START) {
            // A block of calls in a section: its opener is that of the call in it.
            if !self.may_open(marker.start) {
                return;
            }
            let unused = &mut self.machine.section.unused;
            *unused = if *unused == NO_OPENER { at } else { *unused };
        }
        self.machine.section.kind = kind;
        self.leave(marker, State::Section);
    }

    fn open_call(&mut self, kind: u8, marker: &Marker<'_>) {
        let Marker { start, how, action, .. } = *marker;
        if self.machine.state == State::Call {
            // The open call goes on as one of this kind.
            self.machine.call.kind = kind;
            return self.leave(marker, State::Call);
        }
        if !self.may_open(start) {
            return;
        }
        let part = match self.machine.state {
            State::Section => self.machine.section_part(self.grammar),
            _ => marker.part,
        };
        copy_name(self.view, marker, &mut self.machine.call.name);
        if let (true, Some(tool)) = (how.name.is_empty(), self.tables.tools.get(how.tool as usize))
        {
            // The table says which one is called.
            self.machine.call.name.push_str(&tool.name);
        }
        if self.grammar.repeats && self.machine.state == State::Prose {
            self.machine.call.is_first();
        }
        if let Some(element) = self.machine.call.element_buffer(how.extra.is_empty()) {
            copy(self.view, how.extra, start, element);
        }
        // A tag that the end of the stream cuts short is not malformed.
        let malformed = action.note == Some(DiagnosticKind::MalformedTag);
        let cut = malformed && self.is_cut_tag(marker.end);
        let note = action.note.filter(|_| !cut);
        let mut id = std::mem::take(&mut self.machine.call.param);
        copy(self.view, how.id, start, &mut id);
        // One that is empty was captured after something.
        let captured = (how.id != Stretch::default()).then_some(&*id);
        self.start_call(how.tool, part, captured, self.view.base + start, note);
        self.machine.call.param = id;
        self.machine.call.kind = kind;
        self.machine.call.cut_name = how.cut_name;
        self.leave(marker, State::Call);
    }

    /// Whether nothing but white space follows what should have been a tag.
    fn is_cut_tag(&self, end: usize) -> bool {
        let rest = self.view.slices(end, self.view.len());
        let blank = rest.iter().all(|rest| rest.trim_start_matches(WHITE_SPACE).is_empty());
        blank && self.view.byte(end - 1) != Some(b'>')
    }

    /// The first call of a section was asked for at the section's opener.
    pub fn may_open(&mut self, start: usize) -> bool {
        (self.machine.section.unused != NO_OPENER) || self.out.may_open(self.view.base + start)
    }

    /// The call whose name is known begins; its own opener stands at `opener` in the stream.
    pub fn start_call(
        &mut self,
        tool: u16,
        part: PartNumber,
        id: Option<&str>,
        opener: usize,
        note: Option<DiagnosticKind>,
    ) {
        let at = match std::mem::replace(&mut self.machine.section.unused, NO_OPENER) {
            NO_OPENER => opener,
            at => at,
        };
        // What came before the opener, if something did.
        let whole = self.machine.call.take_id();
        let call = &mut self.machine.call;
        let index = call.count as usize;
        let params = self.tables.tools.get(tool as usize).map_or(0, |tool| tool.params.len());
        call.open(tool, params, part);
        let flags = &mut self.machine.flags;
        *flags = flags.without(
            Flags::BROKEN
                | Flags::NAMED
                | Flags::SECTION_START
                | Flags::SUSPECTED
                | Flags::DOUBTFUL
                | Flags::AFTER_CALL
                | Flags::MESSAGE_START,
        );
        *flags = *flags | Flags::CALL_START | Flags::CALLED | Flags::STEPPED;
        let (name, dialect) = (&*self.machine.call.name, part as usize);
        let id = id.or((!whole.is_empty()).then_some(&*whole));
        self.out.event(Event::ToolUse(ToolUse::Start { index, name, id, at, dialect }));
        self.machine.call.keep_id(whole);
        let unknown = tool == UNKNOWN && !self.tables.tools.is_empty();
        let unknown = unknown.then_some(DiagnosticKind::UnknownTool);
        let bare = self.machine.flags.has(Flags::OWED).then_some(DiagnosticKind::MissingOpener);
        for kind in [bare, note, unknown].into_iter().flatten() {
            self.out.event(Event::Diagnostic(Diagnostic::new(kind, opener)));
            self.recovers(kind);
        }
    }

    fn open_param(&mut self, kind: u8, named: Named, marker: &Marker<'_>) {
        let call = &mut self.machine.call;
        call.is_param = true;
        match named {
            Named::Captured => self.take_name(marker),
            Named::Remembered => {}
            Named::Input => {
                call.param.clear();
                call.param.push_str(&self.tables.spec(call.part).input);
            }
            Named::OnlyOne => {
                let one = self.tables.plain_param(call.part, call.tool);
                call.is_param = one.is_some();
                call.param.clear();
                call.param.push_str(one.unwrap_or_default());
            }
        }
        self.param_starts(kind, marker.start);
        self.leave(marker, State::Value);
    }

    /// The name and the type of a parameter, as far as the marker says them.
    fn take_name(&mut self, marker: &Marker<'_>) {
        let Marker { how, start, part, .. } = *marker;
        if !how.name.is_empty() {
            copy_name(self.view, marker, &mut self.machine.call.param);
        }
        let hints = &self.tables.spec(part).hints;
        let other = hints.iter().find(|(known, _)| known.is_empty()).map(|(_, hint)| *hint);
        if !how.extra.is_empty() {
            let from = start + how.extra.at as usize;
            let [head, tail] = self.view.slices(from, from + how.extra.len as usize);
            let known = hints.iter().find(|(text, _)| text.strip_prefix(head) == Some(tail));
            let hint = known.map(|(_, hint)| *hint).or(other);
            let counts = !self.tables.spec(part).hints_yield || {
                let call = &self.machine.call;
                let number = self.tables.param_number(part, call.tool, &call.param);
                let word = known.map_or("", |(text, _)| &**text);
                self.tables.leaves_to_wire(call.tool, number, word)
            };
            self.machine.call.hint = hint.filter(|_| counts);
        } else if other.is_some() {
            self.machine.call.hint = other;
        }
    }

    fn param_starts(&mut self, kind: u8, start: usize) {
        let call = &mut self.machine.call;
        call.value_kind = self.tables.value_kind(call.part, &call.param, kind);
        call.at_value_start = self.tables.framing(call.value_kind) == Framing::LineBreak;
        (call.long_white, call.reported, call.depth) = (false, false, 0);
        let hint = call.hint.take();
        let gone = Flags::HOLDS_CLOSER | Flags::CALL_START | Flags::NAMED;
        self.machine.flags = self.machine.flags.without(gone);
        if self.machine.call.is_param {
            self.report_param(hint, start);
        }
    }

    /// The open call has a parameter of the name that is remembered.
    pub fn report_param(&mut self, hint: Option<TypeHint>, start: usize) {
        let call = &mut self.machine.call;
        let number = self.tables.param_number(call.part, call.tool, &call.param);
        let again = call.give(number);
        let list = number.is_some_and(|number| self.tables.is_list(call.part, call.tool, number));
        let unknown = number.is_none() && call.tool != UNKNOWN;
        let name = &*self.machine.call.param;
        self.out.event(Event::ToolUse(ToolUse::ParamStart { name, hint }));
        if unknown {
            self.diagnose(DiagnosticKind::UnknownParameter, start);
        }
        if again && !list {
            self.diagnose(DiagnosticKind::DuplicateParameter, start);
        }
    }

    /// The name of a parameter whose value has a tag of its own.
    fn name_param(&mut self, marker: &Marker<'_>) {
        // A type alone leaves the name as it is.
        if marker.how.extra.is_empty() {
            self.check_named(marker.start);
            let call = &mut self.machine.call;
            (call.hint, call.reported) = (None, false);
            call.param.clear();
            self.machine.flags.set(Flags::NAMED, true);
        }
        self.take_name(marker);
        self.machine.flags.set(Flags::CALL_START, false);
        self.machine.call.reported = false;
        self.leave(marker, State::Call);
    }

    /// A parameter was named, but its value did not come.
    fn check_named(&mut self, start: usize) {
        if self.machine.flags.take(Flags::NAMED) {
            self.machine.flags.set(Flags::BROKEN, true);
            self.diagnose(DiagnosticKind::MalformedTag, start);
        }
    }

    fn close_scope(&mut self, scope: Scope, marker: &Marker<'_>) {
        match (self.machine.state, scope) {
            (State::Value, Scope::Value) => self.close_value(marker),
            (State::Value, Scope::Call | Scope::Section) => {
                self.close_value(marker);
                self.leave_section(scope);
                self.end_call(Status::Complete);
            }
            (State::Call, Scope::Call) => self.close_call(marker),
            (State::Call, Scope::Section) => {
                self.check_named(marker.start);
                self.leave_section(scope);
                self.markup(marker.to());
                self.end_call(Status::Complete);
            }
            (State::Section, _) => {
                self.at = marker.start;
                self.end_waiting(Status::Complete);
                self.markup(marker.to());
                self.close_section();
            }
            (State::Body, Scope::String) => return self.end_string(marker.start),
            (State::Body, _) if marker.action.before => return self.end_body(marker.start),
            (State::Body, _) if marker.start == marker.end => return self.end_body(marker.start),
            (State::Body, _) => return self.close_body(marker.start, marker.end),
            (State::Prose, _) => {
                self.markup(marker.to());
                self.machine.prose = self.machine.back;
                self.machine.back = TEXT;
                self.enter(State::Prose);
                self.line_after_reasoning();
            }
            _ => self.leave(marker, self.machine.state),
        }
        if let Some(place) = marker.action.then {
            self.go_on(place);
        }
    }

    /// With the call its section ends, if the marker says so.
    fn leave_section(&mut self, scope: Scope) {
        if scope == Scope::Section {
            self.machine.flags = self.machine.flags.without(Flags::IN_SECTION | Flags::OWED);
        }
    }

    /// The state that follows what was closed.
    pub fn go_on(&mut self, place: Place) {
        match place {
            Place::Prose(kind) => {
                self.machine.prose = kind;
                self.enter(State::Prose);
            }
            Place::Section(kind) => {
                let calls = self.grammar.sections[kind as usize].calls;
                self.machine.section = Section { kind, unused: NO_OPENER };
                // A section that goes on is owed its opener's closer as before.
                let goes_on = self.machine.flags.has(Flags::IN_SECTION);
                let owed = goes_on && self.machine.flags.has(Flags::OWED);
                self.machine.flags.set(Flags::OWED, owed);
                if !goes_on {
                    self.machine.back = self.machine.prose;
                }
                self.machine.flags.set(Flags::IN_SECTION, calls || goes_on);
                self.enter(State::Section);
            }
            Place::Call(kind) => {
                self.machine.call.kind = kind;
                self.enter(State::Call);
            }
            // No body begins without its brace.
            Place::Body(_) => {}
        }
    }

    fn close_value(&mut self, marker: &Marker<'_>) {
        let to = marker.to();
        self.markup(to);
        let own = marker.action.what == What::Close(Scope::Value);
        self.end_value(!sets_broken(marker) && (own || !self.unproven));
        self.enter(State::Call);
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
        let same = self.machine.call.name.strip_prefix(name[0]) == Some(name[1]);
        if !how.name.is_empty() && !same && !marker.action.before {
            self.diagnose(DiagnosticKind::MismatchedCloser, start);
            self.recovers(DiagnosticKind::MismatchedCloser);
        }
        self.check_named(start);
        self.markup(marker.to());
        self.end_call(Status::Complete);
    }

    /// The call is over; what it was opened in goes on.
    pub fn end_call(&mut self, status: Status) {
        let broken = self.machine.flags.has(Flags::BROKEN);
        let status = match status {
            Status::Complete if self.unproven => Status::Incomplete(Cause::EndOfStream),
            Status::Complete if broken => Status::Incomplete(Cause::Broken),
            status => status,
        };
        self.out.event(Event::ToolUse(ToolUse::End { status }));
        self.machine.call.close();
        let section = self.machine.flags.has(Flags::IN_SECTION);
        let gone = Flags::BROKEN | Flags::NAMED | Flags::CALL_START | Flags::HOLDS_CLOSER;
        self.machine.flags = self.machine.flags.without(gone) | Flags::AFTER_CALL;
        self.machine.prose = TEXT;
        self.begins_after_markup();
        self.enter(if section { State::Section } else { State::Prose });
    }

    /// The section is over; what it was opened in goes on.
    pub fn close_section(&mut self) {
        self.machine.section.unused = NO_OPENER;
        self.machine.flags.set(Flags::IN_SECTION | Flags::SECTION_START, false);
        self.machine.prose = self.machine.back;
        self.machine.back = TEXT;
        self.enter(State::Prose);
    }

    /// A closer of what is not open: text if a rejected opener cancels it.
    fn orphan(&mut self, scope: Scope, marker: &Marker<'_>) {
        let machine = &mut *self.machine;
        let rejected = match scope {
            Scope::Prose => &mut machine.rejected_thoughts,
            _ => &mut machine.rejected,
        };
        let rejected = &mut rejected[marker.part as usize];
        if *rejected > 0 {
            *rejected -= 1;
            self.at = marker.end;
            return;
        }
        self.diagnose(DiagnosticKind::OrphanCloser, marker.start);
        self.leave(marker, State::Prose);
        if scope == Scope::Prose {
            self.line_after_reasoning();
        }
    }

    /// After a closer of reasoning a line begins, where lines count.
    fn line_after_reasoning(&mut self) {
        if self.grammar.prose[TEXT as usize].table.begins_at(Begins::Line) {
            (self.machine.at_line, self.machine.line) = (true, Line::Start);
        }
    }
}
