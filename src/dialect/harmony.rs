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

use std::borrow::Cow::Borrowed;

use super::build::{LETTERS, rule};
use super::header::{GARBAGE, start, until};
use super::parts::{call, closer, closes_both, suspect, value};
use super::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Framing, Gives, Known, Name,
    Named, Pattern, Place, ProseKind, Rule, Run, Scope, SectionKind, ValueKind, WS, What,
};
use super::template::{
    ArgumentsForm, CALL, CallForm, LineBreaks, PARAM, ParamForm, Template, prompt, results, stop,
};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

const START: &str = "<|start|>";
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const END: &[&str] = &["<|end|>", "<|call|>", "<|return|>"];

/// The kinds, as the table numbers them.
const HEADER: Place = Place::Section(0);
/// A header after its own first token.
const STARTED: Place = Place::Section(1);
const AFTER_OBJECT: Place = Place::Section(2);
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

/// After white space: a longer run of it is text like any other.
fn blank(mark: Pattern) -> Rule {
    start([pattern![WS], mark].concat()).noise()
}

/// What ends an empty body; the end of the stream does, too, also in half of it.
fn empty(mark: Pattern) -> Rule {
    blank(mark).at_end(AtEnd::Prefix).fixed(1)
}

fn header(prefix: &'static str, started: bool) -> SectionKind {
    let other: &[&str] = &[&[START], END].concat();
    let to = until("to=", &[other, &[MESSAGE]].concat());
    let channel = until(CHANNEL, &[other, &[MESSAGE]].concat());
    let message = until(MESSAGE, other);
    let next = pattern![other];
    let recipient = Name::tool().prefix(prefix).not(&["assistant"]);
    // The stream ends in a header: what has been read of it is markup if these pieces stand there.
    let cut = |mark: Pattern, pieces: u8| start(mark).at_end(AtEnd::Prefix).fixed(pieces);
    let cut_in_channel =
        if started { cut(pattern![message], 1) } else { cut(pattern![channel, message], 2) };
    let mut rules = vec![
        start(pattern![START]).open(STARTED),
        start(pattern![END]).open(HEADER),
        start(pattern![to, recipient, message]).open(Place::Call(0)),
        start(pattern![channel, WS, "analysis", MESSAGE]).open(REASONING),
        start(pattern![channel, WS, "analysis", WORD_END, message]).open(REASONING),
        start(pattern![message]).open(TEXT),
        cut(pattern![to, message], 2).note(DiagnosticKind::CutOpener),
        cut_in_channel,
        // Parts of a header that the end of a message, or the next one, cuts short.
        start(pattern![WS, "to=", NAME])
            .noise()
            .follow([pattern![CHANNEL], next.clone()])
            .note(DiagnosticKind::MalformedCall),
        start(pattern![&[CHANNEL, "<|constrain|>", MESSAGE][..], LETTERS]),
    ];
    if started {
        let role = start(pattern!["assistant"]).noise();
        rules.push(role.follow([pattern!["to="], pattern![CHANNEL], next]));
    }
    SectionKind { rules, between: Between::Only(Chars::WHITE), calls: false }
}

/// Before its first token, and after it.
fn headers(prefix: &'static str) -> [SectionKind; 2] {
    [header(prefix, false), header(prefix, true)]
}

fn after_object() -> SectionKind {
    let rules = vec![
        start(pattern![START]).open(STARTED),
        start(pattern![END]).open(HEADER),
        start(pattern![GARBAGE]),
        start(pattern!["}"]).note(DiagnosticKind::RepairedJson),
        start(Vec::new()).noise().close(Scope::Section).note(DiagnosticKind::MissingCloser),
    ];
    SectionKind { rules, between: Between::Only(Chars::WHITE), calls: false }
}

/// What ends a message, as a rule for each way to write it.
fn ends(mark: fn(Pattern) -> Rule, scope: Scope) -> [Rule; 2] {
    let end = mark(pattern![END]).close(scope).then(HEADER);
    let next = mark(pattern![START]).close(scope).then(STARTED);
    [end, next.note(DiagnosticKind::MissingCloser)]
}

/// Text or reasoning, up to the end of its message.
fn prose(reasoning: bool) -> ProseKind {
    ProseKind { reasoning, answer: false, rules: ends(rule, Scope::Prose).to_vec() }
}

/// The dialect `harmony`.
pub(crate) fn harmony() -> DialectSpec {
    let call = [
        vec![blank(pattern!["{"]).open(Place::Body(0))],
        ends(empty, Scope::Call).to_vec(),
        vec![start(Vec::new()).does(What::Param(0, Named::Input))],
    ];
    let cut = rule(pattern![&[&[START], END].concat()[..]]).before().close(Scope::Body);
    DialectSpec {
        entry: HEADER,
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: vec![prose(false), prose(true)],
        sections: [headers("functions.").to_vec(), vec![after_object()]].concat(),
        calls: vec![CallKind {
            rules: call.concat(),
            between: Between::Junk(Chars::WHITE),
            whole_at_end: true,
        }],
        values: vec![ValueKind {
            rules: ends(rule, Scope::Call).to_vec(),
            framing: Framing::None,
            whole_at_end: true,
        }],
        bodies: vec![BodyKind {
            gives: Gives::Arguments,
            rules: vec![cut],
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
    let tokens = pattern![&[&[START], END].concat()[..]];
    let fresh = opener(Known::Fresh);
    // The closer was forgotten: the next parameter stands on a line of its own.
    let line = rule(fresh.clone()).needs(Flags::LINE_START).not(Flags::HOLDS_CLOSER).noise();
    let values = vec![
        closer(pattern!["</rfl:parameter>"], &[opener(Known::Any), tokens.clone()]),
        line.before().close(Scope::Value).note(DiagnosticKind::MissingCloser),
        closes_both(pattern![END], &[pattern![At::End], tokens], Scope::Call).then(HEADER),
        suspect(fresh),
    ];
    let param = rule(opener(Known::Any)).param(0);
    let rules = [vec![param], ends(rule, Scope::Call).to_vec()].concat();
    let about = "messages to=NAME<|message|>, in them <rfl:parameter name=\"…\">";
    DialectSpec {
        entry: HEADER,
        calls_in_reasoning: CallsInReasoning::Extract,
        prose: vec![prose(false), prose(true)],
        sections: headers("").to_vec(),
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
        prompt: prompt(
            "\
# Tools

You can call tools. Each of these lines is one of them, as JSON with a JSON Schema of its \
parameters:
{tools}

A call is a message of its own in the channel `analysis`, with the tool as its recipient and one \
element for each parameter that you give:
{form}

Give every required parameter. Write strings as they are, without quotes and escapes; lists, \
objects, numbers and booleans as JSON.
{limit}

{example}",
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
