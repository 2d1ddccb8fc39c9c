//! Calls whose arguments are literals: `call:NAME{key: …}`, or Python's, alone, in a list, or a line each.
//!
//! ```text
//! call   := OPEN ws PREFIX? NAME ws ( "{" … "}" | "(" … ")" ) ws CLOSE?
//! list   := OPEN ws "[" ws NAME ws "(" … ")" ( ws "," ws NAME ws "(" … ")" )* ws "]" ws CLOSE
//! lines  := OPEN ( line-start NAME ws "(" … ")" )* CLOSE
//! ```
//! An opener counts if a name and its bracket follow. A list without an OPEN stands at the start of the message, where
//! no tools are declared, or else of a line, and calls a declared one. In an open value, a string too, the next OPEN ends
//! value and call. Where a Python string ends: [`lists`](crate::dialect::literals).

use super::derive::{add, owned};
use super::grammar::boxed;
use super::notation::{Part, around, text, trimmed};
use super::object::Object;
use super::{Shape, Wrong};
use crate::dialect::bracket::{between, body, call, opener};
use crate::dialect::build::{prefixed, rule, start};
use crate::dialect::closers::is_whole_tag;
use crate::dialect::literals::{Lists, name, other_bracket};
use crate::dialect::spec::{
    At, AtEnd, BodyKind, CallKind, DialectSpec, Flags, Gives, Known, Literals, Name, Pattern,
    Place, Rule, Scope, SectionKind, Text, WS, What,
};
use crate::dialect::template::LiteralForm;
use crate::dialect::tool_call::{members, objects};
use crate::event::DiagnosticKind;
use crate::family::Family;
use crate::family::literals::{self, Literal};
use crate::family::python::{self, Python};
use crate::pattern;

/// The kinds, as the tables number them. What may follow a call in its list, the next call, and after the list:
const AFTER_CALL: u8 = 0;
const NEXT_CALL: Place = Place::Section(1);
const AFTER_LIST: Place = Place::Section(2);
/// JSON objects in place of calls.
const OBJECTS: Place = Place::Section(3);
const OBJECT: u8 = 1;
/// After a call alone; calls that have a line each.
const ONE: u8 = 0;
const CALL: Place = Place::Call(0);
const ARGUMENTS: Place = Place::Body(0);

/// What a shape says of such calls.
pub(super) struct LiteralCalls<'a> {
    shape: &'a Shape,
    literals: Literals,
    /// What stands before a call, or its list or its lines, in each spelling; and after it.
    opens: Vec<Text>,
    closes: Vec<Text>,
    /// A list may stand without an opener.
    bare: bool,
    /// Before a name; it may be missing.
    prefix: Text,
}

