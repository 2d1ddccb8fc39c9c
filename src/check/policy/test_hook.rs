//! The hook of vectors: `{"hook": "test", "kind": "pre" | "post", "name", "on"?, "tools"?,
//! "on_error"?}` with what it does: `block` (error text), `result` (content), `fails` (message),
//! `set_args` / `add_args` (replace / add keys), `append` (to a text result).

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::policy::{Call, Hook, PolicyError, Pre, read};
use crate::write::ToolResult;

/// Log of a call: the test hooks and the tool write into it.
#[derive(Default)]
pub(super) struct Log {
    pub order: Vec<String>,
    pub seen: Map<String, Value>,
    pub tool_args: Option<Value>,
}

/// The hook that a vector describes.
pub(super) fn register(config: &Value, log: Arc<Mutex<Log>>) -> Result<Hook, PolicyError> {
    let test: TestHook = read(config, "the test hook")?;
    let TestHook { kind, name, on, tools, on_error, .. } = test.clone();
    let mut hook = match kind {
        Side::Pre => Hook::pre(name, move |call, _| {
            test.look(call, &log)?;
            Ok(test.before(call))
        }),
        Side::Post => Hook::post(name, move |call, result, _| {
            test.look(call, &log)?;
            Ok(test.after(call, result))
        }),
    };
    hook = match on {
        On::Any => hook,
        On::Tool => hook.skills(false),
        On::Skill => hook.skills(true),
    };
    if let OnError::Closed = on_error {
        hook = hook.closed();
    }
    Ok(match tools {
        Some(tools) => hook.tools(tools),
        None => hook,
    })
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct TestHook {
    kind: Side,
    name: String,
    #[serde(default)]
    on: On,
    tools: Option<Vec<String>>,
    #[serde(default)]
    on_error: OnError,
    block: Option<String>,
    result: Option<Value>,
    fails: Option<String>,
    set_args: Option<Value>,
    add_args: Option<Map<String, Value>>,
    append: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Side {
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

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OnError {
    #[default]
    Open,
    Closed,
}

impl TestHook {
    /// Notes the call, and fails if the hook should fail.
    fn look(&self, call: &Call, log: &Mutex<Log>) -> Result<(), String> {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.order.push(self.name.clone());
        log.seen.insert(self.name.clone(), call.arguments.clone());
        self.fails.clone().map_or(Ok(()), Err)
    }

    fn before(&self, call: &Call) -> Pre {
        if let Some(result) = self.instead(call) {
            return Pre::Done(result);
        }
        if let Some(arguments) = &self.set_args {
            return Pre::Arguments(arguments.clone());
        }
        let Some(added) = &self.add_args else { return Pre::Go };
        let mut arguments = call.arguments.clone();
        if let Some(members) = arguments.as_object_mut() {
            members.extend(added.clone());
        }
        Pre::Arguments(arguments)
    }

    fn after(&self, call: &Call, result: &ToolResult) -> Option<ToolResult> {
        let more = || Some(format!("{}{}", result.content.as_str()?, self.append.as_ref()?));
        let appended = || more().map(|text| ToolResult { content: text.into(), ..result.clone() });
        self.instead(call).or_else(appended)
    }

    /// The result that it gives in place of the tool's.
    fn instead(&self, call: &Call) -> Option<ToolResult> {
        let blocked = self.block.as_ref().map(|text| call.error(text));
        blocked.or_else(|| self.result.as_ref().map(|content| call.ok(content.clone())))
    }
}
