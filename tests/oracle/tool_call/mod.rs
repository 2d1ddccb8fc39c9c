//! The slow twin of the `<tool_call>` dialects: `hermes`, `qwen3-coder`, `glm` and `tool-call`.
//!
//! `grammar.rs` knows what stands at an offset, `json.rs` reads objects, `output.rs` gives out
//! events. This file walks through the message, `json_body.rs`, `functions.rs` and `keyed.rs`
//! through the three bodies, and `param.rs` through a parameter.

mod functions;
mod grammar;
pub mod json;
mod json_body;
mod keyed;
pub mod output;
mod param;

use super::grammar::{Call, Miss, is_plain_tag, is_space};
use grammar::{Block, Body, CLOSER, Grammar, OPENER, RESULT};
use output::Output;
use toolstream::{
    CallsInReasoning, Cause, DiagnosticKind as Kind, Event, Fences, Options, Start, Status, Tool,
};

/// The events of a whole message, neighbouring slices of the same kind joined.
///
/// Panics only on the name of a dialect that it does not speak.
pub fn oracle(dialect: &str, tools: &[Tool], options: &Options, input: &str) -> Vec<Event<String>> {
    let (json, functions, keyed) = match dialect {
        "hermes" => (true, false, false),
        "qwen3-coder" => (false, true, false),
        "glm" => (false, false, true),
        "tool-call" => (true, true, true),
        other => panic!("the oracle does not speak {other}"),
    };
    let mut reader = Reader {
        grammar: Grammar { json, functions, keyed, tools, input },
        options,
        out: Output::new(input, options),
        behind_call: None,
        owns_closer: false,
        rejected: 0,
    };
    reader.message();
    super::joined(reader.out.events)
}

struct Reader<'a> {
    grammar: Grammar<'a>,
    options: &'a Options,
    out: Output<'a>,
    /// Where the last call ended, with what its block still has behind it.
    behind_call: Option<usize>,
    /// A bare function came; the next `</tool_call>` in text belongs to it.
    owns_closer: bool,
    /// Openers that turned out to be prose; each pays for one closer.
    rejected: u8,
}

/// What is open behind a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    /// Its block, if it has one.
    Block,
    /// Nothing: its block has ended, too.
    Text,
    /// Nothing, and there is nothing more: the stream ended inside the call.
    Stream,
}

impl<'a> Reader<'a> {
    // ---- text and reasoning ----

    fn message(&mut self) {
        let input = self.grammar.input;
        if self.options.start == Start::Reasoning {
            // A tag that comes first all the same says nothing new.
            let first = input.len() - input.trim_start_matches(is_space).len();
            self.out.reasoning(first);
            if let Some(end) = self.reasoning_tag("<", first) {
                self.out.markup(end);
            }
            self.reasoning();
        }
        while self.out.rest_is_open() {
            let at = self.out.position;
            if !input[at..].starts_with('<') || self.is_quoted() || !self.marker_in_text(at) {
                self.out.text(self.out.next_char_end());
            }
        }
    }

    fn is_quoted(&mut self) -> bool {
        self.options.fences == Fences::Quote && self.out.fences.quoted()
    }

