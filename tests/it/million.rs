//! A million live parsers: their heap, and that each answers for its own stream. (`tests/it/memory.rs` says how allocations are
//! counted.)

use std::fmt::Write;

use allocation_counter::measure;
use toolstream::{Dialect, Event, Parser, Status, ToolUse};

use crate::support::inputs;

const MILLION: usize = 1_000_000;

/// The most bytes of a live parser, heap and all: a million over all dialects stay under 1 GB.
const EACH: u64 = 1_000;

/// The most bytes in the largest dialects: `beam` and `harmony`, whose headers are read in many ways at once.
const MOST: u64 = 1_400;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_million_live_parsers() {
    let kinds: Vec<Kind> = Dialect::ALL.iter().map(Kind::new).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let share = MILLION.div_ceil(threads);
    // Each thread counts its own bytes. The sum is at least the bytes of all at any moment.
    let owned: u64 = std::thread::scope(|scope| {
        let live = || measure(|| live(&kinds, share)).bytes_max;
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(live)).collect();
        running.into_iter().map(|thread| thread.join().expect("each answer")).sum()
    });
    println!("{} bytes each", owned / MILLION as u64);
    assert!(owned < EACH * MILLION as u64, "a million live parsers own {owned} bytes");
}

/// No dialect hides behind the average of all.
#[test]
fn live_parsers_of_each_dialect() {
    const SOME: usize = 2_000;
    for dialect in Dialect::ALL {
        // The grammar is built beforehand, because all parsers share it.
        let kind = Kind::new(dialect);
        let owned = measure(|| live(&[kind], SOME)).bytes_max / SOME as u64;
        println!("{:15} {owned} bytes each", dialect.name());
        assert!(owned < MOST, "a live parser of {dialect:?} owns {owned} bytes");
    }
}

/// A dialect's parser, and a message with a gap in its value.
struct Kind {
    parser: Parser,
    before: String,
    after: String,
}

impl Kind {
    fn new(dialect: &Dialect) -> Kind {
        let message = inputs::read(dialect, "@");
        let (before, after) = message.split_once('@').expect("the gap");
        let (before, after) = (before.to_string(), after.to_string());
        Kind { parser: inputs::parser(dialect), before, after }
    }

    /// The message of one stream, whose value is its number.
    fn write(&self, number: usize, message: &mut String) {
        message.clear();
        write!(message, "{}{number:07}{}", self.before, self.after).expect("strings take all");
    }
}

/// The output of a stream.
#[derive(Clone, Default)]
struct Answer {
    /// The digits of the values, read as one number.
    number: usize,
    calls: usize,
}

impl Answer {
    fn take(&mut self, event: Event<&str>) {
        match event {
            Event::ToolUse(ToolUse::ParamDelta(piece) | ToolUse::ArgumentsDelta(piece)) => {
                let digits = piece.bytes().filter(u8::is_ascii_digit);
                digits.for_each(|digit| self.number = 10 * self.number + usize::from(digit - b'0'));
            }
            Event::ToolUse(ToolUse::End { status: Status::Complete, .. }) => self.calls += 1,
            _ => {}
        }
    }
}

/// Feeds `count` clones in turns, a chunk each, so all of them are in the middle of a call at once.
fn live(kinds: &[Kind], count: usize) {
    let kind = |number| &kinds[number % kinds.len()];
    let size = |number: usize| 25 + number % 7;
    let mut parsers = Vec::with_capacity(count);
    parsers.extend((0..count).map(|number| kind(number).parser.clone()));
    let mut answers = vec![Answer::default(); count];
    let mut message = String::new();
    let mut reading = true;
    for round in 0.. {
        if !std::mem::take(&mut reading) {
            break;
        }
        for (number, (parser, answer)) in parsers.iter_mut().zip(&mut answers).enumerate() {
            kind(number).write(number, &mut message);
            let rest = message.as_bytes().get(round * size(number)..).unwrap_or_default();
            let chunk = &rest[..rest.len().min(size(number))];
            parser.feed_bytes_into(chunk, &mut |event: Event<&str>| answer.take(event));
            reading |= !chunk.is_empty();
        }
    }
    for (number, (parser, answer)) in parsers.iter_mut().zip(&mut answers).enumerate() {
        parser.finish_into(&mut |event: Event<&str>| answer.take(event));
        assert_eq!((answer.number, answer.calls), (number, 1), "the answer of stream {number}");
    }
}
