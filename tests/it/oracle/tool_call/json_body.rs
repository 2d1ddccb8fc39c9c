//! `json`: objects, each of them a call.
//!
//! After an object, white space, unexpected `}` `]` `,` `;` and "```" are markup. Then `</tool_call>`, another object, or the end
//! follows. Anything else ends the block.

use super::super::pieces::{Miss, Proof, Seen, is_space, skip_spaces};
use super::Reader;
use super::grammar::{CLOSER, FUNCTION_CLOSER, Grammar};
use super::json::{self, End, Name, Object, Other};
use toolstream::{
    Status, ToolUse,
    diagnostic::{Cause, DiagnosticKind as Kind},
    options::Recoveries,
    tools::TypeHint,
};

/// The most bytes that are held of arguments before their name.
const HELD_ARGUMENTS: usize = 64 * 1024;

/// The meaning of members that have no key of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Others {
    /// There are none, or they mean nothing.
    Nothing,
    /// Arguments, because the tool declares all of them.
    Arguments,
    /// Unknown members, so the arguments cannot be found.
    Unknown,
}

impl<'a> Reader<'a> {
    /// Reads from the first object, which begins at `first`, to the block's end.
    pub fn json_body(&mut self, first: usize, opener: usize) {
        let calls_before = self.out.calls;
        let mut next = Some(first);
        while let Some(at) = next {
            self.out.markup(at);
            let start = if self.out.calls == calls_before { opener } else { at };
            let object = json::object(self.grammar.input, at);
            self.object(&object, start);
            next = match object.end {
                End::Stream(_) => None,
                _ => self.after_json(),
            };
        }
    }

    fn object(&mut self, object: &Object, start: usize) {
        let end = object.end.at();
        let (name, known_at) = match &object.name {
            Name::Whole(name, at) => (Some(name), *at),
            Name::Bad | Name::Missing => (None, end),
        };
        let arguments = object.arguments.map(|arguments| arguments.value);
        // Arguments before the name wait for it, up to a bound. So do other members, which may be the arguments themselves.
        let others = object.others.first().filter(|other| !other.late).map(|other| other.value);
        let early = |value: &json::Range| value.start < known_at;
        let held = arguments.filter(early).or(others.filter(early));
        let waits_from = held.map_or(known_at, |value| value.start);
        let too_long = known_at - waits_from > HELD_ARGUMENTS;
        match name.filter(|_| !too_long) {
            Some(name) => {
                self.out.markup(waits_from);
                self.out.start(name, start, self.is_unknown(name));
                self.what_is_not_json(object);
                if let Some(at) = object.junk {
                    self.out.diagnose(Kind::MalformedArguments, at);
                }
                if let Some(value) = arguments {
                    self.out.markup(value.start);
                    self.out.arguments(value.end);
                }
                let read = self.read_of_others(name, object);
                self.others(object, read);
                self.markup_of_object(object.end);
                if object.may_go_on {
                    self.out.markup(skip_spaces(self.grammar.input, end));
                }
                self.end_of_object(object, read);
            }
            None => {
                self.duplicates(object);
                if too_long || object.name == Name::Bad || !matches!(object.end, End::Stream(_)) {
                    self.out.diagnose(Kind::MalformedCall, self.out.position);
                }
                if matches!(object.end, End::Stream(_)) {
                    self.out.diagnose(Kind::CutOpener, self.out.position);
                }
                self.markup_of_object(object.end);
            }
        }
    }

    /// Decides about members with other keys, if there are no arguments.
    fn read_of_others(&self, name: &str, object: &Object) -> Others {
        let tool = self.grammar.tools.iter().find(|tool| tool.name == name);
        let declares =
            |key: &str| tool.is_some_and(|tool| tool.params.iter().any(|param| param.name == key));
        let is_over = !matches!(object.end, End::Stream(_)) && object.junk.is_none();
        let is_proven = self.out.proves(object.proof);
        if object.arguments.is_some() || object.others.is_empty() || !is_over {
            Others::Nothing
        } else if object.others.iter().all(|other| declares(&other.key)) {
            Others::Arguments
        } else if is_proven {
            Others::Unknown
        } else {
            Others::Nothing
        }
    }

