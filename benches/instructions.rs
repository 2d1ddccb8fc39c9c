//! Instructions of the hot paths, with a limit for each. No clock can show them in CI.
//!
//! ```text
//! cargo bench --bench instructions               the present numbers; fails where one is too great
//! cargo bench --bench instructions -- react      the rows of these dialects alone
//! cargo bench --bench instructions -- --test     the results alone are checked
//! ```
//! Valgrind's callgrind counts the instructions between two calls of [`boundary`]: parsers and texts are made
//! before, results are checked before. A count is the same in every run of one build; another compiler, or
//! another processor's `memchr`, changes it. So where vector instructions do the work, the unit is a bare
//! pass over the same bytes, counted in the same run.
//!
//! A limit is 15 to 25 % above the count when it was set. Whoever makes a path faster lowers its limit in
//! [`READING`] or [`MAKING`]. Whoever has a reason to make a path slower raises it, and gives the reason in
//! the commit.
//!
//! On 2026-11-29 readers replaced rules in `react` and `harmony`, and six rows rose. Their goals are the limits before: small
//! calls in 4-byte chunks (24,300 and 27,500), `react`'s answers in 4-byte chunks (196), its prose in 4-byte chunks (1.05 of a
//! parser by hand), and source code in one piece (3.1). A keyword or a header is read again from its first byte with each chunk.
//!
//! Without valgrind nothing is counted, and the bench says so. (No harness from the registry: its runner is a
//! second program of 165 crates, and a limit in it cannot be a multiple of another count.)

mod work;

use std::fs;
use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};

use toolstream::adapt::{Broken, Calls, Delta, Deltas, EventWriter, Protocol};
use toolstream::{Dialect, Event, Parser};
use work::by_hand::{self, ByHand};
use work::shapes::Shape;
use work::{inputs, through_iterator, through_sink};

/// Reading a text of 32 KiB: the limits, and their units.
#[rustfmt::skip]
const READING: [(f64, Unit, Dialect, Shape, usize, Entry); 24] = [
    (180.0, Unit::Chunk, Dialect::CLINE, Shape::Prose, 4, SINK),
    (260.0, Unit::Chunk, Dialect::CLINE, Shape::Prose, 4, ITERATOR),
    (1.5, Unit::Pass, Dialect::CLINE, Shape::Prose, WHOLE, SINK),
    (4.6, Unit::PassOf('<'), Dialect::CLINE, Shape::Code, WHOLE, SINK),
    (205.0, Unit::Chunk, Dialect::CLINE, Shape::BigValue, 4, SINK),
    (5.4, Unit::Pass, Dialect::CLINE, Shape::BigValue, WHOLE, SINK),
    (760.0, Unit::Chunk, Dialect::HERMES, Shape::JsonEscapes, 16, SINK),
    (1.5, Unit::PassOf('"'), Dialect::HERMES, Shape::JsonEscapes, WHOLE, SINK),
    (16_000.0, Unit::Call, Dialect::CLINE, Shape::ManyCalls, WHOLE, SINK),
    (10_000.0, Unit::Call, Dialect::HERMES, Shape::ManyCalls, WHOLE, SINK),
    (15_200.0, Unit::Call, Dialect::QWEN3_CODER, Shape::ManyCalls, WHOLE, SINK),
    (9_100.0, Unit::Call, Dialect::KIMI_K2, Shape::ManyCalls, WHOLE, SINK),
    (12_000.0, Unit::Call, Dialect::REACT, Shape::ManyCalls, WHOLE, SINK),
    (15_000.0, Unit::Call, Dialect::GLM, Shape::ManyCalls, WHOLE, SINK),
    (10_100.0, Unit::Call, Dialect::HARMONY, Shape::ManyCalls, WHOLE, SINK),
    (35_700.0, Unit::Call, Dialect::CLINE, Shape::ManyCalls, 4, SINK),
    (38_000.0, Unit::Call, Dialect::HERMES, Shape::ManyCalls, 4, SINK),
    (43_500.0, Unit::Call, Dialect::QWEN3_CODER, Shape::ManyCalls, 4, SINK),
    (40_200.0, Unit::Call, Dialect::KIMI_K2, Shape::ManyCalls, 4, SINK),
    (32_000.0, Unit::Call, Dialect::REACT, Shape::ManyCalls, 4, SINK),
    (48_000.0, Unit::Call, Dialect::GLM, Shape::ManyCalls, 4, SINK),
    (36_500.0, Unit::Call, Dialect::HARMONY, Shape::ManyCalls, 4, SINK),
    (216.0, Unit::Chunk, Dialect::REACT, Shape::ReactAnswer, 4, SINK),
    (2.3, Unit::PassOf('\n'), Dialect::REACT, Shape::ReactAnswer, WHOLE, SINK),
];

