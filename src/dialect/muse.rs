//! `muse`: a section is a message to a tool.
//!
//! ```text
//! message := ( "<|start|>" ws "assistant" )? ( ws "to=" ws RECIPIENT )? ws "<|message|>" BODY END
//! END     := "<|eom|>" | "<|eot|>"
//! ```
//! RECIPIENT says what the message is: `self` and `developer` make it reasoning, `user`, `commentary`
//! or none text, and any other a section of `invoke` with `atem:` in its tags. END or the next header with
//! `<|start|>` ends a message wherever it stands: in a value, too, and then the call is broken. Half a header
//! at the end of the stream is markup. The tags with `atem:` are no tokens: in a value the next call of the
//! same message is data, and is told (`suspect_marker`). The opener of a declared parameter that the call lacks ends
//! a value all the same.

use std::borrow::Cow::Borrowed;

use crate::dialect::build::rule;
use crate::dialect::shape::tags::{CALL, SECTION};
use crate::dialect::shape::{Shape, texts};
use crate::dialect::spec::{
    Action, At, AtEnd, Between, Chars, DialectSpec, Flags, Name, Pattern, Piece, Place, ProseKind,
    Rule, Scope, SectionKind, WS, What,
};
use crate::dialect::template::CallForm;
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

/// Between messages, and what is no message there: text.
const BETWEEN: Place = Place::Prose(0);
const REASONING: Place = Place::Prose(1);
/// The text of a message.
const TEXT: Place = Place::Prose(2);

const END: &[&str] = &["<|eom|>", "<|eot|>"];
/// In two pieces: so much of it is no text at the end of the stream.
const MESSAGE: [&str; 2] = ["<|m", "essage|>"];

fn start() -> Pattern {
    pattern!["<|start|>", WS, "assistant"]
}

/// The rest of a header: to somebody, and to nobody.
fn to(recipient: impl Into<Piece>) -> Pattern {
    [pattern![WS, "to=", WS], vec![recipient.into()], to_nobody()].concat()
}

fn to_nobody() -> Pattern {
    pattern![WS, MESSAGE[0], MESSAGE[1]]
}

fn any() -> Piece {
    Name::element().chars(Chars::NAME).into()
}

/// A rule for each header that begins like this.
fn headers(before: &Pattern) -> Vec<Rule> {
    let header = |tail: Pattern| rule([&**before, &tail].concat());
    vec![
        header(to(&["self", "developer"][..])).open(REASONING),
        header(to(&["user", "commentary"][..])).open(TEXT),
        header(to_nobody()).open(TEXT),
        header(to(any())).open(Place::Section(SECTION)),
    ]
}

/// A header that begins with its token, whatever it is.
fn whole() -> [Pattern; 2] {
    [to_nobody(), to(any())].map(|tail| [start(), tail].concat())
}

/// Half of such a header, where the stream ends after its token.
fn half() -> [Rule; 2] {
    whole().map(|header| cut(header, 1))
}

/// The stream ends in this, and so many pieces of it are there.
fn cut(header: Pattern, pieces: u8) -> Rule {
    let cut = rule(header).noise().at_end(AtEnd::Prefix).fixed(pieces);
    cut.note(DiagnosticKind::CutOpener)
}

/// Before a message. Right here a header may lack its token, and no message is open that it would end.
fn between() -> Vec<Rule> {
    let here = pattern![At::Start, WS];
    let next = [here.clone(), start()].concat();
    let half = [
        cut([here, whole()[0].clone()].concat(), 3),
        cut([pattern![At::Start, WS], whole()[1].clone()].concat(), 3),
        cut([pattern![At::Start], to(any())].concat(), 3),
        // Without a recipient it may be one of text.
        Rule { action: Action::default(), ..cut([pattern![At::Start], to_nobody()].concat(), 3) },
    ];
    [headers(&pattern![At::Start]), headers(&next), half.to_vec(), in_message()].concat()
}

/// In text or reasoning: its end, or the next header.
fn in_message() -> Vec<Rule> {
    let next = headers(&start()).into_iter().map(|rule| rule.note(DiagnosticKind::MissingCloser));
    let end = rule(pattern![END]).close(Scope::Prose).then(BETWEEN);
    next.chain(half()).chain([end]).collect()
}

