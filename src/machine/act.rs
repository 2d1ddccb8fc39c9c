//! What a confirmed marker does, and what becomes of a rejected one.

use super::pattern::{Run, UNKNOWN};
use super::{Feed, State};
use crate::dialect::spec::Act;
use crate::event::{Cause, DiagnosticKind, Event, Status, ToolUse};
use crate::sink::Sink;

impl<S: Sink> Feed<'_, '_, S> {
    /// The candidate is payload: reading goes on behind its first byte.
    pub fn reject(&mut self) {
        let machine = &mut *self.machine;
        let candidate = &mut machine.candidate;
        candidate.active = false;
        let start = candidate.start;
        if candidate.opener && machine.state == State::Text {
            machine.rejected = machine.rejected.saturating_add(1);
        }
        machine.call.own_closer |= candidate.own_closer;
        self.check_bounds(start);
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
    fn enter(&mut self, state: State) {
        self.at = self.from;
        self.machine.enter(self.tables, state);
    }

    /// The candidate counts.
    pub fn accept(&mut self, run: Run) {
        self.machine.candidate.active = false;
        let start = self.machine.candidate.start;
        let end = start + run.mark as usize;
        let act = self.machine.table(self.tables).rules[run.rule as usize].act;
        match act {
            Act::OpenSection => self.open_section(start, end),
            Act::OpenCall => self.open_call(run, start, end, false),
            Act::OpenBareCall => self.open_call(run, start, end, true),
            Act::Markup => self.leave(end, self.machine.state),
            Act::OpenReasoning => self.leave(end, State::Reasoning),
            Act::CloseReasoning => self.leave(end, State::Text),
            Act::OrphanCall => self.orphan(start, end),
            Act::OrphanSection => self.orphan_section(start, end),
            Act::OrphanReasoning => {
                self.diagnose(DiagnosticKind::OrphanCloser, start);
                self.leave(end, State::Text);
            }
            Act::CloseSection => self.close_section(end),
            Act::OpenParam => self.open_param(run, start, end),
            Act::CloseCall => self.close_call(run, start, end),
            Act::EndCall => {
                self.diagnose(DiagnosticKind::MissingCloser, start);
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
            // Never accepted: such a rule is only there to be rejected.
            Act::Reject => self.reject(),
        }
    }

    /// The marker leaves as markup, and `state` begins behind it.
    fn leave(&mut self, end: usize, state: State) {
        self.markup(end);
        self.enter(state);
    }

    fn open_section(&mut self, start: usize, end: usize) {
        let at = self.view.base + start;
        if self.out.may_open(at) {
            self.machine.section.open = true;
            self.machine.section.unused = Some(at);
            self.machine.call.stray = false;
            self.leave(end, State::Section);
        }
    }

    /// The first call of a section was asked for at the section's opener.
    fn open_call(&mut self, run: Run, start: usize, end: usize, bare: bool) {
        let section = self.machine.section.unused.take();
        let at = section.unwrap_or(self.view.base + start);
        if section.is_none() && !self.out.may_open(at) {
            return;
        }
        let call = &mut self.machine.call;
        let index = call.count;
        let params = self.tables.tools.get(run.tool as usize).map_or(0, |tool| tool.params.len());
        call.open(run.tool, params, bare);
        let name = start + run.name.at as usize;
        call.name.clear();
        self.view.copy(name, name + run.name.len as usize, &mut call.name);
        let name = &*self.machine.call.name;
        self.out.event(Event::ToolUse(ToolUse::Start { index, name, id: None, at }));
        if bare {
            self.diagnose(DiagnosticKind::MissingOpener, start);
        }
        if run.tool == UNKNOWN && !self.tables.tools.is_empty() {
            self.diagnose(DiagnosticKind::UnknownTool, start);
        }
        self.leave(end, State::Call);
        if run.slash {
            self.end_call(Status::Complete);
        }
    }

    /// A closer of a call that is not open: text if a rejected opener pays for it.
    fn orphan(&mut self, start: usize, end: usize) {
        if self.machine.rejected > 0 {
            self.machine.rejected -= 1;
            return self.resume(end);
        }
        self.diagnose(DiagnosticKind::OrphanCloser, start);
        self.leave(end, State::Text);
    }

    /// The same for a section; behind a call without a section it belongs to that.
    fn orphan_section(&mut self, start: usize, end: usize) {
        match std::mem::take(&mut self.machine.section.bare) {
            true => self.leave(end, State::Text),
            false => self.orphan(start, end),
        }
    }

    fn close_section(&mut self, end: usize) {
        self.machine.section.open = false;
        self.machine.section.unused = None;
        self.leave(end, State::Text);
    }

    fn open_param(&mut self, run: Run, start: usize, end: usize) {
        let from = start + run.name.at as usize;
        let call = &mut self.machine.call;
        call.param.clear();
        self.view.copy(from, from + run.name.len as usize, &mut call.param);
        let number = self.tables.param_number(call.tool, &call.param);
        call.value_kind = self.tables.value_kind(&call.param);
        call.at_value_start = self.tables.values[call.value_kind].line_breaks;
        call.own_closer = false;
        call.stray = false;
        let again = call.give(number);
        let list = number.is_some_and(|number| self.tables.is_list(call.tool, number));
        let unknown = number.is_none() && call.tool != UNKNOWN;
        let name = &*self.machine.call.param;
        self.out.event(Event::ToolUse(ToolUse::ParamStart { name, hint: None }));
        if unknown {
            self.diagnose(DiagnosticKind::UnknownParameter, start);
        }
        if again && !list {
            self.diagnose(DiagnosticKind::DuplicateParameter, start);
        }
        self.leave(end, State::Value);
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
        self.machine.section.bare |= self.machine.call.bare;
        self.machine.call.close();
        self.enter(if self.machine.section.open { State::Section } else { State::Text });
    }
}
