//! Streams all the way: response bytes → server-sent events → model text → parser events, with the
//! adapters of `futures`. Prints each event as JSON, then the message.
//!
//! `cargo run --example stream --features stream [-- --base-url http://127.0.0.1:8080 --model NAME]`
#![allow(missing_docs, reason = "an example, no library")]
#[path = "support/mod.rs"]
pub mod support;

use std::{error::Error, io::Write};

use futures_util::StreamExt;
use serde_json::json;
use support::{Endpoint, scripts};
use toolstream::sse::Decoder;
use toolstream::{Dialect, Param, Parser, Tool};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&Endpoint::from_args(scripts::text().split_off(1))?, &mut std::io::stdout()).await
}

pub async fn run(at: &Endpoint, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let tool = Tool::new("word_count").describe("Counts words.").param(Param::required("text"));
    let parser = Parser::builder(Dialect::CLINE).tool(tool).build()?;
    let request = json!({"model": at.model, "stream": true, "messages": [
        {"role": "system", "content": parser.system_prompt()},
        {"role": "user", "content": "How many words has \"Zoë is here\"?"},
    ]});

    let body = support::post(&at.url, "/v1/chat/completions", &request).await?;
    let text = Decoder::default().stream(body).map(|data| text_of(&data?));
    let mut message = parser.message();
    // After the event `ToolLimitReached` the stream drops the body, which closes the connection.
    let mut events = parser.stream(text);
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                writeln!(out, "{}", serde_json::to_string(&event)?)?;
                message.push(event);
            }
            // The events of a stream that was cut follow, and its end.
            Err(error) => writeln!(out, "the answer was cut: {error}")?,
        }
    }
    message.close();
    writeln!(out, "{}", serde_json::to_string_pretty(&message)?)?;
    Ok(())
}

/// Returns the text of a chunk. Only the server knows how the answer ended: an answer that the model did not
/// end is an error.
fn text_of(data: &[u8]) -> Result<String, Box<dyn Error>> {
    let chunk = support::chunk(data);
    match chunk.finish_reason.as_deref() {
        Some("length") => Err("it was too long".into()),
        _ => Ok(chunk.text),
    }
}
