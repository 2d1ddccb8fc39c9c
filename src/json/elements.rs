//! Nested elements as JSON values.
//!
//! ```text
//! value   := text | element ( ws element )*
//! element := "<" NAME ">" value "</" NAME ">"  |  "<value name=K type=T>" value "</value>"
//! ```
//! The texts in place of `<` and `<value` are the dialect's ([`Facts::nests`]). The schema says whether
//! elements are a list or an object. Without a schema, elements with the name `item`, or without a name, are
//! a list.
//!
//! [`Facts::nests`]: crate::dialect::facts::Facts::nests

use serde_json::{Map, Value};

use super::coerce::{self, fits};
use crate::event::DiagnosticKind;
use crate::json::white::trim;
use crate::options::bounds;
use crate::read::names;
use crate::repair::Repairs;
use crate::tool::Type;
use crate::tool::types::{self, ValueTypes, joined};

/// A value, and its diagnostic.
type Read = (Value, Option<DiagnosticKind>);

/// The name of elements of a list, if they have one.
const ITEM: &str = "item";

/// The writing of elements, and the means to read them.
pub(crate) struct Elements<'a> {
    /// The text that opens and closes an element, up to its name or its attributes.
    pub open: &'a str,
    pub close: &'a str,
    /// The schema in which `$ref`s are resolved.
    pub root: &'a Value,
    pub decode_entities: bool,
    pub repairs: Repairs,
}

/// The type that a value should have.
pub(crate) struct Wanted<'a> {
    pub types: ValueTypes,
    pub schema: Option<&'a Value>,
    /// The type on the wire: `raw`, `json`, `dict`, `list`.
    pub wire: &'a str,
}

struct Element<'t> {
    name: String,
    wire: &'t str,
    text: &'t str,
}

/// A tag of an element: its place, and the text in it behind `open` or `close`.
struct Tag<'t> {
    start: usize,
    end: usize,
    opens: bool,
    inside: &'t str,
}

