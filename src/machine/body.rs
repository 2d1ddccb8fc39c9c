//! JSON bodies in the stream: what [`super::json`] finds becomes events.
//!
//! Chunk ends here: everything leaves, but for arguments whose call has no name yet. Stream ends
//! here: an open body is open, and the call in it incomplete.

use super::ids::UNKNOWN;
use super::infer;
use super::json::members::{self, Member};
use super::json::{Json, Stop};
use super::table::Begins;
use super::{Feed, Line, Proof, State};
use crate::dialect::spec::{Flags, Gives};
use crate::event::{DiagnosticKind, Event, ToolUse, TypeHint};
use crate::json::bare::{Ahead, Around, Bare, Undecided};
use crate::json::syntax::JSON;
use crate::json::white::WHITE_SPACE;
use crate::options::{Recoveries, bounds};
use crate::sink::Sink;

/// The open body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub json: Json,
    /// Which of the dialect's bodies.
    pub kind: u8,
    /// Stream offset of its `{`.
    at: usize,
    /// Its call has started.
    started: bool,
    /// Bytes of the arguments that are held, once they are whole; they begin what is held.
    arguments: u32,
    /// The arguments came before the name and are held.
    pub holds: bool,
    /// What holds of it, a bit each: a parser is smaller.
    bits: u16,
    /// How far it was looked ahead behind values without quotes.
    ahead: Option<Box<Ahead>>,
}

/// Nothing but the end of a stream that was cut shows where a string of it ended.
const UNPROVEN: u16 = 1;
/// Its members would be parameters, if it belonged to a call.
const SKIPS: u16 = 2;
/// It names its call: else it is all arguments.
const NAMES_CALL: u16 = 4;
/// It is all arguments of a call that nothing names.
const INFERS: u16 = 8;
/// A header before it says the call's id, and names no tool.
const NAMED_INSIDE: u16 = 64;
/// What was noticed in it has been reported: junk, repairs.
const JUNK: u16 = 16;
const REPAIRED: u16 = 32;

/// Members that may be the arguments are held.
const HOLDS_MEMBERS: u16 = 128;
/// They were.
const TOOK_MEMBERS: u16 = 256;

impl Body {
    fn has(&self, bit: u16) -> bool {
        self.bits & bit != 0
    }

    fn set(&mut self, bit: u16, on: bool) {
        self.bits |= if on { bit } else { 0 };
    }

    fn clear(&mut self, bit: u16) {
        self.bits &= !bit;
    }

    /// Text that was read stays where it is.
    pub fn keeps(&self) -> bool {
        self.holds || self.has(HOLDS_MEMBERS)
    }

    /// The header before it names no tool.
    pub fn is_named_inside(&mut self) {
        self.set(NAMED_INSIDE, true);
    }

    pub fn skips(&self) -> bool {
        self.has(SKIPS)
    }

    /// What goes by is arguments of the call.
    pub fn gives_arguments(&self) -> bool {
        self.started && self.json.in_arguments()
    }

    /// A value without quotes waits for what decides where it ends.
    pub fn waits(&self) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| ahead.waits)
    }

    /// It belongs to no call.
    pub fn is_orphan(&self) -> bool {
        !self.started && !self.has(NAMES_CALL | INFERS)
    }
}

impl<S: Sink> Feed<'_, '_, S> {
    /// A body begins at `start`; what stands before `to` belongs to its opener.
    pub fn open_body(&mut self, kind: u8, start: usize, to: usize, proof: Proof) {
        let names_call = match self.grammar.bodies[kind as usize].gives {
            Gives::Call | Gives::OnlyCall if self.machine.flags.take(Flags::WAITING) => {
                return self.resume_body(start, proof);
            }
            Gives::Call | Gives::OnlyCall => true,
            Gives::Arguments | Gives::Nothing | Gives::Params(_) | Gives::NoParams(_) => false,
        };
        let of = &self.grammar.bodies[kind as usize];
        let arguments = matches!(of.gives, Gives::Arguments | Gives::Params(_));
        let started = arguments && self.machine.state == State::Call;
        let infers = arguments && !started;
        if (names_call || infers) && !self.may_open(start) {
            return;
        }
        // A quote begins strings: what closes a body with it counts behind the object alone.
        let first = of.table.first.first().copied();
        let stop = first.filter(|byte| *byte != b'"').unwrap_or(b'<');
        let json = match &of.gives {
            Gives::Call | Gives::OnlyCall => {
                let only_keys = of.gives == Gives::OnlyCall;
                Json::call(self.tables.spec(of.part).ids, only_keys, stop)
            }
            Gives::Arguments | Gives::Nothing => Json::bare_arguments(stop),
            Gives::Params(literals) | Gives::NoParams(literals) => {
                Json::params(!literals.quote.is_empty())
            }
        };
        self.machine.call.captured.clear_id();
        let at = self.view.base + start;
        let skips = matches!(of.gives, Gives::NoParams(_));
        self.machine.body = Body { json, kind, at, started, ..Body::default() };
        let is = [(NAMES_CALL, names_call), (INFERS, infers), (SKIPS, skips)];
        is.into_iter().for_each(|(bit, on)| self.machine.body.set(bit, on));
        self.machine.flags.set(Flags::SECTION_START | Flags::CALL_START, false);
        self.markup(to);
        self.enter(State::Body, proof);
    }

