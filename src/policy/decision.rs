//! What guard, validator and loop say of a turn, and the counter that guard and validator share.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::config::{PolicyError, Result, names};
use super::texts::fill;

/// What to do about a turn.
///
/// [`Guard`](super::Guard) and [`Validator`](super::Validator) have examples on their pages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Run the calls; of the validator: those that are not blocked, and without any accept the text.
    Proceed,
    /// The text is the answer; the guard's word.
    Accept,
    /// All calls are blocked: send their results back; the validator's word.
    Block,
    /// Send the model a correction.
    Retry(Correction),
    /// Ask the user.
    Escalate(Question),
}

impl Decision {
    /// `proceed`, `accept`, `block`, `retry`, `escalate`.
    #[cfg(feature = "check")]
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Decision::Proceed => "proceed",
            Decision::Accept => "accept",
            Decision::Block => "block",
            Decision::Retry(_) => "retry",
            Decision::Escalate(_) => "escalate",
        }
    }
}

/// What the model is told of its mistake.
///
/// In a [`Decision::Retry`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Correction {
    /// The text, for a message of the role [`Correction::ROLE`].
    pub message: String,
    /// What was wrong.
    pub reason: Reason,
    /// Mistakes in a row, this one included.
    pub count: usize,
    /// There was visible text. It belongs to a rejected turn; a screen may take it back. (The
    /// validator does not see the text: there it is `false`.)
    pub discard_visible_text: bool,
}

impl Correction {
    /// The role of its message: the user's, which every provider takes.
    pub const ROLE: &'static str = "user";
}

/// A question to the user. It stays until the user has chosen (or a tool succeeds): asked again, the
/// guard and the validator escalate again.
///
/// In a [`Decision::Escalate`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// Why it is asked: what was wrong last.
    pub reason: Reason,
    /// How often in a row it was wrong.
    pub count: usize,
    /// The text for the user.
    pub notice: String,
}

impl Question {
    /// What the user may choose.
    pub fn options(&self) -> &'static [Choice] {
        self.reason.options()
    }
}

impl Reason {
    /// What the user may choose, once it is asked.
    pub fn options(self) -> &'static [Choice] {
        use Choice::{Abort, AdjustInstructions, Continue, Manual, Rephrase, SwitchModel};
        match self {
            Reason::NoToolUsed | Reason::UnexpectedTool => &[Rephrase, Manual, Abort],
            Reason::Circles | Reason::Iterations => &[Continue, Abort],
            _ => &[Continue, SwitchModel, AdjustInstructions],
        }
    }
}

/// What was wrong.
///
/// In a [`Correction`] or a [`Question`].
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
    /// The guard: tools failed, with [`GuardConfig::count_tool_errors`](super::guard::GuardConfig).
    ToolErrors,
    /// The validator: the request needs a tool, and none was called.
    NoToolUsed,
    /// The validator: another tool was called than those that are needed.
    UnexpectedTool,
    /// The loop: a hook ([`RepeatGuard`](super::hooks::RepeatGuard)) found that the model goes in
    /// circles.
    Circles,
    /// The loop: the model was asked too often,
    /// [`LoopConfig::max_iterations`](super::tool_loop::LoopConfig).
    Iterations,
}

names!(Reason {
    TruncatedResponse: "truncated_response",
    MalformedToolCall: "malformed_tool_call",
    EmptyResponse: "empty_response",
    NoToolsUsed: "no_tools_used",
    ToolErrors: "tool_errors",
    NoToolUsed: "no_tool_used",
    UnexpectedTool: "unexpected_tool",
    Circles: "circles",
    Iterations: "iterations",
});

/// How the user wants to go on.
///
/// [`Question::options`] has those that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Choice {
    /// With the same model, which gets its attempts back.
    Continue,
    /// With another model.
    SwitchModel,
    /// With other instructions.
    AdjustInstructions,
    /// The user says it in other words.
    Rephrase,
    /// The user does it by hand.
    Manual,
    /// Not at all.
    Abort,
}

names!(Choice {
    Continue: "continue",
    SwitchModel: "switch_model",
    AdjustInstructions: "adjust_instructions",
    Rephrase: "rephrase",
    Manual: "manual",
    Abort: "abort",
});

impl Choice {
    /// Refuses a choice that is not among those that are offered.
    pub(super) fn one_of(self, offered: &[Choice]) -> Result<()> {
        if offered.contains(&self) {
            return Ok(());
        }
        let offered = offered.iter().map(|choice| choice.as_str()).collect();
        Err(PolicyError::NotOffered { choice: self.as_str().to_string(), offered })
    }
}

/// Counts mistakes in a row: below the limit the model is corrected, from it on the user is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strikes {
    /// Whose they are, for the log.
    pub by: &'static str,
    pub limit: usize,
}

impl Strikes {
    /// One more. The texts are for the model and for the user; `{count}` in them is the new count.
    pub fn strike(
        &self,
        count: &mut usize,
        reason: Reason,
        texts: [&str; 2],
        values: &[(&str, &dyn Display)],
    ) -> Decision {
        *count = count.saturating_add(1);
        let asks = *count >= self.limit;
        self.log(asks, reason, *count);
        let mut with_count = vec![("count", count as &dyn Display)];
        with_count.extend(values);
        let text = fill(texts[usize::from(asks)], &with_count);
        if asks {
            return Decision::Escalate(Question { reason, count: *count, notice: text });
        }
        let discard_visible_text = false;
        Decision::Retry(Correction { message: text, reason, count: *count, discard_visible_text })
    }

    #[cfg(feature = "tracing")]
    fn log(&self, asks: bool, reason: Reason, count: usize) {
        let Strikes { by, limit } = *self;
        let reason = reason.as_str();
        if asks {
            tracing::error!(by, reason, count, limit, "the model's turns were corrected in vain");
        } else {
            tracing::warn!(by, reason, count, limit, "the model's turn is corrected");
        }
    }

    #[cfg(not(feature = "tracing"))]
    fn log(&self, _: bool, _: Reason, _: usize) {
        let _ = self.by;
    }
}
