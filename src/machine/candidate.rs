//! A possible marker, from its head to the decision.
//!
//! The first rule of the table that comes true wins. So the rules that the head may begin are read
//! one after the other, in the order of the table, each to where it is decided or the chunk ends: a
//! rule that comes true waits while one before it is undecided, and those behind it are not read at
//! all.

use super::pattern::{Run, Step, Surroundings, UNKNOWN};
use crate::dialect::spec::{Act, AtEnd, Rule};
use crate::tables::Begun;

#[derive(Clone, Debug, Default)]
pub(crate) struct Candidate {
    pub active: bool,
    /// View offset of its first byte.
    pub start: usize,
    /// The rules that may still come true, in the order of the table.
    runs: Vec<Run>,
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
        Act::Stray(_)
            | Act::CloseBoth
            | Act::CloseValueMismatched
            | Act::EndValue
            | Act::CloseAll
            | Act::Suspect
    )
}

fn is_marker(act: Act) -> bool {
    !matches!(act, Act::Stray(_) | Act::BrokenKey)
}

/// Whether it recovers from a closer that was forgotten.
fn recovers(act: Act) -> bool {
    matches!(act, Act::CloseBoth | Act::CloseAll)
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
        for run in begun.runs.iter().filter_map(here) {
            let rule = &rules[run.rule as usize];
            if !run.is_whole(rule) {
                self.wait(self.runs.len(), run);
                continue;
            }
            self.note(&run, rule);
            let run = run.ending(end - start);
            if rule.act == Act::Reject {
            } else if rule.follow.is_empty() {
                self.best = Some(run);
                break;
            } else {
                for alternative in 0..rule.follow.len() {
                    self.wait(self.runs.len(), run.follow(alternative));
                }
            }
        }
        self.verdict()
    }

    /// Reads on in `text`, which stands `at` bytes behind the first. Also gives how many bytes were
    /// looked at, once for each rule that did.
    pub fn read(&mut self, text: &str, at: usize, around: &Surroundings<'_>) -> (usize, Verdict) {
        let (mut examined, mut index) = (0, 0);
        while index < self.runs.len() {
            let mut run = self.runs[index];
            // Behind a rule that came true all are moot.
            if self.best.is_some_and(|best| best.rule <= run.rule) {
                self.runs.truncate(index);
                break;
            }
            let (read, step) = run.read(text, at, around);
            examined += read.max(1);
            if step == Step::Live {
                self.runs[index] = run;
                index += 1;
                continue;
            }
            self.runs.remove(index);
            let rule = &around.rules[run.rule as usize];
            self.note(&run, rule);
            match step {
                Step::Whole if run.in_follow() => self.best = Some(run),
                Step::Whole if rule.act == Act::Reject => {}
                Step::Whole => {
                    let run = run.ending(at + read);
                    examined += self.follow(run, rule, &text[read..], around, &mut index);
                }
                Step::TooLong => self.too_long |= is_grammar(rule.act),
                Step::Live | Step::Dead => {}
            }
        }
        (examined, self.verdict())
    }

    /// A marker is whole: the elements of its follow set read on, and those that stay undecided
    /// take its place.
    fn follow(
        &mut self,
        whole: Run,
        rule: &Rule,
        text: &str,
        around: &Surroundings<'_>,
        index: &mut usize,
    ) -> usize {
        if rule.follow.is_empty() {
            self.best = Some(whole);
        }
        let mut examined = 0;
        for alternative in 0..rule.follow.len() {
            let mut run = whole.follow(alternative);
            let (read, step) = run.read(text, whole.mark as usize, around);
            examined += read.max(1);
            match step {
                Step::Live => {
                    self.wait(*index, run);
                    *index += 1;
                }
                Step::Whole => {
                    self.best = Some(run);
                    break;
                }
                Step::TooLong => self.too_long |= is_grammar(rule.act),
                Step::Dead => {}
            }
        }
        examined
    }

    /// Notes an undecided run. The buffer grows by a few at a time: it is kept, and parsers live by
    /// the million.
    fn wait(&mut self, index: usize, run: Run) {
        if self.runs.len() == self.runs.capacity() {
            self.runs.reserve_exact(4);
        }
        self.runs.insert(index, run);
    }

    /// What the runs have come to. Those of the rule that came true, which wait for nothing, are
    /// moot.
    fn verdict(&mut self) -> Verdict {
        let Some(best) = self.best else {
            return if self.runs.is_empty() { Verdict::Reject } else { Verdict::Open };
        };
        self.runs.retain(|run| run.rule < best.rule);
        if self.runs.is_empty() { Verdict::Accept(best) } else { Verdict::Open }
    }

    /// Remembers what a rejection will have to know of a run that is over.
    fn note(&mut self, run: &Run, rule: &Rule) {
        self.openers[run.part as usize] |= rule.fixed > 0 && run.has_read(rule.fixed);
        self.own_closer |= rule.act == Act::CloseValue && run.has_read(rule.mark.len());
    }

    /// What the end of the stream decides. `cut`: more would have come, so that it shows nothing.
    pub fn at_end(&self, rules: &[Rule], cut: bool) -> Option<Run> {
        let confirmed = |run: &&Run| {
            let rule = &rules[run.rule as usize];
            match rule.at_end {
                AtEnd::Rejects => false,
                AtEnd::Confirms => run.in_follow(),
                AtEnd::ConfirmsEnd => run.may_end(rule) && !(cut && recovers(rule.act)),
                AtEnd::ConfirmsBegun => run.has_begun(),
                AtEnd::ConfirmsKnown => run.in_follow() && run.tool != UNKNOWN,
            }
        };
        // Half a marker is no stray tag, though one may have been whole on the way.
        let best = self.best.iter().filter(|run| is_marker(rules[run.rule as usize].act));
        self.runs.iter().filter(confirmed).chain(best).min_by_key(|run| run.rule).copied()
    }

    /// The rules that may still come true.
    pub fn open_rules<'r>(&self, rules: &'r [Rule]) -> impl Iterator<Item = &'r Rule> {
        self.runs.iter().map(|run| &rules[run.rule as usize])
    }

    /// The acts that may still come true, and whether their marker is whole.
    pub fn open(&self, rules: &[Rule]) -> impl Iterator<Item = (Act, bool)> {
        self.runs.iter().map(|run| (rules[run.rule as usize].act, run.in_follow()))
    }
}
