//! Relatives of the `<tool_call>` dialects, which differ by their literals: `seed-oss`, `longcat`,
//! `iquest-q1`, `solar-open2`. The grammars are those of `qwen3-coder`, `hermes` and `glm`, in
//! [`super::tool_call`], with other tags.
//!
//! ```text
//! dialect      bodies       literals
//! seed-oss     functions    <seed:tool_call> <seed:think>
//! longcat      json, keyed  <longcat_tool_call> <longcat_arg_key> <longcat_arg_value> <longcat_think>
//! iquest-q1    keyed        <iquest_tool_call>
//! solar-open2  keyed        <|tool_call:start|> … <|tool_call:end|> <|think:start|> … <|think:end|>
//! ```
//!
//! * Values are verbatim, those of functions, too.
//! * Reasoning between literals of their own begins anywhere, not only at the start of a line.
//! * In `solar-open2` one literal ends the key and begins the value:
//!   `<|tool_arg:start|>` KEY `<|tool_arg:value|>` value `<|tool_arg:end|>`.

use std::borrow::Cow::Borrowed;

use super::shape::{Or, Shape, texts};
use super::spec::DialectSpec;
use super::template::{Template, stop};
use super::tool_call::{FUNCTION_CALL, glm_prompt, hermes_prompt, qwen3_coder_prompt};

const RESULT: &str = "<tool_response>\n{content}\n</tool_response>";

/// The dialect `seed-oss`.
pub(crate) fn seed_oss() -> DialectSpec {
    Shape {
        name: "seed-oss".into(),
        about: "<seed:tool_call><function=…><parameter=…>…</parameter></function></seed:tool_call>"
            .into(),
        call: format!("<seed:tool_call>\n{FUNCTION_CALL}\n</seed:tool_call>").into(),
        argument: "<parameter={key}>{value}</parameter>\n".into(),
        result: "<seed:bos>tool\n{content}<seed:eos>".into(),
        results: "{result}{result}".into(),
        invented: Some("<tool_response>".into()),
        reasoning: Some("<seed:think>{reasoning}</seed:think>".into()),
        tokens: texts(&["<seed:eos>", "<seed:bos>"]),
        prompt: Some(qwen3_coder_prompt()),
        stop: Some(stop(&[Borrowed("</seed:tool_call>")], &[Borrowed("<tool_response>")])),
        ..Shape::default()
    }
    .built_in()
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
        reasoning: Some("<longcat_think>{reasoning}</longcat_think>".into()),
        tokens: texts(&["</longcat_s>", "<longcat_user>", "<longcat_assistant>"]),
        prompt: Some(glm_prompt()),
        ..Shape::default()
    }
}

/// The dialect `longcat`.
pub(crate) fn longcat() -> DialectSpec {
    longcat_shape().built_in()
}

/// Of LongCat Flash Chat.
pub(super) fn longcat_json() -> Template {
    Shape {
        call: LONGCAT_OBJECT.into(),
        argument: "".into(),
        or: Vec::new(),
        between: None,
        prompt: Some(hermes_prompt()),
        ..longcat_shape()
    }
    .built_in()
    .template
}

/// The dialect `iquest-q1`.
pub(crate) fn iquest_q1() -> DialectSpec {
    Shape {
        name: "iquest-q1".into(),
        about:
            "<iquest_tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></iquest_tool_call>"
                .into(),
        call: "<iquest_tool_call>{name}{arguments}</iquest_tool_call>".into(),
        argument: "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>".into(),
        between: Some("".into()),
        result: RESULT.into(),
        tokens: texts(&["<|iquest_end|>", "<|im_end|>"]),
        prompt: Some(glm_prompt()),
        ..Shape::default()
    }
    .built_in()
}

/// The dialect `solar-open2`.
pub(crate) fn solar_open2() -> DialectSpec {
    Shape {
        name: "solar-open2".into(),
        about: "<|tool_call:start|>NAME<|tool_arg:start|>…<|tool_arg:value|>…<|tool_arg:end|>…"
            .into(),
        call: "<|tool_call:start|>{name}\n{arguments}<|tool_call:end|>".into(),
        argument: "<|tool_arg:start|>{key}<|tool_arg:value|>{value}<|tool_arg:end|>\n".into(),
        between: Some("".into()),
        result: RESULT.into(),
        reasoning: Some("<|think:start|>{reasoning}<|think:end|>".into()),
        tokens: texts(&["<|im:end|>", "<|im:start|>", "<|im:content|>"]),
        special: true,
        prompt: Some(glm_prompt()),
        ..Shape::default()
    }
    .built_in()
}
