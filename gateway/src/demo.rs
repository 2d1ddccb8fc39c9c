//! `--demo`: the gateway before a scripted model, asked in all three protocols. The model calls a tool; the second turn of
//! chat completions has the result, and the model answers.

use std::io::Write;
use std::sync::Arc;

use axum::Json;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use clap::Parser;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::config::{Config, Options};
use crate::routes::Gateway;
use crate::serve::serve;

/// A call in the dialect of Hermes, in chunks.
const CALL: [&str; 4] = [
    "I count.\n<tool_c",
    "all>\n{\"name\": \"word_count\", \"argu",
    "ments\": {\"text\": \"Zoë is",
    " here\"}}\n</tool_call>",
];

/// Asks and writes the answers.
///
/// # Errors
/// The mistake, in a sentence.
pub async fn run(out: &mut impl Write) -> Result<(), String> {
    shown(out).await.map_err(|error| format!("the demo failed: {error}"))
}

async fn shown(out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let model = TcpListener::bind("127.0.0.1:0").await?;
    let upstream = format!("http://{}/v1", model.local_addr()?);
    tokio::spawn(async move { axum::serve(model, scripted()).await });
    let gateway = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/v1", gateway.local_addr()?);
    let config = Config::from_options(Options::parse_from(["demo", "--upstream", &upstream]))?;
    let gateway_ = Arc::new(Gateway::new(config)?);
    tokio::spawn(serve(gateway, gateway_, std::future::pending()));

    let schema =
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let user = json!([{"role": "user", "content": "How many words has \"Zoë is here\"?"}]);
    let function = json!({"name": "word_count", "parameters": schema});
    let flat = json!({"type": "function", "name": "word_count", "parameters": schema});
    let asks = [
        (
            "/chat/completions",
            json!({"messages": user, "tools": [{"type": "function", "function": &function}]}),
        ),
        ("/responses", json!({"input": user, "tools": [flat]})),
        (
            "/messages",
            json!({"messages": user, "max_tokens": 100,
            "tools": [{"name": "word_count", "input_schema": schema}]}),
        ),
    ];
    writeln!(out, "The model writes:\n{}\n", CALL.concat())?;
    let client = reqwest::Client::new();
    for (path, mut request) in asks {
        request["model"] = "qwen3-8b".into();
        for stream in [false, true] {
            request["stream"] = stream.into();
            let asked = client.post(format!("{url}{path}")).json(&request).send().await?;
            let answer = asked.error_for_status()?.text().await?;
            let how = if stream { "streamed" } else { "whole" };
            writeln!(out, "POST /v1{path}, {how}:\n{}\n", answer.trim_end())?;
        }
    }
    let call = json!({"id": "call_0", "type": "function",
        "function": {"name": "word_count", "arguments": "{\"text\": \"Zoë is here\"}"}});
    let turns = json!([user[0], {"role": "assistant", "content": "I count.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0", "content": "3"}]);
    let request = json!({"model": "qwen3-8b", "messages": turns,
        "tools": [{"type": "function", "function": function}]});
    let asked = client.post(format!("{url}/chat/completions")).json(&request).send().await?;
    let answer = asked.error_for_status()?.text().await?;
    writeln!(out, "With the tool's result:\n{}", answer.trim_end())?;
    Ok(())
}

/// A server of one model, which calls `word_count`.
fn scripted() -> axum::Router {
    axum::Router::new()
        .route("/v1/models", get(async || Json(json!({"data": [{"id": "qwen3-8b"}]}))))
        .route("/v1/chat/completions", post(async |Json(request): Json<Value>| {
            let turns = request["messages"].as_array().map_or(0, Vec::len);
            // The prompt, the question, the call, the result.
            let texts: &[&str] = if turns < 4 { &CALL } else { &["It has ", "three words."] };
            let chunk = |delta: Value, reason: Value| {
                json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
            };
            let mut events: Vec<Value> =
                texts.iter().map(|text| chunk(json!({"content": text}), Value::Null)).collect();
            events.push(chunk(json!({}), "stop".into()));
            events.push(json!({"choices": [], "usage": {"prompt_tokens": 120, "completion_tokens": 30}}));
            let mut body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
            body.push_str("data: [DONE]\n\n");
            ([("content-type", "text/event-stream")], body).into_response()
        }))
}
