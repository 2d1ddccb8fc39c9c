//! A provider's data about its answer: [`Envelope`].
//!
//! | | `openai-chat` | `openai-responses` | `anthropic` | `gemini` |
//! |---|---|---|---|---|
//! | id | `id` | `response.id` | `message.id` | `responseId` |
//! | model | `model` | `response.model` | `message.model` | `modelVersion` |
//! | stop reason | `finish_reason` | `incomplete_details.reason`, or `status` | `stop_reason` | `finishReason`, or the prompt's `blockReason` |
//! | usage | `usage` | `response.usage` | `message.usage`, `usage` | `usageMetadata` |

use serde_json::{Map, Value};

use super::wire;
use crate::provider::Provider;

/// A provider's data about its answer, beside the content. A missing field is absent; a repeated one replaces the
/// earlier one.
///
/// ```
/// use serde_json::json;
/// use toolstream::native::{Provider, Reader};
///
/// let mut reader = Reader::builder(Provider::Anthropic).build()?;
/// for event in [
///     json!({"type": "message_start", "message": {"id": "msg_1", "model": "m",
///         "usage": {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 1}}}),
///     json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
///         "usage": {"output_tokens": 25}}),
///     json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
/// ] {
///     reader.feed_value(&event);
/// }
/// let envelope = reader.envelope();
/// assert_eq!((envelope.id.as_deref(), envelope.stop_reason.as_deref()), (Some("msg_1"), Some("end_turn")));
/// let usage = envelope.usage.as_ref().unwrap();
/// assert_eq!((usage.input, usage.cached, usage.output), (Some(100), Some(90), Some(25)));
/// assert_eq!(envelope.error.as_ref().unwrap().kind.as_deref(), Some("overloaded_error"));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Envelope {
    /// The id of the answer.
    pub id: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// The reason for the stop, in the provider's words: `stop`, `end_turn`, `MAX_TOKENS`, …
    /// [`Message::ended`](crate::Message::ended) has the crate's own.
    pub stop_reason: Option<String>,
    /// The tokens of the answer.
    pub usage: Option<Usage>,
    /// The first error that the provider describes in words.
    pub error: Option<ProviderError>,
}

/// Tokens of an answer. The sums mean the same for all providers, although some count cached or reasoning tokens
/// apart.
///
/// A field of an [`Envelope`].
///
/// ```
/// use serde_json::json;
/// use toolstream::native::{Provider, Reader};
///
/// let mut reader = Reader::builder(Provider::OpenAiChat).build()?;
/// reader.feed_value(&json!({"choices": [], "usage": {"prompt_tokens": 90, "completion_tokens": 25,
///     "completion_tokens_details": {"reasoning_tokens": 20}}})).for_each(drop);
/// let usage = reader.envelope().usage.as_ref().unwrap();
/// assert_eq!((usage.input, usage.output, usage.reasoning), (Some(90), Some(25), Some(20)));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Usage {
    /// The tokens that the model read, cached ones included.
    pub input: Option<u64>,
    /// The tokens that the model wrote, its reasoning included.
    pub output: Option<u64>,
    /// The part of the input that came from a cache.
    pub cached: Option<u64>,
    /// The part of the output that was reasoning.
    pub reasoning: Option<u64>,
    /// The provider's own data, unchanged.
    pub raw: Map<String, Value>,
}

/// Error that a provider sent.
///
/// A field of an [`Envelope`].
///
/// ```
/// use serde_json::json;
/// use toolstream::native::{Provider, Reader};
///
/// let mut reader = Reader::builder(Provider::Gemini).build()?;
/// reader.feed_value(&json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
///     "message": "Too many requests."}})).for_each(drop);
/// let error = reader.envelope().error.as_ref().unwrap();
/// assert_eq!(error.kind.as_deref(), Some("RESOURCE_EXHAUSTED"));
/// assert_eq!(error.message.as_deref(), Some("Too many requests."));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct ProviderError {
    /// The kind of the error: `overloaded_error`, `invalid_request_error`, `RESOURCE_EXHAUSTED`, …
    pub kind: Option<String>,
    /// The code of the error: `context_length_exceeded`, `429`, …
    pub code: Option<String>,
    /// The message for people.
    pub message: Option<String>,
    /// The whole error. If the data is not JSON, its beginning as text: at most 1,000 characters.
    pub raw: Value,
}

impl Envelope {
    pub(super) fn read(&mut self, provider: Provider, event: &Value) {
        match provider {
            Provider::OpenAiChat => self.chat(event),
            Provider::OpenAiResponses => {
                let bare = wire::filled(event, "object") == Some("response");
                self.response(if bare { event } else { field(event, "response") });
            }
            Provider::Anthropic => self.anthropic(event),
            Provider::Gemini => self.gemini(event),
        }
        if let Some(error) = error_in(event) {
            self.fail(ProviderError::from_json(error));
        }
    }

    pub(super) fn no_json(&mut self, data: &str) {
        let raw = data.chars().take(1000).collect::<String>().into();
        self.fail(ProviderError { raw, ..ProviderError::default() });
    }

    fn fail(&mut self, error: ProviderError) {
        let known = self.error.as_ref().is_some_and(|known| known.message.is_some());
        if !known && (self.error.is_none() || error.message.is_some()) {
            self.error = Some(error);
        }
    }

