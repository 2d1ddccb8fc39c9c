//! A body of JSON: a call that names itself, or all arguments of a call.
//!
//! ```text
//! body := "{" ( member | "," )* "}"                see `Json`, which reads it
//! ```
//! The reader of JSON finds members, which become events. It is resumable: bytes that were read are not read again. At
//! the end of a chunk everything leaves, except arguments whose call has no name yet. At the end of the stream an open
//! body is open, and its call is incomplete.

use crate::event::{DiagnosticKind, Event, ToolUse, TypeHint};
use crate::family::{Gives, InBody};
use crate::json::bare::{Ahead, Around, Bare};
use crate::json::syntax::JSON;
use crate::options::bounds;
use crate::read::call::keep;
use crate::read::cursor::{More, No, Note, WHITE};
use crate::read::feed::{Feed, Flow, Line, Proof};
use crate::read::ids::UNKNOWN;
use crate::read::infer;
use crate::read::json::members::{self, Member};
use crate::read::json::{Json, Stop};
use crate::read::machine::State;
use crate::sink::Sink;

/// The open body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub json: Json,
    pub kind: u8,
    /// Stream offset of its opener.
    at: usize,
    /// The bytes of pending arguments, once they are whole. The pending bytes begin with them.
    arguments: u32,
    /// Its call has started.
    started: bool,
    /// The body names its call.
    names_call: bool,
    /// The body belongs to no call.
    orphan: bool,
    /// The keys of the body show the tool.
    infers: bool,
    /// The arguments came before the name and are pending.
    pub holds: bool,
    /// Members that may be the arguments are pending; they were the arguments.
    holds_members: bool,
    took_members: bool,
    /// Junk or a repair in it was reported.
    junk: bool,
    repaired: bool,
    /// A header before it has the call's id, but names no tool.
    named_inside: bool,
    /// Its members are parameters.
    pub params: bool,
    /// Its members would be parameters, if it belonged to a call.
    pub skips: bool,
    /// Only the end of a stream that was cut shows that it is over.
    pub unproven: bool,
    /// The text behind a value without quotes, as far as it was looked at.
    ahead: Option<Box<Ahead>>,
}

impl Body {
    /// Whether bytes that were read stay pending.
    pub fn keeps(&self) -> bool {
        self.holds || self.holds_members
    }

    /// Whether a value without quotes waits for the bytes that decide its end.
    fn waits(&self) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| ahead.waits)
    }

    /// Whether the bytes are arguments of the call.
    pub fn gives_arguments(&self) -> bool {
        self.started && self.json.in_arguments()
    }
}

impl Feed<'_, '_> {
    /// Opens a body at `start`. The bytes before `to`, where its brace stands, belong to its opener.
    pub fn open_body(&mut self, kind: u8, start: usize, to: usize) {
        let facts = self.grammar().family.body(kind);
        let names_call = matches!(facts.gives, Gives::Call | Gives::OnlyCall);
        let infers = facts.gives == Gives::Tool;
        if names_call && std::mem::take(&mut self.m.is.waiting) {
            return self.resume_body(start);
        }
        if (names_call || infers) && !self.may_open(start) {
            return;
        }
        let literals = self.grammar().family.literals(kind);
        let json = match (names_call, literals) {
            (true, _) => Json::call(self.grammar().ids, facts.gives == Gives::OnlyCall, facts.stop),
            (_, Some(literals)) => Json::params(!literals.quote.is_empty()),
            _ => Json::bare_arguments(facts.stop),
        };
        self.m.call.captured.clear_id();
        let (params, skips) = (facts.gives == Gives::Params, facts.gives == Gives::NoParams);
        let (at, orphan) = (self.offset(start), skips || facts.gives == Gives::Nothing);
        let started = params || facts.gives == Gives::Arguments;
        let of = Body { json, kind, at, started, names_call, ..Body::default() };
        self.m.body = Body { orphan, infers, params, skips, ..of };
        self.m.is.section_start = false;
        self.m.is.call_start = false;
        self.markup(to);
        self.enter(State::Body);
    }

    /// Takes the header before the body: it has the call's id, but names no tool.
    pub fn name_body(&mut self, id: Option<&str>) {
        let Some(id) = id else { return };
        keep(self.m.call.captured.id_mut(), id);
        self.m.body.named_inside = true;
    }

