//! The guard: the model forgot to use a tool.
//!
//! A turn without a call that may run is a mistake if a tool was needed: the model described the
//! step, said nothing, or wrote a call that cannot be read. The guard answers with a correction
//! for the model, and at the limit it asks the user. Mistakes in a row are counted; a tool's
//! success ends the row. (A call alone does not, or a model whose every call fails would never be
//! stopped; see [`ResetOn`].)
//!
//! ```
//! use toolstream::policy::Guard;
//! use toolstream::policy::guard::{Choice, Decision, Turn};
//!
//! let mut guard = Guard::default();
//! for attempt in 1..=2 {
//!     let Decision::Retry { message, role, .. } = guard.turn(&Turn::text("I will look.")) else {
//!         panic!("a correction was due");
//!     };
//!     assert_eq!((guard.count(), role), (attempt, "user"));
//!     assert!(message.starts_with("Your last reply did not use any tool."));
//! }
//! let Decision::Escalate(question) = guard.turn(&Turn::text("Now I look.")) else { panic!() };
//! assert_eq!(question.count, 3);
//! guard.choice(Choice::Continue);
//! assert_eq!(guard.turn(&Turn::calls(["read_file"])), Decision::Proceed);
//! assert!(guard.tool_result(true).is_none());
//! ```
//!
//! # The texts
//!
//! | name | for |
//! |---|---|
//! | `no_tools_used` | the model: text and no call |
//! | `empty_response` | the model: no text and no call |
//! | `malformed_tool_call` | the model: a call that cannot be read |
//! | `truncated_call` | the model: cut off inside a call |
//! | `truncated_text` | the model: cut off elsewhere |
//! | `escalate` | the user |
//!
//! `{tool}` is the first call that cannot be read (nothing, if there is none), `{detail}` what was
//! wrong with it, `{count}` the number of mistakes in a row, `{limit}` the limit.

mod builder;
mod turn;

use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Value, json};

use super::config::{PolicyError, Result, offered};
use super::{ROLE, trace};

pub use builder::{Builder, ResetOn};
pub use turn::Turn;

use builder::Config;

/// The guard of one conversation. A clone is a snapshot.
#[derive(Clone, Debug)]
pub struct Guard {
    config: Arc<Config>,
    count: usize,
    suspended: bool,
}

/// What to do about a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// There is a call: run it.
    Proceed,
    /// The text is the answer.
    Accept,
    /// Send the model a correction.
    Retry {
        /// The correction.
        message: String,
        /// The role of its message: `user`.
        role: &'static str,
        /// What was wrong.
        reason: Reason,
        /// Mistakes in a row, this one included.
        attempt: usize,
        /// There was visible text. It belongs to a rejected turn; a screen may take it back.
        discard_visible_text: bool,
    },
    /// Ask the user.
    Escalate(Escalation),
}

/// The question to the user. It stays until [`Guard::choice`] or [`Guard::reset`] (or a tool's
/// success): asked again, the guard escalates again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Escalation {
    /// Mistakes in a row.
    pub count: usize,
    /// What was wrong last.
    pub reason: Reason,
    /// What the user may choose.
    pub options: &'static [Choice],
    /// The text for the user.
    pub notice: String,
}

/// What a mistake was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// `truncated_response`
    TruncatedResponse,
    /// `malformed_tool_call`
    MalformedToolCall,
    /// `empty_response`
    EmptyResponse,
    /// `no_tools_used`
    NoToolsUsed,
    /// `tool_errors`: tools failed, with [`Builder::count_tool_errors`].
    ToolErrors,
}

impl Reason {
    /// The name in reports and vectors.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::TruncatedResponse => "truncated_response",
            Reason::MalformedToolCall => "malformed_tool_call",
            Reason::EmptyResponse => "empty_response",
            Reason::NoToolsUsed => "no_tools_used",
            Reason::ToolErrors => "tool_errors",
        }
    }
}

/// How the user wants to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// `continue`: with the same model, which gets its attempts back.
    Continue,
    /// `switch_model`
    SwitchModel,
    /// `adjust_instructions`
    AdjustInstructions,
}

impl Choice {
    /// All of them, as they are offered.
    pub const ALL: &'static [Choice] =
        &[Choice::Continue, Choice::SwitchModel, Choice::AdjustInstructions];
    pub(super) const NAMES: &'static [&'static str] =
        &["continue", "switch_model", "adjust_instructions"];

    /// The name in reports and vectors; [`FromStr`] reads it.
    pub fn as_str(self) -> &'static str {
        Choice::NAMES[self as usize]
    }
}

impl FromStr for Choice {
    type Err = PolicyError;

    fn from_str(name: &str) -> Result<Choice> {
        offered(name, Choice::ALL, Choice::NAMES)
    }
}

