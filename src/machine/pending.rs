//! A possible marker, from its first byte to the decision: the *pending match*.
//!
//! The first rule of the table that comes true wins. The matches that the first bytes allow are read one
//! after the other, each to where it is decided or the chunk ends; where rules part, a match becomes
//! several. A rule that comes true waits while one before it is undecided, and those after it are
//! dropped.

use smallvec::SmallVec;

use super::pattern::{Around, Match, StepOutcome};
use super::table::{Begins, PatternStep, RuleSet, Table, before, each};
use super::{keyword, tool_line};
use crate::dialect::spec::{AtEnd, Scope, What};
use crate::machine::tables::UNKNOWN;

#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    pub active: bool,
    /// View offset of its first byte.
    start: u32,
    /// Why it may begin there.
    pub begins: Begins,
    /// The rules that may come true: those that count here, and before one that has come true.
    counts: RuleSet,
    /// Where in the literals of the table it is, while they are all that has been read.
    walk: Option<Walk>,
    /// Nothing but blanks have come, at the start of a line.
    blank: bool,
    /// The one that has come true, if one has, and those that are undecided: the first to be read is the
    /// last, since rules that come first make those after them needless.
    matches: SmallVec<[Match; 1]>,
    /// The rule of the former.
    best: Option<u8>,
    /// How many bytes of a rejected marker have been passed: no other marker begins in them.
    pub passed: u16,
    /// By dialect: the first rule of which that has been read that makes a rejected opener. Of this and the
    /// next: what is after the rule that counts has perhaps not been read, as the chunks are cut.
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

impl Walk {
    /// The literal has been read.
    fn is_whole(self, table: &Table) -> bool {
        self.node.is_some_and(|node| table.literal(node).len() == self.read as usize)
    }
}

/// A rule that has come true, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub rule: u8,
    pub how: Match,
}

