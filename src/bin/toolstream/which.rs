//! The dialect, by its name, by the model's name, or by the text; and the tools.

use std::path::PathBuf;

use serde_json::{Map, json};
use toolstream::{
    Dialect, Tool,
    model::ModelMatch,
    options::{Start, ValueWhitespace},
};

use crate::config;
use crate::failure::{Failure, Result, say};

/// `--dialect`, `--model`, `--shape` and `--tools`, of all commands that read or write model text.
#[derive(clap::Args, Default)]
pub struct Which {
    /// Dialect of the model's calls; `toolstream dialects` lists the names. `A+B` reads two, `any` reads all dialects
    /// that can be distinguished. `auto` chooses by --model, or else by the calls in the text, and stderr names the
    /// choice
    #[arg(long, value_name = "NAME|any|auto")]
    dialect: Option<String>,
    /// The model, as `owner/name`, in place of its dialect
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// A dialect of your own, as a shape: a JSON file, or the JSON itself. `toolstream dialects --help`
    /// shows an example
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dialect", "model"])]
    shape: Option<PathBuf>,
    /// The tools that the model has: a JSON array of {"name", "description"?,
    /// "parameters": {JSON Schema}}, or as OpenAI, Anthropic, Gemini and MCP declare them
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
}

/// A dialect, and other known facts about the stream: options that flags and --config override.
#[derive(Clone)]
pub struct Chosen {
    pub dialect: Dialect,
    pub options: Map<String, serde_json::Value>,
}

impl Which {
    /// Returns the dialect. `None`: the text decides.
    pub fn choose(&self) -> Result<Option<Chosen>> {
        if let Some(shape) = &self.shape {
            let (dialect, options) = (config::shape(shape)?, Map::new());
            return Ok(Some(Chosen { dialect, options }));
        }
        match (self.dialect.as_deref(), &self.model) {
            (Some("auto"), None) => Ok(None),
            (Some("auto") | None, Some(id)) => by_model(id).map(Some),
            (Some(name), None) => {
                Ok(Some(Chosen { dialect: config::dialect(name)?, options: Map::new() }))
            }
            (Some(name), Some(_)) => Err(Failure::BadInput(format!(
                "--dialect {name} and --model both choose a dialect; drop one of them, or use \
                 --dialect auto"
            ))),
            (None, None) => Err(Failure::BadInput(
                "which dialect? use --dialect NAME (`toolstream dialects` lists them), --model ID, \
                 --shape FILE, or --dialect auto, which looks at the text"
                    .to_string(),
            )),
        }
    }

    /// The dialect, for a command that has no text of the model's.
    pub fn choose_without_text(&self) -> Result<Chosen> {
        self.choose()?.ok_or_else(|| {
            let text = "--dialect auto needs --model here: this command has no text of the model";
            Failure::BadInput(text.to_string())
        })
    }

    /// Returns the tools; `None`: none were declared.
    pub fn tools(&self) -> Result<Option<Vec<Tool>>> {
        self.tools.as_deref().map(config::tools).transpose()
    }
}

fn by_model(id: &str) -> Result<Chosen> {
    let Some(found) = Dialect::for_model(id) else { return Err(Failure::No(unknown_model(id))) };
    let options = options(&found);
    say(&format!("note: {}{}, by the model's name", found.dialect, in_a_note(&options)));
    Ok(Chosen { dialect: found.dialect, options })
}

pub fn unknown_model(id: &str) -> String {
    format!(
        "nothing is known of the model `{id}`; `toolstream detect --template FILE` reads its chat \
         template, `toolstream dialects --verbose` lists dialects and models for --dialect NAME"
    )
}

/// Returns the options of the model's family beside the dialect, as in --config.
pub fn options(found: &ModelMatch) -> Map<String, serde_json::Value> {
    let mut options = Map::new();
    if found.start == Start::Reasoning {
        options.insert("start".to_string(), json!("reasoning"));
    }
    if found.value_whitespace == ValueWhitespace::Verbatim {
        options.insert("value_whitespace".to_string(), json!(found.value_whitespace.to_string()));
    }
    options
}

/// Writes options in the form of a note: `, start = reasoning`.
pub fn in_a_note(options: &Map<String, serde_json::Value>) -> String {
    let entry = |(key, value): (&String, &serde_json::Value)| {
        format!(", {key} = {}", value.as_str().unwrap_or_default())
    };
    options.iter().map(entry).collect()
}
