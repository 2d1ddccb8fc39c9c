//! Calls: their beginning and their end, and the text between parameters.
//!
//! ```text
//! call := opener junk ( parameter junk | object )* closer
//! ```
//! At the end of a chunk junk leaves, and an undecided marker is pending. At the end of the stream half a marker is
//! markup, and the call is incomplete.

use crate::event::{Cause, Diagnostic, DiagnosticKind, Event, Status, ToolUse, TypeHint};
use crate::family::AtEnd;
use crate::read::act::{InCall, Opener, Place, Scope};
use crate::read::cursor::{Class, More, No, Step, WHITE};
use crate::read::feed::{Feed, Flow, Proof};
use crate::read::ids::UNKNOWN;
use crate::read::machine::State;
use crate::read::names::decode;
use crate::sink::Sink;
use crate::tool::Tool;

pub(crate) use crate::read::open_call::{NO_OPENER, OpenCall};

/// The name of the parameter of an undeclared call.
const INPUT: &str = "input";

impl Feed<'_, '_> {
    // How a call begins and ends.

    /// Asks the limit whether a call may open at `start`. (For the first call of a section it was asked at the
    /// section's opener.)
    pub fn may_open(&mut self, start: usize) -> bool {
        self.m.unused != NO_OPENER || self.out.may_open(self.offset(start))
    }

    /// Takes the opener of a call that names its tool.
    pub fn open_call(&mut self, opener: Opener<'_>, start: usize, end: usize) {
        let Place::Call(kind) = opener.place else { return };
        if !self.may_open(start) {
            return;
        }
        // An opener that does not name its tool has its number.
        let tool = self.t.list.get(usize::from(opener.tool)).filter(|_| opener.name.is_empty());
        self.keep_name(tool.map_or(opener.name, |tool| &tool.name));
        self.m.call.captured.clear_id();
        if let Some(id) = opener.id {
            keep(self.m.call.captured.id_mut(), id);
        }
        self.m.call.captured.clear_element();
        if !opener.element.is_empty() {
            self.m.call.captured.element_mut().push_str(opener.element);
        }
        self.m.is.owed = opener.owed || self.m.is.owed && self.m.is.in_section;
        // A tag that the end of the stream cuts is not malformed.
        let malformed = opener.note == Some(DiagnosticKind::MalformedTag);
        let note = opener.note.filter(|_| !(malformed && self.is_cut_tag(end)));
        if self.grammar().repeats && matches!(self.m.state, State::Text | State::Reasoning) {
            self.m.call.is_first();
        }
        let proof = self.proof();
        self.start_call(opener.tool, opener.id.is_some(), self.offset(start), note);
        self.m.call.kind = kind;
        self.markup(end);
        self.enter(State::Call);
        if opener.whole {
            self.end_call(proof);
        }
    }

    /// Whether only white space follows the text that should have been a tag.
    fn is_cut_tag(&self, end: usize) -> bool {
        let blank = self.text[end..].trim_start_matches(WHITE).is_empty();
        blank && self.byte(end - 1) != Some(b'>')
    }

    /// Begins the call, whose name is known. Its own opener stands at `opener` in the stream.
    pub fn start_call(
        &mut self,
        tool: u16,
        has_id: bool,
        opener: usize,
        note: Option<DiagnosticKind>,
    ) {
        let at = match std::mem::replace(&mut self.m.unused, NO_OPENER) {
            NO_OPENER => opener,
            at => at,
        };
        let params = self.t.list.get(usize::from(tool)).map_or(0, |tool| tool.params.len());
        let call = &mut self.m.call;
        let index = call.count as usize;
        call.open(tool, params, self.m.part);
        let steps = self.grammar().steps;
        let is = &mut self.m.is;
        is.broken = false;
        is.named = false;
        is.section_start = false;
        is.suspected = false;
        is.doubtful = false;
        is.after_call = false;
        is.message_start = false;
        is.call_start = true;
        is.stepped = true;
        is.in_thought = false;
        // The input of a call has code fences of its own.
        is.text_fence &= !steps;
        let dialect = usize::from(self.m.part);
        let names = &mut self.m.call.captured;
        let id = Some(names.id()).filter(|id| has_id || !id.is_empty());
        let start = ToolUse::Start { index, name: &*names.name, id, at, dialect };
        self.out.event(Event::ToolUse(start));
        names.clear_id();
        let bare = self.m.is.owed.then_some(DiagnosticKind::MissingOpener);
        let unknown = tool == UNKNOWN && !self.t.tools.names.is_empty();
        let unknown = unknown.then_some(DiagnosticKind::UnknownTool);
        for kind in [bare, note, unknown].into_iter().flatten() {
            self.out.event(Event::Diagnostic(Diagnostic::new(kind, opener)));
            self.recovers(kind);
        }
    }

