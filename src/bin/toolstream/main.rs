//! `toolstream`: try the parser on a transcript, debug one, use it from other languages.
#![forbid(unsafe_code)]

mod auto;
mod check;
mod class;
mod config;
mod cuts;
mod detect;
mod dialects;
mod explain;
mod failure;
mod files;
mod input;
mod inspect;
mod jsonl;
mod native;
mod notes;
mod output;
mod parse;
mod progress;
mod prompt;
mod provider;
mod reading;
mod render;
mod repair;
mod route;
mod sanitize;
mod shell;
mod view;
mod which;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// Reads the output of a language model while it arrives: visible text, reasoning, tool calls.
#[derive(Parser)]
#[command(version, arg_required_else_help = false, after_help = EXAMPLES, after_long_help = LONG)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Parse(parse::Args),
    Sanitize(sanitize::Args),
    Explain(explain::Args),
    Inspect(inspect::Args),
    Native(native::Args),
    Detect(detect::Args),
    Route(route::Args),
    Prompt(prompt::Args),
    Render(render::Args),
    Repair(repair::Args),
    Check(check::Args),
    Dialects(dialects::Args),
    Completions(shell::Args),
    Man(shell::Page),
}

const EXAMPLES: &str = "\
Examples:
  toolstream parse --dialect cline --tools tools.json answer.txt
  toolstream native --provider anthropic --tools tools.json stream.sse
  toolstream detect --model Qwen/Qwen3-Coder-30B-A3B
  toolstream prompt --dialect cline --tools tools.json
  toolstream dialects

`--help` shows more examples, `toolstream COMMAND --help` the options of a command.";

const LONG: &str = "\
Examples:
  Show the calls and the text of an answer:
    toolstream parse --dialect auto answer.txt
  Print its message as JSON, for a script, with the tools that the model has:
    toolstream parse --model Qwen/Qwen3-8B --tools tools.json --format message answer.txt
  Show why a call in it was read as text:
    toolstream explain --dialect hermes --tools tools.json answer.txt
  Write a page that shows which bytes were pending, and how long:
    toolstream inspect --dialect hermes --tools tools.json answer.txt --html answer.html
  Read a provider's own stream:
    toolstream native --provider anthropic --format message stream.sse
  Find the dialect of a model:
    toolstream detect --model zai-org/GLM-4.6
  Print its prompt for the tools, and its stop sequences:
    toolstream prompt --dialect glm --tools tools.json
    toolstream prompt --dialect glm --stop-sequences
  Write the calls of an answer in another dialect:
    toolstream parse --dialect hermes --format message answer.txt |
      toolstream render --dialect glm

Exit codes:
  0  done; the text of a model is never an error
  1  the answer is no: a vector failed (check), no dialect fits (detect, --dialect auto), the JSON
     cannot be repaired (repair), the dialect cannot carry the call (render)
  2  bad arguments, or a file that cannot be read or written
  3  with --exit-status: the message is truncated
  4  with --exit-status: a call in it may not run";

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // clap returns `--help` and `--version` as errors, too. A closed pipe is not an error here either.
        Err(answer) if !answer.use_stderr() => {
            let _ = answer.print();
            return ExitCode::SUCCESS;
        }
        Err(error) => return Failure::usage(&error).report(),
    };
    let done = match cli.command {
        Command::Parse(args) => parse::run(&args),
        Command::Sanitize(args) => sanitize::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Native(args) => native::run(&args),
        Command::Detect(args) => detect::run(&args),
        Command::Route(args) => route::run(&args),
        Command::Prompt(args) => prompt::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Repair(args) => repair::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Dialects(args) => dialects::run(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::manual(&args),
    };
    done.unwrap_or_else(|failure| failure.report())
}
