//! `command-r`: calls have ids; text may stand between tokens of its own.

use std::borrow::Cow::Borrowed;

use super::{PROMPT, markup};
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::DialectSpec;
use crate::dialect::template::{ResultForm, stop};

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
        results: Some(ResultForm {
            open: Borrowed("<|START_TOOL_RESULT|>[\n"),
            ok: Borrowed(
                "    {\n        \"tool_call_id\": \"{id}\",\n        \"results\": {\n            \
             \"0\": {json}\n        },\n        \"is_error\": null\n    }",
            ),
            error: Borrowed(
                "    {\n        \"tool_call_id\": \"{id}\",\n        \"results\": {\n            \
             \"0\": {json}\n        },\n        \"is_error\": true\n    }",
            ),
            between: Borrowed(",\n"),
            close: Borrowed("\n]<|END_TOOL_RESULT|>"),
        }),
        stop: Some(stop(&[Borrowed("<|END_ACTION|>")], &[Borrowed("<|START_TOOL_RESULT|>")])),
        ..Shape::default()
    };
    shape.built_in()
}
