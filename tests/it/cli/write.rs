//! `toolstream render`, `repair` and `sanitize`.

use serde_json::{Value, json};
use toolstream::Dialect;

use super::support::*;

#[test]
fn a_call_is_written_in_every_dialect_and_reads_back() {
    let tools = Temp::file("render-tools.json", TOOLS);
    let call = json!({"name": "read_file", "arguments": {"path": "a <b> \"c\""}}).to_string();
    for dialect in Dialect::ALL {
        let with =
            |command: &'static str| [command, "--dialect", dialect.name(), "--tools", tools.path()];
        let written = run(&with("render"), &call);
        assert_eq!((&*written.err, written.code), ("", 0), "{dialect}");
        let read = run(&[&with("parse")[..], &["--format", "message"]].concat(), &written.out);
        let message: Value = serde_json::from_str(&read.out).unwrap();
        let blocks = message["content"].as_array().unwrap();
        let found = blocks.iter().find(|block| block["type"] == "tool_use").unwrap();
        assert_eq!(found["input"], json!({"path": "a <b> \"c\""}), "{dialect}");
    }
}

#[test]
fn calls_come_in_many_shapes() {
    let expected = "<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"n\": 1}}\n</tool_call>\n";
    let call = json!({"name": "ping", "arguments": {"n": 1}});
    let openai = json!({"id": "call_1", "type": "function",
        "function": {"name": "ping", "arguments": "{\"n\": 1}"}});
    let input = json!({"type": "tool_use", "id": "toolu_1", "name": "ping", "input": {"n": 1}});
    for shape in [
        call.clone(),
        json!([call]),
        openai.clone(),
        json!({"role": "assistant", "content": null, "tool_calls": [openai]}),
        input.clone(),
        json!({"role": "assistant", "content": [{"type": "text", "text": "Hi"}, input]}),
    ] {
        let done = run(&["render", "--dialect", "hermes"], shape.to_string());
        assert_eq!((&*done.out, &*done.err, done.code), (expected, "", 0), "{shape}");
    }
    let two = run(&["render", "--dialect", "hermes"], json!([call, call]).to_string());
    assert_eq!(two.out, expected.repeat(2));
}

/// A message is rendered in another dialect, without the calls that may not run.
#[test]
fn a_message_of_parse_is_rendered() {
    let whole = "<tool_call>\n{\"name\": \"ping\", \"arguments\": {}}\n</tool_call>";
    let cut = "\n<tool_call>\n{\"name\": \"ping\", \"argu";
    let read = |text: &str| {
        let args = ["parse", "--dialect", "hermes", "--format", "message", "--tool-limit", "none"];
        run(&args, text).out
    };
    let done = run(&["render", "--dialect", "mistral"], read(&[whole, cut].concat()));
    assert_eq!((&*done.out, done.code), ("[TOOL_CALLS]ping[ARGS]{}\n", 0));
    let done = run(&["render", "--dialect", "mistral"], read(cut));
    assert_eq!((&*done.out, done.code), ("", 1));
    assert!(done.err.contains("no call that may run"), "{}", done.err);
}

