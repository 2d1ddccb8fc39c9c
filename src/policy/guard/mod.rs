//! The guard: the model forgot to use a tool.
//!
//! A turn without a call that may run is a mistake if a tool was needed: the model described the
//! step, said nothing, or wrote a call that cannot be read. The guard answers with a correction
//! for the model, and at the limit it asks the user. Mistakes in a row are counted; a tool's
//! success ends the row. (A call alone does not, or a model whose every call fails would never be
//! stopped; see [`ResetOn`].)
//!
//! ```
//! use toolstream::policy::guard::Turn;
//! use toolstream::policy::{Choice, Decision, Guard};
//!
//! let mut guard = Guard::default();
//! for attempt in 1..=2 {
//!     let Decision::Retry(correction) = guard.turn(&Turn::text("I will look.")) else {
//!         panic!("a correction was due");
//!     };
//!     assert_eq!(correction.count, attempt);
//!     assert!(correction.message.starts_with("Your last reply did not use any tool."));
//! }
//! let Decision::Escalate(question) = guard.turn(&Turn::text("Now I look.")) else { panic!() };
//! assert_eq!(question.count, 3);
//! guard.choice(Choice::Continue)?;
//! assert_eq!(guard.turn(&Turn::calls(["read_file"])), Decision::Proceed);
//! assert!(guard.tool_result(true).is_none());
//! # Ok::<(), toolstream::policy::PolicyError>(())
//! ```

mod config;
mod turn;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::{Result, at_least_one, read, restore};
use super::decision::{Choice, Decision, Question, Reason, Strikes};

pub use config::{GuardConfig, GuardTexts, ModelSwitch, ResetOn};
pub use turn::Turn;

/// The guard of one conversation. A clone is a snapshot.
///
/// [The page](self) has an example.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    config: Arc<GuardConfig>,
    state: State,
}

/// What is stored of it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct State {
    count: usize,
    suspended: bool,
}

impl Guard {
    /// A guard with these options; [`Guard::default`] has the defaults.
    ///
    /// # Errors
    /// A limit of 0.
    pub fn new(config: GuardConfig) -> Result<Guard> {
        at_least_one("mistake_limit", config.mistake_limit)?;
        Ok(Guard { config: Arc::new(config), state: State::default() })
    }

    /// A guard from a [`GuardConfig`] in JSON.
    ///
    /// # Errors
    /// An unknown key, a value that does not fit its key, and what [`Guard::new`] refuses.
    ///
    /// ```
    /// use toolstream::policy::Guard;
    ///
    /// let config = serde_json::json!({"mistake_limit": 2, "messages": {"escalate": "Help!"}});
    /// assert!(Guard::from_json(&config).is_ok());
    /// let error = Guard::from_json(&serde_json::json!({"mistake_limit": "2"})).unwrap_err();
    /// assert!(error.to_string().starts_with("config.mistake_limit: invalid type: string"));
    /// ```
    pub fn from_json(config: &Value) -> Result<Guard> {
        Guard::new(read(config, "config")?)
    }

    /// Decides about a turn, in this order: a call that may run is `Proceed`; while suspended or
    /// off, and where text is the answer, `Accept`; all else is a mistake and counts.
    pub fn turn(&mut self, turn: &Turn<'_>) -> Decision {
        if !turn.calls.is_empty() {
            if self.config.reset_on == ResetOn::Use {
                self.reset();
            }
            return Decision::Proceed;
        }
        let answer = (turn.final_answer || !turn.requires_tool) && !turn.is_malformed();
        if self.state.suspended || !self.config.guards(turn.model) || answer {
            return Decision::Accept;
        }
        let config = Arc::clone(&self.config);
        let (reason, text) = turn.mistake(&config.messages);
        let mut decision = self.strike(reason, text, turn);
        if let Decision::Retry(correction) = &mut decision {
            correction.discard_visible_text = !turn.is_blank();
        }
        decision
    }

    /// A tool has run. Success ends the row of mistakes; a failure leaves it as it is, or counts
    /// with [`GuardConfig::count_tool_errors`] and then escalates at the limit.
    pub fn tool_result(&mut self, ok: bool) -> Option<Question> {
        if ok {
            self.reset();
        }
        if ok || !self.config.count_tool_errors {
            return None;
        }
        if self.state.count.saturating_add(1) < self.config.mistake_limit {
            // The model has read what went wrong: there is nothing to correct.
            self.state.count += 1;
            return None;
        }
        match self.strike(Reason::ToolErrors, "", &Turn::default()) {
            Decision::Escalate(question) => Some(question),
            _ => None,
        }
    }

    /// The user has chosen: the count begins again, whatever the choice.
    ///
    /// # Errors
    /// [`PolicyError::NotOffered`](super::PolicyError::NotOffered) for a choice that a guard does not offer; then nothing changes.
    pub fn choice(&mut self, choice: Choice) -> Result<()> {
        choice.one_of(Reason::NoToolsUsed.options())?;
        self.reset();
        Ok(())
    }

    /// The count begins again.
    pub fn reset(&mut self) {
        self.state.count = 0;
    }

    /// Plain text is the payload from now on, in a write session for example: it is accepted and
    /// not counted.
    pub fn suspend(&mut self) {
        self.state.suspended = true;
    }

    /// Plain text is a turn again.
    pub fn resume(&mut self) {
        self.state.suspended = false;
    }

    /// Mistakes in a row.
    pub fn count(&self) -> usize {
        self.state.count
    }

    /// Whether it is suspended.
    pub fn is_suspended(&self) -> bool {
        self.state.suspended
    }

    /// The state as JSON, to be stored: `{"count", "suspended"}`. The configuration is not in it.
    pub fn snapshot(&self) -> Value {
        json!(self.state)
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
    /// [`PolicyError::Snapshot`](super::PolicyError::Snapshot) if it is no state of a guard; then nothing changes.
    pub fn restore(&mut self, snapshot: &Value) -> Result<()> {
        self.state = restore(snapshot)?;
        Ok(())
    }

    fn strike(&mut self, reason: Reason, text: &str, turn: &Turn<'_>) -> Decision {
        let limit = self.config.mistake_limit;
        let tool = turn.incomplete.first().copied().unwrap_or_default();
        let detail = turn.problem().unwrap_or(turn::NOT_WELL_FORMED);
        Strikes { by: "guard", limit }.strike(
            &mut self.state.count,
            reason,
            [text, &self.config.messages.escalate],
            &[("tool", &tool), ("detail", &detail), ("limit", &limit)],
        )
    }
}
