//! Tools that a client declares in namespaces, as Codex does. The client has two names for each, and the parser one.

use serde_json::{Value, json};
use toolstream::adapt::{EventWriter, Protocol};
use toolstream::{Dialect, Parser, Tool};

fn declared(name: &str) -> Value {
    json!({"type": "function", "name": name, "strict": false,
        "parameters": {"type": "object", "properties": {"to": {"type": "string"}}}})
}

/// Tools as Codex sends them.
fn request() -> Value {
    json!([
        declared("exec_command"),
        {"type": "namespace", "name": "mcp__mail__", "description": "Your mail.", "tools": [declared("send")]},
        {"type": "namespace", "name": "web", "tools": [
            {"type": "function", "name": "_open", "description": "Opens."}, {"type": "web_search"},
            {"type": "custom", "name": "run"}]},
        {"type": "tool_search", "execution": "client", "parameters": {}},
        {"type": "web_search"},
        {"type": "custom", "name": "apply_patch", "format": {"type": "grammar"}},
        {"type": "namespace", "name": "empty"},
    ])
}

fn tools() -> Vec<Tool> {
    Tool::from_request(&request()).expect("tools").0
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| &*tool.name).collect()
}

#[test]
fn namespaces_are_flattened() {
    let (tools, left_out) = Tool::from_request(&request()).expect("tools");
    let flat = ["exec_command", "mcp__mail__send", "web_open", "web__run", "apply_patch"];
    assert_eq!(names(&tools), flat);
    assert_eq!(left_out, ["web.web_search", "tool_search", "web_search", "namespace"]);
    let namespaces = tools
        .iter()
        .map(|tool| tool.namespace.as_ref().map(|of| (of.name.as_str(), of.tool.as_str())));
    let given =
        [None, Some(("mcp__mail__", "send")), Some(("web", "_open")), Some(("web", "run")), None];
    assert_eq!(namespaces.collect::<Vec<_>>(), given);
    assert_eq!(tools[1].description.as_deref(), Some("Your mail."));
    assert_eq!(tools[2].description.as_deref(), Some("Opens."));
    assert!(tools[3].free_text && tools[1].params[0].name == "to");

    let one = Tool::from_json(&request()[1]).expect("a tool");
    assert_eq!(one, tools[1]);
    let error = Tool::from_json(&request()[2]).expect_err("a tool of the provider's").to_string();
    assert!(error.starts_with("tool.tools[1].name must be"), "{error}");
    let nameless = json!([{"type": "namespace", "tools": []}]);
    let error = Tool::from_request(&nameless).expect_err("no name").to_string();
    assert_eq!(error, "tools[0].name must be a string that is not empty");
}

/// No two tools have one name, and no name is too long for a parser.
#[test]
fn flat_names_are_unique_and_short() {
    let long = "n".repeat(100);
    let twice = json!([
        {"type": "namespace", "name": "a", "tools": [declared("b"), declared("c__d")]},
        {"type": "namespace", "name": "a__c", "tools": [declared("d")]},
        {"type": "namespace", "name": long, "tools": [declared(&"t".repeat(60))]},
        declared("a__b"),
    ]);
    let (tools, _) = Tool::from_request(&twice).expect("tools");
    let tail = "t".repeat(60);
    assert_eq!(names(&tools), ["a__b_2", "a__c__d", "a__c__d_2", &tail, "a__b"]);
    assert_eq!(Tool::list_from_json(&twice).expect("tools"), tools);
    Parser::builder(Dialect::HERMES).tools(tools).build().expect("a parser");
}

fn answer(protocol: Protocol, whole: bool) -> Vec<Value> {
    let builder = Parser::builder(Dialect::HERMES).tools(tools()).tool_limit(None);
    let mut parser = builder.build().expect("a parser");
    let mut writer = EventWriter::new(protocol, &parser, "a", "m").whole(whole);
    let call = |name: &str, arguments: &str| {
        format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>\n")
    };
    // Calls of each kind stand before and after the calls of a namespace.
    let text = [
        call("exec_command", "{}"),
        call("mcp__mail__send", "{\"to\": \"me\"}"),
        call("web__run", "{\"input\": \"x\"}"),
        call("apply_patch", "{\"input\": \"y\"}"),
        call("mcp__mail__send", "{\"to\": \"you\"}"),
    ]
    .concat();
    parser.feed_into(&text, &mut writer);
    parser.finish_into(&mut writer);
    writer.finish();
    let sent = String::from_utf8(writer.take()).expect("UTF-8");
    if whole {
        return vec![serde_json::from_str(&sent).expect("JSON")];
    }
    let data = sent.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]")
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .collect()
}

