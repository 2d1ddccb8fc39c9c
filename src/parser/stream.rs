//! Streams: chunks in, events out, for programs with a `futures_core::Stream` (feature `stream`).
//!
//! HTTP clients return a [`Stream`](futures_core::Stream), and `futures` and `tokio-stream` work on it. This module
//! has no runtime and no task: a chunk is read when the stream of events is polled and all events of the chunk before
//! were taken.
//!
//! | made by | reads a stream of | gives |
//! |---|---|---|
//! | [`Parser::stream`] | model text, as text or as bytes cut anywhere | [`Event`]`<`[`Utf8Bytes`]`>` |
#![cfg_attr(
    feature = "json",
    doc = "| [`Reader::stream`](crate::native::Reader::stream) | provider events, each as JSON text | [`Event`]`<`[`Utf8Bytes`]`>` |"
)]
#![cfg_attr(
    feature = "json",
    doc = "| [`Reply::stream`](crate::Reply::stream) | what its parser or reader reads, and keeps the message | [`Event`]`<`[`Utf8Bytes`]`>` |"
)]
//! | [`Decoder::stream`] | a response's bytes, server-sent events | the data of each, as `Bytes` |
//!
//! They stack: `reader.stream(Decoder::default().stream(body))`.
//!
//! ```
//! use futures_util::{StreamExt, stream};
//! use toolstream::{Dialect, Event, Param, Parser, Tool, ToolUse};
//!
//! let parser = Parser::builder(Dialect::CLINE)
//!     .tool(Tool::new("read_file").param(Param::required("path")))
//!     .build()?;
//! let chunks = ["I look.\n<read_f", "ile><path>src/lib.rs</pa", "th></read_file>"];
//! let mut events = parser.stream(stream::iter(chunks.map(Ok::<_, std::io::Error>)));
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let mut path = String::new();
//! while let Some(event) = events.next().await {
//!     if let Event::ToolUse(ToolUse::ParamDelta(piece)) = event? {
//!         path.push_str(&piece);
//!     }
//! }
//! assert_eq!(path, "src/lib.rs");
//! # Ok::<_, std::io::Error>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::event::Event;
use crate::parser::Parser;
use crate::parser::utf8_bytes::Utf8Bytes;
use crate::sse::Decoder;

use chunk_reader::ChunkReader;

/// The parts of an [`EventStream`]. Only this crate implements the trait.
mod chunk_reader {
    use super::{Bytes, VecDeque};

    /// A reader of chunks that emits items: a parser, a reader of a provider, a decoder.
    ///
    /// Exactly one of the two endings is called, once.
    pub trait ChunkReader {
        /// An item.
        type Said;

        /// Reads a chunk.
        fn feed(&mut self, chunk: &Bytes, said: &mut VecDeque<Self::Said>);

        /// The input came to its own end.
        fn finish(&mut self, said: &mut VecDeque<Self::Said>);

        /// Ends an input that was cut: an error came in its place, or it was dropped before its end. Nothing is
        /// whole if only the end of the input would confirm it.
        fn finish_cut(&mut self, said: &mut VecDeque<Self::Said>);

        /// Whether more input would change nothing: the input is then dropped.
        fn is_over(&self) -> bool {
            false
        }
    }
}

pin_project! {
    /// Stream of the items that a [`Parser`], a `native::Reader` or a [`Decoder`] emits for a stream of chunks, and
    /// then for its end.
    ///
    /// * A chunk is any value that converts into `bytes::Bytes` without a copy: `Bytes`, `String`, `Vec<u8>`,
    ///   `&'static str`.
    /// * The end of the chunks means that the model has ended its message: the last events are those of
    ///   [`Parser::finish`].
    /// * An error of the chunks passes through, in its place among the events, and ends the input: bytes may be
    ///   missing there, and no call may be assembled across a gap. The chunks are dropped, and the last events are
    ///   those of [`Parser::finish_cut`]. If your program knows better how the chunks ended (finish reason `length`,
    ///   no `[DONE]`), end them with an error of your own. A program that can repair an error does so before this
    ///   stream.
    /// * After `ToolLimitReached` the chunks are dropped, which closes their connection, and the stream ends.
    /// * An ended stream stays at its end (it is fused).
    ///
    /// A program that stops at an error (`event?`) has the events before it; a call that is open in them stays
    /// incomplete.
    ///
    /// The stream holds the events of one chunk.
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct EventStream<C, M: ChunkReader> {
        // `None` once they are over.
        #[pin]
        chunks: Option<C>,
        machine: M,
        said: VecDeque<M::Said>,
    }
}

impl<C, M: ChunkReader> EventStream<C, M> {
    fn new(machine: M, chunks: C) -> Self {
        EventStream { chunks: Some(chunks), machine, said: VecDeque::new() }
    }

