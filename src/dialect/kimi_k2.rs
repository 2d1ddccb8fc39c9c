//! `kimi-k2`.
//!
//! ```text
//! header := ID ws "<|tool_call_argument_begin|>"           ID := "functions."? NAME ( ":" digits )?
//! ```
//! ID, whole, is the call's id. Openers count by themselves: they are special tokens. Where a token or more
//! is missing:
//!
//! * half a header, up to the next token, is markup (`malformed_call`), and so is an argument token without a
//!   header, with its object;
//! * in a section the token that begins a call may be missing before `NAME:digits` of a declared tool;
//! * if ID names no declared tool, the arguments may name one: `{"name": N, "arguments": {…}}`;
//! * if ID is all digits, the tool is the one known tool whose parameters include all keys of the arguments.
//!   (Both are `inferred_name`. With none or several there is no call.)

use super::facts::Facts;
use super::shape::Shape;
use super::template::NO_STOP;

/// The dialect `kimi-k2`.
pub(in crate::dialect) fn kimi_k2() -> Facts {
    Shape {
        name: "kimi-k2".into(),
        about:
            "<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>"
                .into(),
        section: "<|tool_calls_section_begin|>{calls}<|tool_calls_section_end|>".into(),
        call: "<|tool_call_begin|>{id}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"
            .into(),
        between: Some("".into()),
        id: "functions.{name}:{index}".into(),
        result: "<|im_system|>tool<|im_middle|>## Return of {id}\n{content}<|im_end|>".into(),
        results: "{result}{result}".into(),
        invented: Some("".into()),
        stop: Some(NO_STOP),
        ..Shape::default()
    }
    .facts()
}
