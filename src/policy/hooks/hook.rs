//! One hook: what it does, and for which calls.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::call::{Call, CallType, Report};
use crate::write::ToolResult;

/// Why a hook failed. Anything with a text will do; `"…".into()`, too.
///
/// [`PreHook`] and [`PostHook`] give it.
pub type HookError = Box<dyn std::error::Error + Send + Sync>;

/// A hook before the tool. Closures `|call: &Call| Ok(Pre::Go)` are such hooks.
///
/// [The page](super#hooks-of-your-own) has an example.
pub trait PreHook: Send + Sync {
    /// Looks at the call. Counting hooks keep their state after `&self`.
    ///
    /// # Errors
    /// Whatever keeps the hook from doing its work; [`Hook::closed`] says what follows.
    fn before(&self, call: &Call, report: &mut Report) -> Result<Pre, HookError>;

    /// The conversation begins again, or is over: what was counted for it goes.
    fn forget(&self, _conversation: &str) {}
}

/// What a [`PreHook`] wants.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Pre {
    /// Go on.
    Go,
    /// Go on with these arguments. If they are no object, the hook has failed.
    Arguments(Value),
    /// The call does not run; the model reads this error.
    Block(String),
    /// The call does not run; this is its result.
    Answer(Value),
}

/// A hook after the tool. Closures `|call: &Call, result: &ToolResult| Ok(None)` are such hooks.
///
/// [The page](super#hooks-of-your-own) has an example.
pub trait PostHook: Send + Sync {
    /// Looks at the result, of the tool or of what kept it from running. `Some` takes its place.
    ///
    /// # Errors
    /// Whatever keeps the hook from doing its work; [`Hook::closed`] says what follows.
    fn after(
        &self,
        call: &Call,
        result: &ToolResult,
        report: &mut Report,
    ) -> Result<Option<ToolResult>, HookError>;
}

impl<F> PreHook for F
where
    F: Fn(&Call) -> Result<Pre, HookError> + Send + Sync,
{
    fn before(&self, call: &Call, _: &mut Report) -> Result<Pre, HookError> {
        self(call)
    }
}

impl<F> PostHook for F
where
    F: Fn(&Call, &ToolResult) -> Result<Option<ToolResult>, HookError> + Send + Sync,
{
    fn after(
        &self,
        call: &Call,
        result: &ToolResult,
        _: &mut Report,
    ) -> Result<Option<ToolResult>, HookError> {
        self(call, result)
    }
}

/// A hook as it is registered: its name, what it does, and for which calls. Without a filter it
/// sees all of them.
///
/// [The page](super#hooks-of-your-own) has an example.
#[derive(Clone)]
#[must_use]
pub struct Hook {
    name: String,
    pub(super) pre: Option<Arc<dyn PreHook>>,
    pub(super) post: Option<Arc<dyn PostHook>>,
    on: Option<CallType>,
    tools: Option<Vec<String>>,
    pub(super) closed: bool,
}

impl Hook {
    /// A hook before the tool.
    pub fn pre(name: impl Into<String>, hook: impl PreHook + 'static) -> Self {
        Hook { pre: Some(Arc::new(hook)), ..Hook::named(name) }
    }

    /// A hook after the tool.
    pub fn post(name: impl Into<String>, hook: impl PostHook + 'static) -> Self {
        Hook { post: Some(Arc::new(hook)), ..Hook::named(name) }
    }

    /// A hook before and after the tool.
    pub fn both(name: impl Into<String>, hook: impl PreHook + PostHook + 'static) -> Self {
        let hook = Arc::new(hook);
        Hook { pre: Some(hook.clone()), post: Some(hook), ..Hook::named(name) }
    }

    /// The same hook for one type of calls.
    pub fn on(mut self, call_type: CallType) -> Self {
        self.on = Some(call_type);
        self
    }

    /// The same hook for calls of these tools, by their exact names.
    pub fn tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The same hook, closed: if it fails, the call does not run, or its result is withheld. For hooks
    /// that keep something safe. Any other one that fails is left out.
    pub fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// The name in diagnostics.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the call passes the filters.
    pub(super) fn sees(&self, call: &Call) -> bool {
        self.on.is_none_or(|on| on == call.call_type())
            && self.tools.as_ref().is_none_or(|tools| tools.iter().any(|tool| tool == call.name()))
    }

    fn named(name: impl Into<String>) -> Self {
        Hook { name: name.into(), pre: None, post: None, on: None, tools: None, closed: false }
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook")
            .field("name", &self.name)
            .field("pre", &self.pre.is_some())
            .field("post", &self.post.is_some())
            .field("on", &self.on)
            .field("tools", &self.tools)
            .field("closed", &self.closed)
            .finish()
    }
}
