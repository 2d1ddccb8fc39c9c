//! Rules of bodies in Python's syntax: where a string ends, and what ends a call before its bracket.
//!
//! Models escape nothing, so a quote ends its string only where what may follow a value stands:
//!
//! ```text
//! first  := quote ws ( "," ws ANY-KEY ws "=" | ("," ws)? ")" ws ( "," ws ANY-NAME ws "(" | after ) )
//! value  := quote ws ( "," ws KEY ws "=" | ("," ws)? ")" ws after )       KEY was not given to the call
//! nested := quote ws ( "," ws ( literal | bracket ) | ":" ws literal | own bracket ws ( "," | bracket ) )
//! ```
//! `first`: at the first quote of a string, where all may yet be correct Python. Once a quote was text, declared names
//! alone end it. `after` is the dialect's own ([`Lists`]): what ends its list, or the next call of it.

use super::build::{one, pattern, rule};
use super::chars::ALPHANUMERIC;
use super::piece::{At, Known, Name, Of, Pattern, Piece, Ref, Run, Text, WS};
use super::spec::{AtEnd, Chars, Flags, Rule, Scope};
use crate::json::lexer::PREFIXES;

/// What a keyword is made of.
pub(super) const KEYWORD: Chars = Chars::letters_and(ALPHANUMERIC).and("_-");
/// What a literal may begin with, beside words.
const BEGINS: Chars = Chars::only("'\"[({-+.0123456789");

/// The name of a function.
pub(super) fn name(known: Known) -> Name {
    Name { chars: Chars::SPELLED, known, word: true, ..Name::tool() }
}

fn keyword(known: Known) -> Name {
    Name { of: Of::Param, chars: KEYWORD, known, word: true, ..Name::tool() }
}

/// What stands round the calls of a dialect.
pub(super) struct Lists<'t> {
    /// The closer, if there is one.
    pub close: &'t [Text],
    /// What ends the message.
    pub boundary: &'t [Text],
    /// A bracket closes the list of calls, and a comma stands between them; else each has its line.
    pub bracket: bool,
    /// There is one call.
    pub alone: bool,
}

impl Lists<'_> {
    /// The closer, and what ends the message.
    fn ends(&self) -> Pattern {
        let ends = [self.close, self.boundary].concat();
        if ends.is_empty() { pattern![At::End] } else { pattern![ends] }
    }

    /// The rules of the body.
    pub fn rules(&self) -> Vec<Rule> {
        let string = |follow: Vec<Pattern>| {
            let ends = rule(pattern![At::Quote]).follow(follow);
            ends.at_end(AtEnd::Prefix).fixed(1).close(Scope::String)
        };
        let mut rules = vec![
            string(self.closed()).not(Flags::NESTED | Flags::OPENED),
            string([vec![next_keyword(Known::Any)], self.any_call(), self.closed()].concat())
                .not(Flags::NESTED | Flags::HOLDS_CLOSER),
            string([vec![next_keyword(Known::IfDeclared)], self.over()].concat())
                .not(Flags::NESTED),
            string(nested()).needs(Flags::NESTED),
            string(vec![pattern![":", WS, one(BEGINS)]]).needs(Flags::NESTED | Flags::IN_DICT),
            string(vec![
                [pattern![":", WS], word()].concat(),
                [pattern![":", WS], prefixed_string()].concat(),
            ])
            .needs(Flags::NESTED | Flags::IN_DICT),
        ];
        let early = |ends: Rule| ends.close(Scope::Body).sets(Flags::BROKEN);
        if !self.close.is_empty() {
            let close = Piece::from(self.close.to_vec());
            rules.push(early(rule(pattern![At::Quote]).follow([vec![close.clone()]])));
            rules.push(early(rule(vec![close]).before()));
        }
        let ends = [self.ends(), pattern![At::End]];
        rules.push(other_bracket(&["]", "}"], &ends));
        rules
    }

    /// After the bracket of a call, whatever follows: the string opened no more brackets than it closed.
    fn closed(&self) -> Vec<Pattern> {
        let last = match (self.alone, self.bracket) {
            (true, _) => return vec![pattern![")"], pattern![",", WS, ")"]],
            (_, true) => pattern![WS, "]"],
            (_, false) => pattern![At::LineEnd],
        };
        vec![[pattern![")"], last.clone()].concat(), [pattern![",", WS, ")"], last].concat()]
    }

    /// The same, and what ends the list or begins its next call.
    fn over(&self) -> Vec<Pattern> {
        let mut over = vec![[pattern![WS], self.ends()].concat()];
        if self.bracket {
            over.push([pattern![WS, "]", WS], self.ends()].concat());
        }
        let mut over: Vec<Pattern> = over
            .into_iter()
            .flat_map(|end| {
                let comma = [pattern![",", WS, ")"], end.clone()].concat();
                [[pattern![")"], end].concat(), comma]
            })
            .collect();
        if !self.alone {
            over.extend(self.next_calls());
        }
        over
    }

    /// The next call begins, of whatever name.
    fn any_call(&self) -> Vec<Pattern> {
        if self.alone {
            return Vec::new();
        }
        let between = if self.bracket { pattern![WS, ","] } else { pattern![At::LineEnd] };
        let call = [between, pattern![WS, name(Known::Any), WS, "("]].concat();
        vec![[pattern![")"], call.clone()].concat(), [pattern![",", WS, ")"], call].concat()]
    }

    /// The next call begins, and shows by its bracket or a keyword that it is one.
    fn next_calls(&self) -> Vec<Pattern> {
        // With a comma before the bracket there is less room.
        let short = Piece::Run(Run { chars: Chars::WHITE, min: 0, max: 192 });
        let between = if self.bracket { pattern![WS, ","] } else { pattern![At::LineEnd] };
        let call = |lead: Pattern, white: Piece| {
            let name = name(Known::IfDeclared);
            let head = [lead, between.clone(), pattern![white, name, white, "("]].concat();
            let empty = [head.clone(), pattern![white, ")"]].concat();
            let given = [head, pattern![white, keyword(Known::Any), white, "="]].concat();
            [empty, given]
        };
        let comma = call(pattern![",", short, ")"], short.clone());
        call(pattern![")"], WS).into_iter().chain(comma).collect()
    }
}

/// A comma and a keyword.
fn next_keyword(known: Known) -> Pattern {
    pattern![",", WS, keyword(known), WS, "=", one(Chars::except("="))]
}

/// A literal that is a word.
fn word() -> Pattern {
    let end = one(Chars::except(ALPHANUMERIC).without('_'));
    pattern![&["True", "False", "None", "true", "false", "null"][..], end]
}

/// A string with letters before its quote.
fn prefixed_string() -> Pattern {
    let letters = Piece::Run(Run { chars: Chars::only(PREFIXES), min: 1, max: 2 });
    pattern![letters, one(Chars::only("'\""))]
}

/// What may follow a string in a list, a tuple or a dict.
fn nested() -> Vec<Pattern> {
    vec![
        pattern![",", WS, one(BEGINS)],
        [pattern![",", WS], prefixed_string()].concat(),
        [pattern![",", WS], word()].concat(),
        pattern![",", WS, &[")", "]", "}"][..]],
        pattern![Ref::Bracket, WS, &[",", ")", "]", "}"][..]],
    ]
}

/// A bracket in the place of the call's own, where the call is over.
pub(super) fn other_bracket(brackets: &[&'static str], ends: &[Pattern]) -> Rule {
    let ends = rule(pattern![brackets]).follow(ends.to_vec()).at_end(AtEnd::Confirm);
    ends.not(Flags::NESTED).close(Scope::Body)
}
