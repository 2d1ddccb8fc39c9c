//! The hook of vectors: `{"hook": "test", "kind": "pre" | "post", "name", "on"?, "tools"?,
//! "on_error"?}` with what it does: `block` (error text), `result` (content), `fails` (message),
//! `set_args` / `add_args` (replace / add keys), `append` (to a text result).

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::hooks::Log;
use crate::policy::hooks::{Call, CallType, Hook, HookError, PostHook, Pre, PreHook, Report};
use crate::policy::{PolicyError, read};
use crate::write::ToolResult;

/// The hook that a vector describes.
pub(super) fn register(config: &Value, log: Arc<Mutex<Log>>) -> Result<Hook, PolicyError> {
    let config: Config = read(config, "the test hook")?;
    let Config { kind, name, on, tools, closed, .. } = config.clone();
    let test = Test { config, log };
    let mut hook = match kind {
        Kind::Pre => Hook::pre(name, test),
        Kind::Post => Hook::post(name, test),
    };
    hook = match on {
        On::Any => hook,
        On::Tool => hook.on(CallType::Tool),
        On::Skill => hook.on(CallType::Skill),
    };
    if closed == OnError::Closed {
        hook = hook.closed();
    }
    Ok(match tools {
        Some(tools) => hook.tools(tools),
        None => hook,
    })
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    kind: Kind,
    name: String,
    #[serde(default)]
    on: On,
    tools: Option<Vec<String>>,
    #[serde(default, rename = "on_error")]
    closed: OnError,
    block: Option<String>,
    result: Option<Value>,
    fails: Option<String>,
    set_args: Option<Value>,
    add_args: Option<Map<String, Value>>,
    append: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Pre,
    Post,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum On {
    #[default]
    Any,
    Tool,
    Skill,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OnError {
    #[default]
    Open,
    Closed,
}

struct Test {
    config: Config,
    log: Arc<Mutex<Log>>,
}

impl Test {
    /// Notes the call, and fails if it is to fail.
    fn look(&self, call: &Call) -> Result<(), HookError> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.order.push(self.config.name.clone());
        log.seen.insert(self.config.name.clone(), call.arguments().clone());
        match &self.config.fails {
            Some(message) => Err(message.as_str().into()),
            None => Ok(()),
        }
    }
}

impl PreHook for Test {
    fn before(&self, call: &Call, _: &mut Report) -> Result<Pre, HookError> {
        self.look(call)?;
        let Config { block, result, set_args, add_args, .. } = &self.config;
        if let Some(text) = block {
            return Ok(Pre::Block(text.clone()));
        }
        if let Some(content) = result {
            return Ok(Pre::Answer(content.clone()));
        }
        if let Some(arguments) = set_args {
            return Ok(Pre::Arguments(arguments.clone()));
        }
        let Some(added) = add_args else { return Ok(Pre::Go) };
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
        let Config { block, result: content, append, .. } = &self.config;
        if let Some(text) = block {
            return Ok(Some(call.error(text)));
        }
        if let Some(content) = content {
            return Ok(Some(call.ok(content.clone())));
        }
        let (Some(more), Some(text)) = (append, result.content.as_str()) else {
            return Ok(None);
        };
        Ok(Some(ToolResult { content: format!("{text}{more}").into(), ..result.clone() }))
    }
}
