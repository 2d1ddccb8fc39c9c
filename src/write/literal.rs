//! Arguments as the literals of a dialect.

use serde_json::{Map, Value};

use super::write_json;
use crate::dialect::template::LiteralForm;
use crate::json::{begins_name, continues_name};

/// Writes the members, without the brackets around them.
pub(super) fn write_literals(arguments: &Map<String, Value>, form: &LiteralForm, out: &mut String) {
    members(arguments, form, out, |(key, value), out| {
        write_key(key, form, out);
        out.push_str(&form.separator);
        match value {
            Value::String(_) => write_literal(value, form, out),
            value if form.strings => {
                let mut json = String::new();
                write_json(value, &mut json);
                write_literal(&json.into(), form, out);
            }
            value => write_literal(value, form, out),
        }
    });
}

fn members(
    members: &Map<String, Value>,
    form: &LiteralForm,
    out: &mut String,
    write: impl Fn((&String, &Value), &mut String),
) {
    let mut members: Vec<_> = members.iter().collect();
    if form.sorted {
        members.sort_by_key(|(key, _)| *key);
    }
    each(members, form, out, write);
}

fn each<T>(
    of: impl IntoIterator<Item = T>,
    form: &LiteralForm,
    out: &mut String,
    write: impl Fn(T, &mut String),
) {
    for (at, element) in of.into_iter().enumerate() {
        out.push_str(if at > 0 { &form.between } else { "" });
        write(element, out);
    }
}

fn write_literal(value: &Value, form: &LiteralForm, out: &mut String) {
    match value {
        Value::Object(object) => {
            out.push('{');
            members(object, form, out, |(key, value), out| {
                if form.python {
                    write_json(&key.as_str().into(), out);
                } else {
                    write_key(key, form, out);
                }
                out.push_str(if form.python { ": " } else { ":" });
                write_literal(value, form, out);
            });
            out.push('}');
        }
        Value::Array(list) => {
            out.push('[');
            each(list, form, out, |value, out| write_literal(value, form, out));
            out.push(']');
        }
        Value::String(text) if !form.quote.is_empty() => {
            out.extend([&form.quote, text.as_str(), &form.quote]);
        }
        Value::String(text) if is_plain(text, form) => {
            out.extend([&form.plain_quote, text.as_str(), &form.plain_quote]);
        }
        Value::Bool(true) if form.python => out.push_str("True"),
        Value::Bool(false) if form.python => out.push_str("False"),
        Value::Null if form.python => out.push_str("None"),
        value => write_json(value, out),
    }
}

/// Whether a string can stand between the form's plain quotes.
fn is_plain(text: &str, form: &LiteralForm) -> bool {
    let quote = &*form.plain_quote;
    !quote.is_empty() && !text.contains(quote) && !text.contains('\\')
}

fn write_key(key: &str, form: &LiteralForm, out: &mut String) {
    if key.starts_with(begins_name) && key.chars().all(continues_name) {
        out.push_str(key);
    } else {
        write_literal(&key.into(), form, out);
    }
}
