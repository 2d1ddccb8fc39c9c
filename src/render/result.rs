//! [`ToolResult`], and how the dialect hands it to the model.

use std::borrow::Cow;

use serde_json::Value;

use crate::dialect::Dialect;
use crate::dialect::wire::{Wire, attribute, fill};
use crate::parser::Parser;

/// What a tool gave, for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The tool's name.
    pub name: String,
    /// What it gave; of a tool that failed, what went wrong.
    pub content: String,
    /// Whether it failed.
    pub is_error: bool,
}

impl ToolResult {
    /// What a tool gave.
    pub fn ok(name: impl Into<String>, content: impl Into<String>) -> Self {
        ToolResult { name: name.into(), content: content.into(), is_error: false }
    }

    /// What went wrong with a tool.
    pub fn error(name: impl Into<String>, content: impl Into<String>) -> Self {
        ToolResult { name: name.into(), content: content.into(), is_error: true }
    }
}

impl Dialect {
    /// The text of the user message that brings the model the results of its calls, in the order
    /// of the calls. Contents go in as they are; without results there is no text.
    ///
    /// ```
    /// use toolstream::{Dialect, ToolResult};
    ///
    /// let results = [ToolResult::ok("list", "a.rs"), ToolResult::error("read", "no such file")];
    /// assert_eq!(
    ///     Dialect::HERMES.render_results(&results),
    ///     "<tool_response>\na.rs\n</tool_response>\n\
    ///      <tool_response>\nError: no such file\n</tool_response>"
    /// );
    /// ```
    pub fn render_results(&self, results: &[ToolResult]) -> String {
        write_results(&self.spec().wire, results)
    }
}

impl Parser {
    /// [`Dialect::render_results`] of this parser's dialect.
    pub fn render_results(&self, results: &[ToolResult]) -> String {
        write_results(&self.tables().spec(0).wire, results)
    }
}

fn write_results(wire: &Wire, results: &[ToolResult]) -> String {
    let form = &wire.result;
    if results.is_empty() {
        return String::new();
    }
    let write = |(index, result): (usize, &ToolResult)| {
        let template = if result.is_error { &form.error } else { &form.ok };
        fill(template, |hole| match hole {
            "name" => Some(Cow::Borrowed(&*result.name)),
            "name_attribute" => Some(attribute(&result.name)),
            "number" => Some((index + 1).to_string().into()),
            "content" => Some(Cow::Borrowed(&*result.content)),
            "line" => Some(on_one_line(&result.content)),
            "json" => Some(Cow::Owned(Value::from(&*result.content).to_string())),
            "index" => Some(Cow::Owned(index.to_string())),
            _ => None,
        })
    };
    let written: Vec<String> = results.iter().enumerate().map(write).collect();
    [&*form.open, &*written.join(&form.between), &*form.close].concat()
}

/// The lines of a text, with a blank between two.
fn on_one_line(text: &str) -> Cow<'_, str> {
    let lines = text.lines().flat_map(|line| line.split('\r')).map(str::trim);
    Cow::Owned(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
}
