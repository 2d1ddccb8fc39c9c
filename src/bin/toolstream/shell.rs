//! `toolstream completions` and `toolstream man`: what a shell and `man` read.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;
use crate::failure::Result;

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

/// One page: the command's own, then each subcommand's options as a section below.
pub fn manual() -> Result<ExitCode> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    io::stdout().lock().write_all(&page)?;
    Ok(ExitCode::SUCCESS)
}
