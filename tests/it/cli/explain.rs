//! `toolstream explain`.

use super::support::*;

const TEXT: &str = "I use <read_file>. In code: `<read_file><path>`\n\
    <read_file><path>a.txt</path> and\n</path></read_file> done\n\
    <think>hm</think>\nend <read_f";

fn explain(args: &[&str], text: &str) -> Done {
    let tools = Temp::file(&format!("explain-{}.json", text.len()), TOOLS);
    let always = ["explain", "--dialect", "cline", "--tools", tools.path()];
    run(&[&always, args].concat(), text)
}

#[test]
fn each_line_says_what_it_is_and_why_a_marker_is_none() {
    let done = explain(&["--config", r#"{"fences": "quote"}"#], TEXT);
    let expected = "
          text │ I use <read_file>. In code: `<read_file><path>`
               │   ↳ `<read_file>` at 6 is payload: opener of a call, but at 17 comes `.` and not `</` or `<`
               │   ↳ `<read_file>` at 29 is payload: opener of a call, but it stands in Markdown code
read_file.path │ <read_file><path>a.txt</path> and
               │   ↳ `</path>` at 70 is payload: closer of an argument, but at 78 comes `a` and not `</` or `<`
               │   ! suspect_marker at 70
          text │ </path></read_file> done
               │   ✓ read_file: may run
     reasoning │ <think>hm</think>
          text │ end <read_f
               │   ↳ `<read_f` at 129 is payload: opener of a call, but the stream ends before a declared name
               │   ! cut_opener at 129
";
    assert_eq!((&*done.out, &*done.err, done.code), (expected.trim_start_matches('\n'), "", 0));
}

#[test]
fn all_shows_those_that_count() {
    let call = "<read_file><path>a</path></read_file>";
    assert!(!explain(&[], call).out.contains('↳'));
    let done = explain(&["--all"], call);
    for says in [
        "`<read_file>` at 0: opener of a call",
        "`<path>` at 11: opener of an argument",
        "`</path>` at 18: closer of an argument",
        "`</read_file>` at 25: closer of a call",
    ] {
        assert!(done.out.contains(says), "{says}: {}", done.out);
    }
}

#[test]
fn a_text_of_which_nothing_came_is_told() {
    let says = "! all of it is markup: no text, no reasoning and no call came of it";
    assert!(explain(&[], "</read_file>\n").out.ends_with(&format!("{says}\n")));
    for text in ["", " \n", "</read_file> é", "<think>é</think>", "<read_file></read_file>"] {
        assert!(!explain(&[], text).out.contains(says), "{text}");
    }
}

/// Control characters in the model's text are shown, and do not drive the terminal.
#[test]
fn control_characters_are_shown() {
    let done = explain(&[], "a\u{1b}[31m<read_file>\u{1b}");
    assert!(!done.out.contains('\u{1b}'), "{:?}", done.out);
    assert!(done.out.contains("␛[31m"), "{:?}", done.out);
}

/// The README shows commands with their output: `$ echo 'TEXT' | toolstream ARGUMENTS`.
#[test]
fn the_readme_shows_what_is_printed() {
    let readme = include_str!("../../../README.md");
    let (_, rest) = readme.split_once("````console\n").expect("a block");
    let (block, _) = rest.split_once("````").expect("its end");
    for shown in block.split("$ echo ").skip(1) {
        let (command, output) = shown.split_once('\n').expect("its output");
        let (text, command) = command.split_once(" | toolstream ").expect("a pipe");
        let arguments: Vec<&str> = command.split(' ').collect();
        let done = run(&arguments, format!("{}\n", text.trim_matches('\'')));
        assert_eq!(done.out.trim_end(), output.trim_end());
    }
}
