//! `keyed`: `NAME <arg_key>KEY</arg_key> <arg_value>value</arg_value> …`, or a name and an object.

use super::super::pieces::{Call, Miss, Proof, next_angle};
use super::Reader;
use super::grammar::{CLOSER, Closer, Form, KEY, Tag};
use toolstream::DiagnosticKind as Kind;

/// What stands at an offset between two values.
enum Between<'a> {
    Key(Tag<'a>),
    /// `<arg_value>` after a key.
    Value(usize),
    CallCloser(usize),
    /// The next block: this call's closer was forgotten.
    NextBlock,
    Miss(Miss),
}

impl<'a> Reader<'a> {
    /// From the name, which has been recognised, to the block's end.
    pub fn keyed_body(&mut self, name: Tag<'a>, opener: usize) {
        let mut call = self.out.start_call(name.name, self.grammar.tools, opener);
        self.out.markup(name.end);
        match self.grammar.arguments(name.end) {
            Ok(object) => {
                if self.arguments_object(object, &[CLOSER]) {
                    self.block_closer_after_object();
                }
                return;
            }
            Err(Miss::Cut) => self.out.markup(self.grammar.input.len()),
            Err(_) => {}
        }
        match self.keys_and_values(&mut call) {
            Some(proof) => self.end_call(&call, proof),
            None => self.cut_call(),
        }
    }

    /// Up to the call's end; `None`: the stream ended before it.
    fn keys_and_values(&mut self, call: &mut Call<'a>) -> Option<Proof> {
        let grammar = self.grammar;
        // The key that waits for its value. A broken one has no name, and has been reported.
        let mut key: Option<&'a str> = None;
        let mut from = self.out.position;
        while let Some(at) = next_angle(grammar.input, from) {
            from = at + 1;
            let found = self.between_values(at, key.is_some());
            if !matches!(found, Between::Miss(Miss::No | Miss::TooLong)) {
                self.out.junk_in_call(at);
            }
            let goes_without_value = match found {
                Between::Key(_) | Between::CallCloser(_) | Between::NextBlock => key.is_some(),
                Between::Value(_) | Between::Miss(_) => false,
            };
            if goes_without_value && key != Some("") {
                self.out.break_call(call, Kind::MalformedTag, at);
            }
            match found {
                Between::Key(tag) => {
                    if tag.malformed {
                        self.out.break_call(call, Kind::MalformedTag, at);
                    }
                    self.out.markup(tag.end);
                    key = Some(tag.name);
                    from = tag.end;
                }
                Between::Value(end) => {
                    self.param_start(key.take().unwrap_or_default(), call);
                    self.out.markup(end);
                    match self.value(Form::Keyed, call)? {
                        (Closer::Own, _) => from = self.out.position,
                        (_, proof) => return Some(proof),
                    }
                }
                Between::CallCloser(end) => {
                    self.out.markup(end);
                    return Some(Proof::Text);
                }
                Between::NextBlock => {
                    self.out.recover(call, Kind::MissingCloser, at);
                    return Some(Proof::Text);
                }
                Between::Miss(Miss::Cut) => {
                    self.out.markup(grammar.input.len());
                    return None;
                }
                Between::Miss(Miss::TooLong) => {
                    self.out.break_call(call, Kind::LimitExceeded, at);
                    if let Ok(end) = grammar.literal(at, KEY) {
                        self.out.junk_in_call(at);
                        self.out.break_call(call, Kind::MalformedTag, at);
                        self.out.markup(end);
                        key = Some("");
                    }
                }
                Between::Miss(Miss::No) => {}
            }
        }
        None
    }

    fn between_values(&self, at: usize, has_key: bool) -> Between<'a> {
        let grammar = self.grammar;
        let value = if has_key { grammar.value(at) } else { Err(Miss::No) };
        match (grammar.key(at), value, grammar.literal(at, CLOSER), grammar.next_block(at)) {
            (Ok(tag), ..) => Between::Key(tag),
            (_, Ok(end), ..) => Between::Value(end),
            (_, _, Ok(end), _) => Between::CallCloser(end),
            (_, _, _, Ok(_)) => Between::NextBlock,
            (Err(one), Err(two), Err(three), Err(four)) => {
                Between::Miss(one.max(two).max(three).max(four))
            }
        }
    }
}
