//! [`Reply`]: a parser, or a reader of a provider's stream, with the message that it makes.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
#[cfg(feature = "policy")]
use std::sync::Arc;

#[cfg(feature = "stream")]
use bytes::Bytes;

use crate::event::{DiagnosticKind, Event, NATIVE, ToolLimitReached, ToolUse};
use crate::marker::Marker;
use crate::message::{Message, PartialCall};
use crate::native::Envelope;
use crate::parser::Parser;
#[cfg(feature = "policy")]
use crate::parser::tables::Tables;
use crate::parser::tape::Events;
#[cfg(feature = "stream")]
use crate::parser::utf8_bytes::Utf8Bytes;
#[cfg(feature = "policy")]
use crate::provider::Provider;
use crate::sink::Sink;

/// A model's reply while it arrives: a [`Parser`], or the [`Reader`](crate::native::Reader) of a provider's stream, with
/// the [`Message`] of its events and the text. A program feeds and ends one value.
///
/// ```
/// use toolstream::{Dialect, Ending, Event, Param, Parser, Tool};
///
/// let read = Tool::new("read").param(Param::required("path"));
/// let parser = Parser::builder(Dialect::CLINE).tool(read).build()?;
///
/// let mut reply = parser.reply();
/// for chunk in ["I look.\n<read><pa", "th>a.rs</path></read>"] {
///     // The events are for a screen; drop them, and nothing is lost.
///     for event in reply.feed(chunk) {
///         if let Event::TextContent(text) = event { print!("{text}") }
///     }
/// }
/// reply.finish().for_each(drop);
/// let message = reply.into_message();
/// assert_eq!((message.ended(), message.has_calls()), (Ending::ToolUse, true));
///
/// // A reply that was not ended was cut.
/// let mut reply = parser.reply();
/// reply.feed("<read><path>a.r").for_each(drop);
/// assert_eq!(reply.into_message().ended(), Ending::Truncated);
///
/// // A surplus call is in no message and in no history.
/// use toolstream::calls::CallLimit;
/// let alone = Parser::builder(Dialect::HERMES).limit_by(|call| match call.name {
///     "write" if call.index > 0 => CallLimit::Stop,
///     _ => CallLimit::Allow,
/// });
/// let mut reply = alone.build()?.reply();
/// for chunk in [r#"<tool_call>{"name": "list", "arguments": {}}</tool_call>"#, "\n<tool_call>{\"name\": \"wri", "te\""] {
///     reply.feed(chunk).for_each(drop);
/// }
/// assert!(reply.is_over()); // stop reading
/// assert_eq!(reply.said(), "<tool_call>{\"name\": \"list\", \"arguments\": {}}</tool_call>\n");
/// assert_eq!(reply.into_message().ended(), Ending::ToolLimitReached);
///
/// // Of a provider's stream a chunk is one event, as JSON.
/// use toolstream::native::{Provider, Reader};
/// let mut reply = Reader::builder(Provider::Gemini).build()?.reply();
/// reply.feed(r#"{"candidates": [{"content": {"parts": [{"text": "Hi."}]}}]}"#).for_each(drop);
/// assert_eq!(reply.message().text(), "Hi.");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reply {
    source: ReplySource,
    noted: Noted,
    ended: bool,
}

/// The state that the chunks have produced.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    message: Message,
    /// The joined slices of the model's turn in the history.
    said: String,
    /// The number of bytes of all slices.
    passed: usize,
    /// The place in `said` where the model begins to invent a result, a step or an answer.
    invented: Option<usize>,
    /// The slices that belong to `said`: for a parser all of them, which are the chunks; for a reader those of
    /// its text.
    keeps: Keeps,
    /// A native call is open.
    in_native: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    All,
    /// The text without its calls' markup: no parser reads calls in it.
    Text,
    /// The text with the calls in it.
    TextCalls,
}

