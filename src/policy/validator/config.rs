//! How a validator is built: options, patterns compiled once, texts and their defaults.

use regex::{RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;

use crate::policy::config::{PolicyError, Result, at_least_one};
use crate::policy::recent::CONVERSATIONS;

/// What a [`Validator`](super::Validator) is built from, or JSON with these keys; what is absent
/// keeps its default.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ValidatorConfig {
    /// Whether the patterns count; default `true`. Blocked tools stay blocked.
    pub enabled: bool,
    /// At which failure in a row the user is asked; default 3, that is, after two corrections.
    pub max_retries: usize,
    /// Which requests need a tool; default: none.
    pub patterns: Vec<Pattern>,
    /// The tools that may not be called directly, by their exact names.
    pub blocked_tools: Vec<String>,
    /// The texts.
    pub messages: ValidatorTexts,
    /// Whether one of the expected tools must be among the calls; default `false`: any will do.
    pub require_expected: bool,
    /// For how many conversations it counts; default 1024. The one that was not used for longest
    /// is forgotten first; one without failures takes no place.
    pub max_conversations: usize,
}

/// Requests that need a tool. Regular expressions have the syntax of the `regex` crate (linear time,
/// no look-around) and are searched anywhere in the user's message, case ignored; `\b` is a word
/// boundary.
///
/// In a [`ValidatorConfig`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// The regular expression.
    pub pattern: String,
    /// Where this is found too, the pattern does not count.
    #[serde(default)]
    pub except: Option<String>,
    /// The tools that are expected; none means any.
    pub tools: Vec<String>,
}

/// What the validator says. `{expectedTools}` and `{calledTools}` are names, joined by `, `; if no
/// tool is expected more than another, the former is "one of the available tools". `{count}` is the
/// number of failures in a row; in `blocked` there is `{tool}` alone, the name.
///
/// In a [`ValidatorConfig`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ValidatorTexts {
    /// For the model: no tool was called.
    pub no_tool_used: String,
    /// For the model: another tool was called, with [`ValidatorConfig::require_expected`].
    pub unexpected_tool: String,
    /// For the user.
    pub escalate: String,
    /// For the model: the result of a call that may not be made.
    pub blocked: String,
}

impl Pattern {
    /// A pattern without an exception.
    pub fn new(
        pattern: impl Into<String>,
        tools: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let tools = tools.into_iter().map(Into::into).collect();
        Pattern { pattern: pattern.into(), except: None, tools }
    }
}

impl Default for ValidatorConfig {
    fn default() -> Self {
        ValidatorConfig {
            enabled: true,
            max_retries: 3,
            patterns: Vec::new(),
            blocked_tools: Vec::new(),
            messages: ValidatorTexts::default(),
            require_expected: false,
            max_conversations: CONVERSATIONS,
        }
    }
}

impl Default for ValidatorTexts {
    fn default() -> Self {
        ValidatorTexts {
            no_tool_used: "No tool was called, but this request needs one: {expectedTools}. Do \
                not describe the action; call the tool. (Automatic message: do not answer it.)"
                .into(),
            unexpected_tool: "This request needs one of these tools: {expectedTools}. You called \
                {calledTools} instead. (Automatic message: do not answer it.)"
                .into(),
            escalate: "The model did not use a required tool {count} times in a row. Choose how \
                to go on: rephrase the request, do it by hand, or stop."
                .into(),
            blocked: BLOCKED.into(),
        }
    }
}

/// What the model reads instead of the result of a call that may not be made.
pub(in crate::policy) const BLOCKED: &str = "The tool '{tool}' may not be called directly.";

/// What the clones of a validator share.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub config: ValidatorConfig,
    patterns: RegexSet,
    /// Of those patterns that have one, in their order.
    excepts: RegexSet,
}

impl Compiled {
    pub fn new(config: ValidatorConfig) -> Result<Compiled> {
        at_least_one("max_retries", config.max_retries)?;
        at_least_one("max_conversations", config.max_conversations)?;
        let patterns = compile(config.patterns.iter().map(|pattern| &pattern.pattern))?;
        let excepts =
            compile(config.patterns.iter().filter_map(|pattern| pattern.except.as_ref()))?;
        Ok(Compiled { config, patterns, excepts })
    }

    /// The tools of the patterns that match, each once; none if no pattern does.
    pub fn matching(&self, message: &str) -> Option<Vec<String>> {
        let found = self.patterns.matches(message);
        if !found.matched_any() {
            return None;
        }
        let excepted = self.excepts.matches(message);
        let mut excepts = 0..;
        let mut matching = false;
        let mut tools: Vec<String> = Vec::new();
        for (at, pattern) in self.config.patterns.iter().enumerate() {
            let except = pattern.except.as_ref().and_then(|_| excepts.next());
            if !found.matched(at) || except.is_some_and(|except| excepted.matched(except)) {
                continue;
            }
            matching = true;
            for tool in &pattern.tools {
                if !tools.contains(tool) {
                    tools.push(tool.clone());
                }
            }
        }
        matching.then_some(tools)
    }
}

/// All of them as one set; what is wrong with one is told with its name.
fn compile<'p>(patterns: impl Iterator<Item = &'p String> + Clone) -> Result<RegexSet> {
    for pattern in patterns.clone() {
        RegexBuilder::new(pattern).case_insensitive(true).build().map_err(|error| {
            PolicyError::config("patterns", format!("`{pattern}`: {}", reason(&error)))
        })?;
    }
    let set = RegexSetBuilder::new(patterns.clone()).case_insensitive(true).build();
    set.map_err(|error| PolicyError::config("patterns", reason(&error)))
}

/// The last line says what is wrong; those before it draw a picture.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_string()
}
