//! Chunks that pass as the model's server sent them. A client of chat completions gets each chunk with all its fields
//! (`logprobs`, a server's own), until the gateway reads something other than text in the text. From there on the
//! [`EventWriter`](toolstream::adapt::EventWriter) writes the answer.

use serde_json::Value;
use toolstream::{Event, ToolUse};

/// The number of a call's dialect where the server itself has read the call.
const OF_THE_SERVER: usize = 64;

/// An answer that has passed as it came, so far.
pub struct Pass {
    /// The client asked for a stream; else the body is kept whole.
    stream: bool,
    /// The client wants the chunk with the tokens.
    usage: bool,
    /// A chunk came.
    begun: bool,
    /// Chunks whose text is still pending in the reader or the writer, as they came.
    waiting: Vec<u8>,
    /// The writer's words for these chunks, in case they do not pass.
    written: Vec<u8>,
    /// The beginning of an answer by the writer. It stands in front if nothing has passed.
    head: Vec<u8>,
    /// There is text among the waiting chunks.
    text: bool,
    /// A single chunk waits, and it is only a piece of a call.
    call: bool,
}

impl Pass {
    /// Begins an answer; `head` is its beginning by the writer.
    pub fn new(stream: bool, usage: bool, head: Vec<u8>) -> Pass {
        let (begun, waiting, written, text, call) = Default::default();
        Pass { stream, usage, begun, waiting, written, head, text, call }
    }

    /// Notes an event of the waiting chunks. Returns whether the chunks may still pass.
    pub fn may(&mut self, event: &Event<&str>, no_calls: bool) -> bool {
        match event {
            Event::TextContent(text) => {
                self.text |= !text.is_empty();
                true
            }
            Event::ToolUse(ToolUse::Start { dialect, .. }) => {
                *dialect == OF_THE_SERVER && !no_calls
            }
            Event::Markup(_) | Event::AnswerStart | Event::ToolLimitReached(_) => false,
            _ => true,
        }
    }

    pub fn streams(&self) -> bool {
        self.stream
    }

    /// Keeps the bytes of a whole answer.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if !self.stream {
            self.waiting.extend_from_slice(bytes);
        }
    }

    /// Takes the data of a chunk, or of a whole answer. `ended`: the server has given the finish reason. Returns whether
    /// clients can read it as it is: the first chunk decides.
    pub fn chunk(&mut self, data: &[u8], ended: bool) -> bool {
        if !std::mem::replace(&mut self.begun, true) && !is_plain(data, self.stream) {
            return false;
        }
        if !self.stream || (ended && !self.usage && has_only_usage(data)) {
            return true;
        }
        self.call = self.waiting.is_empty() && is_of_a_call(data);
        for line in data.split(|byte| *byte == b'\n') {
            self.waiting.extend_from_slice(b"data: ");
            self.waiting.extend_from_slice(line);
            self.waiting.push(b'\n');
        }
        self.waiting.push(b'\n');
        true
    }

    /// Takes the writer's bytes for the last chunk, and gives the waiting chunks to `out` if none of their text is pending.
    pub fn settle(&mut self, held: bool, written: Vec<u8>, out: &mut Vec<u8>) {
        self.written.extend(written);
        let unsaid = self.text && self.written.is_empty();
        // The call may be pending in the reader until the call before it has ended; the client need not wait.
        let settled = self.call || (!held && !unsaid);
        if self.stream && settled {
            self.flush(out);
        }
    }

    /// Gives all waiting chunks.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.waiting);
        if !out.is_empty() {
            self.head.clear();
        }
        self.written.clear();
        self.text = false;
    }

    /// The writer's words for the waiting chunks, which do not pass.
    pub fn rewritten(mut self, out: &mut Vec<u8>) {
        out.append(&mut self.head);
        out.append(&mut self.written);
    }

    /// Returns a whole answer as it came, if it is one.
    pub fn whole(self) -> Option<Vec<u8>> {
        let is_object = self.waiting.trim_ascii_start().starts_with(b"{");
        (!self.stream && is_object).then_some(self.waiting)
    }
}

/// Whether a chunk, or a whole answer, has the members that clients need. Some servers leave them out, or send a whole
/// answer to a client that asked for a stream.
fn is_plain(data: &[u8], stream: bool) -> bool {
    let said: Value = serde_json::from_slice(data).unwrap_or_default();
    let (object, message) =
        if stream { ("chat.completion.chunk", "delta") } else { ("chat.completion", "message") };
    said["object"] == object
        && said["id"].is_string()
        && said["choices"][0][message]["role"].is_string()
}

/// Whether a chunk holds only a piece of a call, and nothing that could be pending.
fn is_of_a_call(data: &[u8]) -> bool {
    let names_calls = data.windows(12).any(|bytes| bytes == b"\"tool_calls\"");
    if !names_calls {
        return false;
    }
    let chunk: Value = serde_json::from_slice(data).unwrap_or_default();
    let (choice, delta) = (&chunk["choices"][0], &chunk["choices"][0]["delta"]);
    let says = delta["content"].as_str().is_some_and(|text| !text.is_empty());
    delta["tool_calls"].is_array() && !says && choice["finish_reason"].is_null()
}

/// Whether it is the last chunk, for clients that ask for the tokens: no choice, and the tokens.
fn has_only_usage(data: &[u8]) -> bool {
    let chunk: Value = serde_json::from_slice(data).unwrap_or_default();
    let choices = chunk["choices"].as_array();
    choices.is_none_or(Vec::is_empty) && chunk["usage"].is_object()
}