/// The reader of the chunks.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a parser's reply, which most are, costs no allocation"
)]
pub(crate) enum ReplySource {
    Text(Parser),
    Native(Box<dyn NativeReader>),
}

/// The [`Reader`](crate::native::Reader) of a provider's stream, as a reply uses it. It is behind a trait, so a
/// program that only parses text links no provider's adapter.
pub(crate) trait NativeReader:
    fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe
{
    fn feed(&mut self, data: &[u8]) -> Events<'_>;
    fn finish(&mut self, cut: bool) -> Events<'_>;
    /// Reads an event, and pushes its events into the reply, too.
    fn feed_both(&mut self, data: &[u8], noted: &mut Noted) -> Events<'_>;
    /// Ends the stream, and pushes the events into the reply, too.
    fn finish_both(&mut self, cut: bool, noted: &mut Noted) -> Events<'_>;
    fn limit_reached(&self) -> Result<(), ToolLimitReached>;
    fn envelope(&self) -> &Envelope;
    fn boxed(&self) -> Box<dyn NativeReader>;
    #[cfg(feature = "policy")]
    fn reply(&self) -> Reply;
    #[cfg(feature = "policy")]
    fn tables(&self) -> &Arc<Tables>;
    #[cfg(feature = "policy")]
    fn provider(&self) -> Provider;
    /// Returns the parser of the calls in the text, if there is one.
    #[cfg(feature = "policy")]
    fn text_parser(&self) -> Option<&Parser>;
}

impl Clone for Box<dyn NativeReader> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

impl Parser {
    /// Returns an empty reply, with a fresh parser of this kind.
    #[must_use]
    pub fn reply(&self) -> Reply {
        let mut parser = self.clone();
        parser.reset();
        Reply::new(parser.message(), Keeps::All, ReplySource::Text(parser))
    }
}

/// Makes a reply, as [`Parser::reply`] does.
impl From<Parser> for Reply {
    fn from(parser: Parser) -> Self {
        parser.reply()
    }
}

impl Reply {
    /// Makes the empty reply of a provider's reader.
    pub(crate) fn native(message: Message, keeps: Keeps, reader: Box<dyn NativeReader>) -> Reply {
        Reply::new(message, keeps, ReplySource::Native(reader))
    }

    fn new(message: Message, keeps: Keeps, source: ReplySource) -> Reply {
        let said = String::new();
        let noted = Noted { message, said, passed: 0, invented: None, keeps, in_native: false };
        Reply { source, noted, ended: false }
    }

