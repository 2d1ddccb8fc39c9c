//! The rules of values in tags with attributes: a closer is confirmed by what follows it, and where it is lost, what
//! closes or opens a call shows it.

use super::super::notation::words;
use super::{Element, Tag, Tags};
use crate::dialect::bracket::{
    closer, closes_both, end_token, ends_both, mismatched, misspelt, next_param, quotes_call,
    suspect, suspect_tokens, token_head, value,
};
use crate::dialect::build::{one_of, prefixed, rule};
use crate::dialect::spec::{
    At, AtEnd, Chars, Flags, Framing, Known, Name, Pattern, Ref, Rule, Run, Scope, Text, ValueKind,
    WS, What,
};
use crate::event::DiagnosticKind;
use crate::pattern;

impl Tags<'_> {
    pub(super) fn values(&self) -> Vec<ValueKind> {
        let mut values = if self.param.is_some() { self.own_values() } else { Vec::new() };
        values.extend(self.element.as_ref().map(|element| match element {
            Element::Typed { close, .. } => self.typed_value(element, close),
            Element::Named { open, close } => self.named_value(open, close),
        }));
        values
    }

    /// What may follow a value's closer.
    fn ends(&self) -> Vec<Pattern> {
        let own = [self.params(), vec![self.end_call()]].concat();
        let calls = if self.has_sections() { self.calls().concat() } else { self.bare_opens() };
        let cut = |cut: Pattern| prefixed([cut, vec![WS]].concat(), &self.after_cut());
        let cut = self.cut_call().map(cut).unwrap_or_default();
        [own, self.closers(), self.both_closers().into_iter().collect(), calls, cut].concat()
    }

    fn own_values(&self) -> Vec<ValueKind> {
        let ends = self.ends();
        let close = words(&self.end_param);
        let mut own = vec![closer(close.clone(), &ends)];
        if self.call.is_xml() {
            let mut ends = [self.params(), vec![self.end_call()]].concat();
            if self.shape.special {
                ends.extend(self.closers());
            }
            own.extend(self.named_closers().map(|close| mismatched(close, &ends)));
        }
        if self.shape.misspelt {
            let next = [self.params(), vec![self.end_call()]].concat();
            own.extend(misspelt(&self.end_param, &next));
        }
        let plain = [own, self.tails(), self.lost(std::slice::from_ref(&close))].concat();
        let framing = match self.framing {
            Framing::None => Framing::Recovered,
            framing => framing,
        };
        let mut values = vec![value(framing, plain)];
        if let Some([open, quote]) = &self.quotes {
            // What stands round a value in quotes is told in one that has none, or has them twice.
            values[0].rules.extend([open, quote].map(|quote| suspect(pattern![quote])));
            let end = [pattern![quote, WS], close].concat();
            let rules = [vec![closer(end.clone(), &ends)], self.lost(&[end])].concat();
            values.push(value(Framing::None, rules));
            values[1].rules.push(suspect(pattern![open]));
        }
        values
    }

    /// Closers with the name of the open parameter, also behind the fixed part of the dialect's own: `</KEY>` and
    /// `</｜DSML｜KEY>`.
    fn named_closers(&self) -> impl Iterator<Item = Pattern> {
        let heads = self.end_param.iter().filter_map(|close| token_head(close));
        let mut heads: Vec<String> =
            heads.filter(|head| !head.ends_with(char::is_alphanumeric)).collect();
        heads.insert(0, "</".to_string());
        heads.dedup();
        heads.into_iter().map(|head| pattern![head, Ref::Param, ">"])
    }

    /// The call is over, wherever the next one stands.
    fn over(&self) -> Vec<Pattern> {
        [vec![pattern![At::End]], self.tokens()].concat()
    }

    /// The closer of the call, where the value's own was forgotten.
    fn tails(&self) -> Vec<Rule> {
        let both = |follow: &[Pattern]| closes_both(self.end_call(), follow, Scope::Call);
        let after = |close: Pattern, follow: &[Pattern]| {
            both(&prefixed([close, vec![WS]].concat(), follow))
        };
        let (over, bare, sections) = (self.over(), self.bare_opens(), self.section_opens());
        let next = [&*over, &*sections].concat();
        let mut rules = vec![both(&over)];
        rules.extend(
            self.closers().into_iter().map(|close| after(close, &[&*next, &*bare].concat())),
        );
        // After two closers all that can follow a call without a section would be too long to hold.
        rules.extend(self.both_closers().map(|close| after(close, &next)));
        if let Some(lead) = &self.lead {
            let led = after(pattern![lead.end], &self.calls().concat());
            rules.push(led.needs(Flags::IN_SECTION));
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
        if self.shape.special {
            let end = match &self.lead {
                Some(lead) => pattern![lead.end],
                None => self.end_call(),
            };
            let next = self.declared_params(Known::Fresh).into_iter().map(next_param);
            let end = end_token(end, Scope::Call);
            let both = self.lost_both().into_iter().chain(next).chain([end]);
            return both.chain(self.suspect_tokens(own)).collect();
        }
        let quoted = self.call_tags(Known::Declared, &self.call_ends()).into_iter();
        let quoted = quoted.map(|mark| quotes_call(mark, &self.body()));
        if self.shape.marked {
            let next = self.declared_params(Known::Fresh).into_iter().map(next_param);
            return quoted.chain(next).chain(self.suspect_tokens(own)).collect();
        }
        let params = self.declared_params(Known::Declared);
        let data = own.iter().cloned().chain([self.end_call()]).chain(params).map(suspect);
        quoted.chain(data).collect()
    }

    /// The openers of declared parameters, whole.
    fn declared_params(&self, known: Known) -> Vec<Pattern> {
        let openers =
            |tag: &Tag| tag.ended([vec![tag.named(known)], tag.others_first(known)].concat());
        self.param.iter().flat_map(openers).collect()
    }

    /// Data that looks like a token of the dialect.
    pub(in crate::dialect) fn suspect_tokens(&self, own: &[Pattern]) -> Vec<Rule> {
        let end = &*self.call.end;
        let opens = self.param.iter().flat_map(|tag| &tag.heads);
        let tags = opens.chain(&self.end_param).map(|tag| tag.strip_suffix(end).unwrap_or(tag));
        // What ends the call is taken before it could be data, but for one that stands before an end token.
        let call = self.lead.as_ref().map(|_| self.end_call());
        let call = call.or_else(|| self.shape.marked.then(|| self.end_call()));
        let marks = own.iter().cloned().chain(call);
        suspect_tokens(tags, marks.chain(self.declared_params(Known::Declared)))
    }

    /// Special tokens: the next call's opener, confirmed by its body, or the section's, ends both.
    fn lost_both(&self) -> Vec<Rule> {
        let both = |mark: Pattern| ends_both(mark, &self.body(), Scope::Call);
        let [_, calls] = self.calls();
        let called = calls.into_iter().map(|mark| both(mark).needs(Flags::IN_SECTION));
        let bare = self.bare().into_iter().map(|(mark, _)| both(mark).not(Flags::IN_SECTION));
        let mut rules: Vec<Rule> = called.chain(bare).collect();
        if self.has_sections() {
            rules.push(ends_both(self.section_open(), &self.section_begins(), Scope::Section));
        }
        rules
    }

    /// A value that is an element named by its tag. Every closer closes what is innermost, without more: one
    /// that fits nothing breaks the call.
    fn named_value(&self, open: &Text, close: &Text) -> ValueKind {
        let own = pattern![close, Ref::Param, ">"];
        let inner = pattern![close, Ref::Nested, ">"];
        let other = pattern![
            close,
            Name { not: Vec::new(), ..self.element_name(Name::element(), close) },
            ">"
        ];
        let declared =
            |known| pattern![open, self.element_name(Name::param().known(known), open), ">"];
        // In a value that is no object and no list a declared parameter begins, or its tag is told.
        let next = next_param(declared(Known::Fresh)).needs(Flags::SCALAR);
        let again = rule(declared(Known::Declared)).needs(Flags::SCALAR).not(Flags::SUSPECTED);
        let again = again.sets(Flags::SUSPECTED | Flags::DOUBTFUL | Flags::NESTED).noise();
        let again = again.does(What::Pass).note(DiagnosticKind::SuspectMarker);
        let open = pattern![open, self.element_name(Name::element(), open), ">"];
        let wrong = |mark: Pattern| {
            let wrong = rule(mark).sets(Flags::BROKEN).noise();
            wrong.note(DiagnosticKind::MalformedTag)
        };
        let forgotten = rule(self.end_call()).not(Flags::NESTED).noise().close(Scope::Call);
        let cut_off = [own.clone(), vec![WS], self.end_call()].concat();
        let mut rules = vec![
            rule(own).not(Flags::NESTED).at_end(AtEnd::Confirm).close(Scope::Value),
            forgotten.note(DiagnosticKind::MissingCloser),
            wrong(cut_off).needs(Flags::NESTED).close(Scope::Call),
            wrong(self.end_call()).close(Scope::Call),
            next,
            again,
            rule(open).noise().does(What::Pass).sets(Flags::NESTED),
            rule(inner).noise().does(What::Pass).needs(Flags::NESTED).clears(Flags::NESTED),
            wrong(other).close(Scope::Value),
        ];
        if self.has_sections() {
            rules.insert(2, end_token(self.section_close(), Scope::Section));
        }
        rules.extend(self.lost_both());
        value(Framing::Recovered, rules)
    }

    /// A value that is an element with attributes: its closer counts outside all elements that nest in it,
    /// but also where the call is over after it.
    fn typed_value(&self, element: &Element, close: &Text) -> ValueKind {
        let (open, _) = element.opens();
        let rest = Run { chars: Chars::except("<>"), min: 0, max: crate::bounds::TAG as u16 };
        let open = pattern![open, one_of(" \t\r\n"), rest, ">"];
        let close = pattern![close, WS, ">"];
        let over = [vec![pattern![At::End]], self.closers(), self.calls().concat()].concat();
        let call_ends = [close.clone(), vec![WS], self.end_call()].concat();
        let nested = |mark: Pattern| rule(mark).noise().does(What::Pass);
        let mut rules = vec![
            closer(close.clone(), &self.ends()).not(Flags::NESTED),
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
}
