//! The timed work of the benches: the baselines, and a message through each entry point.
#![allow(dead_code, reason = "each bench uses a part")]

pub mod by_hand;
#[path = "../../tests/it/support/inputs.rs"]
pub mod inputs;
pub mod shapes;
#[path = "../../tests/it/support/streams.rs"]
pub mod streams;

use std::hint::black_box;

use aho_corasick::AhoCorasick;
pub use inputs::pieces;
use memchr::{memchr, memchr_iter, memchr2_iter};
use toolstream::{Dialect, Event, Param, Parser, Tool, ToolUse, tools::Type};

/// P: one pass for a byte that is not there.
pub fn pass(text: &str) -> usize {
    memchr(0, text.as_bytes()).unwrap_or(text.len())
}

/// L: a loop over every line feed that touches it.
pub fn visit_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr_iter(b'\n', bytes).map(|at| bytes[at] as usize).sum()
}

/// V: a loop over every `<` that touches it.
pub fn visit(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr_iter(b'<', bytes).map(|at| bytes[at] as usize).sum()
}

/// J: a loop over every quote and backslash that touches it.
pub fn visit_json(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr2_iter(b'"', b'\\', bytes).map(|at| bytes[at] as usize).sum()
}

/// C: a call of `memchr` for each chunk.
pub fn calls(text: &str, size: usize) -> usize {
    pieces(text, size).filter(|piece| memchr(b'<', piece.as_bytes()).is_some()).count()
}

/// A fresh parser reads a text; the result is the bytes in its slices.
pub type Entry = fn(&Parser, &str, usize) -> usize;

pub const ENTRIES: [(&str, Entry); 3] = [("sink", sink), ("iter", iterator), ("bytes", bytes)];

pub fn sink(parser: &Parser, text: &str, size: usize) -> usize {
    through_sink(&mut parser.clone(), text, size)
}

pub fn through_sink(parser: &mut Parser, text: &str, size: usize) -> usize {
    let mut total = 0;
    let mut take = |event: Event<&str>| total += event.slice().map_or(0, |slice| slice.len());
    for piece in pieces(text, size) {
        parser.feed_into(piece, &mut take);
    }
    parser.finish_into(&mut take);
    total
}

pub fn iterator(parser: &Parser, text: &str, size: usize) -> usize {
    through_iterator(&mut parser.clone(), text, size)
}

pub fn through_iterator(parser: &mut Parser, text: &str, size: usize) -> usize {
    let mut total = 0;
    let mut take = |event: Event<&str>| total += event.slice().map_or(0, |slice| slice.len());
    for piece in pieces(text, size) {
        parser.feed(piece).for_each(&mut take);
    }
    parser.finish().for_each(&mut take);
    total
}

/// Collects a message, and looks at its call after each chunk. Returns how many bytes of its longest string
/// were seen while it was open.
pub fn looks(parser: &mut Parser, text: &str, size: usize) -> usize {
    let (mut message, mut longest) = (parser.message(), 0);
    for piece in pieces(text, size) {
        parser.feed_into(piece, &mut |event: Event<&str>| message.push(event));
        let seen = message.partial_call().map(|call| {
            let strings = call.input().values().filter_map(|value| value.as_str());
            strings.map(str::len).max().unwrap_or_default()
        });
        longest = longest.max(seen.unwrap_or_default());
    }
    longest
}

/// Reads a call of many small arguments, and looks at its arguments behind every chunk. Returns the most that were seen.
pub fn counts(parser: &mut Parser, text: &str, size: usize) -> usize {
    let (mut message, mut most) = (parser.message(), 0);
    for piece in pieces(text, size) {
        parser.feed_into(piece, &mut |event: Event<&str>| message.push(event));
        let seen = message.partial_call().map(|call| call.input().len());
        most = most.max(seen.unwrap_or_default());
    }
    most
}

