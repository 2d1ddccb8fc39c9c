//! The validator: whether a request needs a tool, which one, and whether it was used.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::config::{AtLeastOne, Result, declared, fill, options, read, restore, texts};
use super::decision::{Decision, Mistake, Reason};
use super::recent::{CONVERSATIONS, Recent};
use crate::tool::Tool;

/// Validator of all conversations: whether a request needs a tool, which one, and whether it was used.
///
/// Patterns over the user's last message decide which requests need a tool. A turn without the tool is answered with
/// a correction, and after some of them the user is asked. Blocked tools are refused for every request. A skill is a
/// tool like any other.
///
/// The validator counts for each conversation by its name. Clones share the compiled patterns, but not the counts.
/// [`Validator::default`] has no patterns and no blocked tools: every turn is valid.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Decision, Request, Validator};
///
/// let mut validator = Validator::from_json(&json!({
///     "patterns": [{
///         "pattern": "write|save",
///         "except": "do not (write|save)",
///         "tools": ["begin_write"],
///     }],
///     "blocked_tools": ["finalize_write"],
/// }))?;
///
/// let mut request = Request::new("conversation 1", "Write the report");
/// let verdict = validator.validate(&request);
/// let Decision::Retry(correction) = verdict.decision else { panic!("a correction was due") };
/// assert!(correction.text.contains("needs one: begin_write."));
///
/// request.calls = vec!["begin_write"];
/// assert_eq!(validator.validate(&request).decision, Decision::Proceed);
/// validator.tool_result("conversation 1", true); // when it has run
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Validator {
    config: Arc<ValidatorConfig>,
    /// Failures in a row, if there are any.
    counts: Recent<usize>,
}

options!(ValidatorConfig {
    enabled: bool = true,
    max_retries: AtLeastOne = AtLeastOne(3),
    patterns: Vec<RequestPattern> = Vec::new(),
    blocked_tools: Vec<String> = Vec::new(),
    messages: ValidatorTexts = ValidatorTexts::default(),
    require_expected: bool = false,
    max_conversations: AtLeastOne = AtLeastOne(CONVERSATIONS),
});

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestPattern {
    pattern: Pattern,
    except: Option<Pattern>,
    tools: Vec<String>,
}

impl RequestPattern {
    fn matches(&self, message: &str) -> bool {
        let excepted = |except: &Pattern| except.0.is_match(message);
        self.pattern.0.is_match(message) && !self.except.as_ref().is_some_and(excepted)
    }
}

/// A regular expression that ignores case.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(pattern: String) -> std::result::Result<Self, String> {
        let compiled = RegexBuilder::new(&pattern).case_insensitive(true).build();
        compiled.map(Pattern).map_err(|error| {
            // The last line has the mistake; those before it draw a picture.
            let error = error.to_string();
            let what = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            format!("`{pattern}`: {what}")
        })
    }
}

texts!(ValidatorTexts {
    no_tool_used: "No tool was called, but this request needs one: {expectedTools}. Do not \
        describe the action; call the tool. (Automatic message: do not answer it.)",
    unexpected_tool: "This request needs one of these tools: {expectedTools}. You called \
        {calledTools} instead. (Automatic message: do not answer it.)",
    escalate: "The model did not use a required tool {count} times in a row. Choose how to go on: \
        rephrase the request, do it by hand, or stop.",
    blocked: "The tool '{tool}' may not be called directly.",
});

/// A question to the validator: a conversation, the request, and the model's answer to it.
///
/// [`Validator`] has an example.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Request, Validator};
///
/// let config = json!({"patterns": [{"pattern": "file", "tools": ["read"]}]});
/// let mut validator = Validator::from_json(&config)?;
/// let mut request = Request::new("conversation 7", "What is in the file?");
/// request.calls = vec!["read"];
/// assert!(validator.validate(&request).inference.requires_tool);
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The conversation's name.
    pub conversation: &'a str,
    /// The user's last message.
    pub last_user_message: &'a str,
    /// The names of the calls that the model made and that may run.
    pub calls: Vec<&'a str>,
    /// A write session is active: the text is the content.
    pub active_session: bool,
    /// Your program's knowledge, which wins over the patterns: text is an answer (`false`), a tool is needed
    /// (`true`).
    pub requires_tool: Option<bool>,
    /// The tools that are expected if your program says that a tool is needed; empty: any.
    pub expected_tools: Vec<&'a str>,
}

impl<'a> Request<'a> {
    /// Makes a request without calls.
    pub fn new(conversation: &'a str, last_user_message: &'a str) -> Self {
        Request { conversation, last_user_message, ..Request::default() }
    }
}