impl Elements<'_> {
    /// Returns the value of a text; `None`: it is not an element and not empty, so it is a value like any other.
    pub fn read(&self, text: &str, wanted: &Wanted<'_>) -> Option<Read> {
        match self.elements(text) {
            Some(_) if self.is_too_deep(text) || self.is_text(wanted) => {
                Some((text.into(), Some(DiagnosticKind::TypeMismatch)))
            }
            Some(elements) => Some(self.fitting(self.container(&elements, wanted), wanted)),
            None => empty(text, wanted).map(|value| (value, None)),
        }
    }

    fn value(&self, text: &str, wanted: &Wanted<'_>) -> Read {
        let elements = if wanted.wire == "raw" { None } else { self.elements(text) };
        let read = match elements {
            Some(_) if self.is_text(wanted) => (text.into(), Some(DiagnosticKind::TypeMismatch)),
            Some(elements) => self.container(&elements, wanted),
            None => self.leaf(text, wanted),
        };
        self.fitting(read, wanted)
    }

    /// Whether elements are plain text: their tags are their names, and the schema has types without lists
    /// and objects. If the wire has a type, elements are elements.
    fn is_text(&self, wanted: &Wanted<'_>) -> bool {
        self.is_named_by_tag() && !may_nest(&wanted.types)
    }

    /// Checks a value: the type on the wire stays, but a type that the schema does not allow is reported.
    fn fitting(&self, (value, problem): Read, wanted: &Wanted<'_>) -> Read {
        let fits = is_any(&wanted.types) || fits(&value, &wanted.types);
        (value, problem.or((!fits).then_some(DiagnosticKind::TypeMismatch)))
    }

    fn leaf(&self, text: &str, wanted: &Wanted<'_>) -> Read {
        match wanted.wire {
            "raw" => return (text.into(), None),
            "json" => return coerce::json(text, self.repairs),
            _ => {}
        }
        if let Some(value) = empty(text, wanted) {
            return (value, None);
        }
        match wanted.wire {
            "dict" | "list" => coerce::json(text, self.repairs),
            _ if self.decode_entities => {
                coerce::coerce(&coerce::decode_entities(text), &wanted.types, self.repairs)
            }
            _ => coerce::coerce(text, &wanted.types, self.repairs),
        }
    }

    fn container(&self, elements: &[Element<'_>], wanted: &Wanted<'_>) -> Read {
        let [list, object] = [Type::Array, Type::Object].map(|of| wanted.types.has(of));
        let are_items = elements.iter().all(|of| matches!(&*of.name, "" | ITEM));
        match wanted.wire {
            "dict" => return self.object(elements, wanted.schema),
            "list" => return self.list(elements, wanted.schema),
            _ => {}
        }
        let is_list = if list == object { are_items } else { list };
        if !is_list {
            return self.object(elements, wanted.schema);
        }
        if are_items {
            return self.list(elements, wanted.schema);
        }
        // The list itself was repeated, or its elements have another name.
        let items = self.items(wanted.schema);
        let one = elements.iter().all(|of| self.property(items, &of.name).is_some());
        if items.is_none() || !one {
            return self.list(elements, wanted.schema);
        }
        let (only, problem) = self.object(elements, items);
        (vec![only].into(), problem)
    }

    fn list(&self, elements: &[Element<'_>], schema: Option<&Value>) -> Read {
        let items = self.items(schema);
        let values = elements.iter().map(|of| self.value(of.text, &self.wanted(items, of)));
        let (list, problems): (Vec<_>, Vec<_>) = values.unzip();
        (list.into(), problems.into_iter().flatten().next())
    }

    /// Reads an object. Elements with a repeated name are a list.
    fn object(&self, elements: &[Element<'_>], schema: Option<&Value>) -> Read {
        let mut members: Map<String, Value> = Map::new();
        let mut places: std::collections::HashMap<&str, Vec<&Element<'_>>> = Default::default();
        for element in elements {
            places.entry(&element.name).or_default().push(element);
            members.entry(&element.name).or_insert(Value::Null);
        }
        let mut problem = None;
        for (name, member) in &mut members {
            let own = self.property(schema, name);
            let (value, found) = match &*places[&**name] {
                [only] => self.value(only.text, &self.wanted(own, only)),
                pieces => self.joined(pieces, own),
            };
            problem = problem.or(found);
            *member = value;
        }
        (members.into(), problem)
    }

    /// Returns the list of a repeated element. The schema may be the list's or its elements'.
    fn joined(&self, pieces: &[&Element<'_>], schema: Option<&Value>) -> Read {
        let of_list =
            schema.is_some_and(|schema| ValueTypes::from_schema(schema, self.root).is_list());
        let items = if of_list { self.items(schema) } else { schema };
        let values = pieces.iter().map(|of| self.value(of.text, &self.wanted(items, of)));
        let (list, problems): (Vec<_>, Vec<_>) = values.unzip();
        (list.into(), problems.into_iter().flatten().next())
    }

    fn wanted<'s>(&self, schema: Option<&'s Value>, of: &Element<'s>) -> Wanted<'s> {
        let types =
            schema.map(|schema| ValueTypes::from_schema(schema, self.root)).unwrap_or_default();
        Wanted { types, schema, wire: of.wire }
    }

    fn items<'s>(&'s self, schema: Option<&'s Value>) -> Option<&'s Value> {
        schema.and_then(|schema| types::items(schema, self.root))
    }

    fn property<'s>(&'s self, schema: Option<&'s Value>, name: &str) -> Option<&'s Value> {
        property(schema?, self.root, name)
    }

    /// Returns the elements of a text, if it is nothing else.
    fn elements<'t>(&self, text: &'t str) -> Option<Vec<Element<'t>>> {
        let mut rest = trim(text);
        let mut elements = Vec::new();
        while !rest.is_empty() {
            let first = self.tag(rest, 0).filter(|tag| tag.opens && tag.start == 0)?;
            let (mut depth, mut at) = (1, first.end);
            let last = loop {
                let tag = self.tag(rest, at)?;
                at = tag.end;
                depth = if tag.opens { depth + 1 } else { depth - 1 };
                if depth == 0 {
                    break tag;
                }
            };
            let text = &rest[first.end..last.start];
            let (name, wire) = if !self.is_named_by_tag() {
                attributes(first.inside)
            } else if first.inside == last.inside {
                (first.inside.to_string(), "")
            } else {
                return None;
            };
            elements.push(Element { name, wire, text });
            rest = trim(&rest[last.end..]);
        }
        (!elements.is_empty()).then_some(elements)
    }

    fn is_too_deep(&self, text: &str) -> bool {
        let (mut depth, mut at) = (0_usize, 0);
        while let Some(tag) = self.tag(text, at) {
            depth = if tag.opens { depth + 1 } else { depth.saturating_sub(1) };
            if depth > bounds::DEPTH {
                return true;
            }
            at = tag.end;
        }
        false
    }

    /// Whether the tag of an element is its name, and has no attributes.
    fn is_named_by_tag(&self) -> bool {
        self.open.ends_with('<')
    }

    /// Returns the next tag at or after `at`.
    fn tag<'t>(&self, text: &'t str, mut at: usize) -> Option<Tag<'t>> {
        let same = self.open.bytes().zip(self.close.bytes()).take_while(|(a, b)| a == b).count();
        let lead = &self.open[..same];
        loop {
            let start = at + text[at..].find(lead)?;
            let rest = &text[start..];
            let close = rest.strip_prefix(self.close).map(|inside| (false, inside));
            let tag = close.or_else(|| rest.strip_prefix(self.open).map(|inside| (true, inside)));
            let tag = tag.and_then(|(opens, inside)| {
                let (inside, _) = inside.split_at(inside.find(['<', '>'])?);
                let end = text.len() - rest.len() + self.len(opens) + inside.len();
                let is_tag = text.as_bytes()[end] == b'>' && self.may_hold(inside, opens);
                is_tag.then_some(Tag { start, end: end + 1, opens, inside })
            });
            if tag.is_some() {
                return tag;
            }
            at = start + lead.chars().next().map_or(text.len() - start, char::len_utf8);
        }
    }

    fn len(&self, opens: bool) -> usize {
        if opens { self.open.len() } else { self.close.len() }
    }

    fn may_hold(&self, inside: &str, opens: bool) -> bool {
        if self.is_named_by_tag() {
            !inside.is_empty() && !inside.contains(['/', ' ', '\t', '\r', '\n'])
        } else if opens {
            inside.starts_with([' ', '\t', '\r', '\n'])
        } else {
            trim(inside).is_empty()
        }
    }
}

