//! What guard, validator and loop say of a turn, and how guard and validator count.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::config::{PolicyError, Result, fill};

/// What to do about a turn.
///
/// [`Guard`](super::Guard) and [`Validator`](super::Validator) have examples.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Run the calls; of the validator: those that are not blocked, and without any accept the text.
    Proceed,
    /// The text is the answer; the guard's word.
    Accept,
    /// All calls are blocked: send their results back; the validator's word.
    Block,
    /// Send the model the text of this objection, as a message of the user's.
    Retry(Objection),
    /// Show the text of this objection to the user, who chooses. It stays until the user has chosen
    /// (or a tool succeeds): asked again, the guard and the validator escalate again.
    Escalate(Objection),
}

/// What is wrong with a turn, and the words for it.
///
/// In [`Decision::Retry`] and [`Decision::Escalate`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Objection {
    /// What was wrong; the last time, if it was wrong several times.
    pub reason: Reason,
    /// How often in a row, this time included.
    pub count: usize,
    /// The text, for the model or for the user.
    pub text: String,
    /// There was visible text. It belongs to a rejected turn; a screen may take it back. (The
    /// validator does not see the text: there it is `false`.)
    pub discard_visible_text: bool,
}

impl Objection {
    /// What the user may choose, if it is the user who is asked.
    pub fn options(&self) -> &'static [Choice] {
        self.reason.options()
    }
}

/// An enum and the names of its variants, in reports, snapshots and vectors.
macro_rules! named {
    ($(#[$doc:meta])* $of:ident { $($(#[$about:meta])* $variant:ident: $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum $of {
            $($(#[$about])* #[serde(rename = $name)] $variant,)+
        }

        impl Display for $of {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($of::$variant => $name,)+ })
            }
        }

        impl FromStr for $of {
            type Err = PolicyError;

            fn from_str(name: &str) -> Result<$of> {
                match name {
                    $($name => Ok($of::$variant),)+
                    _ => Err(not_offered(name, &[$($of::$variant),+])),
                }
            }
        }
    };
}

named! {
    /// What was wrong.
    ///
    /// In an [`Objection`].
    Reason {
        /// The guard: the stream ended too early.
        TruncatedResponse: "truncated_response",
        /// The guard: a call that cannot be read.
        MalformedToolCall: "malformed_tool_call",
        /// The guard: no text and no call.
        EmptyResponse: "empty_response",
        /// The guard: text and no call.
        NoToolsUsed: "no_tools_used",
        /// The guard: tools failed, where their failures count.
        ToolErrors: "tool_errors",
        /// The validator: the request needs a tool, and none was called.
        NoToolUsed: "no_tool_used",
        /// The validator: another tool was called than those that are needed.
        UnexpectedTool: "unexpected_tool",
        /// The loop: a hook (`repeat_guard`) found that the model goes in circles.
        Circles: "circles",
        /// The loop: the model was asked too often.
        Iterations: "iterations",
    }
}

named! {
    /// How the user wants to go on.
    ///
    /// [`Objection::options`] has those that may be chosen.
    Choice {
        /// With the same model, which gets its attempts back.
        Continue: "continue",
        /// With another model.
        SwitchModel: "switch_model",
        /// With other instructions.
        AdjustInstructions: "adjust_instructions",
        /// The user says it in other words.
        Rephrase: "rephrase",
        /// The user does it by hand.
        Manual: "manual",
        /// Not at all.
        Abort: "abort",
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
    /// Refuses a choice that is not among those that are offered.
    pub(super) fn one_of(self, offered: &[Choice]) -> Result<()> {
        if offered.contains(&self) { Ok(()) } else { Err(not_offered(self, offered)) }
    }
}

fn not_offered(choice: impl Display, offered: &[impl Display]) -> PolicyError {
    let offered: Vec<_> = offered.iter().map(ToString::to_string).collect();
    let offered = offered.join(", ");
    PolicyError::InvalidArgument(format!("`{choice}` was not offered: choose one of {offered}"))
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
        self,
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
        let objection = Objection { reason, count: *count, text, discard_visible_text: false };
        if asks { Decision::Escalate(objection) } else { Decision::Retry(objection) }
    }

    #[cfg(feature = "tracing")]
    fn log(self, asks: bool, reason: Reason, count: usize) {
        let Strikes { by, limit } = self;
        let reason = &*reason.to_string();
        if asks {
            tracing::error!(by, reason, count, limit, "the model's turns were corrected in vain");
        } else {
            tracing::warn!(by, reason, count, limit, "the model's turn is corrected");
        }
    }

    #[cfg(not(feature = "tracing"))]
    fn log(self, _: bool, _: Reason, _: usize) {
        let _ = self.by;
    }
}
