//! The XML dialects: `cline`, `code-assistant`.
//!
//! It looks like XML and is none: no entities, no CDATA, no comments, attributes only where the
//! grammar shows them, names are case-sensitive. In the grammars `ws` is white space, `junk` is
//! anything that is no marker there.
//!
//! # `cline`
//!
//! Cline, Roo Code, Kilo Code and their heirs: the tags *are* the declared names.
//!
//! ```text
//! call    := "<" TOOL ">" junk ( param junk )* "</" TOOL ">"
//! param   := "<" P ">" value "</" P ">"
//! anytag  := "<" ( a name that TOOL declares | [A-Za-z0-9_.-]{1,128} ) ">"
//! wrapper := "<function_calls>" ws, before a call's opener
//! ```
//! * `<TOOL>` counts if `ws anytag` or `ws </TOOL>` follows.
//! * `</P>` of a *raw* parameter (`content`, `diff`, `arguments`, and those of `raw_params`) counts
//!   before `ws </TOOL>`, before `ws <Q>` with Q declared and not yet given, before one small
//!   undeclared element with one of these after it, and at the end of the stream.
//! * `</P>` of any other parameter counts before `ws </TOOL>`, `ws anytag` and the end.
//! * `</TOOL>` in an open value counts at the very end of the stream, and before a confirmed opener.
//!
//! # `code-assistant`
//!
//! ```text
//! call  := "<tool:" NAME ">" junk ( param junk )* "</tool:" NAME ">"
//! param := "<param:" KEY ">" value "</param:" KEY ">"
//! ```

use super::build::{one_of, prefixed, rule};
use super::spec::{
    At, AtEnd, Between, CallKind, Chars, DialectSpec, Flags, Framing, Known, Name, Pattern, Piece,
    Place, ProseKind, Ref, Rule, Run, Scope, ValueKind, WS, What,
};
use super::template;
use crate::event::DiagnosticKind;
use crate::pattern;

/// `<think>` and `<thinking>`: reasoning at the start of a line or right after markup.
pub(super) fn think_in_text() -> Vec<Rule> {
    vec![
        rule(pattern![THINK]).needs(Flags::LINE_START).noise().open(Place::Prose(1)),
        rule(pattern![END_THINK]).does(What::Orphan(Scope::Prose)),
    ]
}

/// In reasoning either closer closes either opener.
pub(super) fn think_in_reasoning() -> Vec<Rule> {
    vec![
        rule(pattern![END_THINK]).close(Scope::Prose),
        rule(pattern![THINK]).needs(Flags::STREAM_START),
    ]
}

const THINK: &[&str] = &["<think>", "<thinking>"];
const END_THINK: &[&str] = &["</think>", "</thinking>"];

/// The rules of reasoning tags: those in text, and those in reasoning.
pub(super) type Reasoning = [Vec<Rule>; 2];

/// Those of `<think>` and `<thinking>`.
pub(super) fn think() -> Reasoning {
    [think_in_text(), think_in_reasoning()]
}

/// Reasoning between tokens, which count anywhere.
pub(super) fn reasoning(open: &'static str, close: &'static str) -> Reasoning {
    reasoning_between(pattern![open], pattern![close])
}

/// The same between what looks like this.
pub(super) fn reasoning_between(open: Pattern, close: Pattern) -> Reasoning {
    let in_text = vec![
        rule(open.clone()).noise().open(Place::Prose(1)),
        rule(close.clone()).does(What::Orphan(Scope::Prose)),
    ];
    let in_reasoning = vec![rule(close).close(Scope::Prose), rule(open).needs(Flags::STREAM_START)];
    [in_text, in_reasoning]
}

/// Text with these rules, and reasoning in tags.
pub(super) fn prose(text: Vec<Rule>) -> Vec<ProseKind> {
    prose_with(text, think())
}

/// Text with these rules, and reasoning between other markers, which count anywhere. What its closers
/// are in text is for the rules to say.
pub(super) fn prose_between(
    text: Vec<Rule>,
    open: &'static [&'static str],
    close: &'static [&'static str],
) -> Vec<ProseKind> {
    let opens = rule(pattern![open]).open(Place::Prose(1));
    let again = rule(pattern![open]).needs(Flags::STREAM_START);
    let reasoning = vec![rule(pattern![close]).close(Scope::Prose), again];
    prose_with(text, [vec![opens], reasoning])
}

