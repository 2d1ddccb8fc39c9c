//! The calls that each dialect and each of its forms writes. Any two joined dialects read them.
//!
//! `written.jsonl` has a line for each: one call, two calls of a message, and their results. If the chat template of a model is
//! known, the line has the text of that template for these calls.

use serde_json::{Map, Value, json};
use toolstream::{
    Dialect, Parser, Tool,
    render::{CallRef, ToolResult},
};

use crate::support::{expected, inputs};

const EXPECTED: &str = include_str!("../written.jsonl");

fn tools() -> Vec<Tool> {
    let schema = json!([
        {"name": "write", "parameters": {"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"}, "mode": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}}}}},
        {"name": "list", "parameters": {"type": "object", "properties": {}}},
    ]);
    Tool::list_from_json(&schema).expect("two tools")
}

fn arguments() -> Map<String, Value> {
    let arguments = json!({"path": "a\n<b> \"d\"", "mode": 420, "tags": ["x", "y"]});
    arguments.as_object().cloned().expect("an object")
}

fn written(dialect: &Dialect) -> Value {
    let parser = Parser::builder(dialect).tools(tools()).build().expect("a parser");
    let (arguments, none) = (arguments(), Map::new());
    let calls = [CallRef::new("write", &arguments), CallRef::new("list", &none)];
    let results = [ToolResult::ok("write", "done"), ToolResult::error("list", "no such\nfolder")];
    let text = |calls: &[CallRef<'_>]| match parser.render_calls(calls) {
        Ok(text) => text,
        Err(error) => format!("refused: {error}"),
    };
    json!({"dialect": dialect.to_string(), "one": text(&calls[..1]), "two": text(&calls),
        "results": dialect.render_results(&results)})
}

/// The calls that a line holds.
fn read(line: &Value) -> Vec<(String, Map<String, Value>)> {
    let dialect = Dialect::by_name(line["dialect"].as_str().expect("a name")).expect("a dialect");
    let builder = Parser::builder(dialect).tools(tools()).tool_limit(None);
    let parser = builder.build().expect("a parser");
    let texts = ["one", "two"].map(|key| line[key].as_str().expect("a text"));
    let messages = texts.map(|text| parser.parse(text));
    let calls = messages.iter().flat_map(|message| message.calls());
    calls.map(|call| (call.name().to_string(), call.input().clone())).collect()
}

#[test]
fn each_dialect_writes_its_forms() {
    let all = Dialect::ALL.iter().flat_map(|of| std::iter::once(of.clone()).chain(of.forms()));
    let all: Vec<Value> = all.map(|dialect| written(&dialect)).collect();
    let expected =
        EXPECTED.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line"));
    for (written, expected) in all.iter().zip(expected) {
        // Without `preserve_order` arguments stand in another order: the calls are equal.
        if cfg!(feature = "preserve_order") || read(written) != read(&expected) {
            assert_eq!(*written, expected, "\n{written}");
        }
        for key in ["dialect", "results"] {
            assert_eq!(written[key], expected[key]);
        }
    }
    assert_eq!(all.len(), EXPECTED.lines().count());
}

/// Values of every kind, each in a call of its own, as each dialect writes them. `EXPECTED=write` writes the file anew; read the
/// changes before you commit them.
#[test]
fn each_dialect_writes_values() {
    let values = [
        ("yes", json!(true)),
        ("no", json!(false)),
        ("none", Value::Null),
        ("half", json!(1.5)),
        ("whole", json!(-3)),
        ("text", json!("a 'b' \\ c")),
        ("mixed", json!([true, null, "a \"b\""])),
        ("object", json!({"a b": 1, "c": {"d": []}})),
        ("texts", json!(["[x", "y"])),
        ("numbers", json!([1, 2.5])),
        ("one", json!(["x"])),
        ("bracket", json!(["[x"])),
        ("lists", json!([["a"]])),
        ("nothing", json!([])),
    ];
    let of = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types = values.iter().map(|(name, value)| (name.to_string(), json!({"type": of(value)})));
    let schema = json!({"type": "object", "properties": Map::from_iter(types)});
    let tool = Tool::from_json(&json!({"name": "f", "parameters": schema})).expect("a tool");
    let all = Dialect::ALL.iter().flat_map(|of| std::iter::once(of.clone()).chain(of.forms()));
    let mut lines = String::new();
    for dialect in all {
        let parser = Parser::builder(&dialect).tool(tool.clone()).build().expect("a parser");
        for (name, value) in &values {
            let arguments = Map::from_iter([(name.to_string(), value.clone())]);
            let text = match parser.render_calls(&[CallRef::new("f", &arguments)]) {
                Ok(text) => text,
                Err(error) => format!(
                    "refused: {}",
                    error.to_string().split(", the ").last().unwrap_or_default()
                ),
            };
            lines += &format!("{dialect} {name}: {}\n", text.replace('\n', "\u{23ce}"));
        }
    }
    expected::compare("values.txt", &lines);
}

/// The call that each dialect writes, by its name.
fn calls() -> Vec<(Dialect, String)> {
    let lines = EXPECTED.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line"));
    let call = |line: Value| {
        let dialect = Dialect::by_name(line["dialect"].as_str()?).ok()?;
        let call = line["one"].as_str()?.to_string();
        dialect.form().is_none().then_some((dialect, call))
    };
    lines.filter_map(call).collect()
}

/// Headers of equal tokens with two meanings. The text does not show which of the two dialects wrote it.
const CONFLICTS: [[&str; 2]; 4] = [
    ["harmony+muse", "muse"],
    ["harmony+beam", "beam"],
    ["beam+harmony", "harmony"],
    ["beam+muse", "muse"],
];

/// Any two joined dialects read the calls that each of them writes. By default only some of the pairs are tried.
#[test]
fn any_two_dialects_are_read_at_once() {
    let (calls, tools, arguments) = (calls(), tools(), arguments());
    assert_eq!(calls.len(), Dialect::ALL.len());
    let mut unread = Vec::new();
    let every = inputs::every();
    let is_taken = |first: usize, second: usize| (first * calls.len() + second) % every == 0;
    for (at, (first, own)) in calls.iter().enumerate() {
        for (second, other) in
            (0..).zip(&calls).filter(|(of, _)| is_taken(at, *of)).map(|(_, call)| call)
        {
            let both = Parser::builder(first.and(second)).tools(tools.clone()).build();
            let both = both.unwrap_or_else(|error| panic!("{first}+{second}: {error}"));
            for (writer, text) in [(first, own), (second, other)] {
                let message = both.parse(text);
                let read: Vec<_> = message.calls().map(|of| (of.name(), of.input())).collect();
                if read != [("write", &arguments)] {
                    unread.push([format!("{first}+{second}"), writer.to_string()]);
                }
            }
        }
    }
    let place = |name: &str| calls.iter().position(|(dialect, _)| dialect.name() == name);
    let is_asked = |pair: &str| {
        let (first, second) = pair.split_once('+').expect("two names");
        is_taken(place(first).expect("a dialect"), place(second).expect("a dialect"))
    };
    let conflicts: Vec<_> = CONFLICTS.iter().filter(|[pair, _]| is_asked(pair)).collect();
    assert_eq!(unread.iter().collect::<Vec<_>>(), conflicts);
}
