//! The guard against turns without a tool.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::{AtLeastOne, Result, options, read, restore, texts};
use super::decision::{Choice, Decision, Mistake, Objection, Reason};
use super::turn::{NOT_WELL_FORMED, Turn};
use crate::glob;
use crate::message::refused::{MALFORMED_CALL, TRUNCATED_CALL};

/// Guard of one conversation against turns without a tool.
///
/// A turn without a call that may run is a mistake if a tool was needed: the model described the step, said nothing,
/// or wrote an unreadable call. The guard answers with a correction for the model, and at the limit it asks the user.
/// Mistakes in a row are counted. A successful tool result resets the count. A call that fails does not, so a model
/// that only makes failing calls is stopped.
///
/// A clone is a snapshot.
///
/// ```
/// use toolstream::policy::{Choice, Decision, Guard, Turn};
///
/// let mut guard = Guard::default();
/// let mut turn = Turn::default(); // or `Turn::from(&message)`
/// turn.text = "I will look.";
/// for attempt in 1..=2 {
///     let Decision::Retry(correction) = guard.turn(&turn) else { panic!("one was due") };
///     assert_eq!(correction.count, attempt);
///     assert!(correction.text.starts_with("Your last reply did not use any tool."));
/// }
/// let Decision::Escalate(question) = guard.turn(&turn) else { panic!() };
/// assert_eq!(question.count, 3);
/// guard.choice(Choice::Continue)?;
/// turn.calls = vec!["read_file"];
/// assert_eq!(guard.turn(&turn), Decision::Proceed);
/// assert!(guard.tool_result(true).is_none());
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Guard {
    config: Arc<GuardConfig>,
    state: GuardState,
}

options!(GuardConfig {
    enabled: bool = true,
    mistake_limit: AtLeastOne = AtLeastOne(3),
    messages: GuardTexts = GuardTexts::default(),
    models: Vec<ModelSwitch> = Vec::new(),
    reset_on: ResetOn = ResetOn::Success,
    count_tool_errors: bool = false,
});

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelSwitch {
    #[serde(rename = "match")]
    pattern: String,
    enabled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResetOn {
    Success,
    Use,
}

texts!(GuardTexts {
    no_tools_used: "Your last reply did not use any tool. If the task is not finished, call one \
        tool now; do not describe the step, do it. If it is finished, end it in the way your \
        instructions give. (Automatic message: do not answer it.)",
    empty_response: "Your last reply was empty. Continue with the task: call one tool, or end the \
        task in the way your instructions give. (Automatic message: do not answer it.)",
    malformed_tool_call: MALFORMED_CALL,
    truncated_call: TRUNCATED_CALL,
    truncated_text: "Your last reply was cut off before it was complete. Continue, and keep each \
        reply shorter. (Automatic message: do not answer it.)",
    escalate: "The model failed {count} times in a row to use a tool. Choose how to go on: \
        continue, switch the model, or adjust the instructions.",
});

/// The stored state of a guard.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct GuardState {
    count: usize,
    suspended: bool,
}

impl Guard {
    /// Reads a guard with these options; [`Guard::default`] has the defaults.
    ///
    /// | key | default | |
    /// |---|---|---|
    /// | `enabled` | `true` | with `false` the guard accepts every text |
    /// | `mistake_limit` | 3 | the mistake in a row at which the user is asked: by default, after two corrections |
    /// | `models` | `[]` | `[{"match": "deepseek*", "enabled": true}, …]`, over `enabled`: the first whose `match` is the model's name (`*` is any characters, case does not count) decides |
    /// | `reset_on` | `"success"` | the event that resets the count of mistakes: a tool's success, or with `"use"` the call itself, for programs that do not report results |
    /// | `count_tool_errors` | `false` | whether a tool's failure is a mistake, too |
    /// | `messages` | | the texts |
    ///
    /// The texts for the model are `no_tools_used` (text and no call), `empty_response`, `malformed_tool_call`,
    /// `truncated_call` and `truncated_text` (cut off inside a call, or elsewhere). The text for the user is
    /// `escalate`. In each, `{tool}` is the first unreadable call, `{detail}` its mistake, `{count}` the number of
    /// mistakes in a row, and `{limit}` the limit.
    ///
    /// # Errors
    /// An unknown key, a value that does not fit its key, a limit of 0.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::policy::Guard;
    ///
    /// let config = json!({"mistake_limit": 2, "messages": {"escalate": "Help!"}});
    /// assert!(Guard::from_json(&config).is_ok());
    /// let error = Guard::from_json(&json!({"mistake_limit": "2"})).unwrap_err();
    /// assert!(error.to_string().starts_with("config.mistake_limit: invalid type: string"));
    /// ```
    pub fn from_json(config: &Value) -> Result<Guard> {
        read(config, "config").map(Guard::new)
    }

