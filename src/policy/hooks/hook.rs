//! A hook: its action, and the calls that it sees.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::call::{Call, Report};
use crate::write::ToolResult;

/// Error of a hook. Any text will do; `"…".into()`, too.
pub(super) type HookError = Box<dyn Error + Send + Sync>;

type PreHook = dyn Fn(&Call, &mut Report) -> Result<Pre, HookError> + Send + Sync;
type PostHook =
    dyn Fn(&Call, &ToolResult, &mut Report) -> Result<Option<ToolResult>, HookError> + Send + Sync;
type Forget = dyn Fn(&str) + Send + Sync;

/// Decision of a hook before the tool.
///
/// [`Hook::pre`] takes such a hook.
///
/// ```
/// use serde_json::json;
/// use toolstream::policy::{Call, Hook, Hooks, Pre};
///
/// let offline = Hook::pre("offline", |call, _| {
///     Ok(if call.name == "fetch" { Pre::Done(call.error("There is no network.")) } else { Pre::Go })
/// });
/// let outcome = Hooks::default().with(offline).execute(Call::new("fetch", json!({})), |_| "text");
/// assert_eq!(outcome.result.content, "There is no network.");
/// # Ok::<(), toolstream::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Pre {
    /// The call continues.
    Go,
    /// The call continues with these arguments. If they are not an object, the hook has failed.
    Arguments(Value),
    /// The call does not run, and has this result: an error ([`Call::error`]) or an answer ([`Call::ok`]).
    Done(ToolResult),
}

/// Hook, as it is registered: its name, its action, and the calls that it sees. Without a filter it sees all calls. A
/// hook on both sides of the tool is two hooks, which share an `Arc`.
///
/// [`Hooks`](super::Hooks#hooks-of-your-own) has an example.
#[derive(Clone)]
#[must_use]
pub struct Hook {
    pub(super) name: String,
    pub(super) pre: Option<Arc<PreHook>>,
    pub(super) post: Option<Arc<PostHook>>,
    pub(super) forget: Option<Arc<Forget>>,
    pub(super) closed: bool,
    skills: Option<bool>,
    tools: Option<Vec<String>>,
}

impl Hook {
    /// Makes a hook before the tool. It sees the call, and may write into the report.
    ///
    /// An error means that the hook could not do its work; [`Hook::closed`] states the consequence.
    pub fn pre(
        name: impl Into<String>,
        hook: impl Fn(&Call, &mut Report) -> Result<Pre, HookError> + Send + Sync + 'static,
    ) -> Self {
        Hook { pre: Some(Arc::new(hook)), ..Hook::named(name) }
    }

    /// Makes a hook after the tool. It sees the result of the tool, or of the hook that kept the tool from running.
    /// `Some` takes its place.
    ///
    /// An error means that the hook could not do its work; [`Hook::closed`] states the consequence.
    pub fn post(
        name: impl Into<String>,
        hook: impl Fn(&Call, &ToolResult, &mut Report) -> Result<Option<ToolResult>, HookError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Hook { post: Some(Arc::new(hook)), ..Hook::named(name) }
    }

    /// Sets a function that is called when a conversation begins again or is over, to drop its counts.
    pub fn on_forget(mut self, forget: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.forget = Some(Arc::new(forget));
        self
    }

    /// Restricts the hook to calls of skills, or (`false`) of tools.
    pub fn skills(mut self, skills: bool) -> Self {
        self.skills = Some(skills);
        self
    }

    /// Restricts the hook to calls of these tools, by their exact names.
    pub fn tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Closes the hook: if it fails, the call does not run, or its result is withheld. Use it for hooks that protect
    /// data or users. Any other hook that fails is skipped.
    pub fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// Whether the call passes the filters.
    pub(super) fn sees(&self, call: &Call) -> bool {
        self.skills.is_none_or(|skills| call.skill == Some(skills))
            && self.tools.as_ref().is_none_or(|tools| tools.contains(&call.name))
    }

    fn named(name: impl Into<String>) -> Self {
        Hook {
            name: name.into(),
            pre: None,
            post: None,
            forget: None,
            closed: false,
            skills: None,
            tools: None,
        }
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hook { name, closed, skills, tools, .. } = self;
        write!(f, "Hook({name}, closed: {closed}, skills: {skills:?}, tools: {tools:?})")
    }
}
