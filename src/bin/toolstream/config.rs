//! The files with tools and options.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value};
use toolstream::check::Ended;
use toolstream::{BuildError, Dialect, JsonError, Tool, options::Options};

use crate::failure::{Failure, Result, did_you_mean, say};

pub fn dialect(name: &str) -> Result<Dialect> {
    Dialect::by_name(name).map_err(|error| match name.matches('+').count() {
        0 | 1 => {
            let name = error.unknown_name().unwrap_or(name);
            let near = || did_you_mean(name, Dialect::ALL.iter().map(|dialect| dialect.name()));
            let hint = error.hint().map_or_else(near, |hint| format!(", {hint}"));
            let text = format!("unknown dialect `{name}`{hint} (`toolstream dialects` lists them)");
            Failure::BadInput(text)
        }
        _ => Failure::BadInput(error.to_string()),
    })
}

/// A dialect of a shape.
pub fn shape(path: &Path) -> Result<Dialect> {
    Dialect::from_json(&read(path)?).map_err(|error| unfit(path, &error))
}

pub fn tools(path: &Path) -> Result<Vec<Tool>> {
    let tools = Tool::list_from_json(&json(path)?).map_err(|error| unfit(path, &error))?;
    for tool in &tools {
        tool.foreign_types()
            .iter()
            .for_each(|of| say(&format!("note: tool `{}`: {of}", tool.name)));
    }
    Ok(tools)
}

/// Makes a failure of a parser that cannot be built, in the words of the command line.
pub fn unbuildable(error: &BuildError) -> Failure {
    let remedy = if error.needs_tools() { ", with --tools FILE" } else { "" };
    Failure::BadInput(format!("{error}{remedy}"))
}

/// A file of options: those of the library, and how the stream ends.
pub struct ParseConfig {
    pub options: Options,
    pub ended: Ended,
}

/// Reads the options of a file. Missing keys are those of `defaults`, which are written like a file, or else
/// those of the library.
pub fn options(path: Option<&Path>, defaults: &Map<String, Value>) -> Result<ParseConfig> {
    let mut config = path.map_or_else(|| Ok(Map::new().into()), json)?;
    let path = path.unwrap_or(Path::new("the options"));
    let mut ended = Ended::Stop;
    if let Some(config) = config.as_object_mut() {
        if let Some(value) = config.remove("ended") {
            let named = value.as_str().and_then(|name| name.parse().ok());
            ended = named.ok_or_else(|| {
                let path = name(path);
                Failure::BadInput(format!("{path}: config.ended must be \"stop\" or \"cut\""))
            })?;
        }
        for (key, value) in defaults {
            config.entry(key).or_insert_with(|| value.clone());
        }
    }
    let options = Options::from_json(&config).map_err(|error| unfit(path, &error))?;
    Ok(ParseConfig { options, ended })
}

/// The value of `--ended`.
pub fn ended(name: &str) -> std::result::Result<Ended, &'static str> {
    name.parse().map_err(|_| "use stop or cut")
}

/// Returns the JSON itself, given in place of a file.
fn inline(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| text.trim_start().starts_with(['{', '[']))
}

/// Returns the name of a file for an error.
fn name(path: &Path) -> Cow<'_, str> {
    inline(path).map_or_else(|| path.to_string_lossy(), |_| "the inline JSON".into())
}

/// A file that is one JSON value.
pub fn json(path: &Path) -> Result<Value> {
    let value = serde_json::from_str(&read(path)?);
    value.map_err(|error| unfit(path, &error.into()))
}

pub fn read(path: &Path) -> Result<String> {
    if let Some(text) = inline(path) {
        return Ok(text.to_string());
    }
    fs::read_to_string(path).map_err(|error| Failure::BadInput(unreadable(path, &error)))
}

pub fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("cannot read {}: {error}; check the path", path.display())
}

fn unfit(path: &Path, error: &JsonError) -> Failure {
    let path = name(path);
    if let Some(error) = no_json(error) {
        let (line, column) = (error.line(), error.column());
        return Failure::BadInput(format!("{path}:{line}:{column}: {}", syntax(error)));
    }
    let Some((key, known)) = error.unknown_key() else {
        return Failure::BadInput(format!("{path}: {error}"));
    };
    let hint = did_you_mean(key, known.iter().copied());
    Failure::BadInput(if error.place() == Some("config") {
        format!("{path}: unknown option `{key}`{hint} (the options are {})", known.join(", "))
    } else {
        format!("{path}: {error}{hint}")
    })
}

/// serde_json's own word on a text that is not JSON.
pub fn no_json(error: &JsonError) -> Option<&serde_json::Error> {
    std::error::Error::source(error)?.downcast_ref()
}

/// Returns the mistake in the JSON, without serde_json's own words about the place.
pub fn syntax(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    format!("not valid JSON ({}); correct it there", text.trim_end_matches(&place))
}
