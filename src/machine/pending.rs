//! A possible marker, from its first byte to the decision: the *pending match*.
//!
//! The first rule of the table that comes true wins. The matches that the first bytes allow are read one
//! after the other, each to where it is decided or the chunk ends; where rules part, a match becomes
//! several. A rule that comes true waits while one before it is undecided, and those after it are
//! dropped.

use smallvec::SmallVec;

use super::pattern::{Around, Match, Outcome};
use super::table::{Begins, RuleSet, Step, Table, before, each};
use super::{keyword, tool_line};
use crate::dialect::spec::{AtEnd, Scope, What};
use crate::tables::UNKNOWN;

#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    pub active: bool,
    /// View offset of its first byte.
    start: u32,
    /// Why it may begin there.
    pub begins: Begins,
    /// The rules that count here.
    counts: RuleSet,
    /// Where in the literals of the table it is, while they are all that has been read.
    walk: Option<Walk>,
    /// Nothing but blanks have come, at the start of a line.
    blank: bool,
    /// Those that are undecided, and behind them the one that has come true.
    matches: SmallVec<[Match; 1]>,
    /// The rule that has come true.
    best: Option<u8>,
    /// How many bytes of a rejected marker are behind us: no other marker begins in them.
    pub passed: u16,
    /// By dialect: the first rule of which that has been read that makes a rejected opener. Of this and the
    /// next: what is behind the rule that counts has perhaps not been read, as the chunks are cut.
    pub openers: [FirstRule; 2],
    /// The value's own closer has been read.
    pub own_closer: bool,
    /// The first rule of a well-formed message that failed for a bound alone.
    pub too_long: FirstRule,
}

/// The first rule of which something has been noticed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstRule(u8);

impl Default for FirstRule {
    fn default() -> Self {
        FirstRule(u8::MAX)
    }
}

impl FirstRule {
    fn note(&mut self, rule: usize) {
        self.0 = self.0.min(rule as u8);
    }

    /// Whether it is one of those up to `last`; without one of any.
    pub fn is_up_to(self, last: Option<u8>) -> bool {
        self.0 != u8::MAX && last.is_none_or(|last| self.0 <= last)
    }
}

/// A place in the literals of a table: they part at their first bytes, so it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Walk {
    /// The literal; none before the first.
    node: Option<u16>,
    /// Bytes read of it, and of all that were read.
    read: u16,
    at: u16,
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
    /// The marker is to be read from its first byte: its line is more than blank.
    Again,
    /// This rule counts.
    Accept(Found),
    /// None does.
    Reject,
}

impl Pending {
    /// View offset of the first byte.
    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// So many bytes before it have left.
    pub fn shift(&mut self, left: usize) {
        self.start = self.start.saturating_sub(left.try_into().unwrap_or(u32::MAX));
    }

    /// What the machine holds while a match is read: it is asked where the match begins.
    pub fn taken(&mut self) -> Pending {
        let start = self.start;
        std::mem::replace(self, Pending { start, ..Pending::default() })
    }

    /// Takes up the rules that count here and begin like this. `tool` is that of the open call.
    pub fn begin(
        &mut self,
        table: &Table,
        begins: Begins,
        counts: RuleSet,
        start: usize,
        tool: u16,
    ) {
        (self.active, self.start) = (true, start as u32);
        (self.counts, self.begins) = (counts, begins);
        self.best = None;
        (self.openers, self.too_long) = Default::default();
        self.own_closer = false;
        self.matches.clear();
        (self.walk, self.passed, self.blank) = (None, 0, false);
        match begins {
            Begins::Byte => self.walk = Some(Walk { node: None, read: 0, at: 0 }),
            Begins::Line if table.whole_at_once(begins) & counts == 0 => self.blank = true,
            Begins::Line | Begins::State => self.take_up(table, tool, b""),
        }
    }

    /// Matches are taken up for all that may begin here; `line`: as much of it as is here.
    fn take_up(&mut self, table: &Table, tool: u16, line: &[u8]) {
        let (begins, counts) = (self.begins, self.counts);
        if let Some(rule) = each(table.whole_at_once(begins) & counts).next() {
            self.comes_true(rule, Match::new(0, tool).marked());
        }
        for (number, &kid) in table.kids(begins).iter().enumerate() {
            let one = Match::new(kid, tool);
            let may_begin = begins != Begins::Line || table.may_begin_line(number, line);
            if may_begin && self.may_win(&one, table) {
                self.push(self.undecided(), one);
            }
        }
    }

