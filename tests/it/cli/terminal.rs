//! No message drives the terminal, whoever wrote the names in it.

use serde_json::json;

use super::support::*;

/// OSC 52, which sets the clipboard; a colour; C1; and a control character that reorders a line.
const HOSTILE: &str = "é\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[31m\u{9b}2J\u{202e}";

/// Runs a command whose message names something hostile.
fn tells(args: &[&str], stdin: &str) {
    let done = run(args, stdin);
    // The library that parses arguments leaves the sequences out of one message: of the one about a list of words.
    let shown = if args[0] == "completions" { "invalid value 'é" } else { "é␛]52" };
    assert!(done.err.contains(shown), "{args:?}: {:?}", done.err);
    let drives = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!done.err.contains(drives), "{args:?}: {:?}", done.err);
}

#[test]
fn messages_show_what_would_drive_a_terminal() {
    let tool = |name: &str| json!({"name": name, "parameters": {"type": "object"}});
    let twice = Temp::file("twice.json", json!([tool(HOSTILE), tool(HOSTILE)]).to_string());
    let alien = Temp::file("alien.json", json!([{"name": "a", HOSTILE: 1}]).to_string());
    let shape = Temp::file("shape.json", json!({HOSTILE: 1}).to_string());
    let config = json!({HOSTILE: 1}).to_string();
    let call = json!([{"name": HOSTILE, "arguments": {"a": "b"}}]).to_string();
    let vector = Temp::file("hostile.jsonl", format!("{{\"id\": \"{HOSTILE}"));
    for args in [
        &["parse", "--dialect", HOSTILE][..],
        &["parse", "--dialect", "cline", "--tools", twice.path()],
        &["parse", "--dialect", "cline", "--tools", alien.path()],
        &["parse", "--dialect", "hermes", "--config", &config],
        &["parse", "--shape", shape.path()],
        &["parse", "--dialect", "hermes", HOSTILE],
        &["sanitize", "--dialect", HOSTILE],
        &["explain", "--dialect", HOSTILE],
        &["inspect", "--dialect", HOSTILE],
        &["native", "--provider", HOSTILE],
        &["detect", "--template", HOSTILE],
        &["prompt", "--dialect", "hermes", "--tools", HOSTILE],
        &["render", "--dialect", HOSTILE],
        &["repair", HOSTILE],
        &["check", HOSTILE],
        &["check", "--id", HOSTILE, vector.path()],
        &["dialects", HOSTILE],
        &["route", "--provider", "a", "--model", "b", "--config", HOSTILE],
        &["completions", HOSTILE],
        &["man", HOSTILE],
    ] {
        tells(args, "");
    }
    tells(&["render", "--dialect", "glm"], &call);
    let error = json!({"error": {"type": HOSTILE, "message": HOSTILE}}).to_string();
    tells(&["native", "--provider", "openai-chat"], &error);
}

/// The report of `check` shows control characters in the author's ids and reasons, too.
#[test]
fn reports_show_them_too() {
    let vector = json!({"id": HOSTILE, "dialect": "hermes", "input": "é", "expect": {"text": HOSTILE}, "why": HOSTILE});
    let file = Temp::file("report.jsonl", vector.to_string());
    let done = run(&["check", file.path()], "");
    assert!(done.out.contains("FAILED é␛]52") && done.out.contains("why: é␛]52"), "{}", done.out);
    assert!(!done.out.contains(|c: char| c.is_control() && c != '\n'), "{:?}", done.out);
}
