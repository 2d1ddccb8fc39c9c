//! `toolstream sanitize`: text in, the same without calls, reasoning and markers out.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value};
use toolstream::Parser;
use toolstream::check::laws::Ended;

use crate::failure::Result;
use crate::input::{Cut, Input};
use crate::output::Output;
use crate::view::Plain;
use crate::which::Which;
use crate::{config, parse};

/// Print model text without its calls, reasoning and markers
///
/// What is left comes as the text goes in, byte for byte. All calls go, however many there are.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// The tools that the model was told about, as for `parse`
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Options as a JSON object, e.g. {"fences": "quote"}
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The model text; stdin if there is none, or for `-`
    file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  What a user may see of an answer:
    toolstream sanitize --dialect tool-call answer.txt
  The same of a live stream:
    my-model | toolstream sanitize --model Qwen/Qwen3-8B";

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut chosen = args.which.choose_without_text()?;
    chosen.options.insert("tool_limit".to_string(), Value::Null);
    let tools = args.tools.as_deref().map(config::tools).transpose()?.unwrap_or_default();
    let mut options =
        config::options(args.config.as_deref(), &Map::clone(&chosen.options))?.options;
    options.tool_limit = None;
    let parser = Parser::builder(chosen.dialect).tools(tools).options(options).build();
    let mut parser = parser.map_err(|error| config::unbuildable(&error))?;
    let mut input = Input::open(args.file.as_deref(), Cut::AsItArrives)?;
    let mut out = Output::new(Box::new(Plain::new(None)?));
    let read = parse::read(&mut parser, &mut input, Ended::Stop, &mut out);
    out.end()?;
    read.map(|()| ExitCode::SUCCESS)
}
