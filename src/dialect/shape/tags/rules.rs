//! The rules of calls in tags with attributes, but for those of values: text, sections, calls, objects.

use super::super::notation::words;
use super::{
    AFTER_BARE_OBJECT, AFTER_OBJECT, BARE_OBJECT, CALL, OBJECT, QUOTED, SECTION, Tags, VALUE, WHOLE,
};
use crate::dialect::bracket::{
    after_object, body, cut_closer, ends_call, opener, section_closers, stray,
};
use crate::dialect::build::rule;
use crate::dialect::spec::{
    Between, BodyKind, Chars, Flags, Gives, Name, Pattern, Place, Rule, Run, Scope, SectionKind,
    WS, What,
};
use crate::dialect::tool_call;
use crate::event::DiagnosticKind;
use crate::pattern;

impl Tags<'_> {
    pub(super) fn text(&self) -> Vec<Rule> {
        let mut rules = Vec::new();
        let section = |follow: &[Pattern]| {
            let open = self.section_open();
            let fixed = open.len() as u8;
            opener(open, fixed, follow)
        };
        if self.has_sections() {
            rules.push(section(&self.section_begins()).open(Place::Section(SECTION)));
        }
        if self.objects {
            let objects = Place::Section(self.tag_sections().len() as u8);
            rules.push(section(&tool_call::json()).open(objects));
        }
        for (bare, fixed) in self.bare() {
            let bare = opener(bare, fixed, &self.body()).open(Place::Call(CALL));
            rules.push(match self.has_sections() {
                true => bare.not(Flags::REASONING).sets(Flags::OWED),
                false => bare,
            });
        }
        rules.push(rule(self.end_call()).does(What::Orphan(Scope::Call)));
        if let Some(lead) = &self.lead {
            rules.push(rule(pattern![lead.end]).needs(Flags::OWED).sets(Flags::OWED));
            rules.push(rule(pattern![lead.end]).does(What::Orphan(Scope::Call)));
        }
        if self.has_sections() {
            rules.extend(section_closers(&self.section_close()));
        }
        rules.extend(self.shape.others(self.tokens()));
        rules
    }

    fn tag_sections(&self) -> Vec<SectionKind> {
        let mut sections = Vec::new();
        if self.has_sections() {
            let (rules, between) = (self.section(), Between::Junk(Chars::WHITE));
            sections.push(SectionKind { rules, between, calls: true });
        }
        if let Some([_, close]) = &self.object {
            let close = words(std::slice::from_ref(close));
            let close = (!self.object_close_is_empty()).then_some(close);
            sections.extend([false, true].map(|bare| self.after_object(close.clone(), bare)));
        }
        sections
    }

    pub(super) fn sections(&self) -> Vec<SectionKind> {
        let mut sections = self.tag_sections();
        if self.objects {
            let close = Some(self.section_close());
            sections.push(tool_call::objects(self.objects_at(), &tool_call::members(), close));
        }
        sections
    }

    fn section(&self) -> Vec<Rule> {
        let [whole, open] = self.calls();
        let calls = |marks: Vec<Pattern>, kind| {
            marks.into_iter().map(move |mark| rule(mark).open(Place::Call(kind)))
        };
        let mut rules: Vec<Rule> = calls(whole, WHOLE).chain(calls(open, CALL)).collect();
        rules.extend(self.lead.iter().flat_map(|lead| lead.alone().map(rule)));
        rules.push(rule(self.section_close()).close(Scope::Section));
        rules
    }

    pub(super) fn in_call(&self) -> Vec<Rule> {
        let param =
            |marks: Vec<Pattern>, kind| marks.into_iter().map(move |mark| rule(mark).param(kind));
        let mut rules: Vec<Rule> = param(self.typed_params(), VALUE).collect();
        if let Some([quote, _]) = &self.quotes {
            let quoted = self.own_params().into_iter();
            let quoted = quoted.map(|tag| [tag, pattern![WS, quote]].concat());
            rules.extend(param(quoted.collect(), QUOTED).map(Rule::noise));
        }
        rules.extend(param(self.own_params(), VALUE));
        if let Some(element) = &self.element {
            let tags = [self.typed_elements(element), self.elements(element)].concat();
            rules.extend(param(tags, u8::from(self.param.is_some())));
        }
        for object in self.object_opens() {
            let object = rule(object).needs(Flags::CALL_START);
            let in_section = object.clone().needs(Flags::IN_SECTION);
            rules.push(in_section.open(Place::Body(OBJECT)));
            rules.push(object.open(Place::Body(BARE_OBJECT)));
        }
        rules.push(rule(self.end_call()).close(Scope::Call));
        rules.extend(self.cut_call().map(|cut| cut_closer(cut, &self.after_cut())));
        let ends = |mark: Pattern, follow: &[Pattern]| ends_call(mark, follow, Scope::Call);
        for next in self.calls().concat() {
            rules.push(ends(next, &[]).needs(Flags::IN_SECTION));
        }
        for (bare, _) in self.bare() {
            rules.push(ends(bare, &self.body()).not(Flags::IN_SECTION));
        }
        rules.extend(self.closers().into_iter().map(|close| ends(close, &[])));
        rules.push(if self.call.is_xml() { stray() } else { self.stray_tag() });
        rules
    }

    /// Between parameters: a tag of special tokens that is no parameter's.
    fn stray_tag(&self) -> Rule {
        let token = self.call.heads[0].trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        let rest = Run { chars: Chars::except("<"), min: 0, max: 256 };
        let tag =
            pattern![token.to_string(), self.call.gap(), Name::element(), rest, self.call.end];
        rule(tag).noise().does(What::Unexpected).note(DiagnosticKind::UnknownParameter)
    }

    fn object_close_is_empty(&self) -> bool {
        self.object.as_ref().is_none_or(|[_, close]| close.is_empty())
    }

    /// The number of the body that is a call.
    fn objects_at(&self) -> u8 {
        if self.object.is_some() { 2 } else { 0 }
    }

    /// An object that is all of a call's arguments: its own closer, or that of the call or the section, ends it
    /// early.
    pub(super) fn bodies(&self) -> Vec<BodyKind> {
        let mut bodies = Vec::new();
        if let Some([_, own]) = &self.object {
            let own = (!own.is_empty()).then(|| words(std::slice::from_ref(own)));
            let close = own.into_iter().chain([self.end_call()]);
            let close = close.chain(self.has_sections().then(|| self.section_close()));
            let body = |then| body(Gives::Arguments, Some(then), close.clone());
            bodies.extend([AFTER_OBJECT, AFTER_BARE_OBJECT].map(body));
        }
        if self.objects {
            bodies.push(body(Gives::Call, None, Some(self.section_close())));
        }
        bodies
    }

    /// After such an object its call's closer stands, or was forgotten.
    fn after_object(&self, close: Option<Pattern>, bare: bool) -> SectionKind {
        let goes_on = |rule: Rule| match bare {
            true => rule.close(Scope::Section).sets(Flags::OWED),
            false => rule.open(Place::Section(SECTION)),
        };
        let forgotten = |mark: Pattern, follow: &[Pattern]| {
            let next = rule(mark).follow(follow.to_vec()).before();
            goes_on(next).note(DiagnosticKind::MissingCloser)
        };
        let mut rules = vec![goes_on(rule(self.end_call()))];
        if self.has_sections() {
            rules.push(forgotten(self.section_close(), &[]));
        }
        rules.extend(close.map(rule));
        match bare {
            true => {
                let body = self.body();
                rules.extend(self.bare().into_iter().map(|(mark, _)| forgotten(mark, &body)));
            }
            false => {
                rules.extend(self.calls().concat().into_iter().map(|mark| forgotten(mark, &[])))
            }
        }
        after_object(rules)
    }
}
