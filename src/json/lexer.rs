//! The tokens of JSON as language models write it, over any cut.
//!
//! ```text
//! string  := "…"  and, where a key or a value can begin, '…'  `…`  """…"""
//!            a backslash takes the character after it along
//! comment := "//" to the line end  |  "/*" to "*/"
//! word    := anything else, up to white space or one of , : " / { } [ ]
//! ```
//! Other literals ([`Syntax`]) have other quotes, Python's brackets and prefixes (`r'…'`), and no comments.
//!
//! Nothing is refused: brackets need not match, words need not have a meaning, control characters pass. The
//! caller decides which token may stand where. At the end of a chunk a few bytes of state stay, and no text.
//! At the end of the stream open tokens stay open.

use memchr::{memchr, memchr2, memchr2_iter, memchr3};

use super::syntax::Syntax;
use crate::json::white::is_white_byte as is_white;

/// A token, or a piece of one.
// It fits in a byte: it is compared more than once for each token.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    White,
    /// A piece of a comment. Its slash alone comes first.
    Comment,
    /// The slash before this began no comment.
    NoComment,
    /// `{`, `[` or `(`.
    Open(u8),
    /// `}`, `]` or `)`.
    Close(u8),
    Comma,
    /// A separator of a key and its value.
    Colon,
    /// A string begins with this quote. Later tokens show whether it is one of three. 0: the quote of the
    /// syntax.
    StringStart(u8),
    /// A piece of a string, as it is written; empty where more of its quotes came.
    Text(&'t str),
    StringEnd,
    /// A quote that ends the string ([`Lexer::string_ends`]) or is text of it ([`Lexer::string_goes_on`]):
    /// the caller must decide before the next token.
    MayEnd,
    /// A piece of a word.
    Word(&'t str),
    /// The word ends before this byte.
    WordEnd,
    /// A quote of the syntax that opens no string ends here. Its pieces are a comment.
    Stray,
    /// Before a `<` that may begin a marker: see [`Lexer::stopping`].
    Stop,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lexer {
    mode: Mode,
    /// A key or a value came, and no comma or colon since: only `"` begins a string.
    after_value: bool,
    /// A colon came, and no value.
    after_colon: bool,
    /// A word came, and no comma or colon since: a quote of the syntax begins no string.
    after_word: bool,
    /// Right behind a quote of the syntax that closed a string: a quote begins no string.
    after_quote: bool,
    /// The byte before which the lexer stops; 0: none.
    stop: u8,
    /// The byte at which the lexer stopped, or the next bracket, was examined: it begins no marker and closes
    /// nothing.
    passed: bool,
    /// The number of open `(` in a word that may hold them.
    round: u8,
    /// The prefix of the last string: [`RAW`], [`FORMAT`].
    prefix: u8,
    /// The lexer stops in strings, too: their ends are uncertain.
    exposed: bool,
}

/// The prefix of a Python string without escapes.
const RAW: u8 = 1;
/// The prefix of a Python string in which `{` is not text.
const FORMAT: u8 = 2;

/// The letters that may stand before a Python string.
pub(crate) const PREFIXES: &str = "rRfFuU";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Between,
    Word,
    /// In a word after a colon.
    Value,
    /// A number of letters of a word that may be the prefix of a Python string, and whether a colon stands before
    /// them.
    Prefix(u8, bool),
    /// A quote, or two, where a string can begin.
    Quotes(u8, u8),
    Text(Quote),
    /// After a backslash.
    Escape(Quote),
    /// A number of the three quotes that end a string.
    Closing(u8, u8),
    /// A number of bytes of the syntax's quote, which opens a string, or ends the open one.
    Token {
        came: u8,
        open: bool,
    },
    /// The bytes that began like a closing quote are the whole string.
    NoQuote,
    /// A number of bytes of a quote that opens no string.
    Stray(u8),
    /// In a string between quotes of the syntax.
    Verbatim,
    /// After a quote that may end a string. `true`: it is the second where a string can begin, so that a
    /// third would make them three.
    Ended(Quote, bool),
    Slash,
    LineComment,
    BlockComment,
    /// After a `*` in a block comment.
    Star,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    One(u8),
    Triple(u8),
}

impl Quote {
    fn byte(self) -> u8 {
        match self {
            Quote::One(byte) | Quote::Triple(byte) => byte,
        }
    }
}

/// Returns the length of a string's text up to its quote or to the end of `bytes`, and the mode there.
#[inline]
fn string_end(quote: Quote, bytes: &[u8]) -> (usize, Mode) {
    let mut escaped = None;
    for at in memchr2_iter(quote.byte(), b'\\', bytes) {
        if escaped.take() == Some(at) {
            continue;
        }
        if bytes[at] != b'\\' {
            return (at, Mode::Text(quote));
        }
        escaped = Some(at + 1);
    }
    let escapes = escaped == Some(bytes.len());
    (bytes.len(), if escapes { Mode::Escape(quote) } else { Mode::Text(quote) })
}

/// Returns the text of the next string, if it is whole, stands in double quotes and has no escape. Then the lexer
/// is behind it. Only for JSON: other literals end differently.
#[inline]
pub(crate) fn plain_string<'t>(lexer: &mut Lexer, text: &'t str) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let begins = bytes[0] == b'"' && lexer.is_between() && lexer.stop != b'"' && !lexer.exposed;
    if !begins || matches!(bytes.get(1), None | Some(b'"')) {
        return None;
    }
    let end = 1 + bytes[1..].iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    if bytes[end] == b'\\' {
        return None;
    }
    lexer.passed = false;
    lexer.after_value = true;
    Some(&text[1..end])
}