    /// In a body: read to the next thing that matters.
    pub fn body(&mut self) {
        if self.machine.body.waits() {
            return self.look_ahead();
        }
        let part = self.view.part(self.at);
        let machine = &mut *self.machine;
        let captured = &mut machine.call.captured;
        let literals = self.grammar.bodies[machine.body.kind as usize].gives.literals();
        let syntax = literals.map_or(JSON, |literals| literals.syntax());
        let (read, stop) = machine.body.json.read(part, syntax, captured, &mut machine.examined);
        self.at += read;
        self.stopped(stop);
    }

    fn stopped(&mut self, stop: Stop) {
        match stop {
            Stop::End => {}
            Stop::Marker => self.body_marker(),
            Stop::Quote => {
                self.leave_body();
                self.begin(Begins::Quote, self.at);
            }
            Stop::Bare => {
                self.leave_body();
                let (start, body) = (self.view.base + self.at, &mut self.machine.body);
                body.ahead.get_or_insert_default().begin(start, body.json.depth());
                self.look_ahead();
            }
            Stop::Name => self.body_name(),
            Stop::Id => self.body_id(),
            Stop::Arguments => self.arguments_begin(),
            Stop::ArgumentsEnd => self.arguments_end(),
            Stop::Duplicate => {
                self.leave_body();
                self.diagnose(DiagnosticKind::DuplicateParameter, self.at);
            }
            Stop::Other => self.members_begin(),
            Stop::Noticed => {
                self.leave_body();
                self.report_body();
            }
            Stop::Body => {
                self.take_members();
                self.leave_body();
                self.report_body();
                let body = &self.machine.body;
                if body.has(TOOK_MEMBERS) {
                    self.body_ends(Proof::Text);
                } else if body.has(NAMES_CALL) && body.json.lacks_arguments() {
                    // They may follow: the object has not ended.
                    self.machine.flags.set(Flags::WAITING, true);
                    self.enter(State::Section, Proof::Text);
                } else {
                    self.body_ends(Proof::Text);
                }
            }
        }
    }

    /// Before a value without quotes: it is read once it is known whether it is a string.
    pub fn look_ahead(&mut self) {
        let Some(mut ahead) = self.machine.body.ahead.take() else { return };
        let of = &self.grammar.bodies[self.machine.body.kind as usize];
        let quote = of.gives.literals().map_or("", |literals| &literals.quote);
        let json = &self.machine.body.json;
        let nested = json.is_nested();
        let call = &self.machine.call;
        let is_key = |name: &str| nested || call.tool == UNKNOWN || self.lacks(name);
        let around = Around {
            text: [self.view.held, self.view.chunk],
            base: self.view.base,
            over: self.end.is_some(),
            quote,
            closing: json.closing().bytes().next().unwrap_or_default(),
            nested,
            ends: &of.ends,
            is_key: &is_key,
        };
        let found = ahead.look(&around);
        let start = ahead.start - self.view.base;
        self.machine.body.ahead = Some(ahead);
        self.at = if found.is_ok() { start } else { self.view.len() };
        match found {
            Err(Undecided) => {}
            Ok(Bare::Word) => self.machine.body.json.is_word(false),
            Ok(Bare::Stray) => self.machine.body.json.is_word(true),
            Ok(Bare::Unopened(end)) => {
                self.at = end - self.view.base;
                if let Some(stop) = self.machine.body.json.unopened_ends() {
                    self.stopped(stop);
                }
                self.leave_body();
                self.report_body();
            }
        }
    }

