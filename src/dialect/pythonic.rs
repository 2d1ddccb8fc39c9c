//! `pythonic`, `lfm2` and `olmo3`: Python calls.
//!
//! ```text
//! list := "[" ws call ( ws "," ws call )* ws "]"          call := NAME ws "(" arguments ")"
//! arguments := ( KEY "=" literal ( "," KEY "=" literal )* ","? )?
//! ```
//! `pythonic`: at the start of the message or, with tools declared, of a line, or after
//! `<|python_start|>` (closer `<|python_end|>`) or `<|python_tag|>`; with tools declared it calls no
//! other. Llama 4 writes JSON, too: objects at the start of the message or after `<|python_start|>`, of
//! declared tools ([`Tried`]), and all that may stand after `<|python_tag|>` ([`PythonTag`]). `lfm2`: only between `<|tool_call_start|>` and `<|tool_call_end|>`, and there also a JSON list
//! of objects. `olmo3`: without brackets, a call a line, between `<function_calls>` and its closer. A
//! list counts if a name and `(` follow its bracket. What has no keyword breaks its call
//! (`malformed_arguments`). Where a string ends: [`super::literals`].

use std::borrow::Cow::Borrowed;

use super::answer::{Fences, Tried};
use super::build::{prefixed, rule, start};
use super::literals::{Lists, name};
use super::parts::{opener, prose};
use super::python_tag::PythonTag;
use super::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Gives, Known, Literals,
    Pattern, Piece, Place, Ref, Rule, Scope, SectionKind, Text, Trial, WS, What,
};
use super::template::{
    ArgumentsForm, CallForm, LiteralForm, NO_STOP, Template, results, stop, tools_prompt,
};
use super::tool_call::{members, objects};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

/// What may follow a call in its list, and the end of the list.
const AFTER_CALL: Place = Place::Section(0);
/// The next call of the list.
const NEXT_CALL: Place = Place::Section(1);
/// After the list: its closer.
const AFTER_LIST: Place = Place::Section(2);
/// JSON objects.
const OBJECTS: Place = Place::Section(3);
/// In a list that is said again.
const SAID_AGAIN: Place = Place::Section(4);
const CALL: Place = Place::Call(0);
const ARGUMENTS: Place = Place::Body(0);
const OBJECT: u8 = 1;
const SKIPPED: u8 = 2;

pub(super) const LITERALS: Literals =
    Literals { quote: Borrowed(""), by_schema: false, python: true, unescaped: true };

const START: &str = "<|python_start|>";
const END: &str = "<|python_end|>";
const BOUNDARY: &[&str] =
    &["<|eot|>", "<|eot_id|>", "<|eom_id|>", "<|eom|>", "<|end_of_text|>", "<|im_end|>"];

/// JSON in `pythonic`: its sections and bodies come after those of the family.
const TRIED: Tried = Tried {
    trial: Trial::Name,
    gives: Gives::Call,
    tags: &[[START, END]],
    fences: Fences::No,
    section: 4,
    body: 2,
};

/// What stands behind the other token.
const TAG: PythonTag =
    PythonTag { boundary: BOUNDARY, objects: OBJECTS, call: 1, value: 0, body: 4 };

/// What tells the dialects apart.
struct Family {
    /// Which names a list may begin with.
    names: Known,
    text: Vec<Rule>,
    close: &'static [&'static str],
    boundary: &'static [&'static str],
}

impl Family {
    /// A call and its bracket.
    fn call(&self) -> Pattern {
        pattern![name(self.names), WS, "("]
    }

    fn dialect(&self, spec: DialectSpec) -> DialectSpec {
        let Family { close, .. } = *self;
        let orphan = |close: &&'static str| {
            let orphan = rule(pattern![*close]).not(Flags::REASONING);
            orphan.does(What::Orphan(Scope::Section))
        };
        let closes = |close: &&'static str| rule(pattern![*close]).close(Scope::Section);
        let boundary: Vec<Text> = self.boundary.iter().map(|token| (*token).into()).collect();
        let tokens = rule(vec![Piece::Any(boundary.clone())]);
        let text = [self.text.clone(), close.iter().map(orphan).collect(), vec![tokens]].concat();
        let closers: Vec<Rule> = close.iter().map(closes).collect();
        let section = |rules: Vec<Rule>| SectionKind {
            rules: [rules, closers.clone()].concat(),
            between: Between::Only(Chars::WHITE),
            calls: false,
        };
        let after_call = vec![
            rule(pattern![",", WS])
                .follow([self.call(), pattern!["]"]])
                .at_end(AtEnd::Confirm)
                .open(NEXT_CALL),
            rule(pattern!["]"]).open(AFTER_LIST),
        ];
        let next_call = vec![
            rule(pattern![At::Start, name(self.names)])
                .follow([pattern!["("]])
                .at_end(AtEnd::Known)
                .open(CALL),
            rule(pattern!["]"]).open(AFTER_LIST),
        ];
        let list = Lists { close, boundary: self.boundary, bracket: true, alone: false };
        let cut = close.iter().map(|close| rule(pattern![*close]).before().close(Scope::Body));
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            prose: prose(text),
            sections: vec![
                section(after_call),
                section(next_call),
                section(Vec::new()),
                objects(OBJECT, &members(), close),
            ],
            calls: vec![arguments(false)],
            bodies: vec![
                BodyKind {
                    gives: Gives::Params(LITERALS),
                    rules: list.rules(),
                    then: Some(AFTER_CALL),
                },
                BodyKind { gives: Gives::Call, rules: cut.collect(), then: None },
            ],
            boundary,
            ..spec
        }
    }
}

