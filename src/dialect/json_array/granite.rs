//! `granite` and `phi4`, where `functools` before `[` opens a section, too.

use super::{OBJECT_CALL, OBJECTS, PROMPT, markup};
use crate::dialect::answer::{Fences, Tried};
use crate::dialect::build::prefixed;
use crate::dialect::parts::opener;
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::{DialectSpec, Flags, Gives, Place, Trial, WS};
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
        prompt: Some(PROMPT),
        also_rules: vec![markup(&["<response>", "</response>"])],
        ..Shape::default()
    };
    shape.built_in()
}

/// The dialect `phi4`.
pub(in crate::dialect) fn phi4() -> DialectSpec {
    let list = prefixed(pattern!["[", WS], &tool_call::object());
    let shape = Shape {
        name: "phi4".into(),
        about: "functools[{\"name\": …, \"arguments\": {…}}]".into(),
        section: "<|tool_call|>[{calls}]<|/tool_call|>".into(),
        call: OBJECT_CALL.into(),
        tokens: texts(&["<|end|>", "<|endoftext|>"]),
        special: true,
        prompt: Some(PROMPT),
        result: "<|tool_response|>{content}".into(),
        results: "{result}{result}".into(),
        also_rules: vec![opener(pattern!["functools"], 0, &list).open(Place::Section(OBJECTS))],
        ..Shape::default()
    };
    shape.built_in()
}

/// Its form `bare`: at the start of the message also objects, or a list of them, without an opener.
pub(in crate::dialect) fn phi4_bare() -> DialectSpec {
    let mut spec = phi4();
    let tried = Tried {
        trial: Trial::Name,
        gives: Gives::Call,
        tags: &[],
        fences: Fences::No,
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
    Template { call: tool_call::hermes().template.call, ..granite().template }
}
