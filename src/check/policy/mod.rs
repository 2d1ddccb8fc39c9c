//! Vectors for [`policy`](crate::policy): guard, validator and hooks, step by step.
//!
//! Each step has one expectation, and only its keys are checked: `message_contains` and `text_contains` (in
//! `result`) hold one string or several, `diagnostics` must be among the reported ones, and `seen` names some
//! of the hooks. Everything else is equal as JSON. An absent key is `null`.

mod guard;
mod hooks;
mod test_hook;
mod validator;

use serde_json::{Value, json};

use super::steps::steps;
use crate::json::equal::equal;
use crate::policy::{Decision, PolicyError};

/// A guard, a validator or hooks, as vectors drive them.
trait Component {
    /// Runs a step and returns its result, as JSON.
    fn step(&mut self, op: &str, step: &Value) -> Result<Value, Problem>;
}

/// The reason for which a step has no outcome.
enum Problem {
    /// The component refuses its argument; this is an outcome too.
    Refused(PolicyError),
    /// The vector is wrong.
    Vector(String),
}

impl From<PolicyError> for Problem {
    fn from(error: PolicyError) -> Self {
        Problem::Refused(error)
    }
}

/// Runs a vector.
///
/// # Errors
/// The difference, or the mistake in the vector.
pub(super) fn run(component: &str, vector: &Value) -> Result<(), String> {
    let empty = json!({});
    let config = vector.get("config").unwrap_or(&empty);
    let mut built = build(component, config);
    for (at, (step, expected)) in steps(vector)?.enumerate() {
        let found = take(&mut built, step).and_then(|found| compare(expected, &found));
        found.map_err(|what| format!("step {at}: {what}"))?;
    }
    Ok(())
}

fn build(component: &str, config: &Value) -> Result<Box<dyn Component>, PolicyError> {
    Ok(match component {
        "guard" => Box::new(guard::Steps::new(config)?),
        "validator" => Box::new(validator::Steps::new(config)?),
        _ => Box::new(hooks::Steps::new(config)?),
    })
}

/// Takes a step. If the component cannot be built, every step returns that error.
fn take(
    built: &mut Result<Box<dyn Component>, PolicyError>,
    step: &Value,
) -> Result<Value, String> {
    let op = text(step, "op")?;
    let taken = match built {
        Err(error) => Err(Problem::Refused(error.clone())),
        Ok(_) if op == "build" => Ok(json!({"error": null})),
        Ok(component) => component.step(op, step),
    };
    match taken {
        Ok(found) => Ok(found),
        Err(Problem::Refused(error)) => {
            Ok(json!({"error": code(&error), "text": error.to_string()}))
        }
        Err(Problem::Vector(what)) => Err(what),
    }
}

fn compare(expected: &Value, found: &Value) -> Result<(), String> {
    let expected = expected.as_object().ok_or("an expectation must be an object")?;
    for (key, expected) in expected {
        let of = match key.as_str() {
            "message_contains" => "message",
            "text_contains" => "result",
            key => key,
        };
        let found_value = found.get(of).unwrap_or(&Value::Null);
        let fits = match key.as_str() {
            "message_contains" | "text_contains" => contains(found_value, expected),
            "diagnostics" => each(expected).all(|one| each(found_value).any(|found| one == found)),
            "seen" => expected.as_object().is_some_and(|seen| {
                seen.iter().all(|(hook, arguments)| {
                    found_value.get(hook).is_some_and(|found| equal(arguments, found))
                })
            }),
            _ => equal(expected, found_value),
        };
        if !fits {
            return Err(format!("{key}: expected {expected}, found {found}"));
        }
    }
    Ok(())
}

/// Whether a text contains one text or several. A value that is not text is searched as JSON.
fn contains(found: &Value, expected: &Value) -> bool {
    let found = found.as_str().map_or_else(|| found.to_string(), String::from);
    each(expected).all(|part| part.as_str().is_some_and(|part| found.contains(part)))
}

/// The elements of a list; anything else is its own.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice).iter()
}

/// The role of a correction's message: the user's, which every provider takes.
const ROLE: &str = "user";

fn action(decision: &Decision) -> &'static str {
    match decision {
        Decision::Proceed => "proceed",
        Decision::Accept => "accept",
        Decision::Block => "block",
        Decision::Retry(_) => "retry",
        Decision::Escalate(_) => "escalate",
    }
}

fn code(error: &PolicyError) -> &'static str {
    match error {
        PolicyError::InvalidConfig(_) => "invalid_config",
        PolicyError::InvalidArgument(_) => "invalid_argument",
    }
}

// The arguments of a step. Absent ones have their defaults.

fn unknown(op: &str) -> Problem {
    Problem::Vector(format!("there is no operation `{op}`"))
}

fn must_be(key: &str, expected: &str) -> Problem {
    Problem::Vector(format!("`{key}` must be {expected}"))
}

impl From<Problem> for String {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Refused(error) => error.to_string(),
            Problem::Vector(what) => what,
        }
    }
}

fn given<'v>(step: &'v Value, key: &str) -> Option<&'v Value> {
    step.get(key).filter(|value| !value.is_null())
}

fn text<'v>(step: &'v Value, key: &str) -> Result<&'v str, Problem> {
    optional_text(step, key).map(Option::unwrap_or_default)
}

fn optional_text<'v>(step: &'v Value, key: &str) -> Result<Option<&'v str>, Problem> {
    let text = |value: &'v Value| value.as_str().ok_or_else(|| must_be(key, "a string"));
    given(step, key).map(text).transpose()
}

fn bool_or(step: &Value, key: &str, default: bool) -> Result<bool, Problem> {
    let read = |value: &Value| value.as_bool().ok_or_else(|| must_be(key, "true or false"));
    given(step, key).map_or(Ok(default), read)
}

fn names<'v>(step: &'v Value, key: &str) -> Result<Vec<&'v str>, Problem> {
    let Some(list) = given(step, key) else { return Ok(Vec::new()) };
    let names = list.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
    names.ok_or_else(|| must_be(key, "a list of names"))
}