impl Guard {
    /// A builder with the defaults.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A guard from a JSON object: `enabled`, `mistake_limit`, `messages` (texts by name), `models`
    /// (`[{"match": "deepseek*", "enabled": true}]`), `reset_on` (`"success"` or `"use"`),
    /// `count_tool_errors`. What is absent keeps its default.
    ///
    /// # Errors
    /// An unknown key, a value that does not fit its key, and what [`Builder::build`] refuses.
    ///
    /// ```
    /// use toolstream::policy::Guard;
    ///
    /// let config = serde_json::json!({"mistake_limit": 2, "messages": {"escalate": "Help!"}});
    /// assert!(Guard::from_json(&config).is_ok());
    /// assert!(Guard::from_json(&serde_json::json!({"mistake_limit": 0})).is_err());
    /// ```
    pub fn from_json(config: &Value) -> Result<Guard> {
        Builder::from_json(config)?.build()
    }

    /// Decides about a turn, in this order: a call that may run is `Proceed`; while suspended or
    /// off, and where text is the answer, `Accept`; all else is a mistake and counts.
    pub fn turn(&mut self, turn: &Turn<'_>) -> Decision {
        if !turn.calls.is_empty() {
            if self.config.options.reset_on == ResetOn::Use {
                self.count = 0;
            }
            return Decision::Proceed;
        }
        let answer = turn.final_answer || !turn.requires_tool;
        if self.suspended || !self.config.guards(turn.model) || answer && !turn.is_malformed() {
            return Decision::Accept;
        }
        let (reason, text) = turn.mistake();
        self.count = self.count.saturating_add(1);
        if self.count >= self.config.options.mistake_limit {
            return Decision::Escalate(self.escalation(reason, turn));
        }
        trace::corrected("guard", reason.as_str(), self.count, self.config.options.mistake_limit);
        Decision::Retry {
            message: self.text(text, turn),
            role: ROLE,
            reason,
            attempt: self.count,
            discard_visible_text: !turn.is_blank(),
        }
    }

    /// A tool has run. Success ends the row of mistakes; a failure leaves it as it is, or counts
    /// with [`Builder::count_tool_errors`] and then escalates at the limit.
    pub fn tool_result(&mut self, ok: bool) -> Option<Escalation> {
        if ok {
            self.count = 0;
        }
        if ok || !self.config.options.count_tool_errors {
            return None;
        }
        self.count = self.count.saturating_add(1);
        let asks = self.count >= self.config.options.mistake_limit;
        asks.then(|| self.escalation(Reason::ToolErrors, &Turn::default()))
    }

    /// The user has chosen: the count begins again, whatever the choice.
    pub fn choice(&mut self, _choice: Choice) {
        self.reset();
    }

    /// The count begins again.
    pub fn reset(&mut self) {
        self.count = 0;
    }

    /// Plain text is the payload from now on, in a write session for example: it is accepted and
    /// not counted.
    pub fn suspend(&mut self) {
        self.suspended = true;
    }

    /// Plain text is a turn again.
    pub fn resume(&mut self) {
        self.suspended = false;
    }

    /// Mistakes in a row.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether it is suspended.
    pub fn is_suspended(&self) -> bool {
        self.suspended
    }

    /// The state as JSON, to be stored: `{"count", "suspended"}`. The configuration is not in it.
    pub fn snapshot(&self) -> Value {
        json!({"count": self.count, "suspended": self.suspended})
    }

    /// Takes up a stored state.
    ///
    /// ```
    /// use toolstream::policy::{Guard, guard::Turn};
    ///
    /// let mut guard = Guard::default();
    /// guard.turn(&Turn::text("Well…"));
    /// let stored = guard.snapshot().to_string();
    ///
    /// let mut later = Guard::default();
    /// later.restore(&serde_json::from_str(&stored)?)?;
    /// assert_eq!(later.count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PolicyError::Snapshot`] if it is no state of a guard; then nothing changes.
    pub fn restore(&mut self, snapshot: &Value) -> Result<()> {
        let count = snapshot["count"].as_u64().and_then(|count| usize::try_from(count).ok());
        let (Some(count), Some(suspended)) = (count, snapshot["suspended"].as_bool()) else {
            let reason = "it must be {\"count\": number, \"suspended\": true or false}".to_string();
            return Err(PolicyError::Snapshot { reason });
        };
        (self.count, self.suspended) = (count, suspended);
        Ok(())
    }

    fn new(config: Config) -> Guard {
        Guard { config: Arc::new(config), count: 0, suspended: false }
    }

    fn escalation(&self, reason: Reason, turn: &Turn<'_>) -> Escalation {
        trace::escalated("guard", reason.as_str(), self.count, self.config.options.mistake_limit);
        let notice = self.text("escalate", turn);
        Escalation { count: self.count, reason, options: Choice::ALL, notice }
    }

    fn text(&self, name: &str, turn: &Turn<'_>) -> String {
        let tool = turn.incomplete.first().copied().unwrap_or_default();
        let detail = turn.problem().unwrap_or(turn::NOT_WELL_FORMED);
        self.config.texts.fill(
            name,
            &[
                ("tool", &tool),
                ("detail", &detail),
                ("count", &self.count),
                ("limit", &self.config.options.mistake_limit),
            ],
        )
    }
}

impl Default for Guard {
    /// A guard with the defaults.
    fn default() -> Self {
        Guard::new(Config::default())
    }
}