/// Text with these rules, and reasoning in others.
pub(super) fn prose_with(text: Vec<Rule>, [in_text, in_reasoning]: Reasoning) -> Vec<ProseKind> {
    let mut text = [text, in_text].concat();
    // In reasoning only the openers of calls count, and those where the host wants it.
    for rule in text.iter_mut().filter(|rule| rule.follow.is_empty()) {
        if !matches!(rule.action.what, What::Open(Place::Section(_) | Place::Call(_))) {
            rule.not = rule.not | Flags::REASONING;
        }
    }
    let reasoning = ProseKind { reasoning: true, answer: false, rules: in_reasoning };
    vec![ProseKind { rules: text, ..ProseKind::default() }, reasoning]
}

/// Between the parameters of a call anything may stand: it is junk.
pub(super) fn call(rules: Vec<Rule>) -> CallKind {
    CallKind { rules, between: Between::Junk(Chars::WHITE), whole_at_end: false }
}

/// The value of a parameter.
pub(super) fn value(framing: Framing, rules: Vec<Rule>) -> ValueKind {
    ValueKind { rules, framing, whole_at_end: false }
}

/// An opener, confirmed by the beginning of its body; `fixed` pieces of it make a rejected one.
pub(super) fn opener(mark: Pattern, fixed: u8, follow: &[Pattern]) -> Rule {
    rule(mark).follow(follow.to_vec()).fixed(fixed).at_end(AtEnd::Known)
}

/// A value's closer, confirmed by what follows it or by the end of the stream.
pub(super) fn closer(mark: Pattern, follow: &[Pattern]) -> Rule {
    rule(mark).follow(follow.to_vec()).at_end(AtEnd::Confirm).close(Scope::Value)
}

/// A value's closer under another name, confirmed by what follows it alone.
pub(super) fn mismatched(mark: Pattern, follow: &[Pattern]) -> Rule {
    let closer = rule(mark).follow(follow.to_vec()).noise().close(Scope::Value);
    closer.note(DiagnosticKind::MismatchedCloser)
}

/// The closer of the call (or of more) in a value whose own one was forgotten: what follows shows that
/// the call is over. Not in a value that holds its own closer as data: then only that one can end it.
pub(super) fn closes_both(mark: Pattern, follow: &[Pattern], scope: Scope) -> Rule {
    let closer = rule(mark).follow(follow.to_vec()).not(Flags::HOLDS_CLOSER).noise();
    closer.at_end(AtEnd::Listed).close(scope).note(DiagnosticKind::MissingCloser)
}

/// Between parameters: the call has ended before this marker.
pub(super) fn ends_call(mark: Pattern, follow: &[Pattern], scope: Scope) -> Rule {
    let ends = rule(mark).follow(follow.to_vec()).before().close(scope);
    ends.note(DiagnosticKind::MissingCloser)
}

/// In a value: the opener of a parameter that the call lacks.
pub(super) fn suspect(mark: Pattern) -> Rule {
    let suspect = rule(mark).not(Flags::SUSPECTED).sets(Flags::SUSPECTED).noise();
    suspect.does(What::Pass).note(DiagnosticKind::SuspectMarker)
}

/// Between parameters: an element that is no parameter.
pub(super) fn stray() -> Rule {
    let stray = rule(pattern!["<", Name::element(), ">"]).noise().does(What::Unexpected);
    stray.note(DiagnosticKind::UnknownParameter)
}

