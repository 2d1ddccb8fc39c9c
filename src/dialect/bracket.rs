//! The rules of brackets, whoever writes them: a block, a section, a call, an argument or an object.
//!
//! What may begin inside of something confirms its opener, what may follow it its closer. What may only stand after it
//! ends what is open, and a closer was forgotten. Special tokens stand in no value, so that the next call's opener ends
//! one; in tags it is data, and told. Each function is one of these rules, for markers, and what comes before or after
//! them, that a shape's deriver or a table says.

use super::build::{rule, start};
use super::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, Flags, Framing, Gives, Name, Pattern, Place,
    Rule, Scope, SectionKind, ValueKind, What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// What may stand after an object beside white space, and means nothing.
const GARBAGE: &[&str] = &["]", ",", ";", "```"];

/// Between the parameters of a call anything may stand: it is junk.
pub(super) fn call(rules: Vec<Rule>) -> CallKind {
    CallKind { rules, between: Between::Junk(Chars::WHITE), whole_at_end: false }
}

/// The same where nothing but white space may: what else stands there ends the call.
pub(super) fn strict_call(rules: Vec<Rule>) -> CallKind {
    CallKind { between: Between::Only(Chars::WHITE), ..call(rules) }
}

/// What stands between calls beside white space; what else stands there ends the section.
pub(super) fn section(rules: Vec<Rule>) -> SectionKind {
    SectionKind { rules, between: Between::Only(Chars::WHITE), calls: true }
}

/// The same after an object, or before a header: no call has begun.
pub(super) fn between(rules: Vec<Rule>) -> SectionKind {
    SectionKind { calls: false, ..section(rules) }
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

/// In a value: the next argument begins on a line of its own, and the closer was forgotten.
pub(super) fn next_line(mark: Pattern) -> Rule {
    let next = rule(mark).needs(Flags::LINE_START).not(Flags::HOLDS_CLOSER).noise();
    next.before().close(Scope::Value).note(DiagnosticKind::MissingCloser)
}

/// A call that is over where it begins.
pub(super) fn whole_call() -> CallKind {
    call(vec![rule(pattern![At::Start]).close(Scope::Call)])
}

/// In text: a section's closer is owed to a call that had no opener of one, or nobody's.
pub(super) fn section_closers(close: &Pattern) -> [Rule; 2] {
    let orphan = rule(close.clone()).does(What::Orphan(Scope::Section));
    [rule(close.clone()).needs(Flags::OWED), orphan]
}

/// In text after a call: the model invents a result, and what comes after it.
pub(super) fn invented(mark: Pattern) -> Rule {
    let invented = rule(mark).needs(Flags::AFTER_CALL).does(What::Rest);
    invented.note(DiagnosticKind::FabricatedResult)
}

/// A body, which these closers end before its time; after one that is all arguments stands section `then`.
pub(super) fn body(
    gives: Gives,
    then: Option<u8>,
    close: impl IntoIterator<Item = Pattern>,
) -> BodyKind {
    let rules = close.into_iter().map(|close| cuts(close, &[])).collect();
    BodyKind { gives, rules, then: then.map(Place::Section) }
}

/// Outside of its strings this ends an object before its time, if one of these follows.
pub(super) fn cuts(mark: Pattern, follow: &[Pattern]) -> Rule {
    rule(mark).follow(follow.to_vec()).before().close(Scope::Body)
}

/// White space and what may stand between JSON objects.
pub(super) const PUNCTUATION: Between = Between::Only(Chars::WHITE.and("],;"));

/// A brace too many.
pub(super) fn brace() -> Rule {
    rule(pattern!["}"]).note(DiagnosticKind::RepairedJson)
}

/// After an object that is all of a call's arguments: brackets and fences of nobody, and these rules.
pub(super) fn after_object(rules: Vec<Rule>) -> SectionKind {
    let rules = [vec![rule(pattern!["```"]), brace()], rules].concat();
    SectionKind { rules, between: PUNCTUATION, calls: true }
}

/// The same right after it, where no more than one of them stands.
pub(super) fn garbage() -> [Rule; 2] {
    [start(pattern![GARBAGE]), start(pattern!["}"]).note(DiagnosticKind::RepairedJson)]
}
