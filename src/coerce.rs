//! From the text of a tag parameter to the JSON value that its schema asks for.
//!
//! The first row that fits, in this order; nothing is guessed without a schema:
//!
//! | schema has | text, without white space around it | value |
//! |---|---|---|
//! | only string, or no type | any | the text, untouched |
//! | null | `null` | null |
//! | object, array | JSON of that type, strict or repaired | it, flagged if repaired |
//! | string, too | anything else | the text |
//! | integer | `-?[0-9]+` | the integer, exact over i64 and u64 |
//! | number | a JSON number | the number |
//! | boolean | `true`, `false` in any case | it |
//! | – | does not fit | the text, flagged |

use serde_json::Value;

use crate::event::DiagnosticKind;
use crate::repair::{self, Repairs};
use crate::tool::Type;

/// How deep `$ref`s are followed.
const REFS: usize = 32;

const NAMES: [(&str, Type); 7] = [
    ("null", Type::Null),
    ("boolean", Type::Boolean),
    ("integer", Type::Integer),
    ("number", Type::Number),
    ("string", Type::String),
    ("array", Type::Array),
    ("object", Type::Object),
];

/// The value of `text` for a parameter of these types; a diagnostic if it does not fit.
pub(crate) fn coerce(
    text: &str,
    types: &[Type],
    repairs: Repairs,
) -> (Value, Option<DiagnosticKind>) {
    if types.iter().all(|of| *of == Type::String) {
        return (text.into(), None);
    }
    let bare = text.trim();
    let has = |of| types.contains(&of);
    if has(Type::Null) && bare == "null" {
        return (Value::Null, None);
    }
    let container =
        bare.starts_with('{') && has(Type::Object) || bare.starts_with('[') && has(Type::Array);
    if let (true, Ok((value, made))) = (container, repair::value(bare, repairs)) {
        return (value, (!made.is_empty()).then_some(DiagnosticKind::RepairedJson));
    }
    let value = match bare {
        _ if has(Type::String) => Some(text.into()),
        _ if has(Type::Integer) && is_integer(bare) => integer(bare),
        _ if has(Type::Number) => serde_json::from_str(bare).ok().map(Value::Number),
        _ if has(Type::Boolean) && bare.eq_ignore_ascii_case("true") => Some(true.into()),
        _ if has(Type::Boolean) && bare.eq_ignore_ascii_case("false") => Some(false.into()),
        _ => None,
    };
    match value {
        Some(value) => (value, None),
        None => (text.into(), Some(DiagnosticKind::TypeMismatch)),
    }
}

/// The value of `text` that the wire calls JSON, strict or repaired; a diagnostic if it is none.
pub(crate) fn json(text: &str, repairs: Repairs) -> (Value, Option<DiagnosticKind>) {
    match repair::value(text, repairs) {
        Ok((value, made)) => (value, (!made.is_empty()).then_some(DiagnosticKind::RepairedJson)),
        Err(_) => (text.into(), Some(DiagnosticKind::TypeMismatch)),
    }
}

pub(crate) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

pub(crate) fn integer(text: &str) -> Option<Value> {
    let signed = text.parse::<i64>().map(Value::from);
    signed.or_else(|_| text.parse::<u64>().map(Value::from)).ok()
}

/// The types that a schema allows, `$ref`s followed inside `root`; none: any.
pub(crate) fn types(schema: &Value, root: &Value) -> Vec<Type> {
    let mut types = Vec::new();
    joined(schema, root).into_iter().for_each(|schema| add_types(schema, &mut types));
    types
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

fn collect<'s>(schema: &'s Value, root: &'s Value, deep: usize, parts: &mut Vec<&'s Value>) {
    let Some(deep) = deep.checked_sub(1) else { return };
    // A schema that refers to itself twice would otherwise be read 2^32 times.
    if parts.iter().any(|part| std::ptr::eq(*part, schema)) {
        return;
    }
    parts.push(schema);
    let target = schema.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|target| target.strip_prefix('#'));
    if let Some(target) = target.and_then(|pointer| root.pointer(pointer)) {
        collect(target, root, deep, parts);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for part in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            collect(part, root, deep, parts);
        }
    }
}

fn add_types(schema: &Value, types: &mut Vec<Type>) {
    let mut add = |of: Type| {
        if !types.contains(&of) {
            types.push(of);
        }
    };
    let named = |name: &Value| NAMES.iter().find(|(known, _)| name == known).map(|(_, of)| *of);
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().filter_map(named).for_each(&mut add),
        Some(name) => named(name).into_iter().for_each(&mut add),
        None => {}
    }
    if let Some(members) = schema.get("enum").and_then(Value::as_array) {
        members.iter().map(type_of).for_each(&mut add);
    }
    if let Some(member) = schema.get("const") {
        add(type_of(member));
    }
}

fn type_of(value: &Value) -> Type {
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
        .fold(text.to_string(), |text, (entity, sign)| text.replace(entity, sign));
    decoded.replace("&amp;", "&")
}
