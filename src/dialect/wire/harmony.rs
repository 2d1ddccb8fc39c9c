//! How `harmony` is written.

use std::borrow::Cow::Borrowed;

use super::header::PROMPT;
use super::{ArgumentsForm, CallForm, NO_STOP, PromptForm, ResultForm, StopForm, Wire};

/// Of `harmony`.
pub const HARMONY: Wire = Wire {
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
        arguments: ArgumentsForm::Json,
        close: Borrowed("<|call|>"),
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
    stop: StopForm { behind_call: Borrowed(&[Borrowed("<|call|>")]), ..NO_STOP },
};
