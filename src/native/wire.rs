//! Reads the wire's JSON: absent values, null, blanks and values of another type count as missing.

use std::borrow::Cow;

use serde_json::Value;

/// A text that is more than white space.
pub(super) fn filled<'v>(of: &'v Value, key: &str) -> Option<&'v str> {
    of.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// Returns a text as it is; none if it is empty.
pub(super) fn text<'v>(of: &'v Value, key: &str) -> Option<&'v str> {
    of.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

pub(super) fn number(of: &Value, key: &str) -> Option<i64> {
    of.get(key).and_then(Value::as_i64)
}

pub(super) fn flag(of: &Value, key: &str) -> bool {
    of.get(key).and_then(Value::as_bool) == Some(true)
}

pub(super) fn list<'v>(of: &'v Value, key: &str) -> &'v [Value] {
    of.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns a piece of arguments: text, or the text of any other value; null is nothing.
pub(super) fn arguments<'v>(of: &'v Value, key: &str) -> Option<Cow<'v, str>> {
    match of.get(key)? {
        Value::Null => None,
        Value::String(text) => Some(text.into()),
        other => Some(other.to_string().into()),
    }
}

/// Whether a choice or candidate is the one that counts: index 0, or none.
pub(super) fn is_first(of: &Value) -> bool {
    of.get("index").is_none_or(|index| index.is_null() || index.as_f64() == Some(0.0))
}
