//! An opening tag with attributes, as a shape writes it: `<call id="{id}" name="{name}">`.

use super::super::grammar::boxed;
use crate::dialect::Text;
use crate::family::tags::Other;

/// A tag. The name of a tool or a parameter is one of its attributes. The others may be missing or stand in another
/// order.
pub(super) struct Tag {
    /// The beginnings of the tag, in each spelling.
    pub heads: Vec<Text>,
    name: Attribute,
    others: Vec<Attribute>,
    /// The end of the tag: `>`, or a special token.
    pub end: Text,
}

/// An attribute: its name, and the hole that is its value.
struct Attribute {
    called: Text,
    hole: Text,
}

impl Attribute {
    fn is_name(&self) -> bool {
        matches!(&*self.hole, "name" | "name_attribute" | "key" | "key_attribute")
    }

    /// Splits the attribute that a text begins with from the rest.
    fn parse(text: &str) -> Option<(Attribute, &str)> {
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
    /// Splits the tag that a text begins with from the rest.
    pub fn parse(text: &str) -> Option<(Tag, &str)> {
        let first = text[..text.find("=\"{")?].rfind(char::is_whitespace)?;
        let (head, mut rest) = text.split_at(first);
        let mut all = Vec::new();
        while let Some((attribute, after)) = Attribute::parse(rest) {
            all.push(attribute);
            rest = after;
        }
        let name = all.remove(all.iter().position(Attribute::is_name)?);
        let (end, rest) = rest.split_at(rest.find('>')? + 1);
        let [head, end] = [head, end].map(|text| Text::Owned(text.trim().into()));
        Some((Tag { heads: vec![head], name, others: all, end }, rest))
    }

    /// Whether it is a tag like those of XML. Others are made of special tokens, and are read strictly.
    pub fn is_xml(&self) -> bool {
        self.end == ">"
    }

    /// Whether this hole is the value of an attribute.
    pub fn holds(&self, hole: &str) -> bool {
        self.others.iter().any(|other| other.hole == hole)
    }

    /// Returns the attribute that holds the name.
    pub fn called(&self) -> &str {
        &self.name.called
    }

    /// Returns the attribute with this hole.
    pub fn with_hole(&self, hole: &str) -> Option<&str> {
        self.others.iter().find(|other| other.hole == hole).map(|other| &*other.called)
    }

    /// Returns the attribute that gives the type of a value.
    pub fn typed_by(&self) -> Option<&str> {
        self.with_hole("type").or_else(|| self.with_hole("is_string"))
    }

    /// Whether names in it have entities.
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
