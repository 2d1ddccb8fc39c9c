//! The conversation, in the form of the API of the model.
//!
//! | | a turn of the model's | results |
//! |---|---|---|
//! | calls in the text | the text that it wrote | text of the user's |
//! | native calls | `Message::to_request` | `Provider::results` |
//!
//! An API of native calls demands a result for every call. So each call without a result gets an error before
//! the next message.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::Calls;
use crate::json::white::trim;
use crate::message::CompleteCall;
use crate::message::reply::{Reply, ReplySource};
use crate::parser::Parser;
use crate::policy::config::{PolicyError, Result};
use crate::provider::Provider;
use crate::write::ToolResult;

/// The writing of a conversation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub api: Provider,
    /// Calls and results have the form of the API. Otherwise they are text, in the notation of the dialect.
    pub native: bool,
}

impl Form {
    /// Returns the form of a conversation with the model that this source reads. `calls`: the option for calls.
    pub fn from_source(source: &ReplySource, calls: Option<Calls>) -> Result<Form> {
        let wrong = |what: &str| Err(PolicyError::InvalidArgument(format!("config.calls: {what}")));
        match (source, calls) {
            (ReplySource::Text(_), Some(Calls::Native)) => {
                wrong("a parser reads the calls of a text; native ones are a `native::Reader`'s")
            }
            (ReplySource::Text(_), _) => Ok(Form { api: Provider::OpenAiChat, native: false }),
            (ReplySource::Native(reader), Some(Calls::Text)) if reader.text_parser().is_none() => {
                wrong("this reader reads no calls in the text; give it a parser by `text_calls`")
            }
            (ReplySource::Native(reader), calls) => {
                Ok(Form { api: reader.provider(), native: calls != Some(Calls::Text) })
            }
        }
    }

    /// Returns the writer of calls and results where they are text.
    pub fn parser(self, source: &ReplySource) -> Option<&Parser> {
        match source {
            ReplySource::Text(parser) => Some(parser),
            ReplySource::Native(reader) => reader.text_parser().filter(|_| !self.native),
        }
    }

    /// Returns the id for the call's result.
    pub fn id(self, call: &CompleteCall) -> Option<String> {
        match self.native {
            true => call.id_in_request(self.api),
            false => call.id().map(String::from),
        }
    }

    /// Returns the key of a message's content.
    fn key(self) -> &'static str {
        if self.api == Provider::Gemini { "parts" } else { "content" }
    }

    fn part(self, text: &str) -> Value {
        match self.api {
            Provider::Gemini => json!({"text": text}),
            Provider::OpenAiResponses => json!({"type": "input_text", "text": text}),
            Provider::OpenAiChat | Provider::Anthropic => json!({"type": "text", "text": text}),
        }
    }

    fn parts(self, content: Value) -> Vec<Value> {
        match content {
            Value::Array(parts) => parts,
            Value::String(text) => vec![self.part(&text)],
            other => vec![other],
        }
    }

    fn message(self, role: &str, content: Value) -> Value {
        let content = match self.api {
            Provider::Gemini => self.parts(content).into(),
            _ => content,
        };
        json!({"role": role, self.key(): content})
    }
}

/// The stored conversation. User and model take turns in it, since many chat templates and APIs require it; the items
/// of Responses stand one after the other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Conversation {
    messages: Vec<Value>,
    /// The native calls that have no result yet.
    open: Vec<OpenCall>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct OpenCall {
    name: String,
    id: Option<String>,
    /// Free text for a custom tool, which Responses writes differently.
    custom: bool,
}

impl Conversation {
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Adds to the system prompt, which is the first message, whatever the API.
    pub fn instruct(&mut self, text: String) {
        self.say(Form { api: Provider::OpenAiChat, native: false }, "system", text.into());
    }

    /// Adds the user's words: text, or parts of the API.
    pub fn user(&mut self, form: Form, content: Value) {
        self.say(form, "user", content);
    }

    /// Adds the model's turn.
    pub fn model(&mut self, form: Form, reply: &Reply) {
        if !form.native {
            let role = if form.api == Provider::Gemini { "model" } else { "assistant" };
            return self.say(form, role, reply.said().into());
        }
        let message = reply.message();
        self.open = message
            .native_calls(form.api)
            .map(|(name, id, custom)| OpenCall { name: name.to_string(), id, custom })
            .collect();
        match message.to_request(form.api) {
            Value::Array(items) => self.messages.extend(items),
            // These APIs refuse an empty turn.
            turn if is_empty(&turn[form.key()]) && turn["tool_calls"].is_null() => {}
            turn => self.messages.push(turn),
        }
    }

