//! How the dialects of JSON objects between markers are written.

use std::borrow::Cow::Borrowed;

use super::tool_call::JSON_LINE;
use super::{
    ArgumentsForm, CALL, CallForm, LIMITS, NO_STOP, Placeholders, PromptForm, ResultForm, StopForm,
    Template, Text,
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

/// A call as a JSON object, or as a header and one.
pub(super) const fn object(open: &'static str, close: &'static str) -> CallForm {
    CallForm { open: Borrowed(open), close: Borrowed(close), ..CALL }
}

/// Calls as one list of JSON objects with a name and arguments.
pub(super) const fn list(section_open: &'static str, section_close: &'static str) -> CallForm {
    CallForm {
        section_open: Borrowed(section_open),
        open: Borrowed("{\"name\": {json_name}, \"arguments\": "),
        arguments: ArgumentsForm::Json,
        close: Borrowed("}"),
        between: Borrowed(", "),
        section_close: Borrowed(section_close),
    }
}

/// Results in one text, this between two of them.
pub(super) const fn results(
    ok: &'static str,
    error: &'static str,
    between: &'static str,
) -> ResultForm {
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

const fn template(call: CallForm, result: ResultForm, stop: StopForm) -> Template {
    Template { prompt: PROMPT, call, result, stop }
}

pub(super) const fn stop(after_call: &'static [Text], invented: &'static [Text]) -> StopForm {
    StopForm { after_call: Borrowed(after_call), invented: Borrowed(invented) }
}

/// Of `mistral`, as its templates write it from v13 on, without ids.
pub(crate) const MISTRAL: Template = template(
    object("[TOOL_CALLS]{name}[ARGS]", ""),
    results(
        "[TOOL_RESULTS]{content}[/TOOL_RESULTS]",
        "[TOOL_RESULTS]Error: {content}[/TOOL_RESULTS]",
        "",
    ),
    stop(&[], &[Borrowed("[TOOL_RESULTS]")]),
);

/// Of `llama3-json`: results are messages of the role `ipython`.
pub(crate) const LLAMA3_JSON: Template = template(
    CallForm {
        open: Borrowed("{\"name\": {json_name}, \"parameters\": "),
        close: Borrowed("}"),
        between: Borrowed("; "),
        ..CALL
    },
    PLAIN,
    stop(&[], &[Borrowed("<|start_header_id|>")]),
);

/// Of `command-r`.
pub(crate) const COMMAND_R: Template = template(
    CallForm {
        section_open: Borrowed("<|START_ACTION|>[\n"),
        open: Borrowed(
            "    {\"tool_call_id\": \"{id}\", \"tool_name\": {json_name}, \"parameters\": ",
        ),
        close: Borrowed("}"),
        between: Borrowed(",\n"),
        section_close: Borrowed("\n]<|END_ACTION|>"),
        ..CALL
    },
    ResultForm {
        open: Borrowed("<|START_TOOL_RESULT|>[\n"),
        ok: Borrowed(
            "    {\n        \"tool_call_id\": \"{id}\",\n        \"results\": {\n            \
             \"0\": {json}\n        },\n        \"is_error\": null\n    }",
        ),
        error: Borrowed(
            "    {\n        \"tool_call_id\": \"{id}\",\n        \"results\": {\n            \
             \"0\": {json}\n        },\n        \"is_error\": true\n    }",
        ),
        between: Borrowed(",\n"),
        close: Borrowed("\n]<|END_TOOL_RESULT|>"),
    },
    stop(&[Borrowed("<|END_ACTION|>")], &[Borrowed("<|START_TOOL_RESULT|>")]),
);

/// Of `granite`: results are messages of the role `tool_response`.
pub(crate) const GRANITE: Template = template(list("<|tool_call|>[", "]"), PLAIN, NO_STOP);

/// Of `phi4`.
pub(crate) const PHI4: Template = template(
    list("<|tool_call|>[", "]<|/tool_call|>"),
    results("<|tool_response|>{content}", "<|tool_response|>Error: {content}", ""),
    stop(&[Borrowed("<|/tool_call|>")], &[Borrowed("<|tool_response|>")]),
);

const ARRAY: CallForm = list("<tool_calls>[", "]</tool_calls>");

/// Of `json-array`, between the tags that most of its models write.
pub(crate) const JSON_ARRAY: Template =
    template(ARRAY, PLAIN, stop(&[Borrowed("</tool_calls>")], &[]));

/// Of `functionary`: results are messages of the role `tool`.
pub(crate) const FUNCTIONARY: Template = template(object(">>>{name}\n", ""), PLAIN, NO_STOP);

/// Of `gigachat3`.
pub(crate) const GIGACHAT3: Template = template(
    object("<|function_call|>{\"name\": {json_name}, \"arguments\": ", "}"),
    results(
        "function result<|role_sep|>\n{content}<|message_sep|>\n\n",
        "function result<|role_sep|>\nError: {content}<|message_sep|>\n\n",
        "",
    ),
    stop(&[], &[Borrowed("function result<|role_sep|>")]),
);

/// Of `apriel`: results are messages of the role `tool`.
pub(crate) const APRIEL: Template = template(ARRAY, PLAIN, stop(&[Borrowed("</tool_calls>")], &[]));

/// Of `inkling`: results are messages of the role `tool`.
pub(crate) const INKLING: Template = template(
    object(
        "<|message_model|>{name}<|content_invoke_tool_json|>{\"name\": {json_name}, \"args\": ",
        "}<|end_message|>",
    ),
    PLAIN,
    stop(&[Borrowed("<|end_message|>")], &[]),
);
