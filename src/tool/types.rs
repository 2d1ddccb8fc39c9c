//! The types that a JSON Schema allows, as far as they decide how a value is read.

use std::sync::Arc;

use serde_json::Value;
use smallvec::SmallVec;

use super::json::ForeignType;
use super::{Param, Type};

/// The most `$ref`s that are followed in a row.
const REFS: usize = 32;

/// The names of JSON Schema, and those of Python, which schemas made by hand often have.
const NAMES: [(&str, Type); 15] = [
    ("null", Type::Null),
    ("boolean", Type::Boolean),
    ("integer", Type::Integer),
    ("number", Type::Number),
    ("string", Type::String),
    ("array", Type::Array),
    ("object", Type::Object),
    ("none", Type::Null),
    ("bool", Type::Boolean),
    ("int", Type::Integer),
    ("float", Type::Number),
    ("str", Type::String),
    ("list", Type::Array),
    ("tuple", Type::Array),
    ("dict", Type::Object),
];

/// The types of the name `any`. String comes first: an example of such a value is a text.
const ANY: [Type; 7] = [
    Type::String,
    Type::Integer,
    Type::Number,
    Type::Boolean,
    Type::Array,
    Type::Object,
    Type::Null,
];

/// The values that a schema allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValueTypes {
    /// The types; empty: any, and the value stays text. Not on the heap: they are needed at each parameter.
    pub types: SmallVec<[Type; 8]>,
    /// The only texts that are strings of this schema; `None`: every text is.
    pub texts: Option<Arc<[String]>>,
    /// The schema is missing, and the text is read as JSON ([`Types::Guess`](crate::options::Types::Guess)).
    pub guess: bool,
}

impl ValueTypes {
    /// Returns the values that `schema` allows, with `$ref`s resolved in `root`.
    pub fn from_schema(schema: &Value, root: &Value) -> ValueTypes {
        ValueTypes::of_parts(joined(schema, root))
    }

    /// Returns the values that a list of this schema may hold, if the schema states them.
    pub fn of_items(schema: &Value, root: &Value) -> Option<ValueTypes> {
        let items = joined(schema, root).into_iter().filter_map(|part| part.get("items"));
        let items: Vec<_> = items.flat_map(|items| joined(items, root)).collect();
        (!items.is_empty()).then(|| ValueTypes::of_parts(items))
    }

    fn of_parts(parts: Vec<&Value>) -> ValueTypes {
        let (mut types, mut texts, mut any_text) = (SmallVec::new(), Vec::new(), false);
        for part in parts {
            let named = named_types(part);
            let members: Vec<&Value> = members(part).collect();
            any_text |= members.is_empty() && named.contains(&Type::String);
            texts.extend(members.iter().filter_map(|member| member.as_str()).map(String::from));
            for of in named.into_iter().chain(members.into_iter().map(type_of)) {
                if !types.contains(&of) {
                    types.push(of);
                }
            }
        }
        let restricted = types.contains(&Type::String) && !any_text;
        ValueTypes { types, texts: restricted.then(|| texts.into()), guess: false }
    }

    /// Makes the types of any value, read as the JSON that its text is.
    pub fn guessed() -> ValueTypes {
        ValueTypes { types: SmallVec::from_slice(&ANY), texts: None, guess: true }
    }

    pub fn has(&self, of: Type) -> bool {
        self.types.contains(&of)
    }

    /// Whether the value is any text, as it stands.
    pub fn is_text(&self) -> bool {
        self.types.iter().all(|of| *of == Type::String)
    }

    /// Whether every text is a string of this schema.
    pub fn has_any_text(&self) -> bool {
        self.has(Type::String) && self.texts.is_none() && !self.guess
    }

    /// Whether the value is a list, and never only a text.
    pub fn is_list(&self) -> bool {
        self.has(Type::Array) && !self.has(Type::String)
    }

    /// Returns the string in `text`: `text` itself, or `bare`, which is `text` without white space around it.
    pub fn string<'t>(&self, text: &'t str, bare: &'t str) -> Option<&'t str> {
        match &self.texts {
            Some(texts) => [text, bare].into_iter().find(|text| texts.iter().any(|of| of == text)),
            None => self.has(Type::String).then_some(text),
        }
    }
}

impl From<&Param> for ValueTypes {
    fn from(param: &Param) -> ValueTypes {
        ValueTypes {
            types: param.types.as_slice().into(),
            texts: param.texts.clone(),
            guess: false,
        }
    }
}

