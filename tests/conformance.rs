//! Which vectors are *plain*: a case that what the model's own template writes decides, and no ruling of ours.
//! `conformance/README.md` says the criterion in words, `conformance/plain.txt` lists them. The list is made here:
//! `CONFORMANCE=write cargo test --all-features --test conformance` writes it anew.
#![cfg(feature = "json")]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use toolstream::check::{Ended, hold};
use toolstream::{CallRef, Dialect, Event, Message, Parser, Tool, ToolUse};

#[path = "support/mod.rs"]
mod support;

use support::markers;

const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/conformance/plain.txt");

#[test]
fn the_list_of_plain_vectors_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut now = String::new();
    let mut seen = BTreeSet::new();
    for file in files {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let vector: Value = serde_json::from_str(line).expect("a vector");
            let id = vector["id"].as_str().expect("an id");
            assert!(seen.insert(id.to_string()), "two vectors are called {id}");
            if is_plain(&vector) {
                now += &format!("{id}\n");
            }
        }
    }
    if std::env::var("CONFORMANCE").is_ok_and(|what| what == "write") {
        std::fs::write(LIST, &now).unwrap();
    }
    let listed = std::fs::read_to_string(LIST).unwrap();
    assert!(listed == now, "conformance/plain.txt: see the head of this file");
}

/// What the criterion says of texts made for it: `(plain, dialect, text)`.
#[test]
fn only_what_a_template_writes_is_plain() {
    let call = r#"<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>"#;
    let quoting = call.replace("\"a\"", "\"</tool_call>\"");
    let first = r#"<tool_call>{"arguments": {"path": "a"}, "name": "read"}</tool_call>"#;
    let tagged = |path: &str| {
        format!(
            "<tool_call>\n<function=read>\n<parameter=path>\n{path}\n</parameter>\n</function>\n</tool_call>"
        )
    };
    for (plain, dialect, text) in [
        (true, "hermes", "Only text."),
        (true, "hermes", call),
        (true, "hermes", &format!("<think>\nHm.\n</think>\n\nI look.\n{call}\n{call}")),
        (true, "hermes", &quoting),
        (false, "hermes", first),
        (false, "hermes", &format!("{call} Done.")),
        (false, "hermes", &format!("```\n{call}\n```")),
        (false, "hermes", call.strip_suffix("</tool_call>").unwrap()),
        (false, "hermes", &call.replace("read", "unknown")),
        (false, "hermes", "So.<|im_end|>"),
        (false, "hermes", "So <|im_end|>and so."),
        (false, "hermes", "The `<tool_call>` tag."),
        (true, "qwen3-coder", &tagged("a")),
        (false, "qwen3-coder", &tagged("a</parameter> b")),
    ] {
        let tools = json!([{"name": "read", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}]);
        let vector = json!({"id": "x", "dialect": dialect, "tools": tools, "input": text,
            "config": {"tool_limit": null}, "expect": {"text": "", "calls": []}});
        assert_eq!(is_plain(&vector), plain, "{dialect}: {text}");
    }
}

fn is_plain(vector: &Value) -> bool {
    let Some(parser) = parser(vector) else { return false };
    let text = vector["input"].as_str().expect("an input");
    let complete = |call: &Value| call["status"].as_str().unwrap_or("complete") == "complete";
    if vector["expect"]["calls"].as_array().is_none_or(|calls| !calls.iter().all(complete)) {
        return false;
    }
    let events = hold(&parser, text, &[], Ended::Stop).unwrap_or_else(|broken| panic!("{broken}"));
    let mut message = parser.message();
    events.iter().for_each(|event| message.push(event.clone()));
    message.close();
    message.diagnostics().is_empty()
        && in_order(&events)
        && is_one_text(&events)
        && message.calls().all(|call| parser.tools().iter().any(|tool| *tool.name == *call.name()))
        && nothing_quotes_a_marker(&parser, &events)
        && is_written(&parser, &message, text, &events)
}

