//! A model's turn, as a value.

use std::borrow::Cow;

use super::decision::Reason;
use crate::event::{Diagnostic, DiagnosticKind};
use crate::json::white::trim;
use crate::message::{
    ArgumentsProblem, Block, CompleteCall, Ending, IncompleteCall, IncompleteReason, Message,
};

/// A model's turn. `Turn::from(&message)` reads a [`Message`], all but whether a tool was needed; programs with
/// another parser fill it themselves.
///
/// Reasoning does not count, and the tool limit is no mistake: the turn has neither.
///
/// [`Guard`](super::Guard) has an example.
///
/// ```
/// use toolstream::policy::Turn;
/// use toolstream::{Dialect, Parser};
///
/// let message = Parser::builder(Dialect::HERMES).build()?.parse("I will look.");
/// let turn = Turn::from(&message);
/// assert!(turn.calls.is_empty() && turn.text == "I will look." && !turn.truncated);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Turn<'a> {
    /// The names of the calls that may run.
    pub calls: Vec<&'a str>,
    /// The names of the calls that did not close or cannot be read.
    pub incomplete: Vec<&'a str>,
    /// The visible text; only whether it is blank counts.
    pub text: &'a str,
    /// The stream ended too early.
    pub truncated: bool,
    /// The dialect's answer marker was seen: the task is done.
    pub final_answer: bool,
    /// Whether this turn needs a tool; default: `true`. [`Validator::infer`](super::Validator::infer) may know.
    pub requires_tool: bool,
    /// The model's name, for a guard that is switched by it.
    pub model: Option<&'a str>,
    /// The mistake in a call that cannot be read.
    pub detail: Option<Cow<'a, str>>,
    /// The rejected opener of a declared tool ([`Options::explain_refused`](crate::options::Options::explain_refused)). It is
    /// no mistake by itself, for prose may mention tags. Where a tool was needed and none was used, the correction
    /// mentions it.
    pub refused: Option<Cow<'a, str>>,
}

impl Turn<'_> {
    /// Returns the mistake of the turn, if there is one.
    pub(super) fn mistake(&self) -> Reason {
        if self.truncated {
            Reason::TruncatedResponse
        } else if self.is_malformed() {
            Reason::MalformedToolCall
        } else if self.is_blank() {
            Reason::EmptyResponse
        } else if self.refused.is_some() {
            Reason::MalformedToolCall
        } else {
            Reason::NoToolsUsed
        }
    }

    pub(super) fn is_malformed(&self) -> bool {
        !self.incomplete.is_empty() || self.problem().is_some()
    }

    pub(super) fn problem(&self) -> Option<&str> {
        self.detail.as_deref().filter(|detail| !detail.is_empty())
    }

    pub(super) fn is_blank(&self) -> bool {
        trim(self.text).is_empty()
    }
}

impl Default for Turn<'_> {
    /// Makes an empty turn that needs a tool.
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
            refused: None,
        }
    }
}

impl<'a> From<&'a Message> for Turn<'a> {
    fn from(message: &'a Message) -> Self {
        // The first text that is not blank decides; they need not be joined.
        let mut texts = message.blocks().iter().filter_map(|block| match block {
            Block::Text(prose) => Some(&*prose.text),
            _ => None,
        });
        // A wrong type is only a mistake where the call may not run for it.
        let runs_all_the_same = |found: &Diagnostic| {
            found.kind == DiagnosticKind::TypeMismatch
                && !message.incomplete_calls().any(|call| {
                    found.call == Some(call.index())
                        && call.reason() == IncompleteReason::TypeMismatch
                })
        };
        let mut told = message.diagnostics().iter().filter(|found| !runs_all_the_same(found));
        let detail = told.find_map(|found| {
            let what = detail(found.kind)?;
            let call = message.incomplete_calls().find(|call| found.call == Some(call.index()));
            Some(match call.and_then(IncompleteCall::problem) {
                Some(ArgumentsProblem { line, column, .. }) => {
                    format!("{what} (line {line}, column {column})").into()
                }
                None => what.into(),
            })
        });
        // The limit stops the very first call by its name: there is nothing else to report.
        let stopped = message.limit_reached().is_some_and(|reached| reached.limit == 0);
        let stopped = stopped.then_some(NOT_ALLOWED.into());
        let detail = detail.or(stopped);
        Turn {
            calls: message.calls().map(CompleteCall::name).collect(),
            incomplete: message.incomplete_calls().map(IncompleteCall::name).collect(),
            text: texts.find(|text| !trim(text).is_empty()).unwrap_or_default(),
            truncated: message.ended() == Ending::Truncated,
            final_answer: message.answered(),
            detail,
            refused: message.refused_opener().map(|refused| refused.to_string().into()),
            ..Turn::default()
        }
    }
}

/// The text for a call whose mistake is unknown.
pub(super) const NOT_WELL_FORMED: &str = "the call was not well formed";

/// The words for a first call that the limit stops.
const NOT_ALLOWED: &str = "its tool may not be called here";

/// Returns the mistake of a call, in words for the model.
fn detail(kind: DiagnosticKind) -> Option<&'static str> {
    match kind {
        DiagnosticKind::MalformedArguments => Some("its arguments are not valid JSON"),
        DiagnosticKind::MissingArguments => Some("it has none of the arguments it needs"),
        DiagnosticKind::TypeMismatch => Some("an argument is not of the type that it must have"),
        DiagnosticKind::MissingActionName => Some("its action names no tool"),
        DiagnosticKind::MalformedCall => Some(NOT_WELL_FORMED),
        _ => None,
    }
}
