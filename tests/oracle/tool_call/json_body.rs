//! `json`: objects, each a call.
//!
//! After an object white space, unexpected `}` `]` `,` `;` and "```" are markup; then comes
//! `</tool_call>`, another object, or the end. With anything else the block is over.

use super::super::pieces::{Miss, Proof, is_space, skip_spaces};
use super::Reader;
use super::grammar::{CLOSER, FUNCTION_CLOSER};
use super::json::{self, End, Name, Object};
use toolstream::{Cause, DiagnosticKind as Kind, Status};

/// How many bytes are held for arguments that come before their name.
const HELD_ARGUMENTS: usize = 64 * 1024;

impl<'a> Reader<'a> {
    /// From the first object, which begins at `first`, to the block's end.
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
        // Arguments before the name wait for it, but not for ever.
        let waits_from = arguments.map_or(known_at, |value| value.start.min(known_at));
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
                self.markup_of_object(object.end);
                if object.may_go_on {
                    self.out.markup(skip_spaces(self.grammar.input, end));
                }
                self.end_of_object(object);
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

    /// The rest of an object; at the end of the stream half a closer, too.
    fn markup_of_object(&mut self, end: End) {
        match end {
            End::Stream(_) => self.out.markup(self.grammar.input.len()),
            End::Balanced(at) | End::Closer(at) => self.out.markup(at),
        }
    }

    fn end_of_object(&mut self, object: &Object) {
        let whole = !object.is_open && object.arguments.is_none_or(|of| of.whole);
        let broken = Status::Incomplete(Cause::Broken);
        if let End::Closer(at) = object.end {
            // Only the outer brace is missing.
            if whole && object.junk.is_none() {
                self.out.diagnose(Kind::RepairedJson, at);
            }
        }
        match object.end {
            End::Stream(_) => return self.out.end_cut(),
            End::Balanced(_) if !self.out.proves(object.proof) => return self.out.end_cut(),
            End::Balanced(_) | End::Closer(_) if object.junk.is_some() => self.out.end(broken),
            End::Closer(_) if !whole => self.out.end(broken),
            End::Balanced(_) | End::Closer(_) => self.out.end_whole(object.proof),
        }
        self.after_call = Some(self.out.position);
    }

    /// The object that begins at `brace` is all of the open call's arguments; one of `closers` ends it, too. `false`: the stream
    /// ended in it.
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

    /// What is neither a closer nor another body: markup after an object.
    fn unexpected_delimiters(&mut self) {
        let input = self.grammar.input;
        while let Some(c) = input[self.out.position..].chars().next() {
            let at = self.out.position;
            if is_space(c) || "}],;".contains(c) {
                if c == '}' {
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

    /// Whether half a delimiter stands where the stream ends.
    fn is_half(&self, at: usize, closer: &str) -> bool {
        let half = |text| self.grammar.literal(at, text) == Err(Miss::Cut);
        at < self.grammar.input.len() && ["```", closer].into_iter().any(half)
    }

    /// After a function's object: `</function>`.
    pub fn function_closer_after_object(&mut self) {
        self.unexpected_delimiters();
        let at = self.out.position;
        match self.grammar.literal(at, FUNCTION_CLOSER) {
            Ok(end) => self.markup_after_body(end),
            Err(_) if self.is_half(at, FUNCTION_CLOSER) => {
                self.out.diagnose(Kind::MissingCloser, at);
                self.out.half_marker();
            }
            // Half of the next function is reported as that.
            Err(_) if matches!(self.grammar.function_in_block(at), Err(Miss::Cut)) => {}
            Err(_) => self.out.diagnose(Kind::MissingCloser, at),
        }
    }

    /// After an object: gives the offset of the next one, if there is one in this block.
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
            Err(_) => self.block_closer_after_object(),
        }
        None
    }

    /// After the last object of a block: its closer. With anything else the block is over.
    pub fn block_closer_after_object(&mut self) {
        self.unexpected_delimiters();
        let at = self.out.position;
        if let Ok(end) = self.grammar.literal(at, CLOSER) {
            return self.markup_after_body(end);
        }
        self.out.diagnose(Kind::MissingCloser, at);
        if self.is_half(at, CLOSER) {
            self.out.half_marker();
        }
    }
}
