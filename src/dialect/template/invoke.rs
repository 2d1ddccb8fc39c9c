//! How the dialects of invocations beside `invoke` are written: `minimax-m2`, `deepseek-dsml`
//! (and `gigachat35`), `dots`, `step3`, `kimi-k3`, `muse`, `minicpm5`, `minimax-m3`,
//! `cohere-cofl`.

use std::borrow::Cow::Borrowed;

use super::{
    ArgumentsForm, CALL, CallForm, INVOKE, LIMITS, LINES, NO_STOP, PARAM, ParamForm, Placeholders,
    PromptForm, ResultForm, StopForm, Template, Text,
};

const RESPONSE: Text = Borrowed("<tool_response>");

/// One element for each result, with nothing round them.
const fn results(ok: &'static str, error: &'static str, between: &'static str) -> ResultForm {
    ResultForm {
        open: Borrowed(""),
        ok: Borrowed(ok),
        error: Borrowed(error),
        between: Borrowed(between),
        close: Borrowed(""),
    }
}

/// What stands in a form that is shown with tags.
const NAMES: Placeholders = Placeholders {
    name: Borrowed("tool_name"),
    params: Borrowed(&[(Borrowed("parameter_name"), Borrowed("value"))]),
};

/// The tools as JSON lines between tags, then the form.
const PROMPT: PromptForm = PromptForm {
    text: Borrowed(
        "\
# Tools

You can call tools. Each line between these tags is one of them, as JSON with a JSON Schema of its \
parameters:
<tools>
{tools}
</tools>

To call a tool, write its name and a value for each parameter that you give, in this form:
{form}

Give every required parameter. Write strings as they are, without quotes and escapes; lists, \
objects, numbers and booleans as JSON.
{limit}

{example}",
    ),
    tool: Borrowed("{\"type\": \"function\", \"function\": {tool}}"),
    between: Borrowed("\n"),
    example: Borrowed("For example:\n{call}"),
    placeholders: NAMES,
    limits: LIMITS,
};

/// Of `minimax-m2`, and of `invoke` in MiniMax's section.
pub(crate) const MINIMAX: Template = Template {
    prompt: PromptForm { tool: Borrowed("<tool>{tool}</tool>"), ..PROMPT },
    call: CallForm {
        section_open: Borrowed("<minimax:tool_call>\n"),
        section_close: Borrowed("\n</minimax:tool_call>"),
        ..INVOKE.call
    },
    result: results(
        "<response>{content}</response>",
        "<response>Error: {content}</response>",
        "\n",
    ),
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("</minimax:tool_call>")]),
        invented: Borrowed(&[]),
    },
};

/// Of `deepseek-dsml`: as V4 writes it.
pub(crate) const DEEPSEEK_DSML: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
## Tools

You have tools in this conversation. You call one by writing a block like this:

{form}

$TOOL_NAME stands for the name of a tool and $PARAMETER_NAME for the name of one of its parameters, \
with its value as $PARAMETER_VALUE; a call has one such line for each parameter that you give. \
With string=\"true\" the value is a text as it is, without quotes and escapes; for lists, objects, \
numbers and booleans write string=\"false\" and the value as JSON. Give every required parameter.

{limit}

These are the tools, each with the JSON Schema of its parameters:
<functions>
{tools}
</functions>

{example}",
        ),
        tool: Borrowed("{tool}"),
        ..INVOKE.prompt
    },
    call: CallForm {
        section_open: Borrowed("<｜DSML｜tool_calls>\n"),
        open: Borrowed("<｜DSML｜invoke name=\"{name}\">\n"),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<｜DSML｜parameter name=\"{key}\" string=\"{is_string}\">"),
            close: Borrowed("</｜DSML｜parameter>\n"),
            ..PARAM
        }),
        close: Borrowed("</｜DSML｜invoke>"),
        section_close: Borrowed("\n</｜DSML｜tool_calls>"),
        ..LINES
    },
    result: results(
        "<tool_result>{content}</tool_result>",
        "<tool_result>Error: {content}</tool_result>", "\n"),
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("</｜DSML｜tool_calls>")]),
        invented: Borrowed(&[Borrowed("<tool_result>")]),
    },
};

/// Of `dots`.
pub(crate) const DOTS: Template = Template {
    prompt: PROMPT,
    call: CallForm {
        section_open: Borrowed("<dots_function_call>\n"),
        section_close: Borrowed("\n</dots_function_call>"),
        ..INVOKE.call
    },
    result: results(
        "<dots_function_response>\n{content}\n</dots_function_response>",
        "<dots_function_response>\nError: {content}\n</dots_function_response>",
        "\n",
    ),
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("</dots_function_call>")]),
        invented: Borrowed(&[Borrowed("<dots_function_response>")]),
    },
};

