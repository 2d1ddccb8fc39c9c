//! The validator: does this request need a tool, which, and was one used?
//!
//! Patterns over the user's last message say which requests need a tool. A turn without one is
//! answered with a correction, and after some of them the user is asked. Tools that may not be
//! called directly are refused whatever the request. A skill is a tool like any other.
//!
//! ```
//! use toolstream::policy::validator::{Action, Pattern, Request, Validator};
//!
//! let mut validator = Validator::builder()
//!     .pattern(Pattern::new("write|save", ["begin_write"]).except("do not (write|save)"))
//!     .blocked_tools(["finalize_write"])
//!     .build()?;
//!
//! let mut request = Request::new("conversation 1", "Write the report");
//! let verdict = validator.validate(&request);
//! let Action::Retry { message, .. } = &verdict.action else { panic!("a correction was due") };
//! assert!(message.contains("needs one: begin_write."));
//!
//! request.calls = vec!["begin_write"];
//! assert!(validator.validate(&request).is_valid());
//! validator.tool_success("conversation 1"); // when it has run
//! # Ok::<(), toolstream::policy::PolicyError>(())
//! ```
//!
//! # The texts
//!
//! | name | for |
//! |---|---|
//! | `no_tool_used` | the model: no tool was called |
//! | `unexpected_tool` | the model: another tool was called, with [`Builder::require_expected`] |
//! | `blocked` | the model: the result of a call that may not be made |
//! | `escalate` | the user |
//!
//! `{expectedTools}` and `{calledTools}` are names, joined by `, `; if no tool is expected more
//! than another, the former is "one of the available tools". `{count}` is the number of failures in
//! a row; in `blocked` there is `{tool}` alone, the name.

mod builder;
mod infer;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::config::{PolicyError, Result};
use super::recent::Recent;
use super::{ROLE, trace};
use builder::Config;

pub(super) use builder::BLOCKED;
pub use builder::{Builder, Pattern};
pub use infer::{Inference, Override, Reason};

/// The validator of all conversations. It counts for each of them by name, at most
/// [`Builder::max_conversations`]; the patterns are compiled once and shared by clones, the counts
/// are not.
#[derive(Clone, Debug)]
pub struct Validator {
    config: Arc<Config>,
    /// Failures in a row, where there are any.
    counts: Recent<usize>,
}

/// What is asked: a conversation, the request, and what the model did about it.
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
    /// The host knows better than the patterns.
    pub override_with: Option<Override>,
    /// The tools that are expected with [`Override::ToolRequired`].
    pub expected: Vec<&'a str>,
}

impl<'a> Request<'a> {
    /// A request without calls.
    pub fn new(conversation: &'a str, last_user_message: &'a str) -> Self {
        Request { conversation, last_user_message, ..Request::default() }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// What to do.
    pub action: Action,
    /// Failures of the conversation in a row.
    pub count: usize,
    /// The calls that may not run, with the text that goes back as their result. Calls that are
    /// not among them may run if the action is `Proceed`.
    pub blocked: BTreeMap<String, String>,
    /// What the request needs.
    pub inference: Inference,
}

/// What to do about a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Run the calls that are not blocked; without any, accept the text.
    Proceed,
    /// All calls are blocked: send their results back.
    Block,
    /// Send the model a correction.
    Retry {
        /// The correction.
        message: String,
        /// The role of its message: `user`.
        role: &'static str,
        /// What was wrong.
        failure: Failure,
    },
    /// Ask the user. It stays so until [`Validator::tool_success`] or [`Validator::forget`].
    Escalate {
        /// The text for the user.
        notice: String,
        /// What the user may choose: `rephrase`, `manual`, `abort`.
        options: &'static [&'static str],
        /// What was wrong last.
        failure: Failure,
    },
}

impl Action {
    /// `proceed`, `block`, `retry`, `escalate`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Action::Proceed => "proceed",
            Action::Block => "block",
            Action::Retry { .. } => "retry",
            Action::Escalate { .. } => "escalate",
        }
    }
}

/// What was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// `no_tool_used`
    NoToolUsed,
    /// `unexpected_tool`
    UnexpectedTool,
}

impl Failure {
    /// The name in reports and vectors, and of the text.
    pub fn as_str(self) -> &'static str {
        match self {
            Failure::NoToolUsed => "no_tool_used",
            Failure::UnexpectedTool => "unexpected_tool",
        }
    }
}

const OPTIONS: &[&str] = &["rephrase", "manual", "abort"];

impl Verdict {
    /// Whether the turn may go on as it is.
    pub fn is_valid(&self) -> bool {
        self.action == Action::Proceed
    }
}

impl Validator {
    /// A builder with the defaults.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A validator from a JSON object: `enabled`, `max_retries`, `patterns`
    /// (`[{"pattern", "except"?, "tools": [names]}]`), `blocked_tools`, `messages` (texts by name),
    /// `require_expected`, `max_conversations`. What is absent keeps its default.
    ///
    /// # Errors
    /// An unknown key, a value that does not fit its key, and what [`Builder::build`] refuses.
    pub fn from_json(config: &Value) -> Result<Validator> {
        Builder::from_json(config)?.build()
    }

