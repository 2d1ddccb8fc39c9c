//! `--shape FILE`, `dialects NAME`, and JSON in the place of a file.

use serde_json::Value;
use toolstream::Dialect;

use super::support::*;

const CALL: &str =
    "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";

const SHAPE: &str = r#"{"name": "mine", "call": "<mine>\n{\"name\": {name}, \"arguments\": {arguments}}\n</mine>"}"#;

/// `--markers` prints the texts of the markers, a JSON string on each line.
#[test]
fn markers_are_printed() {
    let done = run(&["dialects", "glm", "--markers"], "");
    assert_eq!((done.code, &*done.err), (0, ""));
    let markers: Vec<String> =
        done.out.lines().map(|line| serde_json::from_str(line).expect("a string")).collect();
    assert_eq!(markers, Dialect::GLM.markers());
    let shape = Temp::file("mine.json", SHAPE);
    let done = run(&["dialects", "--shape", shape.path(), "--markers"], "");
    assert!(done.out.contains("\"<mine>\"\n"), "{}{}", done.out, done.err);
    let both = run(&["dialects", "glm", "--shape", shape.path()], "");
    assert_eq!(both.code, 2, "{}", both.err);
}

#[test]
fn one_dialect_says_more_of_itself() {
    let done = run(&["dialects", "glm"], "");
    assert!(
        done.out.starts_with("glm: ") && done.out.contains("  opener     <tool_call>NAME"),
        "{}",
        done.out
    );
    let shape = Temp::file("mine.json", SHAPE);
    let done = run(&["dialects", "--shape", shape.path()], "");
    assert!(
        done.out.starts_with("mine: ") && done.out.contains("<mine>"),
        "{}{}",
        done.out,
        done.err
    );
}

#[test]
fn a_shape_is_read_and_written() {
    let shape = Temp::file("mine.json", SHAPE);
    let mine = CALL.replace("tool_call>", "mine>");
    let done = run(&["parse", "--shape", shape.path(), "--format", "message"], &mine);
    let message: Value = serde_json::from_str(&done.out).expect("a message");
    assert_eq!(message["content"][0]["input"]["path"], "a", "{}", done.err);
    let done = run(&["render", "--shape", shape.path(), "--tools", TOOLS], &done.out);
    assert!(done.out.starts_with("<mine>"), "{}{}", done.out, done.err);
    let done = run(&["prompt", "--shape", shape.path(), "--tools", TOOLS], "");
    assert!(done.out.contains("<mine>"), "{}{}", done.out, done.err);
    let done = run(&["sanitize", "--shape", shape.path()], format!("a{mine}b"));
    assert_eq!(done.out.trim_end(), "ab");
    let done =
        run(&["parse", "--shape", shape.path(), "--jsonl"], serde_json::json!(mine).to_string());
    assert!(done.out.contains("\"path\":\"a\""), "{}", done.out);
}

#[test]
fn json_may_stand_inline() {
    let config = r#"{"fences": "quote"}"#;
    let done =
        run(&["parse", "--dialect", "hermes", "--config", config], format!("```\n{CALL}\n```"));
    assert_eq!((done.code, done.out.contains("tool_start")), (0, false), "{}", done.err);
    let args = ["parse", "--dialect", "cline", "--tools", TOOLS, "--format", "message"];
    assert!(run(&args, super::support::CALL).out.contains("complete"));
    refused(
        &["parse", "--dialect", "hermes", "--config", "{\"fence\": 1}"],
        &["the inline JSON: unknown option `fence`", "fences"],
    );
    refused(&["parse", "--dialect", "hermes", "--config", "{\"fences\""], &["the inline JSON:1:"]);
}

#[test]
fn mistakes_are_told() {
    refused(&["dialects", "hermse"], &["unknown dialect `hermse`", "hermes"]);
    refused(&["dialects", "react+hermes"], &["several dialects", "`react` and for `hermes`"]);
    refused(&["parse", "--shape", "/no/file"], &["cannot read /no/file"]);
    refused(&["parse", "--shape", "{\"prose\": 1}"], &["the inline JSON", "prose"]);
    refused(&["parse", "--shape", "a", "--dialect", "glm"], &["--shape", "--dialect"]);
}
