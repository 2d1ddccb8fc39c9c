//! Calls whose tools and parameters are named by attributes: `<invoke name="…"><parameter name="…">…</parameter>`.
//!
//! ```text
//! section := OPEN ( junk call )* junk CLOSE
//! call    := "<invoke" ws "name" ws "=" ws ATTR ws "/"? ">" junk ( param junk )* "</invoke>"
//! param   := "<parameter" ws "name" ws "=" ws ATTR … ">" value "</parameter>"
//! ```
//! A section counts if `ws` and a call follow. A call of a known tool without a section counts if a parameter
//! or its closer follows (`missing_opener`; never in reasoning).
//!
//! [`Tags`] is what a shape says of it; `marks.rs` makes markers of that, `rules.rs` the rules of each state but
//! values, whose rules are in `values.rs`.

mod marks;
mod rules;
mod tag;
mod values;

use super::derive::add;
use super::notation::{Part, tags};
use super::object::Object;
use super::{OTHERWISE, Or, Shape, Wrong};
use crate::dialect::bracket::{call, whole_call};
use crate::dialect::spec::{DialectSpec, Framing, Text};
use crate::dialect::template::ArgumentsForm;
use crate::event::TypeHint;
use crate::family::tags as tags_family;
use tag::Tag;

/// The kinds, as the tables number them.
pub(in crate::dialect) const SECTION: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const AFTER_BARE_OBJECT: u8 = 2;
pub(in crate::dialect) const CALL: u8 = 0;
/// `<invoke name=N/>`: it is over where it begins.
const WHOLE: u8 = 1;
const VALUE: u8 = 0;
const QUOTED: u8 = 1;
const OBJECT: u8 = 0;
const BARE_OBJECT: u8 = 1;

/// What such a shape says.
pub(in crate::dialect) struct Tags<'a> {
    shape: &'a Shape,
    /// What opens and closes a section, in each spelling; nothing: there are no sections.
    section: [Vec<Text>; 2],
    /// JSON objects that are calls may stand in a section of their own.
    objects: bool,
    lead: Option<Lead>,
    call: Tag,
    end_call: Vec<Text>,
    /// None: the arguments are elements.
    param: Option<Tag>,
    end_param: Vec<Text>,
    framing: Framing,
    /// What may stand round a value in its tags.
    quotes: Option<[Text; 2]>,
    element: Option<Element>,
    /// What stands round an object in place of the parameters, if one may stand there.
    object: Option<[Text; 2]>,
}

/// Begin, a word and a separator before a call, and an end after it. They may be missing.
struct Lead {
    begin: Text,
    separator: Text,
    end: Text,
}

/// A parameter that is an element, in which elements may nest.
enum Element {
    /// Its name is an attribute.
    Typed { tag: Tag, close: Text },
    /// It is its tag.
    Named { open: Text, close: Text },
}

const CALL_HOLES: &[&str] = &["name", "name_attribute", "arguments", "id", "number"];
const PARAM_HOLES: &[&str] = &["key", "key_attribute", "type", "is_string", "value"];