/// The needs of a request.
///
/// [`Validator::infer`] returns it.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Request, Validator};
///
/// let config = json!({"patterns": [{"pattern": "file", "tools": ["read"]}]});
/// let inference = Validator::from_json(&config)?.infer(&Request::new("", "What is in the file?"));
/// assert_eq!((inference.expected_tools, inference.reason), (vec!["read".to_string()], "pattern"));
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inference {
    /// Whether the request needs a tool.
    pub requires_tool: bool,
    /// The expected tools: those of the matching patterns, in order, each once. Empty: any.
    pub expected_tools: Vec<String>,
    /// The source of the inference, for the log: `override` (your program), `disabled`, `active_session`, `pattern`,
    /// `no_pattern`.
    pub reason: &'static str,
}

/// Verdict about a turn.
///
/// [`Validator::validate`] returns it.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Decision, Request, Validator};
///
/// let mut validator = Validator::from_json(&json!({"blocked_tools": ["rm"]}))?;
/// let mut request = Request::new("", "Clean up.");
/// request.calls = vec!["rm", "list"];
/// let verdict = validator.validate(&request);
/// assert_eq!(verdict.decision, Decision::Proceed); // with those that are not blocked
/// assert!(verdict.blocked.contains_key("rm") && !verdict.blocked.contains_key("list"));
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The next step. `Proceed`: run the calls that are not blocked; without any, accept the text.
    pub decision: Decision,
    /// The calls that may not run, each with the text of its result. Other calls may run if the decision is
    /// `Proceed`.
    pub blocked: BTreeMap<String, String>,
    /// The needs of the request.
    pub inference: Inference,
}

impl Validator {
    /// Reads a validator with these options.
    ///
    /// | key | default | |
    /// |---|---|---|
    /// | `enabled` | `true` | whether the patterns count; blocked tools stay blocked |
    /// | `max_retries` | 3 | the failure in a row at which the user is asked: by default, after two corrections |
    /// | `patterns` | `[]` | the requests that need a tool: `[{"pattern": …, "except": …, "tools": […]}, …]` |
    /// | `blocked_tools` | `[]` | the tools that may not be called directly, by their exact names |
    /// | `require_expected` | `false` | whether one of the expected tools must be among the calls, or any will do |
    /// | `max_conversations` | 1024 | the number of conversations with counts. The least recently used one is forgotten first; conversations without failures do not count |
    /// | `messages` | | the texts |
    ///
    /// `pattern` and `except` are regular expressions in the syntax of the `regex` crate (linear time,
    /// no look-around), searched anywhere in the user's message, case ignored; `\b` is a word boundary.
    /// If `except` is found too, the pattern does not count; `except` is optional. `tools` are the expected tools;
    /// without them any tool will do.
    ///
    /// The texts are `no_tool_used` and `unexpected_tool` for the model, `escalate` for the user, and
    /// `blocked`, the result of a call that may not be made. `{expectedTools}` and `{calledTools}` are
    /// names, joined by `, `; if no tool is expected more than another, the former is "one of the
    /// available tools". `{count}` is the number of failures in a row; in `blocked` there is `{tool}`
    /// alone, the name.
    ///
    /// # Errors
    /// An unknown key, a value that does not fit its key, a limit of 0, a pattern that does not compile.
    /// The validator has no list of tools: [`Hooks::standard`] and [`ToolLoop::from_json`] have one, and refuse the name of an
    /// undeclared tool.
    ///
    /// [`Hooks::standard`]: super::Hooks::standard
    /// [`ToolLoop::from_json`]: super::ToolLoop::from_json
    pub fn from_json(config: &Value) -> Result<Validator> {
        read(config, "config").map(Validator::new)
    }

    pub(super) fn new(config: ValidatorConfig) -> Validator {
        let counts = Recent::new(config.max_conversations.0);
        Validator { config: Arc::new(config), counts }
    }

    /// Infers the needs of the request, without counting. The first of these decides: your program's word, a disabled
    /// validator, an active session, the matching patterns.
    pub fn infer(&self, request: &Request<'_>) -> Inference {
        let expected = || request.expected_tools.iter().map(|name| (*name).to_string()).collect();
        let (expected, reason) = match request.requires_tool {
            Some(needed) => (needed.then(expected), "override"),
            None if !self.config.enabled => (None, "disabled"),
            None if request.active_session => (None, "active_session"),
            None => match self.matching(request.last_user_message) {
                Some(expected) => (Some(expected), "pattern"),
                None => (None, "no_pattern"),
            },
        };
        let requires_tool = expected.is_some();
        Inference { requires_tool, expected_tools: expected.unwrap_or_default(), reason }
    }

