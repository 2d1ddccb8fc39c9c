//! What a confirmed marker does, and what becomes of a rejected one.

use super::call::Section;
use super::pattern::{Run, UNKNOWN};
use super::{Feed, Line, State};
use crate::dialect::spec::{Act, CALL, Opening};
use crate::event::{Cause, Diagnostic, DiagnosticKind, Event, Status, ToolUse};
use crate::options::Recoveries;
use crate::sink::Sink;
use crate::tables::PartNumber;

const WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

fn is_blank(text: &str) -> bool {
    text.trim_start_matches(WHITE_SPACE).is_empty()
}

impl<S: Sink> Feed<'_, '_, S> {
    /// The candidate is payload: reading goes on behind its first byte.
    pub fn reject(&mut self) {
        let machine = &mut *self.machine;
        let candidate = &mut machine.candidate;
        candidate.active = false;
        let start = candidate.start;
        if matches!(machine.state, State::Text | State::Thought) {
            for (rejected, opener) in machine.rejected.iter_mut().zip(candidate.openers) {
                *rejected = rejected.saturating_add(u8::from(opener));
            }
        }
        machine.call.own_closer |= candidate.own_closer;
        self.check_bounds(start);
        if self.machine.state == State::Body {
            self.machine.body.json.passed = true;
            return self.resume(start);
        }
        if self.is_between() {
            return match self.machine.body.waits {
                true => self.end_waiting(Status::Complete),
                false => self.end_section(),
            };
        }
        let first = self.view.part(start).chars().next().map_or(1, char::len_utf8);
        self.resume(start + first);
    }

    /// A marker failed: a call in which it did so for a bound alone is broken.
    fn check_bounds(&mut self, start: usize) {
        let in_call = matches!(self.machine.state, State::Call | State::Value);
        if self.machine.candidate.too_long && in_call {
            self.machine.call.broken = true;
            self.diagnose(DiagnosticKind::LimitExceeded, start);
        }
    }

    /// Reading goes on at `at`, in the present state.
    pub fn resume(&mut self, at: usize) {
        self.at = at;
        self.machine.scan = self.machine.table(self.tables).scanner.start();
    }

    /// Reading goes on at the first byte that has not left, in another state.
    pub fn enter(&mut self, state: State) {
        self.at = self.from;
        self.machine.enter(self.tables, state);
    }

    /// The candidate counts.
    pub fn accept(&mut self, run: Run) {
        self.machine.candidate.active = false;
        let start = self.machine.candidate.start;
        let end = start + run.mark as usize;
        let act = self.machine.table(self.tables).rules[run.rule as usize].act;
        let closer = matches!(act, Act::OrphanSection);
        self.machine.section.owed &= closer || self.machine.state != State::Text;
        match act {
            Act::OpenSection(kind) => self.open_section(kind, start, end),
            Act::OpenCall(opening) => self.open_call(run, opening, start, end),
            Act::OpenObject => self.open_object(start),
            Act::OpenArguments(behind) => self.open_arguments(behind),
            Act::Fabricate => {
                self.diagnose(DiagnosticKind::FabricatedResult, start);
                self.leave(end, State::Invented);
            }
            Act::Markup | Act::SpareOpener => self.leave(end, self.machine.state),
            Act::OpenReasoning => {
                self.machine.behind_call = false;
                self.machine.interrupted = self.machine.state;
                self.leave(end, State::Reasoning);
            }
            Act::CloseReasoning => {
                self.leave(end, self.machine.interrupted);
                self.line_begins();
            }
            Act::OrphanCall => self.orphan(run.part, start, end),
            Act::OrphanSection => self.orphan_section(run.part, start, end),
            Act::OrphanReasoning => {
                self.orphan_leaves(start, end);
                self.line_begins();
            }
            Act::CloseSection => self.close_section(end),
            Act::OpenParam(kind) => self.open_param(run, kind, start, end),
            Act::OpenOddParam(kind) => {
                self.diagnose(DiagnosticKind::MalformedTag, start);
                self.open_param(run, kind, start, end);
            }
            Act::NameParam => self.name_param(run, start, end),
            Act::OpenValue(kind) => self.open_value(kind, start, end),
            Act::CloseCall => self.close_call(run, start, end),
            Act::EndCall => {
                self.check_named(start);
                self.diagnose(DiagnosticKind::MissingCloser, start);
                self.end_call(Status::Complete);
            }
            Act::EndBlock => {
                self.check_named(start);
                self.diagnose(DiagnosticKind::MissingCloser, start);
                self.machine.section.open = false;
                self.end_call(Status::Complete);
            }
            Act::Stray(kind) => {
                self.check_bounds(start);
                self.stray(kind, start);
                self.leave(end, State::Call);
            }
            Act::CloseValue => self.close_value(end),
            Act::CloseValueMismatched => {
                self.diagnose(DiagnosticKind::MismatchedCloser, start);
                self.close_value(end);
            }
            Act::CloseBoth => {
                self.diagnose(DiagnosticKind::MissingCloser, start);
                self.close_value(end);
                self.end_call(Status::Complete);
            }
            Act::EndBody => self.end_body(start),
            Act::ResumeBody => self.resume_body(start),
            Act::SectionGoesOn(kind) => {
                self.machine.section.kind = kind;
                self.leave(end, State::Section);
            }
            Act::SectionGoesOnBefore(kind) => {
                self.diagnose(DiagnosticKind::MissingCloser, start);
                self.machine.section.kind = kind;
                self.enter(State::Section);
            }
            Act::WholeCall => {
                let odd = Some(DiagnosticKind::MalformedTag);
                let opening = Opening { odd, ..CALL };
                let mut run = run;
                run.slash = true;
                self.open_call(run, opening, start, end);
            }
            Act::BrokenKey => {
                self.check_named(start);
                self.malformed(start);
                self.machine.call.begun = true;
                self.leave(end, State::Call);
            }
            Act::Suspect => {
                self.payload(start);
                self.diagnose(DiagnosticKind::SuspectMarker, start);
                self.machine.call.suspected = true;
                self.resume(start + 1);
            }
            Act::EndValue => {
                self.diagnose(DiagnosticKind::MissingCloser, start);
                self.close_value(start);
            }
            Act::CloseAll => {
                self.diagnose(DiagnosticKind::MissingCloser, start);
                self.close_value(end);
                self.end_call(Status::Complete);
                self.machine.section.owed = false;
                self.close_section(end);
            }
            // Never accepted: such a rule is only there to be rejected.
            Act::Reject => self.reject(),
        }
    }