    /// Reads on in `text`, whose first byte stands `at` bytes behind the marker's. Also gives how many
    /// bytes were looked at, once for each match that did.
    pub fn read(&mut self, text: &str, at: usize, around: &Around<'_>) -> (usize, Verdict) {
        let (mut examined, mut index) = (0, 0);
        if std::mem::take(&mut self.blank) {
            return self.begin_line(text.as_bytes(), at, around);
        }
        if self.walk.is_some() {
            examined = self.walk_on(text.as_bytes(), around);
            if self.walk.is_some() {
                return (examined, Verdict::Open);
            }
        }
        while index < self.undecided() {
            let mut one = self.matches[index];
            if !self.may_win(&one, around.table) {
                self.matches.remove(index);
                continue;
            }
            let rest = &text[one.at as usize - at..];
            if rest.is_empty() {
                // A new match behind the chunk's last byte waits for the next.
                index += 1;
                continue;
            }
            let (read, outcome) = one.step(rest, around);
            examined += read.max(1);
            match outcome {
                Outcome::Live => {
                    self.matches[index] = one;
                    index += 1;
                }
                Outcome::Whole => {
                    self.matches.remove(index);
                    let next = text.as_bytes().get(one.at as usize - at);
                    self.whole(index, one, next.copied(), around);
                }
                Outcome::Dead => drop(self.matches.remove(index)),
                Outcome::TooLong => {
                    let rules = each(around.table.nodes[one.node as usize].below & self.counts);
                    let grammar = |rule: &usize| !around.table.rules[*rule].noise;
                    if let Some(rule) = { rules }.find(grammar) {
                        self.too_long.note(rule);
                    }
                    self.matches.remove(index);
                }
            }
        }
        (examined, self.verdict(around.table))
    }

    /// Behind the blanks that a line begins with: most lines can be no marker's.
    fn begin_line(&mut self, bytes: &[u8], at: usize, around: &Around<'_>) -> (usize, Verdict) {
        // Where blank lines are skipped, a CR is a blank, too.
        let cr = around.most_blanks > keyword::LEAD as usize;
        let blank = |byte: &&u8| keyword::is_blank(**byte) || cr && **byte == b'\r';
        let blanks = bytes.iter().take_while(blank).count();
        let table = around.table;
        match bytes.get(blanks) {
            _ if at + blanks > around.most_blanks => {}
            None => {
                self.blank = true;
                return (blanks, Verdict::Open);
            }
            Some(_) if !table.line_counts(&bytes[blanks..]) => {
                return (blanks + 1, Verdict::Reject);
            }
            Some(_) => {}
        }
        self.take_up(table, around.tool, &bytes[blanks..]);
        (blanks, Verdict::Again)
    }

    /// Reads on in the literals, until something else may come; gives how many bytes were looked at.
    fn walk_on(&mut self, bytes: &[u8], around: &Around<'_>) -> usize {
        let table = around.table;
        let Some(mut walk) = self.walk else { return 0 };
        for (examined, byte) in bytes.iter().enumerate() {
            let text = walk.node.map(|node| table.literal(node)).unwrap_or_default();
            if let Some(next) = text.as_bytes().get(walk.read as usize) {
                if next != byte {
                    self.ends_walk(walk);
                    return examined + 1;
                }
                (walk.read, walk.at) = (walk.read + 1, walk.at + 1);
                continue;
            }
            if walk.node.is_some_and(|node| table.may_go_on(node, *byte, around.tools)) {
                self.leave_walk(walk, around);
                return examined;
            }
            let kids = match walk.node {
                Some(node) => &*table.nodes[node as usize].kids,
                None => table.kids(Begins::Byte),
            };
            let fits = |kid: &&u16| {
                let counts = table.nodes[**kid as usize].below & self.counts != 0;
                counts && table.literal(**kid).as_bytes().first() == Some(byte)
            };
            let Some(kid) = kids.iter().find(fits) else {
                self.ends_walk(walk);
                return examined + 1;
            };
            walk = Walk { node: Some(*kid), read: 1, at: walk.at + 1 };
        }
        self.walk = Some(walk);
        let whole = |node| table.literal(node).len() == walk.read as usize;
        if walk.node.is_some_and(|node| whole(node) && table.says_something(node)) {
            self.leave_walk(walk, around);
        }
        bytes.len()
    }

