//! Calls with a header before their JSON: `kimi-k2`, `solar-open`, `plamo3`, `deepseek-v3` and
//! `deepseek-v31`.
//!
//! ```text
//! section := OPEN ws ( call ws )* CLOSE
//! call    := BEGIN ws header ws object ws END
//! ```
//! A section counts if BEGIN follows, a call if its header and the object or END do. The object's brace
//! ends the call: what its own closer, its section's, or the stop token would say after it is not
//! needed. A forgotten END is `missing_closer` where another call or CLOSE shows it, a forgotten OPEN
//! `missing_opener`. A header that names no tool is markup with its object, `malformed_call`.

mod deepseek;
mod kimi_k2;
mod plamo3;
mod solar_open;

pub(super) use deepseek::{deepseek_v3, deepseek_v31};
pub(super) use kimi_k2::kimi_k2;
pub(super) use plamo3::plamo3;
pub(super) use solar_open::solar_open;

use crate::dialect::build::{LETTERS, prefixed, rule};
use crate::dialect::parts::{ends_call, opener, prose};
use crate::dialect::spec::{
    At, Between, BodyKind, CallKind, Chars, DialectSpec, Flags, Gives, Pattern, Piece, Place, Rule,
    Scope, SectionKind, Text, WS, What,
};
use crate::dialect::template::{PromptForm, tools_prompt};
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;
use crate::pattern;

/// The kinds, as the tables number them.
const CALLS: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const ARGUMENTS: u8 = 0;
const NO_CALL: u8 = 1;

/// What may stand after an object beside white space, and means nothing.
pub(super) const GARBAGE: &[&str] = &["]", ",", ";", "```"];

/// The markers of a dialect.
struct Markers {
    /// A section.
    open: &'static [&'static str],
    close: &'static [&'static str],
    /// A call, and what ends it: one of these will do.
    begin: &'static str,
    end: &'static [&'static str],
    /// The header, from after `begin` on: one of these.
    header: Vec<Pattern>,
    /// Its last marker.
    last: &'static str,
    /// Openers count by themselves.
    tokens: bool,
    /// An object may stand in a fence.
    fenced: bool,
    /// What is markup in text. Of two that begin alike the longer one comes first.
    boundary: &'static [&'static str],
}

impl Markers {
    /// How an object begins.
    fn object(&self) -> Vec<Pattern> {
        let fenced = self.fenced.then(|| pattern!["```", LETTERS, WS, "{"]);
        [pattern!["{"]].into_iter().chain(fenced).collect()
    }

    /// What shows that a header is one.
    fn confirms(&self) -> Vec<Pattern> {
        let confirms = [self.object(), vec![pattern![self.end]]].concat();
        if self.tokens { Vec::new() } else { confirms }
    }

    /// What begins a call, whole.
    fn begins(&self) -> impl Iterator<Item = Pattern> {
        self.header.iter().map(|header| [pattern![self.begin, WS], header.clone()].concat())
    }

    /// The section's opener is missing: the call is read in a section all the same.
    fn bare(&self, mark: Pattern) -> Rule {
        let bare = opener(mark, 1, &self.confirms()).not(Flags::REASONING).sets(Flags::OWED);
        bare.before().open(Place::Section(CALLS))
    }

    fn text(&self) -> Vec<Rule> {
        let calls = if self.tokens { Vec::new() } else { vec![pattern![self.begin]] };
        let open = opener(pattern![self.open], 1, &calls).open(Place::Section(CALLS));
        let mut rules = vec![open];
        if self.tokens {
            rules.push(self.bare(pattern![self.begin]))
        } else {
            rules.extend(self.begins().map(|mark| self.bare(mark)))
        }
        rules.extend([
            rule(pattern![self.close]).needs(Flags::OWED),
            rule(pattern![self.close]).does(What::Orphan(Scope::Section)),
            rule(pattern![self.end]).does(What::Orphan(Scope::Call)),
        ]);
        rules.extend(self.boundary.iter().map(|token| rule(pattern![*token])));
        rules
    }