    /// The marker leaves as markup, and `state` begins behind it.
    pub fn leave(&mut self, end: usize, state: State) {
        self.markup(end);
        self.enter(state);
    }

    fn open_section(&mut self, kind: u8, start: usize, end: usize) {
        let at = self.view.base + start;
        if self.out.may_open(at) {
            self.machine.section =
                Section { open: true, kind, unused: Some(at), ..Section::default() };
            self.machine.call.stray = false;
            self.leave(end, State::Section);
        }
    }

    fn open_call(&mut self, run: Run, opening: Opening, start: usize, end: usize) {
        if !self.may_open(start) {
            return;
        }
        // A tag that the end of the stream cuts short is not odd.
        let rest = self.view.slices(end, self.view.len());
        let cut = rest.iter().all(|rest| is_blank(rest)) && self.view.byte(end - 1) != Some(b'>');
        let opening = Opening { odd: opening.odd.filter(|_| !cut), ..opening };
        let name = start + run.name.at as usize;
        let call = &mut self.machine.call;
        call.name.clear();
        self.view.copy(name, name + run.name.len as usize, &mut call.name);
        let part = match self.machine.state {
            State::Section => self.machine.body_part(self.tables),
            _ => run.part,
        };
        self.start_call(run.tool, opening, part, self.view.base + start);
        self.leave(end, State::Call);
        if run.slash {
            self.end_call(Status::Complete);
        }
    }

    /// The first call of a section was asked for at the section's opener.
    pub fn may_open(&mut self, start: usize) -> bool {
        self.machine.section.unused.is_some() || self.out.may_open(self.view.base + start)
    }

    /// The call whose name is known begins; its own opener stands at `opener` in the stream.
    pub fn start_call(&mut self, tool: u16, opening: Opening, part: PartNumber, opener: usize) {
        let at = self.machine.section.unused.take().unwrap_or(opener);
        let call = &mut self.machine.call;
        let index = call.count as usize;
        let params = self.tables.tools.get(tool as usize).map_or(0, |tool| tool.params.len());
        call.open(tool, params, opening);
        call.part = part;
        let name = &*self.machine.call.name;
        self.out.event(Event::ToolUse(ToolUse::Start {
            index,
            name,
            id: None,
            at,
            dialect: part as usize,
        }));
        let unknown = tool == UNKNOWN && !self.tables.tools.is_empty();
        let unknown = unknown.then_some(DiagnosticKind::UnknownTool);
        let bare = opening.bare.then_some(DiagnosticKind::MissingOpener);
        let strict = self.tables.options.recoveries == Recoveries::Strict;
        self.machine.call.broken = strict && (opening.bare || opening.odd.is_some());
        for kind in bare.into_iter().chain(opening.odd).chain(unknown) {
            self.out.event(Event::Diagnostic(Diagnostic::new(kind, opener)));
        }
    }

    /// A closer of a call that is not open: text if a rejected opener pays for it.
    fn orphan(&mut self, part: PartNumber, start: usize, end: usize) {
        let rejected = &mut self.machine.rejected[part as usize];
        if *rejected > 0 {
            *rejected -= 1;
            return self.resume(end);
        }
        self.orphan_leaves(start, end);
    }

