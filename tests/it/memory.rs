//! Law 6, memory: the heap of a parser, and its allocations.
//!
//! The counting allocator comes from the crate `allocation-counter`. A global allocator needs `unsafe`, which this crate forbids
//! in all its targets. This allocator counts by thread, so tests can run at the same time. (`stats_alloc` counts for the process,
//! and `dhat` needs one test a process.)

use std::hint::black_box;

use allocation_counter::measure;
use toolstream::options::bounds::HELD;
use toolstream::{Dialect, Event, Parser, options::bounds};

use crate::support::inputs::{self, pieces};

/// The number of allocations while `work` runs.
fn allocations(work: impl FnOnce()) -> u64 {
    measure(work).count_total
}

fn feed_into(parser: &mut Parser, text: &str, size: usize) {
    for chunk in pieces(text, size) {
        parser.feed_into(chunk, &mut |event: Event<&str>| {
            black_box(event);
        });
    }
}

fn feed(parser: &mut Parser, text: &str, size: usize) {
    for chunk in pieces(text, size) {
        for event in parser.feed(chunk) {
            black_box(event);
        }
    }
}

/// The most allocations of one parser for its buffers.
const MOST: u64 = 20;

type Entry = fn(&mut Parser, &str, usize);

const ENTRIES: [(&str, Entry); 2] = [("feed_into", feed_into), ("feed", feed)];

/// The allocations of a long stream in its second half. Both halves are the same text with the same cuts, so the first half has
/// met everything.
fn second_half(entry: Entry, parser: &Parser, text: &str, size: usize) -> u64 {
    let mut parser = parser.clone();
    let mut half = || (0..4).for_each(|_| entry(&mut parser, text, size));
    half();
    allocations(half)
}

/// A fresh parser, after clones of it have read the text: everything that is built once a process exists then.
fn warm_tables(dialect: &Dialect, text: &str, size: usize) -> Parser {
    let fresh = inputs::parser(dialect);
    for _ in 0..2 {
        let mut reader = fresh.clone();
        (0..8).for_each(|_| feed_into(&mut reader, text, size));
    }
    fresh
}

/// All texts that are measured, with their names.
fn texts(dialect: &Dialect) -> Vec<(&'static str, String)> {
    let mut texts = vec![
        ("a session", inputs::session(dialect)),
        ("prose", inputs::prose(5_000)),
        ("code", inputs::code(5_000)),
    ];
    let hostile = inputs::hostile(dialect);
    texts.extend(hostile.iter().map(|hostile| (hostile.name, hostile.text(700))));
    texts
}

#[test]
fn a_parser_is_small() {
    assert!(size_of::<Parser>() <= 512, "a parser has {} bytes", size_of::<Parser>());
}

#[test]
fn a_fresh_parser_owns_no_heap() {
    for dialect in Dialect::ALL {
        let parser = inputs::parser(dialect);
        let count = allocations(|| {
            black_box(parser.clone());
        });
        assert_eq!(count, 0, "the tables of {dialect:?} are not shared");
    }
}

#[test]
fn reset_asks_for_nothing() {
    for dialect in Dialect::ALL {
        let mut parser = inputs::parser(dialect);
        feed(&mut parser, &inputs::session(dialect), 7);
        assert_eq!(allocations(|| parser.reset()), 0, "{dialect:?}");
    }
}

/// Whether a marker may begin with a letter, with the name of a tool, or with the first word of the stream. Then words are held.
fn looks_at_words(dialect: &Dialect) -> bool {
    let names = ["llama3-json", "phi4", "functionary", "gigachat3", "inkling", "muse", "mistral"];
    names.contains(&dialect.name())
}

#[test]
fn nothing_before_the_first_marker() {
    // A line that begins like a keyword is held by dialects of lines. None of these lines does.
    let prose = ("\n".to_string() + &inputs::prose(10_000)).replace("\n", "\nso: ");
    for (dialect, opening) in inputs::text_openings() {
        for size in [1, 4, 64, prose.len()] {
            let mut parser = inputs::parser(dialect);
            parser.feed_into(opening, &mut |_: Event<&str>| {});
            let what = format!("{dialect:?} in chunks of {size}");
            let count = allocations(|| feed_into(&mut parser, &prose, size));
            let most = if looks_at_words(dialect) { MOST } else { 0 };
            assert!(count <= most, "{what}: {count} allocations before the first marker");
            let owned = allocations(|| {
                black_box(parser.clone());
            });
            let most = if looks_at_words(dialect) { 2 } else { 0 };
            assert!(owned <= most, "{what}: heap before the first marker");
        }
    }
}

