//! The escapes of a JSON string, decoded over any cut.
//!
//! ```text
//! escape := \ ( quote " \ / ' b f n r t | u hex hex hex hex )        quote: what quotes the string
//! ```
//! A backslash without a known escape is read, too, and noted. `\'` is an apostrophe in any quotes, `\` before
//! anything else is a `\`, and half of a surrogate pair is U+FFFD. At the end of a chunk half an escape and the first
//! half of a pair are kept, in a few bytes. The caller finds the end of the string.

use memchr::memchr;

/// Decodes the text of one string, piece by piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unescape {
    at: At,
    /// The first half of a surrogate pair, if it came last.
    high: Option<u16>,
    /// An escape was invalid.
    pub bad_escape: bool,
    pub lone_surrogate: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Plain,
    /// After `\`.
    Escape,
    /// After `\u` and a number of digits.
    Unicode { digits: [u8; 4], count: u8 },
}

impl Unescape {
    /// Reads text of a string in the quotes `quote`, and sends the decoded text. With 0 the text is sent as
    /// it is.
    pub fn read(&mut self, text: &str, quote: u8, send: &mut (impl FnMut(&str) + ?Sized)) {
        let mut rest = text;
        if quote == 0 {
            return send(text);
        }
        while let Some(&byte) = rest.as_bytes().first() {
            let read = match self.at {
                At::Plain => self.plain(rest, send),
                At::Escape => self.escape(byte, quote, send),
                At::Unicode { digits, count } => self.unicode(byte, digits, count, send),
            };
            rest = &rest[read..];
        }
    }

    /// Ends the string: half an escape is sent as it is.
    pub fn end(&mut self, send: &mut (impl FnMut(&str) + ?Sized)) {
        match self.at {
            At::Plain => self.lone(send),
            At::Escape => self.no_escape("\\", send),
            At::Unicode { digits, count } => self.no_unicode(digits, count, send),
        }
        self.at = At::Plain;
    }

    fn plain(&mut self, rest: &str, send: &mut (impl FnMut(&str) + ?Sized)) -> usize {
        if rest.starts_with('\\') {
            return self.go(At::Escape, 1);
        }
        self.lone(send);
        let plain = memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        send(&rest[..plain]);
        plain
    }

    fn escape(&mut self, byte: u8, quote: u8, send: &mut (impl FnMut(&str) + ?Sized)) -> usize {
        let decoded = match byte {
            b'u' => return self.go(At::Unicode { digits: [0; 4], count: 0 }, 1),
            b'b' => "\u{8}",
            b'f' => "\u{c}",
            b'n' => "\n",
            b'r' => "\r",
            b't' => "\t",
            b'"' => "\"",
            b'\\' => "\\",
            b'/' => "/",
            b'`' if quote == b'`' => "`",
            b'\'' => {
                self.bad_escape |= quote != b'\'';
                "'"
            }
            _ => {
                self.no_escape("\\", send);
                return self.go(At::Plain, 0);
            }
        };
        self.lone(send);
        send(decoded);
        self.go(At::Plain, 1)
    }

    fn unicode(
        &mut self,
        byte: u8,
        mut digits: [u8; 4],
        count: u8,
        send: &mut (impl FnMut(&str) + ?Sized),
    ) -> usize {
        if !byte.is_ascii_hexdigit() {
            self.no_unicode(digits, count, send);
            return self.go(At::Plain, 0);
        }
        digits[usize::from(count)] = byte;
        if count < 3 {
            return self.go(At::Unicode { digits, count: count + 1 }, 1);
        }
        self.unit(u16::from_str_radix(ascii(&digits), 16).unwrap_or_default(), send);
        self.go(At::Plain, 1)
    }

    /// Takes a whole `\uXXXX`.
    fn unit(&mut self, unit: u16, send: &mut (impl FnMut(&str) + ?Sized)) {
        if let (Some(high), 0xDC00..0xE000) = (self.high, unit) {
            self.high = None;
            let pair = char::decode_utf16([high, unit]).next();
            return self.char(pair.and_then(Result::ok), send);
        }
        self.lone(send);
        match unit {
            0xD800..0xDC00 => self.high = Some(unit),
            _ => self.char(char::from_u32(unit.into()), send),
        }
    }

    fn no_unicode(&mut self, digits: [u8; 4], count: u8, send: &mut (impl FnMut(&str) + ?Sized)) {
        self.no_escape("\\u", send);
        if count > 0 {
            send(ascii(&digits[..usize::from(count)]));
        }
    }

    fn no_escape(&mut self, prefix: &str, send: &mut (impl FnMut(&str) + ?Sized)) {
        self.bad_escape = true;
        self.lone(send);
        send(prefix);
    }

    /// Sends the first half of a pair that has no second.
    fn lone(&mut self, send: &mut (impl FnMut(&str) + ?Sized)) {
        if self.high.take().is_some() {
            self.char(None, send);
        }
    }

    fn char(&mut self, decoded: Option<char>, send: &mut (impl FnMut(&str) + ?Sized)) {
        self.lone_surrogate |= decoded.is_none();
        let decoded = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
        send(decoded.encode_utf8(&mut [0; 4]));
    }

    fn go(&mut self, at: At, read: usize) -> usize {
        self.at = at;
        read
    }
}

fn ascii(digits: &[u8]) -> &str {
    std::str::from_utf8(digits).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut() {
        for (text, expected, bad_escape, lone_surrogate) in [
            (r"plain é", "plain é", false, false),
            (r#"\b\f\n\r\t\/\\\""#, "\u{8}\u{c}\n\r\t/\\\"", false, false),
            (r"\'", "'", true, false),
            (r"\u00e9\ud83e\udd80\u0000", "é🦀\0", false, false),
            (r"\q\`\é\", "\\q\\`\\é\\", true, false),
            (r"\u\u1\u12x\uD8é\u123", r"\u\u1\u12x\uD8é\u123", true, false),
            (r"\ud83ex\ud83e\n\udd80", "\u{FFFD}x\u{FFFD}\n\u{FFFD}", false, true),
            (r"\ud83e\ud83e\udd80\ud83e\u00e9", "\u{FFFD}🦀\u{FFFD}é", false, true),
            (r"\ud83e\u12x\ud83e\", "\u{FFFD}\\u12x\u{FFFD}\\", true, true),
            (r"\udd80\ud83e", "\u{FFFD}\u{FFFD}", false, true),
        ] {
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (first, second) = text.split_at(at);
                let (mut unescape, mut out) = (Unescape::default(), String::new());
                let mut send = |piece: &str| out.push_str(piece);
                unescape.read(first, b'"', &mut send);
                unescape.read(second, b'"', &mut send);
                unescape.end(&mut send);
                assert_eq!(out, expected, "{first} | {second}");
                let expected = Unescape { bad_escape, lone_surrogate, ..Unescape::default() };
                assert_eq!(unescape, expected, "{first} | {second}");
            }
        }
    }

    #[test]
    fn the_quotes_decide_what_needs_an_escape() {
        for (quote, text, expected, bad_escape) in [
            (b'\'', r#"\'\""#, "'\"", false),
            (b'`', r"\`", "`", false),
            (b'`', r"\'", "'", true),
            (b'"', r"\`", r"\`", true),
        ] {
            let (mut unescape, mut out) = (Unescape::default(), String::new());
            unescape.read(text, quote, &mut |piece| out.push_str(piece));
            assert_eq!((&*out, unescape.bad_escape), (expected, bad_escape), "{text}");
        }
    }
}
