//! Tokens of JSON as language models write it, over any cut.
//!
//! ```text
//! string  := "…"  and, where a key or a value can begin, '…'  `…`  """…"""
//!            a backslash takes the character after it along
//! comment := "//" to the line end  |  "/*" to "*/"
//! word    := anything else, up to white space or one of , : " / { } [ ]
//! ```
//! Other literals ([`Syntax`]) have other quotes, Python's brackets and prefixes (`r'…'`), and no comments.
//!
//! Nothing is refused: brackets need not match, words need not mean anything, control characters
//! pass. Who reads the tokens decides what may stand where. Chunk ends here: a few bytes of state,
//! no text. Stream ends here: what was open stays open.

use memchr::{memchr, memchr2, memchr2_iter, memchr3};

use super::syntax::Syntax;
use crate::json::white::is_white_byte as is_white;

/// A token, or a piece of one.
// A byte says which: it is asked more than once for each token.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    White,
    /// A piece of a comment; first its slash alone.
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
    /// A string begins with this quote. That it is one of three shows later; 0: with that of the syntax.
    StringStart(u8),
    /// A piece of a string, as it is written; nothing where more of its quotes came.
    Text(&'t str),
    StringEnd,
    /// A quote that ends the string ([`Lexer::string_ends`]) or is text of it ([`Lexer::string_goes_on`]):
    /// nothing is read before one of the two is said.
    MayEnd,
    /// A piece of a word.
    Word(&'t str),
    /// The word ends before this byte.
    WordEnd,
    /// A quote of the syntax that opens no string ends here; its pieces are a comment.
    Stray,
    /// Before a `<` that may begin a marker: see [`Lexer::stopping`].
    Stop,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lexer {
    mode: Mode,
    /// A key or a value came, and neither a comma nor a colon: only `"` begins a string.
    after_value: bool,
    /// A colon came, and no value.
    after_colon: bool,
    /// A word came, and neither a comma nor a colon: a quote of the syntax begins no string.
    after_word: bool,
    /// Right behind such a quote that closed a string: the same.
    after_quote: bool,
    /// The byte before which the lexer stops; 0: none.
    stop: u8,
    /// The byte at which the lexer stopped, or the next bracket, was looked at: it begins no marker and closes
    /// nothing.
    passed: bool,
    /// The number of open `(` in a word that may hold any.
    round: u8,
    /// The prefix of the string that began last: [`RAW`], [`FORMAT`].
    prefix: u8,
    /// The lexer stops in strings, too: their ends are uncertain.
    exposed: bool,
}

/// Before a string of Python: nothing in it escapes.
const RAW: u8 = 1;
/// Before a string of Python: a `{` in it is no text.
const FORMAT: u8 = 2;

/// The letters that may stand before a string of Python.
pub(crate) const PREFIXES: &str = "rRfFuU";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Between,
    Word,
    /// In a word after a colon.
    Value,
    /// So many letters of a word came that may stand before a string of Python; whether a colon came before them.
    Prefix(u8, bool),
    /// A quote, or two, came where a string can begin.
    Quotes(u8, u8),
    Text(Quote),
    /// After a backslash.
    Escape(Quote),
    /// So many of these quotes came of the three that end a string.
    Closing(u8, u8),
    /// So many bytes of the syntax's quote came: it opens a string, or the one that is open ends.
    Token {
        came: u8,
        open: bool,
    },
    /// The bytes that began like a closing quote are the whole string.
    NoQuote,
    /// So many bytes came of one that opens none.
    Stray(u8),
    /// In a string between these.
    Verbatim,
    /// After a quote that may end a string; the second one where a string can begin, so that a third
    /// would make them three.
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

/// The text of a string up to its quote or to the end of `bytes`, and what the lexer is in then.
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

/// The text of the string that comes next, if it is whole, stands in double quotes and has no escape: the lexer is
/// after it then. In JSON alone: other literals have other ends.
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
    (lexer.passed, lexer.after_value) = (false, true);
    Some(&text[1..end])
}

impl Lexer {
    /// A lexer that stops before each `<` outside a string until [`pass`](Lexer::pass) is called, and, where
    /// strings have a quote of the syntax, in strings, too.
    pub fn stopping() -> Lexer {
        Lexer::stopping_at(b'<')
    }

    /// A lexer that stops before this byte.
    pub fn stopping_at(stop: u8) -> Lexer {
        Lexer { stop, ..Lexer::default() }
    }

    /// The byte before which it stops.
    pub fn stop(&self) -> u8 {
        self.stop
    }

    /// The `<` at which it stopped, or the bracket that comes next, is ordinary text.
    pub fn pass(&mut self) {
        self.passed = true;
    }

    /// Makes the lexer stop in strings, too.
    pub fn expose(&mut self) {
        self.exposed = true;
    }

    /// Strings protect nothing.
    pub fn is_exposed(&self) -> bool {
        self.exposed
    }

    /// The quote before this ends the string.
    pub fn string_ends(&mut self) {
        self.mode = Mode::Between;
    }

    /// Reads a quote as text of the string, before this byte. Returns whether a backslash is missing: two quotes
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

    /// The next token of `text`, which is not empty, and how many bytes of it are that token: none
    /// where the byte that comes only decides what was before it.
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
            // The two were an empty string.
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
    /// slash, a `<`, the byte it stops before, a string that is not a plain `"…"`, or the bracket that leads down to
    /// `floor`. Returns the number of bytes read.
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
                    (mode, after_value, level) = (Mode::Between, true, level - 1);
                }
                b'"' if bytes.get(at + 1).is_some_and(|next| *next != b'"') => {
                    let (read, then) = string_end(Quote::One(b'"'), &bytes[at + 1..]);
                    at += 1 + read;
                    (mode, after_value) = (then, true);
                    if at == bytes.len() {
                        break;
                    }
                    // After its closing quote.
                    mode = Mode::Between;
                }
                b'"' | b'\'' | b'`' | b'/' | b'<' | b'}' | b']' => break,
                _ => (mode, after_value) = (Mode::Word, true),
            }
            at += 1;
        }
        (self.mode, self.after_value, *depth) = (mode, after_value, level);
        at
    }

    /// The white space before the next token.
    pub fn skip_white(&mut self, text: &str) -> usize {
        let white = if self.is_between() { white_space(text) } else { 0 };
        self.after_quote &= white == 0;
        white
    }

    /// No token is open.
    pub fn is_between(&self) -> bool {
        matches!(self.mode, Mode::Between)
    }

    pub fn in_word(&self) -> bool {
        matches!(self.mode, Mode::Word | Mode::Value | Mode::Prefix(..))
    }

    /// The string that began last is one of Python's in which nothing escapes.
    #[cfg(feature = "json")]
    pub fn is_raw(&self) -> bool {
        self.prefix & RAW != 0
    }

    /// The string that began last is one of Python's whose `{` begins no text.
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
        matches!(self.mode, Mode::Text(_) | Mode::Verbatim)
    }

    /// Right behind a quote that may end the string.
    pub fn at_quote(&self) -> bool {
        matches!(self.mode, Mode::Ended(..))
    }

    /// Returns how many bytes came of the quote that closes the string.
    pub fn half_quote(&self) -> usize {
        match self.mode {
            Mode::Token { came, open: true } => came.into(),
            _ => 0,
        }
    }

    /// No token is open that has an end of its own.
    #[cfg(feature = "json")]
    pub fn may_end(&self) -> bool {
        matches!(self.mode, Mode::Between | Mode::LineComment)
    }

    /// In the text of a string: what may end it, and what escapes or may begin a marker, if that is no
    /// third byte. `quote`: the syntax's.
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
        use Mode::{Between, BlockComment, LineComment, Prefix, Star, Text, Value, Verbatim, Word};
        match self.mode {
            Prefix(..) | Between | Word | Value | LineComment | BlockComment | Star => true,
            Verbatim | Text(_) => self.exposed || !syntax.quote.is_empty(),
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
                (self.passed, self.prefix, self.after_colon) = (false, 0, false);
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
                (self.after_value, self.passed, self.after_colon) = (true, false, false);
                self.quote_begins(false, text, Token::StringStart(0))
            }
            byte if syntax.python && !self.after_value && is_prefix(byte) => {
                (self.after_value, self.passed, self.prefix) = (true, false, 0);
                let value = std::mem::take(&mut self.after_colon);
                self.round = 0;
                self.prefix(1, value, text)
            }
            _ => {
                (self.after_value, self.after_word) = (true, true);
                let value = std::mem::take(&mut self.after_colon);
                self.mode = if value { Mode::Value } else { Mode::Word };
                self.round = 0;
                self.word(text, syntax)
            }
        }
    }

    /// A letter that may stand before a string, the first or the second of a word.
    fn prefix<'t>(&mut self, count: u8, value: bool, text: &'t str) -> (usize, Token<'t>) {
        self.prefix |= match text.as_bytes()[0] {
            b'r' | b'R' => RAW,
            b'f' | b'F' => FORMAT,
            _ => 0,
        };
        self.go(Mode::Prefix(count, value), 1, Token::Word(&text[..1]))
    }

    fn bracket<'t>(&mut self, after_value: bool, token: Token<'t>) -> (usize, Token<'t>) {
        (self.after_value, self.after_word, self.passed) = (after_value, false, false);
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
                // It is the word's own.
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
        // Where markers may stand in strings, only so far.
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
        // Of another character that begins with the same byte.
        passed = passed.max(usize::from(bytes[0] == first));
        let stop = if self.stop != 0 { self.stop } else { first };
        let end = memchr2(first, stop, &bytes[passed..]).map_or(text.len(), |end| passed + end);
        (end, Token::Text(&text[..end]))
    }

    /// The first character of what may be the syntax's quote.
    fn quote_begins<'t>(&mut self, open: bool, text: &str, token: Token<'t>) -> (usize, Token<'t>) {
        let len = first_len(text);
        self.go(Mode::Token { came: len as u8, open }, len, token)
    }

    /// In what may be the syntax's quote, of which `came` bytes came: it is read by characters.
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
            // It is no quote: a string that nothing ends would swallow all that follows.
            false => self.go(Mode::NoQuote, 0, Token::Text(came)),
            true if open && rest.len() == len => self.own_string_ends(len),
            true => {
                let came = (came.len() + len) as u8;
                self.go(Mode::Token { came, open }, len, Token::Text(""))
            }
        }
    }

    /// The syntax's quote ends its string.
    fn own_string_ends<'t>(&mut self, read: usize) -> (usize, Token<'t>) {
        (self.after_word, self.after_quote) = (false, true);
        self.go(Mode::Between, read, Token::StringEnd)
    }

    /// In what may be a quote of the syntax that opens no string, of which `came` bytes came.
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

    /// A string whose opening quote is missing has been read, up to its closing one.
    pub fn unopened_ends(&mut self) {
        (self.after_value, self.after_colon, self.passed) = (true, false, false);
        self.own_string_ends(0);
    }

    /// A colon came, and no value.
    pub fn is_after_colon(&self) -> bool {
        self.after_colon
    }

    /// Reads on to one of `ends`, which in a line comment is left to what follows it.
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

/// The bytes of the first character.
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

    /// The tokens of the pieces, written short; pieces of one token are joined.
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
            // Rules of the table say which of the quotes ends it.
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
        // Of several bytes, of one, and where a marker may begin in the string.
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
            // After the last byte of its quote a string has not begun yet.
            lexer.next_of("x", syntax);
            lexer.stops_in_string(quote)
        };
        let (any, tags) = (Lexer::default(), Lexer::stopping());
        assert_eq!(stops("[\"", tags, ""), Some(*b"\"\\"));
        assert_eq!(stops("['", any, ""), Some(*b"'\\"));
        assert_eq!(stops("[1 ", any, ""), None);
        // A marker may begin in a string between quotes of the syntax, and in none of the others there.
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
        // The comma before it: any string can begin.
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
