//! A rig agent over a model that writes its calls as text. The model is that of rig for OpenAI's chat, with native tools. Its
//! transport is `TextTools`: tools and history become text in the request, and the calls in the answer become native.
//!
//! `cargo run --bin with_rig [-- --base-url http://127.0.0.1:8080 --model NAME]`

use std::{error::Error, future::ready};

use futures_util::stream;
use rig_agent::AgentBuilder;
use rig_core::driver::{Exchange, Model, Opened, Opening, Transport};
use rig_core::message::ToolName;
use rig_core::providers::openai::{OpenAIConfig, wire::Chat};
use rig_core::tool::{DynamicTool, ToolOutput};
use rig_core::wire::{Body, Encoded, WireFrame};
use serde_json::{Value, json};
use toolstream::adapt::{EventWriter, Protocol};
use toolstream::native::{Provider, Reader};
use toolstream::{Dialect, Parser, Tool, sse::Decoder};
use toolstream_clients::{Endpoint, QUESTION, parameters, script, word_count};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let at = Endpoint::from_args(script())?;
    let name = ToolName::new("word_count")?;
    let tool = DynamicTool::new(name, "Counts words.", parameters(), |input| {
        let count = input.as_object().map_or(Err("give it an object"), word_count);
        let count = count.unwrap_or_else(|error| format!("Error: {error}"));
        println!("[word_count: {count}]");
        Box::pin(ready(Ok(ToolOutput::text(count))))
    });

    let wire = OpenAIConfig::new("none").with_base_url(format!("{}/v1", at.url)).chat(&at.model);
    let text_tools = TextTools { dialect: Dialect::HERMES, http: reqwest::Client::new() };
    let model = Model::new(wire, text_tools);
    let agent = AgentBuilder::new(model).dynamic_tool(tool).build();
    println!("{}", agent.prompt(QUESTION).max_turns(8).await?.output());
    Ok(())
}

/// Gives tools to a model that has none.
#[derive(Clone)]
struct TextTools {
    dialect: Dialect,
    http: reqwest::Client,
}

impl Transport<Chat> for TextTools {
    fn send(&self, payload: Encoded, _: Exchange) -> Opening<WireFrame> {
        let answer = self.clone().answer(payload);
        Opening::new(async { Ok(Opened::new(stream::iter([Ok(WireFrame::Text(answer.await?))]))) })
    }
}

impl TextTools {
    async fn answer(self, payload: Encoded) -> Result<String, Box<dyn Error + Send + Sync>> {
        let (head, body) = payload.request.into_parts();
        let Body::Bytes(body) = body else { return Err("a chat is JSON".into()) };
        let asked: Value = serde_json::from_slice(&body)?;
        let (tools, _) = Tool::from_request(&asked["tools"])?;
        let parser = Parser::builder(self.dialect).tools(tools).build()?;
        let history = asked["messages"].as_array().ok_or("no messages")?;
        let messages = parser.render_chat(&Value::Null, history)?; // the tools' prompt is in front
        let request = json!({"model": asked["model"], "stream": true, "messages": messages});
        let post = self.http.post(head.uri.to_string()).headers(head.headers);
        let mut response = post.body(request.to_string()).send().await?.error_for_status()?;

        let mut reader = Reader::builder(Provider::OpenAiChat).text_calls(parser).build()?;
        let id = format!("chatcmpl-{}", history.len()); // the calls' ids are made of it
        let writer = EventWriter::for_reader(Protocol::OpenAiChat, &reader, &id, "text");
        let (mut writer, mut decoder) = (writer.whole(true), Decoder::default());
        while let Some(chunk) = response.chunk().await? {
            decoder.feed(&chunk, |data| reader.feed_into(data, &mut writer));
        }
        decoder.finish(|data| reader.feed_into(data, &mut writer));
        reader.finish_into(&mut writer);
        writer.finish();
        Ok(String::from_utf8(writer.take())?)
    }
}
