//! `--dialect auto` and `--model`: the choice is always printed.

use serde_json::{Value, json};
use toolstream::{Dialect, Param, Parser, Tool};

use super::support::*;

const HERMES: &str =
    "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";

fn message(args: &[&str], text: &str) -> (Value, String) {
    let done = run(&[&["parse", "--format", "message"], args].concat(), text);
    assert_eq!(done.code, 0, "{args:?}: {}", done.err);
    (serde_json::from_str(&done.out).unwrap(), done.err)
}

/// The name at the beginning of the only note.
fn chosen(err: &str) -> &str {
    let told = err.strip_prefix("toolstream: note: ").unwrap_or_else(|| panic!("no note: {err}"));
    assert_eq!(told.lines().count(), 1, "{told}");
    told.split([':', ',']).next().unwrap()
}

#[test]
fn auto_finds_the_dialect_that_wrote_a_call() {
    let tool = Tool::new("read_file").param(Param::required("path"));
    let tools = Temp::file("auto-tools.json", TOOLS);
    for dialect in Dialect::ALL {
        let parser = Parser::builder(dialect).tool(tool.clone()).build().unwrap();
        let arguments = json!({"path": "src/a.rs"});
        let call = parser.render_call("read_file", arguments.as_object().unwrap()).unwrap();
        let (message, err) = message(&["--dialect", "auto", "--tools", tools.path()], &call);
        let calls = message["content"].as_array().unwrap().iter();
        let calls: Vec<_> = calls.filter(|block| block["type"] == "tool_use").collect();
        assert_eq!((calls.len(), &calls[0]["input"]), (1, &arguments), "{dialect}: {err}");
        // Several dialects write the same call: the chosen dialect reads it, but may have another name.
        let found = Dialect::by_name(chosen(&err)).unwrap();
        let parser = Parser::builder(found).tool(tool.clone()).build().unwrap();
        assert!(parser.parse(&call).has_calls(), "{dialect}: {err}");
    }
}

#[test]
fn auto_says_what_it_chose_and_why() {
    let (_, err) = message(&["--dialect", "auto"], &format!("So:\n{HERMES}"));
    assert_eq!(err, "toolstream: note: tool-call: it finds a call, the first at byte 4\n");
    let (_, err) = message(&["--dialect", "auto"], "<tool_call>\n{\"name\": \"read_file\", \"argu");
    assert!(err.contains("a call that is not whole"), "{err}");
}

/// A marker in prose is no call, and a single word on a line is no recipient.
#[test]
fn auto_is_not_misled_by_markers_in_prose() {
    for prose in ["Ok.\nUse >>> for a prompt.", "Say `<tool_call>` or [TOOL_CALLS].", "", "a < b"] {
        let done = run(&["parse", "--dialect", "auto"], prose);
        assert_eq!((&*done.out, done.code), ("", 1), "{prose}: {}", done.err);
        for remedy in ["no dialect finds a call", "--dialect NAME", "--model ID", "--tools FILE"] {
            assert!(done.err.contains(remedy), "{}", done.err);
        }
    }
    let (_, err) = message(&["--dialect", "auto"], &format!("Ok.\n{HERMES}"));
    assert_eq!(chosen(&err), "tool-call");
}

/// A call in the first part of a long text is enough for the choice.
#[test]
fn auto_tries_a_part_of_a_long_text() {
    let prose = "Nothing but words.\n".repeat(20_000);
    let (_, err) = message(&["--dialect", "auto"], &format!("{prose}{HERMES}"));
    assert!(err.contains(&format!("a call, the first at byte {}", prose.len())), "{err}");
    let (_, err) = message(&["--dialect", "auto"], &format!("{HERMES}{prose}{HERMES}"));
    assert!(err.contains("it finds a call, the first at byte 0"), "{err}");
}

#[test]
fn auto_sees_that_the_prompt_opened_the_reasoning() {
    let (message, err) = message(&["--dialect", "auto"], &format!("Hm.</think>{HERMES}"));
    assert_eq!(message["content"][0], json!({"type": "reasoning", "text": "Hm."}));
    assert!(err.contains("tool-call, start = reasoning: "), "{err}");
    let think = format!("<think>Hm.</think>{HERMES}");
    assert!(!run(&["parse", "--dialect", "auto"], think).err.contains("start"));
}

/// `auto` looks at the whole text, so no cut changes its choice.
#[test]
fn auto_chooses_before_it_cuts() {
    let whole = run(&["parse", "--dialect", "auto", "--format", "message"], HERMES);
    for cut in [["--chunk", "1"], ["--cut-seed", "3"]] {
        let args = [&["parse", "--dialect", "auto", "--format", "message"][..], &cut].concat();
        let done = run(&args, HERMES);
        assert_eq!((done.out, done.err), (whole.out.clone(), whole.err.clone()));
    }
}

#[test]
fn a_model_says_dialect_and_options() {
    let text = "Hm.</think><tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>";
    for args in
        [&["--model", "zai-org/GLM-5"][..], &["--model", "zai-org/GLM-5", "--dialect", "auto"]]
    {
        let (message, err) = message(args, text);
        let told = "toolstream: note: glm:inline, start = reasoning, by the model's name\n";
        assert!(err.starts_with(told), "{err}");
        assert_eq!(message["content"][0]["type"], "reasoning");
        assert_eq!(message["content"][1]["input"], json!({"path": "a"}));
    }
    // The host's own option wins.
    let config = Temp::file("start-text.json", r#"{"start": "text"}"#);
    let (message, _) = message(&["--model", "zai-org/GLM-5", "--config", config.path()], text);
    assert_eq!(message["content"][0]["type"], "text");
}

#[test]
fn a_model_that_nobody_knows_is_no_guess() {
    for command in ["parse", "prompt --stop-sequences", "render", "sanitize"] {
        let args: Vec<&str> = command.split(' ').chain(["--model", "acme/strange"]).collect();
        let done = run(&args, "");
        assert_eq!((&*done.out, done.code, done.err.lines().count()), ("", 1, 1), "{command}");
        assert!(done.err.contains("`acme/strange`") && done.err.contains("--template FILE"));
    }
}

#[test]
fn one_of_dialect_and_model_is_enough() {
    refused(&["parse", "--dialect", "hermes", "--model", "x"], &["drop one", "--dialect auto"]);
    refused(
        &["prompt", "--dialect", "auto", "--stop-sequences"],
        &["--dialect auto needs --model"],
    );
    let done = run(&["prompt", "--model", "Qwen/Qwen3-8B", "--stop-sequences"], "");
    assert_eq!((&*done.out, done.code), ("[\"</tool_call>\",\"<tool_response>\"]\n", 0));
    assert_eq!(chosen(&done.err), "hermes");
}
