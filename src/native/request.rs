//! [`Message::to_request`]: the assistant's turn, as its API wants it back.

use serde_json::{Map, Value, json};

use crate::adapt::ReasoningKey;
use crate::event::NATIVE;
use crate::json::white::trim;
#[cfg(feature = "policy")]
use crate::message::CompleteCall;
use crate::message::{Block, Message, Parts, Prose};
use crate::provider::Provider;
use crate::tool::json::INPUT;
use crate::write::ToolResult;

impl Message {
    /// Returns the assistant's turn as this API wants it back in the next request, with signatures, encrypted
    /// reasoning, and the ids of items.
    ///
    /// | provider | JSON |
    /// |---|---|
    /// | `openai-chat` | one of the `messages`: `{"role": "assistant", "content", "tool_calls"?}` |
    /// | `openai-responses` | an array: the items to add to `input` |
    /// | `anthropic` | one of the `messages`: `{"role": "assistant", "content": [block]}` |
    /// | `gemini` | one of the `contents`: `{"role": "model", "parts": [part]}` |
    ///
    /// * **All calls** are in it, those that may not run too: these APIs demand an answer to every call, so answer
    ///   those with an error. A call without an id is `call_0`, `call_1`, … by its index (Gemini needs none).
    ///   Unreadable arguments are `{}` here: such a call looks whole, so the result is for the history alone. A
    ///   gateway answers its client with an [`EventWriter`](crate::adapt::EventWriter), which leaves such a call out.
    /// * **Reasoning** goes back only to the provider that it came from, and in the form that this provider takes.
    ///   Anthropic's goes back with its signature, the items of Responses as they came, `openai-chat`'s as
    ///   `reasoning_content` ([`Message::to_chat_request`] has other names for it), and Gemini's only where it is
    ///   signed.
    /// * **Arguments** are the model's own text if it is valid JSON, else the arguments as read.
    /// * Calls of a text dialect become native calls here. For a model that speaks the dialect, see
    ///   [`Parser::render_history`](crate::Parser::render_history).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::native::{Provider, Reader};
    ///
    /// let mut reader = Reader::builder(Provider::Anthropic).build()?;
    /// let mut message = reader.message();
    /// let response = json!({"type": "message", "stop_reason": "tool_use", "content": [
    ///     {"type": "thinking", "thinking": "Look.", "signature": "c2ln"},
    ///     {"type": "tool_use", "id": "toolu_1", "name": "list", "input": {"all": true}},
    /// ]});
    /// reader.feed_value(&response).for_each(|event| message.push(event));
    /// reader.finish().for_each(|event| message.push(event));
    /// message.close();
    /// assert_eq!(
    ///     message.to_request(Provider::Anthropic),
    ///     json!({"role": "assistant", "content": response["content"]}),
    /// );
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn to_request(&self, provider: Provider) -> Value {
        let own = self.provider == Some(provider);
        let write = match provider {
            Provider::OpenAiChat => {
                let key = if own { ReasoningKey::Content } else { ReasoningKey::None };
                return chat(self, own, key);
            }
            Provider::OpenAiResponses => responses,
            Provider::Anthropic => anthropic,
            Provider::Gemini => gemini,
        };
        let parts = self.blocks().iter().filter_map(|block| match block {
            Block::Opaque(item) => own.then(|| item.clone()),
            Block::Reasoning(_) if !own => None,
            Block::Reasoning(prose) => write(CommonBlock::Reasoning(prose), own),
            Block::Text(prose) => write(CommonBlock::Text(prose), own),
            Block::Call(call) => write(CommonBlock::Call(&call.parts), own),
            Block::Incomplete(call) => write(CommonBlock::Call(&call.parts), own),
        });
        let parts: Vec<Value> = parts.collect();
        match provider {
            Provider::Gemini => json!({"role": "model", "parts": parts}),
            Provider::OpenAiResponses => parts.into(),
            _ => json!({"role": "assistant", "content": parts}),
        }
    }

    /// Returns the turn of [`Message::to_request`] for `openai-chat`, with the reasoning under these names, whoever
    /// wrote it: for a server whose model wants its reasoning back between its calls.
    ///
    /// ```
    /// use toolstream::adapt::ReasoningKey;
    /// use toolstream::{Dialect, Parser};
    ///
    /// let message = Parser::builder(Dialect::HERMES).build()?.parse("<think>Hm.</think>Yes.");
    /// let turn = message.to_chat_request(ReasoningKey::Reasoning);
    /// assert_eq!((&turn["reasoning"], &turn["content"]), (&"Hm.".into(), &"Yes.".into()));
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn to_chat_request(&self, reasoning: ReasoningKey) -> Value {
        chat(self, self.provider == Some(Provider::OpenAiChat), reasoning)
    }
}