impl Lexer {
    /// Makes a lexer that stops before each `<` outside of strings until [`pass`](Lexer::pass) is called. If
    /// strings have a quote of the syntax, it also stops in strings.
    pub fn stopping() -> Lexer {
        Lexer::stopping_at(b'<')
    }

    /// Makes a lexer that stops before this byte.
    pub fn stopping_at(stop: u8) -> Lexer {
        Lexer { stop, ..Lexer::default() }
    }

    /// Makes a lexer that stops where this one does, and has read nothing.
    pub fn anew(&self) -> Lexer {
        Lexer { exposed: self.exposed, ..Lexer::stopping_at(self.stop) }
    }

    /// Makes the `<` at which it stopped, or the next bracket, ordinary text.
    pub fn pass(&mut self) {
        self.passed = true;
    }

    /// Makes the lexer stop in strings, too.
    pub fn expose(&mut self) {
        self.exposed = true;
    }

    /// Whether the lexer stops in strings, too.
    pub fn is_exposed(&self) -> bool {
        self.exposed
    }

    /// Ends the string at the quote before this place.
    pub fn string_ends(&mut self) {
        self.mode = Mode::Between;
    }

    /// Makes the quote before this byte text of the string. Returns whether a backslash is missing: two quotes
    /// before a third begin a string.
    pub fn string_goes_on(&mut self, next: Option<u8>) -> bool {
        let Mode::Ended(quote, second) = self.mode else { return false };
        self.mode = match quote {
            Quote::One(byte) if second => Mode::Quotes(byte, 2),
            Quote::One(_) => Mode::Text(quote),
            Quote::Triple(byte) => Mode::Closing(byte, 2),
        };
        !second || next != Some(quote.byte())
    }

