//! From the text of a tag parameter to the JSON value that its schema asks for.
//!
//! The first row that fits, in this order; nothing is guessed without a schema:
//!
//! | schema has | text, without white space around it | value |
//! |---|---|---|
//! | only string, or no type | any | the text, untouched |
//! | null | `null`; `None` where it is no string | null |
//! | object, array | JSON of that type: strict, repaired, or escaped once more | it, flagged unless strict |
//! | string, too | anything else; with `const` or `enum`: one of its texts | the text |
//! | integer | `-?[0-9]+` in the range of i64 or u64 | the integer, exact |
//! | number | a JSON number | the number |
//! | boolean | `true`, `false` in any case | it |
//! | – | does not fit | the text, flagged |

use std::sync::Arc;

use serde_json::{Number, Value};

use crate::dialect::spec::Literals;
use crate::event::DiagnosticKind;
use crate::json::grammar::is_integer;
use crate::json::literal;
use crate::json::unescape::Unescape;
use crate::json::white::trim;
use crate::repair::{self, Repairs};
use crate::tool::Type;

/// How many `$ref`s are followed one after the other.
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

/// What the name `any` stands for. String comes first: an example of such a value is a text.
const ANY: [Type; 7] = [
    Type::String,
    Type::Integer,
    Type::Number,
    Type::Boolean,
    Type::Array,
    Type::Object,
    Type::Null,
];

/// What a value may be, by its schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValueTypes {
    /// None: any, and the value stays text.
    pub types: Vec<Type>,
    /// The only texts that are strings of this schema; `None`: every text is.
    pub texts: Option<Arc<[String]>>,
}

impl ValueTypes {
    /// What `schema` allows, with `$ref`s followed inside `root`.
    pub fn of(schema: &Value, root: &Value) -> ValueTypes {
        ValueTypes::of_parts(joined(schema, root))
    }

    /// What the elements of a list of this schema may be, if it says so.
    pub fn of_items(schema: &Value, root: &Value) -> Option<ValueTypes> {
        let items = joined(schema, root).into_iter().filter_map(|part| part.get("items"));
        let items: Vec<_> = items.flat_map(|items| joined(items, root)).collect();
        (!items.is_empty()).then(|| ValueTypes::of_parts(items))
    }

    fn of_parts(parts: Vec<&Value>) -> ValueTypes {
        let (mut types, mut texts, mut any_text) = (Vec::new(), Vec::new(), false);
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
        ValueTypes { types, texts: restricted.then(|| texts.into()) }
    }

    pub fn has(&self, of: Type) -> bool {
        self.types.contains(&of)
    }

    /// Whether the value is its text, whatever that is.
    pub fn is_text(&self) -> bool {
        self.types.iter().all(|of| *of == Type::String)
    }

    /// Whether every text is a string of this schema.
    pub fn has_any_text(&self) -> bool {
        self.has(Type::String) && self.texts.is_none()
    }

    /// Whether the value is a list and nothing that a text alone could be.
    pub fn is_list(&self) -> bool {
        self.has(Type::Array) && !self.has(Type::String)
    }

    /// The string that `text` is, or `bare`, which is `text` without white space around it.
    fn string<'t>(&self, text: &'t str, bare: &'t str) -> Option<&'t str> {
        match &self.texts {
            Some(texts) => [text, bare].into_iter().find(|text| texts.iter().any(|of| of == text)),
            None => self.has(Type::String).then_some(text),
        }
    }
}

impl From<Type> for ValueTypes {
    fn from(of: Type) -> Self {
        ValueTypes { types: vec![of], texts: None }
    }
}

/// The value of `text` for a parameter of these types; a diagnostic if it does not fit.
pub(crate) fn coerce(
    text: &str,
    types: &ValueTypes,
    repairs: Repairs,
) -> (Value, Option<DiagnosticKind>) {
    if types.is_text() {
        return (text.into(), None);
    }
    let bare = trim(text);
    let string = types.string(text, bare);
    if types.has(Type::Null) && (bare == "null" || bare == "None" && string.is_none()) {
        return (Value::Null, None);
    }
    if let Some((value, strict)) = container(bare, types, repairs) {
        return (value, (!strict).then_some(DiagnosticKind::RepairedJson));
    }
    let value = string.map(Value::from).or_else(|| scalar(bare, types));
    match value {
        Some(value) => (value, None),
        None => (text.into(), Some(DiagnosticKind::TypeMismatch)),
    }
}

/// The object or list that `bare` is, and whether it is strict JSON.
fn container(bare: &str, types: &ValueTypes, repairs: Repairs) -> Option<(Value, bool)> {
    let object = bare.starts_with('{') && types.has(Type::Object);
    let list = bare.starts_with('[') && types.has(Type::Array);
    if !object && !list {
        return None;
    }
    if let Ok((value, made)) = repair::value(bare, repairs) {
        return Some((value, made.is_empty()));
    }
    let text = Some(bare).filter(|bare| repairs == Repairs::Default && is_escaped(bare))?;
    repair::value(&unescaped(text), repairs).ok().map(|(value, _)| (value, false))
}

/// Whether the text may be JSON that was escaped once more, as the content of a string. A quote
/// that is not escaped before any that is shows that it was not: `["C:\"]` is broken.
fn is_escaped(text: &str) -> bool {
    let quote = text.find(['"', '\'', '`']);
    text.contains('\\') && quote.is_none_or(|at| text[..at].ends_with('\\'))
}

/// Without one level of backslash escapes.
fn unescaped(text: &str) -> String {
    let (mut unescape, mut out) = (Unescape::default(), String::new());
    unescape.read(text, b'"', &mut |piece| out.push_str(piece));
    unescape.end(&mut |piece| out.push_str(piece));
    out
}

