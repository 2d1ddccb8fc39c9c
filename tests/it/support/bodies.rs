//! Bodies for a fuzzer and for a plain loop: each takes a byte string, and panics if a promise is broken.
//!
//! A test or a fuzz target that includes this file has `mod oracle;` and `mod support;` beside it.
#![allow(dead_code, reason = "a fuzz target runs one of them")]

use bytes::Bytes;
use serde_json::Value;
use toolstream::check::{self, Ended, join};
use toolstream::repair::{self, Repairs};
use toolstream::{
    Block, Dialect, Event, Message, Parser, Tool, ToolUse, diagnostic::DiagnosticKind as Kind,
};

use crate::oracle;
use crate::support::documents::{self, Document};
use crate::support::soup::{self, Case, Cuts};
use crate::support::{blocks, calls, events, gateway};

type Events = Vec<Event<String>>;

/// The laws hold for every cut of the text, and every entry point gives the same events.
pub fn laws(data: &[u8]) {
    keeps_the_laws(&soup::raw(data).unwrap_or_else(|| soup::case(data)));
}

fn keeps_the_laws(case: &Case) {
    let parser = case.parser();
    let bytewise = (1..case.text.len()).collect();
    let all = [Vec::new(), bytewise, case.cuts.clone()];
    let expected = check::hold(&parser, &case.text, &all, case.ended)
        .unwrap_or_else(|broken| panic!("{broken}, in {case:#?}"));
    events::keep_the_laws(&expected, &case.text, case.ended)
        .unwrap_or_else(|broken| panic!("{broken}, in {case:#?}"));
    let enters = |name: &str, door: Door, cuts: &Cuts| {
        let events = join(door(parser.clone(), case, cuts));
        same(&format!("by {name}, cut at {cuts:?}, the"), &events, &expected, case);
    };
    for cuts in &all {
        enters("feed_into", sink, cuts);
        enters("feed", iterator, cuts);
    }
    enters("feed_bytes", bytes_iterator, &case.cuts);
    enters("feed_shared", shared, &case.cuts);
    enters("a clone for each chunk", snapshots, &case.cuts);
}

/// The machine agrees with its slow twin.
pub fn twin(data: &[u8]) {
    agrees(&soup::twinned(data));
}

/// The machine agrees with its twin on messages of the `<tool_call>` family that are nearly right.
pub fn tool_call(data: &[u8]) {
    agrees(&blocks::case(data));
}

/// The machine agrees with its twin on messages of two or three calls with lost closers and strays. In dialects without a twin,
/// the laws hold for such messages.
pub fn damaged_calls(data: &[u8]) {
    agrees(&calls::damaged(data));
    keeps_the_laws(&calls::damaged_in(Dialect::ALL, data));
}

/// A client of the deltas has what `Message` has, or is told that it does not.
pub fn gateway(data: &[u8]) {
    gateway::body(data);
}