#[test]
fn results_and_a_history_are_written() {
    let results = json!([{"name": "list", "content": "a.rs"},
        {"name": "read", "content": "no such file", "is_error": true}]);
    let done = run(&["render", "--dialect", "hermes", "--results"], results.to_string());
    let expected = "<tool_response>\na.rs\n</tool_response>\n\
        <tool_response>\nError: no such file\n</tool_response>\n";
    assert_eq!((&*done.out, done.code), (expected, 0));

    let call =
        json!({"id": "c", "type": "function", "function": {"name": "list", "arguments": "{}"}});
    let messages = json!([{"role": "user", "content": "What is here?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "a.rs"}]);
    for input in [messages.clone(), json!({"model": "m", "messages": messages})] {
        let done = run(&["render", "--dialect", "hermes", "--history"], input.to_string());
        let written: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(written[0], messages[0]);
        assert!(written[1]["content"].as_str().unwrap().starts_with("I look.\n<tool_call>"));
        let result = "<tool_response>\na.rs\n</tool_response>";
        assert_eq!(written[2], json!({"role": "user", "content": result}));
    }
}

#[test]
fn a_history_is_written_by_the_options() {
    let image = json!({"type": "image_url", "image_url": {"url": "u"}});
    let messages = json!([{"role": "tool", "content": [image]}, {"type": "web_search_call"}]);
    let render = |config: &str| {
        let args = ["render", "--dialect", "hermes", "--history", "--config", config];
        let done = run(&args, messages.to_string());
        serde_json::from_str::<Value>(&done.out).unwrap()
    };
    let written = render("{}");
    assert_eq!(written[0]["content"][1], image);
    assert_eq!(written[1]["content"], "[web_search_call]");
    let config = json!({"attachments": "none", "hosted_calls": "leave_out"}).to_string();
    let result = json!({"role": "user", "content": "Result:\n[image]"});
    assert_eq!(render(&config), json!([result]));
}

#[test]
fn markers_in_results_are_broken_up_unless_the_user_says_otherwise() {
    let result = json!({"name": "fetch", "content": "a</tool_response>"}).to_string();
    let render = |more: &[&str]| {
        run(&[&["render", "--dialect", "hermes", "--results"], more].concat(), &*result)
    };
    let expected = "<tool_response>\na<␛/tool_response>\n</tool_response>\n";
    assert_eq!((&*render(&[]).out, render(&["--markers", "neutralise"]).code), (expected, 0));
    let verbatim = render(&["--markers", "verbatim"]);
    assert_eq!(verbatim.out, "<tool_response>\na</tool_response>\n</tool_response>\n");
    let refused = render(&["--markers", "refuse"]);
    assert_eq!((&*refused.out, refused.code, refused.err.lines().count()), ("", 1, 1));
    assert!(
        refused.err.contains("the result of `fetch` holds `</tool_response>`"),
        "{}",
        refused.err
    );
    assert_eq!(render(&["--markers", "none"]).code, 2);
}

#[test]
fn what_cannot_be_written_is_told() {
    let value = json!({"name": "f", "arguments": {"a": "</parameter></function>"}});
    let done = run(&["render", "--dialect", "qwen3-coder"], value.to_string());
    assert_eq!((&*done.out, done.code, done.err.lines().count()), ("", 1, 1));
    assert!(done.err.contains("`f`") && done.err.contains("read back differently"), "{}", done.err);
    for (args, input, told) in [
        (&[][..], "{", "1:1: not valid JSON"),
        (&[], "{\"nam\": 1}", "calls[0].name must be a string"),
        (&[], "{\"name\": \"a\", \"arguments\": 1}", "calls[0].arguments must be a JSON object"),
        (&["--results"], "[{\"name\": \"a\"}]", "results[0].content must be there"),
        (&["--results", "--history"], "[]", "cannot be used with"),
    ] {
        let done = run(&[&["render", "--dialect", "hermes"], args].concat(), input);
        assert_eq!((&*done.out, done.code, done.err.lines().count()), ("", 2, 1), "{input}");
        assert!(done.err.contains(told), "{}", done.err);
    }
    let done = run(&["render", "--dialect", "hermes", "--history"], "[{\"role\": \"user\"}, 3]");
    assert_eq!(done.code, 1);
    assert!(done.err.contains("messages[1] must be an object"), "{}", done.err);
    refused(&["render", "--dialect", "cline"], &["with --tools FILE"]);
}

#[test]
fn json_is_repaired_and_the_repairs_are_named() {
    let text = "{path: 'a.rs', deep: True,}";
    let done = run(&["repair"], text);
    assert_eq!((&*done.out, &*done.err, done.code), ("{\"path\":\"a.rs\",\"deep\":true}\n", "", 0));
    let report: Value = serde_json::from_str(&run(&["repair", "--report"], text).out).unwrap();
    let repairs = ["trailing_comma", "quotes", "unquoted_key", "python_literal"];
    assert_eq!(report, json!({"object": {"path": "a.rs", "deep": true}, "repairs": repairs}));
    let report: Value = serde_json::from_str(&run(&["repair", "--report"], "{}").out).unwrap();
    assert_eq!(report["repairs"], json!([]));
}

#[test]
fn what_no_repair_helps_is_told_with_its_place() {
    for (text, told) in [
        ("{\"a\": 1,\n \"é\": 1 \"b\": 2}", "2:9: "),
        ("{\"a\": 1, \"b\": \"tex", "the members that are certainly whole: a"),
        ("{\"a", "no member is certainly whole"),
        ("[1]", "no JSON object"),
        (" ", "empty"),
    ] {
        let done = run(&["repair"], text);
        assert_eq!((&*done.out, done.code, done.err.lines().count()), ("", 1, 1), "{text}");
        assert!(done.err.contains(told), "{}", done.err);
    }
}

#[test]
fn text_without_calls_is_left() {
    let call = "<tool_call>\n{\"name\": \"ping\", \"arguments\": {}}\n</tool_call>";
    let text = format!("<think>Hm.</think>a < b\n{call}{call}\n  c\n{call}");
    let expected = "a < b\n\n  c\n";
    let done = run(&["sanitize", "--dialect", "hermes"], &text);
    assert_eq!((&*done.out, &*done.err, done.code), (expected, "", 0));
    let done = run(&["sanitize", "--dialect", "auto"], &text);
    assert_eq!((&*done.out, done.code), (expected, 0));
    assert!(done.err.contains("tool-call: it finds 3 calls"), "{}", done.err);
    refused(&["sanitize"], &["--dialect NAME"]);
}
