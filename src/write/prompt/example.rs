//! Arguments for the example of a tool, made from its schema.

use serde_json::{Map, Value};

use crate::tool::types;
use crate::tool::{Tool, Type};

/// The depth to which lists and objects are filled.
const LEVELS: usize = 4;

/// Returns the required arguments; for a tool that requires nothing, its first parameter.
pub(super) fn arguments(tool: &Tool, schema: &Value) -> Map<String, Value> {
    let required = tool.params.iter().filter(|param| param.required);
    let first = tool.params.iter().take(if tool.requires_nothing() { 1 } else { 0 });
    let argument = |name: &String| {
        let of = schema.get("properties").and_then(|properties| properties.get(name));
        (name.clone(), value(name, of.unwrap_or(&Value::Null), schema, LEVELS))
    };
    required.chain(first).map(|param| argument(&param.name)).collect()
}

/// Returns a value that the schema names, else one of its first type.
fn value(name: &str, schema: &Value, root: &Value, deep: usize) -> Value {
    let parts = types::joined(schema, root);
    let first = |key: &str| parts.iter().find_map(|part| part.get(key)?.as_array()?.first());
    let own = |key: &str| parts.iter().find_map(|part| part.get(key));
    let named = first("examples").or(own("example")).or(own("default")).or(own("const"));
    if let Some(named) = named.or(first("enum")).filter(|named| !named.is_null()) {
        return named.clone();
    }
    let minimum = own("minimum").filter(|least| least.is_number()).cloned();
    let types = types::types(schema, root);
    match types.iter().find(|of| **of != Type::Null).or(types.first()) {
        None | Some(Type::String) => format!("{} here", name.replace(['_', '-'], " ")).into(),
        Some(Type::Integer) => minimum.unwrap_or(1.into()),
        Some(Type::Number) => minimum.unwrap_or(1.5.into()),
        Some(Type::Boolean) => true.into(),
        Some(Type::Null) => Value::Null,
        Some(Type::Array) => list(name, schema, root, deep),
        Some(Type::Object) => object(&parts, root, deep),
    }
}

/// Returns two strings, or one value of any other type.
fn list(name: &str, schema: &Value, root: &Value, deep: usize) -> Value {
    let Some(deep) = deep.checked_sub(1) else { return Value::Array(Vec::new()) };
    let singular = name.strip_suffix('s').unwrap_or(name);
    let items = types::items(schema, root).unwrap_or(&Value::Null);
    let element = |name: &str| value(name, items, root, deep);
    let [first, second] = ["first", "second"].map(|which| element(&format!("{which} {singular}")));
    if first == second {
        [first].into_iter().collect()
    } else {
        [first, second].into_iter().collect()
    }
}

fn object(parts: &[&Value], root: &Value, deep: usize) -> Value {
    let Some(deep) = deep.checked_sub(1) else { return Value::Object(Map::new()) };
    let required = parts.iter().filter_map(|part| part.get("required")?.as_array()).flatten();
    let members = required.filter_map(Value::as_str).map(|name| {
        let of = parts.iter().find_map(|part| part.get("properties")?.get(name));
        (name.to_string(), value(name, of.unwrap_or(&Value::Null), root, deep))
    });
    Value::Object(members.collect())
}