    /// Returns the next token of `text`, which is not empty, and its length. The length is 0 if the next byte
    /// only decides about bytes before it.
    #[inline]
    #[cfg(feature = "json")]
    pub fn next<'t>(&mut self, text: &'t str) -> (usize, Token<'t>) {
        self.next_of(text, super::syntax::JSON)
    }

    /// Returns the next token of other literals, and its length.
    #[inline]
    pub fn next_of<'t>(&mut self, text: &'t str, syntax: Syntax<'t>) -> (usize, Token<'t>) {
        let byte = text.as_bytes()[0];
        if byte == self.stop && byte != 0 && !self.passed && self.is_stoppable(syntax) {
            return (0, Token::Stop);
        }
        match self.mode {
            Mode::Between => self.between(byte, text, syntax),
            Mode::Word | Mode::Value => self.word(text, syntax),
            Mode::Prefix(..) if matches!(byte, b'"' | b'\'') => {
                self.go(Mode::Quotes(byte, 1), 1, Token::StringStart(byte))
            }
            Mode::Prefix(1, value) if is_prefix(byte) => self.prefix(2, value, text),
            Mode::Prefix(_, value) => {
                self.mode = if value { Mode::Value } else { Mode::Word };
                self.word(text, syntax)
            }
            Mode::Text(quote) | Mode::Ended(quote, _) => self.text(quote, text, syntax),
            Mode::Escape(quote) => {
                self.passed = false;
                let len = text.chars().next().map_or(1, char::len_utf8);
                self.go(Mode::Text(quote), len, Token::Text(&text[..len]))
            }
            Mode::Quotes(quote, 1) if byte == quote && syntax.unescaped => {
                self.go(Mode::Ended(Quote::One(quote), true), 1, Token::MayEnd)
            }
            Mode::Quotes(quote, 1) if byte == quote => {
                self.go(Mode::Quotes(quote, 2), 1, Token::Text(""))
            }
            Mode::Quotes(quote, 1) => self.text(Quote::One(quote), text, syntax),
            Mode::Quotes(quote, _) if byte == quote => {
                self.go(Mode::Text(Quote::Triple(quote)), 1, Token::Text(""))
            }
            // The second quote was text.
            Mode::Quotes(quote, _) if syntax.unescaped => {
                self.text(Quote::One(quote), text, syntax)
            }
            // The two quotes were an empty string.
            Mode::Quotes(..) | Mode::NoQuote => self.go(Mode::Between, 0, Token::StringEnd),
            Mode::Closing(quote, 2) if byte == quote && syntax.unescaped => {
                self.go(Mode::Ended(Quote::Triple(quote), false), 1, Token::MayEnd)
            }
            Mode::Closing(quote, 2) if byte == quote => self.go(Mode::Between, 1, Token::StringEnd),
            Mode::Closing(quote, _) if byte == quote => {
                self.go(Mode::Closing(quote, 2), 1, Token::Text(""))
            }
            // The quotes were text.
            Mode::Closing(quote, count) => {
                let quotes = if quote == b'"' { "\"\"" } else { "''" };
                let text = Token::Text(&quotes[..usize::from(count)]);
                self.go(Mode::Text(Quote::Triple(quote)), 0, text)
            }
            Mode::Verbatim => self.verbatim(text, syntax.quote),
            Mode::Token { came, open } => self.quote_token(came, open, text, syntax.quote),
            Mode::Stray(came) => self.stray(came, text, syntax.quote),
            Mode::Slash if byte == b'/' => self.go(Mode::LineComment, 1, Token::Comment),
            Mode::Slash if byte == b'*' => self.go(Mode::BlockComment, 1, Token::Comment),
            Mode::Slash => self.go(Mode::Between, 0, Token::NoComment),
            Mode::LineComment => self.comment([b'\n', b'\r'], text),
            Mode::Star if byte == b'/' => self.go(Mode::Between, 1, Token::Comment),
            Mode::BlockComment | Mode::Star => self.comment([b'*'; 2], text),
        }
    }

    /// Reads JSON without tokens as long as `depth`, the number of open brackets, stays above `floor`. Stops at a
    /// slash, a `<`, its stop byte, a string that is not a plain `"…"`, or the bracket that leads down to `floor`.
    /// Returns the number of bytes read.
    pub fn skip_nested(&mut self, bytes: &[u8], depth: &mut u32, floor: u32) -> usize {
        if *depth <= floor || self.exposed || !matches!(self.mode, Mode::Between | Mode::Word) {
            return 0;
        }
        let (mut mode, mut after_value, mut level) = (self.mode, self.after_value, *depth);
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => mode = Mode::Between,
                b',' | b':' => (mode, after_value) = (Mode::Between, false),
                b'[' if self.stop == byte => break,
                b'{' | b'[' => (mode, after_value, level) = (Mode::Between, false, level + 1),
                b'}' | b']' if level > floor + 1 => {
                    mode = Mode::Between;
                    after_value = true;
                    level -= 1;
                }
                b'"' if bytes.get(at + 1).is_some_and(|next| *next != b'"') => {
                    let (read, then) = string_end(Quote::One(b'"'), &bytes[at + 1..]);
                    at += 1 + read;
                    mode = then;
                    after_value = true;
                    if at == bytes.len() {
                        break;
                    }
                    // The place is behind its closing quote.
                    mode = Mode::Between;
                }
                b'"' | b'\'' | b'`' | b'/' | b'<' | b'}' | b']' => break,
                _ => (mode, after_value) = (Mode::Word, true),
            }
            at += 1;
        }
        self.mode = mode;
        self.after_value = after_value;
        *depth = level;
        at
    }

    /// Returns the length of the white space before the next token.
    pub fn skip_white(&mut self, text: &str) -> usize {
        let white = if self.is_between() { white_space(text) } else { 0 };
        self.after_quote &= white == 0;
        white
    }

    /// Whether no token is open.
    pub fn is_between(&self) -> bool {
        matches!(self.mode, Mode::Between)
    }

    pub fn in_word(&self) -> bool {
        matches!(self.mode, Mode::Word | Mode::Value | Mode::Prefix(..))
    }

    /// Whether the last string is a Python string without escapes.
    #[cfg(feature = "json")]
    pub fn is_raw(&self) -> bool {
        self.prefix & RAW != 0
    }

    /// Whether the last string is a Python string in which `{` is not text.
    pub fn is_format(&self) -> bool {
        self.prefix & FORMAT != 0
    }

    /// Whether the lexer is in a string that began with three quotes.
    #[cfg(feature = "json")]
    pub fn in_triple(&self) -> bool {
        matches!(self.mode, Mode::Text(Quote::Triple(_)) | Mode::Escape(Quote::Triple(_)))
    }

    /// Whether two quotes came, which are an empty string if the text ends here.
    #[cfg(feature = "json")]
    pub fn at_empty_string(&self) -> bool {
        matches!(self.mode, Mode::Quotes(_, 2))
    }

    /// Whether the lexer is in the text of a string.
    pub fn in_string(&self) -> bool {
        matches!(self.mode, Mode::Text(_) | Mode::Escape(_) | Mode::Verbatim)
    }

    /// Whether the place is right behind a quote that may end the string.
    pub fn at_quote(&self) -> bool {
        matches!(self.mode, Mode::Ended(..))
    }

    /// Returns how many bytes of the quote that closes the string came.
    pub fn half_quote(&self) -> usize {
        match self.mode {
            Mode::Token { came, open: true } => came.into(),
            _ => 0,
        }
    }

    /// Whether no token is open that has an end of its own.
    #[cfg(feature = "json")]
    pub fn may_end(&self) -> bool {
        matches!(self.mode, Mode::Between | Mode::LineComment)
    }

    /// In the text of a string: returns the byte that may end it, and the byte that escapes or may begin a
    /// marker, if there is no third byte. `quote`: the syntax's.
    pub fn stops_in_string(&self, quote: &str) -> Option<[u8; 2]> {
        match self.mode {
            Mode::Verbatim => quote
                .bytes()
                .next()
                .map(|first| [first, if self.stop != 0 { self.stop } else { first }]),
            Mode::Text(one) if quote.is_empty() && !self.exposed => Some([one.byte(), b'\\']),
            _ => None,
        }
    }

    fn go<'t>(&mut self, mode: Mode, read: usize, token: Token<'t>) -> (usize, Token<'t>) {
        self.mode = mode;
        (read, token)
    }

    fn is_stoppable(&self, syntax: Syntax<'_>) -> bool {
        use Mode::{
            Between, BlockComment, Escape, LineComment, Prefix, Star, Text, Value, Verbatim, Word,
        };
        match self.mode {
            Prefix(..) | Between | Word | Value | LineComment | BlockComment | Star => true,
            Verbatim | Text(_) | Escape(_) => self.exposed || !syntax.quote.is_empty(),
            _ => false,
        }
    }

    fn between<'t>(&mut self, byte: u8, text: &'t str, syntax: Syntax<'t>) -> (usize, Token<'t>) {
        let after_quote = std::mem::take(&mut self.after_quote);
        match byte {
            byte if is_white(byte) => (white_space(text), Token::White),
            b'/' if syntax.comments => self.go(Mode::Slash, 1, Token::Comment),
            b'{' | b'[' => self.bracket(false, Token::Open(byte)),
            b'}' | b']' if !self.passed => self.bracket(true, Token::Close(byte)),
            b'(' if syntax.python => self.bracket(false, Token::Open(byte)),
            b')' if !self.passed && (syntax.python || !syntax.quote.is_empty()) => {
                self.bracket(true, Token::Close(byte))
            }
            b',' => self.bracket(false, Token::Comma),
            b':' => self.bracket(false, Token::Colon),
            b'=' if syntax.python || syntax.equals => self.bracket(false, Token::Colon),
            byte if syntax.opens_string(byte, self.after_value) => {
                self.passed = false;
                self.prefix = 0;
                self.after_colon = false;
                let can_be_triple = !self.after_value && (byte == b'"' || syntax.python);
                self.after_value = true;
                let mode = if can_be_triple {
                    Mode::Quotes(byte, 1)
                } else {
                    Mode::Text(Quote::One(byte))
                };
                self.go(mode, 1, Token::StringStart(byte))
            }
            byte if (after_quote || self.after_word) && begins_quote(byte, text, syntax.quote) => {
                self.passed = false;
                let len = first_len(text);
                if len == syntax.quote.len() {
                    self.after_quote = true;
                    return (len, Token::Stray);
                }
                self.go(Mode::Stray(len as u8), len, Token::Comment)
            }
            byte if begins_quote(byte, text, syntax.quote) => {
                self.after_value = true;
                self.passed = false;
                self.after_colon = false;
                self.quote_begins(false, text, Token::StringStart(0))
            }
            byte if syntax.python && !self.after_value && is_prefix(byte) => {
                self.after_value = true;
                self.passed = false;
                self.prefix = 0;
                let value = std::mem::take(&mut self.after_colon);
                self.round = 0;
                self.prefix(1, value, text)
            }
            _ => {
                self.after_value = true;
                self.after_word = true;
                let value = std::mem::take(&mut self.after_colon);
                self.mode = if value { Mode::Value } else { Mode::Word };
                self.round = 0;
                self.word(text, syntax)
            }
        }
    }

    /// Reads a letter that may be in a string's prefix, the first or the second of a word.
    fn prefix<'t>(&mut self, count: u8, value: bool, text: &'t str) -> (usize, Token<'t>) {
        self.prefix |= match text.as_bytes()[0] {
            b'r' | b'R' => RAW,
            b'f' | b'F' => FORMAT,
            _ => 0,
        };
        self.go(Mode::Prefix(count, value), 1, Token::Word(&text[..1]))
    }

    fn bracket<'t>(&mut self, after_value: bool, token: Token<'t>) -> (usize, Token<'t>) {
        self.after_value = after_value;
        self.after_word = false;
        self.passed = false;
        self.after_colon = token == Token::Colon;
        (1, token)
    }

    fn word<'t>(&mut self, text: &'t str, syntax: Syntax<'t>) -> (usize, Token<'t>) {
        let from = usize::from(std::mem::take(&mut self.passed));
        let value = self.mode == Mode::Value;
        let stop = self.stop;
        let counts = value || !syntax.quote.is_empty();
        let round = &mut self.round;
        let mut ends = |byte| {
            if counts && byte == b'(' {
                *round = round.saturating_add(1);
            } else if counts && byte == b')' && *round > 0 {
                // The bracket belongs to the word.
                *round -= 1;
                return false;
            }
            syntax.ends_word(byte, value) || byte == stop && byte != 0
        };
        let end = text.as_bytes()[from..].iter().position(|byte| ends(*byte));
        match end.map_or(text.len(), |end| from + end) {
            0 => self.go(Mode::Between, 0, Token::WordEnd),
            end => (end, Token::Word(&text[..end])),
        }
    }

    fn text<'t>(&mut self, quote: Quote, text: &'t str, syntax: Syntax<'t>) -> (usize, Token<'t>) {
        let bytes = text.as_bytes();
        if bytes[0] == quote.byte() {
            return match quote {
                Quote::One(_) if syntax.unescaped => {
                    self.go(Mode::Ended(quote, false), 1, Token::MayEnd)
                }
                Quote::One(_) => self.go(Mode::Between, 1, Token::StringEnd),
                Quote::Triple(quote) => self.go(Mode::Closing(quote, 1), 1, Token::Text("")),
            };
        }
        let passed = usize::from(std::mem::take(&mut self.passed));
        // If markers may stand in strings, only up to the first of them.
        let stop = if self.stop != 0 && (self.exposed || !syntax.quote.is_empty()) {
            memchr(self.stop, &bytes[passed..]).map_or(bytes.len(), |at| passed + at)
        } else {
            bytes.len()
        };
        let (end, mode) = string_end(quote, &bytes[..stop]);
        self.mode = mode;
        (end, Token::Text(&text[..end]))
    }

    /// Reads on in a string without escapes.
    fn verbatim<'t>(&mut self, text: &'t str, quote: &str) -> (usize, Token<'t>) {
        let (bytes, first) = (text.as_bytes(), quote.as_bytes()[0]);
        let mut passed = usize::from(std::mem::take(&mut self.passed));
        if begins_quote(bytes[0], text, quote) {
            return self.quote_begins(true, text, Token::Text(""));
        }
        // Another character that begins with the same byte.
        passed = passed.max(usize::from(bytes[0] == first));
        let stop = if self.stop != 0 { self.stop } else { first };
        let end = memchr2(first, stop, &bytes[passed..]).map_or(text.len(), |end| passed + end);
        (end, Token::Text(&text[..end]))
    }

    /// Reads the first character of a possible quote of the syntax.
    fn quote_begins<'t>(&mut self, open: bool, text: &str, token: Token<'t>) -> (usize, Token<'t>) {
        let len = first_len(text);
        self.go(Mode::Token { came: len as u8, open }, len, token)
    }

    /// Reads on in a possible quote of the syntax, of which `came` bytes came. It is read by characters.
    fn quote_token<'t>(
        &mut self,
        came: u8,
        open: bool,
        text: &str,
        quote: &'t str,
    ) -> (usize, Token<'t>) {
        let (came, rest) = quote.split_at(came.into());
        let len = first_len(text);
        match rest.starts_with(&text[..len]) {
            _ if rest.is_empty() && open => self.own_string_ends(0),
            _ if rest.is_empty() => self.go(Mode::Verbatim, 0, Token::Text("")),
            false if open => self.go(Mode::Verbatim, 0, Token::Text(came)),
            // It is no quote: a string without an end would swallow all text behind it.
            false => self.go(Mode::NoQuote, 0, Token::Text(came)),
            true if open && rest.len() == len => self.own_string_ends(len),
            true => {
                let came = (came.len() + len) as u8;
                self.go(Mode::Token { came, open }, len, Token::Text(""))
            }
        }
    }

    /// Ends a string at the syntax's quote.
    fn own_string_ends<'t>(&mut self, read: usize) -> (usize, Token<'t>) {
        self.after_word = false;
        self.after_quote = true;
        self.go(Mode::Between, read, Token::StringEnd)
    }

    /// Reads on in a possible quote of the syntax that opens no string, of which `came` bytes came.
    fn stray<'t>(&mut self, came: u8, text: &str, quote: &str) -> (usize, Token<'t>) {
        let rest = &quote[came.into()..];
        let len = first_len(text);
        if !rest.starts_with(&text[..len]) {
            return self.go(Mode::Between, 0, Token::NoComment);
        }
        if rest.len() > len {
            return self.go(Mode::Stray(came + len as u8), len, Token::Comment);
        }
        self.after_quote = true;
        self.go(Mode::Between, len, Token::Stray)
    }

    /// Notes that a string without its opening quote was read, up to its closing quote.
    pub fn unopened_ends(&mut self) {
        self.after_value = true;
        self.after_colon = false;
        self.passed = false;
        self.own_string_ends(0);
    }

    /// Whether a colon came, and no value since.
    pub fn is_after_colon(&self) -> bool {
        self.after_colon
    }

    /// Reads up to one of `ends`. In a line comment the end is left to the text behind it.
    fn comment<'t>(&mut self, ends: [u8; 2], text: &'t str) -> (usize, Token<'t>) {
        let from = usize::from(std::mem::take(&mut self.passed));
        let stop = if self.stop != 0 { self.stop } else { ends[0] };
        let found = memchr3(ends[0], ends[1], stop, &text.as_bytes()[from..]);
        let end = found.map_or(text.len(), |end| from + end);
        let line = self.mode == Mode::LineComment;
        let ended = text.as_bytes().get(end).is_some_and(|byte| ends.contains(byte));
        let mode = match (line, ended) {
            (true, true) => Mode::Between,
            (true, false) => Mode::LineComment,
            (false, true) => Mode::Star,
            (false, false) => Mode::BlockComment,
        };
        self.go(mode, end + usize::from(ended && !line), Token::Comment)
    }
}

