//! Text and reasoning: what opens and closes reasoning, and which rules count in it.

use super::build::rule;
use super::spec::{DialectSpec, Flags, Pattern, Place, ProseKind, Rule, Scope, What};
use crate::pattern;

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

/// Reasoning between what looks like this, which counts anywhere.
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
