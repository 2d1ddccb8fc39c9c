//! Between keyed calls, and behind objects.

use super::{A_SECTION, AFTER_OBJECT, LIST, LOST, Listed, OBJECTS, OPENER, Suffix, Tag, WHOLE};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::family::block::objects::behind_object;
use crate::read::act::{InSection, Opener, Place};
use crate::read::cursor::{Cursor, Step};

impl Listed {
    pub(super) fn among_calls<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let half = WHOLE.and(OPENER);
        if self.t.suffixes.is_some() {
            // With a suffix that is too long, the section ends here.
            let start = *c;
            let long = c.way(WHOLE.role("closer of a section"), |c| {
                c.any(&self.colons)?;
                Tag::long_suffix(c)
            })?;
            if long.is_some() {
                *c = start;
                return Ok(Some(InSection::Close(None)));
            }
        }
        if self.t.named_objects {
            let open = |c: &mut Cursor<'_>| self.objects_open(Suffix::Without, c);
            let objects = c.way(WHOLE.role(A_SECTION), open)?;
            if objects.is_some() {
                return Ok(Some(InSection::Open(Opener::new(Place::Section(OBJECTS)))));
            }
        }
        for form in self.forms() {
            if let Some(opener) = self.opener(look, *form, half, true, c)? {
                return Ok(Some(InSection::Open(opener)));
            }
            let close = WHOLE.role("closer of a section");
            if c.way(close, |c| self.section[1].read(*form, c))?.is_some() {
                return Ok(Some(InSection::Close(None)));
            }
        }
        let orphan = c.noise_or(WHOLE, |c| self.call[1].read(Suffix::Without, c))?;
        Ok(orphan.map(|_| InSection::Mark(Some(DiagnosticKind::OrphanCloser))))
    }

    /// Behind an object of arguments.
    pub(super) fn behind_object<'t>(
        &self,
        look: &Look<'_>,
        kind: u8,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        if let Some(found) = behind_object(c)? {
            return Ok(Some(found));
        }
        let suffix = self.suffix_of_call(look);
        if let Some(found) = self.call_ends(suffix, kind == AFTER_OBJECT, c)? {
            return Ok(Some(found));
        }
        let orphan = Ok(Some(InSection::Mark(Some(DiagnosticKind::OrphanCloser))));
        if c.noise_or(WHOLE, |c| self.value[1].read(Suffix::Without, c))?.is_some() {
            return orphan;
        }
        let plain = matches!(suffix, Suffix::Without);
        let other =
            !plain && c.noise_or(WHOLE, |c| self.call[1].read(Suffix::Without, c))?.is_some();
        if other { orphan } else { Ok(None) }
    }

    /// Behind an object: reads the closer of its call and, in a section, the section's closer.
    fn call_ends<'t>(
        &self,
        suffix: Suffix<'_>,
        in_section: bool,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        if c.way(WHOLE.role("closer of a call"), |c| self.call[1].read(suffix, c))?.is_some() {
            let list = InSection::Open(Opener::new(Place::Section(LIST)));
            return Ok(Some(if in_section { list } else { InSection::Close(None) }));
        }
        let section =
            in_section && c.way(WHOLE.role(LOST), |c| self.section[1].read(suffix, c))?.is_some();
        Ok(section.then_some(InSection::Close(Some(DiagnosticKind::MissingCloser))))
    }

    /// Between objects that name their calls.
    pub(super) fn among_objects<'t>(
        &self,
        look: &Look<'_>,
        kind: u8,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let Some(objects) = &self.objects else { return Ok(None) };
        if c.peek()? != b'<' {
            return objects.in_objects(look, c).map(Some);
        }
        let in_section = kind == OBJECTS;
        if let Some(found) = self.call_ends(Suffix::Without, in_section, c)? {
            return Ok(Some(found));
        }
        let start = *c;
        let next = in_section
            && c.way(WHOLE.role(LOST), |c| {
                self.call[0].read(Suffix::Without, c)?;
                c.follow(false, |c| self.goes_on(look, Suffix::Without, false, c))
            })?
            .is_some();
        if next {
            *c = start;
            let note = Some(DiagnosticKind::MissingCloser);
            let list = Opener { before: true, note, ..Opener::new(Place::Section(LIST)) };
            return Ok(Some(InSection::Open(list)));
        }
        let orphan = c.noise_or(WHOLE, |c| self.value[1].read(Suffix::Without, c))?;
        Ok(orphan.map(|_| InSection::Mark(Some(DiagnosticKind::OrphanCloser))))
    }
}