    /// Adds the results of native calls. Calls of the model's last turn without a result get `otherwise`,
    /// with their name.
    pub fn results(
        &mut self,
        form: Form,
        results: &[ToolResult],
        otherwise: impl Fn(&str) -> String,
    ) {
        let mut written = Vec::new();
        for call in std::mem::take(&mut self.open) {
            let given = results.iter().find(|result| match &call.id {
                Some(id) => result.id.as_ref() == Some(id),
                None => result.name == call.name,
            });
            let missing = || ToolResult::error(&*call.name, otherwise(&call.name));
            let result = given.cloned().unwrap_or_else(missing).with_id(call.id);
            written.extend(form.api.results(&[result]).into_iter().map(|mut item| {
                if call.custom && item["type"] == "function_call_output" {
                    item["type"] = "custom_tool_call_output".into();
                }
                item
            }));
        }
        written.into_iter().for_each(|message| self.push(form, message));
    }

    /// Changes everything but the system prompt. A system prompt that is put there is left out.
    pub fn edit(&mut self, edit: impl FnOnce(&mut Vec<Value>)) {
        let of_system = |message: &Value| message["role"] == "system";
        let mut said =
            self.messages.split_off(usize::from(self.messages.first().is_some_and(of_system)));
        edit(&mut said);
        self.messages.extend(said.into_iter().filter(|message| !of_system(message)));
    }

    /// Takes up a stored one, with the system prompt of this one.
    pub fn restore(&mut self, stored: &Conversation) {
        self.edit(|messages| *messages = stored.messages.clone());
        self.open = stored.open.clone();
    }

    /// Whether the model spoke last, even if it only wrote a call that has no result.
    pub fn model_was_last(&self) -> bool {
        if !self.open.is_empty() {
            return true;
        }
        let last = self.messages.last().unwrap_or(&Value::Null);
        last["role"] == "assistant" || last["role"] == "model" || last["type"] == "reasoning"
    }

    /// Returns the next request: the conversation, the declared tools, the stop sequences.
    pub fn request(&self, form: Form, tools: Vec<Value>, stop: &[&str]) -> Value {
        let of_system = self.messages.first().filter(|message| message["role"] == "system");
        let said = &self.messages[usize::from(of_system.is_some())..];
        let mut request = match form.api {
            Provider::OpenAiChat => json!({"messages": self.messages}),
            Provider::Anthropic => json!({"messages": said}),
            Provider::OpenAiResponses => json!({"input": said}),
            Provider::Gemini => json!({"contents": said}),
        };
        if let Some(system) = of_system.map(|message| message["content"].clone()) {
            match form.api {
                // There it is the first message.
                Provider::OpenAiChat => {}
                Provider::Anthropic => request["system"] = system,
                Provider::OpenAiResponses => request["instructions"] = system,
                Provider::Gemini => {
                    request["systemInstruction"] = json!({"parts": form.parts(system)});
                }
            }
        }
        match form.api {
            _ if tools.is_empty() => {}
            Provider::Gemini => request["tools"] = json!([{"functionDeclarations": tools}]),
            _ => request["tools"] = tools.into(),
        }
        match form.api {
            _ if stop.is_empty() => {}
            Provider::OpenAiChat => request["stop"] = json!(stop),
            Provider::Anthropic => request["stop_sequences"] = json!(stop),
            // This API has no field for them.
            Provider::OpenAiResponses => {}
            Provider::Gemini => request["generationConfig"] = json!({"stopSequences": stop}),
        }
        request
    }

    fn say(&mut self, form: Form, role: &str, content: Value) {
        if !is_empty(&content) {
            self.push(form, form.message(role, content));
        }
    }

    /// Adds a message. A message of the last one's role continues that.
    fn push(&mut self, form: Form, message: Value) {
        let items = form.api == Provider::OpenAiResponses && form.native;
        let goes_on = |last: &&mut Value| {
            !items && last["role"] == message["role"] && message["role"] != "tool"
        };
        let Some(last) = self.messages.last_mut().filter(goes_on) else {
            return self.messages.push(message);
        };
        let key = form.key();
        let joined = match (last[key].take(), message[key].clone()) {
            (Value::String(before), Value::String(more)) => [before, more].join("\n\n").into(),
            (before, more) => [form.parts(before), form.parts(more)].concat().into(),
        };
        last[key] = joined;
    }
}

/// Whether the content is empty.
fn is_empty(content: &Value) -> bool {
    match content {
        Value::Null => true,
        Value::String(text) => trim(text).is_empty(),
        Value::Array(parts) => parts.is_empty(),
        _ => false,
    }
}
