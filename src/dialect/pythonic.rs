//! `pythonic`, `lfm2` and `olmo3`: Python calls.
//!
//! ```text
//! list := "[" ws call ( ws "," ws call )* ws "]"          call := NAME ws "(" arguments ")"
//! arguments := ( KEY "=" literal ( "," KEY "=" literal )* ","? )?
//! ```
//! `pythonic`: at the start of the message or, with tools declared, of a line, or after
//! `<|python_start|>` (closer `<|python_end|>`) or `<|python_tag|>`; with tools declared it calls no
//! other. Llama 4 writes JSON, too: objects at the start of the message or after `<|python_start|>`, of
//! declared tools ([`Tried`]), and all that may stand after `<|python_tag|>` ([`PythonTag`]).
//! `lfm2`: only between `<|tool_call_start|>` and `<|tool_call_end|>`, and there also a JSON list
//! of objects. `olmo3`: without brackets, a call a line, between `<function_calls>` and its closer. A
//! list counts if a name and `(` follow its bracket. What has no keyword breaks its call
//! (`malformed_arguments`). Where a string ends: [`super::literals`]. The rules of lists
//! follow from [`literals`](super::shape).

use std::borrow::Cow::Borrowed;

use super::answer::{Fences, Tried};
use super::bracket::body;
use super::build::rule;
use super::closers::with_cut_openers;
use super::literals::{Lists, name};
use super::prose::in_text;
use super::python_tag::PythonTag;
use super::shape::{Or, Shape, texts};
use super::spec::{
    Between, BodyKind, Chars, DialectSpec, Flags, Gives, Input, Known, Literals, Place, Ref, Scope,
    SectionKind, Trial, WS,
};
use super::template::{LiteralForm, tools_prompt};
use super::tool_call::{members, objects};
use crate::event::DiagnosticKind;
use crate::pattern;

pub(super) const LITERALS: Literals =
    Literals { quote: Borrowed(""), by_schema: false, python: true, unescaped: true };

const BOUNDARY: &[&str] =
    &["<|eot|>", "<|eot_id|>", "<|eom_id|>", "<|eom|>", "<|end_of_text|>", "<|im_end|>"];

/// JSON in `pythonic`: its sections and bodies come after those of the family.
const TRIED: Tried = Tried {
    trial: Trial::Name,
    gives: Gives::Call,
    tags: Borrowed(&[[Borrowed("<|python_start|>"), Borrowed("<|python_end|>")]]),
    fences: Fences::No,
    wrapped: false,
    section: 4,
    body: 2,
};

/// What stands behind the other token: its objects come after the lists.
const TAG: PythonTag =
    PythonTag { boundary: BOUNDARY, objects: Place::Section(3), call: 1, value: 0, body: 4 };

/// What all three have.
fn shape() -> Shape {
    Shape {
        call: "{name}({arguments})".into(),
        literals: Some(LiteralForm {
            separator: "=".into(),
            between: ", ".into(),
            python: true,
            ..LiteralForm::default()
        }),
        ..Shape::default()
    }
}

/// The dialect `pythonic`. Where tools are declared a list may also begin a line: it calls one of them.
pub(crate) fn pythonic() -> DialectSpec {
    let shape = Shape {
        name: "pythonic".into(),
        about: "a list of Python calls: [read_file(path=\"…\")]".into(),
        section: "[{calls}]".into(),
        sections: texts(&["<|python_start|>[{calls}]<|python_end|>", "<|python_tag|>[{calls}]"]),
        tokens: texts(BOUNDARY),
        prompt: Some(tools_prompt!(
            "To call a tool, let your whole message be a list with one Python call, in this \
             form:",
            "Every argument has its keyword, and all that the tool requires must be given; \
             values are Python literals."
        )),
        result: "{content}".into(),
        also_rules: TRIED.plain(Flags::MESSAGE_START),
        ..shape()
    };
    let mut spec = shape.built_in();
    // Behind its token an object counts in reasoning, too.
    let mut text = TRIED.tagged(Flags::NONE, 1);
    text.iter_mut().for_each(|rule| rule.not = rule.not.without(Flags::THINKING));
    text.extend(TAG.text());
    spec.prose[0]
        .rules
        .extend(in_text(text.into_iter().map(|rule| rule.not(Flags::WHOLE)).collect()));
    // Nothing closes what stands behind the other token.
    spec.sections.push(objects(1, &members(), None));
    spec.bodies.push(body(Gives::Call, None, [pattern!["<|python_end|>"]]));
    spec.sections.extend(TRIED.sections());
    spec.bodies.extend(TRIED.bodies());
    spec.calls.extend(TAG.calls());
    spec.values.push(TAG.value());
    spec.bodies.push(TAG.body(LITERALS));
    DialectSpec { input: Input("code".into()), ..spec }
}

/// The dialect `lfm2`. After its end token a model may say the list again: that is markup.
pub(crate) fn lfm2() -> DialectSpec {
    const SAID_AGAIN: Place = Place::Section(4);
    const SKIPPED: u8 = 2;
    let close = texts(&["<|tool_call_end|>"]);
    let tokens = texts(&["<|im_end|>"]);
    let open = "<|tool_call_start|>";
    let empty = [pattern![open, WS, "[", WS, "]", WS, close], pattern![open, WS, close]];
    let again = rule(pattern!["[", WS, Ref::First, WS, "("]).needs(Flags::AFTER_CALL);
    let mut shape = Shape {
        name: "lfm2".into(),
        about: "the same between tokens: <|tool_call_start|>[NAME(key=…)]<|tool_call_end|>".into(),
        section: "<|tool_call_start|>[{calls}]<|tool_call_end|>".into(),
        or: vec![Or::json("{\"name\": {name}, \"arguments\": {arguments}}")],
        tokens: tokens.clone(),
        result: "<|tool_response_start|>{content}<|tool_response_end|>".into(),
        also_rules: [again.not(Flags::REASONING).open(Place::Body(SKIPPED))]
            .into_iter()
            .chain(empty.map(|mark| rule(mark).noise()))
            .collect(),
        ..shape()
    };
    shape.literals.iter_mut().for_each(|literals| literals.plain_quote = "'".into());
    let mut spec = with_cut_openers(shape.built_in(), true);
    let orphan = rule(pattern![close]).close(Scope::Section).note(DiagnosticKind::OrphanCloser);
    spec.sections.push(SectionKind {
        rules: vec![
            rule(pattern![",", WS, name(Known::Any), WS, "("]).open(Place::Body(SKIPPED)),
            rule(pattern!["]"]).close(Scope::Section),
            orphan,
        ],
        between: Between::Only(Chars::WHITE),
        calls: false,
    });
    let list = Lists { close: &close, boundary: &tokens, bracket: true, alone: false };
    spec.bodies.push(BodyKind {
        gives: Gives::NoParams(LITERALS),
        rules: list.rules(),
        then: Some(SAID_AGAIN),
    });
    spec
}

/// The dialect `olmo3`: a call a line, between tags.
pub(crate) fn olmo3() -> DialectSpec {
    Shape {
        name: "olmo3".into(),
        about: "a Python call a line: <function_calls>⏎NAME(key=…)⏎</function_calls>".into(),
        section: "<function_calls>\n{calls}\n</function_calls>".into(),
        tokens: texts(&["<|im_end|>", "<|endoftext|>"]),
        result: "<|im_start|>environment\n{content}<|im_end|>".into(),
        ..shape()
    }
    .built_in()
}
