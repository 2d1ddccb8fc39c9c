//! A client's history, in the words of Anthropic's Messages or of OpenAI's Responses, as the messages of a
//! chat.
//!
//! | there | here |
//! |---|---|
//! | Messages: `tool_use` blocks of an assistant | `tool_calls` |
//! | Messages: `tool_result` blocks of a user | messages of the role `tool`, before what else the user said |
//! | Responses: `function_call`, `custom_tool_call` items | `tool_calls` of the turn that they stand in |
//! | Responses: `function_call_output`, `custom_tool_call_output` | a message of the role `tool` |
//! | thinking, reasoning | `reasoning_content` |
//! | parts that are texts and images | the same, as a chat names them |
//!
//! All else passes as it is: a chat is what it was.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::RenderError;
use super::error::RenderProblem;

/// A message of a chat, and the number of the one that it was made of, or that it is.
type Numbered<'m> = (usize, Cow<'m, Value>);

/// The messages of a chat.
pub(super) fn chat(messages: &[Value]) -> Result<Vec<Numbered<'_>>, RenderError> {
    let mut chat = Chat::default();
    for (at, message) in messages.iter().enumerate() {
        chat.at = at;
        chat.message(message)?;
    }
    chat.end_turn();
    Ok(chat.messages)
}

#[derive(Default)]
struct Chat<'m> {
    messages: Vec<Numbered<'m>>,
    /// The assistant's turn, while items may come that belong to it.
    turn: Option<Turn>,
    at: usize,
}

struct Turn {
    at: usize,
    parts: Vec<Value>,
    reasoning: String,
    calls: Vec<Value>,
}

impl<'m> Chat<'m> {
    fn message(&mut self, message: &'m Value) -> Result<(), RenderError> {
        let parts = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let any = |kinds: &[&str]| {
            parts.iter().any(|part| part["type"].as_str().is_some_and(|kind| kinds.contains(&kind)))
        };
        let is_item = !message["type"].is_null();
        match (message["type"].as_str(), message["role"].as_str()) {
            (Some("message"), Some("assistant")) => self.turn().say(&message["content"]),
            (None, Some("assistant"))
                if any(&["tool_use", "thinking", "redacted_thinking", "output_text"]) =>
            {
                self.end_turn();
                self.turn().say(&message["content"]);
            }
            (None, Some("user")) if any(&["tool_result"]) => self.results(parts),
            (None | Some("message"), role) => {
                self.end_turn();
                if is_item || any(&["input_text", "input_image", "image"]) {
                    let role = role.map(|role| if role == "developer" { "system" } else { role });
                    let content = content(parts_of(&message["content"]));
                    self.push(json!({"role": role, "content": content}));
                } else {
                    self.messages.push((self.at, Cow::Borrowed(message)));
                }
            }
            (Some("reasoning"), _) => {
                let texts = ["summary", "content"].map(|key| message[key].as_array().cloned());
                let texts = texts.into_iter().flatten().flatten();
                texts.for_each(|part| self.turn().think(&part["text"]));
            }
            (Some("function_call"), _) => {
                self.turn().call(&message["call_id"], &message["name"], &message["arguments"]);
            }
            (Some("custom_tool_call"), _) => {
                let arguments = json!({"input": message["input"]});
                self.turn().call(&message["call_id"], &message["name"], &arguments);
            }
            (Some("function_call_output" | "custom_tool_call_output"), _) => {
                self.result(&message["call_id"], &message["output"]);
            }
            (Some(_), _) => {
                return Err(RenderProblem::Shape {
                    place: format!("messages[{}].type", self.at),
                    expected: "`message`, `reasoning`, `function_call`, `function_call_output`, \
                               `custom_tool_call` or `custom_tool_call_output`",
                }
                .into());
            }
        }
        Ok(())
    }

    /// The results of calls, and then what else stands in the message.
    fn results(&mut self, parts: &[Value]) {
        let (results, rest): (Vec<&Value>, Vec<&Value>) =
            parts.iter().partition(|part| part["type"] == "tool_result");
        results.iter().for_each(|part| self.result(&part["tool_use_id"], &part["content"]));
        if !rest.is_empty() {
            let content = content(rest.into_iter().map(part).collect());
            self.push(json!({"role": "user", "content": content}));
        }
    }

    fn push(&mut self, message: Value) {
        self.messages.push((self.at, Cow::Owned(message)));
    }

    fn result(&mut self, id: &Value, said: &Value) {
        self.end_turn();
        self.push(json!({"role": "tool", "tool_call_id": id, "content": content(parts_of(said))}));
    }

    fn turn(&mut self) -> &mut Turn {
        let (at, parts, reasoning, calls) = (self.at, Vec::new(), String::new(), Vec::new());
        self.turn.get_or_insert(Turn { at, parts, reasoning, calls })
    }

    fn end_turn(&mut self) {
        let Some(Turn { at, parts, reasoning, calls }) = self.turn.take() else { return };
        let mut message = json!({"role": "assistant", "content": content(parts)});
        if !reasoning.is_empty() {
            message["reasoning_content"] = reasoning.into();
        }
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        self.messages.push((at, Cow::Owned(message)));
    }
}

impl Turn {
    fn say(&mut self, content: &Value) {
        for of in parts_of(content) {
            match of["type"].as_str() {
                Some("tool_use") => self.call(&of["id"], &of["name"], &of["input"]),
                Some("thinking") => self.think(&of["thinking"]),
                // Nobody but who wrote it can read it.
                Some("redacted_thinking") => {}
                _ => self.parts.push(of),
            }
        }
    }

    fn think(&mut self, text: &Value) {
        self.reasoning.push_str(text.as_str().unwrap_or_default());
    }

    fn call(&mut self, id: &Value, name: &Value, arguments: &Value) {
        let function = json!({"name": name, "arguments": arguments});
        self.calls.push(json!({"id": id, "type": "function", "function": function}));
    }
}

/// The parts of a content, as a chat names them.
pub(super) fn parts_of(content: &Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts.iter().map(part).collect(),
        Value::Null => Vec::new(),
        text => vec![json!({"type": "text", "text": text})],
    }
}

fn part(part: &Value) -> Value {
    let image = |url: Value| json!({"type": "image_url", "image_url": {"url": url}});
    let source = &part["source"];
    match part["type"].as_str() {
        Some("text" | "input_text" | "output_text") => {
            json!({"type": "text", "text": part["text"]})
        }
        Some("refusal") => json!({"type": "text", "text": part["refusal"]}),
        Some("input_image") if part["image_url"].is_string() => image(part["image_url"].clone()),
        Some("image") => match (source["url"].as_str(), source["data"].as_str()) {
            (Some(url), _) => image(url.into()),
            (None, Some(data)) => {
                let kind = source["media_type"].as_str().unwrap_or("image/png");
                image(format!("data:{kind};base64,{data}").into())
            }
            (None, None) => part.clone(),
        },
        _ => part.clone(),
    }
}

/// The parts as one text, if they are texts.
fn content(parts: Vec<Value>) -> Value {
    let text = |part: &Value| Some(part["text"].as_str()?.to_string());
    let texts: Option<Vec<String>> = parts.iter().map(text).collect();
    texts.map_or_else(|| parts.into(), |texts| texts.concat().into())
}
