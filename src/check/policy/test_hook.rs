//! The hook of vectors: `{"hook": "test", "kind": "pre" | "post", "name", "on"?, "tools"?,
//! "on_error"?}` with what it does: `block` (error text), `result` (content), `fails` (message),
//! `set_args` / `add_args` (replace / add keys), `append` (to a text result).

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::hooks::Log;
use crate::policy::PolicyError;
use crate::policy::hooks::{
    Call, CallType, Hook, HookError, OnError, PostHook, Pre, PreHook, Report, ToolResult,
};

/// The hook that a vector describes.
pub(super) fn register(config: &Value, log: Arc<Mutex<Log>>) -> Result<Hook, PolicyError> {
    let known = |key: &&String| !KEYS.contains(&key.as_str());
    if let Some(key) = config.as_object().and_then(|config| config.keys().find(known)) {
        let (place, key) = ("the test hook".to_string(), key.clone());
        return Err(PolicyError::UnknownOption { place, key, known: KEYS });
    }
    let shape = |key: &str, expected: &str| PolicyError::Shape {
        place: format!("the test hook's {key}"),
        expected: expected.to_string(),
    };
    let name = config["name"].as_str().ok_or_else(|| shape("name", "a string"))?;
    let test = Test { name: name.to_string(), config: config.clone(), log };
    let mut hook = match config["kind"].as_str() {
        Some("pre") => Hook::pre(name, test),
        Some("post") => Hook::post(name, test),
        _ => return Err(shape("kind", "\"pre\" or \"post\"")),
    };
    hook = match config.get("on").map(Value::as_str) {
        None | Some(Some("any")) => hook,
        Some(Some("tool")) => hook.on(CallType::Tool),
        Some(Some("skill")) => hook.on(CallType::Skill),
        Some(_) => return Err(shape("on", "\"any\", \"tool\" or \"skill\"")),
    };
    hook = match config.get("on_error").map(Value::as_str) {
        None | Some(Some("open")) => hook.on_error(OnError::Open),
        Some(Some("closed")) => hook.closed(),
        Some(_) => return Err(shape("on_error", "\"open\" or \"closed\"")),
    };
    let Some(tools) = config.get("tools") else { return Ok(hook) };
    let tools: Option<Vec<_>> =
        tools.as_array().and_then(|tools| tools.iter().map(Value::as_str).collect());
    Ok(hook.tools(tools.ok_or_else(|| shape("tools", "a list of names"))?))
}

const KEYS: &[&str] = &[
    "hook", "kind", "name", "on", "tools", "on_error", "block", "result", "fails", "set_args",
    "add_args", "append",
];

struct Test {
    name: String,
    config: Value,
    log: Arc<Mutex<Log>>,
}

impl Test {
    /// Notes the call, and fails if it is to fail.
    fn look(&self, call: &Call) -> Result<(), HookError> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.order.push(self.name.clone());
        log.seen.insert(self.name.clone(), call.arguments().clone());
        match self.text("fails") {
            Some(message) => Err(message.into()),
            None => Ok(()),
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.config.get(key).and_then(Value::as_str)
    }
}

impl PreHook for Test {
    fn before(&self, call: &Call, _: &mut Report) -> Result<Pre, HookError> {
        self.look(call)?;
        if let Some(text) = self.text("block") {
            return Ok(Pre::Block(text.to_string()));
        }
        if let Some(content) = self.config.get("result") {
            return Ok(Pre::Answer(content.clone()));
        }
        if let Some(arguments) = self.config.get("set_args") {
            return Ok(Pre::Arguments(arguments.clone()));
        }
        let Some(added) = self.config.get("add_args").and_then(Value::as_object) else {
            return Ok(Pre::Go);
        };
        let mut arguments = call.arguments().clone();
        if let Some(members) = arguments.as_object_mut() {
            members.extend(added.clone());
        }
        Ok(Pre::Arguments(arguments))
    }
}

impl PostHook for Test {
    fn after(
        &self,
        call: &Call,
        result: &ToolResult,
        _: &mut Report,
    ) -> Result<Option<ToolResult>, HookError> {
        self.look(call)?;
        if let Some(text) = self.text("block") {
            return Ok(Some(ToolResult::error(text)));
        }
        if let Some(content) = self.config.get("result") {
            return Ok(Some(ToolResult::ok(content.clone())));
        }
        let (Some(more), Some(text)) = (self.text("append"), result.content.as_str()) else {
            return Ok(None);
        };
        Ok(Some(ToolResult { content: format!("{text}{more}").into(), ..*result }))
    }
}
