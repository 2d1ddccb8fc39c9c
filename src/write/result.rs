//! [`ToolResult`], and how the dialect hands it to the model.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dialect::Dialect;
use crate::dialect::spec::DialectSpec;
use crate::dialect::template::{attribute, fill};
use crate::parser::Parser;
use crate::repair::{self, Repair, Repairs};

/// What a tool gave, for the model.
///
/// [`Parser::render_results`](crate::Parser::render_results) writes it for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The tool's name.
    pub name: String,
    /// The id of its call, where the call has one ([`Start`](crate::ToolUse::Start)). A dialect whose
    /// results carry ids makes one of the name and the place among the results, if this is `None`.
    pub id: Option<String>,
    /// What it gave: text, or anything else that is JSON. Of a tool that failed, what went wrong.
    pub content: Value,
    /// Whether it failed.
    pub is_error: bool,
}

impl ToolResult {
    /// What a tool gave.
    pub fn ok(name: impl Into<String>, content: impl Into<Value>) -> Self {
        ToolResult { name: name.into(), id: None, content: content.into(), is_error: false }
    }

    /// What went wrong with a tool, in words for the model.
    pub fn error(name: impl Into<String>, content: impl Into<Value>) -> Self {
        ToolResult { name: name.into(), id: None, content: content.into(), is_error: true }
    }

    /// A result that is JSON text, from a tool that speaks JSON. In its strings half a surrogate
    /// pair becomes U+FFFD (JavaScript and Python write those; a Rust string and most databases
    /// cannot hold one). Text that is no JSON is a result too: that text.
    ///
    /// ```
    /// use toolstream::ToolResult;
    ///
    /// let result = ToolResult::from_json("t", r#"{"half": "\ud83d", "whole": "\ud83d\ude00"}"#);
    /// assert_eq!(result.content["half"], "\u{fffd}");
    /// assert_eq!(result.content["whole"], "😀");
    /// assert_eq!(ToolResult::from_json("t", "{'no': 1}").content, "{'no': 1}");
    /// ```
    pub fn from_json(name: impl Into<String>, text: &str) -> Self {
        match repair::value(text, Repairs::Default) {
            Ok((value, repairs)) if repairs.iter().all(|made| *made == Repair::LoneSurrogate) => {
                ToolResult::ok(name, value)
            }
            _ => ToolResult::ok(name, text),
        }
    }

    /// The result of the call of this id, if it has one.
    ///
    /// ```
    /// use toolstream::{Dialect, ToolResult};
    ///
    /// let result = ToolResult::ok("list", "a.rs").with_id(Some("functions.list:3"));
    /// let text = Dialect::KIMI_K2.render_results(&[result]);
    /// assert!(text.contains("## Return of functions.list:3\na.rs"));
    /// ```
    #[must_use]
    pub fn with_id(self, id: Option<impl Into<String>>) -> Self {
        ToolResult { id: id.map(Into::into), ..self }
    }

    /// The content for the model: text as it is, all else as JSON.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.content {
            Value::String(text) => Cow::Borrowed(text),
            other => Cow::Owned(other.to_string()),
        }
    }
}

/// Without a name, which the hooks and the loop know. So are those below.
impl<T: Into<Value>, E: fmt::Display> From<Result<T, E>> for ToolResult {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(content) => ToolResult::ok("", content),
            Err(error) => ToolResult::error("", error.to_string()),
        }
    }
}

impl From<&str> for ToolResult {
    fn from(content: &str) -> Self {
        ToolResult::ok("", content)
    }
}

impl From<String> for ToolResult {
    fn from(content: String) -> Self {
        ToolResult::ok("", content)
    }
}

impl From<Value> for ToolResult {
    fn from(content: Value) -> Self {
        ToolResult::ok("", content)
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
        write_results(self, results)
    }
}

impl Parser {
    /// [`Dialect::render_results`] of this parser's dialect.
    pub fn render_results(&self, results: &[ToolResult]) -> String {
        write_results(&self.tables().dialect, results)
    }
}

fn write_results(dialect: &Dialect, results: &[ToolResult]) -> String {
    let (spec, form) = (dialect.spec(), &dialect.template().result);
    if results.is_empty() {
        return String::new();
    }
    let write = |(index, result): (usize, &ToolResult)| {
        let content = result.text();
        let template = if result.is_error { &form.error } else { &form.ok };
        fill(template, |hole| match hole {
            "name" => Some(Cow::Borrowed(&*result.name)),
            "name_attribute" => Some(attribute(&result.name)),
            "number" => Some((index + 1).to_string().into()),
            "id" => Some(id(spec, result.id.as_deref(), &result.name, index)),
            "content" => Some(Cow::Borrowed(&*content)),
            "line" => Some(on_one_line(&content)),
            "json" => Some(Cow::Owned(Value::from(&*content).to_string())),
            "index" => Some(Cow::Owned(index.to_string())),
            _ => None,
        })
    };
    let written: Vec<String> = results.iter().enumerate().map(write).collect();
    [&*form.open, &*written.join(&form.between), &*form.close].concat()
}

/// The id of a call or a result: its own, or the dialect's for one that has none.
pub(super) fn id<'a>(
    spec: &DialectSpec,
    own: Option<&'a str>,
    name: &str,
    index: usize,
) -> Cow<'a, str> {
    let made = || {
        fill(&spec.id, |hole| match hole {
            "name" => Some(Cow::Borrowed(name)),
            "index" => Some(Cow::Owned(index.to_string())),
            _ => None,
        })
    };
    own.map_or_else(|| Cow::Owned(made()), Cow::Borrowed)
}

/// The lines of a text, with a blank between two.
fn on_one_line<'a>(text: &str) -> Cow<'a, str> {
    let lines = text.lines().flat_map(|line| line.split('\r')).map(str::trim);
    Cow::Owned(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
}