    /// Takes the next chunk, as [`Parser::feed`] does; over a reader, the next event of a provider, as
    /// [`Reader::feed`](crate::native::Reader::feed) does.
    pub fn feed<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        let tells = self.noted.wants_markers();
        let events = match (&mut self.source, tells) {
            (ReplySource::Text(parser), true) => {
                return parser.feed_both(chunk.as_bytes(), &mut self.noted);
            }
            (ReplySource::Text(parser), false) => parser.feed(chunk),
            (ReplySource::Native(reader), true) => {
                return reader.feed_both(chunk.as_bytes(), &mut self.noted);
            }
            (ReplySource::Native(reader), false) => reader.feed(chunk.as_bytes()),
        };
        self.noted.take(events.clone());
        events
    }

    /// Takes a chunk that may be cut inside a character, as [`Parser::feed_bytes`] does; over a reader, the next
    /// whole event of a provider, as [`Reader::feed`](crate::native::Reader::feed) does.
    pub fn feed_bytes<'a>(&'a mut self, chunk: &'a [u8]) -> Events<'a> {
        let tells = self.noted.wants_markers();
        let events = match (&mut self.source, tells) {
            (ReplySource::Text(parser), true) => {
                return parser.feed_both(chunk, &mut self.noted);
            }
            (ReplySource::Text(parser), false) => parser.feed_bytes(chunk),
            (ReplySource::Native(reader), true) => {
                return reader.feed_both(chunk, &mut self.noted);
            }
            (ReplySource::Native(reader), false) => reader.feed(chunk),
        };
        self.noted.take(events.clone());
        events
    }

    /// Takes a chunk as [`Reply::feed_bytes`] does, and returns events that own their slices.
    #[cfg(feature = "stream")]
    pub(crate) fn feed_shared(&mut self, chunk: &Bytes, mut each: impl FnMut(Event<Utf8Bytes>)) {
        match &mut self.source {
            // Markers are passed on as they come, and not on a tape.
            ReplySource::Text(parser) if self.noted.message.wants_markers() => {
                let events = parser.feed_both(chunk, &mut self.noted);
                events.for_each(|event| each(event.map(Utf8Bytes::from)));
            }
            ReplySource::Text(parser) => parser.feed_shared(chunk).for_each(|event| {
                self.noted.push(event.as_str());
                each(event);
            }),
            ReplySource::Native(reader) if self.noted.message.wants_markers() => {
                let events = reader.feed_both(chunk, &mut self.noted);
                events.for_each(|event| each(event.map(Utf8Bytes::from)));
            }
            ReplySource::Native(reader) => reader.feed(chunk).for_each(|event| {
                self.noted.push(event);
                each(event.map(Utf8Bytes::from));
            }),
        }
    }

    /// Ends the reply: the model ended it, as for [`Parser::finish`]. Over a reader the provider's own word decides,
    /// as [`Reader::finish`](crate::native::Reader::finish) states: a stream without a word about its end was cut.
    pub fn finish(&mut self) -> Events<'_> {
        self.end(false)
    }

    /// Ends the reply: the stream was cut, as for [`Parser::finish_cut`]. If the reply was over before
    /// ([`Reply::is_over`]), both endings are equal.
    pub fn finish_cut(&mut self) -> Events<'_> {
        self.end(true)
    }

    /// Returns the message so far; it is whole once the reply was ended.
    pub fn message(&self) -> &Message {
        &self.noted.message
    }

    /// Returns the open call and its arguments so far: [`Message::partial_call`]. `None` between calls, and once the
    /// message is over. A part of the arguments may appear only in the finished call ([`PartialCall::is_done`] gives
    /// the reason).
    ///
    /// ```
    /// use toolstream::{Dialect, Parser};
    ///
    /// let mut reply = Parser::builder(Dialect::HERMES).build()?.reply();
    /// reply.feed(r#"<tool_call>{"name": "write", "arguments": {"path": "a.rs", "text": "fn ma"#).for_each(drop);
    /// let call = reply.partial_call().unwrap();
    /// assert_eq!((call.name(), &call.input()["text"]), ("write", &"fn ma".into()));
    /// assert!(call.is_done("/path") && !call.is_done("/text"));
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn partial_call(&mut self) -> Option<PartialCall<'_>> {
        self.noted.message.partial_call()
    }

    /// Returns the message. A reply that was not ended was cut.
    #[must_use]
    pub fn into_message(mut self) -> Message {
        if !self.ended {
            self.finish_cut().for_each(drop);
        }
        self.noted.message
    }

    /// Returns the assistant's turn for the history: its text up to the surplus call, or up to the point where the
    /// model invents a result or a step of somebody else. For a provider's stream, the text alone with the calls that
    /// are read in it; [`Message::to_request`] returns the whole turn.
    pub fn said(&self) -> &str {
        let Noted { said, invented, .. } = &self.noted;
        said.get(..invented.unwrap_or(said.len())).unwrap_or(said)
    }

    /// Whether the rest of the stream has no effect: your program may stop reading.
    pub fn is_over(&self) -> bool {
        self.limit_reached().is_some() || self.noted.invented.is_some()
    }

    /// Returns the surplus call, if one began.
    pub fn limit_reached(&self) -> Option<ToolLimitReached> {
        let reached = match &self.source {
            ReplySource::Text(parser) => parser.limit_reached(),
            ReplySource::Native(reader) => reader.limit_reached(),
        };
        reached.err()
    }

    /// Returns the provider's data about its answer so far: id, model, stop reason, usage, an error. `None` over a
    /// parser.
    pub fn envelope(&self) -> Option<&Envelope> {
        match &self.source {
            ReplySource::Text(_) => None,
            ReplySource::Native(reader) => Some(reader.envelope()),
        }
    }

    /// Returns an empty reply of this kind.
    #[cfg(feature = "policy")]
    pub(crate) fn fresh(&self) -> Reply {
        match &self.source {
            ReplySource::Text(parser) => parser.reply(),
            ReplySource::Native(reader) => reader.reply(),
        }
    }

    #[cfg(feature = "policy")]
    pub(crate) fn source(&self) -> &ReplySource {
        &self.source
    }

    /// Whether the reply was ended.
    #[cfg(feature = "policy")]
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    fn end(&mut self, cut: bool) -> Events<'_> {
        self.ended = true;
        let cut = cut && !self.is_over();
        let tells = self.noted.wants_markers();
        let events = match (&mut self.source, tells) {
            (ReplySource::Text(parser), true) => {
                let events = parser.finish_both(cut, &mut self.noted);
                self.noted.message.close();
                return events;
            }
            (ReplySource::Text(parser), false) => match cut {
                true => parser.finish_cut(),
                false => parser.finish(),
            },
            (ReplySource::Native(reader), true) => {
                let events = reader.finish_both(cut, &mut self.noted);
                self.noted.message.close();
                return events;
            }
            (ReplySource::Native(reader), false) => reader.finish(cut),
        };
        self.noted.take(events.clone());
        self.noted.message.close();
        events
    }
}

