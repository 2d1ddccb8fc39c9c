//! A recorded stream: how each byte was read, and when it left, for chunks of each size.
//!
//! The page and the terminal know only the recording. It has no copy of the text except the message: an event
//! has the range of its bytes, and a run has the time at which that was known.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use toolstream::check::Ended;
use toolstream::{
    Event, Parser, Sink,
    diagnostic::{DiagnosticKind, Marker},
};

use super::growth::{self, Growth};
use super::play::{EventAt, Step, finish, play};
use crate::notes::{Note, Notes};
use crate::reading::Ready;

/// The most notes that are kept; the number of the others is shown.
const NOTES: usize = 2000;

/// A stream and how it was read.
#[derive(Serialize)]
pub struct Recording {
    /// The file's name.
    pub file: String,
    pub dialect: String,
    /// `stop` or `cut`.
    pub ended: &'static str,
    pub text: String,
    /// The number of invalid UTF-8 sequences of the file, which are U+FFFD in `text`.
    pub invalid: usize,
    /// Slices that follow each other in one kind are one event.
    pub events: Vec<EventAt>,
    /// The arguments of the calls while they come.
    pub growth: Vec<Growth>,
    /// The notes, by their places.
    pub notes: Vec<Note>,
    pub more_notes: usize,
    pub runs: Vec<Run>,
    /// The output of `parse --format message`.
    pub message: Value,
}

/// The text in chunks of one size.
#[derive(Serialize)]
pub struct Run {
    /// Bytes a chunk; `None`: all at once.
    pub size: Option<usize>,
    /// The number of chunks. One step more is the end of the stream.
    pub chunks: usize,
    /// The step at which each event was first emitted, as the distance to that of the event before.
    pub times: Vec<usize>,
    /// The bytes that had left, and from which step on.
    pub left: Vec<Left>,
    /// The most pending bytes after a chunk.
    pub most_held: usize,
    /// The number of events before consecutive ones were joined.
    pub emitted: usize,
    /// The first joined event that differs from that of single bytes. By the laws of the parser there is none.
    pub differs: Option<String>,
}

/// Bytes that have left from a step on. `None`: all that came.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Left(pub usize, pub Option<usize>);

impl Recording {
    /// Reads the text whole and in chunks of these sizes.
    pub fn read(file: String, ready: &Ready, bytes: &[u8], sizes: &[Option<usize>]) -> Recording {
        let Ready { parser, ended } = ready;
        let mut whole = Whole { notes: Notes::new(parser.message(), false), invalid: 0 };
        let mut reader = parser.clone();
        reader.feed_bytes_into(bytes, &mut whole);
        finish(&mut reader, *ended, &mut whole);
        let Whole { notes: Notes { text, mut message, list: mut notes, .. }, invalid } = whole;
        message.close();
        notes.sort_by_key(|note| note.at);
        let more_notes = notes.len().saturating_sub(NOTES);
        notes.truncate(NOTES);
        let (events, growth) = growth::record(parser, *ended, &text);
        let run = |size: &Option<usize>| Run::read(parser, *ended, &text, *size, &events);
        Recording {
            file,
            dialect: parser.dialect().to_string(),
            ended: if *ended == Ended::Cut { "cut" } else { "stop" },
            invalid,
            runs: sizes.iter().map(run).collect(),
            events,
            growth,
            notes,
            more_notes,
            message: message.to_json(),
            text,
        }
    }
}

/// The whole text, as it stands in the file, with its notes.
struct Whole {
    notes: Notes,
    invalid: usize,
}

impl Sink for Whole {
    fn event(&mut self, event: Event<&str>) {
        let invalid =
            |about: &toolstream::diagnostic::Diagnostic| about.kind == DiagnosticKind::InvalidUtf8;
        self.invalid += usize::from(matches!(&event, Event::Diagnostic(about) if invalid(about)));
        self.notes.event(event);
    }

    fn wants_markers(&self) -> bool {
        true
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.notes.marker(marker);
    }
}

impl Run {
    fn read(
        parser: &Parser,
        ended: Ended,
        text: &str,
        size: Option<usize>,
        bytewise: &[EventAt],
    ) -> Run {
        let bytes = size.unwrap_or(text.len().max(1));
        let (mut left, mut most_held) = (Vec::new(), 0);
        let joined = play(parser, ended, text, bytes, |step| {
            let Step::Over(joined) = step else { return };
            let fed = joined.step.saturating_mul(bytes).min(text.len());
            most_held = most_held.max(fed - joined.at);
            if let Some(more) = more_left(left.last(), joined.step, joined.at, fed) {
                left.push(more);
            }
        });
        let mut before = 0;
        let distance = |step: &usize| step - std::mem::replace(&mut before, *step);
        Run {
            size,
            chunks: joined.step - 1,
            times: joined.steps.iter().map(distance).collect(),
            left,
            most_held,
            emitted: joined.emitted,
            differs: difference(&joined.events, bytewise),
        }
    }
}

impl Run {
    /// Returns the bytes that had left after a step, of a text of this length.
    pub fn left_at(&self, step: usize, len: usize) -> usize {
        let at = self.left.partition_point(|Left(from, _)| *from <= step);
        let left = at.checked_sub(1).and_then(|at| self.left[at].1);
        left.unwrap_or(self.fed(step, len))
    }