/// A call begins with its bracket.
fn arguments(whole_at_end: bool) -> CallKind {
    CallKind {
        rules: vec![rule(pattern!["("]).needs(Flags::CALL_START).open(ARGUMENTS)],
        between: Between::Junk(Chars::WHITE),
        whole_at_end,
    }
}

/// The dialect `pythonic`. Where tools are declared a list may also begin a line: it calls one of them.
pub(crate) fn pythonic() -> DialectSpec {
    let bracket =
        |mark: Pattern| rule(mark).follow([pattern!["("]]).at_end(AtEnd::Known).open(CALL);
    let line = bracket(pattern!["[", WS, name(Known::Declared)]);
    // Where no tool is declared.
    let start = bracket(pattern!["[", WS, name(Known::IfDeclared)]).needs(Flags::MESSAGE_START);
    let token = |open: &'static str| {
        let mark = pattern![open, WS, "[", WS, name(Known::IfDeclared)];
        opener(mark, 1, &[pattern!["("]]).open(CALL)
    };
    // Behind its token an object counts in reasoning, too.
    let mut tagged = TRIED.tagged(Flags::NONE, 1);
    tagged.iter_mut().for_each(|rule| rule.not = rule.not.without(Flags::THINKING));
    let lists = vec![
        token(START),
        token("<|python_tag|>"),
        line.needs(Flags::LINE_START).not(Flags::REASONING),
        start.not(Flags::REASONING),
    ];
    let mut text = [TRIED.plain(Flags::MESSAGE_START), lists, tagged, TAG.text()].concat();
    for rule in &mut text {
        rule.not = rule.not | Flags::WHOLE;
    }
    let family = Family { names: Known::IfDeclared, text, close: &[END], boundary: BOUNDARY };
    let mut spec = family.dialect(DialectSpec::new(
        "pythonic",
        "a list of Python calls: [read_file(path=\"…\")]",
        pythonic_template(),
    ));
    // Nothing closes what stands behind the other token.
    spec.sections[3] = objects(OBJECT, &members(), &[]);
    spec.sections.extend(TRIED.sections());
    spec.bodies.extend(TRIED.bodies());
    spec.calls.extend(TAG.calls());
    spec.values.push(TAG.value());
    spec.bodies.push(TAG.body(LITERALS));
    DialectSpec { input: "code".into(), ..spec }
}

/// The dialect `lfm2`. After its end token a model may say the list again: that is markup.
pub(crate) fn lfm2() -> DialectSpec {
    const OPEN: &str = "<|tool_call_start|>";
    const CLOSE: &str = "<|tool_call_end|>";
    let object = prefixed(pattern!["{", WS], &members());
    let list = [prefixed(pattern!["[", WS], &object), object].concat();
    let json = opener(pattern![OPEN], 1, &list).open(OBJECTS);
    let calls = opener(pattern![OPEN, WS, "[", WS, name(Known::Any)], 1, &[pattern!["("]]);
    let again = rule(pattern!["[", WS, Ref::First, WS, "("]).needs(Flags::AFTER_CALL);
    let again = again.not(Flags::REASONING).open(Place::Body(SKIPPED));
    let boundary = &["<|im_end|>"];
    let family = Family {
        names: Known::Any,
        text: vec![calls.open(CALL), json, again],
        close: &[CLOSE],
        boundary,
    };
    let mut spec = family.dialect(DialectSpec::new(
        "lfm2",
        "the same between tokens: <|tool_call_start|>[NAME(key=…)]<|tool_call_end|>",
        lfm2_template(),
    ));
    let forgotten = start(Vec::new()).noise().close(Scope::Section);
    spec.sections[2].rules = vec![
        start(pattern![CLOSE]).close(Scope::Section),
        forgotten.note(DiagnosticKind::MissingCloser),
    ];
    spec.sections.push(SectionKind {
        rules: vec![
            rule(pattern![",", WS, name(Known::Any), WS, "("]).open(Place::Body(SKIPPED)),
            rule(pattern!["]"]).close(Scope::Section),
            rule(pattern![CLOSE]).close(Scope::Section).note(DiagnosticKind::OrphanCloser),
        ],
        between: Between::Only(Chars::WHITE),
        calls: false,
    });
    let list = Lists { close: &[CLOSE], boundary, bracket: true, alone: false };
    spec.bodies.push(BodyKind {
        gives: Gives::NoParams(LITERALS),
        rules: list.rules(),
        then: Some(SAID_AGAIN),
    });
    spec
}

