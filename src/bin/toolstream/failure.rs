//! Failures: a line on stderr and an exit code.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::view::harmless;

/// Failure that ends a command early.
#[derive(Debug)]
pub enum Failure {
    /// A mistake that the user can correct, with the remedy.
    BadInput(String),
    /// The answer is no: the question, and the remedy.
    No(String),
    /// The reader of the output closed the pipe, which is not an error.
    ClosedPipe,
}

pub type Result<T> = std::result::Result<T, Failure>;

/// The exit code of an answer that is no.
pub const NO: u8 = 1;
/// The exit code of bad arguments and of files that cannot be read.
pub const BAD_INPUT: u8 = 2;

impl Failure {
    /// The message of clap without its paragraphs and its usage section.
    pub fn usage(error: &clap::Error) -> Failure {
        let text = error.render().to_string();
        let lines = text.lines().take_while(|line| !line.starts_with("Usage:"));
        let lines = lines.map(str::trim).filter(|line| !line.is_empty());
        let mut text_of_error = String::new();
        for line in lines.take_while(|line| !line.starts_with("For more information")) {
            let joint = match text_of_error.chars().last() {
                None => "",
                Some(':') => " ",
                Some(_) if line.starts_with('[') => " ",
                Some(_) => "; ",
            };
            text_of_error = text_of_error + joint + line.trim_start_matches("error: ");
        }
        Failure::BadInput(text_of_error + "; see `--help`")
    }

    /// Puts a place in front of the message.
    pub fn in_front(self, place: &str) -> Failure {
        match self {
            Failure::BadInput(text) => Failure::BadInput(format!("{place}{text}")),
            Failure::No(text) => Failure::No(format!("{place}{text}")),
            Failure::ClosedPipe => Failure::ClosedPipe,
        }
    }

    /// Reports the failure of one of several files, and returns the exit code.
    pub fn say_and_continue(self) -> Result<u8> {
        let (text, code) = match self {
            Failure::ClosedPipe => return Err(self),
            Failure::BadInput(text) => (text, BAD_INPUT),
            Failure::No(text) => (text, NO),
        };
        say(&text);
        Ok(code)
    }

    pub fn report(self) -> ExitCode {
        self.say_and_continue().map_or(ExitCode::SUCCESS, ExitCode::from)
    }
}

/// Output is the only I/O that is reported with a bare `?`; input has a name to go with it.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::BadInput(format!("cannot write the output: {error}")),
        }
    }
}

/// Writes one line to stderr. Every message of the program passes here: many hold names that a model or a provider
/// wrote, and none of these may control the terminal. A closed stderr is ignored.
pub fn say(text: &str) {
    let line = text.replace(['\n', '\r'], " ");
    let _ = writeln!(io::stderr(), "toolstream: {}", harmless(&line));
}

/// Writes a suggestion, `, did you mean `cline`?`, if one of the names is near enough.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let name = name.to_lowercase();
    let nearest = known
        .into_iter()
        .filter(|known| is_near(&name, known))
        .map(|known| (strsim::jaro_winkler(&name, known), known))
        .max_by(|left, right| left.0.total_cmp(&right.0));
    nearest.map_or_else(String::new, |(_, known)| format!(", did you mean `{known}`?"))
}

/// Whether the names differ by a few typing errors, or begin alike. (`claude` is not `cline`.)
fn is_near(name: &str, known: &str) -> bool {
    let slips = strsim::damerau_levenshtein(name, known);
    let begins = known.starts_with(name) || name.starts_with(known);
    slips * 3 <= name.len().max(known.len()) || (name.len() > 2 && begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_near() {
        let known = ["cline", "invoke", "hermes", "kimi-k2", "qwen3-coder", "tool_limit"];
        for (name, hint) in [
            ("claude", ""),
            ("nope", ""),
            ("", ""),
            ("herms", ", did you mean `hermes`?"),
            ("Hermse", ", did you mean `hermes`?"),
            ("kimi", ", did you mean `kimi-k2`?"),
            ("qwen-coder", ", did you mean `qwen3-coder`?"),
            ("toollimit", ", did you mean `tool_limit`?"),
        ] {
            assert_eq!(did_you_mean(name, known), hint, "{name}");
        }
    }
}