    /// What the request needs, without counting. The first that holds: the override, switched off,
    /// an active session, the patterns that match.
    pub fn infer(&self, request: &Request<'_>) -> Inference {
        infer::infer(&self.config, request)
    }

    /// Decides about a turn, in this order: blocked calls are refused; a call that is not blocked,
    /// or a request that needs none, is valid and leaves the count; all else is a failure.
    pub fn validate(&mut self, request: &Request<'_>) -> Verdict {
        let inference = self.infer(request);
        let (blocked, free) = self.split(&request.calls);
        let count = self.counts.get(request.conversation).map_or(0, |count| *count);
        let verdict =
            |action, count, blocked, inference| Verdict { action, count, blocked, inference };
        if free.is_empty() && !blocked.is_empty() {
            return verdict(Action::Block, count, blocked, inference);
        }
        let Some(failure) = self.failure(&free, &inference) else {
            return verdict(Action::Proceed, count, blocked, inference);
        };
        let count = self.counts.get_or_insert(request.conversation, 0);
        *count = count.saturating_add(1);
        let count = *count;
        let action = self.answer(failure, count, &free, &inference);
        verdict(action, count, blocked, inference)
    }

    /// A tool has run: the conversation's count begins again.
    pub fn tool_success(&mut self, conversation: &str) {
        self.forget(conversation);
    }

    /// A tool has failed: the conversation's count stays as it is.
    pub fn tool_failure(&mut self, conversation: &str) {
        self.counts.get(conversation);
    }

    /// The conversation is over, or the user has chosen: its count begins again.
    pub fn forget(&mut self, conversation: &str) {
        self.counts.remove(conversation);
    }

    /// The conversation's failures in a row. To look at it is no use of it.
    pub fn count(&self, conversation: &str) -> usize {
        self.counts.peek(conversation).copied().unwrap_or_default()
    }

    /// The tools that may not be called directly, for [`Hooks::standard`](super::Hooks::standard).
    pub fn blocked_tools(&self) -> &[String] {
        &self.config.options.blocked_tools
    }

    /// The counts as JSON, to be stored: `[["conversation", count], …]`, the conversation that was
    /// not used for longest first.
    pub fn snapshot(&self) -> Value {
        self.counts.iter().map(|(conversation, count)| json!([conversation, count])).collect()
    }

    /// Takes up stored counts in place of its own.
    ///
    /// # Errors
    /// [`PolicyError::Snapshot`] if they are no counts of a validator; then nothing changes.
    pub fn restore(&mut self, snapshot: &Value) -> Result<()> {
        let read = |pair: &Value| {
            let (name, count) = (pair.get(0)?.as_str()?, pair.get(1)?.as_u64()?);
            Some((name.to_string(), usize::try_from(count).ok()?))
        };
        let pairs = snapshot.as_array().and_then(|pairs| pairs.iter().map(read).collect());
        let pairs: Vec<_> = pairs.ok_or_else(|| {
            let reason = "it must be a list of [\"conversation\", number]".to_string();
            PolicyError::Snapshot { reason }
        })?;
        self.counts = Recent::new(self.config.options.max_conversations);
        for (conversation, count) in pairs.into_iter().filter(|(_, count)| *count > 0) {
            *self.counts.get_or_insert(&conversation, 0) = count;
        }
        Ok(())
    }

    /// The blocked calls with their texts, and the others.
    fn split<'c>(&self, calls: &[&'c str]) -> (BTreeMap<String, String>, Vec<&'c str>) {
        let mut blocked = BTreeMap::new();
        let mut free = Vec::new();
        for name in calls {
            if self.blocked_tools().iter().any(|tool| tool == name) {
                let text = self.config.texts.fill("blocked", &[("tool", name)]);
                blocked.insert((*name).to_string(), text);
            } else {
                free.push(*name);
            }
        }
        (blocked, free)
    }

    fn failure(&self, calls: &[&str], inference: &Inference) -> Option<Failure> {
        if !inference.requires_tool {
            return None;
        }
        let expected = &inference.expected_tools;
        let strict = self.config.options.require_expected && !expected.is_empty();
        match calls {
            [] => Some(Failure::NoToolUsed),
            calls if strict && !calls.iter().any(|call| expected.iter().any(|e| e == call)) => {
                Some(Failure::UnexpectedTool)
            }
            _ => None,
        }
    }

    fn answer(&self, failure: Failure, count: usize, calls: &[&str], needed: &Inference) -> Action {
        let limit = self.config.options.max_retries;
        let expected = match needed.expected_tools.join(", ") {
            none if none.is_empty() => "one of the available tools".to_string(),
            names => names,
        };
        let called = calls.join(", ");
        let text = |name| {
            let values: [(&str, &dyn std::fmt::Display); 3] =
                [("expectedTools", &expected), ("calledTools", &called), ("count", &count)];
            self.config.texts.fill(name, &values)
        };
        if count >= limit {
            trace::escalated("validator", failure.as_str(), count, limit);
            return Action::Escalate { notice: text("escalate"), options: OPTIONS, failure };
        }
        trace::corrected("validator", failure.as_str(), count, limit);
        Action::Retry { message: text(failure.as_str()), role: ROLE, failure }
    }
}

impl Default for Validator {
    /// A validator without patterns and without blocked tools: everything is valid.
    fn default() -> Self {
        Validator::new(Config::default())
    }
}