/// Whether elements in a value of these types are more than text.
pub(crate) fn may_nest(types: &ValueTypes) -> bool {
    types.types.is_empty() || types.has(Type::Array) || types.has(Type::Object)
}

/// Whether a schema allows any type.
fn is_any(types: &ValueTypes) -> bool {
    types.types.is_empty()
}

/// Returns the list or object of an empty text, if it may be one and may not be a string.
fn empty(text: &str, wanted: &Wanted<'_>) -> Option<Value> {
    if !trim(text).is_empty() || wanted.types.has(Type::String) {
        return None;
    }
    match wanted.wire {
        "dict" => Some(Map::new().into()),
        "list" => Some(Vec::<Value>::new().into()),
        _ if wanted.types.has(Type::Array) => Some(Vec::<Value>::new().into()),
        _ if wanted.types.has(Type::Object) => Some(Map::new().into()),
        _ => None,
    }
}

/// Returns the schema of a member of an object.
pub(crate) fn property<'s>(schema: &'s Value, root: &'s Value, name: &str) -> Option<&'s Value> {
    let parts = joined(schema, root);
    let own = parts.iter().find_map(|part| part.get("properties")?.get(name));
    own.or_else(|| {
        let mut other = parts.iter().filter_map(|part| part.get("additionalProperties"));
        other.find(|schema| schema.is_object())
    })
}

/// Returns the values of `name` and `type`; empty if they are missing.
fn attributes(inside: &str) -> (String, &str) {
    let mut name = attribute(inside, "name").to_string();
    names::decode(&mut name);
    (name, attribute(inside, "type"))
}

