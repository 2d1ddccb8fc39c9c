//! How `hermes`, `qwen3-coder`, `glm` and `tool-call` are written.

use std::borrow::Cow::Borrowed;

use super::{
    ArgumentsForm, CallForm, LIMITS, LINES, LineBreaks, PARAM, ParamForm, Placeholders, PromptForm,
    ResultForm, StopForm, Template, Text,
};

const CLOSER: Text = Borrowed("</tool_call>");
const RESPONSE: Text = Borrowed("<tool_response>");

const RESULT: ResultForm = ResultForm {
    open: Borrowed(""),
    ok: Borrowed("<tool_response>\n{content}\n</tool_response>"),
    error: Borrowed("<tool_response>\nError: {content}\n</tool_response>"),
    between: Borrowed("\n"),
    close: Borrowed(""),
};

/// The tools as JSON lines, as chat templates write them.
pub(super) const JSON_LINE: &str = "{\"type\": \"function\", \"function\": {tool}}";

/// Of `hermes`.
pub(crate) const HERMES: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You can call tools. Each line between these tags is one of them, as JSON with a JSON Schema of its \
parameters:
<tools>
{tools}
</tools>

To call a tool, write one JSON object with its name and its arguments, between tags like these:
{form}

The arguments must fit the schema, with every required one; a tool without parameters gets {}. \
Everything between the tags is JSON: quotes and line breaks in strings are escaped.
{limit}

{example}",
        ),
        tool: Borrowed(JSON_LINE),
        between: Borrowed("\n"),
        example: Borrowed("For example:\n{call}"),
        placeholders: Placeholders {
            name: Borrowed("tool_name"),
            params: Borrowed(&[(Borrowed("parameter_name"), Borrowed("value"))]),
        },
        limits: LIMITS,
    },
    call: CallForm {
        open: Borrowed("<tool_call>\n{\"name\": {json_name}, \"arguments\": "),
        close: Borrowed("}\n</tool_call>"),
        ..LINES
    },
    result: RESULT,
    stop: StopForm { after_call: Borrowed(&[CLOSER]), invented: Borrowed(&[RESPONSE]) },
};

/// Of `qwen3-coder`.
pub(crate) const QWEN3_CODER: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

These are the tools that you can call:

<tools>
{tools}
</tools>

To call one, reply in this form, with nothing behind it:

{form}

- The function stands between the outer tags, and each of its parameters in a tag of its own. Give \
every required parameter.
- Write strings as they are, without escapes, also over several lines; lists, objects, numbers and \
booleans as JSON.
- What you want to say about the call, you say before it.
- {limit}

{example}",
        ),
        tool: Borrowed(
            "\
<function>
<name>{name}</name>
<description>{description}</description>
<parameters>
{elements}
</parameters>
</function>",
        ),
        between: Borrowed("\n"),
        example: Borrowed("For example:\n{call}"),
        placeholders: Placeholders {
            name: Borrowed("tool_name"),
            params: Borrowed(&[
                (Borrowed("parameter_1"), Borrowed("value 1")),
                (Borrowed("parameter_2"), Borrowed("value 2,\npossibly\nseveral lines")),
            ]),
        },
        limits: LIMITS,
    },
    call: CallForm {
        open: Borrowed("<tool_call>\n<function={name}>\n"),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<parameter={key}>"),
            close: Borrowed("</parameter>\n"),
            line_breaks: LineBreaks::Always,
            ..PARAM
        }),
        close: Borrowed("</function>\n</tool_call>"),
        ..LINES
    },
    ..HERMES
};

/// Of `glm`.
pub(crate) const GLM: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You can call tools. Each line between these tags is one of them, as JSON with a JSON Schema of its \
parameters:
<tools>
{tools}
</tools>

To call a tool, write its name, and then a key and a value for each argument, in this form:
{form}

Give every required argument. Write strings as they are, without quotes and escapes; lists, \
objects, numbers and booleans as JSON.
{limit}

{example}",
        ),
        tool: Borrowed(JSON_LINE),
        between: Borrowed("\n"),
        example: Borrowed("For example:\n{call}"),
        placeholders: Placeholders {
            name: Borrowed("tool_name"),
            params: Borrowed(&[
                (Borrowed("key_1"), Borrowed("value 1")),
                (Borrowed("key_2"), Borrowed("value 2")),
            ]),
        },
        limits: LIMITS,
    },
    call: CallForm {
        open: Borrowed("<tool_call>{name}\n"),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<arg_key>{key}</arg_key>\n<arg_value>"),
            close: Borrowed("</arg_value>\n"),
            kind: 1,
            line_breaks: LineBreaks::Always,
            ..PARAM
        }),
        close: Borrowed("</tool_call>"),
        ..LINES
    },
    result: RESULT,
    // Not the closer of the call: the call needs it.
    stop: StopForm {
        after_call: Borrowed(&[]),
        invented: Borrowed(&[Borrowed("<|observation|>"), RESPONSE]),
    },
};

/// Of `tool-call`: as `hermes`, but the body may be one that needs the closer.
pub(crate) const TOOL_CALL: Template = Template {
    stop: StopForm { after_call: Borrowed(&[]), invented: Borrowed(&[RESPONSE]) },
    ..HERMES
};
