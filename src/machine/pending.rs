//! A possible marker, from its first byte to the decision: the *pending match*.
//!
//! The first rule of the table that comes true wins. The matches that the first bytes allow are read one
//! after the other, each to where it is decided or the chunk ends; where rules part, a match becomes
//! several. A rule that comes true waits while one before it is undecided, and those after it are
//! dropped.

use smallvec::SmallVec;

use super::first_bytes::Next;
use super::keyword;
use super::known::{Known, KnownMarkers, Place};
use super::outcome::{Found, Noticed, ObjectAt, Outcome};
use super::pattern::{Around, Match, StepOutcome, char_len, tool_line};
use super::table::{
    Begins, CompiledRule, Kid, Node, PatternStep, RuleSet, Table, Way, before, each,
};
use super::trial::{Trials, Verdict};
use crate::dialect::spec::{AtEnd, Name, Scope, Trial, What};
use crate::machine::ids::UNKNOWN;
use crate::options::bounds;

#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    pub active: bool,
    /// View offset of its first byte.
    start: u32,
    /// Why it may begin there.
    pub begins: Begins,
    /// The rules that may come true: those that count here, and before one that has come true.
    counts: RuleSet,
    unread: Unread,
    /// What has come is the beginning of this known marker, and has not been read.
    pub begun: Option<Place>,
    /// Those that are undecided, in the order in which they are read, after the one that has come true, if
    /// one has.
    matches: SmallVec<[Match; 1]>,
    /// The rule of the latter.
    best: Option<u8>,
    pub noticed: Noticed,
    /// Where the first object or list that is tried begins.
    object: ObjectAt,
    /// The objects that are tried. Kept, for the next ones.
    trials: Option<Box<Trials>>,
}

/// What of a possible marker has not been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unread {
    /// All that has come was.
    #[default]
    Nothing,
    /// There is no match yet.
    All,
    /// The same, and nothing but blanks have come, at the start of a line.
    Line,
}

/// What the matches have come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchVerdict {
    /// Undecided.
    Open,
    /// The marker is to be read from its first byte: its line is more than blank.
    Again,
    /// What was found counts.
    Accept,
    /// None does.
    Reject,
}

impl Pending {
    /// View offset of the first byte.
    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// Where the first object or list that is tried begins: offset from the first byte.
    pub fn object(&self) -> Option<usize> {
        self.object.get()
    }

    /// So many bytes before it have left.
    pub fn shift(&mut self, left: usize) {
        self.start = self.start.saturating_sub(left.try_into().unwrap_or(u32::MAX));
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
        self.noticed = Noticed::default();
        self.object = ObjectAt::default();
        if let Some(trials) = &mut self.trials {
            trials.forget();
        }
        self.matches.clear();
        let at_once = each(table.nodes[begins as usize].accepts & counts).next();
        let line = begins == Begins::Line && at_once.is_none();
        (self.unread, self.begun) = (if line { Unread::Line } else { Unread::All }, None);
        if let Some(rule) = at_once {
            self.comes_true(rule, Match::new(begins as u16, tool).marked());
        }
    }

    /// What is seen without reading: most lines begin no marker, and most markers were read before. Gives what
    /// [`Pending::read`] gives: `Open` while it goes on like a known marker, `Again` if it then does not.
    pub fn find(
        &mut self,
        known: &KnownMarkers,
        around: &Around<'_>,
    ) -> Option<(usize, MatchVerdict)> {
        let begun = self.begun.take();
        match self.unread {
            Unread::Nothing => return None,
            Unread::Line if begun.is_none() => {
                if let (examined, Some(verdict)) = lead(around) {
                    self.note_lead(verdict);
                    return Some((examined, verdict));
                }
            }
            _ => {}
        }
        match known.find(self.begins, self.counts, begun, around) {
            Some(Known::Marker(marker)) => {
                self.take_outcome(&marker.outcome);
                Some((marker.len().min(around.text.len()), MatchVerdict::Accept))
            }
            Some(Known::Begun(place)) => {
                self.begun = Some(place);
                Some((around.text.len(), MatchVerdict::Open))
            }
            None => begun.map(|_| (0, MatchVerdict::Again)),
        }
    }

