//! OpenAI's chat completions: [`DeltaWriter`] writes events as the `delta` objects of a stream, and [`completion`]
//! writes a whole message.
//!
//! ```text
//! TextContent     {"content": TEXT}
//! Reasoning       {"reasoning_content": TEXT}
//! Start           {"tool_calls": [{"index": N, "id": ID, "type": "function",
//!                                  "function": {"name": NAME, "arguments": ""}}]}
//! ArgumentsDelta  {"tool_calls": [{"index": N, "function": {"arguments": FRAGMENT}}]}
//! the end         finish_reason: "tool_calls" | "stop" | "length"
//! ```
//! Other events have no delta. `reasoning_content` is not OpenAI's own: DeepSeek and most clients of such servers use
//! the name. vLLM and OpenRouter use `reasoning`: see [`ReasoningKey`].

use std::collections::VecDeque;
use std::fmt;

use serde_json::{Value, json};

use super::calls::{Broken, BrokenCall, Calls, OnCut};
use super::delta::{Delta, Deltas};
use crate::event::Event;
use crate::message::{IncompleteReason, Message};
use crate::native;
use crate::parser::Parser;
use crate::sink::Sink;

/// Writer of `delta` objects for the events of one message, of any dialect.
///
/// A client reads from them what [`Message`] reads from the events. Joined, the arguments of a call that may run are
/// the JSON of its [`input`](crate::CompleteCall::input). Those of another call are no JSON, but the beginning of an
/// object that never ends; [`DeltaWriter::broken`] lists such calls.
///
/// ```
/// use serde_json::json;
/// use toolstream::adapt::openai::DeltaWriter;
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
/// assert_eq!(writer.finish_reason(), "tool_calls");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
///
/// A writer is also a [`Sink`]: after `parser.feed_into(chunk, &mut writer)`, [`DeltaWriter::deltas`] takes the
/// deltas. Your program, which has the clock and the names, writes the object around a delta; [`choice`] makes the
/// innermost layer of it:
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
/// # The content of deltas
///
/// * **arguments**: parameters become the members of an object, with the types of the tool's schema; arguments that
///   are nearly JSON are repaired ([`repair`](crate::repair)). Both leave while they come: strings piece by piece,
///   numbers and words at their ends, the last brace at the call's end. Some values wait until they are whole: those
///   of a schema with other types than string, and lists whose elements come one by one. [`DeltaWriter::hold`] bounds
///   them. [`DeltaWriter::verbatim_arguments`] is the other way.
/// * **ids**: the wire's own if it stands in front of the call; otherwise the result of your function for the call's
///   index ([`DeltaWriter::ids`]), by default `call_0`, `call_1` and so on. An id that the wire names late
///   ([`ToolUse::Id`](crate::ToolUse)) comes too late: clients join strings, or keep the first.
/// * **a truncated call** has gone out as far as it came, and nothing takes that back. By the protocol's rules a
///   client must check the calls of an answer that ended with `length` before it runs them. [`DeltaWriter::calls`]
///   makes calls wait until they may run.
/// * **a broken call** goes out with its readable arguments, and behind them a comma and an unmatched bracket. The
///   finish reason is `tool_calls`; the client answers the call with an error, and the model tries again.
///   [`DeltaWriter::broken_as`] is the other way.
/// * **white space** that only shows where a call or reasoning stood is left out: in front of the first text, between
///   two calls, after the last one ([`DeltaWriter::verbatim_content`] keeps it). A run of more than 256 bytes is not
///   held.
/// * **the tool limit**: the surplus call is in no delta; `finish_reason` is `tool_calls`.
pub struct DeltaWriter<F = fn(usize) -> String> {
    deltas: Deltas,
    objects: Objects<F>,
}

impl DeltaWriter {
    /// Makes a writer for the events of this parser.
    pub fn new(parser: &Parser) -> Self {
        DeltaWriter::with_deltas(Deltas::new(parser))
    }

    /// Makes a writer for the events of this reader of a provider's stream.
    pub fn for_reader(reader: &native::Reader) -> Self {
        DeltaWriter::with_deltas(Deltas::for_reader(reader))
    }

    /// Makes a writer for events of another origin: without schemas, all parameters are strings.
    pub fn untyped() -> Self {
        DeltaWriter::with_deltas(Deltas::untyped())
    }