impl<'a> Tags<'a> {
    /// Those of a shape, if its call is a tag with attributes, and so are its parameters, or elements.
    ///
    /// # Errors
    /// For another form that has nothing to do with the first.
    pub fn of(shape: &'a Shape) -> Result<Option<Tags<'a>>, Wrong> {
        let Some((call, before, close)) = tag_around(&shape.call, "{arguments}") else {
            return Ok(None);
        };
        let element = Element::of(shape)?;
        let Some((lead, call, close)) = Lead::of(call, close).filter(|_| before.trim().is_empty())
        else {
            return Ok(None);
        };
        let mut tags = Tags {
            shape,
            section: Default::default(),
            objects: false,
            lead,
            call,
            end_call: vec![close],
            param: None,
            end_param: Vec::new(),
            framing: Framing::None,
            quotes: None,
            element,
            object: None,
        };
        if tags.add_param(&shape.argument).is_none() && tags.element.is_none() {
            return Ok(None);
        }
        shape.parts("call", &shape.call, CALL_HOLES)?;
        shape.parts("argument", &shape.argument, PARAM_HOLES)?;
        for round in shape.all_sections()? {
            for (all, text) in tags.section.iter_mut().zip(round) {
                add(all, &text);
            }
        }
        for (at, or) in shape.or.iter().enumerate() {
            tags.add(or).ok_or_else(|| or.wrong(at, OTHERWISE))?;
        }
        Ok(Some(tags))
    }

    /// Another way to write a call: in another spelling, or with an object in place of its parameters; or what may
    /// stand in its section.
    fn add(&mut self, or: &Or) -> Option<()> {
        if let Some(object) = Object::of(&or.call) {
            self.objects = !self.section[0].is_empty() && or.call == object.object;
            return self.objects.then_some(());
        }
        let (tag, before, close) = tag_around(&or.call, "{arguments}")?;
        let (_, tag, end) = Lead::of(tag, close)?;
        add(&mut self.call.heads, &tag.heads[0]);
        if !or.argument.is_empty() {
            add(&mut self.end_call, &end);
            return self.add_param(&or.argument);
        }
        let inner = self.end_call.iter().find_map(|end| close.trim().strip_suffix(&**end))?;
        self.object = Some([before, inner].map(owned_trimmed));
        Some(())
    }

    /// The same of a parameter: in another spelling, with its value on lines of its own, or in quotes.
    fn add_param(&mut self, argument: &str) -> Option<()> {
        let (tag, before, close) = tag_around(argument, "{value}")?;
        if before.ends_with('\n') && close.starts_with('\n') {
            self.framing = Framing::LineBreak;
        }
        let quote = before.trim();
        if !quote.is_empty() {
            let inner = self.end_param.iter().find_map(|end| close.trim().strip_suffix(&**end))?;
            self.quotes = Some([quote, inner].map(owned_trimmed));
            return Some(());
        }
        add(&mut self.end_param, close);
        match &mut self.param {
            Some(param) => add(&mut param.heads, &tag.heads[0]),
            None => self.param = Some(tag),
        }
        Some(())
    }

    pub fn dialect(&self) -> Result<DialectSpec, Wrong> {
        let mut calls = vec![call(self.in_call())];
        if self.has_whole() {
            calls.push(whole_call());
        }
        let mut spec = self.shape.table(self.text())?;
        if let ArgumentsForm::Params(param) = &mut spec.template.call.arguments {
            param.quotes = self.quotes.clone().map(|[open, close]| (open, close));
        }
        let is_token = |text: &Text| ["<|", "<｜"].iter().any(|token| text.starts_with(token));
        Ok(DialectSpec {
            sections: self.sections(),
            calls,
            values: self.values(),
            bodies: self.bodies(),
            stripped: self.shape.special && self.section[1].iter().all(is_token),
            nests: self.element.as_ref().map(|element| element.opens()),
            hints: self.hints(),
            ..spec
        })
    }

    /// Returns the texts of the tags for readers, if the family has such tags.
    pub fn texts(&self) -> Option<tags_family::Texts> {
        let boxed =
            |texts: &[Text]| texts.iter().map(|text| Box::from(&**text)).collect::<Vec<_>>();
        let param = self.param.as_ref();
        let element = match &self.element {
            None => None,
            Some(Element::Typed { tag, close }) if tag.is_xml() => {
                let typed = tag.typed_by()?;
                Some([&*tag.heads[0], typed, close].map(Box::from))
            }
            Some(_) => return None,
        };
        let round = |object: &[Text; 2]| object.iter().any(|text| !text.is_empty());
        if !self.call.is_xml()
            || !param?.is_xml()
            || self.object.as_ref().is_some_and(round)
            || !self.call.is_simple()
        {
            return None;
        }
        let lead = self.lead.as_ref();
        let lead =
            lead.map(|lead| [&lead.begin, &lead.separator, &lead.end].map(|of| Box::from(&**of)));
        let quotes = self.quotes.as_ref();
        Some(tags_family::Texts {
            open: boxed(&self.section[0]),
            close: boxed(&self.section[1]),
            call: boxed(&self.call.heads),
            end_call: boxed(&self.end_call),
            param: param.map(|param| boxed(&param.heads)).unwrap_or_default(),
            end_param: boxed(&self.end_param),
            names: [self.call.called(), param?.called()].map(Box::from),
            typed: param?.typed_by().map(Box::from),
            element,
            lead,
            quotes: quotes.map(|quotes| quotes.each_ref().map(|of| Box::from(&**of))),
            id: self.call.with_hole("id").map(Box::from),
            entities: self.call.has_entities(),
            object: self.object.is_some(),
            objects: self.objects,
            lines: self.framing == Framing::LineBreak,
            token: self.shape.special,
            misspelt: self.shape.misspelt,
            stripped: self.shape.special,
            stops: boxed(&self.shape.tokens),
        })
    }

    /// What the types of values say.
    pub fn hints(&self) -> Vec<(Text, TypeHint)> {
        let param = self.param.as_ref();
        let holds = |hole| param.is_some_and(|param| param.holds(hole));
        self.shape.hints_or(match () {
            () if holds("is_string") => IS_STRING,
            () if holds("type") => TYPES,
            () => &[],
        })
    }
}

/// Values of `{is_string}`; without it a value is JSON.
const IS_STRING: &[(&str, TypeHint)] =
    &[("true", TypeHint::String), ("false", TypeHint::Json), ("", TypeHint::Json)];

/// Values of `{type}`, which calls whole numbers `number`.
const TYPES: &[(&str, TypeHint)] = &[
    ("string", TypeHint::String),
    ("number", TypeHint::Json),
    ("boolean", TypeHint::Json),
    ("null", TypeHint::Json),
    ("object", TypeHint::Json),
    ("array", TypeHint::Json),
];

impl Lead {
    /// What stands before the tag of a call, and after its closer; the tag and the closer without.
    fn of(mut tag: Tag, close: &str) -> Option<(Option<Lead>, Tag, Text)> {
        let each = |text: &str| tags(&[Part::Text(text.trim().to_string())]).unwrap_or_default();
        match &*each(&tag.heads[0]) {
            [_] => Some((None, tag, owned_trimmed(close))),
            [begin, separator, head] => {
                let [close, end] = <[Text; 2]>::try_from(each(close)).ok()?;
                let begin = Text::Owned(begin[..=begin.find('>')?].to_string());
                tag.heads = vec![head.clone()];
                Some((Some(Lead { begin, separator: separator.clone(), end }), tag, close))
            }
            _ => None,
        }
    }
}

impl Element {
    fn of(shape: &Shape) -> Result<Option<Element>, Wrong> {
        if shape.element.is_empty() {
            return Ok(None);
        }
        shape.parts("element", &shape.element, PARAM_HOLES)?;
        let typed = || {
            let (tag, _, close) = tag_around(&shape.element, "{value}")?;
            Some(Element::Typed { tag, close: owned_trimmed(close.trim().strip_suffix('>')?) })
        };
        let named = || {
            let (open, close) = shape.element.split_once("{value}")?;
            let [open, close] = [open, close].map(|tag| tag.trim().strip_suffix("{key}>"));
            Some(Element::Named { open: owned_trimmed(open?), close: owned_trimmed(close?) })
        };
        // Both tags are looked for by what they begin with.
        let alike = |element: &Element| {
            let (open, close) = element.opens();
            open.chars().next() == close.chars().next()
        };
        let what = "it is no element like `<{key}>{value}</{key}>` or `<value name=\"{key}\">{value}</value>`";
        let element = typed().or_else(named).filter(alike);
        element.map(Some).ok_or_else(|| Wrong::new("element", what))
    }

    /// What its tags begin with, up to its name or its attributes.
    fn opens(&self) -> (Text, Text) {
        match self {
            Element::Typed { tag, close } => (tag.heads[0].clone(), close.clone()),
            Element::Named { open, close } => (open.clone(), close.clone()),
        }
    }
}

/// The tag before a hole, what stands between the two, and what stands after the hole.
fn tag_around<'t>(text: &'t str, hole: &str) -> Option<(Tag, &'t str, &'t str)> {
    let (open, close) = text.split_once(hole)?;
    let (tag, before) = Tag::of(open)?;
    Some((tag, before, close))
}

fn owned_trimmed(text: &str) -> Text {
    Text::Owned(text.trim().to_string())
}
