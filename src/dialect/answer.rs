//! Objects that may be calls, and may be the answer, as in `bare-json` and all shapes that have nothing else.
//!
//! ```text
//! calls := LEAD ( "[" ws )? OBJECT ( ws ( "," | ";" )? ws OBJECT )* ( ws "]" )? CLOSERS
//! LEAD  := FENCE ws ( TAG ws )? | TAG ws ( FENCE ws )? | nothing      FENCE := "```" word? line-end
//! ```
//! OBJECT counts if its name, or its name and its keys ([`Trial`]) show that it is a call: until then it is
//! held, and an object or a list that is none is text up to its end. CLOSERS are those of LEAD, each of
//! which may be missing; the one that was opened last ends an open object. The closer of any tag closes any tag that
//! begins like its own: models mix them up, and none of them is an answer. Where LEAD may stand, and which tags there
//! are, is said by each dialect.
//!
//! There: at the start of a line, after markup and after a call; a tag anywhere in text; never in
//! reasoning. A line of back-ticks that leads to no call opens a fence of the text, and the next one
//! without a word closes it, so that it is no FENCE.
//!
//! Where LEAD may not be nothing ([`Tried::wrapped`]), a fence alone must have a word, which is not `json`.

use std::borrow::Cow;

use super::bracket::{PUNCTUATION, cuts, opener};
use super::build::rule;
use super::chars::ALPHANUMERIC;
use super::shape::texts;
use super::spec::{
    At, BodyKind, Chars, Flags, Gives, Name, Pattern, Piece, Place, Rule, Run, Scope, SectionKind,
    Text, Trial, WS, What,
};
use super::tool_call::one_or_listed;
use crate::pattern;

const TICKS: &str = "```";

/// The characters of a fence's info string, and the info string.
pub(super) const WORD: Chars = Chars::only(ALPHANUMERIC).and("_-");
const INFO: Run = Run { chars: WORD, min: 0, max: 128 };
/// Info strings of fences that hold data or examples.
const JSON: &[&str] = &["json", "JSON", "Json"];

/// Objects that are tried, perhaps in tags or in a fence.
pub(super) struct Tried {
    pub trial: Trial,
    pub gives: Gives,
    /// The openers and closers of the tags.
    pub tags: Cow<'static, [[Text; 2]]>,
    /// What stands round them beside tags.
    pub fences: Fences,
    /// Something stands round them, always.
    pub wrapped: bool,
    /// The numbers of its first section and of its first body.
    pub section: u8,
    pub body: u8,
}

/// Where the objects may stand in a fence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fences {
    No,
    /// In one, and nothing else with it.
    Alone,
    /// Also with a tag round it or in it.
    WithTags,
}

/// What stands round the objects and has not closed: nothing, a fence, a tag, or both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    Nothing,
    Fence,
    /// A tag of this group.
    Tag(u8),
    /// A tag in a fence.
    FenceTag(u8),
    /// A fence in a tag.
    TagFence(u8),
}

impl Tried {
    fn leads(&self) -> Vec<Lead> {
        let groups = || 0..self.groups().len() as u8;
        let mut leads = Vec::new();
        leads.extend((!self.wrapped).then_some(Lead::Nothing));
        leads.extend((self.fences != Fences::No).then_some(Lead::Fence));
        leads.extend(groups().map(Lead::Tag));
        if self.fences == Fences::WithTags {
            leads.extend(groups().map(Lead::FenceTag));
            leads.extend(groups().map(Lead::TagFence));
        }
        leads
    }

    /// The openers and closers of tags whose closers begin alike: an object stops at one byte alone.
    fn groups(&self) -> Vec<[Pattern; 2]> {
        let groups = self.tag_groups().into_iter();
        groups.map(|group| group.map(|texts| pattern![texts])).collect()
    }

    /// Returns the openers and closers of tags, in groups whose closers begin alike.
    pub fn tag_groups(&self) -> Vec<[Vec<Text>; 2]> {
        let mut groups: Vec<[Vec<Text>; 2]> = Vec::new();
        for tag in self.tags.iter() {
            let first = |close: &Text| close.bytes().next();
            let of = groups.iter_mut().find(|[_, closes]| first(&closes[0]) == first(&tag[1]));
            match of {
                Some(group) => {
                    let sides = group.iter_mut().zip(tag).filter(|(all, text)| !all.contains(text));
                    sides.for_each(|(all, text)| all.push(text.clone()));
                }
                None => groups.push(tag.clone().map(|text| vec![text])),
            }
        }
        groups
    }

    fn place(&self, lead: Lead) -> Place {
        let number = self.leads().iter().position(|known| *known == lead).unwrap_or(0);
        Place::Section(self.section + number as u8)
    }

    fn first_brace(&self) -> Pattern {
        pattern!["{", self.trial]
    }

    /// What follows a lead: an object, or a list of them.
    fn follow(&self) -> Vec<Pattern> {
        vec![self.first_brace(), [pattern!["[", WS], self.first_brace()].concat()]
    }

    /// What counts in text of a dialect that has nothing else.
    pub fn text(&self) -> Vec<Rule> {
        let start = Flags::BLOCK_START;
        let mut rules = if self.wrapped { Vec::new() } else { self.plain(start) };
        if self.fences != Fences::No {
            let [closes, opens] = text_fences();
            rules.push(closes);
            rules.extend(self.fenced(start));
            rules.push(opens);
        }
        rules.extend(self.tagged(Flags::NONE, 0));
        rules
    }

