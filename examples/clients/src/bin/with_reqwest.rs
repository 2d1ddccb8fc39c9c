//! An agent's loop with `reqwest` by hand: server-sent events from the response, the model's text from the events, the calls
//! from the text. The history stays in OpenAI's form, with native calls, and becomes text for each request.
//!
//! `cargo run --bin with_reqwest [-- --base-url http://127.0.0.1:8080 --model NAME]`

use std::error::Error;

use serde_json::{Value, json};
use toolstream::native::{Provider, Reader};
use toolstream::{Block, Dialect, Event, Param, Parser, Tool, sse::Decoder};
use toolstream_clients::{Endpoint, QUESTION, script, word_count};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let at = Endpoint::from_args(script())?;
    let client = reqwest::Client::new();

    let tool = Tool::new("word_count").describe("Counts words.").param(Param::required("text"));
    let parser = Parser::builder(Dialect::HERMES).tool(tool).build()?;
    // Reads OpenAI's chunks, and the calls that the model wrote as text in them.
    let reader = Reader::builder(Provider::OpenAiChat).text_calls(parser.clone()).build()?;
    let mut history = vec![json!({"role": "user", "content": QUESTION})];

    for _turn in 0..8 {
        let messages = parser.render_chat(&Value::Null, &history)?; // the tools' prompt is in front
        let request = json!({"model": at.model, "stream": true, "messages": messages});
        let response = client
            .post(format!("{}/v1/chat/completions", at.url))
            .header("content-type", "application/json")
            .body(request.to_string())
            .send();
        let mut response = response.await?.error_for_status()?;

        let (mut decoder, mut reply) = (Decoder::default(), reader.reply());
        while let Some(chunk) = response.chunk().await? {
            decoder.feed(&chunk, |data| reply.feed_bytes(data).for_each(show));
            if reply.is_over() {
                break; // a second call: closes the connection
            }
        }
        decoder.finish(|data| reply.feed_bytes(data).for_each(show));
        reply.finish().for_each(show); // cut or not: the server's finish reason decides
        println!();

        // Each call has a result, also one that may not run.
        history.push(reply.message().to_request(Provider::OpenAiChat));
        let before = history.len();
        for block in reply.message().blocks() {
            let result = match block {
                Block::Call(call) => word_count(call.input()),
                Block::Incomplete(_) => Err("cut off: again, please"),
                _ => continue,
            };
            let result = result.unwrap_or_else(|error| format!("Error: {error}"));
            println!("[word_count: {result}]");
            history.push(json!({"role": "tool", "content": result}));
        }
        if history.len() == before {
            break; // an answer without a call
        }
    }
    Ok(())
}

fn show(event: Event<&str>) {
    if let Event::TextContent(text) = event {
        print!("{text}");
    }
}
