//! `toolstream dialects`: the list.

use std::io::{self, Write};
use std::process::ExitCode;

use toolstream::Dialect;

use crate::failure::Result;

/// List the dialects
#[derive(clap::Args)]
pub struct Args {}

pub fn run(_: &Args) -> Result<ExitCode> {
    let width = Dialect::ALL.iter().map(|dialect| dialect.name().len()).max().unwrap_or(0);
    let mut out = io::stdout().lock();
    for dialect in Dialect::ALL {
        writeln!(out, "{:width$}  {}", dialect.name(), dialect.about())?;
    }
    Ok(ExitCode::SUCCESS)
}
