//! Vectors that do not run a parser but a component, step by step.

use serde_json::{Map, Value};

use crate::json::equal::equal;
use crate::options::Options;
use crate::repair::{self, ArgumentsError};

/// Runs `{"op": "arguments", "text": …}` → `{"ok": true, "value", "repairs"}` or `{"ok": false, "error",
/// "closed"}`. `closed` may hold more than the expected members.
///
/// # Errors
/// The difference, or the mistake in the vector.
pub(super) fn repair(vector: &Value) -> Result<(), String> {
    let config = vector.get("config").map_or(Ok(Options::default()), Options::from_json);
    let repairs = config.map_err(|error| error.to_string())?.repairs;
    for (at, (step, expected)) in steps(vector)?.enumerate() {
        let text = step.get("text").and_then(Value::as_str);
        let text = text.ok_or_else(|| format!("step {at} has no text"))?;
        let read = repair::arguments(text, repairs);
        let fits = match &read {
            Ok(read) => {
                let names: Value = read.repairs.iter().map(ToString::to_string).collect();
                expected["ok"] == true
                    && has(expected, "value", |value| same_members(value, &read.object))
                    && has(expected, "repairs", |repairs| *repairs == names)
            }
            Err(error) => expected["ok"] == false && fits_error(expected, error),
        };
        if !fits {
            return Err(format!("step {at} reads {read:?}, expected {expected}"));
        }
    }
    Ok(())
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

fn same_members(expected: &Value, found: &Map<String, Value>) -> bool {
    let members = expected.as_object();
    members.is_some_and(|members| {
        let equal = |(key, value): (&String, &Value)| {
            found.get(key).is_some_and(|found| equal(value, found))
        };
        members.len() == found.len() && members.iter().all(equal)
    })
}

/// Returns the steps of a vector, each with its expectation.
///
/// # Errors
/// If there are none, or their numbers differ.
pub(super) fn steps(vector: &Value) -> Result<impl Iterator<Item = (&Value, &Value)>, String> {
    let list = |key| vector.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (steps, expected) = (list("steps"), list("expect"));
    if steps.is_empty() || steps.len() != expected.len() {
        return Err("steps and expectations must be as many, and some".to_string());
    }
    Ok(steps.iter().zip(expected))
}
