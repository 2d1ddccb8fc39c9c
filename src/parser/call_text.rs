//! The layer that drops the white space of text next to calls, under `text_at_calls = trim`
//! ([`TextAtCalls::Trim`](crate::options::TextAtCalls)).
//!
//! A model writes line breaks between its words and a call, and a screen that shows only the words would show
//! them, too. Here they leave as markup, so no byte is lost. Whether a text stands next to a call is known late:
//! behind white space a section's opener may come, and only then a name. So white space at a text's end is
//! pending, with the markup and the diagnostics behind it, until a call starts or something else comes.
//!
//! ```text
//! text := white words white     behind a call the first white leaves as markup, before one the last does
//! ```
//! At the end of a chunk the white space at the text's end is pending, with the bytes behind it. At the end of
//! the stream it is text. More than [`bounds::CALL_TEXT`] bytes of either are text, so that the pending bytes
//! have a bound.

use crate::event::{Diagnostic, Event, Payload, ToolUse};
use crate::json::white::WHITE_SPACE;
use crate::marker::Marker;
use crate::options::bounds;
use crate::sink::Sink;

/// State of the layer between two feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallTextState {
    /// The pending white space, and the markup behind it.
    held: String,
    /// The length of the text's white space in it.
    white: usize,
    /// Diagnostics behind it, each with the length of `held` before it.
    noted: Vec<(usize, Diagnostic)>,
    /// Only white space and markup have come since a call.
    after_call: bool,
    /// The text ends in more white space than may be pending.
    long: bool,
}

impl CallTextState {
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Whether a chunk of such payload may pass without a look at it.
    pub fn passes(&self, payload: Payload) -> bool {
        matches!(payload, Payload::Param | Payload::Arguments) && self.held.is_empty()
    }
}

/// The layer, for the time of one feed.
pub(crate) struct CallText<'a, S> {
    /// The state; `None` if white space is kept.
    pub state: Option<&'a mut CallTextState>,
    pub sink: S,
}

/// The layer where white space is dropped, for the time of one event.
struct Trimming<'t, S> {
    state: &'t mut CallTextState,
    sink: &'t mut S,
}

impl<S: Sink> CallText<'_, S> {
    fn trimming(&mut self) -> Option<Trimming<'_, S>> {
        let state = self.state.as_deref_mut()?;
        Some(Trimming { state, sink: &mut self.sink })
    }

    /// Ends the stream: pending white space is text.
    pub fn finish(&mut self) {
        if let Some(mut trimming) = self.trimming() {
            trimming.release(false);
        }
    }
}

impl<S: Sink> Trimming<'_, S> {
    fn text(&mut self, text: &str) {
        let words = text.trim_start_matches(WHITE_SPACE);
        let (white, words) = text.split_at(text.len() - words.len());
        self.white(white);
        if words.is_empty() {
            return;
        }
        self.release(false);
        self.state.after_call = false;
        self.state.long = false;
        let (words, white) = words.split_at(words.trim_end_matches(WHITE_SPACE).len());
        self.sink.event(Event::TextContent(words));
        self.white(white);
    }

    /// Takes white space of a text, behind a call or words.
    fn white(&mut self, white: &str) {
        if white.is_empty() {
            return;
        }
        if self.state.after_call {
            return self.sink.event(Event::Markup(white));
        }
        // Behind markup that belongs to no call another run of white space begins.
        if self.state.held.len() > self.state.white {
            self.release(false);
            self.state.long = false;
        }
        if !self.state.long && self.state.white + white.len() <= bounds::CALL_TEXT {
            self.state.held.push_str(white);
            self.state.white += white.len();
            return;
        }
        self.release(false);
        self.state.long = true;
        self.sink.event(Event::TextContent(white));
    }

    /// Takes markup behind pending white space. It may be a call's.
    fn markup(&mut self, markup: &str) {
        let behind = self.state.held.len() - self.state.white;
        if self.state.held.is_empty() || behind + markup.len() > bounds::CALL_TEXT {
            self.release(false);
            self.state.long = false;
            return self.sink.event(Event::Markup(markup));
        }
        self.state.held.push_str(markup);
    }

    /// Sends the pending white space: as markup before a call, else as text.
    fn release(&mut self, before_call: bool) {
        if self.state.held.is_empty() {
            return;
        }
        let held = std::mem::take(&mut self.state.held);
        let white = std::mem::take(&mut self.state.white);
        let mut noted = std::mem::take(&mut self.state.noted);
        let mut from = 0;
        let ends = noted.iter().map(|(at, _)| *at).chain([held.len()]);
        for (number, end) in ends.enumerate() {
            self.slice(&held[from..end.min(white).max(from)], before_call);
            self.slice(&held[end.min(white).max(from)..end], true);
            if let Some((_, diagnostic)) = noted.get(number) {
                self.sink.event(Event::Diagnostic(*diagnostic));
            }
            from = end;
        }
        // The buffers are used again.
        noted.clear();
        self.state.held = held;
        self.state.noted = noted;
        self.state.held.clear();
    }

    fn slice(&mut self, slice: &str, is_markup: bool) {
        match slice {
            "" => {}
            _ if is_markup => self.sink.event(Event::Markup(slice)),
            _ => self.sink.event(Event::TextContent(slice)),
        }
    }

    /// Few programs use it. The others only pay for the test of an `Option`.
    #[cold]
    #[inline(never)]
    fn event(&mut self, event: Event<&str>) {
        match event {
            Event::TextContent(text) => return self.text(text),
            Event::Markup(markup) => return self.markup(markup),
            Event::Diagnostic(diagnostic) if !self.state.held.is_empty() => {
                return self.state.noted.push((self.state.held.len(), diagnostic));
            }
            Event::ToolUse(ToolUse::Start { .. }) | Event::ToolLimitReached(_) => {
                self.release(true);
                self.state.after_call = false;
            }
            Event::ToolUse(ToolUse::End { .. }) => {
                self.state.after_call = true;
                self.state.long = false;
            }
            Event::Reasoning(_) | Event::AnswerStart => {
                self.release(false);
                self.state.after_call = false;
                self.state.long = false;
            }
            _ => {}
        }
        self.sink.event(event);
    }
}

impl<S: Sink> Sink for CallText<'_, S> {
    #[inline(always)]
    fn event(&mut self, event: Event<&str>) {
        match self.trimming() {
            Some(mut trimming) => trimming.event(event),
            None => self.sink.event(event),
        }
    }

    #[inline(always)]
    fn wants_markers(&self) -> bool {
        self.sink.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.sink.marker(marker);
    }
}
