//! Keys and values in a section, all in special tokens. The rules of keys and values are those of
//! [`tool_call`](crate::dialect::tool_call).
//!
//! ```text
//! section := OPEN ws ( call ws )* CLOSE
//! call    := BEGIN ws NAME ws SEP? ws ( KEY key /KEY ws ( TYPE word /TYPE ws )? VALUE value /VALUE ws )* END
//!          | BEGIN ws NAME ws object END | BEGIN json END
//! ```
//! A section counts if BEGIN follows. A call without a section is not reported. What is no call ends a section. The
//! section's closer ends a call whose own is missing.

use super::argument::Tagged;
use super::derive::owned;
use super::grammar::boxed;
use super::notation::{Part, around};
use super::object::Object;
use super::{OTHERWISE, Shape, Wrong};
use crate::dialect::bracket::{
    after_object, body, call, closes_both, cuts, ends_both, ends_call, invented, mismatched,
    opener, section, stray, token_head,
};
use crate::dialect::build::{one_of, prefixed, rule};
use crate::dialect::spec::{
    At, AtEnd, BodyKind, Chars, DialectSpec, Flags, Gives, Known, Name, Pattern, Place, Ref, Rule,
    Run, Scope, SectionKind, Text, ValueKind, WS, What,
};
use crate::dialect::tool_call::{
    self, Keys, argument_object, json, keyed_value, keys_and_values, lost_in_tokens, members,
    stray_closer,
};
use crate::event::{DiagnosticKind, TypeHint};
use crate::family::listed;
use crate::pattern;

/// The section: what is open in a section that calls stand in.
const OUTER: u8 = 0;
/// JSON objects: in the section, and without one. Then come, for each form, what stands after an object of arguments.
const OBJECTS: u8 = 1;
const BARE_OBJECTS: u8 = 2;

/// The tags of such a shape.
pub(in crate::dialect) struct Keyed<'a> {
    shape: &'a Shape,
    section: [Text; 2],
    call: [Text; 2],
    /// It confirms a call of any name.
    separator: Option<Text>,
    key: [Text; 2],
    pub hint: Option<[Text; 2]>,
    value: [Text; 2],
    /// What may stand in place of keys, and of a name and its keys.
    object: bool,
    json: bool,
}

/// One way to write the tags of a call: as they are, or each with a suffix after a colon.
pub(in crate::dialect) struct Form {
    /// The suffix in a marker that opens something, where it is captured, and in what belongs to the open call.
    pub opens: Pattern,
    pub own: Pattern,
    /// What begins results that are invented, and stop tokens: in text, and in the open call.
    pub results: Vec<Pattern>,
    pub tokens: [Vec<Pattern>; 2],
}

/// A tag with this suffix.
pub(in crate::dialect) fn tag(text: &str, suffix: &Pattern) -> Pattern {
    match &**suffix {
        [] => pattern![text.to_string()],
        suffix => {
            let begin = format!("{}:", text.trim_end_matches('>'));
            [pattern![begin], suffix.to_vec(), pattern![">"]].concat()
        }
    }
}

