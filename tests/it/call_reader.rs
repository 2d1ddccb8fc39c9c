//! [`CallReader`] and [`Message`] say the same of every call.

use std::ops::Range;

use serde_json::{Value, json};
use toolstream::{
    Block, Dialect, Event, Parser, Tool,
    calls::{CallReader, IncompleteReason, ReadCall},
    options::{Options, Required, Types},
};

use crate::support::{inputs, samples};

/// Facts that both say about a call.
#[derive(Debug, PartialEq)]
struct Said {
    index: usize,
    name: String,
    id: Option<String>,
    arguments: Value,
    reason: Option<IncompleteReason>,
    missing: Vec<String>,
    range: Range<usize>,
}

fn of_message(block: &Block) -> Option<Said> {
    Some(match block {
        Block::Call(call) => Said {
            index: call.index(),
            name: call.name().into(),
            id: call.id().map(String::from),
            arguments: call.input().clone().into(),
            reason: None,
            missing: call.missing().to_vec(),
            range: call.range(),
        },
        Block::Incomplete(call) => Said {
            index: call.index(),
            name: call.name().into(),
            id: call.id().map(String::from),
            arguments: call.input().clone().into(),
            reason: Some(call.reason()),
            missing: Vec::new(),
            range: call.range(),
        },
        _ => return None,
    })
}

fn of_reader(call: &ReadCall<'_>) -> Said {
    assert_eq!(call.may_run(), call.reason.is_none());
    Said {
        index: call.index,
        name: call.name.into(),
        id: call.id.map(String::from),
        arguments: serde_json::from_str(call.arguments).expect("arguments are JSON"),
        reason: call.reason,
        missing: call.missing.to_vec(),
        range: call.range.clone(),
    }
}

/// Compares both over a text, in chunks of `size` bytes, and returns the calls. The reader may have read other texts before.
fn compare(
    reader: &mut CallReader,
    parser: &Parser,
    text: &str,
    size: usize,
    cut: bool,
) -> Vec<Said> {
    let mut parser = parser.clone();
    let (mut message, mut said) = (parser.message(), Vec::new());
    reader.reset();
    {
        let mut take = |event: Event<&str>| {
            reader.push(event, &mut |call| said.push(of_reader(&call)));
            message.push(event);
        };
        for chunk in text.as_bytes().chunks(size) {
            parser.feed_bytes_into(chunk, &mut take);
        }
        match cut {
            true => parser.finish_cut_into(&mut take),
            false => parser.finish_into(&mut take),
        }
    }
    reader.close(&mut |call| said.push(of_reader(&call)));
    message.close();
    let wanted: Vec<_> = message.blocks().iter().filter_map(of_message).collect();
    assert_eq!(said, wanted, "{text:?}");
    assert_eq!(reader.diagnostics(), message.diagnostics(), "{text:?}");
    assert_eq!(
        (reader.ended(), reader.position()),
        (message.ended(), message.position()),
        "{text:?}"
    );
    said
}

#[test]
fn of_every_vector() {
    let mut calls = 0;
    for dialect in Dialect::ALL {
        for sample in samples::vectors(dialect.name()).iter().step_by(inputs::every()) {
            let parser = sample.parser(dialect);
            let mut reader = CallReader::new(&parser);
            for (size, cut) in [(usize::MAX, false), (1, false), (7, true)] {
                calls += compare(&mut reader, &parser, &sample.text, size, cut).len();
            }
        }
    }
    assert!(calls > 5_000 / inputs::every(), "{calls}");
}

