//! What began like a marker and leaves as payload, and why: for a sink that asks ([`Sink::wants_markers`]).
//!
//! The machine reads all rules of a state at once and forgets what refused them. Here the rules are read
//! again where text leaves that a marker could begin with: one by one, a character at a time, whether they
//! count there or not. So this is slow, and nothing of it runs unless it is asked for.
//!
//! Chunk ends here: what may yet become a whole marker is held ([`Feed::told_up_to`]). Stream ends here: it
//! is told with what came of it.

mod words;

use std::mem;

use super::pattern::Match;
use super::pending::{MatchVerdict, Pending};
use super::table::{Begins, CompiledRule};
use super::view::View;
use super::{Feed, State};
use crate::dialect::spec::What;
use crate::marker::{Marker, Refused};
use crate::sink::Sink;

/// How far a rule is read, in bytes.
const FAR: usize = 512;
/// So many bytes of a marker must have come, or all of it.
const SOME: usize = 3;

/// How far one rule came.
struct Tried {
    rule: usize,
    /// View offset after the last byte that it took.
    to: usize,
    /// The marker's last byte, once it is whole.
    whole: Option<usize>,
    came: Came,
}

/// What became of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    True,
    /// The next byte refused it, or the stream's end did.
    Refused(Option<Match>),
    /// More must come.
    Open,
}

