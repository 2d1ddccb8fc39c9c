//! `toolstream completions` and `toolstream man`.

use super::support::*;

const COMMANDS: [&str; 11] = [
    "parse",
    "sanitize",
    "native",
    "detect",
    "route",
    "prompt",
    "render",
    "repair",
    "check",
    "dialects",
    "completions",
];

#[test]
fn every_shell_has_completions_of_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let done = run(&["completions", shell], "");
        assert_eq!((&*done.err, done.code), ("", 0));
        for word in COMMANDS.iter().chain(&["exit-status", "tool-limit"]) {
            assert!(done.out.contains(word), "no {word} for {shell}");
        }
    }
    refused(&["completions", "bsh"], &["[possible values: bash", "'bash'"]);
}

#[test]
fn every_command_has_a_page_and_examples() {
    let page = run(&["man"], "").out;
    assert!(page.contains(".TH toolstream 1"), "{page}");
    for command in COMMANDS {
        assert!(page.contains(&format!("toolstream\\-{command}(1)")), "{command}");
        let done = run(&["man", command], "");
        assert!(done.out.contains(&format!(".TH toolstream-{command} 1")), "{}", done.out);
        let help = run(&[command, "--help"], "").out;
        assert!(help.contains("Examples:\n"), "{help}");
    }
    refused(&["man", "prase"], &["`prase`", "did you mean `parse`?"]);
}
