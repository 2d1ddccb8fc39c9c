//! [`Parser::system_prompt`]: the section of the system prompt that describes the tools and their calls.
//!
//! The sentences are data beside the grammar: a template. The fillings of its holes come from here and from
//! the files beside: [`schema`] puts a JSON Schema into words, [`elements`] into elements, [`example`] into a
//! call.

mod elements;
mod example;
mod schema;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::dialect::Dialect;
use crate::dialect::template::{Limits, Placeholders, PromptForm, fill};
use crate::error::BuildError;
use crate::limit::most_calls;
use crate::parser::Parser;
use crate::tool::Tool;
use crate::write::{CallRef, Lists, write_calls, write_json};

impl Dialect {
    /// Returns the section of the system prompt that describes these tools and their calls, one per message; empty
    /// without tools. [`Parser::system_prompt`] is for other limits.
    ///
    /// ```
    /// use toolstream::{Dialect, Param, Tool, tools::Type};
    ///
    /// let tool = Tool::new("read_file")
    ///     .describe("Reads a file.")
    ///     .param(Param::required("path").with(Type::String).describe("Where it is."));
    /// let prompt = Dialect::CLINE.system_prompt(&[tool])?;
    /// assert!(prompt.contains("### read_file\nReads a file.\n"));
    /// assert!(prompt.contains("- path (string, required): Where it is.\n"));
    /// assert!(prompt.ends_with("Usage:\n<read_file>\n<path>path here</path>\n</read_file>"));
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`ParserBuilder::build`](crate::ParserBuilder::build): a name that the dialect cannot write, or that
    /// is declared twice.
    pub fn system_prompt(&self, tools: &[Tool]) -> Result<String, BuildError> {
        if tools.is_empty() {
            return Ok(String::new());
        }
        let parser = Parser::builder(self.clone()).tools(tools.iter().cloned()).build()?;
        Ok(parser.system_prompt())
    }
}

impl Parser {
    /// Returns the section of the system prompt that describes this parser's tools, their calls, and the number of
    /// calls that a message may hold. Empty if there are no tools.
    ///
    /// The examples in it read back by this parser; a tool without a possible example has none.
    pub fn system_prompt(&self) -> String {
        let tables = self.tables();
        let tools = &tables.tools;
        if tools.is_empty() {
            return String::new();
        }
        let form = &tables.dialect.template().prompt;
        fill_lines(&form.text, |hole| {
            Some(match hole {
                "tools" => {
                    let tools: Vec<_> = tools.iter().map(|tool| self.tool(tool)).collect();
                    tools.join(&form.between)
                }
                "names" => {
                    let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
                    names.join(", ")
                }
                "form" => self.form(form),
                "example" => {
                    // A tool with an argument makes a better example.
                    let first = tools.iter().find(|tool| !tool.params.is_empty());
                    self.example(first.unwrap_or(&tools[0]))
                }
                "limit" => {
                    let chaining = &tables.options.chaining_tools;
                    limit(&form.limits, most_calls(tables)) + &chains(chaining)
                }
                _ => return None,
            })
        })
    }

    fn tool(&self, tool: &Tool) -> String {
        let schema = tool.json_schema();
        fill_lines(&self.tables().dialect.template().prompt.tool, |hole| {
            Some(match hole {
                "name" => tool.name.clone(),
                "description" => tool.description.clone().unwrap_or_default().trim().to_string(),
                "parameters" => schema::in_words(&schema),
                "elements" => elements::elements(&schema),
                "schema" => written(&schema),
                "tool" => declaration(tool, &schema),
                "example" => self.example(tool),
                _ => return None,
            })
        })
    }

    /// Writes a call with placeholders.
    fn form(&self, form: &PromptForm) -> String {
        let Placeholders { name, params } = &form.placeholders;
        let value = |(key, value): &(Cow<'_, str>, Cow<'_, str>)| {
            (key.to_string(), Value::from(value.as_ref()))
        };
        let mut arguments: Map<_, _> = params.iter().map(value).collect();
        let none = name.is_empty() && arguments.is_empty();
        if none {
            arguments.insert("parameter_name".into(), "value".into());
        }
        let call = CallRef::new(if name.is_empty() { "tool_name" } else { name }, &arguments);
        let call = write_calls(self.tables(), &[call], Lists::Json);
        call.trim_end().to_string()
    }

    /// Writes a call of this tool, behind the words that introduce it; empty if no call was found that reads
    /// back.
    fn example(&self, tool: &Tool) -> String {
        let arguments = example::arguments(tool, &tool.json_schema());
        let Ok(call) = self.render_call(&tool.name, &arguments) else { return String::new() };
        let template = &self.tables().dialect.template().prompt.example;
        fill(template, |hole| (hole == "call").then_some(Cow::Borrowed(call.trim_end())))
    }
}

fn limit(limits: &Limits, limit: Option<usize>) -> String {
    match limit {
        Some(1) => limits.one.to_string(),
        Some(most) => fill(&limits.some, |hole| (hole == "most").then(|| most.to_string().into())),
        None => limits.any.to_string(),
    }
}

/// Returns the sentence about the tools that several calls in a message may use.
fn chains(tools: &[String]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let tools: Vec<_> = tools.iter().map(|tool| format!("`{tool}`")).collect();
    let tools = tools.join(", ");
    format!(
        " Several calls in a message may be of these tools alone: {tools}. Call any other tool alone."
    )
}

/// Fills a template. A line that is one hole is left out if its filling is empty, and white space at the end
/// of the text is removed.
fn fill_lines(template: &str, hole: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::new();
    for line in template.lines() {
        let text = fill(line, |name| hole(name).map(Cow::Owned));
        if !text.is_empty() || line.is_empty() {
            filled.push_str(&text);
            filled.push('\n');
        }
    }
    filled.truncate(filled.trim_end().len());
    filled
}

/// Returns a tool as one JSON object, in the usual order of a declaration.
fn declaration(tool: &Tool, schema: &Value) -> String {
    let mut text = String::from("{\"name\": ");
    write_json(&tool.name.as_str().into(), &mut text);
    if let Some(description) = &tool.description {
        text.push_str(", \"description\": ");
        write_json(&description.as_str().into(), &mut text);
    }
    text.push_str(", \"parameters\": ");
    write_json(schema, &mut text);
    text + "}"
}

fn written(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, &mut text);
    text
}
