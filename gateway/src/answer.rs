//! An answer on its way: the model's stream, read piece by piece, in the client's protocol. It has no task and no queue of its
//! own: it continues only while the client reads. If the client leaves, the answer and its request to the model's server are
//! dropped.

use axum::body::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use tokio::time::{Instant, timeout_at};
use toolstream::adapt::{EventWriter, Protocol};
use toolstream::native::Reader;
use toolstream::sse::Decoder;
use toolstream::{Event, Sink, ToolUse, grammar::ToolChoice};

use crate::config::Limits;
use crate::guard::Entry;
use crate::pass::Pass;
use crate::record::Record;
use crate::refusal::Refusal;
use crate::upstream::late;

/// The state of the request to the model's server.
pub enum From {
    /// The request was sent; the server has not answered yet.
    Asked(BoxFuture<'static, Result<reqwest::Response, Refusal>>),
    Body(BoxStream<'static, reqwest::Result<Bytes>>),
    Ended,
}

pub struct Answer {
    pub protocol: Protocol,
    /// Chunks that pass as the server sent them, as long as they may.
    pub pass: Option<Pass>,
    pub from: From,
    pub reader: Reader,
    pub writer: EventWriter,
    pub choice: ToolChoice,
    /// Whether the client gets the number of tokens.
    pub usage: bool,
    pub limits: Limits,
    pub entry: Entry,
    pub record: Record,
    pub stream: Progress,
}

/// The progress of the stream.
pub struct Progress {
    decoder: Decoder,
    /// `[DONE]` came.
    done: bool,
    bytes: usize,
    /// When the server last sent something.
    heard: Instant,
    /// When the whole answer must have come.
    deadline: Instant,
    /// Bytes for the client.
    out: Vec<u8>,
    failed: Option<Refusal>,
}

impl Progress {
    pub fn begin(limits: &Limits) -> Progress {
        let (decoder, now) = (Decoder::default(), Instant::now());
        let (done, bytes, out, failed) = Default::default();
        Progress { decoder, done, bytes, heard: now, deadline: now + limits.whole, out, failed }
    }
}

impl Answer {
    /// Returns the next bytes for the client; `None` behind the end. While the server is silent these are pings.
    pub async fn next(&mut self) -> Option<Bytes> {
        loop {
            if !self.stream.out.is_empty() {
                return Some(std::mem::take(&mut self.stream.out).into());
            }
            if matches!(self.from, From::Ended) {
                return None;
            }
            let ping = Instant::now() + self.limits.ping;
            if timeout_at(ping.min(self.deadline()), self.hear()).await.is_ok() {
                continue;
            }
            if Instant::now() >= self.deadline() {
                self.fail(self.too_late());
            } else {
                return Some(self.ping());
            }
        }
    }

    /// The whole answer.
    ///
    /// # Errors
    /// The reason why there is none.
    pub async fn whole(mut self) -> Result<Vec<u8>, Refusal> {
        while !matches!(self.from, From::Ended) {
            if timeout_at(self.deadline(), self.hear()).await.is_err() {
                self.fail(self.too_late());
            }
        }
        match (self.stream.failed.take(), self.pass.and_then(Pass::whole)) {
            (Some(refusal), _) => Err(refusal),
            (None, Some(as_it_came)) => Ok(as_it_came),
            (None, None) => Ok(self.stream.out),
        }
    }

    /// When the server must have sent something, and all of it.
    fn deadline(&self) -> Instant {
        let first = self.stream.bytes == 0;
        let patience = if first { self.limits.first_byte } else { self.limits.idle };
        self.stream.deadline.min(self.stream.heard + patience)
    }

    fn too_late(&self) -> Refusal {
        match (Instant::now() >= self.stream.deadline, self.stream.bytes) {
            (true, _) => late("in full", "--answer-timeout"),
            (false, 0) => late("the prompt", "--first-byte-timeout"),
            (false, _) => late("in full", "--idle-timeout"),
        }
    }

    /// Waits for the server's next bytes, and reads them. It may be dropped and called again.
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

    fn read(&mut self, bytes: &[u8]) {
        self.stream.bytes += bytes.len();
        self.stream.heard = Instant::now();
        self.entry.heard();
        self.record.bytes(bytes);
        if let Some(pass) = &mut self.pass {
            pass.bytes(bytes);
        }
        let mut decoder = std::mem::take(&mut self.stream.decoder);
        decoder.feed(bytes, |data| self.event(data));
        self.stream.decoder = decoder;
        if self.stream.bytes > self.limits.answer {
            let why = "the model's answer is longer than the gateway takes; see --max-answer";
            self.fail(Refusal::bad_gateway(why));
        } else if self.reader.envelope().error.is_some() || self.stream.done || self.is_enough() {
            self.end();
        }
    }

    /// Reads the data of an event.
    fn event(&mut self, data: &[u8]) {
        self.stream.done |= data == b"[DONE]";
        self.record.event(data);
        let ended = self.reader.envelope().stop_reason.is_some();
        if self.pass.as_mut().is_some_and(|pass| !pass.chunk(data, ended)) {
            self.rewrite();
        }
        self.tell(|reader, sink| reader.feed_into(data, sink));
        let ended = self.reader.envelope().stop_reason.is_some();
        let held = ended || self.reader.held() > 0 || self.reader.envelope().error.is_some();
        match &mut self.pass {
            Some(pass) => pass.settle(held, self.writer.take(), &mut self.stream.out),
            None => self.stream.out.extend(self.writer.take()),
        }
    }

    /// Lets the reader send its events to the writer. An event that is not the server's own text ends the
    /// passing.
    fn tell(&mut self, tells: impl FnOnce(&mut Reader, &mut Tally<'_>)) {
        let Answer { reader, writer, entry, choice, pass, .. } = self;
        let no_calls = *choice == ToolChoice::None;
        let mut tally = Tally { writer, entry, no_calls, pass: pass.as_mut(), passes: true };
        tells(reader, &mut tally);
        if !tally.passes {
            self.rewrite();
        }
    }

    /// From here on the writer writes the answer.
    fn rewrite(&mut self) {
        if let Some(pass) = self.pass.take() {
            pass.rewritten(&mut self.stream.out);
        }
    }

    /// Whether the tool limit was reached: later events are not wanted.
    fn is_enough(&self) -> bool {
        self.reader.limit_reached().is_err()
    }

    /// Ends the answer of the server, or takes its word that it ended.
    fn end(&mut self) {
        let enough = self.is_enough();
        let mut decoder = std::mem::take(&mut self.stream.decoder);
        decoder.finish(|data| self.event(data));
        let envelope = self.reader.envelope();
        if let Some(error) = &envelope.error {
            let refusal = Refusal::in_answer(error);
            return self.fail(refusal);
        }
        if !enough && !self.stream.done && envelope.stop_reason.is_none() {
            return self.fail(broken_off());
        }
        let reason = envelope.stop_reason.as_deref().filter(|reason| ABORTED.contains(reason));
        if let Some(refusal) = reason.map(aborted) {
            return self.fail(refusal);
        }
        self.tell(|reader, sink| reader.finish_into(sink));
        if let Some(refusal) = unmet(&self.choice, &self.entry.called) {
            return self.fail(refusal);
        }
        self.tokens();
        self.writer.finish();
        self.entry.ended(self.writer.stop_reason(), self.writer.broken_calls());
        let written = self.writer.take();
        match &mut self.pass {
            Some(pass) if pass.streams() => pass.flush(&mut self.stream.out),
            _ => self.stream.out.extend(written),
        }
        self.from = From::Ended;
    }

    /// Tells how many tokens the server counted.
    fn tokens(&mut self) {
        let usage = self.reader.envelope().usage.as_ref();
        let tokens = usage.map(|usage| (usage.input.unwrap_or(0), usage.output.unwrap_or(0)));
        if let Some((input, output)) = tokens {
            self.entry.tokens = tokens;
            if self.usage {
                self.writer.usage(input, output);
            }
        }
    }

    /// Ends the answer with an error of the client's protocol.
    fn fail(&mut self, refusal: Refusal) {
        // Dropped: the server need not go on.
        self.from = From::Ended;
        self.entry.failed(&refusal);
        if self.pass.take().is_some() {
            // The writer's bytes repeat bytes that have passed, or that never will.
            self.writer.take();
        }
        let (kind, code, why) = refusal.words(self.protocol);
        self.writer.fail_as(kind, code, &why);
        self.stream.out.extend(self.writer.take());
        self.stream.failed = Some(refusal);
    }

    /// Sends a sign of life: nothing came for a while, because the server reads a prompt.
    fn ping(&mut self) -> Bytes {
        if self.protocol == Protocol::OpenAiChat {
            return Bytes::from_static(b": the model is at work\n\n");
        }
        // The answer begins with this, if it has not: clients want its beginning before anything else.
        self.writer.push(Event::TextContent(""));
        let mut piece = self.writer.take();
        piece.extend_from_slice(match self.protocol {
            Protocol::Anthropic => b"event: ping\ndata: {\"type\": \"ping\"}\n\n",
            _ => b"event: keepalive\ndata: {\"type\": \"keepalive\"}\n\n",
        });
        piece.into()
    }
}

/// Finish reasons of answers that the server broke off. `abort` is of vLLM and SGLang, the last of DeepSeek.
const ABORTED: [&str; 3] = ["abort", "error", "insufficient_system_resource"];

fn aborted(reason: &str) -> Refusal {
    Refusal::bad_gateway(format!(
        "the model's server ended its answer early, with `{reason}`: send the request again"
    ))
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
    /// The client wants no calls: calls of the model are left out.
    no_calls: bool,
    pass: Option<&'a mut Pass>,
    passes: bool,
}

impl Sink for Tally<'_> {
    fn event(&mut self, event: Event<&str>) {
        if let Some(pass) = &mut self.pass {
            self.passes &= pass.may(&event, self.no_calls);
        }
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
