//! [`ToolChoice`]: the choice of a request whether a tool is called.

use serde_json::Value;

use crate::options::json::{JsonError, JsonProblem};

/// The choice of a request: whether the model calls a tool, and which (`tool_choice`).
///
/// [`Parser::grammar_for`](crate::Parser::grammar_for) makes a grammar for it.
///
/// ```
/// use serde_json::json;
/// use toolstream::grammar::ToolChoice;
///
/// // As OpenAI's two interfaces write it, and Anthropic's.
/// let named = ToolChoice::Tool("read".to_string());
/// for json in [
///     json!({"type": "function", "function": {"name": "read"}}),
///     json!({"type": "function", "name": "read"}),
///     json!({"type": "tool", "name": "read"}),
/// ] {
///     assert_eq!(ToolChoice::from_json(&json)?, named);
/// }
/// assert_eq!(ToolChoice::from_json(&json!("required"))?, ToolChoice::Required);
/// assert_eq!(ToolChoice::from_json(&json!({"type": "any"}))?, ToolChoice::Required);
/// # Ok::<(), toolstream::JsonError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// Text and calls, as the model likes.
    #[default]
    Auto,
    /// A call or several. Text may stand before the first.
    Required,
    /// A call or several of this tool alone.
    Tool(String),
    /// Text alone.
    None,
}

impl ToolChoice {
    /// Reads `tool_choice` as OpenAI's and Anthropic's clients send it; `null` is [`ToolChoice::Auto`].
    ///
    /// # Errors
    /// [`JsonError`] for anything else.
    pub fn from_json(json: &Value) -> Result<ToolChoice, JsonError> {
        let kind = json.as_str().or_else(|| json["type"].as_str());
        let name = || json["function"]["name"].as_str().or_else(|| json["name"].as_str());
        match (kind, name()) {
            _ if json.is_null() => Ok(ToolChoice::Auto),
            (Some("auto"), _) => Ok(ToolChoice::Auto),
            (Some("required" | "any"), _) => Ok(ToolChoice::Required),
            (Some("none"), _) => Ok(ToolChoice::None),
            (Some("function" | "tool" | "custom"), Some(name)) => Ok(ToolChoice::Tool(name.to_string())),
            _ => Err(JsonProblem::Shape {
                place: "tool_choice".into(),
                expected: "`auto`, `required`, `none` or a named tool, as OpenAI or Anthropic writes it",
            }
            .into()),
        }
    }
}
