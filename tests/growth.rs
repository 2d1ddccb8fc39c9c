//! Law 6, time: the work grows with the input and with nothing else, whatever the input and
//! however small the chunks. What is counted is [`Parser::examined`], so a busy machine does not
//! matter; `benches/` has the same in seconds.

mod support;

use support::inputs;
use toolstream::{Dialect, Event, Parser};

/// The most bytes examined per byte of input: how many rules may look at one byte, together. The
/// worst is `react` in chunks of one byte, which judges half a keyword line anew with each of them.
const PER_BYTE: f64 = 48.0;

/// Sixteen times the input may cost this many times the work.
const GROWTH: f64 = 17.0;

/// Long enough that no bound on held bytes (1.5 KiB) can hide in it.
const LEN: usize = 8 << 10;

fn examined(mut parser: Parser, text: &str, size: usize) -> usize {
    for chunk in inputs::pieces(text, size) {
        parser.feed_into(chunk, &mut |_: Event<&str>| {});
    }
    parser.finish_into(&mut |_: Event<&str>| {});
    parser.examined()
}

/// The work for each byte of a text that `text` writes, after it has grown no more than it may.
fn measure(dialect: Dialect, name: &str, text: impl Fn(usize) -> String) -> f64 {
    let parser = inputs::parser(dialect);
    let (short, long) = (text(LEN), text(16 * LEN));
    let mut worst = 0_f64;
    for size in [1, 4, 16, long.len()] {
        let few = examined(parser.clone(), &short, size) as f64;
        let many = examined(parser.clone(), &long, size) as f64;
        let (growth, each) = (many / few, many / long.len() as f64);
        let what = format!("{} with {name} in chunks of {size}", dialect.name());
        assert!(growth <= GROWTH, "{what}: {growth:.1} times the work for 16 times the input");
        assert!(each <= PER_BYTE, "{what}: {each:.1} bytes examined per byte");
        worst = worst.max(each);
    }
    println!("{:16}{name:34}{worst:6.2}", dialect.name());
    worst
}

#[test]
fn ordinary_messages() {
    for &dialect in Dialect::ALL {
        measure(dialect, "prose", inputs::prose);
        measure(dialect, "code", inputs::code);
        measure(dialect, "prose in a value", |len| inputs::write(dialect, &inputs::prose(len)));
        measure(dialect, "code in a value", |len| inputs::write(dialect, &inputs::code(len)));
        let session = inputs::session(dialect);
        measure(dialect, "calls", |len| session.repeat(len.div_ceil(session.len())));
    }
}

#[test]
fn hostile_messages() {
    for &dialect in Dialect::ALL {
        for hostile in inputs::hostile(dialect) {
            measure(dialect, hostile.name, |len| hostile.text(len));
        }
    }
}
