//! A parameter: its beginning, and its value up to the closer that ends it.

use super::grammar::{Closer, Form};
use super::{Call, Miss, Reader};
use toolstream::{DiagnosticKind as Kind, ToolUse, ValueWhitespace};

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

    /// The value whose tag has just left, and its closer. Says which closer it was; `None`: the
    /// stream ended before one.
    pub fn value(&mut self, form: Form, call: &mut Call<'a>) -> Option<Closer> {
        let grammar = self.grammar;
        let input = grammar.input;
        let framed =
            form == Form::Functions && self.options.value_whitespace == ValueWhitespace::Default;
        let tag_end = self.out.position;
        let rest = &input[tag_end..];
        let breaks = ["\r\n", "\n"].into_iter().find(|text| framed && rest.starts_with(text));
        self.out.markup(tag_end + breaks.map_or(0, str::len));

        let mut holds_own_closer = false;
        let mut from = tag_end;
        while let Some(at) = self.next_angle(from) {
            from = at + 1;
            for closer in [Closer::Own, Closer::Next, Closer::Function, Closer::Block] {
                if closer != Closer::Own && holds_own_closer {
                    continue;
                }
                let end = match grammar.closer(form, closer, at, call, tag_end) {
                    Ok(end) => end,
                    Err(Miss::Cut) => {
                        self.value_end(at, input.len(), framed, false);
                        return None;
                    }
                    Err(_) => continue,
                };
                match grammar.can_go_on(form, closer, end) {
                    Ok(_) => {
                        if closer != Closer::Own {
                            self.out.diagnose(Kind::MissingCloser, at);
                        }
                        self.value_end(at, end, framed, true);
                        return Some(closer);
                    }
                    Err(miss) if closer == Closer::Own => {
                        holds_own_closer = true;
                        if miss == Miss::TooLong {
                            self.break_call(call, Kind::LimitExceeded, at);
                        }
                    }
                    // A closer that only recovers from a mistake breaks nothing.
                    Err(_) => {}
                }
            }
        }
        self.value_end(input.len(), input.len(), false, false);
        None
    }

    /// The value ends before the closer that stands at `closer..end` (half of one, if not
    /// `closed`). If the value is framed, the line break before the closer is not its own.
    fn value_end(&mut self, closer: usize, end: usize, framed: bool, closed: bool) {
        let value = &self.grammar.input[self.out.position..closer];
        let breaks = ["\r\n", "\n"].into_iter().find(|text| framed && value.ends_with(text));
        self.out.value(closer - breaks.map_or(0, str::len));
        self.out.markup(end);
        self.out.tool_use(ToolUse::ParamEnd { closed });
    }
}
