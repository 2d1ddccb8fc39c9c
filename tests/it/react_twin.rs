//! The slow twin of the `react` dialect, alone on soup. It keeps the laws that a reader of whole texts can break.
//! `twin_vectors.rs` runs it on the vectors, and `twin.rs` compares the machine with it.

#[path = "support/react_message.rs"]
mod react_message;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolstream::check::Ended;
use toolstream::options::bounds::HELD;
use toolstream::{Dialect, Event, Parser, Tool, options::Options};

use crate::oracle;
use crate::support::soup::{Choices, seeded};
use crate::support::{events, react_soup};

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

/// Whether two values are equal. Numbers are compared by value.
fn equal(one: &Value, other: &Value) -> bool {
    one == other || one.is_number() && one.as_f64() == other.as_f64()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn folded(text: &Value) -> Vec<&str> {
    text.as_str().expect("text").split_ascii_whitespace().collect()
}

fn twin(tools: &[Tool], options: &Options, text: &str, ended: Ended) -> Vec<Event<String>> {
    oracle::oracle("react", tools, options, text, ended)
}

#[test]
fn keeps_the_laws_on_soup() {
    for seed in 0..20_000 {
        let data = seeded(seed, 10 + seed as usize % 60);
        let (tools, options, text) = react_soup::case(&mut Choices::new(&data));
        for ended in [Ended::Stop, Ended::Cut] {
            let events = twin(&tools, &options, &text, ended);
            if let Err(broken) = events::keep_the_laws(&events, &text, ended) {
                panic!("{broken}, in {events:#?}");
            }
        }
    }
}

/// The twin looks ahead only as far as a parser with bounded memory can.
#[test]
fn looks_no_further_ahead_than_a_parser_may_hold() {
    for seed in 0..400 {
        let data = seeded(seed, 200 + seed as usize % 200);
        let (tools, options, text) = react_soup::case(&mut Choices::new(&data));
        let (.., more) = react_soup::case(&mut Choices::new(&seeded(!seed, 40)));
        let read = |text: &str| twin(&tools, &options, text, Ended::Stop);
        let (short, long) = (read(&text), read(&format!("{text}{more}")));
        let agreed = agree_until(&short, &long);
        let fits = short == long || text.len() <= agreed + HELD;
        assert!(fits, "{agreed} of {} bytes of {text:?}", text.len());
    }
}

/// The number of bytes that leave alike before a difference. Diagnostics may come early.
fn agree_until(one: &[Event<String>], other: &[Event<String>]) -> usize {
    let counts = |event: &&Event<String>| !matches!(event, Event::Diagnostic(_));
    let mut agreed = 0;
    for (one, other) in one.iter().filter(counts).zip(other.iter().filter(counts)) {
        let same_kind = std::mem::discriminant(one) == std::mem::discriminant(other);
        match (one.slice(), other.slice()) {
            (Some(one), Some(other)) if same_kind => {
                let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
                agreed += same;
                if same < one.len().max(other.len()) {
                    break;
                }
            }
            _ if one == other => {}
            _ => break,
        }
    }
    agreed
}

/// Soup meets every kind of diagnostic. Otherwise it would be too thin.
#[test]
fn the_soup_meets_everything() {
    let mut seen = BTreeMap::new();
    for seed in 0..5_000 {
        let data = seeded(seed, 10 + seed as usize % 60);
        let (tools, options, text) = react_soup::case(&mut Choices::new(&data));
        let events = twin(&tools, &options, &text, Ended::Stop);
        let message = react_message::message(&tools, &options, &events);
        let kinds = list(&message["diagnostics"]).iter().chain([&message["finish"]]);
        for kind in kinds {
            *seen.entry(kind.as_str().expect("a name").to_string()).or_insert(0) += 1;
        }
    }
    let all = "answer_after_action cut_stop_word fabricated_result fabricated_step ignored_input \
               malformed_arguments missing_action_name missing_arguments no_action orphan_closer \
               repaired_json stray_text type_mismatch unknown_tool \
               stop tool_limit_reached tool_use truncated";
    for kind in all.split_ascii_whitespace() {
        assert!(seen.get(kind).is_some_and(|times| *times >= 10), "too little {kind}: {seen:?}");
    }
}

/// The collector reads inputs as the tests do.
#[test]
fn messages_agree_on_soup() {
    for seed in 0..5_000 {
        let data = seeded(seed ^ 0xAB << 32, 10 + seed as usize % 60);
        let (tools, options, text) = react_soup::case(&mut Choices::new(&data));
        let builder = Parser::builder(Dialect::REACT).tools(tools.clone()).options(options.clone());
        let parser = builder.build().expect("the soup's tools are well named");
        let events = twin(&tools, &options, &text, Ended::Stop);
        let mut message = parser.message();
        events.iter().cloned().for_each(|event| message.push(event));
        message.close();
        let calls = message.to_json()["content"].as_array().cloned().unwrap_or_default();
        let calls = calls.iter().filter(|block| block["type"] == "tool_use").map(|call| {
            let (name, status, raw) = (&call["name"], &call["status"], &call["raw"]);
            json!({"name": name, "arguments": call["input"], "raw": raw, "status": status})
        });
        let kinds = message.diagnostics().iter().map(|found| found.kind.as_str());
        let found = json!({
            "text": message.text(),
            "reasoning": message.reasoning(),
            "calls": calls.collect::<Vec<_>>(),
            "finish": message.ended().to_string(),
            "diagnostics": kinds.collect::<Vec<_>>(),
        });
        let twin = react_message::message(&tools, &options, &events);
        for (key, expected) in twin.as_object().expect("an object") {
            let fits = match key.as_str() {
                "diagnostics" => sorted(expected) == sorted(&found[key]),
                _ => fits(key, expected, &found[key]),
            };
            assert!(fits, "{key} is {}, not {expected}, in {text:?} with {options:?}", found[key]);
        }
    }
}

fn sorted(kinds: &Value) -> Vec<&str> {
    let mut kinds: Vec<_> = list(kinds).iter().filter_map(Value::as_str).collect();
    kinds.sort_unstable();
    kinds
}