    /// Goes on before a comma and the arguments that belong to the object before it.
    fn resume_body(&mut self, comma: usize) {
        self.m.body.json.resume();
        self.markup(comma + 1);
        self.at = self.from;
        self.report_body();
        self.enter(State::Body);
    }

    /// Reads a body up to the next stop.
    pub fn body(&mut self) -> Flow {
        if self.m.body.waits() {
            return self.look_ahead();
        }
        if self.m.body.json.at_quote() {
            return self.after_quote();
        }
        let part = &self.text[self.at..];
        let literals = self.grammar().family.literals(self.m.body.kind);
        let syntax = literals.map_or(JSON, |literals| literals.syntax());
        let m = &mut *self.m;
        let (read, stop) = m.body.json.read(part, syntax, &mut m.call.captured, &mut m.examined);
        self.at += read;
        self.stopped(stop)
    }

    pub fn stopped(&mut self, stop: Stop) -> Flow {
        match stop {
            Stop::End => return self.all_read(),
            Stop::Marker => return self.body_marker(),
            Stop::Name => self.body_name(),
            Stop::Id => self.body_id(),
            Stop::Arguments => self.arguments_begin(),
            Stop::ArgumentsEnd => self.arguments_end(),
            Stop::Duplicate => {
                self.leave_body();
                self.tell(DiagnosticKind::DuplicateParameter, self.at);
            }
            Stop::Other => self.members_begin(),
            Stop::Noticed => {
                self.leave_body();
                self.report_body();
            }
            Stop::Body => self.body_closes(),
            Stop::Bare => {
                self.leave_body();
                let (start, body) = (self.offset(self.at), &mut self.m.body);
                body.ahead.get_or_insert_default().begin(start, body.json.depth());
                return self.look_ahead();
            }
            Stop::Quote => self.leave_body(),
        }
        Flow::Go
    }

    /// Looks ahead before a value without quotes. It is read once it is known whether it is a string.
    fn look_ahead(&mut self) -> Flow {
        let Some(mut ahead) = self.m.body.ahead.take() else { return Flow::Go };
        let family = &self.grammar().family;
        let kind = self.m.body.kind;
        let json = &self.m.body.json;
        let nested = json.is_nested();
        let call = &self.m.call;
        let is_key = |name: &str| nested || call.tool == UNKNOWN || self.lacks(name);
        let around = Around {
            text: [self.text, ""],
            base: self.m.base,
            over: self.ended(),
            quote: family.literals(kind).map_or("", |literals| &literals.quote),
            closing: json.closing().bytes().next().unwrap_or_default(),
            nested,
            ends: family.ends_of_bare(kind),
            is_key: &is_key,
        };
        let found = ahead.look(&around);
        self.at = ahead.start - self.m.base;
        self.m.body.ahead = Some(ahead);
        match found {
            Err(_) => {
                // A hint of the last wait would append the next chunk without this look-ahead having seen it.
                self.m.waits = Default::default();
                return Flow::Wait;
            }
            Ok(Bare::Word) => self.m.body.json.is_word(false),
            Ok(Bare::Stray) => self.m.body.json.is_word(true),
            Ok(Bare::Unopened(end)) => {
                self.at = end - self.m.base;
                if let Some(stop) = self.m.body.json.unopened_ends() {
                    self.stopped(stop);
                }
                self.leave_body();
                self.report_body();
            }
        }
        Flow::Go
    }

    /// Whether the open call's tool has this parameter, and the call does not have it yet.
    fn lacks(&self, name: &str) -> bool {
        let call = &self.m.call;
        let number = self.t.tools.params(call.tool).find([name, ""]);
        number.is_some_and(|number| !call.is_given(number))
    }

    /// Ends the body behind its brace.
    fn body_closes(&mut self) {
        self.take_members();
        self.leave_body();
        self.report_body();
        let body = &self.m.body;
        if !body.took_members && body.names_call && body.json.lacks_arguments() {
            // Its arguments may follow: the object has not ended.
            self.m.is.waiting = true;
            self.enter(State::Section);
        } else {
            self.body_ends(Proof::Text);
        }
    }