    /// Returns the parser, to ask for its position or for the surplus call. It has read the whole last chunk, also if
    /// some of its events were not taken.
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// Ends the input as cut: the chunks are dropped, which closes their connection, and the last events are those of
    /// [`Parser::finish_cut`]. For a program that stops the model, or that learns elsewhere that the model was
    /// stopped. At the end of the stream nothing changes.
    ///
    /// ```
    /// use std::pin::Pin;
    /// use futures_util::{StreamExt, stream};
    /// use toolstream::{Dialect, Event, Parser, Status, Tool, ToolUse};
    ///
    /// let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
    /// let chunks = ["<tool_call>{\"name\": \"list\", \"argu", "ments\": {}}</tool_call>"];
    /// let mut events = parser.stream(stream::iter(chunks.map(Ok::<_, std::io::Error>)));
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let first = events.next().await; // and the user presses the button
    /// Pin::new(&mut events).cut();
    /// let rest: Vec<_> = events.collect().await;
    /// let ended = |event| matches!(event, &Ok(Event::ToolUse(ToolUse::End { status, .. })) if status != Status::Complete);
    /// assert!(rest.iter().any(ended)); // the call is over, and may not run
    /// # });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cut(self: Pin<&mut Self>) {
        let mut this = self.project();
        if this.chunks.is_some() {
            this.chunks.set(None);
            this.machine.finish_cut(this.said);
        }
    }
}

impl Parser {
    /// Returns the events of a stream of chunks. Each event owns its slices: shares of the chunk, so that the event
    /// can outlive the stream and cross threads.
    ///
    /// The chunks may be cut inside a character ([`Parser::feed_shared`]). Call `parser.message()` first to collect
    /// the events.
    pub fn stream<C, B, E>(self, chunks: C) -> EventStream<C, Parser>
    where
        C: Stream<Item = Result<B, E>>,
        B: Into<Bytes>,
    {
        EventStream::new(self, chunks)
    }
}

impl ChunkReader for Parser {
    type Said = Event<Utf8Bytes>;

    fn feed(&mut self, chunk: &Bytes, said: &mut VecDeque<Self::Said>) {
        said.extend(self.feed_shared(chunk));
    }

    fn finish(&mut self, said: &mut VecDeque<Self::Said>) {
        said.extend(Parser::finish(self).map(owned));
    }

    fn finish_cut(&mut self, said: &mut VecDeque<Self::Said>) {
        said.extend(Parser::finish_cut(self).map(owned));
    }

    fn is_over(&self) -> bool {
        self.limit_reached().is_err()
    }
}

#[cfg(feature = "json")]
mod native {
    use super::*;
    use crate::message::reply::Reply;
    use crate::native::Reader;

    impl Reply {
        /// Returns the events of a stream of chunks, while the reply keeps its message: text for a parser, provider
        /// events for a reader. Each event owns its slices.
        ///
        /// The reply stays yours: after a dropped stream it can be ended, or read on.
        ///
        /// ```
        /// use futures_util::{StreamExt, stream};
        /// use toolstream::{Dialect, Parser, Tool};
        ///
        /// let parser = Parser::builder(Dialect::HERMES).tool(Tool::new("list")).build()?;
        /// let mut reply = parser.reply();
        /// let chunks = ["I look.\n<tool_call>{\"name\": \"li", "st\", \"arguments\": {}}</tool_call>"];
        /// let mut events = reply.stream(stream::iter(chunks.map(Ok::<_, std::io::Error>)));
        /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
        /// while let Some(event) = events.next().await {
        ///     let event = event?; // for a screen
        /// }
        /// # Ok::<_, std::io::Error>(())
        /// # })?;
        /// assert_eq!(reply.message().calls().next().unwrap().name(), "list");
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn stream<C, B, E>(&mut self, chunks: C) -> EventStream<C, &mut Reply>
        where
            C: Stream<Item = Result<B, E>>,
            B: Into<Bytes>,
        {
            EventStream::new(self, chunks)
        }
    }

    impl ChunkReader for &mut Reply {
        type Said = Event<Utf8Bytes>;

        fn feed(&mut self, chunk: &Bytes, said: &mut VecDeque<Self::Said>) {
            self.feed_shared(chunk, |event| said.push_back(event));
        }

        fn finish(&mut self, said: &mut VecDeque<Self::Said>) {
            said.extend(Reply::finish(self).map(owned));
        }

        fn finish_cut(&mut self, said: &mut VecDeque<Self::Said>) {
            said.extend(Reply::finish_cut(self).map(owned));
        }

        fn is_over(&self) -> bool {
            Reply::is_over(self)
        }
    }

    impl Reader {
        /// Returns the events of a stream of provider events, each as JSON text: `[DONE]` and blank data are ignored,
        /// as in [`Reader::feed`].
        pub fn stream<C, B, E>(self, events: C) -> EventStream<C, Reader>
        where
            C: Stream<Item = Result<B, E>>,
            B: Into<Bytes>,
        {
            EventStream::new(self, events)
        }
    }