    /// What the blanks of a line decide.
    fn note_lead(&mut self, verdict: MatchVerdict) {
        if verdict != MatchVerdict::Open {
            self.unread = Unread::Nothing;
        }
    }

    /// Nothing was read of it, for it went on like a known marker: it is to be read.
    pub fn forget_begun(&mut self) -> bool {
        self.begun.take().is_some()
    }

    pub fn counts(&self) -> RuleSet {
        self.counts
    }

    pub fn outcome(&self) -> Option<Outcome> {
        let found = self.found()?;
        let mut noticed = self.noticed;
        for first in noticed.openers.as_flattened_mut() {
            *first = first.up_to(found.rule);
        }
        // The rule that came true did not fail, though an alternative of it may be too long.
        noticed.too_long = noticed.too_long.before(found.rule);
        Some(Outcome { found, noticed })
    }

    pub fn take_outcome(&mut self, outcome: &Outcome) {
        let Outcome { found, noticed } = *outcome;
        (self.unread, self.begun) = (Unread::Nothing, None);
        self.comes_true(found.rule.into(), found.how);
        self.noticed = noticed;
    }

    /// Reads on in the text. Also gives how many bytes were looked at, once for each match that did.
    pub fn read(&mut self, around: &Around<'_>) -> (usize, MatchVerdict) {
        if self.unread == Unread::Line {
            let (blanks, decided) = lead(around);
            if decided.is_none() {
                self.begin_line(around, blanks);
            }
            let verdict = decided.unwrap_or(MatchVerdict::Again);
            self.note_lead(verdict);
            return (blanks, verdict);
        }
        if std::mem::take(&mut self.unread) == Unread::All {
            let one = Match::new(self.begins as u16, around.tool());
            let node = &around.table.nodes[one.node as usize];
            // The text begins with what the rules begin with: nothing is read before that.
            let next = around.ahead(0).first().copied();
            if let Some(kid) = self.part(&one, node, next, around) {
                self.follow(one.entering(kid, around), around);
            }
            return (around.examined.get(), self.verdict(around.table));
        }
        for _ in 0..self.undecided().len() {
            let one = self.matches.remove(self.first_undecided());
            self.follow(one, around);
        }
        (around.examined.get(), self.verdict(around.table))
    }

    /// Whether a chunk only goes on with literals that are open, and completes none: then it has been read,
    /// and nothing is decided.
    pub fn goes_on(&mut self, table: &Table, chunk: &[u8]) -> bool {
        let from = self.first_undecided();
        let open = self.active && self.unread == Unread::Nothing && self.matches.len() > from;
        let counts = self.counts;
        let goes_on = |one: &Match| {
            let node = &table.nodes[one.node as usize];
            node.below & counts != 0 && one.is_within_literal(node, chunk)
        };
        if !open || !self.matches[from..].iter().all(goes_on) {
            return false;
        }
        self.matches[from..].iter_mut().for_each(|one| one.goes_on(chunk));
        true
    }

    /// Takes up the markers that a line may begin with, after its blanks.
    fn begin_line(&mut self, around: &Around<'_>, blanks: usize) {
        let table = around.table;
        for (number, kid) in table.kids(Begins::Line).iter().enumerate() {
            let begins = table.may_begin_line(number, &around.text[blanks..]);
            if begins && self.rules(kid.node, table) != 0 {
                self.push(Match::new(kid.node, around.tool()));
            }
        }
    }

