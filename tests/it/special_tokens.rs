//! Special tokens that the host feeds as such are markers. Their characters in plain chunks are text, or value.

use toolstream::check::{Ended, join};
use toolstream::{Dialect, Event, Parser, ToolUse, options::Options};

use crate::support::events::keep_the_laws;
use crate::support::inputs;

/// Dialects, and the special tokens of their tokenizers.
const TOKENS: [(Dialect, &[&str]); 6] = [
    (Dialect::HERMES, &["<tool_call>", "</tool_call>"]),
    (
        Dialect::GLM,
        &["<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"],
    ),
    (
        Dialect::KIMI_K2,
        &[
            "<|tool_calls_section_begin|>",
            "<|tool_call_begin|>",
            "<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
            "<|tool_calls_section_end|>",
        ],
    ),
    (Dialect::HARMONY, &["<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>"]),
    (Dialect::KIMI_K3, &["<|open|>", "<|close|>", "<|sep|>"]),
    (
        Dialect::SOLAR_OPEN2,
        &[
            "<|tool_call:start|>",
            "<|tool_call:end|>",
            "<|tool_arg:start|>",
            "<|tool_arg:value|>",
            "<|tool_arg:end|>",
        ],
    ),
];

/// A piece of a message, and whether it is a special token.
type Piece<'a> = (&'a str, bool);

/// A parser that knows the special tokens.
fn knowing(dialect: &Dialect, tokens: &[&str]) -> Parser {
    let mut options = Options::default();
    options.tool_limit = None;
    options.special_tokens = tokens.iter().map(ToString::to_string).collect();
    inputs::parser(dialect).to_builder().options(options).build().expect("a parser with tools")
}

/// The message in pieces, as its tokenizer has it.
fn tokenized<'a>(mut message: &'a str, tokens: &[&str]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    while !message.is_empty() {
        let next =
            tokens.iter().filter_map(|token| Some((message.find(token)?, token.len()))).min();
        let (at, len) = next.unwrap_or((message.len(), 0));
        pieces.extend([(&message[..at], false), (&message[at..at + len], true)]);
        message = &message[at + len..];
    }
    pieces.retain(|(text, _)| !text.is_empty());
    pieces
}

