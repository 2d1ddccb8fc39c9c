//! The slow twin alone: it agrees with the vectors, and keeps the laws that a reader of whole texts can break. `twin.rs` compares
//! the machine with it.

use serde_json::Value;
use toolstream::check::{Ended, Vector};
use toolstream::{
    Dialect, Parser, Tool,
    options::{Options, ReasoningTags},
};

use crate::oracle;
use crate::support::{blocks, calls, events, soup};

/// The first difference to a vector's message.
fn differs(line: &str) -> Result<(), String> {
    let vector = Vector::from_line(line).map_err(|error| error.to_string())?;
    let json: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let dialect = json["dialect"].as_str().ok_or("it names no dialect")?;
    // No twin reads joined dialects.
    if dialect.contains('+') {
        return Ok(());
    }
    let input = json["input"].as_str().ok_or("it has no input")?;
    let (tools, options) = (tools(&json), options(&json));
    // The twin of react reads lines only.
    if dialect == "react" && options.reasoning_tags == ReasoningTags::Anywhere {
        return Ok(());
    }
    let ended = if json["config"]["ended"] == "cut" { Ended::Cut } else { Ended::Stop };
    let events = oracle::oracle(dialect, &tools, &options, input, ended);
    let builder = Parser::builder(Dialect::by_name(dialect).expect("a dialect"));
    let parser = builder.tools(tools).options(options).build().expect("a parser");
    events::keep_the_laws(&events, input, ended)?;
    vector.compare(&events::message(&parser, events))
}

fn tools(vector: &Value) -> Vec<Tool> {
    let tools = vector["tools"].as_array().into_iter().flatten();
    tools.map(|tool| Tool::from_json(tool).expect("a tool")).collect()
}

fn options(vector: &Value) -> Options {
    let mut config = vector.get("config").cloned().unwrap_or_else(|| serde_json::json!({}));
    config.as_object_mut().expect("a configuration").remove("ended");
    Options::from_json(&config).expect("options")
}

fn run(file: &str) {
    let path = format!("{}/tests/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a vector file");
    let failed: Vec<String> = text
        .lines()
        .filter_map(|line| {
            let what = differs(line).err()?;
            let id = Vector::from_line(line).map(|vector| vector.id).unwrap_or_default();
            Some(format!("{id}: {what}"))
        })
        .collect();
    assert!(text.lines().count() >= 60, "{file} has too few vectors");
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
fn react() {
    run("react");
}

#[test]
fn keeps_the_laws_on_soup() {
    for seed in 0..6_000 {
        let data = soup::seeded(seed, 20 + seed as usize % 60);
        for case in [soup::twinned(&data), blocks::case(&data), calls::damaged(&data)] {
            let name = case.dialect.name();
            let events = oracle::oracle(name, &case.tools, &case.options, &case.text, case.ended);
            if let Err(broken) = events::keep_the_laws(&events, &case.text, case.ended) {
                panic!("{broken}, in {case:#?}: {events:#?}");
            }
        }
    }
}
