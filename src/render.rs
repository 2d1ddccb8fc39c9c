//! [`Parser::render_call`]: a call as the model would have written it, for the history that goes
//! back to the model.
//!
//! A form is data: the literals around name, keys and values. When dialects can be made at run
//! time, it belongs beside the grammar, as a field of `DialectSpec`; what reads it is here.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use thiserror::Error;

use crate::dialect::Dialect;
use crate::event::{DiagnosticKind, Event};
use crate::message::{Block, CompleteCall, Message};
use crate::options::Start;
use crate::parser::Parser;

/// Why a call cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The dialect has no form for calls yet.
    #[error(
        "calls of {dialect} cannot be rendered yet: write them yourself, or use one of {}",
        with_form().join(", ")
    )]
    NoForm {
        /// The dialect's name.
        dialect: &'static str,
    },
    /// The dialect cannot carry this call: what was written would not read back as it.
    #[error(
        "{dialect} cannot carry this call of `{name}`, {what}: change it, or show it to the model \
         as text of your own"
    )]
    ReadsBackDifferently {
        /// The dialect's name.
        dialect: &'static str,
        /// The name of the tool.
        name: String,
        /// What would differ, as half a sentence: ``the argument `path` would read back
        /// differently``.
        what: String,
    },
}

/// How a dialect writes a call.
#[derive(Debug)]
enum Form {
    /// `{"name": N, "arguments": {…}}` between two literals.
    Json { open: &'static str, close: &'static str },
    /// A name, then keys and values: strings raw, everything else JSON.
    Params {
        /// Before the name.
        open: &'static str,
        /// Behind the name.
        named: &'static str,
        /// Before a key.
        key: &'static str,
        /// Between a key and its value.
        value: &'static str,
        /// Behind a value.
        end: &'static str,
        /// Behind the last value.
        close: &'static str,
        /// Which of the dialect's kinds of values: that one knows the framing.
        kind: usize,
    },
}

const HERMES: Form = Form::Json { open: "<tool_call>\n", close: "\n</tool_call>" };
const QWEN3_CODER: Form = Form::Params {
    open: "<tool_call>\n<function=",
    named: ">\n",
    key: "<parameter=",
    value: ">",
    end: "</parameter>\n",
    close: "</function>\n</tool_call>",
    kind: 0,
};
const GLM: Form = Form::Params {
    open: "<tool_call>",
    named: "\n",
    key: "<arg_key>",
    value: "</arg_key>\n<arg_value>",
    end: "</arg_value>\n",
    close: "</tool_call>",
    kind: 1,
};

/// The dialects that have a form.
const FORMS: [(Dialect, Form); 4] = [
    (Dialect::HERMES, HERMES),
    (Dialect::QWEN3_CODER, QWEN3_CODER),
    (Dialect::GLM, GLM),
    (Dialect::TOOL_CALL, HERMES),
];

/// What says nothing against the text: it is about the tools that are declared, and about values
/// that the schema does not know.
const HARMLESS: [DiagnosticKind; 3] =
    [DiagnosticKind::UnknownTool, DiagnosticKind::UnknownParameter, DiagnosticKind::TypeMismatch];

fn with_form() -> Vec<&'static str> {
    FORMS.iter().map(|(dialect, _)| dialect.name()).collect()
}

impl Parser {
    /// A call as the model would have written it, for the history that goes back to the model.
    ///
    /// What is written reads back as this call, and as nothing else, or it is an error: the text
    /// is parsed by a fresh parser with this one's tools and options (beginning in text, without a
    /// limit), and the name and [`CompleteCall::input`] are compared. So the dialects that write
    /// keys and values need the tool's types: without them the number `1` would come back as the
    /// text `"1"`, and is refused. With [`Options::decode_entities`](crate::Options::decode_entities), `&` and `<`
    /// in their values are written as entities.
    ///
    /// The other dialects are still to come: [`RenderError::NoForm`].
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
    /// [`RenderError::ReadsBackDifferently`] for a call that the dialect cannot carry,
    /// [`RenderError::NoForm`] for a dialect that cannot render calls yet.
    pub fn render_call(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<String, RenderError> {
        let of = self.tables().dialect;
        let dialect = of.name();
        let form = FORMS.iter().find(|(dialect, _)| *dialect == of).map(|(_, form)| form);
        let text = self.write_call(form.ok_or(RenderError::NoForm { dialect })?, name, arguments);
        match difference(&self.read_back(&text), name, arguments) {
            None => Ok(text),
            Some(what) => {
                Err(RenderError::ReadsBackDifferently { dialect, name: name.to_string(), what })
            }
        }
    }

    fn write_call(&self, form: &Form, name: &str, arguments: &Map<String, Value>) -> String {
        let mut text = String::new();
        match form {
            Form::Json { open, close } => {
                text.push_str(open);
                text.push_str("{\"name\": ");
                write_json(&name.into(), &mut text);
                text.push_str(", \"arguments\": ");
                write_object(arguments, &mut text);
                text.push('}');
                text.push_str(close);
            }
            Form::Params { open, named, key: before, value: between, end, close, kind } => {
                let framing = if self.tables().values[*kind].line_breaks { "\n" } else { "" };
                text.extend([open, name, named]);
                for (key, value) in arguments {
                    let value = self.value_text(value);
                    text.extend([*before, key, between, framing, &value, framing, end]);
                }
                text.push_str(close);
            }
        }
        text
    }

    /// A string as it is, everything else as JSON.
    fn value_text(&self, value: &Value) -> String {
        let mut text = String::new();
        match value {
            Value::String(string) => text.push_str(string),
            value => write_json(value, &mut text),
        }
        match self.tables().options.decode_entities {
            true => text.replace('&', "&amp;").replace('<', "&lt;"),
            false => text,
        }
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

/// What keeps a message from being this one call.
fn difference(message: &Message, name: &str, arguments: &Map<String, Value>) -> Option<String> {
    let odd = message.diagnostics().iter().map(|diagnostic| diagnostic.kind);
    let odd = odd.rev().find(|kind| !HARMLESS.contains(kind));
    let why = odd.map(|kind| format!(" ({kind})")).unwrap_or_default();
    let other = message.calls().next().map(|call| other_call(call, name, arguments));
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
fn other_call(call: &CompleteCall, name: &str, arguments: &Map<String, Value>) -> Option<String> {
    if call.name() != name {
        return Some(format!("its name would read back as `{}`", call.name()));
    }
    let differs = |key: &&String| arguments.get(*key) != call.input().get(*key);
    let key = arguments.keys().chain(call.input().keys()).find(differs)?;
    Some(format!("the argument `{key}` would read back differently"))
}

/// JSON with a blank behind each comma and colon, as the models have seen it in their training.
fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => write_object(members, out),
        Value::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_json(element, out);
            }
            out.push(']');
        }
        value => {
            let written = write!(out, "{value}");
            debug_assert!(written.is_ok(), "a string takes everything");
        }
    }
}

fn write_object(members: &Map<String, Value>, out: &mut String) {
    out.push('{');
    for (at, (key, value)) in members.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        write_json(&key.as_str().into(), out);
        out.push_str(": ");
        write_json(value, out);
    }
    out.push('}');
}