/// Of `step3`.
pub(crate) const STEP3: Template = Template {
    prompt: PROMPT,
    call: CallForm {
        section_open: Borrowed("<｜tool_calls_begin｜>\n"),
        open: Borrowed(
            "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"{name}\">\n",
        ),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<steptml:parameter name=\"{key}\">"),
            close: Borrowed("</steptml:parameter>\n"),
            ..PARAM
        }),
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
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("<｜tool_calls_end｜>")]),
        invented: Borrowed(&[Borrowed("<｜tool_outputs_begin｜>")]),
    },
};

/// Of `kimi-k3`.
pub(crate) const KIMI_K3: Template = Template {
    prompt: PROMPT,
    call: CallForm {
        section_open: Borrowed("<|open|>tools<|sep|>"),
        open: Borrowed("<|open|>call tool=\"{name_attribute}\" index=\"{number}\"<|sep|>"),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<|open|>argument key=\"{key_attribute}\" type=\"{type}\"<|sep|>"),
            close: Borrowed("<|close|>argument<|sep|>"),
            ..PARAM
        }),
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
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("<|close|>tools<|sep|>")]),
        invented: Borrowed(&[]),
    },
};

/// Of `muse`.
pub(crate) const MUSE: Template = Template {
    prompt: PROMPT,
    call: CallForm {
        open: Borrowed(
            "<|start|>assistant to={name}<|message|><atem:function_calls>\n\
             <atem:invoke name=\"{name}\">\n",
        ),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<atem:parameter name=\"{key}\">"),
            close: Borrowed("</atem:parameter>\n"),
            ..PARAM
        }),
        close: Borrowed("</atem:invoke>\n</atem:function_calls>"),
        between: Borrowed("<|eom|>"),
        section_close: Borrowed("<|eot|>"),
        ..CALL
    },
    result: results(
        "<|start|>tool {name}<|message|><tool_output name=\"{name}\">\n{content}\n</tool_output>\
         <|eot|>",
        "<|start|>tool {name}<|message|><tool_output name=\"{name}\">\nError: {content}\n\
         </tool_output><|eot|>",
        "",
    ),
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("</atem:function_calls>")]),
        invented: Borrowed(&[Borrowed("<|start|>tool")]),
    },
};

/// Of `minicpm5`.
pub(crate) const MINICPM5: Template = Template {
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
    stop: StopForm { invented: Borrowed(&[RESPONSE]), ..NO_STOP },
};

/// Of `minimax-m3`.
pub(crate) const MINIMAX_M3: Template = Template {
    prompt: PromptForm { tool: Borrowed("<tool>{tool}</tool>"), ..PROMPT },
    call: CallForm {
        section_open: Borrowed("]<]minimax[>[<tool_call>\n"),
        open: Borrowed("]<]minimax[>[<invoke name=\"{name}\">"),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("]<]minimax[>[<{key}>"),
            close: Borrowed("]<]minimax[>[</{key}>"),
            items: Borrowed("item"),
            ..PARAM
        }),
        close: Borrowed("]<]minimax[>[</invoke>\n"),
        section_close: Borrowed("]<]minimax[>[</tool_call>"),
        ..CALL
    },
    result: results(
        "<response>{content}</response>",
        "<response>Error: {content}</response>",
        "\n",
    ),
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("]<]minimax[>[</tool_call>")]),
        invented: Borrowed(&[]),
    },
};

/// Of `cohere-cofl`.
pub(crate) const COHERE_COFL: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its parameters:
{tools}

To call a tool, write its name and a parameter element for each value that you give, in this form:
{form}

With string=\"true\" the value is a text as it is, without quotes and escapes; for lists, objects, \
numbers and booleans write string=\"false\" and the value as JSON. Give every required parameter, and \
number the calls by their ids, from 0.
{limit}

{example}",
        ),
        ..PROMPT
    },
    call: CallForm {
        section_open: Borrowed("<cofl:tool_calls>\n"),
        open: Borrowed("<cofl:tool_call id=\"{id}\" name=\"{name_attribute}\">"),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<cofl:tool_param name=\"{key_attribute}\" string=\"{is_string}\">"),
            close: Borrowed("</cofl:tool_param>"),
            ..PARAM
        }),
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
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("</cofl:tool_calls>")]),
        invented: Borrowed(&[Borrowed("<cofl:tool_results>")]),
    },
};
