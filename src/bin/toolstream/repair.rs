//! `toolstream repair`: JSON that is not quite JSON in, JSON out.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use toolstream::repair::{self, ArgumentsErrorKind, Repairs};

use crate::failure::{Failure, Result};
use crate::input::{Cut, Input};
use crate::view::print_json;

/// Repair a JSON object that a model wrote, without guessing
///
/// Repaired are fences, comments, trailing commas, other quotes, bare keys, Python's words and the like.
/// If a repair would be a guess, stderr names the place, and the exit code is 1.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print {"object": …, "repairs": [names]} in place of the object
    #[arg(long)]
    report: bool,
    /// The JSON; stdin if there is none, or for `-`
    file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  echo \"{path: 'a.rs', deep: True,}\" | toolstream repair
  List the repairs:
    toolstream repair --report arguments.json | jq -c .repairs";

pub fn run(args: &Args) -> Result<ExitCode> {
    let bytes = Input::open(args.file.as_deref(), Cut::AsItArrives)?.read_all()?;
    let text = String::from_utf8_lossy(&bytes);
    let read = repair::arguments(&text, Repairs::Default).map_err(|error| {
        let (line, column) = place(&text, error.at);
        let remedy = match error.kind {
            ArgumentsErrorKind::Truncated => {
                let closed: Vec<_> = error.closed.keys().map(String::as_str).collect();
                match closed.as_slice() {
                    [] => "; no member is certainly whole".to_string(),
                    closed => {
                        format!("; the members that are certainly whole: {}", closed.join(", "))
                    }
                }
            }
            ArgumentsErrorKind::Malformed => "; correct it there".to_string(),
            _ => String::new(),
        };
        Failure::No(format!("{line}:{column}: {error}{remedy}"))
    })?;
    let object = serde_json::Value::from(read.object);
    if args.report {
        let repairs: Vec<_> = read.repairs.iter().map(ToString::to_string).collect();
        print_json(&json!({"object": object, "repairs": repairs}))?;
    } else {
        print_json(&object)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The line and the column, in characters, of this byte.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    (line, String::from_utf8_lossy(&before[line_start..]).chars().count() + 1)
}
