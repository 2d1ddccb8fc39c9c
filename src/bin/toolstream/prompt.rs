//! `toolstream prompt`: the prompt for the model, and the stop sequences for the provider.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;
use toolstream::{
    Parser, Tool,
    grammar::{CallGrammar, Format, ToolChoice},
};

use crate::config;
use crate::failure::{Failure, Result};
use crate::reading::{Limit, tool_limit};
use crate::view::stdout;
use crate::which::Which;

/// Print the section of the system prompt about the tools
///
/// The section describes the notation of a call, the number of calls in a message, and the parameters of each tool.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("tools", |tools| tools.required_unless_present("stop_sequences")))]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Number of calls that one message may hold [default: 1]
    #[arg(long, value_name = "N|none", value_parser = tool_limit, allow_negative_numbers = true)]
    tool_limit: Option<Limit>,
    /// Print grammars instead, for a server that enables one behind an opener of calls: a JSON array of
    /// {"opener", "tools", "grammar"}
    #[arg(long, value_name = "lark|structural_tag", value_parser = format, conflicts_with = "stop_sequences")]
    call_grammars: Option<Format>,
    /// Print the stop sequences instead, as a JSON array
    #[arg(long)]
    stop_sequences: bool,
}

const EXAMPLES: &str = "\
Examples:
  Put the tools into a system prompt:
    toolstream prompt --dialect cline --tools tools.json >>system-prompt.md
  In the form that the model was trained on:
    toolstream prompt --model zai-org/GLM-4.6 --tools tools.json
  Several calls per message:
    toolstream prompt --dialect hermes --tools tools.json --tool-limit none
  Print the stop sequences of a request:
    toolstream prompt --dialect hermes --stop-sequences
  Print grammars for a server that enables one behind `<tool_call>`:
    toolstream prompt --dialect hermes --tools tools.json --call-grammars lark";

/// The value of `--call-grammars`.
fn format(name: &str) -> std::result::Result<Format, &'static str> {
    match name {
        "lark" => Ok(Format::Lark),
        "structural_tag" => Ok(Format::StructuralTag),
        _ => Err("use lark or structural_tag"),
    }
}

fn call_grammars(parser: &Parser, format: Format) -> Result<String> {
    let grammars = parser.call_grammars(format, &ToolChoice::Auto);
    let grammars = grammars.map_err(|error| Failure::BadInput(error.to_string()))?;
    let grammars = grammars.into_iter().map(|CallGrammar { opener, tools, grammar, .. }| {
        json!({"opener": opener, "tools": tools, "grammar": grammar})
    });
    Ok(serde_json::Value::from_iter(grammars).to_string())
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut builder = Parser::builder(args.which.choose_without_text()?.dialect);
    builder = match args.which.tools()? {
        Some(tools) => builder.tools(tools),
        // The stop sequences are the same for all tools, but some parsers need one.
        None => builder.tool(Tool::new("tool")),
    };
    if let Some(Limit(limit)) = args.tool_limit {
        builder = builder.tool_limit(limit);
    }
    let parser = builder.build().map_err(|error| config::unbuildable(&error))?;
    let text = if let Some(format) = args.call_grammars {
        call_grammars(&parser, format)?
    } else if args.stop_sequences {
        serde_json::Value::from(parser.stop_sequences()).to_string()
    } else {
        parser.system_prompt()
    };
    let mut out = stdout();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