    /// Before the first call, and between two.
    fn calls(&self) -> SectionKind {
        let confirms = self.confirms();
        let call = |mark: Pattern| opener(mark, 0, &confirms).open(Place::Call(0));
        let mut rules: Vec<Rule> = self.begins().map(call).collect();
        // What names no tool.
        let malformed = |mark: Pattern| {
            let malformed = rule(mark).clears(Flags::SECTION_START);
            malformed.note(DiagnosticKind::MalformedCall)
        };
        let others = [&[self.begin], self.close].concat();
        let last = until(self.last, &[&others[..], self.end].concat());
        let nameless = prefixed(pattern![self.begin, last, WS], &self.object());
        rules.extend(nameless.into_iter().map(|mark| malformed(mark).open(Place::Body(NO_CALL))));
        let ends = self.end.iter().map(|end| pattern![self.begin, until(end, &others)]);
        rules.extend(ends.map(malformed));
        rules.push(malformed(pattern![self.begin]).noise());
        rules.extend([
            rule(pattern![self.end]),
            rule(pattern![self.open]).needs(Flags::SECTION_START),
            rule(pattern![self.close]).clears(Flags::OWED).close(Scope::Section),
        ]);
        SectionKind { rules, between: Between::Only(Chars::WHITE), calls: true }
    }

    fn after_object(&self) -> SectionKind {
        let forgotten = |rule: Rule| rule.note(DiagnosticKind::MissingCloser);
        let rules = vec![
            start(pattern![self.end]).open(Place::Section(CALLS)),
            start(pattern![GARBAGE]),
            start(pattern!["}"]).note(DiagnosticKind::RepairedJson),
            forgotten(start(pattern![self.begin])).before().open(Place::Section(CALLS)),
            forgotten(start(pattern![self.close])).clears(Flags::OWED).close(Scope::Section),
            forgotten(start(Vec::new())).noise().close(Scope::Section),
        ];
        SectionKind { rules, between: Between::Only(Chars::WHITE), calls: false }
    }

    /// After the header.
    fn call(&self) -> CallKind {
        let over = [self.close, &[self.begin], self.boundary].concat();
        let object = prefixed(pattern![WS], &self.object());
        let object = object.into_iter().map(|mark| start(mark).open(Place::Body(ARGUMENTS)));
        let mut rules: Vec<Rule> = object.collect();
        rules.push(start(pattern![WS, "null"]).follow([pattern![self.end]]));
        rules.push(rule(pattern![self.end]).close(Scope::Call));
        rules.extend(over.iter().map(|token| ends_call(pattern![*token], &[], Scope::Call)));
        CallKind { rules, between: Between::Junk(Chars::WHITE), whole_at_end: false }
    }

    fn body(&self, gives: Gives) -> BodyKind {
        let cut = [self.end, self.close, &[self.begin]].concat();
        let rules = vec![rule(pattern![&cut[..]]).before().close(Scope::Body)];
        BodyKind { gives, rules, then: Some(Place::Section(AFTER_OBJECT)) }
    }

    /// With reasoning in `<think>`.
    fn dialect(&self, spec: DialectSpec) -> DialectSpec {
        DialectSpec {
            calls_in_reasoning: CallsInReasoning::Extract,
            stripped: true,
            prose: prose(self.text()),
            sections: vec![self.calls(), self.after_object()],
            calls: vec![self.call()],
            bodies: vec![self.body(Gives::Arguments), self.body(Gives::Nothing)],
            boundary: self.boundary.iter().map(|token| (*token).into()).collect(),
            ..spec
        }
    }
}

/// At the start of a state.
pub(super) fn start(mark: Pattern) -> Rule {
    rule([pattern![At::Start], mark].concat())
}

/// Anything up to a text.
pub(super) fn until(to: &'static str, unless: &[&'static str]) -> Piece {
    let unless = unless.iter().map(|text| Text::from(*text)).collect();
    Piece::Until { to: to.into(), unless, words: Vec::new(), within: 0 }
}

/// The prompt of dialects whose calls are a header and a JSON object.
pub(super) const PROMPT: PromptForm = tools_prompt!(
    "To call a tool, write its name and one JSON object with its arguments, between tokens like \
     these:",
    "The arguments must fit the schema, with every required one; a tool without parameters gets \
     {}. Quotes and line breaks in strings are escaped, as JSON has it."
);
