//! `--table FILE`, `dialects NAME`, and JSON where a file of it is asked for.

use serde_json::Value;
use toolstream::Dialect;

use super::support::*;

const CALL: &str =
    "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";

fn printed(name: &str) -> String {
    let done = run(&["dialects", name], "");
    assert_eq!((done.code, &*done.err), (0, ""), "{name}");
    done.out
}

/// Each rule of each state, with its role.
#[test]
fn rules_are_printed_with_their_roles() {
    let done = run(&["dialects", "glm", "--rules"], "");
    assert_eq!((done.code, &*done.err), (0, ""));
    for line in [
        "prose[0]",
        "lost closer of an argument:  </tool_call>",
        "closer of a call:  </tool_call>",
        "closer of an argument:  </arg_value>  then  <arg_key>  or  </tool_call>",
        "data that looks like a call:  <tool_call>",
    ] {
        assert!(done.out.contains(line), "{line}\n{}", done.out);
    }
    for dialect in Dialect::ALL {
        let rules = run(&["dialects", dialect.name(), "--rules"], "").out;
        let told = |line: &str| {
            let said = line.split_once(":  ");
            !line.starts_with(' ')
                || said.is_some_and(|(role, mark)| role.len() > 6 && !mark.is_empty())
        };
        assert!(rules.lines().all(told), "{rules}");
    }
}

/// Those that follow from a shape of one's own, too.
#[test]
fn rules_of_a_shape_are_printed() {
    let shape = r#"{"name": "mine", "call": "[[use {name}]]{arguments}[[done]]"}"#;
    let shape = Temp::file("mine.json", shape);
    let done = run(&["dialects", "--table", shape.path(), "--rules"], "");
    assert_eq!((done.code, &*done.err), (0, ""));
    for line in ["opener of a call:  [[use NAME ]]", "closer of a call:  [[done]]", "lost closer"] {
        assert!(done.out.contains(line), "{line}\n{}", done.out);
    }
    let both = run(&["dialects", "glm", "--table", shape.path()], "");
    assert_eq!(both.code, 2, "{}", both.err);
}

/// What `dialects NAME` prints is what `--table` reads.
#[test]
fn a_printed_table_is_the_dialect() {
    for dialect in [Dialect::HERMES, Dialect::GLM, Dialect::REACT, Dialect::HARMONY] {
        let table = Temp::file(&format!("{}.json", dialect.name()), printed(dialect.name()));
        let call = dialect_call(&dialect);
        let message = |which: [&str; 2]| {
            let tools = ["--tools", TOOLS, "--format", "message"];
            run(&[&["parse"], &which[..], &tools].concat(), &call).out
        };
        let by_table = message(["--table", table.path()]);
        assert!(by_table.contains("\"complete\""), "{by_table}");
        assert_eq!(by_table, message(["--dialect", dialect.name()]));
    }
}

fn dialect_call(dialect: &Dialect) -> String {
    let call = r#"{"name": "read_file", "arguments": {"path": "a"}}"#;
    run(&["render", "--dialect", dialect.name(), "--tools", TOOLS], call).out
}

#[test]
fn a_table_with_other_markers_is_read_and_written() {
    let table = printed("hermes").replace("tool_call>", "mine>");
    let table = Temp::file("mine.json", table);
    let mine = CALL.replace("tool_call>", "mine>");
    let done = run(&["parse", "--table", table.path(), "--format", "message"], &mine);
    let message: Value = serde_json::from_str(&done.out).expect("a message");
    assert_eq!(message["content"][0]["input"]["path"], "a", "{}", done.err);
    let done = run(&["render", "--table", table.path(), "--tools", TOOLS], &done.out);
    assert!(done.out.starts_with("<mine>"), "{}{}", done.out, done.err);
    let done = run(&["prompt", "--table", table.path(), "--tools", TOOLS], "");
    assert!(done.out.contains("<mine>"), "{}{}", done.out, done.err);
    let done = run(&["sanitize", "--table", table.path()], format!("a{mine}b"));
    assert_eq!(done.out.trim_end(), "ab");
    let done =
        run(&["parse", "--table", table.path(), "--jsonl"], serde_json::json!(mine).to_string());
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
    refused(&["dialects", "react+hermes"], &["two tables", "`react` and `hermes`"]);
    refused(&["parse", "--table", "/no/file"], &["cannot read /no/file"]);
    refused(&["parse", "--table", "{\"prose\": 1}"], &["the inline JSON", "prose"]);
    refused(&["parse", "--table", "a", "--dialect", "glm"], &["--table", "--dialect"]);
}
