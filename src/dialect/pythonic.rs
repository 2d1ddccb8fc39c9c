//! `pythonic`, `lfm2` and `olmo3`: Python calls.
//!
//! ```text
//! list := "[" ws call ( ws "," ws call )* ws "]"          call := NAME ws "(" arguments ")"
//! arguments := ( KEY "=" literal ( "," KEY "=" literal )* ","? )?
//! ```
//! `pythonic`: at the start of the message or, with tools declared, of a line, or after `<|python_start|>`
//! (closer `<|python_end|>`) or `<|python_tag|>`. With tools declared it calls no other. Llama 4 writes JSON,
//! too: objects at the start of the message or after `<|python_start|>`, of declared tools ([`Tried`]), and
//! all that may stand after `<|python_tag|>` ([`PythonTag`]). `lfm2`: only between `<|tool_call_start|>` and
//! `<|tool_call_end|>`, and there also a JSON list of objects. `olmo3`: without brackets, a call a line,
//! between `<function_calls>` and its closer. A list counts if a name and `(` follow its bracket. A value
//! without a keyword breaks its call (`malformed_arguments`). [`python`](crate::family::python) reads them,
//! and its `strings.rs` says where a string ends.

use super::facts::Facts;
use super::shape::Shape;
use super::template::{LiteralForm, tools_prompt};
use crate::dialect::literals::Literals;

/// The common parts of the three shapes.
fn shape() -> Shape {
    Shape {
        call: "{name}({arguments})".into(),
        literals: Some(LiteralForm {
            separator: "=".into(),
            between: ", ".into(),
            python: true,
            ..LiteralForm::default()
        }),
        ..Shape::default()
    }
}

/// Literals of Python, whose strings may lack backslashes.
pub(super) fn literals() -> Literals {
    Literals { python: true, unescaped: true, ..Literals::default() }
}

/// The dialect `pythonic`. Where tools are declared, a list that calls one of them may also begin a line.
pub(crate) fn pythonic() -> Facts {
    let facts = Shape {
        name: "pythonic".into(),
        about: "a list of Python calls: [read_file(path=\"…\")]".into(),
        section: "[{calls}]".into(),
        prompt: Some(tools_prompt!(
            "To call a tool, let your whole message be a list with one Python call, in this \
             form:",
            "Every argument has its keyword, and all that the tool requires must be given; \
             values are Python literals."
        )),
        result: "{content}".into(),
        ..shape()
    }
    .facts();
    Facts { input: "code".into(), ..facts }
}

/// The dialect `lfm2`. After its end token a model may repeat the list: the repetition is markup.
pub(crate) fn lfm2() -> Facts {
    let mut shape = Shape {
        name: "lfm2".into(),
        about: "the same between tokens: <|tool_call_start|>[NAME(key=…)]<|tool_call_end|>".into(),
        section: "<|tool_call_start|>[{calls}]<|tool_call_end|>".into(),
        result: "<|tool_response_start|>{content}<|tool_response_end|>".into(),
        ..shape()
    };
    shape.literals.iter_mut().for_each(|literals| literals.plain_quote = "'".into());
    shape.facts()
}

/// The dialect `olmo3`: a call a line, between tags.
pub(crate) fn olmo3() -> Facts {
    Shape {
        name: "olmo3".into(),
        about: "a Python call a line: <function_calls>⏎NAME(key=…)⏎</function_calls>".into(),
        section: "<function_calls>\n{calls}\n</function_calls>".into(),
        result: "<|im_start|>environment\n{content}<|im_end|>".into(),
        ..shape()
    }
    .facts()
}