fn attribute<'t>(inside: &'t str, wanted: &str) -> &'t str {
    let mut rest = trim(inside);
    while let Some((key, after)) = rest.split_once('=') {
        let after = trim(after);
        let quote = after.chars().next().filter(|first| matches!(first, '"' | '\''));
        let (value, left) = match quote {
            Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
            None => after.split_once([' ', '\t', '\r', '\n']).unwrap_or((after, "")),
        };
        if trim(key) == wanted {
            return value;
        }
        rest = trim(left);
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str, schema: &Value, tags: [&str; 2]) -> Option<Read> {
        read_with(text, schema, tags, false)
    }

    fn read_with(
        text: &str,
        schema: &Value,
        [open, close]: [&str; 2],
        decode_entities: bool,
    ) -> Option<Read> {
        let repairs = Repairs::Default;
        let elements = Elements { open, close, root: schema, decode_entities, repairs };
        let types = ValueTypes::from_schema(schema, schema);
        elements.read(text, &Wanted { types, schema: Some(schema), wire: "" })
    }

    #[test]
    fn tags_that_are_names() {
        let rows = json!({"type": "array", "items":
            {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}});
        let deep = json!({"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "integer"}}}});
        for (text, schema, expected) in [
            ("<a>1</a><b>x</b>", json!({}), Some(json!({"a": "1", "b": "x"}))),
            ("<item>1</item> <item></item>\n", json!({}), Some(json!(["1", ""]))),
            ("<a>1</a><a>2</a><b>3</b>", json!({}), Some(json!({"a": ["1", "2"], "b": "3"}))),
            ("<item>1</item>", json!({"type": "object"}), Some(json!({"item": "1"}))),
            (
                "<item><n>1</n></item><item><s>1</s></item>",
                rows.clone(),
                Some(json!([{"n": 1}, {"s": "1"}])),
            ),
            ("<n>1</n>", rows.clone(), Some(json!([{"n": 1}]))),
            (
                "<row><n>1</n></row><row><n>2</n></row>",
                rows.clone(),
                Some(json!([{"n": 1}, {"n": 2}])),
            ),
            ("<ids><item>1</item></ids>", deep.clone(), Some(json!({"ids": [1]}))),
            ("<ids>1</ids><ids>2</ids>", deep.clone(), Some(json!({"ids": [1, 2]}))),
            ("<ids></ids>", deep.clone(), Some(json!({"ids": []}))),
            ("<item><s><b>x</b></s></item>", rows.clone(), Some(json!([{"s": "<b>x</b>"}]))),
            (" ", rows, Some(json!([]))),
            ("", json!({"type": "string"}), None),
            ("x <a>1</a>", json!({}), None),
            ("<a>1</b>", json!({}), None),
            ("<a>1", json!({}), None),
            ("<a>1</a></a>", json!({}), None),
            ("<a b>1</a b>", json!({}), None),
            ("<>1</>", json!({}), None),
        ] {
            let value = read(text, &schema, ["<", "</"]).map(|(value, _)| value);
            assert_eq!(value, expected, "{text}");
        }
    }

    #[test]
    fn tags_with_attributes() {
        for (text, expected) in [
            (
                "<v name=\"a&quot;&amp;\" type=\"raw\"> 1 &amp; </v><v type='json' name=b>[1]</v>",
                Some(json!({"a\"&": " 1 &amp; ", "b": [1]})),
            ),
            (
                "<v name=\"a\" type=\"list\"><v type=\"raw\">x</v><v type=\"dict\"></v></v>",
                Some(json!({"a": ["x", {}]})),
            ),
            ("<v type=\"list\"></v>", Some(json!([[]]))),
            // By its elements it would be the other.
            ("<v name=\"a\" type=\"list\"><v name=\"x\">1</v></v>", Some(json!({"a": ["1"]}))),
            (
                "<v name=\"a\" type=\"dict\"><v name=\"item\">1</v></v>",
                Some(json!({"a": {"item": "1"}})),
            ),
            ("<vv name=\"a\">1</vv>", None),
        ] {
            let value = read(text, &json!({}), ["<v", "</v"]).map(|(value, _)| value);
            assert_eq!(value, expected, "{text}");
        }
    }

    #[test]
    fn what_the_wire_says_stays_and_is_told() {
        let schema = json!({"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}});
        let mismatch = Some(DiagnosticKind::TypeMismatch);
        for (text, value, problem) in [
            ("<v name=n type=raw>1</v>", json!({"n": "1"}), mismatch),
            ("<v name=n type=json>\"1\"</v>", json!({"n": "1"}), mismatch),
            ("<v name=n type=json>1</v>", json!({"n": 1}), None),
            ("<v name=s type=raw>1</v>", json!({"s": "1"}), None),
            ("<v name=x type=raw>1</v>", json!({"x": "1"}), None),
            ("<v name=s type=dict>{\"x\": 1}</v>", json!({"s": {"x": 1}}), mismatch),
            ("<v name=x type=list>[1]</v>", json!({"x": [1]}), None),
        ] {
            assert_eq!(read(text, &schema, ["<v", "</v"]), Some((value, problem)), "{text}");
        }
        let read = read("<n>1</n><s>2</s>", &schema, ["<", "</"]);
        assert_eq!(read, Some((json!({"n": 1, "s": "2"}), None)));
    }

    #[test]
    fn entities_are_decoded_where_the_dialect_says_so() {
        let read = |decodes| read_with("<a>1 &lt; 2</a>", &json!({}), ["<", "</"], decodes);
        assert_eq!(read(true), Some((json!({"a": "1 < 2"}), None)));
        assert_eq!(read(false), Some((json!({"a": "1 &lt; 2"}), None)));
    }

    #[test]
    fn the_deepest_that_is_read() {
        let nested = |depth| "<a>".repeat(depth) + &"</a>".repeat(depth);
        let problem = |depth| read(&nested(depth), &json!({}), ["<", "</"]).expect("elements").1;
        assert_eq!(problem(bounds::DEPTH), None);
        assert_eq!(problem(bounds::DEPTH + 1), Some(DiagnosticKind::TypeMismatch));
    }

    #[test]
    fn deep_ones_are_texts() {
        let text = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
        let (_, problem) = read(&text, &json!({}), ["<", "</"]).expect("elements");
        assert_eq!(problem, Some(DiagnosticKind::TypeMismatch));
    }
}
