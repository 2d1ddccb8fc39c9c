//! An answer for a client, in the client's protocol.

use serde_json::json;
use toolstream as ts;
use toolstream::adapt::{self, Protocol, ReasoningKey};
use wasm_bindgen::prelude::*;

use crate::stream::{RawStream, Read, Source};
use crate::told::Told;
use crate::{js_error, read};

/// A writer, and the stream that it writes.
#[wasm_bindgen]
pub struct RawWriter {
    source: Source,
    message: ts::Message,
    writer: adapt::EventWriter,
}

#[wasm_bindgen]
impl RawWriter {
    /// A writer for a stream of its own, of the same configuration. `options` is JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(protocol: &str, stream: &RawStream, options: &str) -> Result<RawWriter, JsError> {
        let protocol = protocol_of(protocol)?;
        let source = stream.source().fresh();
        let mut options = read(options)?;
        let told = Told::take(&mut options)?;
        let WriterOptions { id, model, whole, created, reasoning } =
            serde_json::from_value(options).map_err(js_error)?;
        let writer = match &source {
            Source::Text(parser) => adapt::EventWriter::new(protocol, parser, &id, &model),
            Source::Native(reader) => adapt::EventWriter::for_reader(protocol, reader, &id, &model),
        };
        let writer = writer.whole(whole).created(created).reasoning_key(reasoning_key(&reasoning)?);
        let writer = writer.broken_as(told.broken).calls(told.calls).on_cut(told.on_cut);
        Ok(RawWriter { message: source.message(), source, writer })
    }

    #[wasm_bindgen(js_name = feedText)]
    pub fn feed_text(&mut self, chunk: &str) -> Vec<u8> {
        self.read(&Read::Chunk(chunk))
    }

    #[wasm_bindgen(js_name = feedBytes)]
    pub fn feed_bytes(&mut self, chunk: &[u8]) -> Vec<u8> {
        self.read(&Read::Bytes(chunk))
    }

    #[wasm_bindgen(js_name = feedSpecial)]
    pub fn feed_special(&mut self, token: &str) -> Vec<u8> {
        self.read(&Read::Special(token))
    }

    pub fn finish(&mut self, cut: bool) -> Vec<u8> {
        let before = self.read(if cut { &Read::Cut } else { &Read::End });
        self.writer.finish();
        [before, self.writer.take()].concat()
    }

    /// Ends the answer with an error of the server's.
    pub fn fail(&mut self, what: &str) -> Vec<u8> {
        self.writer.fail(what);
        self.writer.take()
    }

    fn read(&mut self, next: &Read<'_>) -> Vec<u8> {
        let RawWriter { source, message, writer } = self;
        source.read_on(next, message, &mut |event| writer.push(event));
        writer.take()
    }

    pub fn usage(&mut self, input: f64, output: f64) {
        // JavaScript's whole numbers; what is none of them is 0.
        self.writer.usage(input as u64, output as u64);
    }

    pub fn message(&self) -> String {
        self.message.to_json().to_string()
    }

    #[wasm_bindgen(js_name = contentType)]
    pub fn content_type(&self) -> String {
        self.writer.content_type().into()
    }

    #[wasm_bindgen(js_name = stopReason)]
    pub fn stop_reason(&self) -> String {
        self.writer.stop_reason().into()
    }

    /// The broken calls, and the indices of those whose ids were made up, as JSON.
    pub fn calls(&self) -> String {
        json!({"broken": self.writer.broken_calls(), "madeUpIds": self.writer.made_up_ids()})
            .to_string()
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WriterOptions {
    id: String,
    model: String,
    #[serde(default)]
    whole: bool,
    #[serde(default)]
    created: u64,
    #[serde(default)]
    reasoning: String,
}

fn protocol_of(name: &str) -> Result<Protocol, JsError> {
    match name {
        "openai-chat" => Ok(Protocol::OpenAiChat),
        "openai-responses" => Ok(Protocol::OpenAiResponses),
        "anthropic" => Ok(Protocol::Anthropic),
        _ => Err(JsError::new(&format!(
            "unknown protocol `{name}`: use one of openai-chat, openai-responses, anthropic"
        ))),
    }
}

fn reasoning_key(name: &str) -> Result<ReasoningKey, JsError> {
    match name {
        "" | "reasoning_content" => Ok(ReasoningKey::Content),
        "reasoning" => Ok(ReasoningKey::Reasoning),
        "both" => Ok(ReasoningKey::Both),
        "none" => Ok(ReasoningKey::None),
        _ => Err(JsError::new(&format!(
            "unknown name of reasoning `{name}`: use one of reasoning_content, reasoning, both, none"
        ))),
    }
}
