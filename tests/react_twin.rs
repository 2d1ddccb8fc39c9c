//! The slow twin of the `react` dialect by itself: it says what our vectors say, and it keeps the
//! laws that a reader of whole texts can break. `twin.rs` compares the machine with it.
#![cfg(feature = "json")]

mod oracle;
#[path = "support/react_message.rs"]
mod react_message;
mod support;

use serde_json::Value;
use support::react_soup;
use support::soup::{Choices, seeded};
use toolstream::{Event, Options, Tool, ToolUse};

/// What the twin says of a vector, and what the vector expects.
fn differs(vector: &Value) -> Vec<String> {
    let tools = vector["tools"].as_array().into_iter().flatten();
    let tools: Vec<Tool> = tools.map(|tool| Tool::from_json(tool).expect("a tool")).collect();
    let options = vector.get("config").map_or(Ok(Options::default()), Options::from_json);
    let options = options.expect("options");
    let input = vector["input"].as_str().expect("an input");
    let events = oracle::oracle("react", &tools, &options, input);
    keeps_laws(input, &events);
    let found = react_message::message(&tools, &options, &events);
    let expect = vector["expect"].as_object().expect("expectations");
    let wrong = expect.iter().filter(|(key, expected)| !fits(key, expected, &found[&**key]));
    wrong.map(|(key, expected)| format!("{key} is {}, not {expected}", found[&**key])).collect()
}

fn fits(key: &str, expected: &Value, found: &Value) -> bool {
    match key {
        "text" | "reasoning" => folded(expected) == folded(found),
        "diagnostics" => list(expected).iter().all(|kind| list(found).contains(kind)),
        "calls" => {
            let (expected, found) = (list(expected), list(found));
            expected.len() == found.len()
                && expected.iter().zip(found).all(|(e, f)| call_fits(e, f))
        }
        _ => expected == found,
    }
}

fn call_fits(expected: &Value, found: &Value) -> bool {
    let status = expected["status"].as_str().unwrap_or("complete");
    let known = |(key, value)| found["arguments"].get(key).is_some_and(|f| equal(value, f));
    let arguments = match &expected["arguments"] {
        Value::Object(members) => {
            let same_size = found["arguments"].as_object().map(|f| f.len()) == Some(members.len());
            members.iter().all(known) && (same_size || status == "incomplete")
        }
        _ => true,
    };
    let named = |key: &str| expected.get(key).is_none_or(|value| *value == found[key]);
    arguments && found["status"] == status && named("name") && named("raw")
}

/// Numbers are compared by value.
fn equal(one: &Value, other: &Value) -> bool {
    one == other || one.is_number() && one.as_f64() == other.as_f64()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn folded(text: &Value) -> Vec<&str> {
    text.as_str().expect("text").split_ascii_whitespace().collect()
}

/// The slices tile the input, and every call ends once.
fn keeps_laws(input: &str, events: &[Event<String>]) {
    let slices: String = events.iter().filter_map(Event::slice).map(String::as_str).collect();
    let end = match events.last() {
        Some(Event::ToolLimitReached(reached)) => reached.at,
        _ => input.len(),
    };
    assert_eq!(slices, input[..end], "the slices of {input:?}");
    let (mut open, mut in_value) = (false, false);
    for event in events {
        let fits = match event {
            Event::TextContent(_) | Event::Reasoning(_) | Event::ToolLimitReached(_) => !open,
            Event::ToolUse(ToolUse::Start { .. }) => !std::mem::replace(&mut open, true),
            Event::ToolUse(ToolUse::End { .. }) => std::mem::take(&mut open) && !in_value,
            Event::ToolUse(ToolUse::ParamStart { .. }) => {
                open && !std::mem::replace(&mut in_value, true)
            }
            Event::ToolUse(ToolUse::ParamDelta(_)) => in_value,
            Event::ToolUse(ToolUse::ParamEnd { .. }) => std::mem::take(&mut in_value),
            _ => true,
        };
        assert!(fits, "{event:?} is out of place in {events:#?}");
    }
    assert!(!open, "a call is left open in {events:#?}");
}

#[test]
fn says_what_the_vectors_say() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/react.jsonl");
    let text = std::fs::read_to_string(path).expect("a vector file");
    let mut wrong = Vec::new();
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a vector");
        let differs = differs(&vector);
        wrong.extend(differs.iter().map(|what| format!("{}: {what}", vector["id"])));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(text.lines().count() >= 80, "too few vectors");
}

#[test]
fn keeps_the_laws_on_soup() {
    for seed in 0..20_000 {
        let data = seeded(seed, 10 + seed as usize % 60);
        let (tools, options, text) = react_soup::case(&mut Choices::new(&data));
        keeps_laws(&text, &oracle::oracle("react", &tools, &options, &text));
    }
}
