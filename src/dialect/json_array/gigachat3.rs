//! `gigachat3`: an object after `<|function_call|>` or `function call<|role_sep|>`; nothing closes it.

use super::PROMPT;
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::DialectSpec;
use crate::dialect::template::{Template, object};

/// The dialect `gigachat3`.
pub(in crate::dialect) fn gigachat3() -> DialectSpec {
    let shape = Shape {
        name: "gigachat3".into(),
        about: "<|function_call|>{\"name\": …, \"arguments\": {…}}".into(),
        call: "<|function_call|>{\"name\": {name}, \"arguments\": {arguments}}".into(),
        sections: vec!["function call<|role_sep|>{calls}".into()],
        between: Some("".into()),
        reasoning: Some("".into()),
        tokens: texts(&["<|message_sep|>", "</s>"]),
        special: true,
        prompt: Some(PROMPT),
        result: "function result<|role_sep|>\n{content}<|message_sep|>\n\n".into(),
        results: "{result}{result}".into(),
        ..Shape::default()
    };
    DialectSpec { stripped: false, ..shape.built_in() }
}

/// Of GigaChat 3: a call is a message of a role of its own.
pub(in crate::dialect) fn gigachat3_role() -> Template {
    Template {
        call: object("function call<|role_sep|>\n{\"name\": {json_name}, \"arguments\": ", "}"),
        ..gigachat3().template
    }
}