/// Reading in one chunk and in 4-byte chunks, as a multiple of the instructions of a parser by hand. It was written for
/// this dialect alone, and knows only well-formed text. It is a lower bound, not a goal; where long texts are searched
/// and little is read, ours may search better.
#[rustfmt::skip]
const OF_BY_HAND: [(f64, f64, Dialect, Shape); 11] = [
    (6.5, 3.9, Dialect::CLINE, Shape::ManyCalls),
    (4.5, 4.45, Dialect::HERMES, Shape::ManyCalls),
    (4.9, 3.5, Dialect::QWEN3_CODER, Shape::ManyCalls),
    (4.3, 3.1, Dialect::KIMI_K2, Shape::ManyCalls),
    (6.5, 5.0, Dialect::REACT, Shape::ManyCalls),
    (6.3, 4.1, Dialect::GLM, Shape::ManyCalls),
    (6.7, 3.65, Dialect::HARMONY, Shape::ManyCalls),
    (1.05, 1.4, Dialect::QWEN3_CODER, Shape::CodeValue),
    (2.45, 2.0, Dialect::GLM, Shape::CodeValue),
    (1.1, 1.1, Dialect::REACT, Shape::Prose),
    (3.65, 3.1, Dialect::REACT, Shape::Code),
];

/// Making a parser: the most instructions for a clone of a fresh parser, and for building one.
#[rustfmt::skip]
const MAKING: [(f64, f64, Dialect); 2] = [
    (690.0, 12_000.0, Dialect::CLINE),
    (590.0, 6_000.0, Dialect::TOOL_CALL),
];

/// Reading in any dialect, as a multiple of the instructions of `hermes`.
const OF_HERMES: f64 = 1.5;

