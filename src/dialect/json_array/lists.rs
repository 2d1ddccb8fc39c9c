//! Lists of JSON objects: `granite`, `phi4`, `apriel`, `command-r` and `gigachat3`. All are shapes.

use super::OBJECT_CALL;
use crate::dialect::blocks::hermes;
use crate::dialect::facts::Facts;
use crate::dialect::shape::Shape;
use crate::dialect::template::Template;

/// The dialect `granite`. Results are messages of the role `tool_response`.
pub(in crate::dialect) fn granite() -> Facts {
    Shape {
        name: "granite".into(),
        about: "<|tool_call|>[{\"name\": …, \"arguments\": {…}}]".into(),
        section: "<|tool_call|>[{calls}]".into(),
        call: OBJECT_CALL.into(),
        result: "{content}".into(),
        ..Shape::default()
    }
    .facts()
}

/// The dialect `phi4`: `functools` before `[` opens a section, too.
pub(in crate::dialect) fn phi4() -> Facts {
    Shape {
        name: "phi4".into(),
        about: "functools[{\"name\": …, \"arguments\": {…}}]".into(),
        section: "<|tool_call|>[{calls}]<|/tool_call|>".into(),
        call: OBJECT_CALL.into(),
        result: "<|tool_response|>{content}".into(),
        results: "{result}{result}".into(),
        ..Shape::default()
    }
    .facts()
}

/// The form of ERNIE 4.5.
pub(in crate::dialect) fn ernie() -> Template {
    Template { call: hermes().template.call, ..granite().template }
}

/// `apriel`: the final response has markers of its own.
pub(in crate::dialect) fn apriel() -> Facts {
    Shape {
        name: "apriel".into(),
        about:
            "<tool_calls>[{\"name\": …, \"arguments\": {…}}]</tool_calls>, after a final response"
                .into(),
        section: "<tool_calls>[{calls}]</tool_calls>".into(),
        call: OBJECT_CALL.into(),
        result: "{content}".into(),
        ..Shape::default()
    }
    .facts()
}

const COMMAND_R_RESULT: &str = "    {
        \"tool_call_id\": \"{id}\",
        \"results\": {
            \"0\": {json}
        },
        \"is_error\": {is_error}
    }";

/// `command-r`: calls have ids; text may stand between tokens of its own.
pub(in crate::dialect) fn command_r() -> Facts {
    Shape {
        name: "command-r".into(),
        about: "<|START_ACTION|>[{\"tool_call_id\": …, \"tool_name\": …, \"parameters\": {…}}]"
            .into(),
        section: "<|START_ACTION|>[\n{calls}\n]<|END_ACTION|>".into(),
        call:
            "    {\"tool_call_id\": \"{id}\", \"tool_name\": {name}, \"parameters\": {arguments}}"
                .into(),
        between: Some(",\n".into()),
        id: "{index}".into(),
        reasoning: Some("<|START_THINKING|>{reasoning}<|END_THINKING|>".into()),
        result: COMMAND_R_RESULT.replace("{is_error}", "null").into(),
        error: COMMAND_R_RESULT.replace("{is_error}", "true").into(),
        results: "<|START_TOOL_RESULT|>[\n{result},\n{result}\n]<|END_TOOL_RESULT|>".into(),
        ..Shape::default()
    }
    .facts()
}

/// `gigachat3`: an object after `<|function_call|>` or `function call<|role_sep|>`; nothing closes it.
pub(in crate::dialect) fn gigachat3() -> Facts {
    gigachat3_shape().facts()
}

fn gigachat3_shape() -> Shape {
    Shape {
        name: "gigachat3".into(),
        about: "<|function_call|>{\"name\": …, \"arguments\": {…}}".into(),
        call: "<|function_call|>{\"name\": {name}, \"arguments\": {arguments}}".into(),
        between: Some("".into()),
        reasoning: Some("".into()),
        result: "function result<|role_sep|>\n{content}<|message_sep|>\n\n".into(),
        results: "{result}{result}".into(),
        ..Shape::default()
    }
}

/// The form of GigaChat 3: a call is a message of a role of its own.
pub(in crate::dialect) fn gigachat3_role() -> Template {
    let call = "function call<|role_sep|>\n{\"name\": {name}, \"arguments\": {arguments}}".into();
    Shape { call, ..gigachat3_shape() }.template()
}
