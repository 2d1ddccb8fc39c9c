//! How `kimi-k2` is written.

use std::borrow::Cow::Borrowed;

use super::{
    ArgumentsForm, CallForm, LIMITS, NO_STOP, Placeholders, PromptForm, ResultForm, Text, Wire,
};

/// The prompt of dialects whose calls are a header and a JSON object.
pub(super) const PROMPT: PromptForm = PromptForm {
    text: Borrowed(
        "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its \
parameters:
{tools}

To call a tool, write its name and one JSON object with its arguments, between tokens like these:
{form}

The arguments must fit the schema, with every required one; a tool without parameters gets {}. \
Quotes and line breaks in strings are escaped, as JSON has it.
{limit}

{example}",
    ),
    tool: Borrowed("{\"type\": \"function\", \"function\": {tool}}"),
    between: Borrowed("\n"),
    example: Borrowed("For example:\n{call}"),
    placeholders: Placeholders {
        name: Borrowed("tool_name"),
        params: Borrowed(&[(Borrowed("parameter_name"), Borrowed("value"))]),
    },
    limits: LIMITS,
};

const NOTHING: Text = Borrowed("");

/// Of `kimi-k2`.
pub const KIMI_K2: Wire = Wire {
    prompt: PROMPT,
    call: CallForm {
        open: Borrowed(
            "<|tool_calls_section_begin|><|tool_call_begin|>{id}<|tool_call_argument_begin|>",
        ),
        arguments: ArgumentsForm::Json,
        close: Borrowed("<|tool_call_end|><|tool_calls_section_end|>"),
    },
    result: ResultForm {
        open: NOTHING,
        ok: Borrowed("<|im_system|>tool<|im_middle|>## Return of {id}\n{content}<|im_end|>"),
        error: Borrowed(
            "<|im_system|>tool<|im_middle|>## Return of {id}\nError: {content}<|im_end|>",
        ),
        between: NOTHING,
        close: NOTHING,
    },
    stop: NO_STOP,
};
