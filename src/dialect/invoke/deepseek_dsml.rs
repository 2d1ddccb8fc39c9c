//! `deepseek-dsml`: `｜DSML｜`, perhaps with a blank after it, in all tags; values verbatim, of the type
//! that `string="true"` or `"false"` says; an object may stand in place of the parameters.
//!
//! `gigachat35` is the same with `GCML` and other stop tokens.

use std::borrow::Cow::Borrowed;

use super::{Invoke, plain};
use crate::dialect::spec::{DialectSpec, Framing};
use crate::dialect::template::{
    CallForm, LINES, PromptForm, ResultForm, Template, params, results, stop,
};
use crate::event::TypeHint;

const TAGS: Invoke = Invoke {
    open: &[
        "<｜DSML｜function_calls>",
        "<｜DSML｜tool_calls>",
        "<｜DSML｜ calls>",
        "<｜DSML｜calls>",
        "<｜DSML｜toolcalls>",
    ],
    close: &[
        "</｜DSML｜function_calls>",
        "</｜DSML｜tool_calls>",
        "</｜DSML｜ calls>",
        "</｜DSML｜calls>",
        "</｜DSML｜toolcalls>",
    ],
    invoke: &["<｜DSML｜invoke", "<｜DSML｜ invoke"],
    end_invoke: &["</｜DSML｜invoke>", "</｜DSML｜ invoke>"],
    param: &["<｜DSML｜parameter", "<｜DSML｜ parameter"],
    end_param: &["</｜DSML｜parameter>", "</｜DSML｜ parameter>"],
    boundary: &["<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"],
    framing: Framing::None,
    hints: &[("true", TypeHint::String), ("false", TypeHint::Json), ("", TypeHint::Json)],
    object: Some([&[], &[]]),
    special: Some(&["</｜DSML｜invoke>", "</｜DSML｜ invoke>"]),
    ..plain::TAGS
};

/// The dialect `deepseek-dsml`.
pub(in crate::dialect) fn deepseek_dsml() -> DialectSpec {
    let about = "<｜DSML｜tool_calls>, a section of <｜DSML｜invoke name=\"…\">, with types";
    TAGS.dialect("deepseek-dsml", about, template())
}

/// The dialect `gigachat35`.
pub(in crate::dialect) fn gigachat35() -> DialectSpec {
    let base = Invoke { boundary: &["<|message_sep|>", "</s>"], ..TAGS };
    let about = "<｜DSML｜tool_calls>, as DeepSeek's, with tags of its own";
    let base = base.dialect("deepseek-dsml", about, template());
    base.relative("gigachat35", &[("DSML", "GCML")])
}

/// How it is written: as V4 writes it.
fn template() -> Template {
    Template {
        prompt: PromptForm {
            text: Borrowed(
                "\
## Tools

You have tools in this conversation. You call one by writing a block like this:

{form}

$TOOL_NAME stands for the name of a tool and $PARAMETER_NAME for the name of one of its \
parameters, with its value as $PARAMETER_VALUE; a call has one such line for each parameter \
that you give. With string=\"true\" the value is a text as it is, without quotes and escapes; \
for lists, objects, numbers and booleans write string=\"false\" and the value as JSON. Give \
every required parameter.

{limit}

These are the tools, each with the JSON Schema of its parameters:
<functions>
{tools}
</functions>

{example}",
            ),
            tool: Borrowed("{tool}"),
            ..plain::template().prompt
        },
        call: CallForm {
            section_open: Borrowed("<｜DSML｜tool_calls>\n"),
            open: Borrowed("<｜DSML｜invoke name=\"{name}\">\n"),
            arguments: params(
                "<｜DSML｜parameter name=\"{key}\" string=\"{is_string}\">",
                "</｜DSML｜parameter>\n",
            ),
            close: Borrowed("</｜DSML｜invoke>"),
            section_close: Borrowed("\n</｜DSML｜tool_calls>"),
            ..LINES
        },
        result: results(
            "<tool_result>{content}</tool_result>",
            "<tool_result>Error: {content}</tool_result>",
            "\n",
        ),
        stop: stop(&[Borrowed("</｜DSML｜tool_calls>")], &[Borrowed("<tool_result>")]),
    }
}

/// Of DeepSeek V3.2.
pub(in crate::dialect) fn dsml_v32() -> Template {
    Template {
        call: CallForm {
            section_open: Borrowed("<｜DSML｜function_calls>\n"),
            section_close: Borrowed("\n</｜DSML｜function_calls>"),
            ..template().call
        },
        result: ResultForm {
            open: Borrowed("\n\n<function_results>"),
            ok: Borrowed("\n<result>{content}</result>"),
            error: Borrowed("\n<result>Error: {content}</result>"),
            between: Borrowed(""),
            close: Borrowed("\n</function_results>"),
        },
        stop: stop(&[Borrowed("</｜DSML｜function_calls>")], &[Borrowed("<function_results>")]),
        ..template()
    }
}

/// Of DeepSeek V4.1: with a blank in all tags.
pub(in crate::dialect) fn dsml_v41() -> Template {
    Template {
        call: CallForm {
            section_open: Borrowed("<｜DSML｜ calls>\n"),
            open: Borrowed("<｜DSML｜ invoke name=\"{name}\">\n"),
            arguments: params(
                "<｜DSML｜ parameter name=\"{key}\" string=\"{is_string}\">",
                "</｜DSML｜ parameter>\n",
            ),
            close: Borrowed("</｜DSML｜ invoke>"),
            section_close: Borrowed("\n</｜DSML｜ calls>"),
            ..template().call
        },
        stop: stop(&[Borrowed("</｜DSML｜ calls>")], &[Borrowed("<tool_result>")]),
        ..template()
    }
}
