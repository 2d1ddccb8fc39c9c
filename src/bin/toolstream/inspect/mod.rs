//! `toolstream inspect`: a stream to look at, as a page or in the terminal.

mod growth;
mod page;
mod play;
mod record;
mod terminal;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::{Failure, Result};
use crate::files;
use crate::input::STDIN;
use crate::parse::chunk_size;
use crate::reading::Reading;
use record::Recording;

/// Step through a stream: the class of each byte, and how long bytes were pending
///
/// On a terminal, keys step through the stream. Into a pipe, each stretch of the text is a line, with the number of
/// chunks for which its first byte was pending. `--html` writes a page, one file that needs no network. It has the text
/// in colours, a slider for time, the events and the message so far, the diagnostics, and the text in chunks of several
/// sizes. All calls are read, whatever their number. Offsets are bytes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    reading: Reading,
    /// Write a page to this file, and print nothing
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The first chunk size, in bytes; 7, 1, 64 and the whole text are always included
    #[arg(long, value_name = "N", value_parser = chunk_size, allow_negative_numbers = true)]
    chunk: Option<usize>,
    /// The model text: files, and folders for all files in them; stdin if there are none, or for `-`
    file: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  Step through an answer:
    toolstream inspect --dialect hermes --tools tools.json answer.txt
  Write a page:
    toolstream inspect --dialect hermes --tools tools.json answer.txt --html answer.html
  Write a page of all answers in a folder, in chunks of 16 bytes:
    toolstream inspect --model Qwen/Qwen3-8B --chunk 16 answers/ --html answers.html";

/// The chunk sizes of every page; `None`: the whole text.
const SIZES: [Option<usize>; 4] = [Some(7), Some(1), Some(64), None];

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut files = files::expand(&args.file, None)?;
    if files.is_empty() {
        files.push(PathBuf::from("-"));
    }
    let mut sizes = SIZES.to_vec();
    if let Some(chunk) = args.chunk {
        sizes.retain(|size| *size != Some(chunk));
        sizes.insert(0, Some(chunk));
    }
    let mut recordings = Vec::new();
    for path in &files {
        let (ready, text) = args.reading.whole(path)?;
        let name = if path.as_os_str() == "-" { STDIN.into() } else { path.to_string_lossy() };
        recordings.push(Recording::read(name.into_owned(), &ready, &text, &sizes));
    }
    let Some(html) = &args.html else {
        recordings.iter().try_for_each(terminal::show)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::write(html, page::write_page(&recordings)).map_err(|error| {
        Failure::BadInput(format!("cannot write {}: {error}; check the path", html.display()))
    })?;
    Ok(ExitCode::SUCCESS)
}
