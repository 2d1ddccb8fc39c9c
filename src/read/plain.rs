//! Small chunks that are payload from end to end, as most are: one event after a look at their bytes.
//!
//! After a chunk that was read in full, [`Machine::plain`] finds the bytes that would change something. A chunk
//! without them is one event ([`Machine::pass`]). Any other chunk is read in full. The result is the same.

use crate::event::Payload;
use crate::family::Framing;
use crate::options::Fences;
use crate::read::class::Class;
use crate::read::feed::Line;
use crate::read::machine::{Machine, Setup, State};
use crate::read::scan::Scan;

/// The longest chunk that is worth a look of its own, in bytes.
const SHORT: usize = 256;

/// The stops for the next chunk: if it has none of these bytes, it is payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    stops: [u8; 4],
    /// The byte behind a stop may rule it out.
    looks_on: bool,
    /// A line break at its end may be framing.
    framed: bool,
    /// A marker may begin with a word.
    words: bool,
    /// Markers begin with lines.
    lines: bool,
    /// Markers begin with more bytes than fit in `stops`.
    many: bool,
    pub payload: Payload,
}

impl Machine {
    /// Returns the beginnings of markers in the present state, if payload leaves in it.
    fn scan<'t>(&self, t: &Setup<'t>) -> Option<&'t Scan> {
        match self.state {
            State::Text => Some(t.text_scan(&self.is)),
            State::Reasoning => Some(t.reasoning_scan(self.counts_calls(t))),
            State::Value => Some(self.grammar(t).family.value_scan(self.call.value_kind)),
            _ => None,
        }
    }

    /// Returns the stops for the next chunk, if a look at its bytes is enough.
    pub fn plain(&self, t: &Setup<'_>) -> Option<Plain> {
        let is = &self.is;
        let starts = self.at_start && t.reads.starts;
        let watched = starts || is.stream_start || is.after_call || is.owed || is.whole;
        let payload = match self.state {
            _ if self.held() > 0 => return None,
            State::Text if !watched && !is.message_start => Payload::Text,
            State::Reasoning if !watched => Payload::Reasoning,
            // Here a line may count that counts nowhere else.
            State::Value if self.at_start && t.reads.lines => return None,
            State::Value if self.call.long_white => return None,
            State::Value if self.is.all_arguments => Payload::Arguments,
            State::Value if !self.call.at_value_start => Payload::Param,
            State::Rest => Payload::Markup,
            State::Body => {
                let literals = self.grammar(t).family.literals(self.body.kind);
                let own = literals.map_or("", |literals| &literals.quote);
                let [quote, escape] = self.body.json.stops_in_string(own)?;
                let payload = match self.body.gives_arguments() {
                    true if self.body.params => Payload::Param,
                    true => Payload::Arguments,
                    false => Payload::Markup,
                };
                let stops = [quote, escape, escape, escape];
                let [looks_on, framed, words, lines, many] = [false; 5];
                return Some(Plain { stops, looks_on, framed, words, lines, many, payload });
            }
            _ => return None,
        };
        if payload == Payload::Text && t.options.fences == Fences::Quote {
            return None;
        }
        let framed = self.state == State::Value && self.framing != Framing::None;
        let lines = t.reads.lines && self.state != State::Rest && self.lines(t, false).is_some();
        let firsts = self.scan(t).map_or(Some([0xFF; 4]), Scan::firsts);
        // In a dialect of lines the last byte must repeat another.
        let firsts = firsts.filter(|firsts| !lines || firsts[2] == firsts[3]);
        let (mut stops, many) = (firsts.unwrap_or_default(), firsts.is_none());
        if lines {
            stops[3] = b'\n';
        }
        let words = self.words && matches!(payload, Payload::Text | Payload::Reasoning);
        Some(Plain { stops, looks_on: true, framed, words, lines, many, payload })
    }

    /// Emits a chunk that is payload from end to end; `false` if it must be read in full.
    #[inline]
    pub fn pass(&mut self, t: &Setup<'_>, plain: Plain, chunk: &str) -> bool {
        let bytes = chunk.as_bytes();
        let Some(last) = bytes.last().filter(|_| bytes.len() <= SHORT) else { return false };
        let ends_in_white = match self.framing {
            Framing::White => Class::White.has_byte(*last),
            _ => matches!(last, b'\n' | b'\r'),
        };
        if plain.framed && ends_in_white {
            return false;
        }
        if plain.lines && self.line == Line::Start && self.begins_line(t, bytes) {
            return false;
        }
        let [one, two, three, four] = plain.stops;
        let stops = |byte: &u8| *byte == one || *byte == two || *byte == three || *byte == four;
        if (plain.many || bytes.iter().any(stops))
            && !(plain.looks_on && self.begins_nothing(t, bytes))
        {
            return false;
        }
        if plain.words && self.ends_in_half_name(t, chunk) {
            return false;
        }
        self.examined += bytes.len();
        self.base += bytes.len();
        self.note_end(chunk);
        true
    }

    /// Whether a marker of the present state may begin with this line.
    #[inline(never)]
    fn begins_line(&self, t: &Setup<'_>, line: &[u8]) -> bool {
        self.lines(t, false).is_some_and(|lines| lines.fit(line))
    }

    // Out of line: most chunks hold no stop, and should not pay for this.
    #[inline(never)]
    fn begins_nothing(&self, t: &Setup<'_>, bytes: &[u8]) -> bool {
        let names = |byte| self.may_name(t, byte);
        let lines = t.reads.lines && self.lines(t, false).is_some();
        let found = |scan: &Scan| match lines {
            true => scan.find_in_lines(bytes, 0, names, |at| self.begins_line(t, &bytes[at..])),
            false => scan.find(bytes, 0, names),
        };
        self.scan(t).is_some_and(|scan| found(scan).is_none())
    }
}
