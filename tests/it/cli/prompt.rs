//! `toolstream prompt`.

use super::support::*;

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
    // Stop sequences need no tools, in any dialect.
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