/// The rows with a higher multiple. A bare pass for one character is so fast that any more stops show.
#[rustfmt::skip]
const MORE: [(f64, Shape, usize, &[Dialect]); 13] = [
    // Each line may begin a marker: finding the line feeds alone takes six times the instructions of
    // `hermes`.
    (17.0, Shape::Prose, WHOLE, &[Dialect::REACT]),
    // A word opens a section, or a call: it is searched in a pass of its own.
    (4.4, Shape::Prose, WHOLE, &[Dialect::PHI4, Dialect::GIGACHAT3]),
    // Markers that have no byte in common: a pass for two takes twice the instructions of one, and so do
    // two passes. In time it is 1.0 to 1.6 times `hermes`: BENCHMARKS.md.
    (2.55, Shape::Prose, WHOLE, &[
        Dialect::MINIMAX_M2, Dialect::MISTRAL, Dialect::PYTHONIC, Dialect::APRIEL,
        Dialect::CODE_ASSISTANT_CARET, Dialect::KIMI_K2, Dialect::KIMI_K3,
        Dialect::MINIMAX_M3, Dialect::LLAMA3_JSON, Dialect::LFM2, Dialect::WRAPPED_JSON,
        Dialect::FUNCTIONARY,
    ]),
    // Markers of three first bytes.
    (1.7, Shape::Prose, 4, &[
        Dialect::MINIMAX_M2, Dialect::MINIMAX_M3, Dialect::BARE_JSON, Dialect::WRAPPED_JSON,
    ]),
    // A marker may begin with the name of a tool: a chunk that ends in the beginning of a name is pending.
    (3.8, Shape::Prose, 4, &[Dialect::MISTRAL]),
    // The same markers in source code, which has brackets where prose has none.
    (2.1, Shape::Code, WHOLE, &[
        Dialect::REACT, Dialect::JSON_ARRAY, Dialect::SEED_OSS, Dialect::FUNCTIONARY,
    ]),
    (2.65, Shape::Code, WHOLE, &[
        Dialect::MINIMAX_M2, Dialect::CODE_ASSISTANT_CARET, Dialect::GIGACHAT3,
        Dialect::GIGACHAT35, Dialect::DOTS, Dialect::STEP3,
        // A declared name may stand behind each `<`.
        Dialect::CLINE,
    ]),
    (3.55, Shape::Code, WHOLE, &[
        Dialect::MISTRAL, Dialect::MINIMAX_M3, Dialect::PYTHONIC, Dialect::PHI4,
    ]),
    (5.7, Shape::Code, WHOLE, &[Dialect::LFM2]),
    // Brackets behind white space, of which source code is full.
    (8.3, Shape::Code, WHOLE, &[Dialect::BARE_JSON, Dialect::WRAPPED_JSON]),
    // Each line may begin a call or a fence, and so may many signs in it.
    (85.0, Shape::Prose, WHOLE, &[Dialect::BARE_JSON]),
    // Strings whose end only the text behind them shows: brackets and quotes in them are counted.
    (12.0, Shape::BigValue, WHOLE, &[
        Dialect::PYTHONIC, Dialect::LFM2, Dialect::OLMO3, Dialect::GEMMA4, Dialect::FUNCTIONGEMMA,
    ]),
    (6.0, Shape::BigValue, 4, &[Dialect::PYTHONIC, Dialect::LFM2, Dialect::OLMO3]),
];

/// The header that a stream begins in, in one chunk, when it has come before: the most instructions. A row of prose begins after
/// it: a header costs the same for a message of any length, and would be more than all of the prose.
#[rustfmt::skip]
const HEADERS: [(f64, Dialect); 3] = [
    (3_500.0, Dialect::HARMONY),
    (3_500.0, Dialect::BEAM),
    (2_300.0, Dialect::FUNCTIONARY),
];

/// The header of `harmony`, as a multiple of the instructions of a parser by hand.
const OF_HEADER_BY_HAND: f64 = 17.0;

/// Reading, and writing the answer for a client, as a multiple of the instructions of reading. The goal is 2, in time. Five
/// of these rose on 2026-11-25, when reading small calls in 16-byte chunks became a fifth to a half cheaper, and those of
/// `hermes` on 2026-11-28, when readers took it over. Writing takes as many instructions as before.
#[rustfmt::skip]
const WRITING: [(f64, Dialect, Shape, usize, Writer); 11] = [
    (1.42, Dialect::CLINE, Shape::ManyCalls, 16, Writer::Deltas),
    (2.14, Dialect::CLINE, Shape::ManyCalls, 16, Writer::Answer(Protocol::OpenAiChat)),
    (2.95, Dialect::CLINE, Shape::ManyCalls, 16, Writer::Answer(Protocol::OpenAiResponses)),
    (2.25, Dialect::CLINE, Shape::ManyCalls, 16, Writer::Answer(Protocol::Anthropic)),
    (1.95, Dialect::HERMES, Shape::ManyCalls, 16, Writer::Deltas),
    (2.65, Dialect::HERMES, Shape::ManyCalls, 16, Writer::Answer(Protocol::OpenAiChat)),
    (3.55, Dialect::HERMES, Shape::ManyCalls, 16, Writer::Answer(Protocol::OpenAiResponses)),
    (2.85, Dialect::HERMES, Shape::ManyCalls, 16, Writer::Answer(Protocol::Anthropic)),
    (2.1, Dialect::CLINE, Shape::ManyCalls, 16, Writer::WhenWhole { broken: false }),
    (2.7, Dialect::HERMES, Shape::ManyCalls, 16, Writer::WhenWhole { broken: false }),
    (1.9, Dialect::HERMES, Shape::ManyCalls, 16, Writer::WhenWhole { broken: true }),
];

