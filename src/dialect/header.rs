//! Calls with a header before their JSON: `kimi-k2`.
//!
//! ```text
//! section := OPEN ws ( call ws )* CLOSE
//! call    := BEGIN header ws object ws END
//! ```
//! The object's brace ends the call: what its section's closer, its own, or the stop token would say
//! after it is not needed. A forgotten end of the call is `missing_closer` where another call or the
//! closer of the section shows it, the opener of the section `missing_opener`. A header that names no
//! tool is markup with its object, `malformed_call`.
//!
//! # `kimi-k2`
//!
//! ```text
//! header := ws ID ws "<|tool_call_argument_begin|>"        ID := "functions."? NAME ( ":" digits )?
//! ```
//! All of ID is the call's id. Openers count by themselves: they are special tokens. One dialect alone
//! has this: of an ID that is all digits the tool is the one known tool whose parameters include all
//! keys of the arguments (`inferred_name`); if there is none or several, there is no call.

use super::build::rule;
use super::spec::{
    At, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Gives, Name, Pattern, Piece, Place,
    Rule, Scope, SectionKind, Text, WS, What,
};
use super::wire;
use super::xml::{ends_call, prose};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

/// The kinds, as the tables number them.
const CALLS: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const ARGUMENTS: u8 = 0;
const NO_CALL: u8 = 1;

/// The markers of a dialect.
struct Markers {
    /// A section.
    open: &'static [&'static str],
    close: &'static [&'static str],
    /// A call, and what ends it: one of these will do.
    begin: &'static str,
    end: &'static [&'static str],
    /// The last marker of the header.
    last: &'static str,
    /// The header, from behind `begin` to behind `last`.
    header: Vec<Pattern>,
    boundary: &'static [&'static str],
}

impl Markers {
    fn text(&self) -> Vec<Rule> {
        vec![
            rule(pattern![self.open]).open(Place::Section(CALLS)),
            // The section's opener is missing: the call is read in a section all the same.
            rule(pattern![self.begin])
                .not(Flags::REASONING)
                .sets(Flags::OWED)
                .before()
                .open(Place::Section(CALLS)),
            rule(pattern![self.close]).needs(Flags::OWED),
            rule(pattern![self.close]).does(What::Orphan(Scope::Section)),
            rule(pattern![self.end]).does(What::Orphan(Scope::Call)),
            rule(pattern![self.boundary]),
        ]
    }

    /// Before the first call, and between two.
    fn calls(&self) -> SectionKind {
        let begins = |header: &Pattern| [pattern![self.begin, WS], header.clone()].concat();
        let call = |header: &Pattern| rule(begins(header)).open(Place::Call(0));
        let mut rules: Vec<Rule> = self.header.iter().map(call).collect();
        // What names no tool.
        let malformed = |mark: Pattern| {
            let malformed = rule(mark).clears(Flags::SECTION_START);
            malformed.note(DiagnosticKind::MalformedCall)
        };
        let others = [&[self.begin], self.close].concat();
        let object = until(self.last, &[&others[..], self.end].concat());
        let end = |end: &&'static str| until(end, &others);
        let nameless = pattern![self.begin, object, WS, "{"];
        rules.push(malformed(nameless).open(Place::Body(NO_CALL)));
        rules.extend(self.end.iter().map(|to| malformed(pattern![self.begin, end(to)])));
        rules.push(malformed(pattern![self.begin]).noise());
        rules.extend([
            rule(pattern![self.end]),
            rule(pattern![self.open]).needs(Flags::SECTION_START),
            rule(pattern![self.close]).close(Scope::Section),
        ]);
        SectionKind { rules, between: Between::Only(Chars::WHITE), calls: true }
    }

    fn after_object(&self) -> SectionKind {
        let start = |mark: Pattern| rule([pattern![At::Start], mark].concat());
        let forgotten = |rule: Rule| rule.note(DiagnosticKind::MissingCloser);
        let rules = vec![
            start(pattern![self.end]).open(Place::Section(CALLS)),
            start(pattern![&["]", ",", ";", "```"][..]]),
            start(pattern!["}"]).note(DiagnosticKind::RepairedJson),
            forgotten(start(pattern![self.begin])).before().open(Place::Section(CALLS)),
            forgotten(start(pattern![self.close])).close(Scope::Section),
            forgotten(start(Vec::new())).noise().close(Scope::Section),
        ];
        SectionKind { rules, between: Between::Only(Chars::WHITE), calls: false }
    }

    /// Behind the header.
    fn call(&self) -> CallKind {
        let boundary = [self.close, &[self.begin], self.boundary].concat();
        let rules = vec![
            rule(pattern![At::Start, WS, "{"]).open(Place::Body(ARGUMENTS)),
            rule(pattern![At::Start, WS, "null"]).follow([pattern![self.end]]),
            rule(pattern![self.end]).close(Scope::Call),
            ends_call(pattern![&boundary[..]], &[], Scope::Call),
        ];
        CallKind { rules, between: Between::Junk(Chars::WHITE), whole_at_end: false }
    }

    fn body(&self, gives: Gives) -> BodyKind {
        let cut = [self.end, self.close, &[self.begin]].concat();
        let rules = vec![rule(pattern![&cut[..]]).before().close(Scope::Body)];
        BodyKind { gives, rules, then: Some(Place::Section(AFTER_OBJECT)) }
    }

    fn dialect(&self, spec: DialectSpec) -> DialectSpec {
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            tokens: true,
            prose: prose(self.text()),
            sections: vec![self.calls(), self.after_object()],
            calls: vec![self.call()],
            bodies: vec![self.body(Gives::Arguments), self.body(Gives::Nothing)],
            boundary: self.boundary.iter().map(|token| (*token).into()).collect(),
            ..spec
        }
    }
}

fn until(to: &'static str, unless: &[&'static str]) -> Piece {
    Piece::Until { to: to.into(), unless: unless.iter().map(|text| Text::from(*text)).collect() }
}

/// The dialect `kimi-k2`.
pub(crate) fn kimi_k2() -> DialectSpec {
    const ARGUMENT: &str = "<|tool_call_argument_begin|>";
    let markers = Markers {
        open: &["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"],
        close: &["<|tool_calls_section_end|>", "<|tool_call_section_end|>"],
        begin: "<|tool_call_begin|>",
        end: &["<|tool_call_end|>"],
        last: ARGUMENT,
        header: vec![pattern![Name::tool_id().prefix("functions."), WS, ARGUMENT]],
        boundary: &["<|im_end|>"],
    };
    let mut spec = markers.dialect(DialectSpec {
        id: "functions.{name}:{index}".into(),
        ..DialectSpec::new(
            "kimi-k2",
            "<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>",
            wire::KIMI_K2,
        )
    });
    let number = Name::id().chars(Chars::only("0123456789"));
    let inferred = pattern![markers.begin, WS, number, WS, ARGUMENT, WS, "{"];
    spec.sections[CALLS as usize].rules.insert(1, rule(inferred).open(Place::Body(ARGUMENTS)));
    spec
}
