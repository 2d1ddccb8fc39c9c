//! `command-r`: OPEN is `<|START_ACTION|>`, CLOSE `<|END_ACTION|>`. Calls have ids; text may stand between
//! tokens of its own.

use std::borrow::Cow::Borrowed;

use super::{Arrays, markup, written};
use crate::dialect::parts::reasoning;
use crate::dialect::spec::DialectSpec;
use crate::dialect::template::{CALL, CallForm, ResultForm, Template, stop};
use crate::pattern;

/// The dialect `command-r`.
pub(in crate::dialect) fn command_r() -> DialectSpec {
    let tokens: &[&str] =
        &["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"];
    let arrays = Arrays {
        tokens: &["<|START_ACTION|>"],
        more: vec![markup(tokens)],
        // After a turn's end stands the header of the next one.
        boundary: &[
            "<|END_OF_TURN_TOKEN|>",
            "<|START_OF_TURN_TOKEN|>",
            "<|CHATBOT_TOKEN|>",
            "<|USER_TOKEN|>",
            "<|SYSTEM_TOKEN|>",
        ],
        reasoning: reasoning("<|START_THINKING|>", "<|END_THINKING|>"),
        ..Arrays::new(vec![pattern!["<|START_ACTION|>"]], &["<|END_ACTION|>"])
    };
    let about = "<|START_ACTION|>[{\"tool_call_id\": …, \"tool_name\": …, \"parameters\": {…}}]";
    let spec = DialectSpec::new("command-r", about, template());
    DialectSpec { ids: true, id: "{index}".into(), stripped: true, ..arrays.dialect(spec) }
}

/// How it is written.
fn template() -> Template {
    written(
        CallForm {
            section_open: Borrowed("<|START_ACTION|>[\n"),
            open: Borrowed(
                "    {\"tool_call_id\": \"{id}\", \"tool_name\": {json_name}, \"parameters\": ",
            ),
            close: Borrowed("}"),
            between: Borrowed(",\n"),
            section_close: Borrowed("\n]<|END_ACTION|>"),
            ..CALL
        },
        ResultForm {
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
        },
        stop(&[Borrowed("<|END_ACTION|>")], &[Borrowed("<|START_TOOL_RESULT|>")]),
    )
}
