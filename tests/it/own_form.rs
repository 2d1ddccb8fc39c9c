//! A call that a dialect's own template writes reads back equal, for any arguments, declared or not.

use serde_json::{Map, Value, json};
use toolstream::{Dialect, Parser, Tool, render::CallRef};

/// Schemas of a tool that declare more or less of the arguments.
fn schemas() -> Vec<Value> {
    let text = json!({"type": "string"});
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let with = |key: &str, value: Value| {
        let mut schema = object(json!({"path": text}));
        schema[key] = value;
        schema
    };
    let all = json!({
        "path": text, "content": text, "mode": text, "count": {"type": "integer"}, "ratio": {"type": "number"},
        "dry": {"type": "boolean"}, "none": {"type": "null"}, "deep": {"type": "object"},
        "tags": {"type": "array", "items": text},
    });
    vec![
        object(json!({})),
        object(json!({"path": text})),
        object(json!({"city": text, "path": text})),
        object(all),
        with("additionalProperties", json!(true)),
        with("additionalProperties", text.clone()),
        with("additionalProperties", json!(false)),
        with("required", json!(["path"])),
    ]
}

/// Parsers of a dialect for the tool `write` with each of the schemas, and without tools if the dialect allows it.
fn parsers(dialect: &'static Dialect) -> impl Iterator<Item = (Parser, Value)> {
    let tool = |schema: &Value| {
        Tool::from_json(&json!({"name": "write", "parameters": schema})).expect("a tool")
    };
    let build = move |tools: Vec<Tool>| Parser::builder(dialect).tools(tools).build().ok();
    let with = schemas().into_iter().map(move |schema| (build(vec![tool(&schema)]), schema));
    // These dialects call only declared tools.
    let needs_tools = [Dialect::CLINE, Dialect::BARE_JSON, Dialect::WRAPPED_JSON].contains(dialect);
    let without = (!needs_tools).then(|| (build(vec![]), Value::Null));
    with.chain(without).map(|(parser, schema)| (parser.expect("a parser"), schema))
}

fn members(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).expect("an object")
}

/// Checks that the dialect can write the call. It refuses a call that would not read back equal.
fn is_carried(parser: &Parser, schema: &Value, arguments: &Map<String, Value>) {
    if let Err(error) = parser.render_call("write", arguments) {
        panic!("{schema} {}: {error}", Value::Object(arguments.clone()));
    }
}

/// Texts that look like the grammar of some dialect, but close nothing.
const TEXTS: [&str; 17] = [
    "a.rs",
    "é",
    "",
    "a, mode=3",
    "say \"é\", mode=\"w\"",
    "it's, x='y'",
    "'), other('",
    "\")]",
    "f(",
    ":(",
    "]",
    "{\"k\": 1}",
    "a == b",
    "\\d+\\",
    "r'x'",
    "line\né\n\nlast",
    "12",
];

#[test]
fn texts_come_back_declared_or_not() {
    // Without a declaration, `cline` reads no parameter, because its tags are the names.
    for dialect in Dialect::ALL.iter().filter(|dialect| **dialect != Dialect::CLINE) {
        for (parser, schema) in parsers(dialect) {
            for text in TEXTS {
                for arguments in [
                    json!({"path": text, "content": "x", "mode": "w"}),
                    json!({"path": "x", "content": text, "mode": text}),
                    json!({"path": "é", "zone": text}),
                ] {
                    is_carried(&parser, &schema, &members(arguments));
                }
            }
        }
    }
}

/// Dialects whose calls have only texts as values. The types come from the schema.
const BY_SCHEMA: [&str; 20] = [
    "cline",
    "code-assistant",
    "invoke",
    "qwen3-coder",
    "glm",
    "minimax-m2",
    "minimax-m3",
    "code-assistant-caret",
    "seed-oss",
    "longcat",
    "iquest-q1",
    "dots",
    "functiongemma",
    "solar-open2",
    "hunyuan",
    "step3",
    "minicpm5",
    "muse",
    "beam",
    "react",
];

#[test]
fn values_come_back_where_the_wire_has_types() {
    let all = json!({
        "path": "x", "count": 3, "ratio": -0.5, "dry": true, "none": null, "tags": ["a", "é, b=1", "'"],
        "deep": {"k": ["v", {"w": "a\", x=\"b"}], "l": false},
    });
    for dialect in Dialect::ALL.iter().filter(|dialect| !BY_SCHEMA.contains(&dialect.name())) {
        for (parser, schema) in parsers(dialect) {
            is_carried(&parser, &schema, &members(all.clone()));
            for (key, value) in members(all.clone()) {
                let mut arguments = members(json!({"path": "é"}));
                arguments.insert(key, value);
                arguments.insert("zone".to_string(), json!("a, b=1"));
                is_carried(&parser, &schema, &arguments);
            }
        }
    }
}

/// Calls next to each other. The second calls an undeclared tool, if the dialect can have such calls.
#[test]
fn calls_come_back_side_by_side() {
    for dialect in Dialect::ALL.iter().filter(|dialect| **dialect != Dialect::CLINE) {
        let declared_alone =
            ["bare-json", "wrapped-json", "llama3-json", "pythonic"].contains(&dialect.name());
        for (parser, schema) in parsers(dialect) {
            for text in TEXTS {
                let arguments = members(json!({"path": text}));
                let declared = declared_alone && schema != Value::Null;
                let other = if declared { "write" } else { "other" };
                let calls = ["write", other, "write"].map(|name| CallRef::new(name, &arguments));
                if let Err(error) = parser.render_calls(&calls) {
                    panic!("{} {schema} {text:?}: {error}", dialect.name());
                }
            }
        }
    }
}
