//! A JSON Schema as elements, as in Qwen's chat templates.
//!
//! ```text
//! <parameter>
//! <name>path</name>
//! <type>string</type>
//! <description>Where it is.</description>
//! </parameter>
//! <required>["path"]</required>
//! ```

use serde_json::Value;

use super::written;

/// The first members, in this order. Other members of a property follow by their names.
const FIRST: [&str; 2] = ["type", "description"];

/// Returns an element for each property, and for each other member of the schema except its type.
pub(super) fn elements(schema: &Value) -> String {
    let mut lines: Vec<String> = Vec::new();
    let members = schema.as_object().into_iter().flatten();
    for (name, of) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        lines.extend(["<parameter>".to_string(), element("name", &name.as_str().into())]);
        lines.extend(FIRST.iter().filter_map(|key| Some(element(key, of.get(key)?))));
        let rest = of.as_object().into_iter().flatten();
        let rest = rest.filter(|(key, _)| !FIRST.contains(&key.as_str()));
        lines.extend(rest.map(|(key, value)| element(key, value)));
        lines.push("</parameter>".to_string());
    }
    let rest = members.filter(|(key, _)| *key != "properties" && *key != "type");
    lines.extend(rest.map(|(key, value)| element(key, value)));
    lines.join("\n")
}

/// Writes a string as it is, and any other value as JSON.
fn element(name: &str, value: &Value) -> String {
    let text = value.as_str().map_or_else(|| written(value), String::from);
    format!("<{name}>{text}</{name}>")
}
