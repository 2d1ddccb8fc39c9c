//! Does a request need a tool?

use std::str::FromStr;

use super::Request;
use super::builder::Config;
use crate::policy::config::{PolicyError, Result, offered};

/// What a request needs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inference {
    /// Whether it needs a tool.
    pub requires_tool: bool,
    /// Which: the tools of the patterns that match, in order, each once. Empty: any.
    pub expected_tools: Vec<String>,
    /// Who says so.
    pub reason: Reason,
}

/// Why a request needs a tool, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// `override`: the host says so.
    Override,
    /// `disabled`: the validator is switched off.
    Disabled,
    /// `active_session`: the text is the content of a write session.
    ActiveSession,
    /// `pattern`: a pattern matches.
    Pattern,
    /// `no_pattern`: none does.
    NoPattern,
}

impl Reason {
    /// The name in reports and vectors.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::Override => "override",
            Reason::Disabled => "disabled",
            Reason::ActiveSession => "active_session",
            Reason::Pattern => "pattern",
            Reason::NoPattern => "no_pattern",
        }
    }
}

/// What the host knows of a request, whatever the patterns say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Override {
    /// `text_ok`: text is an answer.
    TextOk,
    /// `tool_required`: a tool is needed, one of [`Request::expected`] if there are any.
    ToolRequired,
}

impl FromStr for Override {
    type Err = PolicyError;

    fn from_str(name: &str) -> Result<Override> {
        let choices = [Override::TextOk, Override::ToolRequired];
        offered(name, &choices, &["text_ok", "tool_required"])
    }
}

pub(super) fn infer(config: &Config, request: &Request<'_>) -> Inference {
    let needs =
        |requires_tool, expected_tools, reason| Inference { requires_tool, expected_tools, reason };
    match request.override_with {
        Some(Override::TextOk) => return needs(false, Vec::new(), Reason::Override),
        Some(Override::ToolRequired) => {
            let expected = request.expected.iter().map(|name| (*name).to_string()).collect();
            return needs(true, expected, Reason::Override);
        }
        None => {}
    }
    if !config.options.enabled {
        return needs(false, Vec::new(), Reason::Disabled);
    }
    if request.active_session {
        return needs(false, Vec::new(), Reason::ActiveSession);
    }
    match config.matching(request.last_user_message) {
        Some(expected) => needs(true, expected, Reason::Pattern),
        None => needs(false, Vec::new(), Reason::NoPattern),
    }
}
