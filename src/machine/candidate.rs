//! A possible marker, from its head to the decision.
//!
//! All rules that the head may begin are read side by side. The first rule of the table that comes
//! true wins: a rule that has come true waits while one before it in the table still may.

use super::pattern::{Run, Step, Surroundings, UNKNOWN};
use crate::dialect::spec::{Act, AtEnd, Rule};
use crate::tables::Begun;

#[derive(Clone, Debug, Default)]
pub(crate) struct Candidate {
    pub active: bool,
    /// View offset of its first byte.
    pub start: usize,
    /// The rules that may still come true.
    runs: Vec<Run>,
    /// Those whose last piece the last character completed.
    whole: Vec<Run>,
    /// The rule that has come true.
    best: Option<Run>,
    /// By dialect: what makes a rejected opener has been read.
    pub openers: [bool; 2],
    /// The value's own closer has been read.
    pub own_closer: bool,
    /// A rule failed for a bound alone.
    pub too_long: bool,
}

/// What the rules have come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Undecided.
    Open,
    /// This rule counts.
    Accept(Run),
    /// None does.
    Reject,
}

/// Whether the marker is part of a well-formed call: one that only recovers from a mistake, or is
/// no marker of ours, breaks nothing when it is too long.
fn is_grammar(act: Act) -> bool {
    !matches!(
        act,
        Act::Stray(_) | Act::CloseBoth | Act::CloseValueMismatched | Act::EndValue | Act::CloseAll
    )
}

fn is_marker(act: Act) -> bool {
    !matches!(act, Act::Stray(_))
}

impl Candidate {
    /// Takes up those rules that count here, behind a head that stands from `start` to `end`.
    /// `tool` is that of the open call.
    pub fn begin(
        &mut self,
        start: usize,
        end: usize,
        tool: u16,
        begun: &Begun,
        rules: &[Rule],
        counts: impl Fn(&Rule) -> bool,
    ) -> Verdict {
        self.active = true;
        self.start = start;
        self.best = None;
        self.openers = [false; 2];
        self.own_closer = false;
        self.too_long = false;
        let here = |run: &Run| {
            let rule = &rules[run.rule as usize];
            // The opener of another call asks for a tool of its own.
            let opens = matches!(rule.act, Act::EndCall | Act::EndBlock);
            counts(rule).then(|| run.in_call(if opens { UNKNOWN } else { tool }))
        };
        self.runs.clear();
        self.runs.extend(begun.live.iter().filter_map(here));
        self.whole.clear();
        self.whole.extend(begun.whole.iter().filter_map(here));
        self.promote(end - start, rules)
    }

    /// Reads one character, `at` bytes behind the first.
    pub fn step(&mut self, next: &[u8], at: usize, around: &Surroundings<'_>) -> Verdict {
        let mut index = 0;
        while let Some(run) = self.runs.get_mut(index) {
            match run.step(next, at, around) {
                Step::Live => index += 1,
                Step::Whole => self.whole.push(self.runs.swap_remove(index)),
                // Its follow set reads this character, in its turn.
                Step::WholeBefore => {
                    let run = self.runs.swap_remove(index);
                    self.whole_at(run, at, around.rules);
                }
                step => {
                    let run = self.runs.swap_remove(index);
                    let rule = &around.rules[run.rule as usize];
                    self.too_long |= step == Step::TooLong && is_grammar(rule.act);
                    self.note(&run, rule);
                }
            }
        }
        self.promote(at + next.len(), around.rules)
    }

    /// What the runs have come to behind a character; markers that are whole end at `mark`.
    fn promote(&mut self, mark: usize, rules: &[Rule]) -> Verdict {
        while let Some(run) = self.whole.pop() {
            self.whole_at(run, mark, rules);
        }
        match self.best {
            Some(best) => {
                self.runs.retain(|run| run.rule < best.rule);
                if self.runs.is_empty() { Verdict::Accept(best) } else { Verdict::Open }
            }
            None if self.runs.is_empty() => Verdict::Reject,
            None => Verdict::Open,
        }
    }

    /// A marker that is whole goes on to its follow set; a whole element of that decides.
    fn whole_at(&mut self, run: Run, mark: usize, rules: &[Rule]) {
        let rule = &rules[run.rule as usize];
        self.note(&run, rule);
        if run.in_follow() {
            self.came_true(run);
        } else if rule.act == Act::Reject {
        } else if rule.follow.is_empty() {
            self.came_true(run.ending(mark));
        } else {
            let follow = |alternative| run.ending(mark).follow(alternative);
            self.runs.extend((0..rule.follow.len()).map(follow));
        }
    }

    fn came_true(&mut self, run: Run) {
        if self.best.is_none_or(|best| run.rule < best.rule) {
            self.best = Some(run);
        }
    }

    /// Remembers what a rejection will have to know of a run that is over.
    fn note(&mut self, run: &Run, rule: &Rule) {
        self.openers[run.part as usize] |= rule.fixed > 0 && run.has_read(rule.fixed);
        self.own_closer |= rule.act == Act::CloseValue && run.has_read(rule.mark.len());
    }

    /// How many rules are being read, at least one.
    pub fn width(&self) -> usize {
        self.runs.len().max(1)
    }

    /// What the end of the stream decides.
    pub fn at_end(&self, rules: &[Rule]) -> Option<Run> {
        let confirmed = |run: &&Run| match rules[run.rule as usize].at_end {
            AtEnd::Rejects => false,
            AtEnd::Confirms => run.in_follow(),
            AtEnd::ConfirmsKnown => run.in_follow() && run.tool != UNKNOWN,
        };
        // Half a marker is no stray tag, though one may have been whole on the way.
        let best = self.best.iter().filter(|run| is_marker(rules[run.rule as usize].act));
        self.runs.iter().filter(confirmed).chain(best).min_by_key(|run| run.rule).copied()
    }

    /// The acts that may still come true, and whether their marker is whole.
    pub fn open(&self, rules: &[Rule]) -> impl Iterator<Item = (Act, bool)> {
        self.runs.iter().map(|run| (rules[run.rule as usize].act, run.in_follow()))
    }
}
