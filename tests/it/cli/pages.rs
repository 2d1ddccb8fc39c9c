//! The commands in the pages of the project, as a reader would type them.

use std::path::{Path, PathBuf};

use super::support::*;

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Markdown files of the root, of `docs`, and of the folders that name the command line.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["", "docs", ".github/ISSUE_TEMPLATE", "gateway", "conformance"];
    let files =
        folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("a folder"));
    let paths = files.map(|file| file.expect("a file").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

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

/// The output under the command in the README is that of the command.
#[test]
fn the_console_of_the_readme_is_true() {
    let readme = page("README.md");
    let (_, rest) = readme.split_once("```console\n$ ").expect("a console");
    let (command, rest) = rest.split_once('\n').expect("a command");
    let (shown, _) = rest.split_once("\n````").expect("its end");
    let (echo, command) = command.split_once(" | toolstream ").expect("a text, and the command");
    let text =
        echo.strip_prefix("echo '").and_then(|text| text.strip_suffix('\'')).expect("a text");
    let args: Vec<&str> = command.split(' ').collect();
    let done = run(&args, format!("{text}\n"));
    assert_eq!((done.out.trim_end(), done.code), (shown, 0), "{}", done.err);
}

/// Every command exists, and has the options with which a page shows it.
#[test]
fn the_commands_of_the_pages_exist() {
    let mut seen = 0;
    for path in pages() {
        let text = std::fs::read_to_string(&path).expect("a text");
        for command in commands(&text) {
            let told = format!("{}: toolstream {}", path.display(), command.join(" "));
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
