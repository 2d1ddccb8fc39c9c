//! [`Parser::render_call`]: a call as the model would have written it, for the history. It is checked that it reads
//! back as that call.

use serde_json::{Map, Value};

use super::error::{RenderError, RenderProblem};
use super::fill::{CallRef, Lists, write_calls};
use crate::event::{DiagnosticKind, Event};
use crate::message::{Block, CompleteCall, Message};
use crate::options::Start;
use crate::parser::Parser;

/// Diagnostics that are no fault of a written text: undeclared tools, values that the schema does not know, and
/// values with data that looks like a marker.
const HARMLESS: [DiagnosticKind; 4] = [
    DiagnosticKind::UnknownTool,
    DiagnosticKind::UnknownParameter,
    DiagnosticKind::TypeMismatch,
    DiagnosticKind::SuspectMarker,
];

impl Parser {
    /// Writes a call as the model would have written it, for the history that goes back to the model.
    ///
    /// The written call reads back as this call, and as nothing else, or it is an error. A fresh parser with this
    /// one's tools and options reads the text (beginning in text, without a limit), and the name and
    /// [`CompleteCall::input`] are compared. So the dialects that write keys and values need the tool's types:
    /// without them the number `1` would come back as the text `"1"`, and is refused. With
    /// [`Options::decode_entities`](crate::options::Options::decode_entities), `&` and `<` in their values are written as
    /// entities.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::{Dialect, Param, Parser, Tool, tools::Type};
    ///
    /// let write = Tool::new("write_file")
    ///     .param(Param::required("path").with(Type::String))
    ///     .param(Param::optional("mode").with(Type::Integer));
    /// let parser = Parser::builder(Dialect::QWEN3_CODER).tool(write).build()?;
    ///
    /// let arguments = json!({"mode": 420, "path": "a </parameter> b.rs"});
    /// let call = parser.render_call("write_file", arguments.as_object().unwrap())?;
    /// assert_eq!(
    ///     call,
    ///     "<tool_call>\n<function=write_file>\n<parameter=mode>\n420\n</parameter>\n\
    ///      <parameter=path>\na </parameter> b.rs\n</parameter>\n</function>\n</tool_call>"
    /// );
    ///
    /// // Here the value would end early: the grammar can go on after its closer.
    /// let arguments = json!({"path": "a</parameter></function>"});
    /// let error = parser.render_call("write_file", arguments.as_object().unwrap()).unwrap_err();
    /// assert!(error.to_string().contains("would read back differently"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError`] for a call that the dialect cannot carry.
    pub fn render_call(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<String, RenderError> {
        self.render_calls(&[CallRef::new(name, arguments)])
    }

    /// Writes the calls of one message as the model would have written them: in one section, where the dialect has
    /// sections, and with the dialect's separator. As for one call ([`render_call`](Parser::render_call)), the text
    /// reads back as these calls.
    ///
    /// ```
    /// use serde_json::Map;
    /// use toolstream::{Dialect, Parser, render::CallRef};
    ///
    /// let parser = Parser::builder(Dialect::COMMAND_R).build()?;
    /// let none = Map::new();
    /// let calls = ["list", "date"].map(|name| CallRef::new(name, &none));
    /// assert_eq!(parser.render_calls(&calls)?, "<|START_ACTION|>[\n    \
    ///     {\"tool_call_id\": \"0\", \"tool_name\": \"list\", \"parameters\": {}},\n    \
    ///     {\"tool_call_id\": \"1\", \"tool_name\": \"date\", \"parameters\": {}}\n]<|END_ACTION|>");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError`] for the first call that the dialect cannot carry, or cannot
    /// beside the others.
    pub fn render_calls(&self, calls: &[CallRef<'_>]) -> Result<String, RenderError> {
        if calls.is_empty() {
            return Ok(String::new());
        }
        let write = |lists| write_calls(self.tables(), calls, lists);
        let text = write(Lists::Repeated);
        let Some((at, difference)) = self.difference(&text, calls) else { return Ok(text) };
        // Elements without a type of their own come back as text, and some strings need escapes: JSON keeps
        // both.
        let other = write(Lists::Json);
        if other != text && self.difference(&other, calls).is_none() {
            return Ok(other);
        }
        let dialect = self.tables().dialect.name().to_string();
        let name = calls[at].name.to_string();
        Err(RenderProblem::ReadsBackDifferently { dialect, name, difference }.into())
    }

    /// Returns the difference between a text and these calls, and the number of the call.
    fn difference(&self, text: &str, calls: &[CallRef<'_>]) -> Option<(usize, String)> {
        let has_id = self.tables().dialect.template().call.has_id();
        let mut calls = calls.to_vec();
        calls.iter_mut().for_each(|call| call.id = call.id.filter(|_| has_id));
        difference(&self.read_back(text), &calls)
    }

    /// Reads a call in text, with a fresh parser.
    fn read_back(&self, text: &str) -> Message {
        let mut parser = self.unlimited();
        if self.tables().options.start != Start::Text {
            // A parser that was built once can be built again.
            let in_text = self.to_builder().start(Start::Text).tool_limit(None).build();
            parser = in_text.unwrap_or(parser);
        }
        let mut message = parser.message();
        let mut push = |event: Event<&str>| message.push(event);
        parser.feed_into(text, &mut push);
        parser.finish_into(&mut push);
        message.close();
        message
    }
}

fn difference(message: &Message, calls: &[CallRef<'_>]) -> Option<(usize, String)> {
    let harmful = message.diagnostics().iter().map(|diagnostic| diagnostic.kind);
    let harmful = harmful.rev().find(|kind| !HARMLESS.contains(kind));
    let why = harmful.map(|kind| format!(" ({kind})")).unwrap_or_default();
    // Between two calls stands the dialect's text between calls.
    let between = |block: &&Block| calls.len() < 2 || !is_white(block);
    let blocks: Vec<&Block> = message.blocks().iter().filter(between).collect();
    let mut read = message.calls();
    for (at, call) in calls.iter().enumerate() {
        let what = match (read.next(), &blocks[..]) {
            (Some(read), _) => other_call(read, call),
            (None, [.., Block::Incomplete(_)]) => {
                Some(format!("it would read back as a call that may not run{why}"))
            }
            (None, _) => Some(format!("it would not read back as a call{why}")),
        };
        if let Some(what) = what {
            return Some((at, what));
        }
    }
    let what = if blocks.len() == calls.len() {
        format!("it would read back with a problem ({})", harmful?)
    } else {
        format!("it would read back with something around it{why}")
    };
    Some((calls.len() - 1, what))
}

/// Whether a block is only white space.
fn is_white(block: &Block) -> bool {
    matches!(block, Block::Text(text) if crate::json::white::trim(&text.text).is_empty())
}

/// Returns the difference between a call and the wanted one.
fn other_call(call: &CompleteCall, wanted: &CallRef<'_>) -> Option<String> {
    let &CallRef { id, name, arguments } = wanted;
    if call.name() != name {
        return Some(format!("its name would read back as `{}`", call.name()));
    }
    if id.is_some() && call.id() != id {
        return Some("its id would read back differently".to_string());
    }
    let differs = |key: &&String| arguments.get(*key) != call.input().get(*key);
    let key = arguments.keys().chain(call.input().keys()).find(differs)?;
    Some(format!("the argument `{key}` would read back differently"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::CallRef;
    use crate::{Dialect, Param, Parser, Tool};

    /// The check itself: it must notice a wrong writer.
    #[test]
    fn a_wrong_text_is_noticed() {
        let tool = Tool::new("read").param(Param::required("path"));
        let build = |dialect: &Dialect| Parser::builder(dialect).tool(tool.clone()).build();
        let arguments = json!({"path": " a\n"});
        let arguments = arguments.as_object().expect("an object");
        for (dialect, text, told) in [
            (
                Dialect::CLINE,
                "<read><path> a\n</path></read>",
                "`path` would read back differently",
            ),
            (Dialect::CLINE, "<read><pat> a\n</pat></read>", "may not run (missing_arguments)"),
            (
                Dialect::CODE_ASSISTANT,
                "<tool:read><param:path> a\n</param:path></tool:read>",
                "`path`",
            ),
            (Dialect::INVOKE, "<invoke name=\"raed\"></invoke>", "would not read back as a call"),
            (
                Dialect::HERMES,
                "<tool_call>{\"name\": \"raed\", \"arguments\": {\"path\": \" a\\n\"}}</tool_call>",
                "its name would read back as `raed`",
            ),
            (
                Dialect::HERMES,
                "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \" a\\n\",}}</tool_call>",
                "with a problem (repaired_json)",
            ),
            (
                Dialect::GLM,
                "So:<tool_call>read<arg_key>path</arg_key><arg_value> a\n</arg_value></tool_call>",
                "something around it",
            ),
            (
                Dialect::GLM,
                "<tool_call>read<arg_key>path</arg_key><arg_value> a\n</arg_value></tool_call>\
                 <tool_call>read<arg_key>path</arg_key><arg_value> a\n</arg_value></tool_call>",
                "something around it",
            ),
        ] {
            let call = CallRef::new("read", arguments);
            let what = build(&dialect).expect("a parser").difference(text, &[call]);
            let (_, what) = what.expect("a difference");
            assert!(what.contains(told), "{dialect:?} {text:?}: {what}");
        }
    }
}
