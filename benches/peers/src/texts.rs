//! The messages, each with its expected result. All of them are ASCII, and no value begins or ends with white
//! space: `tool-parser` trims values, and here all parsers shall be right.

use toolstream::Dialect;

use crate::inputs;
use crate::peers::{Call, Message};

/// The tools of every parser: those of `inputs::write`, as an OpenAI request has them.
pub const TOOLS: &str = r#"[
    {"type": "function", "function": {"name": "read_file", "parameters": {
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}},
    {"type": "function", "function": {"name": "write_to_file", "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"]}}}
]"#;

/// A shape of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A call with one value of prose.
    ProseValue,
    /// A call with one value of source code full of `<`.
    CodeValue,
    /// Small calls, one after the other, and nothing between them.
    SmallCalls,
    /// Text without a `<`.
    Prose,
}

/// A message, and its expected result.
pub struct Text {
    pub message: String,
    pub expected: Message,
}

impl Shape {
    pub const ALL: [Shape; 4] =
        [Shape::ProseValue, Shape::CodeValue, Shape::SmallCalls, Shape::Prose];

    pub fn name(self) -> &'static str {
        match self {
            Shape::ProseValue => "prose-value",
            Shape::CodeValue => "code-value",
            Shape::SmallCalls => "small-calls",
            Shape::Prose => "prose",
        }
    }

    /// Whether it is one call with one big argument.
    pub fn is_argument(self) -> bool {
        matches!(self, Shape::ProseValue | Shape::CodeValue)
    }

    /// Returns a message with about `len` bytes of payload.
    pub fn text(self, dialect: &Dialect, len: usize) -> Text {
        match self {
            Shape::ProseValue => calls(dialect, inputs::prose(len).trim(), 1),
            Shape::CodeValue => calls(dialect, inputs::code(len).trim(), 1),
            Shape::SmallCalls => {
                let one = calls(dialect, "a few words", 1).message.len();
                calls(dialect, "a few words", len.div_ceil(one))
            }
            Shape::Prose => {
                let message = inputs::prose(len);
                Text { expected: Message { text: message.clone(), calls: Vec::new() }, message }
            }
        }
    }
}

/// Repeats a call so many times.
fn calls(dialect: &Dialect, content: &str, times: usize) -> Text {
    let arguments = serde_json::json!({"path": "src/lib.rs", "content": content}).to_string();
    let call = Call { name: "write_to_file".to_string(), arguments };
    Text {
        message: inputs::write(dialect, content).trim().repeat(times),
        expected: Message { text: String::new(), calls: vec![call; times] },
    }
}
