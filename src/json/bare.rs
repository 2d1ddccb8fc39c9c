//! Values without quotes in literals with a quote of their own: perhaps the quote that opens the string was forgotten.
//!
//! ```text
//! unopened := text quote ws ( "," ws KEY ws ":" | closer )       text of at most 1 KiB, no comma right before the quote
//! bare     := text, up to "," ws KEY ws ":", a closer, or a marker that ends the call, whichever comes first
//! closer   := the innermost open bracket's, with what may follow it
//! ```
//! In a list any comma may follow the quote. Each look goes on where the last one ended, so each byte is looked at
//! about once. At the end of a chunk the look waits for more. At the end of the stream nothing follows.

use super::white::is_white_byte;
use crate::options::bounds;

/// The longest string whose quote may be missing, in bytes.
const LONGEST: usize = 1024;

/// More of the stream must decide.
pub(crate) struct Undecided;

/// The kinds of a value without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    /// A word.
    Word,
    /// A string up to this offset, including its closing quote.
    Unopened(usize),
    /// A quote behind it closes no such string, or the word is too long.
    Stray,
}

/// The progress of looking ahead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    /// The beginning of the value.
    pub start: usize,
    /// The place up to which nothing ends the value.
    at: usize,
    /// The last byte before that place that is not white space.
    last: u8,
    /// The place behind the last byte that ended a word.
    word_end: usize,
    /// A comma stands in it: a key may follow the comma.
    has_comma: bool,
    /// The number of open brackets around it.
    depth: u32,
    /// The end is not decided yet.
    pub waits: bool,
}

/// The text around a value, and the texts that end it.
pub(crate) struct Around<'a> {
    /// The two halves of the text, and the offset of the first byte.
    pub text: [&'a str; 2],
    pub base: usize,
    /// More text cannot come.
    pub over: bool,
    pub quote: &'a str,
    /// The closer of the innermost open bracket.
    pub closing: u8,
    /// The value stands in a list or an object.
    pub nested: bool,
    /// Markers that end the call.
    pub ends: &'a [Box<str>],
    /// Whether a parameter of this name may begin.
    pub is_key: &'a dyn Fn(&str) -> bool,
}

impl Ahead {
    /// Begins a value at `start`, in so many brackets.
    pub fn begin(&mut self, start: usize, depth: u32) {
        if self.at < start || self.depth != depth {
            self.at = start;
            self.last = 0;
            self.has_comma = false;
            self.depth = depth;
        }
        self.start = start;
        self.waits = true;
    }

    /// Decides the kind of the value, if enough has come.
    pub fn look(&mut self, around: &Around<'_>) -> Result<Bare, Undecided> {
        let found = loop {
            let at = self.at;
            let Some(byte) = around.byte(at)?.filter(|_| at - self.start <= LONGEST) else {
                // A word that goes on may hold a quote later.
                let goes_on = at - self.start > LONGEST && self.word_end <= self.start;
                break if goes_on { Bare::Stray } else { Bare::Word };
            };
            if around.begins(at, around.quote)? {
                let opens = match self.last {
                    b',' | b'[' | b'{' => at > self.start,
                    // Behind a key. A comma has to stand before the key.
                    b':' => self.has_comma,
                    _ => false,
                };
                break if opens { Bare::Word } else { around.behind_quote(at)? };
            }
            if around.is_end(at, byte)? {
                break Bare::Word;
            }
            if !is_white_byte(byte) {
                self.last = byte;
                self.has_comma |= byte == b',';
            }
            self.at += 1;
            if is_white_byte(byte) || matches!(byte, b',' | b'}' | b']' | b')') {
                self.word_end = self.at;
            }
        };
        self.waits = false;
        Ok(found)
    }
}

impl Around<'_> {
    fn byte(&self, at: usize) -> Result<Option<u8>, Undecided> {
        let [head, tail] = self.text;
        let at = at - self.base;
        let byte = match at.checked_sub(head.len()) {
            None => head.as_bytes().get(at),
            Some(at) => tail.as_bytes().get(at),
        };
        if byte.is_none() && !self.over { Err(Undecided) } else { Ok(byte.copied()) }
    }

    fn begins(&self, at: usize, text: &str) -> Result<bool, Undecided> {
        for (known, at) in text.bytes().zip(at..) {
            if self.byte(at)? != Some(known) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the offset behind white space.
    fn behind_white(&self, from: usize) -> Result<usize, Undecided> {
        let mut at = from;
        while at - from < bounds::WHITE_SPACE && self.byte(at)?.is_some_and(is_white_byte) {
            at += 1;
        }
        Ok(at)
    }

    fn in_list(&self) -> bool {
        self.closing == b']'
    }

    /// Whether a value without quotes certainly ends before this byte.
    fn is_end(&self, at: usize, byte: u8) -> Result<bool, Undecided> {
        match byte {
            b',' if !self.in_list() => {
                let key = self.key(at + 1)?;
                Ok(key.is_some_and(|key| (self.is_key)(&key)))
            }
            byte if byte == self.closing => self.closes(at),
            _ => self.is_marker(at),
        }
    }

    /// Whether a marker that ends the call begins here.
    fn is_marker(&self, at: usize) -> Result<bool, Undecided> {
        let mut all = self.ends.iter().map(|end| self.begins(at, end));
        let mut found = Ok(false);
        all.by_ref().any(|begins| {
            let is = matches!(begins, Ok(true));
            if is || begins.is_err() {
                found = begins;
            }
            is
        });
        found
    }

    /// Whether a text follows the bracket that may follow it.
    fn closes(&self, at: usize) -> Result<bool, Undecided> {
        let next = self.behind_white(at + 1)?;
        match self.byte(next)? {
            None | Some(b')' | b']' | b'}') => Ok(true),
            Some(b',') if self.nested => Ok(true),
            _ => Ok(!self.nested && self.is_marker(next)?),
        }
    }

    /// Returns the key before a colon, behind a comma.
    fn key(&self, from: usize) -> Result<Option<String>, Undecided> {
        let mut at = self.behind_white(from)?;
        let mut quote = "";
        for one in [self.quote, "\""] {
            if quote.is_empty() && self.begins(at, one)? {
                quote = one;
            }
        }
        at += quote.len();
        let mut name = Vec::new();
        while let Some(byte) = self.byte(at)?.filter(|_| name.len() <= bounds::NAME) {
            let fits = byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_$-. ".contains(&byte);
            if !fits {
                break;
            }
            name.push(byte);
            at += 1;
        }
        if !self.begins(at, quote)? {
            return Ok(None);
        }
        let colon = self.byte(self.behind_white(at + quote.len())?)?;
        let equals = self.closing == b')' && colon == Some(b'=');
        let name = String::from_utf8_lossy(&name).trim().to_string();
        Ok(Some(name).filter(|name| !name.is_empty() && (colon == Some(b':') || equals)))
    }

    /// Returns the kind of the value before this quote, which opens no string.
    fn behind_quote(&self, at: usize) -> Result<Bare, Undecided> {
        let end = at + self.quote.len();
        let mut next = end;
        while self.begins(next, self.quote)? && next - end < LONGEST {
            next += self.quote.len();
        }
        let next = self.behind_white(next)?;
        let ends = match self.byte(next)? {
            Some(b',') if self.in_list() => true,
            Some(b',') => self.key(next + 1)?.is_some(),
            Some(byte) if byte == self.closing => self.closes(next)?,
            _ => false,
        };
        Ok(if ends { Bare::Unopened(end) } else { Bare::Stray })
    }
}