impl<'a> LiteralCalls<'a> {
    pub fn of(shape: &'a Shape, form: &LiteralForm) -> Result<LiteralCalls<'a>, Wrong> {
        let wrong = |what: &str| Wrong::new("call", format!("in `{}`: {what}", shape.call));
        if form.separator.trim().is_empty() || !shape.argument.is_empty() {
            let what = "a `separator` stands between key and value, and there is no `argument`";
            return Err(Wrong::new("literals", what));
        }
        let parts = shape.parts("call", &shape.call, &["name", "arguments"])?;
        let [open, close] = around(&parts, "arguments", "call")?;
        let [head, bracket] = around(&open, "name", "call")?;
        let plain = |parts: &[Part]| text(trimmed(parts));
        let own = match &*plain(&bracket) {
            "{" => '}',
            "(" => ')',
            _ => return Err(wrong("literals stand in `{` or `(`, right after the name")),
        };
        let close = plain(&close);
        let close = close.strip_prefix(own).ok_or_else(|| wrong("its bracket must close"))?.trim();
        let head = plain(&head);
        let mut calls = LiteralCalls {
            shape,
            literals: Literals {
                quote: form.quote.clone(),
                by_schema: form.strings,
                python: form.python,
                unescaped: form.python,
            },
            opens: Vec::new(),
            closes: Vec::new(),
            bare: false,
            prefix: "".into(),
        };
        if shape.section.is_empty() {
            let token = head.rfind(['>', ']', '}', ')']).map_or(head.len(), |at| at + 1);
            if head.is_empty() {
                return Err(wrong("a marker must stand before the name"));
            }
            add(&mut calls.opens, &head[..token]);
            add(&mut calls.closes, close);
            calls.prefix = owned(&head[token..]);
            return Ok(calls);
        }
        if !(head.is_empty() && close.is_empty() && form.python) {
            return Err(wrong("with a `section` a call is Python's, and nothing stands round it"));
        }
        let is_list = calls.is_list();
        for [open, close] in shape.all_sections()? {
            let inner = (open.strip_suffix('['), close.strip_prefix(']'));
            let [open, close] = match inner {
                (Some(open), Some(close)) if is_list => [open.trim(), close.trim()],
                (None, None) if !is_list && !open.is_empty() => [&*open, &*close],
                _ => {
                    let what =
                        "calls stand in a list in each of them, or have a line each after a marker";
                    return Err(Wrong::new("section", format!("`{open}{{calls}}{close}`: {what}")));
                }
            };
            calls.bare |= open.is_empty();
            add(&mut calls.opens, open);
            add(&mut calls.closes, close);
        }
        Ok(calls)
    }

    /// A comma stands between calls, in brackets.
    fn is_list(&self) -> bool {
        let before = self.shape.section.split("{calls}").next().unwrap_or_default();
        before.trim_end().ends_with('[')
    }

    fn closer(&self) -> Option<Pattern> {
        (!self.closes.is_empty()).then(|| pattern![self.closes])
    }

    fn names(&self) -> Known {
        if self.bare { Known::IfDeclared } else { Known::Any }
    }

    /// A call and its bracket.
    fn begin(&self) -> Pattern {
        pattern![name(self.names()), WS, "("]
    }

    fn objects(&self) -> bool {
        self.shape.or.iter().any(|or| Object::of(&or.call).is_some())
    }

    /// What opens calls in text.
    fn text(&self) -> Vec<Rule> {
        if self.shape.section.is_empty() {
            let brackets = self.brackets();
            return self
                .marks(Known::Any)
                .into_iter()
                .map(|mark| opener(mark, 1, &brackets).open(CALL))
                .collect();
        }
        if !self.is_list() {
            let lines = opener(pattern![self.opens], 1, &[self.begin()]);
            return vec![lines.open(Place::Section(ONE))];
        }
        let token = |open: &Text| {
            let mark = pattern![open, WS, "[", WS, name(self.names())];
            opener(mark, 1, &[pattern!["("]]).open(CALL)
        };
        let mut rules: Vec<Rule> = self.opens.iter().map(token).collect();
        let list = |known: Known| {
            let mark = pattern!["[", WS, name(known)];
            opener(mark, 0, &[pattern!["("]]).open(CALL).not(Flags::REASONING)
        };
        if self.bare {
            rules.push(list(Known::Declared).needs(Flags::LINE_START));
            rules.push(list(Known::IfDeclared).needs(Flags::MESSAGE_START));
            rules = rules.into_iter().map(|rule| rule.not(Flags::WHOLE)).collect();
        }
        if self.objects() {
            let object = prefixed(pattern!["{", WS], &members());
            let list = [prefixed(pattern!["[", WS], &object), object].concat();
            rules.push(opener(pattern![self.opens], 1, &list).open(OBJECTS));
        }
        rules
    }

    /// The openers of a call alone, with such names: what stands before the name may be missing, but for its last sign.
    fn marks(&self, known: Known) -> Vec<Pattern> {
        let name = || Name { known, ..Name::tool() };
        let sign = self.prefix.chars().next_back().filter(|sign| !sign.is_alphanumeric());
        let sign = sign.map(|sign| pattern![self.opens, WS, sign.to_string(), WS, name()]);
        let mut marks: Vec<Pattern> = sign.into_iter().collect();
        if known == Known::Any {
            let whole = Name { prefix: self.prefix.clone(), ..name() };
            marks.push(pattern![self.opens, WS, whole]);
            return marks;
        }
        // Names that are looked up begin with their first letter.
        marks.extend(
            (!self.prefix.is_empty()).then(|| pattern![self.opens, WS, self.prefix, name()]),
        );
        marks.push(pattern![self.opens, WS, name()]);
        marks
    }

    /// What the arguments of a call alone begin with: between tokens of their own either bracket will do.
    fn brackets(&self) -> Vec<Pattern> {
        match (self.is_quoted(), self.literals.python) {
            (true, _) => vec![pattern!["{"], pattern!["("]],
            (false, true) => vec![pattern!["("]],
            (false, false) => vec![pattern!["{"]],
        }
    }

    fn is_quoted(&self) -> bool {
        !self.literals.quote.is_empty()
    }

    fn calls(&self) -> CallKind {
        let open = |mark: Pattern| rule(mark).needs(Flags::CALL_START).open(ARGUMENTS);
        match self.shape.section.is_empty() {
            true => {
                let inner = self.is_quoted().then(|| pattern!["(", WS, "{"]);
                let mut marks = self.brackets();
                marks.splice(1..1, inner);
                call(marks.into_iter().map(open).collect())
            }
            false => call(vec![open(pattern!["("])]),
        }
    }

    fn sections(&self) -> Vec<SectionKind> {
        if self.shape.section.is_empty() {
            return vec![self.after_one()];
        }
        if !self.is_list() {
            return vec![SectionKind::new(self.lines())];
        }
        let closers =
            || self.closes.iter().map(|close| rule(pattern![close]).close(Scope::Section));
        let section = |mut rules: Vec<Rule>| {
            rules.extend(closers());
            between(rules)
        };
        let after_call = vec![
            rule(pattern![",", WS])
                .follow([self.begin(), pattern!["]"]])
                .at_end(AtEnd::Confirm)
                .open(NEXT_CALL),
            rule(pattern!["]"]).open(AFTER_LIST),
        ];
        let next_call = vec![
            opener(pattern![At::Start, name(self.names())], 0, &[pattern!["("]]).open(CALL),
            rule(pattern!["]"]).open(AFTER_LIST),
        ];
        let after_list = match (self.bare, self.closer()) {
            (false, Some(close)) => {
                let rules = vec![start(close).close(Scope::Section), self.forgotten()];
                between(rules)
            }
            _ => section(Vec::new()),
        };
        let mut sections = vec![section(after_call), section(next_call), after_list];
        if self.objects() {
            sections.push(objects(OBJECT, &members(), self.closer()));
        }
        sections
    }

    /// Nothing closes it.
    fn forgotten(&self) -> Rule {
        let forgotten = start(Vec::new()).noise().close(Scope::Section);
        if self.closes.is_empty() {
            forgotten
        } else {
            forgotten.note(DiagnosticKind::MissingCloser)
        }
    }

    /// After a call alone.
    fn after_one(&self) -> SectionKind {
        let mut rules: Vec<Rule> =
            self.closer().map(|close| start(close).close(Scope::Section)).into_iter().collect();
        rules.push(start(pattern![")"]));
        rules.push(start(pattern!["}"]).note(DiagnosticKind::RepairedJson));
        rules.push(self.forgotten());
        between(rules)
    }

    /// Calls that have a line each.
    fn lines(&self) -> Vec<Rule> {
        let call = |mark: Pattern| opener(mark, 0, &[pattern!["("]]).open(CALL);
        let mut rules = vec![
            call(pattern![At::LineStart, name(Known::Any)]),
            call(pattern![At::Start, WS, name(Known::Any)]).needs(Flags::SECTION_START),
        ];
        rules.extend(self.closer().map(|close| rule(close).close(Scope::Section)));
        if !self.shape.tokens.is_empty() {
            let ends = rule(pattern![self.shape.tokens]).before().close(Scope::Section);
            rules.push(ends.note(DiagnosticKind::MissingCloser));
        }
        rules
    }

    fn bodies(&self) -> Vec<BodyKind> {
        let alone = self.shape.section.is_empty();
        let lists = Lists {
            close: &self.closes,
            boundary: &self.shape.tokens,
            bracket: self.is_list(),
            alone,
        };
        let mut rules = if self.literals.python { lists.rules() } else { Vec::new() };
        if alone {
            // Values that are open end before the opener of the next call.
            let next = |mark: Pattern| {
                let next = rule(mark).follow(self.brackets()).noise().before().close(Scope::Body);
                next.sets(Flags::BROKEN).note(DiagnosticKind::MissingCloser)
            };
            if !self.literals.python {
                rules.extend(self.closer().map(|close| rule(close).before().close(Scope::Body)));
            }
            // Strings between tokens of their own may quote a call: but for one of a declared tool.
            let quoted = if self.is_quoted() { Known::IfDeclared } else { Known::Any };
            let in_string = |mark| next(mark).needs(Flags::IN_STRING);
            rules.extend(self.marks(Known::Any).into_iter().map(next));
            rules.extend(self.marks(quoted).into_iter().map(in_string));
        }
        if !self.literals.python {
            let ends = [&*self.closes, &self.shape.tokens].concat();
            let ends = (!ends.is_empty()).then(|| pattern![ends]);
            let ends: Vec<Pattern> = ends.into_iter().chain([pattern![At::End]]).collect();
            rules.push(other_bracket(&["]", "}", ")"], &ends));
        }
        let then = if alone { Some(ONE) } else { self.is_list().then_some(AFTER_CALL) };
        let gives = Gives::Params(self.literals.clone());
        let mut bodies = vec![BodyKind { gives, rules, then: then.map(Place::Section) }];
        if self.objects() {
            bodies.push(body(Gives::Call, None, self.closer()));
        }
        bodies
    }

    /// Returns the family that reads such calls, if there is one.
    pub fn family(&self) -> Option<Box<dyn Family>> {
        let ([open], [close]) = (&*self.opens, &*self.closes) else { return None };
        let [open, close] = [open, close].map(boxed);
        let stops = self.shape.tokens.iter().map(boxed).collect();
        if self.shape.section.is_empty() {
            let (prefix, literals) = (boxed(&self.prefix), self.literals.clone());
            let t = literals::Texts { open, close, prefix, literals, stops, doubled: None };
            let is_token = self.is_quoted() && is_whole_tag(&t.open);
            return (is_token && !t.literals.python)
                .then(|| Box::new(Literal::new(t)) as Box<dyn Family>);
        }
        let form = if self.is_list() { python::Form::Between } else { python::Form::Lines };
        let t = python::Texts {
            form,
            open,
            close,
            stops,
            typed: !self.shape.special,
            ..python::Texts::default()
        };
        (!self.bare).then(|| Box::new(Python::new(t)) as Box<dyn Family>)
    }

    pub fn dialect(&self) -> Result<DialectSpec, Wrong> {
        let scope = if self.shape.section.is_empty() { Scope::Call } else { Scope::Section };
        let orphan = |close: &Text| rule(pattern![close]).does(What::Orphan(scope));
        let mut text = self.text();
        text.extend(self.closes.iter().map(orphan));
        text.extend(self.shape.others(self.shape.any_token()));
        Ok(DialectSpec {
            sections: self.sections(),
            calls: vec![self.calls()],
            bodies: self.bodies(),
            ..self.shape.table(text)?
        })
    }
}
