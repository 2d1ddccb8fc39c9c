//! Throughput, beside the baselines P, V and C on the same bytes (see `work/mod.rs`).
//!
//! `cargo bench --bench parse`; `-- value` for a part of it. The goals are ratios: for those,
//! `cargo bench --bench ratios`.

mod work;

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use toolstream::Dialect;
use work::{DOORS, Input, inputs, len};

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Names of the chunkings, and their sizes.
const SIZES: [(&str, usize); 3] = [("whole", usize::MAX), ("64 bytes", 64), ("4 bytes", 4)];

fn main() {
    let mut criterion = Criterion::default()
        .configure_from_args()
        .sample_size(10)
        .nresamples(1_000)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    let (prose, code) = (inputs::prose(len()), inputs::code(len()));
    let all = [
        Input::text("prose", Dialect::CLINE, prose.clone()),
        Input::text("code", Dialect::CLINE, code.clone()),
        Input::value("value of prose, cline", Dialect::CLINE, &prose),
        Input::value("value of code, cline", Dialect::CLINE, &code),
        Input::value("value of prose, code-assistant", Dialect::CODE_ASSISTANT, &prose),
        Input::value("value of code, code-assistant", Dialect::CODE_ASSISTANT, &code),
    ];
    for input in &all {
        throughput(&mut criterion, input);
    }
    growth(&mut criterion);
    hostile(&mut criterion);
    criterion.final_summary();
}

fn throughput(criterion: &mut Criterion, input: &Input) {
    let mut group = group(criterion, input.name, &input.message);
    bench(&mut group, "P", || work::pass(black_box(&input.message)));
    bench(&mut group, "V", || work::visit(black_box(&input.message)));
    for (size_name, size) in SIZES {
        let size = size.min(input.message.len());
        let parser = input.checked(size);
        if size < input.message.len() {
            let name = format!("C, {size_name}");
            bench(&mut group, &name, || work::calls(black_box(&input.message), size));
        }
        for (door_name, door) in DOORS {
            let name = format!("{door_name}, {size_name}");
            bench(&mut group, &name, || door(parser, black_box(&input.message), size));
        }
    }
}

/// One value, once and sixteen times as long: the time for each byte must not change.
fn growth(criterion: &mut Criterion) {
    for (name, times) in [("growth, 1 MiB", 1), ("growth, 16 MiB", 16)] {
        let input = Input::value(name, Dialect::CLINE, &inputs::prose(times * len()));
        let parser = input.checked(4);
        let mut group = group(criterion, name, &input.message);
        bench(&mut group, "sink, 4 bytes", || work::sink(parser, black_box(&input.message), 4));
    }
}

/// Text that invites a parser to do too much. `tests/growth.rs` has more of it.
fn hostile(criterion: &mut Criterion) {
    for (dialect, name) in [
        (Dialect::CLINE, "less-than signs"),
        (Dialect::CLINE, "halves of <think>"),
        (Dialect::CLINE, "call openers"),
        (Dialect::CLINE, "closers in a value"),
        (Dialect::CLINE, "closers and blanks in a value"),
        (Dialect::CODE_ASSISTANT, "tool tags without an end"),
        (Dialect::INVOKE, "section openers"),
        (Dialect::INVOKE, "parameter openers in a value"),
    ] {
        let all = inputs::hostile(dialect);
        let hostile = all.iter().find(|hostile| hostile.name == name).expect("a hostile text");
        let (text, parser) = (hostile.text(len()), inputs::parser(dialect));
        let mut group = group(criterion, &format!("hostile: {name}"), &text);
        for (size_name, size) in [("whole", text.len()), ("4 bytes", 4)] {
            assert_eq!(work::sink(&parser, &text, size), text.len(), "{name}: bytes are lost");
            let name = format!("sink, {size_name}");
            bench(&mut group, &name, || work::sink(&parser, black_box(&text), size));
        }
    }
}

fn group<'c>(criterion: &'c mut Criterion, name: &str, text: &str) -> Group<'c> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group
}

fn bench(group: &mut Group<'_>, name: &str, mut run: impl FnMut() -> usize) {
    group.bench_function(name, |bencher| bencher.iter(&mut run));
}
