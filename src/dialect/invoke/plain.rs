//! `invoke`: Anthropic's section or MiniMax's. One line break off each end of a value; calls in reasoning
//! are reasoning. The others of the family build on it.

use std::borrow::Cow::Borrowed;

use super::Invoke;
use crate::dialect::spec::{DialectSpec, Framing, Known};
use crate::dialect::template::{
    CallForm, LIMITS, LINES, Placeholders, PromptForm, ResultForm, Template, params, stop,
};
use crate::options::CallsInReasoning;

pub(super) const TAGS: Invoke = Invoke {
    open: &["<function_calls>", "<minimax:tool_call>"],
    close: &["</function_calls>", "</minimax:tool_call>"],
    bare: Some(Known::Declared),
    lead: None,
    invoke: &["<invoke"],
    end_invoke: &["</invoke>"],
    param: &["<parameter"],
    end_param: &["</parameter>"],
    end: ">",
    boundary: &[],
    framing: Framing::LineBreak,
    tokens: false,
    special: None,
    attributes: ["name", "name", "string"],
    hints: &[],
    object: None,
    cdata: false,
    id: None,
    types_first: false,
    number: None,
    entities: false,
    nests: None,
};

/// The dialect `invoke`.
pub(in crate::dialect) fn invoke() -> DialectSpec {
    let about = "a section of <invoke name=\"…\"><parameter name=\"…\">…</parameter></invoke>";
    let spec = TAGS.dialect("invoke", about, template());
    DialectSpec { calls_in_reasoning: CallsInReasoning::Ignore, ..spec }
}

/// How it is written.
pub(super) fn template() -> Template {
    Template {
        prompt: PromptForm {
            text: Borrowed(
                "\
You have tools in this conversation. You call one by writing a block like this:

{form}

$TOOL_NAME stands for the name of a tool and $PARAMETER_NAME for the name of one of its \
parameters, with its value as $PARAMETER_VALUE; a call has one such line for each parameter that \
you give. Write strings as they are, without escapes, and lists and objects as JSON. Give every \
required parameter.

{limit}

These are the tools, each with the JSON Schema of its parameters:
<functions>
{tools}
</functions>

{example}",
            ),
            tool: Borrowed("<function>{tool}</function>"),
            between: Borrowed("\n"),
            example: Borrowed("For example:\n{call}"),
            placeholders: Placeholders {
                name: Borrowed("$TOOL_NAME"),
                params: Borrowed(&[(Borrowed("$PARAMETER_NAME"), Borrowed("$PARAMETER_VALUE"))]),
            },
            limits: LIMITS,
        },
        call: CallForm {
            section_open: Borrowed("<function_calls>\n"),
            open: Borrowed("<invoke name=\"{name}\">\n"),
            arguments: params("<parameter name=\"{key}\">", "</parameter>\n"),
            close: Borrowed("</invoke>"),
            section_close: Borrowed("\n</function_calls>"),
            ..LINES
        },
        result: ResultForm {
            open: Borrowed("<function_results>\n"),
            ok: Borrowed(
                "<result>\n<tool_name>{name}</tool_name>\n<stdout>\n{content}\n</stdout>\n\
                 </result>\n",
            ),
            error: Borrowed("<error>\n{content}\n</error>\n"),
            between: Borrowed(""),
            close: Borrowed("</function_results>"),
        },
        stop: stop(&[Borrowed("</function_calls>")], &[]),
    }
}