/// With a sink, no event, chunk or call costs an allocation. Buffers grow to the longest marker, and then no more, however long
/// the stream.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_stream_asks_a_few_times() {
    for dialect in Dialect::ALL {
        for (name, text) in texts(dialect) {
            for size in [1, 4, 64, text.len()] {
                let mut parser = warm_tables(dialect, &text, size);
                let stream = || (0..8).for_each(|_| feed_into(&mut parser, &text, size));
                let count = allocations(stream);
                let what = format!("{dialect:?}, {name} in chunks of {size}");
                assert!(count <= MOST, "{what}: {count} allocations");
            }
        }
    }
}

/// In code, only a `<` at the end of a chunk is held.
#[test]
fn next_to_nothing_for_code() {
    for (dialect, opening) in inputs::text_openings() {
        for (size, most) in [(1, 1), (4, 1), (10_000, 0)] {
            let mut parser = inputs::parser(dialect);
            parser.feed_into(opening, &mut |_: Event<&str>| {});
            let code = inputs::code(10_000);
            let count = allocations(|| feed_into(&mut parser, &code, size));
            let most = if looks_at_words(dialect) { MOST } else { most };
            assert!(count <= most, "{dialect:?} in chunks of {size}: {count} allocations");
        }
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn nothing_once_warm() {
    for dialect in Dialect::ALL {
        for (name, text) in texts(dialect) {
            for size in [1, 4, 64, text.len()] {
                let fresh = warm_tables(dialect, &text, size);
                for (entry_name, entry) in ENTRIES {
                    let count = second_half(entry, &fresh, &text, size);
                    let what = format!("{dialect:?}, {name}, {entry_name} in chunks of {size}");
                    // Dialects that try every object may allocate once.
                    let most = u64::from(["bare-json", "wrapped-json"].contains(&dialect.name()));
                    assert!(count <= most, "{what}: {count} allocations in the second half");
                }
            }
        }
    }
}

/// The held bytes and the heap stay small on any input.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn bounded_on_hostile_input() {
    for dialect in Dialect::ALL {
        for hostile in inputs::hostile(dialect) {
            for size in [1, 4, 61, 4096] {
                let mut parser = inputs::parser(dialect);
                let (held, owned) = most(&mut parser, &hostile.text(16 << 10), size);
                let what = format!("{dialect:?}, {} in chunks of {size}", hostile.name);
                // An object that may be the answer waits for its name, as arguments before a name do.
                let tries = ["bare-json", "wrapped-json", "llama3-json"].contains(&dialect.name());
                let most = if tries { bounds::ARGUMENTS + HELD } else { HELD };
                assert!(held <= most, "{what}: {held} bytes are held");
                assert!(owned <= 4 * most as u64, "{what}: {owned} bytes are owned");
            }
        }
    }
}

/// JSON arguments before the name wait for it. They have the only greater bound.
#[test]
fn arguments_before_their_name_are_bounded() {
    for dialect in [Dialect::HERMES, Dialect::TOOL_CALL] {
        let mut parser = inputs::parser(&dialect);
        let text = "<tool_call>{\"arguments\": {\"a\": \"".to_string() + &"x".repeat(1 << 18);
        let (held, _) = most(&mut parser, &text, 61);
        assert!(held > HELD, "{dialect:?}: only {held} bytes are held");
        assert!(held <= bounds::ARGUMENTS + HELD, "{dialect:?}: {held} bytes are held");
    }
}

/// The highest number of held bytes after a chunk, and the heap of a clone at the end.
fn most(parser: &mut Parser, text: &str, size: usize) -> (usize, u64) {
    let mut held = 0;
    for chunk in pieces(text, size) {
        feed_into(parser, chunk, size);
        held = held.max(parser.held());
    }
    let owned = measure(|| {
        black_box(parser.clone());
    });
    (held, owned.bytes_total)
}
