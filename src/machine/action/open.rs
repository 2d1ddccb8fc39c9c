//! What a marker opens: prose, a section, a call, a body or a parameter, with the names that it captured.

use super::{Marker, copy, copy_name};
use crate::dialect::spec::{Flags, Framing, Named, Place};
use crate::event::{Diagnostic, DiagnosticKind, Event, ToolUse, TypeHint};
use crate::json::white::WHITE_SPACE;
use crate::machine::call::NO_OPENER;
use crate::machine::grammar::TEXT;
use crate::machine::ids::{PartNumber, UNKNOWN};
use crate::machine::pattern::Stretch;
use crate::machine::{Feed, State};
use crate::sink::Sink;

impl<S: Sink> Feed<'_, '_, S> {
    pub(super) fn open(&mut self, place: Place, marker: &Marker<'_>) {
        match place {
            Place::Prose(kind) => self.open_prose(kind, marker),
            Place::Section(kind) => self.open_section(kind, marker),
            Place::Call(kind) => self.open_call(kind, marker),
            // The brace that ends the marker begins the body.
            Place::Body(kind) => {
                self.open_body(kind, marker.start, marker.end - 1, marker.proof);
                if !marker.how.id.is_empty() && !self.machine.body.is_orphan() {
                    let id = self.machine.call.captured.id_mut();
                    copy(self.view, marker.how.id, marker.start, id);
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
            if named { marker.how.tool } else { self.tables.names.number([call.first(), ""]) };
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
        self.enter(State::Prose, marker.proof);
        if self.machine.close.len == 0 {
            self.answer_starts();
        }
    }

    fn open_section(&mut self, kind: u8, marker: &Marker<'_>) {
        let at = self.view.base + marker.start;
        let calls = self.grammar.sections[kind as usize].calls;
        if self.machine.state == State::Section {
            self.at = marker.start;
            self.end_waiting(marker.proof);
        }
        if self.machine.state == State::Prose {
            if calls && !self.out.may_open(at) {
                return;
            }
            self.machine.back = if calls { TEXT } else { self.machine.prose };
            self.machine.call.reported = false;
            self.machine.unused = if calls { at } else { NO_OPENER };
            self.machine.flags.set(Flags::IN_SECTION | Flags::SECTION_START, calls);
            self.machine.flags.set(Flags::BRACKET, false);
        } else if marker.action.sets.has(Flags::SECTION_START) {
            // A block of calls in a section: its opener is that of the call in it.
            if !self.may_open(marker.start) {
                return;
            }
            let unused = &mut self.machine.unused;
            *unused = if *unused == NO_OPENER { at } else { *unused };
        }
        self.machine.section = kind;
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
        copy_name(self.view, marker, &mut self.machine.call.captured.name);
        // The table says which one is called, where the marker does not.
        let given = how.name.is_empty().then(|| self.tables.tools.get(how.tool as usize));
        if let Some(tool) = given.flatten() {
            self.machine.call.captured.name.push_str(&tool.name);
        }
        if self.grammar.repeats && self.machine.state == State::Prose {
            self.machine.call.is_first();
        }
        let captured = &mut self.machine.call.captured;
        captured.clear_id();
        captured.clear_element();
        if !how.extra.is_empty() {
            copy(self.view, how.extra, start, captured.element_mut());
        }
        if !how.id.is_empty() {
            copy(self.view, how.id, start, captured.id_mut());
        }
        // A tag that the end of the stream cuts short is not malformed.
        let malformed = action.note == Some(DiagnosticKind::MalformedTag);
        let cut = malformed && self.is_cut_tag(marker.end);
        let note = action.note.filter(|_| !cut);
        // One that is empty was captured after something.
        let has_id = how.id != Stretch::default();
        self.start_call(how.tool, marker.part, has_id, self.view.base + start, note);
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
        (self.machine.unused != NO_OPENER) || self.out.may_open(self.view.base + start)
    }

    /// The call whose name is known begins; its own opener stands at `opener` in the stream. `has_id`: its id came,
    /// be it empty.
    pub fn start_call(
        &mut self,
        tool: u16,
        part: PartNumber,
        has_id: bool,
        opener: usize,
        note: Option<DiagnosticKind>,
    ) {
        let at = match std::mem::replace(&mut self.machine.unused, NO_OPENER) {
            NO_OPENER => opener,
            at => at,
        };
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
        let captured = &mut self.machine.call.captured;
        let (name, dialect) = (&*captured.name, part as usize);
        let id = Some(captured.id()).filter(|id| has_id || !id.is_empty());
        self.out.event(Event::ToolUse(ToolUse::Start { index, name, id, at, dialect }));
        captured.clear_id();
        let unknown = tool == UNKNOWN && !self.tables.tools.is_empty();
        let unknown = unknown.then_some(DiagnosticKind::UnknownTool);
        let bare = self.machine.flags.has(Flags::OWED).then_some(DiagnosticKind::MissingOpener);
        for kind in [bare, note, unknown].into_iter().flatten() {
            self.out.event(Event::Diagnostic(Diagnostic::new(kind, opener)));
            self.recovers(kind);
        }
    }

    pub(super) fn open_param(&mut self, kind: u8, named: Named, marker: &Marker<'_>) {
        let call = &mut self.machine.call;
        call.is_param = true;
        match named {
            Named::Captured => self.take_name(marker),
            Named::Remembered => {}
            Named::Input => {
                call.captured.param.clear();
                call.captured.param.push_str(&self.tables.spec(call.part).input.0);
            }
            Named::OnlyOne => {
                let one = self.tables.plain_param(call.part, call.tool);
                call.is_param = one.is_some();
                call.captured.param.clear();
                call.captured.param.push_str(one.unwrap_or_default());
            }
        }
        self.param_starts(kind, marker.start);
        self.leave(marker, State::Value);
    }

    /// The name and the type of a parameter, as far as the marker says them.
    fn take_name(&mut self, marker: &Marker<'_>) {
        let Marker { how, start, part, .. } = *marker;
        if !how.name.is_empty() {
            copy_name(self.view, marker, &mut self.machine.call.captured.param);
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
                let number = self.tables.param_number(part, call.tool, &call.captured.param);
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
        let raw = self.tables.raw_kind(call.part, &call.captured.param);
        call.value_kind = raw.map_or(kind, |raw| self.grammar.value(call.part, raw));
        call.at_value_start = self.tables.framing_by_rules(call.value_kind) == Framing::LineBreak;
        (call.long_white, call.reported) = (false, false);
        call.nothing_nested();
        let hint = call.hint.take();
        let gone = Flags::HOLDS_CLOSER | Flags::CALL_START | Flags::NAMED | Flags::SCALAR;
        self.machine.flags = self.machine.flags.without(gone);
        let call = &self.machine.call;
        if self.tables.spec(call.part).nests.is_some() {
            let scalar = self.tables.is_scalar(call.part, call.tool, &call.captured.param);
            self.machine.flags.set(Flags::SCALAR, scalar);
        }
        if self.machine.call.is_param {
            self.report_param(hint, start);
        }
    }

    /// The open call has a parameter of the name that is remembered.
    pub fn report_param(&mut self, hint: Option<TypeHint>, start: usize) {
        let call = &mut self.machine.call;
        let number = self.tables.param_number(call.part, call.tool, &call.captured.param);
        let again = call.give(number);
        let list = number.is_some_and(|number| self.tables.is_list(call.part, call.tool, number));
        let unknown = number.is_none() && call.tool != UNKNOWN;
        let name = &*self.machine.call.captured.param;
        self.out.event(Event::ToolUse(ToolUse::ParamStart { name, hint }));
        if unknown {
            self.diagnose(DiagnosticKind::UnknownParameter, start);
        }
        if again && !list {
            self.diagnose(DiagnosticKind::DuplicateParameter, start);
        }
    }

    /// The name of a parameter whose value has a tag of its own.
    pub(super) fn name_param(&mut self, marker: &Marker<'_>) {
        // A type alone leaves the name as it is.
        if marker.how.extra.is_empty() {
            self.check_named(marker.start);
            let call = &mut self.machine.call;
            (call.hint, call.reported) = (None, false);
            call.captured.param.clear();
            self.machine.flags.set(Flags::NAMED, true);
        }
        self.take_name(marker);
        self.machine.flags.set(Flags::CALL_START, false);
        self.machine.call.reported = false;
        self.leave(marker, State::Call);
    }

    /// A parameter was named, but its value did not come.
    pub(super) fn check_named(&mut self, start: usize) {
        if self.machine.flags.take(Flags::NAMED) {
            self.machine.flags.set(Flags::BROKEN, true);
            self.diagnose(DiagnosticKind::MalformedTag, start);
        }
    }
}
