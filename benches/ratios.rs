//! The speed goals of the design, each as a row: goal, measured, ok or MISSED.
//!
//! ```text
//! cargo bench --bench ratios                  all dialects, about a minute each
//! cargo bench --bench ratios -- cline react   these alone
//! cargo bench --bench ratios -- beside        all dialects beside hermes alone, two minutes
//! cargo bench --bench ratios -- streams       10,000 live streams alone
//! ```
//! Baseline and parser take turns in one run, so that a disturbance hits both alike. The numbers are for
//! people: a time is never an assertion.

mod work;

use std::hint::black_box;
use std::time::{Duration, Instant};

use toolstream::{Dialect, Event, Parser};
use work::shapes::Shape;
use work::streams::{self, Live};
use work::{Input, inputs};

/// The time for measuring a pair.
fn budget() -> Duration {
    Duration::from_millis(if work::is_measurement() { 400 } else { 0 })
}

fn main() {
    let dialects = dialects();
    println!("{:15} {:43} {:>8} {:>9}", "dialect", "what", "goal", "measured");
    if only(STREAMS) {
        return many_streams();
    }
    let (prose, code) = (inputs::prose(work::len()), inputs::code(work::len()));
    // Small chunks take long: with a shorter text more runs are not interrupted.
    let shorter = inputs::prose(work::len() / 8);
    for dialect in &dialects {
        let table = Table { dialect: dialect.name() };
        table.beside_hermes(dialect);
        if only(BESIDE) {
            continue;
        }
        let text = Input::text("prose", dialect, prose.clone());
        if *dialect == Dialect::REACT {
            // Each of its lines may begin a marker: line feeds count here as `<` does in code.
            table.lines(&text);
            let line = prose.replace('\n', " ");
            table.plain(&Input::text("prose on one line", dialect, line));
        } else {
            table.plain(&text);
        }
        table.chunked(&Input::text("prose", dialect, shorter.clone()));
        table.code(&Input::text("code", dialect, code.clone()));
        if inputs::speaks_json(dialect) {
            table.json(&Input::value("arguments", dialect, &code));
        } else {
            table.plain(&Input::value("value of prose", dialect, &prose));
            table.chunked(&Input::value("value of prose", dialect, &shorter));
            table.code(&Input::value("value of code", dialect, &code));
        }
        if *dialect == Dialect::REACT {
            let answer = "Final Answer: ".to_string() + &prose;
            table.lines(
                &Input::text("answer", dialect, answer).showing(&(" ".to_string() + &prose)),
            );
        }
        table.growth(dialect);
        table.hostile(dialect);
        table.memory(&inputs::parser(dialect));
        table.building(dialect);
    }
    if !only(BESIDE) {
        many_streams();
    }
}

/// 10,000 live streams in turns, in four dialects: their cost over streams one after the other, whose state
/// is in the processor's cache, and the memory of each.
fn many_streams() {
    for dialect in [Dialect::QWEN3_CODER, Dialect::HERMES, Dialect::CLINE, Dialect::KIMI_K2] {
        let message = streams::message(inputs::prose, |value| inputs::write(&dialect, value));
        let chunks: Vec<&str> = inputs::pieces(&message, streams::CHUNK).collect();
        let parser = inputs::parser(&dialect);
        let fresh = || Live::new(&parser);
        let (mut turns, mut alone): (f64, f64) = (0.0, 0.0);
        for _ in 0..3 {
            turns = turns.max(streams::in_turns(&chunks, &fresh));
            alone = alone.max(streams::one_by_one(&chunks, &fresh));
        }
        let table = Table { dialect: dialect.name() };
        let what = format!("10,000 streams in turns, {:.1} M chunks/s", turns / 1e6);
        table.row(&what, 3.0, "x alone", alone / turns);
    }
}

const BESIDE: &str = "beside";
const STREAMS: &str = "streams";

fn only(rows: &str) -> bool {
    std::env::args().any(|arg| arg == rows)
}

/// Returns the dialects of the command line, or all.
fn dialects() -> Vec<Dialect> {
    let named = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-') && ![BESIDE, STREAMS].contains(&&**arg));
    let named: Vec<Dialect> = named.map(|name| known(&name)).collect();
    if named.is_empty() { Dialect::ALL.to_vec() } else { named }
}

fn known(name: &str) -> Dialect {
    Dialect::by_name(name).unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(2)
    })
}

/// Prints the rows of one dialect.
struct Table<'a> {
    dialect: &'a str,
}

