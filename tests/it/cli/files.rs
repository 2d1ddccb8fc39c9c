//! Several files, and folders.

use std::fs;

use serde_json::{Value, json};

use super::support::*;

const CALL: &str = "<tool_call>\n{\"name\": \"ping\", \"arguments\": {}}\n</tool_call>";

/// `b.txt`, `a.txt`, `.hidden` and `in/c.txt` in a folder.
fn folder(name: &str) -> Temp {
    let folder = Temp::folder(name);
    fs::create_dir(folder.0.join("in")).unwrap();
    for (file, text) in [("b.txt", "B\n"), ("a.txt", CALL), (".hidden", "no"), ("in/c.txt", "C")] {
        fs::write(folder.0.join(file), text).unwrap();
    }
    folder
}

fn read(args: &[&str]) -> Done {
    run(&[&["parse", "--dialect", "hermes"], args].concat(), "from stdin")
}

#[test]
fn a_folder_is_its_files_in_order_and_json_says_which() {
    let folder = folder("folder-a");
    let done = read(&["--format", "message", folder.path()]);
    let found: Vec<(String, String)> = events(&done.out)
        .iter()
        .map(|message| {
            // The file is the first key, where people see it.
            assert_eq!(message.as_object().unwrap().keys().next().unwrap(), "file");
            let file = message["file"].as_str().unwrap().strip_prefix(folder.path()).unwrap();
            (file.replace('\\', "/"), message["finish"].as_str().unwrap().to_string())
        })
        .collect();
    let expected = [("/a.txt", "tool_use"), ("/b.txt", "stop"), ("/in/c.txt", "stop")];
    assert_eq!(found, expected.map(|(file, finish)| (file.to_string(), finish.to_string())));
    assert_eq!((&*done.err, done.code), ("", 0));
}

#[test]
fn every_line_of_events_and_deltas_names_its_file() {
    let folder = folder("folder-b");
    for format in ["events", "openai"] {
        let done = read(&["--format", format, folder.path()]);
        assert!(done.out.lines().count() > 5);
        for line in done.out.lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            assert!(event["file"].is_string(), "{line}");
            assert!(line.starts_with("{\"file\":\""), "{line}");
        }
    }
    // Events of a single file have no file name.
    let done = read(&["--format", "events", &format!("{}/b.txt", folder.path())]);
    assert_eq!(done.out, "{\"type\":\"text_content\",\"text\":\"B\\n\"}\n");
}

#[test]
fn a_heading_stands_above_text() {
    let folder = folder("folder-c");
    let (a, c) = (format!("{}/a.txt", folder.path()), format!("{}/in/c.txt", folder.path()));
    let done = read(&["--format", "text", &c, "-", &a]);
    let expected = format!("==> {c} <==\nC\n==> stdin <==\nfrom stdin\n==> {a} <==\n");
    assert_eq!((&*done.out, done.code), (&*expected, 0));
}

#[test]
fn one_file_that_cannot_be_read_hides_no_other() {
    let folder = folder("folder-d");
    let b = format!("{}/b.txt", folder.path());
    let done = read(&["--format", "text", "no/such.txt", &b]);
    assert_eq!((done.out, done.code), (format!("==> {b} <==\nB\n"), 2));
    assert!(done.err.contains("cannot read no/such.txt") && done.err.lines().count() == 1);
}

#[test]
fn auto_chooses_for_each_file() {
    let folder = folder("folder-e");
    fs::write(folder.0.join("b.txt"), "[TOOL_CALLS]ping[ARGS]{\"a\": 1}").unwrap();
    let done = run(&["parse", "--dialect", "auto", "--format", "message", folder.path()], "");
    let names: Vec<Value> =
        events(&done.out).iter().map(|message| message["content"][0]["name"].clone()).collect();
    assert_eq!(names, [json!("ping"), json!("ping")]);
    let err: Vec<&str> = done.err.lines().collect();
    assert!(
        err[0].contains("a.txt: tool-call: ") && err[1].contains("b.txt: mistral: "),
        "{err:?}"
    );
    assert!(err[2].contains("c.txt: no dialect finds a call"), "{err:?}");
    assert_eq!((err.len(), done.code), (3, 1));
}

#[test]
fn a_folder_without_files_is_told() {
    let folder = Temp::folder("folder-f");
    refused(&["parse", "--dialect", "hermes", folder.path()], &["no files in the folder"]);
    fs::write(folder.0.join("a.json"), "{}").unwrap();
    refused(&["check", folder.path()], &["no *.jsonl files in the folder"]);
}

#[test]
fn check_takes_the_vectors_of_a_folder() {
    let folder = Temp::folder("folder-g");
    let vector = json!({"id": "v", "dialect": "cline", "tools": [{"name": "list"}], "input": "a",
        "expect": {"text": "b", "calls": []}});
    fs::write(folder.0.join("two.jsonl"), vector.to_string()).unwrap();
    fs::write(folder.0.join("one.jsonl"), vector.to_string()).unwrap();
    fs::write(folder.0.join("notes.txt"), "no vector").unwrap();
    let done = run(&["check", folder.path()], "");
    let failed: Vec<&str> = done.out.lines().filter(|line| line.starts_with("FAILED")).collect();
    assert!(failed[0].contains("one.jsonl:1") && failed[1].contains("two.jsonl:1"), "{failed:?}");
    assert_eq!(done.out.lines().last(), Some("0 passed, 2 failed, 0 skipped"));
    assert_eq!((&*done.err, done.code), ("", 1));
}
