//! The expected message of a vector, and its `config`.

use serde_json::{Map, Value, json};

use super::laws::Ended;
use crate::json::equal::equal;
use crate::message::{Block, Message};
use crate::options::Options;

/// Checks a message against the expectations of a vector.
///
/// # Errors
/// The difference.
pub(super) fn compare(expect: &Map<String, Value>, message: &Message) -> Result<(), String> {
    for (key, expected) in expect {
        match key.as_str() {
            "text" => check_equal(key, &folded(expected), &fold(&message.text()))?,
            "reasoning" => check_equal(key, &folded(expected), &fold(&message.reasoning()))?,
            "finish" => check_equal(key, expected, &message.ended().as_str().into())?,
            "calls" => compare_calls(expected, message)?,
            "diagnostics" => {
                for kind in expected.as_array().into_iter().flatten() {
                    if !message.diagnostics().iter().any(|d| kind == d.kind.as_str()) {
                        return Err(format!("no diagnostic {kind}"));
                    }
                }
            }
            _ => return Err(format!("`expect` has the unknown key `{key}`")),
        }
    }
    Ok(())
}

fn check_equal(key: &str, expected: &Value, found: &Value) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("{key} is {found}, expected {expected}"))
}

fn fold(text: &str) -> Value {
    text.split([' ', '\t', '\r', '\n'])
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .into()
}

fn folded(expected: &Value) -> Value {
    expected.as_str().map_or(Value::Null, fold)
}

/// Reads a vector's `config`, and how its stream ends. `limit` counts where the config has none.
pub(super) fn options(vector: &Value, limit: Option<usize>) -> Result<(Options, Ended), String> {
    let mut config = vector.get("config").cloned().unwrap_or_else(|| Map::new().into());
    let ended = Ended::take_from(&mut config).map_err(|error| error.to_string())?;
    if let Some(config) = config.as_object_mut() {
        config.entry("tool_limit").or_insert(limit.into());
    }
    Ok((Options::from_json(&config).map_err(|error| error.to_string())?, ended))
}

fn compare_calls(expected: &Value, message: &Message) -> Result<(), String> {
    let calls: Vec<Value> = message
        .blocks()
        .iter()
        .filter(|block| matches!(block, Block::Call(_) | Block::Incomplete(_)))
        .map(|call| json!(call))
        .collect();
    let expected = expected.as_array().map(Vec::as_slice).unwrap_or_default();
    check_equal("the number of calls", &expected.len().into(), &calls.len().into())?;
    for (expected, call) in expected.iter().zip(&calls) {
        let status = expected.get("status").and_then(Value::as_str).unwrap_or("complete");
        check_equal("a call's status", &status.into(), &call["status"])?;
        for key in ["name", "id", "raw", "reason", "missing"] {
            if let Some(expected) = expected.get(key) {
                check_equal(key, expected, &call[key])?;
            }
        }
        if let Some(arguments) = expected.get("arguments") {
            compare_arguments(arguments, &call["input"])?;
        }
    }
    Ok(())
}

fn compare_arguments(expected: &Value, found: &Value) -> Result<(), String> {
    if equal(expected, found) {
        return Ok(());
    }
    Err(format!("arguments are {found}, expected {expected}"))
}
