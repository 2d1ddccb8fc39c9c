//! `--exit-status`, and `--color`.

use std::fs;

use super::support::*;

const WHOLE: &str = "<tool_call>\n{\"name\": \"ping\", \"arguments\": {}}\n</tool_call>";
const CUT: &str = "<tool_call>\n{\"name\": \"ping\", \"argum";
/// The arguments are JSON that cannot be read.
const BROKEN: &str =
    "<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"a\": 1 \"b\": 2}}\n</tool_call>";

fn code(args: &[&str], text: &str) -> i32 {
    run(&[&["parse", "--dialect", "hermes"], args].concat(), text).code
}

#[test]
fn truncated_and_incomplete_have_codes_of_their_own() {
    for (text, expected) in [("Hi", 0), (WHOLE, 0), (CUT, 3), (BROKEN, 4)] {
        for format in ["events", "message", "text", "openai"] {
            assert_eq!(code(&["--exit-status", "--format", format], text), expected, "{text}");
            assert_eq!(code(&["--format", format], text), 0, "{text}");
        }
    }
    assert_eq!(code(&["--exit-status", "--ended", "cut"], "Hi"), 3);
    // The first message that does not end well decides, and messages of the second file count, too.
    let folder = Temp::folder("status");
    for (name, text) in [("a", WHOLE), ("b", BROKEN), ("c", CUT)] {
        fs::write(folder.0.join(name), text).unwrap();
    }
    assert_eq!(code(&["--exit-status", folder.path()], ""), 4);
    assert_eq!(code(&["--exit-status", folder.path(), "no/such.txt"], ""), 2);
}

#[test]
fn native_has_the_same_codes() {
    let call = |arguments: &str, finish: &str| {
        let function = serde_json::json!({"name": "ping", "arguments": arguments});
        let delta = serde_json::json!({"choices": [{"index": 0, "finish_reason": finish,
            "delta": {"tool_calls": [{"index": 0, "id": "c", "function": function}]}}]});
        format!("data: {delta}\n\ndata: [DONE]\n\n")
    };
    for (stream, expected) in [
        (call("{}", "tool_calls"), 0),
        (call("{\"a\": ", "length"), 3),
        (call("{\"a\": 1 \"b\": 2}", "tool_calls"), 4),
    ] {
        let native = ["native", "--provider", "openai-chat"];
        assert_eq!(run(&[&native[..], &["--exit-status"]].concat(), &stream).code, expected);
        assert_eq!(run(&native, &stream).code, 0);
    }
}

#[test]
fn help_has_the_codes() {
    let help = run(&["--help"], "").out;
    for code in ["  0  done", "  1  the answer is no", "  2  bad", "  3  with", "  4  with"] {
        assert!(help.contains(code), "{help}");
    }
}

#[test]
fn colour_is_for_those_who_want_it() {
    let text = format!("Now: {WHOLE}");
    let shown = |args: &[&str]| {
        run(&[&["parse", "--dialect", "hermes", "--format", "text"], args].concat(), &text).out
    };
    assert_eq!(shown(&[]), "Now: ");
    assert_eq!(shown(&["--color", "auto"]), "Now: ");
    assert_eq!(shown(&["--color", "never"]), "Now: ");
    let colours = shown(&["--color", "always"]);
    assert!(colours.contains("\x1b[") && colours.contains("▸ ping"), "{colours:?}");
    refused(
        &["parse", "--dialect", "hermes", "--color", "blue"],
        &["[possible values: auto, always"],
    );
}
