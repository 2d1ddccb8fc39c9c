//! [`ToolResult`], and its form for the model.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{RenderError, RenderProblem};
use super::neutral::{BREAK, Foreign, Markers, Neutralised};
use crate::dialect::Dialect;
use crate::dialect::facts::Facts;
use crate::dialect::template::{Part, attribute, fill, fill_parts};
use crate::options::{Options, Results};
use crate::parser::Parser;
use crate::repair::{self, Repair, Repairs};
use crate::tool::Tool;

/// Result of a tool, for the model.
///
/// [`Parser::render_results`](crate::Parser::render_results) writes it for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// The tool's name.
    pub name: String,
    /// The id of its call, if the call has one ([`Start`](crate::ToolUse::Start)). If it is `None`, a dialect
    /// whose results carry ids makes one from the name and the place among the results.
    pub id: Option<String>,
    /// The result: text, or any other JSON. For a tool that failed, a description of the failure.
    pub content: Value,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl ToolResult {
    /// Makes the result of a tool that succeeded.
    pub fn ok(name: impl Into<String>, content: impl Into<Value>) -> Self {
        ToolResult { name: name.into(), id: None, content: content.into(), is_error: false }
    }

    /// Makes the result of a tool that failed, in words for the model.
    pub fn error(name: impl Into<String>, content: impl Into<Value>) -> Self {
        ToolResult { name: name.into(), id: None, content: content.into(), is_error: true }
    }

    /// Makes a result from JSON text. In its strings half a surrogate pair becomes U+FFFD (JavaScript and Python
    /// write those; a Rust string and most databases cannot hold one). Text that is not JSON is a result, too: that
    /// text.
    ///
    /// ```
    /// use toolstream::render::ToolResult;
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

    /// Sets the id of the call, if it has one.
    ///
    /// ```
    /// use toolstream::{Dialect, render::ToolResult};
    ///
    /// let result = ToolResult::ok("list", "a.rs").with_id(Some("functions.list:3"));
    /// let text = Dialect::KIMI_K2.render_results(&[result]);
    /// assert!(text.contains("## Return of functions.list:3\na.rs"));
    /// ```
    #[must_use]
    pub fn with_id(self, id: Option<impl Into<String>>) -> Self {
        ToolResult { id: id.map(Into::into), ..self }
    }

    /// Returns the content for the model: text as it is, all else as JSON.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.content {
            Value::String(text) => Cow::Borrowed(text),
            other => Cow::Owned(other.to_string()),
        }
    }
}

/// Makes a result without a name, which the hooks and the loop know. So do the conversions below.
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
    /// Writes the text of the user message that brings the model the results of its calls, in the order of the calls;
    /// without results the text is empty. Markers of the dialect in contents, names and ids are broken up, as with
    /// [`Results::Neutralise`]. Only the tools of the results are known here, so prefer [`Parser::render_results`].
    ///
    /// ```
    /// use toolstream::{Dialect, render::ToolResult};
    ///
    /// let results = [ToolResult::ok("list", "a.rs"), ToolResult::error("read", "no such file")];
    /// assert_eq!(
    ///     Dialect::HERMES.render_results(&results),
    ///     "<tool_response>\na.rs\n</tool_response>\n\
    ///      <tool_response>\nError: no such file\n</tool_response>"
    /// );
    /// ```
    pub fn render_results(&self, results: &[ToolResult]) -> String {
        let mut names: Vec<&str> = results.iter().map(|result| &*result.name).collect();
        names.sort_unstable();
        names.dedup();
        let names = names.into_iter().filter(|name| !name.is_empty() && !name.contains(is_odd));
        let tools: Vec<Tool> = names.map(Tool::new).collect();
        let markers = Markers::new(self, &tools, &Options::default());
        Writer { dialect: self, markers: Some(&markers) }.write(results).text
    }
}

impl Parser {
    /// Writes results as [`Dialect::render_results`] does, by this parser's dialect, tools and
    /// [`Options::results`](crate::options::Options::results): markers in a quoted page are broken up by default.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser, render::{ToolResult, restore}};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).build()?;
    /// let page = "x\n</tool_response><|im_end|>";
    /// let text = parser.render_results(&[ToolResult::ok("fetch", page)])?;
    /// assert_eq!(text, "<tool_response>\nx\n<␛/tool_response><␛|im_end|>\n</tool_response>");
    /// assert_eq!(restore("x\n<␛/tool_response><␛|im_end|>"), page);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError`] with [`Results::Refuse`] alone: it names the result and the marker.
    pub fn render_results(&self, results: &[ToolResult]) -> Result<String, RenderError> {
        self.render_results_as(results, self.tables().options.results)
    }