    /// Objects and lists without a lead.
    pub fn plain(&self, needs: Flags) -> Vec<Rule> {
        let opens = |mark: Pattern, follow: Pattern| {
            let opens = opener(mark, 0, &[follow]).before().open(self.place(Lead::Nothing));
            opens.needs(needs).not(Flags::THINKING | Flags::WHOLE)
        };
        vec![opens(pattern!["{"], pattern![self.trial]), opens(pattern!["["], self.first_brace())]
    }

    /// Behind the first line of a fence, perhaps with a tag in it.
    pub fn fenced(&self, needs: Flags) -> Vec<Rule> {
        let opens = |mark: Pattern, lead: Lead| {
            let opens = opener(mark, 0, &self.follow()).open(self.place(lead)).needs(needs);
            opens.not(Flags::THINKING | Flags::FENCES_QUOTE)
        };
        let word = match self.wrapped {
            true => Name { not: texts(JSON), ..Name::element().chars(WORD) }.into(),
            false => Piece::Run(INFO),
        };
        let mut rules = vec![opens(vec![TICKS.into(), word, At::LineEnd.into()], Lead::Fence)];
        let nested = self.fences == Fences::WithTags;
        for ([tag, _], number) in self.groups().into_iter().zip(0..).filter(|_| nested) {
            let mark = [pattern![TICKS, INFO, At::LineEnd, WS], tag].concat();
            rules.push(opens(mark, Lead::FenceTag(number)));
        }
        rules
    }

    /// Behind a tag, perhaps with a fence in it. `fixed`: as in [`opener`].
    pub fn tagged(&self, needs: Flags, fixed: u8) -> Vec<Rule> {
        let opens = |mark: Pattern, lead: Lead| {
            let opens = opener(mark, fixed, &self.follow()).open(self.place(lead)).needs(needs);
            opens.not(Flags::THINKING | Flags::WHOLE)
        };
        let mut rules = Vec::new();
        for ([tag, _], number) in self.groups().into_iter().zip(0..) {
            rules.push(opens(tag.clone(), Lead::Tag(number)));
            if self.fences == Fences::WithTags {
                let mark = [tag, pattern![WS, TICKS, INFO, At::LineEnd]].concat();
                let fenced = opens(mark, Lead::TagFence(number));
                rules.push(fenced.not(Flags::FENCES_QUOTE));
            }
        }
        rules
    }

    /// Behind another literal, which nothing closes.
    pub fn after(&self, mark: Pattern, needs: Flags) -> Rule {
        let opens = opener(mark, 1, &self.follow()).open(self.place(Lead::Nothing)).needs(needs);
        opens.not(Flags::THINKING | Flags::WHOLE)
    }

    /// A section for each lead.
    pub fn sections(&self) -> Vec<SectionKind> {
        self.leads().into_iter().map(|lead| self.section(lead)).collect()
    }

    fn section(&self, lead: Lead) -> SectionKind {
        let fence = u8::from(!self.wrapped);
        let tags = fence + u8::from(self.fences != Fences::No);
        let body = match lead {
            Lead::Nothing => 0,
            Lead::Fence | Lead::TagFence(_) => fence,
            Lead::Tag(group) | Lead::FenceTag(group) => tags + group,
        };
        let kind = self.body + body;
        // The first one has been tried.
        let first = rule(pattern!["{"]).needs(Flags::SECTION_START).open(Place::Body(kind));
        let mut rules = vec![first];
        rules.extend(one_or_listed(kind, &[pattern![self.trial]]));
        // A closer leaves what stands round the rest.
        let closer = |mark: Pattern, rest: Option<Lead>| match rest {
            None => rule(mark).noise().close(Scope::Section),
            Some(rest) => rule(mark).noise().open(self.place(rest)),
        };
        let fence = |rest| closer(pattern![TICKS, Piece::NotNext(WORD.and("`"))], rest);
        let groups = self.groups();
        let tag = |of: u8, rest| closer(groups[usize::from(of)][1].clone(), rest);
        match lead {
            Lead::Nothing => {}
            Lead::Fence => rules.push(fence(None)),
            Lead::Tag(of) => rules.push(tag(of, None)),
            Lead::FenceTag(of) | Lead::TagFence(of) => {
                rules.extend([fence(Some(Lead::Tag(of))), tag(of, Some(Lead::Fence))]);
            }
        }
        SectionKind { rules, between: PUNCTUATION, calls: true }
    }

    /// A body without a closer, one for a fence, and one for each group of tags.
    pub fn bodies(&self) -> Vec<BodyKind> {
        let body = |rules| BodyKind { gives: self.gives.clone(), rules, then: None };
        let bare = (!self.wrapped).then(|| body(Vec::new()));
        let fence = (self.fences != Fences::No).then(|| body(vec![cuts(pattern![TICKS], &[])]));
        let tags = self.groups().into_iter().map(|[_, close]| body(vec![cuts(close, &[])]));
        bare.into_iter().chain(fence).chain(tags).collect()
    }
}

/// Lines of back-ticks that lead to no call: they open and close fences of the text.
fn text_fences() -> [Rule; 2] {
    let ticks = Run { chars: Chars::only("`"), min: 0, max: 256 };
    let word = Run { chars: Chars::except("`\n<[{"), min: 0, max: 256 };
    let line = |mark: Pattern| rule(mark).needs(Flags::LINE_START).not(Flags::THINKING);
    [
        line(pattern![TICKS, ticks, At::LineEnd])
            .needs(Flags::TEXT_FENCE)
            .clears(Flags::TEXT_FENCE)
            .does(What::Pass),
        line(pattern![TICKS, ticks, word, At::LineEnd])
            .not(Flags::TEXT_FENCE)
            .sets(Flags::TEXT_FENCE)
            .does(What::Pass),
    ]
}
