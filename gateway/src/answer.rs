//! An answer on its way: the model's stream, read piece by piece, in the client's words. It has no task and no queue of its own:
//! it goes on only while the client reads, and a client that leaves drops it, and with it the request to the model's server.

use std::time::Duration;

use axum::body::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use tokio::time::{Instant, timeout_at};
use toolstream::adapt::{EventWriter, Protocol};
use toolstream::native::Reader;
use toolstream::sse::Decoder;
use toolstream::{Event, Sink, ToolChoice, ToolUse};

use crate::config::Limits;
use crate::guard::Entry;
use crate::record::Record;
use crate::refusal::Refusal;
use crate::upstream::late;

/// Where the model's server is with it.
pub enum From {
    /// The request was sent; the server has not answered yet.
    Asked(BoxFuture<'static, Result<reqwest::Response, Refusal>>),
    Body(BoxStream<'static, reqwest::Result<Bytes>>),
    Ended,
}

pub struct Answer {
    pub protocol: Protocol,
    pub from: From,
    pub reader: Reader,
    pub writer: EventWriter,
    pub choice: ToolChoice,
    /// Whether the client is told of the tokens.
    pub usage: bool,
    pub limits: Limits,
    pub entry: Entry,
    pub record: Record,
    pub stream: Progress,
}

/// How far the stream has come.
pub struct Progress {
    decoder: Decoder,
    /// `[DONE]` came.
    done: bool,
    bytes: usize,
    /// When the server last sent something.
    heard: Instant,
    failed: Option<Refusal>,
}

impl Default for Progress {
    fn default() -> Progress {
        let decoder = Decoder::default();
        Progress { decoder, done: false, bytes: 0, heard: Instant::now(), failed: None }
    }
}

impl Answer {
    /// Returns the next bytes for the client; `None` behind the end. While the server is silent these are pings.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            let piece = self.writer.take();
            if !piece.is_empty() {
                return Some(piece.into());
            }
            if matches!(self.from, From::Ended) {
                return None;
            }
            let ping = Instant::now() + self.limits.ping;
            let deadline = self.stream.heard + self.patience();
            if timeout_at(ping.min(deadline), self.hear()).await.is_ok() {
                continue;
            }
            if Instant::now() >= deadline {
                self.fail(late("in full"));
            } else {
                return Some(self.ping());
            }
        }
    }

