//! Native tool-call streams of providers, as the events of the text dialects.
//!
//! Your program decodes the transport (server-sent events, a websocket) and feeds one provider event at a time. The
//! results are the [`Event`]s and the [`Message`] of a [`Parser`]. `[DONE]`, blank data, and event types and keys
//! without a meaning here are ignored. No input of a provider is an error; the worst result is an incomplete call and
//! a diagnostic.
//!
//! ```
//! use toolstream::native::{Provider, Reader};
//! use toolstream::{Ending, Event, Param, Tool, ToolUse};
//!
//! let mut reader = Reader::builder(Provider::OpenAiChat)
//!     .tool(Tool::new("read_file").param(Param::required("path")))
//!     .build()?;
//! let mut message = reader.message();
//! let mut arguments = String::new();
//! for data in [
//!     r#"{"choices": [{"delta": {"content": "Let me look."}}]}"#,
//!     r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "call_7f", "function":
//!         {"name": "read_file", "arguments": "{\"path\": \"src/"}}]}}]}"#,
//!     r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "function":
//!         {"arguments": "lib.rs\"}"}}]}}]}"#,
//!     r#"{"choices": [{"delta": {}, "finish_reason": "stop"}]}"#, // a lie: there is a call
//!     "[DONE]",
//! ] {
//!     for event in reader.feed(data) {
//!         if let Event::ToolUse(ToolUse::ArgumentsDelta(fragment)) = event {
//!             arguments.push_str(fragment); // for a screen
//!         }
//!         message.push(event);
//!     }
//! }
//! for event in reader.finish() {
//!     message.push(event);
//! }
//! message.close();
//!
//! assert_eq!(arguments, r#"{"path": "src/lib.rs"}"#);
//! let call = message.calls().next().unwrap();
//! assert_eq!((call.name(), call.id(), &call.input()["path"]),
//!     ("read_file", Some("call_7f"), &"src/lib.rs".into()));
//! assert_eq!(message.ended(), Ending::ToolUse);
//! # Ok::<(), toolstream::BuildError>(())
//! ```
//!
//! # All providers
//!
//! * **Order.** Calls come one at a time: the fragments of a later call wait for the end of the earlier one, and so
//!   does text during an open call. [`ReaderBuilder::hold`] bounds the waiting bytes.
//! * **Ids** are the provider's. No id is invented: calls have their index.
//! * **Arguments** leave as they come ([`ToolUse::ArgumentsDelta`](crate::ToolUse)), without a provider's
//!   repetitions. Free text for a custom tool is the one parameter `input`.
//! * **The end** is the end of the stream, not the provider's word for it. A truncated answer has the diagnostic
//!   `cut_stream` or `provider_error`, and its [`Message`] is truncated. A stream without a finish reason from the
//!   provider counts as cut, and so does a stream that your program ends with [`Reader::finish_cut`].
//! * **The tool limit** is off by default: these APIs demand an answer to every call.
//!
//! * **Data for the provider**: signatures, encrypted reasoning and the provider's own items are [`Event::Opaque`],
//!   kept at their places in the [`Message`]. [`Message::to_request`] writes the assistant's turn as the provider
//!   wants it in the next request.
//! * **Data about the answer** (id, model, stop reason, usage, the provider's error) is in the [`Envelope`].
//! * **A response without a stream** is read as one event.
//! * **An event of another provider** is the diagnostic `foreign_event`; new event types and keys are not.
//!
//! # Memory
//!
//! A reader keeps the arguments of each call until [`Reader::reset`], to tell repetitions from contradictions.

mod anthropic;
mod assembler;
mod call;
mod chat;
mod envelope;
mod gemini;
mod pieces;
mod reply;
mod request;
mod responses;
mod wire;

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::dialect::Dialect;
use crate::error::BuildError;
use crate::event::{DiagnosticKind, ToolLimitReached};
use crate::message::Message;
use crate::next_call::{CallLimit, LimitBy, NextCall};
use crate::options::{Required, Types};
use crate::parser::Parser;
use crate::parser::tables::Tables;
use crate::parser::tape::{Events, Tape};
use crate::repair::Repairs;
use crate::sink::Sink;
use crate::tool::Tool;

#[cfg(doc)]
use crate::event::Event;

use assembler::text_calls::TextCalls;
use assembler::{Assembler, Output};

