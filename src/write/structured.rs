//! [`Parser::structured_chat`]: a client's history as a chat, for a server whose own template writes calls and results.

use serde_json::{Value, json};

use super::history::{History, with_system};
use super::past::Stored;
use super::{RenderError, protocols};
use crate::json::members::take;
use crate::parser::Parser;

impl Parser {
    /// Returns the messages of a request whose `tools` go on to the server, so that the model's own chat template writes
    /// them. Calls stay `tool_calls`, and results stay messages of the role `tool`. The histories of all three protocols
    /// of [`Parser::render_history`] are read, and `system` is that of [`Parser::render_chat`]. The parser's dialect still
    /// reads the model's answer.
    ///
    /// * A tool of a namespace has its one name, as [`Tool::to_request`](crate::Tool::to_request) declares it.
    /// * Arguments are the text of a JSON object, for templates read it. A call without such arguments has
    ///   `{"INVALID_JSON": "…"}`.
    /// * Markers in results and in users' messages are broken up, and system messages are placed, by the same options.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::{Dialect, Parser};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).build()?;
    /// let messages = parser.structured_chat(&"Be brief.".into(), &[
    ///     json!({"role": "user", "content": "Which files are here?"}),
    ///     json!({"role": "assistant", "content": [
    ///         {"type": "tool_use", "id": "call_0", "name": "list", "input": {"all": true}}]}),
    ///     json!({"role": "user", "content": [
    ///         {"type": "tool_result", "tool_use_id": "call_0", "content": "a.rs"}]}),
    /// ])?;
    /// assert_eq!(messages[0], json!({"role": "system", "content": "Be brief."}));
    /// assert_eq!(messages[2]["tool_calls"], json!([{"id": "call_0", "type": "function",
    ///     "function": {"name": "list", "arguments": "{\"all\":true}"}}]));
    /// assert_eq!(messages[3], json!({"role": "tool", "tool_call_id": "call_0", "content": "a.rs"}));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Parser::render_history`].
    pub fn structured_chat(
        &self,
        system: &Value,
        messages: &[Value],
    ) -> Result<Vec<Value>, RenderError> {
        let mut history = History::new(self);
        for (at, message) in protocols::chat(self, messages)? {
            let (place, mut message) = (format!("messages[{at}]"), message.into_owned());
            let has_calls = message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
            match message["role"].as_str() {
                Some("tool") => history.structured_result(&place, message)?,
                Some("assistant") if has_calls => {
                    let calls = message["tool_calls"].as_array_mut().into_iter().flatten();
                    calls.for_each(|call| self.structure(call));
                    history.end_results()?;
                    history.written.push(message);
                }
                _ => history.message(&place, &message)?,
            }
        }
        history.end_results()?;
        Ok(with_system(history.written, protocols::system_content(system)))
    }

    /// Writes a stored call as a call of a function; its other members stay.
    fn structure(&self, call: &mut Value) {
        let Stored { name, arguments, text } = Stored::from_json(call, self.tables());
        let is_object = serde_json::from_str::<Value>(&text).is_ok_and(|read| read.is_object());
        let text = match arguments {
            Some(_) if is_object => text,
            Some(repaired) => Value::Object(repaired).to_string(),
            None => json!({"INVALID_JSON": text}).to_string(),
        };
        let Some(members) = call.as_object_mut() else { return };
        take(members, "custom");
        take(members, "namespace");
        members.insert("type".to_string(), "function".into());
        members.insert("function".to_string(), json!({"name": name, "arguments": text}));
    }
}

impl History<'_> {
    /// Adds a result as a message of the role `tool`. Its images follow the last result of the turn.
    fn structured_result(&mut self, place: &str, mut message: Value) -> Result<(), RenderError> {
        self.user(place, &mut message["content"])?;
        let Some(members) = message.as_object_mut() else { return Ok(()) };
        if let Some(Value::Array(parts)) = take(members, protocols::ATTACHED) {
            self.attached.extend(parts);
        }
        members.retain(|_, value| !value.is_null());
        self.written.push(message);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Tool};

    fn structured(messages: &[Value]) -> Vec<Value> {
        let tools =
            Tool::from_request(&json!([{"type": "namespace", "name": "mcp__mail", "tools": [
            {"type": "function", "name": "list", "parameters": {"type": "object"}}]}]));
        let parser = Parser::builder(Dialect::HERMES).tools(tools.unwrap().0).build().unwrap();
        parser.structured_chat(&Value::Null, messages).unwrap()
    }

    #[test]
    fn items_of_responses_are_turns_and_results() {
        let image = "data:image/png;base64,AAAA";
        let messages = structured(&[
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Any mail?"}]}),
            json!({"type": "function_call", "call_id": "a", "namespace": "mcp__mail", "name": "list", "arguments": "{}"}),
            json!({"type": "function_call", "call_id": "b", "name": "view", "arguments": "{'at': 1,}"}),
            json!({"type": "function_call", "call_id": "c", "name": "view", "arguments": "[broken"}),
            json!({"type": "function_call_output", "call_id": "a", "output": "<tool_call>none"}),
            json!({"type": "function_call_output", "call_id": "b", "output": [{"type": "input_image", "image_url": image}]}),
            json!({"type": "function_call_output", "call_id": "c", "output": "wrong arguments"}),
        ]);
        let functions: Vec<&Value> = messages[1]["tool_calls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| &call["function"])
            .collect();
        assert_eq!(*functions[0], json!({"name": "mcp__mail__list", "arguments": "{}"}));
        assert_eq!(functions[1]["arguments"], "{\"at\":1}");
        assert_eq!(functions[2]["arguments"], "{\"INVALID_JSON\":\"[broken\"}");
        let roles: Vec<_> =
            messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "tool", "tool", "tool", "user"]);
        let first = messages[2]["content"].as_str().unwrap();
        assert!(first.contains("none") && !first.contains("<tool_call>"), "{first}");
        assert!(messages[5].to_string().contains(image), "{messages:#?}");
    }

    #[test]
    fn a_chat_stays_as_it_is() {
        let chat = [
            json!({"role": "system", "content": "Be brief."}),
            json!({"role": "user", "content": "Hi."}),
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
                "function": {"name": "list", "arguments": "{ \"all\": true }"}}]}),
            json!({"role": "tool", "tool_call_id": "a", "content": "a.rs"}),
        ];
        assert_eq!(structured(&chat), chat);
    }
}