impl Provider {
    /// Returns the results of an answer's calls as this API wants them in the next request, behind the answer's turn
    /// ([`Message::to_request`]). Their ids are those of the calls ([`ToolResult::with_id`]).
    ///
    /// | provider | JSON |
    /// |---|---|
    /// | `openai-chat` | for each result one of the `messages`: `{"role": "tool", "tool_call_id", "content"}` |
    /// | `openai-responses` | for each an item of the `input`: `{"type": "function_call_output", "call_id", "output"}` |
    /// | `anthropic` | one message, with a block for each: `{"type": "tool_result", "tool_use_id", "content", "is_error"?}` |
    /// | `gemini` | one of the `contents`, with a part for each: `{"functionResponse": {"id"?, "name", "response"}}` |
    ///
    /// A content that is not text is JSON as text, but for Gemini, which has objects. Where the API has no
    /// word for an error, the text begins with `Error: `. Without results there is no message.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::render::ToolResult;
    /// use toolstream::native::Provider;
    ///
    /// let results = [
    ///     ToolResult::ok("list", "a.rs").with_id(Some("toolu_1")),
    ///     ToolResult::error("read", "no such file").with_id(Some("toolu_2")),
    /// ];
    /// assert_eq!(Provider::Anthropic.results(&results), [json!({"role": "user", "content": [
    ///     {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.rs"},
    ///     {"type": "tool_result", "tool_use_id": "toolu_2", "content": "no such file", "is_error": true},
    /// ]})]);
    /// ```
    pub fn results(self, results: &[ToolResult]) -> Vec<Value> {
        let each = results.iter().map(|result| self.result(result));
        match self {
            Provider::OpenAiChat | Provider::OpenAiResponses => each.collect(),
            _ if results.is_empty() => Vec::new(),
            Provider::Anthropic => {
                vec![json!({"role": "user", "content": each.collect::<Vec<_>>()})]
            }
            Provider::Gemini => vec![json!({"role": "user", "parts": each.collect::<Vec<_>>()})],
        }
    }

    fn result(self, result: &ToolResult) -> Value {
        let ToolResult { name, id, content, is_error } = result;
        let text = match is_error {
            true => format!("Error: {}", result.text()),
            false => result.text().into_owned(),
        };
        match self {
            Provider::OpenAiChat => json!({"role": "tool", "tool_call_id": id, "content": text}),
            Provider::OpenAiResponses => {
                json!({"type": "function_call_output", "call_id": id, "output": text})
            }
            Provider::Anthropic => {
                let block =
                    json!({"type": "tool_result", "tool_use_id": id, "content": result.text()});
                with(block, Some(&json!({"is_error": true})).filter(|_| *is_error))
            }
            Provider::Gemini => {
                let response = match content {
                    _ if *is_error => json!({"error": result.text()}),
                    Value::Object(_) => content.clone(),
                    _ => json!({"output": content}),
                };
                let written = json!({"name": name, "response": response});
                let id = id.as_ref().map(|id| json!({"id": id}));
                json!({"functionResponse": with(written, id.as_ref())})
            }
        }
    }
}

