//! Vectors that do not run a parser but a component, step by step.

use serde_json::{Map, Value};

use super::vectors::VectorOutcome;
use crate::json::equal::equal;
use crate::options::Options;
use crate::repair::{self, ArgumentsError};

/// `{"op": "arguments", "text": …}` → `{"ok": true, "value", "repairs"}` or `{"ok": false, "error",
/// "closed"}`. `closed` may hold more than the members named.
pub(super) fn repair(vector: &Value) -> VectorOutcome {
    let config = vector.get("config").map_or(Ok(Options::default()), Options::from_json);
    let repairs = match config {
        Ok(options) => options.repairs,
        Err(error) => return VectorOutcome::Failed(error.to_string()),
    };
    let (steps, expected) = (list(vector, "steps"), list(vector, "expect"));
    if steps.is_empty() || steps.len() != expected.len() {
        return VectorOutcome::Failed(
            "steps and expectations must be as many, and some".to_string(),
        );
    }
    for (at, (step, expected)) in steps.iter().zip(expected).enumerate() {
        let Some(text) = step.get("text").and_then(Value::as_str) else {
            return VectorOutcome::Failed(format!("step {at} has no text"));
        };
        let read = repair::arguments(text, repairs);
        let fits = match &read {
            Ok(read) => {
                let names: Value = read.repairs.iter().map(ToString::to_string).collect();
                expected["ok"] == true
                    && has(expected, "value", |value| same(value, &read.object))
                    && has(expected, "repairs", |repairs| *repairs == names)
            }
            Err(error) => expected["ok"] == false && fits_error(expected, error),
        };
        if !fits {
            return VectorOutcome::Failed(format!("step {at} reads {read:?}, expected {expected}"));
        }
    }
    VectorOutcome::Passed
}

fn fits_error(expected: &Value, error: &ArgumentsError) -> bool {
    let closed = |members: &Value| {
        let found = |(key, value): (&String, &Value)| {
            error.closed.get(key).is_some_and(|found| equal(value, found))
        };
        members.as_object().is_some_and(|members| members.iter().all(found))
    };
    has(expected, "error", |kind| kind == error.kind.as_str()) && has(expected, "closed", closed)
}

/// Whether a key is absent or fits.
fn has(expected: &Value, key: &str, fits: impl Fn(&Value) -> bool) -> bool {
    expected.get(key).is_none_or(fits)
}

fn same(expected: &Value, found: &Map<String, Value>) -> bool {
    let members = expected.as_object();
    members.is_some_and(|members| {
        let equal = |(key, value): (&String, &Value)| {
            found.get(key).is_some_and(|found| equal(value, found))
        };
        members.len() == found.len() && members.iter().all(equal)
    })
}

pub(super) fn list<'v>(vector: &'v Value, key: &str) -> &'v [Value] {
    vector.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
