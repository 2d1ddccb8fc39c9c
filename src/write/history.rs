//! [`Parser::render_history`]: a client's history, for a model that speaks a dialect.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Value, json};

use super::error::RenderProblem;
use super::past::PastCall;
use super::{RenderError, ToolResult, protocols};
use crate::json::members::take;
use crate::options::{LateSystem, Results};
use crate::parser::Parser;

impl Parser {
    /// Writes a client's history as the messages of an OpenAI chat, for a model that speaks this parser's dialect:
    /// calls and results become text, as the dialect writes them. `messages` are those of a chat, those of
    /// Anthropic's Messages (`tool_use` and `tool_result` blocks), or the `input` items of OpenAI's Responses
    /// (`message`, `reasoning`, `function_call`, `function_call_output`, `custom_tool_call`, ...).
    ///
    /// * An assistant's `tool_calls` stand after its content, as [`Parser::render_calls`] writes them. A call that
    ///   the dialect cannot write, because it is not JSON or truncated, is written as it was, or left out with a note
    ///   ([`UnwritableCalls`](crate::options::UnwritableCalls)).
    /// * The `role: tool` messages after it become one user message, as [`Parser::render_results`] writes it, in the
    ///   order of the calls. The ids assign results to calls, and are written where the dialect has ids; a call whose
    ///   id the dialect cannot have gets one of the dialect's own. A result without an id belongs to the next waiting
    ///   call. A result of a missing call is marked as such.
    /// * Images and documents of results become parts of the message that holds the results, or words
    ///   ([`Attachments`](crate::options::Attachments)).
    /// * Hosted calls of a provider (`web_search_call`, `server_tool_use`), a `local_shell_call`, references and
    ///   unknown items become words in brackets, or are left out ([`HostedCalls`](crate::options::HostedCalls)).
    /// * Consecutive messages of the system or the user, results among them, are joined, with a blank line between
    ///   texts: many chat templates demand that user and assistant take turns. `developer` is `system`, and a late
    ///   system message goes where templates take it ([`LateSystem`](crate::options::LateSystem)).
    /// * By [`Options::results`](crate::options::Options::results), markers in results and in users' messages are broken up:
    ///   either may quote a page. The texts of the system and of the assistant are not changed.
    /// * Thinking of the other two protocols becomes `reasoning_content`, their texts and images the parts of a chat.
    ///   All other messages stay as they are. Anthropic's `system`, the `instructions` of Responses and the prompt of
    ///   the tools are for [`Parser::render_chat`].
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::{Dialect, Parser};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).build()?;
    /// let messages = parser.render_history(&[
    ///     json!({"role": "user", "content": "What is here?"}),
    ///     json!({"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call_0",
    ///         "type": "function", "function": {"name": "list", "arguments": "{\"all\":true}"}}]}),
    ///     json!({"role": "tool", "tool_call_id": "call_0", "content": "a.rs"}),
    /// ])?;
    /// assert_eq!(messages[1]["content"],
    ///     "I look.\n<tool_call>\n{\"name\": \"list\", \"arguments\": {\"all\": true}}\n</tool_call>");
    /// assert_eq!(messages[2], json!({"role": "user",
    ///     "content": "<tool_response>\na.rs\n</tool_response>"}));
    /// // The same, as Claude Code sends it.
    /// let same = parser.render_history(&[
    ///     json!({"role": "user", "content": "What is here?"}),
    ///     json!({"role": "assistant", "content": [{"type": "text", "text": "I look."},
    ///         {"type": "tool_use", "id": "call_0", "name": "list", "input": {"all": true}}]}),
    ///     json!({"role": "user", "content": [
    ///         {"type": "tool_result", "tool_use_id": "call_0", "content": "a.rs"}]}),
    /// ])?;
    /// assert_eq!(same, messages);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RenderError`] for a message that is not an object; with [`Results::Refuse`] for a marker in foreign text.
    /// Everything else that an agent stored can be written.
    pub fn render_history(&self, messages: &[Value]) -> Result<Vec<Value>, RenderError> {
        let mut history = History::new(self);
        for (at, message) in protocols::chat(self, messages)? {
            history.message(&format!("messages[{at}]"), &message)?;
        }
        history.end_results()?;
        Ok(history.written)
    }

    /// Writes the messages of a request for a model that speaks this parser's dialect. They are the prompt of the
    /// tools ([`Parser::system_prompt`]), the text beside a client's messages (Anthropic's `system`, the
    /// `instructions` of Responses; `null` without any) and the messages ([`Parser::render_history`]). All system
    /// texts at the front are one message. An index in an error is that of the client's message.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
    /// let request = json!({"system": "Be brief.", "messages": [{"role": "user", "content": "Hi."}]});
    /// let messages = request["messages"].as_array().unwrap();
    /// let written = parser.render_chat(&request["system"], messages)?;
    /// assert_eq!(written[0]["content"], format!("{}\n\nBe brief.", parser.system_prompt().trim_end()));
    /// assert_eq!(written[1..], messages[..]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Parser::render_history`].
    pub fn render_chat(
        &self,
        system: &Value,
        messages: &[Value],
    ) -> Result<Vec<Value>, RenderError> {
        let written =
            with_system(self.render_history(messages)?, protocols::system_content(system));
        Ok(with_system(written, self.system_prompt().into()))
    }

    /// Breaks up the markers of a foreign text for the model.
    pub(super) fn foreign(&self, place: &str, text: &mut String) -> Result<(), RenderError> {
        let tables = self.tables();
        if tables.options.results == Results::Verbatim {
            return Ok(());
        }
        let neutralised = tables.markers().neutralise(text);
        match neutralised.found {
            Some(marker) if tables.options.results == Results::Refuse => {
                let (whose, dialect) = (place.to_string(), tables.dialect.to_string());
                Err(RenderProblem::Marker { whose, marker, dialect }.into())
            }
            _ => {
                *text = neutralised.foreign.text;
                Ok(())
            }
        }
    }
}

