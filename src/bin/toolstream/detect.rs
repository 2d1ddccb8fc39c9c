//! `toolstream detect`: the facts about a model, by its name, its chat template and its prompt.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use toolstream::{
    Dialect, Param, Parser, Tool,
    model::ModelMatch,
    options::{Start, ValueWhitespace},
};

use crate::failure::{Failure, Result, say};
use crate::view::{print_json, stdout};
use crate::{config, which};

/// Find the dialect of a model, the start of its stream, and the form of its calls
///
/// A chat template shows the dialect more reliably than the model's name. The end of a rendered prompt
/// shows the start of the stream. If no dialect fits, the exit code is 1.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model's chat template: chat_template.jinja, or tokenizer_config.json with one in it
    #[arg(long, value_name = "FILE", required_unless_present_any = ["model", "prompt_end"])]
    template: Option<PathBuf>,
    /// The model, as `owner/name`
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// A rendered prompt, or its end
    #[arg(long, value_name = "FILE")]
    prompt_end: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  toolstream detect --model Qwen/Qwen3-Coder-30B-A3B
  toolstream detect --template chat_template.jinja --prompt-end prompt.txt
  Read an answer with the dialect that was found:
    toolstream parse --dialect \"$(toolstream detect --template chat_template.jinja --json |
      jq -r .dialect)\" answer.txt";

pub fn run(args: &Args) -> Result<ExitCode> {
    let template = args.template.as_deref().map(config::read).transpose()?.map(template);
    let prompt = args.prompt_end.as_deref().map(config::read).transpose()?;
    let shown = template.and_then(|template| Dialect::detect(&template));
    let (known, by) = match (shown, args.model.as_deref().and_then(Dialect::for_model)) {
        (Some(shown), known) => (Found::shown(shown, known), "the chat template"),
        (None, Some(known)) => (Found::named(known), "the model's name"),
        (None, None) if args.template.is_some() || args.model.is_some() => {
            return Err(Failure::No(nothing(args)));
        }
        (None, None) => (Found::default(), ""),
    };
    let starts = prompt.map_or(known.start, |prompt| Start::of_prompt(&prompt));

    let mut answer = Answer::default();
    if let Some(dialect) = &known.dialect {
        answer.dialect("dialect", dialect);
        answer.add("by", json!(by));
    }
    answer.add("start", json!(starts.to_string()));
    if let Some(dialect) = &known.dialect {
        answer.add("value_whitespace", json!(known.value_whitespace.to_string()));
        answer.add("call", json!(written_form(dialect)));
    }
    answer.print(args.json)
}

/// The common result of template and name.
#[derive(Default)]
struct Found {
    dialect: Option<Dialect>,
    start: Start,
    value_whitespace: ValueWhitespace,
}

impl Found {
    fn named(known: ModelMatch) -> Found {
        let ModelMatch { dialect, start, value_whitespace, .. } = known;
        Found { dialect: Some(dialect), start, value_whitespace }
    }

    /// Returns the match of a dialect that was shown. A family's habits belong to its own dialect, and the
    /// name knows the form better.
    fn shown(shown: Dialect, named: Option<ModelMatch>) -> Found {
        match named {
            Some(known) if known.dialect.name() == shown.name() => Found::named(known),
            named => {
                if let Some(ModelMatch { dialect, .. }) = named {
                    say(&format!(
                        "note: the template shows {shown}, the name says {dialect}; the template counts"
                    ));
                }
                Found { dialect: Some(shown), ..Found::default() }
            }
        }
    }
}

fn nothing(args: &Args) -> String {
    match (&args.template, &args.model) {
        (Some(path), None) => format!(
            "{} shows the markers of no dialect here; --model ID may know it, `toolstream dialects \
             --verbose` lists what there is",
            path.display()
        ),
        (None, Some(id)) => which::unknown_model(id),
        _ => "neither the template nor the name is one of a dialect here; `toolstream dialects \
              --verbose` lists what there is"
            .to_string(),
    }
}

/// The template's own text: with quotes escaped, markers would not be found.
fn template(text: String) -> String {
    match serde_json::from_str::<Value>(&text) {
        Ok(config) => match &config["chat_template"] {
            Value::String(template) => template.clone(),
            Value::Array(named) => {
                let template = |named: &Value| named["template"].as_str().map(String::from);
                named.iter().filter_map(template).collect::<Vec<_>>().join("\n")
            }
            _ => text,
        },
        Err(_) => text,
    }
}

/// The name of the tool in the calls that are shown.
pub const EXAMPLE: &str = "read_file";

pub fn example_tool() -> Tool {
    Tool::new(EXAMPLE).param(Param::required("path"))
}

/// A call of it, as this dialect writes it.
pub fn written_form(dialect: &Dialect) -> Option<String> {
    let parser = Parser::builder(dialect).tool(example_tool()).build().ok()?;
    let arguments = Map::from_iter([("path".to_string(), json!("src/main.rs"))]);
    parser.render_call(EXAMPLE, &arguments).ok()
}

/// The result of a command: a line each, or one JSON object.
#[derive(Default)]
pub struct Answer(Vec<(&'static str, Value)>);

impl Answer {
    pub fn add(&mut self, key: &'static str, value: Value) {
        self.0.push((key, value));
    }

    /// Writes a dialect, and under a key of its own the form in which the model writes it: a program that
    /// compares names need not know forms.
    pub fn dialect(&mut self, key: &'static str, dialect: &Dialect) {
        let names: Vec<String> = dialect.parts().map(|part| part.name().to_string()).collect();
        self.add(key, json!(names.join("+")));
        if let Some(form) = dialect.form() {
            self.add("form", json!(form));
        }
    }

    pub fn print(self, json: bool) -> Result<ExitCode> {
        if json {
            let object = self.0.into_iter().map(|(key, value)| (key.to_string(), value));
            print_json(&Value::Object(object.collect()))?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut out = stdout();
        let width = self.0.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        for (key, value) in &self.0 {
            let text = value.as_str().unwrap_or_default();
            let text = text.replace('\n', &format!("\n{:width$}  ", ""));
            writeln!(out, "{key:width$}  {text}")?;
        }
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}
