//! The fields of a request, by protocol: passed on, handled here, or refused with a reason. All of them are in these tables.
//! The README describes the tables, and a test checks them.

use serde_json::{Map, Value, json};
use toolstream::adapt::Protocol;

use crate::refusal::Refusal;

/// The treatment of a field.
#[derive(Clone, Copy, Debug)]
pub enum Does {
    /// The field goes to the model's server under this name.
    Pass(&'static str),
    /// The field goes there as this function writes it.
    Write(fn(&Value, &mut Map<String, Value>)),
    /// The gateway handles the field.
    Here,
    /// The field changes nothing in the answer: it is the client's own, or it is about a provider's own
    /// service.
    Nothing,
    /// The field is refused unless the function finds that it asks for nothing. The text is the remedy.
    Refuse(fn(&Value) -> bool, &'static str),
}
use Does::{Here, Nothing, Pass, Refuse, Write};

type Row = (&'static str, Does);

const STORED: &str = "nothing is stored here: send the whole history in its place";

/// Chat completions. Other fields pass on: the model's server judges them.
pub const CHAT: &[Row] = &[
    ("messages", Here),
    ("model", Here),
    ("stream", Here),
    ("stream_options", Here),
    ("tools", Here),
    ("tool_choice", Here),
    ("parallel_tool_calls", Here),
    ("stop", Here),
    ("max_tokens", Pass("max_tokens")),
    ("max_completion_tokens", Pass("max_tokens")),
    ("temperature", Pass("temperature")),
    ("top_p", Pass("top_p")),
    ("top_k", Pass("top_k")),
    ("min_p", Pass("min_p")),
    ("seed", Pass("seed")),
    ("presence_penalty", Pass("presence_penalty")),
    ("frequency_penalty", Pass("frequency_penalty")),
    ("logit_bias", Pass("logit_bias")),
    ("reasoning_effort", Pass("reasoning_effort")),
    ("chat_template_kwargs", Pass("chat_template_kwargs")),
    ("response_format", Pass("response_format")),
    ("user", Pass("user")),
    ("metadata", Nothing),
    ("store", Nothing),
    ("prediction", Nothing),
    ("prompt_cache_key", Nothing),
    ("safety_identifier", Nothing),
    ("service_tier", Nothing),
    ("verbosity", Nothing),
    ("n", Refuse(is_one, "one answer a request is given: send the request again for another")),
    ("logprobs", Pass("logprobs")),
    ("top_logprobs", Pass("top_logprobs")),
    ("audio", Refuse(off, "the model writes text alone: leave it out")),
    ("modalities", Refuse(text_alone, "the model writes text alone: leave it out")),
    ("functions", Refuse(off, "send `tools` in its place")),
    ("function_call", Refuse(off, "send `tool_choice` in its place")),
    ("web_search_options", Refuse(off, "nobody searches here: leave it out")),
];

/// Responses. Other fields change nothing.
pub const RESPONSES: &[Row] = &[
    ("input", Here),
    ("instructions", Here),
    ("model", Here),
    ("stream", Here),
    ("tools", Here),
    ("tool_choice", Here),
    ("parallel_tool_calls", Here),
    ("max_output_tokens", Pass("max_tokens")),
    ("temperature", Pass("temperature")),
    ("top_p", Pass("top_p")),
    ("reasoning", Write(effort)),
    ("text", Write(format)),
    ("client_metadata", Nothing),
    ("include", Nothing),
    ("metadata", Nothing),
    ("prompt_cache_key", Nothing),
    ("safety_identifier", Nothing),
    ("service_tier", Nothing),
    ("store", Nothing),
    ("stream_options", Nothing),
    ("truncation", Nothing),
    ("user", Nothing),
    ("previous_response_id", Refuse(off, STORED)),
    ("conversation", Refuse(off, STORED)),
    ("prompt", Refuse(off, STORED)),
    ("background", Refuse(off, "nothing is stored here: stream the answer")),
    ("top_logprobs", Refuse(off, "the answer would lack them: leave it out")),
];

/// Messages. Other fields change nothing.
pub const MESSAGES: &[Row] = &[
    ("messages", Here),
    ("system", Here),
    ("model", Here),
    ("stream", Here),
    ("tools", Here),
    ("tool_choice", Here),
    ("stop_sequences", Here),
    ("max_tokens", Pass("max_tokens")),
    ("temperature", Pass("temperature")),
    ("top_p", Pass("top_p")),
    ("top_k", Pass("top_k")),
    ("thinking", Write(thinking)),
    ("metadata", Nothing),
    ("service_tier", Nothing),
    ("context_management", Nothing),
    ("output_config", Write(output)),
    ("output_format", Write(output_format)),
    ("thread", Refuse(off, STORED)),
    ("container", Refuse(off, "nobody runs code here: leave it out")),
    ("mcp_servers", Refuse(off, "the client runs MCP servers: send their tools as `tools`")),
];

/// Treatment of a part of the user's last message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The part goes to the model's server.
    Goes,
    /// The part is refused: no chat server reads it.
    Refused,
}

/// Parts of messages, by their types in all three protocols. Other parts go on.
pub const PARTS: &[(&str, Part)] = &[
    ("text", Part::Goes),
    ("input_text", Part::Goes),
    ("image", Part::Goes),
    ("image_url", Part::Goes),
    ("input_image", Part::Goes),
    ("document", Part::Refused),
    ("file", Part::Refused),
    ("input_file", Part::Refused),
    ("input_audio", Part::Refused),
    ("audio", Part::Refused),
];

pub fn table(protocol: Protocol) -> &'static [Row] {
    match protocol {
        Protocol::Anthropic => MESSAGES,
        Protocol::OpenAiResponses => RESPONSES,
        _ => CHAT,
    }
}

/// Returns the part of the request that goes to the model's server as it is.
///
/// # Errors
/// A sentence that names the field and the remedy.
pub fn passed(
    protocol: Protocol,
    request: &Map<String, Value>,
) -> Result<Map<String, Value>, Refusal> {
    let mut passed = Map::new();
    for (name, value) in request {
        let row = table(protocol).iter().find(|(known, _)| known == name);
        match row.map(|(_, does)| does) {
            _ if value.is_null() => {}
            Some(Pass(theirs)) => {
                passed.insert((*theirs).to_string(), value.clone());
            }
            Some(Write(write)) => write(value, &mut passed),
            Some(Refuse(asks_nothing, instead)) if !asks_nothing(value) => {
                return Err(refused(name, instead));
            }
            None if protocol == Protocol::OpenAiChat => {
                passed.insert(name.clone(), value.clone());
            }
            Some(Refuse(..) | Here | Nothing) | None => {}
        }
    }
    let asks_json = passed.get("response_format").is_some_and(|format| format["type"] != "text");
    if asks_json
        && request.get("tools").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
    {
        let why = "an answer that must be JSON cannot be a tool call, too: leave out the response format or `tools`";
        return Err(Refusal::bad_request(why));
    }
    Ok(passed)
}

fn refused(name: &str, instead: &str) -> Refusal {
    let refusal = Refusal::bad_request(format!("`{name}` is refused: {instead}"));
    match name {
        // With these codes a client sends its whole history by itself.
        "thread" => refusal.code("thread_unsupported_request"),
        "previous_response_id" => refusal.code("previous_response_not_found"),
        _ => refusal.code("unsupported_parameter"),
    }
}

fn off(value: &Value) -> bool {
    *value == false || *value == 0 || *value == "none"
}

fn is_one(value: &Value) -> bool {
    *value == 1
}

fn text_alone(value: &Value) -> bool {
    *value == json!(["text"])
}

fn effort(reasoning: &Value, to: &mut Map<String, Value>) {
    if reasoning["effort"].is_string() {
        to.insert("reasoning_effort".to_string(), reasoning["effort"].clone());
    }
}

/// Chat completions have the schema one level deeper.
fn format(text: &Value, to: &mut Map<String, Value>) {
    let format = &text["format"];
    let written = match format["type"].as_str() {
        Some("json_schema") => {
            let schema = format.as_object().into_iter().flatten();
            let schema = schema.filter(|(key, _)| *key != "type");
            let schema: Map<_, _> =
                schema.map(|(key, value)| (key.clone(), value.clone())).collect();
            json!({"type": "json_schema", "json_schema": schema})
        }
        Some("json_object") => json!({"type": "json_object"}),
        _ => return,
    };
    to.insert("response_format".to_string(), written);
}

/// Messages have the schema beside the effort.
fn output(config: &Value, to: &mut Map<String, Value>) {
    output_format(&config["format"], to);
    // Servers know three steps.
    let effort = match config["effort"].as_str() {
        Some(effort @ ("low" | "medium")) => effort,
        Some(_) => "high",
        None => return,
    };
    to.insert("reasoning_effort".to_string(), effort.into());
}

fn output_format(format: &Value, to: &mut Map<String, Value>) {
    if format["type"] == "json_schema" {
        let schema = json!({"name": "answer", "schema": format["schema"]});
        let written = json!({"type": "json_schema", "json_schema": schema});
        to.insert("response_format".to_string(), written);
    }
}

/// The switch that most chat templates have.
fn thinking(thinking: &Value, to: &mut Map<String, Value>) {
    let on = thinking["type"] != "disabled";
    to.insert("chat_template_kwargs".to_string(), json!({"enable_thinking": on}));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a value that asks for something.
    fn sample(name: &str) -> Value {
        match name {
            "n" => json!(2),
            "reasoning" => json!({"effort": "low"}),
            "text" => {
                json!({"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}}})
            }
            "thinking" => json!({"type": "disabled"}),
            "output_config" => json!({"effort": "max"}),
            "output_format" => json!({"type": "json_schema", "schema": {"type": "object"}}),
            "response_format" => json!({"type": "json_object"}),
            _ => json!("something"),
        }
    }

    #[test]
    fn each_field_does_what_its_row_says() {
        for protocol in [Protocol::OpenAiChat, Protocol::OpenAiResponses, Protocol::Anthropic] {
            for (name, does) in table(protocol) {
                let request = Map::from_iter([((*name).to_string(), sample(name))]);
                let passed = passed(protocol, &request);
                match does {
                    Pass(theirs) => assert_eq!(passed.unwrap()[*theirs], sample(name), "{name}"),
                    Write(_) => assert_eq!(passed.unwrap().len(), 1, "{name}"),
                    Here | Nothing => assert!(passed.unwrap().is_empty(), "{name}"),
                    Refuse(_, instead) => {
                        let why = passed.unwrap_err().why;
                        assert!(why.contains(name) && why.contains(instead), "{why}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_asks_for_nothing_is_taken() {
        let request = json!({"n": 1, "modalities": ["text"], "audio": null, "mirostat": 2});
        let passed = passed(Protocol::OpenAiChat, request.as_object().unwrap()).unwrap();
        assert_eq!(Value::Object(passed), json!({"mirostat": 2}));
    }

    #[test]
    fn what_is_written_anew() {
        let written = |protocol, request: Value| {
            Value::Object(passed(protocol, request.as_object().unwrap()).unwrap())
        };
        assert_eq!(
            written(
                Protocol::OpenAiResponses,
                json!({"text": sample("text"), "reasoning": sample("reasoning")})
            ),
            json!({"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
                "reasoning_effort": "low"})
        );
        assert_eq!(
            written(Protocol::Anthropic, json!({"thinking": {"type": "disabled"}})),
            json!({"chat_template_kwargs": {"enable_thinking": false}})
        );
        assert_eq!(
            written(
                Protocol::Anthropic,
                json!({"output_config": {"effort": "low", "format": sample("output_format")}})
            ),
            json!({"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}},
                "reasoning_effort": "low"})
        );
        let both = json!({"response_format": {"type": "json_object"}, "tools": [{}]});
        let why = passed(Protocol::OpenAiChat, both.as_object().unwrap()).unwrap_err().why;
        assert!(why.contains("leave out"), "{why}");
    }
}
