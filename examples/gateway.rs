//! A gateway: OpenAI's chat completions, with tools, for a model that writes its calls as text.
//!
//! `cargo run --example gateway [-- --base-url http://127.0.0.1:8080]`: before a server of yours it serves
//! until it is stopped; before the scripted one it asks itself a question, streamed and not.
#![allow(missing_docs, reason = "an example, no library")]
#[path = "support/mod.rs"]
pub mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::{error::Error, io::Write, time::SystemTime};

use futures_util::TryStreamExt;
use hyper::{StatusCode, body::Bytes};
use serde_json::{Value, json};
use support::{Endpoint, Refusal, Reply, scripts};
use tokio::{net::TcpListener, sync::mpsc};
use toolstream::adapt::openai::{self, DeltaWriter, ReasoningKey};
use toolstream::native::{Provider, Reader};
use toolstream::{Dialect, Event, Param, Parser, Sink, Tool, sse::Decoder};

/// How the model writes its calls.
const DIALECT: Dialect = Dialect::HERMES;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&Endpoint::from_args(scripts::hermes())?, &mut std::io::stdout()).await
}

pub async fn run(at: &Endpoint, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    writeln!(out, "{url}/v1/chat/completions")?;
    let upstream = at.url.clone();
    let chat = move |request| chat(request, upstream.clone());
    let serving = tokio::spawn(support::serve(listener, chat));
    if at.server.is_none() {
        match serving.await?? {}
    }
    let tool = Tool::new("word_count").param(Param::required("text"));
    for stream in [true, false] {
        let request = json!({"model": at.model, "stream": stream, "tools": [tool.to_request(Provider::OpenAiChat)],
            "messages": [{"role": "user", "content": "How many words has \"Zoë is here\"?"}]});
        let mut body = support::post(&url, "/v1/chat/completions", &request).await?;
        while let Some(bytes) = body.try_next().await? {
            out.write_all(&bytes)?;
        }
    }
    Ok(writeln!(out)?)
}

/// Answers a request for a chat completion.
pub async fn chat(mut request: Value, upstream: String) -> Result<Reply, Refusal> {
    let list = |key: &str| request[key].as_array().cloned().unwrap_or_default();
    let tools = list("tools").iter().map(Tool::from_json).collect::<Result<Vec<_>, _>>()?;
    let limit = (request["parallel_tool_calls"] == false).then_some(1);
    let parser = Parser::builder(DIALECT).tools(tools.iter().cloned()).tool_limit(limit).build()?;
    let mut messages = parser.render_history(&list("messages"))?;
    let mut reader = Reader::builder(Provider::OpenAiChat);
    if !tools.is_empty() {
        if request["stop"].is_null() {
            request["stop"] = parser.stop_sequences().into();
        }
        messages.insert(0, json!({"role": "system", "content": parser.system_prompt()}));
        reader = reader.text_calls(parser);
    }
    let reader = reader.build()?;
    let streams = request["stream"] == true;
    // All else that the client asks for is the model's server's to judge.
    if let Some(fields) = request.as_object_mut() {
        fields.retain(|key, _| !["tools", "tool_choice", "parallel_tool_calls"].contains(&&**key));
    }
    (request["messages"], request["stream"]) = (messages.into(), true.into());
    let body = support::post(&upstream, "/v1/chat/completions", &request).await;
    let body = body.map_err(|error| Refusal(StatusCode::BAD_GATEWAY, error.to_string()))?;
    let upstream = Upstream { body, reader, decoder: Decoder::default() };
    Ok(if streams { streamed(upstream, &request) } else { whole(upstream, &request).await })
}

/// What stands around an answer, and the number that is in its names.
fn envelope(request: &Value) -> (Value, u64) {
    static ANSWERS: AtomicU64 = AtomicU64::new(0);
    let number = ANSWERS.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let id = format!("chatcmpl-{number}");
    (json!({"id": id, "created": now.as_secs(), "model": request["model"]}), number)
}

async fn whole(mut upstream: Upstream, request: &Value) -> Reply {
    let mut message = upstream.reader.message();
    while upstream.next(&mut |event: Event<&str>| message.push(event)).await {}
    message.close();
    let (mut answer, number) = envelope(request);
    let ids = |index| format!("call_{number}_{index}");
    let said = openai::completion(&message, ids, ReasoningKey::default());
    (answer["object"], answer["choices"]) = (said["object"].clone(), said["choices"].clone());
    Reply::json(&answer)
}

fn streamed(mut upstream: Upstream, request: &Value) -> Reply {
    let (mut chunk, number) = envelope(request);
    chunk["object"] = "chat.completion.chunk".into();
    let mut event = move |choice| {
        chunk["choices"] = json!([choice]);
        Bytes::from(format!("data: {chunk}\n\n"))
    };
    let name = move |index| format!("call_{number}_{index}");
    let mut writer = DeltaWriter::for_reader(&upstream.reader).ids(name);
    let (sender, pieces) = mpsc::channel(16);
    tokio::spawn(async move {
        let role = json!({"role": "assistant"});
        sender.send(event(openai::choice(role, None))).await?;
        let mut more = true;
        while more {
            more = upstream.next(&mut writer).await;
            for delta in writer.deltas() {
                // A client that has left ends this, and with it the connection to the model.
                sender.send(event(openai::choice(delta, None))).await?;
            }
        }
        sender.send(event(openai::choice(json!({}), Some(writer.finish_reason())))).await?;
        sender.send(Bytes::from_static(b"data: [DONE]\n\n")).await
    });
    Reply { content_type: "text/event-stream", pieces }
}

/// The model's answer. To drop it closes the connection.
struct Upstream {
    body: support::Body,
    reader: Reader,
    decoder: Decoder,
}

impl Upstream {
    /// Feeds what comes next; whether more may come.
    async fn next(&mut self, sink: &mut impl Sink) -> bool {
        let Upstream { body, reader, decoder } = self;
        match body.try_next().await {
            Ok(Some(chunk)) => {
                decoder.feed(&chunk, |data| reader.feed_into(data, sink));
                return reader.limit_reached().is_ok();
            }
            Ok(None) => {
                decoder.finish(|data| reader.feed_into(data, sink));
                reader.finish_into(sink);
            }
            // The connection broke: nothing that only an end would confirm is whole.
            Err(_) => reader.finish_cut_into(sink),
        }
        false
    }
}
