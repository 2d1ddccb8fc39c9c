//! Alternatives: which of several markers stands here, and whether the text behind a marker, or the end of the stream,
//! confirms it. What must not be generic is outside of the generic functions, so that it is compiled once.

use super::{Cursor, More, No, Step, Stuck};
use crate::read::notes::{Half, Way};

/// The beginning of a marker that is tried.
struct Begun<'a> {
    at: Cursor<'a>,
    /// Whether a bound had been crossed before.
    long: bool,
}

impl<'a> Cursor<'a> {
    /// Reads one of several markers that may stand here; `None`: another one. The first that stands here counts, so an
    /// undecided one must be waited for. If the stream ends in it, it is rejected, and `half` is noted.
    #[inline]
    pub fn way<T>(
        &mut self,
        way: impl Into<Way>,
        read: impl FnOnce(&mut Self) -> Step<T>,
    ) -> Step<Option<T>> {
        let (way, begun) = (way.into(), self.begin());
        match read(self) {
            Ok(read) => {
                self.stands(&begun, way);
                self.is_by_end();
                Ok(Some(read))
            }
            Err(stuck) => {
                if self.fails(&begun, way, stuck)? {
                    self.notes.undecided.set(true);
                }
                Ok(None)
            }
        }
    }

    /// Notes where a marker begins.
    #[inline]
    fn begin(&self) -> Begun<'a> {
        self.notes.follows.set(false);
        if let Some(diagnosis) = &self.notes.diagnosis {
            diagnosis.begins();
        }
        Begun { at: *self, long: self.notes.long.get() }
    }

    /// Notes that the marker stands here. Too long a part of it breaks nothing.
    #[inline]
    fn stands(&self, begun: &Begun<'a>, way: Way) {
        self.notes.long.set(begun.long);
        if let Some(diagnosis) = &self.notes.diagnosis {
            diagnosis.stands(way);
        }
    }

    /// Goes back to the beginning of a marker that does not stand here. Returns whether half of it stands at the end of
    /// the stream.
    #[inline]
    fn fails(&mut self, begun: &Begun<'a>, way: Way, stuck: Stuck) -> Step<bool> {
        *self = begun.at;
        self.notes.by_end.set(false);
        match stuck == No && self.notes.diagnosis.is_none() {
            true => Ok(false),
            false => self.is_half(way, stuck),
        }
    }

    /// Notes how far a marker came that does not stand here.
    #[inline(never)]
    fn is_half(&self, way: Way, stuck: Stuck) -> Step<bool> {
        if let Some(diagnosis) = &self.notes.diagnosis {
            diagnosis.fails(way);
        }
        if stuck == No {
            return Ok(false);
        }
        if !self.ended() {
            return Err(More);
        }
        let is_marked = self.notes.follows.get();
        let mark = way.half.has(Half::WHOLE) || way.half.has(Half::MARK) && !is_marked;
        let half = if mark { way.half.and(Half::MARK) } else { way.half.without(Half::MARK) };
        self.notes.half.set(self.notes.half.get().and(half));
        self.notes.open.set(true);
        Ok(true)
    }

    /// Notes that the end decided, if without it an earlier marker might have stood here.
    #[inline]
    fn is_by_end(&self) {
        if self.notes.open.get() {
            self.notes.by_end.set(true);
        }
    }

    /// Reads a marker that no well-formed message has. Its bounds break nothing.
    #[inline]
    pub fn noise<T>(&mut self, read: impl FnOnce(&mut Self) -> Step<T>) -> Step<Option<T>> {
        self.noise_or(Half::NONE, read)
    }

    /// Reads a marker that no well-formed message has, half of which may be markup.
    #[inline]
    pub fn noise_or<T>(
        &mut self,
        way: impl Into<Way>,
        read: impl FnOnce(&mut Self) -> Step<T>,
    ) -> Step<Option<T>> {
        let (way, begun) = (way.into(), self.begin());
        match read(self) {
            Ok(read) => {
                self.stands(&begun, way);
                Ok(self.is_noise(&begun).then_some(read))
            }
            Err(stuck) => {
                let half = self.fails(&begun, way, stuck);
                self.notes.long.set(begun.long);
                half.map(|_| None)
            }
        }
    }

    /// Whether noise that stands here counts: a tag that is not a marker may be whole, and then half of a longer
    /// marker.
    fn is_noise(&mut self, begun: &Begun<'a>) -> bool {
        if self.notes.undecided.get() && !self.notes.by_end.get() {
            *self = begun.at;
            return false;
        }
        self.is_by_end();
        true
    }

    /// Reads the first of two spellings of a marker that stands here.
    pub fn either<T>(
        &mut self,
        first: impl FnOnce(&mut Self) -> Step<T>,
        second: impl FnOnce(&mut Self) -> Step<T>,
    ) -> Step<T> {
        let start = *self;
        let stuck = match first(self) {
            Err(stuck) if stuck == No || self.ended() => stuck,
            read => return read,
        };
        *self = start;
        second(self).map_err(|other| if stuck == More { More } else { other })
    }

    /// Reads a line break, if there is one.
    pub fn maybe_line_break(&mut self) -> Step<()> {
        match self.line_break() {
            Err(More) if !self.ended() => Err(More),
            _ => Ok(()),
        }
    }

    /// Reads a part of a confirmation that the end of the stream may complete: the end counts anywhere in this part.
    pub fn or_end<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        match read(self) {
            Err(More) => self.end_confirms().map(|()| T::default()),
            read => read,
        }
    }

    /// Reads ahead, without consuming the text.
    #[inline]
    pub fn ahead<T>(&self, read: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        read(&mut { *self })
    }

    /// Reads the text that confirms the marker that ends here. `or_end`: the end of the stream confirms it, too, also in the
    /// middle of that text.
    #[inline]
    pub fn follow(&self, or_end: bool, read: impl FnOnce(&mut Self) -> Step<()>) -> Step<()> {
        match read(&mut self.behind()) {
            Err(More) if or_end => self.end_confirms(),
            follow => follow,
        }
    }

    /// Returns a cursor for the text behind a whole marker, and notes that the marker is whole.
    #[inline]
    fn behind(&self) -> Cursor<'a> {
        self.notes.follows.set(true);
        if let Some(diagnosis) = &self.notes.diagnosis {
            diagnosis.is_marked(self.pos);
        }
        Cursor { tag: 0, ..*self }
    }

    /// Confirms an undecided text if the stream ends in it.
    fn end_confirms(&self) -> Step<()> {
        if !self.ended() {
            return Err(More);
        }
        self.notes.by_end.set(true);
        Ok(())
    }

    /// Rejects all markers, though half of one may stand here.
    pub fn none<T>(&self) -> Step<T> {
        Err(if self.notes.half.get() == Half::NONE { No } else { More })
    }
}
