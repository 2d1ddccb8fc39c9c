//! What tables of several families are put together from: reasoning in tags, prose, and the rules that
//! open, close and recover alike everywhere.

use super::build::rule;
use super::spec::{
    AtEnd, Between, CallKind, Chars, DialectSpec, Flags, Framing, Name, Pattern, Piece, Place,
    ProseKind, Rule, Scope, ValueKind, What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// What may stand after an object beside white space, and means nothing.
pub(super) const GARBAGE: &[&str] = &["]", ",", ";", "```"];

const THINK: &[&str] = &["<think>", "<thinking>"];
const END_THINK: &[&str] = &["</think>", "</thinking>"];

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

/// The rules of reasoning tags: those in text, and those in reasoning.
pub(super) type Reasoning = [Vec<Rule>; 2];

/// Those of `<think>` and `<thinking>`. In the middle of a line the opener is prose, and so is its closer.
pub(super) fn think() -> Reasoning {
    let prose = rule(pattern![THINK]).not(Flags::LINE_START).noise().does(What::Reject);
    [[think_in_text(), vec![prose]].concat(), think_in_reasoning()]
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

/// Text with these rules, and reasoning in others.
pub(super) fn prose_with(text: Vec<Rule>, [before, in_reasoning]: Reasoning) -> Vec<ProseKind> {
    let rules = in_text([text, before].concat());
    let reasoning = ProseKind { reasoning: true, answer: false, rules: in_reasoning };
    vec![ProseKind { rules, ..ProseKind::default() }, reasoning]
}

/// Rules of text: in reasoning only the openers of calls count, and those where the host wants it.
pub(super) fn in_text(mut rules: Vec<Rule>) -> Vec<Rule> {
    for rule in rules.iter_mut().filter(|rule| rule.follow.is_empty()) {
        if !matches!(rule.action.what, What::Open(Place::Section(_) | Place::Call(_))) {
            rule.not = rule.not | Flags::REASONING;
        }
    }
    rules
}

impl DialectSpec {
    /// With other reasoning beside its own.
    pub(super) fn with_reasoning(mut self, [in_text, in_reasoning]: Reasoning) -> DialectSpec {
        let in_text = in_text.into_iter().map(|rule| rule.not(Flags::REASONING));
        self.prose[0].rules.extend(in_text);
        self.prose[1].rules.extend(in_reasoning);
        self
    }
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

/// In a value of a dialect whose openers are special tokens (or hold signs that nobody types): the
/// confirmed opener of another call or block. Both closers were forgotten, the value's and its call's, so
/// it ends both: the call is incomplete, its open value is not handed out, and the marker is read again
/// in the state that `scope` leaves. (In a dialect of tags such an opener is data: [`quotes_call`].)
pub(super) fn ends_both(mark: Pattern, follow: &[Pattern], scope: Scope) -> Rule {
    ends_call(mark, follow, scope).sets(Flags::BROKEN).noise()
}

/// In a value of such a dialect: the token that ends its call, where no tail ([`closes_both`], which stands
/// before it in the table) made the call whole. Value and call end with it, the call incomplete.
pub(super) fn end_token(mark: Pattern, scope: Scope) -> Rule {
    let ends = rule(mark).close(scope).sets(Flags::BROKEN).noise();
    ends.note(DiagnosticKind::MissingCloser)
}

/// Between parameters: the call has ended before this marker.
pub(super) fn ends_call(mark: Pattern, follow: &[Pattern], scope: Scope) -> Rule {
    let ends = rule(mark).follow(follow.to_vec()).before().close(scope);
    ends.note(DiagnosticKind::MissingCloser)
}

/// In a value of a dialect of tags: what makes it look as if a closer were forgotten, but is data. Reported
/// once a call. Its own closer and its call's, which the rules before this one did not take, and in some
/// dialects the opener of a parameter that the call lacks.
pub(super) fn suspect(mark: Pattern) -> Rule {
    let suspect = rule(mark).not(Flags::SUSPECTED).sets(Flags::SUSPECTED).noise();
    suspect.does(What::Pass).note(DiagnosticKind::SuspectMarker)
}

/// In a value of a dialect of tags: the opener of a call of a *declared* tool, `follow` a parameter's opener
/// or its closer. It is data, for a value may quote a whole call; but with `recoveries = strict` the call
/// does not run. It is reported as any suspect marker: once a call. (The marker names the tool; its rule
/// stands before those that are data all the same.)
pub(super) fn quotes_call(mark: Pattern, follow: &[Pattern]) -> Rule {
    let quotes = rule(mark).follow(follow.to_vec()).not(Flags::DOUBTFUL).noise();
    let quotes = quotes.sets(Flags::SUSPECTED | Flags::DOUBTFUL);
    quotes.does(What::Pass).note(DiagnosticKind::SuspectMarker)
}

/// Between parameters: an element that is no parameter.
pub(super) fn stray() -> Rule {
    let stray = rule(pattern!["<", Name::element(), ">"]).noise().does(What::Unexpected);
    stray.note(DiagnosticKind::UnknownParameter)
}

impl From<&[&'static str]> for Piece {
    fn from(texts: &[&'static str]) -> Piece {
        Piece::Any(texts.iter().map(|text| (*text).into()).collect())
    }
}