    fn chat(&mut self, event: &Value) {
        set(&mut self.id, event, "id");
        set(&mut self.model, event, "model");
        let choices = wire::list(event, "choices").iter().filter(|choice| wire::is_first(choice));
        choices.for_each(|choice| set(&mut self.stop_reason, choice, "finish_reason"));
        self.count(event, "usage", |raw| Usage {
            input: number(raw, "/prompt_tokens"),
            output: number(raw, "/completion_tokens"),
            cached: number(raw, "/prompt_tokens_details/cached_tokens"),
            reasoning: number(raw, "/completion_tokens_details/reasoning_tokens"),
            ..Usage::default()
        });
    }

    fn response(&mut self, response: &Value) {
        set(&mut self.id, response, "id");
        set(&mut self.model, response, "model");
        if wire::filled(response, "status").is_some_and(|status| status != "in_progress") {
            set(&mut self.stop_reason, response, "status");
        }
        set(&mut self.stop_reason, field(response, "incomplete_details"), "reason");
        self.count(response, "usage", |raw| Usage {
            input: number(raw, "/input_tokens"),
            output: number(raw, "/output_tokens"),
            cached: number(raw, "/input_tokens_details/cached_tokens"),
            reasoning: number(raw, "/output_tokens_details/reasoning_tokens"),
            ..Usage::default()
        });
    }

    fn anthropic(&mut self, event: &Value) {
        let bare = wire::filled(event, "type") == Some("message");
        let message = if bare { event } else { field(event, "message") };
        set(&mut self.id, message, "id");
        set(&mut self.model, message, "model");
        set(&mut self.stop_reason, message, "stop_reason");
        set(&mut self.stop_reason, field(event, "delta"), "stop_reason");
        for counted in [message, event] {
            self.count(counted, "usage", |raw| {
                let cached = number(raw, "/cache_read_input_tokens");
                let written = number(raw, "/cache_creation_input_tokens");
                let input = sum(&[number(raw, "/input_tokens"), cached, written]);
                Usage { input, output: number(raw, "/output_tokens"), cached, ..Usage::default() }
            });
        }
    }

    fn gemini(&mut self, event: &Value) {
        set(&mut self.id, event, "responseId");
        set(&mut self.model, event, "modelVersion");
        set(&mut self.stop_reason, field(event, "promptFeedback"), "blockReason");
        let candidates = wire::list(event, "candidates").iter();
        let first = candidates.filter(|candidate| wire::is_first(candidate));
        first.for_each(|candidate| set(&mut self.stop_reason, candidate, "finishReason"));
        self.count(event, "usageMetadata", |raw| {
            let reasoning = number(raw, "/thoughtsTokenCount");
            Usage {
                input: number(raw, "/promptTokenCount"),
                output: sum(&[number(raw, "/candidatesTokenCount"), reasoning]),
                cached: number(raw, "/cachedContentTokenCount"),
                reasoning,
                ..Usage::default()
            }
        });
    }

    /// Counts tokens. Some providers send parts, and some repeat them: the last word on each part counts.
    fn count(&mut self, from: &Value, key: &str, read: impl Fn(&Value) -> Usage) {
        let Some(said) = from.get(key).and_then(Value::as_object) else { return };
        let mut raw = self.usage.take().unwrap_or_default().raw;
        raw.extend(said.clone());
        let raw = Value::Object(raw);
        let usage = read(&raw);
        if let Value::Object(raw) = raw {
            self.usage = Some(Usage { raw, ..usage });
        }
    }
}

impl ProviderError {
    fn from_json(error: &Value) -> ProviderError {
        let text = |key| wire::filled(error, key).map(String::from);
        let code = error.get("code").filter(|code| code.is_number()).map(Value::to_string);
        ProviderError {
            kind: text("type").filter(|kind| kind != "error").or_else(|| text("status")),
            code: text("code").or(code),
            message: error.as_str().map(String::from).or_else(|| text("message")),
            raw: error.clone(),
        }
    }
}

/// Returns the error of an event: a member of it, or the event itself.
pub(super) fn error_in(event: &Value) -> Option<&Value> {
    let inner = |of: &'_ Value| of.get("error").is_some_and(|error| !error.is_null());
    let response = field(event, "response");
    if inner(event) {
        return event.get("error");
    }
    if wire::filled(event, "type") == Some("response.failed") {
        return Some(if inner(response) { &response["error"] } else { event });
    }
    let says = |key| wire::filled(event, key) == Some("error");
    (says("type") || says("object")).then_some(event)
}

fn field<'v>(value: &'v Value, key: &str) -> &'v Value {
    value.get(key).unwrap_or(&Value::Null)
}

fn set(to: &mut Option<String>, from: &Value, key: &str) {
    // Every chunk repeats them.
    if let Some(text) = wire::filled(from, key).filter(|text| to.as_deref() != Some(text)) {
        *to = Some(text.to_string());
    }
}

fn number(raw: &Value, pointer: &str) -> Option<u64> {
    raw.pointer(pointer).and_then(Value::as_u64)
}

/// Adds the numbers that are there, if any is.
fn sum(parts: &[Option<u64>]) -> Option<u64> {
    parts.iter().flatten().copied().reduce(u64::saturating_add)
}