impl Table<'_> {
    fn row(&self, what: &str, goal: f64, unit: &str, measured: f64) {
        let verdict = match work::is_measurement() {
            false => "(a trial)",
            true if measured <= goal => "ok",
            true => "MISSED",
        };
        let goal = format!("{goal} {unit}");
        println!("{:15} {what:43} {goal:>8} {measured:9.2} {verdict}", self.dialect);
    }

    /// Reads the text in `hermes`, its parser made before: 1.5 times its time (H).
    fn beside_hermes(&self, dialect: &Dialect) {
        const WHOLE: usize = usize::MAX;
        let (short, long) = (("32 KiB", 32 << 10), ("1 MiB", 1 << 20));
        for (shape, (size, len), chunk) in [
            (Shape::Prose, short, WHOLE),
            (Shape::Prose, long, WHOLE),
            (Shape::Prose, short, 4),
            (Shape::BigValue, short, WHOLE),
            (Shape::BigValue, long, WHOLE),
            (Shape::BigValue, short, 4),
        ] {
            let (hermes, ours) = best(
                read_again(&Dialect::HERMES, shape, len, chunk),
                read_again(dialect, shape, len, chunk),
            );
            let chunk = if chunk == WHOLE { "whole" } else { "4 bytes" };
            self.row(&format!("{}, {size} {chunk}, sink", shape.name()), 1.5, "H", ours / hermes);
        }
    }

    /// Reads a chunk without any `<` in its text or value: 2 P.
    fn plain(&self, input: &Input) {
        let (message, whole) = (&*input.message, input.message.len());
        let parser = input.checked(whole);
        let (p, ours) = best(|| work::pass(message), || work::sink(parser, message, whole));
        self.row(&format!("{}, whole, sink", input.name), 2.0, "P", ours / p);
    }

    /// Reads it in chunks of 4 bytes: 3 C and 6 C.
    fn chunked(&self, input: &Input) {
        let message = &*input.message;
        let parser = input.checked(4);
        let (c, ours) = best(|| work::calls(message, 4), || work::sink(parser, message, 4));
        self.row(&format!("{}, 4 bytes, sink", input.name), 3.0, "C", ours / c);
        let (c, ours) = best(|| work::calls(message, 4), || work::iterator(parser, message, 4));
        self.row(&format!("{}, 4 bytes, iterator", input.name), 6.0, "C", ours / c);
    }

    /// Reads a chunk whose lines may begin markers: 2 L, a pass that touches every line feed.
    fn lines(&self, input: &Input) {
        let (message, whole) = (&*input.message, input.message.len());
        let parser = input.checked(whole);
        let (l, ours) = best(|| work::visit_lines(message), || work::sink(parser, message, whole));
        self.row(&format!("{}, whole, sink", input.name), 2.0, "L", ours / l);
    }

    /// Reads a chunk full of `<`: 3 V.
    fn code(&self, input: &Input) {
        let (message, whole) = (&*input.message, input.message.len());
        let parser = input.checked(whole);
        let (v, ours) = best(|| work::visit(message), || work::sink(parser, message, whole));
        self.row(&format!("{}, whole, sink", input.name), 3.0, "V", ours / v);
    }

    /// Reads a chunk of JSON arguments with escapes: 3 J, and a byte a nanosecond.
    fn json(&self, input: &Input) {
        let (message, whole) = (&*input.message, input.message.len());
        let parser = input.checked(whole);
        let (j, ours) = best(|| work::visit_json(message), || work::sink(parser, message, whole));
        self.row(&format!("{}, whole, sink", input.name), 3.0, "J", ours / j);
        let each = ours * 1e6 / whole as f64;
        self.row(&format!("{}, whole, sink", input.name), 1.0, "ns/B", each);
    }

    /// Reads sixteen times as much: at most 17 times the time, and the work.
    fn growth(&self, dialect: &Dialect) {
        self.grows(dialect, Shape::BigValue, 4);
        self.grows(dialect, Shape::ManyCalls, 4);
        self.grows(dialect, Shape::ManyCalls, usize::MAX);
        if Shape::JsonArgs.fits(dialect) {
            self.grows(dialect, Shape::JsonArgs, 4);
            self.grows(dialect, Shape::JsonArgs, usize::MAX);
        }
    }

    fn grows(&self, dialect: &Dialect, shape: Shape, chunk: usize) {
        // Shapes that take long are shorter.
        let len = if shape == Shape::BigValue { work::len() } else { work::len() / 8 };
        let text = |len| shape.text(dialect, len, chunk).message;
        let (time, work) = growth(&inputs::parser(dialect), len, chunk, text);
        let chunk = if chunk == usize::MAX { "whole" } else { "4 bytes" };
        let what = format!("growth of {}, {chunk}", shape.name());
        self.row(&format!("{what}, time"), 17.0, "x", time);
        self.row(&format!("{what}, examined"), 17.0, "x", work);
    }

    /// Reads the hostile texts that grow most, in time and in work. There are many, so they are shorter.
    fn hostile(&self, dialect: &Dialect) {
        let parser = inputs::parser(dialect);
        let (mut time, mut work) = ((0.0, ""), (0.0, ""));
        for hostile in inputs::hostile(dialect) {
            let grown = || growth(&parser, work::len() / 64, 4, |len| hostile.text(len));
            let (mut longer, more) = grown();
            // The greatest of many may be disturbed: a text that still stands out does so by its nature.
            for _ in 0..3 {
                longer = if longer > time.0 { longer.min(grown().0) } else { longer };
            }
            time = if longer > time.0 { (longer, hostile.name) } else { time };
            work = if more > work.0 { (more, hostile.name) } else { work };
        }
        self.row(&format!("growth of {}, time", time.1), 17.0, "x", time.0);
        self.row(&format!("growth of {}, examined", work.1), 17.0, "x", work.0);
    }

    fn memory(&self, parser: &Parser) {
        self.row("size of a parser", 512.0, "bytes", size_of::<Parser>() as f64);
        let clones = || std::iter::repeat_n(parser, 1_000).cloned().map(black_box).count();
        let (_, thousand) = best(|| 0, clones);
        self.row("clone of a fresh parser", 200.0, "ns", thousand * 1e3);
    }

    /// Builds a parser for 30 tools (goal: 4 automata over their names, A), and for 300 tools (goal: 11 times
    /// that). The dialect was compiled before: a host builds a parser for each request.
    fn building(&self, dialect: &Dialect) {
        let (few, many) = (work::tools(30), work::tools(300));
        work::build(dialect, &few);
        let (automaton, thirty) = best(|| work::automaton(&few), || work::build(dialect, &few));
        self.row("building for 30 tools", 4.0, "A", thirty / automaton);
        let (thirty, hundreds) =
            best(|| work::build(dialect, &few), || work::build(dialect, &many));
        self.row("building for 300 tools, of 30", 11.0, "x", hundreds / thirty);
    }
}