impl<'a> Keyed<'a> {
    /// The tags of a shape, if it is one.
    pub fn of(shape: &'a Shape) -> Result<Option<Keyed<'a>>, Wrong> {
        let Some(section) = shape.round_calls()?.filter(|_| shape.special) else { return Ok(None) };
        let Some(Tagged { key, hint, value }) = Tagged::of(&shape.argument) else {
            return Ok(None);
        };
        let both = [&key, &value].into_iter().chain(&hint).flatten();
        if key[1] == value[0] || !both.into_iter().all(|tag| tag.ends_with('>')) {
            return Ok(None);
        }
        let parts = shape.parts("call", &shape.call, &["name", "arguments"])?;
        let [open, end] = around(&parts, "arguments", "call")?;
        let [open, separator] = around(&open, "name", "call")?;
        let [Some(before), Some(after)] = section.map(|parts| one(&parts)) else { return Ok(None) };
        let (Some(open), Some(end)) = (one(&open), one(&end)) else { return Ok(None) };
        let (mut object, mut json) = (false, false);
        for (at, or) in shape.or.iter().enumerate() {
            let (is_json, is_object) = match Object::of(&or.call) {
                Some(object) => (object.before.trim() == open && object.after.trim() == end, false),
                None => (
                    false,
                    or.argument.is_empty()
                        && or.call == format!("{open}{{name}}{{arguments}}{end}"),
                ),
            };
            if !is_json && !is_object {
                return Err(or.wrong(at, OTHERWISE));
            }
            (json, object) = (json || is_json, object || is_object);
        }
        let (section, call) = ([before, after], [open, end]);
        let separator = one(&separator);
        Ok(Some(Keyed { shape, section, call, separator, key, hint, value, object, json }))
    }

    /// Its tags as they are.
    pub fn form(&self) -> Form {
        let tokens = self.shape.tokens();
        Form {
            opens: Pattern::new(),
            own: Pattern::new(),
            results: self.shape.invented().map(|text| pattern![text]).into_iter().collect(),
            tokens: [tokens.clone(), tokens],
        }
    }

    /// Returns the texts of the section, its calls and their keys for readers.
    pub fn texts(&self) -> listed::Texts {
        let both = |tags: &[Text; 2]| tags.each_ref().map(boxed);
        let all = [&self.key, &self.value].into_iter().flatten();
        let mut suspects: Vec<String> = all.filter_map(|tag| token_head(tag)).collect();
        suspects.sort();
        suspects.dedup();
        let close = &self.value[1];
        let head = token_head(close).filter(|head| !head.ends_with(char::is_alphanumeric));
        let named =
            head.into_iter().chain([String::from("</")]).filter(|_| close.starts_with("</"));
        listed::Texts {
            section: both(&self.section),
            call: both(&self.call),
            separator: self.separator.as_ref().map(boxed),
            key: both(&self.key),
            hint: self.hint.as_ref().map(both),
            value: both(&self.value),
            object: self.object,
            named_objects: self.json,
            suspects: suspects.into_iter().map(Box::from).collect(),
            named_closers: named.map(Box::from).collect(),
            tokens: self.shape.tokens.iter().map(boxed).collect(),
            suffixes: None,
        }
    }

    /// Returns the types that a value may name, and what each says of the value.
    pub fn hints(&self) -> Vec<(Text, TypeHint)> {
        self.shape.hints_or(if self.hint.is_some() { TYPES } else { &[] })
    }

    /// The first section after an object of arguments of the form of this number; the second one follows.
    fn after(&self, form: u8) -> u8 {
        1 + 2 * (u8::from(self.json) + form)
    }

    pub fn dialect(&self, forms: &[Form]) -> Result<DialectSpec, Wrong> {
        let forms: Vec<Tags<'_>> =
            forms.iter().zip(0..).map(|(form, kind)| Tags { keyed: self, form, kind }).collect();
        let mut text = Vec::new();
        let mut sections = vec![section(Vec::new())];
        let (mut calls, mut values, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(form) = forms.first().filter(|_| self.json) {
            text.push(
                opener(form.open(&self.call[0]), 1, &json()).open(Place::Section(BARE_OBJECTS)),
            );
            sections[0].rules.push(form.json_block());
            sections.extend(form.objects());
            bodies.push(form.body(Gives::Call, None));
        }
        for form in &forms {
            text.extend(form.text());
            text.extend(form.form.tokens[0].iter().cloned().map(rule));
            sections[0].rules.extend(form.section());
            if self.object {
                sections.extend([form.ends_block(), form.ends_bare()].map(after_object));
                let after = self.after(form.kind);
                let body = |then| form.body(Gives::Arguments, Some(then));
                bodies.extend([after, after + 1].map(body));
            }
            calls.push(call(form.call()));
            values.push(form.value());
        }
        Ok(DialectSpec {
            sections,
            calls,
            values,
            bodies,
            hints_yield: self.hint.is_some(),
            hints: self.hints(),
            ..self.shape.table(text)?
        })
    }
}

/// The types that a value may have on the wire: those of `{whole_type}`, so `integer` is one.
const TYPES: &[(&str, TypeHint)] = &[
    ("string", TypeHint::String),
    ("integer", TypeHint::Json),
    ("number", TypeHint::Json),
    ("boolean", TypeHint::Json),
    ("null", TypeHint::Json),
    ("object", TypeHint::Json),
    ("array", TypeHint::Json),
];

/// The one text of these parts.
fn one(parts: &[Part]) -> Option<Text> {
    let mut texts = parts.iter().filter(|part| !matches!(part, Part::White(_)));
    match (texts.next(), texts.next()) {
        (Some(Part::Text(text)), None) if text.ends_with('>') => Some(owned(text)),
        _ => None,
    }
}

type Both = [Text; 2];

/// The tags in one of their forms, whose calls and values are of this kind.
struct Tags<'k> {
    keyed: &'k Keyed<'k>,
    form: &'k Form,
    kind: u8,
}

impl Tags<'_> {
    fn open(&self, text: &str) -> Pattern {
        tag(text, &self.form.opens)
    }

