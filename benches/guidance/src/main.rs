//! Grammars of `Parser::grammar`, against `llguidance`: for every dialect that has one, random texts that
//! the grammar allows, which the parser must read back as complete calls, and calls that `render_call`
//! writes, which the grammar must allow. `cargo run --manifest-path benches/guidance/Cargo.toml -- 200`
//! draws 200 texts for each.

use std::process::ExitCode;

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};
use toktrie::{ApproximateTokEnv, TokEnv};
use toolstream::{Block, Dialect, Format, Param, Parser, Tool, Type};

fn main() -> ExitCode {
    let texts = std::env::args().nth(1).map_or(100, |count| count.parse().expect("a number"));
    let only = std::env::args().nth(2);
    let env = ApproximateTokEnv::single_byte_env();
    let mut failed = 0;
    for dialect in
        Dialect::ALL.iter().filter(|one| only.as_ref().is_none_or(|name| one.name() == name))
    {
        let parser = parser(dialect);
        match parser.grammar(Format::Lark) {
            Ok(lark) => match check(&parser, &lark, &env, texts) {
                Ok(said) => println!("{}: {said}", dialect.name()),
                Err(what) => {
                    failed += 1;
                    println!("{}: FAILED: {what}", dialect.name());
                }
            },
            Err(error) => println!("{error}"),
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn parser(dialect: &Dialect) -> Parser {
    let write = Tool::new("write")
        .param(Param::required("path").with(Type::String))
        .param(Param::optional("mode").with(Type::Integer))
        .param(Param::optional("text").with(Type::String))
        .param(Param::optional("tags").with(Type::Array));
    Parser::builder(dialect).tool(write).tool(Tool::new("list")).build().expect("a parser")
}

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }
}

fn matcher(lark: &str, env: &TokEnv) -> Result<Matcher, String> {
    let mut factory = ParserFactory::new_simple(env).map_err(|error| error.to_string())?;
    factory.quiet();
    let mut matcher = Matcher::new(factory.create_parser(TopLevelGrammar::from_lark(lark.into())));
    match matcher.get_error() {
        Some(error) => Err(format!("{error}\n{lark}")),
        None => {
            matcher.compute_mask().map_err(|error| error.to_string())?;
            Ok(matcher)
        }
    }
}

fn check(parser: &Parser, lark: &str, env: &TokEnv, texts: usize) -> Result<String, String> {
    let new = matcher(lark, env)?;
    let written = written(parser, &new, lark)?;
    let snippets = snippets(&written);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut calls, mut drawn) = (0, 0);
    for _ in 0..texts {
        let Some(text) = draw(&new, &written, &snippets, &mut random) else { continue };
        drawn += 1;
        calls += read(parser, &text, &written)?;
    }
    match (drawn * 4 >= texts, calls * 4 >= drawn) {
        (true, true) => Ok(format!("{drawn} texts with {calls} calls, {} written", written.len())),
        _ => Err(format!("of {texts} texts {drawn} came to an end, with {calls} calls")),
    }
}

/// Calls as the dialect writes them, which the grammar must allow.
fn written(parser: &Parser, new: &Matcher, lark: &str) -> Result<Vec<String>, String> {
    let arguments = [
        ("write", json!({"path": "src/a <b> é.rs", "mode": 7})),
        ("write", json!({"path": "", "text": "fn main() {\n    \"x\";\n}", "tags": ["a", 1]})),
        ("write", json!({"path": "</parameter> </path> </param:path> </arg_value> \"}"})),
        ("list", json!({})),
    ];
    let mut all = Vec::new();
    for (name, arguments) in arguments {
        let arguments = arguments.as_object().expect("an object");
        let text = parser.render_call(name, arguments).map_err(|error| error.to_string())?;
        let mut matcher = new.deep_clone();
        for text in [text.clone(), format!("So:\n{text}")] {
            let bytes: Vec<u32> = text.trim_end().bytes().map(u32::from).collect();
            let mut matcher = std::mem::replace(&mut matcher, new.deep_clone());
            let taken = matcher.try_consume_tokens(&bytes).map_err(|error| error.to_string())?;
            let whole = matcher.is_accepting().map_err(|error| error.to_string())?;
            if taken < bytes.len() || !whole {
                return Err(format!("{text:?} is refused at byte {taken}\n{lark}"));
            }
        }
        all.push(text);
    }
    Ok(all)
}

/// What is tried: the markers of the calls, one by one and with all that comes after them, and more.
fn snippets(written: &[String]) -> Vec<String> {
    let mut all: Vec<String> = [
        "a", " ", "\n", "é", "1", "\"", "}", "]", "{", "[", "<", "</", "So: ", "true", ", ", ": ",
        "\\n",
    ]
    .map(String::from)
    .to_vec();
    for text in written {
        let starts =
            |(at, c): &(usize, char)| *at == 0 || matches!(c, '<' | '[' | '{' | ']' | '\n' | '"');
        let starts: Vec<usize> = text.char_indices().filter(starts).map(|(at, _)| at).collect();
        for (number, start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).copied().unwrap_or(text.len());
            all.extend([text[*start..end].to_string(), text[*start..].trim_end().to_string()]);
        }
    }
    all
}

/// A text that the grammar allows, if one came to an end.
fn draw(
    new: &Matcher,
    written: &[String],
    snippets: &[String],
    random: &mut Random,
) -> Option<String> {
    let mut matcher = new.deep_clone();
    let mut text = Vec::new();
    let least = random.below(300);
    // Most begin with a part of a call.
    let call = &written[random.below(written.len())];
    let part = random.below(call.len() * 4 / 3).min(call.trim_end().len());
    let bytes: Vec<u32> = call.bytes().take(part).map(u32::from).collect();
    let taken = matcher.try_consume_tokens(&bytes).ok()?;
    text.extend_from_slice(&call.as_bytes()[..taken]);
    for _ in 0..600 {
        if text.len() >= least && matcher.is_accepting().ok()? {
            break;
        }
        let snippet = &snippets[random.below(snippets.len())];
        let bytes: Vec<u32> = snippet.bytes().map(u32::from).collect();
        let taken = matcher.try_consume_tokens(&bytes).ok()?;
        text.extend_from_slice(&snippet.as_bytes()[..taken]);
    }
    let whole = matcher.is_accepting().ok()?;
    whole.then(|| String::from_utf8(text).ok()).flatten()
}

/// Without digits: a call may have another number than the one that is compared with it.
fn numberless(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// How many calls the parser reads; all of them must be complete.
fn read(parser: &Parser, text: &str, written: &[String]) -> Result<usize, String> {
    let message = parser.parse(text);
    let incomplete = message.blocks().iter().any(|block| matches!(block, Block::Incomplete(_)));
    let calls: Vec<Value> =
        message.calls().map(|call| json!([call.name(), call.input()])).collect();
    // In text no marker comes, so whatever begins like a call is one.
    let begins = |call: &String| {
        let name = if call.contains("write") { "write" } else { "list" };
        call.find(name).map(|at| numberless(&call[..at + name.len() + 1]))
    };
    let has_call = written.iter().filter_map(begins).any(|begin| numberless(text).contains(&begin));
    let missing = message.calls().any(|call| !call.missing().is_empty());
    if incomplete || missing || calls.len() != usize::from(has_call) {
        return Err(format!("{text:?} is read as {calls:?}, {:?}", message.diagnostics()));
    }
    Ok(calls.len())
}
