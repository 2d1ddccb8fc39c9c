//! Blocks: `<tool_call>` with JSON (`hermes`), functions (`qwen3-coder`), keys and values (`glm`), or any of the three
//! (`tool-call`), and relatives with other literals. [`block`](crate::family::block) reads them.
//!
//! ```text
//! dialect      bodies       literals
//! seed-oss     functions    <seed:tool_call> <seed:think>
//! longcat      json, keyed  <longcat_tool_call> <longcat_arg_key> <longcat_arg_value> <longcat_think>
//! iquest-q1    keyed        <iquest_tool_call>
//! solar-open2  keyed        <|tool_call:start|> … <|tool_call:end|> <|think:start|> … <|think:end|>
//! ```
//!
//! * Values of relatives are verbatim. So are those of functions.
//! * Reasoning between literals of their own begins anywhere, not only at the start of a line.
//! * In `solar-open2` one literal ends the key and begins the value:
//!   `<|tool_arg:start|>` KEY `<|tool_arg:value|>` value `<|tool_arg:end|>`.

use std::borrow::Cow::Borrowed;

use super::facts::Facts;
use super::shape::{Or, Shape};
use super::template::{Placeholders, PromptForm, Template, prompt, stop, tools_prompt};
use crate::dialect::Text;

/// The written calls of the family.
const JSON_CALL: &str = "<tool_call>\n{\"name\": {name}, \"arguments\": {arguments}}\n</tool_call>";
const KEYED_CALL: &str = "<tool_call>{name}\n{arguments}</tool_call>";
const KEYED_PARAM: &str = "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n";
const FUNCTION_BLOCK: &str = "<tool_call>\n<function={name}>\n{arguments}</function>\n</tool_call>";
const FUNCTION_LINES: &str = "<parameter={key}>\n{value}\n</parameter>\n";
const RESULT_TEXT: &str = "<tool_response>\n{content}\n</tool_response>";

const TOOL_RESPONSE: &str = "<tool_response>";
const RESPONSE: Text = Borrowed(TOOL_RESPONSE);

/// The dialect `hermes`.
pub(in crate::dialect) fn hermes() -> Facts {
    Shape {
        name: "hermes".into(),
        about: "<tool_call>{\"name\": …, \"arguments\": {…}}</tool_call>".into(),
        call: JSON_CALL.into(),
        result: RESULT_TEXT.into(),
        prompt: Some(hermes_prompt()),
        ..Shape::default()
    }
    .facts()
}

/// The system-prompt text of `hermes`.
fn hermes_prompt() -> PromptForm {
    tools_prompt!(
        tags,
        "To call a tool, write one JSON object with its name and its arguments, between tags like these:",
        "The arguments must fit the schema, with every required one; a tool without parameters gets {}. \
         Everything between the tags is JSON: quotes and line breaks in strings are escaped."
    )
}

fn glm_shape() -> Shape {
    Shape {
        name: "glm".into(),
        about: "<tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></tool_call>".into(),
        call: KEYED_CALL.into(),
        argument: KEYED_PARAM.into(),
        result: RESULT_TEXT.into(),
        prompt: Some(glm_prompt()),
        // Not the closer of the call: the call needs it.
        stop: Some(stop(&[], &[Borrowed("<|observation|>"), RESPONSE])),
        ..Shape::default()
    }
}

/// The dialect `glm`.
pub(in crate::dialect) fn glm() -> Facts {
    glm_shape().facts()
}

/// The system-prompt text of `glm`.
pub(in crate::dialect) fn glm_prompt() -> PromptForm {
    PromptForm {
        placeholders: Placeholders {
            name: Borrowed("tool_name"),
            params: Borrowed(&[
                (Borrowed("key_1"), Borrowed("value 1")),
                (Borrowed("key_2"), Borrowed("value 2")),
            ]),
        },
        ..tools_prompt!(
            tags,
            "To call a tool, write its name, and then a key and a value for each argument, in this form:",
            "Give every required argument. Write strings as they are, without quotes and escapes; lists, \
             objects, numbers and booleans as JSON."
        )
    }
}

/// The form of GLM-4.7 and later, and of models that copy it: no line breaks between tags.
pub(in crate::dialect) fn glm_inline() -> Template {
    Shape {
        call: "<tool_call>{name}{arguments}</tool_call>".into(),
        argument: "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>".into(),
        between: Some("".into()),
        result: "<tool_response>{content}</tool_response>".into(),
        results: "{result}{result}".into(),
        ..glm_shape()
    }
    .template()
}

/// The dialect `qwen3-coder`.
pub(in crate::dialect) fn qwen3_coder() -> Facts {
    Shape {
        name: "qwen3-coder".into(),
        about: "<tool_call><function=…><parameter=…>…</parameter></function></tool_call>".into(),
        call: FUNCTION_BLOCK.into(),
        argument: FUNCTION_LINES.into(),
        result: RESULT_TEXT.into(),
        prompt: Some(qwen3_coder_prompt()),
        stop: Some(stop(&[Borrowed("</tool_call>")], &[RESPONSE])),
        ..Shape::default()
    }
    .facts()
}

