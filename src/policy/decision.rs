//! Decisions of guard, validator and loop about a turn, and how guard and validator count.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::de::{IntoDeserializer, value::Error as ValueError};
use serde::{Deserialize, Serialize};

use super::config::{PolicyError, Result, fill};

/// The next step after a turn.
///
/// [`Guard`](super::Guard) and [`Validator`](super::Validator) have examples.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Decision, Guard, Reason, Turn};
///
/// let mut guard = Guard::from_json(&json!({}))?;
/// let mut turn = Turn::default();
/// turn.text = "I will look.";
/// match guard.turn(&turn) {
///     Decision::Retry(correction) => assert_eq!(correction.reason, Reason::NoToolsUsed),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Run the calls. From the validator: run those that are not blocked; without any, accept the text.
    Proceed,
    /// The text is the answer. Only the guard decides so.
    Accept,
    /// All calls are blocked: send their results back. Only the validator decides so.
    Block,
    /// Send the model the text of this objection, as a user's message.
    Retry(Objection),
    /// Show the text of this objection to the user, who chooses. Until the user has chosen (or a tool succeeds), the
    /// guard and the validator escalate again.
    Escalate(Objection),
}

/// An objection to a turn, with words for it.
///
/// The content of [`Decision::Retry`] and [`Decision::Escalate`].
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Choice, Decision, Guard, Reason, Turn};
///
/// let mut guard = Guard::from_json(&json!({"mistake_limit": 1}))?;
/// let Decision::Escalate(question) = guard.turn(&Turn::default()) else { panic!() };
/// assert_eq!((question.reason, question.count), (Reason::EmptyResponse, 1));
/// assert!(question.options().contains(&Choice::SwitchModel)); // what a user is shown, beside the text
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Objection {
    /// The mistake; the last one, if there were several.
    pub reason: Reason,
    /// The number of mistakes in a row, this one included.
    pub count: usize,
    /// The text, for the model or for the user.
    pub text: String,
    /// Whether there was visible text. The text belongs to a rejected turn; a screen may take it back. (The validator
    /// does not see the text: there it is `false`.)
    pub discard_visible_text: bool,
}

impl Objection {
    /// Returns the choices of the user, if the user is asked.
    pub fn options(&self) -> &'static [Choice] {
        self.reason.options()
    }
}

/// The mistake of a turn.
///
/// A field of an [`Objection`].
///
/// ```
/// use toolstream::policy::Reason;
///
/// assert_eq!(Reason::TruncatedResponse.to_string(), "truncated_response");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The guard: the stream ended too early.
    TruncatedResponse,
    /// The guard: a call that cannot be read.
    MalformedToolCall,
    /// The guard: no text and no call.
    EmptyResponse,
    /// The guard: text and no call.
    NoToolsUsed,
    /// The guard: tools failed, where their failures count.
    ToolErrors,
    /// The validator: the request needs a tool, and none was called.
    NoToolUsed,
    /// The validator: another tool was called than those that are needed.
    UnexpectedTool,
    /// The loop: a hook (`repeat_guard`) found that the model goes in circles.
    Circles,
    /// The loop: the model was asked too often.
    Iterations,
}

/// The user's choice after an objection.
///
/// [`Objection::options`] lists the possible choices.
///
/// ```
/// use toolstream::policy::Choice;
///
/// assert_eq!("switch_model".parse::<Choice>()?, Choice::SwitchModel);
/// assert_eq!(Choice::Continue.to_string(), "continue");
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Choice {
    /// Continue with this model, which gets its attempts back.
    Continue,
    /// Continue with another model.
    SwitchModel,
    /// Continue with other instructions.
    AdjustInstructions,
    /// Rephrase: the user says it in other words.
    Rephrase,
    /// Leave it to the user, who does it by hand.
    Manual,
    /// Stop.
    Abort,
}

/// The name, as in snapshots.
impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The name, as [`FromStr`] reads it.
impl Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for Choice {
    type Err = PolicyError;

    fn from_str(name: &str) -> Result<Choice> {
        Choice::deserialize(name.into_deserializer())
            .map_err(|error: ValueError| PolicyError::InvalidArgument(error.to_string()))
    }
}

impl Reason {
    pub(super) fn options(self) -> &'static [Choice] {
        use Choice::{Abort, AdjustInstructions, Continue, Manual, Rephrase, SwitchModel};
        match self {
            Reason::NoToolUsed | Reason::UnexpectedTool => &[Rephrase, Manual, Abort],
            Reason::Circles | Reason::Iterations => &[Continue, Abort],
            _ => &[Continue, SwitchModel, AdjustInstructions],
        }
    }
}

impl Choice {
    /// Refuses a choice that was not offered.
    pub(super) fn one_of(self, offered: &[Choice]) -> Result<()> {
        if offered.contains(&self) {
            return Ok(());
        }
        let offered: Vec<_> = offered.iter().map(ToString::to_string).collect();
        let offered = offered.join(", ");
        let what = format!("`{self}` was not offered: choose one of {offered}");
        Err(PolicyError::InvalidArgument(what))
    }
}

/// A mistake. Below the limit of mistakes in a row the model is corrected; from the limit on the user is
/// asked.
pub(super) struct Mistake<'a> {
    pub reason: Reason,
    pub limit: usize,
    /// The texts for the model and for the user.
    pub texts: [&'a str; 2],
    pub discard_visible_text: bool,
}

impl Mistake<'_> {
    /// Counts it. In the texts `{count}` is the new count; the other values are given.
    pub fn count(self, count: &mut usize, values: &[(&str, &dyn Display)]) -> Decision {
        let Mistake { reason, limit, texts, discard_visible_text } = self;
        *count = count.saturating_add(1);
        let asks = *count >= limit;
        #[cfg(feature = "tracing")]
        log(reason, *count, limit);
        let mut with_count = vec![("count", count as &dyn Display)];
        with_count.extend(values);
        let text = fill(texts[usize::from(asks)], &with_count);
        let objection = Objection { reason, count: *count, text, discard_visible_text };
        if asks { Decision::Escalate(objection) } else { Decision::Retry(objection) }
    }
}

#[cfg(feature = "tracing")]
fn log(reason: Reason, count: usize, limit: usize) {
    let of_validator = matches!(reason, Reason::NoToolUsed | Reason::UnexpectedTool);
    let by = if of_validator { "validator" } else { "guard" };
    let reason = &*reason.to_string();
    if count >= limit {
        tracing::error!(by, reason, count, limit, "the model's turns were corrected in vain");
    } else {
        tracing::warn!(by, reason, count, limit, "the model's turn is corrected");
    }
}
