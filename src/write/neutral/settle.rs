//! The dialect's own parser reads the text. Anything that it does not read as text is broken up, and it reads on
//! from a little before.

use std::collections::VecDeque;

use super::{BREAK, Markers};
use crate::event::{Event, ToolUse};
use crate::parser::Parser;

/// A text with foreign parts.
#[derive(Clone, Debug, Default)]
pub(in crate::write) struct Foreign {
    pub text: String,
    /// The origin of each byte.
    whose: Vec<Whose>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Ours,
    Foreign,
    /// Foreign, in the middle of an escape, which must not be broken.
    Escape,
}

impl Foreign {
    pub fn push_ours(&mut self, text: &str) {
        self.push(text, Whose::Ours);
    }

    pub fn push_foreign(&mut self, text: &str) {
        self.push(text, Whose::Foreign);
    }

    fn push(&mut self, text: &str, whose: Whose) {
        self.text.push_str(text);
        self.whose.resize(self.text.len(), whose);
    }

    pub fn append(&mut self, other: &Foreign) {
        self.text.push_str(&other.text);
        self.whose.extend(&other.whose);
    }

    /// Adds a JSON string with foreign content. The quotes around it are ours.
    pub fn push_json(&mut self, json: &str) {
        let inner = json.strip_prefix('"').and_then(|json| json.strip_suffix('"'));
        self.push_ours("\"");
        let mut rest = inner.unwrap_or_default();
        while let Some(at) = rest.find('\\') {
            let len = if rest[at..].starts_with("\\u") { 6 } else { 2 };
            let end = (at + len).min(rest.len());
            self.push_foreign(&rest[..=at]);
            self.push(&rest[at + 1..end], Whose::Escape);
            rest = &rest[end..];
        }
        self.push_foreign(rest);
        self.push_ours("\"");
    }

    /// Whether a break may stand before this byte.
    fn may_break(&self, at: usize) -> bool {
        let whose = |at: usize| self.whose.get(at).copied().unwrap_or(Whose::Ours);
        at > 0
            && self.text.is_char_boundary(at)
            && whose(at) != Whose::Escape
            && (whose(at) != Whose::Ours || whose(at - 1) != Whose::Ours)
    }

    /// Returns the place of the break in a marker of these bytes: as early as possible.
    pub fn break_in(&self, from: usize, to: usize) -> Option<usize> {
        let to = to.min(self.text.len());
        (from + 1..to).find(|at| self.may_break(*at))
    }

    /// Inserts a break before each of these bytes, which are sorted.
    pub fn with_breaks(self, breaks: &[usize]) -> Foreign {
        if breaks.is_empty() {
            return self;
        }
        let (mut broken, mut from) = (Foreign::default(), 0);
        for &at in breaks {
            broken.push_part(&self, from, at);
            broken.push_foreign(BREAK.encode_utf8(&mut [0; 4]));
            from = at;
        }
        broken.push_part(&self, from, self.text.len());
        broken
    }

    fn push_part(&mut self, of: &Foreign, from: usize, to: usize) {
        self.text.push_str(&of.text[from..to]);
        self.whose.extend(&of.whose[from..to]);
    }

    fn split_off(&mut self, at: usize) -> Foreign {
        Foreign { text: self.text.split_off(at), whose: self.whose.split_off(at) }
    }
}

/// The parser, and how far it has read.
#[derive(Clone)]
struct Reader {
    parser: Parser,
    /// The bytes that have come out in slices.
    position: usize,
    /// The last slice was text.
    in_text: bool,
}

/// A marker that the parser accepts.
struct Marker {
    /// The place of its first byte.
    at: usize,
    /// The name of the call that begins there or behind it.
    call: Option<String>,
}

impl Reader {
    /// Reads a piece, or the end. Returns the first marker that it accepts, if the marker is `foreign`.
    fn read(&mut self, piece: Option<&str>, foreign: impl Fn(usize) -> bool) -> Option<Marker> {
        let Reader { parser, position, in_text } = self;
        let mut marker: Option<Marker> = None;
        let mut sink = |event: Event<&str>| {
            let is_text = matches!(event, Event::TextContent(_));
            let starts = match event {
                Event::ToolUse(ToolUse::Start { name, .. }) => Some(name),
                _ => None,
            };
            let len = event.slice().map_or(0, |slice| slice.len());
            let begins = len > 0 && !is_text && *in_text;
            if marker.is_none() && (begins || starts.is_some()) && foreign(*position) {
                marker = Some(Marker { at: *position, call: None });
            }
            if let (Some(Marker { call: call @ None, .. }), Some(name)) = (&mut marker, starts) {
                *call = Some(name.to_string());
            }
            if len > 0 {
                *in_text = is_text;
            }
            *position += len;
        };
        match piece {
            Some(piece) => parser.feed_into(piece, &mut sink),
            None => parser.finish_into(&mut sink),
        }
        marker
    }
}

/// The state before a piece.
struct Snapshot {
    reader: Reader,
    written: usize,
}

/// The bytes that are read in one piece.
const PIECE: usize = 256;
/// The most breaks in a marker.
const TRIES: usize = 16;

impl Markers {
    /// Breaks up everything that the parser does not read as text, behind `lead`.
    pub(super) fn settle(&self, lead: &str, text: Foreign, found: &mut Option<String>) -> Foreign {
        let Some(parser) = &self.reader else { return text };
        let mut reader = Reader { parser: parser.clone(), position: 0, in_text: true };
        reader.read(Some(lead), |_| false);
        Settling {
            lead: lead.len(),
            reader,
            snapshots: VecDeque::new(),
            written: Foreign::default(),
            again: Foreign::default(),
            rest: text,
            read: [0, 0],
            last: (usize::MAX, 0),
            found,
        }
        .run()
    }
}

