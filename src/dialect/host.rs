//! Dialects of your own, read from JSON.

use std::sync::Arc;

use serde::de::Deserialize;
use serde_json::{Map, Value};

use super::Dialect;
use super::shape::{Shape, Wrong};
use crate::options::json::{JsonError, JsonProblem, in_words};
use crate::parser::Parser;
use crate::tool::{Param, Tool};

impl Dialect {
    /// Reads a dialect of your own from JSON: a call as the model writes it, with holes for the name and the arguments.
    /// [The page on shapes](crate::shapes) explains each key.
    ///
    /// Build it once and clone it: a clone shares all its parts.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// let mine = Dialect::from_json(
    ///     r#"{"name": "mine", "call": "<do name=\"{name}\">{arguments}</do>", "argument": "<a key=\"{key}\">{value}</a>"}"#,
    /// )?;
    /// let mut parser = Parser::builder(&mine).tool(Tool::new("read")).build()?;
    /// // The closer of the call is cut over two chunks.
    /// let mut events = parser.feed("<do name=\"read\"><a key=\"path\">a.rs</a></d").count();
    /// events += parser.feed("o>").count();
    /// assert!(events > 0);
    ///
    /// let error = Dialect::from_json(r#"{"name": "mine", "cal": "<do>"}"#).unwrap_err();
    /// assert!(error.to_string().starts_with("cal: unknown field `cal`, expected "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JsonError`] with the field that holds the mistake, and its text.
    pub fn from_json(text: &str) -> Result<Dialect, JsonError> {
        let wrong = |Wrong { field, problem }| JsonProblem::Spec { place: field, problem };
        // A list would be read as the keys in their order.
        read::<Map<String, Value>>(text)?;
        let shape = read::<Shape>(text)?;
        if shape.name.is_empty() {
            return Err(wrong(Wrong::new("name", "it is empty")).into());
        }
        if shape.call.is_empty() {
            let problem = "it is empty: write one call here as the model writes it, with `{name}` and `{arguments}`";
            return Err(wrong(Wrong::new("call", problem)).into());
        }
        let facts = shape.host_facts().map_err(wrong)?;
        let grammar = shape.grammar().map_err(wrong)?;
        let dialect = Dialect::of_host(facts, Arc::new(grammar), format!("{shape:?}"));
        dialect
            .reads_what_it_writes(shape.sample())
            .map_err(|reason| wrong(shape.unreadable(&reason)))?;
        Ok(dialect)
    }

    /// Checks that the parser reads the calls that the dialect writes. Of the tool's arguments the first is required.
    fn reads_what_it_writes(&self, (name, keys): (&str, Vec<&str>)) -> Result<(), String> {
        let tool = keys.iter().enumerate().fold(Tool::new(name), |tool, (at, key)| {
            tool.param(if at == 0 { Param::required(*key) } else { Param::optional(*key) })
        });
        let parser = Parser::builder(self).tool(tool).build().map_err(|error| error.to_string())?;
        let mut arguments = Map::new();
        for key in keys {
            arguments.insert(key.into(), "x".into());
            parser.render_call(name, &arguments).map_err(|error| error.reason())?;
        }
        Ok(())
    }
}

impl Shape {
    /// The mistake of a shape whose written calls are read differently.
    fn unreadable(&self, reason: &str) -> Wrong {
        let Shape { call, argument, .. } = self;
        let (field, texts) = match argument.is_empty() {
            true => ("call", format!("`{call}`")),
            false => ("argument", format!("`{argument}` in `{call}`")),
        };
        let problem = format!(
            "{texts} cannot be read: {reason}. Choose markers that cannot be confused with the text before them"
        );
        Wrong::new(field, problem)
    }
}

/// Reads JSON. An error has the place of the mistake.
fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, JsonProblem> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let place = error.path().to_string();
        match error.into_inner() {
            error if error.is_data() => JsonProblem::Spec { place, problem: in_words(&error) },
            error => JsonProblem::Syntax(error),
        }
    })?;
    reader.end()?;
    Ok(read)
}
