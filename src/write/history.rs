//! [`Parser::render_history`]: a client's history, for a model that speaks a dialect.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::error::RenderProblem;
use super::{CallRef, RenderError, ToolResult, protocols, result};
use crate::json::white::trim;
use crate::options::Results;
use crate::parser::Parser;
use crate::repair;

impl Parser {
    /// A client's history as the messages of an OpenAI chat, for a model that speaks this parser's
    /// dialect: calls and results as text, as the dialect writes them. `messages` are those of a chat, those
    /// of Anthropic's Messages (`tool_use` and `tool_result` blocks), or the `input` items of OpenAI's
    /// Responses: `message`, `reasoning`, `function_call`, `function_call_output`, `custom_tool_call` and
    /// `custom_tool_call_output`. An item of another kind (`web_search_call`) is an error: leave it out before.
    ///
    /// * An assistant's `tool_calls` stand after its content, as [`Parser::render_calls`] writes them.
    /// * The `role: tool` messages after it become one user message, as [`Parser::render_results`]
    ///   writes it, in the order of the calls. The ids say whose results they are, and go along where
    ///   the dialect has ids; a call whose id the dialect cannot have gets one of the dialect's own.
    /// * Messages of the system's or the user's in a row, results among them, are joined, with a blank line
    ///   between texts: many chat templates demand that user and assistant take turns.
    /// * By [`Options::results`](crate::Options::results), markers in results and in what users say are broken up:
    ///   either may quote a page. What the system and the assistant say stands as it is: the system's words are the
    ///   host's, which tell the model its markers, and the assistant's are what the model wrote and was read.
    /// * Thinking of the other two protocols becomes `reasoning_content`, their texts and images the
    ///   parts of a chat. All other messages stay as they are. Anthropic's `system`, the `instructions` of
    ///   Responses and the prompt that tells the tools ([`Parser::system_prompt`]) are the host's to add.
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
    /// // The same, as Claude Code says it.
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
    /// [`RenderError`], with the place of what is wrong: a message that is not of the API's shape, a
    /// result without its call, a call that the dialect cannot carry; with [`Results::Refuse`] a marker in what is not
    /// the host's.
    pub fn render_history(&self, messages: &[Value]) -> Result<Vec<Value>, RenderError> {
        let mut history =
            History { parser: self, written: Vec::new(), calls: Vec::new(), count: 0 };
        for (at, message) in protocols::chat(messages)? {
            history.message(&format!("messages[{at}]"), &message)?;
        }
        history.end_results()?;
        Ok(history.written)
    }
}

struct History<'p> {
    parser: &'p Parser,
    written: Vec<Value>,
    /// The calls of the last turn that has some.
    calls: Vec<HistoryCall>,
    /// How many there were before.
    count: usize,
}

struct HistoryCall {
    /// As the client names it.
    id: String,
    /// As the dialect does.
    written_id: String,
    name: String,
    /// A result that is not written yet.
    result: Option<String>,
    answered: bool,
}

