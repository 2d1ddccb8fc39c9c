//! [`Reply`]: a parser and the message that it makes, in one.

use crate::event::{DiagnosticKind, Event, ToolLimitReached};
use crate::message::Message;
use crate::parser::Parser;
use crate::parser::tape::Events;

/// A model's reply while it comes in: a parser, the [`Message`] of its events, and the text. One
/// thing to feed and one to end.
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
/// // A reply that nobody has ended was cut.
/// let mut reply = parser.reply();
/// reply.feed("<read><path>a.r").for_each(drop);
/// assert_eq!(reply.into_message().ended(), Ending::Truncated);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reply {
    parser: Parser,
    message: Message,
    said: String,
    ended: bool,
}

impl Parser {
    /// An empty reply, for a fresh parser of this kind.
    #[must_use]
    pub fn reply(&self) -> Reply {
        let mut parser = self.clone();
        parser.reset();
        let message = parser.message();
        Reply { parser, message, said: String::new(), ended: false }
    }
}

impl Reply {
    /// Takes the next chunk, as [`Parser::feed`].
    pub fn feed<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        let events = self.parser.feed(chunk);
        take(&mut self.message, &mut self.said, events.clone());
        events
    }

    /// Takes a chunk that may be cut inside a character, as [`Parser::feed_bytes`].
    pub fn feed_bytes<'a>(&'a mut self, chunk: &'a [u8]) -> Events<'a> {
        let events = self.parser.feed_bytes(chunk);
        take(&mut self.message, &mut self.said, events.clone());
        events
    }

    /// The model ended its reply, as [`Parser::finish`].
    pub fn finish(&mut self) -> Events<'_> {
        self.end(false)
    }

    /// The stream was cut, as [`Parser::finish_cut`]; but where the reply was over before
    /// ([`Reply::is_over`]) both endings are the same.
    pub fn finish_cut(&mut self) -> Events<'_> {
        self.end(true)
    }

    /// The message so far; whole once the reply was ended.
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// The message. A reply that was not ended was cut.
    #[must_use]
    pub fn into_message(mut self) -> Message {
        if !self.ended {
            self.finish_cut().for_each(drop);
        }
        self.message
    }

    /// What the model has said, for the history: its text up to the surplus call, or to where it
    /// began to invent what is not its own to say (a tool's result, a step after the answer).
    pub fn said(&self) -> &str {
        self.said.get(..self.invented().unwrap_or(self.said.len())).unwrap_or(&self.said)
    }

    /// Whether nothing that comes can count any more: the host may stop reading.
    pub fn is_over(&self) -> bool {
        self.limit_reached().is_some() || self.invented().is_some()
    }

    /// The surplus call, if one began.
    pub fn limit_reached(&self) -> Option<ToolLimitReached> {
        self.parser.limit_reached().err()
    }

    /// Whether it was ended.
    #[cfg(feature = "policy")]
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    fn end(&mut self, cut: bool) -> Events<'_> {
        self.ended = true;
        let cut = cut && !self.is_over();
        let events = if cut { self.parser.finish_cut() } else { self.parser.finish() };
        take(&mut self.message, &mut self.said, events.clone());
        self.message.close();
        events
    }

    /// Where a result, a step or an answer begins that the model has made up.
    fn invented(&self) -> Option<usize> {
        use DiagnosticKind::{AnswerAfterAction, FabricatedResult, FabricatedStep};
        let kinds = [AnswerAfterAction, FabricatedResult, FabricatedStep];
        let found = self.message.diagnostics().iter().find(|found| kinds.contains(&found.kind));
        found.map(|found| found.at)
    }
}

fn take<'a>(
    message: &mut Message,
    said: &mut String,
    events: impl Iterator<Item = Event<&'a str>>,
) {
    for event in events {
        said.push_str(event.slice().copied().unwrap_or_default());
        message.push(event);
    }
}
