//! Law 6, time: the machine does the same work at every entry point, and [`Parser::examined`] counts it. A unit that is
//! repeated costs no more for each byte in a long text than in a short one. `hostile.rs` bounds the work for each byte.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use toolstream::{Dialect, Event, Parser};

use crate::shapes;
use crate::support::{inputs, markers};

type Entry = fn(&mut Parser, &str);

const ENTRIES: [(&str, Entry); 4] = [
    ("feed", |parser, chunk| parser.feed(chunk).for_each(drop)),
    ("feed, left early", |parser, chunk| _ = parser.feed(chunk).next()),
    ("feed_bytes", |parser, chunk| parser.feed_bytes(chunk.as_bytes()).for_each(drop)),
    ("feed_shared", |parser, chunk| parser.feed_shared(&chunk.to_string().into()).for_each(drop)),
];

fn examined(dialect: &Dialect, text: &str, size: usize, entry: Entry) -> usize {
    let mut parser = inputs::parser(dialect);
    inputs::pieces(text, size).for_each(|chunk| entry(&mut parser, chunk));
    parser.finish_into(&mut |_: Event<&str>| {});
    parser.examined()
}

#[test]
fn every_door_does_the_same_work() {
    for dialect in Dialect::ALL {
        let text = inputs::session(dialect);
        for size in [1, 4, 61, text.len()] {
            let into: Entry = |parser, chunk| parser.feed_into(chunk, &mut |_: Event<&str>| {});
            let expected = examined(dialect, &text, size, into);
            // The last line of llama3-json, where no marker can begin any more, is not examined.
            let least = text.len() - 40;
            assert!(expected >= least, "{dialect:?}: {expected} of {} bytes", text.len());
            for (name, entry) in ENTRIES {
                let found = examined(dialect, &text, size, entry);
                assert_eq!(found, expected, "{dialect:?}, {name} in chunks of {size}");
            }
        }
    }
}

/// Units that may be repeated anywhere: letters, and the signs that bodies and markers are made of.
const SIGNS: [&str; 14] =
    ["a", " ", "\n", "\"", "'", "`", "{", "}", "[", "]", "\\", "<", ":", "</think>"];

/// The length of the short text: longer than any bound of held bytes, except for arguments before their name.
const LEN: usize = 2 << 10;
/// The second text is this many times as long, and may need this many times the work for each byte.
const TIMES: usize = 3;
const MOST: f64 = 1.3;

/// At any place of a call, a unit that is repeated in one feed costs as much work for each byte in a long text as in a short
/// one.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn nothing_grows_faster_than_the_text() {
    let mut dialects = Dialect::ALL.to_vec();
    dialects.extend([Dialect::HERMES.and(Dialect::REACT), Dialect::CLINE.and(Dialect::MISTRAL)]);
    dialects.push(Dialect::any());
    let calls: Vec<String> = dialects.iter().map(call).collect();
    let shapes = shapes::ALL.into_iter().chain(shapes::MESSAGES).map(shapes::dialect);
    let shapes = shapes.map(|dialect| (written_call(&dialect), dialect));
    let commands = shapes::COMMANDS.into_iter().map(shapes::dialect);
    let commands = commands.map(|dialect| (one_value(&dialect), dialect));
    let calls = calls.into_iter().zip(dialects);
    let dialects: Vec<(String, Dialect)> = calls.chain(shapes).chain(commands).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((call, dialect)) = dialects.get(next.fetch_add(1, Ordering::Relaxed)) {
            grows_no_faster(dialect, call);
        }
    };
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(work)));
    });
}

/// A call of a built-in dialect.
fn call(dialect: &Dialect) -> String {
    inputs::call(dialect, "write_to_file", &[("path", "a b"), ("content", "c")])
}

/// The call of a host's dialect, as the dialect writes it.
fn written_call(dialect: &Dialect) -> String {
    let input = json!({"path": "a b", "content": "c"});
    let input = input.as_object().expect("an object");
    inputs::parser(dialect).render_call("write_to_file", input).expect("a call")
}

/// A call of a dialect whose calls have one value.
fn one_value(dialect: &Dialect) -> String {
    let input = json!({"path": "a b"});
    let input = input.as_object().expect("an object");
    inputs::parser(dialect).render_call("read_file", input).expect("a call")
}

fn grows_no_faster(dialect: &Dialect, call: &str) {
    let units = units(dialect, call);
    for place in places(call) {
        let mut parser = inputs::parser(dialect);
        parser.feed_into(place, &mut |_: Event<&str>| {});
        for unit in &units {
            let [few, many] = [LEN, TIMES * LEN].map(|len| work(&parser, unit, len));
            assert!(
                many <= MOST * few,
                "{dialect:?}: {few:.1} bytes examined for each, {many:.1} in a text {TIMES} times \
                 as long: {unit:?} again and again after {place:?}"
            );
        }
    }
}

/// The number of bytes examined for each byte of a repeated unit.
fn work(parser: &Parser, unit: &str, len: usize) -> f64 {
    let mut parser = parser.clone();
    let text = unit.repeat(len.div_ceil(unit.len()));
    let before = parser.examined();
    parser.feed_into(&text, &mut |_: Event<&str>| {});
    parser.finish_into(&mut |_: Event<&str>| {});
    (parser.examined() - before) as f64 / text.len() as f64
}

/// The prefixes of a call that end with a word or a run of equal signs. The first prefix is empty.
fn places(call: &str) -> impl Iterator<Item = &str> {
    let kind = |at: usize| {
        call.as_bytes().get(at).map(|byte| match byte {
            byte if byte.is_ascii_alphanumeric() => b'a',
            byte => *byte,
        })
    };
    let ends =
        move |at: &usize| call.is_char_boundary(*at) && (*at == 0 || kind(*at - 1) != kind(*at));
    (0..=call.len()).filter(ends).map(|at| &call[..at])
}

/// Signs, each marker of the dialect alone and after many letters, and a whole call.
fn units(dialect: &Dialect, call: &str) -> Vec<String> {
    let mut units: Vec<String> = SIGNS.map(String::from).into();
    for marker in markers::of(dialect) {
        units.push("x".repeat(400) + &marker);
        units.push(marker);
    }
    units.push(call.to_string());
    units
}