pub use crate::provider::Provider;
pub use envelope::{Envelope, ProviderError, Usage};

/// The bytes that may wait while a call is open, unless [`ReaderBuilder::hold`] sets another number.
const HELD: usize = 1024 * 1024;

/// Reader of the stream of one message. A reader is a plain value, like a [`Parser`]: a clone is a snapshot, and
/// cloning a fresh one for the next stream is cheap.
///
/// [`Reader::feed`] returns an iterator, and [`Reader::feed_into`] pushes into a [`Sink`].
#[derive(Clone)]
pub struct Reader {
    provider: Provider,
    core: ReaderCore,
    tape: Tape,
}

/// The reader without its tape.
#[derive(Clone)]
struct ReaderCore {
    assembler: Assembler,
    wire: Wire,
    envelope: Envelope,
    /// An event of another provider came.
    foreign: bool,
    finished: bool,
}

/// The state of a provider's stream.
#[derive(Clone, Debug)]
enum Wire {
    Chat(chat::Chat),
    Responses(responses::Responses),
    Anthropic(anthropic::Anthropic),
    Gemini(gemini::Gemini),
}

impl Wire {
    fn provider(&self) -> Provider {
        match self {
            Wire::Chat(_) => Provider::OpenAiChat,
            Wire::Responses(_) => Provider::OpenAiResponses,
            Wire::Anthropic(_) => Provider::Anthropic,
            Wire::Gemini(_) => Provider::Gemini,
        }
    }

    /// Whether an event may belong to this provider.
    fn is_own(&self, event: &Value) -> bool {
        let is_own = match self {
            Wire::Chat(_) => chat::Chat::is_own,
            Wire::Responses(_) => responses::Responses::is_own,
            Wire::Anthropic(_) => anthropic::Anthropic::is_own,
            Wire::Gemini(_) => gemini::Gemini::is_own,
        };
        // Gateways keep connections open with these.
        is_own(event) || wire::filled(event, "type") == Some("ping")
    }
}

impl Reader {
    /// Returns a builder for a reader of this provider, with no tools and no limit.
    pub fn builder(provider: Provider) -> ReaderBuilder {
        ReaderBuilder {
            provider,
            tools: Vec::new(),
            tool_limit: None,
            required: None,
            chaining_tools: None,
            limit_by: None,
            repairs: None,
            types: None,
            text: None,
            hold: HELD,
        }
    }

