//! An agent's loop over a provider's native tools, here Anthropic's Messages: ask, read, run, hand back.
//!
//! `cargo run --example native_loop --features policy,stream [-- --base-url http://127.0.0.1:8080 --model NAME]`
#![allow(missing_docs, reason = "an example, no library")]
#[path = "support/mod.rs"]
pub mod support;

use std::{error::Error, io::Write};

use futures_util::StreamExt;
use serde_json::{Map, json};
use support::{Endpoint, scripts};
use toolstream::native::{Provider, Reader};
use toolstream::policy::{Step, ToolLoop};
use toolstream::sse::Decoder;
use toolstream::{Event, Param, Tool, tools::Type};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(&Endpoint::from_args(scripts::anthropic())?, &mut std::io::stdout()).await
}

pub async fn run(at: &Endpoint, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let tool = Tool::new("word_count").param(Param::required("text").with(Type::String));
    let reader = Reader::builder(Provider::Anthropic).tool(tool).build()?;
    let mut agent = ToolLoop::from_json(reader, &json!({"max_iterations": 8}))?;
    agent.user("How many words have \"Zoë is here\" and \"two words\"?");
    loop {
        match agent.step() {
            Step::CallModel { .. } => answer(&mut agent, at, out).await?,
            Step::RunTools(calls) => {
                for (id, call) in calls {
                    let input: Map<_, _> = call.parse()?;
                    let count = support::word_count(&input);
                    writeln!(out, "\n{count:?}")?;
                    agent.tool_result(id, count)?;
                }
            }
            Step::Blocked(outcome) => writeln!(out, "\n[{} is blocked]", outcome.call.name)?,
            // The host decides when to call `retry`.
            Step::Failed(error) => return Err(error.message.unwrap_or_default().into()),
            // An answer, or a question to a user who is not here.
            _ => return Ok(()),
        }
    }
}

async fn answer(
    agent: &mut ToolLoop,
    at: &Endpoint,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut request = agent.request();
    for (key, value) in [("model", json!(at.model)), ("max_tokens", json!(4096))] {
        request[key] = value;
    }
    request["stream"] = true.into();
    let body = support::post(&at.url, "/v1/messages", &request).await?;
    let mut events = agent.reply().stream(Decoder::default().stream(body));
    while let Some(event) = events.next().await {
        if let Event::TextContent(text) = event? {
            write!(out, "{text}")?;
            out.flush()?;
        }
    }
    Ok(())
}