/// The dialect `cline`.
pub(crate) fn cline() -> DialectSpec {
    let tool = Name::tool().known(Known::Declared);
    let open = pattern!["<", tool, ">"];
    let close = pattern!["</", Ref::Call, ">"];
    let param = pattern!["<", Name::param().known(Known::Declared), ">"];
    let fresh = pattern!["<", Name::param().known(Known::Fresh), ">"];
    let tag = pattern!["<", Name::element(), ">"];
    let close_value = pattern!["</", Ref::Param, ">"];
    let body = [param.clone(), tag.clone(), pattern!["</", Ref::Marker, ">"]];
    // A confirmed opener, as an element of a follow set.
    let opens = {
        let body = [param.clone(), tag.clone(), pattern!["</", Ref::Element, ">"]];
        prefixed(pattern!["<", tool, ">", WS], &body)
    };
    let next = [vec![pattern![At::End]], opens.clone()].concat();
    // After a raw value one small element may stand that the tool does not declare.
    let words = Run { chars: Chars::except("<"), min: 0, max: crate::bounds::WORDS as u16 };
    let undeclared = Name::element().known(Known::Undeclared);
    let element = pattern!["<", undeclared, ">", words, "</", Ref::Element, ">", WS];
    let after_element = prefixed(element, &[close.clone(), fresh.clone()]);
    let after_raw = [vec![close.clone(), fresh.clone()], after_element].concat();

    let text = vec![
        opener(open.clone(), 3, &body).open(Place::Call(0)),
        // Attributes make it no tag of this grammar, but its closer belongs to it.
        rule(pattern!["<", tool, one_of(" \t\r\n")]).fixed(3).noise().does(What::Pass),
        opener(pattern!["<function_calls>", WS], 1, &opens).noise(),
        rule(pattern!["</", tool, ">"]).does(What::Orphan(Scope::Call)),
        rule(pattern!["</function_calls>"]).does(What::Orphan(Scope::Section)),
    ];
    let in_call = vec![
        rule(param.clone()).param(0),
        rule(close.clone()).close(Scope::Call),
        ends_call(open, &body, Scope::Call),
        stray(),
    ];
    let both = closes_both(close.clone(), &next, Scope::Call);
    let short = vec![
        closer(close_value.clone(), &[close, param, tag]),
        both.clone(),
        suspect(fresh.clone()),
    ];
    let raw = vec![closer(close_value, &after_raw), both, suspect(fresh)];
    DialectSpec {
        tag_names: true,
        prose: prose(text),
        calls: vec![call(in_call)],
        values: vec![value(Framing::Trimmed, short), value(Framing::LineBreak, raw)],
        raw: Some(1),
        raw_params: vec!["content".into(), "diff".into(), "arguments".into()],
        diff_params: vec!["diff".into()],
        ..DialectSpec::new(
            "cline",
            "declared names as tags: <read_file><path>…</path></read_file>",
            template::CLINE,
        )
    }
}

/// The dialect `code-assistant`.
pub(crate) fn code_assistant() -> DialectSpec {
    let open = pattern!["<tool:", Name::tool(), ">"];
    let param = pattern!["<param:", Name::param(), ">"];
    let close = pattern!["</tool:", Ref::Call, ">"];
    let close_any = pattern!["</tool:", Name::tool(), ">"];
    let body = [param.clone(), pattern!["</tool:", Ref::Marker, ">"]];
    let opens = prefixed(
        pattern!["<tool:", Name::tool(), ">", WS],
        &[param.clone(), pattern!["</tool:", Ref::Element, ">"]],
    );

    let text = vec![
        opener(open.clone(), 1, &body).open(Place::Call(0)),
        rule(close_any.clone()).does(What::Orphan(Scope::Call)),
    ];
    let in_call = vec![
        rule(param.clone()).param(0),
        rule(close_any.clone()).close(Scope::Call),
        ends_call(open.clone(), &body, Scope::Call),
        stray(),
    ];
    let next = [vec![pattern![At::End]], opens].concat();
    let in_value = vec![
        closer(pattern!["</param:", Ref::Param, ">"], &[param.clone(), close_any, open]),
        mismatched(pattern!["</", Ref::Param, ">"], &[param, close.clone()]),
        closes_both(close, &next, Scope::Call),
        suspect(pattern!["<param:", Name::param().known(Known::Fresh), ">"]),
    ];
    DialectSpec {
        prose: prose(text),
        calls: vec![call(in_call)],
        values: vec![value(Framing::LineBreak, in_value)],
        singulars: true,
        ..DialectSpec::new(
            "code-assistant",
            "prefixed tags: <tool:read_file><param:path>…</param:path></tool:read_file>",
            template::CODE_ASSISTANT,
        )
    }
}

impl From<&[&'static str]> for Piece {
    fn from(texts: &[&'static str]) -> Piece {
        Piece::Any(texts.iter().map(|text| (*text).into()).collect())
    }
}
