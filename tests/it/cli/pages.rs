//! The commands in the pages of the project, as a reader would type them.

use super::support::*;
use crate::support::markdown::{page, pages};

/// The words behind `toolstream` in commands: those in backticks, and lines of blocks.
fn commands(text: &str) -> Vec<Vec<String>> {
    let begins = |part: &str| part.strip_prefix("toolstream ").map(String::from);
    let mut fenced = false;
    let parts = text.lines().flat_map(|line| {
        fenced ^= line.trim_start().starts_with("```");
        let quoted = line.split('`').skip(1).step_by(2).filter(|_| !fenced);
        quoted.chain(line.split(" | ").last().filter(|_| fenced)).collect::<Vec<_>>()
    });
    let commands: Vec<String> = parts.filter_map(begins).collect();
    let words = |command: String| {
        let words = command.split_whitespace().take_while(|word| !word.starts_with('#'));
        words.map(String::from).collect()
    };
    let is_command = |words: &Vec<String>| {
        words.first().is_some_and(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
    };
    commands.into_iter().map(words).filter(is_command).collect()
}

/// Every command exists, and has the options with which a page shows it.
#[test]
fn the_commands_of_the_pages_exist() {
    let mut seen = 0;
    for name in pages() {
        for command in commands(&page(&name)) {
            let told = format!("{name}: toolstream {}", command.join(" "));
            let help = run(&[&*command[0], "--help"], "");
            assert_eq!(help.code, 0, "{told}");
            for option in command.iter().filter(|word| word.starts_with("--")) {
                assert!(help.out.contains(&**option), "{told}");
            }
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen} commands were found");
}