    /// Reads a marker outside of strings that may end the body.
    fn body_marker(&mut self) -> Flow {
        self.leave_body();
        let start = self.at;
        let mut c = self.cursor();
        let found = self.grammar().family.in_body(&self.look(), self.m.body.kind, &mut c);
        self.m.examined += c.pos - start;
        match found {
            Ok(InBody::Before { note, broken }) => {
                self.tell_accepted(start, c.pos);
                self.end_body(start, note, broken);
            }
            Ok(InBody::Bracket) => {
                self.tell_accepted(start, c.pos);
                self.close_body(start, c.pos);
            }
            Err(More) if !self.ended() => return self.wait(),
            Err(stuck) if stuck == No || !self.half_is_markup() => {
                self.tell_refused(start);
                self.m.body.json.pass();
            }
            Err(_) => {
                self.payload(start);
                self.at = self.text.len();
                self.markup(self.at);
            }
        }
        Flow::Go
    }

    /// Ends the object at a bracket of another kind.
    fn close_body(&mut self, start: usize, end: usize) {
        let proof = self.proof();
        self.at = start;
        self.m.body.unproven = proof == Proof::CutEnd;
        if let Some(stop) = self.m.body.json.closes_otherwise() {
            self.stopped(stop);
        }
        self.at = end;
        self.leave_body();
        self.report_body();
        self.body_ends(proof);
    }

    /// Reports junk and repairs between the members, once the call has started.
    pub fn report_body(&mut self) {
        let body = &mut self.m.body;
        if !body.started || !body.names_call && !body.params {
            return;
        }
        let params = body.params;
        let (junk, repaired) = (body.json.junk && !body.junk, body.json.repaired && !body.repaired);
        body.junk = body.json.junk;
        body.repaired = body.json.repaired;
        if repaired {
            self.tell(DiagnosticKind::RepairedJson, self.at);
            // The repair decided where a parameter ends.
            self.m.is.broken |= params && self.strict();
        }
        if junk {
            self.m.is.broken = true;
            self.tell(DiagnosticKind::MalformedArguments, self.at);
        }
    }

    /// Takes the whole name. The call starts, if it is one.
    fn body_name(&mut self) {
        let held = self.m.body.holds;
        let long = held && self.at - self.from > bounds::ARGUMENTS;
        let name = &mut self.m.call.captured.name;
        name.truncate(name.trim_end_matches(WHITE).len());
        // Arguments beyond the bound have left as markup, so a call with this name would run without them.
        if name.is_empty() || name.len() > bounds::NAME || long {
            self.m.body.json.refuse_name();
            self.m.body.holds = false;
            return self.leave_body();
        }
        let tool = self.t.tools.number([name, ""]);
        if !held {
            self.leave_body();
        }
        let note = self.m.body.named_inside.then_some(DiagnosticKind::InferredName);
        self.start_call(tool, false, self.m.body.at, note);
        self.m.is.call_start = false;
        self.m.body.started = true;
        self.report_body();
        if held {
            self.m.body.holds = false;
            self.arguments_to(self.from + self.m.body.arguments as usize);
            self.markup(self.at);
        }
    }

    /// Takes the whole id. It goes out with its call, or now, if the call has started. An empty id, or one longer than
    /// a name, does not count.
    fn body_id(&mut self) {
        self.leave_body();
        let started = self.m.body.started;
        let id = self.m.call.captured.id_mut();
        id.truncate(id.trim_end_matches(WHITE).len());
        let is_one = !id.is_empty() && id.len() <= bounds::NAME;
        if is_one && started {
            self.out.event(Event::ToolUse(ToolUse::Id(id)));
        }
        if !is_one || started {
            id.clear();
        }
    }

    /// Begins the arguments, before their first byte.
    fn arguments_begin(&mut self) {
        // The bytes before them are markup.
        self.m.body.holds_members = false;
        self.markup(self.at);
        if self.m.body.params {
            return self.param_begins();
        }
        if self.m.body.skips {
            self.skip_param();
        }
        let body = &mut self.m.body;
        let nameless = body.names_call && body.json.has_no_name();
        body.holds = !(body.started || body.orphan || nameless);
    }

