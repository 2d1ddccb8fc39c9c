//! Hooks from JSON, as a configuration file has them.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Hooks;
use super::arg_validation::by_schema;
use super::hook::{Hook, Pre};
use super::repeat_guard::RepeatGuard;
use super::trace_sanitization::TraceSanitization;
use crate::json::members;
use crate::policy::config::{Result, fill, invalid, options, read};
use crate::policy::validator::ValidatorTexts;
use crate::tool::Tool;

options!(HooksConfig {
    hooks: Vec<Map<String, Value>> = Vec::new(),
    skill_tools: Vec<String> = Vec::new(),
});

options!(ArgValidationConfig {
    tools: Vec<Value> = Vec::new(),
    unknown: UnknownTools = UnknownTools::Block,
});

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::policy) enum UnknownTools {
    Block,
    Allow,
}

options!(BlockList {
    tools: HashSet<String> = HashSet::new(),
    message: String = ValidatorTexts::default().blocked,
});

impl BlockList {
    pub fn hook(self) -> Hook {
        Hook::pre("block_list", move |call, _| {
            if !self.tools.contains(&call.name) {
                return Ok(Pre::Go);
            }
            Ok(Pre::Done(call.error(fill(&self.message, &[("tool", &call.name)]))))
        })
    }
}

impl Hooks {
    /// Reads hooks from a JSON object: `hooks`, a list in the order of registration, each as in [`Hook::from_json`],
    /// and `skill_tools`, names with `*`.
    ///
    /// # Errors
    /// For an unknown key, and for an error of [`Hook::from_json`].
    ///
    /// ```
    /// use toolstream::policy::Hooks;
    ///
    /// let hooks = Hooks::from_json(&serde_json::json!({
    ///     "hooks": [{"hook": "repeat_guard", "stop_at": 4}, {"hook": "trace_sanitization"}],
    ///     "skill_tools": ["skill_*"],
    /// }))?;
    /// # Ok::<(), toolstream::policy::PolicyError>(())
    /// ```
    pub fn from_json(config: &Value) -> Result<Hooks> {
        Hooks::from_json_with(config, |_, _| None)
    }

    /// Reads a hook; hooks of your own, looked up by name, come first. They get their options (the object without its
    /// `hook`).
    ///
    /// # Errors
    /// For an error of [`from_json`](Hooks::from_json) or of `own`.
    pub fn from_json_with(
        config: &Value,
        own: impl Fn(&str, &Value) -> Option<Result<Hook>>,
    ) -> Result<Hooks> {
        let config: HooksConfig = read(config, "config")?;
        let mut hooks = Hooks::default().skill_tools(config.skill_tools);
        for (at, options) in config.hooks.into_iter().enumerate() {
            let place = format!("config.hooks[{at}]");
            let (name, options) = parts(options, &place)?;
            let hook = own(&name, &options).unwrap_or_else(|| built_in(&name, &options, &place));
            hooks = hooks.with(hook?);
        }
        Ok(hooks)
    }
}

impl Hook {
    /// Reads a built-in hook, `{"hook": NAME, …}` with its options. Built-in hooks see every call, tools and skills.
    ///
    /// * `block_list` blocks calls by their exact names, case included: `tools`, and `message`, the text for the
    ///   model, in which `{tool}` is the name.
    /// * `arg_validation` is [`Hook::arg_validation`]: `tools` (declarations), and `unknown`, the treatment of calls
    ///   of other tools: `"block"`, with a list of the declared ones, or `"allow"`: they run, unchecked.
    /// * `trace_sanitization` makes a result storable (in PostgreSQL's JSONB, for example) and small.
    ///   It works on the value, never on its text, so that text stays text and JSON stays valid.
    ///   U+0000 becomes U+FFFD, in strings and in keys. `max_chars` (default 20000) is a budget in Unicode characters
    ///   for all strings of the result in their order. The first string beyond the budget is cut to the rest of it,
    ///   followed by the `marker`, in which `{omitted}` is the number of removed characters. Of later strings that
    ///   are not empty, the marker alone remains. Keys cost nothing.
    ///   Containers deeper than `max_depth` (64; the outermost is 1) become `[truncated]`. A list longer than
    ///   `max_items` (1000) keeps so many, and then has `[N more items]`. [`Report::truncated`](super::Report) shows
    ///   that data was cut.
    /// * `repeat_guard` notices equal calls in a row: one name and equal arguments, whatever the order of their keys.
    ///   At `warn_at` (3) it has a [note](super::Report::note) for the model, and at `stop_at` (5) it stops the call
    ///   and asks for the user ([`Report::escalate`](super::Report)). If the tool's result differs from its last one,
    ///   the count begins again: polling is fine. Register it first ([`Hooks::with_first`]), so that it sees the
    ///   calls and results unchanged. It counts for each [conversation](super::Call::conversation), for the 1024 that
    ///   called last. When the user has chosen to go on, [`Hooks::forget`] lets the call run again.
    ///
    /// # Errors
    /// For an unknown hook or key, a value that does not fit its key, a limit of 0, a `warn_at` that is not at least
    /// 2 and below `stop_at`, and an error of [`Hook::arg_validation`].
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::policy::{Call, Hook, Hooks};
    ///
    /// let hooks = Hooks::default()
    ///     .with(Hook::from_json(&json!({"hook": "repeat_guard", "warn_at": 2, "stop_at": 3}))?)
    ///     .with(Hook::from_json(&json!({"hook": "trace_sanitization", "max_chars": 5}))?);
    /// let read = || hooks.execute(Call::new("read", json!({})), |call| call.ok("größer\0"));
    /// let cut = read();
    /// assert_eq!(cut.result.content, "größe …[truncated, 2 characters left out]");
    /// assert!(cut.report.truncated && cut.report.note.is_none());
    /// assert!(read().report.note.unwrap().starts_with("Identical call number 2"));
    /// assert!(read().report.escalate);
    /// # Ok::<(), toolstream::policy::PolicyError>(())
    /// ```
    pub fn from_json(config: &Value) -> Result<Hook> {
        let (name, options) = parts(read(config, "config")?, "config")?;
        built_in(&name, &options, "config")
    }
}

/// The name of a hook, and its options.
fn parts(mut hook: Map<String, Value>, place: &str) -> Result<(String, Value)> {
    let name = members::take(&mut hook, "hook").unwrap_or_default();
    Ok((read(&name, &format!("{place}.hook"))?, hook.into()))
}

fn built_in(name: &str, options: &Value, place: &str) -> Result<Hook> {
    Ok(match name {
        "block_list" => read::<BlockList>(options, place)?.hook(),
        "arg_validation" => {
            let config: ArgValidationConfig = read(options, place)?;
            let tools: std::result::Result<Vec<_>, _> =
                config.tools.iter().map(Tool::from_json).collect();
            let place = format!("{place}.tools");
            let tools = tools.map_err(|error| invalid(&place, error))?;
            let names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
            let hook = by_schema(tools, &place)?;
            match config.unknown {
                UnknownTools::Block => hook,
                UnknownTools::Allow => hook.tools(names),
            }
        }
        "trace_sanitization" => read::<TraceSanitization>(options, place)?.hook(),
        "repeat_guard" => RepeatGuard::new(read(options, place)?, place)?.hook(),
        _ => {
            let what = "`block_list`, `arg_validation`, `trace_sanitization`, `repeat_guard`";
            let what = format!("there is no hook `{name}`, expected one of {what}");
            return Err(invalid(format!("{place}.hook"), what));
        }
    })
}
