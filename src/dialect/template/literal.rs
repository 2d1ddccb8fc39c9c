//! How `gemma4`, `functiongemma`, `pythonic` and `lfm2` are written.

use std::borrow::Cow::Borrowed;

use super::{
    ArgumentsForm, CALL, CallForm, HERMES, LiteralForm, PromptForm, ResultForm, StopForm, Template,
};

const FORM: LiteralForm = LiteralForm {
    quote: Borrowed("<|\"|>"),
    plain_quote: Borrowed(""),
    separator: Borrowed(":"),
    between: Borrowed(","),
    python: false,
    sorted: false,
    strings: false,
};

/// The same with JSON strings.
const PLAIN: LiteralForm = LiteralForm { quote: Borrowed(""), ..FORM };

/// Of `gemma4`.
pub(crate) const GEMMA4: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its parameters:
{tools}

To call a tool, write its name and its arguments in this form:
{form}

Strings stand between two quote tokens as they are, without escapes; numbers, true, false, null, \
lists and objects are written as they are, with keys without quotes. Give every required argument.
{limit}

{example}",
        ),
        ..HERMES.prompt
    },
    call: CallForm {
        open: Borrowed("<|tool_call>call:{name}{"),
        arguments: ArgumentsForm::Literals(LiteralForm { sorted: true, ..FORM }),
        close: Borrowed("}<tool_call|>"),
        ..CALL
    },
    result: ResultForm {
        open: Borrowed(""),
        ok: Borrowed("<|tool_response>response:{name}{value:<|\"|>{content}<|\"|>}<tool_response|>"),
        error: Borrowed(
            "<|tool_response>response:{name}{value:<|\"|>Error: {content}<|\"|>}<tool_response|>",
        ),
        between: Borrowed(""),
        close: Borrowed(""),
    },
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("<tool_call|>")]),
        invented: Borrowed(&[Borrowed("<|tool_response>")]),
    },
};

/// Of `functiongemma`.
pub(crate) const FUNCTIONGEMMA: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its parameters:
{tools}

To call a tool, write its name and its arguments in this form:
{form}

Every value stands between two <escape>: strings as they are, lists, objects, numbers and booleans \
as JSON. Give every required argument.
{limit}

{example}",
        ),
        ..HERMES.prompt
    },
    call: CallForm {
        open: Borrowed("<start_function_call>call:{name}{"),
        arguments: ArgumentsForm::Literals(LiteralForm {
            quote: Borrowed("<escape>"),
            strings: true,
            ..FORM
        }),
        close: Borrowed("}<end_function_call>"),
        ..CALL
    },
    result: ResultForm {
        open: Borrowed(""),
        ok: Borrowed(
            "<start_function_response>response:{name}{value:<escape>{content}<escape>}\
             <end_function_response>",
        ),
        error: Borrowed(
            "<start_function_response>response:{name}{value:<escape>Error: {content}<escape>}\
             <end_function_response>",
        ),
        between: Borrowed(""),
        close: Borrowed(""),
    },
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("<end_function_call>")]),
        invented: Borrowed(&[Borrowed("<start_function_response>")]),
    },
};

/// Of `pythonic`.
pub(crate) const PYTHONIC: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its parameters:
{tools}

To call a tool, let your whole message be a list with one Python call, in this form:
{form}

Every argument has its keyword, and all that the tool requires must be given; values are Python \
literals.
{limit}

{example}",
        ),
        ..HERMES.prompt
    },
    call: CallForm {
        section_open: Borrowed("["),
        open: Borrowed("{name}("),
        arguments: ArgumentsForm::Literals(LiteralForm {
            separator: Borrowed("="),
            between: Borrowed(", "),
            python: true,
            ..PLAIN
        }),
        close: Borrowed(")"),
        between: Borrowed(", "),
        section_close: Borrowed("]"),
    },
    result: ResultForm {
        open: Borrowed(""),
        ok: Borrowed("{content}"),
        error: Borrowed("Error: {content}"),
        between: Borrowed("\n"),
        close: Borrowed(""),
    },
    stop: super::NO_STOP,
};

/// Of `lfm2`.
pub(crate) const LFM2: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its parameters:
{tools}

To call a tool, write a list with one Python call, in this form:
{form}

Every argument has its keyword, and all that the tool requires must be given; values are Python \
literals.
{limit}

{example}",
        ),
        ..HERMES.prompt
    },
    call: CallForm {
        section_open: Borrowed("<|tool_call_start|>["),
        arguments: ArgumentsForm::Literals(LiteralForm {
            plain_quote: Borrowed("'"),
            separator: Borrowed("="),
            between: Borrowed(", "),
            python: true,
            ..PLAIN
        }),
        section_close: Borrowed("]<|tool_call_end|>"),
        ..PYTHONIC.call
    },
    result: ResultForm {
        open: Borrowed(""),
        ok: Borrowed("<|tool_response_start|>{content}<|tool_response_end|>"),
        error: Borrowed("<|tool_response_start|>Error: {content}<|tool_response_end|>"),
        between: Borrowed("\n"),
        close: Borrowed(""),
    },
    stop: StopForm {
        after_call: Borrowed(&[Borrowed("<|tool_call_end|>")]),
        invented: Borrowed(&[Borrowed("<|tool_response_start|>")]),
    },
};