    /// Decides about a turn, in this order. Blocked calls are refused. A call that is not blocked, or a request that
    /// needs none, is valid and leaves the count. Everything else is a failure.
    pub fn validate(&mut self, request: &Request<'_>) -> Verdict {
        self.counts.get(request.conversation);
        let inference = self.infer(request);
        let (blocked, free) = self.split(&request.calls);
        let decision = if free.is_empty() && !blocked.is_empty() {
            Decision::Block
        } else if let Some(reason) = self.failure(&free, &inference) {
            self.strike(reason, request.conversation, &free, &inference)
        } else {
            Decision::Proceed
        };
        Verdict { decision, blocked, inference }
    }

    /// Counts the result of a tool. Success resets the conversation's count; a failure leaves it.
    pub fn tool_result(&mut self, conversation: &str, ok: bool) {
        if ok {
            self.forget(conversation);
        } else {
            self.counts.get(conversation);
        }
    }

    /// Resets the count of a conversation that is over, or whose user has chosen.
    pub fn forget(&mut self, conversation: &str) {
        self.counts.remove(conversation);
    }

    /// Returns the conversation's failures in a row. This does not count as a use of the conversation.
    pub fn count(&self, conversation: &str) -> usize {
        self.counts.peek(conversation).copied().unwrap_or_default()
    }

    /// Returns the counts as JSON, to be stored: `[["conversation", count], …]`, beginning with the
    /// conversation that was not used for longest.
    pub fn snapshot(&self) -> Value {
        json!(self.counts.in_order())
    }

    /// Restores stored counts.
    ///
    /// # Errors
    /// For a value that is not the counts of a validator; nothing changes then.
    pub fn restore(&mut self, snapshot: &Value) -> Result<()> {
        let counts: Vec<(String, usize)> = restore(snapshot)?;
        self.counts = Recent::new(self.config.max_conversations.0);
        for (conversation, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            *self.counts.get_or_insert(&conversation, 0) = count;
        }
        Ok(())
    }

    pub(super) fn blocked_tools(&self) -> &[String] {
        &self.config.blocked_tools
    }

    /// Checks that all its tools are among these. `place`: the place of its configuration.
    pub(super) fn names_only(&self, tools: &[Tool], place: &str) -> Result<()> {
        for (at, name) in self.blocked_tools().iter().enumerate() {
            declared(name, tools, format_args!("{place}.blocked_tools[{at}]"))?;
        }
        for (number, pattern) in self.config.patterns.iter().enumerate() {
            for (at, name) in pattern.tools.iter().enumerate() {
                declared(name, tools, format_args!("{place}.patterns[{number}].tools[{at}]"))?;
            }
        }
        Ok(())
    }

    /// The tools of the patterns that match, each once; none if no pattern does.
    fn matching(&self, message: &str) -> Option<Vec<String>> {
        let matching: Vec<_> =
            self.config.patterns.iter().filter(|of| of.matches(message)).collect();
        let mut tools: Vec<String> = Vec::new();
        for tool in matching.iter().flat_map(|of| &of.tools) {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        (!matching.is_empty()).then_some(tools)
    }

    /// Separates the blocked calls, with their texts, from the others.
    fn split<'c>(&self, calls: &[&'c str]) -> (BTreeMap<String, String>, Vec<&'c str>) {
        let is_blocked = |name: &&str| self.blocked_tools().iter().any(|tool| tool == name);
        let (blocked, free): (Vec<_>, Vec<_>) = calls.iter().copied().partition(is_blocked);
        let text = |name: &str| fill(&self.config.messages.blocked, &[("tool", &name)]);
        (blocked.into_iter().map(|name| (name.to_string(), text(name))).collect(), free)
    }

    /// Returns the mistake of a turn with these calls, beside blocked ones.
    fn failure(&self, free: &[&str], needed: &Inference) -> Option<Reason> {
        let expected = &needed.expected_tools;
        let any = !self.config.require_expected || expected.is_empty();
        let fits = |call: &&str| any || expected.iter().any(|name| name == call);
        if !needed.requires_tool || free.iter().any(fits) {
            None
        } else if free.is_empty() {
            Some(Reason::NoToolUsed)
        } else {
            Some(Reason::UnexpectedTool)
        }
    }

    fn strike(
        &mut self,
        reason: Reason,
        conversation: &str,
        calls: &[&str],
        needed: &Inference,
    ) -> Decision {
        let ValidatorConfig { max_retries, messages, .. } = &*self.config;
        let expected = match needed.expected_tools.join(", ") {
            none if none.is_empty() => "one of the available tools".to_string(),
            names => names,
        };
        let text = match reason {
            Reason::UnexpectedTool => &messages.unexpected_tool,
            _ => &messages.no_tool_used,
        };
        let mistake = Mistake {
            reason,
            limit: max_retries.0,
            texts: [text, &messages.escalate],
            discard_visible_text: false,
        };
        let count = self.counts.get_or_insert(conversation, 0);
        mistake.count(count, &[("expectedTools", &expected), ("calledTools", &calls.join(", "))])
    }
}