    /// Reads an object that belongs to no call by the parameters of this tool.
    pub fn skip_call(&mut self, tool: u16) {
        if self.m.body.skips && self.m.state == State::Body {
            let params = self.t.list.get(usize::from(tool)).map_or(0, |tool| tool.params.len());
            self.m.call.skip(tool, params, self.m.part);
        }
    }

    /// Gives the tool a parameter, though it belongs to no call: its strings end as in a call.
    pub fn skip_param(&mut self) {
        let name = &mut self.m.call.captured.param;
        name.truncate(name.trim_end_matches(WHITE).len());
        let number = self.param_number();
        self.m.call.give(number);
    }

    /// Ends the call. The place around it goes on.
    pub fn end_call(&mut self, proof: Proof) {
        let status = match proof {
            Proof::CutEnd => Status::Incomplete(Cause::EndOfStream),
            Proof::Text if self.m.is.broken => Status::Incomplete(Cause::Broken),
            Proof::Text => Status::Complete,
        };
        self.out.event(Event::ToolUse(ToolUse::End { status, at: 0 }));
        self.m.call.tool = UNKNOWN;
        self.m.call.reported = false;
        let is = &mut self.m.is;
        is.broken = false;
        is.named = false;
        is.call_start = false;
        is.holds_closer = false;
        is.after_call = true;
        self.m.begins_after_markup();
        self.enter(if self.m.is.in_section { State::Section } else { State::Text });
    }

    /// Ends the call's section, too, if the marker says so.
    pub fn leave_section(&mut self, scope: Scope) {
        if scope == Scope::Section {
            self.m.is.in_section = false;
            self.m.is.owed = false;
        }
    }

    // Between its parameters.

    pub fn between_params(&mut self) -> Flow {
        let family = &*self.grammar().family;
        let kind = self.m.call.kind;
        if std::mem::take(&mut self.m.at_start) {
            let mut c = self.cursor();
            let found = family.at_call_start(&self.look(), kind, &mut c);
            // Markers that stand only here: none. Now those that may stand anywhere.
            if found != Err(No) || self.notes.long() {
                let flow = self.found_in_call(found, c.pos, false);
                if flow == Flow::Wait {
                    self.m.at_start = true;
                    self.m.at_marker = false;
                }
                return flow;
            }
        }
        let Some(at) = self.next_marker(family.call_scan(kind)) else { return self.all_read() };
        self.payload(at);
        self.at = at;
        let mut c = self.cursor();
        let found = family.in_call(&self.look(), kind, &mut c);
        self.found_in_call(found, c.pos, true)
    }

    /// `passes`: if no marker stands here, the next byte is junk.
    fn found_in_call(&mut self, found: Step<InCall<'_>>, end: usize, passes: bool) -> Flow {
        let start = self.at;
        self.m.examined += end - start;
        match found {
            Err(More) if !self.ended() => return self.wait(),
            Err(More) if self.half_is_markup() => {
                self.tell_refused(start);
                self.payload(start);
                self.at = self.text.len();
                self.markup(self.at);
                self.half = true;
            }
            Err(_) => {
                self.tell_refused(start);
                self.check_bounds(start);
                if passes {
                    self.pass();
                }
            }
            Ok(act) => {
                self.tell_accepted(start, end);
                self.check_bounds(start);
                self.act_in_call(act, start, end);
            }
        }
        Flow::Go
    }

