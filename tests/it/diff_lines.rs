//! Lines of a search/replace block arrive whole. A screen that shows a file while it is written never has half a line.

use toolstream::{
    Dialect, Event, Param, Parser, Tool, ToolUse,
    options::{Options, ValueWhitespace},
};

/// The longest search/replace line that is delivered whole.
const DIFF_LINE: usize = 32;

/// The deltas of the value, joined for each chunk. The last item has the deltas of the end. (Values are verbatim. Otherwise a
/// line break may have to wait for the closer.)
fn deltas(chunks: &[&str]) -> Vec<String> {
    let edit = Tool::new("edit").param(Param::required("diff")).param(Param::optional("path"));
    let mut options = Options::default();
    options.diff_params = Some(vec!["diff".to_string()]);
    options.value_whitespace = ValueWhitespace::Verbatim;
    let builder = Parser::builder(Dialect::GLM).tool(edit).options(options);
    let mut parser = builder.build().expect("a good tool");
    let value = |events: &mut dyn Iterator<Item = Event<&str>>| {
        let mut joined = String::new();
        for event in events {
            if let Event::ToolUse(ToolUse::ParamDelta(text)) = event {
                joined.push_str(text);
            }
        }
        joined
    };
    let mut deltas: Vec<String> =
        chunks.iter().map(|chunk| value(&mut parser.feed(chunk))).collect();
    deltas.push(value(&mut parser.finish()));
    deltas
}

const OPEN: &str = "<tool_call>edit<arg_key>diff</arg_key><arg_value>";

/// An opened call with a value of another parameter, which ended in the middle of a line.
fn after_a_path() -> String {
    let path = "<arg_key>path</arg_key><arg_value>a</arg_value>";
    OPEN.replace("edit", &format!("edit{path}"))
}

#[test]
fn the_first_line_of_a_value_is_one_like_any_other() {
    for chunks in [
        [OPEN, "<<<<", "<<< SEAR", "CH\n", "x"],
        [&after_a_path(), "<<<<", "<<< SEAR", "CH\n", "x"],
    ] {
        let said = deltas(&chunks);
        assert_eq!(said[1..], ["", "", "<<<<<<< SEARCH\n", "x", ""], "{chunks:?}");
    }
}

#[test]
fn a_line_that_can_become_one_waits() {
    for line in [
        "<<<<<<< SEARCH",
        ">>>>>>> REPLACE",
        "=======",
        "------- SEARCH",
        "+++++++ REPLACE",
        "---",
        "======= \t",
        "<<<<<<< SEARCH  ",
        "<<<<<<<\r",
    ] {
        for at in 1..=line.len() {
            let (first, second) = line.split_at(at);
            let second = format!("{second}\n");
            let said = deltas(&[OPEN, "a\n", first, &second]);
            assert_eq!(said, ["", "a\n", "", &format!("{line}\n"), ""], "{first} | {second}");
        }
    }
}

#[test]
fn what_rules_it_out_lets_it_go_at_once() {
    for line in [
        "x",
        "<x",
        "<<x",
        "<<< x",
        "<<<  SEARCH",
        "<<< SEX",
        "<<< SEARCHED",
        "<<< SEARCH x",
        "<=",
        "--- a/src/lib.rs",
        // After a blank the word cannot go on, so half a word is no marker.
        "<<<<<<< SEA ",
        "<<<<<<< REPL\t",
        "<<<<<<< SEA\r",
    ] {
        let said = deltas(&[OPEN, "a\n", line]);
        assert_eq!(said, ["", "a\n", line, ""], "{line:?}");
        // Byte by byte, nothing of the line waits once its last byte has come.
        let bytes: Vec<&str> = line.split_inclusive(|_: char| true).collect();
        let said = deltas(&[&[OPEN, "a\n"], &*bytes].concat());
        assert_eq!(said[2..].concat(), line);
        assert_ne!(said[said.len() - 2], "", "{line:?}");
        assert_eq!(said[said.len() - 1], "", "{line:?}");
    }
}

#[test]
fn no_line_is_held_for_long() {
    let line = "=".repeat(DIFF_LINE);
    let (held, last) = line.split_at(DIFF_LINE - 1);
    assert_eq!(deltas(&[OPEN, held, last]), ["", "", &line, ""]);
}

#[test]
fn other_parameters_arrive_as_they_come() {
    let open = OPEN.replace("diff", "path");
    let next = format!("</arg_value>{}", OPEN.replace("<tool_call>edit", ""));
    let said = deltas(&[&open, "=====", "== SEARCH\n", &next, "=====", "=="]);
    assert_eq!(said, ["", "=====", "== SEARCH\n", "", "", "", "======="]);
}
