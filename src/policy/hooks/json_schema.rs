//! The checker that knows all of JSON Schema: the `jsonschema` crate, feature `jsonschema`.

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;

use super::schema::{Problem, Schema};

/// The checker of a schema.
pub(super) fn compile(schema: &Arc<Value>) -> Result<Arc<dyn Schema>, String> {
    let compiled = jsonschema::validator_for(schema);
    compiled
        .map(|validator| Arc::new(Full(validator)) as Arc<dyn Schema>)
        .map_err(|error| error.to_string())
}

#[derive(Debug)]
struct Full(Validator);

impl Schema for Full {
    fn problems(&self, arguments: &Value) -> Vec<Problem> {
        let problem = |error: jsonschema::ValidationError<'_>| Problem {
            path: path(error.instance_path().as_str(), arguments),
            // The value itself may be long, and the model has just written it.
            what: error.masked_with("this value").to_string(),
        };
        self.0.iter_errors(arguments).map(problem).collect()
    }
}

/// A JSON pointer as the built-in checker writes paths: `/pos/tags/1` is `pos.tags[1]`.
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
