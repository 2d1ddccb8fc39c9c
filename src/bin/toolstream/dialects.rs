//! `toolstream dialects`: the list of dialects, and the facts about each.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use toolstream::{Dialect, Event, Parser, ToolUse, options::Options, tools::TypeHint};

use crate::config;
use crate::detect::{EXAMPLE, example_tool, written_form};
use crate::failure::{Failure, Result};
use crate::view::{print_json, stdout};

/// List the dialects with their notation; with --verbose their models, markers and a call
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("one").args(["name", "shape"]))]
pub struct Args {
    /// Describe one dialect: models, opener, body, reasoning, ids, stop sequences, a call
    #[arg(conflicts_with_all = ["verbose", "json", "markdown"])]
    name: Option<String>,
    /// Describe a dialect of your own, a shape. The page `toolstream::shapes` of the docs explains its keys
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verbose", "json", "markdown"])]
    shape: Option<PathBuf>,
    /// Print its markers, one a line
    #[arg(long, requires = "one")]
    markers: bool,
    /// Describe every dialect
    #[arg(long)]
    verbose: bool,
    /// Print all descriptions as a JSON array
    #[arg(long, conflicts_with = "verbose")]
    json: bool,
    /// Print the table of docs/dialects.md
    #[arg(long, hide = true, conflicts_with_all = ["verbose", "json"])]
    markdown: bool,
}

const EXAMPLES: &str = "\
Examples:
  toolstream dialects
  toolstream dialects --verbose | less
  Which dialects have ids of their own?
    toolstream dialects --json | jq -r '.[] | select(.ids) | .name'

  A dialect of your own: write one call, and see what follows from it
    echo '{\"name\": \"mine\", \"call\": \"<do>{name} {arguments}</do>\"}' >mine.json
    toolstream dialects --shape mine.json
    toolstream parse --shape mine.json answer.txt

  Which texts are markers?
    toolstream dialects hermes --markers

