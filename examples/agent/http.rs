//! Asks the model, and feeds its answer to the loop while it comes.

use std::error::Error;
use std::io::Write;

use futures_util::TryStreamExt;
use serde_json::json;
use toolstream::Event;
use toolstream::policy::ToolLoop;
use toolstream::sse::Decoder;

use super::support::{self, Endpoint};

/// One answer of a model after OpenAI's chat completions, its text on the screen.
///
/// # Errors
/// Where no answer begins. One that breaks off is the loop's to judge.
pub async fn answer(
    agent: &mut ToolLoop,
    model: &Endpoint,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut request = json!({"model": model.model, "stream": true, "messages": agent.messages()});
    let stop = agent.stop_sequences();
    if !stop.is_empty() {
        request["stop"] = stop.into();
    }
    let mut body = support::post(&model.url, "/v1/chat/completions", &request).await?;
    let (mut decoder, mut finish) = (Decoder::default(), None);
    // To leave drops the body, which closes the connection.
    while !agent.reply().is_over() {
        let Ok(Some(chunk)) = body.try_next().await else { break };
        decoder.feed(&chunk, |data| {
            let chunk = support::chunk(data);
            agent.reply().feed(&chunk.text).for_each(|event| show(event, out));
            finish = chunk.finish_reason.or(finish.take());
        });
    }
    let whole = finish.is_some_and(|reason| reason != "length");
    let reply = agent.reply();
    let last = if whole { reply.finish() } else { reply.finish_cut() };
    last.for_each(|event| show(event, out));
    Ok(())
}

fn show(event: Event<&str>, out: &mut impl Write) {
    if let Event::TextContent(text) = event {
        // A screen that is gone is no reason to lose the answer.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}