/// The dialect `olmo3`: a call a line, between tags.
pub(crate) fn olmo3() -> DialectSpec {
    const OPEN: &str = "<function_calls>";
    const CLOSE: &str = "</function_calls>";
    const BOUNDARY: [&str; 2] = ["<|im_end|>", "<|endoftext|>"];
    let boundary: Vec<Text> = BOUNDARY.iter().map(|token| (*token).into()).collect();
    let tokens = Piece::Any(boundary.clone());
    let text = vec![
        opener(pattern![OPEN], 1, &[pattern![name(Known::Any), WS, "("]]).open(Place::Section(0)),
        rule(pattern![CLOSE]).does(What::Orphan(Scope::Section)),
        rule(vec![tokens.clone()]),
    ];
    let call = |mark: Pattern| rule(mark).follow([pattern!["("]]).at_end(AtEnd::Known).open(CALL);
    let forgotten = rule(vec![tokens]).before().close(Scope::Section);
    let calls = vec![
        call(pattern![At::LineStart, name(Known::Any)]),
        call(pattern![At::Start, WS, name(Known::Any)]).needs(Flags::SECTION_START),
        rule(pattern![CLOSE]).close(Scope::Section),
        forgotten.note(DiagnosticKind::MissingCloser),
    ];
    let lines = Lists { close: &[CLOSE], boundary: &BOUNDARY, bracket: false, alone: false };
    let spec = DialectSpec::new(
        "olmo3",
        "a Python call a line: <function_calls>⏎NAME(key=…)⏎</function_calls>",
        olmo3_template(),
    );
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: prose(text),
        sections: vec![SectionKind::new(calls)],
        calls: vec![arguments(false)],
        bodies: vec![BodyKind { gives: Gives::Params(LITERALS), rules: lines.rules(), then: None }],
        boundary,
        ..spec
    }
}

/// How `olmo3` is written.
fn olmo3_template() -> Template {
    Template {
        prompt: tools_prompt!(
            "To call a tool, write a Python call on a line of its own, in this form:",
            "Every argument has its keyword, and all that the tool requires must be given; \
             values are Python literals."
        ),
        call: CallForm {
            section_open: Borrowed("<function_calls>\n"),
            between: Borrowed("\n"),
            section_close: Borrowed("\n</function_calls>"),
            ..pythonic_template().call
        },
        result: results(
            "<|im_start|>environment\n{content}<|im_end|>",
            "<|im_start|>environment\nError: {content}<|im_end|>",
            "\n",
        ),
        stop: stop(&[Borrowed("</function_calls>")], &[Borrowed("<|im_start|>environment")]),
    }
}

/// How `pythonic` is written.
fn pythonic_template() -> Template {
    Template {
        prompt: tools_prompt!(
            "To call a tool, let your whole message be a list with one Python call, in this \
             form:",
            "Every argument has its keyword, and all that the tool requires must be given; \
             values are Python literals."
        ),
        call: CallForm {
            section_open: Borrowed("["),
            open: Borrowed("{name}("),
            arguments: ArgumentsForm::Literals(LiteralForm {
                separator: Borrowed("="),
                between: Borrowed(", "),
                python: true,
                ..LiteralForm::default()
            }),
            close: Borrowed(")"),
            between: Borrowed(", "),
            section_close: Borrowed("]"),
        },
        result: results("{content}", "Error: {content}", "\n"),
        stop: NO_STOP,
    }
}

/// How `lfm2` is written.
fn lfm2_template() -> Template {
    Template {
        prompt: tools_prompt!(
            "To call a tool, write a list with one Python call, in this form:",
            "Every argument has its keyword, and all that the tool requires must be given; \
             values are Python literals."
        ),
        call: CallForm {
            section_open: Borrowed("<|tool_call_start|>["),
            arguments: ArgumentsForm::Literals(LiteralForm {
                plain_quote: Borrowed("'"),
                separator: Borrowed("="),
                between: Borrowed(", "),
                python: true,
                ..LiteralForm::default()
            }),
            section_close: Borrowed("]<|tool_call_end|>"),
            ..pythonic_template().call
        },
        result: results(
            "<|tool_response_start|>{content}<|tool_response_end|>",
            "<|tool_response_start|>Error: {content}<|tool_response_end|>",
            "\n",
        ),
        stop: stop(&[Borrowed("<|tool_call_end|>")], &[Borrowed("<|tool_response_start|>")]),
    }
}
