//! `keyed`: `NAME <arg_key>KEY</arg_key> <arg_value>value</arg_value> …`, or a name and an object.

use super::super::grammar::skip_spaces;
use super::grammar::{CLOSER, Closer, Form, Tag};
use super::json::{self, End};
use super::{Miss, Reader};
use toolstream::{Cause, DiagnosticKind as Kind, Status};

/// What stands at an offset between two values.
enum Between<'a> {
    Key(Tag<'a>),
    /// `<arg_value>` behind a key.
    Value(usize),
    CallCloser(usize),
    /// The next block: this call's closer was forgotten.
    NextBlock,
    Miss(Miss),
}

impl<'a> Reader<'a> {
    /// From the name, which has been recognised, to the block's end.
    pub fn keyed_body(&mut self, name: Tag<'a>, opener: usize) {
        let mut call = self.start(name.name, opener);
        self.out.markup(name.end);
        let object = skip_spaces(self.grammar.input, name.end);
        if self.grammar.input[object..].starts_with('{') {
            return self.object_behind_name(object);
        }

        // The key that waits for its value.
        let mut key: Option<&'a str> = None;
        let mut from = name.end;
        while let Some(at) = self.next_angle(from) {
            from = at + 1;
            let found = self.between_values(at, key.is_some());
            if !matches!(found, Between::Miss(Miss::No | Miss::TooLong)) {
                self.junk_in_call(at);
            }
            let goes_without_value = match found {
                Between::Key(_) | Between::CallCloser(_) | Between::NextBlock => key.is_some(),
                Between::Value(_) | Between::Miss(_) => false,
            };
            if goes_without_value {
                self.break_call(&mut call, Kind::MalformedTag, at);
            }
            match found {
                Between::Key(tag) => {
                    if tag.malformed {
                        self.break_call(&mut call, Kind::MalformedTag, at);
                    }
                    self.out.markup(tag.end);
                    key = Some(tag.name);
                    from = tag.end;
                }
                Between::Value(end) => {
                    self.param_start(key.take().unwrap_or_default(), &mut call);
                    self.out.markup(end);
                    match self.value(Form::Keyed, &mut call) {
                        Some(Closer::Own) => from = self.out.position,
                        Some(_) => return self.end_call(&call),
                        None => break,
                    }
                }
                Between::CallCloser(end) => {
                    self.out.markup(end);
                    return self.end_call(&call);
                }
                Between::NextBlock => {
                    self.out.diagnose(Kind::MissingCloser, at);
                    return self.end_call(&call);
                }
                Between::Miss(Miss::Cut) => {
                    self.out.markup(self.grammar.input.len());
                    break;
                }
                Between::Miss(Miss::TooLong) => {
                    self.break_call(&mut call, Kind::LimitExceeded, at);
                }
                Between::Miss(Miss::No) => {}
            }
        }
        self.cut_call();
    }

    fn between_values(&self, at: usize, has_key: bool) -> Between<'a> {
        let grammar = self.grammar;
        let value = if has_key { grammar.value(at) } else { Err(Miss::No) };
        match (grammar.key(at), value, grammar.literal(at, CLOSER), grammar.block(at)) {
            (Ok(tag), ..) => Between::Key(tag),
            (_, Ok(end), ..) => Between::Value(end),
            (_, _, Ok(end), _) => Between::CallCloser(end),
            (_, _, _, Ok(_)) => Between::NextBlock,
            (Err(one), Err(two), Err(three), Err(four)) => {
                Between::Miss(one.max(two).max(three).max(four))
            }
        }
    }

    /// `NAME ws object`: the object is the arguments.
    fn object_behind_name(&mut self, at: usize) {
        let end = json::value_end(self.grammar.input, at);
        self.out.markup(at);
        self.out.arguments(end.at());
        match end {
            End::Balanced(_) => self.end(Status::Complete),
            End::Closer(_) => self.end(Status::Incomplete(Cause::Broken)),
            End::Stream(_) => {
                self.out.markup(self.grammar.input.len());
                return self.out.end_cut();
            }
        }
        self.behind_json(false);
    }
}
