//! A value whose type its schema does not allow: every dialect and provider reports it alike. The option `types` decides about
//! the call, for `Message` and for a client of the deltas alike.

use crate::support::delta_writer::DeltaWriter;
use serde_json::{Value, json};
use toolstream::native::{Provider, Reader};
use toolstream::{
    Block, Dialect, Message, Parser, Tool,
    calls::IncompleteReason,
    diagnostic::DiagnosticKind,
    options::{Options, Types},
};

fn tool() -> Tool {
    let properties = json!({
        "k": {"type": "integer"},
        "s": {"type": "string"},
        "list": {"type": "array", "items": {"type": "integer"}},
        "n": {"type": ["number", "null"]},
        "free": {},
    });
    let schema = json!({"type": "object", "properties": properties});
    Tool::from_json(&json!({"name": "set", "parameters": schema})).unwrap()
}

fn parser(dialect: Dialect, types: &str) -> Parser {
    let options = Options::from_json(&json!({"types": types})).unwrap();
    Parser::builder(dialect).tool(tool()).options(options).build().unwrap()
}

fn hermes(arguments: &str) -> String {
    format!("<tool_call>{{\"name\": \"set\", \"arguments\": {arguments}}}</tool_call>")
}

/// The number of values of a wrong type.
fn mismatches(message: &Message) -> usize {
    let kinds = message.diagnostics().iter().map(|found| found.kind);
    kinds.filter(|kind| *kind == DiagnosticKind::TypeMismatch).count()
}

/// The arguments that a client has, in one chunk and in chunks of one byte, and whether the call may run.
fn client(parser: &Parser, text: &str) -> (String, bool) {
    let mut said = Vec::new();
    for size in [1, text.len()] {
        let (mut parser, mut arguments) = (parser.clone(), String::new());
        let mut writer = DeltaWriter::new(parser.to_builder().build().as_ref().unwrap());
        for chunk in text.as_bytes().chunks(size) {
            parser.feed_into(std::str::from_utf8(chunk).unwrap(), &mut writer);
        }
        parser.finish_into(&mut writer);
        let deltas: Vec<Value> = writer.deltas().collect();
        for delta in deltas {
            let piece = delta["tool_calls"][0]["function"]["arguments"].as_str();
            arguments.push_str(piece.unwrap_or_default());
        }
        said.push((arguments, writer.broken().is_empty()));
    }
    assert_eq!(said[0], said[1], "{text}");
    said.pop().unwrap()
}

