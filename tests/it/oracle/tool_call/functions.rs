//! `functions`: `<function=NAME> <parameter=KEY>value</parameter> … </function>`, one or more.

use super::super::pieces::{Call, Miss, Proof, any, next_angle, skip_spaces};
use super::Reader;
use super::grammar::{CLOSER, Closer, FUNCTION_CLOSER, Form, Function, Tag};
use toolstream::diagnostic::DiagnosticKind as Kind;

/// A piece at an offset between two parameters.
enum Between<'a> {
    Param(Tag<'a>),
    FunctionCloser(usize),
    /// The next function, or `</tool_call>`. This function's closer was forgotten.
    Forgotten,
    /// The next block. This block's closer was forgotten, too.
    NextBlock,
    Miss(Miss),
}

/// The state after a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Its block is open, if it has one.
    Block,
    /// Nothing is open: its block has ended, too.
    Text,
}

impl<'a> Reader<'a> {
    /// Reads from the first function to the block's end.
    pub fn functions_body(&mut self, first: Function<'a>, opener: usize) {
        let mut start = opener;
        let mut next = Some(first);
        while let Some(function) = next {
            next = match self.function(function, start, Form::Functions) {
                Some(After::Block) => self.after_function(),
                Some(After::Text) | None => None,
            };
            start = self.out.position;
        }
    }

    /// Reads on after a function of a block: white space, then the next function, `</tool_call>`, or the end. Anything else
    /// ends the block.
    fn after_function(&mut self) -> Option<Function<'a>> {
        let grammar = self.grammar;
        self.markup_after_body(skip_spaces(grammar.input, self.out.position));
        while let Ok(end) = grammar.stray_closer(self.out.position) {
            self.stray_closer(end);
            self.markup_after_body(skip_spaces(grammar.input, end));
        }
        let at = self.out.position;
        if let Ok(end) = grammar.literal(at, CLOSER) {
            self.markup_after_body(end);
            return None;
        }
        match grammar.function_in_block(at) {
            Ok(function) if !self.out.is_surplus(at) => return Some(function),
            Ok(_) => {}
            Err(Miss::Cut) => {
                self.out.diagnose_cut_opener(at, Some(Kind::MissingCloser));
                self.out.half_marker();
            }
            Err(_) => {
                self.out.diagnose(Kind::MissingCloser, at);
                let closers = [grammar.literal(at, CLOSER), grammar.stray_closer(at)];
                if any(closers) == Err(Miss::Cut) {
                    self.out.half_marker();
                }
            }
        }
        None
    }

    /// Reads a function from its tag to its end. Returns the state after it. `None`: the stream ended inside.
    pub fn function(&mut self, function: Function<'a>, start: usize, form: Form) -> Option<After> {
        let tag = function.tag;
        self.out.markup(function.at);
        let mut call = self.out.start_call(tag.name, self.grammar.tools, start);
        call.by_name = function.by_name;
        if form == Form::BareFunction {
            self.out.recover(&mut call, Kind::MissingOpener, function.at);
        }
        if tag.malformed {
            self.out.recover(&mut call, Kind::MalformedTag, function.at);
        }
        self.out.markup(tag.end);
        if let Some(proof) = function.is_whole {
            self.end_call(&call, proof);
            return Some(After::Block);
        }
        if let (Form::Functions, Ok(brace)) = (form, self.grammar.arguments(tag.end)) {
            if !self.arguments_object(brace, &[CLOSER, FUNCTION_CLOSER]) {
                return None;
            }
            self.function_closer_after_object();
            return Some(After::Block);
        }
        match self.params(&mut call, form) {
            Some((after, proof)) => {
                self.end_call(&call, proof);
                Some(after)
            }
            None => {
                self.cut_call();
                None
            }
        }
    }

    /// Reads the parameters, and the junk between them, up to the function's end. `None`: the stream ended before it.
    fn params(&mut self, call: &mut Call<'a>, form: Form) -> Option<(After, Proof)> {
        let grammar = self.grammar;
        if form == Form::Functions {
            match grammar.arguments(self.out.position) {
                Err(Miss::Cut) => self.out.markup(grammar.input.len()),
                Err(Miss::TooLong) => {
                    self.out.break_call(call, Kind::LimitExceeded, self.out.position)
                }
                _ => {}
            }
        }
        let mut from = self.out.position;
        while let Some(at) = next_angle(grammar.input, from) {
            from = at + 1;
            let found = self.between_params(at, form, call);
            if !matches!(found, Between::Miss(Miss::No | Miss::TooLong)) {
                self.out.junk_in_call(at);
            }
            match found {
                Between::Param(tag) => {
                    if tag.malformed {
                        self.out.recover(call, Kind::MalformedTag, at);
                    }
                    self.param_start(tag.name, call);
                    self.out.markup(tag.end);
                    match self.value(form, call)? {
                        (Closer::Own | Closer::Named | Closer::Next, _) => from = self.out.position,
                        (Closer::Block, proof) => return Some((After::Text, proof)),
                        (Closer::Function, proof) => return Some((After::Block, proof)),
                    }
                }
                Between::FunctionCloser(end) => {
                    self.out.markup(end);
                    return Some((After::Block, Proof::Text));
                }
                Between::Forgotten => {
                    // The opener of a function that reads like a parameter's may be that of a parameter, too.
                    if matches!(grammar.param(at), Err(Miss::TooLong)) {
                        self.out.break_call(call, Kind::LimitExceeded, at);
                    }
                    self.out.recover(call, Kind::MissingCloser, at);
                    return Some((After::Block, Proof::Text));
                }
                Between::NextBlock => {
                    self.out.recover(call, Kind::MissingCloser, at);
                    return Some((After::Text, Proof::Text));
                }
                Between::Miss(Miss::Cut) => {
                    self.out.markup(grammar.input.len());
                    return None;
                }
                Between::Miss(Miss::TooLong) => {
                    self.out.break_call(call, Kind::LimitExceeded, at);
                }
                Between::Miss(Miss::No) => {}
            }
        }
        None
    }

    fn between_params(&self, at: usize, form: Form, call: &Call<'a>) -> Between<'a> {
        let grammar = self.grammar;
        let next = any([grammar.next_function(form, at), grammar.literal(at, CLOSER)]);
        let closer = grammar.function_closer(at, call);
        match (grammar.param(at), closer, next, grammar.next_block(at)) {
            (Ok(tag), ..) => Between::Param(tag),
            (_, Ok(end), ..) => Between::FunctionCloser(end),
            (_, _, Ok(_), _) => Between::Forgotten,
            (_, _, _, Ok(_)) => Between::NextBlock,
            (Err(one), Err(two), Err(three), Err(four)) => {
                Between::Miss(one.max(two).max(three).max(four))
            }
        }
    }
}
