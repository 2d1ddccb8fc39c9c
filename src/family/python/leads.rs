//! Objects at the start of a message behind a lead: a fence, tags, or a word without a closer.
//!
//! ```text
//! led := FENCE ws calls ws FENCE? | OPEN ws calls ws CLOSE? | WORD ws calls        FENCE := "```" word? line-end
//! ```
//! A lead counts if an object of a declared tool follows, or a list of such objects. In `<tool_call>{"name": "re`
//! the object is undecided, so everything is pending; with `ad", "arguments"` it is a call, and the tag is markup.

use super::{A_SECTION, END_SECTION, LED_IN_FENCE, LED_IN_TAGS, OPENER, Python, TRIED, WHOLE};
use crate::family::Look;
use crate::family::tried::{TICKS, end_fence, fence};
use crate::read::act::{InSection, InText, Opener, Place, SECTIONS};
use crate::read::attempt::Trial;
use crate::read::cursor::{Cursor, Half, Step};
use crate::read::trial;

/// The texts that may lead to objects, beside a fence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leads {
    /// The opener and the closer around the objects.
    pub tags: [Box<str>; 2],
    /// A word before the objects.
    pub word: Box<str>,
}

impl Python {
    /// Reads the lead that stands here, at the start of a message.
    pub(super) fn led<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let Some(Leads { tags: [open, _], word }) = &self.t.leads else { return Ok(None) };
        if look.reasoning || !look.is.message_start {
            return Ok(None);
        }
        let fenced = !look.quotes
            && c.way(Half::TRIED.role(A_SECTION), |c| led_by(look, fence, c))?.is_some();
        if fenced {
            return Ok(Some(opens(LED_IN_FENCE)));
        }
        for (lead, kind) in [(open, LED_IN_TAGS), (word, TRIED)] {
            if c.ahead(|c| c.literal(lead)) == Ok(()) {
                c.may_be_rejected(SECTIONS);
            }
            let literal = |c: &mut Cursor<'_>| c.literal(lead);
            if c.way(OPENER.role(A_SECTION), |c| led_by(look, literal, c))?.is_some() {
                return Ok(Some(opens(kind)));
            }
        }
        Ok(None)
    }

    /// Behind such objects: reads the closer of the lead.
    pub(super) fn lead_ends<'t>(
        &self,
        kind: u8,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let closed = c.noise_or(WHOLE.role(END_SECTION), |c| match &self.t.leads {
            Some(Leads { tags: [_, close], .. }) if kind == LED_IN_TAGS => c.literal(close),
            _ => end_fence(c),
        })?;
        Ok(closed.map(|()| InSection::Close(None)))
    }

    /// Returns the text that ends an object in this lead before its own bracket does.
    pub(super) fn lead_cuts(&self, kind: u8) -> &str {
        match &self.t.leads {
            Some(Leads { tags: [_, close], .. }) if kind == LED_IN_TAGS => close,
            _ => TICKS,
        }
    }
}

/// Reads a lead, and behind it an object that is a call, or a list of such objects.
fn led_by(
    look: &Look<'_>,
    lead: impl FnOnce(&mut Cursor<'_>) -> Step<()>,
    c: &mut Cursor<'_>,
) -> Step<()> {
    lead(c)?;
    c.follow(false, |c| trial::confirms(look, Trial::Name, c))
}

fn opens<'t>(kind: u8) -> InText<'t> {
    InText::Open(Opener::new(Place::Section(kind)))
}