impl<'a, S: Sink> Feed<'a, '_, S> {
    /// Bytes leave as payload: tells what in them began like a marker.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_refused(&mut self, to: usize) {
        if matches!(self.machine.state, State::Body | State::Rest) {
            return;
        }
        let mut at = self.from.max(self.told);
        while let Some((start, begins)) = self.next_beginning(at, to) {
            if self.machine.state == State::Prose {
                // What holds at `start` is known when all before it has left.
                self.payload_as_it_is(start);
            }
            self.tell_at(start, begins, true);
            at = start + 1;
        }
    }

    /// A body's bytes leave by other ways: there a marker that was tried is told where it is refused. So is
    /// one at the start of a state.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_rejected(&mut self, start: usize, begins: Begins) {
        if self.machine.state == State::Body || begins == Begins::State {
            self.tell_at(start, begins, false);
        }
    }

    /// A marker counts, or it is payload that a rule knows: that is told before it changes what holds.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_accepted(&mut self, rule: &CompiledRule, start: usize, end: usize) {
        // Where a state begins, a rule may need no byte.
        if start == end {
            return;
        }
        if matches!(rule.action.what, What::Pass | What::Reject) {
            self.tell_at(start, self.machine.pending.begins, false);
            self.told = end;
            return;
        }
        let mut text = String::new();
        self.view.copy(start, end, &mut text);
        let role = &words::role(rule, self.machine.state, self.grammar);
        let at = self.view.base + start;
        self.out.marker(&Marker { at, text: &text, role, refused: None });
    }

    /// The chunk ends: view offset of the first byte that may yet be the first of a whole marker, though one
    /// that does not count there.
    #[cold]
    #[inline(never)]
    pub(super) fn told_up_to(&mut self) -> usize {
        let end = self.view.len();
        if self.end.is_some() || matches!(self.machine.state, State::Body | State::Rest) {
            return end;
        }
        let mut at = self.from.max(self.told);
        while let Some((start, begins)) = self.next_beginning(at, end) {
            // The machine holds what a rule that counts may read. Others end where another may begin.
            at = start + 1;
            if self.next_beginning(at, end).is_some() {
                continue;
            }
            let mut rules = 0..self.table().rules.len();
            if rules.any(|rule| self.try_rule(rule, begins, start, end).came == Came::Open) {
                return start;
            }
        }
        end
    }

    /// Where a marker could begin next, by its first byte, or because a line does.
    fn next_beginning(&self, from: usize, to: usize) -> Option<(usize, Begins)> {
        let table = self.table();
        let lines = table.begins_at(Begins::Line);
        (from..to).find_map(|at| {
            let byte = self.view.byte(at)?;
            if table.first.contains(&byte) {
                return Some((at, Begins::Byte));
            }
            // A line's last byte begins none.
            let line = lines && byte != b'\n' && self.is_line_start(at);
            line.then_some((at, Begins::Line))
        })
    }

    /// Tells what began like a marker here: of the rules the one that came furthest, of those the first one
    /// that counts. `all`: those too that do not count, for which the text has been held.
    fn tell_at(&mut self, start: usize, begins: Begins, all: bool) {
        let counts = self.table().counting(self.here(start));
        let rules = (0..self.table().rules.len()).filter(|rule| all || counts >> rule & 1 != 0);
        let end = self.view.len();
        let next = self.next_beginning(start + 1, end).map_or(end, |(next, _)| next);
        let to = |rule: usize| if counts >> rule & 1 != 0 { end } else { next };
        let tried = rules.map(|rule| self.try_rule(rule, begins, start, to(rule)));
        // Behind a rule that comes true no other is asked.
        let mut decided = false;
        let tried = tried.take_while(|tried| {
            let asked = !decided;
            decided |= tried.came == Came::True && counts >> tried.rule & 1 != 0;
            asked
        });
        let far = |tried: &Tried| (tried.to, counts >> tried.rule & 1, usize::MAX - tried.rule);
        let Some(tried) = tried.max_by_key(far) else { return };
        let end = tried.whole.unwrap_or(tried.to);
        let mut text = String::new();
        self.view.copy(start, end, &mut text);
        if tried.whole.is_none() && text.trim_start().len() < SOME || text.trim().is_empty() {
            return;
        }
        let rule = &self.table().rules[tried.rule];
        let role = &words::role(rule, self.machine.state, self.grammar);
        let refused = match tried.came {
            _ if counts >> tried.rule & 1 == 0 => {
                Refused::Place(words::place(self.table(), tried.rule, self.here(start)))
            }
            Came::True | Came::Open => Refused::Rule,
            Came::Refused(last) => {
                let expected = words::expected(last, self.table(), 1 << tried.rule);
                match self.view.part(tried.to).chars().next() {
                    Some(found) => Refused::Next { at: self.view.base + tried.to, found, expected },
                    None => Refused::End { expected },
                }
            }
        };
        let at = self.view.base + start;
        self.out.marker(&Marker { at, text: &text, role, refused: Some(refused) });
    }

    /// Reads one rule at `start`, a character at a time, up to `to`: as the machine would, were its text to
    /// end after each.
    fn try_rule(&mut self, rule: usize, begins: Begins, start: usize, to: usize) -> Tried {
        let table = self.table();
        let refused = Tried { rule, to: start, whole: None, came: Came::Refused(None) };
        if table.nodes[begins as usize].below >> rule & 1 == 0 {
            return refused;
        }
        let mut pending = Pending::default();
        pending.begin(table, begins, 1 << rule, start, self.machine.call.tool);
        let kept = mem::replace(&mut self.machine.pending, pending);
        let (view, at) = (self.view, mem::replace(&mut self.at, start));
        let tried = self.read_rule(Tried { came: Came::Open, ..refused }, view, to);
        (self.machine.pending, self.view, self.at) = (kept, view, at);
        tried
    }

    fn read_rule(&mut self, mut tried: Tried, view: View<'a>, to: usize) -> Tried {
        let (start, mut last) = (tried.to, None);
        let far = (start + FAR).min(to);
        while tried.to < far {
            let next = tried.to + view.part(tried.to).chars().next().map_or(1, char::len_utf8);
            match self.read_to(view, next).0 {
                MatchVerdict::Accept => {
                    let mark = self.machine.pending.found().and_then(|found| found.how.mark);
                    let whole = Some(start + mark.map_or(next - start, usize::from));
                    return Tried { to: next, whole, came: Came::True, ..tried };
                }
                MatchVerdict::Reject => return Tried { came: Came::Refused(last), ..tried },
                MatchVerdict::Open | MatchVerdict::Again => {}
            }
            tried.to = next;
            last = self.machine.pending.furthest().or(last);
            tried.whole = last.and_then(|last| last.mark).map(|mark| start + usize::from(mark));
        }
        if tried.to == start + FAR || self.end.is_some() {
            tried.came = Came::Refused(last);
        }
        tried
    }
}