/// An argument of 32 KiB in 4-byte chunks, and a look at the partial call after each: the most instructions a
/// chunk, including reading. An argument twice as long takes at most twice as many, and a little more.
#[rustfmt::skip]
const LOOKING: [(f64, Dialect, Shape); 4] = [
    (2_600.0, Dialect::HERMES, Shape::BigValue),
    (2_700.0, Dialect::HERMES, Shape::JsonEscapes),
    (1_600.0, Dialect::QWEN3_CODER, Shape::BigValue),
    (3_150.0, Dialect::PYTHONIC, Shape::BigValue),
];
const OF_HALF: f64 = 2.1;

/// Looks at a call of many small arguments behind every chunk, and with twice as many.
const COUNTING: [(f64, Dialect); 3] =
    [(3_000.0, Dialect::GLM), (3_000.0, Dialect::QWEN3_CODER), (3_600.0, Dialect::HERMES)];

/// A writer for a client.
#[derive(Clone, Copy, Debug)]
enum Writer {
    Deltas,
    Answer(Protocol),
    /// A chat whose calls leave once they may run. Broken calls leave as calls; with `broken` every call is a broken
    /// one.
    WhenWhole {
        broken: bool,
    },
}

/// Text behind the bracket of a call's arguments that no reader can repair.
const BREAKS: [&str; 2] = ["\"arguments\": {", "\"arguments\": {]"];

/// Building a parser for 30 tools, as a multiple of one automaton over their names; and for 300 tools, as a
/// multiple of 30 tools. The goals are 4 and 11.
const OF_AUTOMATON: f64 = 1.4;
const OF_THIRTY: f64 = 6.0;

const LEN: usize = 32 << 10;
/// A delta that is never sent: it says nothing.
const NOTHING: Delta<'_> = Delta::Content("");
const WHOLE: usize = usize::MAX;

/// The unit by which a count is divided.
#[derive(Clone, Copy)]
enum Unit {
    Chunk,
    Call,
    Parser,
    Header,
    /// A bare pass for a byte that is not there.
    Pass,
    /// A pass that touches each of these (in JSON, backslashes as well).
    PassOf(char),
    /// The instructions of `hermes` for the same text.
    Hermes,
    /// The instructions of a parser by hand, for this dialect alone.
    ByHand,
    /// An automaton over the names of the tools.
    Automaton,
    /// Building for a tenth of the tools.
    Tenth,
    /// Reading alone.
    Reading,
    /// Looking at an argument half as long.
    Half,
}

type Entry = (&'static str, fn(&mut Parser, &str, usize) -> usize);

const SINK: Entry = ("sink", through_sink);
const ITERATOR: Entry = ("iterator", through_iterator);

fn main() -> ExitCode {
    let rows = rows();
    if std::env::args().any(|arg| arg == COUNTED) {
        rows.into_iter().for_each(Row::run);
        return ExitCode::SUCCESS;
    }
    if !work::is_measurement() {
        println!("{} rows are right", rows.len());
        return ExitCode::SUCCESS;
    }
    match count() {
        None => {
            println!("valgrind is not installed: instructions are not counted");
            ExitCode::SUCCESS
        }
        Some(counts) => report(&rows, &counts),
    }
}

/// A line of the report.
struct Row {
    what: String,
    limit: f64,
    unit: Unit,
    /// The number of units; 1 for passes.
    units: usize,
    part: Part,
    /// The pass that is the unit, or nothing.
    pass: Part,
}

type Part = Box<dyn FnMut() -> usize>;

/// Returns all rows, after a check of their results.
fn rows() -> Vec<Row> {
    let making = MAKING.into_iter().filter(|row| is_asked(&row.2)).flat_map(making);
    let every = Dialect::ALL.iter().filter(|dialect| is_asked(dialect)).flat_map(|dialect| {
        let read = [
            (Shape::Prose, 4),
            (Shape::Prose, WHOLE),
            (Shape::Code, WHOLE),
            (Shape::BigValue, 4),
            (Shape::BigValue, WHOLE),
        ];
        let read = read.into_iter().map(|(shape, chunk)| beside_hermes(dialect, shape, chunk));
        read.chain(building(dialect))
    });
    let headers = HEADERS.into_iter().filter(|row| is_asked(&row.1)).map(header);
    let by_hand = is_asked(&Dialect::HARMONY).then(header_by_hand);
    let beside = OF_BY_HAND.into_iter().filter(|row| is_asked(&row.2)).flat_map(beside_by_hand);
    let writing = WRITING.into_iter().filter(|row| is_asked(&row.1)).map(writing);
    let looking = LOOKING.into_iter().filter(|row| is_asked(&row.1)).flat_map(looking);
    let counting = COUNTING.into_iter().filter(|row| is_asked(&row.1)).flat_map(counting);
    READING
        .into_iter()
        .filter(|row| is_asked(&row.2))
        .map(reading)
        .chain(beside)
        .chain(writing)
        .chain(looking)
        .chain(counting)
        .chain(making)
        .chain(headers)
        .chain(by_hand)
        .chain(every)
        .collect()
}

/// Whether the rows of this dialect are asked for: those that the arguments name, or all.
fn is_asked(dialect: &Dialect) -> bool {
    let mut names = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).peekable();
    names.peek().is_none() || names.any(|name| name == dialect.name())
}

