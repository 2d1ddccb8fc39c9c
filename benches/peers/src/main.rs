//! toolstream beside its two rivals on crates.io, on the same messages, in one run:
//! `dynamo-parsers-v2` (NVIDIA) and `tool-parser` (the SGLang gateway's).
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- qwen3-coder prose-value 16
//! ```
//!
//! The first build is a long one: the rivals bring some 300 crates. With `--csv FILE` the
//! measurements are kept, and `plot` draws them:
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- --csv target/peers.csv
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin plot -- target/peers.csv benches/peers
//! ```
//!
//! # What is compared
//!
//! * **The same work.** All end with the same owned result: the text as a `String`, and for each call its
//!   name and its arguments as JSON text. The sink of toolstream collects them; if the dialect has
//!   parameters, `ParamsToJson` writes the JSON on the way. The column *events only* is toolstream without
//!   collecting: a sink that looks at every slice.
//! * **The same start.** A fresh parser for each message is made before the clock starts, by each
//!   crate's own factory (dynamo-parsers-v2: `create_unified_parser_for_family`; tool-parser:
//!   `ParserRegistry::create_parser`; toolstream: a clone of a prepared parser). Tables, schemas
//!   and regular expressions cost nobody anything, nor does the freeing of the result.
//! * **The same result.** Before a message is timed, what comes out is compared with what was
//!   written: text, names, arguments as JSON values. Where a rival is wrong its row says `differs`,
//!   and counts for no goal; where toolstream is wrong the run ends.
//! * **Turns.** All parsers take turns on a message, of at least four milliseconds each; the best
//!   read counts.

mod clock;
mod goals;
#[path = "../../../tests/it/support/inputs.rs"]
mod inputs;
mod peers;
mod series;
mod table;
mod texts;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Parser as _;
use peers::Peer;
use peers::dynamo::Dynamo;
use peers::ours::{Collecting, Looking};
use peers::tool_parser::ToolParser;
use series::{Outcome, Series};
use texts::{Shape, TOOLS};
use toolstream::Dialect;

