//! [`Parser::render_call`]: a call as the model would have written it, for the history that goes
//! back to the model, and the proof that it reads back as that call.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{Lists, write_call};
use crate::event::{DiagnosticKind, Event};
use crate::message::{Block, CompleteCall, Message};
use crate::options::Start;
use crate::parser::Parser;

/// Why a call cannot be written.
///
/// [`Parser::render_call`](crate::Parser::render_call) says it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The dialect cannot carry this call: what was written would not read back as it.
    #[error(
        "{dialect} cannot carry this call of `{name}`, {what}: change it, or show it to the model \
         as text of your own"
    )]
    ReadsBackDifferently {
        /// The dialect's name.
        dialect: String,
        /// The name of the tool.
        name: String,
        /// What would differ, as half a sentence: ``the argument `path` would read back
        /// differently``.
        what: String,
    },
}

/// What says nothing against the text: it is about the tools that are declared, about values that
/// the schema does not know, and about values in which something looks like a marker and is data.
const HARMLESS: [DiagnosticKind; 4] = [
    DiagnosticKind::UnknownTool,
    DiagnosticKind::UnknownParameter,
    DiagnosticKind::TypeMismatch,
    DiagnosticKind::SuspectMarker,
];

impl Parser {
    /// A call as the model would have written it, for the history that goes back to the model.
    ///
    /// What is written reads back as this call, and as nothing else, or it is an error: the text
    /// is parsed by a fresh parser with this one's tools and options (beginning in text, without a
    /// limit), and the name and [`CompleteCall::input`] are compared. So the dialects that write
    /// keys and values need the tool's types: without them the number `1` would come back as the
    /// text `"1"`, and is refused. With
    /// [`Options::decode_entities`](crate::Options::decode_entities), `&` and `<` in their values
    /// are written as entities.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::{Dialect, Param, Parser, RenderError, Tool, Type};
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
    /// // Here the value would end early: the grammar can go on behind its closer.
    /// let arguments = json!({"path": "a</parameter></function>"});
    /// let error = parser.render_call("write_file", arguments.as_object().unwrap()).unwrap_err();
    /// assert!(matches!(error, RenderError::ReadsBackDifferently { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError::ReadsBackDifferently`] for a call that the dialect cannot carry.
    pub fn render_call(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<String, RenderError> {
        self.write_and_read(None, name, arguments)
    }

    /// [`render_call`](Parser::render_call) of a call that has an id: [`CompleteCall::id`]. Dialects
    /// whose calls have ids write it and read it back; the others leave it out.
    ///
    /// ```
    /// use serde_json::Map;
    /// use toolstream::{Dialect, Parser};
    ///
    /// let parser = Parser::builder(Dialect::KIMI_K2).build()?;
    /// let call = parser.render_call_with_id("functions.list:3", "list", &Map::new())?;
    /// assert!(call.contains("<|tool_call_begin|>functions.list:3<|tool_call_argument_begin|>{}"));
    /// assert!(parser.render_call_with_id("call_7f3a", "list", &Map::new()).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError::ReadsBackDifferently`] for a call that the dialect cannot carry, or cannot with
    /// this id.
    pub fn render_call_with_id(
        &self,
        id: &str,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<String, RenderError> {
        self.write_and_read(Some(id), name, arguments)
    }

    fn write_and_read(
        &self,
        id: Option<&str>,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<String, RenderError> {
        let write = |lists| write_call(self.tables(), id, name, arguments, lists);
        let text = write(Lists::Repeated);
        let Some(what) = self.difference(&text, id, name, arguments) else { return Ok(text) };
        // Elements without a type of their own come back as text: JSON keeps them.
        let other = write(Lists::Json);
        if other != text && self.difference(&other, id, name, arguments).is_none() {
            return Ok(other);
        }
        let dialect = self.tables().dialect.name().to_string();
        Err(RenderError::ReadsBackDifferently { dialect, name: name.to_string(), what })
    }

    /// What keeps a text from being this one call.
    fn difference(
        &self,
        text: &str,
        id: Option<&str>,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Option<String> {
        let has_id = !self.tables().spec(0).id.is_empty();
        difference(&self.read_back(text), id.filter(|_| has_id), name, arguments)
    }

    /// What a fresh parser makes of a call that stands in text.
    fn read_back(&self, text: &str) -> Message {
        let mut parser = self.unlimited();
        if self.tables().options.start != Start::Text {
            // What was built once can be built again.
            let in_text = self.to_builder().start(Start::Text).tool_limit(None).build();
            parser = in_text.unwrap_or(parser);
        }
        let mut message = parser.message();
        parser.feed_into(text, &mut |event: Event<&str>| message.push(event));
        parser.finish_into(&mut |event: Event<&str>| message.push(event));
        message.close();
        message
    }
}

fn difference(
    message: &Message,
    id: Option<&str>,
    name: &str,
    arguments: &Map<String, Value>,
) -> Option<String> {
    let odd = message.diagnostics().iter().map(|diagnostic| diagnostic.kind);
    let odd = odd.rev().find(|kind| !HARMLESS.contains(kind));
    let why = odd.map(|kind| format!(" ({kind})")).unwrap_or_default();
    let other = message.calls().next().map(|call| other_call(call, id, name, arguments));
    match (other, message.blocks()) {
        (Some(Some(other)), _) => Some(other),
        (Some(None), [_]) => odd.map(|kind| format!("it would read back with a problem ({kind})")),
        (Some(None), _) => Some(format!("it would read back with something around it{why}")),
        (None, [Block::Incomplete(_)]) => {
            Some(format!("it would read back as a call that may not run{why}"))
        }
        (None, _) => Some(format!("it would not read back as a call{why}")),
    }
}

/// What makes a call another one.
fn other_call(
    call: &CompleteCall,
    id: Option<&str>,
    name: &str,
    arguments: &Map<String, Value>,
) -> Option<String> {
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

    use crate::{Dialect, Param, Parser, Tool};

    /// The check itself: a writer that is wrong must be caught.
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
            let what = build(&dialect).expect("a parser").difference(text, None, "read", arguments);
            let what = what.expect("a difference");
            assert!(what.contains(told), "{dialect:?} {text:?}: {what}");
        }
    }
}