fn header((limit, dialect): (f64, Dialect)) -> Row {
    let mut parser = inputs::parser(&dialect);
    let opening = inputs::opening(&dialect);
    // As in a process that has read a few of them.
    for _ in 0..3 {
        assert_eq!(work::read(&parser, &format!("{opening}a"), WHOLE).text, "a");
    }
    Row {
        what: format!("{}, header", dialect.name()),
        limit,
        unit: Unit::Header,
        units: 1,
        part: Box::new(move || {
            parser.feed_into(opening, &mut |event: Event<&str>| _ = black_box(event));
            1
        }),
        pass: Box::new(|| 0),
    }
}

/// The row of a header beside a parser by hand.
fn header_by_hand() -> Row {
    let dialect = Dialect::HARMONY;
    let row = header((OF_HEADER_BY_HAND, dialect.clone()));
    let mut by_hand = ByHand::of(&dialect).expect("harmony has one");
    Row {
        unit: Unit::ByHand,
        pass: Box::new(move || by_hand.total(inputs::opening(&dialect), WHOLE)),
        ..row
    }
}

/// The row of one dialect beside the same row of `hermes`.
fn beside_hermes(dialect: &Dialect, shape: Shape, chunk: usize) -> Row {
    let part = |dialect: &Dialect| -> Part {
        let mut parser = inputs::parser(dialect);
        let text = shape.text(dialect, LEN, chunk);
        text.check(&parser, chunk, &work::ENTRIES[..1]);
        let opening = if shape == Shape::Prose { inputs::opening(dialect) } else { "" };
        parser.feed_into(opening, &mut |event: Event<&str>| _ = black_box(event));
        Box::new(move || through_sink(&mut parser, &text.message[opening.len()..], chunk))
    };
    let more = MORE.iter().find(|(_, of, size, dialects)| {
        (*of, *size) == (shape, chunk) && dialects.contains(dialect)
    });
    Row {
        what: what(dialect, shape, chunk, SINK.0),
        limit: more.map_or(OF_HERMES, |more| more.0),
        unit: Unit::Hermes,
        units: 1,
        part: part(dialect),
        pass: part(&Dialect::HERMES),
    }
}

/// The rows beside a parser by hand.
fn beside_by_hand((whole, small, dialect, shape): (f64, f64, Dialect, Shape)) -> [Row; 2] {
    [(whole, WHOLE), (small, 4)].map(|(limit, chunk)| {
        let text = shape.text(&dialect, LEN, chunk);
        let mut parser = inputs::parser(&dialect);
        by_hand::check(&dialect, &parser, &text.message, chunk);
        through_sink(&mut parser, &text.message, chunk);
        parser.reset();
        let (message, other) = (text.message.clone(), text.message);
        let mut by_hand = ByHand::of(&dialect).expect("it was checked");
        Row {
            what: what(&dialect, shape, chunk, SINK.0),
            limit,
            unit: Unit::ByHand,
            units: 1,
            part: Box::new(move || through_sink(&mut parser, &message, chunk)),
            pass: Box::new(move || by_hand.total(&other, chunk)),
        }
    })
}