/// A block that everybody has.
enum CommonBlock<'m> {
    Text(&'m Prose),
    Reasoning(&'m Prose),
    Call(&'m Parts),
}

/// The message in one; `own`: it came from such an API.
fn chat(message: &Message, own: bool, key: ReasoningKey) -> Value {
    let calls = message.blocks().iter().filter_map(|block| match block {
        Block::Call(call) => Some(&call.parts),
        Block::Incomplete(call) => Some(&call.parts),
        _ => None,
    });
    let calls: Vec<Value> = calls
        .map(|call| {
            let function = json!({"name": call.name, "arguments": arguments(call)});
            let written = json!({"id": id(call), "type": "function", "function": function});
            with(written, call.opaque.as_ref().filter(|_| own))
        })
        .collect();
    let (text, reasoning) = (message.text(), message.reasoning());
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { text.into() };
    let mut turn = json!({"role": "assistant", "content": content});
    key.put(&mut turn, &reasoning);
    if !calls.is_empty() {
        turn["tool_calls"] = calls.into();
    }
    turn
}

fn responses(part: CommonBlock<'_>, own: bool) -> Option<Value> {
    match part {
        CommonBlock::Reasoning(prose) => prose.opaque.clone(),
        CommonBlock::Text(Prose { opaque: Some(item), .. }) if own => Some(item.clone()),
        CommonBlock::Text(prose) if prose.text.is_empty() => None,
        CommonBlock::Text(prose) => {
            let content = json!([{"type": "output_text", "text": prose.text}]);
            Some(json!({"type": "message", "role": "assistant", "content": content}))
        }
        CommonBlock::Call(call) => {
            let written = match free_text(call) {
                Some(input) => json!({"type": "custom_tool_call", "call_id": id(call),
                    "name": call.name, "input": input}),
                None => json!({"type": "function_call", "call_id": id(call),
                    "name": call.name, "arguments": arguments(call)}),
            };
            Some(with(written, call.opaque.as_ref().filter(|_| own)))
        }
    }
}

fn anthropic(part: CommonBlock<'_>, own: bool) -> Option<Value> {
    match part {
        CommonBlock::Reasoning(prose) => {
            let signature = prose.opaque.as_ref()?;
            Some(with(json!({"type": "thinking", "thinking": prose.text}), Some(signature)))
        }
        // Blank text is refused.
        CommonBlock::Text(prose) if trim(&prose.text).is_empty() => None,
        CommonBlock::Text(prose) => Some(json!({"type": "text", "text": prose.text})),
        CommonBlock::Call(call) => {
            let written =
                json!({"type": "tool_use", "id": id(call), "name": call.name, "input": call.input});
            Some(with(written, call.opaque.as_ref().filter(|_| own)))
        }
    }
}

fn gemini(part: CommonBlock<'_>, own: bool) -> Option<Value> {
    match part {
        CommonBlock::Reasoning(prose) => {
            let signature = prose.opaque.as_ref()?;
            Some(with(json!({"text": prose.text, "thought": true}), Some(signature)))
        }
        CommonBlock::Text(prose) if prose.text.is_empty() && prose.opaque.is_none() => None,
        CommonBlock::Text(prose) => {
            Some(with(json!({"text": prose.text}), prose.opaque.as_ref().filter(|_| own)))
        }
        CommonBlock::Call(call) => {
            let mut function = Map::new();
            if let Some(id) = &call.id {
                function.insert("id".to_string(), id.as_str().into());
            }
            function.insert("name".to_string(), call.name.as_str().into());
            function.insert("args".to_string(), call.input.clone().into());
            let written = json!({"functionCall": function});
            Some(with(written, call.opaque.as_ref().filter(|_| own)))
        }
    }
}

/// Adds the members of another object that the object lacks.
fn with(mut object: Value, more: Option<&Value>) -> Value {
    if let (Some(object), Some(more)) = (object.as_object_mut(), more.and_then(Value::as_object)) {
        for (key, value) in more {
            object.entry(key).or_insert_with(|| value.clone());
        }
    }
    object
}

fn id(call: &Parts) -> String {
    call.id.clone().unwrap_or_else(|| format!("call_{}", call.index))
}

#[cfg(feature = "policy")]
impl Message {
    /// Returns all calls, those that may not run too: their names, their ids in [`Message::to_request`], and whether
    /// a call is free text for a custom tool.
    pub(crate) fn native_calls(
        &self,
        provider: Provider,
    ) -> impl Iterator<Item = (&str, Option<String>, bool)> {
        self.blocks().iter().filter_map(move |block| {
            let call = match block {
                Block::Call(call) => &call.parts,
                Block::Incomplete(call) => &call.parts,
                _ => return None,
            };
            Some((&*call.name, id_in_request(call, provider), free_text(call).is_some()))
        })
    }
}

#[cfg(feature = "policy")]
impl CompleteCall {
    /// The call's id in [`Message::to_request`].
    pub(crate) fn id_in_request(&self, provider: Provider) -> Option<String> {
        id_in_request(&self.parts, provider)
    }
}

#[cfg(feature = "policy")]
fn id_in_request(call: &Parts, provider: Provider) -> Option<String> {
    match provider {
        Provider::Gemini => call.id.clone(),
        _ => Some(id(call)),
    }
}

/// Returns the arguments as JSON text: the model's own text, if that was read.
fn arguments(call: &Parts) -> String {
    let own = call.raw.as_ref().filter(|raw| {
        serde_json::from_str::<Map<String, Value>>(raw).is_ok_and(|read| read == call.input)
    });
    own.cloned().unwrap_or_else(|| Value::Object(call.input.clone()).to_string())
}

/// Returns the free text of a call of a provider's custom tool.
fn free_text(call: &Parts) -> Option<&str> {
    match &*call.params {
        [only] if call.dialect == NATIVE && only.name == INPUT => Some(&only.value),
        _ => None,
    }
}