    impl ChunkReader for Reader {
        type Said = Event<Utf8Bytes>;

        fn feed(&mut self, chunk: &Bytes, said: &mut VecDeque<Self::Said>) {
            said.extend(Reader::feed(self, chunk).map(owned));
        }

        fn finish(&mut self, said: &mut VecDeque<Self::Said>) {
            said.extend(Reader::finish(self).map(owned));
        }

        fn finish_cut(&mut self, said: &mut VecDeque<Self::Said>) {
            said.extend(Reader::finish_cut(self).map(owned));
        }

        fn is_over(&self) -> bool {
            self.limit_reached().is_err()
        }
    }
}

impl Decoder {
    /// Returns the data of each server-sent event of a response.
    pub fn stream<C, B, E>(self, body: C) -> EventStream<C, Decoder>
    where
        C: Stream<Item = Result<B, E>>,
        B: Into<Bytes>,
    {
        EventStream::new(self, body)
    }
}

impl ChunkReader for Decoder {
    type Said = Bytes;

    fn feed(&mut self, chunk: &Bytes, said: &mut VecDeque<Bytes>) {
        Decoder::feed(self, chunk, |data| said.push_back(Bytes::copy_from_slice(data)));
    }

    fn finish(&mut self, said: &mut VecDeque<Bytes>) {
        Decoder::finish(self, |data| said.push_back(Bytes::copy_from_slice(data)));
    }

    fn finish_cut(&mut self, _: &mut VecDeque<Bytes>) {
        Decoder::finish_cut(self);
    }
}

fn owned(event: Event<&str>) -> Event<Utf8Bytes> {
    event.map(Utf8Bytes::from)
}

impl<C, B, E, M> Stream for EventStream<C, M>
where
    C: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    M: ChunkReader,
{
    type Item = Result<M::Said, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if let Some(event) = this.said.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            let Some(chunks) = this.chunks.as_mut().as_pin_mut() else {
                return Poll::Ready(None);
            };
            match ready!(chunks.poll_next(cx)) {
                Some(Ok(chunk)) => {
                    this.machine.feed(&chunk.into(), this.said);
                    if this.machine.is_over() {
                        this.chunks.set(None);
                        this.machine.finish_cut(this.said);
                    }
                }
                Some(Err(error)) => {
                    this.chunks.set(None);
                    this.machine.finish_cut(this.said);
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    this.chunks.set(None);
                    this.machine.finish(this.said);
                }
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.said.len(), self.chunks.is_none().then_some(self.said.len()))
    }
}

impl<C, B, E, M> FusedStream for EventStream<C, M>
where
    C: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    M: ChunkReader,
{
    fn is_terminated(&self) -> bool {
        self.chunks.is_none() && self.said.is_empty()
    }
}

impl<C, M: ChunkReader + fmt::Debug> fmt::Debug for EventStream<C, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("machine", &self.machine)
            .field("said", &self.said.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};

    use super::*;

    /// Notes which function is called.
    #[derive(Default)]
    struct Noted {
        over_after: Option<&'static str>,
        over: bool,
    }

    impl ChunkReader for Noted {
        type Said = String;

        fn feed(&mut self, chunk: &Bytes, said: &mut VecDeque<String>) {
            self.over |= self.over_after.is_some_and(|over| over == chunk);
            said.push_back(String::from_utf8_lossy(chunk).into_owned());
        }

        fn finish(&mut self, said: &mut VecDeque<String>) {
            said.push_back("finish".to_string());
        }

        fn finish_cut(&mut self, said: &mut VecDeque<String>) {
            said.push_back("finish_cut".to_string());
        }

        fn is_over(&self) -> bool {
            self.over
        }
    }

    #[test]
    fn one_ending_is_called_once() {
        let run = |over_after, chunks: &[Result<&'static str, &'static str>]| {
            let noted = Noted { over_after, ..Noted::default() };
            let mut said = EventStream::new(noted, stream::iter(chunks.to_vec()));
            let mut context = Context::from_waker(std::task::Waker::noop());
            let mut items = Vec::new();
            while let Poll::Ready(Some(item)) = said.poll_next_unpin(&mut context) {
                items.push(item.unwrap_or_else(String::from));
            }
            items
        };
        assert_eq!(run(None, &[Ok("a"), Ok("b")]), ["a", "b", "finish"]);
        let with_error = [Ok("a"), Ok("b"), Err("error"), Ok("c")];
        assert_eq!(run(None, &with_error), ["a", "b", "error", "finish_cut"]);
        let dropped = run(Some("a"), &[Ok("a"), Ok("b")]);
        assert_eq!(dropped, ["a", "finish_cut"], "what it dropped did not end");
    }
}
