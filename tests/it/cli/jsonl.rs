//! `toolstream parse --jsonl`: an answer a line in, a message a line out.

use serde_json::{Value, json};

use super::support::*;

const ARGS: [&str; 3] = ["parse", "--dialect", "hermes"];

fn jsonl(args: &[&str], stdin: impl AsRef<[u8]>) -> Done {
    run(&[&ARGS[..], args].concat(), stdin)
}

fn call(arguments: &Value) -> String {
    format!("So: <tool_call>{{\"name\": \"f\", \"arguments\": {arguments}}}</tool_call>")
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Each line has the message that `parse` reads from its text alone. The lines keep their order, on any number of cores.
#[test]
fn a_message_for_each_line_in_order() {
    let text = |number: usize| match number % 3 {
        0 => call(&json!({"number": number})),
        1 => format!("{number} is text"),
        _ => format!("<tool_call>{{\"name\": \"f{number}"),
    };
    let input: String = (0..20_000)
        .map(|number| json!({"id": number, "text": text(number)}).to_string() + "\n")
        .collect();
    // The first line takes so long that the others would be ready before it.
    let members = (0..300_000).map(|number| (number.to_string(), json!([number])));
    let long = json!({"text": call(&Value::Object(members.collect()))}).to_string() + "\n";
    let file = Temp::file("order.jsonl", long + &input);
    let done = jsonl(&["--jsonl", file.path()], "");
    assert_eq!((done.code, &*done.err), (0, ""));
    let mut lines = lines(&done.out);
    assert_eq!((lines.len(), &lines.remove(0)["line"]), (20_001, &1.into()));
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line["line"], number + 2);
        match number % 3 {
            0 => assert_eq!(line["content"][1]["input"]["number"], number),
            1 => assert_eq!(line["content"][0]["text"], text(number)),
            _ => assert_eq!(line["finish"], "truncated"),
        }
    }
    for (number, expected) in lines.into_iter().enumerate().take(3) {
        let alone = jsonl(&["--format", "message"], text(number));
        let mut alone: Value = serde_json::from_str(&alone.out).expect("a message");
        alone["line"] = (number + 2).into();
        assert_eq!(expected, alone);
    }
}

#[test]
fn the_text_is_where_field_says() {
    for (args, line) in [
        (&["--jsonl"][..], json!("a < b")),
        (&["--jsonl"], json!({"id": {"text": 1}, "text": "a < b"})),
        (&["--field", "answer"], json!({"text": "no", "answer": "a < b", "more": [1]})),
        (
            &["--field", "/choices/1/message/content"],
            json!({"choices": [1, {"message": {"role": "x", "content": "a < b"}}, 2]}),
        ),
        (&["--field", "/a~1b"], json!({"a/b": "a < b"})),
    ] {
        let done = jsonl(args, line.to_string());
        assert_eq!((done.code, &*done.err), (0, ""), "{line}");
        assert_eq!(lines(&done.out)[0]["content"][0]["text"], "a < b", "{line}");
    }
    // A `null` in place of the text, as servers write it, is an empty answer.
    let done = jsonl(&["--jsonl"], "{\"text\": null}");
    assert_eq!((done.code, &lines(&done.out)[0]["content"]), (0, &json!([])));
}

#[test]
fn bad_lines_are_told_and_the_others_read() {
    let input = "{\"text\": \"a\"}\n\nno JSON\n{\"other\": \"b\"}\n{\"text\": 1}\n[\"c\"]\n{\"text\": \"d\"}";
    let done = jsonl(&["--jsonl"], input);
    assert_eq!(done.code, 2);
    let lines = lines(&done.out);
    let told: Vec<(u64, bool)> = lines
        .iter()
        .map(|line| (line["line"].as_u64().expect("a number"), line.get("error").is_some()))
        .collect();
    let expected = [(1, false), (3, true), (4, true), (5, true), (6, true), (7, false)];
    assert_eq!(told, expected, "{}", done.out);
    for line in ["line 3: ", "line 4: no text under `text`: use --field", "line 5: ", "line 6: "] {
        assert!(done.err.contains(line), "{line} in {}", done.err);
    }
    // Bytes that are no UTF-8 are no JSON.
    let done = jsonl(&["--jsonl"], b"{\"text\": \"\xff\"}\n{\"text\": \"a\"}\n");
    assert_eq!((done.code, done.out.lines().count()), (2, 2), "{}", done.err);
}

#[test]
fn exit_status_and_several_files() {
    let whole = Temp::file("whole.jsonl", json!({"text": call(&json!({}))}).to_string());
    let cut = Temp::file("cut.jsonl", json!({"text": "<tool_call>{\"name\": \"f\""}).to_string());
    let status = |args: &[&str]| jsonl(&[&["--jsonl", "--exit-status"], args].concat(), "").code;
    assert_eq!(status(&[whole.path()]), 0);
    assert_eq!(status(&[whole.path(), cut.path()]), 3);
    let done = jsonl(&["--jsonl", whole.path(), cut.path()], "");
    let lines = lines(&done.out);
    assert_eq!(
        (done.code, &lines[1]["file"], &lines[1]["line"]),
        (0, &cut.path().into(), &1.into())
    );
    let open = json!("So: <tool_call>\n{\"name\": \"a\"}").to_string();
    let done = jsonl(&["--jsonl", "--ended", "cut"], open);
    assert!(done.out.contains("cut_stream"), "{}", done.out);
}

#[test]
fn what_does_not_go_together() {
    refused(&["parse", "--jsonl"], &["which dialect?"]);
    refused(&["parse", "--dialect", "auto", "--jsonl"], &["--dialect NAME", "--shape FILE"]);
    refused(&["parse", "--dialect", "hermes", "--jsonl", "--format", "text"], &["--format"]);
    refused(&["parse", "--dialect", "hermes", "--jsonl", "/no/file"], &["cannot read /no/file"]);
}

/// A live stream of lines is answered line by line.
#[test]
fn lines_are_answered_as_they_come() {
    use std::io::{BufRead, BufReader, Write};
    let mut child = start(&[&ARGS[..], &["--jsonl"]].concat());
    let (mut pipe, out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut out = BufReader::new(out);
    for text in ["a", "b"] {
        pipe.write_all(format!("\"{text}\"\n").as_bytes()).unwrap();
        let (line, back) = bounded(move || {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            (line, out)
        });
        out = back;
        assert_eq!(lines(&line)[0]["content"][0]["text"], text);
    }
    drop(pipe);
    assert_eq!(end(child).code, 0);
}
