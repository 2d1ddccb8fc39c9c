//! `toolstream native`: reads a provider's stream, and prints it in the formats of `parse`.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value};
use toolstream::check::Ended;
use toolstream::native::{Provider, Reader};
use toolstream::sse::Decoder;
use toolstream::{Parser, options::Options};

use crate::failure::{Failure, Result, did_you_mean, say};
use crate::input::{Cut, Input};
use crate::output::Output;
use crate::reading::{Limit, tool_limit};
use crate::view::{self, Answering, Color, Format, Show};
use crate::{config, provider};

/// Read a provider's own stream: JSON events, one a line, or a capture of server-sent events
///
/// The output follows the input, event by event. A provider's stream is never an error; a truncated answer has a
/// diagnostic.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Provider of the stream: openai-chat, openai-responses, anthropic or gemini
    #[arg(long, value_name = "NAME")]
    provider: String,
    /// Also read calls in the text, in this dialect, for servers that leave calls there
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    /// The dialect of calls in the text, as a shape of your own: a JSON file, or the JSON itself
    #[arg(long, value_name = "FILE", conflicts_with = "dialect")]
    shape: Option<PathBuf>,
    /// The tools that the model has: a JSON array of {"name", "description"?,
    /// "parameters": {JSON Schema}}, or as OpenAI, Anthropic, Gemini and MCP declare them
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Number of calls that one message may hold [default: none]
    #[arg(long, value_name = "N|none", value_parser = tool_limit, allow_negative_numbers = true)]
    tool_limit: Option<Limit>,
    /// Options as a JSON object: "tool_limit", "chaining_tools", "repairs", "types", "required" and "ended", with
    /// --dialect all options; flags override them
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// End of the stream: the model stopped, or the stream was cut (connection lost, finish reason `length`). After a
    /// cut, the end of the stream completes no call [default: stop]
    #[arg(long, value_name = "stop|cut", value_parser = config::ended)]
    ended: Option<Ended>,
    /// Format of the output [default: text on a terminal, else events]
    #[arg(long)]
    format: Option<Format>,
    #[command(flatten)]
    answering: Answering,
    /// Print text in colour, with reasoning and calls; `auto`: on a terminal, and not if NO_COLOR is set [default:
    /// auto]
    #[arg(long, value_name = "auto|always|never", hide_possible_values = true)]
    color: Option<Color>,
    /// Exit with 3 if the message is truncated, else with 4 if a call may not run
    #[arg(long)]
    exit_status: bool,
    /// The stream; stdin if there is none, or for `-`
    file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  Read a capture of a stream:
    toolstream native --provider anthropic --format message capture.sse
  Read a capture whose calls are in the text:
    toolstream native --provider openai-chat --dialect hermes capture.sse
  Follow a live stream:
    curl -sN … | toolstream native --provider openai-chat --tools tools.json --format text";

pub fn run(args: &Args) -> Result<ExitCode> {
    args.answering.check(args.format)?;
    // A provider's stream has no limit of its own.
    let defaults = Map::from_iter([("tool_limit".to_string(), Value::Null)]);
    let config = config::options(args.config.as_deref(), &defaults)?;
    let ended = args.ended.unwrap_or(config.ended);
    let mut reader = build(args, config.options)?;
    let mut input = Input::open(args.file.as_deref(), Cut::AsItArrives)?;
    let show =
        Show { answering: args.answering, format: args.format, color: args.color, file: None };
    let view = view::open(&show, &view::Source::Reader(&reader))?;
    let mut out = Output::new(view);
    if args.exit_status {
        out = out.watch(reader.message());
    }
    let mut decoder = Decoder::default();
    let read = read(&mut reader, &mut decoder, &mut input, ended, &mut out);
    out.end()?;
    if let Some(error) = &reader.envelope().error {
        let parts = [&error.kind, &error.code, &error.message];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        let text = if parts.is_empty() { error.raw.to_string() } else { parts.join(": ") };
        say(&format!("warning: the provider sent an error: {text}"));
    }
    if decoder.strange() > 0 {
        let count = decoder.strange();
        say(&format!(
            "warning: lines that are neither JSON nor server-sent events: {count} (`toolstream parse` \
             reads a model's text)"
        ));
    }
    read.map(|()| ExitCode::from(out.exit_code()))
}

