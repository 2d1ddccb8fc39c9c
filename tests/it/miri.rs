//! The machine, and the crates with `unsafe` below it (memchr, smallvec, bytes), short enough for Miri, an interpreter.
//! `cargo +nightly miri test --test it miri::` finds undefined behaviour. Elsewhere this is a test like any other.
//!
//! Every kind of dialect is here, in chunks that cut characters and markers, by every entry point, across threads.

use bytes::Bytes;
use toolstream::check::join;
use toolstream::{Dialect, Event, Param, Parser, Tool};

/// A dialect, and a text with a call of `read`. Other calls in the text do not count.
const TEXTS: [(Dialect, &str); 9] = [
    (Dialect::CLINE, "é a < b\n<read><path>ü.rs</path></read> Done"),
    (
        Dialect::HERMES,
        "Hm.\n<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"é\\u00e9\"}}</tool_call>",
    ),
    (
        Dialect::QWEN3_CODER,
        "<tool_call><function=read><parameter=path>\n</parameter> é\n</parameter></function></tool_call>",
    ),
    (
        Dialect::INVOKE,
        "<function_calls><invoke name=\"read\"><parameter name=\"path\">🦀</parameter></invoke></function_calls>",
    ),
    (Dialect::REACT, "Thought: é\nAction: read\nAction Input: {\"path\": \"a\"}\nObservation: b"),
    (
        Dialect::KIMI_K2,
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\": \"a\"}<|tool_call_end|><|tool_calls_section_end|>",
    ),
    (
        Dialect::HARMONY,
        "<|channel|>analysis<|message|>é<|end|><|start|>assistant<|channel|>commentary to=functions.read<|message|>{\"path\": \"a\"}<|call|>",
    ),
    (Dialect::PYTHONIC, "[read(path=\"a'é\")]"),
    (Dialect::GEMMA4, "<|tool_call>call:read{path:<|\"|>é<|\"|>}<tool_call|>"),
];

fn parser(dialect: &Dialect) -> Parser {
    let read = Tool::new("read").param(Param::required("path"));
    Parser::builder(dialect).tool(read).tool_limit(None).build().expect("a parser")
}

#[test]
fn every_door_says_the_same() {
    for (dialect, text) in &TEXTS {
        let parser = parser(dialect);
        let whole = read(parser.clone(), text, text.len(), by_str);
        assert!(
            whole.iter().any(|event| format!("{event:?}").contains("Complete")),
            "{dialect}: {whole:#?}"
        );
        for size in [1, 3, 7] {
            for door in [by_str, by_bytes, by_shared] {
                assert_eq!(read(parser.clone(), text, size, door), whole, "{dialect} by {size}");
            }
        }
    }
}

/// Parsers on several threads share their grammar, and the slices of a buffer.
#[test]
fn parsers_of_one_dialect_on_threads() {
    let (dialect, text) = &TEXTS[0];
    let parser = parser(dialect);
    let expected = read(parser.clone(), text, 5, by_shared);
    std::thread::scope(|scope| {
        let spawn = |size| {
            let parser = parser.clone();
            scope.spawn(move || read(parser, text, size, by_shared))
        };
        let threads: Vec<_> = (1..4).map(spawn).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("no panic"), expected);
        }
    });
}

type Found = Vec<Event<String>>;
type Door = fn(&mut Parser, &[u8], &mut Found);

fn read(mut parser: Parser, text: &str, size: usize, door: Door) -> Found {
    let mut events = Vec::new();
    text.as_bytes().chunks(size).for_each(|chunk| door(&mut parser, chunk, &mut events));
    events.extend(parser.finish().map(|event| event.map(String::from)));
    join(events)
}

/// Feeds a whole character as text, and bytes of a cut one as bytes.
fn by_str(parser: &mut Parser, chunk: &[u8], events: &mut Found) {
    match std::str::from_utf8(chunk) {
        Ok(text) => events.extend(parser.feed(text).map(|event| event.map(String::from))),
        Err(_) => by_bytes(parser, chunk, events),
    }
}

fn by_bytes(parser: &mut Parser, chunk: &[u8], events: &mut Found) {
    events.extend(parser.feed_bytes(chunk).map(|event| event.map(String::from)));
}

fn by_shared(parser: &mut Parser, chunk: &[u8], events: &mut Found) {
    let chunk = Bytes::copy_from_slice(chunk);
    events.extend(parser.feed_shared(&chunk).map(|event| event.map(|slice| slice.to_string())));
}
