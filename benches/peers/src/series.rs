//! A series: one dialect, shape and chunk size, read by all parsers, in messages that double.

use std::time::Instant;

use toolstream::Dialect;

use crate::clock;
use crate::peers::Peer;
use crate::texts::{Shape, Text};

pub struct Series<'a> {
    pub dialect: Dialect,
    pub shape: Shape,
    /// Bytes in a chunk; `usize::MAX` is the whole message.
    pub chunk: usize,
    /// toolstream, toolstream without collecting, and the rivals.
    pub lanes: Vec<Lane<'a>>,
}

/// The times of a parser.
pub struct Lane<'a> {
    pub peer: &'a dyn Peer,
    pub points: Vec<Point>,
}

/// The time of a parser for a message.
pub struct Point {
    /// Bytes of payload.
    pub size: usize,
    /// Bytes of the message.
    pub bytes: usize,
    /// The measured or expected time.
    pub seconds: f64,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The result is right.
    Right,
    /// The result differs in this; the time is for other work.
    Differs(String),
    /// Not measured: it would have taken too long.
    LeftOut,
}

impl<'a> Series<'a> {
    pub fn new(
        dialect: Dialect,
        shape: Shape,
        chunk: usize,
        peers: impl Iterator<Item = &'a dyn Peer>,
    ) -> Self {
        let lane = |peer| Lane { peer, points: Vec::new() };
        Series { dialect, shape, chunk, lanes: peers.map(lane).collect() }
    }

    /// Dialect, shape and chunk.
    pub fn name(&self) -> String {
        let (dialect, shape) = (self.dialect.name(), self.shape.name());
        format!("{dialect} {shape} {}", chunk_name(self.chunk))
    }

    /// Checks and times a message of this size. A parser with an expected time above `most` seconds is left
    /// out.
    pub fn measure(&mut self, size: usize, most: f64) {
        let text = self.shape.text(&self.dialect, size);
        for lane in &mut self.lanes {
            let expected = lane.next();
            let (seconds, outcome) = match expected > most {
                true => (expected, Outcome::LeftOut),
                false => check(lane.peer, &text, self.chunk),
            };
            lane.points.push(Point { size, bytes: text.message.len(), seconds, outcome });
        }
        let mut racing = Vec::new();
        for lane in &mut self.lanes {
            let (peer, point) = (lane.peer, lane.points.last_mut().expect("just pushed"));
            if point.outcome != Outcome::LeftOut {
                racing.push((peer, point));
            }
        }
        let peers: Vec<&dyn Peer> = racing.iter().map(|(peer, _)| *peer).collect();
        let times = clock::race(&peers, &text.message, self.chunk, most);
        for ((_, point), seconds) in racing.into_iter().zip(times) {
            point.seconds = seconds;
        }
    }
}

impl Lane<'_> {
    pub fn at(&self, size: usize) -> Option<&Point> {
        self.points.iter().find(|point| point.size == size)
    }

    /// Returns the growth of the time per doubling, from one size to another.
    pub fn growth(&self, from: usize, to: usize) -> Option<f64> {
        let (from, to) = (self.at(from)?, self.at(to)?);
        let measured = |point: &Point| point.outcome != Outcome::LeftOut;
        let doublings = (to.size as f64 / from.size as f64).log2();
        (measured(from) && measured(to) && doublings > 0.0)
            .then(|| (to.seconds / from.seconds).powf(1.0 / doublings))
    }

    /// Returns the expected time of the next message, twice as long.
    fn next(&self) -> f64 {
        match &self.points[..] {
            [] => 0.0,
            [only] => 2.0 * only.seconds,
            [.., before, last] => last.seconds * (last.seconds / before.seconds).max(2.0),
        }
    }
}

/// A chunk size as people write it.
pub fn chunk_name(chunk: usize) -> String {
    if chunk == usize::MAX { "whole".to_string() } else { chunk.to_string() }
}

/// Reads once, and checks the result.
fn check(peer: &dyn Peer, text: &Text, chunk: usize) -> (f64, Outcome) {
    let mut reader = peer.prepare();
    let begun = Instant::now();
    let read = reader.read(&text.message, chunk);
    let seconds = begun.elapsed().as_secs_f64();
    let differs = match read {
        _ if !peer.collects() => None,
        Ok(read) => read.differs_from(&text.expected),
        Err(error) => Some(format!("an error, {error}")),
    };
    (seconds, differs.map_or(Outcome::Right, Outcome::Differs))
}
