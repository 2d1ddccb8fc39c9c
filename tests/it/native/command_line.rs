//! `toolstream native`, as a user and a script see it.

use std::io::Write;
use std::process::{Command, Stdio};

use super::*;

/// Output of `toolstream native`, and its exit code.
fn run(args: &[&str], stdin: &str) -> (String, String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolstream"))
        .arg("native")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    // The command may have ended for a bad argument. Then nobody reads.
    let _ = child.stdin.take().expect("stdin").write_all(stdin.as_bytes());
    let output = child.wait_with_output().expect("its end");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr), output.status.code().expect("a code"))
}

fn stream() -> Vec<Value> {
    vec![
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": "Now:"}}),
        block(1),
        block_delta(1, "{\"file\": "),
        block_delta(1, "\"é\"}"),
        block_stop(1),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
    ]
}

const EVENTS: &str = r#"{"type":"text_content","text":"Now:"}
{"type":"tool_start","index":0,"name":"save","id":"c1"}
{"type":"arguments_delta","text":"{\"file\": "}
{"type":"arguments_delta","text":"\"é\"}"}
{"type":"tool_end","status":"complete"}
"#;

#[test]
fn lines_and_captures_say_the_same() {
    let lines: Vec<String> = stream().iter().map(Value::to_string).collect();
    let sse = |event: &Value| format!("event: x\r\ndata: {}\r\n\r\n", event);
    let captured: String = stream().iter().map(sse).collect();
    // Pretty JSON makes data of many lines.
    let long = |event: &Value| {
        let lines = format!("{event:#}");
        lines.lines().map(|line| format!("data: {line}\n")).collect::<String>() + "\n"
    };
    let long: String = stream().iter().map(long).collect();
    let inputs = [
        lines.join("\n"),
        format!("\u{feff}: hello\r\n\r\n{captured}data: [DONE]\r\n\r\n"),
        format!("{long}data: [DONE]"),
    ];
    for input in inputs {
        let (out, err, code) = run(&["--provider", "anthropic"], &input);
        assert_eq!((&*out, &*err, code), (EVENTS, "", 0), "{input}");
    }
}

#[test]
fn formats() {
    let lines: Vec<String> = stream().iter().map(Value::to_string).collect();
    let format = |name| run(&["--provider", "anthropic", "--format", name], &lines.join("\n")).0;
    assert_eq!(format("text"), "Now:");
    let message: Value = serde_json::from_str(&format("message")).expect("JSON");
    assert_eq!(message["content"][1]["input"], json!({"file": "é"}));
    assert_eq!(message["finish"], "tool_use");
    let openai = format("openai");
    let last: Value = serde_json::from_str(openai.lines().last().expect("lines")).expect("JSON");
    assert_eq!(last["finish_reason"], "tool_calls");
    // Output in the format of OpenAI is read back. Its arguments are written anew.
    let chunk = |line: &str| format!("{{\"choices\":[{line}]}}\n");
    let chunks: String = openai.lines().map(chunk).collect();
    let (again, _, _) = run(&["--provider", "openai-chat", "--format", "message"], &chunks);
    let again: Value = serde_json::from_str(&again).expect("JSON");
    assert_eq!(again["content"][0], message["content"][0]);
    for key in ["id", "name", "input", "status"] {
        assert_eq!(again["content"][1][key], message["content"][1][key]);
    }
    assert_eq!(again["finish"], message["finish"]);
}

#[test]
fn the_user_says_that_it_was_cut() {
    let lines: Vec<String> = stream().iter().map(Value::to_string).collect();
    let (out, _, code) = run(&["--provider", "anthropic", "--ended", "cut"], &lines.join("\n"));
    let cut = "{\"type\":\"diagnostic\",\"kind\":\"cut_stream\",\"at\":18,\"call\":null}\n";
    assert_eq!((&*out, code), (&*(EVENTS.to_string() + cut), 0));
}

#[test]
fn the_limit_and_bad_arguments() {
    let mut events = stream();
    events.extend([block(2), block_delta(2, "{\"file\": 1}"), block_stop(2)]);
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    let ends = |args: &[&str]| {
        let (out, _, _) = run(&[&["--provider", "anthropic"], args].concat(), &lines);
        (out.matches("tool_end").count(), out.matches("tool_limit_reached").count())
    };
    assert_eq!(ends(&[]), (2, 0));
    assert_eq!(ends(&["--tool-limit", "1"]), (1, 1));

    let (_, err, code) = run(&["--provider", "antropic"], "");
    assert_eq!(code, 2);
    assert!(err.contains("did you mean `anthropic`?"), "{err}");
    let (_, err, code) = run(&["--provider", "gemini"], "HTTP/1.1 200 OK\n\n");
    assert_eq!((code, err.contains("neither JSON nor server-sent events: 1")), (0, true), "{err}");
}

