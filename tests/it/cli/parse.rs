//! `toolstream parse`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use super::support::*;

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
    assert_eq!((&*done.out, done.code), (expected.trim_start(), 0));
    let note = "toolstream: note: a further call begins at byte 68 and was refused, with all behind it: 1 call a \
                message is the default; --tool-limit none reads every call\n";
    assert_eq!(done.err, note);
    // No note is printed if the user asked for a limit.
    let asked = parse(&["--tool-limit", "1"], format!("{CALL}{CALL}"));
    assert_eq!((&*asked.err, asked.code), ("", 0));
}

/// Without tools, a number in a dialect of tags is text. A note says so, because nobody expects it.
#[test]
fn what_declared_tools_would_change_is_said() {
    let text =
        "<tool_call>\n<function=f>\n<parameter=n>\n7\n</parameter>\n</function>\n</tool_call>";
    let read = |args: &[&str]| run(&[&["parse", "--dialect", "qwen3-coder"], args].concat(), text);
    let done = read(&["--format", "message"]);
    assert!(done.out.contains(r#""n": "7""#) || done.out.contains(r#""n":"7""#), "{}", done.out);
    assert!(
        done.err.contains("note: no tools are declared, so each value stays text"),
        "{}",
        done.err
    );
    let tools = Temp::file(
        "untyped-tools.json",
        r#"[{"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}]"#,
    );
    let done = read(&["--format", "message", "--tools", tools.path()]);
    assert!(done.out.contains(r#""n": 7"#) || done.out.contains(r#""n":7"#), "{}", done.out);
    assert_eq!(done.err, "");
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

/// A call that only the model's end completes runs after a stop, and does not run after a cut.
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

/// A directory can be opened, but not read. A lost connection looks like that, too.
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
    // The content of the file quotes a closer of its value.
    let found = json!([{"kind": "suspect_marker", "at": 5895, "call": 0}]);
    assert_eq!((&message["finish"], &message["diagnostics"]), (&json!("tool_use"), &found));
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

/// Output in a provider's format is read as a stream of that provider.
#[test]
fn answers_are_streams_of_their_protocols() {
    for (format, provider) in [("anthropic", "anthropic"), ("responses", "openai-responses")] {
        let done = parse(&["--format", format, "--chunk", "3"], format!("Hi\n{CALL}"));
        let read = run(&["native", "--provider", provider, "--format", "message"], done.out);
        let message = &events(&read.out)[0];
        assert_eq!((&message["finish"], read.code), (&json!("tool_use"), 0), "{}", read.err);
        let parts: Vec<[&Value; 3]> = message["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| [&part["text"], &part["name"], &part["input"]])
            .collect();
        let null = Value::Null;
        let input = json!({"path": "a.rs"});
        assert_eq!(parts[0], [&json!("Hi\n"), &null, &null]);
        assert_eq!(parts.last().unwrap(), &[&null, &json!("read_file"), &input]);
    }
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
    assert!(done.err.contains("note: a further call begins at byte 40 and was refused"));
    assert_eq!((done.code, done.err.lines().count()), (0, 1), "{}", done.err);
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