    fn act_in_call(&mut self, act: InCall<'_>, start: usize, end: usize) {
        match act {
            InCall::Param { kind, name, hint, note } => {
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.keep_param(name);
                self.take_hint(hint);
                self.start_param(self.kind_of_value(kind, name), start);
                self.markup(end);
                self.enter(State::Value);
            }
            InCall::Key { name, hint, note, broken } => {
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.m.is.broken |= broken;
                self.check_named(start);
                self.m.call.hint = None;
                self.m.is.named = true;
                self.keep_param(name);
                self.take_hint(hint);
                self.m.is.call_start = false;
                self.m.call.reported = false;
                self.markup(end);
                self.enter(State::Call);
            }
            InCall::Value { kind, note, before } => {
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.start_param(kind, start);
                self.markup(if before { start } else { end });
                self.enter(State::Value);
            }
            InCall::Hint(hint) => {
                self.take_hint(Some(hint));
                self.m.call.reported = false;
                self.markup(end);
                self.enter(State::Call);
            }
            InCall::Object(kind) => self.open_body(kind, start, end - 1),
            InCall::Input { kind, fenced } => {
                self.m.is.text_fence = fenced;
                self.start_input(kind, start);
                self.markup(start);
                self.enter(State::Value);
            }
            InCall::Next { kind } => {
                let tool = self.t.list.get(usize::from(self.m.call.tool));
                let mut params = tool.iter().flat_map(|tool| &tool.params).zip(0..);
                let next = params.find(|(_, number)| !self.m.call.is_given(*number));
                self.keep_param(next.map_or("", |(param, _)| &param.name));
                self.start_param(kind, start);
                self.markup(start);
                self.enter(State::Value);
            }
            InCall::Then(kind) => {
                self.m.call.kind = kind;
                self.markup(end);
                self.enter(State::Call);
            }
            InCall::Lost => {
                let proof = self.proof();
                self.m.is.broken = true;
                self.markup(start);
                self.end_call(proof);
            }
            InCall::Close { scope, note, before } => {
                let proof = self.proof_of(note);
                if let Some(note) = note {
                    self.note(note, start);
                }
                self.check_named(start);
                self.leave_section(scope);
                self.markup(if before { start } else { end });
                self.end_call(proof);
            }
            InCall::Mark => {
                self.markup(end);
                self.enter(State::Call);
            }
            InCall::Stray(note) => {
                self.report_once(note, start);
                self.markup(end);
                self.enter(State::Call);
            }
        }
    }

    fn keep_name(&mut self, name: &str) {
        let entities = self.grammar().entities;
        let into = &mut self.m.call.captured.name;
        keep(into, name);
        if entities {
            decode(into);
        }
    }

    fn keep_param(&mut self, name: &str) {
        let entities = self.grammar().entities;
        let into = &mut self.m.call.captured.param;
        keep(into, name);
        if entities {
            decode(into);
        }
    }

    /// Takes the type of a value from its tag. In a dialect whose tags have types, a tag without one also has a hint.
    fn take_hint(&mut self, hint: Option<&str>) {
        let hints = &self.grammar().hints;
        let known = |text: &str| hints.iter().find(|(known, _)| **known == *text);
        let counts = |word: &str| {
            let tool = self.t.list.get(usize::from(self.m.call.tool));
            let param = tool.zip(self.param_number());
            let param = param.and_then(|(tool, number)| tool.params.get(usize::from(number)));
            param.is_none_or(|param| param.leaves_to_wire(word))
        };
        let found = hint.and_then(known).or_else(|| known(""));
        let found = found.filter(|(word, _)| !self.grammar().hints_yield || counts(word));
        self.m.call.hint = found.map(|(_, hint)| *hint);
    }

    /// Returns the kind of this parameter's value: raw values have a kind of their own.
    fn kind_of_value(&self, kind: u8, name: &str) -> u8 {
        let Some((raw, names)) = &self.grammar().raw else { return kind };
        let own = names.iter().any(|raw| **raw == *name);
        let is_raw = own || self.t.options.raw_params.iter().any(|raw| *raw == *name);
        if is_raw { *raw } else { kind }
    }

    /// Begins the named parameter at `start`, with a value of this kind.
    pub fn start_param(&mut self, kind: u8, start: usize) {
        self.m.begin_value(kind, self.t);
        let is = &mut self.m.is;
        is.holds_closer = false;
        is.call_start = false;
        is.named = false;
        let hint = self.m.call.hint.take();
        self.report_param(hint, start);
    }

