//! `functions`: `<function=NAME> <parameter=KEY>value</parameter> … </function>`, one or more.

use super::super::grammar::{Call, any, skip_spaces};
use super::grammar::{Block, CLOSER, Closer, Form, Tag};
use super::{Behind, Miss, Reader};
use toolstream::DiagnosticKind as Kind;

/// What stands at an offset between two parameters.
enum Between<'a> {
    Param(Tag<'a>),
    FunctionCloser(usize),
    /// The next function, or `</tool_call>`: this function's closer was forgotten.
    Forgotten,
    /// The next block: this one's closer was forgotten, too.
    NextBlock,
    Miss(Miss),
}

impl<'a> Reader<'a> {
    /// From the first function, whose tag `first` is, to the block's end.
    pub fn functions_body(&mut self, first: Tag<'a>, opener: usize) {
        let mut start = opener;
        let mut next = Some(first);
        while let Some(tag) = next {
            next = match self.function(tag, start, false) {
                Behind::Block => self.behind_function(),
                Behind::Text | Behind::Stream => None,
            };
            start = self.out.position;
        }
    }

    /// Behind a function of a block: white space, then the next one, `</tool_call>`, or the end.
    /// With anything else the block is over.
    fn behind_function(&mut self) -> Option<Tag<'a>> {
        let grammar = self.grammar;
        self.markup_behind_body(skip_spaces(grammar.input, self.out.position));
        let at = self.out.position;
        if let Ok(end) = grammar.literal(at, CLOSER) {
            self.markup_behind_body(end);
            return None;
        }
        match grammar.function_in_block(at) {
            Ok(tag) if !self.out.is_surplus(at) => return Some(tag),
            Ok(_) => {}
            Err(Miss::Cut) => {
                self.out.diagnose_cut_opener(at, Some(Kind::MissingCloser));
                self.out.markup(grammar.input.len());
            }
            Err(_) => {
                self.out.diagnose(Kind::MissingCloser, at);
                if grammar.literal(at, CLOSER) == Err(Miss::Cut) {
                    self.out.markup(grammar.input.len());
                }
            }
        }
        None
    }

    /// A function from its tag to its end. A `bare` one has no block around it.
    pub fn function(&mut self, tag: Tag<'a>, start: usize, bare: bool) -> Behind {
        if tag.malformed {
            self.out.diagnose(Kind::MalformedTag, tag.at);
        }
        self.out.markup(tag.at);
        let mut call = self.start(tag.name, start);
        self.out.markup(tag.end);
        let mut from = self.out.position;
        while let Some(at) = self.next_angle(from) {
            from = at + 1;
            let found = self.between_params(at, bare);
            if !matches!(found, Between::Miss(Miss::No | Miss::TooLong)) {
                self.junk_in_call(at);
            }
            match found {
                Between::Param(tag) => {
                    if tag.malformed {
                        self.out.diagnose(Kind::MalformedTag, at);
                    }
                    self.param_start(tag.name, &mut call);
                    self.out.markup(tag.end);
                    match self.value(Form::Functions, &mut call) {
                        Some(Closer::Own | Closer::Next) => from = self.out.position,
                        Some(closer) => return self.end_behind(closer, &call),
                        None => return self.cut_call(),
                    }
                }
                Between::FunctionCloser(end) => {
                    self.out.markup(end);
                    self.end_call(&call);
                    return Behind::Block;
                }
                Between::Forgotten | Between::NextBlock => {
                    self.out.diagnose(Kind::MissingCloser, at);
                    self.end_call(&call);
                    return match found {
                        Between::NextBlock => Behind::Text,
                        _ => Behind::Block,
                    };
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
        self.cut_call()
    }

    /// The call ends with its last value, for which this closer stands.
    fn end_behind(&mut self, closer: Closer, call: &Call) -> Behind {
        self.end_call(call);
        if closer == Closer::Block { Behind::Text } else { Behind::Block }
    }

    fn between_params(&self, at: usize, bare: bool) -> Between<'a> {
        let grammar = self.grammar;
        let function = match bare {
            true => grammar.bare_function(at),
            false => grammar.function_in_block(at),
        };
        let next = any([function.map(|tag| tag.end), grammar.literal(at, CLOSER)]);
        let block = grammar.block(at).map(|Block { at, .. }| at);
        match (grammar.param(at), grammar.function_closer(at), next, block) {
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
