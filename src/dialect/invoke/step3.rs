//! `step3`: `steptml:` in the tags; each call between a lead (begin, word and separator) and an end,
//! which may be missing.

use std::borrow::Cow::Borrowed;

use super::{Invoke, Lead, PROMPT, plain};
use crate::dialect::spec::DialectSpec;
use crate::dialect::template::{CallForm, LINES, ResultForm, Template, params, stop};

const TAGS: Invoke = Invoke {
    open: &["<｜tool_calls_begin｜>"],
    close: &["<｜tool_calls_end｜>"],
    lead: Some(Lead {
        begin: "<｜tool_call_begin｜>",
        separator: "<｜tool_sep｜>",
        end: "<｜tool_call_end｜>",
    }),
    invoke: &["<steptml:invoke"],
    end_invoke: &["</steptml:invoke>"],
    param: &["<steptml:parameter"],
    end_param: &["</steptml:parameter>"],
    boundary: &["<｜end▁of▁sentence｜>", "<|EOT|>", "<｜tool_sep｜>"],
    tokens: true,
    special: Some(&["<｜tool_call_end｜>"]),
    ..plain::TAGS
};

/// The dialect `step3`.
pub(in crate::dialect) fn step3() -> DialectSpec {
    let about = "<｜tool_calls_begin｜>, a section of <steptml:invoke name=\"…\">";
    TAGS.dialect("step3", about, template())
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            section_open: Borrowed("<｜tool_calls_begin｜>\n"),
            open: Borrowed(
                "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"{name}\">\n",
            ),
            arguments: params("<steptml:parameter name=\"{key}\">", "</steptml:parameter>\n"),
            close: Borrowed("</steptml:invoke><｜tool_call_end｜>"),
            section_close: Borrowed("\n<｜tool_calls_end｜>"),
            ..LINES
        },
        result: ResultForm {
            open: Borrowed("<｜tool_outputs_begin｜>\n"),
            ok: Borrowed("<｜tool_output_begin｜>{content}<｜tool_output_end｜>\n"),
            error: Borrowed("<｜tool_output_begin｜>Error: {content}<｜tool_output_end｜>\n"),
            between: Borrowed(""),
            close: Borrowed("<｜tool_outputs_end｜>"),
        },
        stop: stop(&[Borrowed("<｜tool_calls_end｜>")], &[Borrowed("<｜tool_outputs_begin｜>")]),
    }
}