    fn own(&self, text: &str) -> Pattern {
        tag(text, &self.form.own)
    }

    /// How many pieces a tag has.
    fn pieces(&self) -> u8 {
        self.open(">").len() as u8
    }

    fn call_open(&self) -> Pattern {
        self.own(&self.keyed.call[0])
    }

    fn call_end(&self) -> Pattern {
        self.own(&self.keyed.call[1])
    }

    fn keys(&self) -> Keys {
        let Keyed { key, value, .. } = self.keyed;
        let both = |tags: &Both| [self.own(&tags[0]), self.own(&tags[1])];
        Keys { key: both(key), value: both(value), end: self.call_end() }
    }

    /// What confirms a call after the name of any tool.
    fn after_name(&self, suffix: &Pattern) -> Vec<Pattern> {
        let tags = [Some(&self.keyed.key[0]), self.keyed.separator.as_ref()];
        let tags = tags.into_iter().flatten().map(|text| tag(text, suffix));
        tags.chain(self.keyed.object.then(argument_object)).collect()
    }

    /// A call begins. (After a name the suffix is not asked for: what was captured last is the name.)
    fn begin(&self) -> Vec<Pattern> {
        let any = prefixed(pattern![Name::tool(), WS], &self.after_name(&self.form.opens));
        let known = Name::tool().known(Known::IfDeclared);
        let none = [pattern![known, WS], self.open(&self.keyed.call[1])].concat();
        [any, vec![none], if self.keyed.json { json() } else { Vec::new() }].concat()
    }

    /// One begins in a tag of its own.
    fn blocks(&self) -> Vec<Pattern> {
        prefixed([self.call_open(), pattern![WS]].concat(), &self.begin())
    }

    /// After a call, what shows that it is over: its section's closer may stand first.
    fn over(&self) -> Vec<Pattern> {
        let [open, close] = self.keyed.section.each_ref().map(|text| self.own(text));
        let section = [open, pattern![WS, self.first()]].concat();
        let over = [vec![pattern![At::End], section], self.form.tokens[1].clone(), self.blocks()];
        let over = over.concat();
        let closed = prefixed([close, pattern![WS]].concat(), &over);
        [over, closed].concat()
    }

    /// The opener of a call as far as all forms have it.
    fn first(&self) -> String {
        self.keyed.call[0].trim_end_matches('>').to_string()
    }

