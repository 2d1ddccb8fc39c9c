//! A lead: the openers around objects that are still open, as a kind of sections and of objects.

use crate::read::act::{InSection, InText, Opener, Place};

/// A fence, tags of a group, or both.
///
/// The number of its kind has a bit for leads, a bit for a fence, and a bit for a fence that was opened last. Above
/// them stands the group, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lead(u8);

const IS_LEAD: u8 = 0x80;
const IN_FENCE: u8 = 1;
const FENCE_LAST: u8 = 2;
const GROUP: u8 = 2;

impl Lead {
    pub const NOTHING: Lead = Lead(IS_LEAD);
    pub const FENCE: Lead = Lead(IS_LEAD | IN_FENCE | FENCE_LAST);

    /// Tags of this group.
    pub fn tag(group: u8) -> Lead {
        Lead(IS_LEAD | (group + 1) << GROUP)
    }

    /// Returns the lead of this kind, if the kind is one.
    pub fn find(kind: u8) -> Option<Lead> {
        (kind & IS_LEAD != 0).then_some(Lead(kind))
    }

    pub fn kind(self) -> u8 {
        self.0
    }

    /// Returns the lead with a fence in it.
    pub fn and_fence(self) -> Lead {
        Lead(self.0 | IN_FENCE | FENCE_LAST)
    }

    /// Returns the lead with tags of this group in it.
    pub fn and_tag(self, group: u8) -> Lead {
        Lead(self.0 & !FENCE_LAST | (group + 1) << GROUP)
    }

    pub fn has_fence(self) -> bool {
        self.0 & IN_FENCE != 0
    }

    /// Whether a fence was opened last.
    pub fn ends_in_fence(self) -> bool {
        self.0 & FENCE_LAST != 0
    }

    /// Returns the group of its tags.
    pub fn group(self) -> Option<u8> {
        ((self.0 & !IS_LEAD) >> GROUP).checked_sub(1)
    }

    /// Returns the rest, behind the closer of its fence.
    pub fn without_fence(self) -> Lead {
        Lead(self.0 & !(IN_FENCE | FENCE_LAST))
    }

    /// Returns the rest, behind the closer of its tags.
    pub fn without_tag(self) -> Lead {
        if self.has_fence() { Lead::FENCE } else { Lead::NOTHING }
    }

    pub fn place(self) -> Place {
        Place::Section(self.0)
    }

    /// Opens calls in it.
    pub fn opens<'t>(self) -> InText<'t> {
        InText::Open(Opener::new(self.place()))
    }

    /// Goes on behind a closer that left this lead.
    pub fn goes_on<'t>(self) -> InSection<'t> {
        match self {
            Lead::NOTHING => InSection::Close(None),
            rest => InSection::Open(Opener::new(rest.place())),
        }
    }
}
