//! A text, played: read in chunks of one size, with the results of each.

use serde::Serialize;
use toolstream::check::Ended;
use toolstream::{Event, Parser, Sink};

/// An event, and its bytes in the text; none, if it carries no slice.
#[derive(Clone, PartialEq, Serialize)]
pub struct EventAt {
    pub from: usize,
    pub to: usize,
    /// Without its slice.
    pub event: Event<String>,
}

/// Joins the slices that follow each other in one kind, and notes when each event began.
#[derive(Default)]
pub struct Joined {
    pub events: Vec<EventAt>,
    /// The step of each event.
    pub steps: Vec<usize>,
    /// The step that is on.
    pub step: usize,
    /// Bytes that have left.
    pub at: usize,
    pub emitted: usize,
}

impl Joined {
    /// Takes the next event.
    pub fn push(&mut self, event: Event<&str>) {
        self.emitted += 1;
        let (from, slice) = (self.at, event.slice().copied());
        self.at += slice.map_or(0, str::len);
        let event = match slice {
            Some(_) => event.map(|_| String::new()),
            None => event.map(String::from),
        };
        match self.events.last_mut() {
            Some(last) if slice.is_some() && last.event == event => last.to = self.at,
            _ => {
                self.events.push(EventAt { from, to: self.at, event });
                self.steps.push(self.step);
            }
        }
    }
}

/// A step in the reading of a text.
pub enum Step<'s> {
    Event(Event<&'s str>),
    /// A chunk is over, or the stream is.
    Over(&'s Joined),
}

/// Reads a text in chunks, and sends `each` the results.
pub fn play(
    parser: &Parser,
    ended: Ended,
    text: &str,
    size: usize,
    mut each: impl FnMut(Step<'_>),
) -> Joined {
    let (mut parser, mut joined) = (parser.clone(), Joined::default());
    let chunks = text.as_bytes().chunks(size).map(Some).chain([None]);
    for chunk in chunks {
        joined.step += 1;
        let sink = &mut |event: Event<&str>| {
            joined.push(event);
            each(Step::Event(event));
        };
        match chunk {
            Some(chunk) => parser.feed_bytes_into(chunk, sink),
            None => finish(&mut parser, ended, sink),
        }
        each(Step::Over(&joined));
    }
    joined
}

/// The end of a stream, as it ended.
pub fn finish(parser: &mut Parser, ended: Ended, sink: &mut impl Sink) {
    match ended {
        Ended::Cut => parser.finish_cut_into(sink),
        _ => parser.finish_into(sink),
    }
}
