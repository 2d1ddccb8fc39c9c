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
fn mistral() {
    run("mistral");
}

#[test]
fn llama3_json() {
    run("llama3-json");
}

#[test]
fn command_r() {
    run("command-r");
}

#[test]
fn granite() {
    run("granite");
}

#[test]
fn phi4() {
    run("phi4");
}

#[test]
fn json_array() {
    run("json-array");
}

#[test]
fn functionary() {
    run("functionary");
}

#[test]
fn gigachat3() {
    run("gigachat3");
}

#[test]
fn apriel() {
    run("apriel");
}

#[test]
fn inkling() {
    run("inkling");
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
fn invocations() {
    for file in [
        "deepseek-dsml",
        "minimax-m2",
        "gigachat35",
        "dots",
        "step3",
        "kimi-k3",
        "minicpm5",
        "minimax-m3",
        "cohere-cofl",
        "muse",
        "beam",
    ] {
        run(file);
    }
}

#[test]
fn relatives() {
    for file in ["seed-oss", "longcat", "iquest-q1", "solar-open2"] {
        run(file);
    }
}

#[test]
fn kimi_k2() {
    run("kimi-k2");
}

#[test]
fn harmony() {
    run("harmony");
}

#[test]
fn deepseek_v3() {
    run("deepseek-v3");
}

#[test]
fn deepseek_v31() {
    run("deepseek-v31");
}

#[test]
fn solar_open() {
    run("solar-open");
}

#[test]
fn plamo3() {
    run("plamo3");
}

#[test]
fn hunyuan() {
    run("hunyuan");
}

#[test]
fn k2_horizon() {
    run("k2-horizon");
}

#[test]
fn code_assistant_caret() {
    run("code-assistant-caret");
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
