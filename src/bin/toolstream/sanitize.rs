//! `toolstream sanitize`: text in, the same without calls, reasoning and markers out.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Result;
use crate::parse;
use crate::reading::Reading;

/// Print model text without its calls, reasoning and markers
///
/// The visible text follows the input, byte for byte. All calls are left out, whatever their number.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    reading: Reading,
    /// The model text: files, and folders for all files in them; stdin if there are none, or for `-`
    file: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  Print the text of an answer that a user may see:
    toolstream sanitize --dialect tool-call answer.txt
  Do the same with a live stream:
    my-model | toolstream sanitize --model Qwen/Qwen3-8B";

pub fn run(args: Args) -> Result<ExitCode> {
    parse::run(&parse::Args::sanitizing(args.reading, args.file))
}
