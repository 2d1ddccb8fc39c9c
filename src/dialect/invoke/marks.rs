//! The markers of invocations: tags, and the openers and closers that are made of them.

use super::{Invoke, Lead, Nest};
use crate::dialect::build::{one_of, prefixed};
use crate::dialect::spec::{Chars, Known, Name, Pattern, Piece, Run, WS};
use crate::pattern;

/// What the name of an element that is its tag may be made of.
pub(super) const TAG_NAME: Chars = Chars::except("<>/ \t\r\n");

/// White space that must be there: it parts attributes.
const SPACE: Piece =
    Piece::Run(Run { chars: Chars::WHITE, min: 1, max: crate::bounds::WHITE_SPACE as u16 });

/// A number, perhaps in quotes.
const DIGITS: Run = Run { chars: Chars::only("\"'0123456789"), min: 1, max: 16 };

impl Invoke {
    pub(super) fn has_sections(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether its tags look like those of XML: others are made of special tokens, strictly.
    pub(super) fn is_xml(&self) -> bool {
        self.end == ">"
    }

    /// White space in a tag.
    pub(super) fn gap(&self) -> Piece {
        if self.is_xml() { WS } else { Piece::Run(Run { chars: Chars::WHITE, min: 0, max: 8 }) }
    }

    /// What may stand in a tag after an attribute: nothing, or white space and further attributes. What
    /// stands right after the name makes it none.
    pub(super) fn tag_ends(&self) -> [Pattern; 2] {
        let rest = if self.is_xml() {
            Run { chars: Chars::except("<>\r\n"), min: 0, max: crate::bounds::TAG as u16 }
        } else {
            Run { chars: Chars::except("<\r\n"), min: 0, max: 256 }
        };
        [pattern![self.end], pattern![SPACE, rest, self.end]]
    }

    /// The same after each of these.
    fn ended(&self, tags: impl IntoIterator<Item = Pattern>) -> Vec<Pattern> {
        tags.into_iter().flat_map(|tag| prefixed(tag, &self.tag_ends())).collect()
    }

    /// A further attribute: white space stands before it.
    fn further(&self, before: Pattern, attribute: &'static str, name: Name) -> Pattern {
        self.value_of([before, pattern![SPACE, attribute]].concat(), name)
    }

    /// A tag, or the rest of one, up to the value of an attribute.
    pub(super) fn attribute(
        &self,
        before: Pattern,
        attribute: &'static str,
        name: Name,
    ) -> Pattern {
        self.value_of([before, pattern![self.gap(), attribute]].concat(), name)
    }

    /// The value of the attribute that this ends with.
    fn value_of(&self, attribute: Pattern, name: Name) -> Pattern {
        let gap = self.gap();
        let name = if self.entities {
            Name { quoted: Some(Chars::except("\n")), entities: true, ..name.attribute() }
        } else {
            name.attribute()
        };
        [attribute, pattern![gap, "=", gap, name]].concat()
    }

    /// The opener of a parameter, up to what may follow its name.
    fn named(&self) -> Pattern {
        self.attribute(pattern![self.param], self.attributes[1], Name::param())
    }

    /// The openers of a parameter.
    pub(super) fn param(&self) -> Vec<Pattern> {
        self.ended([self.named()])
    }

    /// The same, the type before the name.
    fn type_first(&self) -> Pattern {
        let typed = self.attribute(pattern![self.param], self.attributes[2], Name::hint());
        self.further(typed, self.attributes[1], Name::param())
    }

    /// The openers of a parameter that say its type.
    pub(super) fn typed_params(&self) -> Vec<Pattern> {
        if self.param.is_empty() || self.hints.is_empty() {
            return Vec::new();
        }
        let typed = self.further(self.named(), self.attributes[2], Name::hint());
        let first = self.types_first.then(|| self.type_first());
        self.ended([typed].into_iter().chain(first))
    }

    /// The openers of a parameter that is an element, perhaps with its type.
    pub(super) fn elements(&self, nest: Nest, typed: bool) -> Vec<Pattern> {
        let Some(attribute) = nest.typed else {
            let tags = &["tool_call", "invoke"];
            return vec![pattern![nest.open, Name::param().chars(TAG_NAME).not(tags), self.end]];
        };
        let name = || Name::param();
        let mut element = self.attribute(pattern![nest.open], self.attributes[1], name());
        let mut first = None;
        if typed {
            element = self.further(element, attribute, Name::hint());
        }
        if typed && self.types_first {
            let typed = self.attribute(pattern![nest.open], attribute, Name::hint());
            first = Some(self.further(typed, self.attributes[1], name()));
        }
        self.ended([element].into_iter().chain(first))
    }

    /// The openers of parameters, whatever their types are.
    pub(super) fn params(&self) -> Vec<Pattern> {
        let mut params = if self.param.is_empty() { Vec::new() } else { self.param() };
        if self.types_first {
            params.extend(self.ended([self.type_first()]));
        }
        params.extend(self.nests.into_iter().flat_map(|nest| self.elements(nest, false)));
        params
    }

    pub(super) fn invoke(&self, known: Known, ends: &[Pattern]) -> Vec<Pattern> {
        let name = || Name::tool().known(known);
        let [called, ..] = self.attributes;
        let plain = self.attribute(pattern![self.invoke], called, name());
        let mut invokes = prefixed(plain.clone(), ends);
        if let Some(number) = self.number {
            let gap = self.gap();
            let first = pattern![self.invoke, gap, number, gap, "=", gap, DIGITS];
            invokes.extend(prefixed(self.further(first, called, name()), ends));
        }
        if let Some(id) = self.id {
            let first = self.attribute(pattern![self.invoke], id, Name::id());
            invokes.extend(prefixed(self.further(first, called, name()), ends));
            invokes.extend(prefixed(self.further(plain, id, Name::id()), ends));
        }
        invokes
    }

    /// What ends the tag of a call.
    pub(super) fn call_ends(&self) -> Vec<Pattern> {
        if self.is_xml() { vec![pattern![WS, ">"]] } else { self.tag_ends().to_vec() }
    }

    /// An object in place of the parameters, up to its brace.
    pub(super) fn objects_open(&self) -> Vec<Pattern> {
        match self.object {
            None => Vec::new(),
            Some([[], _]) => vec![pattern!["{"]],
            Some([open, _]) => {
                let tags = self.ended([pattern![open]]);
                tags.into_iter().map(|tag| [tag, pattern![WS, "{"]].concat()).collect()
            }
        }
    }

    /// The lead, if the dialect has one, before each of these.
    pub(super) fn led(&self, calls: &[Pattern]) -> Vec<Pattern> {
        let leads = self.lead.map_or(Vec::new(), |lead| lead.openers().to_vec());
        leads.into_iter().flat_map(|lead| prefixed(lead, calls)).collect()
    }

    /// The openers of a call in a section: of one that is over at once, and of others.
    pub(super) fn calls(&self) -> [Vec<Pattern>; 2] {
        let with_lead = |ends: &[Pattern]| {
            let call = self.invoke(Known::Any, ends);
            let led = self.led(&call);
            [call, led].concat()
        };
        let whole = self.is_xml().then(|| with_lead(&[pattern![WS, "/", ">"]]));
        [whole.unwrap_or_default(), with_lead(&self.call_ends())]
    }

    /// The openers of a call without a section: with a lead, of any tool.
    pub(super) fn bare(&self) -> Vec<Pattern> {
        let Some(known) = self.bare else { return Vec::new() };
        let ends = self.call_ends();
        let led = self.led(&self.invoke(Known::Any, &ends));
        [self.invoke(known, &ends), led].concat()
    }

    /// What shows that an opener without a section is one.
    pub(super) fn body(&self) -> Vec<Pattern> {
        let whole = self.has_sections() && self.is_xml();
        let params = if whole { self.params() } else { vec![pattern![self.param]] };
        let object = self.object.map(|[open, _]| match open {
            [] => pattern!["{", WS, one_of("\"}")],
            open => pattern![open],
        });
        params.into_iter().chain([pattern![self.end_invoke]]).chain(object).collect()
    }

    /// The same openers, confirmed.
    pub(super) fn bare_opens(&self) -> Vec<Pattern> {
        let before = |bare: &Pattern| prefixed([&**bare, &[WS]].concat(), &self.body());
        self.bare().iter().flat_map(before).collect()
    }

    /// What shows that a section's opener is one.
    pub(super) fn section_begins(&self) -> Vec<Pattern> {
        let lead = self.lead.map(|lead| pattern![lead.begin]);
        [pattern![self.invoke]].into_iter().chain(lead).collect()
    }

    /// Openers of sections, confirmed.
    pub(super) fn section_opens(&self) -> Vec<Pattern> {
        if self.has_sections() {
            prefixed(pattern![self.open, WS], &self.section_begins())
        } else {
            Vec::new()
        }
    }

    /// What closes a section, or a call of it with a lead: the tail of a call.
    pub(super) fn closers(&self) -> Vec<Pattern> {
        let mut closers = Vec::new();
        if let Some(Lead { end, .. }) = self.lead {
            closers.extend([pattern![end], pattern![end, WS, self.close]]);
        }
        if self.has_sections() {
            closers.push(pattern![self.close]);
        }
        closers
    }
}

impl Lead {
    /// What may stand before a call: the word and the separator may be missing.
    pub(super) fn openers(self) -> [Pattern; 2] {
        let word = Run { chars: Chars::LETTERS.and("_"), min: 0, max: 64 };
        [pattern![self.begin, word, self.separator], pattern![self.begin, word]]
    }

    /// All that is markup in a section where no call comes with it.
    pub(super) fn alone(self) -> [Pattern; 4] {
        let [opener, _] = self.openers();
        [opener, pattern![self.begin], pattern![self.separator], pattern![self.end]]
    }
}
