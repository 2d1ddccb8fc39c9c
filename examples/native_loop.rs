//! An agent's loop over a provider's native tools, here Anthropic's Messages: ask, read, run, hand back.
//!
//! `cargo run --example native_loop --features stream [-- --base-url http://127.0.0.1:8080 --model NAME]`
#![allow(missing_docs, reason = "an example, no library")]
#[path = "support/mod.rs"]
pub mod support;

use std::{error::Error, io::Write};

use futures_util::TryStreamExt;
use serde_json::{Value, json};
use support::{Endpoint, scripts};
use toolstream::native::{Provider, Reader};
use toolstream::sse::Decoder;
use toolstream::{Block, Event, Message, Param, Tool, Type};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&Endpoint::from_args(scripts::anthropic())?, &mut std::io::stdout()).await
}

pub async fn run(at: &Endpoint, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let tool = Tool::new("word_count").param(Param::required("text").with(Type::String));
    let tools = json!([tool.to_request(Provider::Anthropic)]);
    let reader = Reader::builder(Provider::Anthropic).tool(tool).build()?;
    let question = "How many words have \"Zoë is here\" and \"two words\"?";
    let mut history = vec![json!({"role": "user", "content": question})];
    for _turn in 0..8 {
        let request = json!({"model": at.model, "max_tokens": 4096, "stream": true,
            "tools": tools, "messages": history});
        let message = answer(at, &request, reader.clone(), out).await?;
        // The API demands a result for every call, in one message.
        let mut results = Vec::new();
        for block in message.blocks() {
            let (id, result) = match block {
                Block::Call(call) => (call.id(), support::word_count(call.input())),
                Block::Incomplete(call) => (call.id(), Err("it was cut off")),
                _ => continue,
            };
            results.push(json!({"type": "tool_result", "tool_use_id": id,
                "is_error": result.is_err(), "content": result.unwrap_or_else(String::from)}));
        }
        // With its thoughts and their signatures, which the API wants back.
        history.push(message.to_request(Provider::Anthropic));
        if results.is_empty() {
            break;
        }
        writeln!(out, "\n{}", json!(results))?;
        history.push(json!({"role": "user", "content": results}));
    }
    Ok(())
}

async fn answer(
    at: &Endpoint,
    request: &Value,
    reader: Reader,
    out: &mut impl Write,
) -> Result<Message, Box<dyn Error>> {
    let body = support::post(&at.url, "/v1/messages", request).await?;
    let mut message = reader.message();
    let mut events = reader.stream(Decoder::default().stream(body));
    while let Some(event) = events.try_next().await? {
        if let Event::TextContent(text) = &event {
            write!(out, "{text}")?;
            out.flush()?;
        }
        message.push(event);
    }
    message.close();
    Ok(message)
}