    /// What was noticed between the members, once its call has started.
    pub fn report_body(&mut self) {
        let params = self.gives_params();
        let body = &mut self.machine.body;
        if !body.started || !body.has(NAMES_CALL) && !params {
            return;
        }
        let found = [body.json.junk, body.json.repaired];
        let [junk, repaired] = [body.has(JUNK), body.has(REPAIRED)];
        body.set(JUNK, found[0]);
        body.set(REPAIRED, found[1]);
        if found[1] && !repaired {
            self.diagnose(DiagnosticKind::RepairedJson, self.at);
            // What was repaired decided where a parameter ends.
            let strict = params && self.tables.options.recoveries == Recoveries::Strict;
            self.machine.flags.set(Flags::BROKEN, strict || self.machine.flags.has(Flags::BROKEN));
        }
        if found[0] && !junk {
            self.machine.flags.set(Flags::BROKEN, true);
            self.diagnose(DiagnosticKind::MalformedArguments, self.at);
        }
    }

    /// Before a comma and the arguments that belong to the object before it.
    fn resume_body(&mut self, comma: usize, proof: Proof) {
        self.machine.body.json.go_on();
        self.markup(comma + 1);
        self.at = self.from;
        self.report_body();
        self.enter(State::Body, proof);
    }

    /// Outside a string: a marker that ends the body, perhaps, or a bracket that closes it though it is not its own.
    fn body_marker(&mut self) {
        self.leave_body();
        let may_begin = |byte| self.table().first.contains(&byte);
        match self.view.byte(self.at).is_some_and(may_begin) {
            true => self.begin(Begins::Byte, self.at),
            false => self.machine.body.json.pass(),
        }
    }

    /// A quote ends its string: reading goes on after it.
    pub fn end_string(&mut self, at: usize, proof: Proof) {
        self.at = at;
        self.machine.body.set(UNPROVEN, proof == Proof::CutEnd);
        let machine = &mut *self.machine;
        if let Some(stop) = machine.body.json.string_ends_here(&mut machine.call.captured) {
            self.stopped(stop);
        }
    }

    /// A bracket closes the object that another one opened.
    pub fn close_body(&mut self, start: usize, end: usize, proof: Proof) {
        self.at = start;
        self.machine.body.set(UNPROVEN, proof == Proof::CutEnd);
        if let Some(stop) = self.machine.body.json.closes_otherwise() {
            self.stopped(stop);
        }
        self.at = end;
        self.leave_body();
        self.report_body();
        self.body_ends(proof);
    }

    /// The name is whole: the call starts, if it is one.
    fn body_name(&mut self) {
        let held = self.machine.body.holds;
        let long = held && self.at - self.from > bounds::ARGUMENTS;
        let name = &mut self.machine.call.captured.name;
        name.truncate(name.trim_end_matches(WHITE_SPACE).len());
        if name.is_empty() || name.len() > bounds::NAME || long {
            self.machine.body.json.refuse_name();
            self.machine.body.holds = false;
            return self.leave_body();
        }
        let tool = self.tables.names.number([name, ""]);
        let opener = self.machine.body.at;
        if !held {
            self.leave_body();
        }
        let part = self.grammar.bodies[self.machine.body.kind as usize].part;
        let inferred = self.machine.body.has(NAMED_INSIDE);
        let note = inferred.then_some(DiagnosticKind::InferredName);
        self.start_call(tool, part, false, opener, note);
        self.machine.body.started = true;
        self.report_body();
        if held {
            self.machine.body.holds = false;
            let end = self.from + self.machine.body.arguments as usize;
            self.argument_slices(end);
            self.markup(self.at);
        }
    }

    /// The id is whole: it goes out with its call, or now, if that has started. One that is empty or
    /// longer than a name is none.
    fn body_id(&mut self) {
        self.leave_body();
        let id = self.machine.call.captured.id_mut();
        id.truncate(id.trim_end_matches(WHITE_SPACE).len());
        let is_one = !id.is_empty() && id.len() <= bounds::NAME;
        if is_one && self.machine.body.started {
            self.out.event(Event::ToolUse(ToolUse::Id(id)));
        }
        if !is_one || self.machine.body.started {
            id.clear();
        }
    }

    /// The members of the open body are parameters.
    fn gives_params(&self) -> bool {
        let kind = self.machine.body.kind as usize;
        self.machine.state == State::Body
            && matches!(self.grammar.bodies[kind].gives, Gives::Params(_))
    }