    /// The literals have come to nothing.
    fn ends_walk(&mut self, walk: Walk) {
        (self.walk, self.passed) = (None, walk.at);
    }

    /// The stream ends: what stands behind a literal that is whole may be nothing.
    pub fn end_walk(&mut self, around: &Around<'_>) {
        if let Some(walk) = self.walk {
            if walk.node.is_some_and(|node| around.table.literal(node).len() == walk.read as usize)
            {
                self.leave_walk(walk, around);
            }
        }
    }

    /// Behind a literal something else may come: matches are taken up.
    fn leave_walk(&mut self, walk: Walk, around: &Around<'_>) {
        self.walk = None;
        if let Some(node) = walk.node {
            let one = Match::behind_literals(node, walk.at, around);
            self.whole(0, one, None, around);
        }
    }

    /// A step is whole: its rules come true, or those of the steps after it that may begin with the
    /// next byte are taken up in its place; all of them where that byte has not come. Gives the index
    /// after them.
    fn whole(&mut self, index: usize, one: Match, next: Option<u8>, around: &Around<'_>) -> usize {
        let table = around.table;
        let node = &table.nodes[one.node as usize];
        for rule in each(node.openers & self.counts) {
            self.openers[table.rules[rule].part as usize].note(rule);
        }
        self.own_closer |= node.closers & self.counts != 0;
        if let Some(rule) = each(node.accepts & self.counts).next() {
            self.comes_true(rule, one.marked());
        }
        let mut index = index;
        for (&kid, &first) in node.kids.iter().zip(&node.firsts) {
            let cannot_begin = first != 0 && next.is_some_and(|next| next != first);
            if cannot_begin || self.rules(kid, table) == 0 {
                continue;
            }
            let step = &table.nodes[kid as usize].step;
            match next {
                Some(next) if !around.may_begin(step, next, one.tool) => {}
                Some(next) if one.passes(step, next) => {
                    index = self.whole(index, one.enter(kid, around), Some(next), around);
                }
                _ => {
                    self.push(index, one.enter(kid, around));
                    index += 1;
                }
            }
        }
        index
    }

    fn comes_true(&mut self, rule: usize, how: Match) {
        if self.best.is_none_or(|best| rule < best as usize) {
            self.matches.truncate(self.undecided());
            self.best = Some(rule as u8);
            self.push(self.matches.len(), how);
        }
    }

    /// How many matches are undecided.
    fn undecided(&self) -> usize {
        self.matches.len() - usize::from(self.best.is_some())
    }

    fn found(&self) -> Option<Found> {
        let (rule, how) = self.best.zip(self.matches.last().copied())?;
        Some(Found { rule, how })
    }

    /// Whether a rule that it leads to counts, and comes before the one that came true.
    fn may_win(&self, one: &Match, table: &Table) -> bool {
        self.rules(one.node, table) != 0
    }

    fn rules(&self, node: u16, table: &Table) -> RuleSet {
        let first = self.best.map_or(RuleSet::MAX, |best| before(best as usize));
        table.nodes[node as usize].below & self.counts & first
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
        self.found().filter(|_| self.undecided() == 0)
    }

    fn verdict(&mut self, table: &Table) -> Verdict {
        let Some(found) = self.found() else {
            let open = self.walk.is_some() || self.blank || !self.matches.is_empty();
            return if open { Verdict::Open } else { Verdict::Reject };
        };
        let before = self.counts & before(found.rule as usize);
        self.matches.pop();
        self.matches.retain(|one| table.nodes[one.node as usize].below & before != 0);
        if self.matches.is_empty() {
            return Verdict::Accept(found);
        }
        self.matches.push(found.how);
        Verdict::Open
    }

