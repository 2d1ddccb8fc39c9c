//! An agent's loop over a text dialect and an OpenAI-compatible server: ask, read the answer while
//! it comes, run its call, hand the result back, until an answer holds no call.
//!
//! `cargo run --example agent_loop [-- --base-url http://127.0.0.1:8080 --model NAME]`
#![allow(missing_docs, reason = "an example, no library")]
#[path = "support/mod.rs"]
pub mod support;

use std::{error::Error, io::Write};

use futures_util::TryStreamExt;
use serde_json::{Value, json};
use support::{Endpoint, scripts};
use toolstream::sse::Decoder;
use toolstream::{Block, Dialect, Event, Message, Param, Parser, Tool, render::ToolResult};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&Endpoint::from_args(scripts::text())?, &mut std::io::stdout()).await
}

pub async fn run(at: &Endpoint, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let tool = Tool::new("word_count").describe("Counts words.").param(Param::required("text"));
    let parser = Parser::builder(Dialect::CLINE).tool(tool).build()?;
    let mut history = vec![
        json!({"role": "system", "content": parser.system_prompt()}),
        json!({"role": "user", "content": "How many words has \"Zoë is here\"?"}),
    ];
    for _turn in 0..8 {
        let request = json!({"model": at.model, "stream": true, "messages": history});
        // One parser a message: cloning a fresh one shares its tables.
        let (message, said) = answer(at, &request, parser.clone(), out).await?;
        history.push(json!({"role": "assistant", "content": said}));
        let call = message.blocks().iter().find_map(|block| match block {
            Block::Call(call) => Some(match support::word_count(call.input()) {
                Ok(count) => ToolResult::ok(call.name(), count),
                Err(error) => ToolResult::error(call.name(), error),
            }),
            Block::Incomplete(call) => {
                Some(ToolResult::error(call.name(), "cut off: again, please"))
            }
            _ => None,
        });
        let Some(result) = call else { break };
        writeln!(out, "\n[{}: {}]", result.name, result.text())?;
        history.push(json!({"role": "user", "content": parser.render_results(&[result])?}));
    }
    Ok(())
}

/// Reads a message, and returns its text as the model should see it again.
async fn answer(
    at: &Endpoint,
    request: &Value,
    mut parser: Parser,
    out: &mut impl Write,
) -> Result<(Message, String), Box<dyn Error>> {
    let mut body = support::post(&at.url, "/v1/chat/completions", request).await?;
    let (mut decoder, mut message) = (Decoder::default(), parser.message());
    let (mut said, mut reason) = (String::new(), None);
    // A second call ends the reading: leaving drops the body, which closes the connection.
    while parser.limit_reached().is_ok() {
        let Some(chunk) = body.try_next().await? else { break };
        decoder.feed(&chunk, |data| {
            let chunk = support::chunk(data);
            reason = chunk.finish_reason.or(reason.take());
            said += &chunk.text;
            for event in parser.feed(&chunk.text) {
                if let Event::TextContent(text) = event {
                    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                }
                message.push(event);
            }
        });
    }
    // A message that the model did not end itself was cut: nothing that only its end shows may run.
    match reason.as_deref() {
        None | Some("length") => parser.finish_cut(),
        Some(_) => parser.finish(),
    }
    .for_each(|event| message.push(event));
    message.close();
    said.truncate(parser.position()); // nothing of a surplus call
    Ok((message, said))
}
