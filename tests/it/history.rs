//! An OpenAI history as text of a dialect.

use serde_json::{Value, json};
use toolstream::{Dialect, Param, Parser, Tool, render::ToolResult, tools::Type};

fn parser(dialect: Dialect) -> Parser {
    let save = Tool::new("save")
        .param(Param::required("file").with(Type::String))
        .param(Param::optional("mode").with(Type::Integer));
    let tools = [save, Tool::new("list")];
    Parser::builder(dialect).tools(tools).tool_limit(None).build().expect("well named tools")
}

fn call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}})
}

fn said(content: impl Into<Value>, calls: &[Value]) -> Value {
    json!({"role": "assistant", "content": content.into(), "tool_calls": calls})
}

fn tool(id: &str, content: impl Into<Value>) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content.into()})
}

/// The dialects whose calls stand only at the start of the message, or after a header.
const AT_START: &[&str] = &["llama3-json", "pythonic"];

/// In every dialect, the turn reads back as its calls, and the results are written as the dialect writes them.
#[test]
fn every_dialect_carries_a_history() {
    let arguments = json!({"file": "a < b\nc", "mode": 3});
    for dialect in Dialect::ALL {
        let parser = parser(dialect.clone());
        let history = [
            json!({"role": "system", "content": "Be brief."}),
            json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}),
            said(
                "I look.",
                &[call("call_0", "save", &arguments), call("call_1", "list", &json!({}))],
            ),
            // The order differs from that of the calls.
            tool(
                "call_1",
                json!([{"type": "text", "text": "two"}, {"type": "text", "text": " parts"}]),
            ),
            tool("call_0", "one"),
            json!({"role": "assistant", "content": "Done.", "tool_calls": []}),
        ];
        let written =
            parser.render_history(&history).unwrap_or_else(|error| panic!("{dialect}: {error}"));
        assert_eq!(written.len(), 5, "{dialect}");
        assert_eq!(
            [&written[0], &written[1], &written[4]],
            [&history[0], &history[1], &history[5]]
        );

        assert_eq!(written[2].get("tool_calls"), None);
        let text = written[2]["content"].as_str().expect("text");
        assert!(text.starts_with("I look.\n"), "{dialect}: {text}");
        // After text these dialects read no call, so they cannot read a turn with both.
        if AT_START.contains(&dialect.name()) {
            continue;
        }
        let message = parser.parse(text);
        let calls: Vec<_> =
            message.calls().map(|call| (call.name(), Value::from(call.input().clone()))).collect();
        assert_eq!(calls, [("save", arguments.clone()), ("list", json!({}))], "{dialect}: {text}");

        let ids: Vec<_> = message.calls().map(|call| call.id().map(String::from)).collect();
        let results = [ToolResult::ok("save", "one"), ToolResult::ok("list", "two parts")];
        let results: Vec<_> =
            results.into_iter().zip(ids).map(|(result, id)| result.with_id(id)).collect();
        let wanted = json!({"role": "user", "content": parser.render_results(&results).unwrap()});
        assert_eq!(written[3], wanted, "{dialect}");
    }
}

/// A client's id is kept if the dialect can have it. Otherwise the dialect numbers its own ids.
#[test]
fn ids_go_along() {
    let parser = parser(Dialect::KIMI_K2);
    let own = "functions.list:7";
    let turn = |id: &str| [said(Value::Null, &[call(id, "list", &json!({}))]), tool(id, "a")];
    let history = [turn(own), turn("call_0"), turn("call_0")].concat();
    let written = parser.render_history(&history).expect("a history");
    for (at, id) in [(0, own), (2, "functions.list:1"), (4, "functions.list:2")] {
        let [turn, result] = [at, at + 1].map(|at| written[at]["content"].as_str().expect("text"));
        assert!(turn.contains(id), "{turn}");
        assert!(result.contains(id), "{result}");
    }
}

#[test]
fn arguments_as_clients_have_them() {
    let parser = parser(Dialect::HERMES);
    let write = |arguments: Value| {
        let call = json!({"id": "a", "function": {"name": "list", "arguments": arguments}});
        let written = parser.render_history(&[said("", &[call])]);
        written.map(|written| written[0]["content"].as_str().expect("text").to_string())
    };
    let empty = write(json!("{}")).expect("a call");
    assert_eq!(empty, "<tool_call>\n{\"name\": \"list\", \"arguments\": {}}\n</tool_call>");
    for arguments in [json!(""), json!(" "), Value::Null, json!({})] {
        assert_eq!(write(arguments.clone()).as_ref(), Ok(&empty), "{arguments}");
    }
    let given = write(json!("{'a': 1,}")).expect("a repair");
    assert_eq!(Ok(given), write(json!({"a": 1})));
    for (arguments, text) in [(json!("oops"), "oops"), (json!("[1]"), "[1]"), (json!(3), "3")] {
        let call =
            format!("<tool_call>\n{{\"name\": \"list\", \"arguments\": {text}}}\n</tool_call>");
        assert_eq!(write(arguments), Ok(call));
    }
}