    /// Begins the whole input of the call at `start`, as text: it is the parameter that the dialect names, or the tool's only
    /// parameter, or else all arguments.
    fn start_input(&mut self, kind: u8, start: usize) {
        let own = self.grammar().family.only_key();
        let name = own.or_else(|| only_param(self.t.list.get(usize::from(self.m.call.tool))));
        self.keep_param(name.unwrap_or_default());
        self.m.begin_value(kind, self.t);
        self.m.is.call_start = false;
        self.m.is.all_arguments = name.is_none();
        if name.is_some() {
            self.report_param(None, start);
        }
    }

    /// Reports the parameter of the open call whose name is remembered.
    pub fn report_param(&mut self, hint: Option<TypeHint>, start: usize) {
        let number = self.param_number();
        let call = &mut self.m.call;
        let again = call.give(number) && !number.is_some_and(|number| self.is_list(number));
        let call = &self.m.call;
        let unknown = number.is_none() && call.tool != UNKNOWN;
        let name = &*self.m.call.captured.param;
        self.out.event(Event::ToolUse(ToolUse::ParamStart { name, hint }));
        if unknown {
            self.tell(DiagnosticKind::UnknownParameter, start);
        }
        if again {
            self.tell(DiagnosticKind::DuplicateParameter, start);
        }
    }

    /// Returns the number of the declared parameter whose name is remembered, or the singular of whose name.
    fn param_number(&self) -> Option<u16> {
        let call = &self.m.call;
        let (names, name) = (self.t.tools.params(call.tool), &*call.captured.param);
        let list = |number: &u16| self.is_list(*number);
        names.find([name, ""]).or_else(|| names.find([name, "s"]).filter(list))
    }

    /// Whether this parameter of the open call may come again, once for each element of its list.
    fn is_list(&self, param: u16) -> bool {
        let tool = self.t.list.get(usize::from(self.m.call.tool));
        let param = tool.and_then(|tool| tool.params.get(usize::from(param)));
        self.grammar().singulars && param.is_some_and(|param| param.is_list())
    }

    pub fn end_param(&mut self, closed: bool) {
        self.m.call.at_value_start = false;
        if !std::mem::take(&mut self.m.is.all_arguments) {
            self.out.event(Event::ToolUse(ToolUse::ParamEnd { closed }));
        }
    }

    /// Ends the stream between the parameters of a call, and with it the call.
    pub fn end_in_call(&mut self) {
        let found = self.grammar().family.call_at_end(self.m.call.kind);
        if found == AtEnd::Cut || self.cut() {
            return self.end_call(Proof::CutEnd);
        }
        if found == AtEnd::Closed {
            return self.end_call(if self.half { Proof::CutEnd } else { Proof::Text });
        }
        let nothing = self.m.is.call_start;
        let enough = !nothing || self.t.tools.requires_nothing(self.m.call.tool);
        if enough && found == AtEnd::Whole {
            return self.end_call(Proof::Text);
        }
        if nothing {
            self.tell(DiagnosticKind::MissingArguments, self.text.len());
        }
        self.end_call(Proof::CutEnd);
    }

    /// Reports a parameter whose name came without a value.
    pub fn check_named(&mut self, start: usize) {
        if std::mem::take(&mut self.m.is.named) {
            self.m.is.broken = true;
            self.tell(DiagnosticKind::MalformedTag, start);
        }
    }
}

/// Returns the name of the only parameter that a tool needs: the one that it requires, or the only one it has. An
/// undeclared tool may have any.
pub(crate) fn only_param(tool: Option<&Tool>) -> Option<&str> {
    let Some(tool) = tool else { return Some(INPUT) };
    let mut required = tool.params.iter().filter(|param| param.required);
    let one = match (required.next(), required.next(), &*tool.params) {
        (Some(one), None, _) | (None, _, [one]) => Some(one),
        _ => None,
    };
    one.map(|param| &*param.name)
}

/// Keeps a name, without white space around it.
pub(crate) fn keep(into: &mut String, name: &str) {
    into.clear();
    let white = |byte: Option<&u8>| byte.is_some_and(|byte| Class::White.has_byte(*byte));
    let bytes = name.as_bytes();
    let round = white(bytes.first()) || white(bytes.last());
    into.push_str(if round { name.trim_matches(WHITE) } else { name });
}
