//! `kimi-k3`: special tokens for `<`, `</` and `>`.
//!
//! ```text
//! call  := "<|open|>call" ws "tool" ws "=" ws ATTR … "<|sep|>" ( param* | json ) "<|close|>call<|sep|>"
//! param := "<|open|>argument" ws "key" ws "=" ws ATTR ( ws "type" ws "=" ws ATTR )? … "<|sep|>" value
//!          "<|close|>argument<|sep|>"
//! json  := "<|open|>json" … "<|sep|>" ws object "<|close|>json<|sep|>"
//! ```
//! Types; entities in attributes, which may stand in another order. Reasoning is in `think`, text in `response`.

use std::borrow::Cow::Borrowed;

use super::{Invoke, PROMPT, plain};
use crate::dialect::build::rule;
use crate::dialect::parts::{prose_with, reasoning_between};
use crate::dialect::spec::{DialectSpec, Framing};
use crate::dialect::template::{CALL, CallForm, Template, params, results, stop};
use crate::event::TypeHint;
use crate::pattern;

const TAGS: Invoke = Invoke {
    open: &["<|open|>tools<|sep|>"],
    close: &["<|close|>tools<|sep|>"],
    invoke: &["<|open|>call"],
    end_invoke: &["<|close|>call<|sep|>"],
    param: &["<|open|>argument"],
    end_param: &["<|close|>argument<|sep|>"],
    end: "<|sep|>",
    boundary: &["<|close|>message<|sep|>", "<|end_of_msg|>"],
    tokens: true,
    framing: Framing::None,
    attributes: ["tool", "key", "type"],
    hints: &[
        ("string", TypeHint::String),
        ("number", TypeHint::Json),
        ("boolean", TypeHint::Json),
        ("null", TypeHint::Json),
        ("object", TypeHint::Json),
        ("array", TypeHint::Json),
    ],
    object: Some([&["<|open|>json"], &["<|close|>json<|sep|>"]]),
    any_order: Some("index"),
    entities: true,
    ..plain::TAGS
};

/// The dialect `kimi-k3`.
pub(in crate::dialect) fn kimi_k3() -> DialectSpec {
    let about = "<|open|>call tool=\"…\"<|sep|>, arguments with types, all in special tokens";
    let rest = TAGS.rest();
    let mut text = TAGS.text();
    for tag in ["<|open|>response", "<|open|>message"] {
        text.push(rule(pattern![tag, rest, "<|sep|>"]));
    }
    text.push(rule(pattern!["<|close|>response<|sep|>"]));
    let think = pattern!["<|open|>think", rest, "<|sep|>"];
    let reasoning = reasoning_between(think, pattern!["<|close|>think<|sep|>"]);
    let spec = TAGS.dialect("kimi-k3", about, template());
    DialectSpec { prose: prose_with(text, reasoning), ..spec }
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            section_open: Borrowed("<|open|>tools<|sep|>"),
            open: Borrowed("<|open|>call tool=\"{name_attribute}\" index=\"{number}\"<|sep|>"),
            arguments: params(
                "<|open|>argument key=\"{key_attribute}\" type=\"{type}\"<|sep|>",
                "<|close|>argument<|sep|>",
            ),
            close: Borrowed("<|close|>call<|sep|>"),
            section_close: Borrowed("<|close|>tools<|sep|>"),
            ..CALL
        },
        result: results(
            "<|open|>message role=\"tool\" tool=\"{name_attribute}\" index=\"{number}\"<|sep|>\
             {content}<|close|>message<|sep|><|end_of_msg|>",
            "<|open|>message role=\"tool\" tool=\"{name_attribute}\" index=\"{number}\"<|sep|>\
             Error: {content}<|close|>message<|sep|><|end_of_msg|>",
            "",
        ),
        stop: stop(&[Borrowed("<|close|>tools<|sep|>")], &[]),
    }
}
