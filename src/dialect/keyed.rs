//! Keyed calls in a section: `hunyuan` and `k2-horizon`. [`listed`](crate::family::listed) reads them.

use super::blocks::glm_prompt;
use super::facts::Facts;
use super::shape::{Or, Shape};
use super::template::Template;
use crate::dialect::Text;

/// `k2-horizon`.
///
/// ```text
/// KEYS := ( "<arg_key>" KEY "</arg_key>" TYPE? "<arg_value>" value "</arg_value>" )*
/// TYPE := "<arg_type>" NAME ( "[" … )? "</arg_type>"
/// call := … | "<tool_call>" json "</tool_call>"
/// ```
/// All its tags begin with `ifm|`. A type on the wire decides where the schema allows several.
pub(in crate::dialect) fn k2_horizon() -> Facts {
    Shape {
        name: "k2-horizon".into(),
        about:
            "a section of <ifm|tool_call>NAME<ifm|arg_key>…</ifm|arg_key><ifm|arg_value>…, or JSON"
                .into(),
        section: "<ifm|tool_calls>{calls}</ifm|tool_calls>".into(),
        call: "<ifm|tool_call>{name}{arguments}</ifm|tool_call>".into(),
        argument: "<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_type>{whole_type}</ifm|arg_type>\
                   <ifm|arg_value>{value}</ifm|arg_value>"
            .into(),
        between: Some("".into()),
        prompt: Some(glm_prompt()),
        result: "<tool_response>\n{content}\n</tool_response>".into(),
        ..Shape::default()
    }
    .facts()
}

/// The shape of `hunyuan` with this suffix in its tags.
fn hunyuan_shape(suffix: &str) -> Shape {
    let suffixed = |text: &str| Text::Owned(text.replace('>', &format!("{suffix}>")));
    Shape {
        name: "hunyuan".into(),
        about: "a section of <tool_call:S>NAME<tool_sep:S><arg_key:S>…</arg_key:S>…</tool_call:S>"
            .into(),
        section: suffixed("<tool_calls>\n{calls}\n</tool_calls>"),
        call: suffixed("<tool_call>{name}<tool_sep>\n{arguments}</tool_call>"),
        argument: suffixed("<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"),
        or: vec![Or::json(suffixed("<tool_call>{name}{arguments}</tool_call>"))],
        tokens: TOKENS.map(|of| format!("<｜hy_{of}｜>").into()).to_vec(),
        special: true,
        prompt: Some(glm_prompt()),
        result: suffixed("<tool_response>\n{content}\n</tool_response>\n"),
        results: suffixed("<tool_responses>\n{result}{result}</tool_responses>"),
        ..Shape::default()
    }
}

/// The stop tokens of `hunyuan`, without their brackets and suffix.
const TOKENS: [&str; 3] = ["eos", "User", "Assistant"];

/// `hunyuan`. Its tags may have the suffix of a checkpoint.
pub(in crate::dialect) fn hunyuan() -> Facts {
    Facts { template: hunyuan_3(), ..hunyuan_shape("").facts() }
}

/// The written form of Hunyuan 3, with the suffix of its open weights. A rename of `:opensource` gives
/// another one.
fn hunyuan_3() -> Template {
    hunyuan_shape(":opensource").template()
}

/// The form of Hunyuan 4: nothing between the name and the keys.
pub(in crate::dialect) fn hunyuan_4() -> Template {
    let call = "<tool_call:opensource>{name}\n{arguments}</tool_call:opensource>".into();
    Shape { call, ..hunyuan_shape(":opensource") }.template()
}
