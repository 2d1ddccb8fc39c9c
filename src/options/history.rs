//! The options of [`Parser::render_history`](crate::Parser::render_history): the treatment of content for which a
//! chat of texts has no words.

#[cfg(doc)]
use super::Options;

/// The images and documents of a history that go on to the model's server as parts of a message.
///
/// An agent's tools read screenshots and PDFs, and few servers take all of these. Other content becomes words:
/// `[image]`, `[document: report.pdf]`. A result has these words in any case, and the message around the results has
/// the part itself. A user's attachment in a chat's own words goes on, except with [`Attachments::None`].
///
/// One of the [`Options`].
///
/// ```
/// use serde_json::json;
/// use toolstream::{Dialect, Parser, options::Attachments};
///
/// let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}});
/// let history = [
///     json!({"role": "assistant", "tool_calls": [
///         {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}),
///     json!({"role": "tool", "tool_call_id": "c", "content": [image]}),
/// ];
/// let builder = || Parser::builder(Dialect::HERMES);
/// let written = builder().build()?.render_history(&history)?;
/// let result = "<tool_response>\n[image]\n</tool_response>";
/// assert_eq!(written[1]["content"], json!([{"type": "text", "text": result}, image]));
///
/// let blind = builder().attachments(Attachments::None).build()?;
/// assert_eq!(blind.render_history(&history)?[1]["content"], result);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Attachments {
    /// Images go on, and documents become words: servers of multimodal models take images, and few take documents.
    #[default]
    Images,
    /// Documents go on as `file` parts, too.
    All,
    /// Nothing goes on, not even a user's attachment: for a model of text alone.
    None,
}

/// The writing of a history's call that the dialect cannot write: the arguments are no JSON object (a truncated
/// answer, a mistake of the model), or the call would read back as another one.
///
/// One of the [`Options`].
///
/// ```
/// use serde_json::json;
/// use toolstream::{Dialect, Parser, options::UnwritableCalls};
///
/// let history = [
///     json!({"role": "assistant", "tool_calls": [
///         {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{\"at\": "}}]}),
///     json!({"role": "tool", "tool_call_id": "c", "content": "bad arguments"}),
/// ];
/// let builder = || Parser::builder(Dialect::HERMES);
/// let written = builder().build()?.render_history(&history)?;
/// let call = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": }\n</tool_call>";
/// assert_eq!(written[0]["content"], call);
/// assert_eq!(written[1]["content"], "<tool_response>\nbad arguments\n</tool_response>");
///
/// let notes = builder().unwritable_calls(UnwritableCalls::Note).build()?;
/// let written = notes.render_history(&history)?;
/// let note = "[The call of look could not be written here. Its arguments were: {\"at\": ]";
/// let result = format!("<tool_response>\n{note}\nbad arguments\n</tool_response>");
/// assert_eq!(written, [json!({"role": "user", "content": result})]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnwritableCalls {
    /// The call is written as it was: its arguments as they stand, between the dialect's markers.
    #[default]
    Text,
    /// The call is left out, and a note in its result, if there is one, mentions it. The history then has no call as
    /// a bad example.
    Note,
}

/// The writing of a history's hosted calls, which are calls of no declared tool: web searches, shells, programs
/// (`web_search_call`, `local_shell_call`, `server_tool_use`), references, and unknown kinds of items.
///
/// One of the [`Options`].
///
/// ```
/// use serde_json::json;
/// use toolstream::{Dialect, Parser, options::HostedCalls};
///
/// let history = [
///     json!({"type": "web_search_call", "id": "ws_1", "action": {"query": "weather"}}),
///     json!({"type": "message", "role": "assistant", "content": "It rains."}),
/// ];
/// let builder = || Parser::builder(Dialect::HERMES);
/// let written = builder().build()?.render_history(&history)?;
/// let said = "[web_search_call: {\"action\":{\"query\":\"weather\"}}]\nIt rains.";
/// assert_eq!(written[0]["content"], said);
///
/// let silent = builder().hosted_calls(HostedCalls::LeaveOut).build()?;
/// assert_eq!(silent.render_history(&history)?[0]["content"], "It rains.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostedCalls {
    /// The call is named in brackets, with its readable texts, since later answers may speak of it.
    #[default]
    Say,
    /// The call is left out, with its results.
    LeaveOut,
}

/// The place of a system message that comes after the user or the assistant spoke. Many chat templates refuse it there, or
/// drop it. A `developer` message is a system message, too.
///
/// One of the [`Options`].
///
/// ```
/// use serde_json::json;
/// use toolstream::{Dialect, Parser, options::LateSystem};
///
/// let said = |role: &str, content: &str| json!({"role": role, "content": content});
/// let history = [said("system", "Be brief."), said("user", "Hi."), said("developer", "Be kind.")];
/// let render = |late| {
///     let parser = Parser::builder(Dialect::HERMES).late_system(late).build().unwrap();
///     parser.render_history(&history)
/// };
/// let first = render(LateSystem::First)?;
/// assert_eq!(first, [said("system", "Be brief.\n\nBe kind."), said("user", "Hi.")]);
/// let user = render(LateSystem::User)?;
/// assert_eq!(user, [said("system", "Be brief."), said("user", "Hi.\n\nBe kind.")]);
/// let keep = render(LateSystem::Keep)?;
/// assert_eq!(keep[2], said("system", "Be kind."));
/// # Ok::<(), toolstream::render::RenderError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LateSystem {
    /// The system message moves to the end of the one at the front, which every template has. The prompt changes at
    /// its beginning, so a server's prefix cache is lost for the next answer.
    #[default]
    First,
    /// The system message becomes a user's message in its place: the prompt continues as it was, but the words have
    /// only the weight of the user's.
    User,
    /// The system message stays: for a template that takes it.
    Keep,
}
