//! How a validator is built: options, patterns compiled once, texts and their defaults.

use std::sync::Arc;

use regex::{RegexBuilder, RegexSet, RegexSetBuilder};
use serde_json::Value;

use super::Validator;
use crate::policy::config::{Fields, PolicyError, Result, at_least_one};
use crate::policy::recent::{CONVERSATIONS, Recent};
use crate::policy::texts::Texts;

/// Requests that need a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pattern: String,
    except: Option<String>,
    tools: Vec<String>,
}

impl Pattern {
    /// A regular expression (syntax of the `regex` crate: linear time, no look-around), searched
    /// anywhere in the user's message, case ignored; `\b` is a word boundary. The tools are those
    /// that are expected; none means any.
    pub fn new(
        pattern: impl Into<String>,
        tools: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let tools = tools.into_iter().map(Into::into).collect();
        Pattern { pattern: pattern.into(), except: None, tools }
    }

    /// Where this is found too, the pattern does not count.
    #[must_use]
    pub fn except(mut self, pattern: impl Into<String>) -> Self {
        self.except = Some(pattern.into());
        self
    }
}

/// What a [`Validator`] is built from.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(super) enabled: bool,
    pub(super) max_retries: usize,
    patterns: Vec<Pattern>,
    pub(super) blocked_tools: Vec<String>,
    messages: Vec<(String, String)>,
    pub(super) require_expected: bool,
    pub(super) max_conversations: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            enabled: true,
            max_retries: 3,
            patterns: Vec::new(),
            blocked_tools: Vec::new(),
            messages: Vec::new(),
            require_expected: false,
            max_conversations: CONVERSATIONS,
        }
    }
}

impl Builder {
    /// Whether the patterns count; default `true`. Blocked tools stay blocked.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// At which failure in a row the user is asked; default 3, that is, after two corrections.
    #[must_use]
    pub fn max_retries(mut self, retries: usize) -> Self {
        self.max_retries = retries;
        self
    }

    /// One more pattern.
    #[must_use]
    pub fn pattern(mut self, pattern: Pattern) -> Self {
        self.patterns.push(pattern);
        self
    }

    /// More tools that may not be called directly, by their exact names.
    #[must_use]
    pub fn blocked_tools(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.blocked_tools.extend(tools.into_iter().map(Into::into));
        self
    }

    /// A text in place of the default of this name.
    #[must_use]
    pub fn message(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.messages.push((name.into(), text.into()));
        self
    }

    /// Whether one of the expected tools must be among the calls; default `false`: any will do.
    #[must_use]
    pub fn require_expected(mut self, require: bool) -> Self {
        self.require_expected = require;
        self
    }

    /// For how many conversations it counts; default 1024. The one that was not used for longest
    /// is forgotten first; one without failures takes no place.
    #[must_use]
    pub fn max_conversations(mut self, max: usize) -> Self {
        self.max_conversations = max;
        self
    }

    /// The validator.
    ///
    /// # Errors
    /// A limit of 0, a pattern that does not compile, a text of an unknown name.
    pub fn build(mut self) -> Result<Validator> {
        at_least_one("max_retries", self.max_retries)?;
        at_least_one("max_conversations", self.max_conversations)?;
        let mut texts = Texts::new(TEXTS);
        texts.replace(std::mem::take(&mut self.messages))?;
        let patterns = compile(self.patterns.iter().map(|pattern| &pattern.pattern))?;
        let excepts = compile(self.patterns.iter().filter_map(|pattern| pattern.except.as_ref()))?;
        Ok(Validator::new(Config { options: self, patterns, excepts, texts }))
    }

    pub(super) fn from_json(config: &Value) -> Result<Builder> {
        let keys = &[
            "enabled",
            "max_retries",
            "patterns",
            "blocked_tools",
            "messages",
            "require_expected",
            "max_conversations",
        ];
        let fields = Fields::of(config, "config", keys)?;
        let default = Builder::default();
        Ok(Builder {
            enabled: fields.bool("enabled")?.unwrap_or(default.enabled),
            max_retries: fields.number("max_retries")?.unwrap_or(default.max_retries),
            patterns: read_patterns(fields.list("patterns")?)?,
            blocked_tools: fields.names("blocked_tools")?.unwrap_or_default(),
            messages: fields.messages()?,
            require_expected: fields.bool("require_expected")?.unwrap_or_default(),
            max_conversations: fields
                .number("max_conversations")?
                .unwrap_or(default.max_conversations),
        })
    }
}

fn read_patterns(list: &[Value]) -> Result<Vec<Pattern>> {
    let pattern = |(at, pattern): (usize, &Value)| {
        let place = format!("patterns[{at}]");
        let fields = Fields::of(pattern, place, &["pattern", "except", "tools"])?;
        Ok(Pattern {
            pattern: fields.required("pattern", fields.text("pattern")?)?.to_string(),
            except: fields.text("except")?.map(String::from),
            tools: fields.required("tools", fields.names("tools")?)?,
        })
    };
    list.iter().enumerate().map(pattern).collect()
}

/// All of them as one set; what is wrong with one is told with its name.
fn compile<'p>(patterns: impl Iterator<Item = &'p String> + Clone) -> Result<RegexSet> {
    for pattern in patterns.clone() {
        RegexBuilder::new(pattern).case_insensitive(true).build().map_err(|error| {
            PolicyError::Pattern { pattern: pattern.clone(), reason: reason(&error) }
        })?;
    }
    let set = RegexSetBuilder::new(patterns.clone()).case_insensitive(true).build();
    set.map_err(|error| PolicyError::Pattern {
        pattern: patterns.cloned().collect::<Vec<_>>().join("|"),
        reason: reason(&error),
    })
}

/// The last line says what is wrong; those before it draw a picture.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_string()
}

/// What the clones of a validator share.
#[derive(Debug)]
pub(super) struct Config {
    pub options: Builder,
    patterns: RegexSet,
    /// Of those patterns that have one, in their order.
    excepts: RegexSet,
    pub texts: Texts,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            options: Builder::default(),
            patterns: RegexSet::empty(),
            excepts: RegexSet::empty(),
            texts: Texts::new(TEXTS),
        }
    }
}

impl Config {
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
        for (at, pattern) in self.options.patterns.iter().enumerate() {
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

impl Validator {
    pub(super) fn new(config: Config) -> Validator {
        let counts = Recent::new(config.options.max_conversations);
        Validator { config: Arc::new(config), counts }
    }
}

const TEXTS: &[(&str, &str)] = &[
    (
        "no_tool_used",
        "No tool was called, but this request needs one: {expectedTools}. Do not describe the \
         action; call the tool. (Automatic message: do not answer it.)",
    ),
    (
        "unexpected_tool",
        "This request needs one of these tools: {expectedTools}. You called {calledTools} \
         instead. (Automatic message: do not answer it.)",
    ),
    (
        "escalate",
        "The model did not use a required tool {count} times in a row. Choose how to go on: \
         rephrase the request, do it by hand, or stop.",
    ),
    ("blocked", BLOCKED),
];

/// What the model reads instead of the result of a call that may not be made.
pub(in crate::policy) const BLOCKED: &str = "The tool '{tool}' may not be called directly.";