    /// The openers of calls. Without arguments they are of such tools.
    fn calls(&self, none: Known) -> Vec<Rule> {
        let open = |name: Name, follow: &[Pattern]| {
            let mark = [self.open(&self.keyed.call[0]), pattern![WS, name]].concat();
            opener(mark, self.pieces(), follow).open(Place::Call(self.kind))
        };
        vec![
            open(Name::tool(), &self.after_name(&self.form.own)),
            open(Name::tool().known(none), &[self.call_end()]),
            self.stray_closer(),
        ]
    }

    /// A call without arguments that closes a value which never opened.
    fn stray_closer(&self) -> Rule {
        let open = self.open(&self.keyed.call[0]);
        let mark = [open, pattern![WS], stray_closer(&self.keys())].concat();
        let stray = opener(mark, self.pieces(), &[self.call_end(), pattern![self.first()]]);
        stray.note(DiagnosticKind::MalformedTag).open(Place::Call(self.kind))
    }

    fn text(&self) -> Vec<Rule> {
        let [open, close] = &self.keyed.section;
        let section = opener(self.open(open), self.pieces(), &[pattern![self.first()]]);
        let doubled = [self.open(&self.keyed.call[0]), pattern![WS]].concat();
        let orphan = |tag: &Text| rule(self.open(tag)).does(What::Orphan(Scope::Section));
        let mut rules = vec![section.open(Place::Section(OUTER))];
        rules.extend(self.calls(Known::IfDeclared));
        rules.push(opener(doubled, self.pieces(), &self.blocks()));
        rules.extend([&self.keyed.call[1], close].map(orphan));
        rules.extend(self.form.results.iter().cloned().map(invented));
        rules
    }

    /// In the section.
    fn section(&self) -> Vec<Rule> {
        let close = rule(self.open(&self.keyed.section[1])).close(Scope::Section);
        [self.calls(Known::Any), vec![close]].concat()
    }

    fn call(&self) -> Vec<Rule> {
        let next = [self.begin(), self.blocks()].concat();
        let none = [pattern![Name::tool(), WS], self.call_end()].concat();
        let ends = |next: &[Pattern]| ends_call(self.call_open(), next, Scope::Call);
        let mut rules = keys_and_values(&self.keys(), self.kind);
        if let Some(separator) = &self.keyed.separator {
            rules.push(rule(self.own(separator)).needs(Flags::CALL_START));
        }
        if self.keyed.object {
            let number = u8::from(self.keyed.json) + 2 * self.kind;
            let object = |of: u8| {
                let object = rule(pattern!["{"]).needs(Flags::CALL_START).open(Place::Body(of));
                object.follow([pattern![one_of("\"}")]])
            };
            rules.push(object(number).needs(Flags::IN_SECTION));
            rules.push(object(number + 1).not(Flags::IN_SECTION));
        }
        rules.extend(self.hints());
        rules.extend([
            rule(self.call_end()).close(Scope::Call),
            ends(&next),
            ends(&[none]).needs(Flags::IN_SECTION),
            ends_call(self.own(&self.keyed.section[1]), &[], Scope::Call),
            stray(),
        ]);
        rules
    }

    /// The type of a value, and that of a list with the type of its elements.
    fn hints(&self) -> Vec<Rule> {
        let Some([open, close]) = &self.keyed.hint else { return Vec::new() };
        let rest = Run { chars: Chars::except("<"), min: 0, max: crate::bounds::NAME as u16 };
        let hint = |end: Pattern| {
            let mark = [self.own(open), pattern![WS, Name::hint(), WS], end].concat();
            rule(mark).needs(Flags::NAMED).does(What::Name)
        };
        let end = self.own(close);
        vec![hint(end.clone()), hint([pattern!["[", rest], end].concat())]
    }

