//! `toolstream check`.

use serde_json::json;

use super::support::*;

/// A vector that expects this text of its input.
fn vector(id: &str, dialect: &str, text: &str) -> String {
    let (tools, why) = (json!([{"name": "list"}]), "a call is no text");
    let expect = json!({"text": text, "calls": [{"name": "list", "arguments": {}}]});
    json!({"id": id, "dialect": dialect, "tools": tools, "input": "Hé <list></list>",
           "expect": expect, "why": why})
    .to_string()
}

#[test]
fn check_counts_what_passed() {
    let file = Temp::file("passed.jsonl", vector("a", "cline", "Hé") + "\n\n");
    let done = run(&["check", file.path(), file.path()], "");
    assert_eq!((&*done.out, &*done.err, done.code), ("2 passed, 0 failed, 0 skipped\n", "", 0));
}

#[test]
fn check_runs_the_ids_that_are_named() {
    let lines = ["a", "b", "c"].map(|id| vector(id, "cline", if id == "b" { "Ho" } else { "Hé" }));
    let file = Temp::file("ids.jsonl", lines.join("\n"));
    let done = run(&["check", "--id", "a", "--id", "c", file.path()], "");
    assert_eq!((&*done.out, &*done.err, done.code), ("2 passed, 0 failed, 0 skipped\n", "", 0));
    let done = run(&["check", "--id", "b", file.path()], "");
    assert_eq!((done.out.lines().last(), done.code), (Some("0 passed, 1 failed, 0 skipped"), 1));
    let done = run(&["check", "--id", "a", "--id", "d", file.path()], "");
    assert!(done.err.contains("no vector has the id `d`"), "{}", done.err);
    assert_eq!((&*done.out, done.code), ("1 passed, 0 failed, 0 skipped\n", 2));
}

#[test]
fn check_says_what_failed_and_what_was_skipped() {
    let lines = [
        vector("good", "cline", "Hé"),
        vector("bad", "cline", "Ho"),
        vector("alien", "martian", "Hé"),
        json!({"id": "g", "component": "seer", "steps": []}).to_string(),
        json!({"id": "n", "provider": "nobody", "input": []}).to_string(),
    ];
    let file = Temp::file("failed.jsonl", lines.join("\n"));
    let done = run(&["check", file.path()], "");
    let told = ["FAILED bad", "failed.jsonl:2", "why: a call is no text", "\"Ho\"", "\"Hé\""];
    for part in told {
        assert!(done.out.contains(part), "no {part:?} in {}", done.out);
    }
    let end: Vec<&str> = done.out.lines().rev().take(2).collect();
    assert_eq!(end[0], "1 passed, 1 failed, 3 skipped");
    assert!(end[1].ends_with("martian 1, nobody 1, seer 1"), "{}", end[1]);
    assert_eq!((&*done.err, done.code), ("", 1));
}

#[test]
fn check_runs_what_it_can_read() {
    let lines = [vector("good", "cline", "Hé"), "{\"id\": ".into(), vector("bad", "cline", "Ho")];
    let file = Temp::file("broken.jsonl", lines.join("\n"));
    let done = run(&["check", "no/such.jsonl", file.path()], "");
    assert_eq!(done.code, 2);
    assert_eq!(done.out.lines().last(), Some("1 passed, 1 failed, 0 skipped"));
    let err: Vec<&str> = done.err.lines().collect();
    assert!(err[0].contains("cannot read no/such.jsonl"));
    assert!(err[1].contains("broken.jsonl:2:") && err[1].contains("not valid JSON"));
    assert_eq!(err.len(), 2);
}

#[test]
fn check_wants_text() {
    let file = Temp::file("latin.jsonl", b"{\"id\": \"caf\xe9\"}\n");
    refused_but_counted(&file, "latin.jsonl:1: not valid UTF-8");
    let file = Temp::file("other.jsonl", "{\"name\": 1}\n");
    refused_but_counted(&file, "other.jsonl:1: id must be a string");
}

fn refused_but_counted(file: &Temp, told: &str) {
    let done = run(&["check", file.path()], "");
    assert_eq!((&*done.out, done.code), ("0 passed, 0 failed, 0 skipped\n", 2));
    assert!(done.err.contains(told), "{}", done.err);
}
