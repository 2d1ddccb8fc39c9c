//! A JSON Schema in words, for models that read them better than JSON.
//!
//! ```text
//! - path (string, required): Where it is.
//! - mode ("read" or "write", optional): What for. Default: "read".
//! - edits (array of object, required): What to change.
//!   - line (integer, required)
//! ```

use serde_json::Value;

use super::written;
use crate::tool::Type;
use crate::tool::types;

/// The depth to which objects are described; deeper ones have their type alone.
const LEVELS: usize = 4;

/// Further keys of a schema, and the names under which a prompt shows them.
const NOTES: [(&str, &str); 9] = [
    ("default", "Default"),
    ("minimum", "Minimum"),
    ("maximum", "Maximum"),
    ("minLength", "Minimum length"),
    ("maxLength", "Maximum length"),
    ("minItems", "Minimum items"),
    ("maxItems", "Maximum items"),
    ("pattern", "Pattern"),
    ("format", "Format"),
];

/// Describes the parameters, each after a line break, or ` none`.
pub(super) fn in_words(root: &Value) -> String {
    let mut text = String::new();
    properties(root, root, 0, &mut text);
    if text.is_empty() { " none".to_string() } else { text }
}

/// Writes a line for each property of an object, and its own properties below it.
fn properties(schema: &Value, root: &Value, level: usize, out: &mut String) {
    if level == LEVELS {
        return;
    }
    let parts = types::joined(schema, root);
    let required: Vec<&Value> =
        parts.iter().filter_map(|part| part.get("required")?.as_array()).flatten().collect();
    for (name, of) in parts.iter().filter_map(|part| part.get("properties")?.as_object()).flatten()
    {
        let must = if required.iter().any(|required| **required == **name) {
            "required"
        } else {
            "optional"
        };
        let indent = "  ".repeat(level);
        out.extend(["\n", &indent, "- ", name, " (", &type_of(of, root, LEVELS), ", ", must, ")"]);
        let about = about(of, root);
        if !about.is_empty() {
            out.extend([": ", &about]);
        }
        properties(element(of, root), root, level + 1, out);
    }
}

/// Returns the schema of the innermost elements, if this is a list; else this schema.
fn element<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let mut element = schema;
    for _ in 0..LEVELS {
        element = types::items(element, root).unwrap_or(element);
    }
    element
}

/// `string`, `array of integer`, `"a" or "b"`, `string or null`, `any`.
fn type_of(schema: &Value, root: &Value, deep: usize) -> String {
    let choices = choices(schema, root);
    if !choices.is_empty() {
        return choices.join(" or ");
    }
    let types = types::types(schema, root);
    if types.is_empty() || types::is_any(&types) {
        return "any".to_string();
    }
    let types = types.into_iter().map(|of| {
        let items = types::items(schema, root).filter(|_| of == Type::Array && deep > 0);
        let items = items.map(|items| type_of(items, root, deep - 1)).filter(|of| of != "any");
        match items {
            Some(items) => format!("array of {items}"),
            None => of.as_str().to_string(),
        }
    });
    types.collect::<Vec<String>>().join(" or ")
}

/// Returns the values of an `enum` or `const`, as JSON.
fn choices(schema: &Value, root: &Value) -> Vec<String> {
    let parts = types::joined(schema, root).into_iter();
    parts
        .flat_map(|part| {
            let members = part.get("enum").and_then(Value::as_array).into_iter().flatten();
            members.chain(part.get("const")).map(written)
        })
        .collect()
}

/// Returns the description on one line, and other useful notes.
fn about(schema: &Value, root: &Value) -> String {
    let parts = types::joined(schema, root);
    let find = |key: &str| parts.iter().find_map(|part| part.get(key));
    let description = find("description").and_then(Value::as_str).unwrap_or_default();
    let mut told: Vec<String> = Vec::new();
    if !description.trim().is_empty() {
        told.push(description.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    for (key, name) in NOTES {
        told.extend(find(key).map(|value| format!("{name}: {}.", written(value))));
    }
    told.join(" ")
}
