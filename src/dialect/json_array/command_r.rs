//! `command-r`: calls have ids; text may stand between tokens of its own.

use super::{PROMPT, markup};
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::DialectSpec;

const RESULT: &str = "    {
        \"tool_call_id\": \"{id}\",
        \"results\": {
            \"0\": {json}
        },
        \"is_error\": {is_error}
    }";

/// The dialect `command-r`.
pub(in crate::dialect) fn command_r() -> DialectSpec {
    let shape = Shape {
        name: "command-r".into(),
        about: "<|START_ACTION|>[{\"tool_call_id\": …, \"tool_name\": …, \"parameters\": {…}}]"
            .into(),
        section: "<|START_ACTION|>[\n{calls}\n]<|END_ACTION|>".into(),
        call:
            "    {\"tool_call_id\": \"{id}\", \"tool_name\": {name}, \"parameters\": {arguments}}"
                .into(),
        between: Some(",\n".into()),
        id: "{index}".into(),
        reasoning: Some("<|START_THINKING|>{reasoning}<|END_THINKING|>".into()),
        // After a turn's end stands the header of the next one.
        tokens: texts(&[
            "<|END_OF_TURN_TOKEN|>",
            "<|START_OF_TURN_TOKEN|>",
            "<|CHATBOT_TOKEN|>",
            "<|USER_TOKEN|>",
            "<|SYSTEM_TOKEN|>",
        ]),
        special: true,
        also_rules: vec![markup(&[
            "<|START_RESPONSE|>",
            "<|END_RESPONSE|>",
            "<|START_TEXT|>",
            "<|END_TEXT|>",
        ])],
        prompt: Some(PROMPT),
        result: RESULT.replace("{is_error}", "null").into(),
        error: RESULT.replace("{is_error}", "true").into(),
        results: "<|START_TOOL_RESULT|>[\n{result},\n{result}\n]<|END_TOOL_RESULT|>".into(),
        ..Shape::default()
    };
    shape.built_in()
}
