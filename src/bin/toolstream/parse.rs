//! `toolstream parse`: model text in, events, a message or text out.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use toolstream::adapt::openai::DeltaWriter;
use toolstream::check::laws::Ended;
use toolstream::{DiagnosticKind, Event, Options, Parser};

use crate::config;
use crate::cuts::Sizes;
use crate::failure::{Result, say};
use crate::input::{Cut, Input};
use crate::view::{self, Format, View};

/// Parse model text, from a file or as it arrives on stdin
///
/// The output comes as the text goes in, one flush a chunk. What the model writes is never an
/// error; a second tool call ends the reading, unless --tool-limit allows it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// How the model writes its calls; `toolstream dialects` lists the names
    #[arg(long, value_name = "NAME")]
    dialect: String,
    /// The tools that the model was told about: a JSON array of {"name", "description"?,
    /// "parameters": {JSON Schema}}, or as OpenAI, Anthropic, Gemini and MCP declare them
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Cut the text into chunks of N bytes, also inside characters
    #[arg(long, value_name = "N", value_parser = chunk_size, allow_negative_numbers = true)]
    chunk: Option<usize>,
    /// Cut the text at pseudo-random places, the same for the same S
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    #[arg(conflicts_with = "chunk")]
    cut_seed: Option<u64>,
    /// How many calls one message may hold [default: 1]
    #[arg(long, value_name = "N|none", value_parser = tool_limit, allow_negative_numbers = true)]
    tool_limit: Option<Limit>,
    /// Options as a JSON object, e.g. {"fences": "quote", "ended": "cut"}; flags win
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How the stream ended: the model stopped, or it was cut (connection lost, finish reason
    /// `length`) and nothing is whole that only the end would show to be [default: stop]
    #[arg(long, value_name = "stop|cut", value_parser = config::ended)]
    ended: Option<Ended>,
    /// What to print [default: text on a terminal, else events]
    #[arg(long)]
    format: Option<Format>,
    /// The model text; stdin if there is none, or for `-`
    file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  Watch a call being written, 7 bytes at a time:
    toolstream parse --dialect cline --tools tools.json --chunk 7 answer.txt
  Follow a live stream, event by event:
    my-model | toolstream parse --dialect cline --tools tools.json --format events
  Get the arguments of all calls:
    toolstream parse --dialect invoke --tool-limit none --format message answer.txt |
      jq '.content[] | select(.type == \"tool_use\") | .input'";

#[derive(Clone, Copy)]
pub struct Limit(pub Option<usize>);

pub fn tool_limit(text: &str) -> std::result::Result<Limit, &'static str> {
    match (text, text.parse()) {
        ("none", _) => Ok(Limit(None)),
        (_, Ok(limit)) if limit > 0 => Ok(Limit(Some(limit))),
        _ => Err("use a whole number from 1 on, or none"),
    }
}

fn chunk_size(text: &str) -> std::result::Result<usize, &'static str> {
    let size = text.parse().ok().filter(|size| *size > 0);
    size.ok_or("use a number of bytes from 1 on")
}

fn seed(text: &str) -> std::result::Result<u64, &'static str> {
    text.parse().map_err(|_| "use a whole number from 0 on")
}

pub fn run(args: Args) -> Result<ExitCode> {
    let config = config::options(args.config.as_deref(), Options::default().tool_limit)?;
    let ended = args.ended.unwrap_or(config.ended);
    let mut parser = build(&args, config.options)?;
    let mut input = Input::open(args.file.as_deref(), cut(&args))?;
    let view = view::open(args.format, parser.message(), DeltaWriter::new(&parser));
    let mut out = Output::new(view);
    let read = read(&mut parser, &mut input, ended, &mut out);
    out.end()?;
    read.map(|()| ExitCode::SUCCESS)
}

/// Reads all of the input. What cannot be read is an error, but first the stream ends there: cut.
fn read(parser: &mut Parser, input: &mut Input, ended: Ended, out: &mut Output) -> Result<()> {
    let mut chunk = Vec::new();
    let mut read = Ok(());
    let mut first = true;
    while read.is_ok() && parser.limit_reached().is_ok() {
        read = input.next_into(&mut chunk);
        if chunk.is_empty() {
            break;
        }
        if std::mem::take(&mut first)
            && (chunk.starts_with(b"data:") || chunk.starts_with(b"event:"))
        {
            say(
                "note: these look like server-sent events, and are read as text; `toolstream native` \
                 reads them",
            );
        }
        parser.feed_bytes(&chunk).try_for_each(|event| out.event(event))?;
        out.flush()?;
    }
    let cut = read.is_err() || ended == Ended::Cut;
    let mut last = if cut { parser.finish_cut() } else { parser.finish() };
    last.try_for_each(|event| out.event(event))?;
    read
}

/// The view, and what is to be said when all is read.
pub struct Output {
    view: Box<dyn View>,
    /// How many sequences of the input were no UTF-8.
    invalid: usize,
    /// An event was none of the provider's.
    foreign: bool,
}

impl Output {
    pub fn new(view: Box<dyn View>) -> Output {
        Output { view, invalid: 0, foreign: false }
    }

    pub fn event(&mut self, event: Event<&str>) -> io::Result<()> {
        if let Event::Diagnostic(diagnostic) = &event {
            self.invalid += usize::from(diagnostic.kind == DiagnosticKind::InvalidUtf8);
            self.foreign |= diagnostic.kind == DiagnosticKind::ForeignEvent;
        }
        self.view.event(event)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.view.flush()
    }

    pub fn end(&mut self) -> io::Result<()> {
        self.view.end()?;
        if self.foreign {
            say("warning: not all events are this provider's; is it another --provider?");
        }
        if self.invalid > 0 {
            let count = self.invalid;
            say(&format!("warning: not all is valid UTF-8; sequences read as U+FFFD: {count}"));
        }
        Ok(())
    }
}

fn build(args: &Args, mut options: Options) -> Result<Parser> {
    let dialect = config::dialect(&args.dialect)?;
    let tools = args.tools.as_deref().map(config::tools).transpose()?;
    if let Some(Limit(limit)) = args.tool_limit {
        options.tool_limit = limit;
    }
    let builder = Parser::builder(dialect).tools(tools.unwrap_or_default()).options(options);
    builder.build().map_err(|error| config::unbuildable(&error))
}

fn cut(args: &Args) -> Cut {
    match (args.chunk, args.cut_seed) {
        (Some(size), _) => Cut::Every(size),
        (None, Some(seed)) => Cut::Random(Sizes::seeded(seed)),
        (None, None) => Cut::AsItArrives,
    }
}

#[cfg(test)]
mod tests {
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