/// A file that `curl` writes without `stream`: one JSON object, printed for people.
#[test]
fn a_response_that_was_not_streamed() {
    let message = json!({"role": "assistant", "content": "Now:"});
    let whole = json!({"object": "chat.completion", "choices": [{"message": message, "finish_reason": "stop"}]});
    let (out, err, code) = run(&["--provider", "openai-chat"], &format!("{whole:#}\n"));
    assert_eq!((&*out, &*err, code), ("{\"type\":\"text_content\",\"text\":\"Now:\"}\n", "", 0));
}

#[test]
fn errors_and_foreign_events_are_told() {
    let error =
        json!({"error": {"type": "overloaded_error", "message": "Over\nloaded"}, "type": "error"});
    let (_, err, code) = run(&["--provider", "anthropic"], &error.to_string());
    let told = "toolstream: warning: the provider sent an error: overloaded_error: Over loaded\n";
    assert_eq!((&*err, code), (told, 0));
    let (_, err, _) = run(&["--provider", "anthropic"], "{\"error\": {}}");
    assert_eq!(err, "toolstream: warning: the provider sent an error: {}\n");
    let lines: Vec<String> = stream().iter().map(Value::to_string).collect();
    let (_, err, code) = run(&["--provider", "gemini"], &lines.join("\n"));
    assert_eq!(
        (err.lines().count(), err.contains("--provider anthropic"), code),
        (1, true, 0),
        "{err}"
    );
}

/// A server that leaves the model's calls in the text.
#[test]
fn calls_in_the_text() {
    let call = "<tool_call>\n{\"name\": \"save\", \"arguments\": {\"file\": \"é\"}}\n</tool_call>";
    let (head, tail) = call.split_at(30);
    let capture = |reason: &str| {
        let delta = |delta: Value, reason: Option<&str>| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
            format!("data: {}\n\n", json!({"choices": [choice]}))
        };
        let text = |text: &str| delta(json!({"content": text}), None);
        [
            delta(json!({"reasoning_content": "hm"}), None),
            text("Now: "),
            text(head),
            text(tail),
            delta(json!({}), Some(reason)),
            "data: [DONE]\n\n".to_string(),
        ]
        .concat()
    };
    let fixed = ["--provider", "openai-chat", "--dialect", "hermes", "--format", "message"];
    let (out, err, code) = run(&fixed, &capture("stop"));
    let message: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&*err, code), ("", 0));
    let call = &message["content"][2];
    assert_eq!((&call["name"], &call["input"]), (&json!("save"), &json!({"file": "é"})));
    assert_eq!(
        (&message["finish"], &message["content"][1]["text"]),
        (&json!("tool_use"), &json!("Now: "))
    );
    let (out, _, _) = run(&fixed, &capture("length"));
    let message: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(message["finish"], "truncated");
    // Arguments as fragments, read by the tool's schema.
    let tools = std::env::temp_dir().join(format!("toolstream-{}.json", std::process::id()));
    let line = json!({"name": "save", "parameters": {"properties": {"line": {"type": "integer"}}}});
    std::fs::write(&tools, json!([line]).to_string()).expect("a file");
    let glm = "<tool_call>save\n<arg_key>line</arg_key>\n<arg_value>3</arg_value>\n</tool_call>";
    let lines = [json!({"choices": [{"delta": {"content": glm}}]}), chat_end()];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let args = ["--provider", "openai-chat", "--dialect", "glm", "--format", "openai", "--tools"];
    let (out, _, _) = run(&[&args[..], &[tools.to_str().expect("a path")]].concat(), &lines);
    std::fs::remove_file(&tools).expect("the file");
    assert!(out.contains(r#""arguments":"{\"line\":3"#), "{out}");
    assert!(out.ends_with("\"finish_reason\":\"tool_calls\"}\n"), "{out}");

    for (dialect, told) in [("cline", "with --tools FILE"), ("hermse", "did you mean `hermes`?")] {
        let (_, err, code) = run(&["--provider", "gemini", "--dialect", dialect], "");
        assert!(code == 2 && err.contains(told), "{err}");
    }
}