    /// Reads a match on, to where it is decided or the text ends. Where rules part, it goes on as the
    /// last of those that may come, and the others are read before it.
    fn follow(&mut self, mut one: Match, around: &Around<'_>) {
        let table = around.table;
        let mut node = &table.nodes[one.node as usize];
        while node.below & self.counts != 0 {
            if let PatternStep::Object(trial) = node.step {
                return self.follow_object(one, node, trial, around);
            }
            let rest = around.ahead(one.at);
            let read = match one.literal(node, rest) {
                Some(read) => {
                    around.examine(read);
                    Some(read)
                }
                None => self.step(&mut one, node, rest, around),
            };
            let Some(read) = read else { return };
            // What may stand after a literal is asked when the next byte is here.
            if read == rest.len() && one.waits(node) {
                return self.push(one);
            }
            let Some(next) = self.part(&one, node, rest.get(read).copied(), around) else { return };
            node = &table.nodes[next as usize];
            one.enter(next, node, around);
        }
    }

    /// Reads the present step on, as far as the text goes. Gives how much of it the step took, if it is
    /// whole: else it is undecided or does not fit, and that is noted.
    #[inline(never)]
    fn step(
        &mut self,
        one: &mut Match,
        node: &Node,
        rest: &[u8],
        around: &Around<'_>,
    ) -> Option<usize> {
        let (read, outcome) = match &node.step {
            PatternStep::Name(name) if name.glued => {
                self.follow_glued(*one, node, name, around);
                return None;
            }
            // It takes no byte, and was asked before it was entered.
            PatternStep::Special(_) => (0, StepOutcome::Whole),
            _ if rest.is_empty() => (0, StepOutcome::Live),
            _ => one.step(node, rest, around),
        };
        match outcome {
            StepOutcome::Whole => {
                around.examine(read);
                return Some(read);
            }
            StepOutcome::Live => self.push(*one),
            StepOutcome::Dead => {}
            StepOutcome::TooLong => self.is_too_long(node, around.table),
        }
        around.examine(read.max(usize::from(!rest.is_empty())));
        None
    }

    /// A bound was crossed at a step.
    fn is_too_long(&mut self, node: &Node, table: &Table) {
        let mut rules = each(node.below & self.counts);
        if let Some(rule) = rules.find(|rule| !table.rules[*rule].noise) {
            self.noticed.too_long.note(rule);
        }
    }

    /// Reads an object on that may be a call. It is the last step of its rules.
    #[inline(never)]
    fn follow_object(&mut self, mut one: Match, node: &Node, trial: Trial, around: &Around<'_>) {
        around.ask_stream();
        let trials = self.trials.get_or_insert_default();
        let (read, verdict) = trials.read(trial, one.at, around);
        around.examine(read);
        one.tool = trials.tool(trial);
        match verdict {
            Verdict::Open => self.push(one),
            Verdict::Call => self.decide(&one, node, around.table),
            Verdict::NoCall => {}
        }
    }

    /// Reads a name on, behind each beginning of which that is a name itself the next step may begin. The
    /// longest is read first; one that ends where the text does is whole when the next byte is here.
    #[inline(never)]
    fn follow_glued(&mut self, mut one: Match, node: &Node, name: &Name, around: &Around<'_>) {
        let mut rest = around.ahead(one.at);
        let mut whole: SmallVec<[(Match, u8); 1]> = SmallVec::new();
        loop {
            let Some(&next) = rest.first() else {
                self.push(one);
                break;
            };
            whole.extend(one.named_so_far(name, around).map(|named| (named, next)));
            let (read, outcome) = one.step(node, &rest[..char_len(next)], around);
            around.examine(read.max(1));
            if outcome != StepOutcome::Live {
                break;
            }
            rest = &rest[read..];
        }
        for (named, next) in whole.into_iter().rev() {
            if let Some(last) = self.part(&named, node, Some(next), around) {
                self.follow_kid(&named, last, around);
            }
        }
    }

    /// An object is held that may be a call.
    #[cfg(feature = "json")]
    pub fn tries(&self) -> bool {
        self.active && self.tried().is_some()
    }

