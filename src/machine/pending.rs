//! A possible marker, from its first byte to the decision: the *pending match*.
//!
//! The first rule of the table that comes true wins. The matches that the first bytes allow are read one
//! after the other, each to where it is decided or the chunk ends; where rules part, a match becomes
//! several. A rule that comes true waits while one before it is undecided, and those after it are
//! dropped.

use super::pattern::{Around, Match, Outcome};
use super::table::{Begins, RuleSet, Step, Table, before, each};
use super::tool_line;
use crate::dialect::spec::{AtEnd, Scope, What};
use crate::tables::UNKNOWN;

#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    pub active: bool,
    /// View offset of its first byte.
    pub start: usize,
    /// Why it may begin there.
    pub begins: Begins,
    /// The rules that count here.
    counts: RuleSet,
    matches: Vec<Match>,
    /// The rule that has come true.
    best: Option<Found>,
    /// By dialect: what makes a rejected opener has been read.
    pub openers: [bool; 2],
    /// The value's own closer has been read.
    pub own_closer: bool,
    /// A rule of a well-formed message failed for a bound alone.
    pub too_long: bool,
}

/// A rule that has come true, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub rule: u8,
    pub how: Match,
}

/// What the matches have come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Undecided.
    Open,
    /// This rule counts.
    Accept(Found),
    /// None does.
    Reject,
}

impl Pending {
    /// Takes up the rules that count here and begin like this. `tool` is that of the open call.
    pub fn begin(
        &mut self,
        table: &Table,
        begins: Begins,
        counts: RuleSet,
        start: usize,
        tool: u16,
    ) {
        (self.active, self.start, self.counts, self.begins) = (true, start, counts, begins);
        self.best = None;
        self.openers = [false; 2];
        (self.own_closer, self.too_long) = (false, false);
        self.matches.clear();
        if let Some(rule) = each(table.whole_at_once(begins) & counts).next() {
            self.comes_true(rule, Match::new(0, tool).marked());
        }
        for &kid in table.kids(begins) {
            let one = Match::new(kid, tool);
            if self.may_win(&one, table) {
                self.push(self.matches.len(), one);
            }
        }
    }

    /// Reads on in `text`, whose first byte stands `at` bytes behind the marker's. Also gives how many
    /// bytes were looked at, once for each match that did.
    pub fn read(&mut self, text: &str, at: usize, around: &Around<'_>) -> (usize, Verdict) {
        let (mut examined, mut index) = (0, 0);
        while index < self.matches.len() {
            let mut one = self.matches[index];
            if !self.may_win(&one, around.table) {
                self.matches.remove(index);
                continue;
            }
            let rest = &text[one.at as usize - at..];
            // A new match behind the chunk's last byte waits for the next.
            let (read, outcome) = match rest.is_empty() {
                true => (0, Outcome::Live),
                false => one.step(rest, around),
            };
            examined += read.max(1);
            match outcome {
                Outcome::Live => {
                    self.matches[index] = one;
                    index += 1;
                }
                Outcome::Whole => {
                    self.matches.remove(index);
                    self.whole(index, one, around);
                }
                Outcome::Dead => drop(self.matches.remove(index)),
                Outcome::TooLong => {
                    let rules = each(around.table.nodes[one.node as usize].below & self.counts);
                    let grammar = |rule: usize| !around.table.rules[rule].noise;
                    self.too_long |= { rules }.any(grammar);
                    self.matches.remove(index);
                }
            }
        }
        (examined, self.verdict(around.table))
    }

    /// A step is whole: its rules come true, or the steps behind it are taken up in its place.
    fn whole(&mut self, index: usize, one: Match, around: &Around<'_>) {
        let table = around.table;
        let node = &table.nodes[one.node as usize];
        for rule in each(node.openers & self.counts) {
            self.openers[table.rules[rule].part as usize] = true;
        }
        self.own_closer |= node.closers & self.counts != 0;
        if let Some(rule) = each(node.accepts & self.counts).next() {
            self.comes_true(rule, one.marked());
        }
        let mut index = index;
        for &kid in &node.kids {
            let next = one.enter(kid, around);
            if self.may_win(&next, table) {
                self.push(index, next);
                index += 1;
            }
        }
    }

    fn comes_true(&mut self, rule: usize, how: Match) {
        if self.best.is_none_or(|best| rule < best.rule as usize) {
            self.best = Some(Found { rule: rule as u8, how });
        }
    }

    /// Whether a rule that it leads to counts, and comes before the one that came true.
    fn may_win(&self, one: &Match, table: &Table) -> bool {
        self.rules(one, table) != 0
    }

    fn rules(&self, one: &Match, table: &Table) -> RuleSet {
        let first = self.best.map_or(RuleSet::MAX, |best| before(best.rule as usize));
        table.nodes[one.node as usize].below & self.counts & first
    }