    /// Returns the bytes that had come after a step, of a text of this length.
    pub fn fed(&self, step: usize, len: usize) -> usize {
        match (step, self.size) {
            (0, _) => 0,
            (_, None) => len,
            (_, Some(size)) => step.saturating_mul(size).min(len),
        }
    }

    /// Returns the step with which a byte came.
    pub fn came(&self, byte: usize) -> usize {
        self.size.map_or(0, |size| byte / size) + 1
    }

    /// Returns the step with which a byte left, of a text of this length.
    pub fn left_with(&self, byte: usize, len: usize) -> usize {
        let (mut from, mut to) = (self.came(byte), self.chunks + 1);
        while from < to {
            let middle = from.midpoint(to);
            if self.left_at(middle, len) > byte { to = middle } else { from = middle + 1 }
        }
        from
    }

    /// Returns the events that a step emitted first, as a range of their numbers.
    pub fn emitted_at(&self, step: usize) -> Range<usize> {
        let (mut at, mut first, mut last) = (0, 0, 0);
        for distance in &self.times {
            at += distance;
            first += usize::from(at < step);
            last += usize::from(at <= step);
        }
        first..last
    }
}

/// Returns the note of a step: nothing, if the run continues as before. The bytes that left are either all that came,
/// or as many as before.
fn more_left(last: Option<&Left>, step: usize, at: usize, fed: usize) -> Option<Left> {
    let expected = last.map_or(fed, |Left(_, left)| left.unwrap_or(fed));
    (at != expected).then(|| Left(step, (at != fed).then_some(at)))
}

/// Returns the first place where a run differs from the run byte by byte.
fn difference(events: &[EventAt], bytewise: &[EventAt]) -> Option<String> {
    if events == bytewise {
        return None;
    }
    let at = events.iter().zip(bytewise).take_while(|(one, other)| one == other).count();
    let says = |of: &[EventAt]| {
        of.get(at).map_or("nothing".into(), |event| {
            format!("{:?} from {} to {}", event.event, event.from, event.to)
        })
    };
    Some(format!("event {at} is {}, byte by byte {}", says(events), says(bytewise)))
}

#[cfg(test)]
mod tests {
    use toolstream::Dialect;

    use super::*;

    const TEXT: &str =
        "Ü <tool_call>{\"name\": \"f\", \"arguments\": {\"x\": \"ä\"}}</tool_call> <tool";

    fn ready() -> Ready {
        let parser = Parser::builder(Dialect::HERMES).tool_limit(None).build().unwrap();
        Ready { parser, ended: Ended::Stop }
    }

    /// A run agrees with the parser at each step.
    #[test]
    fn a_run_says_what_had_left_at_each_step() {
        for size in 1..=TEXT.len() {
            let recording =
                Recording::read(String::new(), &ready(), TEXT.as_bytes(), &[Some(size)]);
            let run = &recording.runs[0];
            let mut reader = ready().parser;
            for (number, chunk) in TEXT.as_bytes().chunks(size).enumerate() {
                reader.feed_bytes(chunk).for_each(drop);
                let (step, fed) = (number + 1, (number * size) + chunk.len());
                assert_eq!(run.fed(step, TEXT.len()), fed);
                let left = run.left_at(step, TEXT.len());
                assert_eq!(left, reader.position(), "size {size}, step {step}");
            }
            assert_eq!(run.chunks, TEXT.len().div_ceil(size));
            assert_eq!(
                run.times.iter().sum::<usize>(),
                run.chunks + 1,
                "half a marker is text at the end"
            );
            assert_eq!(run.differs, None);
        }
    }

    /// A step behind the only chunk is still within the text.
    #[test]
    fn a_chunk_size_may_be_greater_than_any_text() {
        for size in [usize::MAX, 1 << (usize::BITS - 1)] {
            let recording =
                Recording::read(String::new(), &ready(), TEXT.as_bytes(), &[Some(size)]);
            let run = &recording.runs[0];
            assert_eq!((run.chunks, run.most_held), (1, "<tool".len()));
            assert_eq!(run.left_at(2, TEXT.len()), TEXT.len());
        }
    }

    /// A long text makes no long list: the places are noted where bytes begin to be pending, and where they
    /// leave.
    #[test]
    fn what_goes_on_as_before_is_not_noted() {
        let text = "word ".repeat(9) + "<tool_call>{";
        let recording = Recording::read(String::new(), &ready(), text.as_bytes(), &[Some(1)]);
        assert_eq!(recording.runs[0].left, [Left(46, Some(45)), Left(58, None)]);
    }

    #[test]
    fn events_tile_the_text() {
        let recording = Recording::read(String::new(), &ready(), TEXT.as_bytes(), &[None]);
        let mut at = 0;
        for event in &recording.events {
            assert_eq!(event.from, at);
            at = event.to;
        }
        assert_eq!((at, &*recording.text), (TEXT.len(), TEXT));
    }

    #[test]
    fn a_difference_has_a_place() {
        let recording = Recording::read(String::new(), &ready(), TEXT.as_bytes(), &[None]);
        let events = &recording.events;
        assert_eq!(difference(events, events), None);
        let says = difference(&events[..2], events).unwrap();
        assert!(says.starts_with("event 2 is nothing, byte by byte"), "{says}");
    }
}
