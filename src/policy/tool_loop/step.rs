//! Steps that the loop asks of your program.

use serde::{Deserialize, Serialize};

use crate::native::ProviderError;
use crate::policy::decision::Objection;
use crate::policy::hooks::{Call, CallOutcome};

/// The next step, and the method that reports its result to the loop.
///
/// [`ToolLoop::step`](super::ToolLoop::step) returns it.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Step, ToolLoop};
/// use toolstream::{Dialect, Parser, Tool};
///
/// let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
/// let mut agent = ToolLoop::from_json(parser, &json!({}))?;
/// assert_eq!(agent.step(), Step::Done(None)); // the user has the word
/// agent.user("What is here?");
/// assert!(matches!(agent.step(), Step::CallModel { .. }));
/// agent.reply().feed("<tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>").for_each(drop);
/// agent.reply().finish().for_each(drop);
/// let Step::RunTools(calls) = agent.step() else { panic!() };
/// assert_eq!(calls[0].1.name, "list");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Send [`ToolLoop::request`](super::ToolLoop::request) to the model, with the model's name and other data of the
    /// API. Feed its answer to [`reply`](super::ToolLoop::reply), and end that.
    CallModel {
        /// The last answer was rejected, or failed: a screen may take its text back.
        discard_visible_text: bool,
    },
    /// The provider sent an error in place of an answer (overloaded, for example), and no call before it may run.
    /// Your program may repeat the request with [`retry`](super::ToolLoop::retry), or wait until the
    /// [`user`](super::ToolLoop::user) speaks. The model does not see the error.
    Failed(ProviderError),
    /// Run the tools of these calls, one after the other or at once, and report each result with
    /// [`tool_result`](super::ToolLoop::tool_result). Calls that have a result are not among them. The arguments are
    /// those that the hooks left.
    RunTools(Vec<(CallId, Call)>),
    /// A call is done without its tool: blocked, or answered by a hook. There is nothing to do; the step comes once,
    /// for the screen.
    Blocked(Box<CallOutcome>),
    /// Ask the user: [`choice`](super::ToolLoop::choice), or words of the user's own with
    /// [`user`](super::ToolLoop::user).
    AskUser(Objection),
    /// The user's turn: [`user`](super::ToolLoop::user). Holds the model's answer; `None` before the first request,
    /// and where the user chose to stop or to rephrase.
    Done(Option<String>),
}

/// Name of a call for [`tool_result`](super::ToolLoop::tool_result). No two calls of a conversation share it, also
/// across [`snapshot`](super::ToolLoop::snapshot) and [`restore`](super::ToolLoop::restore).
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{CallId, Step, ToolLoop};
/// use toolstream::{Dialect, Parser, Tool};
///
/// # let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
/// # let mut agent = ToolLoop::from_json(parser, &json!({}))?;
/// # agent.user("What is here?");
/// # agent.reply().feed("<tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>").for_each(drop);
/// # agent.reply().finish().for_each(drop);
/// // It may wait in a database, or in another process.
/// let Step::RunTools(calls) = agent.step() else { panic!() };
/// let stored = serde_json::to_string(&calls[0].0)?;
/// let id: CallId = serde_json::from_str(&stored)?;
/// agent.tool_result(id, "a.rs")?;
/// assert!(agent.tool_result(id, "again").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub(super) u64);
