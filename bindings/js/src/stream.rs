//! A stream that is read: its source, the message so far, and the records of the last chunk.

use serde_json::{Value, json};
use toolstream as ts;
use toolstream::adapt::Deltas;
use toolstream::native::Reader;
use wasm_bindgen::prelude::*;

use crate::told::Told;
use crate::wire::Wire;
use crate::{js_error, list};

/// Length of the buffer for a chunk, in bytes. JavaScript writes into it itself; longer chunks go another way.
const INPUT: usize = 1024;

/// The source of a stream: a model's text, or a provider's events.
#[derive(Clone)]
// There is one a stream: boxed, each chunk would go another step.
#[allow(clippy::large_enum_variant)]
pub enum Source {
    Text(ts::Parser),
    Native(Reader),
}

/// The next input.
pub enum Read<'c> {
    Chunk(&'c str),
    Bytes(&'c [u8]),
    Special(&'c str),
    End,
    Cut,
}

impl Source {
    /// A source of this configuration that has read nothing.
    pub fn fresh(&self) -> Source {
        let mut fresh = self.clone();
        fresh.reset();
        fresh
    }

    fn reset(&mut self) {
        match self {
            Source::Text(parser) => parser.reset(),
            Source::Native(reader) => reader.reset(),
        }
    }

    pub fn message(&self) -> ts::Message {
        match self {
            Source::Text(parser) => parser.message(),
            Source::Native(reader) => reader.message(),
        }
    }

    fn read(&mut self, next: &Read<'_>, sink: &mut Sink<'_>) {
        match (self, next) {
            (Source::Text(parser), Read::Chunk(chunk)) => parser.feed_into(chunk, sink),
            (Source::Text(parser), Read::Bytes(chunk)) => parser.feed_bytes_into(chunk, sink),
            (Source::Text(parser), Read::Special(token)) => parser.feed_special_into(token, sink),
            (Source::Text(parser), Read::End) => parser.finish_into(sink),
            (Source::Text(parser), Read::Cut) => parser.finish_cut_into(sink),
            (Source::Native(reader), Read::Chunk(event)) => {
                reader.feed_into(event.as_bytes(), sink)
            }
            (Source::Native(reader), Read::Bytes(event)) => reader.feed_into(event, sink),
            // A provider has no tokens.
            (Source::Native(_), Read::Special(_)) => {}
            (Source::Native(reader), Read::End) => reader.finish_into(sink),
            (Source::Native(reader), Read::Cut) => reader.finish_cut_into(sink),
        }
    }

    /// Reads on: each event goes into the message, and to `each`.
    pub fn read_on(
        &mut self,
        next: &Read<'_>,
        message: &mut ts::Message,
        each: &mut dyn FnMut(ts::Event<&str>),
    ) {
        self.read(next, &mut Sink { message, each, markers: None });
        if let Read::End | Read::Cut = next {
            message.close();
        }
    }

    /// Reads a whole text, with its markers if they are wanted.
    pub fn read_whole(&self, text: &str, markers: Option<&mut Vec<Value>>) -> ts::Message {
        let mut source = self.fresh();
        let mut message = source.message();
        let mut sink = Sink { message: &mut message, each: &mut |_| {}, markers };
        source.read(&Read::Chunk(text), &mut sink);
        source.read(&Read::End, &mut sink);
        message.close();
        message
    }
}

/// Takes events for the message and for a function, and markers for the message and for a list. All reading shares it,
/// so that the machine is compiled once.
struct Sink<'b> {
    message: &'b mut ts::Message,
    each: &'b mut dyn FnMut(ts::Event<&str>),
    markers: Option<&'b mut Vec<Value>>,
}

impl ts::Sink for Sink<'_> {
    fn event(&mut self, event: ts::Event<&str>) {
        self.message.push(event);
        (self.each)(event);
    }

    fn wants_markers(&self) -> bool {
        self.markers.is_some() || self.message.wants_markers()
    }

    fn marker(&mut self, marker: &ts::diagnostic::Marker<'_>) {
        self.message.marker(marker);
        if let Some(markers) = &mut self.markers {
            let refused = marker.refused.as_ref().map(ToString::to_string);
            markers.push(json!({"at": marker.at, "text": marker.text, "role": marker.role, "refused": refused}));
        }
    }
}

/// A stream, its message, and the deltas once they are needed.
#[wasm_bindgen]
pub struct RawStream {
    source: Source,
    message: ts::Message,
    deltas: Option<Deltas>,
    told: Told,
    /// JavaScript writes short chunks here. It is never moved.
    input: Box<[u8]>,
    wire: Wire,
}

impl RawStream {
    pub fn new(source: Source, told: Told) -> RawStream {
        RawStream {
            message: source.message(),
            source,
            deltas: None,
            told,
            input: vec![0; INPUT].into_boxed_slice(),
            wire: Wire::default(),
        }
    }

    pub fn source(&self) -> &Source {
        &self.source
    }
}

/// Reads on, as events or as deltas.
fn read(
    source: &mut Source,
    message: &mut ts::Message,
    deltas: Option<&mut Deltas>,
    wire: &mut Wire,
    next: &Read<'_>,
) -> i32 {
    wire.clear();
    match deltas {
        None => source.read_on(next, message, &mut |event| wire.event(event)),
        Some(deltas) => source.read_on(next, message, &mut |event| {
            deltas.push(event, &mut |delta| wire.delta(delta))
        }),
    }
    match next {
        Read::Chunk(chunk) => wire.code(chunk.as_bytes()),
        _ => wire.code(&[]),
    }
}

