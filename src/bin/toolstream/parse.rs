//! `toolstream parse`: model text in, events, a message or text out.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolstream::check::Ended;
use toolstream::{Parser, Tool};

use crate::cuts::Sizes;
use crate::failure::{Failure, Result, say};
use crate::input::{Cut, Input, STDIN};
use crate::jsonl::{Field, Lines};
use crate::output::{Codes, Output};
use crate::reading::{Limit, Reading, Ready, tool_limit};
use crate::view::{self, Answering, Color, Format, Show};
use crate::{config, files, provider};

/// Parse model text, from files and folders or as it arrives on stdin
///
/// The output follows the input, one flush a chunk. Model text is never an error. A second tool call ends the
/// reading of a file, unless --tool-limit allows it. With several files, JSON has the member `file`, and text has a
/// heading for each file.
#[derive(clap::Args, Default)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    reading: Reading,
    /// Cut the text into chunks of N bytes, also inside characters
    #[arg(long, value_name = "N", value_parser = chunk_size, allow_negative_numbers = true)]
    chunk: Option<usize>,
    /// Cut the text at pseudo-random places, the same for the same S
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    #[arg(conflicts_with = "chunk")]
    cut_seed: Option<u64>,
    /// Number of calls that one message may hold [default: 1]
    #[arg(long, value_name = "N|none", value_parser = tool_limit, allow_negative_numbers = true)]
    tool_limit: Option<Limit>,
    /// Format of the output [default: text on a terminal, else events]
    #[arg(long)]
    format: Option<Format>,
    #[command(flatten)]
    answering: Answering,
    /// Print text in colour, with reasoning and calls; `auto`: on a terminal, and not if NO_COLOR is set [default:
    /// auto]
    #[arg(long, value_name = "auto|always|never", hide_possible_values = true)]
    color: Option<Color>,
    /// Exit with 3 if a message is truncated, else with 4 if a call may not run
    #[arg(long)]
    exit_status: bool,
    /// Read one answer a line, a JSON string or an object with the text under --field, on all cores. Print one
    /// message a line, in the same order, with the number of its `line`. A line that is not an answer is
    /// reported; the other lines are read, and the exit code is 2
    #[arg(long, conflicts_with_all = ["chunk", "cut_seed", "format", "color"])]
    jsonl: bool,
    /// Place of the text in a line: a key, or a JSON pointer such as /choices/0/message/content; means --jsonl
    /// [default: text]
    #[arg(long, value_name = "KEY", conflicts_with_all = ["chunk", "cut_seed", "format", "color"])]
    field: Option<String>,
    /// The model text: files, and folders for all files in them; stdin if there are none, or for `-`
    file: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  Watch a call being written, 7 bytes at a time:
    toolstream parse --dialect cline --tools tools.json --chunk 7 answer.txt
  Follow a live stream, event by event:
    my-model | toolstream parse --dialect cline --tools tools.json --format events
  Get the arguments of all calls:
    toolstream parse --dialect invoke --tool-limit none --format message answer.txt |
      jq '.content[] | select(.type == \"tool_use\") | .input'
  Find the answers of a folder whose calls may not run:
    toolstream parse --model Qwen/Qwen3-8B --format message answers/ |
      jq 'select(any(.content[]; .status == \"incomplete\")) | .file'
  Use an answer only if it is complete:
    toolstream parse --dialect hermes --exit-status --format message answer.txt >message.json &&
      do-something message.json
  Tell the model what was wrong with its calls:
    toolstream parse --dialect hermes --tools tools.json --format correction answer.txt
  Let these tools follow each other in a message; a call of any other tool must be the only one:
    toolstream parse --dialect hermes --chaining-tools read_file,list_files answer.txt
  Read a log of a million answers, one a line: {\"id\": …, \"text\": \"the model's answer\"}
    toolstream parse --dialect hermes --tools tools.json --field text log.jsonl >messages.jsonl
  List the answers of the log with a call that may not run:
    jq 'select(any(.content[]?; .status == \"incomplete\")) | .line' messages.jsonl

--dialect auto without --model reads the whole text before the first event. For a live stream,
name the dialect or the model, or use --dialect any.";

pub fn chunk_size(text: &str) -> std::result::Result<usize, &'static str> {
    let size = text.parse().ok().filter(|size| *size > 0);
    size.ok_or("use a number of bytes from 1 on")
}

fn seed(text: &str) -> std::result::Result<u64, &'static str> {
    text.parse().map_err(|_| "use a whole number from 0 on")
}

pub fn run(args: &Args) -> Result<ExitCode> {
    args.answering.check(args.format)?;
    let chosen = args.reading.which.choose()?;
    let tools = args.reading.which.tools()?.unwrap_or_default();
    // Mistakes in the flags are reported once, before any file is read.
    let known =
        chosen.map(|chosen| args.reading.ready(&tools, chosen, args.tool_limit)).transpose()?;
    let mut files = files::expand(&args.file, None)?;
    if files.is_empty() {
        files.push(PathBuf::from("-"));
    }
    let several = files.len() > 1;
    let lines = args.jsonl || args.field.is_some();
    let field = Field::new(args.field.as_deref().unwrap_or("text"));
    if lines && known.is_none() {
        let text = "--jsonl reads all lines as one dialect: name it, with --dialect NAME, --model ID or \
                    --shape FILE";
        return Err(Failure::BadInput(text.to_string()));
    }
    let mut codes = Codes::default();
    for path in &files {
        let name = if path.as_os_str() == "-" { STDIN.into() } else { path.to_string_lossy() };
        let show = Show {
            answering: args.answering,
            format: args.format,
            color: args.color,
            file: several.then_some(&*name),
        };
        let code = match known.as_ref().filter(|_| lines) {
            Some(Ready { parser, ended }) => {
                let (ended, exit_status) = (*ended, args.exit_status);
                Lines { parser, ended, field: &field, exit_status, file: show.file }.run(path)
            }
            None => read_file(args, &tools, known.as_ref(), path, &show),
        };
        let code = match code {
            // The others are still read.
            Err(failure) if several => failure.say_and_continue()?,
            code => code?,
        };
        codes.add(code);
    }
    Ok(codes.exit())
}

