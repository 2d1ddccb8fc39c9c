//! Lossless coercion: a value of the wrong type that is the right one in another coat.
//!
//! | the schema wants | and the value is |
//! |---|---|
//! | an integer, a number | text that is exactly that, but for white space around it |
//! | a boolean | the text `true` or `false`, in any case |
//! | null | the text `null` |
//! | an object, a list | text that is JSON of that kind |
//! | a list | one value, not null, that fits its items |
//!
//! Nothing else: `"3.0"` is no integer, and 5 is no text.

use serde_json::{Map, Number, Value};

use super::schema::{fits, fits_type, forms, types};
use crate::coerce;
use crate::json::white::trim;
use crate::repair::{self, Repairs};

/// The value as the schema wants it, as far as it can be had; `None` if nothing changes.
pub(super) fn fit(value: &Value, schema: &Value) -> Option<Value> {
    let members = schema.as_object()?;
    if !fits_type(value, members) {
        return convert(value, schema, members);
    }
    let inner = match value {
        Value::Array(items) => fit_items(items, members).map(Value::Array),
        Value::Object(object) => fit_members(object, members).map(Value::Object),
        _ => None,
    };
    forms(members).fold(inner, |changed, forms| {
        fit_form(changed.as_ref().unwrap_or(value), forms).or(changed)
    })
}

fn fit_items(items: &[Value], schema: &Map<String, Value>) -> Option<Vec<Value>> {
    let schema = schema.get("items")?;
    let mut changed: Option<Vec<Value>> = None;
    for (at, item) in items.iter().enumerate() {
        if let Some(item) = fit(item, schema) {
            changed.get_or_insert_with(|| items.to_vec())[at] = item;
        }
    }
    changed
}

fn fit_members(
    object: &Map<String, Value>,
    schema: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let mut changed: Option<Map<String, Value>> = None;
    for (name, schema) in schema.get("properties")?.as_object()? {
        if let Some(value) = object.get(name).and_then(|value| fit(value, schema)) {
            changed.get_or_insert_with(|| object.clone()).insert(name.clone(), value);
        }
    }
    changed
}

/// The first form that the value can be made to fit, if it fits none as it is.
fn fit_form(value: &Value, forms: &[Value]) -> Option<Value> {
    if forms.iter().any(|form| fits(value, form)) {
        return None;
    }
    forms.iter().find_map(|form| fit(value, form).filter(|changed| fits(changed, form)))
}

/// Of the values that this one may stand for, the first that fits; else the first.
fn convert(value: &Value, schema: &Value, members: &Map<String, Value>) -> Option<Value> {
    let fitted = |value: Value| fit(&value, schema).unwrap_or(value);
    let wants = |of: &str| types(members).any(|name| name == of);
    let read = value.as_str().and_then(|text| read(trim(text), wants)).map(fitted);
    if read.as_ref().is_some_and(|read| fits(read, schema)) || !wants("array") || value.is_null() {
        return read;
    }
    let list = fitted(Value::Array(vec![value.clone()]));
    if fits(&list, schema) { Some(list) } else { read }
}

/// The value that is written in a text. No two rows fit one text.
fn read(text: &str, wants: impl Fn(&str) -> bool) -> Option<Value> {
    match text.as_bytes().first()? {
        b'{' if wants("object") => json(text),
        b'[' if wants("array") => json(text),
        b'-' | b'0'..=b'9' => {
            let integer = Some(text).filter(|text| coerce::is_integer(text));
            let integer = integer.filter(|_| wants("integer")).and_then(coerce::integer);
            integer.or_else(|| {
                let number = serde_json::from_str::<Number>(text).ok();
                number.filter(|_| wants("number")).map(Value::Number)
            })
        }
        _ if wants("null") && text == "null" => Some(Value::Null),
        _ if wants("boolean") && text.eq_ignore_ascii_case("true") => Some(true.into()),
        _ if wants("boolean") && text.eq_ignore_ascii_case("false") => Some(false.into()),
        _ => None,
    }
}

/// Strict JSON: what needs a repair is no lossless reading.
fn json(text: &str) -> Option<Value> {
    repair::value(text, Repairs::None).ok().map(|(value, _)| value)
}
