//! `k2-horizon`.
//!
//! ```text
//! KEYS := ( "<arg_key>" KEY "</arg_key>" TYPE? "<arg_value>" value "</arg_value>" )*
//! TYPE := "<arg_type>" NAME ( "[" … )? "</arg_type>"
//! call := … | "<tool_call>" json "</tool_call>"
//! ```
//! All its tags begin with `ifm|`. A type on the wire decides where the schema leaves a choice.

use std::borrow::Cow::Borrowed;

use super::{Form, OUTER, body, ends_bare, ends_block, section};
use crate::dialect::build::rule;
use crate::dialect::parts::{call, opener, prose_with, reasoning_between};
use crate::dialect::spec::{
    AtEnd, Chars, DialectSpec, Flags, Gives, Name, Pattern, Place, Rule, Run, Text, WS, What,
};
use crate::dialect::template::{CALL, CallForm, Template, params, stop};
use crate::dialect::tool_call::{self, Tags, glm, json, members};
use crate::event::{DiagnosticKind, TypeHint};
use crate::options::CallsInReasoning;
use crate::pattern;

/// Its one way to write tags.
fn form() -> Form {
    let tags = Tags { prefix: "ifm|", suffix: Pattern::new() };
    Form { json: json(), ..Form::new(0, tags.clone(), tags) }
}

/// The dialect `k2-horizon`.
pub(in crate::dialect) fn k2_horizon() -> DialectSpec {
    const OPEN: &[&str] = &["<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>"];
    const CLOSE: &[&str] = &["</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"];
    const BOUNDARY: &str = "<|im_end|>";
    /// JSON objects: in the section, and without one.
    const OBJECTS: u8 = 1;
    const BARE_OBJECTS: u8 = 2;
    let form = form();
    let tag = || form.own.open("tool_call");
    let mut text = vec![opener(tag(), 1, &json()).open(Place::Section(BARE_OBJECTS))];
    text.extend(form.text(&[pattern!["<tool_response>"]]));
    text.push(rule(pattern![BOUNDARY]));
    let block = rule(tag()).follow(json()).at_end(AtEnd::Known).clears(Flags::BRACKET);
    let block = block.sets(Flags::SECTION_START).open(Place::Section(OBJECTS));
    let next = rule(tag()).follow(form.begin()).before().open(Place::Section(OUTER));
    let next = next.note(DiagnosticKind::MissingCloser);
    let objects = |rules: Vec<Rule>| {
        let mut objects = tool_call::objects(0, &members(), &[]);
        objects.rules.extend(rules);
        objects
    };
    let hint = |end: Pattern| {
        let mark = [form.own.open("arg_type"), pattern![WS, Name::hint(), WS], end].concat();
        rule(mark).needs(Flags::NAMED).does(What::Name)
    };
    let rest = Run { chars: Chars::except("<"), min: 0, max: crate::bounds::NAME as u16 };
    let end = form.own.close("arg_type");
    let more = vec![hint(end.clone()), hint([pattern!["[", rest], end].concat())];
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: prose_with(text, reasoning_between(pattern![OPEN], pattern![CLOSE])),
        sections: vec![
            section([vec![block], form.section()].concat()),
            objects([ends_block(&form.own), vec![next]].concat()),
            objects(ends_bare(&form.own)),
        ],
        calls: vec![call(form.call(more))],
        values: vec![form.value(&[pattern![BOUNDARY]])],
        bodies: vec![body(&form, Gives::Call, None)],
        boundary: vec![BOUNDARY.into()],
        hints: types(),
        hints_yield: true,
        ..DialectSpec::new(
            "k2-horizon",
            "a section of <ifm|tool_call>NAME<ifm|arg_key>…</ifm|arg_key><ifm|arg_value>…, or JSON",
            template(),
        )
    }
}

/// The types that a value may have on the wire.
fn types() -> Vec<(Text, TypeHint)> {
    let json = ["integer", "number", "boolean", "null", "object", "array"];
    let json = json.map(|name| (name.into(), TypeHint::Json));
    [vec![("string".into(), TypeHint::String)], json.to_vec()].concat()
}

/// How it is written.
fn template() -> Template {
    Template {
        call: CallForm {
            section_open: Borrowed("<ifm|tool_calls>"),
            open: Borrowed("<ifm|tool_call>{name}"),
            arguments: params(
                "<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_type>{whole_type}</ifm|arg_type>\
                 <ifm|arg_value>",
                "</ifm|arg_value>",
            ),
            close: Borrowed("</ifm|tool_call>"),
            section_close: Borrowed("</ifm|tool_calls>"),
            ..CALL
        },
        stop: stop(&[Borrowed("</ifm|tool_calls>")], &[Borrowed("<tool_response>")]),
        ..glm().template
    }
}
