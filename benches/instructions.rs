//! Instructions of the hot paths, with a limit for each: what no clock can say in CI.
//!
//! ```text
//! cargo bench --bench instructions               the present numbers; fails where one is too great
//! cargo bench --bench instructions -- --test     the results alone are checked
//! ```
//! Valgrind's callgrind counts what runs between two calls of [`boundary`]: parsers and texts are made
//! before, results are checked before. A count is the same in every run of one
//! build; another compiler, or another processor's `memchr`, moves it. So where vector instructions
//! do the work, the unit is a bare pass over the same bytes, counted in the same run.
//!
//! A limit is 15 to 25 % above what was measured when it was set. Whoever makes a path faster lowers
//! it in [`READING`] or [`MAKING`]; whoever has a reason to make one slower raises it, and gives the
//! reason in the commit.
//!
//! Without valgrind nothing is counted, and that is said. (No harness from the registry: that one's
//! runner is a second program of 165 crates, and a limit in it cannot be a multiple of another count.)

mod work;

use std::fs;
use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};

use toolstream::{Dialect, Parser};
use work::shapes::Shape;
use work::{inputs, through_iterator, through_sink};

/// Reading a text of 32 KiB: the most, and in which unit.
#[rustfmt::skip]
const READING: [(f64, Unit, Dialect, Shape, usize, Door); 13] = [
    (175.0, Unit::Chunk, Dialect::CLINE, Shape::Prose, 4, SINK),
    (255.0, Unit::Chunk, Dialect::CLINE, Shape::Prose, 4, ITERATOR),
    (1.5, Unit::Pass, Dialect::CLINE, Shape::Prose, WHOLE, SINK),
    (3.1, Unit::PassOf('<'), Dialect::CLINE, Shape::Code, WHOLE, SINK),
    (218.0, Unit::Chunk, Dialect::CLINE, Shape::BigValue, 4, SINK),
    (13.5, Unit::Pass, Dialect::CLINE, Shape::BigValue, WHOLE, SINK),
    (570.0, Unit::Chunk, Dialect::HERMES, Shape::JsonEscapes, 16, SINK),
    (1.5, Unit::PassOf('"'), Dialect::HERMES, Shape::JsonEscapes, WHOLE, SINK),
    (45_000.0, Unit::Call, Dialect::CLINE, Shape::ManyCalls, WHOLE, SINK),
    (22_000.0, Unit::Call, Dialect::HERMES, Shape::ManyCalls, WHOLE, SINK),
    (59_000.0, Unit::Call, Dialect::QWEN3_CODER, Shape::ManyCalls, WHOLE, SINK),
    (240.0, Unit::Chunk, Dialect::REACT, Shape::ReactAnswer, 4, SINK),
    (3.5, Unit::PassOf('\n'), Dialect::REACT, Shape::ReactAnswer, WHOLE, SINK),
];

/// Making a parser: the most instructions for a clone of a fresh one, and for building one.
#[rustfmt::skip]
const MAKING: [(f64, f64, Dialect); 2] = [
    (560.0, 48_000.0, Dialect::CLINE),
    (560.0, 320_000.0, Dialect::TOOL_CALL),
];

const LEN: usize = 32 << 10;
const WHOLE: usize = usize::MAX;

/// What a count is divided by.
#[derive(Clone, Copy)]
enum Unit {
    Chunk,
    Call,
    Parser,
    /// A bare pass for a byte that is not there.
    Pass,
    /// A pass that touches each of these (in JSON, backslashes as well).
    PassOf(char),
}

type Door = (&'static str, fn(&mut Parser, &str, usize) -> usize);

const SINK: Door = ("sink", through_sink);
const ITERATOR: Door = ("iterator", through_iterator);

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

/// One line of the report.
struct Row {
    what: String,
    limit: f64,
    unit: Unit,
    /// How many units there are; of passes, one.
    units: usize,
    part: Part,
    /// The pass that is the unit, or nothing.
    pass: Part,
}

type Part = Box<dyn FnMut() -> usize>;

/// All rows, their results checked.
fn rows() -> Vec<Row> {
    let making = MAKING.into_iter().flat_map(making);
    READING.into_iter().map(reading).chain(making).collect()
}

fn reading(row: (f64, Unit, Dialect, Shape, usize, Door)) -> Row {
    let (limit, unit, dialect, shape, chunk, (door, read)) = row;
    let mut parser = inputs::parser(&dialect);
    let text = shape.text(&dialect, LEN, chunk);
    text.check(&parser, chunk, &work::DOORS);
    // The tape of the iterator is warm when it is counted.
    read(&mut parser, &text.message, chunk);
    parser.reset();
    let (message, pass) = (text.message.clone(), text.message);
    let units = match unit {
        Unit::Chunk => message.len().div_ceil(chunk),
        // A line feed behind each of them is the only text.
        Unit::Call => text.text.len(),
        _ => 1,
    };
    let size = if chunk == WHOLE { "whole".to_string() } else { format!("{chunk} bytes") };
    Row {
        what: format!("{}, {}, {size}, {door}", dialect.name(), shape.name()),
        limit,
        unit,
        units,
        part: Box::new(move || read(&mut parser, &message, chunk)),
        pass: Box::new(move || match unit {
            Unit::Pass => work::pass(&pass),
            Unit::PassOf('<') => work::visit(&pass),
            Unit::PassOf('\n') => work::visit_lines(&pass),
            Unit::PassOf(_) => work::visit_json(&pass),
            Unit::Chunk | Unit::Call | Unit::Parser => 0,
        }),
    }
}

/// A row for clones, and one for building.
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
    /// Its part and its pass, each between two boundaries.
    fn run(mut self) {
        for part in [&mut self.part, &mut self.pass] {
            boundary();
            black_box(part());
            boundary();
        }
    }
}

/// Callgrind knows it by its name, and begins to count anew.
#[inline(never)]
fn boundary() {
    black_box(());
}

/// The argument of the run that is counted.
const COUNTED: &str = "--counted";

/// This program again, under callgrind, which writes a file at each boundary: what has been counted
/// since the one before. `None`: no valgrind.
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
        .args([COUNTED, "--bench"])
        .status();
    assert!(status.is_ok_and(|status| status.success()), "callgrind has failed");
    // Every other one is what stands between two parts.
    let parts = (1..).map(|part| out.with_extension((2 * part).to_string()));
    let counts = parts.map_while(|part| fs::read_to_string(part).ok()).map(|part| total(&part));
    let counts = counts.collect();
    fs::remove_dir_all(&folder).expect("the folder for the counts");
    Some(counts)
}

/// What callgrind has counted in one part.
fn total(part: &str) -> f64 {
    let total = part.lines().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|total| total.trim().parse().ok()).expect("a total in callgrind's file")
}

/// The table; a failure where a limit is crossed.
fn report(rows: &[Row], counts: &[f64]) -> ExitCode {
    assert_eq!(counts.len(), 2 * rows.len(), "callgrind has not seen each boundary");
    println!("{:47}{:>10}{:>12}  instructions", "", "measured", "at most");
    let mut crossed = 0;
    for (row, count) in rows.iter().zip(counts.chunks(2)) {
        let measured = match row.unit {
            Unit::Pass | Unit::PassOf(_) => count[0] / count[1],
            _ => count[0] / row.units as f64,
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
            Unit::Pass => "x a pass for nothing",
            Unit::PassOf('<') => "x a pass over every <",
            Unit::PassOf('\n') => "x a pass over every line feed",
            Unit::PassOf(_) => "x a pass over every quote and backslash",
        }
    }
}
