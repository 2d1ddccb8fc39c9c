//! Hooks from JSON, as a host's configuration file has them.

use serde_json::Value;

use super::Hooks;
use super::arg_validation::{ArgValidation, UnknownTools};
use super::block_list::BlockList;
use super::hook::Hook;
use super::repeat_guard::RepeatGuard;
use super::trace_sanitization::TraceSanitization;
use crate::policy::config::{Fields, PolicyError, Result};
use crate::tool::Tool;

const HOOKS: &[&str] = &["block_list", "arg_validation", "trace_sanitization", "repeat_guard"];

impl Hooks {
    /// Hooks from a JSON object: `hooks`, a list in the order of registration, and `skill_tools`,
    /// names with `*`. A hook is `{"hook": NAME, …}` with its options:
    ///
    /// | hook | options |
    /// |---|---|
    /// | `block_list` | `tools`, `message` |
    /// | `arg_validation` | `tools` (declarations), `unknown` (`"block"` or `"allow"`) |
    /// | `trace_sanitization` | `max_chars`, `max_depth`, `max_items`, `marker` |
    /// | `repeat_guard` | `warn_at`, `stop_at` |
    ///
    /// # Errors
    /// An unknown hook, an unknown key, a value that does not fit its key, and what the hooks'
    /// builders refuse.
    ///
    /// ```
    /// use toolstream::policy::Hooks;
    ///
    /// let hooks = Hooks::from_json(&serde_json::json!({
    ///     "hooks": [{"hook": "repeat_guard", "stop_at": 4}, {"hook": "trace_sanitization"}],
    ///     "skill_tools": ["skill_*"],
    /// }))?;
    /// assert_eq!(hooks.hooks().len(), 2);
    /// # Ok::<(), toolstream::policy::PolicyError>(())
    /// ```
    pub fn from_json(config: &Value) -> Result<Hooks> {
        Hooks::from_json_with(config, |_, _| None)
    }

    /// The same with hooks of the host's own: asked first for the hook of a name and its object.
    ///
    /// # Errors
    /// As [`from_json`](Hooks::from_json), and what `own` refuses.
    pub fn from_json_with(
        config: &Value,
        own: impl Fn(&str, &Value) -> Option<Result<Hook>>,
    ) -> Result<Hooks> {
        let fields = Fields::of(config, "config", &["hooks", "skill_tools"])?;
        let mut hooks = Hooks::new().skill_tools(fields.names("skill_tools")?.unwrap_or_default());
        for (at, hook) in fields.list("hooks")?.iter().enumerate() {
            let place = format!("hooks[{at}]");
            let name = hook.get("hook").and_then(Value::as_str);
            let name = name.ok_or_else(|| PolicyError::Shape {
                place: format!("{place}.hook"),
                expected: "the name of a hook".to_string(),
            })?;
            hooks = hooks.with(own(name, hook).unwrap_or_else(|| built_in(name, hook, place))?);
        }
        Ok(hooks)
    }
}

fn built_in(name: &str, hook: &Value, place: String) -> Result<Hook> {
    match name {
        "block_list" => {
            let fields = Fields::of(hook, place, &["hook", "tools", "message"])?;
            let list = BlockList::new(fields.names("tools")?.unwrap_or_default());
            Ok(match fields.text("message")? {
                Some(message) => list.message(message).into(),
                None => list.into(),
            })
        }
        "arg_validation" => {
            let fields = Fields::of(hook, place, &["hook", "tools", "unknown"])?;
            let tools: std::result::Result<_, _> =
                fields.list("tools")?.iter().map(Tool::from_json).collect();
            let tools = tools.map_err(|error| PolicyError::Tools { reason: error.to_string() })?;
            let choices = [("block", UnknownTools::Block), ("allow", UnknownTools::Allow)];
            let unknown = fields.choice("unknown", &choices)?.unwrap_or_default();
            Ok(ArgValidation::new(tools)?.unknown(unknown).into())
        }
        "trace_sanitization" => {
            let keys = &["hook", "max_chars", "max_depth", "max_items", "marker"];
            let fields = Fields::of(hook, place, keys)?;
            let mut hook = TraceSanitization::default();
            if let Some(max) = fields.number("max_chars")? {
                hook = hook.max_chars(max)?;
            }
            if let Some(max) = fields.number("max_depth")? {
                hook = hook.max_depth(max)?;
            }
            if let Some(max) = fields.number("max_items")? {
                hook = hook.max_items(max)?;
            }
            if let Some(marker) = fields.text("marker")? {
                hook = hook.marker(marker);
            }
            Ok(hook.into())
        }
        "repeat_guard" => {
            let fields = Fields::of(hook, place, &["hook", "warn_at", "stop_at"])?;
            let warn_at = fields.number("warn_at")?.unwrap_or(RepeatGuard::WARN_AT);
            let stop_at = fields.number("stop_at")?.unwrap_or(RepeatGuard::STOP_AT);
            Ok(RepeatGuard::new(warn_at, stop_at)?.into())
        }
        _ => Err(PolicyError::UnknownHook { name: name.to_string(), known: HOOKS }),
    }
}
