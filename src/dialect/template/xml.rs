//! How `cline`, `code-assistant` and `invoke` are written.

use std::borrow::Cow::Borrowed;

use super::{
    ArgumentsForm, CallForm, LIMITS, LINES, LineBreaks, NO_STOP, PARAM, ParamForm, Placeholders,
    PromptForm, ResultForm, StopForm, Template,
};

/// A tool in words, with an example of its own.
const TOOL: &str = "\
### {name}
{description}
Parameters:{parameters}
{example}";

/// What stands in a form that is shown with tags.
const NAMES: Placeholders = Placeholders {
    name: Borrowed("tool_name"),
    params: Borrowed(&[
        (Borrowed("parameter1_name"), Borrowed("value1")),
        (Borrowed("parameter2_name"), Borrowed("value2, possibly\nseveral lines")),
    ]),
};

/// Of `cline`.
pub(crate) const CLINE: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You have tools to do your work with. {limit}

## How a call is written

The name of the tool is a tag, and in it each parameter is a tag of its own:

{form}

- Instead of tool_name and the names of the parameters, write the names from the list below, \
exactly as they stand there.
- Write tags without attributes, the call outside of code fences, and values as they are: no \
escapes, no entities. Lists and objects are written as JSON.
- Give every required parameter. Leave out an optional one that you do not need.
- Between the tags of a call there is nothing but white space.

## The tools

{tools}",
        ),
        tool: Borrowed(TOOL),
        between: Borrowed("\n\n"),
        example: Borrowed("Usage:\n{call}"),
        placeholders: NAMES,
        limits: LIMITS,
    },
    call: CallForm {
        open: Borrowed("<{name}>\n"),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<{key}>"),
            close: Borrowed("</{key}>\n"),
            line_breaks: LineBreaks::Always,
            ..PARAM
        }),
        close: Borrowed("</{name}>"),
        ..LINES
    },
    result: ResultForm {
        open: Borrowed(""),
        ok: Borrowed("[{name}] Result:\n{content}"),
        error: Borrowed("[{name}] Result: the tool failed.\n<error>\n{content}\n</error>"),
        between: Borrowed("\n\n"),
        close: Borrowed(""),
    },
    stop: NO_STOP,
};

/// Of `code-assistant`.
pub(crate) const CODE_ASSISTANT: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You have tools to do your work with. {limit}

## How a call is written

{form}

- Instead of tool_name and the names of the parameters, write the names from the list below, \
exactly as they stand there.
- Write values as they are: no escapes, no entities. One line stands right between its tags, \
several lines stand on lines of their own. Objects are written as JSON.
- To give a list, repeat the parameter, one element each, under the singular of its name: a list \
called `names` is given as one `name` after the other.
- Give every required parameter. Leave out an optional one that you do not need.
- Between the tags of a call there is nothing but white space, and no code fence around it.

## The tools

{tools}",
        ),
        tool: Borrowed(TOOL),
        between: Borrowed("\n\n"),
        example: Borrowed("Usage:\n{call}"),
        placeholders: NAMES,
        limits: LIMITS,
    },
    call: CallForm {
        open: Borrowed("<tool:{name}>\n"),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<param:{key}>"),
            close: Borrowed("</param:{key}>\n"),
            line_breaks: LineBreaks::WithLines,
            ..PARAM
        }),
        close: Borrowed("</tool:{name}>"),
        ..LINES
    },
    result: ResultForm {
        open: Borrowed(""),
        ok: Borrowed("{content}"),
        error: Borrowed(
            "Tool error: {name} failed: {line} - correct the call, or the cause, and try again.",
        ),
        between: Borrowed("\n\n"),
        close: Borrowed(""),
    },
    stop: NO_STOP,
};

/// Of `invoke`.
pub(crate) const INVOKE: Template = Template {
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
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<parameter name=\"{key}\">"),
            close: Borrowed("</parameter>\n"),
            ..PARAM
        }),
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
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("</function_calls>")]),
        invented: Borrowed(&[]),
    },
};