    /// What the end of the stream decides, and whether it says nothing that the text did not. Where the
    /// stream was cut, a value whose closer only the end would confirm stays open: what comes after it
    /// would count as the text of a call.
    pub fn at_end(&self, around: &Around<'_>, cut: bool) -> Option<(Found, bool)> {
        let table = around.table;
        let undecided = &self.matches[..self.undecided()];
        let listed = |found: &Found| {
            let rule = &table.rules[found.rule as usize];
            rule.at_end == AtEnd::Listed && rule.action.what == What::Close(Scope::Value)
        };
        let ended = undecided.iter().flat_map(|one| self.ended(one, around));
        let ended = ended.filter(|found| !(cut && listed(found)));
        // A tag that is no marker may have been whole on the way to half a marker.
        let half =
            |one: &Match| each(self.rules(one.node, table)).any(|rule| !table.rules[rule].noise);
        let half = undecided.iter().any(half);
        let noise = |found: &Found| table.rules[found.rule as usize].noise;
        let whole = undecided.iter().flat_map(|one| self.whole_by_end(*one, around));
        let whole = whole.chain(self.found()).filter(|found| !(half && noise(found)));
        let found = ended.chain(whole).min_by_key(|found| found.rule)?;
        let action = table.rules[found.rule as usize].action;
        let same = |one: &Match| {
            each(self.rules(one.node, table)).all(|rule| table.rules[rule].action == action)
        };
        let known = self.found() == Some(found) && undecided.iter().all(same);
        Some((found, known))
    }

    /// The rules that the end of the stream makes of one match, by what they say about it.
    fn ended(&self, one: &Match, around: &Around<'_>) -> impl Iterator<Item = Found> {
        let table = around.table;
        let node = &table.nodes[one.node as usize];
        let confirmed = each(self.rules(one.node, table)).filter(move |&number| {
            match table.rules[number].at_end {
                AtEnd::Payload => false,
                AtEnd::Confirm => one.in_follow(),
                AtEnd::Listed => one.in_follow() && node.ends >> number & 1 != 0,
                AtEnd::Known => one.in_follow() && one.tool != UNKNOWN,
                AtEnd::Begun if one.in_follow() => node.step != Step::Follow,
                AtEnd::Begun => node.enough >> number & 1 != 0 && has_letters(&node.step, one),
            }
        });
        let end = around.view.len() - around.start;
        let at_end = one.ending(end);
        confirmed.map(move |rule| Found { rule: rule as u8, how: at_end })
    }

    /// The first rule whose marker is whole if nothing more comes.
    fn whole_by_end(&self, one: Match, around: &Around<'_>) -> Option<Found> {
        if one.in_follow() {
            return None;
        }
        let node = &around.table.nodes[one.node as usize];
        let mut one = one;
        let whole = match &node.step {
            Step::Run { run, .. } => one.read >= run.min,
            Step::LineEnd => true,
            Step::ToolLine(form) => tool_line::at_end(&mut one, *form, around),
            _ => false,
        };
        if !whole || self.rules(one.node, around.table) == 0 {
            return None;
        }
        let own = each(node.accepts & self.counts).next();
        let own = own.map(|rule| Found { rule: rule as u8, how: one.marked() });
        let further = node.kids.iter().filter_map(|kid| {
            let next = one.unread(*kid);
            match around.table.nodes[*kid as usize].step {
                // The marker is whole; of what follows it nothing has come.
                Step::Follow => self.ended(&next.marked(), around).min_by_key(|found| found.rule),
                _ => self.whole_by_end(next, around),
            }
        });
        own.into_iter().chain(further).min_by_key(|found| found.rule)
    }

    /// The rules that may still come true, and whether their marker is whole. Half a lead of a keyword
    /// line is none.
    pub fn open<'t>(&'t self, table: &'t Table) -> impl Iterator<Item = (usize, bool)> {
        let walked = self.walk.and_then(|walk| walk.node);
        let walked = walked.map_or(0, |node| table.nodes[node as usize].below);
        let walked = each(walked & self.counts).map(|rule| (rule, false));
        let begun = |one: &&Match| match &table.nodes[one.node as usize].step {
            Step::Keyword(_) => one.keyword.letters() > 0,
            // What comes before the text that it looks for may be anything, if it begins the marker.
            Step::Until(..) => one.at > one.read,
            _ => one.at > 0,
        };
        let begun = self.matches[..self.undecided()].iter().filter(begun);
        walked.chain(
            begun.flat_map(|one| {
                each(self.rules(one.node, table)).map(|rule| (rule, one.in_follow()))
            }),
        )
    }
}

/// Of a keyword three letters are enough, or one that is whole.
fn has_letters(step: &Step, one: &Match) -> bool {
    !matches!(step, Step::Keyword(_)) || one.keyword.letters() >= 3
}
