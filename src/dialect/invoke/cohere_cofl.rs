//! `cohere-cofl`: `cofl:` in the tags; ids; types; entities in attributes. Beside parameters there are
//! elements with types, which nest.

use std::borrow::Cow::Borrowed;

use super::{Invoke, Nest, plain};
use crate::dialect::build::rule;
use crate::dialect::parts::{prose_with, reasoning};
use crate::dialect::spec::{DialectSpec, Framing};
use crate::dialect::template::{CallForm, LINES, ResultForm, Template, params, stop, tools_prompt};
use crate::event::TypeHint;
use crate::pattern;

const TAGS: Invoke = Invoke {
    open: &["<cofl:tool_calls>"],
    close: &["</cofl:tool_calls>"],
    invoke: &["<cofl:tool_call"],
    end_invoke: &["</cofl:tool_call>"],
    param: &["<cofl:tool_param"],
    end_param: &["</cofl:tool_param>"],
    boundary: &["<|END_OF_TURN_TOKEN|>"],
    framing: Framing::None,
    hints: &[
        ("true", TypeHint::String),
        ("false", TypeHint::Json),
        ("raw", TypeHint::String),
        ("json", TypeHint::Json),
        ("dict", TypeHint::Literal),
        ("list", TypeHint::Literal),
        ("", TypeHint::Json),
    ],
    id: Some("id"),
    types_first: true,
    entities: true,
    nests: Some(Nest { open: "<cofl:value", close: "</cofl:value", typed: Some("type") }),
    ..plain::TAGS
};

/// The dialect `cohere-cofl`.
pub(in crate::dialect) fn cohere_cofl() -> DialectSpec {
    let about = "<cofl:tool_calls>, parameters with types, or elements with types, which nest";
    let mut text = TAGS.text();
    text.push(rule(pattern![
        &["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"][..]
    ]));
    let spec = TAGS.dialect("cohere-cofl", about, template());
    let reasoning = reasoning("<|START_THINKING|>", "<|END_THINKING|>");
    DialectSpec { prose: prose_with(text, reasoning), id: "{index}".into(), ..spec }
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: tools_prompt!(
            "To call a tool, write its name and a parameter element for each value that you \
             give, in this form:",
            "With string=\"true\" the value is a text as it is, without quotes and escapes; for \
             lists, objects, numbers and booleans write string=\"false\" and the value as JSON. \
             Give every required parameter, and number the calls by their ids, from 0."
        ),
        call: CallForm {
            section_open: Borrowed("<cofl:tool_calls>\n"),
            open: Borrowed("<cofl:tool_call id=\"{id}\" name=\"{name_attribute}\">"),
            arguments: params(
                "<cofl:tool_param name=\"{key_attribute}\" string=\"{is_string}\">",
                "</cofl:tool_param>",
            ),
            close: Borrowed("</cofl:tool_call>"),
            section_close: Borrowed("\n</cofl:tool_calls>"),
            ..LINES
        },
        result: ResultForm {
            open: Borrowed("<cofl:tool_results>\n"),
            ok: Borrowed(
                "<cofl:tool_result id=\"{id}\" is_error=\"false\">\
                 <cofl:tool_result_item index=\"0\">{content}</cofl:tool_result_item>\
                 </cofl:tool_result>\n",
            ),
            error: Borrowed(
                "<cofl:tool_result id=\"{id}\" is_error=\"true\">\
                 <cofl:tool_result_item index=\"0\">{content}</cofl:tool_result_item>\
                 </cofl:tool_result>\n",
            ),
            between: Borrowed(""),
            close: Borrowed("</cofl:tool_results>"),
        },
        stop: stop(&[Borrowed("</cofl:tool_calls>")], &[Borrowed("<cofl:tool_results>")]),
    }
}