#[cfg(feature = "policy")]
impl ReplySource {
    pub(crate) fn tables(&self) -> &Arc<Tables> {
        match self {
            ReplySource::Text(parser) => parser.tables(),
            ReplySource::Native(reader) => reader.tables(),
        }
    }
}

impl Sink for Noted {
    fn event(&mut self, event: Event<&str>) {
        self.push(event);
    }

    fn wants_markers(&self) -> bool {
        self.message.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.message.marker(marker);
    }
}

impl Noted {
    fn take<'a>(&mut self, events: impl Iterator<Item = Event<&'a str>>) {
        events.for_each(|event| self.push(event));
    }

    fn push(&mut self, event: Event<&str>) {
        use DiagnosticKind::{AnswerAfterAction, FabricatedResult, FabricatedStep};
        let invents = [AnswerAfterAction, FabricatedResult, FabricatedStep];
        match &event {
            Event::ToolUse(ToolUse::Start { dialect, .. }) => self.in_native = *dialect == NATIVE,
            Event::ToolLimitReached(reached) => {
                // The opener of a call that its name stopped has left already.
                let unsaid = self.passed - self.said.len();
                let end = reached.at.saturating_sub(unsaid);
                if self.said.is_char_boundary(end) {
                    self.said.truncate(end);
                }
            }
            Event::Diagnostic(found) if invents.contains(&found.kind) => {
                let unsaid = self.passed - self.said.len();
                self.invented.get_or_insert(found.at.saturating_sub(unsaid));
            }
            _ => {}
        }
        let slice = event.slice().copied().unwrap_or_default();
        self.passed += slice.len();
        if self.keeps(&event) {
            self.said.push_str(slice);
        }
        self.message.push(event);
    }

    fn keeps(&self, event: &Event<&str>) -> bool {
        match (self.keeps, event) {
            (Keeps::All, _) | (_, Event::TextContent(_)) => true,
            (Keeps::Text, _) | (_, Event::Reasoning(_)) => false,
            (Keeps::TextCalls, Event::ToolUse(_)) => !self.in_native,
            (Keeps::TextCalls, _) => true,
        }
    }
}