/// The arguments of a call leave byte for byte, and `Message` reads them as `serde_json` does.
pub fn json(data: &[u8]) {
    let document = documents::document(data);
    let builder = Parser::builder(&document.dialect).tool(Tool::new(documents::NAME));
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

/// The input of a document that may be arguments: an object, nothing, or an object in a string (`tests/it/repair.rs` tests its
/// contents).
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

/// The input of the only call, if there is a call and it may run.
fn input(message: &Message) -> Option<Value> {
    match message.blocks() {
        [Block::Call(call)] => Some(call.input().clone().into()),
        [] | [Block::Incomplete(_)] => None,
        blocks => panic!("not one call: {blocks:#?}"),
    }
}

/// Checks that the machine and its twin agree on a message.
pub fn agrees(case: &Case) {
    let parser = case.parser();
    let events = check::hold(&parser, &case.text, std::slice::from_ref(&case.cuts), case.ended)
        .unwrap_or_else(|broken| panic!("{broken}, in {case:#?}"));
    let name = case.dialect.name();
    let twin = oracle::oracle(name, &case.tools, &case.options, &case.text, case.ended);
    let (said, noted) = split(events.clone());
    let (twin_said, twin_noted) = split(twin.clone());
    same("the machine's", &said, &twin_said, case);
    assert_eq!(noted, twin_noted, "diagnostics, in {case:#?}");
    // The reason of an incomplete call depends on its diagnostics.
    let (message, twin) =
        (events::message(&parser, events).to_json(), events::message(&parser, twin).to_json());
    for key in ["content", "finish"] {
        assert_eq!(message[key], twin[key], "{key}, in {case:#?}");
    }
}

/// Kinds that say how a call was saved or lost. The number of them does not matter.
const AS_OFTEN_AS_YOU_LIKE: &[Kind] = &[
    Kind::RepairedJson,
    Kind::MalformedArguments,
    Kind::MalformedTag,
    Kind::LimitExceeded,
    Kind::MissingCloser,
];

/// Kinds that may be reported before their call has its name.
const EARLY: &[Kind] = &[Kind::RepairedJson, Kind::DuplicateParameter];

/// The kinds of diagnostics, each with its call.
type Noted = Vec<(Kind, Option<usize>)>;

/// The events without diagnostics, and the kinds of the diagnostics, sorted. A twin that looks ahead may notice a mistake
/// earlier.
fn split(events: Events) -> (Events, Noted) {
    let mut noted = Noted::new();
    let rest = events.into_iter().filter(|event| match event {
        Event::Diagnostic(found) => {
            noted.push((found.kind, found.call.filter(|_| !EARLY.contains(&found.kind))));
            false
        }
        _ => true,
    });
    let rest = join(rest);
    noted.sort();
    noted.dedup_by(|a, b| a == b && AS_OFTEN_AS_YOU_LIKE.contains(&a.0));
    (rest, noted)
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

/// An entry point of a parser. `check::hold` itself uses `feed_bytes_into`.
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
    let mut sink = |event: Event<&str>| events.push(event.map(String::from));
    match case.ended {
        Ended::Stop => parser.finish_into(&mut sink),
        Ended::Cut => parser.finish_cut_into(&mut sink),
    }
    events
}

/// The events at the end, through the iterator.
fn finish(parser: &mut Parser, ended: Ended) -> Events {
    match ended {
        Ended::Stop => owned(parser.finish()).collect(),
        Ended::Cut => owned(parser.finish_cut()).collect(),
    }
}

fn iterator(mut parser: Parser, case: &Case, cuts: &Cuts) -> Events {
    let mut events = Vec::new();
    for chunk in chunks(&case.text, cuts) {
        events.extend(owned(parser.feed(chunk)));
    }
    events.extend(finish(&mut parser, case.ended));
    events
}

fn bytes_iterator(mut parser: Parser, case: &Case, cuts: &Cuts) -> Events {
    let mut events = Vec::new();
    for range in ranges(cuts, case.text.len()) {
        events.extend(owned(parser.feed_bytes(&case.text.as_bytes()[range])));
    }
    events.extend(finish(&mut parser, case.ended));
    events
}

fn shared(mut parser: Parser, case: &Case, cuts: &Cuts) -> Events {
    let text = Bytes::from(case.text.clone());
    let mut events = Vec::new();
    for range in ranges(cuts, text.len()) {
        let shared = parser.feed_shared(&text.slice(range));
        events.extend(shared.map(|event| event.map(|slice| slice.as_ref().to_string())));
    }
    events.extend(finish(&mut parser, case.ended));
    events
}

/// Feeds every chunk to a clone of the parser, and then feeds the original something else.
fn snapshots(mut parser: Parser, case: &Case, cuts: &Cuts) -> Events {
    let mut events = Vec::new();
    for chunk in chunks(&case.text, cuts) {
        let mut next = parser.clone();
        events.extend(owned(next.feed(chunk)));
        let _ = parser.feed("</read><think>");
        parser = next;
    }
    events.extend(finish(&mut parser, case.ended));
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
