//! A gateway: OpenAI's chat completions and Responses and Anthropic's Messages, with tools, for a model that
//! writes its calls as text. Claude Code and Codex can talk to it.
//!
//! `cargo run --example gateway [-- --base-url http://127.0.0.1:8080]`: before a server of yours it serves
//! until it is stopped; before the scripted one it asks itself a question, streamed and not.
#![allow(missing_docs, reason = "an example, no library")]
#[path = "support/mod.rs"]
pub mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::{error::Error, io::Write, time::SystemTime};

use futures_util::TryStreamExt;
use hyper::StatusCode;
use serde_json::{Value, json};
use support::{Endpoint, Refusal, Reply, scripts};
use tokio::{net::TcpListener, sync::mpsc};
use toolstream::adapt::{Calls, EventWriter, Protocol};
use toolstream::native::{Provider, Reader};
use toolstream::{Dialect, Param, Parser, Tool, sse::Decoder};

/// How the model writes its calls.
const DIALECT: Dialect = Dialect::HERMES;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&Endpoint::from_args(scripts::hermes())?, &mut std::io::stdout()).await
}

pub async fn run(at: &Endpoint, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    for path in ["/v1/chat/completions", "/v1/responses", "/v1/messages"] {
        writeln!(out, "{url}{path}")?;
    }
    let upstream = at.url.clone();
    let answer = move |path, request| answer(path, request, upstream.clone());
    let serving = tokio::spawn(support::serve(listener, answer));
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

/// Answers a request, in the protocol of the path.
pub async fn answer(path: String, request: Value, upstream: String) -> Result<Reply, Refusal> {
    let (protocol, prefix) = match &*path {
        "/v1/chat/completions" => (Protocol::OpenAiChat, "chatcmpl-"),
        "/v1/responses" => (Protocol::OpenAiResponses, "resp_"),
        "/v1/messages" => (Protocol::Anthropic, "msg_"),
        _ => return Err(Refusal::new(StatusCode::NOT_FOUND, format!("there is no {path} here"))),
    };
    // A client that leaves its history to the provider sends it by itself, once it hears of this.
    for (field, code) in [
        ("thread", "thread_unsupported_request"),
        ("previous_response_id", "previous_response_not_found"),
    ] {
        if !request[field].is_null() {
            let why =
                format!("nothing is stored here: send the whole history in place of `{field}`");
            return Err(Refusal::new(StatusCode::BAD_REQUEST, why).code(code));
        }
    }
    // Nobody here runs the tools that the client expects of its provider (a search in the web).
    let (tools, left_out) = Tool::from_request(&request["tools"])?;
    left_out.iter().for_each(|tool| eprintln!("note: the tool {tool} is left out"));
    let one = request["parallel_tool_calls"] == false
        || request["tool_choice"]["disable_parallel_tool_use"] == true;
    let builder = Parser::builder(DIALECT).tools(tools.iter().cloned());
    let parser = builder.tool_limit(one.then_some(1)).build()?;

    let mut asked = for_the_model(protocol, &request, &parser)?;
    let mut reader = Reader::builder(Provider::OpenAiChat);
    if !tools.is_empty() {
        if asked["stop"].is_null() {
            asked["stop"] = parser.stop_sequences().into();
        }
        reader = reader.text_calls(parser);
    }
    let reader = reader.build()?;
    let body = support::post(&upstream, "/v1/chat/completions", &asked).await;
    let body = body.map_err(|error| Refusal::new(StatusCode::BAD_GATEWAY, error))?;

    static ANSWERS: AtomicU64 = AtomicU64::new(0);
    let id = format!("{prefix}{}", ANSWERS.fetch_add(1, Ordering::Relaxed));
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let model = request["model"].as_str().unwrap_or_default();
    let writer = EventWriter::for_reader(protocol, &reader, &id, model);
    // Anthropic's clients read half an object as far as it goes: they get whole ones.
    let calls = match protocol {
        Protocol::Anthropic => Calls::WhenWhole,
        _ => Calls::AsTheyCome,
    };
    let writer = writer.calls(calls).created(now.as_secs()).whole(request["stream"] != true);
    Ok(pass(body, reader, writer))
}

/// Returns the request for the model's server: a chat, streamed, whose tools, calls and results are text.
fn for_the_model(protocol: Protocol, request: &Value, parser: &Parser) -> Result<Value, Refusal> {
    let history = |instructions: &Value, said: &Value| match said {
        Value::Array(list) => parser.render_chat(instructions, list),
        Value::Null => parser.render_chat(instructions, &[]),
        text => parser.render_chat(instructions, &[json!({"role": "user", "content": text})]),
    };
    let (messages, most) = match protocol {
        Protocol::Anthropic => (history(&request["system"], &request["messages"])?, "max_tokens"),
        Protocol::OpenAiResponses => {
            (history(&request["instructions"], &request["input"])?, "max_output_tokens")
        }
        _ => (history(&Value::Null, &request["messages"])?, "max_tokens"),
    };
    let mut asked = json!({"model": request["model"], "messages": messages, "stream": true,
        "stream_options": {"include_usage": true}});
    for (theirs, ours) in [
        (most, "max_tokens"),
        ("stop", "stop"),
        ("stop_sequences", "stop"),
        ("temperature", "temperature"),
        ("top_p", "top_p"),
    ] {
        if !request[theirs].is_null() {
            asked[ours] = request[theirs].clone();
        }
    }
    Ok(asked)
}

/// The model's answer, as it comes, in the words of the client.
fn pass(mut body: support::Body, mut reader: Reader, mut writer: EventWriter) -> Reply {
    let content_type = writer.content_type();
    let (sender, pieces) = mpsc::channel(16);
    tokio::spawn(async move {
        let mut decoder = Decoder::default();
        while reader.limit_reached().is_ok() {
            match body.try_next().await {
                Ok(Some(bytes)) => decoder.feed(&bytes, |data| reader.feed_into(data, &mut writer)),
                Ok(None) => {
                    decoder.finish(|data| reader.feed_into(data, &mut writer));
                    reader.finish_into(&mut writer);
                    break;
                }
                // The connection broke: nothing that only an end would confirm is whole.
                Err(_) => {
                    reader.finish_cut_into(&mut writer);
                    break;
                }
            }
            let piece = writer.take();
            // A client that has left ends this, and with it the connection to the model.
            if !piece.is_empty() && sender.send(piece.into()).await.is_err() {
                return;
            }
        }
        if let Some(usage) = &reader.envelope().usage {
            writer.usage(usage.input.unwrap_or(0), usage.output.unwrap_or(0));
        }
        writer.finish();
        let _ = sender.send(writer.take().into()).await;
    });
    Reply { content_type, pieces }
}
