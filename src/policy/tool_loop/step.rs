//! What the loop wants from its host.

use crate::policy::guard::{Choice, Escalation};
use crate::policy::hooks::Call;

/// What to do next, and with which method the loop hears of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Send [`ToolLoop::messages`](super::ToolLoop::messages) to the model, and feed its answer to
    /// [`chunk`](super::ToolLoop::chunk), then call
    /// [`end_of_answer`](super::ToolLoop::end_of_answer), or, if it was cut,
    /// [`cut_answer`](super::ToolLoop::cut_answer).
    CallModel {
        /// The last answer was rejected: a screen may take its text back.
        discard_visible_text: bool,
    },
    /// Run the tool with these arguments: [`tool_result`](super::ToolLoop::tool_result).
    RunTool(Call),
    /// Ask the user: [`choice`](super::ToolLoop::choice), or words of the user's own with
    /// [`user`](super::ToolLoop::user).
    AskUser(Question),
    /// It is the user's turn: [`user`](super::ToolLoop::user).
    Done {
        /// What the model has answered. `None` before the first request, and where the user chose
        /// to stop or to say it in other words.
        answer: Option<String>,
    },
}

/// A question to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// Why it is asked.
    pub about: About,
    /// The text for the user.
    pub notice: String,
    /// What [`choice`](super::ToolLoop::choice) takes.
    pub options: &'static [&'static str],
}

/// Why the user is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum About {
    /// The [`Guard`](crate::policy::Guard): turns that did nothing, or tools that failed.
    /// Options: `continue`, `switch_model`, `adjust_instructions`.
    Mistakes,
    /// The [`Validator`](crate::policy::Validator): a tool that is needed was not used. Options:
    /// `rephrase`, `manual`, `abort`.
    NoTool,
    /// A hook ([`RepeatGuard`](crate::policy::hooks::RepeatGuard)): the model goes in circles.
    /// Options: `continue`, `abort`.
    Circles,
    /// [`Builder::max_iterations`](super::Builder::max_iterations). Options: `continue`, `abort`.
    Iterations,
}

impl Question {
    pub(super) const GO_ON: &'static [&'static str] = &["continue", "abort"];

    /// Whether the model goes on after this choice. After the others the user has the word.
    pub(super) fn goes_on(choice: &str) -> bool {
        matches!(choice, "continue" | "switch_model")
    }
}

impl From<Escalation> for Question {
    fn from(escalation: Escalation) -> Self {
        let notice = escalation.notice;
        Question { about: About::Mistakes, notice, options: Choice::NAMES }
    }
}
