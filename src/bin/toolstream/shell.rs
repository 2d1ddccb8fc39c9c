//! `toolstream completions` and `toolstream man`: files for a shell and for `man`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;
use crate::failure::{Failure, Result, did_you_mean};

/// Print a shell's completions of this command
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  toolstream completions bash >~/.local/share/bash-completion/completions/toolstream
  toolstream completions zsh >~/.zfunc/_toolstream
  toolstream completions fish >~/.config/fish/completions/toolstream.fish";

pub fn completions(args: &Args) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "toolstream", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Print the manual page of this command, or of one of its commands, as `man` reads it
#[derive(clap::Args)]
#[command(after_help = PAGES)]
pub struct Page {
    /// The command: `toolstream-COMMAND` is the page's name
    command: Option<String>,
}

const PAGES: &str = "\
Examples:
  toolstream man | man -l -
  toolstream man parse >~/.local/share/man/man1/toolstream-parse.1";

pub fn manual(args: &Page) -> Result<ExitCode> {
    let mut all = Cli::command();
    all.build();
    let command = match &args.command {
        None => all,
        Some(name) => {
            let names = all.get_subcommands().map(clap::Command::get_name);
            let hint = did_you_mean(name, names);
            let found = all.find_subcommand(name).cloned();
            let unknown = || {
                Failure::BadInput(format!("unknown command `{name}`{hint} (`--help` lists them)"))
            };
            let found = found.ok_or_else(unknown)?;
            found.version(env!("CARGO_PKG_VERSION"))
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    io::stdout().lock().write_all(&page)?;
    Ok(ExitCode::SUCCESS)
}
