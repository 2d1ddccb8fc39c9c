//! The chat stream of the crate `async-openai`, without a way through JSON.

use async_openai::types::chat::{
    ChatChoiceStream, CreateChatCompletionStreamResponse, FinishReason, FunctionCallStream,
};

use super::assembler::Turn;
use super::chat::{Chat, Entry};
use super::{Core, Reader, Wire};
use crate::sink::Sink;
use crate::tape::Events;

impl Reader {
    /// Reads one chunk as the crate `async-openai` hands it out (feature `async-openai`). Keys that
    /// its types do not have, like `reasoning_content`, are lost there. The reader must be one of
    /// [`Provider::OpenAiChat`](super::Provider); another one ignores the chunk.
    ///
    /// ```
    /// use async_openai::types::chat::CreateChatCompletionStreamResponse;
    /// use toolstream::native::{Provider, Reader};
    ///
    /// # let chunk = |delta: serde_json::Value, reason: Option<&str>| {
    /// #     serde_json::from_value::<CreateChatCompletionStreamResponse>(serde_json::json!({
    /// #         "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "m",
    /// #         "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    /// #     })).unwrap()
    /// # };
    /// # let entry = |entry: serde_json::Value| serde_json::json!({"tool_calls": [entry]});
    /// # let stream: Vec<CreateChatCompletionStreamResponse> = vec![
    /// #     chunk(entry(serde_json::json!({"index": 0, "id": "call_7f", "type": "function",
    /// #         "function": {"name": "list", "arguments": "{\"all\": "}})), None),
    /// #     chunk(entry(serde_json::json!({"index": 0, "function": {"arguments": "true}"}})), None),
    /// #     chunk(serde_json::json!({}), Some("tool_calls")),
    /// # ];
    /// let mut reader = Reader::builder(Provider::OpenAiChat).build()?;
    /// let mut message = reader.message();
    /// for chunk in &stream { // while let Some(chunk) = stream.next().await
    ///     for event in reader.feed_chat(chunk) {
    ///         message.push(event);
    ///     }
    /// }
    /// for event in reader.finish() {
    ///     message.push(event);
    /// }
    /// message.close();
    /// assert_eq!(message.calls().next().unwrap().input()["all"], true);
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn feed_chat(&mut self, chunk: &CreateChatCompletionStreamResponse) -> Events<'_> {
        self.core.feed_chat(chunk, &mut self.tape.record(""));
        self.tape.play("")
    }

    /// [`Reader::feed_chat`] for a sink.
    pub fn feed_chat_into<S: Sink>(
        &mut self,
        chunk: &CreateChatCompletionStreamResponse,
        sink: &mut S,
    ) {
        self.core.feed_chat(chunk, sink);
    }
}

impl Core {
    fn feed_chat<S: Sink>(&mut self, chunk: &CreateChatCompletionStreamResponse, sink: &mut S) {
        if self.finished {
            return;
        }
        if let (Wire::Chat(chat), mut turn) = self.turn(sink) {
            let first = chunk.choices.iter().filter(|choice| choice.index == 0);
            first.for_each(|choice| read(choice, chat, &mut turn));
        }
    }
}

/// The order is that of [`Chat::event`].
fn read(choice: &ChatChoiceStream, chat: &mut Chat, out: &mut Turn<'_>) {
    let delta = &choice.delta;
    out.text(delta.content.as_deref().unwrap_or_default());
    if let Some(refusal) = delta.refusal.as_deref().filter(|refusal| !refusal.is_empty()) {
        chat.refusal(refusal, out);
    }
    for call in delta.tool_calls.iter().flatten() {
        let index = Some(i64::from(call.index));
        let id = call.id.as_deref().filter(|id| !id.trim().is_empty());
        let function = call.function.as_ref().map(entry).unwrap_or_default();
        chat.entry(Entry { index, id, ..function }, out);
    }
    #[expect(deprecated, reason = "old servers still send it")]
    if let Some(function) = &delta.function_call {
        chat.entry(Entry { index: Some(0), ..entry(function) }, out);
    }
    let reason = choice.finish_reason.map(|reason| match reason {
        FinishReason::Length => "length",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::FunctionCall => "stop",
    });
    if let Some(reason) = reason {
        chat.finish_reason(reason, out);
    }
}

fn entry(function: &FunctionCallStream) -> Entry<'_> {
    Entry {
        name: function.name.as_deref().filter(|name| !name.trim().is_empty()),
        arguments: function.arguments.as_deref().map(Into::into),
        ..Entry::default()
    }
}