impl Args {
    /// Arguments of `toolstream sanitize`: the visible text of files, without their calls.
    pub fn sanitizing(reading: Reading, file: Vec<PathBuf>) -> Args {
        let (tool_limit, format) = (Some(Limit(None)), Some(Format::Visible));
        Args { reading, tool_limit, format, file, ..Args::default() }
    }

    fn cut(&self) -> Cut {
        match (self.chunk, self.cut_seed) {
            (Some(size), _) => Cut::Every(size),
            (None, Some(seed)) => Cut::Random(Sizes::seeded(seed)),
            (None, None) => Cut::AsItArrives,
        }
    }
}

/// Reads one file, and returns its exit code.
fn read_file(
    args: &Args,
    tools: &[Tool],
    known: Option<&Ready>,
    path: &Path,
    show: &Show<'_>,
) -> Result<u8> {
    let mut input = Input::open(Some(path), args.cut())?;
    note_capture(&mut input, show.file);
    let Ready { mut parser, ended } = match known {
        Some(known) => known.clone(),
        None => {
            let bytes = input.read_all()?;
            let chosen = args.reading.guess(tools, &bytes, show.file)?;
            input = Input::of_bytes(bytes, path, args.cut());
            args.reading.ready(tools, chosen, args.tool_limit)?
        }
    };
    if args.format.is_some_and(Format::explains) {
        let explained = parser.to_builder().explain_refused(true).build();
        parser = explained.map_err(|error| config::unbuildable(&error))?;
    }
    let view = view::open(show, &view::Source::Parser(&parser))?;
    let mut out = Output::new(view).of_file(show.file);
    if args.exit_status {
        out = out.watch(parser.message());
    }
    if tools.is_empty() && !matches!(args.format, Some(Format::Visible)) {
        out = out.without_tools();
    }
    let read = read(&mut parser, &mut input, ended, &mut out);
    out.end()?;
    if args.tool_limit.is_none() && parser.options().chaining_tools.is_empty() {
        note_limit(&parser, show.file);
    }
    read.map(|()| out.exit_code())
}

/// Reports that the default limit refused a call.
fn note_limit(parser: &Parser, file: Option<&str>) {
    let Err(reached) = parser.limit_reached() else { return };
    let of_file = file.map(|file| format!("{file}: ")).unwrap_or_default();
    say(&format!(
        "note: {of_file}a further call begins at byte {} and was refused, with all behind it: {} call a message \
         is the default; --tool-limit none reads every call",
        reached.at, reached.limit
    ));
}

/// Warns that a text looks like a provider's stream, which `native` reads; it is read as text.
fn note_capture(input: &mut Input, file: Option<&str>) {
    let beginning = input.beginning();
    let begins = |starts: &[&[u8]]| starts.iter().any(|start| beginning.starts_with(start));
    let stream = begins(&[b"data:", b"event:"]);
    let may_be = stream || begins(&[b"id:", b": ", b"{", b"["]);
    let provider = may_be.then(|| provider::of_capture(beginning)).flatten();
    if provider.is_none() && !stream {
        return;
    }
    let of_file = file.map(|file| format!("{file}: ")).unwrap_or_default();
    let name = provider.map_or("NAME", |provider| provider.name());
    say(&format!(
        "note: {of_file}this looks like a provider's stream, and is read as text; `toolstream native \
         --provider {name}` reads its events"
    ));
}

/// Reads all of the input. If it cannot be read, the stream first ends as cut, and the error follows.
fn read(parser: &mut Parser, input: &mut Input, ended: Ended, out: &mut Output) -> Result<()> {
    let mut chunk = Vec::new();
    let mut read = Ok(());
    while read.is_ok() && parser.limit_reached().is_ok() {
        read = input.next_into(&mut chunk);
        if chunk.is_empty() {
            break;
        }
        let mut sink = out.sink();
        parser.feed_bytes_into(&chunk, &mut sink);
        sink.result?;
        out.flush()?;
    }
    let cut = read.is_err() || ended == Ended::Cut;
    let mut sink = out.sink();
    if cut {
        parser.finish_cut_into(&mut sink)
    } else {
        parser.finish_into(&mut sink)
    }
    sink.result?;
    read
}

#[cfg(test)]
mod tests {
    use toolstream::diagnostic::DiagnosticKind;

    use super::*;
    use crate::input::tests::lost;
    use crate::view::tests::Noted;

    #[test]
    fn an_error_ends_what_was_read_as_a_cut() {
        for cut in [Cut::AsItArrives, Cut::Every(5), Cut::Every(64)] {
            let mut parser = Parser::builder(toolstream::Dialect::HERMES).build().unwrap();
            let (noted, mut out) = Noted::output();
            let mut input = lost(b"So: <tool_call>\n{\"name\": \"a\"}", cut);
            assert!(read(&mut parser, &mut input, Ended::Stop, &mut out).is_err());
            assert_eq!(noted.text(), "So: ");
            assert_eq!(noted.kinds().last(), Some(&DiagnosticKind::CutStream));
        }
    }
}
