//! The checker that knows all of JSON Schema: the `jsonschema` crate, feature `jsonschema`.

use serde_json::Value;

use super::schema::problem;

/// The checker of a schema.
pub(super) fn checker(schema: &Value) -> Result<impl Fn(&Value) -> Vec<String> + use<>, String> {
    let compiled = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
    Ok(move |arguments: &Value| {
        let errors = compiled.iter_errors(arguments);
        // The value itself may be long, and the model has just written it.
        let line = |error: jsonschema::ValidationError<'_>| {
            let what = error.masked_with("this value").to_string();
            problem(&path(error.instance_path().as_str(), arguments), &what)
        };
        errors.map(line).collect()
    })
}

/// Returns a JSON pointer in the notation of the built-in checker: `/pos/tags/1` is `pos.tags[1]`.
fn path(pointer: &str, mut value: &Value) -> String {
    let mut path = String::new();
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let next = if value.is_array() {
            path.push_str(&format!("[{step}]"));
            step.parse().ok().and_then(|at: usize| value.get(at))
        } else {
            path.push_str(if path.is_empty() { "" } else { "." });
            path.push_str(&step);
            value.get(&step)
        };
        value = next.unwrap_or(&Value::Null);
    }
    path
}
