//! Messages in envelopes: `harmony`, of gpt-oss, and `beam`.
//!
//! ```text
//! message := "<|start|>"? HEADER "<|message|>" BODY END        END := "<|end|>" | "<|call|>" | "<|return|>"
//! ```
//! The prompt ends in `<|start|>assistant`, so a stream begins in a header. Of its words two count,
//! wherever they stand: a recipient `to=NAME` other than `assistant` makes the message a call, and the
//! channel `<|channel|>analysis` makes it reasoning; all others are text. Of NAME `functions.` is cut
//! off. What is no header is text. A header that the stream cuts, or the end of its message, is markup, if
//! one of its tokens or `to=` stands in it.
//!
//! The body of a call is a JSON object, which ends by itself, or nothing, or else all of it is the
//! parameter `input`. The end of a message is a stop token: the end of the stream will do.
//!
//! # `beam`
//!
//! ```text
//! BODY := ( "<rfl:parameter name=" KEY ">" value "</rfl:parameter>" )*
//! ```
//! NAME is the tool's as it stands. One line break off each end of a value. Its closer counts before a
//! parameter and the end of the message; without one a declared parameter that the call lacks ends the
//! value at the start of a line.

mod stripped;

pub(super) use stripped::stripped;

use std::borrow::Cow::Borrowed;

use crate::dialect::build::{LETTERS, rule, start, until};
use crate::dialect::parts::{GARBAGE, call, closer, value};
use crate::dialect::spec::{
    Action, At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Framing, Gives,
    Known, Name, Named, Pattern, Piece, Place, ProseKind, Rule, Run, Scope, SectionKind, Text,
    ValueKind, WS, What,
};
use crate::dialect::template::{
    ArgumentsForm, CALL, CallForm, LineBreaks, PARAM, ParamForm, Template, prompt, results, stop,
    tools_prompt,
};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

const START: &str = "<|start|>";
const CHANNEL: &str = "<|channel|>";
const CONSTRAIN: &str = "<|constrain|>";
const MESSAGE: &str = "<|message|>";
const END: &[&str] = &["<|end|>", "<|call|>", "<|return|>"];

/// The words of headers: roles, channels, and what a message holds.
const WORDS: &[&str] = &[
    "assistant",
    "user",
    "system",
    "developer",
    "tool",
    "analysis",
    "commentary",
    "final",
    "json",
    "code",
    "text",
    "xml",
];

/// The kinds, as the table numbers them. Where the stream begins, and after the end of a message:
const FIRST: Place = Place::Section(0);
const NEXT: Place = Place::Section(1);
/// In a header that is one, up to its first token: that of the stream's first message, that of a later one.
const FIRST_HEADER: Place = Place::Section(2);
const HEADER: Place = Place::Section(3);
/// After its `<|start|>`.
const STARTED: Place = Place::Section(4);
const AFTER_OBJECT: Place = Place::Section(5);
const TEXT: Place = Place::Prose(0);
const REASONING: Place = Place::Prose(1);

/// A name that is not asked for.
const NAME: Run = Run { chars: Chars::NAME, min: 0, max: 128 };
/// What no name goes on with: `analysis` is another channel than `analysis_2`.
const WORD_END: Run = Run {
    chars: Chars::except("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-/:+@$"),
    min: 1,
    max: 1,
};
const NO_WHITE: Run = Run { chars: Chars::except(" \t\r\n"), min: 1, max: 1 };

/// After white space: a longer run of it is text like any other.
fn blank(mark: Pattern) -> Rule {
    start([pattern![WS], mark].concat()).noise()
}

/// Nothing but words of headers up to this text, and recipients, if `to`.
fn words_until(text: &'static str, to: bool) -> Piece {
    let to = to.then_some("to=").into_iter();
    let words = WORDS.iter().copied().chain(to).map(Text::from).collect();
    Piece::Until { to: text.into(), unless: Vec::new(), words, within: 0 }
}

/// What ends no header.
fn others() -> Vec<&'static str> {
    [&[START], END].concat()
}

/// The stream ends in what looks like this: all of it is markup, if so many pieces are there.
fn cut(mark: Pattern, pieces: u8) -> Rule {
    rule(mark).at_end(AtEnd::Prefix).fixed(pieces).note(DiagnosticKind::CutOpener)
}

/// The first token of a header, which opens it, and the same where the stream ends right after it.
fn started() -> [Rule; 2] {
    let opens = start(pattern![START]).follow([pattern![NO_WHITE]]).open(STARTED);
    [opens, cut(pattern![At::Start, START, WS, NO_WHITE], 2)]
}

