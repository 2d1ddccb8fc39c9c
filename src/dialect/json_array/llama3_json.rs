//! `llama3-json`: the whole message is an object, several joined by `; `, or a list of them. Or these, a call
//! in Python's syntax, or code stand after `<|python_tag|>`, anywhere ([`PythonTag`]). There is no CLOSE.
//!
//! At the start of the message an object counts if its name is that of a declared tool: else it is the answer
//! ([`Tried`]). `<function=N>{…}</function>` counts anywhere. In the form `xlam` a message may begin with
//! reasoning, and the objects may stand in a fence, after `[TOOL_CALLS]` or `<tool_call>`. No shape: whole
//! messages, code, and calls in Python's syntax each count at places of their own.

use std::borrow::Cow::Borrowed;

use super::written;
use crate::dialect::facts::Facts;
use crate::dialect::pythonic::literals;
use crate::dialect::shape::Shape;
use crate::dialect::template::{Template, stop};

/// The dialect `llama3-json`. A call with literals, or code, may stand behind `<|python_tag|>`.
pub(in crate::dialect) fn llama3_json() -> Facts {
    let about = "the whole message is {\"name\": …, \"parameters\": {…}}";
    let facts = Facts::new("llama3-json", about, template());
    Facts { input: "code".into(), literals: Some(literals()), ..facts }
}

/// The text between a content and the calls behind it: a bare object counts only at the message's start.
const AFTER_TEXT: &str = "\n<|python_tag|>";

/// The template of written calls. Results are messages of the role `ipython`.
fn template() -> Template {
    let mut template = Shape {
        between: Some("; ".into()),
        stop: Some(stop(&[], &[Borrowed("<|start_header_id|>")])),
        ..written("{\"name\": {name}, \"parameters\": {arguments}}")
    }
    .template();
    template.call.after_text = Borrowed(AFTER_TEXT);
    template
}
