//! `minicpm5`: `<function name=…>`, `<param name=…>`, no section. Values are verbatim or in CDATA.

use std::borrow::Cow::Borrowed;

use super::{Invoke, PROMPT, plain};
use crate::dialect::spec::{DialectSpec, Framing, Known};
use crate::dialect::template::{
    ArgumentsForm, CallForm, LINES, PARAM, ParamForm, Template, results, stop,
};

const TAGS: Invoke = Invoke {
    open: &[],
    close: &[],
    bare: Some(Known::Any),
    invoke: &["<function"],
    end_invoke: &["</function>"],
    param: &["<param"],
    end_param: &["</param>"],
    boundary: &["<|im_end|>"],
    framing: Framing::None,
    cdata: true,
    ..plain::TAGS
};

/// The dialect `minicpm5`.
pub(in crate::dialect) fn minicpm5() -> DialectSpec {
    let about = "<function name=\"…\"><param name=\"…\">…</param></function>";
    TAGS.dialect("minicpm5", about, template())
}

/// How it is written.
fn template() -> Template {
    Template {
        prompt: PROMPT,
        call: CallForm {
            open: Borrowed("<function name=\"{name}\">"),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<param name=\"{key}\">"),
                close: Borrowed("</param>"),
                quotes: Some((Borrowed("<![CDATA["), Borrowed("]]>"))),
                ..PARAM
            }),
            close: Borrowed("</function>"),
            ..LINES
        },
        result: results(
            "<tool_response>\n{content}\n</tool_response>",
            "<tool_response>\nError: {content}\n</tool_response>",
            "\n",
        ),
        stop: stop(&[], &[Borrowed("<tool_response>")]),
    }
}