/// The system-prompt text of `qwen3-coder`.
fn qwen3_coder_prompt() -> PromptForm {
    PromptForm {
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
        placeholders: Placeholders {
            name: Borrowed("tool_name"),
            params: Borrowed(&[
                (Borrowed("parameter_1"), Borrowed("value 1")),
                (Borrowed("parameter_2"), Borrowed("value 2,\npossibly\nseveral lines")),
            ]),
        },
        ..prompt(
            "\
# Tools

These are the tools that you can call:

<tools>
{tools}
</tools>

To call one, reply in this form, with nothing after it:

{form}

- The function stands between the outer tags, and each of its parameters in a tag of its own. Give \
every required parameter.
- Write strings as they are, without escapes, also over several lines; lists, objects, numbers and \
booleans as JSON.
- What you want to say about the call, you say before it.
- {limit}

{example}",
        )
    }
}

/// The dialect `tool-call`.
pub(crate) fn tool_call() -> Facts {
    Shape {
        name: "tool-call".into(),
        about: "<tool_call> and whichever of the three bodies follows".into(),
        call: JSON_CALL.into(),
        or: vec![Or::new(FUNCTION_BLOCK, FUNCTION_LINES), Or::new(KEYED_CALL, KEYED_PARAM)],
        result: RESULT_TEXT.into(),
        // The body may be one that needs the closer.
        prompt: Some(hermes_prompt()),
        stop: Some(stop(&[], &[RESPONSE])),
        ..Shape::default()
    }
    .facts()
}

/// The dialect `seed-oss`.
pub(crate) fn seed_oss() -> Facts {
    Shape {
        name: "seed-oss".into(),
        about: "<seed:tool_call><function=…><parameter=…>…</parameter></function></seed:tool_call>"
            .into(),
        call: "<seed:tool_call>\n<function={name}>\n{arguments}</function>\n</seed:tool_call>"
            .into(),
        argument: "<parameter={key}>{value}</parameter>\n".into(),
        result: "<seed:bos>tool\n{content}<seed:eos>".into(),
        results: "{result}{result}".into(),
        invented: Some("<tool_response>".into()),
        prompt: Some(qwen3_coder_prompt()),
        stop: Some(stop(&[Borrowed("</seed:tool_call>")], &[Borrowed("<tool_response>")])),
        ..Shape::default()
    }
    .facts()
}

const LONGCAT_OBJECT: &str = "<longcat_tool_call>\n{\"name\": {name}, \"arguments\": {arguments}}\n\
                              </longcat_tool_call>";

fn longcat_shape() -> Shape {
    Shape {
        name: "longcat".into(),
        about: "<longcat_tool_call>NAME<longcat_arg_key>…</longcat_arg_key>…, or JSON".into(),
        call: "<longcat_tool_call>{name}\n{arguments}</longcat_tool_call>".into(),
        argument: "<longcat_arg_key>{key}</longcat_arg_key>\n\
                   <longcat_arg_value>{value}</longcat_arg_value>\n"
            .into(),
        or: vec![Or::json(LONGCAT_OBJECT)],
        between: Some("".into()),
        result: "<longcat_tool_response>\n{content}\n</longcat_tool_response>".into(),
        prompt: Some(glm_prompt()),
        ..Shape::default()
    }
}

/// The dialect `longcat`.
pub(crate) fn longcat() -> Facts {
    longcat_shape().facts()
}

/// The form of LongCat Flash Chat.
pub(super) fn longcat_json() -> Template {
    Shape {
        call: LONGCAT_OBJECT.into(),
        argument: "".into(),
        between: None,
        prompt: Some(hermes_prompt()),
        ..longcat_shape()
    }
    .template()
}

/// The dialect `iquest-q1`.
pub(crate) fn iquest_q1() -> Facts {
    Shape {
        name: "iquest-q1".into(),
        about:
            "<iquest_tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></iquest_tool_call>"
                .into(),
        call: "<iquest_tool_call>{name}{arguments}</iquest_tool_call>".into(),
        argument: "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>".into(),
        between: Some("".into()),
        result: RESULT_TEXT.into(),
        prompt: Some(glm_prompt()),
        ..Shape::default()
    }
    .facts()
}

/// The dialect `solar-open2`.
pub(crate) fn solar_open2() -> Facts {
    Shape {
        name: "solar-open2".into(),
        about: "<|tool_call:start|>NAME<|tool_arg:start|>…<|tool_arg:value|>…<|tool_arg:end|>…"
            .into(),
        call: "<|tool_call:start|>{name}\n{arguments}<|tool_call:end|>".into(),
        argument: "<|tool_arg:start|>{key}<|tool_arg:value|>{value}<|tool_arg:end|>\n".into(),
        between: Some("".into()),
        result: RESULT_TEXT.into(),
        prompt: Some(glm_prompt()),
        ..Shape::default()
    }
    .facts()
}
