//! An agent's loop with the client `async-openai`, for a model without native tools. The tools are described in the system
//! prompt, and the calls are read from the text of the answer while it arrives.
//!
//! `cargo run --bin with_async_openai [-- --base-url http://127.0.0.1:8080 --model NAME]`

use std::error::Error;

use async_openai::types::chat::{
    ChatCompletionRequestAssistantMessage, ChatCompletionRequestSystemMessage,
    ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs, FinishReason,
};
use async_openai::{Client, config::OpenAIConfig};
use futures_util::StreamExt;
use toolstream::{Dialect, Event, Param, Parser, Tool, render::ToolResult};
use toolstream_clients::{Endpoint, QUESTION, script, word_count};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let at = Endpoint::from_args(script())?;
    let config = OpenAIConfig::new().with_api_base(format!("{}/v1", at.url)).with_api_key("none");
    let client = Client::with_config(config);

    let tool = Tool::new("word_count").describe("Counts words.").param(Param::required("text"));
    let parser = Parser::builder(Dialect::HERMES).tool(tool).build()?;
    let mut messages = vec![
        ChatCompletionRequestSystemMessage::from(parser.system_prompt()).into(),
        ChatCompletionRequestUserMessage::from(QUESTION).into(),
    ];

    for _turn in 0..8 {
        let request = CreateChatCompletionRequestArgs::default()
            .model(&at.model)
            .messages(messages.clone())
            .build()?;
        let mut stream = client.chat().create_stream(request).await?;
        let (mut reply, mut reason) = (parser.reply(), None);
        while let Some(chunk) = stream.next().await {
            for choice in chunk?.choices {
                reason = choice.finish_reason.or(reason);
                reply.feed(&choice.delta.content.unwrap_or_default()).for_each(show);
            }
            if reply.is_over() {
                break; // a second call: closes the connection
            }
        }
        // A message that the model did not end itself was cut.
        match reason {
            None | Some(FinishReason::Length) => reply.finish_cut(),
            Some(_) => reply.finish(),
        }
        .for_each(show);
        println!();

        // The model sees its call again as it wrote it, and then the result.
        messages.push(ChatCompletionRequestAssistantMessage::from(reply.said()).into());
        let mut results = Vec::new();
        for call in reply.message().calls() {
            let result = match word_count(call.input()) {
                Ok(count) => ToolResult::ok(call.name(), count),
                Err(error) => ToolResult::error(call.name(), error),
            };
            println!("[{}: {}]", result.name, result.text());
            results.push(result);
        }
        let mut answer = parser.render_results(&results)?;
        answer += &reply.message().correction().unwrap_or_default(); // of a call that may not run
        if answer.is_empty() {
            break;
        }
        messages.push(ChatCompletionRequestUserMessage::from(answer).into());
    }
    Ok(())
}

fn show(event: Event<&str>) {
    if let Event::TextContent(text) = event {
        print!("{text}");
    }
}