    /// Before the first byte of the arguments, or of a parameter's value.
    fn arguments_begin(&mut self) {
        // What stands before them is markup, whatever comes.
        self.machine.body.clear(HOLDS_MEMBERS);
        self.markup(self.at);
        let (params, skips) = (self.gives_params(), self.machine.body.skips());
        if params || skips {
            let name = &mut self.machine.call.captured.param;
            name.truncate(name.trim_end_matches(WHITE_SPACE).len());
        }
        if params && self.machine.body.json.lacks_comma() {
            let is_param = self.lacks(&self.machine.call.captured.param);
            self.machine.body.json.misses_comma(is_param);
            self.report_body();
            if !is_param {
                return;
            }
        }
        if params {
            if self.machine.call.captured.param.len() > bounds::NAME {
                self.machine.flags.set(Flags::BROKEN, true);
                self.diagnose(DiagnosticKind::LimitExceeded, self.at);
            }
            return self.report_param(Some(TypeHint::Literal), self.at);
        }
        if skips {
            // The tool has been given it, though no call has: its strings end as those of the call would.
            let call = &mut self.machine.call;
            let number = self.tables.param_number(call.part, call.tool, &call.captured.param);
            call.give(number);
        }
        let body = &mut self.machine.body;
        body.holds =
            !(body.started || body.is_orphan() || body.has(NAMES_CALL) && body.json.has_no_name());
    }

    /// Before the value of the first member that is none of a call's: if no key of arguments comes, such members may
    /// be the arguments themselves, where all of them are declared.
    fn members_begin(&mut self) {
        let body = &self.machine.body;
        let may_be = !body.json.has_no_name() && !body.holds && body.json.lacks_arguments();
        if may_be && (!body.started || self.is_declared(&self.machine.call.captured.param)) {
            self.markup(self.at);
            self.machine.body.set(HOLDS_MEMBERS, true);
        }
    }

    /// Whether the open call's tool has this parameter.
    fn is_declared(&self, name: &str) -> bool {
        let call = &self.machine.call;
        self.tables.param_number(call.part, call.tool, name).is_some()
    }

    /// Whether the open call's tool has this parameter, and the call does not yet.
    fn lacks(&self, name: &str) -> bool {
        let call = &self.machine.call;
        let number = self.tables.param_number(call.part, call.tool, name);
        number.is_some_and(|number| !call.is_given(number))
    }

    /// The object is over: if members were held, and are the arguments, they go out as such.
    fn take_members(&mut self) {
        let (from, to) = (self.from, self.at);
        let body = &mut self.machine.body;
        let held = body.has(HOLDS_MEMBERS) && body.started && to - from <= bounds::ARGUMENTS;
        body.clear(HOLDS_MEMBERS);
        if !held || body.json.junk {
            return;
        }
        let mut text = String::new();
        self.view.copy(from, to, &mut text);
        let found = members::others(&self.machine.call.captured.param, &text);
        let all = |found: &Vec<Member>| {
            !found.is_empty() && found.iter().all(|(name, _)| self.is_declared(name))
        };
        let Some(found) = found.filter(all) else { return };
        for (name, value) in found {
            self.markup(from + value.start);
            self.machine.call.captured.param = name;
            self.report_param(Some(TypeHint::Json), from + value.start);
            for slice in self.view.slices(from + value.start, from + value.end) {
                if !slice.is_empty() {
                    self.out.event(Event::ToolUse(ToolUse::ParamDelta(slice)));
                }
            }
            self.from = from + value.end;
            self.end_param(true);
        }
        self.diagnose(DiagnosticKind::RepairedJson, to);
        let strict = self.tables.options.recoveries == Recoveries::Strict;
        self.machine.flags.set(Flags::BROKEN, strict || self.machine.flags.has(Flags::BROKEN));
        (self.machine.line, self.machine.in_word) = (Line::Markup, false);
        self.machine.body.set(TOOK_MEMBERS, true);
    }

    /// A call whose arguments stand where nobody can know that they are some is no call without arguments.
    fn check_arguments(&mut self) {
        let body = &self.machine.body;
        let lost = body.started && body.json.has_others_alone() && !body.has(TOOK_MEMBERS | JUNK);
        if lost {
            self.machine.flags.set(Flags::BROKEN, true);
            self.diagnose(DiagnosticKind::MalformedArguments, self.at);
        }
    }

    fn arguments_end(&mut self) {
        if self.machine.body.skips() {
            return;
        }
        if self.gives_params() {
            self.argument_slices(self.at);
            return self.end_param(true);
        }
        let len = self.at - self.from;
        if self.machine.body.has(INFERS) {
            self.infer_name();
        } else if self.machine.body.holds {
            self.machine.body.arguments = u32::try_from(len).unwrap_or(u32::MAX);
        } else if self.machine.body.started {
            self.argument_slices(self.at);
        }
        if !self.machine.body.has(NAMES_CALL) {
            self.body_ends(Proof::Text);
        }
    }

