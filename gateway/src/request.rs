//! A client's request in the form for the model's server: a chat, streamed, whose tools, calls and results are
//! text.

use serde_json::{Map, Value, json};
use toolstream::adapt::Protocol;
use toolstream::native::{Provider, Reader};
use toolstream::{
    Parser, Tool,
    grammar::{Format, ToolChoice},
    model::ModelMatch,
    options::Start,
};

use crate::config::{Config, Grammar, Tools};
use crate::fields::{self, Part};
use crate::refusal::Refusal;

/// A request, and the way in which its answer is read.
pub struct Asked {
    pub body: Value,
    pub reader: Reader,
    pub choice: ToolChoice,
    /// The tools that the client expects of its provider (a search in the web), and that nobody runs here.
    pub left_out: Vec<String>,
    pub stream: bool,
    /// The client wants the tokens in the stream, or its protocol has them anyway.
    pub usage: bool,
    /// The server's own chunks are what the client expects.
    pub passes: bool,
}

/// Reads a request for the model `model`. `told`: the dialect of its calls.
///
/// # Errors
/// The change that the client should make.
pub fn read(
    protocol: Protocol,
    request: &Value,
    model: &str,
    told: &ModelMatch,
    config: &Config,
) -> Result<Asked, Refusal> {
    let fields = request.as_object();
    let fields = fields.ok_or_else(|| Refusal::bad_request("the request must be a JSON object"))?;
    let mut body = fields::passed(protocol, fields)?;
    let (tools, left_out) = tools_of(request)?;
    let choice = ToolChoice::from_json(&request["tool_choice"]).map_err(Refusal::bad_request)?;
    check(&choice, &tools)?;
    let one = request["parallel_tool_calls"] == false
        || request["tool_choice"]["disable_parallel_tool_use"] == true;
    let parser = Parser::builder(told.dialect.clone()).options(told.options());
    let parser = parser.tools(tools.iter().cloned()).tool_limit(one.then_some(1)).build();
    let parser = parser.map_err(Refusal::bad_request)?;

    let mut messages = messages(protocol, request, &parser, config.tools)?;
    if config.tools == Tools::Template {
        choose(&mut body, &choice, one);
    } else if choice != ToolChoice::Auto {
        say(&choice, &mut messages);
        constrain(&mut body, &parser, &choice, config.grammar);
    }
    if config.tools != Tools::Prompt && !tools.is_empty() {
        body.insert("tools".to_string(), declared(protocol, request, &tools));
        if config.tools == Tools::TemplateUnread {
            body.insert("tool_choice".to_string(), "none".into());
        }
    }
    if let Some(most) = config.max_tokens {
        let asked = body.get("max_tokens").and_then(Value::as_u64);
        if asked.is_some_and(|asked| asked > most) {
            body.insert("max_tokens".to_string(), most.into());
        }
    }
    body.insert("model".to_string(), model.into());
    body.insert("messages".to_string(), messages.into());
    let stream = request["stream"] == true;
    // A whole answer of a chat passes as it comes. In the other protocols each piece shows that the server is
    // alive.
    if stream || protocol != Protocol::OpenAiChat {
        body.insert("stream".to_string(), true.into());
        body.insert("stream_options".to_string(), json!({"include_usage": true}));
    }
    stop(&mut body, request, protocol, &parser, !tools.is_empty());
    body.extend(config.body.clone());
    body.retain(|_, value| !value.is_null());
    let renamed = tools.iter().any(|tool| tool.namespace.is_some() || tool.free_text);
    // A second call of a stream has no place where one is wanted, and shows too late.
    let surplus = one && stream;
    let passes =
        protocol == Protocol::OpenAiChat && told.start == Start::Text && !renamed && !surplus;
    let mut reader = Reader::builder(Provider::OpenAiChat);
    if !tools.is_empty() {
        reader = reader.text_calls(parser);
    }
    let usage = protocol != Protocol::OpenAiChat
        || !stream
        || request["stream_options"]["include_usage"] == true;
    let reader = reader.build().map_err(Refusal::bad_request)?;
    Ok(Asked { body: body.into(), reader, choice, left_out, stream, usage, passes })
}

/// Returns the tools of a request, and the names of those that nobody runs here. Codex may declare tools in an item of the
/// input, in place of `tools`.
///
/// # Errors
/// The change that the client should make.
pub fn tools_of(request: &Value) -> Result<(Vec<Tool>, Vec<String>), Refusal> {
    let items = request["input"].as_array().into_iter().flatten();
    let of_items =
        items.filter(|item| item["type"] == "additional_tools").map(|item| &item["tools"]);
    let (mut tools, mut left_out) = (Vec::new(), Vec::new());
    for list in std::iter::once(&request["tools"]).chain(of_items) {
        let (more, more_left_out) = Tool::from_request(list).map_err(Refusal::bad_request)?;
        tools.extend(more);
        left_out.extend(more_left_out);
    }
    Ok((tools, left_out))
}

