//! The built-in checker: the part of JSON Schema that tools use.

use serde_json::{Map, Number, Value};

use crate::json::equal::equal;
use crate::tool::Type;
use crate::tool::types::type_of;

/// Returns the mistakes in the arguments, a line each; nothing if they fit.
pub(super) fn problems(arguments: &Value, schema: &Value) -> Vec<String> {
    let mut checker = Checker::default();
    checker.value(arguments, schema);
    checker.problems
}

/// Describes a mistake at a place, in words for the model: `pos.line: must be integer`. An empty path means the
/// arguments as a whole.
pub(super) fn problem(path: &str, what: &str) -> String {
    format!("{}: {what}", if path.is_empty() { "arguments" } else { path })
}

/// Whether nothing is wrong.
pub(super) fn fits(value: &Value, schema: &Value) -> bool {
    problems(value, schema).is_empty()
}

/// Whether the value has one of the schema's types.
pub(super) fn fits_type(value: &Value, schema: &Map<String, Value>) -> bool {
    let mut types = types(schema).peekable();
    types.peek().is_none() || types.any(|name| is_type(value, name))
}

/// Returns the names of the types; none if the schema has none, or an unknown one.
pub(super) fn types(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let types = match schema.get("type") {
        Some(Value::Array(types)) => types.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let known = types.iter().all(|name| Type::ALL.iter().any(|of| name == of.as_str()));
    types.iter().filter(move |_| known).filter_map(Value::as_str)
}

fn is_type(value: &Value, name: &str) -> bool {
    let of = type_of(value);
    match name {
        "number" => matches!(of, Type::Number | Type::Integer),
        // 3.0 is one.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        name => name == of.as_str(),
    }
}

#[derive(Default)]
struct Checker {
    path: String,
    problems: Vec<String>,
}

impl Checker {
    /// A value of the wrong type or outside its enum has that one problem only.
    fn value(&mut self, value: &Value, schema: &Value) {
        let Some(schema) = schema.as_object() else { return };
        if !fits_type(value, schema) {
            let types: Vec<_> = types(schema).collect();
            return self.problem(&format!("must be {}", types.join(" or ")));
        }
        if let Some(Value::Array(allowed)) = schema.get("enum") {
            if !allowed.iter().any(|allowed| equal(allowed, value)) {
                let allowed: Vec<_> = allowed.iter().map(plain).collect();
                return self.problem(&format!("must be one of: {}", allowed.join(", ")));
            }
        }
        if let Some(constant) = schema.get("const") {
            if !equal(constant, value) {
                return self.problem(&format!("must be {}", plain(constant)));
            }
        }
        if !forms(schema).all(|forms| forms.iter().any(|form| fits(value, form))) {
            self.problem("fits none of the allowed forms");
        }
        match value {
            Value::Number(_) => self.number(value, schema),
            Value::Array(items) => self.items(items, schema),
            Value::Object(members) => self.members(members, schema),
            _ => {}
        }
    }

    fn number(&mut self, value: &Value, schema: &Map<String, Value>) {
        if let Some(minimum) = schema.get("minimum").filter(|minimum| less(value, minimum)) {
            self.problem(&format!("must be at least {minimum}"));
        }
        if let Some(maximum) = schema.get("maximum").filter(|maximum| less(maximum, value)) {
            self.problem(&format!("must be at most {maximum}"));
        }
    }

    fn items(&mut self, items: &[Value], schema: &Map<String, Value>) {
        let Some(schema) = schema.get("items") else { return };
        for (at, item) in items.iter().enumerate() {
            self.inside(&format!("[{at}]"), |checker| checker.value(item, schema));
        }
    }

    /// Checks members: first missing ones, then declared ones, then others.
    fn members(&mut self, members: &Map<String, Value>, schema: &Map<String, Value>) {
        let required = schema.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        for name in required.filter(|name| !members.contains_key(*name)) {
            self.member(name, |checker| checker.problem("is required"));
        }
        let declared = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in declared.into_iter().flatten() {
            if let Some(value) = members.get(name) {
                self.member(name, |checker| checker.value(value, schema));
            }
        }
        // `patternProperties` declare names, too, which are not read here.
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        if !closed || schema.contains_key("patternProperties") {
            return;
        }
        for name in members.keys() {
            if !declared.is_some_and(|declared| declared.contains_key(name)) {
                self.member(name, |checker| checker.problem("is not a known parameter"));
            }
        }
    }

    fn member(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.inside(&format!("{dot}{name}"), check);
    }

    fn inside(&mut self, step: &str, check: impl FnOnce(&mut Self)) {
        let outside = self.path.len();
        self.path.push_str(step);
        check(self);
        self.path.truncate(outside);
    }

    fn problem(&mut self, what: &str) {
        self.problems.push(problem(&self.path, what));
    }
}

/// Returns the lists of alternatives: one form of each list must fit.
pub(super) fn forms(schema: &Map<String, Value>) -> impl Iterator<Item = &Vec<Value>> {
    ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array())
}

/// Numbers by value; exact where both are integers.
fn less(one: &Value, other: &Value) -> bool {
    let integer = |value: &Value| value.as_number().and_then(Number::as_i128);
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one < other,
        _ => one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| one < other),
    }
}

/// Returns text as it is, and any other value as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}