/// Whether the syntax's quote may begin here.
fn begins_quote(byte: u8, text: &str, quote: &str) -> bool {
    quote.as_bytes().first() == Some(&byte) && quote.starts_with(&text[..first_len(text)])
}

/// Returns the length of the first character.
fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn is_prefix(byte: u8) -> bool {
    PREFIXES.as_bytes().contains(&byte)
}

fn white_space(text: &str) -> usize {
    text.bytes().position(|byte| !is_white(byte)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::syntax::JSON;

    /// Returns the tokens of the pieces in a short notation, with pieces of one token joined.
    fn tokens(pieces: &[&str], mut lexer: Lexer, syntax: Syntax<'static>) -> String {
        let (mut out, mut last) = (String::new(), ' ');
        for piece in pieces {
            let mut at = 0;
            while at < piece.len() {
                let (read, token) = lexer.next_of(&piece[at..], syntax);
                at += read;
                let (kind, text) = match token {
                    Token::White => ('_', ""),
                    Token::Comment => ('#', ""),
                    Token::NoComment => ('!', ""),
                    Token::Open(b'{') => ('{', ""),
                    Token::Open(_) => ('[', ""),
                    Token::Close(b'}') => ('}', ""),
                    Token::Close(_) => (']', ""),
                    Token::Comma => (',', ""),
                    Token::Colon => (':', ""),
                    Token::StringStart(_) => ('<', ""),
                    Token::Text(text) => ('t', text),
                    Token::StringEnd => ('>', ""),
                    Token::MayEnd => ('?', ""),
                    Token::Word(text) => ('w', text),
                    Token::WordEnd => ('.', ""),
                    Token::Stray => ('s', ""),
                    Token::Stop => {
                        lexer.pass();
                        ('^', "")
                    }
                };
                if !(kind == last && "_#?".contains(kind) || "tw".contains(kind)) {
                    out.push(kind);
                }
                out.push_str(text);
                last = kind;
            }
        }
        out
    }

    #[test]
    fn every_cut() {
        for (text, stops, expected) in [
            (r#"{"a" : [1,-2.5]}"#, false, "{<a>_:_[1.,-2.5.]}"),
            (r"{a'b: 'c\'d' 'e'}", false, r"{a'b.:_<c\'d>_'e'.}"),
            (r#"["""a "b" ""c\"""","",""]"#, false, r#"[<a "b" ""c\">,<>,<>]"#),
            ("['\"',`'`,\"`\"]", false, "[<\">,<'>,<`>]"),
            ("[1/*/ * **/,/x,// é\n2//", false, "[1.#,#!x.,#_2.#"),
            ("é\0\"\t\\é\"}]", false, "é\0.<\t\\é>}]"),
            ("[a<b \"<\" <c /<d/*<*/ //<", true, "[a^<b._<<>_^<c._#!^<d.#^#_#^#"),
            (r#"{"open\"#, false, r"{<open\"),
            (r#"[""""" """"#, false, "[<\"\" >"),
            ("[(1) )2,=]", false, "[(1)._)2.,=.]"),
            (r#"[x """b""#, false, "[x._<><b>"),
        ] {
            at_every_cut(text, stops, JSON, expected);
        }
    }

    fn at_every_cut(text: &str, stops: bool, syntax: Syntax<'static>, expected: &str) {
        let lexer = if stops { Lexer::stopping() } else { Lexer::default() };
        assert_eq!(tokens(&[text], lexer, syntax), expected);
        for at in (1..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let (first, second) = text.split_at(at);
            assert_eq!(tokens(&[first, second], lexer, syntax), expected, "{first} | {second}");
        }
    }

    #[test]
    fn other_literals() {
        let python = Syntax { python: true, unescaped: true, comments: false, ..JSON };
        for (text, expected) in [
            ("(a-b=-1, c=`//", "[a-b.:-1.,_c.:`//"),
            // The family decides which of the quotes ends it.
            ("('it's', \"a'b\")", "[<it?s?, \"a?b\")"),
            ("'''a''b\"c'''=''", "<?a?b\"c?=?"),
        ] {
            at_every_cut(text, false, python, expected);
        }
        let quoted = Syntax { quote: "<|\"|>", comments: false, ..JSON };
        for (text, expected) in [
            (r#"{k:<|"|>a\n"}<|<|"|>,/c:"d<"}"#, r#"{k.:^<a\n"}^<|^>,/c.:<d^<>}"#),
            ("{a:<|x", "{a.:^<<|>x"),
            (r#"[<|"|><|"|>]<|"#, "[^<^>]^<"),
            ("{a:10:30,b: s/a'\"c d:1}", "{a.:10:30.,b.:_s/a'\"c._d.:1.}"),
            ("{a:f((x)y),b:(,c:g())d", "{a.:f((x)y).,b.:(.,c.:g().]d"),
        ] {
            at_every_cut(text, true, quoted, expected);
        }
    }

    #[test]
    fn other_quotes() {
        // A quote of several bytes, a quote of one byte, and a marker in the string.
        for (quote, stops, text, expected) in [
            ("|q|", false, "[|q|a<b|q|,|q|]", "[<a<b>,<]"),
            ("|q|", true, "[|q|a<b|q|]", "[<a^<b>]"),
            ("|", false, "[|a|,||]", "[<a>,<>]"),
        ] {
            at_every_cut(text, stops, Syntax { quote, comments: false, ..JSON }, expected);
        }
    }

    #[test]
    fn what_stops_in_a_string() {
        let stops = |text: &str, mut lexer: Lexer, quote: &'static str| {
            let (mut at, syntax) = (0, Syntax { quote, ..JSON });
            while at < text.len() {
                at += lexer.next_of(&text[at..], syntax).0;
            }
            // Right behind its quote a string has not begun yet.
            lexer.next_of("x", syntax);
            lexer.stops_in_string(quote)
        };
        let (any, tags) = (Lexer::default(), Lexer::stopping());
        assert_eq!(stops("[\"", tags, ""), Some(*b"\"\\"));
        assert_eq!(stops("['", any, ""), Some(*b"'\\"));
        assert_eq!(stops("[1 ", any, ""), None);
        // A marker may begin in a string between quotes of the syntax, but not between other quotes.
        assert_eq!(stops("[|q|", tags, "|q|"), Some(*b"|<"));
        assert_eq!(stops("[|q|", any, "|q|"), Some(*b"||"));
        assert_eq!(stops("[\"", tags, "|q|"), None);
    }

    #[test]
    fn nested_is_as_deep_without_tokens() {
        let text = "{[1, {a:-2}, [true]], \"";
        let (mut lexer, mut depth) = (Lexer::default(), 2);
        assert_eq!(lexer.skip_nested(text.as_bytes(), &mut depth, 1), text.len() - 1);
        assert_eq!(depth, 3);
        // A comma stands before it: any string can begin.
        assert_eq!(lexer.next_of("'", JSON).1, Token::StringStart(b'\''));
        let mut lexer = Lexer::default();
        assert_eq!(lexer.skip_nested(b"]}}", &mut depth, 1), 1);
        assert_eq!((depth, lexer.skip_nested(b"}", &mut 1, 1)), (2, 0));
    }

    #[test]
    fn nested_strings_are_skipped_as_their_tokens_are_read() {
        let text = r#"{"a": "b\", "c]\"":"\"é", "":[ x"{" ,"""[""",'"',"\\"}" ],1"y"}"#;
        let read = |text: &str, skips: bool| {
            let (mut lexer, mut depth, mut at) = (Lexer::default(), 2, 0);
            while at < text.len() {
                if skips {
                    at += lexer.skip_nested(&text.as_bytes()[at..], &mut depth, 1);
                    if at == text.len() {
                        break;
                    }
                }
                let (read, token) = lexer.next_of(&text[at..], JSON);
                match token {
                    Token::Open(_) => depth += 1,
                    Token::Close(_) => depth -= 1,
                    _ => {}
                }
                at += read;
            }
            let mode = if lexer.in_word() { Mode::Word } else { lexer.mode };
            (mode, lexer.after_value, depth)
        };
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(read(&text[..at], true), read(&text[..at], false), "{}", &text[..at]);
        }
    }
}