/// What the matches have come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchVerdict {
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
            let may_begin = begins != Begins::Line || table.may_begin_line(number, line);
            if may_begin && self.rules(kid, table) != 0 {
                self.push(0, Match::new(kid, tool));
            }
        }
    }

    /// Reads on in `text`, whose first byte stands `at` bytes after the marker's. Also gives how many
    /// bytes were looked at, once for each match that did.
    pub fn read(&mut self, text: &str, at: usize, around: &Around<'_>) -> (usize, MatchVerdict) {
        if std::mem::take(&mut self.blank) {
            return self.begin_line(text.as_bytes(), at, around);
        }
        let mut examined = 0;
        if self.walk.is_some() {
            examined = self.walk_on(text.as_bytes(), around);
            if self.walk.is_some() {
                return (examined, MatchVerdict::Open);
            }
        }
        let mut index = self.matches.len();
        while index > self.first_undecided() {
            index -= 1;
            let one = &mut self.matches[index];
            let node = &around.table.nodes[one.node as usize];
            if node.below & self.counts == 0 {
                self.matches.remove(index);
                continue;
            }
            let rest = &text[one.at as usize - at..];
            if rest.is_empty() {
                // A new match after the chunk's last byte waits for the next.
                continue;
            }
            let (read, outcome) = one.step(rest, around);
            examined += read.max(1);
            if outcome == StepOutcome::Live {
                continue;
            }
            let one = self.matches.remove(index);
            match outcome {
                StepOutcome::Whole => {
                    let next = text.as_bytes().get(one.at as usize - at);
                    let above = self.matches.len() - index;
                    self.whole(index - self.first_undecided(), &one, next.copied(), around);
                    index = self.matches.len() - above;
                }
                StepOutcome::TooLong => {
                    let mut rules = each(node.below & self.counts);
                    if let Some(rule) = rules.find(|rule| !around.table.rules[*rule].noise) {
                        self.too_long.note(rule);
                    }
                }
                StepOutcome::Live | StepOutcome::Dead => {}
            }
        }
        (examined, self.verdict(around.table))
    }

    /// After the blanks that a line begins with: most lines can be no marker's.
    fn begin_line(
        &mut self,
        bytes: &[u8],
        at: usize,
        around: &Around<'_>,
    ) -> (usize, MatchVerdict) {
        // Where blank lines are skipped, a CR is a blank, too.
        let cr = around.most_blanks > keyword::LEAD as usize;
        let blank = |byte: &&u8| keyword::is_blank(**byte) || cr && **byte == b'\r';
        let blanks = bytes.iter().take_while(blank).count();
        let table = around.table;
        match bytes.get(blanks) {
            _ if at + blanks > around.most_blanks => {}
            None => {
                self.blank = true;
                return (blanks, MatchVerdict::Open);
            }
            Some(_) if !table.line_counts(&bytes[blanks..]) => {
                return (blanks + 1, MatchVerdict::Reject);
            }
            Some(_) => {}
        }
        self.take_up(table, around.tool, &bytes[blanks..]);
        (blanks, MatchVerdict::Again)
    }

    /// Reads on in the literals, until something else may come; gives how many bytes were looked at.
    fn walk_on(&mut self, bytes: &[u8], around: &Around<'_>) -> usize {
        let table = around.table;
        let Some(mut walk) = self.walk else { return 0 };
        let mut examined = 0;
        loop {
            let text = walk.node.map(|node| table.literal(node)).unwrap_or_default();
            let rest = &text.as_bytes()[walk.read as usize..];
            let more = &bytes[examined..];
            let same = if more.starts_with(rest) {
                rest.len()
            } else {
                rest.iter().zip(more).take_while(|(known, byte)| known == byte).count()
            };
            examined += same;
            (walk.read, walk.at) = (walk.read + same as u16, walk.at + same as u16);
            let Some(&byte) = bytes.get(examined) else { break };
            if same < rest.len() {
                self.ends_walk(walk);
                return examined + 1;
            }
            if walk.node.is_some_and(|node| table.may_go_on(node, byte, around.tools)) {
                self.leave_walk(walk, around);
                return examined;
            }
            let kids = match walk.node {
                Some(node) => &*table.nodes[node as usize].kids,
                None => table.kids(Begins::Byte),
            };
            let fits = |kid: &&u16| {
                let counts = table.nodes[**kid as usize].below & self.counts != 0;
                counts && table.literal(**kid).as_bytes().first() == Some(&byte)
            };
            let Some(kid) = kids.iter().find(fits) else {
                self.ends_walk(walk);
                return examined + 1;
            };
            walk = Walk { node: Some(*kid), read: 0, at: walk.at };
        }
        self.walk = Some(walk);
        if walk.node.is_some_and(|node| walk.is_whole(table) && table.nodes[node as usize].decides)
        {
            self.leave_walk(walk, around);
        }
        bytes.len()
    }

    /// The literals have come to nothing.
    fn ends_walk(&mut self, walk: Walk) {
        (self.walk, self.passed) = (None, walk.at);
    }

    /// The stream ends: what stands after a literal that is whole may be nothing.
    pub fn end_walk(&mut self, around: &Around<'_>) {
        if let Some(walk) = self.walk.filter(|walk| walk.is_whole(around.table)) {
            self.leave_walk(walk, around);
        }
    }

    /// After a literal something else may come: matches are taken up.
    fn leave_walk(&mut self, walk: Walk, around: &Around<'_>) {
        self.walk = None;
        if let Some(node) = walk.node {
            let one = Match::after_literals(node, walk.at, around);
            self.whole(0, &one, None, around);
        }
    }

    /// A step is whole: its rules come true, or those of the steps after it that may begin with the
    /// next byte are taken up in its place, after which `below` are read; all of them where that byte has
    /// not come.
    fn whole(&mut self, below: usize, one: &Match, next: Option<u8>, around: &Around<'_>) {
        let table = around.table;
        let node = &table.nodes[one.node as usize];
        if node.decides {
            for rule in each(node.openers & self.counts) {
                self.openers[table.rules[rule].part as usize].note(rule);
            }
            self.own_closer |= node.closers & self.counts != 0;
            if let Some(rule) = each(node.accepts & self.counts).next() {
                self.comes_true(rule, one.marked());
            }
        }
        for (&kid, &first) in node.kids.iter().zip(&node.firsts) {
            let cannot_begin = first != 0 && next.is_some_and(|next| next != first);
            let kid_node = &table.nodes[kid as usize];
            if cannot_begin || kid_node.below & self.counts == 0 {
                continue;
            }
            if let PatternStep::Special(len) = kid_node.step {
                if around.is_special(len, one.at) {
                    self.whole(below, &one.enter(kid, around), next, around);
                }
                continue;
            }
            match next {
                _ if first != 0 => self.push(below, one.enter(kid, around)),
                Some(next) if !around.may_begin(&kid_node.step, next, one.tool) => {}
                Some(byte) if one.passes(&kid_node.step, byte) => {
                    self.whole(below, &one.enter(kid, around), next, around);
                }
                _ => self.push(below, one.enter(kid, around)),
            }
        }
    }

    fn comes_true(&mut self, rule: usize, how: Match) {
        self.counts &= before(rule);
        if self.best.replace(rule as u8).is_none() {
            self.insert(0, how);
        } else {
            self.matches[0] = how;
        }
    }

    /// Where the undecided matches begin.
    fn first_undecided(&self) -> usize {
        usize::from(self.best.is_some())
    }

    fn undecided(&self) -> &[Match] {
        &self.matches[self.first_undecided()..]
    }

    fn found(&self) -> Option<Found> {
        let (rule, how) = self.best.zip(self.matches.first().copied())?;
        Some(Found { rule, how })
    }

    /// Those of the rules that a node leads to that may come true.
    fn rules(&self, node: u16, table: &Table) -> RuleSet {
        table.nodes[node as usize].below & self.counts
    }

    /// Notes an undecided match that is to be read before `below` others. The buffer grows by a few at a
    /// time: it is kept, and parsers live by the million.
    fn push(&mut self, below: usize, one: Match) {
        self.insert(self.first_undecided() + below, one);
    }

    fn insert(&mut self, index: usize, one: Match) {
        if self.matches.len() == self.matches.capacity() {
            self.matches.reserve_exact(2);
        }
        self.matches.insert(index, one);
    }

    /// The rule that came true without a byte, if none before it may.
    pub fn at_once(&self) -> Option<Found> {
        self.found().filter(|_| self.undecided().is_empty())
    }

    fn verdict(&mut self, table: &Table) -> MatchVerdict {
        let Some(found) = self.found() else {
            let open = self.walk.is_some() || self.blank || !self.matches.is_empty();
            return if open { MatchVerdict::Open } else { MatchVerdict::Reject };
        };
        if self.undecided().iter().any(|one| self.rules(one.node, table) != 0) {
            MatchVerdict::Open
        } else {
            MatchVerdict::Accept(found)
        }
    }

    /// What the end of the stream decides, and whether it says nothing that the text did not. Where the
    /// stream was cut, a value whose closer only the end would confirm stays open: what comes after it
    /// would count as the text of a call.
    pub fn at_end(&self, around: &Around<'_>, cut: bool) -> Option<(Found, bool)> {
        let table = around.table;
        let undecided = self.undecided();
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
                AtEnd::Prefix if one.in_follow() => node.step != PatternStep::Follow,
                AtEnd::Prefix => node.enough >> number & 1 != 0 && has_letters(&node.step, one),
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
            PatternStep::Run { run, .. } => one.read >= run.min,
            PatternStep::LineEnd => true,
            PatternStep::ToolLine(form) => tool_line::at_end(&mut one, *form, around),
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
                PatternStep::Follow => {
                    self.ended(&next.marked(), around).min_by_key(|found| found.rule)
                }
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
        let has_begun = |one: &&Match| match &table.nodes[one.node as usize].step {
            PatternStep::Keyword(_) => one.keyword.letters() > 0,
            // What comes before the text that it looks for may be anything, if it begins the marker.
            PatternStep::Until(..) => one.at > one.read,
            _ => one.at > 0,
        };
        let matches = self.undecided().iter().filter(has_begun);
        walked.chain(
            matches.flat_map(|one| {
                each(self.rules(one.node, table)).map(|rule| (rule, one.in_follow()))
            }),
        )
    }
}

/// Of a keyword three letters are enough, or one that is whole.
fn has_letters(step: &PatternStep, one: &Match) -> bool {
    !matches!(step, PatternStep::Keyword(_)) || one.keyword.letters() >= 3
}