/// Puts a system text in front of all messages.
pub(super) fn with_system(mut written: Vec<Value>, said: Value) -> Vec<Value> {
    let says = match &said {
        Value::String(text) => !text.is_empty(),
        other => !other.is_null(),
    };
    match written.first_mut().filter(|first| first["role"] == "system") {
        _ if !says => {}
        Some(first) => first["content"] = joined(said, first["content"].take()),
        None => written.insert(0, json!({"role": "system", "content": said})),
    }
    written
}

pub(super) struct History<'p> {
    parser: &'p Parser,
    pub written: Vec<Value>,
    /// The calls of the last turn with calls.
    calls: Vec<PastCall>,
    /// The number of calls before.
    count: usize,
    /// The names of all calls, by the client's ids.
    names: HashMap<String, String>,
    /// Results of calls that do not wait for one, and the places of their messages.
    others: Vec<(String, String)>,
    /// The parts to attach behind the results that are not written yet.
    pub attached: Vec<Value>,
}

impl<'p> History<'p> {
    pub(super) fn new(parser: &'p Parser) -> History<'p> {
        let (written, calls, count, names, others, attached) = Default::default();
        History { parser, written, calls, count, names, others, attached }
    }

    pub(super) fn message(&mut self, place: &str, message: &Value) -> Result<(), RenderError> {
        let role = message["role"].as_str();
        if role == Some("tool") {
            self.result(place, message);
            return Ok(());
        }
        self.end_results()?;
        let calls = message["tool_calls"].as_array();
        match calls.filter(|calls| role == Some("assistant") && !calls.is_empty()) {
            Some(calls) => self.turn(message, calls),
            None if role == Some("system") => self.system(message.clone()),
            None => {
                let mut message = message.clone();
                if let (Some("user"), Some(content)) = (role, message.get_mut("content")) {
                    self.user(place, content)?;
                }
                self.push(message);
            }
        }
        Ok(())
    }

    /// Breaks up the markers of a user's message: it may be a page.
    pub(super) fn user(&self, place: &str, content: &mut Value) -> Result<(), RenderError> {
        match content {
            Value::String(text) => self.parser.foreign(place, text),
            Value::Array(parts) => {
                parts.iter_mut().try_for_each(|part| match part.get_mut("text") {
                    Some(Value::String(text)) => self.parser.foreign(place, text),
                    _ => Ok(()),
                })
            }
            _ => Ok(()),
        }
    }

    /// Writes a system message: few templates take a late one.
    fn system(&mut self, mut message: Value) {
        let late = self.written.last().is_some_and(|last| last["role"] != "system");
        match self.parser.tables().options.late_system {
            LateSystem::User if late => {
                self.push(json!({"role": "user", "content": message["content"]}));
            }
            LateSystem::First if late => match &mut self.written[0] {
                first if first["role"] == "system" => {
                    first["content"] = joined(first["content"].take(), message["content"].take());
                }
                _ => self.written.insert(0, message),
            },
            _ => self.push(message),
        }
    }

    /// Joins the message to the last one, if both have the same role and no other members.
    fn push(&mut self, mut message: Value) {
        let bare = |message: &Value| {
            let says = |key: &String| key == "role" || key == "content";
            matches!(message["role"].as_str(), Some("system" | "user"))
                && message.as_object().is_some_and(|message| message.keys().all(says))
        };
        let joins =
            |last: &&mut Value| bare(last) && bare(&message) && last["role"] == message["role"];
        match self.written.last_mut().filter(joins) {
            Some(last) => {
                last["content"] = joined(last["content"].take(), message["content"].take());
            }
            None => self.written.push(message),
        }
    }

    /// Takes a turn of the assistant with calls.
    fn turn(&mut self, message: &Value, calls: &[Value]) {
        self.calls.clear();
        for call in calls {
            let call = self.parser.past_call(call, self.count);
            self.names.insert(call.id.clone(), call.name.clone());
            self.calls.push(call);
            self.count += 1;
        }
        let mut content = text(message).into_owned();
        let written = self.parser.write_past_calls(&self.calls);
        let after_text = &self.parser.tables().dialect.template().call.after_text;
        match content.is_empty() || written.is_empty() {
            true => {}
            false if !after_text.is_empty() => content.push_str(after_text),
            false if content.ends_with('\n') => {}
            false => content.push('\n'),
        }
        content.push_str(&written);
        let mut message = message.clone();
        let Some(members) = message.as_object_mut() else { return };
        take(members, "tool_calls");
        // All calls of a turn may have been left out.
        if !content.is_empty() || members.keys().any(|key| key != "role" && key != "content") {
            members.insert("content".to_string(), content.into());
            self.written.push(message);
        }
    }

    fn result(&mut self, place: &str, message: &Value) {
        let id = message["tool_call_id"].as_str().filter(|id| !id.is_empty());
        let name = message["name"].as_str();
        let content = text(message).into_owned();
        let attached = message[protocols::ATTACHED].as_array();
        self.attached.extend(attached.into_iter().flatten().cloned());
        let waits = |call: &&mut PastCall| {
            let is_its = match (id, name) {
                (Some(id), _) => call.id == id,
                (None, Some(name)) => call.name == name,
                (None, None) => true,
            };
            is_its && !call.answered
        };
        if let Some(call) = self.calls.iter_mut().find(waits) {
            call.result = Some(content);
            call.answered = true;
            return;
        }
        // Clients drop the beginning of a long history, and may answer a call twice.
        let name = name.or_else(|| self.names.get(id?).map(String::as_str));
        let of = name.or(id).map(|of| format!(" of {of}")).unwrap_or_default();
        self.others.push((place.to_string(), format!("Result{of}:\n{content}")));
    }

    /// Ends the results: those in a row are one message.
    pub(super) fn end_results(&mut self) -> Result<(), RenderError> {
        let how = self.parser.tables().options.unwritable_calls;
        let result = |call: &mut PastCall| {
            let result = call.result.take()?;
            let content = [call.note(how).unwrap_or_default(), result].concat();
            let result = ToolResult::ok(call.name.clone(), content);
            Some(result.with_id(Some(call.written_id.clone()).filter(|id| !id.is_empty())))
        };
        let results: Vec<ToolResult> = self.calls.iter_mut().filter_map(result).collect();
        let user = |content: Value| json!({"role": "user", "content": content});
        if !results.is_empty() {
            let content = self.parser.render_results(&results)?;
            self.push(user(content.into()));
        }
        for (place, mut other) in std::mem::take(&mut self.others) {
            self.parser.foreign(&place, &mut other)?;
            self.push(user(other.into()));
        }
        let attached = std::mem::take(&mut self.attached);
        if !attached.is_empty() {
            self.push(user(attached.into()));
        }
        Ok(())
    }
}

/// The separator between two texts of one message.
pub(super) fn between(before: &str) -> &'static str {
    if before.ends_with('\n') { "\n" } else { "\n\n" }
}

/// Joins two contents.
fn joined(before: Value, more: Value) -> Value {
    match (before, more) {
        (Value::String(before), Value::String(more)) => {
            [&*before, between(&before), &*more].concat().into()
        }
        (before, more) => [protocols::parts_of(before), protocols::parts_of(more)].concat().into(),
    }
}

/// Returns the content as text: a string, or a list of parts that are texts.
fn text(message: &Value) -> Cow<'_, str> {
    let part = |part: &Value| part["text"].as_str().unwrap_or_default().to_string();
    match &message["content"] {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => parts.iter().map(part).collect(),
        other => Cow::Owned(other.to_string()),
    }
}