pub fn bytes(parser: &Parser, text: &str, size: usize) -> usize {
    let mut parser = parser.clone();
    let mut total = 0;
    let mut take = |event: Event<&str>| total += event.slice().map_or(0, |slice| slice.len());
    for piece in pieces(text, size) {
        parser.feed_bytes(piece.as_bytes()).for_each(&mut take);
    }
    parser.finish().for_each(&mut take);
    total
}

/// The result of a message.
#[derive(Clone, Debug, Default)]
pub struct Read {
    pub text: String,
    pub reasoning: String,
    /// All values, or all arguments, joined.
    pub values: String,
}

/// Reads a message through the sink, to check it.
pub fn read(parser: &Parser, text: &str, size: usize) -> Read {
    let (mut parser, mut read) = (parser.clone(), Read::default());
    let mut take = |event: Event<&str>| match event {
        Event::TextContent(slice) => read.text.push_str(slice),
        Event::Reasoning(slice) => read.reasoning.push_str(slice),
        Event::ToolUse(ToolUse::ParamDelta(slice) | ToolUse::ArgumentsDelta(slice)) => {
            read.values.push_str(slice);
        }
        _ => {}
    };
    for piece in pieces(text, size) {
        parser.feed_into(piece, &mut take);
    }
    parser.finish_into(&mut take);
    read
}

/// Makes so many tools with two parameters each.
pub fn tools(count: usize) -> Vec<Tool> {
    let tool = |at| {
        Tool::new(format!("server_{}__tool_{at}", at % 7))
            .param(Param::required("path").with(Type::String))
            .param(Param::optional(format!("option_{at}")).with(Type::Integer))
    };
    (0..count).map(tool).collect()
}

/// Builds a parser for these tools, which were read before.
pub fn build(dialect: &Dialect, tools: &[Tool]) -> usize {
    let builder = Parser::builder(dialect).tools(tools.iter().cloned());
    black_box(builder.build().expect("well named tools")).held() + 1
}

/// Builds the yardstick: one automaton over the names of the tools.
pub fn automaton(tools: &[Tool]) -> usize {
    let names = tools.iter().map(|tool| &*tool.name);
    let automaton = AhoCorasick::new(names).expect("few names");
    black_box(automaton).patterns_len()
}

/// A message, and its expected result.
pub struct Input {
    pub name: &'static str,
    pub message: String,
    parser: Parser,
    text: String,
    values: String,
}

impl Input {
    /// A message that is text from end to end.
    pub fn text(name: &'static str, dialect: &Dialect, text: String) -> Input {
        let (message, values) = (inputs::opening(dialect).to_string() + &text, String::new());
        Input { name, message, parser: inputs::parser(dialect), text, values }
    }

    /// A message that is one call with one big value.
    pub fn value(name: &'static str, dialect: &Dialect, value: &str) -> Input {
        let message = inputs::write(dialect, value);
        let text = inputs::after_call(dialect).to_string();
        let values = inputs::written(dialect, value);
        Input { name, message, parser: inputs::parser(dialect), text, values }
    }

    /// Sets the visible text of the message.
    pub fn showing(self, text: &str) -> Input {
        Input { text: text.to_string(), ..self }
    }

    /// Returns the parser, after all entry points gave the right result in chunks of this size.
    pub fn checked(&self, size: usize) -> &Parser {
        let Read { text, values, .. } = read(&self.parser, &self.message, size);
        assert!(text == self.text, "{}: the text is wrong", self.name);
        assert!(values == self.values, "{}: the values are wrong", self.name);
        for (entry_name, entry) in ENTRIES {
            let total = entry(&self.parser, &self.message, size);
            assert_eq!(total, self.message.len(), "{} through {entry_name}", self.name);
        }
        &self.parser
    }
}

/// Whether this is a measurement (`cargo bench`) or only a trial (`cargo test --benches`).
pub fn is_measurement() -> bool {
    let has = |flag: &str| std::env::args().any(|arg| arg == flag);
    has("--bench") && !has("--test")
}

/// 1 MiB; for a trial, a little.
pub fn len() -> usize {
    if is_measurement() { 1 << 20 } else { 1 << 13 }
}
