//! An opening tag with attributes, as a shape writes it: `<call id="{id}" name="{name}">`.

use super::super::grammar::boxed;
use crate::dialect::Text;
use crate::family::tags::Other;

/// A tag. The name of a tool or a parameter is one of its attributes; the others may be missing or stand in another
/// order.
pub(super) struct Tag {
    /// What it begins with, in each spelling.
    pub heads: Vec<Text>,
    name: Attribute,
    others: Vec<Attribute>,
    /// What ends it: `>`, or a special token.
    pub end: Text,
}

/// What it is called, and the hole that is its value.
struct Attribute {
    called: Text,
    hole: Text,
}

impl Attribute {
    fn is_name(&self) -> bool {
        matches!(&*self.hole, "name" | "name_attribute" | "key" | "key_attribute")
    }

    /// That which a text begins with, and the rest.
    fn of(text: &str) -> Option<(Attribute, &str)> {
        let (called, rest) = text.trim_start().split_once("=\"{")?;
        let (hole, rest) = rest.split_once("}\"")?;
        let is_word =
            |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-:.".contains(c));
        let owned = |text: &str| Text::Owned(text.to_string());
        (is_word(called) && is_word(hole))
            .then(|| (Attribute { called: owned(called), hole: owned(hole) }, rest))
    }
}

impl Tag {
    /// The tag that a text begins with, and the rest of the text.
    pub fn of(text: &str) -> Option<(Tag, &str)> {
        let first = text[..text.find("=\"{")?].rfind(char::is_whitespace)?;
        let (head, mut rest) = text.split_at(first);
        let mut all = Vec::new();
        while let Some((attribute, after)) = Attribute::of(rest) {
            all.push(attribute);
            rest = after;
        }
        let name = all.remove(all.iter().position(Attribute::is_name)?);
        let (end, rest) = rest.split_at(rest.find('>')? + 1);
        let [head, end] = [head, end].map(|text| Text::Owned(text.trim().into()));
        Some((Tag { heads: vec![head], name, others: all, end }, rest))
    }

    /// Its like are those of XML; others are made of special tokens, strictly.
    pub fn is_xml(&self) -> bool {
        self.end == ">"
    }

    /// Whether this hole is the value of an attribute.
    pub fn holds(&self, hole: &str) -> bool {
        self.others.iter().any(|other| other.hole == hole)
    }

    /// The attribute that holds the name.
    pub fn called(&self) -> &str {
        &self.name.called
    }

    /// The attribute that holds this.
    pub fn with_hole(&self, hole: &str) -> Option<&str> {
        self.others.iter().find(|other| other.hole == hole).map(|other| &*other.called)
    }

    /// The attribute that says the type of a value.
    pub fn typed_by(&self) -> Option<&str> {
        self.with_hole("type").or_else(|| self.with_hole("is_string"))
    }

    /// Names in it have entities.
    pub fn has_entities(&self) -> bool {
        self.name.hole.ends_with("_attribute")
    }

    /// Returns the other attributes of a call, for readers.
    pub fn others_called(&self) -> Vec<Other> {
        let called = |other: &Attribute| match &*other.hole {
            "id" => Some(Other::Id(boxed(&other.called))),
            "number" => Some(Other::Number(boxed(&other.called))),
            _ => None,
        };
        self.others.iter().filter_map(called).collect()
    }
}
