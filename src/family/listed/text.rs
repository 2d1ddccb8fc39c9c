//! Text beside keyed calls: openers, orphan closers, and, with a suffix, results and stop tokens.

use super::{A_SECTION, LIST, Listed, OBJECTS_ALONE, OPENER, ORPHAN, STRAY, Suffix, Tag};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::read::act::{InText, Opener, Place, SECTIONS};
use crate::read::cursor::{Cursor, Half, No, Step};
use crate::read::prose::cut_opener;

impl Listed {
    /// Reads tags of this form that open something.
    pub(super) fn opens_in_text<'t>(
        &self,
        look: &Look<'_>,
        form: Suffix<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let tags = [&self.section[0], &self.call[0]];
        if tags.into_iter().any(|tag| c.ahead(|c| tag.read(form, c)).is_ok()) {
            c.may_be_rejected(SECTIONS);
        }
        if self.t.named_objects {
            let objects = c.way(OPENER.role(A_SECTION), |c| self.objects_open(form, c))?;
            if objects.is_some() {
                return Ok(Some(InText::Open(Opener::new(Place::Section(OBJECTS_ALONE)))));
            }
        }
        let section = c.way(OPENER.role(A_SECTION), |c| self.section_opens(form, c))?;
        if section.is_some() {
            return Ok(Some(InText::Open(Opener::new(Place::Section(LIST)))));
        }
        if let Some(opener) = self.opener(look, form, OPENER, false, c)? {
            return Ok(Some(InText::Open(opener)));
        }
        let doubled = c.way(OPENER.role("opener written twice"), |c| {
            let suffix = self.call[0].read(form, c)?;
            c.white()?;
            c.follow(false, |c| self.begins(look, suffix, true, c))
        })?;
        Ok(doubled.map(|()| InText::Mark(None)))
    }

    /// Reads tags of this form that open nothing: closers of sections and calls, and, with a suffix, results and stop
    /// tokens.
    pub(super) fn beside_calls<'t>(
        &self,
        look: &Look<'_>,
        form: Suffix<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        for tag in [&self.call[1], &self.section[1]] {
            if c.way(Half::NONE.role(ORPHAN), |c| tag.read(form, c))?.is_some() {
                return Ok(Some(InText::Closer(SECTIONS)));
            }
        }
        if matches!(form, Suffix::Without) {
            return Ok(None);
        }
        let invented = Half::NONE.role("result that the model invents");
        for tag in self.invented.iter().filter(|_| look.is.after_call) {
            if c.way(invented, |c| tag.read(form, c))?.is_some() {
                return Ok(Some(InText::Rest(DiagnosticKind::FabricatedResult)));
            }
        }
        for tag in &self.tokens {
            if c.way(Half::NONE.role("stop token"), |c| tag.read_token(c))?.is_some() {
                return Ok(Some(InText::Mark(None)));
            }
        }
        Ok(None)
    }

    /// Reads closers of parameters in text.
    pub(super) fn stray<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let ends = [&self.value[1], &self.key[1]].into_iter();
        for tag in ends.filter(|_| self.t.suffixes.is_some()) {
            if c.noise_or(Half::NONE.role(STRAY), |c| tag.read(Suffix::Any, c))?.is_some() {
                return Ok(Some(InText::StrayCloser));
            }
        }
        let ends = [&self.key[1]].into_iter().chain(self.hint.iter().map(|hint| &hint[1]));
        for tag in ends {
            if c.noise_or(Half::NONE.role(STRAY), |c| tag.read(Suffix::Without, c))?.is_some() {
                return Ok(Some(InText::StrayCloser));
            }
        }
        Ok(None)
    }

    /// Reads an empty section, or an empty call of objects.
    pub(super) fn empty(&self, c: &mut Cursor<'_>) -> Step<()> {
        let pair = |c: &mut Cursor<'_>, [open, close]: &[Tag; 2]| {
            open.any_form(self.forms(), c)?;
            c.white()?;
            close.any_form(self.forms(), c)
        };
        let objects = self.t.named_objects && c.ahead(|c| pair(c, &self.call)) != Err(No);
        pair(c, if objects { &self.call } else { &self.section })
    }

    /// Reads a whole opener at the end of the stream, with nothing behind it but white space and stop tokens.
    pub(super) fn cut_opener(&self, c: &mut Cursor<'_>) -> Step<()> {
        let call = c.ahead(|c| self.call[0].any_form(self.forms(), c)) != Err(No);
        let tag = if call { &self.call[0] } else { &self.section[0] };
        tag.any_form(self.forms(), c)?;
        cut_opener(c, true, &self.t.tokens)
    }
}