/// The rows for building a parser, as a host does for each request: the dialect is compiled, and the tools
/// are read.
fn building(dialect: &Dialect) -> [Row; 2] {
    let part = |count| -> Part {
        let (dialect, tools) = (dialect.clone(), work::tools(count));
        Box::new(move || work::build(&dialect, &tools))
    };
    // The first big table of a process costs the allocator more than any other.
    work::build(dialect, &work::tools(300));
    let tools = work::tools(30);
    work::build(dialect, &tools);
    let row = |count, limit, unit, pass| {
        let what = format!("{}, build for {count} tools", dialect.name());
        Row { what, limit, unit, units: 1, part: part(count), pass }
    };
    let automaton = Box::new(move || work::automaton(&tools));
    [row(30, OF_AUTOMATON, Unit::Automaton, automaton), row(300, OF_THIRTY, Unit::Tenth, part(30))]
}

fn what(dialect: &Dialect, shape: Shape, chunk: usize, entry: &str) -> String {
    let size = if chunk == WHOLE { "whole".to_string() } else { format!("{chunk} bytes") };
    format!("{}, {}, {size}, {entry}", dialect.name(), shape.name())
}

fn reading(row: (f64, Unit, Dialect, Shape, usize, Entry)) -> Row {
    let (limit, unit, dialect, shape, chunk, (entry, read)) = row;
    let mut parser = inputs::parser(&dialect);
    let text = shape.text(&dialect, LEN, chunk);
    text.check(&parser, chunk, &work::ENTRIES);
    // The tape of the iterator is warm when it is counted.
    read(&mut parser, &text.message, chunk);
    parser.reset();
    let (message, pass) = (text.message.clone(), text.message);
    let units = match unit {
        Unit::Chunk => message.len().div_ceil(chunk),
        Unit::Call => text.calls,
        _ => 1,
    };
    Row {
        what: what(&dialect, shape, chunk, entry),
        limit,
        unit,
        units,
        part: Box::new(move || read(&mut parser, &message, chunk)),
        pass: Box::new(move || match unit {
            Unit::Pass => work::pass(&pass),
            Unit::PassOf('<') => work::visit(&pass),
            Unit::PassOf('\n') => work::visit_lines(&pass),
            Unit::PassOf(_) => work::visit_json(&pass),
            _ => 0,
        }),
    }
}

fn writing((limit, dialect, shape, chunk, writer): (f64, Dialect, Shape, usize, Writer)) -> Row {
    let mut parser = inputs::parser(&dialect);
    let text = shape.text(&dialect, LEN, chunk);
    text.check(&parser, chunk, &work::ENTRIES[..1]);
    let breaks = matches!(writer, Writer::WhenWhole { broken: true });
    let message = match breaks {
        true => text.message.replace(BREAKS[0], BREAKS[1]),
        false => text.message,
    };
    let broken = if breaks { text.calls } else { 0 };
    let (mut reader, read) = (parser.clone(), message.clone());
    let (mut deltas, mut fragments) = (Deltas::new(&parser), 0);
    let mut answer = match writer {
        Writer::Answer(protocol) => Some(EventWriter::new(protocol, &parser, "a1", "m")),
        Writer::WhenWhole { .. } => {
            let writer = EventWriter::new(Protocol::OpenAiChat, &parser, "a1", "m");
            Some(writer.broken_as(Broken::Call).calls(Calls::WhenWhole))
        }
        Writer::Deltas => None,
    };
    let part: Part = Box::new(move || match &mut answer {
        Some(answer) => {
            let mut sent = 0;
            for piece in work::pieces(&message, chunk) {
                parser.feed_into(piece, answer);
                sent += black_box(answer.take()).len();
            }
            parser.finish_into(answer);
            answer.finish();
            assert_eq!(answer.broken().len(), broken);
            sent + answer.take().len()
        }
        None => {
            let mut take = |event: Event<&str>| {
                deltas.push(event, &mut |delta| {
                    fragments += usize::from(black_box(delta) != NOTHING)
                });
            };
            work::pieces(&message, chunk).for_each(|piece| parser.feed_into(piece, &mut take));
            parser.finish_into(&mut take);
            fragments
        }
    });
    let name = match writer {
        Writer::Deltas => "deltas",
        Writer::Answer(Protocol::OpenAiChat) => "chat",
        Writer::Answer(Protocol::OpenAiResponses) => "responses",
        Writer::Answer(_) => "messages",
        Writer::WhenWhole { broken: false } => "chat, calls when whole",
        Writer::WhenWhole { broken: true } => "chat, calls when whole, all broken",
    };
    let what = what(&dialect, shape, chunk, name);
    let pass = Box::new(move || through_sink(&mut reader, &read, chunk));
    Row { what, limit, unit: Unit::Reading, units: 1, part, pass }
}

