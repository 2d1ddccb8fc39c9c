//! The rules of brackets, whoever writes them: a block, a section, a call, an argument or an object.
//!
//! What may begin inside of something confirms its opener, what may follow it its closer. What may only stand after it
//! ends what is open, and a closer was forgotten. Special tokens stand in no value, so that the next call's opener ends
//! one; in tags it is data, and told. Each function is one of these rules, for markers, and what comes before or after
//! them, that a shape's deriver or a table says.

use super::build::{LETTERS, one, rule, start};
use super::spec::{
    At, AtEnd, Between, BodyKind, CallKind, Chars, Flags, Framing, Gives, LINE_BREAK, Name,
    Pattern, Piece, Place, Rule, Scope, SectionKind, Text, ValueKind, WS, What,
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

/// In a value: what makes it look as if a closer were forgotten, but is data. Reported once a call. Its own closer
/// and its call's, which the rules before this one did not take, and the opener of a declared parameter.
pub(super) fn suspect(mark: Pattern) -> Rule {
    let suspect = rule(mark).not(Flags::SUSPECTED).sets(Flags::SUSPECTED).noise();
    suspect.does(What::Pass).note(DiagnosticKind::SuspectMarker)
}

/// The suspects of a dialect whose openers are special tokens. No value is likely to hold one, so with
/// `recoveries = strict` the call does not run.
fn suspect_token(mark: Pattern) -> Rule {
    suspect(mark).sets(Flags::DOUBTFUL)
}

/// In a value of such a dialect: the whole opener of a declared parameter that the call lacks. The value's closer
/// was forgotten.
pub(super) fn next_param(mark: Pattern) -> Rule {
    rule(mark).noise().before().close(Scope::Value).note(DiagnosticKind::MissingCloser)
}

/// A call's closers that are cut short: at least four bytes behind `</`, then `>`.
pub(super) fn cut_closers(closers: &[Text]) -> Option<Pattern> {
    const LEAST: usize = 4;
    let mut texts: Vec<Text> = Vec::new();
    for inner in closers.iter().filter_map(|close| close.strip_prefix("</")?.strip_suffix('>')) {
        let ends = (LEAST..inner.len()).filter(|end| inner.is_char_boundary(*end));
        texts.extend(ends.map(|end| Text::Owned(format!("</{}>", &inner[..end]))));
    }
    texts.sort();
    texts.dedup();
    texts.retain(|text| !closers.contains(text));
    (!texts.is_empty()).then(|| pattern![texts])
}

/// A value's closers with one character wrong from the third on, confirmed by these.
pub(super) fn misspelt(closers: &[Text], follow: &[Pattern]) -> Vec<Rule> {
    let marks = closers.iter().filter_map(|close| close.strip_prefix("</")).flat_map(|rest| {
        let inner = rest.strip_suffix('>').unwrap_or(rest);
        [
            pattern!["</", Piece::Near(Text::Owned(rest.to_string()))],
            pattern![format!("</{inner}")],
            pattern![format!("</{inner}"), one(Chars::except("> \t\r\n"))],
        ]
    });
    let rules = marks.map(|mark| rule(mark).follow(follow.to_vec()).noise().close(Scope::Value));
    rules.map(|rule| rule.note(DiagnosticKind::MalformedTag)).collect()
}

/// Such a closer between parameters, where one of these follows or the stream ends.
pub(super) fn cut_closer(mark: Pattern, follow: &[Pattern]) -> Rule {
    let closes = rule(mark).follow(follow.to_vec()).noise().at_end(AtEnd::Listed);
    closes.close(Scope::Call).note(DiagnosticKind::MalformedTag)
}

/// Fixed part of the tokens that a tag begins with: `<｜DSML｜` of `<｜DSML｜parameter`, `<arg_key` of `<arg_key>`.
/// Signs alone are none.
pub(super) fn token_head(tag: &str) -> Option<String> {
    let word = tag.trim_end_matches(|c: char| !c.is_alphanumeric());
    let head = word.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim_end();
    let head = if head.contains(char::is_alphanumeric) { head } else { word };
    (!head.is_empty()).then(|| head.to_string())
}

/// Suspects of a dialect of tokens: whatever begins like these tags, and these markers as far as none of them does.
pub(super) fn suspect_tokens<'t>(
    tags: impl IntoIterator<Item = &'t str>,
    marks: impl IntoIterator<Item = Pattern>,
) -> Vec<Rule> {
    let mut heads: Vec<String> = tags.into_iter().filter_map(token_head).collect();
    heads.sort();
    heads.dedup();
    let begun = |mark: &Pattern| {
        let texts = mark.first().map(Piece::texts).unwrap_or_default();
        let is_begun = |text: &Text| heads.iter().any(|head| text.starts_with(&**head));
        !texts.is_empty() && texts.iter().all(is_begun)
    };
    let others: Vec<Pattern> = marks.into_iter().filter(|mark| !begun(mark)).collect();
    let heads = heads.iter().map(|head| pattern![head.clone()]);
    heads.chain(others).map(suspect_token).collect()
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

/// Returns the rule of an invented result behind a ChatML header.
pub(super) fn invented_turn(result: &'static str) -> Rule {
    invented(pattern!["<|im_start|>", LETTERS, LINE_BREAK, WS, result])
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

/// Braces too many: the first one behind a body is told.
pub(super) fn braces() -> [Rule; 2] {
    let further = rule(pattern!["}"]).needs(Flags::HOLDS_CLOSER);
    let first = rule(pattern!["}"]).sets(Flags::HOLDS_CLOSER);
    [further, first.note(DiagnosticKind::RepairedJson)]
}

/// Closers of other dialects' calls and parameters, which models write behind an object, too.
const SISTERS: [&str; 4] = ["</arg_value>", "</invoke>", "</function>", "</parameter>"];

/// Between an object and what closes its block, or in its place before the end: closers that are none.
pub(super) fn sisters(close: &Pattern) -> Rule {
    let follow = [close.clone(), pattern![&SISTERS[..]], pattern![At::End]];
    let sister = rule(pattern![&SISTERS[..]]).follow(follow).at_end(AtEnd::Confirm).noise();
    sister.not(Flags::WAITING).note(DiagnosticKind::MismatchedCloser)
}

/// After an object that is all of a call's arguments: brackets and fences of nobody, and these rules.
pub(super) fn after_object(rules: Vec<Rule>) -> SectionKind {
    let rules = [vec![rule(pattern!["```"])], braces().to_vec(), rules].concat();
    SectionKind { rules, between: PUNCTUATION, calls: true }
}

/// The same right after it, where no more than one of them stands.
pub(super) fn garbage() -> [Rule; 2] {
    [start(pattern![GARBAGE]), start(pattern!["}"]).note(DiagnosticKind::RepairedJson)]
}