struct Settling<'f> {
    lead: usize,
    reader: Reader,
    /// The last snapshot at or before the emitted bytes, and all snapshots after it.
    snapshots: VecDeque<Snapshot>,
    written: Foreign,
    /// The text to read again, the rest behind it, and how much of each is read.
    again: Foreign,
    rest: Foreign,
    read: [usize; 2],
    /// The last marker, and the number of its breaks.
    last: (usize, usize),
    found: &'f mut Option<String>,
}

impl Settling<'_> {
    fn run(mut self) -> Foreign {
        loop {
            self.snapshot();
            let from = self.written.text.len();
            let more = self.take_piece();
            let (lead, whose) = (self.lead, &self.written.whose);
            let foreign = |at: usize| {
                let whose = at.checked_sub(lead).and_then(|at| whose.get(at));
                whose.is_some_and(|whose| *whose != Whose::Ours)
            };
            let piece = more.then(|| &self.written.text[from..]);
            let marker = self.reader.read(piece, foreign);
            let again = marker.is_some_and(|Marker { at, call }| self.break_up(at - lead, call));
            if !more && !again {
                return self.written;
            }
        }
    }

    fn snapshot(&mut self) {
        let written = self.written.text.len();
        self.snapshots.push_back(Snapshot { reader: self.reader.clone(), written });
        let out = self.reader.position.saturating_sub(self.lead);
        while self.snapshots.get(1).is_some_and(|next| next.written <= out) {
            self.snapshots.pop_front();
        }
    }

    /// Writes the next piece, if there is one.
    fn take_piece(&mut self) -> bool {
        for (from, read) in [&self.again, &self.rest].into_iter().zip(&mut self.read) {
            let mut end = (*read + PIECE).min(from.text.len());
            while !from.text.is_char_boundary(end) {
                end -= 1;
            }
            if end > *read {
                self.written.push_part(from, *read, end);
                *read = end;
                return true;
            }
        }
        false
    }

    /// Goes back to the place before the marker at this byte, with one more break in it. False if it has
    /// enough breaks.
    fn break_up(&mut self, marker: usize, call: Option<String>) -> bool {
        self.last = if self.last.0 == marker { (marker, self.last.1 + 1) } else { (marker, 1) };
        let text = &self.written.text;
        let broken = |at: usize| text[at..].starts_with(BREAK) || text[..at].ends_with(BREAK);
        let end = (marker + PIECE).min(text.len());
        let may = |at: &usize| self.written.may_break(*at) && !broken(*at);
        // An object that is a call even with its first break is no call without the key of its name.
        let key = call
            .filter(|_| self.last.1 > 1)
            .and_then(|name| keys_of(text, marker, &name).find(may));
        let at = key.or_else(|| (marker + 1..end).find(may));
        let Some(at) = at.filter(|_| self.last.1 <= TRIES) else { return false };
        if self.found.is_none() {
            let shown: String = text[marker..].chars().take(32).collect();
            *self.found = Some(shown.lines().next().unwrap_or_default().to_string());
        }
        while self.snapshots.len() > 1
            && self.snapshots.back().is_some_and(|last| last.written > at)
        {
            self.snapshots.pop_back();
        }
        let Some(before) = self.snapshots.pop_back() else { return false };
        self.reader = before.reader;
        let tail = self.written.split_off(before.written);
        let mut again = tail.with_breaks(&[at - before.written]);
        again.push_part(&self.again, self.read[0], self.again.text.len());
        self.again = again;
        self.read[0] = 0;
        true
    }
}

/// Returns the first bytes of the keys with this string as their value, from a byte on.
fn keys_of<'t>(text: &'t str, from: usize, value: &'t str) -> impl Iterator<Item = usize> + 't {
    const QUOTES: [char; 2] = ['"', '\''];
    text[from..].match_indices(value).filter_map(move |(at, _)| {
        let before = text[from..from + at].strip_suffix(QUOTES)?.trim_end();
        let key = before.strip_suffix(':')?.trim_end().trim_end_matches(QUOTES);
        let begins = |c: char| !(c.is_alphanumeric() || c == '_');
        let key_at = key
            .rfind(begins)
            .map_or(0, |at| at + key[at..].chars().next().map_or(0, char::len_utf8));
        (key_at < key.len()).then_some(from + key_at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_value() {
        for (text, keys) in [
            (r#"{"type":"function","name":"ping"}"#, &[20][..]),
            ("{'a' : 'ping', b: \"ping\"}", &[2, 15]),
            (r#"["ping", ping, :"ping", "é":"ping"]"#, &[24 + 1]),
            (r#"{"name":"pong"}"#, &[]),
        ] {
            assert_eq!(keys_of(text, 0, "ping").collect::<Vec<_>>(), keys, "{text}");
        }
        assert!(keys_of("xy", 2, "x").next().is_none());
    }

    /// A break may stand where one of its neighbours is foreign, but not in an escape or a character.
    #[test]
    fn where_a_break_may_stand() {
        let mut text = Foreign::default();
        text.push_ours("ab");
        text.push_foreign("c\u{e9}");
        text.push_ours("de");
        text.push_json("\"f\\n\"");
        let may: Vec<usize> = (0..=text.text.len()).filter(|at| text.may_break(*at)).collect();
        assert_eq!(text.text, "abc\u{e9}de\"f\\n\"");
        assert_eq!(may, [2, 3, 5, 8, 9, 11]);
    }
}
