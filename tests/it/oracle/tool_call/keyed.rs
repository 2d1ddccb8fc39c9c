//! `keyed`: `NAME <arg_key>KEY</arg_key> <arg_value>value</arg_value> …`, or a name and an object.

use super::super::pieces::{Call, Miss, Proof, next_angle, plain_tag, skip_spaces};
use super::Reader;
use super::grammar::{CLOSER, CallCloser, Closer, Form, KEY, Tag};
use toolstream::diagnostic::DiagnosticKind as Kind;

/// A piece at an offset between two values.
enum Between<'a> {
    Key(Tag<'a>),
    /// `<arg_value>` after a key.
    Value(usize),
    CallCloser(CallCloser),
    /// The next block. This call's closer was forgotten.
    NextBlock,
    Miss(Miss),
}

impl<'a> Reader<'a> {
    /// Reads from the name, which has been recognised, to the block's end.
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
        let behind = skip_spaces(self.grammar.input, name.end);
        if let Ok(end) = self.grammar.value_closer(behind) {
            self.out.recover(&mut call, Kind::MalformedTag, name.end);
            self.out.markup(end);
        }
        match self.keys_and_values(&mut call) {
            Some(proof) => self.end_call(&call, proof),
            None => self.cut_call(),
        }
    }

    /// Reads up to the call's end. `None`: the stream ended before it.
    fn keys_and_values(&mut self, call: &mut Call<'a>) -> Option<Proof> {
        let grammar = self.grammar;
        // The key that waits for its value. A broken key has no name, and has been reported.
        let mut key = self.bare_key(call)?;
        let mut from = self.out.position;
        loop {
            // The opener of the value after the key is looked for once.
            if let Some(name) = key.filter(|_| from == self.out.position) {
                if let Some(start) = grammar.bare_value(from, !name.is_empty()) {
                    self.out.junk_in_call(start);
                    self.out.recover(call, Kind::MalformedTag, start);
                    self.param_start(name, call);
                    let closed = self.bare_value(call)?;
                    key = if closed { self.bare_key(call)? } else { None };
                    from = self.out.position;
                    continue;
                }
            }
            let at = next_angle(grammar.input, from)?;
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
                    if tag.name.is_empty() {
                        self.out.break_call(call, Kind::MalformedTag, at);
                    } else if tag.malformed {
                        self.out.recover(call, Kind::MalformedTag, at);
                    }
                    self.out.markup(tag.end);
                    key = Some(tag.name);
                    from = tag.end;
                }
                Between::Value(end) => {
                    let second = grammar.value(end);
                    if second.is_ok() {
                        self.out.recover(call, Kind::MalformedTag, end);
                    }
                    self.param_start(key.take().unwrap_or_default(), call);
                    self.out.markup(second.unwrap_or(end));
                    match self.value(Form::Keyed, call)? {
                        (Closer::Own | Closer::Named, _) => {
                            key = self.bare_key(call)?;
                            from = self.out.position;
                        }
                        (_, proof) => return Some(proof),
                    }
                }
                Between::CallCloser(closer) => {
                    if closer.is_short {
                        self.out.recover(call, Kind::MalformedTag, at);
                    }
                    self.out.markup(closer.end);
                    return Some(closer.proof);
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
                        (key, from) = (Some(""), end);
                    }
                }
                // The tag is unknown. A key may stand behind it.
                Between::Miss(Miss::No) if key.is_none() => {
                    if let Some(end) = plain_tag(grammar.input, at) {
                        if !matches!(grammar.bare_key(end, call), Err(Miss::No | Miss::TooLong)) {
                            self.out.junk_in_call(end);
                            key = self.bare_key(call)?;
                            from = self.out.position;
                        }
                    }
                }
                Between::Miss(Miss::No) => {}
            }
        }
    }

    /// Reads a key without its opener, if one stands here. `None`: the stream ends in a possible one.
    fn bare_key(&mut self, call: &mut Call<'a>) -> Option<Option<&'a str>> {
        let at = self.out.position;
        match self.grammar.bare_key(at, call) {
            Ok(tag) => {
                self.out.recover(call, Kind::MalformedTag, at);
                self.out.markup(tag.end);
                Some(Some(tag.name))
            }
            Err(Miss::Cut) => {
                self.out.markup(self.grammar.input.len());
                None
            }
            Err(_) => Some(None),
        }
    }

    fn between_values(&self, at: usize, has_key: bool) -> Between<'a> {
        let grammar = self.grammar;
        let value = if has_key { grammar.value(at) } else { Err(Miss::No) };
        match (grammar.key(at), value, grammar.call_closer(at), grammar.next_block(at)) {
            (Ok(tag), ..) => Between::Key(tag),
            (_, Ok(end), ..) => Between::Value(end),
            (_, _, Ok(closer), _) => Between::CallCloser(closer),
            (_, _, _, Ok(_)) => Between::NextBlock,
            (Err(one), Err(two), Err(three), Err(four)) => {
                Between::Miss(one.max(two).max(three).max(four))
            }
        }
    }
}