    fn others(&mut self, object: &Object, read: Others) {
        match read {
            Others::Nothing => {}
            Others::Unknown => self.out.diagnose(Kind::MalformedArguments, object.end.at()),
            Others::Arguments => {
                self.out.diagnose(Kind::RepairedJson, object.end.at());
                for (nth, other) in object.others.iter().enumerate() {
                    let given = &object.others[..nth];
                    if other.whole {
                        self.other(other, given.iter().any(|one| one.key == other.key));
                    }
                }
            }
        }
    }

    fn other(&mut self, other: &Other, is_given: bool) {
        self.out.markup(other.value.start);
        if is_given {
            self.out.diagnose(Kind::DuplicateParameter, other.value.start);
        }
        let (name, hint) = (other.key.clone(), Some(TypeHint::Json));
        self.out.tool_use(ToolUse::ParamStart { name, hint });
        self.out.value(other.value.end);
        self.out.tool_use(ToolUse::ParamEnd { closed: true });
    }

    fn what_is_not_json(&mut self, object: &Object) {
        for at in &object.repaired {
            self.out.diagnose(Kind::RepairedJson, *at);
        }
        self.duplicates(object);
    }

    fn duplicates(&mut self, object: &Object) {
        for at in &object.duplicates {
            self.out.diagnose(Kind::DuplicateParameter, *at);
        }
    }

    /// Writes the rest of an object, with half a closer at the end of the stream.
    fn markup_of_object(&mut self, end: End) {
        match end {
            End::Stream(_) => self.out.markup(self.grammar.input.len()),
            End::Balanced(at) | End::Closer(at) => self.out.markup(at),
        }
    }

    fn end_of_object(&mut self, object: &Object, read: Others) {
        let whole = !object.is_open
            && object.arguments.is_none_or(|of| of.whole)
            && object.others.iter().all(|other| other.whole);
        let broken = Status::Incomplete(Cause::Broken);
        let strict = self.out.options.recoveries == Recoveries::Strict;
        let is_refused = read == Others::Unknown || read == Others::Arguments && strict;
        if let End::Closer(at) = object.end {
            // Only the outer brace is missing.
            if whole && object.junk.is_none() {
                self.out.diagnose(Kind::RepairedJson, at);
            }
        }
        match object.end {
            End::Stream(_) => return self.out.end_cut(),
            End::Balanced(_) | End::Closer(_) if is_refused => self.out.end(broken),
            // An object with arguments does not go on.
            End::Balanced(_) if read == Others::Arguments => self.out.end_whole(Proof::Text),
            End::Balanced(_) if !self.out.proves(object.proof) => return self.out.end_cut(),
            End::Balanced(_) | End::Closer(_) if object.junk.is_some() => self.out.end(broken),
            End::Closer(_) if !whole => self.out.end(broken),
            End::Balanced(_) | End::Closer(_) => self.out.end_whole(object.proof),
        }
        self.after_call = Some(self.out.position);
    }

    /// Reads an object at `brace` that is all of the open call's arguments. One of `closers` can end it, too. `false`: the
    /// stream ended in it.
    pub fn arguments_object(&mut self, brace: usize, closers: &[&str]) -> bool {
        let end = json::value_end(self.grammar.input, brace, closers);
        self.out.markup(brace);
        self.out.arguments(end.at());
        match end {
            End::Balanced(_) => self.out.end_whole(Proof::Text),
            End::Closer(_) => self.out.end(Status::Incomplete(Cause::Broken)),
            End::Stream(_) => {
                self.out.markup(self.grammar.input.len());
                self.out.end_cut();
                return false;
            }
        }
        self.after_call = Some(self.out.position);
        true
    }

