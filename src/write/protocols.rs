//! A client's history as the messages of a chat. It may be a chat, Anthropic's Messages or OpenAI's
//! Responses.
//!
//! | there | here |
//! |---|---|
//! | Messages: `tool_use` blocks of an assistant | `tool_calls` |
//! | Messages: `tool_result` blocks of a user | messages of the role `tool`, before the user's other words |
//! | Responses: `function_call`, `custom_tool_call` items | `tool_calls` of the turn that they stand in |
//! | Responses: `function_call_output`, `custom_tool_call_output` | a message of the role `tool` |
//! | chat: `function_call` of an assistant, messages of the role `function` | the same as `tool_calls` and `tool` |
//! | thinking, reasoning | `reasoning_content` |
//! | parts that are texts and images | the same, as a chat names them ([`parts`](super::parts)) |
//! | calls that a provider ran, and unknown items | words in the turn, by [`HostedCalls`] |
//! | `developer` | `system` |
//!
//! The content of a `tool` message is a text here, and its parts that go on stand beside it. All other messages pass as
//! they are: a chat stays as it was.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::RenderError;
use super::error::RenderProblem;
use super::parts::{Content, Piece, is_of_a_chat, pieces, words};
use crate::options::{Attachments, HostedCalls};
use crate::parser::Parser;

/// A message of a chat, and the number of its original.
type Numbered<'m> = (usize, Cow<'m, Value>);

/// The key of the parts of a `tool` message that go on.
pub(super) const ATTACHED: &str = "attached";

/// Returns the messages of a chat.
pub(super) fn chat<'m>(
    parser: &Parser,
    messages: &'m [Value],
) -> Result<Vec<Numbered<'m>>, RenderError> {
    let (messages_of, hosted) = Default::default();
    let mut chat = Chat { parser, messages: messages_of, turn: None, hosted, at: 0 };
    for (at, message) in messages.iter().enumerate() {
        chat.at = at;
        if !message.is_object() {
            let expected = "an object: a message, or an item of Responses";
            return Err(RenderProblem::Shape { place: chat.place(), expected }.into());
        }
        chat.message(message)?;
    }
    chat.end_turn();
    Ok(chat.messages)
}

struct Chat<'m, 'p> {
    parser: &'p Parser,
    messages: Vec<Numbered<'m>>,
    /// The assistant's turn, while items may come that belong to it.
    turn: Option<Turn>,
    /// The kinds of calls of no declared tool, by their ids.
    hosted: HashMap<String, String>,
    at: usize,
}

#[derive(Default)]
struct Turn {
    at: usize,
    content: Content,
    reasoning: String,
    calls: Vec<Value>,
    /// The other members of the message.
    rest: Map<String, Value>,
}

