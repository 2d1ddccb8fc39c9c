//! JSON objects, as in `hermes`.
//!
//! ```text
//! json  := fence? ( object | "[" ( object ","? )* "]" ) fence? ( ws object )*    fence := "```" letters?
//! object:= {"name": N, "arguments": {…}}          see machine/json.rs
//! ```
//! Counts if `{` `ws` and one of `"` `'` `}`, or a key of the call and `:`, follow, each of `[` and a
//! fence before it at most once.

use crate::dialect::bracket::{PUNCTUATION, braces, sisters};
use crate::dialect::build::{LETTERS, one_of, prefixed, rule};
use crate::dialect::spec::{AtEnd, Flags, Pattern, Piece, Place, Rule, Scope, SectionKind, WS};
use crate::pattern;

/// The keys of a call in a JSON body.
pub(in crate::dialect) const CALL_KEYS: &[&str] =
    &["name", "tool_name", "function", "arguments", "parameters", "args", "input"];
/// Those that hold its arguments.
pub(in crate::dialect) const ARGUMENT_KEYS: &[&str] = &["arguments", "parameters", "args", "input"];

/// What stands after the brace of an object that is a call.
pub(in crate::dialect) fn members() -> [Pattern; 2] {
    [pattern![one_of("\"'}")], pattern![CALL_KEYS, WS, ":"]]
}

/// Such an object begins.
pub(in crate::dialect) fn object() -> Vec<Pattern> {
    prefixed(pattern!["{", WS], &members())
}

/// An object or a list of them begins.
pub(in crate::dialect) fn plain_json() -> Vec<Pattern> {
    [object(), prefixed(pattern!["[", WS], &object())].concat()
}

/// The same, perhaps in a fence.
pub(in crate::dialect) fn json() -> Vec<Pattern> {
    let plain = plain_json();
    let fenced = prefixed(pattern!["```", LETTERS, WS], &plain);
    [plain, fenced].concat()
}

/// The object before the comma has not closed: its arguments follow, in a body of this kind.
fn late_arguments(kind: u8) -> Rule {
    let quoted =
        |key| ["\"", "'", "`", "\"\"\""].map(|quote| format!("{quote}{key}{quote}").into());
    let late = Piece::Any(ARGUMENT_KEYS.iter().flat_map(quoted).collect());
    let late = rule(pattern![",", WS, late, WS, ":"]).needs(Flags::WAITING).fixed(2);
    late.at_end(AtEnd::Prefix).open(Place::Body(kind))
}

/// Objects as bodies of this kind, one after the other or in a list. `members` show that one is a call.
pub(in crate::dialect) fn one_or_listed(kind: u8, members: &[Pattern]) -> [Rule; 5] {
    let [further, first] = braces();
    [
        late_arguments(kind),
        rule(pattern!["{"])
            .not(Flags::WAITING)
            .follow(members.to_vec())
            .at_end(AtEnd::Known)
            .open(Place::Body(kind)),
        rule(pattern!["["])
            .needs(Flags::SECTION_START)
            .not(Flags::BRACKET | Flags::WAITING)
            .sets(Flags::BRACKET),
        further.not(Flags::WAITING),
        first.not(Flags::WAITING),
    ]
}

/// JSON objects that are calls, as bodies of this kind: one after the other, or in a list. `members`
/// show that an object is one; `close` closes the section, if something does.
pub(in crate::dialect) fn objects(
    kind: u8,
    members: &[Pattern],
    close: Option<Pattern>,
) -> SectionKind {
    let mut rules = one_or_listed(kind, members).to_vec();
    rules.push(rule(pattern!["```", LETTERS]).needs(Flags::SECTION_START));
    rules.push(rule(pattern!["```"]).not(Flags::WAITING));
    if let Some(close) = close {
        let sisters = sisters(&close);
        rules.extend([rule(close).close(Scope::Section), sisters]);
    }
    SectionKind { rules, between: PUNCTUATION, calls: true }
}
