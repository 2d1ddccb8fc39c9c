//! Error messages: one line each, with a remedy.

use super::support::*;

#[test]
fn bad_arguments_are_one_line() {
    refused(&[], &["requires a subcommand", "parse, sanitize, explain"]);
    refused(&["prase"], &["'prase'", "'parse'"]);
    refused(&["check"], &["<FILE>"]);
    refused(&["parse"], &["--dialect NAME", "--model ID", "--dialect auto"]);
    refused(&["parse", "--dialect", "cilne"], &["`cilne`", "did you mean `cline`?"]);
    refused(&["parse", "--dialect", "xyz"], &["`xyz`", "`toolstream dialects`"]);
    refused(&["parse", "--dialect", "react+cilne"], &["`cilne`", "did you mean `cline`?"]);
    refused(&["parse", "--dialect", "react+cilne+glm"], &["`cilne`", "did you mean `cline`?"]);
    for (args, told) in [
        (&["--chunk", "0"][..], "a number of bytes from 1 on"),
        (&["--chunk", "-1"], "a number of bytes from 1 on"),
        (&["--chunk", "1", "--cut-seed", "1"], "cannot be used with"),
        (&["--cut-seed", "x"], "a whole number from 0 on"),
        (&["--tool-limit", "0"], "from 1 on, or none"),
        (&["--tool-limit", "x\ny"], "from 1 on, or none"),
        (&["--format", "txt"], "anthropic, responses, refused, correction]; tip:"),
        (&["--ended", "length"], "use stop or cut"),
        (&["--chnk", "1"], "'--chunk'"),
        (&["no/such.txt"], "cannot read no/such.txt"),
        (&["--tools", "no/such.json"], "cannot read no/such.json"),
        (&["--config", "no/such.json"], "cannot read no/such.json"),
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
    let chat = r#"{"choices":[{"delta":{"content":"Hi"}}]}"#;
    let start = r#"{"type":"message_start","message":{"id":"m","model":"c","content":[]}}"#;
    for (text, told) in [
        ("data: {\"a\": 1}\n\n".to_string(), "--provider NAME"),
        ("event: x\ndata: 1\n\n".to_string(), "--provider NAME"),
        (format!("data: {chat}\n\n"), "--provider openai-chat"),
        (format!(": ping\n\ndata: {chat}\n\n"), "--provider openai-chat"),
        (format!("event: message_start\ndata: {start}\n\n"), "--provider anthropic"),
        (format!("{start}\n"), "--provider anthropic"),
        (
            r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}"#.to_string(),
            "--provider gemini",
        ),
    ] {
        for cut in [&[][..], &["--chunk", "1"]] {
            let args = [&["parse", "--dialect", "hermes", "--format", "text"], cut].concat();
            let done = run(&args, &text);
            assert_eq!((&*done.out, done.code, done.err.lines().count()), (&*text, 0, 1), "{text}");
            let remedy = format!("`toolstream native {told}`");
            assert!(done.err.contains(&remedy), "{}", done.err);
        }
    }
    // Text that resembles a provider's stream is still text, even a call in JSON.
    for text in ["The data: 1", r#"{"type":"function","name":"a","parameters":{}}"#, "[1]", "{}"] {
        let done = run(&["parse", "--dialect", "hermes", "--format", "text"], text);
        assert_eq!((&*done.out, &*done.err, done.code), (text, "", 0));
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
