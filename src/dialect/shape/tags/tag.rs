//! An opening tag with attributes, as a shape writes it: `<call id="{id}" name="{name}">`.

use super::super::notation::words;
use crate::dialect::build::prefixed;
use crate::dialect::spec::{Chars, Known, Name, Pattern, Piece, Run, Text, WS};
use crate::pattern;

/// White space that must be there: it parts attributes.
const SPACE: Piece =
    Piece::Run(Run { chars: Chars::WHITE, min: 1, max: crate::bounds::WHITE_SPACE as u16 });

/// A number, perhaps in quotes.
const DIGITS: Run = Run { chars: Chars::only("\"'0123456789"), min: 1, max: 16 };

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

    /// Up to its attributes.
    pub fn head(&self) -> Pattern {
        words(&self.heads)
    }

    /// White space in it.
    pub fn gap(&self) -> Piece {
        if self.is_xml() { WS } else { Piece::Run(Run { chars: Chars::WHITE, min: 0, max: 8 }) }
    }

    /// What may stand in it after an attribute: nothing, or white space and further attributes. What stands
    /// right after the name makes it none.
    pub fn ends(&self) -> [Pattern; 2] {
        let (not, max) =
            if self.is_xml() { ("<>\r\n", crate::bounds::TAG as u16) } else { ("<\r\n", 256) };
        let rest = Run { chars: Chars::except(not), min: 0, max };
        [pattern![self.end], pattern![SPACE, rest, self.end]]
    }

    /// The same after each of these.
    pub fn ended(&self, tags: impl IntoIterator<Item = Pattern>) -> Vec<Pattern> {
        tags.into_iter().flat_map(|tag| prefixed(tag, &self.ends())).collect()
    }

    /// With its name alone, as far as it is asked for.
    pub fn plain(&self) -> Vec<Pattern> {
        self.ended([self.named(Known::Any)])
    }

    /// With each of its other attributes.
    pub fn typed(&self) -> Vec<Pattern> {
        self.ended([self.others_last(Known::Any), self.others_first(Known::Any)].concat())
    }

    /// Up to its name.
    pub fn named(&self, known: Known) -> Pattern {
        [self.head(), vec![self.gap()], self.value(&self.name, known)].concat()
    }

    /// The same with each other attribute before the name.
    pub fn others_first(&self, known: Known) -> Vec<Pattern> {
        let first = |other| {
            let tag = [self.head(), vec![self.gap()], self.value(other, known)].concat();
            [tag, vec![SPACE], self.value(&self.name, known)].concat()
        };
        self.others.iter().map(first).collect()
    }

    /// The same with each other attribute after the name, if it says something.
    pub fn others_last(&self, known: Known) -> Vec<Pattern> {
        let others = self.others.iter().filter(|other| other.hole != "number");
        let last = |other| [self.named(known), vec![SPACE], self.value(other, known)].concat();
        others.map(last).collect()
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

    /// Of a call: beside its name it holds an id at most.
    pub fn is_simple(&self) -> bool {
        self.others.iter().all(|other| other.hole == "id")
    }

    /// An attribute with its value.
    fn value(&self, attribute: &Attribute, known: Known) -> Pattern {
        let name = match &*attribute.hole {
            "name" | "name_attribute" => Name::tool().known(known),
            "key" | "key_attribute" => Name::param().known(known),
            "id" => Name::id(),
            _ => Name::hint(),
        };
        let mut name = name.attribute();
        if self.name.hole.ends_with("_attribute") {
            name = Name { quoted: Some(Chars::except("\n")), entities: true, ..name };
        }
        let value = if attribute.hole == "number" { DIGITS.into() } else { Piece::from(name) };
        pattern![attribute.called, self.gap(), "=", self.gap(), value]
    }
}