/// Returns the tools for the server's chat template.
fn declared(protocol: Protocol, request: &Value, tools: &[Tool]) -> Value {
    let sent = request["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    match protocol == Protocol::OpenAiChat
        && sent.len() == tools.len()
        && sent.iter().all(|tool| tool["type"] == "function")
    {
        // With all that the library does not keep (`strict`).
        true => request["tools"].clone(),
        false => tools.iter().map(|tool| tool.to_request(Provider::OpenAiChat)).collect(),
    }
}

/// Sends `tool_choice` on, in the words of a chat.
fn choose(body: &mut Map<String, Value>, choice: &ToolChoice, one: bool) {
    let word = match choice {
        ToolChoice::Required => "required".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Tool(name) => json!({"type": "function", "function": {"name": name}}),
        _ => Value::Null,
    };
    if !word.is_null() {
        body.insert("tool_choice".to_string(), word);
    }
    if one {
        body.insert("parallel_tool_calls".to_string(), false.into());
    }
}

/// Returns the messages of a request, with the tools in their prompt, or for a server whose template writes
/// them.
///
/// # Errors
/// The change that the client should make.
pub fn messages(
    protocol: Protocol,
    request: &Value,
    parser: &Parser,
    tools: Tools,
) -> Result<Vec<Value>, Refusal> {
    let (system, said) = match protocol {
        Protocol::Anthropic => (&request["system"], &request["messages"]),
        Protocol::OpenAiResponses => (&request["instructions"], &request["input"]),
        _ => (&Value::Null, &request["messages"]),
    };
    let alone;
    let list = match said {
        Value::Array(list) if !list.is_empty() => list,
        Value::String(_) if protocol == Protocol::OpenAiResponses => {
            alone = vec![json!({"role": "user", "content": said})];
            &alone
        }
        _ => {
            let field = if protocol == Protocol::OpenAiResponses { "input" } else { "messages" };
            return Err(Refusal::bad_request(format!(
                "`{field}` must be a list with at least one message"
            )));
        }
    };
    let last = list.iter().rposition(|message| message["role"] == "user");
    last.map_or(Ok(()), |at| readable(at, &list[at]))?;
    let written = match tools {
        Tools::Prompt => parser.render_chat(system, list),
        Tools::Template | Tools::TemplateUnread => parser.structured_chat(system, list),
    };
    written.map_err(Refusal::bad_request)
}

/// Checks that the server can read the last message of the user. No chat server reads a document or a sound: the attachment
/// is refused, before the model answers as if it had seen it. In an older message, or in a tool's result, the library names it
/// in words, and the session goes on.
fn readable(at: usize, message: &Value) -> Result<(), Refusal> {
    let parts = message["content"].as_array().into_iter().flatten();
    for kind in parts.filter_map(|part| part["type"].as_str()) {
        if fields::PARTS.contains(&(kind, Part::Refused)) {
            let why = format!(
                "messages[{at}] has a part of the type `{kind}`, which the model cannot read: send its text"
            );
            return Err(Refusal::bad_request(why));
        }
    }
    Ok(())
}

fn check(choice: &ToolChoice, tools: &[Tool]) -> Result<(), Refusal> {
    match choice {
        ToolChoice::Tool(name) if !tools.iter().any(|tool| tool.name == *name) => {
            Err(Refusal::bad_request(format!(
                "`tool_choice` names `{name}`, which is not among `tools`"
            )))
        }
        ToolChoice::Required if tools.is_empty() => {
            Err(Refusal::bad_request("`tool_choice` asks for a call, but there are no `tools`"))
        }
        _ => Ok(()),
    }
}

/// Says `tool_choice` in the prompt.
fn say(choice: &ToolChoice, messages: &mut Vec<Value>) {
    let words = match choice {
        ToolChoice::Required => "Answer with a call of a tool.".to_string(),
        ToolChoice::Tool(name) => {
            format!("Answer with a call of the tool `{name}`, and of no other.")
        }
        ToolChoice::None => "Call no tool in this answer: answer in words.".to_string(),
        _ => return,
    };
    let system = messages.first_mut().filter(|message| message["role"] == "system");
    match system.map(|system| &mut system["content"]) {
        Some(Value::String(content)) => {
            content.push_str("\n\n");
            content.push_str(&words);
        }
        Some(Value::Array(parts)) => parts.push(json!({"type": "text", "text": words})),
        _ => messages.insert(0, json!({"role": "system", "content": words})),
    }
}

/// Adds a grammar where the server takes one and the dialect has one.
fn constrain(
    body: &mut Map<String, Value>,
    parser: &Parser,
    choice: &ToolChoice,
    grammar: Grammar,
) {
    let (format, key) = match grammar {
        Grammar::None => return,
        Grammar::Vllm => (Format::StructuralTag, "structured_outputs"),
        Grammar::LlamaCpp => (Format::Lark, "grammar"),
    };
    match parser.grammar_for(format, choice) {
        Ok(text) if grammar == Grammar::Vllm => {
            body.insert(key.to_string(), json!({"structural_tag": text}));
        }
        Ok(text) => {
            body.insert(key.to_string(), format!("%llguidance {{}}\n{text}").into());
        }
        Err(error) => tracing::warn!(%error, "tool_choice is said in the prompt alone"),
    }
}

/// Returns the client's stop sequences, and those of the dialect.
fn stop(
    body: &mut Map<String, Value>,
    request: &Value,
    protocol: Protocol,
    parser: &Parser,
    tools: bool,
) {
    let key = match protocol {
        Protocol::Anthropic => "stop_sequences",
        Protocol::OpenAiResponses => "", // They have none.
        _ => "stop",
    };
    let mut stop = match &request[key] {
        Value::Array(list) => list.clone(),
        Value::Null => Vec::new(),
        text => vec![text.clone()],
    };
    if tools {
        stop.extend(parser.stop_sequences().into_iter().map(Value::from));
    }
    stop.dedup();
    if !stop.is_empty() {
        body.insert("stop".to_string(), stop.into());
    }
}
