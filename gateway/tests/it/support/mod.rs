//! A gateway, and the model's server behind it, with a script.

mod upstream;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use toolstream::sse::Decoder;
use toolstream_gateway::config::{Config, Options};
use toolstream_gateway::{routes, serve};

pub use upstream::{Reply, STAMP, Tokenizer, Upstream, ages, chat, chunk};

/// Nothing here takes so long.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub const CHAT: &str = "/v1/chat/completions";
pub const RESPONSES: &str = "/v1/responses";
pub const MESSAGES: &str = "/v1/messages";
pub const ALL: [&str; 3] = [CHAT, RESPONSES, MESSAGES];

pub struct Gateway {
    pub url: String,
    pub upstream: Upstream,
    client: reqwest::Client,
    _stop: oneshot::Sender<()>,
}

impl Gateway {
    /// Before a server that answers so, in this order.
    pub async fn before(script: impl IntoIterator<Item = Reply>) -> Gateway {
        Gateway::with(&["--model", "qwen3-8b"], script).await
    }

    pub async fn with(options: &[&str], script: impl IntoIterator<Item = Reply>) -> Gateway {
        Gateway::to(options, Upstream::new(script).await).await
    }

    /// Before this server.
    pub async fn to(options: &[&str], upstream: Upstream) -> Gateway {
        let at = ["--upstream", &upstream.url];
        let line: Vec<&str> = at.into_iter().chain(options.iter().copied()).collect();
        Gateway::of(&line, upstream.clone()).await
    }

    /// Makes a gateway with these options before a server.
    pub async fn only(options: &[&str]) -> Gateway {
        Gateway::of(options, Upstream::new([]).await).await
    }

    async fn of(options: &[&str], upstream: Upstream) -> Gateway {
        let line = std::iter::once("gateway").chain(options.iter().copied());
        let config = Config::from_options(Options::parse_from(line)).expect("options");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let gateway = Arc::new(routes::Gateway::new(config).expect("a gateway"));
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(serve::serve(listener, gateway, async {
            let _ = stopped.await;
        }));
        Gateway { url, upstream, client: reqwest::Client::new(), _stop: stop }
    }

    pub async fn post(&self, path: &str, request: &Value) -> Response {
        in_time(self.client.post(self.at(path)).json(request).send()).await.expect("an answer")
    }

    pub async fn get(&self, path: &str) -> Response {
        in_time(self.client.get(self.at(path)).send()).await.expect("an answer")
    }

    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    pub fn client(&self) -> &reqwest::Client {
        &self.client
    }

    /// Returns the answer to a request without a stream.
    pub async fn json(&self, path: &str, request: &Value) -> (StatusCode, Value) {
        let response = self.post(path, request).await;
        let status = response.status();
        (status, in_time(response.json()).await.expect("JSON"))
    }

    /// The events of a stream, and all that was sent.
    pub async fn stream(&self, path: &str, request: &Value) -> (Vec<Value>, String) {
        let response = self.post(path, request).await;
        let kind = response.headers()["content-type"].to_str().expect("a text").to_string();
        let text = in_time(response.text()).await.expect("a whole answer");
        assert_eq!(kind, "text/event-stream", "{text}");
        (events(text.as_bytes()), text)
    }

    /// Returns the value of this name in `/metrics`.
    pub async fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").await.text().await.expect("a text");
        let line =
            text.lines().find_map(|line| line.strip_prefix(&format!("toolstream_gateway_{name} ")));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().expect("a number")
    }
}

pub async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("it ends in time")
}

pub fn events(bytes: &[u8]) -> Vec<Value> {
    let (mut decoder, mut events) = (Decoder::default(), Vec::new());
    let mut read = |data: &[u8]| {
        if data != b"[DONE]" {
            events.push(serde_json::from_slice(data).expect("an event"));
        }
    };
    decoder.feed(bytes, &mut read);
    decoder.finish(&mut read);
    events
}

/// A request with the tool `weather`, in the protocol of the path.
pub fn request(path: &str, stream: bool) -> Value {
    let schema =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let user = json!([{"role": "user", "content": "How is the weather in Oslo?"}]);
    let mut request = match path {
        CHAT => json!({"messages": user, "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function": {"name": "weather", "parameters": schema}}]}),
        RESPONSES => json!({"input": user,
            "tools": [{"type": "function", "name": "weather", "parameters": schema}]}),
        _ => json!({"messages": user, "max_tokens": 100,
            "tools": [{"name": "weather", "input_schema": schema}]}),
    };
    request["model"] = "some-model".into();
    request["stream"] = stream.into();
    request
}

