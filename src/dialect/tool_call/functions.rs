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
use crate::dialect::bracket::{
    closer, closes_both, ends_call, mismatched, next_line, stray, suspect, value,
};
use crate::dialect::build::{one_of, prefixed, rule};
use crate::dialect::spec::{
    At, Chars, Flags, Framing, Known, LINE_BREAK, Name, Pattern, Piece, Place, Ref, Rule, Scope,
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

/// A function's opener that is written as a parameter's: `<parameter=NAME>`, of a declared tool.
pub(super) fn misnamed() -> Pattern {
    let name = Name::tool().maybe_quoted().known(Known::Declared);
    pattern![PARAMETER, WS, name, WS, ">"]
}

/// A closer of a function that `<NAME>` opened.
fn named_end() -> Pattern {
    pattern!["</", Ref::Call, ">"]
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
    let misnamed = prefixed([misnamed(), vec![WS]].concat(), &function_body());
    [open, vec![named], misnamed].concat()
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
    /// In a function; `named`: `<NAME>` opened it.
    pub(super) fn function_rules(&self, named_open: bool) -> Vec<Rule> {
        let value = if named_open { self.named_value_at() } else { FIRST };
        let malformed = malformed_parameters()
            .map(|mark| rule(mark).param(value).note(DiagnosticKind::MalformedTag));
        let [whole, open] = function(Known::Any);
        let ends = |mark: Pattern, follow: &[Pattern]| ends_call(mark, follow, Scope::Call);
        let [bare, bare_open] = function(Known::Declared);
        let body = function_body();
        let object = rule(pattern!["{"]).follow([pattern![one_of("\"}")]]);
        let mut rules = vec![
            object.needs(Flags::CALL_START).open(Place::Body(self.functions_at())),
            rule(pattern![END_FUNCTION]).close(Scope::Call),
            ends(pattern![self.close], &[]),
            ends(whole, &[]).needs(Flags::IN_SECTION),
            ends(whole_function(), &[]).needs(Flags::IN_SECTION),
            ends(open, &body).needs(Flags::IN_SECTION),
            ends(named(), &body[..1]).needs(Flags::IN_SECTION),
            ends(misnamed(), &body).needs(Flags::IN_SECTION),
            ends(bare, &body).not(Flags::IN_SECTION),
            ends(bare_open, &body).not(Flags::IN_SECTION),
        ];
        rules.extend(named_open.then(|| rule(named_end()).close(Scope::Call)));
        let param = vec![rule(parameter()).param(value)];
        [param, malformed.to_vec(), rules, self.next_blocks(), vec![stray()]].concat()
    }

    /// A value of such a function.
    pub(super) fn function_value(&self, named_open: bool) -> ValueKind {
        let end = pattern!["</parameter>"];
        let [whole, open] = function(Known::Any);
        let parameters = [vec![parameter()], malformed_parameters().to_vec()].concat();
        let closers =
            [vec![pattern![END_FUNCTION]], if named_open { vec![named_end()] } else { vec![] }];
        let closers = closers.concat();
        let own_name = [&*parameters, &*closers, &[pattern![self.close]]].concat();
        let follow = [parameters, closers.clone(), vec![pattern![self.close]], self.blocks()];
        // What opens the next function of the block.
        let mut functions = vec![whole];
        functions.extend(prefixed([open, vec![WS]].concat(), &function_body()));
        let line = |key: Pattern| next_line([pattern![PARAMETER], key].concat());
        let keys: [fn(Known) -> Pattern; 3] = [
            |known| pattern![Name::param().known(known), ">"],
            |known| pattern!["\"", Name::param().known(known), "\">"],
            |known| pattern!["'", Name::param().known(known), "'>"],
        ];
        let both = |follow: &[Pattern]| {
            let closers = closers.clone().into_iter();
            closers.map(|close| closes_both(close, follow, Scope::Call)).collect::<Vec<_>>()
        };
        let over = self.over();
        let more = [over.clone(), bare_functions()].concat();
        let mut rules = vec![
            closer(end.clone(), &follow.concat()),
            closer(end.clone(), &functions).needs(Flags::IN_SECTION),
            closer(end.clone(), &bare_functions()).not(Flags::IN_SECTION),
            mismatched(pattern!["</", Ref::Param, ">"], &own_name),
        ];
        rules.extend(keys.map(|key| line(key(Known::Fresh))));
        rules.extend(both(&over));
        rules.extend(both(&functions).into_iter().map(|rule| rule.needs(Flags::IN_SECTION)));
        rules.extend(both(&bare_functions()).into_iter().map(|rule| rule.not(Flags::IN_SECTION)));
        // (Behind a closer with a name all that would be too long to hold.)
        let closed = prefixed(pattern![self.close, WS], &more);
        rules.push(closes_both(pattern![END_FUNCTION], &closed, Scope::Call));
        rules.push(closes_both(pattern![self.close], &[pattern![At::End]], Scope::Section));
        rules.extend(self.quoted());
        rules.extend([vec![end], closers].concat().into_iter().map(suspect));
        rules.extend(keys.map(|key| key(Known::Declared)).map(|key| {
            let key = key.into_iter().flat_map(|piece| match piece {
                Piece::Name(_) => vec![WS, piece, WS],
                _ => vec![piece],
            });
            suspect(pattern![PARAMETER].into_iter().chain(key).collect())
        }));
        value(if self.lines { Framing::LineBreak } else { Framing::Recovered }, rules)
    }
}
