//! How `harmony` and `beam` are written.

use std::borrow::Cow::Borrowed;

use super::header::PROMPT;
use super::{
    ArgumentsForm, CALL, CallForm, LineBreaks, NO_STOP, PARAM, ParamForm, PromptForm, ResultForm,
    StopForm, Template,
};

/// Of `harmony`.
pub(crate) const HARMONY: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You can call functions. Each of these lines is one of them, as JSON with a JSON Schema of its \
parameters:
{tools}

A call is a message of its own in the channel `commentary`, with the function as its recipient and \
one JSON object with the arguments as its body:
{form}

The arguments must fit the schema, with every required one; a function without parameters gets {}. \
Quotes and line breaks in strings are escaped, as JSON has it.
{limit}

{example}",
        ),
        ..PROMPT
    },
    call: CallForm {
        open: Borrowed(
            "<|start|>assistant to=functions.{name}<|channel|>commentary json<|message|>",
        ),
        close: Borrowed("<|call|>"),
        ..CALL
    },
    result: ResultForm {
        open: Borrowed(""),
        ok: Borrowed(
            "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{content}<|end|>",
        ),
        error: Borrowed(
            "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>Error: \
             {content}<|end|>",
        ),
        between: Borrowed(""),
        close: Borrowed(""),
    },
    // A call ends with its object.
    stop: StopForm { after_call: Borrowed(&[Borrowed("<|call|>")]), ..NO_STOP },
};

/// Of `beam`.
pub(crate) const BEAM: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its parameters:
{tools}

A call is a message of its own in the channel `analysis`, with the tool as its recipient and one \
element for each parameter that you give:
{form}

Give every required parameter. Write strings as they are, without quotes and escapes; lists, \
objects, numbers and booleans as JSON.
{limit}

{example}",
        ),
        ..HARMONY.prompt
    },
    call: CallForm {
        open: Borrowed(
            "<|start|>assistant to={name}<|channel|>analysis <|constrain|>xml<|message|>",
        ),
        arguments: ArgumentsForm::Params(ParamForm {
            open: Borrowed("<rfl:parameter name=\"{key}\">"),
            close: Borrowed("</rfl:parameter>"),
            line_breaks: LineBreaks::Always,
            sorted: true,
            ..PARAM
        }),
        close: Borrowed("<|call|>"),
        ..CALL
    },
    result: ResultForm {
        open: Borrowed(""),
        ok: Borrowed(
            "<|start|>{name} to=assistant<|channel|>analysis<|message|>{content}<|end|>",
        ),
        error: Borrowed(
            "<|start|>{name} to=assistant<|channel|>analysis<|message|>Error: {content}<|end|>",
        ),
        between: Borrowed(""),
        close: Borrowed(""),
    },
    stop: StopForm { after_call: Borrowed(&[Borrowed("<|call|>")]), ..NO_STOP },
};