/// Before a header. What is none is text, from its first byte.
fn before_header(header: Place, between: Chars) -> SectionKind {
    let first = || {
        let tokens = [START, CHANNEL, CONSTRAIN, MESSAGE].map(|token| token[2..].into());
        pattern![words_until("<|", true), Piece::Any(tokens.into())]
    };
    let recipient = [pattern![At::Start, words_until("to=", false), NAME], first()].concat();
    let rules = vec![
        start(pattern![END]).open(NEXT),
        start(first()).before().open(header),
        cut(recipient, 2),
        start(Vec::new()).open(TEXT),
    ];
    let rules = [started().to_vec(), rules].concat();
    SectionKind { rules, between: Between::Only(between), calls: false }
}

fn header(prefix: &'static str, place: Place) -> SectionKind {
    let others = &*others();
    let to = until("to=", &[others, &[MESSAGE]].concat());
    let channel = until(CHANNEL, &[others, &[MESSAGE]].concat());
    let message = until(MESSAGE, others);
    let next = pattern![others];
    let recipient = Name::tool().prefix(prefix).not(&["assistant"]);
    let cut_in = |mark: Pattern, pieces: u8| cut([pattern![At::Start], mark].concat(), pieces);
    let cut_in_channel = match place {
        STARTED => cut_in(pattern![message], 1),
        _ => cut_in(pattern![channel, message], 2),
    };
    let mut rules = started().to_vec();
    rules.extend([
        start(pattern![END]).open(NEXT),
        start(pattern![to, recipient, message]).open(Place::Call(0)),
        start(pattern![channel, WS, "analysis", MESSAGE]).open(REASONING),
        start(pattern![channel, WS, "analysis", WORD_END, message]).open(REASONING),
        start(pattern![WS, "analysis", WS, MESSAGE]).open(REASONING),
        start(pattern![message]).open(TEXT),
        cut_in(pattern![to, message], 2),
        match place {
            // The first header is half in every stream that ends before its first message.
            FIRST_HEADER => Rule { action: Action::default(), ..cut_in_channel },
            _ => cut_in_channel,
        },
        // Parts of a header that the end of a message, or the next one, cuts short.
        start(pattern![WS, "to=", NAME])
            .noise()
            .follow([pattern![CHANNEL], next.clone()])
            .note(DiagnosticKind::MalformedCall),
        start(pattern![&[CHANNEL, CONSTRAIN, MESSAGE][..], LETTERS]),
    ]);
    if place == STARTED {
        let role = start(pattern!["assistant"]).noise();
        rules.push(role.follow([pattern!["to="], pattern![CHANNEL], next]));
    }
    SectionKind { rules, between: Between::Only(Chars::WHITE), calls: false }
}

/// Before a header, and in it.
fn headers(prefix: &'static str) -> Vec<SectionKind> {
    let mut sections =
        vec![before_header(FIRST_HEADER, Chars::only("")), before_header(HEADER, Chars::WHITE)];
    sections.extend([FIRST_HEADER, HEADER, STARTED].map(|place| header(prefix, place)));
    sections
}

/// The next header in a message: both its ends are there.
fn next_header() -> Pattern {
    pattern![&[START, CHANNEL][..], until(MESSAGE, &others())]
}

fn after_object() -> SectionKind {
    let channel = pattern![At::Start, CHANNEL, until(MESSAGE, &others())];
    let mut rules = started().to_vec();
    rules.extend([
        start(pattern![END]).open(NEXT),
        rule(channel.clone()).before().open(HEADER),
        cut(channel, 2),
        start(pattern![GARBAGE]),
        start(pattern!["}"]).note(DiagnosticKind::RepairedJson),
        start(Vec::new()).noise().close(Scope::Section).note(DiagnosticKind::MissingCloser),
    ]);
    SectionKind { rules, between: Between::Only(Chars::WHITE), calls: false }
}

/// What ends a message: its end, and the next header, also half of it at the end of the stream.
fn ends(scope: Scope, before: Pattern) -> [Rule; 3] {
    let header = [before.clone(), next_header()].concat();
    let pieces = before.len() as u8 + 1;
    let end = rule([before, pattern![END]].concat()).close(scope).then(NEXT);
    let next = rule(header.clone()).noise().before().close(scope).then(HEADER);
    // In prose half a header is just that.
    let half = match scope {
        Scope::Prose => cut(header, pieces),
        scope => cut(header, pieces).noise().close(scope),
    };
    [end, next.note(DiagnosticKind::MissingCloser), half]
}

/// Text or reasoning, up to the end of its message.
fn prose(reasoning: bool) -> ProseKind {
    let rules = ends(Scope::Prose, Vec::new()).to_vec();
    ProseKind { reasoning, answer: false, rules }
}