    /// View offset up to which objects have been read that may be calls, if any have.
    pub fn tried(&self) -> Option<usize> {
        let to = self.trials.as_ref().and_then(|trials| trials.read_to());
        to.map(|to| self.start() + to)
    }

    /// A step is whole: its rules come true, or those of the steps after it that may begin with the
    /// next byte go on; all of them where that byte has not come. Gives the last of these steps, the
    /// others have been read.
    // In line wherever it is asked: the match stays in registers.
    #[inline(always)]
    fn part(
        &mut self,
        one: &Match,
        node: &Node,
        next: Option<u8>,
        around: &Around<'_>,
    ) -> Option<u16> {
        if node.decides {
            self.decide(one, node, around.table);
        }
        let begins = Next::new(next);
        let goes_on = |kid: &Kid| {
            kid.may_begin(begins, around.tools)
                && (!kid.asks || around.may_follow(kid.node, one, next))
        };
        match node.way(next) {
            Way::One(kid) => goes_on(kid).then_some(kid.node),
            Way::Some(kids) => {
                let mut last = None;
                for kid in kids.iter().filter(|kid| goes_on(kid)) {
                    if let Some(last) = last.replace(kid.node) {
                        self.follow_kid(one, last, around);
                    }
                }
                last
            }
        }
    }

    /// Reads what a match becomes at the beginning of another step.
    // Out of line, as the next: few steps part or decide, and the others are not to pay for it.
    #[inline(never)]
    fn follow_kid(&mut self, one: &Match, kid: u16, around: &Around<'_>) {
        self.follow(one.entering(kid, around), around);
    }

    /// Notes what the whole step says of its rules.
    #[inline(never)]
    fn decide(&mut self, one: &Match, node: &Node, table: &Table) {
        for rule in each(node.openers & self.counts) {
            let CompiledRule { part, kind, .. } = table.rules[rule];
            self.noticed.openers[part as usize][kind as usize].note(rule);
        }
        self.noticed.own_closer |= node.closers & self.counts != 0;
        if node.objects & self.counts != 0 {
            self.object.note(one.at - 1);
        }
        if let Some(rule) = each(node.accepts & self.counts).next() {
            self.comes_true(rule, one.marked());
        }
    }

    fn comes_true(&mut self, rule: usize, how: Match) {
        self.counts &= before(rule);
        if self.best.replace(rule as u8).is_some() {
            self.matches[0] = how;
        } else {
            self.push(how);
            if self.matches.len() > 1 {
                self.matches.rotate_right(1);
            }
        }
    }

    /// What has come true.
    pub fn found(&self) -> Option<Found> {
        self.best.map(|rule| Found { rule, how: self.matches[0] })
    }

    /// Where the undecided matches begin.
    fn first_undecided(&self) -> usize {
        usize::from(self.best.is_some())
    }

    fn undecided(&self) -> &[Match] {
        &self.matches[self.first_undecided()..]
    }

    /// The undecided match that has read most.
    pub fn furthest(&self) -> Option<Match> {
        self.undecided().iter().max_by_key(|one| one.at).copied()
    }

    /// Those of the rules that a node leads to that may come true.
    fn rules(&self, node: u16, table: &Table) -> RuleSet {
        table.nodes[node as usize].below & self.counts
    }

    /// Notes an undecided match. The buffer grows by a few at a time: it is kept, and parsers live by the
    /// million.
    fn push(&mut self, one: Match) {
        if self.matches.len() == self.matches.capacity() {
            self.matches.reserve_exact(2);
        }
        self.matches.push(one);
    }

    /// What has come true, and what may yet.
    pub fn verdict(&self, table: &Table) -> MatchVerdict {
        let unread = match self.unread {
            Unread::Nothing => false,
            Unread::All => self.rules(self.begins as u16, table) != 0,
            Unread::Line => true,
        };
        if unread || self.undecided().iter().any(|one| self.rules(one.node, table) != 0) {
            return MatchVerdict::Open;
        }
        if self.best.is_some() { MatchVerdict::Accept } else { MatchVerdict::Reject }
    }

