//! The markers of calls in tags with attributes: openers and closers, and what is made of them.

use super::super::notation::words;
use super::{Element, Lead, Tag, Tags};
use crate::dialect::bracket::cut_closers;
use crate::dialect::build::{one_of, prefixed};
use crate::dialect::spec::{At, Chars, Known, Name, Pattern, Run, Text, WS};
use crate::pattern;

/// What the name of an element that is its tag may be made of.
const TAG_NAME: Chars = Chars::except("<>/ \t\r\n");

impl Tags<'_> {
    pub(super) fn has_sections(&self) -> bool {
        !self.section[0].is_empty()
    }

    pub(super) fn section_open(&self) -> Pattern {
        words(&self.section[0])
    }

    pub(super) fn section_close(&self) -> Pattern {
        words(&self.section[1])
    }

    pub(super) fn end_call(&self) -> Pattern {
        words(&self.end_call)
    }

    /// Closers of a call that are cut short, if that is read.
    pub(super) fn cut_call(&self) -> Option<Pattern> {
        if self.shape.misspelt { cut_closers(&self.end_call) } else { None }
    }

    /// Patterns that confirm a closer that is cut short.
    pub(super) fn after_cut(&self) -> Vec<Pattern> {
        [vec![pattern![At::End]], self.closers(), self.section_begins()].concat()
    }

    /// A call may be over where it begins: `<invoke name="…"/>`.
    pub(super) fn has_whole(&self) -> bool {
        self.has_sections() && self.call.is_xml()
    }

    /// The openers of a parameter that says its type.
    pub(super) fn typed_params(&self) -> Vec<Pattern> {
        self.param.as_ref().map(Tag::typed).unwrap_or_default()
    }

    /// The openers of a parameter with its value in tags.
    pub(super) fn own_params(&self) -> Vec<Pattern> {
        self.param.as_ref().map(Tag::plain).unwrap_or_default()
    }

    /// The openers of parameters, whatever their types are.
    pub(super) fn params(&self) -> Vec<Pattern> {
        let mut params = self.own_params();
        let first = |tag: &Tag| tag.ended(tag.others_first(Known::Any));
        params.extend(self.param.iter().flat_map(first));
        params.extend(self.element.iter().flat_map(|element| self.elements(element)));
        params
    }

    /// The openers of parameters that are elements.
    pub(super) fn elements(&self, element: &Element) -> Vec<Pattern> {
        match element {
            Element::Typed { tag, .. } => tag.plain(),
            Element::Named { open, .. } => {
                vec![pattern![open, self.element_name(Name::param(), open), ">"]]
            }
        }
    }

    /// The same with their types.
    pub(super) fn typed_elements(&self, element: &Element) -> Vec<Pattern> {
        match element {
            Element::Typed { tag, .. } => tag.typed(),
            Element::Named { .. } => Vec::new(),
        }
    }

    /// The name of an element that is its tag: none of the dialect's own, which begin like this.
    pub(super) fn element_name(&self, name: Name, open: &Text) -> Name {
        let own = self.section[0].iter().chain(&self.call.heads);
        let own = own.filter_map(|text| text.strip_prefix(&**open));
        let not = own.map(|text| Text::Owned(text.trim_end_matches('>').to_string())).collect();
        Name { not, ..name.chars(TAG_NAME) }
    }

    /// The openers of a call with these ends of its tag.
    pub(super) fn call_tags(&self, known: Known, ends: &[Pattern]) -> Vec<Pattern> {
        let others = [self.call.others_first(known), self.call.others_last(known)].concat();
        let tags = [vec![self.call.named(known)], others].concat();
        tags.into_iter().flat_map(|tag| prefixed(tag, ends)).collect()
    }

    /// What ends the tag of a call.
    pub(super) fn call_ends(&self) -> Vec<Pattern> {
        if self.call.is_xml() { vec![pattern![WS, ">"]] } else { self.call.ends().to_vec() }
    }

    /// An object in place of the parameters, up to its brace.
    pub(super) fn object_opens(&self) -> Vec<Pattern> {
        let Some([open, _]) = &self.object else { return Vec::new() };
        let Some(head) = self.head_of(open) else { return vec![pattern!["{"]] };
        let tags = self.call.ended([head]).into_iter();
        tags.map(|tag| [tag, pattern![WS, "{"]].concat()).collect()
    }

    /// A tag without what ends it, if it is one.
    fn head_of(&self, tag: &Text) -> Option<Pattern> {
        let head = tag.strip_suffix(&*self.call.end)?;
        Some(words(&[Text::Owned(head.to_string())]))
    }

    /// The lead, if the dialect has one, before each of these.
    fn led(&self, calls: &[Pattern]) -> Vec<Pattern> {
        let leads = self.lead.iter().flat_map(Lead::openers);
        leads.flat_map(|lead| prefixed(lead, calls)).collect()
    }

    /// The openers of a call in a section: of one that is over at once, and of others.
    pub(super) fn calls(&self) -> [Vec<Pattern>; 2] {
        let with_lead = |ends: &[Pattern]| {
            let call = self.call_tags(Known::Any, ends);
            let led = self.led(&call);
            [call, led].concat()
        };
        let whole = self.call.is_xml().then(|| with_lead(&[pattern![WS, "/", ">"]]));
        [whole.unwrap_or_default(), with_lead(&self.call_ends())]
    }

    /// The openers of a call without a section, and how much of each makes a rejected opener: with a lead, or where
    /// there are no sections, of any tool.
    pub(super) fn bare(&self) -> Vec<(Pattern, u8)> {
        let known = if self.has_sections() { Known::Declared } else { Known::Any };
        let ends = self.call_ends();
        let fixed = self.call.head().len() as u8 + 2;
        let own = self.call_tags(known, &ends).into_iter().map(|mark| (mark, fixed));
        let led = self.led(&self.call_tags(Known::Any, &ends)).into_iter().map(|mark| (mark, 1));
        own.chain(led).collect()
    }

    /// What shows that an opener without a section is one.
    pub(super) fn body(&self) -> Vec<Pattern> {
        let params = match &self.param {
            Some(param) if !self.has_whole() => vec![param.head()],
            _ => self.params(),
        };
        let object = self.object.as_ref().map(|[open, _]| match self.head_of(open) {
            Some(head) => head,
            None => pattern!["{", WS, one_of("\"}")],
        });
        params.into_iter().chain([self.end_call()]).chain(object).collect()
    }

    /// The same openers, confirmed.
    pub(super) fn bare_opens(&self) -> Vec<Pattern> {
        let body = self.body();
        let confirmed = |(bare, _): (Pattern, u8)| prefixed([bare, vec![WS]].concat(), &body);
        self.bare().into_iter().flat_map(confirmed).collect()
    }

    /// What shows that a section's opener is one.
    pub(super) fn section_begins(&self) -> Vec<Pattern> {
        let lead = self.lead.iter().map(|lead| pattern![lead.begin]);
        [self.call.head()].into_iter().chain(lead).collect()
    }

    /// Openers of sections, confirmed.
    pub(super) fn section_opens(&self) -> Vec<Pattern> {
        if !self.has_sections() {
            return Vec::new();
        }
        prefixed([self.section_open(), vec![WS]].concat(), &self.section_begins())
    }

    /// What closes a section, or a call of it with a lead. Of closers in a row the first one is enough.
    pub(super) fn closers(&self) -> Vec<Pattern> {
        let lead = self.lead.iter().map(|lead| pattern![lead.end]);
        lead.chain(self.has_sections().then(|| self.section_close())).collect()
    }

    /// Both of them.
    pub(super) fn both_closers(&self) -> Option<Pattern> {
        let lead = self.lead.as_ref()?;
        Some([pattern![lead.end, WS], self.section_close()].concat())
    }

    /// Stop tokens.
    pub(super) fn tokens(&self) -> Vec<Pattern> {
        self.shape.tokens.iter().map(|token| words(std::slice::from_ref(token))).collect()
    }
}

impl Lead {
    /// The separator may be missing.
    fn openers(&self) -> [Pattern; 2] {
        let word = Run { chars: Chars::LETTERS.and("_"), min: 0, max: 64 };
        [pattern![self.begin, word, self.separator], pattern![self.begin, word]]
    }

    /// All that is markup in a section where no call comes with it.
    pub(super) fn alone(&self) -> [Pattern; 4] {
        let [opener, _] = self.openers();
        [opener, pattern![self.begin], pattern![self.separator], pattern![self.end]]
    }
}
