//! `llama3-json`: OPEN is the start of the message, or `<|python_tag|>` there; there is no CLOSE.
//!
//! An object counts if its first key is `"name"` with a string, or one of `"type"` `"id"` `"parameters"`
//! `"arguments"` `"function"`; any other is the answer. `<function=N>{…}</function>` counts anywhere.

use std::borrow::Cow::Borrowed;

use super::{Arrays, HEADER, OBJECTS, PLAIN, written};
use crate::dialect::build::{one_of, prefixed};
use crate::dialect::parts::opener;
use crate::dialect::spec::{At, DialectSpec, Flags, Name, Pattern, Place, WS};
use crate::dialect::template::{CALL, CallForm, Template, stop};
use crate::pattern;

/// The dialect `llama3-json`.
pub(in crate::dialect) fn llama3_json() -> DialectSpec {
    let keys: &[&str] = &["\"type\"", "\"id\"", "\"parameters\"", "\"arguments\"", "\"function\""];
    let members = [pattern!["\"name\"", WS, ":", WS, "\""], pattern![keys, WS, ":"]];
    let object = prefixed(pattern!["{", WS], &members);
    let begin = [prefixed(pattern!["[", WS], &object), object].concat();
    let first = |mark: Pattern| {
        opener(mark, 0, &begin).needs(Flags::STREAM_START).open(Place::Section(OBJECTS))
    };
    let function = pattern!["<function=", WS, Name::tool(), WS, ">"];
    let more = vec![
        first(pattern![At::Start, WS]),
        first(pattern![At::Start, WS, "<|python_tag|>"]),
        opener(function, 0, &[pattern!["{", WS, one_of("\"}")]]).open(Place::Call(HEADER)),
    ];
    let arrays = Arrays {
        members: members.to_vec(),
        more,
        end_call: &["</function>"],
        boundary: &["<|eot_id|>", "<|eom_id|>"],
        ..Arrays::default()
    };
    let about = "the whole message is {\"name\": …, \"parameters\": {…}}";
    arrays.dialect(DialectSpec::new("llama3-json", about, template()))
}

/// How it is written: results are messages of the role `ipython`.
fn template() -> Template {
    written(
        CallForm {
            open: Borrowed("{\"name\": {json_name}, \"parameters\": "),
            close: Borrowed("}"),
            between: Borrowed("; "),
            ..CALL
        },
        PLAIN,
        stop(&[], &[Borrowed("<|start_header_id|>")]),
    )
}