    /// The stream ends: what stands after a literal that is whole may be nothing.
    pub fn end(&mut self, around: &Around<'_>) {
        for _ in 0..self.undecided().len() {
            let one = self.matches.remove(self.first_undecided());
            let node = &around.table.nodes[one.node as usize];
            let kids = if one.waits(node) { self.part(&one, node, None, around) } else { None };
            self.push(kids.map_or(one, |last| one.entering(last, around)));
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
        let ended = ended.filter(|found| {
            let if_cut = table.rules[found.rule as usize].at_end == AtEnd::Cut;
            !(cut && listed(found)) && (cut || !if_cut)
        });
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
                AtEnd::Confirm | AtEnd::Cut => one.in_follow(),
                AtEnd::Listed => one.in_follow() && node.ends >> number & 1 != 0,
                AtEnd::Known => one.in_follow() && one.tool != UNKNOWN && self.may_be_call(node),
                AtEnd::Prefix if one.in_follow() => node.step != PatternStep::Follow,
                AtEnd::Prefix => {
                    node.enough >> number & 1 != 0 && one.has_letters(&node.step, around)
                }
            }
        });
        let end = around.view.len() - around.start;
        let at_end = one.ending(end);
        confirmed.map(move |rule| Found { rule: rule as u8, how: at_end })
    }

    /// Whether an object that ends here may have become a call.
    fn may_be_call(&self, node: &Node) -> bool {
        let PatternStep::Object(trial) = node.step else { return true };
        self.trials.as_ref().is_some_and(|trials| trials.may_be_call(trial))
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
            PatternStep::Until(until) => until.within > 0,
            PatternStep::LineEnd | PatternStep::NotNext(_) => true,
            PatternStep::ToolLine(form) => tool_line::at_end(&mut one, *form, around),
            _ => false,
        };
        if !whole || self.rules(one.node, around.table) == 0 {
            return None;
        }
        let own = each(node.accepts & self.counts).next();
        let own = own.map(|rule| Found { rule: rule as u8, how: one.marked() });
        let further = node.kids.iter().filter_map(|kid| {
            let next = one.unread(kid.node);
            match around.table.nodes[kid.node as usize].step {
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
        let has_begun = |one: &&Match| match &table.nodes[one.node as usize].step {
            PatternStep::Keyword(_) => one.keyword.letters() > 0,
            // What comes before the text that it looks for may be anything, if it begins the marker.
            PatternStep::Until(_) => one.at > one.read,
            _ => one.at > 0,
        };
        let matches = self.undecided().iter().filter(has_begun);
        matches
            .flat_map(|one| each(self.rules(one.node, table)).map(|rule| (rule, one.in_follow())))
    }
}

/// The blanks that a line begins with, and what is decided by them and the next character: most lines can be no
/// marker's.
fn lead(around: &Around<'_>) -> (usize, Option<MatchVerdict>) {
    let Around { text: bytes, text_at: at, .. } = *around;
    // Where blank lines are skipped, a CR is a blank, too.
    let (cr, most) = match around.between {
        true => (true, bounds::LINE),
        false => (false, keyword::LEAD as usize),
    };
    let blank = |byte: &&u8| keyword::is_blank(**byte) || cr && **byte == b'\r';
    let blanks = bytes.iter().take_while(blank).count();
    match bytes.get(blanks) {
        _ if at + blanks > most => (blanks, None),
        None => (blanks, Some(MatchVerdict::Open)),
        Some(_) if !around.table.line_counts(&bytes[blanks..]) => {
            (blanks + 1, Some(MatchVerdict::Reject))
        }
        Some(_) => (blanks, None),
    }
}
