//! Functions, as in `qwen3-coder`.
//!
//! ```text
//! functions := function ( ws function )*
//! function  := "<function=" ws Q(NAME) ws ">" ( junk ( param junk )* | object ) "</function>"
//! param     := "<parameter=" Q(KEY) ">" value "</parameter>"              Q(x) := "x" | 'x' | x
//! ```
//! A `>` that is missing, a function written as `<NAME>` or `<function=NAME/>`, `=` or a line break for
//! the `>` of a parameter, and `<parameter name=KEY>` are accepted (`malformed_tag`). A value whose
//! closer was forgotten ends before the next declared parameter at a line's start, and before the
//! closers of the function and the block, if what follows shows that the call is over.

use super::{Block, FIRST};
use crate::dialect::bracket::{closer, closes_both, ends_call, next_line, stray, suspect, value};
use crate::dialect::build::{one_of, prefixed, rule};
use crate::dialect::spec::{
    At, Chars, Flags, Framing, Known, LINE_BREAK, Name, Pattern, Piece, Place, Rule, Scope,
    ValueKind, WS,
};
use crate::event::DiagnosticKind;
use crate::pattern;

pub(super) const FUNCTION: &str = "<function=";
pub(super) const END_FUNCTION: &str = "</function>";
const PARAMETER: &str = "<parameter=";
/// A function's opener, and without its `>`. Without a block it is of a declared tool.
pub(super) fn function(known: Known) -> [Pattern; 2] {
    let name = Name::tool().maybe_quoted().known(known);
    [pattern![FUNCTION, WS, name, WS, ">"], pattern![FUNCTION, WS, name]]
}

/// What shows that a function's opener is one.
pub(super) fn function_body() -> [Pattern; 2] {
    [pattern![PARAMETER], pattern![END_FUNCTION]]
}

/// A declared tool in place of `<function=`.
pub(super) fn named() -> Pattern {
    pattern!["<", Name::tool().known(Known::Declared), ">"]
}

/// `<function=NAME/>`.
pub(super) fn whole_function() -> Pattern {
    pattern![FUNCTION, WS, Name::tool().maybe_quoted().known(Known::Declared), WS, "/>"]
}

/// A function begins, as its body shows.
pub(super) fn functions() -> Vec<Pattern> {
    let [_, open] = function(Known::Any);
    let open = prefixed([open, vec![WS]].concat(), &function_body());
    let named = [named(), pattern![WS, PARAMETER]].concat();
    [open, vec![named]].concat()
}

/// A function begins, as the end of its tag shows.
pub(super) fn whole_functions() -> [Pattern; 2] {
    let [whole, _] = function(Known::Any);
    [whole, whole_function()]
}

/// A function without a block begins.
pub(super) fn bare_functions() -> Vec<Pattern> {
    let [whole, open] = function(Known::Declared);
    let whole = prefixed([whole, vec![WS]].concat(), &function_body());
    let open = prefixed([open, vec![WS]].concat(), &function_body());
    [whole, open].concat()
}

/// A parameter's opener, well-formed.
fn parameter() -> Pattern {
    pattern![PARAMETER, key(Known::Any), ">"]
}

/// The forms that pass for one.
fn malformed_parameters() -> [Pattern; 3] {
    let key = key(Known::Any);
    [
        pattern![PARAMETER, key, "="],
        pattern![PARAMETER, key, LINE_BREAK],
        pattern!["<parameter name=", key, ">"],
    ]
}

fn key(known: Known) -> Name {
    Name::param().chars(Chars::except("<>=\"'\n\r")).maybe_quoted().known(known)
}

impl Block {
    pub(super) fn function_rules(&self) -> Vec<Rule> {
        let malformed = malformed_parameters()
            .map(|mark| rule(mark).param(FIRST).note(DiagnosticKind::MalformedTag));
        let [whole, open] = function(Known::Any);
        let ends = |mark: Pattern, follow: &[Pattern]| ends_call(mark, follow, Scope::Call);
        let [bare, bare_open] = function(Known::Declared);
        let body = function_body();
        let object = rule(pattern!["{"]).follow([pattern![one_of("\"}")]]);
        let rules = vec![
            object.needs(Flags::CALL_START).open(Place::Body(self.functions_at())),
            rule(pattern![END_FUNCTION]).close(Scope::Call),
            ends(pattern![self.close], &[]),
            ends(whole, &[]).needs(Flags::IN_SECTION),
            ends(whole_function(), &[]).needs(Flags::IN_SECTION),
            ends(open, &body).needs(Flags::IN_SECTION),
            ends(named(), &body[..1]).needs(Flags::IN_SECTION),
            ends(bare, &body).not(Flags::IN_SECTION),
            ends(bare_open, &body).not(Flags::IN_SECTION),
        ];
        let param = vec![rule(parameter()).param(FIRST)];
        [param, malformed.to_vec(), rules, self.next_blocks(), vec![stray()]].concat()
    }

    pub(super) fn function_value(&self) -> ValueKind {
        let end = pattern!["</parameter>"];
        let [whole, _] = function(Known::Any);
        let parameters = [vec![parameter()], malformed_parameters().to_vec()].concat();
        let follow =
            [parameters, vec![pattern![END_FUNCTION], pattern![self.close]], self.blocks()];
        let line = |key: Pattern| next_line([pattern![PARAMETER], key].concat());
        let fresh = Name::param().known(Known::Fresh);
        let keys = [pattern![fresh, ">"], pattern!["\"", fresh, "\">"], pattern!["'", fresh, "'>"]];
        let both = |follow: &[Pattern]| closes_both(pattern![END_FUNCTION], follow, Scope::Call);
        let over = self.over();
        let more = [over.clone(), bare_functions()].concat();
        let mut rules = vec![
            closer(end.clone(), &follow.concat()),
            closer(end.clone(), std::slice::from_ref(&whole)).needs(Flags::IN_SECTION),
            closer(end, &bare_functions()).not(Flags::IN_SECTION),
        ];
        rules.extend(keys.clone().map(line));
        rules.extend([
            both(&over),
            both(&[whole]).needs(Flags::IN_SECTION),
            both(&bare_functions()).not(Flags::IN_SECTION),
            both(&prefixed(pattern![self.close, WS], &more)),
            closes_both(pattern![self.close], &[pattern![At::End]], Scope::Section),
        ]);
        rules.extend(self.quoted());
        rules.extend([pattern!["</parameter>"], pattern![END_FUNCTION]].map(suspect));
        rules.extend(keys.map(|key| {
            let key = key.into_iter().flat_map(|piece| match piece {
                Piece::Name(_) => vec![WS, piece, WS],
                _ => vec![piece],
            });
            suspect(pattern![PARAMETER].into_iter().chain(key).collect())
        }));
        value(if self.lines { Framing::LineBreak } else { Framing::None }, rules)
    }
}
