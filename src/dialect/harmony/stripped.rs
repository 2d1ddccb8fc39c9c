//! `harmony:stripped`: what is left of `harmony` where a server takes the special tokens off.
//!
//! ```text
//! start := ws "analysis" reasoning | call                    turn := "assistant" then
//! then  := "final" text | "analysis" reasoning | "commentary" text | call
//! call  := ws ( "commentary" blanks )? "to=" "functions."? NAME ws ( "commentary" ws )?
//!          ( ( "json" | "code" ) ws )? object
//! ```
//! NAME is declared, and no white space stands after `analysis` and `commentary`. Reasoning, and the text
//! after `commentary`, end at a turn; after a call `ws` and a turn may stand. All else is text. The headers of
//! `harmony` are read as well.

use super::harmony;
use crate::dialect::bracket::opener;
use crate::dialect::build::{rule, start};
use crate::dialect::shape::envelope::{AFTER_OBJECT, NO_WHITE, TEXT};
use crate::dialect::spec::{
    At, Between, BodyKind, CallKind, Chars, DialectSpec, Known, Name, Pattern, Piece, Place,
    ProseKind, Rule, Run, SectionKind, WS,
};
use crate::event::DiagnosticKind;
use crate::pattern;

/// Reasoning and text that end at a turn.
const REASONING: Place = Place::Prose(2);
const COMMENTARY: Place = Place::Prose(3);
/// Before a channel's word that no white space follows.
const CHANNEL: Place = Place::Section(6);
const AFTER_CALL: Place = Place::Section(7);
const CALL: u8 = 1;
const BODY: u8 = 1;

const BLANKS: Run = Run { chars: Chars::BLANK, min: 1, max: 256 };
const CONTENT: &[&str] = &["json", "code"];

/// What stands before an object.
fn objects() -> [Pattern; 4] {
    [
        pattern!["{"],
        pattern!["commentary", WS, "{"],
        pattern![CONTENT, WS, "{"],
        pattern!["commentary", WS, CONTENT, WS, "{"],
    ]
}

/// A call after `before`.
fn calls(before: &Pattern) -> Vec<Rule> {
    let name = || Name::tool().known(Known::Declared);
    let to = [pattern!["to=", name()], pattern!["to=functions.", name()]];
    let leads = [pattern![WS], pattern![WS, "commentary", BLANKS]];
    let marks =
        leads.iter().flat_map(|lead| to.iter().map(move |to| [&**before, lead, to].concat()));
    marks.map(|mark| opener(mark, 0, &objects()).open(Place::Call(CALL))).collect()
}

/// A turn after `before`.
fn turns(before: &Pattern) -> Vec<Rule> {
    let turn = [&**before, &["assistant".into()]].concat();
    let with = |more: Pattern| rule([&*turn, &more].concat());
    let channels: Piece = (&["analysis", "commentary"][..]).into();
    let mut rules = vec![
        with(pattern!["final"]).open(TEXT),
        with(vec![channels, NO_WHITE.into()]).before().open(CHANNEL),
    ];
    rules.extend(calls(&turn));
    rules
}

/// The dialect `harmony` in this form.
pub(in crate::dialect) fn stripped() -> DialectSpec {
    let mut spec = DialectSpec { name: "harmony:stripped".into(), ..harmony() };
    let here = pattern![At::Start];
    // At the message's start, before the rules of what is cut there, and that all else is text.
    let first = &mut spec.sections[0].rules;
    let cut = |rule: &Rule| rule.action.note == Some(DiagnosticKind::CutOpener);
    let rest = first.split_off(first.iter().rposition(cut).unwrap_or(0));
    first.push(start(pattern![WS, "analysis", NO_WHITE]).before().open(CHANNEL));
    first.extend(calls(&here));
    first.extend(rest);
    let ends = &spec.prose[0].rules;
    let prose = |reasoning: bool| {
        let rules = [turns(&Vec::new()), ends.clone()].concat();
        ProseKind { reasoning, answer: false, rules }
    };
    let prose = [true, false].map(prose);
    spec.prose.extend(prose);
    let channel = vec![
        start(pattern![WS, "analysis"]).open(REASONING),
        start(pattern!["assistantanalysis"]).open(REASONING),
        start(pattern!["assistantcommentary"]).open(COMMENTARY),
    ];
    let channel = SectionKind { rules: channel, between: Between::default(), calls: false };
    let Place::Section(after) = AFTER_OBJECT else { return spec };
    let mut after = spec.sections[usize::from(after)].clone();
    after.rules.splice(0..0, turns(&here));
    // Nothing closes a call, so nothing is missing.
    for rule in after.rules.iter_mut().filter(|rule| rule.mark == here) {
        rule.action.note = None;
    }
    spec.sections.extend([channel, after]);
    let object = |mark: Pattern| [pattern![At::Start, WS], mark].concat();
    let rules = objects().map(|mark| rule(object(mark)).open(Place::Body(BODY)));
    spec.calls.push(CallKind { rules: rules.into(), ..spec.calls[0].clone() });
    spec.bodies.push(BodyKind { then: Some(AFTER_CALL), ..spec.bodies[0].clone() });
    spec
}