    /// Deals with what begins at this `<` in text; `false`: a byte of text.
    fn marker_in_text(&mut self, at: usize) -> bool {
        let input = self.grammar.input;
        if self.reasoning_may_open(at) {
            if let Some(end) = self.reasoning_tag("<", at) {
                self.out.markup(end);
                self.reasoning();
                return true;
            }
        }
        if let Some(end) = self.reasoning_tag("</", at) {
            self.out.diagnose(Kind::OrphanCloser, at);
            self.out.markup(end);
            return true;
        }
        if let Ok(end) = self.grammar.boundary(at) {
            self.out.markup(end);
            return true;
        }
        if input[at..].starts_with(RESULT) && self.is_behind_call(at) {
            self.out.diagnose(Kind::FabricatedResult, at);
            self.out.markup(input.len());
            return true;
        }
        match self.opener(at) {
            Ok(()) => return true,
            // The stream ends in an opener that does not count: text.
            Err(Miss::Cut) => {
                self.out.text(input.len());
                self.out.diagnose_cut_opener(at, None);
                return true;
            }
            Err(_) => {}
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

    /// At the start of a line (the stream's start is one), or right behind markup.
    fn reasoning_may_open(&self, at: usize) -> bool {
        let line = self.grammar.input[..at].trim_end_matches([' ', '\t']);
        at == self.out.behind_markup || line.is_empty() || line.ends_with('\n')
    }

    /// `<think>` or `<thinking>`; with `</`, either closer.
    fn reasoning_tag(&self, head: &str, at: usize) -> Option<usize> {
        let tags = ["think>", "thinking>"];
        tags.iter().find_map(|tag| self.grammar.literal(at, &format!("{head}{tag}")).ok())
    }

    /// Whether nothing but white space and boundary tokens stands between a call and `at`.
    fn is_behind_call(&self, at: usize) -> bool {
        let end = self.behind_call;
        end.is_some_and(|end| self.grammar.is_empty_but_for_boundaries(end, at))
    }

    fn closer_in_text(&mut self, at: usize, end: usize) {
        if self.owns_closer {
            self.owns_closer = false;
            let follows = self.is_behind_call(at);
            self.out.markup(end);
            if follows {
                self.behind_call = Some(end);
            }
        } else if self.rejected > 0 {
            self.rejected -= 1;
            self.out.text(end);
        } else {
            self.out.diagnose(Kind::OrphanCloser, at);
            self.out.markup(end);
        }
    }

    /// In text: a block or a bare function, if the opener of one counts here, to its end.
    fn opener(&mut self, at: usize) -> Result<(), Miss> {
        let block_miss = match self.grammar.block(at) {
            Ok(block) => {
                self.block(block);
                return Ok(());
            }
            Err(miss) => miss,
        };
        match self.grammar.bare_function(at) {
            Ok(tag) => {
                if !self.out.is_surplus(at) {
                    self.out.diagnose(Kind::MissingOpener, at);
                    self.owns_closer = true;
                    self.function(tag, at, true);
                }
                Ok(())
            }
            Err(miss) => Err(miss.max(block_miss)),
        }
    }

    /// Up to a closer, or to a block where calls count in reasoning.
    fn reasoning(&mut self) {
        let extract = self.options.calls_in_reasoning != Some(CallsInReasoning::Ignore);
        while self.out.rest_is_open() {
            let at = self.out.position;
            if let Some(end) = self.reasoning_tag("</", at) {
                self.out.markup(end);
                return;
            }
            match if extract { self.grammar.block(at) } else { Err(Miss::No) } {
                Ok(block) => {
                    self.block(block);
                    return;
                }
                Err(Miss::Cut) => {
                    self.out.reasoning(self.grammar.input.len());
                    self.out.diagnose_cut_opener(at, None);
                }
                Err(_) => self.out.reasoning(self.out.next_char_end()),
            }
        }
    }

    // ---- blocks ----

    /// A block, from its opener, where the position is, to its end. The first of a doubled opener
    /// leaves whatever the limit says.
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

    /// Markup behind a body, which belongs to the call if that was the last thing.
    fn markup_behind_body(&mut self, end: usize) {
        let follows = self.behind_call == Some(self.out.position);
        self.out.markup(end);
        if follows {
            self.behind_call = Some(end);
        }
    }

    // ---- calls ----

    /// `Start`; `at` is where the call begins.
    fn start(&mut self, name: &'a str, at: usize) -> Call<'a> {
        let tool = self.diagnose_unknown(name);
        self.out.start(name, at);
        Call { name, tool, given: Vec::new(), broken: false }
    }

    fn diagnose_unknown(&mut self, name: &str) -> Option<&'a Tool> {
        let tool = self.grammar.tool(name);
        if tool.is_none() && !self.grammar.tools.is_empty() {
            self.out.diagnose(Kind::UnknownTool, self.out.position);
        }
        tool
    }

    fn end(&mut self, status: Status) {
        self.out.end(status);
        self.behind_call = Some(self.out.position);
    }

    fn end_call(&mut self, call: &Call) {
        self.end(match call.broken {
            true => Status::Incomplete(Cause::Broken),
            false => Status::Complete,
        });
    }

    fn break_call(&mut self, call: &mut Call, kind: Kind, at: usize) {
        call.broken = true;
        self.out.diagnose(kind, at);
    }

    /// What stands between two markers of a call and is neither: markup.
    fn junk_in_call(&mut self, end: usize) {
        let junk = &self.grammar.input[self.out.position..end];
        let first = end - junk.trim_start_matches(is_space).len();
        if first < end {
            let kind = if is_plain_tag(&self.grammar.input[..end], first) {
                Kind::UnknownParameter
            } else {
                Kind::StrayText
            };
            self.out.diagnose(kind, first);
        }
        self.out.markup(end);
    }

    /// The stream ends inside a call.
    fn cut_call(&mut self) -> Behind {
        self.junk_in_call(self.grammar.input.len());
        self.out.end_cut();
        Behind::Stream
    }

    /// The offset of the first `<` from `at` on.
    fn next_angle(&self, at: usize) -> Option<usize> {
        self.grammar.input[at..].find('<').map(|found| at + found)
    }
}
