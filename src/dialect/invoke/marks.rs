//! The markers of invocations: tags, and the openers and closers that are made of them.

use super::{Invoke, Lead, Nest};
use crate::dialect::build::{one_of, prefixed};
use crate::dialect::spec::{Chars, Known, Name, Pattern, Piece, Run, WS};
use crate::pattern;

/// What the name of an element that is its tag may be made of.
pub(super) const TAG_NAME: Chars = Chars::except("<>/ \t\r\n");

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

    /// What may stand in a tag after what is read of it.
    pub(super) fn rest(&self) -> Run {
        if self.is_xml() {
            Run { chars: Chars::except("<>"), min: 0, max: crate::bounds::TAG as u16 }
        } else {
            Run { chars: Chars::except("<"), min: 0, max: 256 }
        }
    }

    /// A tag, or the rest of one, up to the value of an attribute.
    pub(super) fn attribute(
        &self,
        before: Pattern,
        attribute: &'static str,
        name: Name,
    ) -> Pattern {
        let gap = self.gap();
        let name = if self.entities {
            Name { quoted: Some(Chars::except("\n")), entities: true, ..name.attribute() }
        } else {
            name.attribute()
        };
        [before, pattern![gap, attribute, gap, "=", gap, name]].concat()
    }

    /// The opener of a parameter.
    pub(super) fn param(&self) -> Pattern {
        let name = self.attribute(pattern![self.param], self.attributes[1], Name::param());
        [name, pattern![self.rest(), self.end]].concat()
    }

    /// The same, with the type of its value.
    fn typed_param(&self) -> Pattern {
        let name = self.attribute(pattern![self.param], self.attributes[1], Name::param());
        let typed = self.attribute(name, self.attributes[2], Name::hint());
        [typed, pattern![self.rest(), self.end]].concat()
    }

    /// The same, the type before the name.
    fn type_first(&self) -> Pattern {
        let typed = self.attribute(pattern![self.param], self.attributes[2], Name::hint());
        let name = self.attribute(typed, self.attributes[1], Name::param());
        [name, pattern![self.rest(), self.end]].concat()
    }

    /// The openers of a parameter that say its type.
    pub(super) fn typed_params(&self) -> Vec<Pattern> {
        if self.param.is_empty() || self.hints.is_empty() {
            return Vec::new();
        }
        let first = self.any_order.map(|_| self.type_first());
        [self.typed_param()].into_iter().chain(first).collect()
    }

    /// The opener of a parameter that is an element, perhaps with its type.
    pub(super) fn element(&self, nest: Nest, typed: bool) -> Pattern {
        let Some(attribute) = nest.typed else {
            let tags = &["tool_call", "invoke"];
            return pattern![nest.open, Name::param().chars(TAG_NAME).not(tags), self.end];
        };
        let mut element = self.attribute(pattern![nest.open], self.attributes[1], Name::param());
        if typed {
            element = self.attribute(element, attribute, Name::hint());
        }
        [element, pattern![self.rest(), self.end]].concat()
    }

    /// The openers of parameters, whatever their types are.
    pub(super) fn params(&self) -> Vec<Pattern> {
        let own = (!self.param.is_empty()).then(|| self.param());
        let own = own.into_iter().chain(self.typed_params().into_iter().skip(1));
        own.chain(self.nests.map(|nest| self.element(nest, false))).collect()
    }

    pub(super) fn invoke(&self, known: Known, end: Pattern) -> Vec<Pattern> {
        let name = || Name::tool().known(known);
        let [called, ..] = self.attributes;
        let plain = self.attribute(pattern![self.invoke], called, name());
        let mut invokes = vec![[&*plain, &*end].concat()];
        if let Some(number) = self.any_order {
            let gap = self.gap();
            let first = pattern![self.invoke, gap, number, gap, "=", gap, DIGITS];
            invokes.push([self.attribute(first, called, name()), end.clone()].concat());
        }
        if let Some(id) = self.id {
            let first = self.attribute(pattern![self.invoke], id, Name::id());
            invokes.push([self.attribute(first, called, name()), end.clone()].concat());
            invokes.push([self.attribute(plain, id, Name::id()), end].concat());
        }
        invokes
    }

    /// What ends the tag of a call.
    pub(super) fn call_end(&self) -> Pattern {
        if self.is_xml() { pattern![WS, ">"] } else { pattern![self.rest(), self.end] }
    }

    /// An object in place of the parameters, up to its brace.
    pub(super) fn object(&self) -> Option<Pattern> {
        self.object.map(|[open, _]| match open {
            [] => pattern!["{"],
            open => pattern![open, self.rest(), self.end, WS, "{"],
        })
    }

    /// The lead, if the dialect has one, before each of these.
    pub(super) fn led(&self, calls: &[Pattern]) -> Vec<Pattern> {
        self.lead.map_or(Vec::new(), |lead| prefixed(lead.opener(), calls))
    }

    /// The openers of a call in a section: of one that is over at once, and of others.
    pub(super) fn calls(&self) -> [Vec<Pattern>; 2] {
        let with_lead = |end: Pattern| {
            let call = self.invoke(Known::Any, end);
            let led = self.led(&call);
            [call, led].concat()
        };
        let whole = self.is_xml().then(|| with_lead(pattern![WS, "/", ">"]));
        [whole.unwrap_or_default(), with_lead(self.call_end())]
    }

    /// The openers of a call without a section: with a lead, of any tool.
    pub(super) fn bare(&self) -> Vec<Pattern> {
        let Some(known) = self.bare else { return Vec::new() };
        let end = self.call_end();
        let led = self.led(&self.invoke(Known::Any, end.clone()));
        [self.invoke(known, end), led].concat()
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
        let lead = self.lead.map(|lead| lead.opener());
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
    pub(super) fn opener(self) -> Pattern {
        let word = Run { chars: Chars::LETTERS.and("_"), min: 1, max: 64 };
        pattern![self.begin, word, self.separator]
    }
}