/// A wrong type is the mistake of a turn only if the call may not run because of it.
#[cfg(feature = "policy")]
#[test]
fn a_turn_says_what_its_call_may_not_run_for() {
    use toolstream::policy::Turn;

    let wrong = hermes(r#"{"k": "seven"}"#);
    let broken = hermes(r#"{"k": [}"#);
    let what = "an argument is not of the type that it must have";
    for (types, text, detail) in [
        ("strict", wrong.clone(), Some(what)),
        ("report", wrong.clone(), None),
        ("report", wrong.clone() + &broken, Some("its arguments are not valid JSON")),
        ("strict", broken + &wrong, Some("its arguments are not valid JSON")),
    ] {
        let message = parser(Dialect::HERMES, types).to_builder().tool_limit(None).build().unwrap();
        let message = message.parse(&text);
        let found = Turn::from(&message).detail;
        let found = found.as_deref().map(|found| found.split(" (").next().unwrap());
        assert_eq!(found, detail, "{types}: {text}");
    }
}

#[test]
fn the_same_is_said_in_every_dialect() {
    let qwen = "<tool_call>\n<function=set>\n<parameter=k>\nseven\n</parameter>\n</function>\n</tool_call>";
    for (dialect, text) in [
        (Dialect::QWEN3_CODER, qwen.to_string()),
        (Dialect::HERMES, hermes(r#"{"k": "seven"}"#)),
        (Dialect::PYTHONIC, "[set(k='seven')]".to_string()),
        (Dialect::REACT, "Action: set\nAction Input: {\"k\": \"seven\"}\n".to_string()),
    ] {
        for types in ["report", "coerce", "strict"] {
            let parser = parser(dialect.clone(), types);
            let message = parser.parse(&text);
            assert_eq!(mismatches(&message), 1, "{text}");
            let (arguments, runs) = client(&parser, &text);
            let object = serde_json::from_str::<Value>(&arguments).ok();
            if types == "strict" {
                let Block::Incomplete(call) = message.blocks().last().unwrap() else { panic!() };
                assert_eq!(call.reason(), IncompleteReason::TypeMismatch, "{text}");
                assert_eq!(call.reason().to_string(), "type_mismatch");
                assert!(!runs && object.is_none(), "{text}: {arguments}");
            } else {
                let call = message.calls().next().unwrap();
                assert_eq!(call.input()["k"], "seven", "{text}");
                assert!(runs && object == Some(json!({"k": "seven"})), "{text}: {arguments}");
            }
        }
    }
}

#[test]
fn members_of_json_by_their_schema() {
    for (arguments, wrong, coerced) in [
        (r#"{"k": 7, "s": "7", "list": ["x"], "n": null, "free": {}}"#, 0, None),
        (r#"{"k": 7.0, "n": 7}"#, 0, None),
        (r#"{"k": 7.5}"#, 1, Some((json!({"k": 7.5}), 1))),
        (r#"{"k": "7", "n": "null"}"#, 2, Some((json!({"k": 7, "n": null}), 0))),
        (r#"{"list": "[1, 2]", "k": "7.5"}"#, 2, Some((json!({"list": [1, 2], "k": "7.5"}), 1))),
        (r#"{"s": 7}"#, 1, Some((json!({"s": 7}), 1))),
        (r#"{"free": "7", "other": 7}"#, 0, None),
        (r#"{"k": "a", "k": 7}"#, 0, None),
        (r#"{"k": {"k": "7"}}"#, 1, Some((json!({"k": {"k": "7"}}), 1))),
    ] {
        let text = hermes(arguments);
        for types in ["report", "coerce"] {
            let parser = parser(Dialect::HERMES, types);
            let message = parser.parse(&text);
            let input = Value::Object(message.calls().next().unwrap().input().clone());
            let (sent, runs) = client(&parser, &text);
            assert!(runs, "{arguments}");
            assert_eq!(serde_json::from_str::<Value>(&sent).unwrap(), input, "{sent}");
            match &coerced {
                Some((value, left)) if types == "coerce" => {
                    assert_eq!((&input, mismatches(&message)), (value, *left), "{arguments}");
                }
                _ => assert_eq!(mismatches(&message), wrong, "{arguments}"),
            }
        }
        let strict = parser(Dialect::HERMES, "strict");
        let message = strict.parse(&text);
        assert_eq!(message.has_calls(), wrong == 0, "{arguments}");
        assert_eq!(client(&strict, &text).1, wrong == 0, "{arguments}");
    }
}

/// A type in the wire decides about the value, but the value must still fit the schema.
#[test]
fn a_type_of_the_wire_is_checked_too() {
    let text = "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"set\">\n<｜DSML｜parameter name=\"k\" \
        string=\"true\">7</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>";
    let message = parser(Dialect::DEEPSEEK_DSML, "report").parse(text);
    assert_eq!(message.calls().next().unwrap().input()["k"], "7");
    assert_eq!(mismatches(&message), 1);
    assert!(!parser(Dialect::DEEPSEEK_DSML, "strict").parse(text).has_calls());
}

#[test]
fn a_provider_s_own_calls() {
    let chunk = json!({"choices": [{"index": 0, "delta": {"tool_calls": [{
        "index": 0, "id": "a", "type": "function",
        "function": {"name": "set", "arguments": "{\"k\": \"7\"}"},
    }]}, "finish_reason": "tool_calls"}]});
    for (types, runs, value) in [
        (Types::Report, true, json!("7")),
        (Types::Coerce, true, json!(7)),
        (Types::Strict, false, json!(null)),
    ] {
        let builder = Reader::builder(Provider::OpenAiChat).tools([tool()]).types(types);
        let mut reader = builder.build().unwrap();
        let mut message = reader.message();
        for event in reader.feed(chunk.to_string()) {
            message.push(event);
        }
        reader.finish().for_each(|event| message.push(event));
        let call = message.calls().next();
        assert_eq!(call.is_some(), runs);
        assert_eq!(call.map(|call| call.input()["k"].clone()).unwrap_or_default(), value);
    }
}
