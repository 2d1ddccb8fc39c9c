//! Hooks from JSON, as a host's configuration file has them.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Hooks;
use super::arg_validation::{ArgValidation, UnknownTools};
use super::block_list::BlockList;
use super::hook::Hook;
use super::repeat_guard::RepeatGuard;
use super::trace_sanitization::TraceSanitization;
use crate::policy::config::{PolicyError, Result, read};
use crate::tool::Tool;

const HOOKS: &str = "`block_list`, `arg_validation`, `trace_sanitization`, `repeat_guard`";

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    hooks: Vec<Map<String, Value>>,
    skill_tools: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ArgValidationConfig {
    tools: Vec<Value>,
    unknown: UnknownTools,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RepeatConfig {
    warn_at: usize,
    stop_at: usize,
}

impl Default for RepeatConfig {
    fn default() -> Self {
        RepeatConfig { warn_at: RepeatGuard::WARN_AT, stop_at: RepeatGuard::STOP_AT }
    }
}

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
    /// An unknown hook, an unknown key, a value that does not fit its key, and what the hooks
    /// themselves refuse.
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

    /// The same with hooks of the host's own: asked first for the hook of a name, with its options
    /// (the object without its `hook`).
    ///
    /// # Errors
    /// As [`from_json`](Hooks::from_json), and what `own` refuses.
    pub fn from_json_with(
        config: &Value,
        own: impl Fn(&str, &Value) -> Option<Result<Hook>>,
    ) -> Result<Hooks> {
        let config: Config = read(config, "config")?;
        let mut hooks = Hooks::new().skill_tools(config.skill_tools);
        for (at, mut options) in config.hooks.into_iter().enumerate() {
            let place = format!("config.hooks[{at}]");
            // Not `remove`, which would change the order of the others.
            let name: String =
                read(&options.shift_remove("hook").unwrap_or_default(), &format!("{place}.hook"))?;
            let options = Value::Object(options);
            let hook = own(&name, &options).unwrap_or_else(|| built_in(&name, &options, &place));
            hooks = hooks.with(hook?);
        }
        Ok(hooks)
    }
}

fn built_in(name: &str, options: &Value, place: &str) -> Result<Hook> {
    Ok(match name {
        "block_list" => read::<BlockList>(options, place)?.into(),
        "arg_validation" => {
            let config: ArgValidationConfig = read(options, place)?;
            let tools: std::result::Result<_, _> =
                config.tools.iter().map(Tool::from_json).collect();
            let tools = tools.map_err(|error| {
                PolicyError::config(format!("{place}.tools"), error.to_string())
            })?;
            ArgValidation::new(tools)?.unknown(config.unknown).into()
        }
        "trace_sanitization" => TraceSanitization::new(read(options, place)?)?.into(),
        "repeat_guard" => {
            let RepeatConfig { warn_at, stop_at } = read(options, place)?;
            RepeatGuard::new(warn_at, stop_at)?.into()
        }
        _ => {
            let what = format!("there is no hook `{name}`, expected one of {HOOKS}");
            return Err(PolicyError::config(format!("{place}.hook"), what));
        }
    })
}
