//! `toolstream render`: calls, results or a history as JSON in, the dialect's text out.

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value};
use toolstream::{
    Parser,
    options::Options,
    render::{CallRef, ToolResult},
};

use crate::config;
use crate::failure::{Failure, Result};
use crate::input::{Cut, Input};
use crate::view::{print_json, stdout};
use crate::which::Which;

/// Write calls as the dialect writes them, or their results, or a whole history
///
/// Every written call is read back and compared. A call that the dialect cannot carry is reported, and the exit code
/// is 1.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Options as a JSON object, e.g. {"attachments": "none", "late_system": "user"}; --markers overrides them
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The JSON is results: {"name", "content", "id"?, "is_error"?}, one or a list
    #[arg(long)]
    results: bool,
    /// Treatment of the dialect's markers in results and in users' messages: broken up by `␛`, an error (exit code
    /// 1), or written unchanged
    #[arg(long, value_name = "HOW", default_value = "neutralise", value_parser = ["neutralise", "refuse", "verbatim"])]
    markers: String,
    /// The JSON is the messages of an OpenAI chat or of Anthropic's Messages, or items of Responses. The output is the
    /// messages of a chat without calls and `tool` roles
    #[arg(long, conflicts_with = "results")]
    history: bool,
    /// The JSON; without a flag calls, one or a list: {"name", "arguments" or "input", "id"?},
    /// OpenAI's tool calls, or the output of `parse --format message`. stdin if there is none, or for `-`
    file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  echo '{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.rs\"}}' | toolstream render --dialect glm
  echo '{\"name\": \"read_file\", \"content\": \"fn main() {}\"}' |
    toolstream render --dialect hermes --results
  Write the calls of an answer in another dialect:
    toolstream parse --dialect hermes --format message answer.txt |
      toolstream render --dialect qwen3-coder
  Write a client's history for a model without native tools:
    toolstream render --dialect glm --history messages.json";

pub fn run(args: &Args) -> Result<ExitCode> {
    let parser = build(args)?;
    let bytes = Input::open(args.file.as_deref(), Cut::AsItArrives)?.read_all()?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Failure::BadInput(format!("the input, {line}:{column}: {}", config::syntax(&error)))
    })?;
    if args.history {
        let history = parser.render_history(&list(&json, "messages"));
        let history = history.map_err(|error| Failure::No(error.to_string()))?;
        print_json(&Value::from(history))?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = if args.results { results(&parser, &json)? } else { calls(&parser, &json)? };
    let mut out = stdout();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn build(args: &Args) -> Result<Parser> {
    let tools = args.which.tools()?.unwrap_or_default();
    let chosen = args.which.choose_without_text()?;
    let options = config::options(args.config.as_deref(), &chosen.options)?.options;
    let markers = serde_json::json!({"results": args.markers});
    let bad_input = |error: toolstream::JsonError| Failure::BadInput(error.to_string());
    let markers = Options::from_json(&markers).map_err(bad_input)?.results;
    let builder = Parser::builder(chosen.dialect).tools(tools).options(options);
    builder.tool_limit(None).results(markers).build().map_err(|error| config::unbuildable(&error))
}

/// Returns the values themselves, those of this member, or the one value.
fn list<'v>(json: &'v Value, member: &str) -> Cow<'v, [Value]> {
    match json.as_array().or_else(|| json[member].as_array()) {
        Some(list) => Cow::Borrowed(list),
        None => Cow::Owned(vec![json.clone()]),
    }
}

fn calls(parser: &Parser, json: &Value) -> Result<String> {
    let is_message = json.get("content").is_some_and(Value::is_array);
    let list = list(json, if is_message { "content" } else { "tool_calls" });
    let mut calls = Vec::new();
    for (at, call) in list.iter().enumerate() {
        // In a message only calls count, and only those that may run.
        if !is_message || (call["type"] == "tool_use" && call["status"] != "incomplete") {
            calls.push(GivenCall::read(call, &format!("calls[{at}]"))?);
        }
    }
    if calls.is_empty() {
        return Err(Failure::No("no call that may run is in it".to_string()));
    }
    let with_ids: Vec<CallRef<'_>> = calls.iter().map(|call| call.as_ref(true)).collect();
    // The client may use ids that the dialect cannot write.
    let without: Vec<CallRef<'_>> = calls.iter().map(|call| call.as_ref(false)).collect();
    let written = parser.render_calls(&with_ids).or_else(|_| parser.render_calls(&without));
    written.map_err(|error| Failure::No(error.to_string()))
}

struct GivenCall<'v> {
    id: Option<&'v str>,
    name: &'v str,
    arguments: Map<String, Value>,
}

impl<'v> GivenCall<'v> {
    fn read(call: &'v Value, place: &str) -> Result<GivenCall<'v>> {
        let function = call.get("function").filter(|function| function.is_object()).unwrap_or(call);
        let name = string(function, "name", place)?;
        let arguments = arguments(function)
            .ok_or_else(|| shape(place, "arguments", "a JSON object, or one as text"))?;
        Ok(GivenCall { id: call["id"].as_str(), name, arguments })
    }

    fn as_ref(&self, with_id: bool) -> CallRef<'_> {
        CallRef::new(self.name, &self.arguments).with_id(self.id.filter(|_| with_id))
    }
}

fn arguments(function: &Value) -> Option<Map<String, Value>> {
    match function.get("arguments").or_else(|| function.get("input")) {
        None | Some(Value::Null) => Some(Map::new()),
        Some(Value::Object(arguments)) => Some(arguments.clone()),
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        Some(_) => None,
    }
}

fn results(parser: &Parser, json: &Value) -> Result<String> {
    let list = list(json, "results");
    let result = |(at, result): (usize, &Value)| {
        let place = format!("results[{at}]");
        let name = string(result, "name", &place)?;
        let content = result.get("content").cloned();
        let content = content.ok_or_else(|| shape(&place, "content", "there"))?;
        let failed = result["is_error"].as_bool().unwrap_or(false);
        let make = if failed { ToolResult::error } else { ToolResult::ok };
        Ok(make(name, content).with_id(result["id"].as_str()))
    };
    let results = list.iter().enumerate().map(result).collect::<Result<Vec<_>>>()?;
    parser.render_results(&results).map_err(|error| Failure::No(error.to_string()))
}

fn string<'v>(of: &'v Value, key: &str, place: &str) -> Result<&'v str> {
    of.get(key).and_then(Value::as_str).ok_or_else(|| shape(place, key, "a string"))
}

fn shape(place: &str, key: &str, expected: &str) -> Failure {
    Failure::BadInput(format!(
        "the input: {place}.{key} must be {expected}; `--help` shows the shapes"
    ))
}
