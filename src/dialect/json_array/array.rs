//! `json-array`: a closer of any of its sections closes each of them.
//!
//! | OPEN | CLOSE |
//! |---|---|
//! | `<TOOLCALL>` `<tool_calls>` `<\|action_start\|> ?<\|plugin\|>` `<\|tools_prefix\|>` | the same, with `/`, `end`, `suffix` |
//!
//! After `<|tools_prefix|>` (Apertus) the key of an object is the tool's name, and its value is the
//! arguments: `[{"N": {…}}]`, or the object alone. Each further key is one more call.

use super::{OBJECT_CALL, written};
use crate::dialect::facts::Facts;
use crate::dialect::shape::Shape;
use crate::dialect::template::Template;

/// The common shape. Results are messages of the role `tool`.
fn shape() -> Shape {
    Shape {
        name: "json-array".into(),
        about: "<tool_calls>[{\"name\": …, \"arguments\": {…}}]</tool_calls>, and its kin".into(),
        section: "<tool_calls>[{calls}]</tool_calls>".into(),
        call: OBJECT_CALL.into(),
        result: "{content}".into(),
        ..Shape::default()
    }
}

/// The dialect `json-array`.
pub(in crate::dialect) fn json_array() -> Facts {
    shape().facts()
}

/// The form of MiniMax M1: an object on each line.
pub(in crate::dialect) fn json_lines() -> Template {
    let section = "<tool_calls>\n{calls}\n</tool_calls>".into();
    Shape { section, ..shape() }.template()
}

/// The form of Nemotron v2.
pub(in crate::dialect) fn nemotron() -> Template {
    Shape {
        section: "<TOOLCALL>[{calls}]</TOOLCALL>".into(),
        results: "<TOOL_RESPONSE>[{result}, {result}]</TOOL_RESPONSE>".into(),
        ..shape()
    }
    .template()
}

/// The form of InternLM and Intern-S1: one call.
pub(in crate::dialect) fn internlm() -> Template {
    let call =
        "<|action_start|><|plugin|>\n{\"name\": {name}, \"parameters\": {arguments}}<|action_end|>";
    written(call).template()
}

/// The form of Apertus: the key of an object is the name.
pub(in crate::dialect) fn apertus() -> Template {
    Shape {
        section: "<|tools_prefix|>[{calls}]<|tools_suffix|>".into(),
        call: "{\"{name}\": {arguments}}".into(),
        results: "[{result}, {result}]".into(),
        ..shape()
    }
    .template()
}
