//! What a turn was.

use super::Reason;
use crate::event::DiagnosticKind;
use crate::message::{Block, Finish, Message};

/// What the model's turn was. `Turn::from(&message)` reads a [`Message`], all but whether a tool
/// was needed; hosts with another parser fill it themselves.
///
/// Reasoning does not count, and the tool limit is no mistake: neither is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Turn<'a> {
    /// The names of the calls that may run.
    pub calls: Vec<&'a str>,
    /// The names of the calls that did not close or cannot be read.
    pub incomplete: Vec<&'a str>,
    /// The visible text; all that counts is whether it is blank.
    pub text: &'a str,
    /// The stream ended too early.
    pub truncated: bool,
    /// The dialect's answer marker was seen: the task is done.
    pub final_answer: bool,
    /// This turn needs a tool; the default. [`Validator::infer`](crate::policy::Validator::infer) may know.
    pub requires_tool: bool,
    /// The model's name, for [`Builder::model`](super::Builder::model).
    pub model: Option<&'a str>,
    /// What was wrong with a call that cannot be read.
    pub detail: Option<&'a str>,
}

impl<'a> Turn<'a> {
    /// A turn of text alone.
    pub fn text(text: &'a str) -> Self {
        Turn { text, ..Turn::default() }
    }

    /// A turn with these calls.
    pub fn calls(calls: impl IntoIterator<Item = &'a str>) -> Self {
        Turn { calls: calls.into_iter().collect(), ..Turn::default() }
    }

    /// The reason and the text's name, of a turn that is a mistake.
    pub(super) fn mistake(&self) -> (Reason, &'static str) {
        match () {
            () if self.truncated && !self.incomplete.is_empty() => {
                (Reason::TruncatedResponse, "truncated_call")
            }
            () if self.truncated => (Reason::TruncatedResponse, "truncated_text"),
            () if self.is_malformed() => (Reason::MalformedToolCall, "malformed_tool_call"),
            () if self.is_blank() => (Reason::EmptyResponse, "empty_response"),
            () => (Reason::NoToolsUsed, "no_tools_used"),
        }
    }

    pub(super) fn is_malformed(&self) -> bool {
        !self.incomplete.is_empty() || self.problem().is_some()
    }

    pub(super) fn problem(&self) -> Option<&'a str> {
        self.detail.filter(|detail| !detail.is_empty())
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

impl Default for Turn<'_> {
    /// An empty turn that needs a tool.
    fn default() -> Self {
        Turn {
            calls: Vec::new(),
            incomplete: Vec::new(),
            text: "",
            truncated: false,
            final_answer: false,
            requires_tool: true,
            model: None,
            detail: None,
        }
    }
}

impl<'a> From<&'a Message> for Turn<'a> {
    fn from(message: &'a Message) -> Self {
        let mut turn = Turn::default();
        for block in message.blocks() {
            match block {
                Block::Call(call) => turn.calls.push(call.name()),
                Block::Incomplete(call) => turn.incomplete.push(call.name()),
                // The first text that is not blank decides; they need not be joined.
                Block::Text(prose) if turn.is_blank() => turn.text = &prose.text,
                Block::Text(_) | Block::Reasoning(_) | Block::Opaque(_) => {}
            }
        }
        turn.truncated = message.finish() == Finish::Truncated;
        turn.final_answer = message.answered();
        turn.detail = message.diagnostics().iter().find_map(|found| detail(found.kind));
        turn
    }
}

/// What is said of a call if nobody knows what was wrong with it.
pub(super) const NOT_WELL_FORMED: &str = "the call was not well formed";

/// What is wrong with a call, in words for the model.
fn detail(kind: DiagnosticKind) -> Option<&'static str> {
    match kind {
        DiagnosticKind::MalformedArguments => Some("its arguments are not valid JSON"),
        DiagnosticKind::MissingArguments => Some("it has none of the arguments it needs"),
        DiagnosticKind::MissingActionName => Some("its action names no tool"),
        DiagnosticKind::MalformedCall => Some(NOT_WELL_FORMED),
        _ => None,
    }
}
