//! [`DeltaWriter`]: events as the `delta` objects of OpenAI's chat stream.
//!
//! ```text
//! TextContent     {"content": TEXT}
//! Reasoning       {"reasoning_content": TEXT}
//! Start           {"tool_calls": [{"index": N, "id": ID, "type": "function",
//!                                  "function": {"name": NAME, "arguments": ""}}]}
//! ArgumentsDelta  {"tool_calls": [{"index": N, "function": {"arguments": FRAGMENT}}]}
//! the end         finish_reason: "tool_calls" | "stop" | "length"
//! ```
//! All other events say nothing. `reasoning_content` is not OpenAI's own: it is what DeepSeek, vLLM
//! and most clients of such servers call it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::fragments::Fragments;
use crate::event::{Event, Status, ToolUse};
use crate::parser::Parser;
use crate::sink::Sink;

/// Writes `delta` objects for the events of one message.
///
/// Parameters are turned into argument fragments on the way (it has a
/// [`ParamsToJson`](super::ParamsToJson) inside), so it takes the events of every dialect.
///
/// ```
/// use serde_json::json;
/// use toolstream::adapt::openai::{self, DeltaWriter};
/// use toolstream::{Dialect, Param, Parser, Tool};
///
/// let mut parser = Parser::builder(Dialect::CLINE)
///     .tool(Tool::new("run").param(Param::required("content")))
///     .build()?;
/// let mut writer = DeltaWriter::new(&parser);
///
/// let mut deltas = Vec::new();
/// // The first chunk ends inside a tag, the second inside the value.
/// for chunk in ["Go:<ru", "n><content>say \"h", "i\"</content></run>"] {
///     for event in parser.feed(chunk) {
///         deltas.extend(writer.push(event));
///     }
/// }
/// for event in parser.finish() {
///     deltas.extend(writer.push(event));
/// }
/// let arguments = |json| json!({"tool_calls": [{"index": 0, "function": {"arguments": json}}]});
/// assert_eq!(
///     deltas,
///     [
///         json!({"content": "Go:"}),
///         json!({"tool_calls": [{
///             "index": 0,
///             "id": "call_0",
///             "type": "function",
///             "function": {"name": "run", "arguments": ""},
///         }]}),
///         arguments("{\"content\":\""),
///         arguments("say \\\"h"),
///         arguments("i\\\""),
///         arguments("\""),
///         arguments("}"),
///     ],
/// );
/// assert_eq!(writer.finish_reason(), openai::FinishReason::ToolCalls);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
///
/// It is also a [`Sink`]: after `parser.feed_into(chunk, &mut writer)` the deltas are taken with
/// [`DeltaWriter::deltas`]. What is around a delta is the host's, who has the clock and the names;
/// [`choice`] makes the innermost layer of it:
///
/// ```
/// # use serde_json::json;
/// # use toolstream::adapt::openai::choice;
/// let chunk = json!({
///     "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000,
///     "model": "local", "choices": [choice(json!({"role": "assistant"}), None)],
/// });
/// ```
///
/// # What becomes of
///
/// * **ids**: the wire's own if it stands in front of the call; else what the host's function makes
///   of the call's index ([`DeltaWriter::ids`]), by default `call_0`, `call_1`, … An id that the
///   wire names late ([`ToolUse::Id`]) comes too late: clients join strings, or keep the first.
/// * **a call that may not run**: it has gone out already, and nothing takes it back. Of tag
///   dialects its arguments are a JSON text that is not closed; of JSON dialects they are what the
///   model wrote, which may look whole. So `finish_reason` is `length`: by the protocol's rules a
///   client must not run the calls of such an answer without looking at them. Which calls may run
///   is decided as `Message` does: arguments that come as JSON are kept until their call ends, and
///   read then.
/// * **arguments that need a repair** (JSON dialects): they go out as the model wrote them.
///   A host that promises valid JSON collects a `Message` and sends the call at its end.
/// * **the tool limit**: the surplus call is in no delta; `finish_reason` is `tool_calls`.
pub struct DeltaWriter<F = fn(usize) -> String> {
    fragments: Fragments,
    deltas: Deltas<F>,
}

impl DeltaWriter {
    /// A writer for the events of this parser.
    pub fn new(parser: &Parser) -> Self {
        DeltaWriter::of(Fragments::new(Some(Arc::clone(parser.tables()))))
    }

    /// A writer for events that come from no parser and speak arguments: a provider's own stream.
    /// (Parameters would become strings.)
    pub fn untyped() -> Self {
        DeltaWriter::of(Fragments::new(None))
    }

    fn of(fragments: Fragments) -> Self {
        let (queue, index, complete, cut) = Default::default();
        let fragments = fragments.reading_json();
        DeltaWriter { fragments, deltas: Deltas { queue, ids: default_id, index, complete, cut } }
    }
}

impl<F: FnMut(usize) -> String> DeltaWriter<F> {
    /// Names the calls that the wire does not name, by their index in the message. Ids that repeat
    /// in the next message confuse some clients: put something of the message in.
    ///
    /// ```
    /// use toolstream::adapt::openai::DeltaWriter;
    /// use toolstream::{Event, ToolUse};
    ///
    /// let mut writer = DeltaWriter::untyped().ids(|index| format!("call_7f3a_{index}"));
    /// let start = ToolUse::Start { index: 2, name: "list", id: None, at: 0, dialect: 0 };
    /// let delta = writer.push(Event::ToolUse(start)).next().unwrap();
    /// assert_eq!(delta["tool_calls"][0]["id"], "call_7f3a_2");
    /// ```
    #[must_use]
    pub fn ids<G: FnMut(usize) -> String>(self, ids: G) -> DeltaWriter<G> {
        let Deltas { queue, index, complete, cut, .. } = self.deltas;
        DeltaWriter {
            fragments: self.fragments,
            deltas: Deltas { queue, ids, index, complete, cut },
        }
    }