fn scalar(bare: &str, types: &ValueTypes) -> Option<Value> {
    let read = |of: Type, read: fn(&str) -> Option<Value>| {
        if types.has(of) { read(bare) } else { None }
    };
    read(Type::Integer, integer)
        .or_else(|| read(Type::Number, number))
        .or_else(|| read(Type::Boolean, boolean))
}

/// The list of the lines of `text` that are not blank, each read as one of `items`; a diagnostic if one
/// does not fit.
pub(crate) fn lines(
    text: &str,
    items: &ValueTypes,
    repairs: Repairs,
) -> (Value, Option<DiagnosticKind>) {
    let elements = text.split('\n').map(trim).filter(|line| !line.is_empty());
    let (list, problems): (Vec<_>, Vec<_>) =
        elements.map(|line| coerce(line, items, repairs)).unzip();
    (list.into(), problems.into_iter().flatten().next())
}

/// The value of a literal. A word or number is the text, where that alone fits the schema.
pub(crate) fn literal(
    text: &str,
    literals: &Literals,
    types: &ValueTypes,
    items: &ValueTypes,
    repairs: Repairs,
) -> (Value, Option<DiagnosticKind>) {
    let bare = trim(text);
    let has_quote = !literals.quote.is_empty();
    let is_number = types.has(Type::Integer) || types.has(Type::Number);
    if is_number && !types.has(Type::String) {
        let number = literal::without_zeros(bare).and_then(|bare| scalar(&bare, types));
        if let Some(number) = number {
            return (number, None);
        }
    }
    let read = literal::value(bare, literals.syntax(), has_quote && !items.has(Type::String));
    if has_quote && bare.starts_with(&*literals.quote) {
        return match read {
            Some(Value::String(text)) if literals.by_schema => coerce(&text, types, repairs),
            Some(value) => (value, None),
            None => (text.into(), Some(DiagnosticKind::TypeMismatch)),
        };
    }
    let is_typed = !types.types.is_empty();
    let is_word = has_quote && !bare.starts_with(['"', '\'', '`', '{', '[']);
    match read {
        Some(value) if is_word && types.has(Type::String) && !fits(&value, types) => {
            (bare.into(), None)
        }
        // A word that is no literal is text.
        Some(value) if is_word && value.is_string() && is_typed && !fits(&value, types) => {
            (value, Some(DiagnosticKind::TypeMismatch))
        }
        Some(value) => (value, None),
        None => (text.into(), Some(DiagnosticKind::TypeMismatch)),
    }
}

/// Whether a value is of one of these types.
pub(crate) fn fits(value: &Value, types: &ValueTypes) -> bool {
    is_of(value, &types.types)
}

pub(crate) fn is_of(value: &Value, types: &[Type]) -> bool {
    types.contains(&type_of(value)) || value.is_number() && types.contains(&Type::Number)
}

/// The value of `text` that the wire calls JSON, strict or repaired; a diagnostic if it is none.
pub(crate) fn json(text: &str, repairs: Repairs) -> (Value, Option<DiagnosticKind>) {
    match repair::value(text, repairs) {
        Ok((value, made)) => (value, (!made.is_empty()).then_some(DiagnosticKind::RepairedJson)),
        Err(_) => (text.into(), Some(DiagnosticKind::TypeMismatch)),
    }
}

/// An integer in the range of i64 or u64; of any length, if the program has `serde_json`'s `arbitrary_precision`
/// turned on: then it is no float, whatever its length.
pub(crate) fn integer(text: &str) -> Option<Value> {
    let text = Some(text).filter(|text| is_integer(text))?;
    let signed = text.parse::<i64>().map(Value::from);
    let short = signed.or_else(|_| text.parse::<u64>().map(Value::from)).ok();
    let long = || serde_json::from_str::<Number>(text).ok().filter(|number| !number.is_f64());
    short.or_else(|| long().map(Value::Number))
}

/// A number that is finite as a float, however `serde_json` keeps it.
fn number(text: &str) -> Option<Value> {
    let number = serde_json::from_str::<Number>(text).ok();
    number.filter(|number| number.as_f64().is_some_and(f64::is_finite)).map(Value::Number)
}

fn boolean(text: &str) -> Option<Value> {
    let says = |word| text.eq_ignore_ascii_case(word);
    if says("true") || says("false") { Some(says("true").into()) } else { None }
}

/// The types that a schema allows, `$ref`s followed inside `root`; none: any.
pub(crate) fn types(schema: &Value, root: &Value) -> Vec<Type> {
    ValueTypes::of(schema, root).types
}

/// Whether these are what the name `any` stands for.
pub(crate) fn is_any(types: &[Type]) -> bool {
    types.len() == ANY.len()
}

/// The schema of a list's elements.
pub(crate) fn items<'s>(schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    joined(schema, root).into_iter().find_map(|schema| schema.get("items"))
}

/// The schema and all that it is joined from, each once.
pub(crate) fn joined<'s>(schema: &'s Value, root: &'s Value) -> Vec<&'s Value> {
    let mut parts = Vec::new();
    collect(schema, root, REFS, &mut parts);
    parts
}

/// `refs`: how many more may be followed.
fn collect<'s>(schema: &'s Value, root: &'s Value, refs: usize, parts: &mut Vec<&'s Value>) {
    // A schema that refers to itself twice would otherwise be read 2^32 times.
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

/// The types that the schema's own `type` names.
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

/// The values of the schema's own `enum` and `const`.
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

/// Decodes `&lt; &gt; &quot; &apos; &#39;` and last `&amp;`, once.
pub(crate) fn decode_entities(text: &str) -> String {
    let decoded = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'")]
        .iter()
        .fold(text.to_string(), |text, (entity, character)| text.replace(entity, character));
    decoded.replace("&amp;", "&")
}
