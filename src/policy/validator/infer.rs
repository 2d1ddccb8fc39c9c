//! Does a request need a tool?

use super::Request;
use super::config::Compiled;
use crate::policy::config::names;

/// What a request needs.
///
/// [`Validator::infer`](super::Validator::infer) gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inference {
    /// Whether it needs a tool.
    pub requires_tool: bool,
    /// Which: the tools of the patterns that match, in order, each once. Empty: any.
    pub expected_tools: Vec<String>,
    /// What says so.
    pub reason: Basis,
}

/// What says that a request needs a tool, or needs none.
///
/// In an [`Inference`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Basis {
    /// The host says so.
    Override,
    /// The validator is switched off.
    Disabled,
    /// The text is the content of a write session.
    ActiveSession,
    /// A pattern matches.
    Pattern,
    /// No pattern does.
    NoPattern,
}

names!(Basis {
    Override: "override",
    Disabled: "disabled",
    ActiveSession: "active_session",
    Pattern: "pattern",
    NoPattern: "no_pattern",
});

/// What the host knows of a request, whatever the patterns say.
///
/// In a [`Request`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Override {
    /// Text is an answer.
    TextOk,
    /// A tool is needed, one of [`Request::expected`] if there are any.
    ToolRequired,
}

names!(Override { TextOk: "text_ok", ToolRequired: "tool_required" });

pub(super) fn infer(compiled: &Compiled, request: &Request<'_>) -> Inference {
    let (expected, reason) = match request.override_with {
        Some(Override::TextOk) => (None, Basis::Override),
        Some(Override::ToolRequired) => {
            let expected = request.expected.iter().map(|name| (*name).to_string()).collect();
            (Some(expected), Basis::Override)
        }
        None if !compiled.config.enabled => (None, Basis::Disabled),
        None if request.active_session => (None, Basis::ActiveSession),
        None => match compiled.matching(request.last_user_message) {
            Some(expected) => (Some(expected), Basis::Pattern),
            None => (None, Basis::NoPattern),
        },
    };
    let requires_tool = expected.is_some();
    Inference { requires_tool, expected_tools: expected.unwrap_or_default(), reason }
}