/// Arguments as models write them, and as they should not, under schemas of every type, strict and lenient.
#[test]
fn of_arguments_of_every_kind() {
    let deep = |levels| format!("{{\"a\": {}{}}}", "[".repeat(levels), "]".repeat(levels));
    let many: Vec<_> = (0..40).map(|n| format!("\"k{n}\": {n}")).collect();
    let mut written: Vec<String> = [
        r#"{}"#,
        r#"{ }"#,
        r#"{"a": "x"}"#,
        r#" {"a":"x"} "#,
        r#"{"a": 1}"#,
        r#"{"a": 1.0}"#,
        r#"{"a": 1.5}"#,
        r#"{"a": -0}"#,
        r#"{"a": 1e400}"#,
        r#"{"a": 123456789012345678901234567890}"#,
        r#"{"a": "1"}"#,
        r#"{"a": true}"#,
        r#"{"a": null}"#,
        r#"{"a": [1, {"b": 2}]}"#,
        r#"{"a": [1e400]}"#,
        r#"{"a": {"b": {"c": []}}}"#,
        r#"{"a": 1, "a": 2}"#,
        r#"{"a": {"b": 1, "b": 2}}"#,
        r#"{"\u0061": 1, "a": 2}"#,
        r#"{"a": "\ud83d"}"#,
        r#"{"a": "\ud83d\ude00"}"#,
        r#"{"a": "\u00e9\n\"</tool_call>\""}"#,
        r#"{"a": [{"\ud83d": 1}]}"#,
        r#"{"a": 'x'}"#,
        r#"{"a": "x",}"#,
        r#"{"a" 1}"#,
        r#"{a: True}"#,
        r#""{\"a\": 1}""#,
        r#"null"#,
        r#"[1]"#,
        "",
        "{\"a\": \"x\ny\"}",
        r#"{"b": 1}"#,
        r#"{"a": "{\"b\": 1}"}"#,
        "\u{feff}{\"a\": 1}",
        r#"{"a": 01}"#,
    ]
    .map(String::from)
    .into();
    written.extend([deep(3), deep(5), deep(126), format!("{{{}}}", many.join(", "))]);
    let types = ["string", "integer", "number", "boolean", "null", "array", "object"];
    let schemas =
        types.iter().map(|of| json!({"type": of})).chain([json!({}), json!({"enum": ["x", 1]})]);
    let mut verbatim = 0;
    for schema in schemas {
        let parameters = json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
        let tool = Tool::from_json(&json!({"name": "f", "parameters": parameters})).unwrap();
        for strict in [false, true] {
            let mut options = Options::default();
            options.tool_limit = None;
            if strict {
                (options.required, options.types) = (Required::Strict, Types::Strict);
            }
            let builder = Parser::builder(Dialect::HERMES).tool(tool.clone());
            let parser = builder.options(options).build().unwrap();
            let mut reader = CallReader::new(&parser);
            for arguments in &written {
                let text = format!(
                    "<tool_call>{{\"name\": \"f\", \"arguments\": {arguments}}}</tool_call>."
                );
                let read = |call: ReadCall<'_>| usize::from(call.arguments == arguments.trim());
                reader.reset();
                for event in parser.clone().feed(&text) {
                    reader.push(event, &mut |call| verbatim += read(call));
                }
                compare(&mut reader, &parser, &text, usize::MAX, false);
                compare(&mut reader, &parser, &text, 3, true);
                compare(&mut reader, &parser, &text.replace("f\"", "unknown\""), 5, false);
            }
        }
    }
    assert!(verbatim > 100, "{verbatim} were handed on as they stand");
}

/// A repair in one call does not make the reader rewrite the arguments of the next call.
#[test]
fn a_mistake_in_one_call_leaves_the_next_as_it_stands() {
    let call = |arguments: &str| {
        format!("<tool_call>{{\"name\": \"f\", \"arguments\": {arguments}}}</tool_call>\n")
    };
    let text = call("{'a': 1}") + &call("{ \"a\":  1.50 }");
    let mut parser = Parser::builder(Dialect::HERMES).tool_limit(None).build().unwrap();
    let mut reader = CallReader::new(&parser);
    let mut said = Vec::new();
    for event in parser.feed(&text) {
        reader.push(event, &mut |call| said.push(call.arguments.to_string()));
    }
    assert_eq!(said, ["{\"a\":1}", "{ \"a\":  1.50 }"]);
    assert_eq!(reader.diagnostics().len(), 1);
}

#[test]
fn a_call_whose_end_nobody_tells_is_cut() {
    let parser = Parser::builder(Dialect::HERMES).build().unwrap();
    let mut reader = CallReader::new(&parser);
    let mut said = Vec::new();
    let mut take = |call: ReadCall<'_>| said.push((call.may_run(), call.reason));
    for event in parser.clone().feed("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}") {
        reader.push(event, &mut take);
    }
    reader.close(&mut take);
    assert_eq!(said, [(false, Some(IncompleteReason::Cut))]);
}
