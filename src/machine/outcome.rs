//! What a marker came to.

use super::pattern::Match;

/// The first rule of which something has been noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FirstRule(u8);

impl Default for FirstRule {
    fn default() -> Self {
        FirstRule(u8::MAX)
    }
}

impl FirstRule {
    pub fn note(&mut self, rule: usize) {
        self.0 = self.0.min(rule as u8);
    }

    /// None, if it is after `last`.
    pub fn up_to(self, last: u8) -> FirstRule {
        if self.is_up_to(Some(last)) { self } else { FirstRule::default() }
    }

    /// None, if it is not before `rule`.
    pub fn before(self, rule: u8) -> FirstRule {
        if self.is_before(Some(rule)) { self } else { FirstRule::default() }
    }

    /// Whether it is one of those before `rule`; without one of any.
    pub fn is_before(self, rule: Option<u8>) -> bool {
        self.0 != u8::MAX && rule.is_none_or(|rule| self.0 < rule)
    }

    /// Whether it is one of those up to `last`; without one of any.
    pub fn is_up_to(self, last: Option<u8>) -> bool {
        self.0 != u8::MAX && last.is_none_or(|last| self.0 <= last)
    }
}

/// Where an object or a list begins, if one was met: offset from the marker's first byte.
// No `Option`: a parser is smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectAt(u16);

impl Default for ObjectAt {
    fn default() -> Self {
        ObjectAt(u16::MAX)
    }
}

impl ObjectAt {
    pub fn note(&mut self, at: u16) {
        if self.get().is_none() {
            self.0 = at;
        }
    }

    pub fn get(self) -> Option<usize> {
        (self.0 != u16::MAX).then_some(self.0 as usize)
    }
}

/// A rule that has come true, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub rule: u8,
    pub how: Match,
}

/// Openers and closers of calls, and those of sections.
pub(crate) const CALLS: u8 = 0;
pub(crate) const SECTIONS: u8 = 1;
pub(crate) const OPENER_KINDS: usize = 2;

/// What has been noticed of a possible marker. What is after the rule that counts has perhaps not been read, as the
/// chunks are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Noticed {
    /// By dialect and kind: the first rule of which that has been read that makes a rejected opener.
    pub openers: [[FirstRule; OPENER_KINDS]; 2],
    /// The value's own closer has been read.
    pub own_closer: bool,
    /// The first rule of a well-formed message that failed for a bound alone.
    pub too_long: FirstRule,
}

/// What a marker that counts came to, whatever was read on the way: nothing is noticed of rules after its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub found: Found,
    pub noticed: Noticed,
}