    fn orphan_leaves(&mut self, start: usize, end: usize) {
        self.diagnose(DiagnosticKind::OrphanCloser, start);
        self.leave(end, self.machine.state);
    }

    /// Behind a closer of reasoning a line begins, where lines count.
    fn line_begins(&mut self) {
        if self.tables.lines.is_some() {
            self.machine.lines.at_start = true;
            self.machine.line = Line::Start;
        }
    }

    /// The same for a section; behind a call without a section it belongs to that.
    fn orphan_section(&mut self, part: PartNumber, start: usize, end: usize) {
        match std::mem::take(&mut self.machine.section.owed) {
            true => self.leave(end, State::Text),
            false => self.orphan(part, start, end),
        }
    }

    fn close_section(&mut self, end: usize) {
        self.machine.section.open = false;
        self.machine.section.unused = None;
        self.leave(end, State::Text);
    }

    fn open_param(&mut self, run: Run, kind: u8, start: usize, end: usize) {
        self.take_param_name(run, start);
        self.param_starts(kind, start);
        self.leave(end, State::Value);
    }

    /// Blanks around a name that may hold some do not belong to it.
    fn take_param_name(&mut self, run: Run, start: usize) {
        let from = start + run.name.at as usize;
        let param = &mut self.machine.call.param;
        param.clear();
        self.view.copy(from, from + run.name.len as usize, param);
        param.truncate(param.trim_end_matches(WHITE_SPACE).len());
        let blanks = param.len() - param.trim_start_matches(WHITE_SPACE).len();
        param.drain(..blanks);
    }

    fn param_starts(&mut self, kind: u8, start: usize) {
        let call = &mut self.machine.call;
        let number = self.tables.param_number(call.part, call.tool, &call.param);
        call.value_kind = self.tables.value_kind(call.part, &call.param, kind);
        call.at_value_start = self.tables.values[call.value_kind as usize].line_breaks;
        call.own_closer = false;
        call.suspected = false;
        call.line_start = false;
        call.stray = false;
        call.begun = true;
        let again = call.give(number);
        let list = number.is_some_and(|number| self.tables.is_list(call.part, call.tool, number));
        let unknown = number.is_none() && call.tool != UNKNOWN;
        let name = &*self.machine.call.param;
        self.out.event(Event::ToolUse(ToolUse::ParamStart { name, hint: None }));
        if unknown {
            self.diagnose(DiagnosticKind::UnknownParameter, start);
        }
        if again && !list {
            self.diagnose(DiagnosticKind::DuplicateParameter, start);
        }
    }

    /// The name of a parameter whose value has a tag of its own.
    fn name_param(&mut self, run: Run, start: usize, end: usize) {
        self.check_named(start);
        self.take_param_name(run, start);
        let call = &mut self.machine.call;
        call.named = true;
        call.begun = true;
        call.stray = false;
        if self.machine.call.param.is_empty() {
            self.malformed(start);
        }
        self.leave(end, State::Call);
    }

    fn open_value(&mut self, kind: u8, start: usize, end: usize) {
        self.machine.call.named = false;
        self.param_starts(kind, start);
        self.leave(end, State::Value);
    }

    /// A parameter was named, but its value did not come.
    fn check_named(&mut self, start: usize) {
        if std::mem::take(&mut self.machine.call.named) {
            self.malformed(start);
        }
    }

    fn malformed(&mut self, start: usize) {
        self.machine.call.broken = true;
        self.diagnose(DiagnosticKind::MalformedTag, start);
    }

    fn close_value(&mut self, end: usize) {
        self.markup(end);
        self.end_value(true);
        self.enter(State::Call);
    }

    /// The value is over.
    pub fn end_value(&mut self, closed: bool) {
        self.machine.call.at_value_start = false;
        self.out.event(Event::ToolUse(ToolUse::ParamEnd { closed }));
    }

    fn close_call(&mut self, run: Run, start: usize, end: usize) {
        let from = start + run.name.at as usize;
        let name = self.view.slices(from, from + run.name.len as usize);
        let same = self.machine.call.name.strip_prefix(name[0]) == Some(name[1]);
        if run.name.len > 0 && !same {
            self.diagnose(DiagnosticKind::MismatchedCloser, start);
        }
        self.check_named(start);
        self.markup(end);
        self.end_call(Status::Complete);
    }

    /// The call is over; what it was opened in goes on.
    pub fn end_call(&mut self, status: Status) {
        let status = match status {
            Status::Complete if self.machine.call.broken => Status::Incomplete(Cause::Broken),
            status => status,
        };
        self.out.event(Event::ToolUse(ToolUse::End { status }));
        self.machine.section.owed = self.machine.call.bare;
        self.machine.call.close();
        self.machine.behind_call = true;
        self.enter(if self.machine.section.open { State::Section } else { State::Text });
    }
}
