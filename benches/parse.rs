//! Throughput of every entry point on every shape of text: `dialect/entry/shape/size/chunk`.
//!
//! ```text
//! cargo bench --bench parse                                    all of it, in less than 20 minutes
//! QUICK=1 cargo bench --bench parse                            in less than two: see below
//! cargo bench --bench parse -- '^hermes/.*/json-args/'         a part, by regular expression
//! cargo bench --bench parse -- 'sink/many-calls/.*/whole'      N calls in one chunk, at both sizes
//! ```
//! * **entry**: `looks` (an argument of 64 KiB alone: `Message`, and `partial_call` after each chunk), `sink` (`feed_into`),
//!   `iter` (`feed`), `bytes` (`feed_bytes`), and `base`, a pass over the same bytes. The goals are multiples of `base`. In one
//!   chunk it is P (one `memchr` for a missing byte), V in text full of `<` (a loop over every `<`), or J for JSON (a loop over
//!   quotes and backslashes). In small chunks it is C (a `memchr` call for each).
//! * **shape**: see `work/shapes.rs`; the last five are hostile.
//! * **size**: 64 KiB (JSON arguments alone), 1 MiB, 16 MiB.
//!
//! One dialect of each kind of body (tags, JSON, attributes, keyword lines) is measured in all shapes
//! that it can write. To stay within the time on two cores, the rest is thinned out:
//!
//! * 16 MiB answer one question: whether the time for each byte grows. The machine alone decides it, so they
//!   go through `sink` alone, in 4-byte chunks and whole.
//! * The other dialects have two shapes, prose and big-value, in 4-byte chunks and whole.
//! * A quick run has only 1 MiB, in 4-byte chunks and whole, and not through `bytes`, which is `iter` after a
//!   decoder.
//! * Ten samples in 40 ms each, which show a difference of a tenth; `--measurement-time` gives them more.
//!
//! The results are checked before anything is timed. The goals are ratios: `cargo bench --bench ratios`
//! prints them.

mod work;

use std::cell::{LazyCell, OnceCell};
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use toolstream::Dialect;
use work::inputs;
use work::shapes::Shape;
use work::{ENTRIES, Entry, is_measurement};

/// A dialect of each kind of body: tags named by the host, JSON, tags with attributes, keyword lines.
const IN_FULL: [Dialect; 4] =
    [Dialect::CLINE, Dialect::HERMES, Dialect::QWEN3_CODER, Dialect::REACT];

/// The shapes of the other dialects.
const IN_SHORT: [Shape; 2] = [Shape::Prose, Shape::BigValue];

const WHOLE: usize = usize::MAX;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .nresamples(1_000)
        .warm_up_time(Duration::from_millis(10))
        .measurement_time(Duration::from_millis(40))
        .configure_from_args();
    for dialect in Dialect::ALL {
        let in_full = IN_FULL.contains(dialect);
        let shapes = if in_full { &Shape::ALL[..] } else { &IN_SHORT[..] };
        let mut group = criterion.benchmark_group(dialect.name());
        for &shape in shapes.iter().filter(|shape| shape.fits(dialect)) {
            for (size, len) in sizes(shape) {
                measure(&mut group, dialect, shape, (size, len), chunks(in_full, len));
            }
        }
        group.finish();
    }
    criterion.final_summary();
}

fn is_quick() -> bool {
    std::env::var_os("QUICK").is_some()
}

fn sizes(shape: Shape) -> Vec<Sized> {
    if !is_measurement() {
        return vec![("8KiB", 8 << 10)];
    }
    let all = [("64KiB", 64 << 10), ("1MiB", 1 << 20), ("16MiB", 16 << 20)];
    let counts = |len| match len {
        SMALL => shape == Shape::JsonArgs && !is_quick(),
        _ => !is_quick() || len < GREAT,
    };
    all.into_iter().filter(|(_, len)| counts(*len)).collect()
}

const SMALL: usize = 64 << 10;
const GREAT: usize = 16 << 20;

type Sized = (&'static str, usize);

fn chunks(in_full: bool, len: usize) -> &'static [Sized] {
    match in_full && !is_quick() && len < GREAT {
        false => &[("4", 4), ("whole", WHOLE)],
        true => &[("4", 4), ("16", 16), ("64", 64), ("1024", 1024), ("whole", WHOLE)],
    }
}

fn entries(len: usize) -> &'static [(&'static str, Entry)] {
    match len {
        GREAT.. => &ENTRIES[..1],
        _ if is_quick() => &ENTRIES[..2],
        _ => &ENTRIES,
    }
}

/// Runs all chunk sizes and entry points for one text. Texts that a filter leaves out are not even written.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    dialect: &Dialect,
    shape: Shape,
    (size, len): Sized,
    chunks: &[Sized],
) {
    let parser = inputs::parser(dialect);
    let common = LazyCell::new(|| shape.text(dialect, len, WHOLE));
    for &(chunk_name, chunk) in chunks {
        if len == SMALL && chunk < len {
            group.bench_function(
                format!("looks/{}/{size}/{chunk_name}", shape.name()),
                |bencher| {
                    assert!(work::looks(&mut parser.clone(), &common.message, chunk) > len / 2);
                    let message = &*common.message;
                    bencher.iter(|| work::looks(&mut parser.clone(), black_box(message), chunk));
                },
            );
        }
        let own = LazyCell::new(|| shape.text(dialect, len, chunk));
        let text = || if shape.depends_on_chunk() { &*own } else { &*common };
        let checked = OnceCell::new();
        let id = |entry: &str| format!("{entry}/{}/{size}/{chunk_name}", shape.name());
        // Approximately: a message is a little longer than its payload.
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(id("base"), |bencher| {
            let message = &*text().message;
            bencher.iter(|| baseline(shape, black_box(message), chunk));
        });
        for &(name, entry) in entries(len) {
            group.bench_function(id(name), |bencher| {
                let text = text();
                checked.get_or_init(|| text.check(&parser, chunk, entries(len)));
                bencher.iter(|| entry(&parser, black_box(&text.message), chunk));
            });
        }
    }
}

fn baseline(shape: Shape, message: &str, chunk: usize) -> usize {
    match shape {
        _ if chunk < message.len() => work::calls(message, chunk),
        Shape::JsonArgs | Shape::JsonEscapes => work::visit_json(message),
        Shape::ReactAnswer => work::visit_lines(message),
        Shape::Code
        | Shape::CodeValue
        | Shape::LessThan
        | Shape::HalfClosers
        | Shape::HalfMarkers => work::visit(message),
        _ => work::pass(message),
    }
}