/// Reads all of the input. If it cannot be read, the stream first ends as cut, and the error follows.
fn read(
    reader: &mut Reader,
    decoder: &mut Decoder,
    input: &mut Input,
    ended: Ended,
    out: &mut Output,
) -> Result<()> {
    let (mut chunk, mut read, mut written) = (Vec::new(), Ok(()), Ok(()));
    while read.is_ok() && reader.limit_reached().is_ok() {
        read = input.next_into(&mut chunk);
        let mut event = |data: &[u8]| {
            if written.is_ok() {
                let before = out.foreign;
                written = reader.feed(data).try_for_each(|event| out.event(event));
                if out.foreign && !before {
                    say(&foreign(reader.provider(), data));
                }
            }
        };
        if !chunk.is_empty() {
            decoder.feed(&chunk, &mut event);
        } else if read.is_err() {
            decoder.finish_cut();
        } else {
            decoder.finish(&mut event);
        }
        std::mem::replace(&mut written, Ok(()))?;
        out.flush()?;
        if chunk.is_empty() {
            break;
        }
    }
    let cut = read.is_err() || ended == Ended::Cut;
    let mut last = if cut { reader.finish_cut() } else { reader.finish() };
    last.try_for_each(|event| out.event(event))?;
    read
}

/// Returns the message for an event of another provider. One such event is enough.
fn foreign(provider: Provider, data: &[u8]) -> String {
    let remedy = match provider::of_event(data) {
        Some(provider) => format!("this is one of {provider}; use --provider {provider}"),
        None => "is it another --provider?".to_string(),
    };
    format!("warning: an event that {provider} does not send: {remedy}")
}

fn build(args: &Args, options: Options) -> Result<Reader> {
    let provider = args.provider.parse::<Provider>().map_err(|error| {
        let names = Provider::ALL.iter().map(|provider| provider.name());
        let name = error.unknown_name().unwrap_or(&args.provider);
        let hint = did_you_mean(name, names.clone());
        let names = names.collect::<Vec<_>>().join(", ");
        Failure::BadInput(format!("unknown provider `{name}`{hint} (there are {names})"))
    })?;
    let tools = args.tools.as_deref().map(config::tools).transpose()?.unwrap_or_default();
    let limit = args.tool_limit.map_or(options.tool_limit, |Limit(limit)| limit);
    let unbuildable = |error| config::unbuildable(&error);
    let reader = Reader::builder(provider);
    let dialect = match (&args.dialect, &args.shape) {
        (Some(name), _) => Some(config::dialect(name)?),
        (None, shape) => shape.as_deref().map(config::shape).transpose()?,
    };
    let Some(dialect) = dialect else {
        let reader = reader.tools(tools).tool_limit(limit).repairs(options.repairs);
        let reader = reader.types(options.types).required(options.required);
        let reader = reader.chaining_tools(options.chaining_tools);
        return reader.build().map_err(unbuildable);
    };
    let parser = Parser::builder(dialect).tools(tools).options(options);
    let parser = parser.tool_limit(limit).build().map_err(unbuildable)?;
    reader.text_calls(parser).build().map_err(unbuildable)
}

#[cfg(test)]
mod tests {
    use toolstream::diagnostic::DiagnosticKind;

    use super::*;
    use crate::input::tests::lost;
    use crate::view::tests::Noted;

    #[test]
    fn an_error_ends_what_was_read_as_a_cut() {
        let mut reader = Reader::builder(Provider::Gemini).build().unwrap();
        let (noted, mut out) = Noted::output();
        let stream = br#"data: {"candidates": [{"content": {"parts": [{"text": "So"}]},
data: "finishReason": "STOP"}]}

data: {"candidates": [{"content": {"parts": [{"text": " half"}]}}]}"#;
        let mut input = lost(stream, Cut::AsItArrives);
        let mut decoder = Decoder::default();
        assert!(read(&mut reader, &mut decoder, &mut input, Ended::Stop, &mut out).is_err());
        assert_eq!((noted.text().as_str(), noted.kinds()), ("So", vec![DiagnosticKind::CutStream]));
    }
}