    /// Begins a parameter, before its value.
    fn param_begins(&mut self) {
        let name = &mut self.m.call.captured.param;
        name.truncate(name.trim_end_matches(WHITE).len());
        if self.m.body.json.lacks_comma() {
            let is_param = self.lacks(&self.m.call.captured.param);
            self.m.body.json.misses_comma(is_param);
            self.report_body();
            if !is_param {
                return;
            }
        }
        if self.m.call.captured.param.len() > bounds::NAME {
            self.m.is.broken = true;
            self.tell(DiagnosticKind::LimitExceeded, self.at);
        }
        self.report_param(Some(TypeHint::Literal), self.at);
    }

    fn arguments_end(&mut self) {
        if self.m.body.skips {
            return;
        }
        if self.m.body.params {
            self.arguments_to(self.at);
            return self.end_param(true);
        }
        if self.m.body.infers {
            self.infer_name();
        } else if self.m.body.holds {
            self.m.body.arguments = u32::try_from(self.at - self.from).unwrap_or(u32::MAX);
        } else if self.m.body.started {
            self.arguments_to(self.at);
        }
        if !self.m.body.names_call {
            self.body_ends(Proof::Text);
        }
    }

    /// Begins a call without a name, behind all its arguments, if its tool is found.
    fn infer_name(&mut self) {
        let object = &self.text[self.from..self.at];
        let holds = std::mem::take(&mut self.m.body.holds);
        let known = holds && object.len() <= bounds::ARGUMENTS;
        let found = known.then(|| infer::tool(self.t.tools, object)).flatten();
        let Some(tool) = found else { return };
        self.m.call.captured.name.clone_from(&self.t.list[usize::from(tool)].name);
        self.start_call(tool, false, self.m.body.at, Some(DiagnosticKind::InferredName));
        self.m.is.call_start = false;
        self.m.body.started = true;
        self.arguments_to(self.at);
    }

    /// Takes the first member whose key is not a call's, before its value. If no key of arguments comes, such
    /// members may be the arguments, if all of them are declared.
    fn members_begin(&mut self) {
        let body = &self.m.body;
        let may_be = !body.json.has_no_name() && !body.holds && body.json.lacks_arguments();
        if may_be && (!body.started || self.is_declared(&self.m.call.captured.param)) {
            self.markup(self.at);
            self.m.body.holds_members = true;
        }
    }

    /// Whether the open call's tool has this parameter.
    fn is_declared(&self, name: &str) -> bool {
        self.t.tools.params(self.m.call.tool).find([name, ""]).is_some()
    }

    /// Ends the object. Pending members that are the arguments leave as such.
    fn take_members(&mut self) {
        let (from, to) = (self.from, self.at);
        let body = &mut self.m.body;
        let held = body.holds_members && body.started && to - from <= bounds::ARGUMENTS;
        body.holds_members = false;
        if !held || body.json.junk {
            return;
        }
        let text = self.text;
        let found = members::others(&self.m.call.captured.param, &text[from..to]);
        let all = |found: &Vec<Member>| {
            !found.is_empty() && found.iter().all(|(name, _)| self.is_declared(name))
        };
        let Some(found) = found.filter(all) else { return };
        for (name, value) in found {
            let value = from + value.start..from + value.end;
            self.markup(value.start);
            self.m.call.captured.param = name;
            self.report_param(Some(TypeHint::Json), value.start);
            self.out.event(Event::ToolUse(ToolUse::ParamDelta(&text[value.clone()])));
            self.from = value.end;
            self.end_param(true);
        }
        self.tell(DiagnosticKind::RepairedJson, to);
        self.m.is.broken |= self.strict();
        self.m.line = Line::Markup;
        self.m.in_word = false;
        self.m.body.took_members = true;
    }

    /// Breaks a call whose members may be lost arguments: it must not pass for a call without arguments.
    fn check_arguments(&mut self) {
        let body = &self.m.body;
        if body.started && body.json.has_others_alone() && !body.took_members && !body.junk {
            self.m.is.broken = true;
            self.tell(DiagnosticKind::MalformedArguments, self.at);
        }
    }

    fn arguments_to(&mut self, to: usize) {
        if to > self.from {
            let text = &self.text[self.from..to];
            self.arguments_slice(text);
        }
        self.from = to;
        self.m.line = Line::Markup;
        self.m.in_word = false;
    }

