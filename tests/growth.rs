//! Law 6, time: whatever the entry point, the machine does the same work, and [`Parser::examined`] tells
//! how much. What it may be for each byte of a text is in `src/machine/work.rs`.
#![cfg(feature = "json")]

mod support;

use support::inputs;
use toolstream::{Dialect, Event, Parser};

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
            assert!(expected >= text.len(), "{dialect:?}: every byte is examined");
            for (name, entry) in ENTRIES {
                let found = examined(dialect, &text, size, entry);
                assert_eq!(found, expected, "{dialect:?}, {name} in chunks of {size}");
            }
        }
    }
}
