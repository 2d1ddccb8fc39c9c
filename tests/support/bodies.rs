//! What a fuzzer and a plain loop both run: a byte string in, a panic if a promise is broken.
//!
//! A test or a fuzz target that includes this file has `mod oracle;` and `mod support;` beside it.
#![allow(dead_code, reason = "a fuzz target runs one of them")]

use bytes::Bytes;
use serde_json::Value;
use toolstream::check::laws::{self, Cuts, join};
use toolstream::repair::{self, Repairs};
use toolstream::{Block, DiagnosticKind, Event, Message, Parser, Tool, ToolUse};

use crate::oracle;
use crate::support::blocks;
use crate::support::documents::{self, Document};
use crate::support::soup::{self, Case};

type Events = Vec<Event<String>>;

/// The laws hold for every way to cut the text, and every door says the same.
pub fn laws(data: &[u8]) {
    let case = soup::case(data);
    let parser = case.parser();
    let bytewise = (1..case.text.len()).collect();
    let all = [Vec::new(), bytewise, case.cuts.clone()];
    let expected = laws::hold(&parser, &case.text, &all)
        .unwrap_or_else(|broken| panic!("{broken}, in {case:#?}"));
    let enters = |name: &str, door: Door, cuts: &Cuts| {
        let events = join(door(parser.clone(), &case, cuts));
        same(&format!("by {name}, cut at {cuts:?}, the"), &events, &expected, &case);
    };
    for cuts in &all {
        enters("feed_into", sink, cuts);
        enters("feed", iterator, cuts);
    }
    enters("feed_bytes", bytes_iterator, &case.cuts);
    enters("feed_shared", shared, &case.cuts);
    enters("a clone for each chunk", snapshots, &case.cuts);
}

/// The machine says what its slow twin says.
pub fn twin(data: &[u8]) {
    agrees(&soup::case(data));
}

/// The same for messages of the `<tool_call>` family that are nearly right.
pub fn tool_call(data: &[u8]) {
    agrees(&blocks::case(data));
}

/// The arguments of a call leave byte for byte, and `Message` reads them as `serde_json` does.
pub fn json(data: &[u8]) {
    let document = documents::document(data);
    let builder = Parser::builder(document.dialect).tool(Tool::new(documents::NAME));
    let mut parser = builder.build().expect("a well named tool");
    let (mut message, mut raw) = (parser.message(), String::new());
    let mut take = |event: Event<&str>| {
        message.push(event);
        if let Event::ToolUse(ToolUse::ArgumentsDelta(text)) = event {
            raw.push_str(text);
        }
    };
    for chunk in chunks(&document.text, &document.cuts) {
        parser.feed_into(chunk, &mut take);
    }
    parser.finish_into(&mut take);
    message.close();
    let expected = if document.waits_too_long { "" } else { &*document.json };
    assert!(raw == expected, "the arguments are {raw:?}, in {document:#?}");
    assert_eq!(input(&message), expected_input(&document), "in {document:#?}");
}

/// What a reader of JSON makes of it, if it may be arguments: an object, nothing, or (what is in
/// it is for `tests/repair.rs`) an object in a string.
fn expected_input(document: &Document) -> Option<Value> {
    let read = serde_json::from_str(&document.json).expect("a valid document");
    match read {
        _ if document.waits_too_long => None,
        Value::Object(_) => Some(read),
        Value::Null => Some(Value::Object(Default::default())),
        Value::String(_) => {
            let read = repair::arguments(&document.json, Repairs::Default);
            read.ok().map(|read| Value::Object(read.object))
        }
        _ => None,
    }
}

/// The input of the one call, if there is one and it may run.
fn input(message: &Message) -> Option<Value> {
    match message.blocks() {
        [Block::Call(call)] => Some(call.input().clone().into()),
        [] | [Block::Incomplete(_)] => None,
        blocks => panic!("not one call: {blocks:#?}"),
    }
}