    fn arguments_slice(&mut self, slice: &str) {
        self.out.event(Event::ToolUse(match self.m.body.params {
            true => ToolUse::ParamDelta(slice),
            false => ToolUse::ArgumentsDelta(slice),
        }));
    }

    /// Emits the bytes that were read, unless they are pending.
    fn leave_body(&mut self) {
        if !self.m.body.keeps() {
            self.payload(self.at);
        }
    }

    pub fn body_slice(&mut self, slice: &str) {
        match self.m.body.gives_arguments() {
            true => self.arguments_slice(slice),
            false => self.out.event(Event::Markup(slice)),
        }
    }

    /// Ends the chunk in a body.
    pub fn release_body(&mut self) {
        let long = self.at - self.from > bounds::ARGUMENTS;
        if self.m.body.holds && long {
            self.m.body.json.refuse_name();
            self.m.body.holds = false;
        }
        self.m.body.holds_members &= !long;
        if !self.m.body.keeps() {
            // Half of a quote of several bytes is pending: only its rest shows whether the string ends.
            self.payload(self.at - self.m.body.json.half_quote());
        }
    }

    /// Ends the body before the section's closer.
    pub fn end_body(&mut self, start: usize, note: Note, broken: bool) {
        self.at = start;
        let proof = self.proof();
        if let Some(note) = note {
            self.note(note, start);
        }
        self.m.is.broken |= broken;
        let open = self.m.body.params && self.m.body.json.in_arguments();
        self.m.body.json.cut();
        if open {
            self.end_param(!self.m.body.json.in_arguments());
        }
        self.take_members();
        self.report_body();
        let body = &self.m.body;
        let balanced = body.json.is_between_members();
        // The closer came inside a member, whose value may lack its end.
        if body.started && !balanced {
            self.m.is.broken = true;
        } else if body.started && !body.json.repaired && !body.json.junk {
            self.tell(DiagnosticKind::RepairedJson, start);
        }
        self.body_ends(proof);
    }

    /// Ends an object whose arguments could have followed, if there is one.
    pub fn end_waiting(&mut self, proof: Proof) {
        if std::mem::take(&mut self.m.is.waiting) {
            self.body_ends(proof);
        }
    }

    /// Ends the body, when all its bytes have left that can.
    fn body_ends(&mut self, proof: Proof) {
        let then = self.grammar().family.body(self.m.body.kind).then;
        self.m.body.holds_members = false;
        self.payload(self.at);
        self.check_arguments();
        if self.m.body.started {
            self.end_call(if self.m.body.unproven { Proof::CutEnd } else { proof });
        } else if self.m.body.orphan {
            if self.m.body.skips {
                self.m.call.close();
            }
            self.markup(self.at);
        } else {
            self.m.body.holds = false;
            self.markup(self.at);
            self.tell(DiagnosticKind::MalformedCall, self.at);
            self.m.is.after_call = false;
            self.enter(State::Section);
        }
        if let Some(section) = then {
            self.go_on_in(section);
        }
    }

    /// Goes on in a section of this kind, though nothing opened it.
    fn go_on_in(&mut self, section: u8) {
        self.m.section = section;
        self.m.unused = crate::read::call::NO_OPENER;
        // A section that goes on is still owed its closer.
        self.m.is.owed &= self.m.is.in_section;
        self.m.is.in_section |= self.grammar().family.section(section).calls;
        self.enter(State::Section);
    }

    /// Ends the stream in a body.
    pub fn end_in_body(&mut self) {
        if self.m.body.json.at_quote() {
            self.quote_is_text();
        }
        self.m.body.holds = false;
        self.m.body.holds_members = false;
        let end = self.text.len();
        self.payload(end - self.m.body.json.half_quote());
        let open = self.m.body.params && self.m.body.json.in_arguments();
        self.markup(end);
        if open {
            self.end_param(false);
        }
        if self.m.body.started {
            return self.end_call(Proof::CutEnd);
        }
        if self.m.body.orphan {
            return;
        }
        if self.m.body.json.has_no_name() {
            self.tell(DiagnosticKind::MalformedCall, end);
        }
        self.cut_opener(end);
    }
}
