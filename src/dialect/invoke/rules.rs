//! The rules of each state of the dialects of invocations.

use super::marks::TAG_NAME;
use super::{
    AFTER_BARE_OBJECT, AFTER_OBJECT, BARE_OBJECT, CALL, CDATA, Invoke, Lead, Nest, OBJECT, SECTION,
    Tags, VALUE, WHOLE,
};
use crate::dialect::build::{one_of, prefixed, rule};
use crate::dialect::parts::{
    closer, closes_both, ends_call, mismatched, opener, stray, suspect, value,
};
use crate::dialect::spec::{
    At, Between, BodyKind, Chars, Flags, Framing, Gives, Known, Name, Pattern, Piece, Place, Ref,
    Rule, Scope, SectionKind, ValueKind, WS, What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

impl Invoke {
    pub(super) fn text(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if self.has_sections() {
            let section = opener(pattern![self.open], 1, &self.section_begins());
            rules.push(section.open(Place::Section(SECTION)));
        }
        for bare in self.bare() {
            let led = self.lead.is_some_and(|lead| bare[0] == lead.begin.into());
            let fixed = if led { 1 } else { 3 };
            let bare = opener(bare, fixed, &self.body()).open(Place::Call(CALL));
            rules.push(if self.has_sections() {
                bare.not(Flags::REASONING).sets(Flags::OWED)
            } else {
                bare
            });
        }
        rules.push(rule(pattern![self.end_invoke]).does(What::Orphan(Scope::Call)));
        if let Some(Lead { end, .. }) = self.lead {
            rules.push(rule(pattern![end]).needs(Flags::OWED).sets(Flags::OWED));
            rules.push(rule(pattern![end]).does(What::Orphan(Scope::Section)));
        }
        if self.has_sections() {
            rules.push(rule(pattern![self.close]).needs(Flags::OWED));
            rules.push(rule(pattern![self.close]).does(What::Orphan(Scope::Section)));
        }
        if !self.boundary.is_empty() {
            rules.push(rule(pattern![self.boundary]));
        }
        rules
    }

    pub(super) fn section(&self) -> Vec<Rule> {
        let [whole, open] = self.calls();
        let calls = |marks: Vec<Pattern>, kind| {
            marks.into_iter().map(move |mark| rule(mark).open(Place::Call(kind)))
        };
        let mut rules: Vec<Rule> = calls(whole, WHOLE).chain(calls(open, CALL)).collect();
        if let Some(lead) = self.lead {
            rules.extend([lead.opener(), pattern![lead.end]].map(rule));
        }
        rules.push(rule(pattern![self.close]).close(Scope::Section));
        rules
    }

    pub(super) fn in_call(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        let own = !self.param.is_empty();
        rules.extend(self.typed_params().into_iter().map(|mark| rule(mark).param(VALUE)));
        if self.cdata {
            let mark = [self.param(), pattern![WS, "<![CDATA["]].concat();
            rules.push(rule(mark).noise().param(CDATA));
        }
        if own {
            rules.push(rule(self.param()).param(VALUE));
        }
        if let Some(nest) = self.nests {
            let typed = nest.typed.map(|_| self.element(nest, true));
            let openers = typed.into_iter().chain([self.element(nest, false)]);
            rules.extend(openers.map(|mark| rule(mark).param(u8::from(own))));
        }
        if let Some(object) = self.object() {
            let object = rule(object).needs(Flags::CALL_START);
            let in_section = object.clone().needs(Flags::IN_SECTION);
            rules.push(in_section.open(Place::Body(OBJECT)));
            rules.push(object.open(Place::Body(BARE_OBJECT)));
        }
        rules.push(rule(pattern![self.end_invoke]).close(Scope::Call));
        let ends = |mark: Pattern, follow: &[Pattern]| ends_call(mark, follow, Scope::Call);
        for next in self.calls().concat() {
            rules.push(ends(next, &[]).needs(Flags::IN_SECTION));
        }
        for bare in self.bare() {
            rules.push(ends(bare, &self.body()).not(Flags::IN_SECTION));
        }
        rules.extend(self.closers().into_iter().map(|close| ends(close, &[])));
        rules.push(if self.is_xml() {
            stray()
        } else {
            let tag = pattern!["<|open|>", Name::element(), self.rest(), self.end];
            rule(tag).noise().does(What::Unexpected).note(DiagnosticKind::UnknownParameter)
        });
        rules
    }

    /// What may follow a value's closer.
    fn value_ends(&self) -> Vec<Pattern> {
        let own = [self.params(), vec![pattern![self.end_invoke]]].concat();
        let calls = if self.has_sections() { self.calls().concat() } else { self.bare_opens() };
        [own, self.closers(), calls].concat()
    }

    /// The closer of the call, where the value's own was forgotten.
    fn tails(&self) -> Vec<Rule> {
        let both = |follow: &[Pattern]| closes_both(pattern![self.end_invoke], follow, Scope::Call);
        let tokens = (!self.boundary.is_empty()).then(|| pattern![self.boundary]);
        let over = [vec![pattern![At::End]], tokens.into_iter().collect()].concat();
        let (bare, sections) = (self.bare_opens(), self.section_opens());
        let mut rules = vec![both(&over)];
        for close in self.closers() {
            // After two closers all that can follow a call without a section would be too long to hold.
            let bare = if close.len() == 1 { &*bare } else { &[] };
            let after = [&*over, &*sections, bare].concat();
            rules.push(both(&prefixed([close, vec![WS]].concat(), &after)));
        }
        if let Some(Lead { end, .. }) = self.lead {
            let next = prefixed(pattern![end, WS], &self.calls().concat());
            rules.push(both(&next).needs(Flags::IN_SECTION));
        }
        rules.extend([
            both(&self.calls().concat()).needs(Flags::IN_SECTION),
            both(&bare).not(Flags::IN_SECTION),
            both(&sections),
        ]);
        rules.retain(|rule| !rule.follow.is_empty());
        rules
    }

    /// Openers of parameters that the call lacks.
    fn suspects(&self) -> [Rule; 2] {
        let fresh = Name::param().known(Known::Fresh);
        let fresh = self.attribute(pattern![self.param], self.attributes[1], fresh);
        let rest = pattern![one_of(" \t\r\n/"), self.rest(), self.end];
        [pattern![self.end], rest].map(|end| suspect([&*fresh, &*end].concat()))
    }

    /// A value that is an element: its closer counts outside all elements that nest in it, but also
    /// where the call is over after it.
    fn element_value(&self, nest: Nest) -> ValueKind {
        let name = || Name::element().chars(TAG_NAME);
        let [open, close, own] = match nest.typed {
            None => [
                pattern![nest.open, name(), self.end],
                pattern![nest.close, name(), self.end],
                pattern![nest.close, Ref::Param, self.end],
            ],
            Some(_) => {
                let open = pattern![nest.open, one_of(" \t\r\n"), self.rest(), self.end];
                let close = pattern![nest.close, WS, self.end];
                [open, close.clone(), close]
            }
        };
        let over = [vec![pattern![At::End]], self.closers(), self.calls().concat()].concat();
        let call_ends = [own.clone(), pattern![WS, self.end_invoke]].concat();
        let nested = |mark: Pattern| rule(mark).noise().does(What::Pass);
        let mut rules = vec![
            closer(own, &self.value_ends()).not(Flags::NESTED),
            // The closers of elements in it were forgotten.
            closes_both(call_ends, &over, Scope::Call).needs(Flags::NESTED),
        ];
        rules.extend(self.tails());
        rules.extend([
            nested(open).sets(Flags::NESTED),
            nested(close).needs(Flags::NESTED).clears(Flags::NESTED),
        ]);
        if !self.param.is_empty() {
            rules.extend(self.suspects());
        }
        value(self.framing, rules)
    }

    pub(super) fn values(&self) -> Vec<ValueKind> {
        let mut values = if self.param.is_empty() { Vec::new() } else { self.own_values() };
        values.extend(self.nests.map(|nest| self.element_value(nest)));
        values
    }

    fn own_values(&self) -> Vec<ValueKind> {
        let ends = self.value_ends();
        let mut own = vec![closer(pattern![self.end_param], &ends)];
        if self.is_xml() {
            let ends = [self.params(), vec![pattern![self.end_invoke]]].concat();
            own.push(mismatched(pattern!["</", Ref::Param, ">"], &ends));
        }
        let plain = [own, self.tails(), self.suspects().to_vec()].concat();
        let mut values = vec![value(self.framing, plain)];
        if self.cdata {
            let own = closer(pattern!["]]>", WS, self.end_param], &ends);
            let rules = [vec![own], self.suspects().to_vec()].concat();
            values.push(value(Framing::None, rules));
        }
        values
    }

    /// An object that is all of a call's arguments: its own closer, or that of the call or the section,
    /// ends it early.
    pub(super) fn objects(&self, close: Tags) -> Vec<BodyKind> {
        let close = [close, self.end_invoke, self.close].concat();
        let close = Piece::Any(close.into_iter().map(Into::into).collect());
        let rules = vec![rule(vec![close]).before().close(Scope::Body)];
        let body = |then| BodyKind {
            gives: Gives::Arguments,
            rules: rules.clone(),
            then: Some(Place::Section(then)),
        };
        vec![body(AFTER_OBJECT), body(AFTER_BARE_OBJECT)]
    }

    /// After such an object its call's closer stands, or was forgotten.
    fn after_object(&self, close: Tags, bare: bool) -> SectionKind {
        let goes_on = |rule: Rule| {
            if bare {
                rule.close(Scope::Section).sets(Flags::OWED)
            } else {
                rule.open(Place::Section(SECTION))
            }
        };
        let forgotten = |mark: Pattern, follow: &[Pattern]| {
            let next = rule(mark).follow(follow.to_vec()).before();
            goes_on(next).note(DiagnosticKind::MissingCloser)
        };
        let mut rules = vec![
            goes_on(rule(pattern![self.end_invoke])),
            rule(pattern!["```"]),
            rule(pattern!["}"]).note(DiagnosticKind::RepairedJson),
            forgotten(pattern![self.close], &[]),
        ];
        if !close.is_empty() {
            rules.push(rule(pattern![close]));
        }
        rules.extend(if bare {
            self.bare().into_iter().map(|mark| forgotten(mark, &self.body())).collect()
        } else {
            self.calls().concat().into_iter().map(|mark| forgotten(mark, &[])).collect::<Vec<_>>()
        });
        SectionKind { rules, between: Between::Only(Chars::WHITE.and("],;")), calls: true }
    }

    pub(super) fn sections(&self) -> Vec<SectionKind> {
        let mut sections = Vec::new();
        if self.has_sections() {
            let (rules, between) = (self.section(), Between::Junk(Chars::WHITE));
            sections.push(SectionKind { rules, between, calls: true });
        }
        if let Some([_, close]) = self.object {
            sections.extend([false, true].map(|bare| self.after_object(close, bare)));
        }
        sections
    }
}
