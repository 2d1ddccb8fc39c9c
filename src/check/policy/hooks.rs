//! The hooks' steps.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::test_hook::{self, Log};
use super::{Component, Problem, given, must_be, optional_text, text, unknown};
use crate::policy::{Call, CallOutcome, Hooks, PolicyError};
use crate::write::ToolResult;

pub(super) struct Steps {
    hooks: Hooks,
    log: Arc<Mutex<Log>>,
}

impl Steps {
    pub fn new(config: &Value) -> Result<Self, PolicyError> {
        let log = Arc::new(Mutex::new(Log::default()));
        let own = |name: &str, hook: &Value| {
            (name == "test").then(|| test_hook::register(hook, Arc::clone(&log)))
        };
        Ok(Steps { hooks: Hooks::from_json_with(config, own)?, log })
    }
}

impl Component for Steps {
    fn step(&mut self, op: &str, step: &Value) -> Result<Value, Problem> {
        if op != "execute" {
            return Err(unknown(op));
        }
        let call = call(step)?;
        let result = result(step, &call)?;
        let outcome = self.hooks.execute(call, |call| {
            let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            log.order.push("tool".to_string());
            log.tool_args = Some(call.arguments.clone());
            result
        });
        let log = std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(came(outcome, log))
    }
}

fn call(step: &Value) -> Result<Call, Problem> {
    let call = given(step, "call").ok_or_else(|| must_be("call", "an object"))?;
    let name = text(call, "name")?;
    let mut call = match optional_text(call, "raw")? {
        Some(raw) => Call::new(name, raw),
        // Arguments that are null are given, and are no object.
        None => Call::new(name, call.get("args").cloned().unwrap_or_else(|| json!({}))),
    };
    call.conversation = text(step, "conversation")?.to_string();
    call.skill = match optional_text(step, "call_type")? {
        None => None,
        Some("tool") => Some(false),
        Some("skill") => Some(true),
        Some(_) => return Err(must_be("call_type", "`tool` or `skill`")),
    };
    Ok(call)
}

/// Returns the result of the tool, should it run.
fn result(step: &Value, call: &Call) -> Result<ToolResult, Problem> {
    if let Some(raw) = optional_text(step, "returns_raw")? {
        return Ok(ToolResult::from_json(&*call.name, raw));
    }
    Ok(match optional_text(step, "fails")? {
        Some(text) => call.error(text),
        None => call.ok(step.get("returns").cloned().unwrap_or_default()),
    })
}

fn came(outcome: CallOutcome, log: Log) -> Value {
    let report = &outcome.report;
    json!({
        "order": log.order,
        "tool_ran": log.tool_args.is_some(),
        "blocked": !report.tool_ran,
        "tool_args": log.tool_args,
        "result": outcome.result.content,
        "is_error": outcome.result.is_error,
        "seen": log.seen,
        "diagnostics": report.diagnostics,
        "call_type": if outcome.call.skill == Some(true) { "skill" } else { "tool" },
        "truncated": report.truncated,
        "repeats": report.repeats,
        "warn": report.note.is_some(),
        "note": report.note,
        "escalate": report.escalate,
    })
}
