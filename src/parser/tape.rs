//! The tape: the events of a feed, for the iterator.
//!
//! `Parser::feed` reads the whole chunk and writes the events here; the iterator only replays them. So leaving the
//! loop early cannot desynchronise the parser. An event's text is a span of the chunk if it stands there, else of the
//! tape's own copy (pending bytes, names). Both buffers are kept, so a warm tape allocates nothing.

use std::fmt;

use bytes::Bytes;

use crate::event::Event;
use crate::event::Payload;
#[cfg(feature = "json")]
use crate::marker::Marker;
use crate::parser::utf8_bytes::{Utf8Bytes, offset_in};
use crate::sink::Sink;

/// The tape is made with the first event: a parser without the iterator is smaller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape(Option<Box<Written>>);

/// The events of one feed, and their texts that are not in its chunk.
#[derive(Clone, Debug, Default)]
struct Written {
    events: Vec<Event<Span>>,
    copies: String,
}

/// A stretch of the chunk or of the copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    copied: bool,
    at: usize,
    len: usize,
}

/// Writes a tape.
pub(crate) struct Recorder<'a> {
    written: &'a mut Written,
    chunk: &'a str,
}

impl Tape {
    /// An empty tape for a feed of `chunk`.
    pub fn record<'a>(&'a mut self, chunk: &'a str) -> Recorder<'a> {
        let written = self.0.get_or_insert_default();
        written.events.clear();
        written.copies.clear();
        Recorder { written, chunk }
    }

    pub fn play<'a>(&'a self, chunk: &'a str) -> Events<'a> {
        let (events, copies) = self.parts();
        Events { single: None, events: events.iter(), copies, chunk }
    }

    fn parts(&self) -> (&[Event<Span>], &str) {
        self.0.as_deref().map_or((&[], ""), |written| (&written.events, &written.copies))
    }

    /// Plays a feed whose only event is its whole chunk. Nothing is written.
    #[inline]
    pub fn play_one<'a>(&'a self, chunk: &'a str, payload: Payload) -> Events<'a> {
        Events { single: Some(payload), events: [].iter(), copies: "", chunk }
    }
}

impl Sink for Recorder<'_> {
    #[inline]
    fn event(&mut self, event: Event<&str>) {
        let copies = &mut self.written.copies;
        let event = event.map(|text| match offset_in(self.chunk.as_bytes(), text) {
            Some(at) => Span { copied: false, at, len: text.len() },
            None => {
                let at = copies.len();
                copies.push_str(text);
                Span { copied: true, at, len: text.len() }
            }
        });
        self.written.events.push(event);
    }
}

/// Writes a tape, and passes all events to another sink as they happen, also markers, which no tape has.
#[cfg(feature = "json")]
pub(crate) struct Both<'a, 's, S> {
    pub tape: Recorder<'a>,
    pub sink: &'s mut S,
}

#[cfg(feature = "json")]
impl<S: Sink> Sink for Both<'_, '_, S> {
    fn event(&mut self, event: Event<&str>) {
        self.sink.event(event);
        self.tape.event(event);
    }

    fn wants_markers(&self) -> bool {
        self.sink.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.sink.marker(marker);
    }
}

/// Events of one feed, in order. Dropping the iterator loses only the events that were not taken: the parser has
/// read the whole chunk already.
///
/// [`Parser::feed`](crate::Parser::feed) returns it.
///
/// ```
/// use toolstream::{Dialect, Event, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let events = parser.feed("<think>Hm.</think>Yes.");
/// // It is cheap to clone, and knows its length.
/// assert_eq!(events.len(), events.clone().count());
/// assert_eq!(events.last(), Some(Event::TextContent("Yes.")));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Events<'a> {
    /// The whole chunk is the only event.
    single: Option<Payload>,
    events: std::slice::Iter<'a, Event<Span>>,
    copies: &'a str,
    chunk: &'a str,
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<&'a str>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(payload) = self.single.take() {
            return Some(payload.event(self.chunk));
        }
        let event = *self.events.next()?;
        Some(event.map(|span| {
            let text = if span.copied { self.copies } else { self.chunk };
            &text[span.at..span.at + span.len]
        }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.events.len() + usize::from(self.single.is_some());
        (len, Some(len))
    }
}

impl ExactSizeIterator for Events<'_> {}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// Events of one feed of [`Bytes`], in order; each owns its slices.
///
/// ```
/// use bytes::Bytes;
/// use toolstream::{Dialect, Event, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let chunk = Bytes::from_static(b"I look.");
/// let events: Vec<_> = parser.feed_shared(&chunk).collect();
/// drop(parser); // the events do not need it
/// let [Event::TextContent(text)] = &events[..] else { panic!() };
/// assert_eq!(&**text, "I look.");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SharedEvents<'a> {
    events: std::slice::Iter<'a, Event<Span>>,
    copies: &'a str,
    /// The text of the spans: a share of the chunk.
    chunk: Bytes,
}

impl<'a> SharedEvents<'a> {
    pub(crate) fn new(tape: &'a Tape, chunk: Bytes) -> Self {
        let (events, copies) = tape.parts();
        SharedEvents { events: events.iter(), copies, chunk }
    }
}

impl Iterator for SharedEvents<'_> {
    type Item = Event<Utf8Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let event = *self.events.next()?;
        Some(event.map(|span| {
            let range = span.at..span.at + span.len;
            if span.copied {
                Utf8Bytes::from(&self.copies[range])
            } else {
                Utf8Bytes::share(&self.chunk, range)
            }
        }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.events.size_hint()
    }
}

impl ExactSizeIterator for SharedEvents<'_> {}
