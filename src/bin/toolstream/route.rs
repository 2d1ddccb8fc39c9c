//! `toolstream route`: native tools or which dialect, for a provider and a model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::{Value, json};
use toolstream::model::Router;

use crate::config;
use crate::detect::Answer;
use crate::failure::{Failure, Result};

/// Choose how a model gets its tools: by the provider's API, or by a prompt in a dialect
///
/// The first of these decides: the configuration for the model, for the provider, for everything;
/// native tools of the provider; the dialect that the model was trained on; ReAct.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The provider: `openai`, `anthropic`, `ollama`, …
    #[arg(long, value_name = "NAME")]
    provider: String,
    /// The model, as the provider names it
    #[arg(long, value_name = "ID")]
    model: String,
    /// A JSON object of `tool_format`, `providers` and `models`
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Whether the provider has tools of its own for this model [default: by its name]
    #[arg(long, value_name = "yes|no", hide_possible_values = true)]
    native: Option<Has>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Has {
    Yes,
    No,
}

const EXAMPLES: &str = "\
Examples:
  toolstream route --provider ollama --model qwen3:8b
  toolstream route --provider vllm --model my-model --config routes.json --json
  A configuration:
    {\"tool_format\": \"auto\", \"providers\": {\"ollama\": \"react\"},
     \"models\": {\"qwen/qwen3-coder*\": \"qwen3-coder\", \"gpt-5*\": \"native\"}}";

pub fn run(args: &Args) -> Result<ExitCode> {
    let router = args.config.as_deref().map_or(Ok(Router::default()), read)?;
    let native = args.native.map(|has| matches!(has, Has::Yes));
    let route = router.route(&args.provider, &args.model, native);
    let mut answer = Answer::default();
    let (start, value_whitespace) = match route.text {
        Some(model) => {
            answer.dialect("format", &model.dialect);
            (model.start, model.value_whitespace)
        }
        None => {
            answer.add("format", json!("native"));
            Default::default()
        }
    };
    answer.add("start", json!(start.to_string()));
    answer.add("value_whitespace", json!(value_whitespace.to_string()));
    answer.add("reason", json!(route.reason));
    answer.print(args.json)
}

fn read(path: &Path) -> Result<Router> {
    let value: Value = config::json(path)?;
    let path = path.display();
    serde_json::from_value(value).map_err(|error| Failure::BadInput(format!("{path}: {error}")))
}