/// What ends a message in a state that this closes: its token, or the next header.
fn ends(scope: Scope) -> Vec<Rule> {
    let end = rule(pattern![END]).close(scope).note(DiagnosticKind::MissingCloser);
    [vec![end], next_ends(scope)].concat()
}

/// The next header alone.
fn next_ends(scope: Scope) -> Vec<Rule> {
    let next = whole().map(|header| rule(header).noise().before());
    let next = next.map(|rule| rule.close(scope).note(DiagnosticKind::MissingCloser));
    next.into_iter().chain(half().map(|rule| rule.close(scope))).collect()
}

/// What stands in a message to a tool.
fn shape() -> Shape {
    Shape {
        name: "muse".into(),
        about: "messages with headers; in those to a tool <atem:invoke name=\"…\">".into(),
        section: "<atem:function_calls>\n{calls}\n</atem:function_calls>".into(),
        // The end of the message closes it, too.
        sections: texts(&[
            "<atem:function_calls>{calls}<|eom|>",
            "<atem:function_calls>{calls}<|eot|>",
        ]),
        call: "<atem:invoke name=\"{name}\">\n{arguments}</atem:invoke>".into(),
        argument: "<atem:parameter name=\"{key}\">{value}</atem:parameter>\n".into(),
        tokens: texts(END),
        marked: true,
        // Headers say what is reasoning: what a call in it would be is no question.
        calls_in_reasoning: Some(CallsInReasoning::Ignore),
        result: "<|start|>tool {name}<|message|><tool_output name=\"{name}\">\n{content}\n\
                 </tool_output><|eot|>"
            .into(),
        results: "{result}{result}".into(),
        ..Shape::default()
    }
}

/// In a message to a tool.
fn to_tool(section: &SectionKind) -> SectionKind {
    let opens = |rule: &&Rule| matches!(rule.action.what, What::Open(Place::Call(_)));
    let end = rule(pattern![END]).close(Scope::Section);
    let next = whole().map(|header| rule(header).noise().before().close(Scope::Section));
    let none = [vec![end.clone()], next.to_vec()].concat().into_iter();
    let none =
        none.map(|rule| rule.needs(Flags::SECTION_START).note(DiagnosticKind::MalformedCall));
    let mut rules: Vec<Rule> = section.rules.iter().filter(opens).cloned().collect();
    rules.push(rule(pattern![&["<atem:function_calls>", "</atem:function_calls>"][..]]));
    rules.extend(none.chain([end]));
    rules.extend(next.map(|rule| rule.note(DiagnosticKind::MissingCloser)));
    rules.extend(half());
    SectionKind { rules, between: Between::Junk(Chars::WHITE), calls: true }
}

/// The dialect `muse`.
pub(in crate::dialect) fn muse() -> DialectSpec {
    let mut spec = shape().built_in();
    // Between parameters the message may end, and in a value, which is then none.
    spec.calls[CALL as usize].rules.extend(next_ends(Scope::Section));
    for value in &mut spec.values {
        // A closer that something must confirm.
        let closes = |rule: &&mut Rule| {
            rule.action.what == What::Close(Scope::Value) && !rule.follow.is_empty()
        };
        for rule in value.rules.iter_mut().filter(closes) {
            rule.follow.extend(whole());
        }
        value.rules.extend(ends(Scope::Section).into_iter().map(|rule| match rule.at_end {
            AtEnd::Prefix => rule,
            _ => rule.sets(Flags::BROKEN),
        }));
    }
    spec.sections = spec.sections.iter().map(to_tool).collect();
    let prose = |reasoning: bool, rules: Vec<Rule>| ProseKind { reasoning, answer: false, rules };
    spec.prose =
        vec![prose(false, between()), prose(true, in_message()), prose(false, in_message())];
    spec.stripped = true;
    spec.template.call = CallForm {
        section_open: Borrowed(""),
        open: Borrowed(
            "<|start|>assistant to={name}<|message|><atem:function_calls>\n\
             <atem:invoke name=\"{name}\">\n",
        ),
        close: Borrowed("</atem:invoke>\n</atem:function_calls>"),
        between: Borrowed("<|eom|>"),
        section_close: Borrowed("<|eot|>"),
        ..spec.template.call
    };
    spec
}