    /// Notes an undecided match. The buffer grows by a few at a time: it is kept, and parsers live by
    /// the million.
    fn push(&mut self, index: usize, one: Match) {
        if self.matches.len() == self.matches.capacity() {
            self.matches.reserve_exact(2);
        }
        self.matches.insert(index, one);
    }

    /// The rule that came true without a byte, if none before it may.
    pub fn at_once(&self) -> Option<Found> {
        self.best.filter(|_| self.matches.is_empty())
    }

    fn verdict(&mut self, table: &Table) -> Verdict {
        let Some(best) = self.best else {
            return if self.matches.is_empty() { Verdict::Reject } else { Verdict::Open };
        };
        let (counts, first) = (self.counts, before(best.rule as usize));
        self.matches.retain(|one| table.nodes[one.node as usize].below & counts & first != 0);
        if self.matches.is_empty() { Verdict::Accept(best) } else { Verdict::Open }
    }

    /// What the end of the stream decides. `cut`: more would have come, so that it shows nothing.
    pub fn at_end(&self, around: &Around<'_>, cut: bool) -> Option<Found> {
        // A tag that is no marker may have been whole on the way to half a marker.
        let noise =
            |found: &Found| around.table.rules[found.rule as usize].action.what == What::Stray;
        let best = self.best.filter(|found| !noise(found));
        let ended = self.matches.iter().flat_map(|one| self.ended(one, around, cut));
        ended.chain(best).min_by_key(|found| found.rule)
    }

    /// The rules that the end of the stream makes of one match.
    fn ended(&self, one: &Match, around: &Around<'_>, cut: bool) -> impl Iterator<Item = Found> {
        let table = around.table;
        let whole = self.whole_by_end(*one, around);
        let node = &table.nodes[one.node as usize];
        let confirmed = each(self.rules(one, table)).filter(move |&number| {
            let rule = &table.rules[number];
            match rule.at_end {
                AtEnd::Payload => false,
                AtEnd::Confirm => one.in_follow(),
                AtEnd::Listed => !cut && one.in_follow() && node.ends >> number & 1 != 0,
                AtEnd::Known => one.in_follow() && one.tool != UNKNOWN,
                AtEnd::Begun => {
                    let enough = node.enough >> number & 1 != 0 && has_letters(&node.step, one);
                    enough && !(cut && closes(table, number))
                }
            }
        });
        let end = around.view.len() - around.start;
        let at_end = one.ending(end);
        let by_end = whole.filter(move |found| !(cut && closes(table, found.rule as usize)));
        confirmed.map(move |rule| Found { rule: rule as u8, how: at_end }).chain(by_end)
    }

    /// The first rule whose marker is whole if nothing more comes.
    fn whole_by_end(&self, one: Match, around: &Around<'_>) -> Option<Found> {
        if one.in_follow() {
            return None;
        }
        let node = &around.table.nodes[one.node as usize];
        let mut one = one;
        let whole = match &node.step {
            Step::Run(run) => one.read >= run.min,
            Step::LineEnd => true,
            Step::ToolLine(form) => tool_line::at_end(&mut one, *form, around),
            _ => false,
        };
        if !whole || self.rules(&one, around.table) == 0 {
            return None;
        }
        let own = each(node.accepts & self.counts).next();
        let own = own.map(|rule| Found { rule: rule as u8, how: one.marked() });
        let further = node.kids.iter().filter_map(|kid| {
            let next = one.unread(*kid);
            let is_follow = around.table.nodes[*kid as usize].step == Step::Follow;
            if is_follow { None } else { self.whole_by_end(next, around) }
        });
        own.into_iter().chain(further).min_by_key(|found| found.rule)
    }

    /// The rules that may still come true, and whether their marker is whole. Half a lead of a keyword
    /// line is none.
    pub fn open<'t>(&'t self, table: &'t Table) -> impl Iterator<Item = (usize, bool)> {
        let begun = |one: &&Match| match &table.nodes[one.node as usize].step {
            Step::Keyword(_) => one.keyword.letters() > 0,
            _ => one.at > 0,
        };
        self.matches
            .iter()
            .filter(begun)
            .flat_map(|one| each(self.rules(one, table)).map(|rule| (rule, one.in_follow())))
    }
}

/// Whether the rule closes a call, or what is open in it.
fn closes(table: &Table, rule: usize) -> bool {
    let What::Close(scope) = table.rules[rule].action.what else { return false };
    !matches!(scope, Scope::Section | Scope::Prose)
}

/// Of a keyword three letters are enough, or one that is whole.
fn has_letters(step: &Step, one: &Match) -> bool {
    !matches!(step, Step::Keyword(_)) || one.keyword.letters() >= 3
}
