//! The error of calls, results and histories that cannot be written.

use thiserror::Error;

/// Error of calls, results or a history that cannot be written: a sentence with the mistake and its place.
///
/// [`Parser::render_call`](crate::Parser::render_call) has an example.
///
/// ```
/// use serde_json::json;
/// use toolstream::{Dialect, Param, Parser, Tool};
///
/// let read = Tool::new("read").param(Param::required("path"));
/// let parser = Parser::builder(Dialect::CLINE).tool(read).build()?;
/// let arguments = json!({"path": "a</path></read>b"});
/// let error = parser.render_call("read", arguments.as_object().unwrap()).unwrap_err();
/// assert!(error.to_string().contains("cline cannot carry this call of `read`"), "{error}");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct RenderError(#[from] pub(super) RenderProblem);

impl RenderError {
    /// Returns the difference of a call that reads back differently, or the whole sentence.
    pub(crate) fn reason(&self) -> String {
        match &self.0 {
            RenderProblem::ReadsBackDifferently { difference, .. } => difference.clone(),
            other => other.to_string(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum RenderProblem {
    /// The dialect cannot carry this call: the written text would not read back as this call.
    #[error(
        "{dialect} cannot carry this call of `{name}`, {difference}: change it, or show it to the model \
         as text of your own"
    )]
    ReadsBackDifferently {
        /// The dialect's name.
        dialect: String,
        /// The name of the tool.
        name: String,
        /// The difference, as half a sentence: ``the argument `path` would read back differently``.
        difference: String,
    },
    /// A message of a history that is not one.
    #[error("{place} must be {expected}")]
    Shape {
        /// The place: `messages[2]`.
        place: String,
        /// The expected value.
        expected: &'static str,
    },
    /// Foreign text holds a marker, and the option is [`Results::Refuse`](crate::options::Results).
    #[error(
        "{whose} holds `{marker}`, a marker of {dialect} or of a chat template: take it out, or let `results` be \
         \"neutralise\""
    )]
    Marker {
        /// The owner of the text: ``the result of `read` ``, `messages[2]`.
        whose: String,
        /// The marker.
        marker: String,
        /// The dialect's name.
        dialect: String,
    },
}