/// The machine and its twin say the same of a message.
pub fn agrees(case: &Case) {
    let events = laws::run(&case.parser(), case.text.as_bytes(), &case.cuts)
        .unwrap_or_else(|broken| panic!("{broken}, in {case:#?}"));
    let twin = oracle::oracle(case.dialect.name(), &case.tools, &case.options, &case.text);
    let (events, kinds) = split(events);
    let (twin, twin_kinds) = split(twin);
    same("the machine's", &events, &twin, case);
    assert_eq!(kinds, twin_kinds, "diagnostics, in {case:#?}");
}

/// The events without diagnostics, and the kinds of those, sorted: a twin that looks ahead may
/// notice a thing earlier.
fn split(events: Events) -> (Events, Vec<DiagnosticKind>) {
    let mut kinds = Vec::new();
    let rest = events.into_iter().filter(|event| match event {
        Event::Diagnostic(diagnostic) => {
            kinds.push(diagnostic.kind);
            false
        }
        _ => true,
    });
    let rest = join(rest);
    kinds.sort();
    (rest, kinds)
}

fn same(whose: &str, events: &Events, expected: &Events, case: &Case) {
    let at = events.iter().zip(expected).take_while(|(a, b)| a == b).count();
    assert!(
        events == expected,
        "{whose} event {at} is {:?}, not {:?}, in {case:#?}",
        events.get(at),
        expected.get(at)
    );
}

/// A way into a parser. `laws::hold` itself goes through `feed_bytes_into`.
type Door = fn(Parser, &Case, &Cuts) -> Events;

fn sink(mut parser: Parser, case: &Case, cuts: &Cuts) -> Events {
    let mut events = Vec::new();
    let mut fed = 0;
    for chunk in chunks(&case.text, cuts) {
        parser.feed_into(chunk, &mut |event: Event<&str>| events.push(event.map(String::from)));
        fed += chunk.len();
        let known = parser.position() + parser.held();
        let limited = parser.limit_reached().is_err();
        assert!(limited || known == fed, "{known} of {fed} bytes are known of, in {case:#?}");
    }
    parser.finish_into(&mut |event: Event<&str>| events.push(event.map(String::from)));
    events
}

fn iterator(mut parser: Parser, case: &Case, cuts: &Cuts) -> Events {
    let mut events = Vec::new();
    for chunk in chunks(&case.text, cuts) {
        events.extend(owned(parser.feed(chunk)));
    }
    events.extend(owned(parser.finish()));
    events
}

fn bytes_iterator(mut parser: Parser, case: &Case, cuts: &Cuts) -> Events {
    let mut events = Vec::new();
    for range in ranges(cuts, case.text.len()) {
        events.extend(owned(parser.feed_bytes(&case.text.as_bytes()[range])));
    }
    events.extend(owned(parser.finish()));
    events
}

fn shared(mut parser: Parser, case: &Case, cuts: &Cuts) -> Events {
    let text = Bytes::from(case.text.clone());
    let mut events = Vec::new();
    for range in ranges(cuts, text.len()) {
        let shared = parser.feed_shared(&text.slice(range));
        events.extend(shared.map(|event| event.map(|slice| slice.as_ref().to_string())));
    }
    events.extend(owned(parser.finish()));
    events
}

/// Every chunk goes into a clone of the parser before it, which is fed something else afterwards.
fn snapshots(mut parser: Parser, case: &Case, cuts: &Cuts) -> Events {
    let mut events = Vec::new();
    for chunk in chunks(&case.text, cuts) {
        let mut next = parser.clone();
        events.extend(owned(next.feed(chunk)));
        parser.feed("</read><think>");
        parser = next;
    }
    events.extend(owned(parser.finish()));
    events
}

fn owned<'a>(events: impl Iterator<Item = Event<&'a str>>) -> impl Iterator<Item = Event<String>> {
    events.map(|event| event.map(String::from))
}

fn ranges(cuts: &Cuts, len: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let ends = cuts.iter().copied().chain([len]);
    [0].into_iter().chain(cuts.iter().copied()).zip(ends).map(|(from, to)| from..to)
}

/// The text in pieces, each cut moved back to the start of its character. A piece may be empty.
fn chunks<'t>(text: &'t str, cuts: &Cuts) -> impl Iterator<Item = &'t str> {
    let floor = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    ranges(cuts, text.len()).map(move |range| &text[floor(range.start)..floor(range.end)])
}
