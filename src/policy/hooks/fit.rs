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
use crate::json::coerce;
use crate::json::grammar::is_integer;
use crate::json::white::trim;
use crate::repair::{self, Repairs};

/// Returns the value as the schema wants it, as far as possible.
pub(super) fn fitted(mut value: Value, schema: &Value) -> Value {
    fit(&mut value, schema);
    value
}

fn fit(value: &mut Value, schema: &Value) {
    let Some(members) = schema.as_object() else { return };
    if !fits_type(value, members) {
        if let Some(converted) = convert(value, schema, members) {
            *value = converted;
        }
        return;
    }
    match value {
        Value::Array(items) => {
            if let Some(schema) = members.get("items") {
                items.iter_mut().for_each(|item| fit(item, schema));
            }
        }
        Value::Object(object) => {
            let declared = members.get("properties").and_then(Value::as_object);
            for (name, schema) in declared.into_iter().flatten() {
                if let Some(value) = object.get_mut(name) {
                    fit(value, schema);
                }
            }
        }
        _ => {}
    }
    forms(members).for_each(|forms| fit_form(value, forms));
}

/// Makes a value fit the first form that it can be made to fit, if it fits none as it is.
fn fit_form(value: &mut Value, forms: &[Value]) {
    if forms.iter().any(|form| fits(value, form)) {
        return;
    }
    for form in forms {
        let changed = fitted(value.clone(), form);
        if fits(&changed, form) {
            *value = changed;
            return;
        }
    }
}

/// Returns the first reading of this value that fits; else the first reading.
fn convert(value: &Value, schema: &Value, members: &Map<String, Value>) -> Option<Value> {
    let wants = |of: &str| types(members).any(|name| name == of);
    let read =
        value.as_str().and_then(|text| read(trim(text), wants)).map(|read| fitted(read, schema));
    if read.as_ref().is_some_and(|read| fits(read, schema)) || !wants("array") || value.is_null() {
        return read;
    }
    let list = fitted(Value::Array(vec![value.clone()]), schema);
    if fits(&list, schema) { Some(list) } else { read }
}

/// The value that is written in a text. No two rows fit one text.
fn read(text: &str, wants: impl Fn(&str) -> bool) -> Option<Value> {
    match text.as_bytes().first()? {
        b'{' if wants("object") => json(text),
        b'[' if wants("array") => json(text),
        b'-' | b'0'..=b'9' => {
            let integer = Some(text).filter(|text| is_integer(text));
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

/// Reads strict JSON: a repair would lose something.
fn json(text: &str) -> Option<Value> {
    repair::value(text, Repairs::None).ok().map(|(value, _)| value)
}
