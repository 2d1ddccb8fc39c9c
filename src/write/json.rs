//! JSON with a blank after each comma and colon, as in the training of the models.

use std::fmt::Write as _;

use serde_json::{Map, Value};

pub(crate) fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => write_object(members, out),
        Value::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_json(element, out);
            }
            out.push(']');
        }
        value => {
            let written = write!(out, "{value}");
            debug_assert!(written.is_ok(), "a string takes everything");
        }
    }
}

pub(crate) fn write_object(members: &Map<String, Value>, out: &mut String) {
    out.push('{');
    for (at, (key, value)) in members.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        write_json(&key.as_str().into(), out);
        out.push_str(": ");
        write_json(value, out);
    }
    out.push('}');
}