/// An id may come again in the next turn, and twice in one turn.
#[test]
fn a_result_belongs_to_the_last_turn() {
    let parser = parser(Dialect::REACT);
    let turn = [
        said("", &[call("c", "list", &json!({})), call("c", "save", &json!({"file": "x"}))]),
        tool("c", "one"),
        tool("c", "two"),
    ];
    let history = [&turn[..], &[json!({"role": "user", "content": "Go on."})], &turn[..]].concat();
    let written = parser.render_history(&history).expect("a history");
    assert_eq!(written.len(), 4);
    let calls = "Action: list\nAction Input: {}\nAction: save\nAction Input: {\"file\": \"x\"}\n";
    assert_eq!(written[0]["content"], calls);
    let results = "Observation: one\nObservation: two\n";
    assert_eq!(written[1]["content"], format!("{results}\nGo on."));
    assert_eq!(written[3]["content"], results);
}

/// A conversation is written alike from each of the three protocols.
#[test]
fn every_protocol_says_the_same() {
    let arguments = json!({"file": "a", "mode": 3});
    let mut turn =
        said("I look.", &[call("c0", "save", &arguments), call("c1", "list", &json!({}))]);
    turn["reasoning_content"] = "Hm. So.".into();
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}});
    let chat = [
        json!({"role": "user", "content": [{"type": "text", "text": "This?"}, image]}),
        turn,
        tool("c0", "one"),
        tool("c1", "two parts"),
        json!({"role": "user", "content": "And now?"}),
        json!({"role": "assistant", "content": "Done."}),
    ];
    let source = json!({"type": "base64", "media_type": "image/png", "data": "AA=="});
    let messages = [
        json!({"role": "user", "content": [
            {"type": "text", "text": "This?", "cache_control": {"type": "ephemeral"}},
            {"type": "image", "source": source}]}),
        json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm. So.", "signature": "x"},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c0", "name": "save", "input": arguments},
            {"type": "tool_use", "id": "c1", "name": "list", "input": {}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c0", "content": "one"},
            {"type": "tool_result", "tool_use_id": "c1", "content": [
                {"type": "text", "text": "two"}, {"type": "text", "text": " parts"}]},
            {"type": "text", "text": "And now?"}]}),
        json!({"role": "assistant", "content": "Done."}),
    ];
    let items = [
        json!({"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "This?"},
            {"type": "input_image", "image_url": "data:image/png;base64,AA=="}]}),
        json!({"type": "reasoning", "id": "rs", "summary": [
            {"type": "summary_text", "text": "Hm."}, {"type": "summary_text", "text": " So."}]}),
        json!({"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "I look.", "annotations": []}]}),
        json!({"type": "function_call", "call_id": "c0", "name": "save",
            "arguments": arguments.to_string()}),
        json!({"type": "function_call", "call_id": "c1", "name": "list", "arguments": "{}"}),
        json!({"type": "function_call_output", "call_id": "c0", "output": "one"}),
        json!({"type": "function_call_output", "call_id": "c1", "output": [
            {"type": "input_text", "text": "two parts"}]}),
        json!({"role": "user", "content": "And now?"}),
        json!({"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "Done.", "annotations": []}]}),
    ];
    for dialect in [Dialect::HERMES, Dialect::CLINE, Dialect::KIMI_K2, Dialect::REACT] {
        let parser = parser(dialect.clone());
        let written = parser.render_history(&chat).expect("a chat");
        assert_eq!(
            written.len(),
            4,
            "{dialect}: the results and what comes after them are one message"
        );
        assert_eq!(parser.render_history(&messages).expect("messages"), written, "{dialect}");
        assert_eq!(parser.render_history(&items).expect("items"), written, "{dialect}");
    }
}

/// A refusal is text. An image is an image, wherever its address stands.
#[test]
fn parts_of_a_message() {
    let parser = parser(Dialect::HERMES);
    let odd = json!({"type": "input_image", "image_url": {"url": "u"}});
    let items = [
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}, odd]}),
        json!({"type": "message", "role": "assistant", "content": [
            {"type": "refusal", "refusal": "No."}]}),
    ];
    let written = parser.render_history(&items).expect("items");
    let image = json!({"type": "image_url", "image_url": {"url": "u"}});
    assert_eq!(written[0]["content"][1], image);
    assert_eq!(written[1]["content"], "No.");
}

/// Messages of one role in a row are joined. Many chat templates want a single system message, and user and assistant in turns.
#[test]
fn messages_in_a_row_are_one() {
    let image = json!({"type": "image_url", "image_url": {"url": "u"}});
    let named = json!({"role": "user", "content": "c", "name": "Zo\u{eb}"});
    let history = [
        json!({"role": "system", "content": "Be brief."}),
        json!({"role": "system", "content": "Be kind."}),
        json!({"role": "user", "content": "a"}),
        json!({"role": "user", "content": [image]}),
        named.clone(),
        json!({"role": "user", "content": "d"}),
        json!({"role": "assistant", "content": "e"}),
        json!({"role": "assistant", "content": "f"}),
    ];
    let written = parser(Dialect::HERMES).render_history(&history).expect("a history");
    let text = json!({"type": "text", "text": "a"});
    let joined = [
        json!({"role": "system", "content": "Be brief.\n\nBe kind."}),
        json!({"role": "user", "content": [text, image]}),
        named,
    ];
    assert_eq!(written[..3], joined);
    assert_eq!(written[3..], history[5..]);
}
