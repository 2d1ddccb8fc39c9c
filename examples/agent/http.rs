//! Asks the model, and feeds its answer to the loop while it comes.

use std::error::Error;
use std::io::Write;

use futures_util::TryStreamExt;
use toolstream::Event;
use toolstream::policy::ToolLoop;
use toolstream::sse::Decoder;

use super::support::{self, Endpoint};

/// Requests an answer of a model after OpenAI's chat completions, and prints its text.
///
/// # Errors
/// If no answer begins. The loop judges an answer that breaks off.
pub async fn answer(
    agent: &mut ToolLoop,
    model: &Endpoint,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut request = agent.request();
    request["model"] = model.model.as_str().into();
    request["stream"] = true.into();
    let mut body = support::post(&model.url, "/v1/chat/completions", &request).await?;
    let mut decoder = Decoder::default();
    // To leave drops the body, which closes the connection.
    while !agent.reply().is_over() {
        let Ok(Some(chunk)) = body.try_next().await else { break };
        decoder.feed(&chunk, |data| {
            agent.reply().feed_bytes(data).for_each(|event| show(event, out));
        });
    }
    // Whether the answer is whole is the provider's word, wherever the connection ended.
    agent.reply().finish().for_each(|event| show(event, out));
    Ok(())
}

fn show(event: Event<&str>, out: &mut impl Write) {
    if let Event::TextContent(text) = event {
        // A screen that is gone is no reason to lose the answer.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}