    fn with_deltas(deltas: Deltas) -> Self {
        DeltaWriter { deltas, objects: Objects::new(default_id) }
    }
}

/// The names under which the reasoning goes out. OpenAI's own protocol has none.
///
/// ```
/// use serde_json::json;
/// use toolstream::Event;
/// use toolstream::adapt::openai::{DeltaWriter, ReasoningKey};
///
/// let mut writer = DeltaWriter::untyped().reasoning_key(ReasoningKey::Both);
/// let delta = writer.push(Event::Reasoning("Hm.")).next().unwrap();
/// assert_eq!(delta, json!({"reasoning_content": "Hm.", "reasoning": "Hm."}));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReasoningKey {
    /// `reasoning_content`, the name of DeepSeek and most clients.
    #[default]
    Content,
    /// `reasoning`, the name of vLLM and OpenRouter.
    Reasoning,
    /// Both names, for unknown clients.
    Both,
    /// No name: the reasoning is not sent.
    None,
}

impl ReasoningKey {
    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            ReasoningKey::Content => &["reasoning_content"],
            ReasoningKey::Reasoning => &["reasoning"],
            ReasoningKey::Both => &["reasoning_content", "reasoning"],
            ReasoningKey::None => &[],
        }
    }

    /// Adds the reasoning, if there is some.
    pub(crate) fn put(self, object: &mut Value, reasoning: &str) {
        for key in self.keys().iter().filter(|_| !reasoning.is_empty()) {
            object[*key] = reasoning.into();
        }
    }
}

impl<F: FnMut(usize) -> String> DeltaWriter<F> {
    /// Sets the names under which the reasoning goes out. Default: [`ReasoningKey::Content`].
    #[must_use]
    pub fn reasoning_key(mut self, key: ReasoningKey) -> Self {
        self.objects.reasoning = key;
        self
    }

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
        let Objects { queue, reasoning, calls, .. } = self.objects;
        DeltaWriter { deltas: self.deltas, objects: Objects { queue, ids, reasoning, calls } }
    }

    /// Sends arguments that the model wrote as JSON, or as nearly JSON, as they come. Call it before the first event.
    ///
    /// By default they are written anew: the result is a JSON object if the call may run, and never reads as one if
    /// it may not. The model's own text may need a repair, and that of a truncated call may look whole: only
    /// [`DeltaWriter::broken`] and the finish reason show it. Behind the arguments of a broken call stand a comma and
    /// a bracket here, too.
    ///
    /// ```
    /// use toolstream::adapt::openai::DeltaWriter;
    /// use toolstream::{Dialect, Parser};
    ///
    /// let mut parser = Parser::builder(Dialect::HERMES).build()?;
    /// let said = "<tool_call>{\"name\": \"list\", \"arguments\": {'all': True,}}</tool_call>";
    /// let (valid, verbatim) = (DeltaWriter::new(&parser), DeltaWriter::new(&parser).verbatim_arguments());
    /// for (mut writer, sent) in [(valid, "{\"all\":true}"), (verbatim, "{'all': True,}")] {
    ///     parser.feed_into(said, &mut writer);
    ///     parser.finish_into(&mut writer);
    ///     let fragment = |delta: serde_json::Value| {
    ///         delta["tool_calls"][0]["function"]["arguments"].as_str().map(String::from)
    ///     };
    ///     assert_eq!(writer.deltas().filter_map(fragment).collect::<String>(), sent);
    ///     assert_eq!(writer.finish_reason(), "tool_calls");
    ///     parser.reset();
    /// }
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    #[must_use]
    pub fn verbatim_arguments(mut self) -> Self {
        self.deltas = self.deltas.verbatim_arguments();
        self
    }

    /// Sends all visible text as it is, also white space next to calls.
    #[must_use]
    pub fn verbatim_content(mut self) -> Self {
        self.deltas = self.deltas.verbatim_content();
        self
    }

    /// Sets how many bytes of a call's arguments may be held, as in
    /// [`ParamsToJson::hold`](super::ParamsToJson::hold); a number may have as many. A call that needs more is
    /// broken. Default: 1 MiB.
    #[must_use]
    pub fn hold(mut self, bytes: usize) -> Self {
        self.deltas = self.deltas.hold(bytes);
        self
    }

    /// Sets how a broken call reaches the client. Default: [`Broken::Call`].
    #[must_use]
    pub fn broken_as(mut self, broken: Broken) -> Self {
        self.deltas = self.deltas.broken_as(broken);
        self
    }

    /// Sets when a call is sent. Default: [`Calls::AsTheyCome`].
    #[must_use]
    pub fn calls(mut self, calls: Calls) -> Self {
        self.deltas = self.deltas.calls(calls);
        self
    }

    /// Sets whether the whole calls of a cut message may run. Default: [`OnCut::Keep`]. Under
    /// [`OnCut::RefuseAll`] calls leave with [`DeltaWriter::finish`].
    #[must_use]
    pub fn on_cut(mut self, on_cut: OnCut) -> Self {
        self.deltas = self.deltas.on_cut(on_cut);
        self
    }

    /// Takes the next event and returns its deltas: none, one or a few. Deltas that are not taken come first the next
    /// time.
    pub fn push<S: AsRef<str>>(&mut self, event: Event<S>) -> impl Iterator<Item = Value> {
        self.event(event.as_str());
        self.deltas()
    }

    /// Ends the answer, and returns the deltas that waited for it. Call it after the events of [`Parser::finish`]
    /// where all calls wait ([`OnCut::RefuseAll`]); elsewhere it returns deltas only for a call without an end.
    pub fn finish(&mut self) -> impl Iterator<Item = Value> {
        let DeltaWriter { deltas, objects } = self;
        deltas.finish(&mut |delta| objects.delta(delta));
        self.deltas()
    }

    /// Returns the deltas that were not taken yet, in order.
    pub fn deltas(&mut self) -> impl Iterator<Item = Value> {
        std::iter::from_fn(|| self.objects.queue.pop_front())
    }

    /// Returns the calls that must not run, by their index: those that are
    /// [`Block::Incomplete`](crate::Block::Incomplete) in [`Message`], and those that exceed the bound of held bytes.
    /// A call is among them once it has ended.
    pub fn broken(&self) -> &[usize] {
        self.deltas.broken()
    }

    /// Returns how the answer ended, in OpenAI's words, once the events of [`Parser::finish`] were taken.
    ///
    /// `length` if the stream was cut, or ended in a call; else `tool_calls` if the client got a call to answer, be
    /// it with an error; else `stop`.
    pub fn finish_reason(&self) -> &'static str {
        finish_reason(&self.deltas)
    }

    /// Returns the calls that the model ended and that may not run, with the reasons: for a message to the client.
    pub fn broken_calls(&self) -> &[BrokenCall] {
        self.deltas.broken_calls()
    }
}