/// The dialect `harmony`.
pub(crate) fn harmony() -> DialectSpec {
    // What ends an empty body; the end of the stream does, too, also in half of it.
    let [end, next, half] = ends(Scope::Call, pattern![At::Start, WS]);
    let call = vec![
        blank(pattern!["{"]).open(Place::Body(0)),
        end.noise().at_end(AtEnd::Prefix).fixed(1),
        next,
        half,
        start(Vec::new()).does(What::Param(0, Named::Input)),
    ];
    let cut = |mark: Pattern| rule(mark).before().close(Scope::Body);
    DialectSpec {
        entry: FIRST,
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: vec![prose(false), prose(true)],
        sections: [headers("functions."), vec![after_object()]].concat(),
        calls: vec![CallKind {
            rules: call,
            between: Between::Junk(Chars::WHITE),
            whole_at_end: true,
        }],
        values: vec![ValueKind {
            rules: ends(Scope::Call, Vec::new()).to_vec(),
            framing: Framing::None,
            whole_at_end: true,
        }],
        bodies: vec![BodyKind {
            gives: Gives::Arguments,
            rules: vec![cut(pattern![END]), cut(next_header()).note(DiagnosticKind::MissingCloser)],
            then: Some(AFTER_OBJECT),
        }],
        ..DialectSpec::new(
            "harmony",
            "messages with a channel and a recipient: to=functions.NAME<|message|>{…}<|call|>",
            harmony_template(),
        )
    }
}

/// The dialect `beam`.
pub(crate) fn beam() -> DialectSpec {
    let opener = |known: Known| {
        let name = Name::param().attribute().known(known);
        pattern!["<rfl:parameter name=", name, ">"]
    };
    // The closer was forgotten: the next parameter stands on a line of its own.
    let line = rule(opener(Known::Fresh)).needs(Flags::LINE_START).not(Flags::HOLDS_CLOSER);
    let values = vec![
        closer(pattern!["</rfl:parameter>"], &[opener(Known::Any), pattern![END], next_header()]),
        line.noise().before().close(Scope::Value).note(DiagnosticKind::MissingCloser),
    ];
    // A message that ends in a value ends the call, too, and the value is not whole.
    let [end, next, half] = ends(Scope::Call, Vec::new());
    let broken =
        [end.note(DiagnosticKind::MissingCloser), next].map(|rule| rule.sets(Flags::BROKEN));
    let values = [values, broken.to_vec(), vec![half]].concat();
    let param = rule(opener(Known::Any)).param(0);
    let rules = [vec![param], ends(Scope::Call, Vec::new()).to_vec()].concat();
    let about = "messages to=NAME<|message|>, in them <rfl:parameter name=\"…\">";
    DialectSpec {
        entry: FIRST,
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: vec![prose(false), prose(true)],
        sections: headers(""),
        calls: vec![CallKind { whole_at_end: true, ..call(rules) }],
        values: vec![value(Framing::LineBreak, values)],
        ..DialectSpec::new("beam", about, beam_template())
    }
}

/// How `harmony` is written.
fn harmony_template() -> Template {
    Template {
        prompt: prompt(
            "\
# Tools

You can call functions. Each of these lines is one of them, as JSON with a JSON Schema of its \
parameters:
{tools}

A call is a message of its own in the channel `commentary`, with the function as its recipient and \
one JSON object with the arguments as its body:
{form}

The arguments must fit the schema, with every required one; a function without parameters gets {}. \
Quotes and line breaks in strings are escaped, as JSON has it.
{limit}

{example}",
        ),
        call: CallForm {
            open: Borrowed(
                "<|start|>assistant to=functions.{name}<|channel|>commentary json<|message|>",
            ),
            close: Borrowed("<|call|>"),
            ..CALL
        },
        result: results(
            "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{content}<|end|>",
            "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>Error: \
             {content}<|end|>",
            "",
        ),
        // A call ends with its object.
        stop: stop(&[Borrowed("<|call|>")], &[]),
    }
}

/// How `beam` is written.
fn beam_template() -> Template {
    Template {
        prompt: tools_prompt!(
            "A call is a message of its own in the channel `analysis`, with the tool as its \
             recipient and one element for each parameter that you give:",
            "Give every required parameter. Write strings as they are, without quotes and \
             escapes; lists, objects, numbers and booleans as JSON."
        ),
        call: CallForm {
            open: Borrowed(
                "<|start|>assistant to={name}<|channel|>analysis <|constrain|>xml<|message|>",
            ),
            arguments: ArgumentsForm::Params(ParamForm {
                open: Borrowed("<rfl:parameter name=\"{key}\">"),
                close: Borrowed("</rfl:parameter>"),
                line_breaks: LineBreaks::Always,
                sorted: true,
                ..PARAM
            }),
            close: Borrowed("<|call|>"),
            ..CALL
        },
        result: results(
            "<|start|>{name} to=assistant<|channel|>analysis<|message|>{content}<|end|>",
            "<|start|>{name} to=assistant<|channel|>analysis<|message|>Error: {content}<|end|>",
            "",
        ),
        stop: stop(&[Borrowed("<|call|>")], &[]),
    }
}