/// The row for looking at a call while it comes, and the row for an argument twice as long.
fn looking((limit, dialect, shape): (f64, Dialect, Shape)) -> [Row; 2] {
    const CHUNK: usize = 4;
    let parser = inputs::parser(&dialect);
    let part = |len| -> Part {
        let text = shape.text(&dialect, len, CHUNK);
        let parser = parser.clone();
        Box::new(move || work::looks(&mut parser.clone(), &text.message, CHUNK))
    };
    let text = shape.text(&dialect, LEN, CHUNK).message;
    let units = text.len().div_ceil(CHUNK);
    let (seen, at_least) = (work::looks(&mut parser.clone(), &text, CHUNK), LEN - LEN / 4);
    assert!(seen >= at_least, "{seen} bytes of {} were seen", text.len());
    let row = |what: &str, limit, unit, part, pass| {
        let what = format!("{}, {}, {what}", dialect.name(), shape.name());
        Row { what, limit, unit, units, part, pass }
    };
    [
        row("looks", limit, Unit::Chunk, part(LEN), Box::new(|| 0)),
        row("looks, twice as long", OF_HALF, Unit::Half, part(2 * LEN), part(LEN)),
    ]
}

fn counting((limit, dialect): (f64, Dialect)) -> [Row; 2] {
    const CHUNK: usize = 4;
    const MANY: usize = 500;
    let parser = inputs::parser(&dialect);
    let text = |many: usize| {
        let arguments =
            (0..many).map(|at| (format!("key_{at}"), format!("é {at}").into())).collect();
        parser.render_call("write", &arguments).expect("a call that the dialect can write")
    };
    let (text, twice) = (text(MANY), text(2 * MANY));
    let part = |text: &str| -> Part {
        let (parser, text) = (parser.clone(), text.to_string());
        Box::new(move || work::counts(&mut parser.clone(), &text, CHUNK))
    };
    let seen = work::counts(&mut parser.clone(), &text, CHUNK);
    assert!(seen >= MANY - 1, "{seen} of {MANY} arguments were seen");
    let units = text.len().div_ceil(CHUNK);
    let row = |what: &str, limit, unit, part, pass| Row {
        what: format!("{}, {what}", dialect.name()),
        limit,
        unit,
        units,
        part,
        pass,
    };
    [
        row("looks at many arguments", limit, Unit::Chunk, part(&text), Box::new(|| 0)),
        row("looks at twice as many arguments", OF_HALF, Unit::Half, part(&twice), part(&text)),
    ]
}

