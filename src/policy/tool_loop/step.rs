//! What the loop wants from its host.

use serde::{Deserialize, Serialize};

use crate::policy::Question;
use crate::policy::hooks::{Call, Outcome};

/// What to do next, and with which method the loop hears of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Send [`ToolLoop::messages`](super::ToolLoop::messages) to the model, and feed its answer to
    /// [`chunk`](super::ToolLoop::chunk), then call
    /// [`end_of_answer`](super::ToolLoop::end_of_answer), or, if it was cut,
    /// [`cut_answer`](super::ToolLoop::cut_answer).
    CallModel {
        /// The last answer was rejected: a screen may take its text back.
        discard_visible_text: bool,
    },
    /// Run these tools, one after the other or at once, and say what each gave:
    /// [`tool_result`](super::ToolLoop::tool_result). Those that have a result are not among them.
    RunTools(Vec<PendingCall>),
    /// A call is done without its tool: blocked, or answered by a hook. There is nothing to do; it
    /// is said once, for the screen.
    Blocked(Box<Outcome>),
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

/// A call whose tool is to run.
///
/// In a [`Step::RunTools`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PendingCall {
    /// Names the call to [`tool_result`](super::ToolLoop::tool_result).
    pub id: CallId,
    /// The call, with the arguments as the hooks have left them.
    pub call: Call,
}

/// A call of a loop's. No two calls of a conversation have the same, also across
/// [`snapshot`](super::ToolLoop::snapshot) and [`restore`](super::ToolLoop::restore).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub(super) u64);