    /// Returns the provider of the stream.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// Reads one provider event as JSON text (the data of a server-sent event), a string or its bytes, and returns
    /// its events. It is consumed even if the iterator is dropped.
    ///
    /// Invalid UTF-8 becomes U+FFFD, with the diagnostic `invalid_utf8`. Text that is not JSON is a lost event:
    /// `provider_error`. After [`Reader::finish`] or [`Reader::finish_cut`], and after `ToolLimitReached`, input is
    /// ignored.
    pub fn feed(&mut self, data: impl AsRef<[u8]>) -> Events<'_> {
        self.core.feed_bytes(data.as_ref(), &mut self.tape.record(""));
        self.tape.play("")
    }

    /// Reads one provider event that is a JSON value.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::Event;
    /// use toolstream::native::{Provider, Reader};
    ///
    /// let mut reader = Reader::builder(Provider::Gemini).build()?;
    /// let event = json!({"candidates": [{"content": {"parts": [{"text": "Hi"}]}}]});
    /// assert_eq!(reader.feed_value(&event).next(), Some(Event::TextContent("Hi")));
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn feed_value(&mut self, event: &Value) -> Events<'_> {
        self.core.feed_value(event, &mut self.tape.record(""));
        self.tape.play("")
    }

    /// Ends the stream: waiting events leave, and open calls end.
    ///
    /// The provider's own word decides how. The message is truncated if the provider did not end it, cut its answer,
    /// or reported an error. If your program knows more (the connection was lost), call [`Reader::finish_cut`].
    #[must_use = "the events are in it"]
    pub fn finish(&mut self) -> Events<'_> {
        self.core.finish(false, &mut self.tape.record(""));
        self.tape.play("")
    }

    /// Ends a stream that was cut: waiting events leave, and open calls end.
    ///
    /// The message is truncated, with the diagnostic `cut_stream`, unless the limit was raised before; the provider's
    /// own word does not matter. A call is complete only if its JSON is whole, or the provider closed it.
    ///
    /// ```
    /// use toolstream::native::{Provider, Reader};
    /// use toolstream::{Ending, Tool};
    ///
    /// let mut reader = Reader::builder(Provider::OpenAiChat).tool(Tool::new("list")).build()?;
    /// let mut message = reader.message();
    /// for data in [
    ///     r#"{"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "list"}}]}}]}"#,
    ///     r#"{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}"#,
    /// ] {
    ///     reader.feed(data).for_each(|event| message.push(event));
    /// }
    /// // The connection was lost before `[DONE]`: perhaps the arguments were, too.
    /// reader.finish_cut().for_each(|event| message.push(event));
    /// message.close();
    /// assert_eq!((message.ended(), message.calls().count()), (Ending::Truncated, 0));
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    #[must_use = "the events are in it"]
    pub fn finish_cut(&mut self) -> Events<'_> {
        self.core.finish(true, &mut self.tape.record(""));
        self.tape.play("")
    }

    /// Does the work of [`Reader::feed`] for a sink.
    pub fn feed_into<S: Sink>(&mut self, data: impl AsRef<[u8]>, sink: &mut S) {
        self.core.feed_bytes(data.as_ref(), sink);
    }

    /// Does the work of [`Reader::feed_value`] for a sink.
    pub fn feed_value_into<S: Sink>(&mut self, event: &Value, sink: &mut S) {
        self.core.feed_value(event, sink);
    }

    /// Does the work of [`Reader::finish`] for a sink.
    pub fn finish_into<S: Sink>(&mut self, sink: &mut S) {
        self.core.finish(false, sink);
    }

    /// Does the work of [`Reader::finish_cut`] for a sink.
    pub fn finish_cut_into<S: Sink>(&mut self, sink: &mut S) {
        self.core.finish(true, sink);
    }

    /// Returns an empty message for the events of this reader.
    pub fn message(&self) -> Message {
        Message::of_provider(Arc::clone(&self.core.assembler.tables), self.provider)
    }

    pub(crate) fn tables(&self) -> &Arc<Tables> {
        &self.core.assembler.tables
    }

    /// Returns the parser of the calls in the text.
    pub(crate) fn text_parser(&self) -> Option<&Parser> {
        self.core.assembler.text.as_ref().map(|text| text.parser())
    }

    /// Resets the reader to a fresh one.
    pub fn reset(&mut self) {
        let Assembler { tables, most, text, .. } = &self.core.assembler;
        let text = text.as_ref().map(|_| TextCalls::new(Parser::of_tables(Arc::clone(tables))));
        self.core = ReaderCore::new(self.provider, Assembler::new(Arc::clone(tables), *most, text));
    }

    /// Returns the number of bytes that have left in slices: text, reasoning and arguments. Offsets count these
    /// bytes.
    pub fn position(&self) -> usize {
        self.core.assembler.limit.passed
    }

    /// Returns the number of bytes that wait, for the end of an open call or for their call's name, and of the bytes
    /// of the text that may be part of a marker.
    pub fn held(&self) -> usize {
        let Assembler { held, text, .. } = &self.core.assembler;
        held + text.as_ref().map_or(0, |text| text.held())
    }

    /// Returns the provider's data about its answer so far: id, model, stop reason, usage, an error.
    pub fn envelope(&self) -> &Envelope {
        &self.core.envelope
    }

    /// Returns the surplus call as an error, if the limit was raised: for `reader.limit_reached()?` in a stream loop.
    ///
    /// # Errors
    /// [`ToolLimitReached`], once the event of that name was emitted.
    pub fn limit_reached(&self) -> Result<(), ToolLimitReached> {
        self.core.assembler.limit.surplus().map_or(Ok(()), Err)
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("provider", &self.provider)
            .field("position", &self.position())
            .field("held", &self.held())
            .field("wire", &self.core.wire)
            .finish_non_exhaustive()
    }
}

