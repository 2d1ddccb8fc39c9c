//! `kimi-k2`.
//!
//! ```text
//! header := ID ws "<|tool_call_argument_begin|>"           ID := "functions."? NAME ( ":" digits )?
//! ```
//! All of ID is the call's id. Openers count by themselves: they are special tokens. Where a token is
//! missing, or more than that:
//!
//! * half a header, up to the next token, is markup (`malformed_call`), and so is an argument token
//!   without one, with its object;
//! * in a section the token that begins a call may be missing before `NAME:digits` of a declared tool;
//! * where ID names none of the declared tools, the arguments may: `{"name": N, "arguments": {…}}`;
//! * of an ID that is all digits the tool is the one known tool whose parameters include all keys of
//!   the arguments. (Both are `inferred_name`; if there is none or several, there is no call.)

use crate::dialect::bracket::{between, invented, opener};
use crate::dialect::build::{rule, start};
use crate::dialect::shape::calls::{AFTER_OBJECT, CALLS, NO_CALL};
use crate::dialect::shape::{Also, Shape, texts};
use crate::dialect::spec::{
    Between, BodyKind, Chars, DialectSpec, Flags, Gives, Known, Name, Pattern, Piece, Place, Rule,
    Run, Scope, SectionKind, WS, What,
};
use crate::dialect::template::NO_STOP;
use crate::dialect::tool_call::ARGUMENT_KEYS;
use crate::event::DiagnosticKind;
use crate::pattern;

const OPEN: &[&str] = &["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"];
const CLOSE: &[&str] = &["<|tool_calls_section_end|>", "<|tool_call_section_end|>"];
const BEGIN: &str = "<|tool_call_begin|>";
const ARGUMENT: &str = "<|tool_call_argument_begin|>";
const END: &str = "<|tool_call_end|>";
const BOUNDARY: &[&str] = &["<|im_end|>", "[EOS]"];

fn shape() -> Shape {
    let [section, other] = [0, 1].map(|at| format!("{}{{calls}}{}", OPEN[at], CLOSE[at]).into());
    Shape {
        name: "kimi-k2".into(),
        about:
            "<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>"
                .into(),
        section,
        sections: vec![other],
        call: format!("{BEGIN}{{id}}{ARGUMENT}{{arguments}}{END}").into(),
        also: vec![Also {
            call: format!("{{id}}{ARGUMENT}{{arguments}}{END}").into(),
            told: Some(DiagnosticKind::MissingOpener),
        }],
        between: Some("".into()),
        id: "functions.{name}:{index}".into(),
        tokens: texts(BOUNDARY),
        special: true,
        result: "<|im_system|>tool<|im_middle|>## Return of {id}\n{content}<|im_end|>".into(),
        results: "{result}{result}".into(),
        invented: Some("".into()),
        also_rules: vec![invented(pattern![
            "<|im_system|>",
            SHORT,
            "tool",
            SHORT,
            "<|im_middle|>"
        ])],
        stop: Some(NO_STOP),
        ..Shape::default()
    }
}

/// The kinds beside those of the family: behind the token that begins a call; an argument token in text,
/// and behind its object.
const HEADER: u8 = 2;
const STRAY: u8 = 3;
const AFTER_STRAY: u8 = 4;
const ARGUMENTS: u8 = 0;
const NAMED_INSIDE: u8 = 2;
const STRAY_OBJECT: u8 = 3;

/// White space in what is held as a whole.
const SHORT: Piece = Piece::Run(Run { chars: Chars::WHITE, min: 0, max: 128 });

fn id() -> Name {
    Name::tool_id().prefix("functions.")
}

fn malformed(mark: Pattern) -> Rule {
    rule(mark).clears(Flags::SECTION_START).note(DiagnosticKind::MalformedCall)
}

