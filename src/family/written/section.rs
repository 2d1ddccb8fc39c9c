//! The places between calls, and behind the object of a call.

use super::mark::{self, Closes, Found, Mark, read};
use super::{
    A_SECTION, END_CALL, END_SECTION, LOST, NO_CALL, NO_HEADER, SECTION, WHOLE, Written, opens,
};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::family::headers::garbage;
use crate::read::act::{InSection, Opener, Place};
use crate::read::cursor::{Cursor, Half, Note, Step};

impl Written {
    pub(super) fn among_calls<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let Some([open, close]) = &self.t.section else { return Ok(None) };
        let half = WHOLE.and(Half::OPENER);
        if let Some(found) = self.opener(look, false, half, c)? {
            return Ok(Some(InSection::Open(opens((found, None)))));
        }
        let other = match self.other_spelling(look, &self.t.also, half, c)? {
            None => self.named_first(look, c)?,
            other => other,
        };
        if let Some(found) = other {
            return Ok(Some(InSection::Open(opens(found))));
        }
        if let Some(found) = self.malformed(c)? {
            return Ok(Some(found));
        }
        if c.way(WHOLE.role(END_CALL), |c| self.end(look, Closes::Any, c))?.is_some() {
            return Ok(Some(InSection::Mark(None)));
        }
        let section =
            |mark: &Mark, c: &mut Cursor<'t>| read(mark, look, Closes::Any, c).map(|_| ());
        let again =
            look.is.section_start && c.way(WHOLE.role(A_SECTION), |c| section(open, c))?.is_some();
        if again {
            return Ok(Some(InSection::Mark(None)));
        }
        if c.way(WHOLE.role(END_SECTION), |c| section(close, c))?.is_some() {
            return Ok(Some(InSection::Close(None)));
        }
        let stray = Half::NONE.role("closer that nothing opened");
        let stray = c.noise_or(stray, |c| c.any(&self.t.stray))?;
        Ok(stray.map(|()| InSection::Mark(Some(DiagnosticKind::OrphanCloser))))
    }

    /// Reads a header that begins with a name. In a section whose opener is missing, a name may be a word, and opens no
    /// call.
    fn named_first<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<(Found<'t>, Note)>> {
        if look.is.owed {
            return Ok(None);
        }
        self.other_spelling(look, &self.t.also_named, WHOLE.and(Half::OPENER), c)
    }

    /// Reads a call that names no tool: with its object, up to its closer, or its first text alone.
    fn malformed<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        let start = c.pos;
        if self.last != self.begin && self.t.argument.is_none() {
            let nameless = c.way(WHOLE.and(Half::OPENER).role(NO_HEADER), |c| {
                c.literal(&self.begin)?;
                c.until(start, &self.last, &self.no_last)?;
                c.white()?;
                self.brace(c)
            })?;
            if nameless.is_some() {
                return Ok(Some(InSection::Malformed(Some(NO_CALL))));
            }
        }
        for end in &self.end_texts {
            let closed = c.way(WHOLE.role(NO_HEADER), |c| {
                c.literal(&self.begin)?;
                c.until(start, end, &self.others)
            })?;
            if closed.is_some() {
                return Ok(Some(InSection::Malformed(None)));
            }
        }
        let also = self.t.also.iter().map(|(mark, _)| mark::first(mark));
        for texts in [std::slice::from_ref(&self.begin)].into_iter().chain(also) {
            if c.noise_or(WHOLE.role(NO_HEADER), |c| c.any(texts))?.is_some() {
                return Ok(Some(InSection::Malformed(None)));
            }
        }
        Ok(None)
    }

    /// Behind an object: reads its call's closer. If it was forgotten, the text there is read again.
    pub(super) fn behind_object<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let section = self.t.section.as_ref();
        let goes_on = |note: Note, before: bool| {
            let next = Opener { note, before, ..Opener::new(Place::Section(SECTION)) };
            Ok(Some(InSection::Open(next)))
        };
        let name = Closes::Named(&look.call.captured.name);
        if c.way(WHOLE.role(END_CALL), |c| self.end(look, name, c))?.is_some() {
            return if section.is_some() {
                goes_on(None, false)
            } else {
                Ok(Some(InSection::Close(None)))
            };
        }
        if let Some(garbage) = garbage(c)? {
            return Ok(Some(garbage));
        }
        let Some([_, close]) = section else { return Ok(None) };
        let start = *c;
        let half = WHOLE.and(Half::OPENER);
        let next = match self.t.special {
            true => c.way(WHOLE.role(LOST), |c| c.literal(&self.begin))?.is_some(),
            false => self.next_call(look, half, c)?,
        };
        let next = next
            || self.other_spelling(look, &self.t.also, half, c)?.is_some()
            || self.named_first(look, c)?.is_some();
        let forgotten = Some(DiagnosticKind::MissingCloser).filter(|_| !self.t.ends.is_empty());
        if next {
            *c = start;
            return goes_on(forgotten, true);
        }
        let close = c.way(WHOLE.role(END_SECTION), |c| read(close, look, Closes::Any, c))?;
        Ok(close.map(|_| InSection::Close(forgotten)))
    }
}
