//! The glance: how most small chunks go by.
//!
//! Between two markers a stream is payload, cut into chunks of a few bytes, and the questions that
//! every chunk would ask (which state, which rules, is anything held) have the same answers from one
//! chunk to the next. So they are asked once, when a chunk has been read in full: what comes out is
//! the bytes that would change something, and what a chunk without them is. Such a chunk is one
//! event and a few sums.
//!
//! Only short chunks are looked at like this: behind a glance that finds something the chunk is read
//! from its start, and that second look must stay small.

use super::keyword::LineTable;
use super::{Line, Machine, State};
use crate::event::{Event, ToolUse};
use crate::options::Fences;
use crate::tables::Tables;

/// Longest chunk that is glanced at, in bytes.
const SHORT: usize = 256;

/// In fewer bytes than these a loop finds one sooner than a call of `memchr`.
const FEW: usize = 16;

/// A byte that is in no UTF-8 text.
const NONE: u8 = 0xFF;

/// What makes a chunk payload from end to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Glance {
    /// It holds neither of these.
    stops: [u8; 2],
    /// They may stand in it, too, if what stands behind each makes it no head and no line that counts.
    behind: bool,
    tail: Tail,
    /// What it is then.
    pub payload: Payload,
}

/// What the chunk must not end with, because it may be framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    Any,
    NoLineBreak,
    NoWhiteSpace,
}

/// A kind of event with a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    Text,
    Reasoning,
    Param,
    Arguments,
    Markup,
}

impl Payload {
    #[inline]
    pub fn event(self, slice: &str) -> Event<&str> {
        match self {
            Payload::Text => Event::TextContent(slice),
            Payload::Reasoning => Event::Reasoning(slice),
            Payload::Param => Event::ToolUse(ToolUse::ParamDelta(slice)),
            Payload::Arguments => Event::ToolUse(ToolUse::ArgumentsDelta(slice)),
            Payload::Markup => Event::Markup(slice),
        }
    }
}

impl Glance {
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
    /// Takes a chunk that is payload at a glance; `false` if it must be read in full.
    #[inline]
    pub fn glance(&mut self, tables: &Tables, glance: Glance, chunk: &str) -> bool {
        if chunk.is_empty() || chunk.len() > SHORT {
            return false;
        }
        self.examined += chunk.len();
        if glance.is_framed(chunk.as_bytes()) {
            return false;
        }
        let bytes = chunk.as_bytes();
        let [one, other] = glance.stops;
        let stops = match bytes.len() {
            ..FEW => {
                let some = bytes.iter().any(|&byte| byte == one || byte == other);
                some && !(glance.behind && self.is_plain(tables, chunk))
            }
            _ if glance.behind => !self.is_plain(tables, chunk),
            _ => memchr::memchr2(one, other, bytes).is_some(),
        };
        if stops {
            return false;
        }
        self.base += chunk.len();
        match glance.payload {
            Payload::Text | Payload::Reasoning => self.note_line(chunk),
            Payload::Param => self.call.line_start = chunk.ends_with('\n'),
            Payload::Arguments | Payload::Markup => {}
        }
        true
    }

    /// Whether what stands behind each sign in the chunk makes it no head and no line that counts.
    // Out of line: most chunks hold no sign, and are not to pay for this.
    #[inline(never)]
    fn is_plain(&self, tables: &Tables, chunk: &str) -> bool {
        let dull = |lines: &LineTable| {
            memchr::memchr_iter(b'\n', chunk.as_bytes()).all(|at| lines.is_dull(&chunk[at + 1..]))
        };
        self.table(tables).scanner.is_plain(chunk.as_bytes())
            && tables.lines.as_ref().is_none_or(dull)
    }

    /// What the next chunk is at a glance, if one is enough.
    pub fn ahead(&self, tables: &Tables) -> Option<Glance> {
        let settled = self.held.is_empty()
            && !self.candidate.active
            && self.scan == self.table(tables).scanner.start();
        if !settled {
            return None;
        }
        let any = |stops, payload| Some(Glance { stops, behind: true, tail: Tail::Any, payload });
        match self.state {
            State::Text if self.behind_call => None,
            State::Text | State::Thought if tables.options.fences == Fences::Quote => None,
            State::Reasoning | State::Thought if self.pristine => None,
            State::Text | State::Answer => any(self.stops(tables)?, Payload::Text),
            State::Reasoning | State::Thought => any(self.stops(tables)?, Payload::Reasoning),
            State::Value if self.call.at_value_start => None,
            State::Value => {
                let framed = tables.values[self.call.value_kind as usize].line_breaks;
                let tail = if framed { Tail::NoLineBreak } else { Tail::Any };
                let payload = Payload::Param;
                Some(Glance { stops: self.stops(tables)?, behind: true, tail, payload })
            }
            State::Body => self.ahead_in_body(),
            State::Plain if self.lines.long => None,
            State::Plain => {
                let payload = match self.lines.param {
                    true => Payload::Param,
                    false => Payload::Arguments,
                };
                let tail = Tail::NoWhiteSpace;
                let stops = [b'\n', b']'];
                self.lines.in_middle().then_some(Glance { stops, behind: false, tail, payload })
            }
            State::Invented => any([NONE; 2], Payload::Markup),
            State::Section
            | State::Call
            | State::Name
            | State::Input
            | State::Orphan
            | State::Tail => None,
        }
    }

    /// In a string of a JSON body whose text is not wanted: its quote and a backslash.
    fn ahead_in_body(&self) -> Option<Glance> {
        let stops = self.body.json.stops_in_string()?;
        let arguments = self.body.gives_arguments();
        let payload = if arguments { Payload::Arguments } else { Payload::Markup };
        // The line that the markup stands on has been noted with the quote.
        Some(Glance { stops, behind: false, tail: Tail::Any, payload })
    }

    /// The bytes that may begin a marker here, or end a line, if they are two at most.
    fn stops(&self, tables: &Tables) -> Option<[u8; 2]> {
        let lines = tables.lines.is_some() && self.state.has_lines(tables);
        if lines && !self.lines.in_middle() {
            return None;
        }
        match (self.table(tables).scanner.first(), lines) {
            ([], false) => Some([NONE; 2]),
            ([], true) => Some([b'\n'; 2]),
            (&[one], false) => Some([one; 2]),
            (&[one], true) => Some([one, b'\n']),
            (&[one, other], false) => Some([one, other]),
            _ => None,
        }
    }

    /// Notes whether only blanks have come since the last line break.
    #[inline]
    pub fn note_line(&mut self, slice: &str) {
        let sign = slice.bytes().rfind(|byte| !matches!(byte, b' ' | b'\t'));
        self.line = match (sign, self.line) {
            (Some(b'\n'), _) | (None, Line::Start) => Line::Start,
            _ => Line::Middle,
        };
    }
}
