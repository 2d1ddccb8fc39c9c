//! Lists of JSON objects: `granite`, `phi4`, `apriel`, `command-r` and `gigachat3`. All are shapes.

use super::{OBJECT_CALL, OBJECTS, markup};
use crate::dialect::answer::{Fences, Tried};
use crate::dialect::blocks::hermes;
use crate::dialect::bracket::opener;
use crate::dialect::build::{prefixed, rule};
use crate::dialect::closers::with_cut_openers;
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::{DialectSpec, Flags, Gives, Place, Scope, Trial, WS};
use crate::dialect::template::Template;
use crate::dialect::tool_call;
use crate::pattern;

/// The dialect `granite`. Results are messages of the role `tool_response`.
pub(in crate::dialect) fn granite() -> DialectSpec {
    let shape = Shape {
        name: "granite".into(),
        about: "<|tool_call|>[{\"name\": …, \"arguments\": {…}}]".into(),
        section: "<|tool_call|>[{calls}]".into(),
        sections: vec!["<tool_call>{calls}</tool_call>".into()],
        call: OBJECT_CALL.into(),
        result: "{content}".into(),
        tokens: texts(&["<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>"]),
        special: true,
        also_rules: vec![markup(&["<response>", "</response>"])],
        ..Shape::default()
    };
    // Its opener is a word that people write.
    with_cut_openers(shape.built_in(), false)
}

/// `phi4`: `functools` before `[` opens a section, too.
pub(in crate::dialect) fn phi4() -> DialectSpec {
    let list = prefixed(pattern!["[", WS], &tool_call::object());
    let shape = Shape {
        name: "phi4".into(),
        about: "functools[{\"name\": …, \"arguments\": {…}}]".into(),
        section: "<|tool_call|>[{calls}]<|/tool_call|>".into(),
        call: OBJECT_CALL.into(),
        tokens: texts(&["<|end|>", "<|endoftext|>"]),
        special: true,
        result: "<|tool_response|>{content}".into(),
        results: "{result}{result}".into(),
        also_rules: vec![opener(pattern!["functools"], 0, &list).open(Place::Section(OBJECTS))],
        ..Shape::default()
    };
    // Its opener is a word that people write.
    with_cut_openers(shape.built_in(), false)
}

/// Its form `bare`: at the start of the message also objects, or a list of them, without an opener.
pub(in crate::dialect) fn phi4_bare() -> DialectSpec {
    let mut spec = phi4();
    let tried = Tried {
        trial: Trial::Name,
        gives: Gives::Call,
        tags: Default::default(),
        fences: Fences::No,
        wrapped: false,
        section: spec.sections.len() as u8,
        body: spec.bodies.len() as u8,
    };
    spec.prose[0].rules.extend(tried.plain(Flags::MESSAGE_START));
    spec.sections.extend(tried.sections());
    spec.bodies.extend(tried.bodies());
    DialectSpec { name: "phi4:bare".into(), ..spec }
}

/// Of ERNIE 4.5.
pub(in crate::dialect) fn ernie() -> Template {
    Template { call: hermes().template.call, ..granite().template }
}

/// `apriel`: the final response has markers of its own.
pub(in crate::dialect) fn apriel() -> DialectSpec {
    const FINAL: &str = "[BEGIN FINAL RESPONSE]";
    let shape = Shape {
        name: "apriel".into(),
        about:
            "<tool_calls>[{\"name\": …, \"arguments\": {…}}]</tool_calls>, after a final response"
                .into(),
        section: "<tool_calls>[{calls}]</tool_calls>".into(),
        call: OBJECT_CALL.into(),
        result: "{content}".into(),
        tokens: texts(&["[END FINAL RESPONSE]", "<|end|>", "<|begin_assistant|>", "<|assistant|>"]),
        ..Shape::default()
    };
    let last = rule(pattern![FINAL]);
    shape.built_in().with_reasoning([vec![last.clone()], vec![last.close(Scope::Prose)]])
}

const COMMAND_R_RESULT: &str = "    {
        \"tool_call_id\": \"{id}\",
        \"results\": {
            \"0\": {json}
        },
        \"is_error\": {is_error}
    }";

/// `command-r`: calls have ids; text may stand between tokens of its own.
pub(in crate::dialect) fn command_r() -> DialectSpec {
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
        // After a turn's end stands the header of the next one.
        tokens: texts(&[
            "<|END_OF_TURN_TOKEN|>",
            "<|START_OF_TURN_TOKEN|>",
            "<|CHATBOT_TOKEN|>",
            "<|USER_TOKEN|>",
            "<|SYSTEM_TOKEN|>",
        ]),
        special: true,
        also_rules: vec![markup(&[
            "<|START_RESPONSE|>",
            "<|END_RESPONSE|>",
            "<|START_TEXT|>",
            "<|END_TEXT|>",
        ])],
        result: COMMAND_R_RESULT.replace("{is_error}", "null").into(),
        error: COMMAND_R_RESULT.replace("{is_error}", "true").into(),
        results: "<|START_TOOL_RESULT|>[\n{result},\n{result}\n]<|END_TOOL_RESULT|>".into(),
        ..Shape::default()
    }
    .built_in()
}

/// `gigachat3`: an object after `<|function_call|>` or `function call<|role_sep|>`; nothing closes it.
pub(in crate::dialect) fn gigachat3() -> DialectSpec {
    DialectSpec { stripped: false, ..gigachat3_shape().built_in() }
}

fn gigachat3_shape() -> Shape {
    Shape {
        name: "gigachat3".into(),
        about: "<|function_call|>{\"name\": …, \"arguments\": {…}}".into(),
        call: "<|function_call|>{\"name\": {name}, \"arguments\": {arguments}}".into(),
        sections: vec!["function call<|role_sep|>{calls}".into()],
        between: Some("".into()),
        reasoning: Some("".into()),
        tokens: texts(&["<|message_sep|>", "</s>"]),
        special: true,
        result: "function result<|role_sep|>\n{content}<|message_sep|>\n\n".into(),
        results: "{result}{result}".into(),
        ..Shape::default()
    }
}

/// Of GigaChat 3: a call is a message of a role of its own.
pub(in crate::dialect) fn gigachat3_role() -> Template {
    let call = "function call<|role_sep|>\n{\"name\": {name}, \"arguments\": {arguments}}".into();
    Shape { call, ..gigachat3_shape() }.template()
}