impl<F: FnMut(usize) -> String> Sink for DeltaWriter<F> {
    fn event(&mut self, event: Event<&str>) {
        let DeltaWriter { deltas, objects } = self;
        deltas.push(event, &mut |delta| objects.delta(delta));
    }
}

impl<F: Clone> Clone for DeltaWriter<F> {
    fn clone(&self) -> Self {
        DeltaWriter { deltas: self.deltas.clone(), objects: self.objects.clone() }
    }
}

impl<F> fmt::Debug for DeltaWriter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeltaWriter")
            .field("deltas", &self.deltas)
            .field("queue", &self.objects.queue)
            .finish_non_exhaustive()
    }
}

fn finish_reason(deltas: &Deltas) -> &'static str {
    match (deltas.is_cut(), deltas.expects_results()) {
        (true, _) => "length",
        (false, true) => "tool_calls",
        (false, false) => "stop",
    }
}

/// Wraps a delta as the one element of a chunk's `choices`: with `finish_reason` null, or, after the last delta, with
/// `{}` and the reason ([`DeltaWriter::finish_reason`]).
///
/// ```
/// use serde_json::json;
/// use toolstream::adapt::openai::choice;
///
/// assert_eq!(
///     choice(json!({}), Some("stop")),
///     json!({"index": 0, "delta": {}, "finish_reason": "stop"}),
/// );
/// ```
pub fn choice(delta: Value, finish_reason: Option<&str>) -> Value {
    json!({"index": 0, "delta": delta, "finish_reason": finish_reason})
}

