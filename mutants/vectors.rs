//! The vectors of a file, whole, byte by byte and cut in a few places: `tests/it/vectors.rs` takes every
//! cut, and longer than a mutant may wait.
use toolstream::check::{Vector, VectorOutcome};

fn cuts(len: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(), (1..len).collect()];
    all.extend((1..4).map(|part| len * part / 4).filter(|at| *at > 0).map(|at| vec![at]));
    all
}

fn run(file: &str) {
    let path = format!("{}/tests/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    for line in text.lines() {
        let vector = Vector::from_line(line).expect("a vector");
        let outcome = vector.run(cuts);
        assert_eq!(outcome, VectorOutcome::Passed, "{}", vector.id);
    }
}

