//! A type in the wire wins over the schema ([`TypeHint`]), in `Message` and in [`ParamsToJson`] alike. The events are written
//! by hand. (Which dialects send hints is tested elsewhere.)

use serde_json::{Value, json};
use toolstream::adapt::ParamsToJson;
use toolstream::repair::Repairs;
use toolstream::{
    Dialect, Event, Message, Parser, Status, Tool, ToolUse, diagnostic::DiagnosticKind as Kind,
    options::Options, tools::TypeHint,
};

const STRING: Option<TypeHint> = Some(TypeHint::String);
const JSON: Option<TypeHint> = Some(TypeHint::Json);

fn parser(repairs: Repairs) -> Parser {
    let tool = json!({"name": "f", "parameters": {"type": "object", "properties": {
        "text": {"type": "string"},
        "number": {"type": "integer"},
        "any": {},
        "paths": {"type": "array", "items": {"type": "string"}},
    }}});
    let mut options = Options::default();
    (options.repairs, options.decode_entities) = (repairs, true);
    let builder = Parser::builder(Dialect::CODE_ASSISTANT).options(options);
    builder.tool(Tool::from_json(&tool).unwrap()).build().unwrap()
}

/// A call of `f` with these parameters, each value in two pieces.
fn events(params: &[(&'static str, Option<TypeHint>, &'static str)]) -> Vec<Event<&'static str>> {
    let mut events = vec![ToolUse::Start { index: 0, name: "f", id: None, at: 0, dialect: 0 }];
    for &(name, hint, value) in params {
        let (one, two) = value.split_at(value.len().min(1));
        events.push(ToolUse::ParamStart { name, hint });
        events.extend([one, two].map(ToolUse::ParamDelta));
        events.push(ToolUse::ParamEnd { closed: true });
    }
    events.push(ToolUse::End { status: Status::Complete, at: 0 });
    events.into_iter().map(Event::ToolUse).collect()
}

/// The input of that call, and its diagnostics. The adapter must have the same.
fn read(
    parser: &Parser,
    params: &[(&'static str, Option<TypeHint>, &'static str)],
) -> (Value, Vec<Kind>) {
    let (mut message, mut joined, mut found) = (parser.message(), String::new(), Vec::new());
    let mut adapter = ParamsToJson::new(parser, |event: Event<&str>| match event {
        Event::ToolUse(ToolUse::ArgumentsDelta(text)) => joined.push_str(text),
        Event::Diagnostic(diagnostic) => found.push(diagnostic.kind),
        _ => {}
    });
    for event in events(params) {
        message.push(event);
        adapter.push(event);
    }
    let input = input(&message);
    assert_eq!(serde_json::from_str::<Value>(&joined).unwrap(), input, "{joined}");
    let kinds: Vec<Kind> = message.diagnostics().iter().map(|found| found.kind).collect();
    assert_eq!(found, kinds, "{joined}");
    (input, kinds)
}

fn input(message: &Message) -> Value {
    let mut calls = message.calls();
    let call = calls.next().expect("a call");
    assert!(calls.next().is_none(), "more than one call");
    Value::Object(call.input().clone())
}

#[test]
fn a_string_is_its_text() {
    for value in ["12", "null", "true", "{\"a\": 1}", " padded\n", "&lt;b&gt;", "", "\"quoted\""] {
        for name in ["text", "number", "any", "undeclared"] {
            let read = read(&parser(Repairs::Default), &[(name, STRING, value)]);
            let found = if name == "number" { vec![Kind::TypeMismatch] } else { vec![] };
            assert_eq!(read, (json!({ name: value }), found), "{name}");
        }
    }
}

#[test]
fn json_is_its_value() {
    for (text, value) in [
        ("12", json!(12)),
        (" null ", json!(null)),
        ("18446744073709551615", json!(u64::MAX)),
        ("\"&lt;\\u00e9\"", json!("&lt;é")),
        ("[1, {\"a\": false}]", json!([1, {"a": false}])),
        ("1.0", json!(1.0)),
    ] {
        for name in ["text", "number", "any", "undeclared", "path"] {
            let read = read(&parser(Repairs::Default), &[(name, JSON, text)]);
            let (whole, is_text) =
                (value.as_f64().is_some_and(|n| n.fract() == 0.0), value.is_string());
            let fits = match name {
                "text" => is_text,
                "number" => whole,
                _ => true,
            };
            let found = if fits { vec![] } else { vec![Kind::TypeMismatch] };
            assert_eq!(read, (json!({ name: value }), found), "{name}");
        }
    }
}

#[test]
fn json_is_repaired() {
    for (text, value) in [("{'a': True,}", json!({"a": true})), ("None", json!(null))] {
        let read = read(&parser(Repairs::Default), &[("any", JSON, text)]);
        assert_eq!(read, (json!({ "any": value }), vec![Kind::RepairedJson]));
    }
}

#[test]
fn what_is_no_json_stays_text() {
    for text in ["plain words", "", "{\"a\":", "1 2", "01"] {
        let read = read(&parser(Repairs::Default), &[("number", JSON, text)]);
        assert_eq!(read, (json!({ "number": text }), vec![Kind::TypeMismatch]));
    }
    let refused = read(&parser(Repairs::None), &[("any", JSON, "[1,]")]);
    assert_eq!(refused, (json!({"any": "[1,]"}), vec![Kind::TypeMismatch]));
}

#[test]
fn each_parameter_has_its_own() {
    let (input, kinds) = read(
        &parser(Repairs::Default),
        &[
            ("number", None, "7"),
            ("text", JSON, "[7]"),
            ("any", STRING, "7"),
            ("number", STRING, "7"),
            ("path", None, "a"),
            ("path", None, "b"),
        ],
    );
    assert_eq!(input, json!({"number": "7", "text": [7], "any": "7", "paths": ["a", "b"]}));
    assert_eq!(kinds, [Kind::TypeMismatch, Kind::TypeMismatch], "of the list and of the string");
}

#[test]
fn the_hint_is_kept() {
    let mut message = parser(Repairs::Default).message();
    for event in events(&[("any", JSON, "1"), ("text", None, "a")]) {
        message.push(event);
    }
    let hints: Vec<_> = message.calls().next().unwrap().params().iter().map(|p| p.hint).collect();
    assert_eq!(hints, [JSON, None]);
}