    pub(super) fn new(config: GuardConfig) -> Guard {
        Guard { config: Arc::new(config), state: GuardState::default() }
    }

    /// Decides about a turn, in this order. A call that may run is `Proceed`. While the guard is suspended or off,
    /// and if text is the answer, the decision is `Accept`. Everything else counts as a mistake.
    pub fn turn(&mut self, turn: &Turn<'_>) -> Decision {
        if !turn.calls.is_empty() {
            if self.config.reset_on == ResetOn::Use {
                self.reset();
            }
            return Decision::Proceed;
        }
        let answer = (turn.final_answer || !turn.requires_tool) && !turn.is_malformed();
        if self.state.suspended || !self.guards(turn.model) || answer {
            return Decision::Accept;
        }
        self.strike(turn.mistake(), turn)
    }

    /// Counts the result of a tool. Success resets the count; a failure leaves it, or counts with
    /// `count_tool_errors`, and then the user is asked at the limit.
    pub fn tool_result(&mut self, ok: bool) -> Option<Objection> {
        if ok {
            self.reset();
        }
        if ok || !self.config.count_tool_errors {
            return None;
        }
        if self.state.count.saturating_add(1) < self.config.mistake_limit.0 {
            // The model has read the error: there is nothing to correct.
            self.state.count += 1;
            return None;
        }
        match self.strike(Reason::ToolErrors, &Turn::default()) {
            Decision::Escalate(question) => Some(question),
            _ => None,
        }
    }

    /// Takes the user's choice. Every choice resets the count.
    ///
    /// # Errors
    /// For a choice that a guard does not offer; nothing changes then.
    pub fn choice(&mut self, choice: Choice) -> Result<()> {
        choice.one_of(Reason::NoToolsUsed.options())?;
        self.reset();
        Ok(())
    }

    /// Resets the count.
    pub fn reset(&mut self) {
        self.state.count = 0;
    }

    /// Suspends the guard, in a write session for example: plain text is then accepted and not counted.
    pub fn set_suspended(&mut self, suspended: bool) {
        self.state.suspended = suspended;
    }

    /// Returns the number of mistakes in a row.
    pub fn count(&self) -> usize {
        self.state.count
    }

    /// Returns the state as JSON, to be stored: `{"count", "suspended"}`, without the configuration.
    pub fn snapshot(&self) -> Value {
        json!(self.state)
    }

    /// Restores a stored state.
    ///
    /// ```
    /// use toolstream::policy::{Guard, Turn};
    ///
    /// let mut guard = Guard::default();
    /// guard.turn(&Turn::default());
    /// let stored = guard.snapshot().to_string();
    ///
    /// let mut later = Guard::default();
    /// later.restore(&serde_json::from_str(&stored)?)?;
    /// assert_eq!(later.count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For a value that is not a state of a guard; nothing changes then.
    pub fn restore(&mut self, snapshot: &Value) -> Result<()> {
        self.state = restore(snapshot)?;
        Ok(())
    }

    /// Whether the guard checks the turns of this model.
    fn guards(&self, model: Option<&str>) -> bool {
        let fits = |switch: &&ModelSwitch| {
            model.is_some_and(|model| glob::matches_in_any_case(&switch.pattern, model))
        };
        let switch = self.config.models.iter().find(fits);
        switch.map_or(self.config.enabled, |switch| switch.enabled)
    }

    fn strike(&mut self, reason: Reason, turn: &Turn<'_>) -> Decision {
        let GuardConfig { mistake_limit: AtLeastOne(limit), messages, .. } = &*self.config;
        let cut_call = turn.incomplete.first().copied();
        let text = match reason {
            Reason::TruncatedResponse if cut_call.is_some() => &messages.truncated_call,
            Reason::TruncatedResponse => &messages.truncated_text,
            Reason::MalformedToolCall => &messages.malformed_tool_call,
            Reason::EmptyResponse => &messages.empty_response,
            _ => &messages.no_tools_used,
        };
        let refused = turn.refused.as_deref();
        let detail = turn.problem().or(refused).unwrap_or(NOT_WELL_FORMED);
        let tool = cut_call.unwrap_or("");
        let mistake = Mistake {
            reason,
            limit: *limit,
            texts: [text, &messages.escalate],
            discard_visible_text: !turn.is_blank(),
        };
        let count = &mut self.state.count;
        mistake.count(count, &[("tool", &tool), ("detail", &detail), ("limit", limit)])
    }
}