    /// How many bytes of values may be held, as in [`ParamsToJson::hold`](super::ParamsToJson::hold).
    /// Default [`HELD`](super::HELD), 1 MiB.
    #[must_use]
    pub fn hold(mut self, bytes: usize) -> Self {
        self.fragments.hold = bytes;
        self
    }

    /// Takes the next event and gives the deltas it makes: none, one or a few. Those that are not
    /// taken come first the next time.
    pub fn push<S: AsRef<str>>(&mut self, event: Event<S>) -> impl Iterator<Item = Value> {
        self.event(event.as_str());
        self.deltas()
    }

    /// The deltas that were not taken yet, in order.
    pub fn deltas(&mut self) -> impl Iterator<Item = Value> {
        std::iter::from_fn(|| self.deltas.queue.pop_front())
    }

    /// How the answer ended, once the events of [`Parser::finish`] were taken.
    ///
    /// `length` if a call is one that `Message` would not run or the stream ended in a call's opener;
    /// else `tool_calls` if there is a call; else `stop`.
    pub fn finish_reason(&self) -> FinishReason {
        match (self.deltas.cut, self.deltas.complete) {
            (true, _) => FinishReason::Length,
            (false, true) => FinishReason::ToolCalls,
            (false, false) => FinishReason::Stop,
        }
    }
}

impl<F: FnMut(usize) -> String> Sink for DeltaWriter<F> {
    fn event(&mut self, event: Event<&str>) {
        self.fragments.event(event, &mut self.deltas);
    }
}

impl<F: Clone> Clone for DeltaWriter<F> {
    fn clone(&self) -> Self {
        DeltaWriter { fragments: self.fragments.clone(), deltas: self.deltas.clone() }
    }
}

impl<F> fmt::Debug for DeltaWriter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeltaWriter")
            .field("fragments", &self.fragments)
            .field("queue", &self.deltas.queue)
            .finish_non_exhaustive()
    }
}

/// How an answer ended, in OpenAI's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FinishReason {
    /// `tool_calls`: there are calls, all of them whole.
    ToolCalls,
    /// `stop`: there is none.
    Stop,
    /// `length`: the answer was cut off, or a call is broken or has arguments that cannot be read.
    Length,
}

impl FinishReason {
    /// `tool_calls`, `stop`, `length`.
    pub fn as_str(self) -> &'static str {
        match self {
            FinishReason::ToolCalls => "tool_calls",
            FinishReason::Stop => "stop",
            FinishReason::Length => "length",
        }
    }
}

/// A delta as the one element of a chunk's `choices`: with `finish_reason` null, or, behind the
/// last delta, with `{}` and the reason.
///
/// ```
/// use serde_json::json;
/// use toolstream::adapt::openai::{FinishReason, choice};
///
/// assert_eq!(
///     choice(json!({}), Some(FinishReason::Stop)),
///     json!({"index": 0, "delta": {}, "finish_reason": "stop"}),
/// );
/// ```
pub fn choice(delta: Value, finish_reason: Option<FinishReason>) -> Value {
    let finish_reason = finish_reason.map(FinishReason::as_str);
    json!({"index": 0, "delta": delta, "finish_reason": finish_reason})
}

fn default_id(index: usize) -> String {
    format!("call_{index}")
}

/// The sink behind the parameters: from here on there are arguments only.
#[derive(Clone)]
struct Deltas<F> {
    queue: VecDeque<Value>,
    ids: F,
    /// Of the call that is open.
    index: usize,
    /// A call was complete.
    complete: bool,
    /// A call or its opener was cut off, or a call is broken.
    cut: bool,
}

impl<F: FnMut(usize) -> String> Sink for Deltas<F> {
    fn event(&mut self, event: Event<&str>) {
        match event {
            Event::TextContent(text) => self.queue.push_back(json!({"content": text})),
            Event::Reasoning(text) => self.queue.push_back(json!({"reasoning_content": text})),
            Event::ToolUse(tool) => self.tool_use(tool),
            Event::Diagnostic(found) => self.cut |= found.kind.is_cut(),
            Event::Markup(_)
            | Event::AnswerStart
            | Event::Opaque { .. }
            | Event::ToolLimitReached(_) => {}
        }
    }
}

impl<F: FnMut(usize) -> String> Deltas<F> {
    fn tool_use(&mut self, event: ToolUse<&str>) {
        match event {
            ToolUse::Start { index, name, id, .. } => {
                self.index = index;
                let id = id.filter(|id| !id.is_empty()).map(String::from);
                let id = id.unwrap_or_else(|| (self.ids)(index));
                let function = json!({"name": name, "arguments": ""});
                self.call(json!({
                    "index": index, "id": id, "type": "function", "function": function,
                }));
            }
            ToolUse::ArgumentsDelta(fragment) => {
                self.call(json!({"index": self.index, "function": {"arguments": fragment}}));
            }
            ToolUse::End { status: Status::Complete } => self.complete = true,
            ToolUse::End { status: Status::Incomplete(_) } => self.cut = true,
            _ => {}
        }
    }

    fn call(&mut self, call: Value) {
        self.queue.push_back(json!({"tool_calls": [call]}));
    }
}