/// A call of it, as Hermes' dialect has it.
pub fn call(city: &str) -> String {
    format!(
        "<tool_call>\n{{\"name\": \"weather\", \"arguments\": {{\"city\": \"{city}\"}}}}\n</tool_call>"
    )
}

/// The text, the calls (name, arguments, id) and the reason of an answer, whole or streamed.
#[derive(Debug, Default, PartialEq)]
pub struct Said {
    pub text: String,
    pub calls: Vec<(String, Value, String)>,
    pub end: String,
}

/// Reads a whole answer.
pub fn said(path: &str, answer: &Value) -> Said {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let read = |arguments: &Value| serde_json::from_str(&text(arguments)).unwrap_or_default();
    let mut said = Said::default();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    match path {
        CHAT => {
            let choice = &answer["choices"][0];
            said.text = text(&choice["message"]["content"]);
            said.end = text(&choice["finish_reason"]);
            for call in list(&choice["message"]["tool_calls"]) {
                let function = &call["function"];
                said.calls.push((
                    text(&function["name"]),
                    read(&function["arguments"]),
                    text(&call["id"]),
                ));
            }
        }
        RESPONSES => {
            said.end = text(&answer["status"]);
            for item in list(&answer["output"]) {
                match item["type"].as_str() {
                    Some("message") => said.text += &text(&item["content"][0]["text"]),
                    Some("function_call") => {
                        said.calls.push((
                            text(&item["name"]),
                            read(&item["arguments"]),
                            text(&item["call_id"]),
                        ));
                    }
                    _ => {}
                }
            }
        }
        _ => {
            said.end = text(&answer["stop_reason"]);
            for block in list(&answer["content"]) {
                match block["type"].as_str() {
                    Some("text") => said.text += &text(&block["text"]),
                    Some("tool_use") => {
                        said.calls.push((
                            text(&block["name"]),
                            block["input"].clone(),
                            text(&block["id"]),
                        ));
                    }
                    _ => {}
                }
            }
        }
    }
    said
}

/// Reads a stream.
pub fn streamed(path: &str, events: &[Value]) -> Said {
    match path {
        CHAT => streamed_chat(events),
        RESPONSES => {
            let last = events.last().expect("an event");
            said(path, &last["response"])
        }
        _ => streamed_messages(events),
    }
}

fn streamed_chat(events: &[Value]) -> Said {
    let (mut said, mut arguments) = (Said::default(), Vec::<String>::new());
    for choice in events.iter().flat_map(|event| event["choices"].as_array().into_iter().flatten())
    {
        let delta = &choice["delta"];
        said.text += delta["content"].as_str().unwrap_or_default();
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            if let Some(id) = call["id"].as_str() {
                let name = call["function"]["name"].as_str().expect("a name");
                said.calls.push((name.to_string(), Value::Null, id.to_string()));
                arguments.push(String::new());
            }
            let at = call["index"].as_u64().expect("an index") as usize;
            arguments[at] += call["function"]["arguments"].as_str().unwrap_or_default();
        }
        said.end += choice["finish_reason"].as_str().unwrap_or_default();
    }
    for (call, arguments) in said.calls.iter_mut().zip(arguments) {
        call.1 = serde_json::from_str(&arguments).unwrap_or_default();
    }
    said
}

fn streamed_messages(events: &[Value]) -> Said {
    let (mut said, mut arguments) = (Said::default(), String::new());
    for event in events {
        let (block, delta) = (&event["content_block"], &event["delta"]);
        said.text += delta["text"].as_str().unwrap_or_default();
        if block["type"] == "tool_use" {
            let text = |key: &str| block[key].as_str().expect("a text").to_string();
            said.calls.push((text("name"), Value::Null, text("id")));
            arguments.clear();
        }
        arguments += delta["partial_json"].as_str().unwrap_or_default();
        if event["type"] == "content_block_stop" {
            if let Some(call) = said.calls.last_mut() {
                call.1 = serde_json::from_str(&arguments).unwrap_or_default();
            }
        }
        said.end += delta["stop_reason"].as_str().unwrap_or_default();
    }
    said
}