impl History<'_> {
    fn message(&mut self, place: &str, message: &Value) -> Result<(), RenderError> {
        let role = message.get("role").and_then(Value::as_str);
        if role == Some("tool") {
            return self.result(place, message);
        }
        self.end_results()?;
        let calls = message.get("tool_calls").and_then(Value::as_array);
        match calls.filter(|calls| role == Some("assistant") && !calls.is_empty()) {
            Some(calls) => self.turn(place, message, calls),
            None => {
                let mut message = message.clone();
                if let (Some("user"), Some(content)) = (role, message.get_mut("content")) {
                    self.user(place, content)?;
                }
                self.push(message);
                Ok(())
            }
        }
    }

    /// What a user says may be a page, too: its markers are none.
    fn user(&self, place: &str, content: &mut Value) -> Result<(), RenderError> {
        match content {
            Value::String(text) => self.foreign(place, text),
            Value::Array(parts) => {
                parts.iter_mut().try_for_each(|part| match part.get_mut("text") {
                    Some(Value::String(text)) => self.foreign(place, text),
                    _ => Ok(()),
                })
            }
            _ => Ok(()),
        }
    }

    fn foreign(&self, place: &str, text: &mut String) -> Result<(), RenderError> {
        let tables = self.parser.tables();
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

    /// Joins it to the last message where that is of the same role and neither says anything else.
    fn push(&mut self, message: Value) {
        let bare = |message: &Value| {
            let says = |key: &String| key == "role" || key == "content";
            matches!(message["role"].as_str(), Some("system" | "user"))
                && message.as_object().is_some_and(|message| message.keys().all(says))
        };
        let joins =
            |last: &&mut Value| bare(last) && bare(&message) && last["role"] == message["role"];
        let Some(last) = self.written.last_mut().filter(joins) else {
            return self.written.push(message);
        };
        last["content"] = match (last["content"].take(), message["content"].clone()) {
            (Value::String(before), Value::String(more)) => {
                let between = if before.ends_with('\n') { "\n" } else { "\n\n" };
                [&*before, between, &*more].concat().into()
            }
            (before, more) => {
                [protocols::parts_of(&before), protocols::parts_of(&more)].concat().into()
            }
        };
    }

    /// A turn of the assistant's that has calls.
    fn turn(&mut self, place: &str, message: &Value, calls: &[Value]) -> Result<(), RenderError> {
        self.calls.clear();
        let mut content = text(message, place)?.into_owned();
        let mut arguments = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            arguments.push(self.call(&format!("{place}.tool_calls[{at}]"), call)?);
        }
        let turn = self.calls.iter().zip(&arguments);
        let turn: Vec<CallRef<'_>> = turn
            .map(|(call, arguments)| {
                CallRef::new(&call.name, arguments).with_id(Some(&call.written_id))
            })
            .collect();
        let written = self
            .parser
            .render_calls(&turn)
            .map_err(|error| no_call(format!("{place}.tool_calls"), error))?;
        if !content.is_empty() && !content.ends_with('\n') {
            content.push('\n');
        }
        content.push_str(&written);
        let mut message = message.clone();
        if let Some(message) = message.as_object_mut() {
            message.shift_remove("tool_calls");
            message.insert("content".to_string(), content.into());
        }
        self.written.push(message);
        Ok(())
    }

    /// Takes a call of the turn, under an id that the dialect can carry, and gives its arguments.
    fn call(&mut self, place: &str, call: &Value) -> Result<Map<String, Value>, RenderError> {
        let function = call.get("function").unwrap_or(&Value::Null);
        let id = string(call, "id", place)?;
        let place_of_function = format!("{place}.function");
        let name = string(function, "name", &place_of_function)?;
        let arguments = self.arguments(function, &place_of_function)?;
        let spec = self.parser.tables().spec(0);
        let own = result::id(spec, None, name, self.count);
        let call = CallRef::new(name, &arguments);
        let write = |id: &str| self.parser.render_calls(&[call.with_id(Some(id))]);
        let written_id = match write(id) {
            Ok(_) => id,
            Err(error) => match write(&own) {
                Ok(_) => &*own,
                Err(_) => return Err(no_call(place.to_string(), error)),
            },
        };
        let (id, name, written_id) = (id.to_string(), name.to_string(), written_id.to_string());
        self.calls.push(HistoryCall { id, written_id, name, result: None, answered: false });
        self.count += 1;
        Ok(arguments)
    }

    fn arguments(&self, function: &Value, place: &str) -> Result<Map<String, Value>, RenderError> {
        let repairs = self.parser.tables().options.repairs;
        let read = match function.get("arguments") {
            None | Some(Value::Null) => Some(Map::new()),
            Some(Value::Object(arguments)) => Some(arguments.clone()),
            Some(Value::String(text)) if trim(text).is_empty() => Some(Map::new()),
            Some(Value::String(text)) => {
                repair::arguments(text, repairs).ok().map(|read| read.object)
            }
            Some(_) => None,
        };
        read.ok_or_else(|| shape(format!("{place}.arguments"), "a JSON object, as text"))
    }

    fn result(&mut self, place: &str, message: &Value) -> Result<(), RenderError> {
        let id = string(message, "tool_call_id", place)?;
        let content = text(message, place)?.into_owned();
        let call = self.calls.iter_mut().find(|call| call.id == id && !call.answered);
        let call = call.ok_or_else(|| RenderProblem::UnknownCall {
            place: format!("{place}.tool_call_id"),
            id: id.to_string(),
        })?;
        (call.result, call.answered) = (Some(content), true);
        Ok(())
    }

    /// The results that came in a row are one message.
    fn end_results(&mut self) -> Result<(), RenderError> {
        let result = |call: &mut HistoryCall| {
            let result = ToolResult::ok(call.name.clone(), call.result.take()?);
            Some(result.with_id(Some(call.written_id.clone()).filter(|id| !id.is_empty())))
        };
        let results: Vec<ToolResult> = self.calls.iter_mut().filter_map(result).collect();
        if !results.is_empty() {
            let content = self.parser.render_results(&results)?;
            self.push(json!({"role": "user", "content": content}));
        }
        Ok(())
    }
}

/// The content as text: a string, or a list of parts that are texts.
fn text<'v>(message: &'v Value, place: &str) -> Result<Cow<'v, str>, RenderError> {
    let wrong = || shape(format!("{place}.content"), "a string, or a list of texts");
    let part = |part: &'v Value| part.get("text").and_then(Value::as_str).ok_or_else(wrong);
    match message.get("content") {
        None | Some(Value::Null) => Ok(Cow::Borrowed("")),
        Some(Value::String(text)) => Ok(Cow::Borrowed(text)),
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        Some(_) => Err(wrong()),
    }
}

fn string<'v>(of: &'v Value, key: &str, place: &str) -> Result<&'v str, RenderError> {
    let text = of.get(key).and_then(Value::as_str);
    text.ok_or_else(|| shape(format!("{place}.{key}"), "a string"))
}

fn shape(place: String, expected: &'static str) -> RenderError {
    RenderProblem::Shape { place, expected }.into()
}

fn no_call(place: String, error: RenderError) -> RenderError {
    RenderProblem::Call { place, error: Box::new(error) }.into()
}
