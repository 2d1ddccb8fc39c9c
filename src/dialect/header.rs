//! Calls with a header before their JSON: `solar-open`, `plamo3`, `deepseek-v3` and `deepseek-v31`.
//! [`headers`](crate::family::headers) reads them.

use std::borrow::Cow::Borrowed;

use super::facts::Facts;
use super::shape::{Or, Shape};
use super::template::{NO_STOP, stop};

/// `solar-open`.
///
/// ```text
/// header := NAME? "<|tool_call:name|>" NAME "<|tool_call:args|>"          the first one is the id
/// ```
pub(in crate::dialect) fn solar_open() -> Facts {
    Shape {
        name: "solar-open".into(),
        about: "<|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>{…}<|tool_call:end|>"
            .into(),
        section: "<|tool_calls|>{calls}<|calls|>".into(),
        call: "<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>{arguments}\
               <|tool_call:end|>"
            .into(),
        between: Some("".into()),
        id: "call{index}".into(),
        result: "<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>\
                 {content}<|tool_response:end|>"
            .into(),
        results: "<|begin|>tool<|tool_response|>{result}{result}<|end|>".into(),
        invented: Some("".into()),
        stop: Some(NO_STOP),
        ..Shape::default()
    }
    .facts()
}

/// A call with a word before its name, and its object in a fence.
const FENCED: &str = "<｜tool▁call▁begin｜>{word}<｜tool▁sep｜>{name}\n```json\n{arguments}\n\
                      ```<｜tool▁call▁end｜>";

/// The shape of `deepseek-v3` and `deepseek-v31`: one grammar, two written forms.
///
/// ```text
/// header := NAME SEP | word SEP NAME      ( "```" letters )?, and then a fence after the object, too
/// ```
fn deepseek(name: &'static str, about: &'static str) -> Shape {
    Shape {
        name: name.into(),
        about: about.into(),
        section: "<｜tool▁calls▁begin｜>{calls}<｜tool▁calls▁end｜>".into(),
        call: "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>".into(),
        or: vec![Or { word: "function".into(), ..Or::json(FENCED) }],
        between: Some("".into()),
        result: "<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>".into(),
        results: "<｜tool▁outputs▁begin｜>{result}{result}<｜tool▁outputs▁end｜>".into(),
        stop: Some(stop(&[], &[Borrowed("<｜tool▁outputs▁begin｜>")])),
        ..Shape::default()
    }
}

/// The dialect `deepseek-v3`.
pub(in crate::dialect) fn deepseek_v3() -> Facts {
    let about = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME and a fenced JSON object";
    let call = FENCED.replace("{word}", "function").into();
    let shape = deepseek("deepseek-v3", about);
    let template = Shape { call, between: Some("\n".into()), ..shape.clone() }.template();
    Facts { template, ..shape.facts() }
}

/// The dialect `deepseek-v31`.
pub(in crate::dialect) fn deepseek_v31() -> Facts {
    deepseek("deepseek-v31", "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>")
        .facts()
}

/// `plamo3`.
///
/// ```text
/// header := P(begin_tool_name) NAME P(end_tool_name) P(begin_tool_arguments)
///           ( "<|plamo:constrain|>" "json" )? "<|plamo:msg|>"?         P(x) := "<|plamo:" x ":plamo|>"
/// ```
/// White space may stand between the tokens, and one of the two ENDs will do.
pub(in crate::dialect) fn plamo3() -> Facts {
    const BEGIN: &str = "<|plamo:begin_tool_request:plamo|>";
    const CONSTRAIN: &str = "<|plamo:constrain|>json<|plamo:msg|>";
    let rests = [CONSTRAIN, "", "<|plamo:msg|>", "<|plamo:constrain|>json"];
    let call = |begin: &str, rest: &str| {
        format!(
            "{begin}<|plamo:begin_tool_name:plamo|>{{name}}<|plamo:end_tool_name:plamo|>\
             <|plamo:begin_tool_arguments:plamo|>{rest}{{arguments}}\
             <|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
        )
    };
    Shape {
        name: "plamo3".into(),
        about:
            "<|plamo:begin_tool_request:plamo|> with the name and a JSON object, each in tokens \
                of its own"
                .into(),
        section: "<|plamo:begin_tool_requests:plamo|>{calls}<|plamo:end_tool_requests:plamo|>"
            .into(),
        call: call(BEGIN, CONSTRAIN).into(),
        or: rests[1..].iter().map(|rest| Or::json(call(BEGIN, rest))).collect(),
        // Nothing: the token that begins a call is enough.
        between: Some("".into()),
        // The results in its template are not known: here they are named paragraphs.
        result: "Result of {name}:\n{content}".into(),
        results: "{result}\n\n{result}".into(),
        invented: Some("".into()),
        stop: Some(NO_STOP),
        ..Shape::default()
    }
    .facts()
}
