//! `toolstream`: try the parser on a transcript, debug one, use it from other languages.
#![forbid(unsafe_code)]

mod check;
mod config;
mod cuts;
mod dialects;
mod failure;
mod input;
mod native;
mod parse;
mod progress;
mod prompt;
mod view;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// Reads what a language model writes, as it is written: visible text, reasoning, tool calls.
#[derive(Parser)]
#[command(version, arg_required_else_help = false, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Parse(parse::Args),
    Check(check::Args),
    /// List the dialects
    Dialects,
    Prompt(prompt::Args),
    Native(native::Args),
}

const EXAMPLES: &str = "\
Examples:
  toolstream dialects
  toolstream parse --dialect cline --tools tools.json answer.txt
  toolstream prompt --dialect cline --tools tools.json
  toolstream native --provider anthropic --tools tools.json stream.sse
  toolstream check tests/vectors/*.jsonl";

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // `--help` and `--version` come as errors, too; a closed pipe is none here either.
        Err(answer) if !answer.use_stderr() => {
            let _ = answer.print();
            return ExitCode::SUCCESS;
        }
        Err(error) => return Failure::usage(&error).report(),
    };
    let done = match cli.command {
        Command::Parse(args) => parse::run(args),
        Command::Native(args) => native::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Prompt(args) => prompt::run(args),
        Command::Dialects => dialects::run(),
    };
    done.unwrap_or_else(|failure| failure.report())
}