    /// Writes delimiters after an object that neither close nor open anything: markup.
    fn unexpected_delimiters(&mut self) {
        let input = self.grammar.input;
        let mut is_told = false;
        while let Some(c) = input[self.out.position..].chars().next() {
            let at = self.out.position;
            if is_space(c) || "}],;".contains(c) {
                if c == '}' && !std::mem::replace(&mut is_told, true) {
                    self.out.diagnose(Kind::RepairedJson, at);
                }
                self.markup_after_body(at + 1);
            } else if let Ok(end) = self.grammar.literal(at, "```") {
                self.markup_after_body(end);
            } else {
                break;
            }
        }
    }

    /// Whether the stream ends here in half a delimiter.
    fn is_half(&self, at: usize, closer: &str) -> bool {
        let half = |text| self.grammar.literal(at, text) == Err(Miss::Cut);
        at < self.grammar.input.len() && ["```", closer].into_iter().any(half)
    }

    /// Reads `</function>` after a function's object.
    pub fn function_closer_after_object(&mut self) {
        self.unexpected_delimiters();
        while let (Ok(end), Err(_)) = (
            self.grammar.stray_closer(self.out.position),
            self.grammar.literal(self.out.position, FUNCTION_CLOSER),
        ) {
            self.stray_closer(end);
            self.unexpected_delimiters();
        }
        let at = self.out.position;
        match self.grammar.literal(at, FUNCTION_CLOSER) {
            Ok(end) => self.markup_after_body(end),
            Err(_) if self.is_half(at, FUNCTION_CLOSER) => {
                self.out.diagnose(Kind::MissingCloser, at);
                self.out.half_marker();
            }
            // Half of the next function is reported as such.
            Err(_) if matches!(self.grammar.function_in_block(at), Err(Miss::Cut)) => {}
            Err(_) => self.out.diagnose(Kind::MissingCloser, at),
        }
    }

    /// Reads on after an object. Returns the offset of the next object, if the block has one.
    fn after_json(&mut self) -> Option<usize> {
        self.unexpected_delimiters();
        let at = self.out.position;
        match self.grammar.object(at) {
            Ok(_) if !self.out.is_surplus(at) => return Some(at),
            Ok(_) => {}
            Err(Miss::Cut) if at < self.grammar.input.len() => {
                self.out.diagnose_cut_opener(at, Some(Kind::MissingCloser));
                self.out.half_marker();
            }
            Err(_) => {
                while let Ok(end) = self.grammar.sister_closer(self.out.position) {
                    self.out.diagnose(Kind::MismatchedCloser, self.out.position);
                    self.markup_after_body(end);
                    self.markup_after_body(skip_spaces(self.grammar.input, end));
                }
                self.block_closer(|grammar, at| grammar.sister_closer(at));
            }
        }
        None
    }

    /// Reads the closer after the object of a keyed call.
    pub fn block_closer_after_object(&mut self) {
        self.unexpected_delimiters();
        while let Ok(end) = self.grammar.stray_closer(self.out.position) {
            self.stray_closer(end);
            self.unexpected_delimiters();
        }
        self.block_closer(|grammar, at| grammar.stray_closer(at));
    }

    /// Reads the closer of a block after its last object and strays. Anything else ends the block.
    fn block_closer(&mut self, stray: impl Fn(&Grammar<'a>, usize) -> Seen) {
        let at = self.out.position;
        if let Ok(end) = self.grammar.literal(at, CLOSER) {
            return self.markup_after_body(end);
        }
        self.out.diagnose(Kind::MissingCloser, at);
        let is_half_stray =
            || at < self.grammar.input.len() && stray(&self.grammar, at) == Err(Miss::Cut);
        if self.is_half(at, CLOSER) || is_half_stray() {
            self.out.half_marker();
        }
    }
}
