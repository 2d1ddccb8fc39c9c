//! Every vector of `tests/vectors`, at every cut, under the laws.
#![cfg(feature = "json")]

use toolstream::check::vectors::{Outcome, Vector};

fn run(file: &str) {
    let path = format!("{}/tests/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a vector file");
    let mut failed = Vec::new();
    for line in text.lines() {
        let vector = Vector::from_line(line).expect("a vector");
        match vector.run() {
            Outcome::Passed => {}
            outcome => failed.push(format!("{}: {outcome:?}", vector.id)),
        }
    }
    assert!(text.lines().count() >= 20, "{file} has too few vectors");
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn cline() {
    run("cline");
}

#[test]
fn code_assistant() {
    run("code-assistant");
}

#[test]
fn invoke() {
    run("invoke");
}

#[test]
fn hermes() {
    run("hermes");
}

#[test]
fn qwen3_coder() {
    run("qwen3-coder");
}

#[test]
fn glm() {
    run("glm");
}

#[test]
fn tool_call() {
    run("tool-call");
}

#[test]
fn gemma4() {
    run("gemma4");
}

#[test]
fn pythonic() {
    run("pythonic");
}

#[test]
fn lfm2() {
    run("lfm2");
}

#[test]
fn functiongemma() {
    run("functiongemma");
}

#[test]
fn react() {
    run("react");
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
