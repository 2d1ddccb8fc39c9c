//! `solar-open`.
//!
//! ```text
//! header := NAME? "<|tool_call:name|>" NAME "<|tool_call:args|>"          the first one is the id
//! ```

use std::borrow::Cow::Borrowed;

use super::{Markers, PROMPT};
use crate::dialect::parts::prose_between;
use crate::dialect::spec::{DialectSpec, Name, WS};
use crate::dialect::template::{CALL, CallForm, NO_STOP, ResultForm, Template};
use crate::pattern;

/// The dialect `solar-open`.
pub(in crate::dialect) fn solar_open() -> DialectSpec {
    const NAME: &str = "<|tool_call:name|>";
    const ARGUMENTS: &str = "<|tool_call:args|>";
    let markers = Markers {
        open: &["<|tool_calls|>"],
        close: &["<|calls|>"],
        begin: "<|tool_call:begin|>",
        end: &["<|tool_call:end|>"],
        header: vec![pattern![Name::id().optional(), WS, NAME, WS, Name::tool(), WS, ARGUMENTS]],
        last: ARGUMENTS,
        tokens: false,
        fenced: false,
        boundary: &["<|begin|>assistant", "<|begin|>", "<|content|>", "<|flush|>", "<|end|>"],
    };
    let spec = markers.dialect(DialectSpec {
        id: "call{index}".into(),
        ..DialectSpec::new(
            "solar-open",
            "<|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>{…}<|tool_call:end|>",
            template(),
        )
    });
    let prose = prose_between(markers.text(), &["<|think|>"], &["<|end|>"]);
    DialectSpec { prose, ..spec }
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            section_open: Borrowed("<|tool_calls|>"),
            open: Borrowed("<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>"),
            close: Borrowed("<|tool_call:end|>"),
            section_close: Borrowed("<|calls|>"),
            ..CALL
        },
        result: ResultForm {
            open: Borrowed("<|begin|>tool<|tool_response|>"),
            ok: Borrowed(
                "<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>{content}\
                 <|tool_response:end|>",
            ),
            error: Borrowed(
                "<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>Error: \
                 {content}<|tool_response:end|>",
            ),
            between: Borrowed(""),
            close: Borrowed("<|end|>"),
        },
        stop: NO_STOP,
    }
}
