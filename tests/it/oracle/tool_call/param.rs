//! A parameter: its beginning, and its value up to the closer that ends it.

use super::super::pieces::{Call, Miss, Proof, line_break_at_start, next_angle};
use super::Reader;
use super::grammar::{Closer, Form};
use toolstream::{ToolUse, diagnostic::DiagnosticKind as Kind, options::ValueWhitespace};

impl<'a> Reader<'a> {
    pub fn param_start(&mut self, key: &'a str, call: &mut Call<'a>) {
        let at = self.out.position;
        if call.tool.is_some() && !call.declares(key) {
            self.out.diagnose(Kind::UnknownParameter, at);
        }
        if call.given.contains(&key) {
            self.out.diagnose(Kind::DuplicateParameter, at);
        }
        call.given.push(key);
        self.out.tool_use(ToolUse::ParamStart { name: key.to_string(), hint: None });
    }

    /// Reads a value of a keyed call that lacks its opener, from its beginning. Says whether its own closer ended it, or a tag
    /// that shows that it was not a value. `None`: the stream ended before one.
    pub fn bare_value(&mut self, call: &mut Call<'a>) -> Option<bool> {
        let grammar = self.grammar;
        let input = grammar.input;
        let mut from = self.out.position;
        while let Some(at) = next_angle(input, from) {
            from = at + 1;
            let own = grammar.closer(Form::Keyed, Closer::Own, at, call);
            match own.map(|end| (end, grammar.can_go_on(Form::Keyed, Closer::Own, end, call))) {
                Ok((end, Ok(_))) => {
                    self.out.value_end(at, end, false, true);
                    return Some(true);
                }
                Ok((_, Err(miss))) => {
                    if miss == Miss::TooLong {
                        self.out.break_call(call, Kind::LimitExceeded, at);
                    }
                    self.out.suspect(call, at);
                }
                Err(_) => {}
            }
            match grammar.no_value(at) {
                Ok(_) => {
                    self.out.break_call(call, Kind::MalformedTag, at);
                    self.out.value_end(at, at, false, false);
                    return Some(false);
                }
                other if own == Err(Miss::Cut) || other == Err(Miss::Cut) => {
                    self.out.value_end(at, input.len(), false, false);
                    return None;
                }
                _ => {}
            }
        }
        self.out.value_end(input.len(), input.len(), false, false);
        None
    }

    /// Whether line breaks at the ends of a value may be markup.
    fn is_framed(&self) -> bool {
        self.out.options.value_whitespace == ValueWhitespace::Default
    }

    /// Reads the value behind the tag that has just left, and its closer. Returns the closer with its proof. `None`: the stream
    /// ended before a closer.
    pub fn value(&mut self, form: Form, call: &mut Call<'a>) -> Option<(Closer, Proof)> {
        let grammar = self.grammar;
        let input = grammar.input;
        let framed = form != Form::Keyed && self.is_framed();
        let tag_end = self.out.position;
        let framing = if framed { line_break_at_start(&input[tag_end..]) } else { 0 };
        self.out.markup(tag_end + framing);

        let mut holds_own_closer = false;
        let mut from = tag_end;
        while let Some(at) = next_angle(input, from) {
            from = at + 1;
            for closer in Closer::ALL {
                if holds_own_closer && !closer.is_of_value() {
                    continue;
                }
                let end = match grammar.closer(form, closer, at, call) {
                    Ok(end) => end,
                    Err(Miss::Cut) => {
                        let framed = self.is_framed();
                        self.out.value_end(at, input.len(), framed, false);
                        return None;
                    }
                    Err(_) => continue,
                };
                match grammar.can_go_on(form, closer, end, call) {
                    Ok(proof) => {
                        match closer {
                            Closer::Own => {}
                            Closer::Named => self.out.recover(call, Kind::MismatchedCloser, at),
                            _ => self.out.recover(call, Kind::MissingCloser, at),
                        }
                        // A line break before a closer of another kind is never part of the value.
                        let framed = framed || closer != Closer::Own && self.is_framed();
                        let closed = closer.is_of_value() || self.out.proves(proof);
                        self.out.value_end(at, end, framed, closed);
                        return Some((closer, proof));
                    }
                    Err(miss) if closer == Closer::Own => {
                        holds_own_closer = true;
                        if miss == Miss::TooLong {
                            self.out.break_call(call, Kind::LimitExceeded, at);
                        }
                    }
                    // A closer that only recovers from a mistake breaks no call.
                    Err(_) => {}
                }
            }
            let ends_call = if form == Form::Keyed { Closer::Block } else { Closer::Function };
            let is_closer = |closer| grammar.closer(form, closer, at, call).is_ok();
            let is_suspect = [Closer::Own, ends_call].into_iter().any(is_closer);
            let quotes_call = grammar.quotes_call(at);
            call.recovered |= quotes_call;
            if is_suspect || quotes_call || grammar.is_suspect(form, at, call) {
                self.out.suspect(call, at);
            }
        }
        self.out.value_end(input.len(), input.len(), false, false);
        None
    }
}