/// Before the first call, and between two: what of the family's rules is no header.
fn calls(of_family: &[Rule]) -> Vec<Rule> {
    let stays = |rule: &&Rule| match rule.action.note {
        Some(note) => note == DiagnosticKind::MissingOpener,
        None => rule.action.what != What::Open(Place::Call(0)),
    };
    let mut rules = vec![
        rule(pattern![BEGIN]).sets(Flags::SECTION_START).open(Place::Section(HEADER)),
        malformed(pattern![ARGUMENT, WS, "{"]).open(Place::Body(NO_CALL)),
        malformed(pattern![ARGUMENT]),
    ];
    rules.extend(of_family.iter().filter(stays).cloned());
    rules
}

/// Behind the token that begins a call.
fn header() -> SectionKind {
    let keys = ARGUMENT_KEYS.iter().map(|key| format!("\"{key}\"").into()).collect();
    let name = Name::tool().known(Known::Declared);
    let named_inside = pattern![
        "\"name\"",
        SHORT,
        ":",
        SHORT,
        "\"",
        name,
        "\"",
        SHORT,
        ",",
        SHORT,
        Piece::Any(keys),
        SHORT,
        ":"
    ];
    let foreign = pattern![SHORT, id().known(Known::Undeclared), SHORT, ARGUMENT, SHORT, "{"];
    let number = Name::id().chars(Chars::only("0123456789"));
    let words = Run { chars: Chars::except("{\r\n<["), min: 0, max: 128 };
    let line = Piece::NotNext(Chars::only("\r\n"));
    let tokens = [OPEN, CLOSE, BOUNDARY, &[BEGIN, ARGUMENT, END]].concat();
    let half = malformed([start(pattern![words.clone(), line]).mark].concat());
    let rules = vec![
        opener(start(foreign).mark, 0, &[named_inside]).open(Place::Body(NAMED_INSIDE)),
        start(pattern![WS, id(), WS, ARGUMENT]).open(Place::Call(0)),
        start(pattern![WS, number, WS, ARGUMENT, WS, "{"]).open(Place::Body(ARGUMENTS)),
        malformed(start(pattern![words, ARGUMENT, WS, "{"]).mark).open(Place::Body(NO_CALL)),
        half.follow([pattern![&tokens[..]]]).open(Place::Section(CALLS)),
        malformed(start(Vec::new()).mark).noise().close(Scope::Section),
    ];
    // White space, too, is half a header.
    SectionKind { rules, between: Between::Only(Chars::only("")), calls: true }
}

/// An argument token in text, and behind its object.
fn strays() -> [SectionKind; 2] {
    let stray = vec![
        malformed(pattern![ARGUMENT, WS, "{"]).open(Place::Body(STRAY_OBJECT)),
        malformed(pattern![ARGUMENT]).close(Scope::Section),
    ];
    let over = |mark: Pattern| start(mark).noise().close(Scope::Section);
    [between(stray), between(vec![over(pattern![END]), over(Vec::new())])]
}

/// The dialect `kimi-k2`.
pub(in crate::dialect) fn kimi_k2() -> DialectSpec {
    let shape = shape();
    let mut spec = shape.built_in();
    // Openers count by themselves, and half a header is one.
    let text = &mut spec.prose[0].rules;
    let opens = |rule: &&mut Rule| rule.action.what == What::Open(Place::Section(CALLS));
    for rule in text.iter_mut().filter(opens) {
        rule.follow.clear();
        rule.mark.truncate(1);
    }
    let stray = rule(pattern![ARGUMENT]).not(Flags::REASONING).before();
    text.push(stray.open(Place::Section(STRAY)));
    let section = &mut spec.sections[CALLS as usize].rules;
    *section = calls(section);
    spec.sections.push(header());
    spec.sections.extend(strays());
    // Behind a call without an object no header begins.
    let call = &mut spec.calls[0].rules;
    for rule in call.iter_mut().filter(|rule| matches!(rule.action.what, What::Close(_))) {
        rule.action.then = Some(Place::Section(CALLS));
    }
    call.push(start(pattern![WS, "null"]).follow([pattern![END]]));
    let object = spec.bodies[ARGUMENTS as usize].clone();
    let body = |gives, then| BodyKind { gives, then: Some(Place::Section(then)), ..object.clone() };
    spec.bodies.push(body(Gives::Call, AFTER_OBJECT));
    spec.bodies.push(body(Gives::Nothing, AFTER_STRAY));
    spec
}
