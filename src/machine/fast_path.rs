//! The fast path: what a small chunk is, if a look at its bytes is enough.
//!
//! Most chunks of a stream are a few bytes of payload, and the questions that the machine would ask of
//! them have the same answers from one chunk to the next. They are asked once, after a chunk that was
//! read in full ([`Machine::fast_path`]): which bytes would change something, and which event a chunk
//! without them is. Then [`Machine::pass`] looks at no more than those bytes, and the chunk is one
//! event. What is not settled beforehand is read in full, so both ways come to the same.

use super::grammar::REASONING;
use super::{Line, Machine, State, Step};
use crate::dialect::spec::{Flags, Framing};
use crate::event::Payload;
use crate::machine::table::Begins;
use crate::machine::tables::Tables;
use crate::options::Fences;

/// The longest chunk that is worth a look of its own, in bytes: a second look at a longer one, if it
/// has to be read in full after all, would cost more than the first one saves.
const SHORT: usize = 256;
/// Up to this many bytes a loop is faster than a call.
const FEW: usize = 16;
/// A byte that stands in no text.
const NONE: u8 = 0xFF;

/// What the next chunk is, if none of some bytes are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastPath {
    /// What may begin a marker or end the payload.
    stops: [u8; 2],
    /// More bytes than these may: those of the table.
    many: bool,
    /// The byte after a stop may rule it out.
    looks_on: bool,
    /// A marker may begin with a line.
    lines: bool,
    /// A marker may begin with the name of a tool.
    words: bool,
    /// A line feed is one stop more.
    third: bool,
    /// What the chunk may not end with.
    tail: Tail,
    pub payload: Payload,
}

/// The last bytes of a chunk that may be framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    Any,
    NoLineBreak,
    NoWhiteSpace,
}

impl FastPath {
    /// Whether the chunk may end in framing.
    #[inline]
    fn is_framed(self, chunk: &[u8]) -> bool {
        let last = *chunk.last().unwrap_or(&NONE);
        match self.tail {
            Tail::Any => false,
            Tail::NoLineBreak => matches!(last, b'\n' | b'\r'),
            Tail::NoWhiteSpace => matches!(last, b' ' | b'\t' | b'\r' | b'\n'),
        }
    }
}

impl Machine {
    /// Takes a chunk that is payload from end to end; `false` if it must be read in full.
    #[inline]
    pub fn pass(&mut self, tables: &Tables, path: FastPath, chunk: &str) -> bool {
        if chunk.is_empty() || chunk.len() > SHORT {
            return false;
        }
        self.examined += chunk.len();
        let bytes = chunk.as_bytes();
        if path.is_framed(bytes) {
            return false;
        }
        let [one, other] = path.stops;
        let stops = match bytes.len() {
            ..FEW => {
                let some = bytes.iter().any(|&byte| byte == one || byte == other)
                    || path.many && self.has_first(tables, bytes)
                    || path.lines && self.line == Line::Start
                    || path.third && bytes.contains(&b'\n');
                some && !(path.looks_on && self.is_plain(tables, bytes))
            }
            _ if path.looks_on => !self.is_plain(tables, bytes),
            _ => memchr::memchr2(one, other, bytes).is_some(),
        };
        if stops || path.words && self.ends_in_half_name(tables, chunk) {
            return false;
        }
        self.base += chunk.len();
        self.note_end(tables.grammar.words, chunk);
        true
    }

    /// Whether a byte with which a marker may begin is in the chunk, where they are many.
    fn has_first(&self, tables: &Tables, bytes: &[u8]) -> bool {
        let many = &self.searched(&tables.grammar).many;
        many.as_ref().is_some_and(|many| bytes.iter().any(|byte| many[*byte as usize]))
    }

    /// Whether no marker begins in the chunk, nor a line in which one may stand.
    // Out of line: most chunks hold no stop, and are not to pay for this.
    #[inline(never)]
    fn is_plain(&self, tables: &Tables, bytes: &[u8]) -> bool {
        let table = self.searched(&tables.grammar);
        // At the chunk's end the next one is asked.
        let plain = |line: usize| line == bytes.len() || !table.line_fits(&bytes[line..]);
        let lines = table.begins_at(Begins::Line);
        if table.find(bytes, &self.call, &tables.names).is_some() {
            return false;
        }
        !lines
            || (self.line != Line::Start || plain(0))
                && memchr::memchr_iter(b'\n', bytes).all(|feed| plain(feed + 1))
    }

    /// What the next chunk is, if a look at its bytes is enough.
    pub fn fast_path(&self, tables: &Tables) -> Option<FastPath> {
        let plain = matches!(self.step(&tables.grammar), Step::Payload | Step::Body);
        if !plain || !self.held.is_empty() {
            return None;
        }
        let of = |payload, tail| {
            let table = self.searched(&tables.grammar);
            let lines = table.begins_at(Begins::Line);
            let (stops, third) = match *table.first {
                [one] => ([one, if lines { b'\n' } else { one }], false),
                [one, other] => ([one, other], lines),
                _ => ([if lines { b'\n' } else { NONE }; 2], false),
            };
            let (words, many) = (table.begins_at(Begins::Word), table.many.is_some());
            Some(FastPath { stops, many, looks_on: true, lines, words, third, tail, payload })
        };
        match self.state {
            State::Prose => {
                let reasoning = tables.grammar.prose[self.prose as usize].reasoning;
                let message = if reasoning { Flags::NONE } else { Flags::MESSAGE_START };
                let watched = Flags::AFTER_CALL | Flags::OWED | Flags::STREAM_START;
                let watched = watched | Flags::WHOLE | message;
                let quotes = tables.options.fences == Fences::Quote && self.prose != REASONING;
                if self.flags.has_any(watched) || quotes {
                    return None;
                }
                of(if reasoning { Payload::Reasoning } else { Payload::Text }, Tail::Any)
            }
            State::Value if self.call.long_white => None,
            State::Value => {
                let payload = if self.call.is_param { Payload::Param } else { Payload::Arguments };
                let tail = match tables.framing_by_rules(self.call.value_kind) {
                    Framing::LineBreak | Framing::Recovered => Tail::NoLineBreak,
                    Framing::White => Tail::NoWhiteSpace,
                    _ => Tail::Any,
                };
                of(payload, tail)
            }
            State::Body => self.fast_path_in_body(tables),
            State::Rest => of(Payload::Markup, Tail::Any),
            State::Section | State::Call => None,
        }
    }

    /// In a string of a body whose text is not wanted: its quote and a backslash.
    fn fast_path_in_body(&self, tables: &Tables) -> Option<FastPath> {
        let (quote, payload) = match tables.grammar.bodies[self.body.kind as usize].gives.literals()
        {
            Some(literals) => (&*literals.quote, Payload::Param),
            None => ("", Payload::Arguments),
        };
        let stops = self.body.json.stops_in_string(quote)?;
        let payload = if self.body.gives_arguments() { payload } else { Payload::Markup };
        // The line that the markup stands on has been noted with the quote.
        Some(FastPath {
            stops,
            many: false,
            looks_on: false,
            lines: false,
            words: false,
            third: false,
            tail: Tail::Any,
            payload,
        })
    }
}
