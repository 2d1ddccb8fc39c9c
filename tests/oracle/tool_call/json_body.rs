//! `json`: objects, each a call.
//!
//! Behind an object white space, stray `}` `]` `,` `;` and "```" are markup; then comes
//! `</tool_call>`, another object, or the end. With anything else the block is over.

use super::super::grammar::Miss;
use super::grammar::CLOSER;
use super::json::{self, End, Name, Object};
use super::{Reader, is_space};
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
                _ => self.behind_json(true),
            };
        }
    }

    fn object(&mut self, object: &Object, start: usize) {
        for at in &object.duplicates {
            self.out.diagnose(Kind::DuplicateParameter, *at);
        }
        let end = object.end.at();
        let (name, known_at) = match &object.name {
            Name::Whole(name, at) => (Some(name), *at),
            Name::Bad | Name::Missing => (None, end),
        };
        let arguments = object.arguments.map(|arguments| arguments.value);
        // Arguments before the name wait for it, but not for ever.
        let waits_from = arguments.map_or(known_at, |value| value.start.min(known_at));
        let too_long = known_at - waits_from > HELD_ARGUMENTS;
        let name = name.filter(|_| !too_long);

        let Some(name) = name else {
            let malformed = too_long || object.name == Name::Bad;
            if matches!(object.end, End::Stream(_)) && !malformed {
                self.out.diagnose(Kind::CutOpener, self.out.position);
            } else {
                self.out.diagnose(Kind::MalformedCall, self.out.position);
            }
            self.markup_of_object(object.end);
            return;
        };
        self.out.markup(waits_from);
        self.diagnose_unknown(name);
        self.out.start(name, start);
        if let Some(value) = arguments {
            self.out.markup(value.start);
            self.out.arguments(value.end);
        }
        self.markup_of_object(object.end);
        let whole = match object.arguments {
            Some(arguments) => arguments.whole,
            None => !object.announces_arguments,
        };
        match object.end {
            End::Balanced(_) => self.end(Status::Complete),
            End::Closer(at) if whole => {
                self.out.diagnose(Kind::RepairedJson, at);
                self.end(Status::Complete);
            }
            End::Closer(_) => self.end(Status::Incomplete(Cause::Broken)),
            End::Stream(_) => self.out.end_cut(),
        }
    }

    /// The rest of an object; at the end of the stream half a closer, too.
    fn markup_of_object(&mut self, end: End) {
        match end {
            End::Stream(_) => self.out.markup(self.grammar.input.len()),
            End::Balanced(at) | End::Closer(at) => self.out.markup(at),
        }
    }

    /// Behind an object: gives the offset of the next one, if there is one and there may be `more`
    /// in this block.
    pub fn behind_json(&mut self, more: bool) -> Option<usize> {
        let input = self.grammar.input;
        loop {
            let at = self.out.position;
            let Some(c) = input[at..].chars().next() else {
                self.out.diagnose(Kind::MissingCloser, at);
                return None;
            };
            if is_space(c) || "}],;".contains(c) {
                if c == '}' {
                    self.out.diagnose(Kind::RepairedJson, at);
                }
                self.markup_behind_body(at + 1);
                continue;
            }
            if let Ok(end) = self.grammar.literal(at, "```") {
                self.markup_behind_body(end);
                continue;
            }
            if let Ok(end) = self.grammar.literal(at, CLOSER) {
                self.markup_behind_body(end);
                return None;
            }
            let object = if more { self.grammar.object(at) } else { Err(Miss::No) };
            let half = [self.grammar.literal(at, "```"), self.grammar.literal(at, CLOSER)];
            if object.is_ok() {
                return if self.out.is_surplus(at) { None } else { Some(at) };
            } else if object == Err(Miss::Cut) {
                self.out.diagnose_cut_opener(at, Some(Kind::MissingCloser));
                self.out.markup(input.len());
            } else {
                self.out.diagnose(Kind::MissingCloser, at);
                if half.contains(&Err(Miss::Cut)) {
                    self.out.markup(input.len());
                }
            }
            return None;
        }
    }
}