impl<'m> Chat<'m, '_> {
    fn place(&self) -> String {
        format!("messages[{}]", self.at)
    }

    fn message(&mut self, message: &'m Value) -> Result<(), RenderError> {
        let role = message["role"].as_str();
        // Hosts mark their messages with kinds of their own.
        let is_message = role.is_some() && message.get("content").is_some();
        let kind = message["type"].as_str().filter(|kind| is_known(kind) || !is_message);
        match (kind, role) {
            (Some("message"), Some("assistant")) => self.say(&message["content"])?,
            (None, Some("assistant")) => self.assistant(message)?,
            (None, Some("tool" | "function")) => {
                let name = [&message["name"], &message["tool_name"]].into_iter();
                let name = name.flat_map(Value::as_str).next();
                self.result(&message["tool_call_id"], name, &message["content"]);
            }
            (None | Some("message"), Some("system" | "developer")) => self.system(message),
            (None, None) if message.get("content").is_none() => self.hosted(message)?,
            (None | Some("message"), _) => self.user(message, kind.is_some()),
            (Some("reasoning"), _) => {
                let texts = ["summary", "content"].map(|key| message[key].as_array());
                let texts = texts.into_iter().flatten().flatten();
                texts.for_each(|part| self.turn().think(&part["text"]));
            }
            (Some("function_call"), _) => self.turn().call(message, &message["arguments"]),
            (Some("custom_tool_call"), _) => {
                self.turn().call(message, &json!({"input": message["input"]}));
            }
            (Some("function_call_output" | "custom_tool_call_output"), _) => {
                self.result(&message["call_id"], message["name"].as_str(), &message["output"]);
            }
            // Tools that Codex declares here, in place of the request's `tools`: nobody said them.
            (Some("additional_tools"), _) => {}
            (Some(_), _) => self.hosted(message)?,
        }
        Ok(())
    }

    /// Takes an assistant's message of a chat, or of Anthropic's.
    fn assistant(&mut self, message: &'m Value) -> Result<(), RenderError> {
        self.end_turn();
        let parts = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let old_call = message.get("function_call").filter(|call| call.is_object());
        if old_call.is_none() && parts.iter().all(|part| part["type"] == "text") {
            self.messages.push((self.at, Cow::Borrowed(message)));
            return Ok(());
        }
        self.say(&message["content"])?;
        let turn = self.turn();
        turn.calls.extend(message["tool_calls"].as_array().into_iter().flatten().cloned());
        if let Some(call) = old_call {
            turn.calls.push(json!({"type": "function", "function": call}));
        }
        for key in ["reasoning_content", "reasoning", "name"] {
            let kept = message.get(key).map(|value| (key.to_string(), value.clone()));
            turn.rest.extend(kept);
        }
        Ok(())
    }

    /// Adds the text, reasoning and calls of an assistant's message.
    fn say(&mut self, content: &Value) -> Result<(), RenderError> {
        let part_or_all = |content: &Value| match content {
            Value::Array(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        self.turn();
        for part in part_or_all(content) {
            match part["type"].as_str() {
                Some("tool_use") => self.turn().call(&part, &part["input"]),
                Some("thinking") => self.turn().think(&part["thinking"]),
                // Only its writer can read it.
                Some("redacted_thinking") => {}
                _ => self.say_pieces(&part)?,
            }
        }
        Ok(())
    }

    fn say_pieces(&mut self, part: &Value) -> Result<(), RenderError> {
        for piece in pieces(part) {
            match piece {
                Piece::Text(text) => self.turn().content.text(&text),
                Piece::Words(words) => self.foreign_words(words)?,
                Piece::Attached(attached) => self.turn().content.attached(&attached),
                Piece::Other(part) => self.hosted(&part)?,
            }
        }
        Ok(())
    }

    /// Adds words to the assistant's turn for parts that it did not write. They may quote a page.
    fn foreign_words(&mut self, mut words: String) -> Result<(), RenderError> {
        self.parser.foreign(&self.place(), &mut words)?;
        self.turn().content.words(&words);
        Ok(())
    }

    /// Writes an item that a provider or a client ran and that is not a call of a declared tool, or its result, or an
    /// unknown item.
    fn hosted(&mut self, item: &Value) -> Result<(), RenderError> {
        let kind = item["type"].as_str().unwrap_or("item_reference");
        let id = item["call_id"].as_str();
        if let (Some(of), Some(id)) = (kind.strip_suffix("_output"), id) {
            // Its call may be missing.
            self.hosted.entry(id.to_string()).or_insert_with(|| of.to_string());
            let said = match item.get("output") {
                Some(output) => output.clone(),
                None => words(item).into(),
            };
            self.result(&item["call_id"], None, &said);
            return Ok(());
        }
        if let Some(id) = id {
            self.hosted.insert(id.to_string(), kind.to_string());
        }
        match self.parser.tables().options.hosted_calls {
            HostedCalls::LeaveOut => Ok(()),
            HostedCalls::Say if item["type"].is_string() => self.foreign_words(words(item)),
            HostedCalls::Say => self.foreign_words(format!("[{kind}]")),
        }
    }

    /// Takes the content of a message: one text, if all its parts are texts.
    fn system(&mut self, message: &'m Value) {
        self.end_turn();
        if message["role"] == "system"
            && message["type"].is_null()
            && message["content"].is_string()
        {
            return self.messages.push((self.at, Cow::Borrowed(message)));
        }
        let content = system_content(&message["content"]);
        self.push(json!({"role": "system", "content": content}));
    }

    fn user(&mut self, message: &'m Value, is_item: bool) {
        self.end_turn();
        let parts = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        if parts.iter().any(|part| part["type"] == "tool_result") {
            return self.results(parts);
        }
        let attachments = self.parser.tables().options.attachments;
        let as_it_is = attachments != Attachments::None && parts.iter().all(is_of_a_chat);
        let role = message["role"].as_str();
        if as_it_is && !is_item && role.is_some() {
            return self.messages.push((self.at, Cow::Borrowed(message)));
        }
        let content = self.user_content(&message["content"]);
        let mut written = json!({"role": role.unwrap_or("user"), "content": content});
        if let (Some(name), false) = (message.get("name"), is_item) {
            written["name"] = name.clone();
        }
        self.push(written);
    }

    fn user_content(&self, content: &Value) -> Value {
        let attachments = self.parser.tables().options.attachments;
        let mut written = Content::default();
        for piece in pieces(content) {
            match piece {
                Piece::Text(text) => written.text(&text),
                Piece::Words(words) => written.words(&words),
                Piece::Attached(mut attached) => match attached.of_user(attachments) {
                    Some(part) => written.other(part),
                    None => written.attached(&attached),
                },
                Piece::Other(part) => written.other(part),
            }
        }
        written.into_value()
    }

    /// Takes the results of calls, and then the rest of the message.
    fn results(&mut self, parts: &[Value]) {
        let (results, rest): (Vec<&Value>, Vec<&Value>) =
            parts.iter().partition(|part| part["type"] == "tool_result");
        results.iter().for_each(|part| self.result(&part["tool_use_id"], None, &part["content"]));
        if !rest.is_empty() {
            let content = self.user_content(&rest.into_iter().cloned().collect());
            self.push(json!({"role": "user", "content": content}));
        }
    }

    /// Takes a result: its text, and its parts that go on as they are.
    fn result(&mut self, id: &Value, name: Option<&str>, said: &Value) {
        self.end_turn();
        let options = &self.parser.tables().options;
        let hosted = id.as_str().and_then(|id| self.hosted.get(id));
        if hosted.is_some() && options.hosted_calls == HostedCalls::LeaveOut {
            return;
        }
        let (mut content, mut goes_on) = (Content::default(), Vec::new());
        for piece in pieces(said) {
            match piece {
                Piece::Text(text) => content.text(&text),
                Piece::Words(words) => content.words(&words),
                Piece::Attached(mut attached) => {
                    goes_on.extend(attached.of_result(options.attachments));
                    content.attached(&attached);
                }
                Piece::Other(part) => content.words(&words(&part)),
            }
        }
        let name = hosted.map(String::as_str).or(name);
        self.push(json!({"role": "tool", "tool_call_id": id, "name": name,
            "content": content.into_value(), ATTACHED: goes_on}));
    }

    fn push(&mut self, message: Value) {
        self.messages.push((self.at, Cow::Owned(message)));
    }

    fn turn(&mut self) -> &mut Turn {
        let at = self.at;
        self.turn.get_or_insert_with(|| Turn { at, ..Turn::default() })
    }

    fn end_turn(&mut self) {
        let Some(Turn { at, content, reasoning, calls, rest }) = self.turn.take() else { return };
        // Nothing of it is to be written.
        if content.is_empty() && reasoning.is_empty() && calls.is_empty() && rest.is_empty() {
            return;
        }
        let mut message = json!({"role": "assistant", "content": content.into_value()});
        for (key, value) in rest {
            message[key] = value;
        }
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
    fn think(&mut self, text: &Value) {
        self.reasoning.push_str(text.as_str().unwrap_or_default());
    }

    /// Adds a call of Anthropic's or of Responses.
    fn call(&mut self, call: &Value, arguments: &Value) {
        let id = call.get("call_id").unwrap_or(&call["id"]);
        let mut function = json!({"name": call["name"], "arguments": arguments});
        if let Some(namespace) = call.get("namespace") {
            function["namespace"] = namespace.clone();
        }
        self.calls.push(json!({"id": id, "type": "function", "function": function}));
    }
}

fn is_known(kind: &str) -> bool {
    let items = ["message", "reasoning", "function_call", "custom_tool_call"];
    items.contains(&kind) || kind.ends_with("_output")
}

/// Returns the content of a system message: one text with blank lines between its parts, if they are texts.
pub(super) fn system_content(content: &Value) -> Value {
    let mut texts = Vec::new();
    for piece in pieces(content) {
        match piece {
            Piece::Text(text) | Piece::Words(text) => texts.push(text),
            // No template has a place for it, and the server will say so.
            Piece::Attached(_) | Piece::Other(_) => return content.clone(),
        }
    }
    let join = |all: String, text: String| match all.is_empty() {
        true => text,
        false => [&*all, super::history::between(&all), &*text].concat(),
    };
    texts.into_iter().fold(String::new(), join).into()
}

/// Returns the parts of a content.
pub(super) fn parts_of(content: Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts,
        Value::Null => Vec::new(),
        text => vec![json!({"type": "text", "text": text})],
    }
}