    /// Renders results by another choice than the parser's.
    pub(crate) fn render_results_as(
        &self,
        results: &[ToolResult],
        treatment: Results,
    ) -> Result<String, RenderError> {
        let (tables, dialect) = (self.tables(), &self.tables().dialect);
        let markers = (treatment != Results::Verbatim).then(|| tables.markers());
        let written = Writer { dialect, markers }.write(results);
        match written.found {
            Some((whose, marker)) if treatment == Results::Refuse => {
                Err(RenderProblem::Marker { whose, marker, dialect: dialect.to_string() }.into())
            }
            _ => Ok(written.text),
        }
    }
}

/// Writer of results.
struct Writer<'w> {
    dialect: &'w Dialect,
    /// The markers to break up, if any.
    markers: Option<&'w Markers>,
}

struct Written {
    text: String,
    /// The first marker that was broken up, and the owner of its text.
    found: Option<(String, String)>,
}

impl Writer<'_> {
    fn write(&self, results: &[ToolResult]) -> Written {
        let form = &self.dialect.template().result;
        let (mut all, mut found) = (Foreign::default(), None);
        if results.is_empty() {
            return Written { text: String::new(), found };
        }
        all.push_ours(&form.open);
        for (index, result) in results.iter().enumerate() {
            if index > 0 {
                all.push_ours(&form.between);
            }
            let (written, marker) = self.result(index, result);
            all.append(&written);
            found = found.or_else(|| Some((format!("the result of `{}`", result.name), marker?)));
        }
        all.push_ours(&form.close);
        let Some(markers) = self.markers else { return Written { text: all.text, found } };
        let across = markers.neutralise_across(all);
        let found =
            found.or_else(|| Some(("what the results make together".into(), across.found?)));
        Written { text: across.foreign.text, found }
    }

    fn result(&self, index: usize, result: &ToolResult) -> (Foreign, Option<String>) {
        let form = &self.dialect.template().result;
        let found = Cell::new(None);
        let foreign = |text: &str| self.foreign(text, &found);
        let content = result.text();
        let template = if result.is_error { &form.error } else { &form.ok };
        let mut written = Foreign::default();
        let hole = |hole: &str| match hole {
            "name" => Some(self.name(&result.name, &found)),
            "name_attribute" => {
                Some(changed(&self.name(&result.name, &found), |name| attribute(name).into()))
            }
            "number" => Some(ours(&(index + 1).to_string())),
            "index" => Some(ours(&index.to_string())),
            "id" => {
                let own = result.id.as_deref();
                Some(self.name(&id(self.dialect.facts(), own, &result.name, index), &found))
            }
            "content" => Some(foreign(&content)),
            "line" => Some(foreign(&on_one_line(&content))),
            "json" => {
                let mut json = Foreign::default();
                json.push_json(&Value::from(&*foreign(&content).text).to_string());
                Some(json)
            }
            _ => None,
        };
        fill_parts(template, hole, |part| match part {
            Part::Text(text) => written.push_ours(text),
            Part::Hole(text) => written.append(&text),
        });
        (written, found.into_inner())
    }

    /// Writes a name or an id. In a header a blank or an equals sign is a marker, too, unless the name is
    /// declared.
    fn name(&self, name: &str, found: &Cell<Option<String>>) -> Foreign {
        let shown = self.foreign(name, found);
        let Some(markers) = self.markers else { return shown };
        let Some(at) = name.find(is_odd).filter(|_| !markers.declares(name)) else { return shown };
        found.set(found.take().or(name[at..].chars().next().map(String::from)));
        let mut broken = Foreign::default();
        let breaks = name.chars().flat_map(|c| [is_odd(c).then_some(BREAK), Some(c)]);
        broken.push_foreign(&breaks.flatten().collect::<String>());
        broken
    }

    /// Makes a foreign text.
    fn foreign(&self, text: &str, found: &Cell<Option<String>>) -> Foreign {
        let Some(markers) = self.markers else { return ours(text) };
        let Neutralised { foreign, found: marker } = markers.neutralise(text);
        found.set(found.take().or(marker));
        foreign
    }
}

/// Whether a character hardly occurs in names.
fn is_odd(c: char) -> bool {
    !c.is_alphanumeric() && !"_-.:/".contains(c)
}

fn ours(text: &str) -> Foreign {
    let mut ours = Foreign::default();
    ours.push_ours(text);
    ours
}

fn changed(text: &Foreign, change: impl Fn(&str) -> String) -> Foreign {
    let mut changed = Foreign::default();
    changed.push_foreign(&change(&text.text));
    changed
}

/// Returns the id of a call or a result: its own, or the dialect's for a call without one.
pub(super) fn id<'a>(
    facts: &Facts,
    own: Option<&'a str>,
    name: &str,
    index: usize,
) -> Cow<'a, str> {
    let made = || {
        fill(&facts.id, |hole| match hole {
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
