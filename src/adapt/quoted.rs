//! A JSON string, read and decoded over any cut.
//!
//! ```text
//! string := sign char* sign             sign := " | ' | ` | """
//! char   := any but sign and \  |  escape        see [`crate::json::unescape`]
//! ```
//! What `repair` reads is read, and as `repair` reads it; control characters pass. Chunk ends here:
//! a few bytes are kept. Stream ends here: the string did not close.

use memchr::memchr2;

use crate::json::unescape::Unescape;

/// Where in a string the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quoted {
    sign: u8,
    at: At,
    /// Three signs open and close it.
    triple: bool,
    escaped: bool,
    /// Signs that came in a row and may close it, where three do.
    signs: u8,
    text: Unescape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Behind the opening sign.
    Opened,
    /// Behind two signs `"`: an empty string, or the beginning of three.
    Empty,
    Inside,
}

/// What became of some bytes.
enum Step {
    /// So many were read, and the string goes on.
    On(usize),
    /// So many were read, and the string is over.
    Closed(usize),
}

impl Quoted {
    /// A string whose opening sign was read.
    pub fn open(sign: u8) -> Quoted {
        Quoted {
            sign,
            at: At::Opened,
            triple: false,
            escaped: false,
            signs: 0,
            text: Unescape::default(),
        }
    }

    /// Whether a string can begin with this byte.
    pub fn opens(byte: u8) -> bool {
        matches!(byte, b'"' | b'\'' | b'`')
    }

    /// Reads on, and sends what is decoded. Returns how far the string went, if it is over.
    pub fn read(&mut self, text: &str, send: &mut impl FnMut(&str)) -> Option<usize> {
        let mut at = 0;
        while at < text.len() {
            match self.step(&text[at..], send) {
                Step::On(read) => at += read,
                Step::Closed(read) => return Some(at + read),
            }
        }
        None
    }

    /// Reads at least a byte of `rest`, or goes to another state that will.
    fn step(&mut self, rest: &str, send: &mut impl FnMut(&str)) -> Step {
        let byte = rest.as_bytes()[0];
        match self.at {
            At::Opened if byte == b'"' && self.sign == b'"' => self.go(At::Empty, 1),
            At::Opened => self.go(At::Inside, 0),
            At::Empty if byte == b'"' => {
                self.triple = true;
                self.go(At::Inside, 1)
            }
            At::Empty => Step::Closed(0),
            At::Inside => self.inside(rest, send),
        }
    }

    fn go(&mut self, at: At, read: usize) -> Step {
        self.at = at;
        Step::On(read)
    }

    fn inside(&mut self, rest: &str, send: &mut impl FnMut(&str)) -> Step {
        if std::mem::take(&mut self.escaped) {
            let len = rest.chars().next().map_or(0, char::len_utf8);
            return self.decode(&rest[..len], send);
        }
        let byte = rest.as_bytes()[0];
        if byte == self.sign && self.triple {
            self.text.end(send);
            self.signs += 1;
            return if self.signs == 3 { Step::Closed(1) } else { Step::On(1) };
        }
        for _ in 0..std::mem::take(&mut self.signs) {
            send("\"");
        }
        if byte == self.sign {
            self.text.end(send);
            return Step::Closed(1);
        }
        let plain = memchr2(self.sign, b'\\', rest.as_bytes()).unwrap_or(rest.len());
        self.escaped = plain == 0;
        self.decode(&rest[..plain.max(1)], send)
    }

    fn decode(&mut self, piece: &str, send: &mut impl FnMut(&str)) -> Step {
        self.text.read(piece, self.sign, send);
        Step::On(piece.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the string says, and what stands behind it.
    fn read(pieces: [&str; 2]) -> Option<(String, String)> {
        let mut quoted = Quoted::open(pieces[0].as_bytes()[0]);
        let mut out = String::new();
        let first = &pieces[0][1..];
        let mut send = |piece: &str| out.push_str(piece);
        if let Some(end) = quoted.read(first, &mut send) {
            return Some((out, first[end..].to_string() + pieces[1]));
        }
        let end = quoted.read(pieces[1], &mut send)?;
        Some((out, pieces[1][end..].to_string()))
    }

    #[test]
    fn every_cut_of_every_kind() {
        for (text, expected) in [
            (r#""plain é",1"#, Some(("plain é", ",1"))),
            (r#"""}"#, Some(("", "}"))),
            (r"'a\'b\`\q'", Some(("a'b\\`\\q", ""))),
            (r"`a\`b`", Some(("a`b", ""))),
            (r#"'"'"#, Some(("\"", ""))),
            (r#""""a "b" ""c""""]"#, Some(("a \"b\" \"\"c", "\"]"))),
            (r#""\b\f\n\r\t\/\\\"" "#, Some(("\u{8}\u{c}\n\r\t/\\\"", " "))),
            (r#""\u00e9\ud83e\udd80""#, Some(("é🦀", ""))),
            (r#""a\'b\d""#, Some(("a'b\\d", ""))),
            (r#""\ud83ex""#, Some(("\u{FFFD}x", ""))),
            (r#""\ud83e""#, Some(("\u{FFFD}", ""))),
            (r#""\ud83e\n\udd80""#, Some(("\u{FFFD}\n\u{FFFD}", ""))),
            (r#""\ud83e\ud83e\udd80""#, Some(("\u{FFFD}🦀", ""))),
            (r#""\ud83e\u00e9""#, Some(("\u{FFFD}é", ""))),
            (r#""\ud83e\u12x""#, Some(("\u{FFFD}\\u12x", ""))),
            (r#""\uD8é""#, Some(("\\uD8é", ""))),
            (r#""\u"x"#, Some(("\\u", "x"))),
            (r#""\é""#, Some(("\\é", ""))),
            (r#""open\""#, None),
            (r#""""a"""#, None),
        ] {
            let expected = expected.map(|(text, behind)| (text.to_string(), behind.to_string()));
            for at in 1..=text.len() {
                if text.is_char_boundary(at) {
                    let (first, second) = text.split_at(at);
                    assert_eq!(read([first, second]), expected, "{first} | {second}");
                }
            }
        }
    }
}
