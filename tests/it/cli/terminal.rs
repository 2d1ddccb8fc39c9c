//! No message drives the terminal, whoever wrote the names in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::support::*;

/// OSC 52, which sets the clipboard; a colour; C1; and a control character that reorders a line.
const HOSTILE: &str = "é\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[31m\u{9b}2J\u{202e}";

/// Runs a command whose message names something hostile.
fn tells(args: &[&str], stdin: &str) {
    let done = run(args, stdin);
    // The library that parses arguments leaves the sequences out of its messages about lists of words and about commands.
    let shown = match args[0] {
        "completions" => "invalid value 'é",
        "help" => "unrecognized subcommand 'é",
        _ => "é␛]52",
    };
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
    let commands = [
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
        &["help", HOSTILE],
    ];
    commands.iter().for_each(|args| tells(args, ""));
    let tried: BTreeSet<_> = commands.iter().map(|args| args[0].to_string()).collect();
    assert_eq!(tried, all_commands(), "a command is not tried, or is none");

    tells(&["render", "--dialect", "glm"], &call);
    let error = json!({"error": {"type": HOSTILE, "message": HOSTILE}}).to_string();
    tells(&["native", "--provider", "openai-chat"], &error);
}

/// The commands that `--help` lists.
fn all_commands() -> BTreeSet<String> {
    let help = run(&["--help"], "").out;
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    // The words about a command may go on in lines that are indented further.
    let lines = list.lines().take_while(|line| !line.is_empty());
    let lines = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    lines.map(|line| line.split_whitespace().next().expect("a name").to_string()).collect()
}

/// All messages go through one function and the line of progress, because only these take out what drives a terminal.
#[test]
fn two_files_write_to_stderr() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let writes = sources(&src).into_iter().filter(|path| {
        let code = std::fs::read_to_string(path).expect("a source");
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let mut words =
            lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        words.any(|word| ["stderr", "Stderr", "eprint", "eprintln", "dbg"].contains(&word))
    });
    let names = writes.map(|path| path.strip_prefix(&src).expect("a source").to_path_buf());
    let names: BTreeSet<_> = names.collect();
    assert_eq!(
        names,
        ["bin/toolstream/failure.rs", "bin/toolstream/progress.rs"].map(PathBuf::from).into()
    );
}

/// The files of Rust in a folder and in its folders.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let entries = entries.map(|entry| entry.expect("an entry").path());
    let of = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    };
    let files = entries.flat_map(of);
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
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