/// The tool of a call's item: its kind, namespace and name.
fn named(item: &Value) -> [Value; 3] {
    ["type", "namespace", "name"].map(|key| item[key].clone())
}

fn wanted(items: [[&str; 3]; 5]) -> Vec<[Value; 3]> {
    let value = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
    items.iter().map(|item| item.map(value)).collect()
}

#[test]
fn a_call_has_both_names_in_responses() {
    let wanted = wanted([
        ["function_call", "", "exec_command"],
        ["function_call", "mcp__mail__", "send"],
        ["custom_tool_call", "web", "run"],
        ["custom_tool_call", "", "apply_patch"],
        ["function_call", "mcp__mail__", "send"],
    ]);
    let items = |list: &Value| -> Vec<[Value; 3]> {
        list.as_array().expect("items").iter().map(named).collect()
    };
    let whole = answer(Protocol::OpenAiResponses, true);
    assert_eq!(items(&whole[0]["output"]), wanted);
    let events = answer(Protocol::OpenAiResponses, false);
    let of = |kind: &str| -> Vec<[Value; 3]> {
        let events = events.iter().filter(|event| event["type"] == kind);
        events.map(|event| named(&event["item"])).collect()
    };
    assert_eq!(of("response.output_item.added"), wanted);
    assert_eq!(of("response.output_item.done"), wanted);
    let last = events.last().expect("events");
    assert_eq!(items(&last["response"]["output"]), wanted);
    assert_eq!(last["response"]["output"][1]["arguments"], "{\"to\":\"me\"}");
    let done =
        events.iter().filter(|event| event["type"] == "response.function_call_arguments.done");
    let done: Vec<&Value> = done.map(|event| &event["name"]).collect();
    assert_eq!(done, ["exec_command", "send", "send"]);
}

#[test]
fn a_call_has_both_names_in_chats() {
    let wanted = wanted([
        ["", "", "exec_command"],
        ["", "mcp__mail__", "send"],
        ["", "web", "run"],
        ["", "", "apply_patch"],
        ["", "mcp__mail__", "send"],
    ]);
    let whole = answer(Protocol::OpenAiChat, true);
    let calls = whole[0]["choices"][0]["message"]["tool_calls"].as_array().expect("calls");
    assert_eq!(calls.iter().map(|call| named(&call["function"])).collect::<Vec<_>>(), wanted);
    let chunks = answer(Protocol::OpenAiChat, false);
    let calls =
        chunks.iter().flat_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].as_array());
    let begun = calls.flatten().filter(|call| call["id"].is_string());
    assert_eq!(begun.map(|call| named(&call["function"])).collect::<Vec<_>>(), wanted);
}

/// Anthropic's clients have no namespaces. A client that declares some there gets the flat names.
#[test]
fn messages_have_flat_names() {
    let whole = answer(Protocol::Anthropic, true);
    let names: Vec<&Value> = whole[0]["content"]
        .as_array()
        .expect("blocks")
        .iter()
        .map(|block| &block["name"])
        .collect();
    assert_eq!(names[1..3], ["mcp__mail__send", "web__run"]);
}

/// Calls in a history get their flat names, even of tools that are no longer declared.
#[test]
fn a_history_has_flat_names() {
    let parser = Parser::builder(Dialect::HERMES).tools(tools()).build().expect("a parser");
    let arguments = "{\"to\": \"me\"}";
    let call = |namespace: &str, name: &str, id: &str| json!({"type": "function_call", "call_id": id, "namespace": namespace, "name": name, "arguments": arguments});
    let history = [
        call("mcp__mail__", "send", "a"),
        call("web", "_open", "b"),
        call("gone", "tool", "c"),
        json!({"type": "function_call_output", "call_id": "a", "output": "sent"}),
    ];
    let written = parser.render_history(&history).expect("a history");
    let unlimited = parser.to_builder().tool_limit(None).build().expect("a parser");
    let message = unlimited.parse(written[0]["content"].as_str().expect("text"));
    let names: Vec<&str> = message.calls().map(|call| call.name()).collect();
    assert_eq!(names, ["mcp__mail__send", "web_open", "gone__tool"]);

    let function = json!({"namespace": "mcp__mail__", "name": "send", "arguments": arguments});
    let chat = json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": function}]});
    let written = parser.render_history(&[chat]).expect("a chat");
    assert!(
        written[0]["content"].as_str().is_some_and(|text| text.contains("\"mcp__mail__send\""))
    );
}
