//! How the dialects of JSON objects between markers are written.

use std::borrow::Cow::Borrowed;

use super::tool_call::JSON_LINE;
use super::{
    ArgumentsForm, CallForm, LIMITS, NO_STOP, Placeholders, PromptForm, ResultForm, StopForm, Text,
    Wire,
};

/// What is told of a call: where it stands is in its form.
const PROMPT: PromptForm = PromptForm {
    text: Borrowed(
        "\
# Tools

These are your tools, one on each line, as JSON with a JSON Schema of the parameters:
{tools}

To call a tool, write it like this, with nothing behind it:
{form}

The arguments are one JSON object that fits the schema, with every required one in it; of a tool \
without parameters it is {}. In its strings, quotes and line breaks are escaped.
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
};

/// A call as one JSON object.
const fn object(open: &'static str, close: &'static str) -> CallForm {
    CallForm { open: Borrowed(open), arguments: ArgumentsForm::Json, close: Borrowed(close) }
}

/// Results in one text, this between two of them.
const fn results(ok: &'static str, error: &'static str, between: &'static str) -> ResultForm {
    ResultForm {
        open: Borrowed(""),
        ok: Borrowed(ok),
        error: Borrowed(error),
        between: Borrowed(between),
        close: Borrowed(""),
    }
}

/// Results that are messages of a role of their own.
const PLAIN: ResultForm = results("{content}", "Error: {content}", "\n");

const fn wire(call: CallForm, result: ResultForm, stop: StopForm) -> Wire {
    Wire { prompt: PROMPT, call, result, stop }
}

const fn stop(behind_call: &'static [Text], invented: &'static [Text]) -> StopForm {
    StopForm { behind_call: Borrowed(behind_call), invented: Borrowed(invented) }
}

/// Of `mistral`, as its templates have written it since v11, without ids.
pub(crate) const MISTRAL: Wire = wire(
    object("[TOOL_CALLS]{name}[ARGS]", ""),
    results(
        "[TOOL_RESULTS]{content}[/TOOL_RESULTS]",
        "[TOOL_RESULTS]Error: {content}[/TOOL_RESULTS]",
        "",
    ),
    stop(&[], &[Borrowed("[TOOL_RESULTS]")]),
);

/// Of `llama3-json`: results are messages of the role `ipython`.
pub(crate) const LLAMA3_JSON: Wire = wire(
    object("{\"name\": {json_name}, \"parameters\": ", "}"),
    PLAIN,
    stop(&[], &[Borrowed("<|start_header_id|>")]),
);

/// Of `command-r`.
pub(crate) const COMMAND_R: Wire = wire(
    object(
        "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": {json_name}, \"parameters\": ",
        "}\n]<|END_ACTION|>",
    ),
    ResultForm {
        open: Borrowed("<|START_TOOL_RESULT|>[\n"),
        ok: Borrowed(
            "    {\"tool_call_id\": \"{index}\", \"results\": {\"0\": {\"content\": {json}}}}",
        ),
        error: Borrowed(
            "    {\"tool_call_id\": \"{index}\", \"results\": {\"0\": {\"error\": {json}}}}",
        ),
        between: Borrowed(",\n"),
        close: Borrowed("\n]<|END_TOOL_RESULT|>"),
    },
    stop(&[Borrowed("<|END_ACTION|>")], &[Borrowed("<|START_TOOL_RESULT|>")]),
);

/// Of `granite`: results are messages of the role `tool_response`.
pub(crate) const GRANITE: Wire =
    wire(object("<|tool_call|>[{\"name\": {json_name}, \"arguments\": ", "}]"), PLAIN, NO_STOP);

/// Of `phi4`.
pub(crate) const PHI4: Wire = wire(
    object("<|tool_call|>[{\"name\": {json_name}, \"arguments\": ", "}]<|/tool_call|>"),
    results("<|tool_response|>{content}", "<|tool_response|>Error: {content}", ""),
    stop(&[Borrowed("<|/tool_call|>")], &[Borrowed("<|tool_response|>")]),
);

const ARRAY: CallForm =
    object("<tool_calls>[{\"name\": {json_name}, \"arguments\": ", "}]</tool_calls>");

/// Of `json-array`, between the tags that most of its models write.
pub(crate) const JSON_ARRAY: Wire = wire(ARRAY, PLAIN, stop(&[Borrowed("</tool_calls>")], &[]));

/// Of `functionary`: results are messages of the role `tool`.
pub(crate) const FUNCTIONARY: Wire = wire(object(">>>{name}\n", ""), PLAIN, NO_STOP);

/// Of `gigachat3`.
pub(crate) const GIGACHAT3: Wire = wire(
    object("<|function_call|>{\"name\": {json_name}, \"arguments\": ", "}"),
    results(
        "function result<|role_sep|>\n{content}<|message_sep|>\n\n",
        "function result<|role_sep|>\nError: {content}<|message_sep|>\n\n",
        "",
    ),
    stop(&[], &[Borrowed("function result<|role_sep|>")]),
);

/// Of `apriel`: results are messages of the role `tool`.
pub(crate) const APRIEL: Wire = wire(ARRAY, PLAIN, stop(&[Borrowed("</tool_calls>")], &[]));

/// Of `inkling`: results are messages of the role `tool`.
pub(crate) const INKLING: Wire = wire(
    object(
        "<|message_model|>{name}<|content_invoke_tool_json|>{\"name\": {json_name}, \"args\": ",
        "}<|end_message|>",
    ),
    PLAIN,
    stop(&[Borrowed("<|end_message|>")], &[]),
);