    /// The whole answer.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn whole(mut self) -> Result<Vec<u8>, Refusal> {
        while !matches!(self.from, From::Ended) {
            let deadline = self.stream.heard + self.patience();
            if timeout_at(deadline, self.hear()).await.is_err() {
                self.fail(late("in full"));
            }
        }
        match self.stream.failed.take() {
            Some(refusal) => Err(refusal),
            None => Ok(self.writer.take()),
        }
    }

    /// How long the server may be silent.
    fn patience(&self) -> Duration {
        if self.stream.bytes == 0 { self.limits.first_byte } else { self.limits.idle }
    }

    /// Waits for what the server sends next, and reads it. It may be dropped and called again.
    async fn hear(&mut self) {
        match &mut self.from {
            From::Asked(response) => match response.await {
                Ok(response) => self.from = From::Body(response.bytes_stream().boxed()),
                Err(refusal) => self.fail(refusal),
            },
            From::Body(body) => match body.next().await {
                Some(Ok(chunk)) => self.read(&chunk),
                Some(Err(_)) => self.fail(broken_off()),
                None => self.end(),
            },
            From::Ended => {}
        }
    }

    fn read(&mut self, chunk: &[u8]) {
        let Answer { reader, writer, stream, entry, record, choice, .. } = self;
        stream.bytes += chunk.len();
        stream.heard = Instant::now();
        entry.heard();
        let mut sink = Tally { writer, entry, no_calls: *choice == ToolChoice::None };
        stream.decoder.feed(chunk, |data| {
            stream.done |= data == b"[DONE]";
            record.event(data);
            reader.feed_into(data, &mut sink);
        });
        record.bytes(chunk);
        if stream.bytes > self.limits.answer {
            let why = "the model's answer is longer than the gateway takes; see --max-answer";
            self.fail(Refusal::bad_gateway(why));
        } else if self.reader.envelope().error.is_some() || self.stream.done || self.is_enough() {
            self.end();
        }
    }

    /// The tool limit: what comes now is not wanted.
    fn is_enough(&self) -> bool {
        self.reader.limit_reached().is_err()
    }

    /// The server has ended its answer, or says that it has.
    fn end(&mut self) {
        let enough = self.is_enough();
        let Answer { reader, writer, stream, entry, choice, .. } = self;
        let mut sink = Tally { writer, entry, no_calls: *choice == ToolChoice::None };
        stream.decoder.finish(|data| {
            stream.done |= data == b"[DONE]";
            reader.feed_into(data, &mut sink);
        });
        let envelope = reader.envelope();
        if let Some(error) = &envelope.error {
            let refusal = Refusal::in_answer(error);
            return self.fail(refusal);
        }
        if !enough && !stream.done && envelope.stop_reason.is_none() {
            return self.fail(broken_off());
        }
        reader.finish_into(&mut sink);
        if let Some(refusal) = unmet(choice, &entry.called) {
            return self.fail(refusal);
        }
        let usage = reader.envelope().usage.as_ref();
        let tokens = usage.map(|usage| (usage.input.unwrap_or(0), usage.output.unwrap_or(0)));
        if let Some((input, output)) = tokens {
            entry.tokens = tokens;
            if self.usage {
                writer.usage(input, output);
            }
        }
        writer.finish();
        entry.ended(writer.stop_reason(), writer.broken_calls());
        self.from = From::Ended;
    }

    /// Ends the answer with an error of the client's protocol.
    fn fail(&mut self, refusal: Refusal) {
        // Dropped: the server need not go on.
        self.from = From::Ended;
        self.entry.failed(&refusal);
        self.writer.fail(&refusal.why);
        self.stream.failed = Some(refusal);
    }

    /// Nothing has come for a while: a prompt is read.
    fn ping(&mut self) -> Bytes {
        // The answer begins with this, if it has not: clients want its beginning before anything else.
        self.writer.push(Event::TextContent(""));
        let mut piece = self.writer.take();
        piece.extend_from_slice(match self.protocol {
            Protocol::Anthropic => b"event: ping\ndata: {\"type\": \"ping\"}\n\n",
            Protocol::OpenAiResponses => b"event: keepalive\ndata: {\"type\": \"keepalive\"}\n\n",
            _ => b": the model is at work\n\n",
        });
        piece.into()
    }
}

fn broken_off() -> Refusal {
    Refusal::bad_gateway("the model's server broke its answer off: send the request again")
}

/// Returns the refusal of an answer that does not keep `tool_choice`.
fn unmet(choice: &ToolChoice, called: &[String]) -> Option<Refusal> {
    let asked = match choice {
        ToolChoice::Required if called.is_empty() => "a tool".to_string(),
        ToolChoice::Tool(name)
            if called.is_empty() || called.iter().any(|called| called != name) =>
        {
            format!("the tool `{name}` alone")
        }
        _ => return None,
    };
    Some(Refusal::bad_gateway(format!(
        "the model did not call {asked}, as `tool_choice` asks: send the request again"
    )))
}

/// Notes which tools are called, on the way to the writer.
struct Tally<'a> {
    writer: &'a mut EventWriter,
    entry: &'a mut Entry,
    /// The client wants none: what the model calls nevertheless is left out.
    no_calls: bool,
}

impl Sink for Tally<'_> {
    fn event(&mut self, event: Event<&str>) {
        if let Event::ToolUse(of_call) = &event {
            if let ToolUse::Start { name, .. } = of_call {
                match self.no_calls {
                    true => self.entry.unwanted += 1,
                    false => self.entry.called.push((*name).to_string()),
                }
            }
            if self.no_calls {
                return;
            }
        }
        self.writer.push(event);
    }
}