/// Methods that read take whether deltas are wanted, and give the number of the records, as `Wire::code` says.
#[wasm_bindgen]
impl RawStream {
    /// The place of the buffer for short chunks.
    pub fn input(&self) -> *const u8 {
        self.input.as_ptr()
    }

    /// The place of the records' numbers.
    pub fn numbers(&self) -> *const u32 {
        self.wire.numbers.as_ptr()
    }

    /// The place of the records' texts.
    pub fn texts(&self) -> *const u8 {
        self.wire.texts.as_ptr()
    }

    /// Reads so many bytes of the buffer for short chunks.
    #[wasm_bindgen(js_name = feedInput)]
    pub fn feed_input(&mut self, length: usize, as_deltas: bool) -> i32 {
        let RawStream { source, message, input, wire, .. } = self;
        let chunk = input.get(..length).unwrap_or_default();
        // JavaScript writes whole characters, so it is text.
        let next = std::str::from_utf8(chunk).map_or(Read::Bytes(chunk), Read::Chunk);
        let deltas = as_deltas.then(|| self.deltas.get_or_insert_with(|| self.told.of(source)));
        read(source, message, deltas, wire, &next)
    }

    #[wasm_bindgen(js_name = feedText)]
    pub fn feed_text(&mut self, chunk: &str, as_deltas: bool) -> i32 {
        self.read(&Read::Chunk(chunk), as_deltas)
    }

    #[wasm_bindgen(js_name = feedBytes)]
    pub fn feed_bytes(&mut self, chunk: &[u8], as_deltas: bool) -> i32 {
        self.read(&Read::Bytes(chunk), as_deltas)
    }

    #[wasm_bindgen(js_name = feedSpecial)]
    pub fn feed_special(&mut self, token: &str, as_deltas: bool) -> i32 {
        self.read(&Read::Special(token), as_deltas)
    }

    /// Ends the stream: the model ended, or the stream was cut.
    pub fn finish(&mut self, cut: bool, as_deltas: bool) -> i32 {
        self.read(if cut { &Read::Cut } else { &Read::End }, as_deltas)
    }

    fn read(&mut self, next: &Read<'_>, as_deltas: bool) -> i32 {
        let RawStream { source, message, wire, .. } = self;
        let deltas = as_deltas.then(|| self.deltas.get_or_insert_with(|| self.told.of(source)));
        read(source, message, deltas, wire, next)
    }

    /// A stream of this configuration that has read nothing.
    pub fn fresh(&self) -> RawStream {
        RawStream::new(self.source.fresh(), self.told)
    }

    /// Resets the reader to its state when it was built.
    pub fn reset(&mut self) {
        self.source.reset();
        (self.message, self.deltas) = (self.source.message(), None);
    }

    /// The message so far.
    pub fn message(&self) -> String {
        self.message.to_json().to_string()
    }

    /// The assistant's turn for the next request.
    #[wasm_bindgen(js_name = toRequest)]
    pub fn to_request(&self, provider: &str) -> Result<String, JsError> {
        let provider = provider.parse().map_err(js_error)?;
        Ok(self.message.to_request(provider).to_string())
    }

    /// The reasons why calls may not run, in the order of the stream.
    pub fn refused(&self) -> String {
        list(self.message.refused().into_iter().map(|call| {
            let ts::calls::RefusedCall { range, name, index, why, .. } = call;
            let (start, end) = (range.start, range.end);
            json!({"start": start, "end": end, "name": name, "index": index, "why": why})
        }))
    }

    /// The text that tells the model what was wrong with its calls.
    pub fn correction(&self) -> Option<String> {
        self.message.correction()
    }

    /// The calls of the deltas that the model ended and that may not run.
    #[wasm_bindgen(js_name = brokenCalls)]
    pub fn broken_calls(&self) -> Result<String, JsError> {
        let calls = self.deltas.as_ref().map_or(&[][..], Deltas::broken_calls);
        serde_json::to_string(calls).map_err(js_error)
    }

    /// The open call with its arguments so far, or `null`.
    #[wasm_bindgen(js_name = partialCall)]
    pub fn partial_call(&mut self) -> String {
        let call = self.message.partial_call();
        call.map_or(Value::Null, |call| json!({"name": call.name(), "input": call.input()}))
            .to_string()
    }

    /// The number of bytes of UTF-8 that are held.
    pub fn held(&self) -> usize {
        match &self.source {
            Source::Text(parser) => parser.held(),
            Source::Native(reader) => reader.held(),
        }
    }

    /// The number of bytes of UTF-8 that have left in events.
    pub fn position(&self) -> usize {
        match &self.source {
            Source::Text(parser) => parser.position(),
            Source::Native(reader) => reader.position(),
        }
    }

    /// The provider's own words on its answer, or `null`.
    pub fn envelope(&self) -> Result<String, JsError> {
        match &self.source {
            Source::Text(_) => Ok("null".into()),
            Source::Native(reader) => serde_json::to_string(reader.envelope()).map_err(js_error),
        }
    }

    /// The message of a whole text, whatever was read before.
    pub fn parse(&self, text: &str) -> String {
        self.source.read_whole(text, None).to_json().to_string()
    }

    /// The markers of a whole text, and what began like one, each with the reason why it did not count.
    pub fn explain(&self, text: &str) -> String {
        let mut markers = Vec::new();
        self.source.read_whole(text, Some(&mut markers));
        Value::from(markers).to_string()
    }
}