/// Reads a text of this shape after the header of its stream. A short text is read often, so that it takes a
/// while.
fn read_again(dialect: &Dialect, shape: Shape, len: usize, chunk: usize) -> impl FnMut() -> usize {
    let mut parser = inputs::parser(dialect);
    let text = shape.text(dialect, len, chunk);
    text.check(&parser, chunk, &work::ENTRIES[..1]);
    let opening = if shape == Shape::Prose { inputs::opening(dialect) } else { "" };
    parser.feed_into(opening, &mut |_: Event<&str>| {});
    let times = if chunk < len { 1 } else { (1 << 20) / len };
    move || (0..times).map(|_| work::sink(&parser, &text.message[opening.len()..], chunk)).sum()
}

/// Returns time and examined bytes at 16 times the length, divided by those at the length.
fn growth(parser: &Parser, len: usize, chunk: usize, text: impl Fn(usize) -> String) -> (f64, f64) {
    let (short, long) = (text(len), text(16 * len));
    // Long runs are all interrupted. Pairs of the same length are interrupted alike.
    let mut sixteen = || (0..16).map(|_| work::sink(parser, &short, chunk)).sum();
    let mut once = || work::sink(parser, &long, chunk);
    let mut ratios: Vec<f64> = (0..5).map(|_| time(&mut once) / time(&mut sixteen)).collect();
    ratios.sort_by(f64::total_cmp);
    let work = |text| examined(parser, text, chunk) as f64;
    (16.0 * ratios[2], work(&long) / work(&short))
}

fn examined(parser: &Parser, text: &str, chunk: usize) -> usize {
    let mut parser = parser.clone();
    inputs::pieces(text, chunk).for_each(|piece| parser.feed_into(piece, &mut |_: Event<&str>| {}));
    parser.finish_into(&mut |_: Event<&str>| {});
    parser.examined()
}

/// Returns the best times of two pieces of work, in milliseconds. They take turns.
fn best(mut one: impl FnMut() -> usize, mut other: impl FnMut() -> usize) -> (f64, f64) {
    let begun = Instant::now();
    let mut best = (f64::INFINITY, f64::INFINITY);
    loop {
        best.0 = best.0.min(time(&mut one));
        best.1 = best.1.min(time(&mut other));
        if begun.elapsed() >= budget() {
            return best;
        }
    }
}

fn time(work: &mut impl FnMut() -> usize) -> f64 {
    let begun = Instant::now();
    black_box(work());
    begun.elapsed().as_secs_f64() * 1e3
}
