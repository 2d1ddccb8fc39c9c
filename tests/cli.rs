//! The command line, as a user and a script see it.
#![cfg(feature = "cli")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Nothing here takes long; this is when we stop to believe that it ends.
const DEADLINE: Duration = Duration::from_secs(60);

const TOOLS: &str = r#"[
  {"name": "read_file", "parameters": {"type": "object",
   "properties": {"path": {"type": "string"}, "line": {"type": "integer"}}, "required": ["path"]}}
]"#;
const CALL: &str = "<read_file><path>a.rs</path></read_file>";

/// A file in the temporary directory that goes when it is dropped.
struct Temp(PathBuf);

impl Temp {
    fn file(name: &str, text: impl AsRef<[u8]>) -> Temp {
        let path = std::env::temp_dir().join(format!("toolstream-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Temp(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

struct Done {
    out: String,
    err: String,
    code: i32,
}

fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_toolstream"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs `what` beside us, and fails if it does not end.
fn bounded<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(what()));
    receiver.recv_timeout(DEADLINE).expect("it should have ended by now")
}

fn end(child: Child) -> Done {
    let output = bounded(|| child.wait_with_output().unwrap());
    Done {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

fn run(args: &[&str], stdin: impl AsRef<[u8]>) -> Done {
    let mut child = start(args);
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.as_ref().to_vec();
    // It may end before it has read all, at the limit for example.
    let writer = thread::spawn(move || pipe.write_all(&stdin).is_ok());
    let done = end(child);
    writer.join().unwrap();
    done
}

/// `parse --dialect cline` with the tools above.
fn parse(args: &[&str], stdin: impl AsRef<[u8]>) -> Done {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let tools = Temp::file(&format!("tools-{count}.json"), TOOLS);
    let all = [&["parse", "--dialect", "cline", "--tools", tools.path()], args].concat();
    run(&all, stdin)
}

fn events(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The slices of all events, joined.
fn joined(out: &str) -> String {
    events(out).iter().filter_map(|event| event["text"].as_str()).collect()
}

fn transcript(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/transcripts");
    folder.join(name).to_str().unwrap().to_string()
}

#[test]
fn events_have_the_names_that_scripts_rely_on() {
    let done = parse(&[], format!("<think>é</think>Hi </think>{CALL}{CALL}"));
    let expected = r#"
{"type":"markup","text":"<think>"}
{"type":"reasoning","text":"é"}
{"type":"markup","text":"</think>"}
{"type":"text_content","text":"Hi "}
{"type":"diagnostic","kind":"orphan_closer","at":20,"call":null}
{"type":"markup","text":"</think>"}
{"type":"tool_start","index":0,"name":"read_file","id":null}
{"type":"markup","text":"<read_file>"}
{"type":"param_start","name":"path","hint":null}
{"type":"markup","text":"<path>"}
{"type":"param_delta","text":"a.rs"}
{"type":"markup","text":"</path>"}
{"type":"param_end","closed":true}
{"type":"markup","text":"</read_file>"}
{"type":"tool_end","status":"complete"}
{"type":"tool_limit_reached","at":68,"limit":1}
"#;
    assert_eq!((&*done.out, &*done.err, done.code), (expected.trim_start(), "", 0));
}

#[test]
fn a_call_that_was_cut_is_incomplete() {
    let done = parse(&[], "<read_file><path>a \"b\"\\");
    let expected = r#"
{"type":"param_delta","text":"a \"b\"\\"}
{"type":"param_end","closed":false}
{"type":"tool_end","status":"incomplete"}
"#;
    assert!(done.out.ends_with(expected), "{}", done.out);
}

/// What the model's end would have made of it, and a cut does not.
#[test]
fn the_user_says_how_the_stream_ended() {
    let text = "Action: read_file\nAction Input: a.rs";
    let (stop, cut) = (json!(["tool_use", "complete"]), json!(["truncated", "incomplete"]));
    let says_stop = Temp::file("ended-stop.json", r#"{"ended": "stop", "tool_limit": 2}"#);
    let says_cut = Temp::file("ended-cut.json", r#"{"ended": "cut", "tool_limit": 2}"#);
    let tools = Temp::file("ended-tools.json", TOOLS);
    for (args, expected) in [
        (&[][..], &stop),
        (&["--ended", "stop"], &stop),
        (&["--ended", "cut"], &cut),
        (&["--config", says_stop.path()], &stop),
        (&["--config", says_cut.path()], &cut),
        (&["--config", says_cut.path(), "--ended", "stop"], &stop),
    ] {
        let fixed = ["parse", "--dialect", "react", "--format", "message", "--tools", tools.path()];
        let done = run(&[&fixed, args].concat(), text);
        assert_eq!((&*done.err, done.code), ("", 0), "{args:?}");
        let message: Value = serde_json::from_str(&done.out).unwrap();
        let found = json!([message["finish"], message["content"][0]["status"]]);
        assert_eq!(&found, expected, "{args:?}");
    }
}

/// A directory can be opened, but not read: so can a connection that is lost.
#[cfg(unix)]
#[test]
fn an_error_while_it_reads_is_a_cut() {
    let native = ["native", "--provider", "gemini"];
    for args in [&["parse", "--dialect", "hermes"][..], &native] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolstream"));
        let stdin = std::fs::File::open(std::env::temp_dir()).unwrap();
        command.args(args).args(["--format", "message"]).stdin(stdin);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let done = end(child);
        let message: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(message["finish"], "truncated", "{args:?}");
        assert!(done.err.starts_with("toolstream: cannot read stdin: "), "{}", done.err);
        assert_eq!((done.err.lines().count(), done.code), (1, 2));
    }
}

#[test]
fn the_slices_are_the_input_for_every_cut() {
    let (file, tools) = (transcript("cline-session.txt"), transcript("cline-tools.json"));
    let text = std::fs::read_to_string(&file).unwrap();
    let cuts: [&[&str]; 5] =
        [&[], &["--chunk", "1"], &["--chunk", "7"], &["--cut-seed", "1"], &["--cut-seed", "2"]];
    for cut in cuts {
        let args = [&["parse", "--dialect", "cline", "--tools", &tools, &file], cut].concat();
        let done = run(&args, "");
        assert_eq!((done.code, &*done.err), (0, ""));
        assert_eq!(joined(&done.out), text, "{cut:?}");
    }
}

#[test]
fn the_session_of_the_readme_is_one_whole_call() {
    let (file, tools) = (transcript("cline-session.txt"), transcript("cline-tools.json"));
    let args = ["parse", "--dialect", "cline", "--tools", &tools, "--format", "message", &file];
    let message: Value = serde_json::from_str(&run(&args, "").out).unwrap();
    let types: Vec<&Value> =
        message["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(types, ["reasoning", "text", "tool_use", "text"]);
    let call = &message["content"][2];
    assert_eq!((&call["name"], &call["status"]), (&json!("write_to_file"), &json!("complete")));
    assert!(call["input"]["content"].as_str().unwrap().contains("\"</content>\""));
    assert_eq!((&message["finish"], &message["diagnostics"]), (&json!("tool_use"), &json!([])));
}

#[test]
fn a_message_is_one_object() {
    let done = parse(&["--format", "message", "--chunk", "3"], format!("Hi\n{CALL}"));
    let expected = json!({
        "content": [
            {"type": "text", "text": "Hi\n"},
            {"type": "tool_use", "index": 0, "id": null, "name": "read_file",
             "input": {"path": "a.rs"}, "raw": null, "status": "complete", "start": 3, "end": 43},
        ],
        "finish": "tool_use", "diagnostics": [], "position": 43,
    });
    assert_eq!(events(&done.out), [expected]);
    assert_eq!(done.code, 0);
}

#[test]
fn text_is_the_visible_text_alone() {
    let done = parse(&["--format", "text"], format!("<think>Hm.</think>a < b\n{CALL}\tc\x1b"));
    assert_eq!((&*done.out, &*done.err, done.code), ("a < b\n\tc\x1b", "", 0));
}

#[test]
fn a_seed_is_reproducible_and_chunks_are_bytes() {
    let text = "é <x> ".repeat(50);
    let seeded = |seed| parse(&["--cut-seed", seed], &text).out;
    assert_eq!(seeded("5"), seeded("5"));
    assert_ne!(seeded("5"), seeded("6"));
    let done = parse(&["--chunk", "1"], "éa");
    let each =
        [json!({"type":"text_content","text":"é"}), json!({"type":"text_content","text":"a"})];
    assert_eq!((events(&done.out), &*done.err), (each.to_vec(), ""));
}

#[test]
fn a_file_and_a_dash_read_the_same() {
    let file = Temp::file("same.txt", CALL);
    assert_eq!(parse(&[file.path()], "").out, parse(&["-"], CALL).out);
}

#[test]
fn options_come_from_the_config_and_flags_win() {
    let config = Temp::file("config.json", r#"{"tool_limit": 2, "start": "reasoning"}"#);
    let calls = |args: &[&str]| {
        let done = parse(args, format!("Hm.</think>{CALL}{CALL}{CALL}"));
        let events = events(&done.out);
        let count = |of: &str| events.iter().filter(|event| event["type"] == of).count();
        (count("reasoning"), count("tool_start"), count("tool_limit_reached"))
    };
    assert_eq!(calls(&["--config", config.path()]), (1, 2, 1));
    assert_eq!(calls(&["--config", config.path(), "--tool-limit", "1"]), (1, 1, 1));
    assert_eq!(calls(&["--config", config.path(), "--tool-limit", "none"]), (1, 3, 0));
}

/// Exit code 2, nothing on stdout, one line on stderr that holds all of this.
fn refused(args: &[&str], told: &[&str]) {
    let done = run(args, "");
    assert_eq!((done.code, &*done.out), (2, ""), "{args:?}");
    assert!(done.err.starts_with("toolstream: "), "{}", done.err);
    assert_eq!(done.err.matches('\n').count(), 1, "{}", done.err);
    for part in told {
        assert!(done.err.contains(part), "no {part:?} in {}", done.err);
    }
}

#[test]
fn bad_arguments_are_one_line() {
    refused(&[], &["requires a subcommand", "parse, check, dialects"]);
    refused(&["prase"], &["'prase'", "'parse'"]);
    refused(&["check"], &["<FILE>"]);
    refused(&["parse"], &["not provided: --dialect <NAME>"]);
    refused(&["parse", "--dialect", "cilne"], &["`cilne`", "did you mean `cline`?"]);
    refused(&["parse", "--dialect", "xyz"], &["`xyz`", "`toolstream dialects`"]);
    refused(&["parse", "--dialect", "react+cilne"], &["`cilne`", "did you mean `cline`?"]);
    refused(&["parse", "--dialect", "a+b+c"], &["`a+b+c` is too many", "two dialects"]);
    for (args, told) in [
        (&["--chunk", "0"][..], "a number of bytes from 1 on"),
        (&["--chunk", "-1"], "a number of bytes from 1 on"),
        (&["--chunk", "1", "--cut-seed", "1"], "cannot be used with"),
        (&["--cut-seed", "x"], "a whole number from 0 on"),
        (&["--tool-limit", "0"], "from 1 on, or none"),
        (&["--tool-limit", "x\ny"], "from 1 on, or none"),
        (&["--format", "txt"], "[possible values: events, message, text, openai]; tip:"),
        (&["--ended", "length"], "use stop or cut"),
        (&["--chnk", "1"], "'--chunk'"),
        (&["a.txt", "b.txt"], "'b.txt'"),
        (&["no/such.txt"], "cannot read no/such.txt"),
        (&["--tools", "no/such.json"], "cannot read no/such.json"),
        (&["--config", "no/such.json"], "cannot read no/such.json"),
        (&["."], "cannot read ."),
    ] {
        refused(&[&["parse", "--dialect", "hermes"], args].concat(), &[told]);
    }
}

#[test]
fn bad_files_are_one_line() {
    for (at, (flag, text, told)) in [
        ("--tools", "[\n {\"name\": \"a\",}]", ":2:15: not valid JSON"),
        ("--tools", "{\"name\": \"a\"}", "must be an array"),
        ("--tools", "[{\"nam\": \"a\"}]", "tools[0].name must be a string"),
        ("--tools", "[{\"name\": \"a\", \"paramters\": {}}]", "(paramters)"),
        ("--tools", "[{\"name\": \"a\", \"paramters\": {}}]", "did you mean `parameters`?"),
        ("--tools", "[]", "cline knows a call only by a declared name"),
        ("--tools", "[{\"name\": \"a\"}, {\"name\": \"a\"}]", "`a` is declared twice"),
        ("--config", "{\"fence\": \"quote\"}", "`fence`, did you mean `fences`?"),
        ("--config", "{\"xyz\": 1}", "`xyz` (the options are tool_limit, "),
        ("--config", "{\"fences\": 1}", "config.fences must be"),
        ("--config", "{\"ended\": true}", "config.ended must be \"stop\" or \"cut\""),
        ("--config", "{\"tool_limit\": 0}", "a tool limit of 0"),
        ("--config", "{", ":1:1: not valid JSON"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = Temp::file(&format!("bad-{at}.json"), text);
        let dialect = if text == "[]" { "cline" } else { "hermes" };
        refused(&["parse", "--dialect", dialect, flag, file.path()], &[told]);
    }
}

#[test]
fn a_capture_that_is_read_as_text_is_told() {
    for (text, lines) in
        [("data: {\"a\": 1}\n\n", 1), ("event: x\ndata: 1\n\n", 1), ("The data: 1", 0)]
    {
        let done = run(&["parse", "--dialect", "hermes", "--format", "text"], text);
        assert_eq!(
            (&*done.out, done.err.lines().count(), done.code),
            (text, lines, 0),
            "{}",
            done.err
        );
        assert!(lines == 0 || done.err.contains("toolstream native"), "{}", done.err);
    }
}

#[test]
fn help_and_version_are_no_errors() {
    for args in [&["--help"][..], &["parse", "--help"], &["check", "-h"], &["dialects", "--help"]] {
        let done = run(args, "");
        assert_eq!((done.code, &*done.err), (0, ""));
        assert!(done.out.contains("Usage: toolstream"));
    }
    let version = format!("toolstream {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&["--version"], "").out, version);
}

#[test]
fn every_dialect_is_listed() {
    let done = run(&["dialects"], "");
    let names: Vec<&str> =
        done.out.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    let all: Vec<&str> = toolstream::Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    assert_eq!((names, done.code), (all, 0));
}

#[test]
fn events_arrive_while_stdin_is_open() {
    let mut child = start(&["parse", "--dialect", "hermes"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for text in ["one", "two"] {
        stdin.write_all(text.as_bytes()).unwrap();
        let (line, rest) = bounded(|| (lines.next().unwrap().unwrap(), lines));
        lines = rest;
        assert_eq!(line, format!("{{\"type\":\"text_content\",\"text\":\"{text}\"}}"));
    }
    drop(stdin);
    assert_eq!(end(child).code, 0);
}

#[test]
fn the_limit_ends_reading() {
    let tools = Temp::file("limit.json", TOOLS);
    let mut child = start(&["parse", "--dialect", "cline", "--tools", tools.path()]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all([CALL, CALL].concat().as_bytes()).unwrap();
    // Stdin is still open.
    let done = end(child);
    assert_eq!(done.out.lines().last(), Some(r#"{"type":"tool_limit_reached","at":40,"limit":1}"#));
    assert_eq!((done.code, &*done.err), (0, ""));
    drop(stdin);
}

#[test]
fn a_closed_pipe_is_no_error() {
    for command in [&["parse", "--dialect", "hermes", "--chunk", "1"][..], &["dialects"]] {
        let mut child = start(command);
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().unwrap();
        let writer = thread::spawn(move || stdin.write_all(&[b'x'; 100_000]).is_ok());
        let done = end(child);
        assert_eq!((done.code, &*done.err), (0, ""), "{command:?}");
        writer.join().unwrap();
    }
}

#[test]
fn invalid_utf8_is_one_warning() {
    for format in ["events", "text", "message"] {
        let done = parse(&["--format", format], b"a\xff\xc3b\xe2\x82");
        let text = if format == "events" { joined(&done.out) } else { done.out };
        assert!(text.contains("a\u{FFFD}\u{FFFD}b\u{FFFD}"), "{text}");
        assert_eq!(done.err.lines().count(), 1);
        assert!(done.err.starts_with("toolstream: warning: ") && done.err.ends_with("U+FFFD: 3\n"));
        assert_eq!(done.code, 0);
    }
}

/// A vector that expects this text of `Hi <list></list>`.
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

#[test]
fn prompt_tells_the_tools() {
    let tools = Temp::file("prompt-tools.json", TOOLS);
    let prompt = |more: &[&str]| {
        run(&[&["prompt", "--dialect", "cline", "--tools", tools.path()], more].concat(), "")
    };
    let done = prompt(&[]);
    assert_eq!((&*done.err, done.code), ("", 0));
    let told = [
        "### read_file\nParameters:\n- path (string, required)\n- line (integer, optional)\n",
        "one tool per message",
        "\n<read_file>\n<path>path here</path>\n</read_file>\n",
    ];
    for part in told {
        assert!(done.out.contains(part), "no {part:?} in {}", done.out);
    }
    let several = prompt(&["--tool-limit", "none"]);
    assert!(several.code == 0 && !several.out.contains("one tool per message"), "{}", several.out);
}

#[test]
fn prompt_prints_stop_sequences_as_json() {
    let stop = |more: &[&str]| {
        run(&[&["prompt", "--dialect", "hermes", "--stop-sequences"], more].concat(), "")
    };
    let done = stop(&[]);
    let out = "[\"</tool_call>\",\"<tool_response>\"]\n";
    assert_eq!((&*done.out, &*done.err, done.code), (out, "", 0));
    assert_eq!(stop(&["--tool-limit", "2"]).out, "[\"<tool_response>\"]\n");
    // No tools are asked for, whatever the dialect.
    assert_eq!(run(&["prompt", "--dialect", "cline", "--stop-sequences"], "").out, "[]\n");
}

#[test]
fn prompt_says_what_is_missing() {
    for (args, told) in [
        (&["prompt", "--dialect", "cline"][..], "--tools"),
        (&["prompt", "--dialect", "cilne", "--stop-sequences"], "did you mean `cline`"),
        (&["prompt", "--dialect", "cline", "--tools", "no/such.json"], "cannot read no/such.json"),
        (&["prompt", "--dialect", "cline", "--stop-sequences", "--tool-limit", "0"], "from 1 on"),
        (&["parse", "--dialect", "cline"], "with --tools FILE"),
    ] {
        let done = run(args, "");
        assert_eq!((&*done.out, done.code, done.err.lines().count()), ("", 2, 1), "{args:?}");
        assert!(done.err.contains(told), "{}", done.err);
    }
    let help = run(&["prompt", "--help"], "");
    assert!(help.code == 0 && help.out.contains("Examples:\n"), "{}", help.out);
}