/// The parser of a vector without options of ours: no host of another parser could set them.
fn parser(vector: &Value) -> Option<Parser> {
    let dialect = Dialect::ALL.iter().find(|dialect| dialect.name() == vector["dialect"])?;
    let config = vector["config"].as_object();
    if config.into_iter().flatten().any(|(key, value)| key != "tool_limit" || !value.is_null()) {
        return None;
    }
    let tools = vector["tools"].as_array().into_iter().flatten();
    let tools = tools.map(|tool| Tool::from_json(tool).expect("a tool"));
    Some(Parser::builder(dialect).tools(tools).tool_limit(None).build().expect("a parser"))
}

/// Reasoning, text, calls: no text after a call or between two, nor a fence around one.
fn in_order(events: &[Event<String>]) -> bool {
    let (mut called, mut fenced) = (false, false);
    for event in events {
        match event {
            Event::ToolUse(ToolUse::Start { .. }) if fenced => return false,
            Event::ToolUse(_) => called = true,
            Event::TextContent(text) | Event::Reasoning(text)
                if called && !text.trim().is_empty() =>
            {
                return false;
            }
            Event::TextContent(text) => fenced |= text.contains('`'),
            _ => {}
        }
    }
    true
}

/// One piece of reasoning, one of text, and no marker after the last one but those of calls: what a token means
/// that a server would not have shown to its parser is ours to say.
fn is_one_text(events: &[Event<String>]) -> bool {
    let (mut texts, mut thoughts, mut marked, mut called) = (0, 0, false, false);
    for event in events {
        match event {
            Event::TextContent(text) if !text.trim().is_empty() => texts += 1,
            Event::Reasoning(_) => thoughts += 1,
            Event::Markup(_) => marked |= texts > 0 && !called,
            Event::ToolUse(ToolUse::Start { .. }) => (called, marked) = (true, false),
            _ => {}
        }
    }
    texts < 2 && thoughts < 2 && !marked
}

/// Text, reasoning and values between tags hold no piece of a marker. A string of JSON may: JSON says where it ends.
fn nothing_quotes_a_marker(parser: &Parser, events: &[Event<String>]) -> bool {
    let marks = marks(parser.dialect());
    events.iter().all(|event| match event {
        Event::TextContent(text)
        | Event::Reasoning(text)
        | Event::ToolUse(ToolUse::ParamDelta(text)) => {
            !marks.iter().any(|mark| text.contains(mark))
        }
        _ => true,
    })
}

/// The texts that the markers of a dialect are made of, and what may begin a bare call.
fn marks(dialect: &Dialect) -> Vec<String> {
    let table = markers::table(dialect);
    let mut marks: Vec<String> = ["<think", "</think", "{\"name"].map(String::from).into();
    let mut look = vec![&table];
    while let Some(value) = look.pop() {
        match value {
            Value::Object(keys) => {
                let patterns = ["mark", "follow"].into_iter().filter_map(|key| keys.get(key));
                patterns.for_each(|pattern| collect(pattern, &mut marks));
                look.extend(keys.values());
            }
            Value::Array(items) => look.extend(items),
            _ => {}
        }
    }
    marks
}

fn collect(pattern: &Value, marks: &mut Vec<String>) {
    match pattern {
        Value::String(text) if text.trim().len() > 2 => marks.push(text.trim().to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, marks)),
        Value::Object(piece) => piece.get("any").into_iter().for_each(|any| collect(any, marks)),
        _ => {}
    }
}

/// The calls stand in the text as the dialect writes them, in one of its forms; white space does not count.
fn is_written(parser: &Parser, message: &Message, text: &str, events: &[Event<String>]) -> bool {
    let calls: Vec<CallRef<'_>> = message.calls().map(CallRef::from).collect();
    if calls.is_empty() {
        return !events.iter().any(|event| matches!(event, Event::ToolUse(_)));
    }
    let text = dense(text);
    let dialect = parser.dialect();
    [dialect.clone()].into_iter().chain(dialect.forms()).any(|form| {
        let parser =
            Parser::builder(form).tools(parser.tools().iter().cloned()).build().expect("a parser");
        let without = calls.iter().map(|call| call.with_id(None)).collect::<Vec<_>>();
        [calls.as_slice(), &without].into_iter().any(|calls| {
            parser.render_calls(calls).is_ok_and(|written| text.ends_with(&dense(&written)))
        })
    })
}

fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
