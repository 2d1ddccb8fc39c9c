//! `pythonic` and `lfm2`: a list of Python calls.
//!
//! ```text
//! list := "[" ws call ( ws "," ws call )* ws "]"          call := NAME ws "(" arguments ")"
//! arguments := ( KEY "=" literal ( "," KEY "=" literal )* ","? )?
//! ```
//! `pythonic`: at the start of the message, or after `<|python_start|>` (closer `<|python_end|>`) or
//! `<|python_tag|>`. `lfm2`: only between `<|tool_call_start|>` and `<|tool_call_end|>`, and there
//! also a JSON list of objects. A list counts if a name and `(` follow its bracket. What has no
//! keyword breaks its call (`malformed_arguments`).

use std::borrow::Cow::Borrowed;

use super::build::{prefixed, rule};
use super::header::start;
use super::parts::{opener, prose};
use super::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Gives, Literals, Name,
    Pattern, Piece, Place, Rule, Scope, SectionKind, Text, WS, What,
};
use super::template::{
    ArgumentsForm, CallForm, LiteralForm, NO_STOP, Template, prompt, results, stop,
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
const CALL: Place = Place::Call(0);
const ARGUMENTS: Place = Place::Body(0);
const OBJECT: u8 = 1;

/// A call and its bracket.
fn call() -> Pattern {
    pattern![Name::tool(), WS, "("]
}

/// A list begins after this opener, or with its bracket alone.
fn list(open: &[&'static str]) -> Vec<Rule> {
    let open = open.iter().map(|open| pattern![*open, WS, "[", WS, Name::tool()]);
    open.map(|mark| opener(mark, 1, &[pattern!["("]]).open(CALL)).collect()
}

fn spec(
    text: Vec<Rule>,
    close: &[&'static str],
    boundary: &[&'static str],
    spec: DialectSpec,
) -> DialectSpec {
    let boundary: Vec<Text> = boundary.iter().map(|token| (*token).into()).collect();
    let orphan = |close: &&'static str| rule(pattern![*close]).does(What::Orphan(Scope::Section));
    let closes = |close: &&'static str| rule(pattern![*close]).close(Scope::Section);
    let ends = |close: &&'static str| rule(pattern![*close]).before().close(Scope::Body);
    let tokens = rule(vec![Piece::Any(boundary.clone())]);
    let text = [text, close.iter().map(orphan).collect(), vec![tokens]].concat();
    let closers: Vec<Rule> = close.iter().map(closes).collect();
    let cut: Vec<Rule> = close.iter().map(ends).collect();
    let section = |rules: Vec<Rule>, between: Chars| SectionKind {
        rules: [rules, closers.clone()].concat(),
        between: Between::Only(between),
        calls: false,
    };
    let after_call = vec![
        rule(pattern![",", WS])
            .follow([call(), pattern!["]"]])
            .at_end(AtEnd::Confirm)
            .open(NEXT_CALL),
        rule(pattern!["]"]).open(AFTER_LIST),
    ];
    let next_call = vec![
        rule(pattern![At::Start, Name::tool()])
            .follow([pattern!["("]])
            .at_end(AtEnd::Known)
            .open(CALL),
        rule(pattern!["]"]).open(AFTER_LIST),
    ];
    let literals = Literals { python: true, unescaped: true, ..Literals::default() };
    let body = |gives: Gives, then: Option<Place>| BodyKind { gives, rules: cut.clone(), then };
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: prose(text),
        sections: vec![
            section(after_call, Chars::WHITE),
            section(next_call, Chars::WHITE),
            section(Vec::new(), Chars::WHITE),
            objects(OBJECT, &members(), close),
        ],
        calls: vec![CallKind {
            rules: vec![rule(pattern!["("]).needs(Flags::CALL_START).open(ARGUMENTS)],
            between: Between::Junk(Chars::WHITE),
            whole_at_end: false,
        }],
        bodies: vec![body(Gives::Params(literals), Some(AFTER_CALL)), body(Gives::Call, None)],
        boundary,
        ..spec
    }
}

/// The dialect `pythonic`.
pub(crate) fn pythonic() -> DialectSpec {
    let bracket =
        |mark: Pattern| rule(mark).follow([pattern!["("]]).at_end(AtEnd::Known).open(CALL);
    // The message begins with the stream, and again after its reasoning.
    let start = bracket(pattern!["[", WS, Name::tool()]).needs(Flags::STREAM_START);
    let again = bracket(pattern![At::Start, WS, "[", WS, Name::tool()]);
    let again = again.not(Flags::STREAM_START | Flags::CALLED);
    let open = ["<|python_start|>", "<|python_tag|>"];
    spec(
        [list(&open), vec![start, again]].concat(),
        &["<|python_end|>"],
        &["<|eot|>", "<|eot_id|>", "<|eom_id|>", "<|eom|>", "<|im_end|>"],
        DialectSpec::new(
            "pythonic",
            "a list of Python calls: [read_file(path=\"…\")]",
            pythonic_template(),
        ),
    )
}

/// The dialect `lfm2`.
pub(crate) fn lfm2() -> DialectSpec {
    const OPEN: &str = "<|tool_call_start|>";
    const CLOSE: &str = "<|tool_call_end|>";
    let object = prefixed(pattern!["{", WS], &members());
    let list = [prefixed(pattern!["[", WS], &object), object].concat();
    let json = opener(pattern![OPEN], 1, &list).open(OBJECTS);
    let mut spec = spec(
        [self::list(&[OPEN]), vec![json]].concat(),
        &[CLOSE],
        &["<|im_end|>"],
        DialectSpec::new(
            "lfm2",
            "the same between tokens: <|tool_call_start|>[NAME(key=…)]<|tool_call_end|>",
            lfm2_template(),
        ),
    );
    let forgotten = start(Vec::new()).noise().close(Scope::Section);
    spec.sections[2].rules = vec![
        start(pattern![CLOSE]).close(Scope::Section),
        forgotten.note(DiagnosticKind::MissingCloser),
    ];
    spec
}

/// How `pythonic` is written.
fn pythonic_template() -> Template {
    Template {
        prompt: prompt(
            "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its \
parameters:
{tools}

To call a tool, let your whole message be a list with one Python call, in this form:
{form}

Every argument has its keyword, and all that the tool requires must be given; values are Python \
literals.
{limit}

{example}",
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
        prompt: prompt(
            "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its \
parameters:
{tools}

To call a tool, write a list with one Python call, in this form:
{form}

Every argument has its keyword, and all that the tool requires must be given; values are Python \
literals.
{limit}

{example}",
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
