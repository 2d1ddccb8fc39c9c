//! The validator: does this request need a tool, which, and was one used?
//!
//! Patterns over the user's last message say which requests need a tool. A turn without one is
//! answered with a correction, and after some of them the user is asked. Tools that may not be
//! called directly are refused whatever the request. A skill is a tool like any other.
//!
//! ```
//! use toolstream::policy::validator::{Pattern, Request, ValidatorConfig};
//! use toolstream::policy::{Decision, Validator};
//!
//! let mut writes = Pattern::new("write|save", ["begin_write"]);
//! writes.except = Some("do not (write|save)".to_string());
//! let mut validator = Validator::new(ValidatorConfig {
//!     patterns: vec![writes],
//!     blocked_tools: vec!["finalize_write".to_string()],
//!     ..ValidatorConfig::default()
//! })?;
//!
//! let mut request = Request::new("conversation 1", "Write the report");
//! let verdict = validator.validate(&request);
//! let Decision::Retry(correction) = &verdict.decision else { panic!("a correction was due") };
//! assert!(correction.message.contains("needs one: begin_write."));
//!
//! request.calls = vec!["begin_write"];
//! assert!(validator.validate(&request).is_valid());
//! validator.tool_success("conversation 1"); // when it has run
//! # Ok::<(), toolstream::policy::PolicyError>(())
//! ```

mod config;
mod infer;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::config::{Result, read, restore};
use super::decision::{Decision, Reason, Strikes};
use super::recent::Recent;
use super::texts::fill;
use config::Compiled;

pub(super) use config::BLOCKED;
pub use config::{Pattern, ValidatorConfig, ValidatorTexts};
pub use infer::{Basis, Inference, Override};

/// The validator of all conversations. It counts for each of them by name, at most
/// [`ValidatorConfig::max_conversations`]; the patterns are compiled once and shared by clones, the counts
/// are not.
#[derive(Clone, Debug, Default)]
pub struct Validator {
    compiled: Arc<Compiled>,
    /// Failures in a row, where there are any.
    counts: Recent<usize>,
}

/// What is asked: a conversation, the request, and what the model did about it.
///
/// [The page](self) has an example.
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
///
/// [`Validator::validate`] gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// What to do. `Proceed`: run the calls that are not blocked; without any, accept the text.
    pub decision: Decision,
    /// Failures of the conversation in a row.
    pub count: usize,
    /// The calls that may not run, with the text that goes back as their result. Calls that are
    /// not among them may run if the decision is `Proceed`.
    pub blocked: BTreeMap<String, String>,
    /// What the request needs.
    pub inference: Inference,
}

impl Verdict {
    /// Whether the turn may go on as it is.
    pub fn is_valid(&self) -> bool {
        self.decision == Decision::Proceed
    }
}

impl Validator {
    /// A validator with these options. [`Validator::default`] has no patterns and no blocked tools:
    /// everything is valid.
    ///
    /// # Errors
    /// A limit of 0, a pattern that does not compile.
    pub fn new(config: ValidatorConfig) -> Result<Validator> {
        let counts = Recent::new(config.max_conversations);
        Ok(Validator { compiled: Arc::new(Compiled::new(config)?), counts })
    }

    /// A validator from a [`ValidatorConfig`] in JSON.
    ///
    /// # Errors
    /// An unknown key, a value that does not fit its key, and what [`Validator::new`] refuses.
    pub fn from_json(config: &Value) -> Result<Validator> {
        Validator::new(read(config, "config")?)
    }

    /// What the request needs, without counting. The first that holds: the override, switched off,
    /// an active session, the patterns that match.
    pub fn infer(&self, request: &Request<'_>) -> Inference {
        infer::infer(&self.compiled, request)
    }

    /// Decides about a turn, in this order: blocked calls are refused; a call that is not blocked,
    /// or a request that needs none, is valid and leaves the count; all else is a failure.
    pub fn validate(&mut self, request: &Request<'_>) -> Verdict {
        let inference = self.infer(request);
        let (blocked, free) = self.split(&request.calls);
        let count = self.counts.get(request.conversation).map_or(0, |count| *count);
        if free.is_empty() && !blocked.is_empty() {
            return Verdict { decision: Decision::Block, count, blocked, inference };
        }
        let Some(reason) = self.failure(&free, &inference) else {
            return Verdict { decision: Decision::Proceed, count, blocked, inference };
        };
        let decision = self.strike(reason, request.conversation, &free, &inference);
        Verdict { decision, count: self.count(request.conversation), blocked, inference }
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
        &self.compiled.config.blocked_tools
    }

    /// The counts as JSON, to be stored: `[["conversation", count], …]`, the conversation that was
    /// not used for longest first.
    pub fn snapshot(&self) -> Value {
        json!(self.counts.in_order())
    }

    /// Takes up stored counts in place of its own.
    ///
    /// # Errors
    /// [`PolicyError::Snapshot`](super::PolicyError::Snapshot) if they are no counts of a validator; then nothing changes.
    pub fn restore(&mut self, snapshot: &Value) -> Result<()> {
        let counts: Vec<(String, usize)> = restore(snapshot)?;
        self.counts = Recent::new(self.compiled.config.max_conversations);
        for (conversation, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
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
                let text = fill(&self.compiled.config.messages.blocked, &[("tool", name)]);
                blocked.insert((*name).to_string(), text);
            } else {
                free.push(*name);
            }
        }
        (blocked, free)
    }

    /// What is wrong with a turn that has these calls, beside blocked ones.
    fn failure(&self, free: &[&str], needed: &Inference) -> Option<Reason> {
        let expected = &needed.expected_tools;
        let any = !self.compiled.config.require_expected || expected.is_empty();
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
        let ValidatorConfig { max_retries, messages, .. } = &self.compiled.config;
        let expected = match needed.expected_tools.join(", ") {
            none if none.is_empty() => "one of the available tools".to_string(),
            names => names,
        };
        let text = match reason {
            Reason::UnexpectedTool => &messages.unexpected_tool,
            _ => &messages.no_tool_used,
        };
        Strikes { by: "validator", limit: *max_retries }.strike(
            self.counts.get_or_insert(conversation, 0),
            reason,
            [text, &messages.escalate],
            &[("expectedTools", &expected), ("calledTools", &calls.join(", "))],
        )
    }
}