    fn value(&self) -> ValueKind {
        let (open, end) = (self.call_open(), self.call_end());
        let next = [self.begin(), self.blocks()].concat();
        let none = [pattern![Name::tool(), WS], end.clone()].concat();
        let [section, close] = self.keyed.section.each_ref().map(|text| self.own(text));
        let calls = prefixed([open.clone(), vec![WS]].concat(), std::slice::from_ref(&none));
        let lost = vec![
            // In a section a call without arguments may be of any tool.
            closes_both(end.clone(), &calls, Scope::Call).needs(Flags::IN_SECTION),
            ends_both(open.clone(), &next, Scope::Call),
            ends_both(open.clone(), &[none], Scope::Call).needs(Flags::IN_SECTION),
            ends_both(section, &[pattern![self.first()]], Scope::Section),
        ];
        let keys = self.keys();
        let hint = self.hint_tag();
        let follow = [keys.key[0].clone(), end, close.clone()];
        let own_name = self.own_names().into_iter().map(|mark| mismatched(mark, &follow));
        let lost = own_name.chain(lost).chain(lost_in_tokens(&keys, hint.as_ref()));
        keyed_value(&keys, &[open, close], &self.over(), lost.collect())
    }

    /// The closers of a value with the name of its key: `</KEY>`, also with what the dialect's own begins with.
    /// Where that is no tag, there are none.
    fn own_names(&self) -> Vec<Pattern> {
        let close = &self.keyed.value[1];
        if !close.starts_with("</") {
            return Vec::new();
        }
        let head = token_head(close).filter(|head| !head.ends_with(char::is_alphanumeric));
        let suffix = &self.form.own;
        let named = |head: String| match &**suffix {
            [] => pattern![head, Ref::Param, ">"],
            suffix => [pattern![head, Ref::Param, ":"], suffix.to_vec(), pattern![">"]].concat(),
        };
        let plain = pattern!["</", Ref::Param, ">"];
        let suffixed = (!suffix.is_empty()).then(|| named("</".to_string()));
        [plain].into_iter().chain(suffixed).chain(head.map(named)).collect()
    }

    /// The type of a value, as a tag with any word.
    fn hint_tag(&self) -> Option<Pattern> {
        let [open, close] = self.keyed.hint.as_ref()?;
        let rest = Run { chars: Chars::except("<"), min: 0, max: crate::bounds::NAME as u16 };
        Some([self.own(open), pattern![rest], self.own(close)].concat())
    }

    /// What ends a block in the section, after its body: its own closer, or that of the section.
    fn ends_block(&self) -> Vec<Rule> {
        let close = rule(self.own(&self.keyed.section[1])).close(Scope::Section);
        let end = rule(self.call_end()).open(Place::Section(OUTER));
        vec![end, close.note(DiagnosticKind::MissingCloser)]
    }

    /// What ends one without a section.
    fn ends_bare(&self) -> Vec<Rule> {
        vec![rule(self.call_end()).close(Scope::Section)]
    }

    fn body(&self, gives: Gives, then: Option<u8>) -> BodyKind {
        let mut kind = body(gives, then, [self.call_end()]);
        kind.rules.push(cuts(self.call_open(), &self.begin()));
        kind
    }

    /// A block of JSON in the section.
    fn json_block(&self) -> Rule {
        let block = rule(self.call_open()).follow(json()).at_end(AtEnd::Known);
        let block = block.clears(Flags::BRACKET).sets(Flags::SECTION_START);
        block.open(Place::Section(OBJECTS))
    }

    /// What stands in one, and in one without a section.
    fn objects(&self) -> [SectionKind; 2] {
        let objects = |rules: Vec<Rule>| {
            let mut objects = tool_call::objects(0, &members(), None);
            objects.rules.extend(rules);
            objects
        };
        let next = rule(self.call_open()).follow(self.begin()).before();
        let next = next.open(Place::Section(OUTER)).note(DiagnosticKind::MissingCloser);
        [objects([self.ends_block(), vec![next]].concat()), objects(self.ends_bare())]
    }
}
