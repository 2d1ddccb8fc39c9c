//! The slow twin of the `<tool_call>` dialects: `hermes`, `qwen3-coder`, `glm` and `tool-call`.
//!
//! `grammar.rs` recognises pieces at an offset, and `json.rs` reads objects. This file walks through the message. `json_body.rs`,
//! `functions.rs` and `keyed.rs` walk through the three bodies, and `param.rs` through a parameter.

mod functions;
mod grammar;
pub mod json;
mod json_body;
mod keyed;
mod param;

use super::output::Output;
use super::pieces::{Call, Miss, Proof, is_blank, reasoning_tag, skip_spaces};
use grammar::{Block, Body, CLOSER, Form, Grammar, OPENER};
use toolstream::{
    Tool,
    diagnostic::DiagnosticKind as Kind,
    options::{CallsInReasoning, Start},
};

/// Reads the whole message.
pub fn read<'a>(dialect: &str, tools: &'a [Tool], out: Output<'a>) -> Output<'a> {
    let (json, functions, keyed) = match dialect {
        "hermes" => (true, false, false),
        "qwen3-coder" => (false, true, false),
        "glm" => (false, false, true),
        _ => (true, true, true),
    };
    let grammar = Grammar { json, functions, keyed, tools, input: out.input };
    let mut reader =
        Reader { grammar, out, after_call: None, after_bare: None, rejected: 0, thoughts: 0 };
    reader.message();
    reader.out
}

struct Reader<'a> {
    grammar: Grammar<'a>,
    out: Output<'a>,
    /// The end of the last call, with ignored markup after it: the rest of its block, boundary tokens, orphan closers.
    after_call: Option<usize>,
    /// The end of a bare function. A `</tool_call>` after it belongs to it.
    after_bare: Option<usize>,
    /// The number of rejected openers. Each makes one closer text.
    rejected: u8,
    /// The number of rejected openers of reasoning whose closers have not come.
    thoughts: u8,
}

impl<'a> Reader<'a> {
    // ---- text and reasoning ----

    fn message(&mut self) {
        let input = self.grammar.input;
        if self.out.options.start == Start::Reasoning {
            // An opening tag is redundant here.
            self.out.reasoning(skip_spaces(input, 0));
            if let Some(end) = reasoning_tag(input, "<", self.out.position) {
                self.out.markup(end);
            }
            self.reasoning();
        }
        while self.out.rest_is_open() {
            let at = self.out.position;
            let is_marker =
                input[at..].starts_with('<') && !self.out.is_quoted() && self.marker_in_text(at);
            if !is_marker {
                self.out.text(self.out.next_char_end());
            }
        }
    }

    /// Reads the piece that begins at this `<` in text. `false`: the `<` is text.
    fn marker_in_text(&mut self, at: usize) -> bool {
        let input = self.grammar.input;
        if self.out.reasoning_may_open(at) {
            if let Some(end) = reasoning_tag(input, "<", at) {
                self.out.reasoning_opens(end);
                self.reasoning();
                return true;
            }
        } else if reasoning_tag(input, "<", at).is_some() {
            self.thoughts = self.thoughts.saturating_add(1);
        }
        if let Some(end) = reasoning_tag(input, "</", at) {
            if self.thoughts > 0 {
                self.thoughts -= 1;
                self.out.text(end);
                return true;
            }
            self.orphan(at, end);
            return true;
        }
        if let Ok(end) = self.grammar.boundary(at) {
            self.nothing(at, end);
            return true;
        }
        if self.is_after_call(at) && self.grammar.result(at) {
            self.out.diagnose(Kind::FabricatedResult, at);
            self.out.markup(input.len());
            return true;
        }
        match self.opener(at) {
            Ok(()) => return true,
            Err(_) if self.cut_behind_opener(at) => return true,
            // An opener that is cut by the end of the stream does not count, so it is text.
            Err(Miss::Cut) if !self.cuts_behind_a_second(at) => {
                self.out.text(input.len());
                self.out.diagnose_cut_opener(at, None);
                return true;
            }
            Err(miss) => self.is_perhaps_cut(at, miss),
        }
        if let (Ok(closer), 0) = (self.grammar.closers_in_text(at), self.rejected) {
            self.orphan(at, closer + CLOSER.len());
            return true;
        }
        if let Ok(end) = self.grammar.literal(at, CLOSER) {
            self.closer_in_text(at, end);
            return true;
        }
        if input[at..].starts_with(OPENER) {
            self.rejected = self.rejected.saturating_add(1);
        }
        false
    }

    /// Whether the stream was cut behind a whole opener, which is markup then.
    fn cut_behind_opener(&mut self, at: usize) -> bool {
        let end = self.grammar.opener_at_end(at).ok().filter(|_| self.out.is_cut());
        if let Some(end) = end {
            self.out.diagnose(Kind::CutOpener, at);
            self.out.markup(end);
        }
        end.is_some()
    }

