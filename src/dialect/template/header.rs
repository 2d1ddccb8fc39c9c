//! How `kimi-k2`, `deepseek-v3`, `deepseek-v31`, `solar-open` and `plamo3` are written.

use std::borrow::Cow::Borrowed;

use super::{
    CALL, CallForm, LIMITS, NO_STOP, Placeholders, PromptForm, ResultForm, StopForm, Template, Text,
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
pub(crate) const KIMI_K2: Template = Template {
    prompt: PROMPT,
    call: CallForm {
        section_open: Borrowed("<|tool_calls_section_begin|>"),
        open: Borrowed("<|tool_call_begin|>{id}<|tool_call_argument_begin|>"),
        close: Borrowed("<|tool_call_end|>"),
        section_close: Borrowed("<|tool_calls_section_end|>"),
        ..CALL
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

/// Of `deepseek-v3`.
pub(crate) const DEEPSEEK_V3: Template = Template {
    call: CallForm {
        open: Borrowed("<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n"),
        close: Borrowed("\n```<｜tool▁call▁end｜>"),
        between: Borrowed("\n"),
        ..DEEPSEEK_V31.call
    },
    ..DEEPSEEK_V31
};

/// Of `deepseek-v31`.
pub(crate) const DEEPSEEK_V31: Template = Template {
    prompt: PROMPT,
    call: CallForm {
        section_open: Borrowed("<｜tool▁calls▁begin｜>"),
        open: Borrowed("<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>"),
        close: Borrowed("<｜tool▁call▁end｜>"),
        section_close: Borrowed("<｜tool▁calls▁end｜>"),
        ..CALL
    },
    result: ResultForm {
        open: Borrowed("<｜tool▁outputs▁begin｜>"),
        ok: Borrowed("<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>"),
        error: Borrowed("<｜tool▁output▁begin｜>Error: {content}<｜tool▁output▁end｜>"),
        between: NOTHING,
        close: Borrowed("<｜tool▁outputs▁end｜>"),
    },
    stop: StopForm { invented: Borrowed(&[Borrowed("<｜tool▁outputs▁begin｜>")]), ..NO_STOP },
};

/// Of `solar-open`.
pub(crate) const SOLAR_OPEN: Template = Template {
    prompt: PROMPT,
    call: CallForm {
        section_open: Borrowed("<|tool_calls|>"),
        open: Borrowed("<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>"),
        close: Borrowed("<|tool_call:end|>"),
        section_close: Borrowed("<|calls|>"),
        ..CALL
    },
    result: ResultForm {
        open: Borrowed("<|begin|>tool<|tool_response|>"),
        ok: Borrowed(
            "<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>{content}\
             <|tool_response:end|>",
        ),
        error: Borrowed(
            "<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>Error: \
             {content}<|tool_response:end|>",
        ),
        between: NOTHING,
        close: Borrowed("<|end|>"),
    },
    stop: NO_STOP,
};

/// Of `plamo3`. What its template writes of results is not known: they are named paragraphs.
pub(crate) const PLAMO3: Template = Template {
    prompt: PROMPT,
    call: CallForm {
        section_open: Borrowed("<|plamo:begin_tool_requests:plamo|>"),
        open: Borrowed(
            "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>{name}\
             <|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>\
             <|plamo:constrain|>json<|plamo:msg|>",
        ),
        close: Borrowed("<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"),
        section_close: Borrowed("<|plamo:end_tool_requests:plamo|>"),
        ..CALL
    },
    result: ResultForm {
        open: NOTHING,
        ok: Borrowed("Result of {name}:\n{content}"),
        error: Borrowed("Result of {name}:\nError: {content}"),
        between: Borrowed("\n\n"),
        close: NOTHING,
    },
    stop: NO_STOP,
};