/// The row for clones, and the row for building.
fn making((clone, build, dialect): (f64, f64, Dialect)) -> [Row; 2] {
    const MANY: usize = 100;
    let parser = inputs::parser(&dialect);
    let builder = parser.to_builder();
    let mut clones = Vec::with_capacity(MANY);
    let mut built = Vec::with_capacity(1);
    let row = |what, limit, units, part| {
        let what = format!("{}, {what}", dialect.name());
        Row { what, limit, unit: Unit::Parser, units, part, pass: Box::new(|| 0) }
    };
    let clones: Part = Box::new(move || {
        clones.extend((0..MANY).map(|_| parser.clone()));
        black_box(&clones).len()
    });
    let built: Part = Box::new(move || {
        built.push(builder.clone().build().expect("it was built before"));
        black_box(&built).len()
    });
    [row("clone", clone, MANY, clones), row("build", build, 1, built)]
}

impl Row {
    /// Runs its part and its pass, each between two boundaries.
    fn run(mut self) {
        for part in [&mut self.part, &mut self.pass] {
            if matches!(self.unit, Unit::Parser) {
                settle();
            }
            boundary();
            black_box(part());
            boundary();
        }
    }
}

/// Makes the allocator tidy up now: otherwise a single parser would be charged for memory that others freed.
fn settle() {
    drop(black_box(vec![0_u8; 100 << 10]));
}

/// Callgrind knows this function by its name, and begins to count anew.
#[inline(never)]
fn boundary() {
    black_box(());
}

/// The argument of the run that is counted.
const COUNTED: &str = "--counted";

/// Runs this program again under callgrind, which writes a file at each boundary: the count since the one
/// before. `None`: no valgrind.
fn count() -> Option<Vec<f64>> {
    let valgrind = || Command::new("valgrind");
    valgrind().arg("--version").stdout(Stdio::null()).status().ok()?;
    let folder = std::env::temp_dir().join(format!("instructions-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the counts");
    let out = folder.join("count");
    let status = valgrind()
        .args(["--tool=callgrind", "--quiet", "--dump-before=instructions::boundary"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe().expect("this program"))
        .args(std::env::args().skip(1))
        .args([COUNTED, "--bench"])
        .status();
    assert!(status.is_ok_and(|status| status.success()), "callgrind has failed");
    // Every other file belongs to the time between two parts.
    let parts = (1..).map(|part| out.with_extension((2 * part).to_string()));
    let counts = parts.map_while(|part| fs::read_to_string(part).ok()).map(|part| total(&part));
    let counts = counts.collect();
    fs::remove_dir_all(&folder).expect("the folder for the counts");
    Some(counts)
}

/// Returns the count of callgrind for one part.
fn total(part: &str) -> f64 {
    let total = part.lines().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|total| total.trim().parse().ok()).expect("a total in callgrind's file")
}

/// Prints the table. Fails where a limit is crossed.
fn report(rows: &[Row], counts: &[f64]) -> ExitCode {
    assert_eq!(counts.len(), 2 * rows.len(), "callgrind has not seen each boundary");
    println!("{:47}{:>10}{:>12}  instructions", "", "measured", "at most");
    let mut crossed = 0;
    for (row, count) in rows.iter().zip(counts.chunks(2)) {
        let measured = match row.unit {
            Unit::Chunk | Unit::Call | Unit::Parser | Unit::Header => count[0] / row.units as f64,
            _ => count[0] / count[1],
        };
        let verdict = if measured <= row.limit { "" } else { "  TOO MANY" };
        crossed += usize::from(measured > row.limit);
        let unit = row.unit.name();
        println!("{:47}{measured:10.2}{:12.2}  {unit}{verdict}", row.what, row.limit);
    }
    if crossed > 0 {
        println!("{crossed} limits are crossed: benches/instructions.rs says what to do");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Chunk => "a chunk",
            Unit::Call => "a call",
            Unit::Parser => "a parser",
            Unit::Header => "a header",
            Unit::Pass => "x a pass for nothing",
            Unit::PassOf('<') => "x a pass over every <",
            Unit::PassOf('\n') => "x a pass over every line feed",
            Unit::PassOf(_) => "x a pass over every quote and backslash",
            Unit::Hermes => "x hermes",
            Unit::ByHand => "x one written by hand",
            Unit::Automaton => "x an automaton over the names",
            Unit::Tenth => "x for a tenth of the tools",
            Unit::Reading => "x reading alone",
            Unit::Half => "x for half of it",
        }
    }
}
