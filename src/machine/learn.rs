//! Which markers come to be known ([`known`](super::known)): those that came twice. What is kept is what reading says at
//! the first character at which it is sure, so no marker is decided later than if it were read.
//!
//! In the library's own tests each marker that was found there is read again, cut at the same place, and
//! every other is read in place of being found; both must come to the same.

#[cfg(test)]
use super::State;
#[cfg(test)]
use super::known::Known;
use super::known::{BYTES, KnownMarker};
use super::outcome::Found;
#[cfg(test)]
use super::outcome::{Noticed, Outcome};
use super::pattern::Asked;
use super::pending::MatchVerdict;
#[cfg(test)]
use super::pending::Pending;
use super::table::{Begins, RuleSet};
use super::view::View;
use super::{Feed, Machine};
use crate::sink::Sink;

impl<'a, S: Sink> Feed<'a, '_, S> {
    /// The pending marker was read, and counts: it is kept, if one like it has come before.
    #[inline(never)]
    pub(super) fn get_to_know(&mut self) {
        let (table, known) = (self.table().number, &self.tables.known);
        let Some(outcome) = self.machine.pending.outcome() else { return };
        let Found { rule, how } = outcome.found;
        #[cfg(test)]
        if self.assert_known(&outcome) {
            return;
        }
        let bit = 1 << ((31 * table + 7 * usize::from(rule) + usize::from(how.at)) & 63);
        if !known.wants(table, bit) {
            return;
        }
        match self.known_marker() {
            Some(marker) => known.keep(self.grammar.tables, table, marker),
            None => known.refuse(bit),
        }
        self.machine.pending.take_outcome(&outcome);
    }

    /// What is to be known of the pending marker: it is read once more, as if a chunk ended after each character.
    fn known_marker(&mut self) -> Option<KnownMarker> {
        let (view, start) = (self.view, self.machine.pending.start());
        let next = |at: usize| Some(at + view.part(at).chars().next()?.len_utf8());
        let ends = std::iter::successors(next(start), |at| next(*at));
        let key = self.begin_again();
        let (verdict, to, asked) = self.read_again(ends.take_while(|end| end - start <= BYTES));
        let outcome = self.machine.pending.outcome();
        // Whether an object is tried depends on what was read before the marker, too.
        let tries = self.machine.pending.object().is_some();
        let kept = verdict == MatchVerdict::Accept && !asked.has(Asked::STREAM) && !tries;
        let text = view.slices(start, to).map(str::as_bytes);
        let (_, around) = self.pending();
        KnownMarker::new(text, key, outcome.filter(|_| kept)?, asked, &around)
    }

    /// The pending marker is as it was when nothing of it had been read: how it begins, and what counts.
    fn begin_again(&mut self) -> (Begins, RuleSet) {
        let (start, begins) = (self.machine.pending.start(), self.machine.pending.begins);
        let table = self.table();
        let counts = table.counting(self.here(start));
        let Machine { pending, call, .. } = &mut *self.machine;
        pending.begin(table, begins, counts, start, call.tool);
        (begins, pending.counts())
    }

    /// Reads it from its first byte, as if a chunk ended at each of these view offsets. Gives what it came to, how far
    /// it was read, and what was asked for.
    fn read_again(&mut self, ends: impl Iterator<Item = usize>) -> (MatchVerdict, usize, Asked) {
        let start = self.machine.pending.start();
        let (view, at) = (self.view, std::mem::replace(&mut self.at, start));
        let mut reading = (MatchVerdict::Open, start, Asked::default());
        for end in ends {
            let (verdict, asked) = self.read_to(view, end);
            reading = (verdict, end, reading.2.and(asked));
            if verdict != MatchVerdict::Open {
                break;
            }
        }
        (self.view, self.at) = (view, at);
        reading
    }

    /// Reads the pending match on as if the text ended at this view offset. Also gives what was asked for.
    pub(super) fn read_to(&mut self, view: View<'a>, to: usize) -> (MatchVerdict, Asked) {
        let [held, chunk] = view.slices(0, to);
        self.view = View { held, chunk, base: view.base };
        let mut asked = Asked::default();
        loop {
            let (pending, around) = self.pending();
            let len = around.text.len();
            let (_, verdict) = pending.read(&around);
            asked = asked.and(around.asked.get());
            let start = pending.start();
            match verdict {
                MatchVerdict::Again => self.at = start,
                MatchVerdict::Open if self.at + len < to => self.at += len,
                verdict => {
                    self.at += len;
                    return (verdict, asked);
                }
            }
        }
    }

    /// In tests: a marker that was found, or has begun like a known one, comes to the same if it is read.
    #[cfg(test)]
    pub(super) fn assert_found(&mut self, verdict: MatchVerdict) {
        let Pending { begun, .. } = self.machine.pending;
        let (start, outcome) = (self.machine.pending.start(), self.machine.pending.outcome());
        if verdict != MatchVerdict::Accept && begun.is_none() {
            return;
        }
        let ends = [self.view.held.len(), self.view.len()].into_iter().filter(|end| *end > start);
        self.begin_again();
        let (again, ..) = self.read_again(ends);
        assert_eq!(again, verdict, "a marker that was read before");
        match outcome.filter(|_| verdict == MatchVerdict::Accept) {
            Some(outcome) => {
                self.assert_same(&outcome);
                self.machine.pending.take_outcome(&outcome);
            }
            None => {
                self.begin_again();
                self.machine.pending.begun = begun;
            }
        }
    }

    /// The same where no marker is to begin at the start of a state: none does if it is read.
    #[cfg(test)]
    pub(super) fn assert_no_start(&mut self) {
        let (at, view, table) = (self.at, self.view, self.table());
        let counts = table.counting(self.here(at));
        let Machine { pending, call, .. } = &mut *self.machine;
        pending.begin(table, Begins::State, counts, at, call.tool);
        let (verdict, _) = self.read_to(view, view.len());
        let Pending { active, noticed, .. } = &mut self.machine.pending;
        assert_eq!((verdict, *noticed), (MatchVerdict::Reject, Noticed::default()));
        (*active, self.at) = (false, at);
    }

    /// The same for one that was read; whether it is known.
    #[cfg(test)]
    fn assert_known(&mut self, read: &Outcome) -> bool {
        let (begins, counts) = self.begin_again();
        self.machine.pending.take_outcome(read);
        let known = &self.tables.known;
        let (_, around) = self.pending();
        match known.find(begins, counts, None, &around) {
            Some(Known::Marker(known)) => {
                self.assert_same(&known.outcome);
                true
            }
            Some(Known::Begun(_)) => panic!("a known marker was decided before its end"),
            None => false,
        }
    }

    /// What is pending came to what does the same. Which of the texts that may follow a marker was the first to be
    /// seen whole, and what that captured, depends on how the chunks are cut; and a bound counts in a call alone.
    #[cfg(test)]
    fn assert_same(&self, other: &Outcome) {
        let in_call = matches!(self.machine.state, State::Call | State::Value);
        let acts_by = |outcome: Outcome| {
            let Outcome { found: Found { rule, how }, noticed } = outcome;
            let Noticed { openers, own_closer, too_long } = noticed;
            let names = [how.name, how.id];
            (rule, how.mark, names, openers, own_closer, in_call.then_some(too_long))
        };
        let outcome = self.machine.pending.outcome().map(acts_by);
        assert_eq!(outcome, Some(acts_by(*other)), "a marker that was read before");
    }
}
