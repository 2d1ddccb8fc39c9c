//! `toolstream inspect`: the contents of its page. `tests/inspect/ci` tests the page in a browser.

use serde_json::{Value, json};

use super::support::*;

const TEXT: &str = "Ü <think>hm</think>\n<read_file><path>a.rs</path> b</path><line>7</line></read_file> \
    </script><script>alert(1)</script><!-- \u{2028} <read_f";

/// The page of a text in chunks of 5 bytes, and its data.
fn page(name: &str, text: impl AsRef<[u8]>, args: &[&str]) -> (String, Value) {
    let tools = Temp::file(&format!("inspect-{name}.json"), TOOLS);
    let html = Temp::file(&format!("inspect-{name}.html"), "");
    let always =
        ["inspect", "--dialect", "cline", "--tools", tools.path(), "--chunk", "5", "--html"];
    let done = run(&[&always[..], &[html.path()], args].concat(), text);
    assert_eq!((&*done.out, &*done.err, done.code), ("", "", 0));
    let page = std::fs::read_to_string(&html.0).unwrap();
    let (_, data) = page.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
    let data = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    (page, data)
}

fn parsed(text: &str, format: &str) -> Vec<Value> {
    events(&parse(&["--tool-limit", "none", "--format", format], text).out)
}

/// The events of the page, with the slices that they stand for, are the events of `parse`.
#[test]
fn the_page_says_what_parse_says() {
    let (_, data) = page("same", TEXT, &[]);
    let recording = &data[0];
    assert_eq!(recording["message"], parsed(TEXT, "message")[0]);
    let mut told = Vec::new();
    for entry in recording["events"].as_array().unwrap() {
        let (from, to) = (entry["from"].as_u64().unwrap(), entry["to"].as_u64().unwrap());
        let mut event = entry["event"].clone();
        if !event["text"].is_null() {
            event["text"] = TEXT[from as usize..to as usize].into();
        }
        told.push(event);
    }
    let mut expected: Vec<Value> = Vec::new();
    for event in parsed(TEXT, "events") {
        match (expected.last_mut(), event["text"].as_str()) {
            (Some(last), Some(more)) if last["type"] == event["type"] => {
                last["text"] = (last["text"].as_str().unwrap().to_string() + more).into();
            }
            _ => expected.push(event),
        }
    }
    assert_eq!(told, expected);
    let sizes: Vec<&Value> =
        recording["runs"].as_array().unwrap().iter().map(|run| &run["size"]).collect();
    assert_eq!(sizes, [&json!(5), &json!(7), &json!(1), &json!(64), &Value::Null]);
    assert!(recording["runs"].as_array().unwrap().iter().all(|run| run["differs"].is_null()));
}

/// The notes are the sentences of `explain`.
#[test]
fn the_notes_are_those_of_explain() {
    let (_, data) = page("notes", TEXT, &[]);
    let tools = Temp::file("inspect-explain.json", TOOLS);
    let explained = run(&["explain", "--dialect", "cline", "--tools", tools.path()], TEXT).out;
    let notes = data[0]["notes"].as_array().unwrap();
    assert!(notes.len() >= 4, "{notes:?}");
    for note in notes {
        assert!(explained.contains(note["says"].as_str().unwrap()), "{note} in {explained}");
    }
    assert_eq!(
        explained.matches(['↳', '!', '✓', '✗']).count(),
        notes.len() + TEXT.matches('!').count()
    );
}

#[test]
fn a_hostile_text_is_data() {
    let (page, data) = page("hostile", TEXT, &[]);
    assert_eq!(data[0]["text"], TEXT);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<script>alert") && !page.contains('\u{2028}'));
    assert!(
        !page.contains("http:") && !page.contains("https:"),
        "the page asks the network for nothing"
    );
}

#[test]
fn bytes_that_are_no_text_are_counted() {
    let (_, data) = page("bytes", b"a \xff b \xc3", &[]);
    assert_eq!(
        (&data[0]["text"], &data[0]["invalid"]),
        (&json!("a \u{fffd} b \u{fffd}"), &json!(2))
    );
}

#[test]
fn several_files_are_one_page() {
    let (one, other) = (Temp::file("inspect-one.txt", "one"), Temp::file("inspect-other.txt", ""));
    let (_, data) = page("files", "", &[one.path(), other.path()]);
    let files: Vec<&str> =
        data.as_array().unwrap().iter().filter_map(|of| of["file"].as_str()).collect();
    assert_eq!(files, [one.path(), other.path()]);
}

#[test]
fn a_page_that_cannot_be_written_is_told() {
    let text = Temp::file("inspect-text.txt", "a");
    let args = [
        "inspect",
        "--dialect",
        "cline",
        "--tools",
        "[{\"name\": \"f\"}]",
        "--html",
        "/nowhere/a.html",
    ];
    refused(
        &[&args[..], &[text.path()]].concat(),
        &["cannot write /nowhere/a.html", "check the path"],
    );
}

/// In a pipe, each stretch is a line that says how long it was held, with its notes below. Nothing drives a terminal.
#[test]
fn a_pipe_gets_lines() {
    let tools = Temp::file("inspect-lines.json", TOOLS);
    let text = "a\u{1b}[31m\u{202e}\n<read_file><path>a</path> b</path></read_file>";
    let done =
        run(&["inspect", "--dialect", "cline", "--tools", tools.path(), "--chunk", "4"], text);
    let expected = "\
stdin · cline · chunks of 4 bytes
       0  text                  a\\u{1b}[31m\\u{202e}\\n
      10  markup     held 4     <read_file>
      21  markup     held 1     <path>
      27  value                 a
      28  value      held 2     </path> b
          ↳ `</path>` at 28 is payload: closer of an argument, but at 36 comes `b` and not `</` or `<`
          ! suspect_marker at 28
      37  markup     held 4     </path>
      44  markup     held 2     </read_file>
          ✓ read_file: may run
";
    assert_eq!((&*done.out, &*done.err, done.code), (expected, "", 0));
}
