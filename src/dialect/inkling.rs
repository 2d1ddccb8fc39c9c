//! Inkling: an envelope of messages, each with its kind.
//!
//! ```text
//! message := ( "<|message_model|>" AUTHOR )? KIND body ( "<|end_message|>" | "<|content_model_end_sampling|>" )?
//! call    := "<|content_invoke_tool_json|>" ws object        {"name": N, "args": {…}}, see machine/json.rs
//! ```
//! KIND says what the body is: reasoning, text, or a call, if an object follows. AUTHOR is markup; at the
//! start of the stream a name stands for all before KIND. In reasoning an end, a call and a header with
//! `<|message_model|>` count. A header that the stream cuts is markup.

use std::borrow::Cow::Borrowed;

use super::build::rule;
use super::json_array::{PLAIN, written};
use super::parts::{opener, prose_with};
use super::spec::{
    At, AtEnd, Chars, DialectSpec, Flags, Gives, Pattern, Piece, Place, Rule, Run, Scope, WS, What,
};
use super::template::{Template, object, stop};
use super::tool_call::{body, objects};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::options::bounds;
use crate::pattern;

const MODEL: &str = "<|message_model|>";
const THINKING: &str = "<|content_thinking|>";
const CALL: &str = "<|content_invoke_tool_json|>";
const TEXT: &[&str] =
    &["<|content_text|>", "<|content_invoke_tool_text|>", "<|content_tool_error|>"];
const END: &[&str] = &["<|end_message|>", "<|content_model_end_sampling|>"];

/// The forms of a header with this kind: with an author, and without; with a name at the start.
fn headers(kind: impl Into<Piece>) -> [Pattern; 3] {
    let (kind, max) = (kind.into(), bounds::NAME as u16);
    let name = Run { chars: Chars::NAME, min: 1, max };
    [
        [author(), vec![kind.clone()]].concat(),
        vec![kind.clone()],
        [pattern![At::Start, name], vec![kind]].concat(),
    ]
}

fn author() -> Pattern {
    let author = Run { chars: Chars::except("<\r\n"), min: 0, max: bounds::NAME as u16 };
    pattern![MODEL, author]
}

/// The rule for each form of a header. A name alone is no half header.
fn each(kind: impl Into<Piece>, of: impl Fn(Pattern) -> Rule) -> [Rule; 3] {
    let [author, bare, name] = headers(kind);
    [of(author), of(bare), of(name).needs(Flags::STREAM_START).noise()]
}

/// What is half a header at the end of the stream. The rules of whole ones stand before these.
fn cut() -> [Rule; 2] {
    let kinds: Vec<_> = TEXT.iter().chain(&[THINKING]).map(|kind| (*kind).into()).collect();
    [vec![Piece::Any(kinds)], pattern![CALL, WS, "{"]].map(|rest| {
        let cut = rule([author(), rest].concat()).at_end(AtEnd::Prefix).fixed(1);
        cut.note(DiagnosticKind::CutOpener)
    })
}

/// The dialect `inkling`.
pub(crate) fn inkling() -> DialectSpec {
    let call = |mark: Pattern| opener(mark, 0, &[pattern!["{"]]).open(Place::Section(0));
    let mut text = each(CALL, call).to_vec();
    text.extend(each(THINKING, |mark| rule(mark).open(Place::Prose(1))));
    text.extend(each(TEXT, rule));
    text.push(rule(pattern![END]));
    text.extend(cut());
    let [goes_on, _, _] = headers(THINKING);
    let [ends, _, _] = headers(TEXT);
    let mut reasoning = vec![
        rule(pattern![END]).close(Scope::Prose),
        rule(goes_on),
        rule(ends).close(Scope::Prose),
        rule(pattern![THINKING]).needs(Flags::STREAM_START),
        // Where calls in reasoning are no calls, the header of one is reasoning and not cut.
        rule([author(), pattern![CALL, WS, "{"]].concat()).noise().does(What::Pass),
    ];
    reasoning.extend(cut());
    let spec = DialectSpec::new(
        "inkling",
        "<|message_model|>NAME<|content_invoke_tool_json|>{\"name\": …, \"args\": {…}}",
        template(),
    );
    DialectSpec {
        calls_in_reasoning: CallsInReasoning::Extract,
        stripped: true,
        prose: prose_with(text, [Vec::new(), reasoning]),
        sections: vec![objects(0, &[], END)],
        bodies: vec![body(Gives::Call, None, END)],
        boundary: END.iter().map(|token| (*token).into()).collect(),
        ..spec
    }
}

/// How it is written: results are messages of the role `tool`.
fn template() -> Template {
    written(
        object(
            "<|message_model|>{name}<|content_invoke_tool_json|>{\"name\": {json_name}, \"args\": ",
            "}<|end_message|>",
        ),
        PLAIN,
        stop(&[Borrowed("<|end_message|>")], &[]),
    )
}
