//! A tried object or list that is not a call: text, up to its end.
//!
//! ```text
//! end := the bracket that closes it | an empty line | a line that begins with three back-ticks | markup
//! ```
//! All brackets count, except in `"…"`, which ends with its line at the latest. The text leaves at once: the
//! tracker looks on and nothing is pending. At the end of the stream there is nothing to do.
//!
//! A rejected object is read once more as text, and again if it ends early and another object begins in it.
//! The bytes that were read beyond the ends of objects are counted. Beyond a bound, no object is tried in
//! bytes that were read for another. So a text of such beginnings takes linear time.

use crate::options::bounds;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Whole {
    /// Stream offset of its first byte.
    from: usize,
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// The number of back-ticks at the start of the line, behind blanks, if nothing else has come. (The line
    /// belongs to the object: it may have begun in the middle of a line of the text.)
    ticks: Option<u8>,
    /// The line is not the first.
    later: bool,
    /// Stream offset up to which rejected objects were read.
    tried: usize,
    /// The number of bytes that were read beyond their ends.
    beyond: u32,
}

impl Whole {
    /// Begins an object at `from` that is not a call, and was read up to `to`.
    pub fn begin(&mut self, from: usize, to: usize) {
        let (tried, beyond) = (self.tried.max(to), self.beyond);
        *self = Whole { from, tried, beyond, ..Whole::default() };
    }

    /// Ends the object at this stream offset.
    pub fn end(&mut self, at: usize) {
        let beyond = self.tried.saturating_sub(at).try_into().unwrap_or(u32::MAX);
        self.beyond = self.beyond.saturating_add(beyond);
    }

    /// Returns the stream offset before which no further object is tried.
    pub fn no_trial_before(&self) -> usize {
        if self.beyond as usize > bounds::ARGUMENTS { self.tried } else { 0 }
    }

    /// Takes text that leaves at this stream offset. Returns the end of the object, if it ends in it.
    pub fn read(&mut self, text: &str, at: usize) -> Option<usize> {
        let skip = self.from.saturating_sub(at).min(text.len());
        let end = text.as_bytes()[skip..].iter().position(|byte| self.step(*byte));
        end.map(|end| at + skip + end + 1)
    }

    /// Whether the object ends with this byte.
    fn step(&mut self, byte: u8) -> bool {
        if byte == b'\n' {
            let empty = self.later && self.ticks == Some(0);
            self.in_string = false;
            self.escaped = false;
            self.later = true;
            self.ticks = Some(0);
            return empty;
        }
        if self.later {
            self.ticks = match (self.ticks, byte) {
                (Some(0), b' ' | b'\t' | b'\r') => Some(0),
                (Some(2), b'`') => return true,
                (Some(ticks), b'`') => Some(ticks + 1),
                _ => None,
            };
        }
        match byte {
            _ if std::mem::take(&mut self.escaped) => {}
            b'\\' if self.in_string => self.escaped = true,
            b'"' => self.in_string = !self.in_string,
            b'{' | b'[' if !self.in_string => self.depth += 1,
            b'}' | b']' if !self.in_string => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the end of an object at the first byte of a text that comes byte by byte.
    fn end(text: &str) -> Option<usize> {
        let mut whole = Whole::default();
        whole.begin(0, text.len());
        let found = { whole }.read(text, 0);
        let bytes = text.char_indices().map(|(at, c)| (at, &text[at..at + c.len_utf8()]));
        let bytewise = bytes.into_iter().find_map(|(at, piece)| whole.read(piece, at));
        assert_eq!(found, bytewise, "{text:?}");
        found
    }

    #[test]
    fn ends_of_objects() {
        for (text, expected) in [
            ("{a} b", Some("{a}")),
            ("[{]] b", Some("[{]]")),
            ("(}", Some("(}")),
            ("{\"}\"} b", Some("{\"}\"}")),
            ("{\"{[\"} b}", Some("{\"{[\"}")),
            ("{\"\\\"}\"} b", Some("{\"\\\"}\"}")),
            // Outside of a string nothing escapes.
            ("{\\\"}\"} b", Some("{\\\"}\"}")),
            // A string ends with its line at the latest.
            ("{\"a\n} b", Some("{\"a\n}")),
            ("{\"\\\n} b", Some("{\"\\\n}")),
            // An empty line, perhaps of blanks, but not the first line.
            ("{\n\nb}", Some("{\n\n")),
            ("{\n \t\r\nb}", Some("{\n \t\r\n")),
            ("{\nb\n}", Some("{\nb\n}")),
            ("\n{\n}", Some("\n{\n}")),
            // A fence.
            ("{\n```b}", Some("{\n```")),
            ("{\n \t```b}", Some("{\n \t```")),
            ("{```b}", Some("{```b}")),
            ("{\nb```}", Some("{\nb```}")),
            ("{\n``b```}", Some("{\n``b```}")),
            ("{\n`` `}", Some("{\n`` `}")),
            ("{a", None),
        ] {
            assert_eq!(end(text).map(|end| &text[..end]), expected, "{text:?}");
        }
    }

    #[test]
    fn it_begins_where_it_was_tried() {
        let mut whole = Whole::default();
        whole.begin(5, 9);
        assert_eq!({ whole }.read("a}{}{}", 1), Some(7));
        assert_eq!({ whole }.read("ab}", 0), None);
        assert_eq!(whole.read("{} }", 6), Some(8));
    }

    /// The bytes read beyond the ends are counted; beyond the bound no object is tried in bytes that were
    /// read.
    #[test]
    fn trials_are_bounded() {
        for (beyond, later) in [(bounds::ARGUMENTS, 0), (bounds::ARGUMENTS + 1, 1)] {
            let mut whole = Whole::default();
            whole.begin(0, 10 + beyond - 7);
            whole.end(10);
            assert_eq!(whole.no_trial_before(), 0);
            // The second trial read less than the first.
            whole.begin(20, 30);
            whole.end(10 + beyond - 7 - 7);
            assert_eq!(whole.no_trial_before(), later * (10 + beyond - 7));
            whole.end(1 << 20);
            assert_eq!(whole.no_trial_before(), later * (10 + beyond - 7));
        }
    }
}
