//! Every vector of `tests/vectors`, at every cut, under the laws.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolstream::Dialect;
use toolstream::check::{Vector, VectorOutcome, every_cut};

/// The fewest vectors that a dialect may have.
const ENOUGH: usize = 15;

fn vectors(file: &str) -> Vec<Vector> {
    let path = format!("{}/tests/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| Vector::from_line(line).expect("a vector")).collect()
}

/// Vectors whose texts stand in the order of a schema or of a result, as only `preserve_order` keeps it.
const ORDERED: [&str; 2] = ["policy-hooks-12", "policy-hooks-15"];

/// The vectors of a file that fail, a line each.
fn failed(file: &str) -> Vec<String> {
    let outcome = |vector: Vector| match vector.run(every_cut) {
        VectorOutcome::Passed => None,
        outcome => Some(format!("{}: {outcome:?}", vector.id)),
    };
    let keeps =
        |vector: &Vector| cfg!(feature = "preserve_order") || !ORDERED.contains(&&*vector.id);
    vectors(file).into_iter().filter(keeps).filter_map(outcome).collect()
}

fn run(file: &str) {
    let failed = failed(file);
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

/// The vectors of every dialect pass. Each dialect goes to the next free thread, because this takes a while.
#[test]
fn every_dialect() {
    let next = AtomicUsize::new(0);
    let work = || {
        let dialects =
            std::iter::from_fn(|| Dialect::ALL.get(next.fetch_add(1, Ordering::Relaxed)));
        dialects.flat_map(|dialect| failed(dialect.name())).collect::<Vec<_>>()
    };
    let failed: Vec<String> = std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(2, usize::from);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

/// Every dialect has a file with enough texts of its own.
#[test]
fn every_dialect_has_enough() {
    for dialect in Dialect::ALL {
        let path = format!("{}/tests/vectors/{}.jsonl", env!("CARGO_MANIFEST_DIR"), dialect.name());
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let lines = text.lines().map(serde_json::from_str::<serde_json::Value>);
        let mut inputs: Vec<String> = lines
            .map(|line| line.expect("a JSON object"))
            .filter(|line| line["dialect"] == dialect.name())
            .map(|line| line["input"].to_string())
            .collect();
        inputs.sort();
        inputs.dedup();
        assert!(inputs.len() >= ENOUGH, "{} has {} texts", dialect.name(), inputs.len());
    }
}

#[test]
fn types() {
    run("types");
}

#[test]
fn native() {
    run("native");
}

#[cfg(feature = "policy")]
#[test]
fn policy() {
    run("policy");
}