    /// Reports an opener that does not count, although nothing in it or behind it rejects it. Boundary tokens at the end of the
    /// stream do not reject it, nor does a second opener there.
    fn is_perhaps_cut(&mut self, at: usize, miss: Miss) {
        if miss == Miss::Cut || self.grammar.opener_at_end(at).is_ok() {
            self.out.diagnose_cut_opener(at, None);
        }
    }

    /// Whether the stream was cut behind the second of two openers. Only the second is markup then.
    fn cuts_behind_a_second(&self, at: usize) -> bool {
        let Ok(end) = self.grammar.literal(at, OPENER) else { return false };
        let second = skip_spaces(self.grammar.input, end);
        self.out.is_cut() && self.grammar.opener_at_end(second).is_ok()
    }

    /// Whether nothing stands between a call and `at`.
    fn is_after_call(&self, at: usize) -> bool {
        self.after_call.is_some_and(|end| is_blank(&self.grammar.input[end..at]))
    }

    /// Writes markup in text that is ignored between a call and an invented result.
    fn nothing(&mut self, at: usize, end: usize) {
        let follows = self.is_after_call(at);
        self.out.markup(end);
        if follows {
            self.after_call = Some(end);
        }
    }

    fn orphan(&mut self, at: usize, end: usize) {
        self.out.diagnose(Kind::OrphanCloser, at);
        self.nothing(at, end);
    }

    /// Reads a block's closer: that of a bare function, that of a rejected opener, or an orphan.
    fn closer_in_text(&mut self, at: usize, end: usize) {
        let input = self.grammar.input;
        if self.after_bare.is_some_and(|bare| is_blank(&input[bare..at])) {
            self.after_bare = None;
            self.nothing(at, end);
        } else if self.rejected > 0 {
            self.rejected -= 1;
            self.out.text(end);
        } else {
            self.orphan(at, end);
        }
    }

    /// Reads a block or a bare function in text to its end, if its opener counts here.
    fn opener(&mut self, at: usize) -> Result<(), Miss> {
        let block_miss = match self.grammar.block(at) {
            Ok(block) => {
                self.block(block);
                return Ok(());
            }
            Err(miss) => miss,
        };
        let function = self.grammar.bare_function(at).map_err(|miss| miss.max(block_miss))?;
        if !self.out.is_surplus(at) {
            self.function(function, at, Form::BareFunction);
            self.after_bare = Some(self.out.position);
        }
        Ok(())
    }

    /// Reads reasoning up to a closer, or to a block if calls count in reasoning.
    fn reasoning(&mut self) {
        let input = self.grammar.input;
        let extract = self.out.options.calls_in_reasoning != Some(CallsInReasoning::Ignore);
        while self.out.rest_is_open() {
            let at = self.out.position;
            if let Some(end) = reasoning_tag(input, "</", at) {
                self.out.markup(end);
                return;
            }
            match if extract { self.grammar.block(at) } else { Err(Miss::No) } {
                Ok(block) => {
                    self.block(block);
                    return;
                }
                Err(_) if extract && self.cut_behind_opener(at) => {}
                Err(Miss::Cut) if !self.cuts_behind_a_second(at) => {
                    self.out.reasoning(input.len());
                    self.out.diagnose_cut_opener(at, None);
                }
                Err(miss) => {
                    if extract {
                        self.is_perhaps_cut(at, miss);
                    }
                    self.out.reasoning(self.out.next_char_end());
                }
            }
        }
    }

    // ---- blocks ----

    /// Reads a block from its opener, which stands at the position, to its end. The first of two openers leaves even if the limit
    /// refuses the call.
    fn block(&mut self, block: Block<'a>) {
        self.out.markup(block.at);
        if self.out.is_surplus(block.at) {
            return;
        }
        match block.body {
            Body::Json(first) => self.json_body(first, block.at),
            Body::Functions(first) => self.functions_body(first, block.at),
            Body::Keyed(name) => self.keyed_body(name, block.at),
        }
    }

    /// Writes markup after a body. It belongs to the call if the call stands right before it.
    fn markup_after_body(&mut self, end: usize) {
        let follows = self.after_call == Some(self.out.position);
        self.out.markup(end);
        if follows {
            self.after_call = Some(end);
        }
    }

    /// Writes a closer after a body that closes nothing, up to `end`.
    fn stray_closer(&mut self, end: usize) {
        self.out.diagnose(Kind::OrphanCloser, self.out.position);
        self.markup_after_body(end);
    }

    // ---- calls ----

    fn is_unknown(&self, name: &str) -> bool {
        let tools = self.grammar.tools;
        !tools.is_empty() && !tools.iter().any(|tool| tool.name == name)
    }

    fn end_call(&mut self, call: &Call, proof: Proof) {
        self.out.end_call(call, proof);
        self.after_call = Some(self.out.position);
    }

    /// Ends a call because the stream ends inside it.
    fn cut_call(&mut self) {
        self.out.junk_in_call(self.grammar.input.len());
        self.out.end_cut();
    }
}
