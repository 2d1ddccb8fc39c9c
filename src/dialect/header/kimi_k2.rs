//! `kimi-k2`.
//!
//! ```text
//! header := ID ws "<|tool_call_argument_begin|>"           ID := "functions."? NAME ( ":" digits )?
//! ```
//! All of ID is the call's id. Openers count by themselves: they are special tokens. One dialect alone
//! has this: of an ID that is all digits the tool is the one known tool whose parameters include all
//! keys of the arguments (`inferred_name`); if there is none or several, there is no call.

use std::borrow::Cow::Borrowed;

use super::{ARGUMENTS, CALLS, Markers, PROMPT};
use crate::dialect::build::rule;
use crate::dialect::spec::{Chars, DialectSpec, Name, Place, WS};
use crate::dialect::template::{CALL, CallForm, NO_STOP, Template, results};
use crate::pattern;

/// The dialect `kimi-k2`.
pub(in crate::dialect) fn kimi_k2() -> DialectSpec {
    const ARGUMENT: &str = "<|tool_call_argument_begin|>";
    let markers = Markers {
        open: &["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"],
        close: &["<|tool_calls_section_end|>", "<|tool_call_section_end|>"],
        begin: "<|tool_call_begin|>",
        end: &["<|tool_call_end|>"],
        header: vec![pattern![Name::tool_id().prefix("functions."), WS, ARGUMENT]],
        last: ARGUMENT,
        tokens: true,
        fenced: false,
        boundary: &["<|im_end|>", "[EOS]"],
    };
    let mut spec = markers.dialect(DialectSpec {
        id: "functions.{name}:{index}".into(),
        ..DialectSpec::new(
            "kimi-k2",
            "<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>",
            template(),
        )
    });
    let number = Name::id().chars(Chars::only("0123456789"));
    let inferred = pattern![markers.begin, WS, number, WS, ARGUMENT, WS, "{"];
    spec.sections[CALLS as usize].rules.insert(1, rule(inferred).open(Place::Body(ARGUMENTS)));
    spec
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            section_open: Borrowed("<|tool_calls_section_begin|>"),
            open: Borrowed("<|tool_call_begin|>{id}<|tool_call_argument_begin|>"),
            close: Borrowed("<|tool_call_end|>"),
            section_close: Borrowed("<|tool_calls_section_end|>"),
            ..CALL
        },
        result: results(
            "<|im_system|>tool<|im_middle|>## Return of {id}\n{content}<|im_end|>",
            "<|im_system|>tool<|im_middle|>## Return of {id}\nError: {content}<|im_end|>",
            "",
        ),
        stop: NO_STOP,
    }
}
