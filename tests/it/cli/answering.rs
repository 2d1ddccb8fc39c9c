//! Flags for calls that may not run: how a client sees them, why they may not run, and which calls a message may hold.

use serde_json::{Value, json};

use super::support::*;

fn call(name: &str, arguments: &str) -> String {
    format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {arguments}}}</tool_call>\n")
}

fn hermes(args: &[&str], text: &str) -> Done {
    run(&[&["parse", "--dialect", "hermes"], args].concat(), text)
}

#[test]
fn broken_calls_go_out_as_asked() {
    let text = format!("Go. {}", call("read_file", r#"{"path": }"#));
    let sent = |args: &[&str]| hermes(&[&["--format", "openai"], args].concat(), &text).out;
    assert!(sent(&[]).contains("tool_calls"));
    assert_eq!(sent(&["--broken", "call"]), sent(&[]));
    let shown = sent(&["--broken", "text"]);
    assert!(shown.contains("<tool_call>") && !shown.contains("\"tool_calls\":["), "{shown}");
    let hidden = sent(&["--broken", "hide"]);
    assert!(!hidden.contains("<tool_call>") && !hidden.contains("\"tool_calls\":["), "{hidden}");
    let anthropic = |args: &[&str]| hermes(&[&["--format", "anthropic"], args].concat(), &text).out;
    assert!(anthropic(&[]).contains("\"tool_use\""));
    assert!(!anthropic(&["--broken", "hide"]).contains("\"type\":\"tool_use\""));
}

#[test]
fn calls_leave_as_asked() {
    let half = &call("read_file", r#"{"path": "a.rs"}"#)[..60];
    let args = ["--format", "openai", "--ended", "cut"];
    assert!(hermes(&args, half).out.contains("a.r"));
    let when_whole = [&args[..], &["--calls", "when_whole"]].concat();
    assert!(!hermes(&when_whole, half).out.contains("a.r"));
    let text = call("read_file", r#"{"path": "a.rs"}"#) + "And th";
    assert!(hermes(&args, &text).out.contains("a.rs"));
    let refuse = [&args[..], &["--on-cut", "refuse_all"]].concat();
    assert!(!hermes(&refuse, &text).out.contains("a.rs"));
}

/// The flags work on a provider's stream, too.
#[test]
fn a_provider_s_calls_leave_as_asked() {
    let call = json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"a\" 1}"}});
    let event =
        json!({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]});
    let sent = |args: &[&str]| {
        let args =
            [&["native", "--provider", "openai-chat", "--format", "responses"], args].concat();
        run(&args, event.to_string()).out
    };
    assert!(sent(&[]).contains("function_call"));
    assert!(!sent(&["--broken", "hide"]).contains("\"type\":\"function_call\""));
}

#[test]
fn a_flag_that_changes_nothing_is_told() {
    let told = ["--broken, --calls and --on-cut", "--format openai"];
    refused(&["parse", "--dialect", "hermes", "--broken", "hide"], &told);
    refused(&["parse", "--dialect", "hermes", "--format", "events", "--on-cut", "keep"], &told);
    refused(&["native", "--provider", "gemini", "--calls", "when_whole"], &told);
    let wrong = hermes(&["--format", "openai", "--broken", "hid"], "");
    assert!(wrong.code == 2 && wrong.err.contains("hide"), "{}", wrong.err);
}

#[test]
fn why_a_call_may_not_run() {
    let tools = Temp::file("refused-tools.json", TOOLS);
    let config = Temp::file("refused-config.json", r#"{"recoveries": "strict"}"#);
    let args = ["parse", "--dialect", "invoke", "--tools", tools.path(), "--config", config.path()];
    let text = r#"<invoke name="read_file"><parameter name="path">a.rs</invoke>"#;
    let why = "`</parameter>` is missing before `</invoke>`";
    for chunk in ["1", "7", "1000"] {
        let done = run(&[&args[..], &["--chunk", chunk, "--format", "refused"]].concat(), text);
        let told =
            json!({"start": 0, "end": text.len(), "name": "read_file", "index": 0, "why": why});
        assert_eq!((events(&done.out), done.code), (vec![told], 0));
        let done = run(&[&args[..], &["--chunk", chunk, "--format", "correction"]].concat(), text);
        let told = format!("could not be read: `read_file`: {why}. Send the whole call again");
        assert!(done.out.contains(&told), "{}", done.out);
    }
    // The opener of a declared tool that did not count is listed.
    let args =
        ["parse", "--dialect", "code-assistant", "--tools", tools.path(), "--format", "refused"];
    let [opener] = &events(&run(&args, "<tool:read_file> a.rs").out)[..] else { panic!() };
    assert_eq!((&opener["name"], &opener["index"]), (&json!("read_file"), &Value::Null));
    // Where nothing is wrong, nothing is printed.
    for format in ["refused", "correction"] {
        assert_eq!(hermes(&["--format", format], "Hello.").out, "");
    }
}

/// With several files, each correction names its file.
#[test]
fn the_files_of_a_correction_are_told() {
    let file = Temp::file("broken.txt", call("read_file", "{\"path\": }"));
    let other = Temp::file("whole.txt", "Hello.");
    let done = hermes(&["--format", "correction", file.path(), other.path()], "");
    let [told] = &events(&done.out)[..] else { panic!("{}", done.out) };
    assert_eq!(told["file"], file.path());
    assert!(told["correction"].as_str().is_some_and(|text| text.contains("could not be read")));
}

#[test]
fn tools_that_may_follow_each_other() {
    let text = [call("read", "{}"), call("list", "{}"), call("write", "{}")].concat();
    let names = |args: &[&str]| -> Vec<String> {
        let out = hermes(&[&["--format", "message"], args].concat(), &text).out;
        let message: Value = serde_json::from_str(&out).unwrap();
        let calls = message["content"].as_array().unwrap().iter();
        calls.filter_map(|block| Some(block["name"].as_str()?.to_string())).collect()
    };
    assert_eq!(names(&[]), ["read"]);
    assert_eq!(names(&["--chaining-tools", "read,list"]), ["read", "list"]);
    assert_eq!(names(&["--chaining-tools", "read,list,write"]), ["read", "list", "write"]);
    // The note about the default number appears if the number refused a call, and not if the list did.
    assert!(hermes(&[], &text).err.contains("is the default"));
    assert_eq!(hermes(&["--chaining-tools", "read,list"], &text).err, "");
}

#[test]
fn white_space_at_calls() {
    let text = format!("I look.\n\n{}", call("list", "{}"));
    let shown = |way: &str| hermes(&["--format", "text", "--text-at-calls", way], &text).out;
    assert!(shown("keep").starts_with("I look.\n\n"));
    assert_eq!(shown("trim").trim_end_matches('\n'), "I look.");
    assert!(!shown("trim").starts_with("I look.\n\n"));
}

#[test]
fn grammars_behind_an_opener() {
    let tools = Temp::file("grammar-tools.json", TOOLS);
    let args = ["prompt", "--dialect", "hermes", "--tools", tools.path(), "--call-grammars"];
    for format in ["lark", "structural_tag"] {
        let done = run(&[&args[..], &[format]].concat(), "");
        let grammars: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(grammars[0]["opener"], "<tool_call>", "{}", done.out);
        assert_eq!(grammars[0]["tools"], json!(["read_file"]));
        assert!(grammars[0]["grammar"].as_str().is_some_and(|text| !text.is_empty()));
    }
    let wrong = run(&[&args[..], &["gbnf"]].concat(), "");
    assert!(wrong.code == 2 && wrong.err.contains("lark or structural_tag"), "{}", wrong.err);
}