/// Builder of a [`Reader`].
///
/// ```
/// use toolstream::Tool;
/// use toolstream::native::{Provider, Reader};
///
/// let reader = Reader::builder(Provider::Gemini).tool(Tool::new("list")).tool_limit(3).build()?;
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it builds nothing before `build`"]
pub struct ReaderBuilder {
    provider: Provider,
    tools: Vec<Tool>,
    /// `None`: the parser of the text decides, if there is one, or else the default.
    tool_limit: Option<Option<usize>>,
    repairs: Option<Repairs>,
    types: Option<Types>,
    required: Option<Required>,
    chaining_tools: Option<Vec<String>>,
    limit_by: Option<LimitBy>,
    text: Option<Parser>,
    hold: usize,
}

impl ReaderBuilder {
    /// Declares a tool.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Declares several tools.
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Reads the answer's text with this parser: for a server that leaves the calls in the text, as its model writes
    /// them.
    ///
    /// The provider's own reasoning and calls keep their meaning. The parser's tools, limit and options count for
    /// all. The builder adds its tools, and its limit and repairs replace the parser's. Collect with
    /// [`Reader::message`], not with that of the parser. The provider decides how the stream ended: a finish reason
    /// like `length`, or none, means [`Parser::finish_cut`].
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::native::{Provider, Reader};
    /// use toolstream::{Dialect, Ending, Parser};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).build()?;
    /// let mut reader = Reader::builder(Provider::OpenAiChat).text_calls(parser).build()?;
    /// let mut message = reader.message();
    /// for (delta, reason) in [
    ///     (json!({"reasoning_content": "Look."}), None),
    ///     (json!({"content": "I look.\n<tool_"}), None),
    ///     (json!({"content": "call>{\"name\": \"list\", \"arguments\": {}}</tool_call>"}), None),
    ///     (json!({}), Some("stop")),
    /// ] {
    ///     let chunk = json!({"choices": [{"delta": delta, "finish_reason": reason}]});
    ///     reader.feed_value(&chunk).for_each(|event| message.push(event));
    /// }
    /// reader.finish().for_each(|event| message.push(event));
    /// message.close();
    /// assert_eq!((message.text(), message.ended()), ("I look.\n".into(), Ending::ToolUse));
    /// assert_eq!(message.calls().next().unwrap().name(), "list");
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn text_calls(mut self, parser: Parser) -> Self {
        self.text = Some(parser);
        self
    }

    /// Sets the number of calls that one message may hold; `None`: any number. Default: `None`; with
    /// [`ReaderBuilder::text_calls`] that of its parser.
    pub fn tool_limit(mut self, limit: impl Into<Option<usize>>) -> Self {
        self.tool_limit = Some(limit.into());
        self
    }

    /// Asks `ask` before each call whether it may open, as [`ParserBuilder::limit_by`](crate::ParserBuilder::limit_by).
    pub fn limit_by(
        mut self,
        ask: impl Fn(NextCall<'_>) -> CallLimit + Send + Sync + 'static,
    ) -> Self {
        self.limit_by = Some(LimitBy::new(ask));
        self
    }

    /// Sets the tools whose calls may follow each other in one message; a call of any other tool comes alone. The
    /// providers demand an answer to every call: those behind the limit are in no history of ours.
    pub fn chaining_tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.chaining_tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether a call that lacks a required argument may run. Default: it may, and the lack is reported.
    pub fn required(mut self, required: Required) -> Self {
        self.required = Some(required);
        self
    }

    /// Sets whether [`Message`] repairs JSON that is not quite JSON. Default: it does, and reports it.
    pub fn repairs(mut self, repairs: Repairs) -> Self {
        self.repairs = Some(repairs);
        self
    }

    /// Sets the treatment of a value of a type that its schema does not allow. Default: it is reported.
    pub fn types(mut self, types: Types) -> Self {
        self.types = Some(types);
        self
    }

    /// Sets the number of bytes that may wait while a call is open. Beyond it the call is broken (`limit_exceeded`),
    /// and the waiting events leave. Default: 1 MiB.
    pub fn hold(mut self, bytes: usize) -> Self {
        self.hold = bytes;
        self
    }

    /// Checks the tools and the limit.
    ///
    /// # Errors
    /// [`BuildError`] for an invalid configuration: a limit of 0, a name that is empty, too long or declared
    /// twice.
    pub fn build(self) -> Result<Reader, BuildError> {
        // Without text calls only the tools and options of the tables are read. So any dialect will do whose
        // names are free and whose values stay as they are.
        let parser = match &self.text {
            Some(parser) => parser.to_builder(),
            None => Parser::builder(Dialect::HERMES).tool_limit(None),
        };
        let mut parser = parser.tools(self.tools);
        if let Some(limit) = self.tool_limit {
            parser = parser.tool_limit(limit);
        }
        if let Some(types) = self.types {
            parser.options.types = types;
        }
        if let Some(required) = self.required {
            parser.options.required = required;
        }
        if let Some(names) = self.chaining_tools {
            parser.options.chaining_tools = names;
        }
        if self.limit_by.is_some() {
            parser.limit_by = self.limit_by;
        }
        if let Some(repairs) = self.repairs {
            parser.options.repairs = repairs;
        }
        let parser = parser.build()?;
        let tables = Arc::clone(parser.tables());
        let text = self.text.map(|_| TextCalls::new(parser));
        let core = ReaderCore::new(self.provider, Assembler::new(tables, self.hold, text));
        Ok(Reader { provider: self.provider, core, tape: Tape::default() })
    }
}

impl ReaderCore {
    fn new(provider: Provider, assembler: Assembler) -> ReaderCore {
        let wire = match provider {
            Provider::OpenAiChat => Wire::Chat(Default::default()),
            Provider::OpenAiResponses => Wire::Responses(Default::default()),
            Provider::Anthropic => Wire::Anthropic(Default::default()),
            Provider::Gemini => Wire::Gemini(Default::default()),
        };
        ReaderCore {
            assembler,
            wire,
            envelope: Envelope::default(),
            foreign: false,
            finished: false,
        }
    }

