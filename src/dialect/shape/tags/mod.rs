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
//! [`Tags`] has the parts of such a shape. [`tags`](crate::family::tags) reads its calls.

mod tag;

use super::derive::add;
use super::grammar::boxed;
use super::notation::{Part, tags};
use super::object::Object;
use super::{OTHERWISE, Or, Shape, Wrong};
use crate::dialect::Text;
use crate::event::TypeHint;
use crate::family::Family;
use crate::family::tags::nested::{self, Nested};
use crate::family::tags::{self as tags_family, Tagged};
use tag::Tag;

/// The parts of a shape of tags.
pub(in crate::dialect) struct Tags<'a> {
    shape: &'a Shape,
    /// The openers and the closers of a section, in each spelling. Empty: there are no sections.
    section: [Vec<Text>; 2],
    /// JSON objects that are calls may stand in a section of their own.
    objects: bool,
    lead: Option<Lead>,
    call: Tag,
    end_call: Vec<Text>,
    /// None: the arguments are elements.
    param: Option<Tag>,
    end_param: Vec<Text>,
    lines: bool,
    /// Texts that may stand around a value in its tags.
    quotes: Option<[Text; 2]>,
    element: Option<Element>,
    /// The texts around an object in place of the parameters, if one may stand there.
    object: Option<[Text; 2]>,
}

/// The texts before a call (begin, a word and a separator) and behind it (end). They may be missing.
struct Lead {
    begin: Text,
    separator: Text,
    end: Text,
}

/// A parameter that is an element, in which elements may nest.
enum Element {
    /// An element whose name is an attribute.
    Typed { tag: Tag, close: Text },
    /// An element whose name is its tag.
    Named { open: Text, close: Text },
}

const CALL_HOLES: &[&str] = &["name", "name_attribute", "arguments", "id", "number"];
const PARAM_HOLES: &[&str] = &["key", "key_attribute", "type", "is_string", "value"];

impl<'a> Tags<'a> {
    /// Returns the tags of a shape, if its call is a tag with attributes, and its parameters are tags with
    /// attributes or elements.
    ///
    /// # Errors
    /// Another form that has nothing to do with the first.
    pub fn from_shape(shape: &'a Shape) -> Result<Option<Tags<'a>>, Wrong> {
        let Some((call, before, close)) = tag_around(&shape.call, "{arguments}") else {
            return Ok(None);
        };
        let element = Element::from_shape(shape)?;
        let Some((lead, call, close)) =
            Lead::find(call, close).filter(|_| before.trim().is_empty())
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
            lines: false,
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
            tags.add(or).ok_or_else(|| or.mistake(at, OTHERWISE))?;
        }
        Ok(Some(tags))
    }

    /// Adds another form of a call: another spelling, or one with an object in place of its parameters. Or adds
    /// the objects that may stand in its section.
    fn add(&mut self, or: &Or) -> Option<()> {
        if let Some(object) = Object::parse(&or.call) {
            self.objects = !self.section[0].is_empty() && or.call == object.object;
            return self.objects.then_some(());
        }
        let (tag, before, close) = tag_around(&or.call, "{arguments}")?;
        let (_, tag, end) = Lead::find(tag, close)?;
        add(&mut self.call.heads, &tag.heads[0]);
        if !or.argument.is_empty() {
            add(&mut self.end_call, &end);
            return self.add_param(&or.argument);
        }
        let inner = self.end_call.iter().find_map(|end| close.trim().strip_suffix(&**end))?;
        self.object = Some([before, inner].map(owned_trimmed));
        Some(())
    }

