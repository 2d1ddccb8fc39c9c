//! `json-array`: what closes any of its sections closes each.
//!
//! | OPEN | CLOSE |
//! |---|---|
//! | `<TOOLCALL>` `<tool_calls>` `<\|action_start\|> ?<\|plugin\|>` `<\|tools_prefix\|>` | the same, with `/`, `end`, `suffix` |
//!
//! After `<|tools_prefix|>` (Apertus) the key of an object is the tool's name, its value the arguments:
//! `[{"N": {…}}]`, or the object alone; each further key is one more call.

use super::{BY_NAME, CALL_BODY, NAMED, NAMED_ARGUMENTS, OBJECT_CALL, OBJECTS, header, written};
use crate::dialect::bracket::{body, invented, opener};
use crate::dialect::build::{prefixed, rule};
use crate::dialect::closers::{with_cut_openers, with_empty_sections};
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::{
    Between, Chars, DialectSpec, Flags, Gives, Name, Pattern, Place, Run, Scope, SectionKind, WS,
};
use crate::dialect::template::Template;
use crate::dialect::tool_call::plain_json;
use crate::pattern;

/// A key that is a tool's name, up to its value.
fn member() -> Pattern {
    let name = Name::tool().chars(Chars::except("\"\\"));
    pattern!["\"", name, "\"", WS, ":"]
}

/// An object that begins with one.
fn by_name() -> Pattern {
    [pattern!["{", WS], member()].concat()
}

/// Results are messages of the role `tool`.
fn shape() -> Shape {
    Shape {
        name: "json-array".into(),
        about: "<tool_calls>[{\"name\": …, \"arguments\": {…}}]</tool_calls>, and its kin".into(),
        section: "<tool_calls>[{calls}]</tool_calls>".into(),
        sections: texts(&[
            "<TOOLCALL>[{calls}]</TOOLCALL>",
            "<|action_start|><|plugin|>{calls}<|action_end|>",
            "<tool_calls>[{calls}]<|tools_suffix|>",
        ]),
        call: OBJECT_CALL.into(),
        result: "{content}".into(),
        tokens: texts(&["<SPECIAL_12>", "<end_of_sentence>", "<|im_end|>", "<|assistant_end|>"]),
        ..Shape::default()
    }
}

/// The dialect `json-array`.
pub(in crate::dialect) fn json_array() -> DialectSpec {
    const CLOSE: &[&str] = &["</TOOLCALL>", "</tool_calls>", "<|action_end|>", "<|tools_suffix|>"];
    let begin = [vec![by_name()], prefixed(pattern!["[", WS], &[by_name()])].concat();
    let named = opener(pattern!["<|tools_prefix|>"], 1, &begin).open(Place::Section(BY_NAME));
    let blank = Run { chars: Chars::only(" "), min: 0, max: 1 };
    let blank = opener(pattern!["<|action_start|>", blank, "<|plugin|>"], 1, &plain_json());
    let blank = blank.open(Place::Section(OBJECTS));
    // A result of the form `json-array:nemotron`.
    let result = invented(pattern!["<TOOL_RESPONSE>"]);
    let mut spec = Shape { also_rules: vec![blank, named, result], ..shape() }.built_in();
    let value = [pattern!["{"], pattern!["null"]];
    let rules = vec![
        opener(by_name(), 0, &value).open(Place::Call(NAMED)),
        opener(member(), 0, &value).open(Place::Call(NAMED)),
        // What names no tool so: a call with the usual keys, or none.
        rule(pattern!["{"]).open(Place::Body(CALL_BODY)),
        rule(pattern!["["]).needs(Flags::SECTION_START).not(Flags::BRACKET).sets(Flags::BRACKET),
        rule(pattern!["}"]),
        rule(pattern![CLOSE]).close(Scope::Section),
    ];
    let between = Between::Only(Chars::WHITE.and("],"));
    spec.sections.push(SectionKind { rules, between, calls: true });
    spec.calls.push(header(NAMED_ARGUMENTS));
    spec.bodies.push(body(Gives::Arguments, Some(BY_NAME), [pattern![CLOSE]]));
    with_cut_openers(with_empty_sections(spec, true), true)
}

/// Of MiniMax M1: one object a line.
pub(in crate::dialect) fn json_lines() -> Template {
    let section = "<tool_calls>\n{calls}\n</tool_calls>".into();
    Shape { section, ..shape() }.template()
}

/// Of Nemotron v2.
pub(in crate::dialect) fn nemotron() -> Template {
    Shape {
        section: "<TOOLCALL>[{calls}]</TOOLCALL>".into(),
        results: "<TOOL_RESPONSE>[{result}, {result}]</TOOL_RESPONSE>".into(),
        ..shape()
    }
    .template()
}

/// Of InternLM and Intern-S1: one call.
pub(in crate::dialect) fn internlm() -> Template {
    let call =
        "<|action_start|><|plugin|>\n{\"name\": {name}, \"parameters\": {arguments}}<|action_end|>";
    written(call).template()
}

/// Of Apertus: the key of an object is the name.
pub(in crate::dialect) fn apertus() -> Template {
    Shape {
        section: "<|tools_prefix|>[{calls}]<|tools_suffix|>".into(),
        call: "{\"{name}\": {arguments}}".into(),
        results: "[{result}, {result}]".into(),
        ..shape()
    }
    .template()
}
