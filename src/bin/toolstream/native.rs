//! `toolstream native`: a provider's stream in, what `parse` makes of text out.

use std::path::PathBuf;
use std::process::ExitCode;

use toolstream::adapt::openai::DeltaWriter;
use toolstream::native::{Provider, Reader};
use toolstream::sse::Decoder;

use crate::config;
use crate::failure::{Failure, Result, did_you_mean, say};
use crate::input::{Cut, Input};
use crate::parse::{Limit, Output, tool_limit};
use crate::view::{self, Format};

/// Read a provider's own stream: JSON events, one a line, or a capture of server-sent events
///
/// The output comes as the events go in. What a provider sends is never an error; an answer that
/// was cut says so in its diagnostics.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Whose stream it is: openai-chat, openai-responses, anthropic or gemini
    #[arg(long, value_name = "NAME")]
    provider: String,
    /// The tools that the model was told about: a JSON array of {"name", "description"?,
    /// "parameters": {JSON Schema}}, or of OpenAI's {"type": "function", "function": {…}}
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// How many calls one message may hold [default: none]
    #[arg(long, value_name = "N|none", value_parser = tool_limit, allow_negative_numbers = true)]
    tool_limit: Option<Limit>,
    /// Options as a JSON object: "tool_limit" and "repairs" count here; flags win
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What to print [default: text on a terminal, else events]
    #[arg(long)]
    format: Option<Format>,
    /// The stream; stdin if there is none, or for `-`
    file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  What came of a stream that was written down:
    toolstream native --provider anthropic --format message capture.sse
  Follow a live one:
    curl -sN … | toolstream native --provider openai-chat --tools tools.json --format text";

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut reader = build(args)?;
    let mut input = Input::open(args.file.as_deref(), Cut::AsItArrives)?;
    let view = view::open(args.format, reader.message(), DeltaWriter::untyped());
    let mut out = Output::new(view);
    let mut decoder = Decoder::default();
    let (mut chunk, mut written) = (Vec::new(), Ok(()));
    while reader.limit_reached().is_ok() {
        input.next_into(&mut chunk)?;
        let mut event = |data: &[u8]| {
            if written.is_ok() {
                written = reader.feed_bytes(data).try_for_each(|event| out.event(event));
            }
        };
        match chunk.is_empty() {
            true => decoder.finish(&mut event),
            false => decoder.feed(&chunk, &mut event),
        }
        std::mem::replace(&mut written, Ok(()))?;
        out.flush()?;
        if chunk.is_empty() {
            break;
        }
    }
    reader.finish().try_for_each(|event| out.event(event))?;
    out.end()?;
    if decoder.strange() > 0 {
        let count = decoder.strange();
        say(&format!("warning: lines that are neither JSON nor server-sent events: {count}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn build(args: &Args) -> Result<Reader> {
    let provider = Provider::by_name(&args.provider).map_err(|error| {
        let names = Provider::ALL.iter().map(|provider| provider.name());
        let hint = did_you_mean(&error.name, names.clone());
        let names = names.collect::<Vec<_>>().join(", ");
        Failure::Told(format!("unknown provider `{}`{hint} (there are {names})", error.name))
    })?;
    let tools = args.tools.as_deref().map(config::tools).transpose()?;
    let options = args.config.as_deref().map(config::provider_options).transpose()?;
    let mut builder = Reader::builder(provider).tools(tools.unwrap_or_default());
    if let Some(options) = options {
        builder = builder.tool_limit(options.tool_limit).repairs(options.repairs);
    }
    if let Some(Limit(limit)) = args.tool_limit {
        builder = builder.tool_limit(limit);
    }
    builder.build().map_err(|error| Failure::Told(error.to_string()))
}
