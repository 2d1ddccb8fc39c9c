//! Inkling: an envelope of messages, each with its kind.
//!
//! ```text
//! message := ( "<|message_model|>" AUTHOR )? KIND body ( "<|end_message|>" | "<|content_model_end_sampling|>" )?
//! call    := "<|content_invoke_tool_json|>" ws object        {"name": N, "args": {…}}, see `read/json.rs`
//! ```
//! The body depends on KIND: reasoning, text, or a call, if an object follows. AUTHOR is markup. At the start of the
//! stream a name alone may stand before KIND. In reasoning an end, a call and a header with `<|message_model|>` count. A
//! header that the stream cuts is markup. No shape: a token for each kind of message stands in place of a header's words.

use super::facts::Facts;
use super::json_array::written;

/// The dialect `inkling`. Results are messages of the role `tool`.
pub(crate) fn inkling() -> Facts {
    let call = "<|message_model|>{name}<|content_invoke_tool_json|>{\"name\": {json_name}, \"args\": {arguments}}\
                <|end_message|>";
    let about = "<|message_model|>NAME<|content_invoke_tool_json|>{\"name\": …, \"args\": {…}}";
    Facts::new("inkling", about, written(call).template())
}