/// All events. Plain pieces are fed in chunks of `size` bytes.
fn events(parser: &Parser, pieces: &[Piece<'_>], size: usize) -> Vec<Event<String>> {
    let (mut parser, mut events) = (parser.clone(), Vec::new());
    let mut take = |event: Event<&str>| events.push(event.map(str::to_string));
    for &(text, special) in pieces {
        match special {
            true => parser.feed_special(text).for_each(&mut take),
            false => {
                inputs::pieces(text, size).for_each(|chunk| parser.feed_with(chunk, &mut take))
            }
        }
    }
    parser.finish_into(&mut take);
    join(events)
}

/// The events of the pieces, equal in chunks of every size. The laws hold for them.
fn all_cuts(parser: &Parser, pieces: &[Piece<'_>]) -> Vec<Event<String>> {
    let input: String = pieces.iter().map(|(text, _)| *text).collect();
    let whole = events(parser, pieces, input.len());
    keep_the_laws(&whole, &input, Ended::Stop)
        .unwrap_or_else(|broken| panic!("{input:?}: {broken}"));
    for size in [1, 2, 3, 7, 16] {
        assert_eq!(events(parser, pieces, size), whole, "{input:?} in chunks of {size}");
    }
    whole
}

fn text(events: &[Event<String>]) -> String {
    let text = |event: &Event<String>| match event {
        Event::TextContent(text) => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

fn starts(events: &[Event<String>]) -> usize {
    let start = |event: &&Event<String>| matches!(event, Event::ToolUse(ToolUse::Start { .. }));
    events.iter().filter(start).count()
}

/// Special tokens are the same markers as without the option.
#[test]
fn tokens_are_markers() {
    for (dialect, tokens) in &TOKENS {
        let message = inputs::write(dialect, "a < b\n");
        let found = all_cuts(&knowing(dialect, tokens), &tokenized(&message, tokens));
        let expected = events(&inputs::parser(dialect), &[(&message, false)], message.len());
        assert_eq!(found, expected, "{dialect:?}");
        assert_eq!(starts(&found), 1, "{dialect:?}");
    }
}

/// A message that shows a call in plain characters has no call.
#[test]
fn quoted_calls_are_text() {
    for (dialect, tokens) in &TOKENS {
        let message = inputs::write(dialect, "x");
        // A header is no text, but output of this dialect begins in one.
        let opening = if *dialect == Dialect::HARMONY { "<|channel|>final<|message|>" } else { "" };
        let mut pieces = tokenized(opening, tokens);
        pieces.push((&message, false));
        let found = all_cuts(&knowing(dialect, tokens), &pieces);
        assert_eq!((text(&found), starts(&found)), (message.clone(), 0), "{dialect:?}");
        let known = |token: &&&str| message.contains(**token);
        assert!(tokens.iter().filter(known).count() > 1, "{dialect:?} has markers in {message}");
    }
}

/// Other parsers of the dialect do not learn from a marker that came as a token. They read the same characters as text, however
/// often it came, and the other way round.
#[test]
fn one_stream_says_nothing_of_another() {
    for (dialect, tokens) in &TOKENS {
        let message = inputs::write(dialect, "x");
        let forms = [tokenized(&message, tokens), vec![(&*message, false)]];
        for (first, then) in [(&forms[0], &forms[1]), (&forms[1], &forms[0])] {
            let parser = knowing(dialect, tokens);
            for _ in 0..4 {
                events(&parser, first, message.len());
            }
            let alone = events(&knowing(dialect, tokens), then, message.len());
            assert_eq!(events(&parser, then, message.len()), alone, "{dialect:?}");
        }
    }
}

/// A value may hold all markers of its dialect as plain characters.
#[test]
fn quoted_closers_are_value() {
    for (dialect, tokens) in &TOKENS {
        let quoted = inputs::write(dialect, "x").replace(['"', '\\', '\n'], "'");
        let message = inputs::write(dialect, "@");
        let (before, after) = message.rsplit_once('@').expect("the value");
        let mut pieces = tokenized(before, tokens);
        pieces.push((&quoted, false));
        pieces.extend(tokenized(after, tokens));
        let found = all_cuts(&knowing(dialect, tokens), &pieces);
        let value: String = found
            .iter()
            .filter_map(|event| match event {
                Event::ToolUse(ToolUse::ParamDelta(text) | ToolUse::ArgumentsDelta(text)) => {
                    Some(text.as_str())
                }
                _ => None,
            })
            .collect();
        assert!(value.contains(&quoted), "{dialect:?}: {value:?}");
        assert_eq!(starts(&found), 1, "{dialect:?}");
        assert_eq!(text(&found).trim(), "", "{dialect:?}");
    }
}

/// Half a marker in text with the rest as a token makes no marker. A longer token makes none either.
#[test]
fn a_token_is_whole() {
    let parser = knowing(&Dialect::HERMES, &["<tool_call>", "x<tool_call>"]);
    let call = "{\"name\": \"read_file\", \"arguments\": {}}";
    for pieces in [
        vec![("<tool_", false), ("call>", true), (call, false)],
        vec![("x<tool_call>", true), (call, false)],
        vec![("<tool_call>", false), ("<tool_call>", false), (call, false)],
    ] {
        let input: String = pieces.iter().map(|(text, _)| *text).collect();
        assert_eq!(text(&all_cuts(&parser, &pieces)), input);
    }
    let pieces = [("<tool_call>", false), ("<tool_call>", true), (call, false)];
    assert_eq!(text(&all_cuts(&parser, &pieces)), "<tool_call>");
}

/// A marker that is one token acts at once.
#[test]
fn a_token_is_not_held() {
    let (dialect, tokens) = &TOKENS[2];
    let mut parser = knowing(dialect, tokens);
    parser.feed_special(tokens[0]).for_each(drop);
    assert_eq!(parser.held(), 0);
}

/// Named tokens change nothing for pieces that are not fed as tokens. Feeding tokens that were not named changes nothing either.
#[test]
fn without_the_option_all_text_counts() {
    for (dialect, tokens) in &TOKENS {
        let message = inputs::write(dialect, "x");
        let parser = inputs::parser(dialect);
        let plain = all_cuts(&parser, &[(&message, false)]);
        assert_eq!(all_cuts(&parser, &tokenized(&message, tokens)), plain, "{dialect:?}");
    }
}

/// The header of an envelope goes on to the token that ends it.
#[test]
fn a_header_with_other_words_is_none() {
    let (dialect, tokens) = &TOKENS[3];
    let pieces = [
        ("<|channel|>", true),
        ("final <|message|> is a token", false),
        ("<|message|>", true),
        ("Hello", false),
    ];
    let found = all_cuts(&knowing(dialect, tokens), &pieces);
    assert_eq!(text(&found), " <|message|> is a token<|message|>Hello");
    let pieces = [("<|channel|>", true), ("final", false), ("<|message|>", true), ("Hello", false)];
    assert_eq!(text(&all_cuts(&knowing(dialect, tokens), &pieces)), "Hello");
}

/// A shape's text with two tokens needs both as tokens.
#[test]
fn two_tokens_in_a_text() {
    let shape = serde_json::json!({
        "name": "two",
        "call": "<|call|>{\"name\": {name}, \"arguments\": {arguments}}",
        "tokens": ["<|a|><|b|>"],
    });
    let two = Dialect::from_json(&shape.to_string()).unwrap();
    let mut options = Options::default();
    options.special_tokens = ["<|a|>", "<|b|>"].map(String::from).to_vec();
    let parser = Parser::builder(two).options(options).build().unwrap();
    for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
        let found = all_cuts(&parser, &[("x", false), ("<|a|>", first), ("<|b|>", second)]);
        let counts = first && second;
        assert_eq!(text(&found), if counts { "x" } else { "x<|a|><|b|>" }, "{first} {second}");
    }
}