    fn feed<S: Sink>(&mut self, data: &str, sink: &mut S) {
        let data = data.trim_start_matches('\u{feff}').trim();
        if self.finished || data.is_empty() || data == "[DONE]" {
            return;
        }
        match serde_json::from_str(data) {
            Ok(event) => self.feed_value(&event, sink),
            Err(_) => {
                self.envelope.no_json(data);
                self.output(sink).1.error();
            }
        }
    }

    fn feed_bytes<S: Sink>(&mut self, data: &[u8], sink: &mut S) {
        let text = String::from_utf8_lossy(data);
        if std::str::from_utf8(data).is_err() && !self.finished {
            self.output(sink).1.diagnostic(DiagnosticKind::InvalidUtf8);
        }
        self.feed(&text, sink);
    }

    fn feed_value<S: Sink>(&mut self, event: &Value, sink: &mut S) {
        // Gemini's stream that is not one of server-sent events is a list.
        if let Value::Array(events) = event {
            return events.iter().for_each(|event| self.event(event, sink));
        }
        self.event(event, sink);
    }

    fn event<S: Sink>(&mut self, event: &Value, sink: &mut S) {
        let says_nothing = event.as_object().is_none_or(|event| event.is_empty());
        if self.finished || says_nothing {
            return;
        }
        self.envelope.read(self.wire.provider(), event);
        let (wire, mut output) = self.output(sink);
        if envelope::error_in(event).is_some() {
            output.error();
        } else if !wire.is_own(event) {
            return self.foreign(sink);
        }
        match wire {
            Wire::Chat(chat) => chat.event(event, &mut output),
            Wire::Responses(responses) => responses.event(event, &mut output),
            Wire::Anthropic(anthropic) => anthropic.event(event, &mut output),
            Wire::Gemini(gemini) => gemini.event(event, &mut output),
        }
    }

    /// Reports an event of another provider's stream. One report is enough.
    fn foreign<S: Sink>(&mut self, sink: &mut S) {
        if !std::mem::replace(&mut self.foreign, true) {
            self.output(sink).1.diagnostic(DiagnosticKind::ForeignEvent);
        }
    }

    fn finish<S: Sink>(&mut self, cut: bool, sink: &mut S) {
        if std::mem::replace(&mut self.finished, true) {
            return;
        }
        let (wire, mut output) = self.output(sink);
        if cut {
            output.breaks_off();
        }
        match wire {
            Wire::Anthropic(anthropic) => anthropic.finish(&mut output),
            Wire::Gemini(gemini) => gemini.finish(&mut output),
            Wire::Chat(_) | Wire::Responses(_) => {}
        }
        output.finish();
    }

    fn output<'a, S: Sink>(&'a mut self, sink: &'a mut S) -> (&'a mut Wire, Output<'a>) {
        (&mut self.wire, Output { state: &mut self.assembler, sink })
    }
}