    /// Adds another form of a parameter: another spelling, or one with its value on lines of its own, or in
    /// quotes.
    fn add_param(&mut self, argument: &str) -> Option<()> {
        let (tag, before, close) = tag_around(argument, "{value}")?;
        if before.ends_with('\n') && close.starts_with('\n') {
            self.lines = true;
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

    /// Whether servers strip the closers of its sections, which are special tokens.
    fn is_stripped(&self) -> bool {
        let is_token = |text: &Text| ["<|", "<｜"].iter().any(|token| text.starts_with(token));
        self.shape.special && self.section[1].iter().all(is_token)
    }

    /// Returns the family that reads such tags.
    ///
    /// # Errors
    /// [`Wrong`] for something that no family has beside elements that are named by their tags.
    pub fn family(&self) -> Result<Box<dyn Family>, Wrong> {
        let Some(Element::Named { open, close }) = &self.element else {
            return Ok(Box::new(Tagged::new(self.texts()?)));
        };
        let beside = |field: &str, text: &str| {
            let what = format!(
                "in `{text}`: where elements are named by their tags, nothing stands beside them"
            );
            Err(Wrong::new(field, what))
        };
        if let Some(or) = self.shape.or.iter().position(|or| Object::parse(&or.call).is_some()) {
            return beside(&format!("or[{or}].call"), &self.shape.or[or].call);
        }
        if self.object.is_some() || self.lead.is_some() {
            return beside("call", &self.shape.call);
        }
        let reserved = self.reserved_names(open);
        Ok(Box::new(Nested::new(nested::Texts {
            own: self.texts()?,
            element: nested::Tags { texts: [boxed(open), boxed(close)], reserved },
            plain: None,
        })))
    }

    /// Returns the names that begin the dialect's own tags: no element has such a name.
    fn reserved_names(&self, open: &Text) -> Vec<Box<str>> {
        let own = self.section[0].iter().chain(&self.call.heads);
        let own = own.filter_map(|text| text.strip_prefix(&**open));
        own.map(|text| Box::from(text.trim_end_matches('>'))).collect()
    }

    /// Returns the texts of the tags for readers.
    fn texts(&self) -> Result<tags_family::Texts, Wrong> {
        let all = |texts: &[Text]| texts.iter().map(boxed).collect::<Vec<_>>();
        let element = match &self.element {
            Some(Element::Typed { tag, close }) if tag.is_xml() => Some(tags_family::Element {
                head: boxed(&tag.heads[0]),
                close: boxed(close),
                name: tag.called().into(),
                typed: tag.typed_by().map(Box::from),
            }),
            Some(Element::Typed { .. }) => {
                let what = format!("in `{}`: its tag ends with `>`", self.shape.element);
                return Err(Wrong::new("element", what));
            }
            Some(Element::Named { .. }) | None => None,
        };
        let end = |tag: &Tag| (!tag.is_xml()).then(|| boxed(&tag.end));
        let param = self.param.as_ref();
        let lead = self.lead.as_ref();
        Ok(tags_family::Texts {
            open: all(&self.section[0]),
            close: all(&self.section[1]),
            call: all(&self.call.heads),
            end_call: all(&self.end_call),
            param: param.map(|param| all(&param.heads)).unwrap_or_default(),
            end_param: all(&self.end_param),
            names: [self.call.called(), param.map_or("", Tag::called)].map(Box::from),
            typed: param.and_then(Tag::typed_by).map(Box::from),
            element,
            by_tag: None,
            lead: lead.map(|lead| [&lead.begin, &lead.separator, &lead.end].map(boxed)),
            quotes: self.quotes.as_ref().map(|quotes| quotes.each_ref().map(boxed)),
            others: self.call.others_called(),
            token_ends: [end(&self.call), param.and_then(end)],
            entities: self.call.has_entities(),
            object: self.object.as_ref().map(|object| object.each_ref().map(boxed)),
            objects: self.objects,
            lines: self.lines,
            token: self.shape.special,
            misspelt: self.shape.misspelt,
            stripped: self.is_stripped(),
            stops: all(&self.shape.tokens),
        })
    }

    /// Whether names stand in attributes with entities.
    pub fn has_entities(&self) -> bool {
        self.call.has_entities()
    }

    /// Returns the texts that may stand around values.
    pub fn quotes(&self) -> Option<(Text, Text)> {
        self.quotes.clone().map(|[open, close]| (open, close))
    }

    /// Returns the opener and the closer of elements, if they nest in values.
    pub fn nests(&self) -> Option<[Text; 2]> {
        self.element.as_ref().map(|element| element.opens().into())
    }

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

/// The values of `{is_string}`. Without it a value is JSON.
const IS_STRING: &[(&str, TypeHint)] =
    &[("true", TypeHint::String), ("false", TypeHint::Json), ("", TypeHint::Json)];

/// The values of `{type}`. Whole numbers are `number`.
const TYPES: &[(&str, TypeHint)] = &[
    ("string", TypeHint::String),
    ("number", TypeHint::Json),
    ("boolean", TypeHint::Json),
    ("null", TypeHint::Json),
    ("object", TypeHint::Json),
    ("array", TypeHint::Json),
];

impl Lead {
    /// Splits the lead off a call's tag and closer. Returns the lead, if there is one, the tag, and the
    /// closer.
    fn find(mut tag: Tag, close: &str) -> Option<(Option<Lead>, Tag, Text)> {
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
    fn from_shape(shape: &Shape) -> Result<Option<Element>, Wrong> {
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
        // A scan looks for both tags by their first character.
        let alike = |element: &Element| {
            let (open, close) = element.opens();
            open.chars().next() == close.chars().next()
        };
        let what = "it must be an element like `<{key}>{value}</{key}>` or `<value name=\"{key}\">{value}</value>`";
        let element = typed().or_else(named).filter(alike);
        element.map(Some).ok_or_else(|| Wrong::new("element", what))
    }

    /// Returns the beginnings of its tags, up to the name or the attributes.
    fn opens(&self) -> (Text, Text) {
        match self {
            Element::Typed { tag, close } => (tag.heads[0].clone(), close.clone()),
            Element::Named { open, close } => (open.clone(), close.clone()),
        }
    }
}

/// Returns the tag before a hole, the text between the two, and the text behind the hole.
fn tag_around<'t>(text: &'t str, hole: &str) -> Option<(Tag, &'t str, &'t str)> {
    let (open, close) = text.split_once(hole)?;
    let (tag, before) = Tag::parse(open)?;
    Some((tag, before, close))
}

fn owned_trimmed(text: &str) -> Text {
    Text::Owned(text.trim().to_string())
}