impl From<Type> for ValueTypes {
    fn from(of: Type) -> Self {
        ValueTypes { types: SmallVec::from_slice(&[of]), texts: None, guess: false }
    }
}

/// Returns the types that a schema allows, with `$ref`s followed inside `root`; none: any.
pub(crate) fn types(schema: &Value, root: &Value) -> SmallVec<[Type; 8]> {
    ValueTypes::from_schema(schema, root).types
}

/// Whether these are the types of the name `any`.
pub(crate) fn is_any(types: &[Type]) -> bool {
    types.len() == ANY.len()
}

/// Whether the schema has a property with this name, at any depth.
pub(crate) fn has_key(schema: &Value, key: &str) -> bool {
    match schema {
        Value::Object(members) => {
            let properties = members.get("properties");
            properties.is_some_and(|properties| properties.get(key).is_some())
                || members.values().any(|member| has_key(member, key))
        }
        Value::Array(members) => members.iter().any(|member| has_key(member, key)),
        _ => false,
    }
}

/// Returns the schema of a list's elements.
pub(crate) fn items<'s>(schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    joined(schema, root).into_iter().find_map(|schema| schema.get("items"))
}

/// Returns the schema and all schemas that are joined in it, each once.
pub(crate) fn joined<'s>(schema: &'s Value, root: &'s Value) -> Vec<&'s Value> {
    let mut parts = Vec::new();
    collect(schema, root, REFS, &mut parts);
    parts
}

/// Collects them. `refs`: the number of references that may still be followed.
fn collect<'s>(schema: &'s Value, root: &'s Value, refs: usize, parts: &mut Vec<&'s Value>) {
    // Otherwise a schema that refers to itself twice would be read 2^32 times.
    if parts.iter().any(|part| std::ptr::eq(*part, schema)) {
        return;
    }
    parts.push(schema);
    let target = schema.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|target| target.strip_prefix('#'));
    let target = target.and_then(|pointer| root.pointer(pointer));
    if let (Some(target), Some(refs)) = (target, refs.checked_sub(1)) {
        collect(target, root, refs, parts);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for part in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            collect(part, root, refs, parts);
        }
    }
}

/// Returns the types in the schema's own `type`.
fn named_types(schema: &Value) -> Vec<Type> {
    let names = match schema.get("type") {
        Some(Value::Array(names)) => names,
        Some(name) => std::slice::from_ref(name),
        None => &[],
    };
    let of = |name: &Value| NAMES.iter().find(|(known, _)| name == known).map(|(_, of)| *of);
    if names.iter().any(|name| name == "any") {
        ANY.to_vec()
    } else {
        names.iter().filter_map(of).collect()
    }
}

/// Finds the names of types in a schema that JSON Schema does not have, with their places.
pub(crate) fn foreign_names(schema: &Value, place: &str, found: &mut Vec<ForeignType>) {
    let Some(schema) = schema.as_object() else { return };
    let inside = |key: &str| if place.is_empty() { key.into() } else { format!("{place}.{key}") };
    for (key, part) in schema {
        match (key.as_str(), part) {
            ("type", Value::String(name)) => found.extend(foreign(name, inside(key))),
            ("type", Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                found.extend(names.filter_map(|name| foreign(name, inside(key))));
            }
            ("properties" | "$defs" | "definitions", Value::Object(parts)) => {
                for (name, part) in parts {
                    foreign_names(part, &inside(&format!("{key}.{name}")), found);
                }
            }
            ("items" | "additionalProperties", part) => foreign_names(part, &inside(key), found),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(parts)) => {
                for (at, part) in parts.iter().enumerate() {
                    foreign_names(part, &inside(&format!("{key}[{at}]")), found);
                }
            }
            _ => {}
        }
    }
}

fn foreign(name: &str, place: String) -> Option<ForeignType> {
    let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, of)| *of);
    let own = known.is_some_and(|of| {
        NAMES.iter().find(|(_, first)| *first == of).is_some_and(|(first, _)| *first == name)
    });
    (!own).then(|| ForeignType { place, name: name.into(), read_as: known })
}

/// Returns the values of the schema's own `enum` and `const`.
fn members(schema: &Value) -> impl Iterator<Item = &Value> {
    let members = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    members.chain(schema.get("const"))
}

pub(crate) fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Boolean,
        Value::Number(number) if number.is_f64() => Type::Number,
        Value::Number(_) => Type::Integer,
        Value::String(_) => Type::String,
        Value::Array(_) => Type::Array,
        Value::Object(_) => Type::Object,
    }
}
