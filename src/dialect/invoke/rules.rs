//! The rules of each state of the dialects of invocations.

use super::marks::TAG_NAME;
use super::{
    AFTER_BARE_OBJECT, AFTER_OBJECT, BARE_OBJECT, CALL, CDATA, Invoke, Lead, Nest, OBJECT, SECTION,
    Tags, VALUE, WHOLE,
};
use crate::dialect::build::{one_of, prefixed, rule};
use crate::dialect::parts::{
    closer, closes_both, end_token, ends_both, ends_call, mismatched, opener, quotes_call, stray,
    suspect, value,
};
use crate::dialect::spec::{
    At, AtEnd, Between, BodyKind, Chars, Flags, Framing, Gives, Known, Name, Pattern, Piece, Place,
    Ref, Rule, Run, Scope, SectionKind, ValueKind, WS, What,
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
            rules.extend(lead.alone().map(rule));
        }
        rules.push(rule(pattern![self.close]).close(Scope::Section));
        rules
    }

    pub(super) fn in_call(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        let own = !self.param.is_empty();
        rules.extend(self.typed_params().into_iter().map(|mark| rule(mark).param(VALUE)));
        if self.cdata {
            let marks =
                self.param().into_iter().map(|tag| [tag, pattern![WS, "<![CDATA["]].concat());
            rules.extend(marks.map(|mark| rule(mark).noise().param(CDATA)));
        }
        if own {
            rules.extend(self.param().into_iter().map(|mark| rule(mark).param(VALUE)));
        }
        if let Some(nest) = self.nests {
            let typed = nest.typed.map(|_| self.elements(nest, true)).unwrap_or_default();
            let openers = typed.into_iter().chain(self.elements(nest, false));
            rules.extend(openers.map(|mark| rule(mark).param(u8::from(own))));
        }
        for object in self.objects_open() {
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
        // Of closers in a row the first one is enough.
        let closers = self.closers().into_iter().filter(|close| close.len() == 1);
        rules.extend(closers.map(|close| ends(close, &[])));
        rules.push(if self.is_xml() {
            stray()
        } else {
            let rest = Run { chars: Chars::except("<"), min: 0, max: 256 };
            let tag = pattern!["<|open|>", self.gap(), Name::element(), rest, self.end];
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

    /// What is in a value where its closer and its call's are lost, or data that looks like it. `own` are
    /// the closers of the value, if they are no elements of it.
    fn lost(&self, own: &[Pattern]) -> Vec<Rule> {
        if let Some(ends) = self.special {
            return if ends.is_empty() { Vec::new() } else { self.lost_both(ends) };
        }
        let fresh = Name::param().known(Known::Fresh);
        let fresh = self.attribute(pattern![self.param], self.attributes[1], fresh);
        let fresh = self.tag_ends().map(|end| [&*fresh, &*end].concat());
        let fresh = if self.param.is_empty() { &[][..] } else { &fresh };
        let quoted = self.invoke(Known::Declared, &self.call_ends());
        let quoted = quoted.into_iter().map(|mark| quotes_call(mark, &self.body()));
        let end = pattern![self.end_invoke];
        let data = own.iter().chain([&end]).chain(fresh).cloned().map(suspect);
        quoted.chain(data).collect()
    }

    /// Special tokens: the next call's opener, confirmed by its body, or the section's, or a token that ends
    /// this call, ends both.
    fn lost_both(&self, ends: Tags) -> Vec<Rule> {
        let both = |mark: Pattern, needs: Flags, not: Flags| {
            ends_both(mark, &self.body(), Scope::Call).needs(needs).not(not)
        };
        let (here, none) = (Flags::IN_SECTION, Flags::NONE);
        let [_, calls] = self.calls();
        let called = calls.into_iter().map(|mark| both(mark, here, none));
        let bare = self.bare().into_iter().map(|mark| both(mark, none, here));
        let mut rules: Vec<Rule> = called.chain(bare).collect();
        if self.has_sections() {
            let section = pattern![self.open];
            rules.push(ends_both(section, &self.section_begins(), Scope::Section));
        }
        if !ends.is_empty() {
            rules.push(end_token(pattern![ends], Scope::Call));
        }
        rules
    }

    /// A value that is an element named by its tag. Every closer closes what is innermost, without more: one
    /// that fits nothing breaks the call.
    fn named_element_value(&self, nest: Nest) -> ValueKind {
        let name = || Name::element().chars(TAG_NAME);
        let own = pattern![nest.close, Ref::Param, self.end];
        let inner = pattern![nest.close, Ref::Nested, self.end];
        let close = pattern![nest.close, name(), self.end];
        let open = Name { not: vec!["tool_call".into(), "invoke".into()], ..name() };
        let open = pattern![nest.open, open, self.end];
        let wrong = |mark: Pattern| {
            let wrong = rule(mark).sets(Flags::BROKEN).noise();
            wrong.note(DiagnosticKind::MalformedTag)
        };
        let end = pattern![self.end_invoke];
        let forgotten = rule(end.clone()).not(Flags::NESTED).noise().close(Scope::Call);
        let cut_off = [own.clone(), pattern![WS], end.clone()].concat();
        let mut rules = vec![
            rule(own).not(Flags::NESTED).at_end(AtEnd::Confirm).close(Scope::Value),
            forgotten.note(DiagnosticKind::MissingCloser),
            end_token(pattern![self.close], Scope::Section),
            wrong(cut_off).needs(Flags::NESTED).close(Scope::Call),
            wrong(end).close(Scope::Call),
            rule(open).noise().does(What::Pass).sets(Flags::NESTED),
            rule(inner).noise().does(What::Pass).needs(Flags::NESTED).clears(Flags::NESTED),
            wrong(close).close(Scope::Value),
        ];
        rules.extend(self.lost_both(&[]));
        value(self.framing, rules)
    }

    /// A value that is an element with attributes: its closer counts outside all elements that nest in it,
    /// but also where the call is over after it.
    fn element_value(&self, nest: Nest) -> ValueKind {
        let rest = Run { chars: Chars::except("<>"), min: 0, max: crate::bounds::TAG as u16 };
        let open = pattern![nest.open, one_of(" \t\r\n"), rest, self.end];
        let close = pattern![nest.close, WS, self.end];
        let over = [vec![pattern![At::End]], self.closers(), self.calls().concat()].concat();
        let call_ends = [close.clone(), pattern![WS, self.end_invoke]].concat();
        let nested = |mark: Pattern| rule(mark).noise().does(What::Pass);
        let mut rules = vec![
            closer(close.clone(), &self.value_ends()).not(Flags::NESTED),
            // The closers of elements in it were forgotten.
            closes_both(call_ends, &over, Scope::Call).needs(Flags::NESTED),
        ];
        rules.extend(self.tails());
        rules.extend([
            nested(open).sets(Flags::NESTED),
            nested(close).needs(Flags::NESTED).clears(Flags::NESTED),
        ]);
        rules.extend(self.lost(&[]));
        value(self.framing, rules)
    }

    pub(super) fn values(&self) -> Vec<ValueKind> {
        let mut values = if self.param.is_empty() { Vec::new() } else { self.own_values() };
        values.extend(self.nests.map(|nest| match nest.typed {
            None => self.named_element_value(nest),
            Some(_) => self.element_value(nest),
        }));
        values
    }

    fn own_values(&self) -> Vec<ValueKind> {
        let ends = self.value_ends();
        let mut own = vec![closer(pattern![self.end_param], &ends)];
        if self.is_xml() {
            let ends = [self.params(), vec![pattern![self.end_invoke]]].concat();
            own.push(mismatched(pattern!["</", Ref::Param, ">"], &ends));
        }
        let plain = [own, self.tails(), self.lost(&[pattern![self.end_param]])].concat();
        let mut values = vec![value(self.framing, plain)];
        if self.cdata {
            let end = pattern!["]]>", WS, self.end_param];
            let own = closer(end.clone(), &ends);
            let rules = [vec![own], self.lost(&[end])].concat();
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