/// Writes a whole message as the answer to a request without a stream. Your program adds `id`, `created` and `model`.
/// `ids` names the calls that the wire does not name, by their index, as in [`DeltaWriter::ids`].
///
/// The message agrees with the deltas of these events, with two exceptions. A truncated call is left out, and the
/// arguments of a broken call are `{,]`, which is no JSON. White space is left out as [`DeltaWriter`] leaves it out.
///
/// ```
/// use serde_json::json;
/// use toolstream::adapt::openai::{ReasoningKey, completion};
/// use toolstream::{Dialect, Parser};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// let message = parser.parse("<tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>\n");
/// let ids = |index| format!("call_7f3a_{index}");
/// let mut answer = completion(&message, ids, ReasoningKey::default());
/// assert_eq!(answer["choices"][0], json!({
///     "index": 0,
///     "message": {"role": "assistant", "content": null, "tool_calls": [
///         {"id": "call_7f3a_0", "type": "function",
///             "function": {"name": "list", "arguments": "{}"}},
///     ]},
///     "finish_reason": "tool_calls",
/// }));
/// answer["id"] = json!("chatcmpl-1");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
pub fn completion(
    message: &Message,
    mut ids: impl FnMut(usize) -> String,
    reasoning: ReasoningKey,
) -> Value {
    let (mut deltas, mut calls) = (Deltas::untyped(), Vec::new());
    let (mut content, mut thought) = (String::new(), String::new());
    deltas.push_message(message, &mut |delta| match delta {
        Delta::Content(text) => content.push_str(text),
        Delta::Reasoning(text) => thought.push_str(text),
        Delta::Call { index, name, id } => {
            let id = id.map_or_else(|| ids(index), String::from);
            let function = json!({"name": name, "arguments": ""});
            calls.push(json!({"id": id, "type": "function", "function": function}));
        }
        Delta::Arguments(arguments) => {
            let call = calls.last_mut().into_iter();
            call.for_each(|call| call["function"]["arguments"] = arguments.into());
        }
        Delta::CallEnd { reason: Some(IncompleteReason::Cut), .. } => drop(calls.pop()),
        Delta::CallEnd { .. } => {}
    });
    let reason = finish_reason(&deltas);
    let content = Some(content).filter(|text| !text.is_empty());
    let mut answer = json!({"role": "assistant", "content": content});
    reasoning.put(&mut answer, &thought);
    if !calls.is_empty() {
        answer["tool_calls"] = calls.into();
    }
    let mut choice = json!({"index": 0, "message": answer, "finish_reason": reason});
    if !deltas.broken_calls().is_empty() {
        choice["broken_calls"] = json!(deltas.broken_calls());
    }
    json!({"object": "chat.completion", "choices": [choice]})
}

fn default_id(index: usize) -> String {
    format!("call_{index}")
}

/// The deltas as objects.
#[derive(Clone)]
struct Objects<F> {
    queue: VecDeque<Value>,
    ids: F,
    reasoning: ReasoningKey,
    /// The number of calls so far: for clients the place in this list counts.
    calls: usize,
}

impl<F: FnMut(usize) -> String> Objects<F> {
    fn new(ids: F) -> Objects<F> {
        let (queue, reasoning, calls) = Default::default();
        Objects { queue, ids, reasoning, calls }
    }

    fn delta(&mut self, delta: Delta<'_>) {
        match delta {
            Delta::Content(text) => self.queue.push_back(json!({"content": text})),
            Delta::Reasoning(text) => {
                let mut delta = json!({});
                self.reasoning.put(&mut delta, text);
                if delta != json!({}) {
                    self.queue.push_back(delta);
                }
            }
            Delta::Call { index, name, id } => {
                let number = self.calls;
                self.calls += 1;
                let id = id.map_or_else(|| (self.ids)(index), String::from);
                let function = json!({"name": name, "arguments": ""});
                self.call(json!({
                    "index": number, "id": id, "type": "function", "function": function,
                }));
            }
            Delta::Arguments(fragment) => {
                let number = self.calls.saturating_sub(1);
                self.call(json!({"index": number, "function": {"arguments": fragment}}));
            }
            Delta::CallEnd { .. } => {}
        }
    }

    fn call(&mut self, call: Value) {
        self.queue.push_back(json!({"tool_calls": [call]}));
    }
}