    /// After all arguments of a call that nothing names: the call begins, if its tool is found.
    fn infer_name(&mut self) {
        let mut object = String::new();
        self.view.copy(self.from, self.at, &mut object);
        let holds = std::mem::take(&mut self.machine.body.holds);
        let known = holds && object.len() <= bounds::ARGUMENTS;
        let found = known.then(|| infer::tool(&self.tables.names, &object)).flatten();
        let Some(tool) = found else { return };
        self.machine.call.captured.name.clone_from(&self.tables.tools[tool as usize].name);
        let part = self.grammar.bodies[self.machine.body.kind as usize].part;
        let note = Some(DiagnosticKind::InferredName);
        self.start_call(tool, part, false, self.machine.body.at, note);
        self.machine.body.started = true;
        self.argument_slices(self.at);
    }

    fn argument_slices(&mut self, to: usize) {
        for slice in self.view.slices(self.from, to) {
            if !slice.is_empty() {
                self.arguments_slice(slice);
            }
        }
        self.from = to;
        (self.machine.line, self.machine.in_word) = (Line::Markup, false);
    }

    fn arguments_slice(&mut self, slice: &str) {
        let params = self.gives_params();
        self.out.event(Event::ToolUse(if params {
            ToolUse::ParamDelta(slice)
        } else {
            ToolUse::ArgumentsDelta(slice)
        }));
    }

    /// What was read leaves, unless it is held.
    fn leave_body(&mut self) {
        if !self.machine.body.keeps() {
            self.payload(self.at);
        }
    }

    pub fn body_slice(&mut self, slice: &str) {
        if self.machine.body.gives_arguments() {
            return self.arguments_slice(slice);
        }
        self.out.event(Event::Markup(slice));
    }

    /// The chunk ends in a body.
    pub fn release_body(&mut self) {
        if self.machine.body.waits() {
            return;
        }
        if self.machine.body.holds && self.at - self.from > bounds::ARGUMENTS {
            self.machine.body.json.refuse_name();
            self.machine.body.holds = false;
        }
        if self.at - self.from > bounds::ARGUMENTS {
            self.machine.body.clear(HOLDS_MEMBERS);
        }
        if !self.machine.body.keeps() {
            self.payload(self.at - self.machine.body.json.half_quote());
        }
    }

    /// The section's closer stands in the body: the body ends before it.
    pub fn end_body(&mut self, start: usize, proof: Proof) {
        self.at = start;
        let open = self.machine.body.json.in_arguments();
        self.machine.body.json.cut();
        if open && self.gives_params() {
            self.end_param(!self.machine.body.json.in_arguments());
        }
        self.take_members();
        self.report_body();
        let body = &self.machine.body;
        let balanced = body.json.is_between_members();
        if body.started && !balanced {
            self.machine.flags.set(Flags::BROKEN, true);
        } else if body.started && !body.json.repaired && !body.json.junk {
            self.diagnose(DiagnosticKind::RepairedJson, start);
        }
        self.body_ends(proof);
    }

    /// The object whose arguments could have followed has ended, if there is one.
    pub fn end_waiting(&mut self, proof: Proof) {
        if self.machine.flags.take(Flags::WAITING) {
            self.body_ends(proof);
        }
    }

    /// The body is over, and all of it that can has left.
    fn body_ends(&mut self, proof: Proof) {
        let then = self.grammar.bodies[self.machine.body.kind as usize].then;
        self.machine.body.clear(HOLDS_MEMBERS);
        self.payload(self.at);
        self.check_arguments();
        if self.machine.body.is_orphan() {
            if self.machine.body.skips() {
                self.machine.call.close();
            }
            self.markup(self.at);
            return match then {
                Some(place) => self.go_on(place, proof),
                None => self.enter(State::Section, proof),
            };
        }
        if self.machine.body.started {
            let unproven = self.machine.body.has(UNPROVEN);
            self.end_call(if unproven { Proof::CutEnd } else { proof });
            return then.map_or((), |place| self.go_on(place, proof));
        }
        self.machine.body.holds = false;
        self.markup(self.at);
        self.diagnose(DiagnosticKind::MalformedCall, self.at);
        self.machine.flags.set(Flags::AFTER_CALL, false);
        self.enter(State::Section, proof);
        if let Some(place) = then {
            self.go_on(place, proof);
        }
    }

    /// The stream ends in a body.
    pub fn cut_body(&mut self) -> bool {
        self.machine.body.holds = false;
        self.machine.body.clear(HOLDS_MEMBERS);
        self.payload(self.view.len() - self.machine.body.json.half_quote());
        let open = self.machine.body.json.in_arguments();
        self.markup(self.view.len());
        if open && self.gives_params() {
            self.end_param(false);
        }
        self.machine.body.started
    }
}