Several dialects at once, in this order of preference, for a model that was trained on another
dialect than the one in its prompt:
  toolstream parse --dialect react+tool-call answer.txt";

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut out = stdout();
    let shape = args.shape.as_deref().map(config::shape);
    if let Some(dialect) = args.name.as_deref().map(dialect).or(shape).transpose()? {
        if args.markers {
            for marker in dialect.markers() {
                // Quoted: a line break may be in one.
                writeln!(out, "{}", Value::from(marker))?;
            }
        } else {
            write!(out, "{}", About::new(&dialect).to_text())?;
        }
    } else if args.json {
        let all = Dialect::ALL.iter().map(|dialect| About::new(dialect).to_json());
        print_json(&Value::from(all.collect::<Vec<_>>()))?;
    } else if args.markdown {
        write!(out, "{}", markdown())?;
    } else if args.verbose {
        for (number, dialect) in Dialect::ALL.iter().enumerate() {
            let gap = if number > 0 { "\n" } else { "" };
            write!(out, "{gap}{}", About::new(dialect).to_text())?;
        }
    } else {
        let width = Dialect::ALL.iter().map(|dialect| dialect.name().len()).max().unwrap_or(0);
        for dialect in Dialect::ALL {
            writeln!(out, "{:width$}  {}", dialect.name(), dialect.about())?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Finds a single dialect.
fn dialect(name: &str) -> Result<Dialect> {
    if let Some((first, rest)) = name.split_once('+') {
        let text = format!("`{name}` is several dialects: ask for `{first}` and for `{rest}`");
        return Err(Failure::BadInput(text));
    }
    config::dialect(name)
}

/// Facts about a dialect, from the dialect itself and from the list of models.
struct About<'d> {
    dialect: &'d Dialect,
    models: Vec<&'static str>,
    opener: String,
    body: &'static str,
    reasoning: Vec<String>,
    ids: bool,
    needs_tools: bool,
    call: String,
}

impl<'d> About<'d> {
    fn new(dialect: &'d Dialect) -> About<'d> {
        let call = written_form(dialect).unwrap_or_default();
        let opener = call.split_once(EXAMPLE).map(|(opener, _)| match opener.split_once('{') {
            // Before an object the marker is enough, if there is one.
            Some((marker, _)) if !marker.trim_matches([' ', '\n', '[']).is_empty() => {
                marker.trim_end_matches([' ', '\n', '[']).to_string()
            }
            _ => format!("{opener}NAME"),
        });
        let [reasoning, _] = dialect.reasoning_markers();
        About {
            dialect,
            models: names(dialect),
            opener: opener.unwrap_or_default(),
            body: written_body(dialect, &call).unwrap_or_default(),
            reasoning: reasoning.into_iter().map(String::from).collect(),
            ids: dialect.has_ids(),
            needs_tools: Parser::builder(dialect).build().is_err_and(|error| error.needs_tools()),
            call,
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "name": self.dialect.name(),
            "about": self.dialect.about(),
            "models": self.models,
            "opener": self.opener,
            "body": self.body,
            "reasoning": self.reasoning,
            "needs_tools": self.needs_tools,
            "limit": Options::default().tool_limit,
            "stop_sequences": self.dialect.stop_sequences(),
            "ids": self.ids,
            "call": self.call,
            "forms": self.dialect.forms().map(|form| json!({
                "name": form.to_string(),
                "models": names_of_form(&form),
                "call": written_form(&form).unwrap_or_default(),
            })).collect::<Vec<_>>(),
        })
    }

    fn to_text(&self) -> String {
        let models = if self.models.is_empty() { ANY } else { &self.models.join(", ") };
        // Quoted: a line break may be in one.
        let stop = self.dialect.stop_sequences().into_iter().map(Value::from);
        let stop = stop.map(|stop| stop.to_string()).collect::<Vec<_>>().join("  ");
        let limit = Options::default().tool_limit.map(|limit| limit.to_string());
        let lines = [
            ("models", models),
            ("opener", &self.opener),
            ("body", self.body),
            ("reasoning", &self.reasoning.join("  ")),
            ("limit", &limit.unwrap_or_default()),
            ("stop", &stop),
            ("ids", if self.ids { "its own" } else { "" }),
            ("call", self.call.trim_end_matches('\n')),
        ];
        let mut text = format!("{}: {}\n", self.dialect.name(), self.dialect.about());
        let line = |key: &str, value: &str| {
            format!("  {key:9}  {}\n", value.replace('\n', "\n             "))
        };
        for (key, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
            text += &line(key, value);
        }
        for form in self.dialect.forms() {
            text += &line("form", &format!("{form}: {}", names_of_form(&form).join(", ")));
        }
        text
    }
}

/// The models of a dialect that no model was trained on.
const ANY: &str = "any whose prompt asks for it";

const PARAMETERS: &str = "parameters";
const JSON: &str = "JSON";
const LITERALS: &str = "literals";

fn written_body(dialect: &Dialect, call: &str) -> Option<&'static str> {
    let mut parser = Parser::builder(dialect).tool(example_tool()).build().ok()?;
    let body = |event| match event {
        Event::ToolUse(ToolUse::ParamStart { hint: Some(TypeHint::Literal), .. }) => Some(LITERALS),
        Event::ToolUse(ToolUse::ParamStart { .. }) => Some(PARAMETERS),
        Event::ToolUse(ToolUse::ArgumentsDelta(_)) => Some(JSON),
        _ => None,
    };
    parser.feed(call).find_map(body)
}

/// The names of the families of models that write it.
fn names(dialect: &Dialect) -> Vec<&'static str> {
    dialect.models().flat_map(|family| family.names()).collect()
}

/// Returns the models that write the dialect in this form.
fn names_of_form(form: &Dialect) -> Vec<&'static str> {
    let own = form.models().filter(|family| family.dialect.form() == form.form());
    own.flat_map(|family| family.names()).collect()
}

/// The table of docs/dialects.md.
fn markdown() -> String {
    let mut table = "| name | looks like | models |\n|---|---|---|\n".to_string();
    for dialect in Dialect::ALL {
        let about = dialect.about().replace('|', "\\|");
        let all = names(dialect);
        // `hermes*llama3` adds nothing for people who read `hermes` already.
        let says_more = |name: &&&str| {
            let family = name.split('*').next().unwrap_or_default();
            !name.contains('*') || !all.contains(&family)
        };
        let models: Vec<String> =
            all.iter().filter(says_more).map(|name| name.replace('*', "…")).collect();
        let models = if models.is_empty() { ANY } else { &models.join(", ") };
        table += &format!("| `{}` | `{about}` | {models} |\n", dialect.name());
    }
    table
}
