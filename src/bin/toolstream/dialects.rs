//! `toolstream dialects`: the list, and what the tables say of each.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use toolstream::{Dialect, DialectSpec, Event, Options, Parser, ToolUse, TypeHint};

use crate::config;
use crate::detect::{EXAMPLE, example_tool, written_form};
use crate::failure::{Failure, Result};
use crate::view::print_json;

/// List the dialects: their names, what they look like, and which models write them
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("one").args(["name", "table"]))]
pub struct Args {
    /// Print this dialect's table as JSON: what --table reads. `toolstream::tables` in the docs says what
    /// its keys mean
    #[arg(conflicts_with_all = ["verbose", "json", "markdown"])]
    name: Option<String>,
    /// Print a table or a shape of your own, with the rules that follow from it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verbose", "json", "markdown"])]
    table: Option<PathBuf>,
    /// Print its rules for reading: of each state each rule with its role, its marker, and what must follow
    #[arg(long, requires = "one")]
    rules: bool,
    /// Say more of each: models, opener, body, reasoning, ids, stop sequences, a call
    #[arg(long)]
    verbose: bool,
    /// Print the same as a JSON array
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

  A dialect with other markers: change its table
    toolstream dialects hermes >mine.json
    toolstream parse --table mine.json answer.txt

  What does it make of a closer that was forgotten?
    toolstream dialects hermes --rules | grep lost
    toolstream dialects --table mine.json --rules | grep lost

Several at once, in this order of preference, for a model that was told one and trained on another:
  toolstream parse --dialect react+tool-call answer.txt";

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut out = io::stdout().lock();
    let table = args.table.as_deref().map(config::table);
    if let Some(dialect) = args.name.as_deref().map(dialect).or(table).transpose()? {
        if args.rules {
            write!(out, "{}", rules(dialect.spec()))?;
        } else {
            writeln!(out, "{}", dialect.spec().to_json())?;
        }
    } else if args.json {
        let all = Dialect::ALL.iter().map(|dialect| About::of(dialect).to_json());
        print_json(&Value::from(all.collect::<Vec<_>>()))?;
    } else if args.markdown {
        write!(out, "{}", markdown())?;
    } else if args.verbose {
        for (number, dialect) in Dialect::ALL.iter().enumerate() {
            let gap = if number > 0 { "\n" } else { "" };
            write!(out, "{gap}{}", About::of(dialect).to_text())?;
        }
    } else {
        let width = Dialect::ALL.iter().map(|dialect| dialect.name().len()).max().unwrap_or(0);
        for dialect in Dialect::ALL {
            writeln!(out, "{:width$}  {}", dialect.name(), dialect.about())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A dialect of one table.
fn dialect(name: &str) -> Result<Dialect> {
    if let Some((one, other)) = name.split_once('+') {
        let told = format!("`{name}` has two tables: print `{one}` and `{other}`");
        return Err(Failure::Told(told));
    }
    config::dialect(name)
}

/// Facts about a dialect, all from its table and from the list of models.
struct About<'d> {
    dialect: &'d Dialect,
    models: Vec<&'static str>,
    openers: Vec<String>,
    body: Vec<&'static str>,
    reasoning: Vec<String>,
    ids: bool,
    needs_tools: bool,
    call: String,
}

impl<'d> About<'d> {
    fn of(dialect: &'d Dialect) -> About<'d> {
        let table = Table::of(dialect);
        let call = written_form(dialect).unwrap_or_default();
        let mut openers = table.marks(Table::is_of_calls);
        // Messages with headers have no opener but what is written.
        if let (true, Some((opener, _))) = (openers.is_empty(), call.split_once(EXAMPLE)) {
            openers.push(format!("{opener}NAME"));
        }
        About {
            dialect,
            models: names(dialect),
            openers,
            body: table.body(dialect, &call),
            reasoning: table.marks(Table::is_reasoning),
            ids: table.has_ids(),
            needs_tools: table.0["tag_names"] == true,
            call,
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "name": self.dialect.name(),
            "about": self.dialect.about(),
            "models": self.models,
            "openers": self.openers,
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
        let body = match self.body.split_first() {
            Some((body, [])) => body.to_string(),
            Some((body, others)) => format!("{body}; also read: {}", others.join(", ")),
            None => String::new(),
        };
        // Quoted: a line break may be in one.
        let stop = self.dialect.stop_sequences().into_iter().map(Value::from);
        let stop = stop.map(|stop| stop.to_string()).collect::<Vec<_>>().join("  ");
        let limit = Options::default().tool_limit.map(|limit| limit.to_string());
        let lines = [
            ("models", models),
            ("opener", &self.openers.join("  ")),
            ("body", &body),
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

/// Who writes a dialect that no model was trained on.
const ANY: &str = "any that is told to write it";

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

/// The rules of each state, a line for each: its role, its marker, and what must follow.
fn rules(spec: &DialectSpec) -> String {
    let (mut text, mut state, mut number) = (String::new(), String::new(), 0);
    for rule in spec.rules() {
        if rule.state != state {
            text += &format!("{}\n", rule.state);
            (state, number) = (rule.state, 0);
        }
        let then = if rule.follow.is_empty() { "" } else { "  then  " };
        let follow = rule.follow.join("  or  ");
        text += &format!("{number:4}  {}:  {}{then}{follow}\n", rule.role, rule.mark);
        number += 1;
    }
    text
}

/// A table as JSON: `toolstream::tables` says what its keys mean.
struct Table(Value);

impl Table {
    fn of(dialect: &Dialect) -> Table {
        Table(serde_json::from_str(&dialect.spec().to_json()).unwrap_or_default())
    }

    /// Returns the elements of a list, or nothing.
    fn list(of: &Value) -> impl Iterator<Item = &Value> {
        of.as_array().into_iter().flatten()
    }

    /// The kind of a state that `open` names: `{"section": 0}`.
    fn kind(&self, list: &str, number: &Value) -> &Value {
        let number = number.as_u64().and_then(|number| usize::try_from(number).ok());
        number.map_or(&Value::Null, |number| &self.0[list][number])
    }

    fn is_of_calls(&self, place: &Value) -> bool {
        match place.get("section") {
            Some(section) => self.kind("sections", section)["calls"] != false,
            None => place.get("call").or(place.get("body")).is_some(),
        }
    }

    fn is_reasoning(&self, place: &Value) -> bool {
        self.kind("prose", &place["prose"])["reasoning"] == true
    }

    /// Calls have ids of their own, or are written with some.
    fn has_ids(&self) -> bool {
        let call = &self.0["template"]["call"];
        let written = [&call["open"], &call["close"]].into_iter().filter_map(Value::as_str);
        self.0["ids"] == true || written.into_iter().any(|text| text.contains("{id}"))
    }

    /// How a call's arguments stand: first as a host writes them, then what is read as well.
    fn body(&self, dialect: &Dialect, call: &str) -> Vec<&'static str> {
        let values = Table::list(&self.0["values"]).next().map(|_| PARAMETERS);
        let bodies = Table::list(&self.0["bodies"]).filter_map(|body| match &body["gives"] {
            Value::Object(_) => Some(LITERALS),
            gives => (gives != "nothing").then_some(JSON),
        });
        let mut all = Vec::new();
        for body in written_body(dialect, call).into_iter().chain(values).chain(bodies) {
            if !all.contains(&body) {
                all.push(body);
            }
        }
        all
    }

    /// The markers that open such a place in prose.
    fn marks(&self, of: impl Fn(&Table, &Value) -> bool) -> Vec<String> {
        let mut marks = Vec::new();
        for rule in Table::list(&self.0["prose"]).flat_map(|kind| Table::list(&kind["rules"])) {
            let shown = self.shown(&rule["mark"]);
            if of(self, &rule["open"]) && !shown.is_empty() && !marks.contains(&shown) {
                marks.push(shown);
            }
        }
        marks
    }

    /// The beginning of a marker, for people: up to its first name, which is a word in capitals, and
    /// without white space that may be missing.
    fn shown(&self, mark: &Value) -> String {
        let mut shown = String::new();
        for piece in Table::list(mark) {
            let text = self.piece(piece);
            // Two words have white space between them, which the marker has as a piece of its own.
            if shown.ends_with(char::is_alphanumeric) && text.starts_with(char::is_alphanumeric) {
                shown.push(' ');
            }
            shown += &text;
            if piece.get("name").is_some() {
                break;
            }
        }
        shown
    }

    fn piece(&self, piece: &Value) -> String {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        if let Some(texts) = piece.get("any") {
            Table::list(texts).map(text).collect::<Vec<_>>().join("|")
        } else if piece.get("run").is_some() {
            let white = piece["run"] == "white";
            piece.get("min").map_or("", |_| if white { " " } else { "…" }).to_string()
        } else if let Some(end) = piece.get("until") {
            "…".to_string() + &text(end)
        } else if let Some(name) = piece.get("name") {
            text(&piece["prefix"]) + capitals(name)
        } else if let Some(number) = piece.get("keyword") {
            text(&self.kind("keywords", number)["words"][0]) + ":"
        } else if piece.get("tool_line").is_some() {
            " NAME".to_string()
        } else {
            text(piece)
        }
    }
}

/// Returns the word that stands for a name.
fn capitals(name: &Value) -> &'static str {
    match name.as_str() {
        Some("tool" | "tool_id") => "NAME",
        Some("param") => "KEY",
        Some("id") => "ID",
        Some("hint") => "TYPE",
        _ => "…",
    }
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
        // `hermes*llama3` says nothing to people who read `hermes` already.
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