/// toolstream beside dynamo-parsers-v2 and tool-parser, on the same messages.
///
/// Prints a line for each rival on each message, and at the end the goals of the design.
#[derive(clap::Parser)]
#[command(bin_name = "cargo run --release --manifest-path benches/peers/Cargo.toml --")]
struct Args {
    /// Only lines with all of these words: a dialect (qwen3-coder, hermes, glm), a shape
    /// (prose-value, code-value, small-calls, prose), a chunk (4, 16, whole), a rival
    words: Vec<String>,
    /// Leave out whoever would need longer than this for one message
    #[arg(long, value_name = "S", default_value_t = 5.0)]
    max_seconds: f64,
    /// The largest message, in KiB; they begin at 1 KiB and double
    #[arg(long, value_name = "KIB", default_value_t = 1024)]
    up_to: usize,
    /// Write every measurement to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Bytes in a chunk: a few characters, a few tokens, the whole message.
const CHUNKS: [usize; 3] = [4, 16, usize::MAX];

/// Payload of the message that is read in chunks of many sizes.
const SWEPT: usize = 64 << 10;

fn main() -> std::io::Result<()> {
    let args = Args::parse();
    let mut file = args.csv.as_ref().map(File::create).transpose()?.map(BufWriter::new);
    if let Some(file) = &mut file {
        writeln!(file, "{}", table::CSV_HEAD)?;
    }
    let sizes = sizes(args.up_to << 10);
    let shown: Vec<usize> = sizes.iter().copied().filter(|&size| is_shown(size, &sizes)).collect();
    table::head();
    let (mut ratios, mut any) = (Vec::new(), false);
    for setup in setups() {
        for shape in Shape::ALL {
            for chunk in CHUNKS {
                let Some(mut series) = setup.series(shape, chunk, &args.words) else { continue };
                any = true;
                run(&mut series, &sizes, args.max_seconds);
                table::rows(&series, &shown);
                ratios.extend(goals::ratios(&series));
                if let Some(file) = &mut file {
                    table::csv(&series, file)?;
                }
            }
        }
    }
    if !any {
        eprintln!("no line has all of these words; see --help");
        std::process::exit(2);
    }
    if let Some(file) = &mut file {
        sweep(&setups()[0], &args, file)?;
    }
    goals::print(&ratios);
    file.map_or(Ok(()), |mut file| file.flush())
}

/// Reads a message in chunks of many sizes, for the plot alone.
fn sweep(setup: &Setup, args: &Args, file: &mut impl Write) -> std::io::Result<()> {
    for chunk in (0..8).map(|power| 1 << (2 * power)).filter(|chunk| !CHUNKS.contains(chunk)) {
        let Some(mut series) = setup.series(Shape::ProseValue, chunk, &[]) else { continue };
        run(&mut series, &[SWEPT], args.max_seconds);
        table::csv(&series, file)?;
    }
    Ok(())
}

/// 1 KiB, doubled up to `most`.
fn sizes(most: usize) -> Vec<usize> {
    std::iter::successors(Some(1 << 10), |size| Some(size * 2)).take_while(|&s| s <= most).collect()
}

/// Whether the table has a line for this size: for a few, and for the last. The CSV has them all.
fn is_shown(size: usize, sizes: &[usize]) -> bool {
    [1 << 10, 64 << 10, 1024 << 10].contains(&size) || sizes.last() == Some(&size)
}

/// Measures a series from the smallest message to the largest, and says so on stderr.
fn run(series: &mut Series, sizes: &[usize], most: f64) {
    for &size in sizes {
        eprintln!("{}, {}", series.name(), table::kib(size));
        series.measure(size, most);
        if let Some(Outcome::Differs(how)) = series.lanes[0].at(size).map(|point| &point.outcome) {
            panic!("toolstream is wrong in {}: {how}", series.name());
        }
    }
}

/// Everybody who reads a dialect.
struct Setup {
    dialect: Dialect,
    ours: [Box<dyn Peer>; 2],
    rivals: Vec<Box<dyn Peer>>,
}

/// The dialects that a rival knows, with what the rivals call them.
fn setups() -> [Setup; 3] {
    let setup = |name, dynamo: Option<&'static str>, tool_parser| {
        let dialect = Dialect::by_name(name).expect("a dialect of ours");
        let ours: [Box<dyn Peer>; 2] =
            [Box::new(Collecting::new(&dialect, TOOLS)), Box::new(Looking::new(&dialect, TOOLS))];
        let mut rivals: Vec<Box<dyn Peer>> = Vec::new();
        if let Some(family) = dynamo {
            rivals.push(Box::new(Dynamo::new(family, TOOLS)));
        }
        rivals.push(Box::new(ToolParser::new(tool_parser, TOOLS)));
        Setup { dialect, ours, rivals }
    };
    [
        setup("qwen3-coder", Some("qwen3_coder"), "qwen_xml"),
        setup("hermes", None, "qwen"),
        setup("glm", Some("glm47"), "glm45_moe"),
    ]
}

impl Setup {
    /// A series with those rivals whose lines have all of these words.
    fn series(&self, shape: Shape, chunk: usize, words: &[String]) -> Option<Series<'_>> {
        let chunk_name = series::chunk_name(chunk);
        let wanted = |rival: &&dyn Peer| {
            let line = [self.dialect.name(), shape.name(), &*chunk_name, rival.name()];
            words.iter().all(|word| line.contains(&word.as_str()))
        };
        let rivals: Vec<&dyn Peer> =
            self.rivals.iter().map(|rival| &**rival).filter(wanted).collect();
        let ours = self.ours.iter().map(|ours| &**ours);
        (!rivals.is_empty()).then(|| {
            Series::new(self.dialect.clone(), shape, chunk, ours.chain(rivals.iter().copied()))
        })
    }
}
