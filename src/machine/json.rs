//! P2, JSON bodies: a resumable scanner that knows the call's name and arguments as they go by.
//!
//! ```text
//! body   := "{" ( member | "," )* "}"
//! member := ( key | identifier ) ":" value    the keys of the call stand at depth 1, or inside "function"
//! key    := name, tool_name, function (if its value is a string) | arguments, parameters, args,
//!           input | id, tool_call_id (in dialects that have ids) | anything else
//! string := "…" anywhere; '…', `…` and """…""" where a key or a value can begin
//! ```
//! Keys and the name are what their strings say: escapes in them are decoded. Between the members of
//! the call's own object (and of the one inside "function") nothing but white space, comments and
//! commas may stand: anything else is *junk*, since it shows that a raw quote has cut a string short.
//! Otherwise it does not judge: `{` and `[` go down a level, `}` and `]` come up one, whichever;
//! comments and raw control characters pass. Inside strings it moves by `memchr2`. It never looks back, so it
//! survives any cut; chunk ends here: it stays where it is. Stream ends here: an open body is open.

mod key;

use crate::options::bounds;
use crate::unescape::Unescape;
use key::{Key, Slot};

/// The scanner's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Json {
    mode: Mode,
    depth: u32,
    /// The depth at which the call's keys stand: 1, or 2 inside `function`.
    level: u8,
    /// A string may begin in any quotes.
    can_begin: bool,
    expect: Expect,
    /// The key that was read last, as far as it can mean something.
    key: Key,
    /// Decodes the string that is being read, if it is a key or the name.
    unescape: Unescape,
    slot: Slot,
    name: Part,
    arguments: Part,
    /// A member may hold the call's id.
    ids: bool,
    id: Part,
    /// The key of the arguments has come.
    arguments_key: bool,
    /// The closer's first byte was looked at and is none.
    pub passed: bool,
    /// Something stood between the members that may not stand there.
    pub junk: bool,
    /// A comma is missing between two members, or the quotes of a key.
    pub repaired: bool,
    /// The key that is being read needs one of these repairs.
    repairs_key: bool,
    /// The word that is being read where a key may stand is none.
    is_no_key: bool,
    /// One of the two has just been found.
    noticed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Between,
    /// A number or a word.
    Word,
    /// One or two double quotes have come where a string can begin.
    Quotes(u8),
    /// In a string.
    Text(Quote),
    Escape(Quote),
    /// Double quotes at what may be the end of `"""…"""`.
    Closing(u8),
    Slash,
    LineComment,
    BlockComment,
    /// A `*` in a block comment.
    Star,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    One(u8),
    Triple,
}

/// What begins between two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    String,
    Word,
    Bracket,
}

/// What may come next at the level of the call's keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expect {
    #[default]
    Key,
    Colon,
    Value,
    Comma,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Missing,
    Open,
    Whole,
    /// A name that is none.
    Bad,
}

/// Where the scanner stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// At the end of the text.
    End,
    /// Before a `<` that may be the closer.
    Angle,
    /// Behind the quote that closes the call's name.
    Name,
    /// Behind the quote that closes its id.
    Id,
    /// Before the first byte of the arguments.
    Arguments,
    /// Behind the last byte of the arguments.
    ArgumentsEnd,
    /// Before the first byte of a name or of arguments that are not the first.
    Duplicate,
    /// Behind the first junk, or the first comma or quotes that are missing.
    Noticed,
    /// Behind the brace that ends the body.
    Body,
}

impl Json {
    /// A call: the next byte is its `{`. `ids`: a member may hold its id.
    pub fn call(ids: bool) -> Self {
        Json { level: 1, ids, ..Json::default() }
    }

    /// An object that is all arguments: the next byte is its `{`.
    pub fn bare_arguments() -> Self {
        let (expect, slot, name) = (Expect::Value, Slot::Arguments, Part::Whole);
        Json { expect, slot, name, ..Json::default() }
    }

    pub fn in_arguments(&self) -> bool {
        self.arguments == Part::Open
    }

    /// Not even their key has come.
    pub fn lacks_arguments(&self) -> bool {
        !self.arguments_key
    }

    /// Nothing is open but the object itself.
    pub fn is_between_members(&self) -> bool {
        self.at_level() && self.is_between()
    }

    /// The object had not ended with its brace: it goes on behind a comma.
    pub fn go_on(&mut self) {
        self.depth = 1;
        self.level = 1;
        self.expect = Expect::Key;
        self.can_begin = true;
        self.repaired = true;
    }

    /// In a string whose text is not kept: what ends it, and what escapes.
    pub fn stops_in_string(&self) -> Option<[u8; 2]> {
        match self.mode {
            Mode::Text(quote) if !self.keeps() => Some([quote.sign(), b'\\']),
            _ => None,
        }
    }

    /// The body ends here, and with it a word.
    pub fn cut(&mut self) {
        if self.mode == Mode::Word {
            self.value_ends();
        }
        self.junk |= self.at_level() && !self.is_between();
    }

    /// The name that went by is none.
    pub fn refuse_name(&mut self) {
        self.name = Part::Bad;
    }

    pub fn has_no_name(&self) -> bool {
        self.name == Part::Bad
    }

    /// Reads on to the next stop; gives the bytes read. Of the call's name, and of its id, what went by
    /// is added to `name`.
    pub fn read(&mut self, text: &str, name: &mut String) -> (usize, Stop) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let stop = match self.mode {
                Mode::Text(quote) if !self.keeps() => {
                    at += self.skip_string(quote, &bytes[at..]);
                    match bytes.get(at) {
                        Some(&byte) => self.in_string(byte, name),
                        None => break,
                    }
                }
                Mode::Text(quote) => {
                    let from = at;
                    at += memchr::memchr2(quote.sign(), b'\\', &bytes[at..])
                        .unwrap_or(bytes.len() - at);
                    self.keep(&text[from..at], quote, name);
                    match bytes.get(at) {
                        Some(&byte) => self.in_string(byte, name),
                        None => break,
                    }
                }
                Mode::Escape(quote) => {
                    let next = text[at..].chars().next().map_or(1, char::len_utf8);
                    self.keep(&text[at..at + next], quote, name);
                    self.mode = Mode::Text(quote);
                    at += next - 1;
                    None
                }
                _ => {
                    let skipped = self.skip(&bytes[at..]);
                    if skipped > 0 {
                        at += skipped;
                        continue;
                    }
                    if let Some(stop) = self.before(bytes[at], name) {
                        return (at, stop);
                    }
                    // What ends before this byte may have left it to a string.
                    if let Mode::Text(_) = self.mode {
                        continue;
                    }
                    self.step(bytes[at], name)
                }
            };
            at += 1;
            // In the middle of a character nothing stops.
            let noticed = text.is_char_boundary(at) && std::mem::take(&mut self.noticed);
            if let Some(stop) = stop.or(noticed.then_some(Stop::Noticed)) {
                return (at, stop);
            }
        }
        (at, Stop::End)
    }

    /// Below the level of the call's keys nothing counts but depth: reads on to a sign that may do
    /// more. Gives the bytes read.
    fn skip(&mut self, bytes: &[u8]) -> usize {
        let level = u32::from(self.level);
        if self.depth <= level || !matches!(self.mode, Mode::Between | Mode::Word) {
            return 0;
        }
        let (mut mode, mut can_begin, mut depth) = (self.mode, self.can_begin, self.depth);
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => mode = Mode::Between,
                b',' | b':' => (mode, can_begin) = (Mode::Between, true),
                b'{' | b'[' => (mode, can_begin, depth) = (Mode::Between, true, depth + 1),
                b'}' | b']' if depth > level + 1 => {
                    (mode, can_begin, depth) = (Mode::Between, false, depth - 1);
                }
                b'"' | b'\'' | b'`' | b'/' | b'<' | b'}' | b']' => break,
                _ => (mode, can_begin) = (Mode::Word, false),
            }
            at += 1;
        }
        (self.mode, self.can_begin, self.depth) = (mode, can_begin, depth);
        at
    }

    /// In a string whose text is not kept: reads on to before the quote that may end it.
    fn skip_string(&mut self, quote: Quote, bytes: &[u8]) -> usize {
        let sign = quote.sign();
        let mut escaped = None;
        for at in memchr::memchr2_iter(sign, b'\\', bytes) {
            if escaped.take() == Some(at) {
                continue;
            }
            if bytes[at] == sign {
                return at;
            }
            escaped = Some(at + 1);
        }
        if escaped == Some(bytes.len()) {
            self.mode = Mode::Escape(quote);
        }
        bytes.len()
    }

    /// A quote or a backslash in a string.
    fn in_string(&mut self, byte: u8, name: &mut String) -> Option<Stop> {
        let Mode::Text(quote) = self.mode else { return None };
        if byte == b'\\' {
            self.keep("\\", quote, name);
            self.mode = Mode::Escape(quote);
        } else if quote == Quote::Triple {
            self.mode = Mode::Closing(1);
        } else {
            return self.string_ends(name);
        }
        None
    }

    /// Text of a string: of a key or of the name, it is decoded and kept.
    fn keep(&mut self, text: &str, quote: Quote, name: &mut String) {
        let sign = quote.sign();
        if !self.at_level() {
        } else if self.expect == Expect::Key {
            self.unescape.read(text, sign, &mut |piece| self.key.push(piece));
        } else if self.is_in_name() {
            self.unescape.read(text, sign, &mut |piece| add(name, piece));
        }
    }

    /// The kept text of a string is whole.
    fn kept(&mut self, name: &mut String) {
        if self.expect == Expect::Key {
            self.unescape.end(&mut |piece| self.key.push(piece));
        } else if self.is_in_name() {
            self.unescape.end(&mut |piece| add(name, piece));
        }
    }

    /// Whether the string that is being read is a key of the call, its name or its id.
    fn keeps(&self) -> bool {
        self.at_level() && (self.expect == Expect::Key || self.is_in_name())
    }

    /// In the string of the name, or of the id.
    fn is_in_name(&self) -> bool {
        self.name == Part::Open || self.id == Part::Open
    }

    /// What the value of the key that has just ended is.
    fn slot(&self) -> Slot {
        match self.key.slot() {
            Slot::Id if !self.ids => Slot::Other,
            slot => slot,
        }
    }

    /// Between two members.
    fn is_between(&self) -> bool {
        matches!(self.expect, Expect::Key | Expect::Comma)
    }

    /// Where the call's keys stand.
    fn at_level(&self) -> bool {
        self.depth == u32::from(self.level)
    }

    /// What is decided before this byte is taken.
    fn before(&mut self, byte: u8, name: &mut String) -> Option<Stop> {
        let stop = match self.mode {
            // One quote began a plain string; two were an empty one.
            Mode::Quotes(1) if byte != b'"' => {
                self.mode = Mode::Text(Quote::One(b'"'));
                return None;
            }
            Mode::Quotes(2) if byte != b'"' => self.string_ends(name),
            // They were text.
            Mode::Closing(quotes) if byte != b'"' => {
                self.keep(&"\"\""[..usize::from(quotes)], Quote::Triple, name);
                self.mode = Mode::Text(Quote::Triple);
                return None;
            }
            Mode::Word if is_end_of_word(byte) => {
                self.mode = Mode::Between;
                self.value_ends()
            }
            Mode::Slash if !matches!(byte, b'/' | b'*') => {
                self.mode = Mode::Between;
                self.is_junk(self.at_level() && self.is_between());
                None
            }
            _ => None,
        };
        let outside = !matches!(self.mode, Mode::Quotes(_) | Mode::Closing(_));
        if stop.is_some() {
            stop
        } else if byte == b'<' && outside && !std::mem::take(&mut self.passed) {
            Some(Stop::Angle)
        } else if self.begins_arguments(byte) {
            self.arguments = Part::Open;
            Some(Stop::Arguments)
        } else if self.begins_duplicate(byte) {
            self.slot = Slot::Other;
            Some(Stop::Duplicate)
        } else {
            None
        }
    }

    fn begins_arguments(&self, byte: u8) -> bool {
        self.slot == Slot::Arguments && self.arguments == Part::Missing && self.begins_value(byte)
    }

    /// The first value of a kind counts. A name must be a string; `function` is one if it is.
    fn begins_duplicate(&self, byte: u8) -> bool {
        let again = match self.slot {
            Slot::Name => self.name != Part::Missing,
            Slot::Function => self.name != Part::Missing && self.begins_string(byte),
            Slot::Arguments => self.arguments == Part::Whole,
            Slot::Id | Slot::Other => false,
        };
        again && self.begins_value(byte)
    }

    /// Behind a key of the call, and this is no white space, comment or sign.
    fn begins_value(&self, byte: u8) -> bool {
        self.mode == Mode::Between
            && self.at_level()
            && self.expect == Expect::Value
            && !is_white(byte)
            && !matches!(byte, b'/' | b',' | b':' | b'}' | b']')
    }

    fn begins_string(&self, byte: u8) -> bool {
        byte == b'"' || self.can_begin && matches!(byte, b'\'' | b'`')
    }

    fn step(&mut self, byte: u8, name: &mut String) -> Option<Stop> {
        match self.mode {
            Mode::Between => return self.between(byte, name),
            Mode::Quotes(1) => self.mode = Mode::Quotes(2),
            Mode::Quotes(_) => self.mode = Mode::Text(Quote::Triple),
            Mode::Closing(1) => self.mode = Mode::Closing(2),
            Mode::Closing(_) => return self.string_ends(name),
            Mode::Word if self.is_in_key() => self.key_goes_on(byte),
            Mode::Slash if byte == b'/' => self.mode = Mode::LineComment,
            Mode::Slash => self.mode = Mode::BlockComment,
            Mode::LineComment if matches!(byte, b'\n' | b'\r') => self.mode = Mode::Between,
            Mode::BlockComment | Mode::Star if byte == b'*' => self.mode = Mode::Star,
            Mode::Star if byte == b'/' => self.mode = Mode::Between,
            Mode::Star => self.mode = Mode::BlockComment,
            _ => {}
        }
        None
    }

    /// Between two tokens.
    fn between(&mut self, byte: u8, name: &mut String) -> Option<Stop> {
        match byte {
            byte if is_white(byte) => {}
            b'/' => self.mode = Mode::Slash,
            b'"' => {
                let may_be_triple = std::mem::take(&mut self.can_begin);
                self.mode =
                    if may_be_triple { Mode::Quotes(1) } else { Mode::Text(Quote::One(b'"')) };
                self.token_begins(Token::String, name);
            }
            byte if self.begins_string(byte) => {
                self.can_begin = false;
                self.mode = Mode::Text(Quote::One(byte));
                self.token_begins(Token::String, name);
            }
            b'{' | b'[' => self.goes_down(byte, name),
            b'}' | b']' => return self.comes_up(),
            b',' => {
                self.can_begin = true;
                if self.at_level() {
                    self.is_junk(!self.is_between());
                    self.expect = Expect::Key;
                }
            }
            b':' => {
                self.can_begin = true;
                if self.at_level() {
                    if self.expect == Expect::Colon {
                        self.arguments_key |= self.slot == Slot::Arguments;
                        self.is_repaired(self.repairs_key);
                    } else {
                        self.is_junk(true);
                        self.slot = Slot::Other;
                    }
                    self.expect = Expect::Value;
                }
            }
            _ => {
                self.can_begin = false;
                self.mode = Mode::Word;
                self.token_begins(Token::Word, name);
                if self.is_in_key() {
                    self.is_no_key = !is_letter(byte);
                    self.key_goes_on(byte);
                }
            }
        }
        None
    }

    /// A token begins: a key, a value, or nothing that may stand here.
    fn token_begins(&mut self, token: Token, name: &mut String) {
        if !self.at_level() {
            return;
        }
        self.unescape = Unescape::default();
        let is_string = token == Token::String;
        match (self.expect, self.slot) {
            (Expect::Key | Expect::Comma | Expect::Colon, _) if token != Token::Bracket => {
                self.is_junk(self.expect == Expect::Colon);
                let lacks = self.expect == Expect::Comma || token == Token::Word;
                self.repairs_key = lacks || self.expect == Expect::Colon && self.repairs_key;
                self.expect = Expect::Key;
                self.is_no_key = false;
                self.slot = Slot::Other;
                self.key = Key::default();
            }
            (Expect::Value, Slot::Name) => self.name_begins(is_string, name),
            (Expect::Value, Slot::Function) if is_string => self.name_begins(true, name),
            (Expect::Value, Slot::Id) if is_string && self.id == Part::Missing => {
                self.id = Part::Open;
                name.clear();
            }
            (Expect::Value, _) => {}
            _ => {
                self.is_junk(true);
                self.expect = Expect::Comma;
                self.slot = Slot::Other;
            }
        }
    }

    /// In a word where a key stands.
    fn is_in_key(&self) -> bool {
        self.mode == Mode::Word && self.expect == Expect::Key && self.at_level() && self.level > 0
    }

    /// A byte of a key without quotes: an identifier, or junk.
    fn key_goes_on(&mut self, byte: u8) {
        self.is_no_key |= !(is_letter(byte) || byte.is_ascii_digit() || byte == b'-');
        self.is_junk(self.is_no_key);
        let byte = [byte];
        self.key.push(std::str::from_utf8(&byte).unwrap_or("\u{FFFD}"));
    }

    fn is_junk(&mut self, is: bool) {
        if is && self.level > 0 && !std::mem::replace(&mut self.junk, true) {
            self.noticed = true;
        }
    }

    fn is_repaired(&mut self, is: bool) {
        if is && !std::mem::replace(&mut self.repaired, true) {
            self.noticed = true;
        }
    }

    fn name_begins(&mut self, is_string: bool, name: &mut String) {
        self.name = if is_string { Part::Open } else { Part::Bad };
        name.clear();
    }

    /// At `{` or `[`.
    fn goes_down(&mut self, byte: u8, name: &mut String) {
        let enters = self.at_level()
            && self.level == 1
            && (self.expect, self.slot) == (Expect::Value, Slot::Function)
            && byte == b'{';
        if enters {
            self.level = 2;
            self.expect = Expect::Key;
        } else {
            self.token_begins(Token::Bracket, name);
        }
        self.depth += 1;
        self.can_begin = true;
    }

    fn string_ends(&mut self, name: &mut String) -> Option<Stop> {
        self.mode = Mode::Between;
        if !self.at_level() {
            return None;
        }
        self.kept(name);
        if self.expect == Expect::Key {
            self.expect = Expect::Colon;
            self.slot = self.slot();
            return None;
        }
        if self.id == Part::Open {
            self.id = Part::Whole;
            self.value_ends();
            return Some(Stop::Id);
        }
        if self.name == Part::Open {
            self.name = Part::Whole;
            self.value_ends();
            return Some(Stop::Name);
        }
        self.value_ends()
    }

    /// A value at the level of the keys is whole.
    fn value_ends(&mut self) -> Option<Stop> {
        if self.at_level() && self.expect == Expect::Key && self.level > 0 {
            // A word that is no key is nothing; a key may follow it.
            self.expect = if self.is_no_key { Expect::Comma } else { Expect::Colon };
            self.slot = self.slot();
        }
        if !self.at_level() || self.expect != Expect::Value {
            return None;
        }
        self.expect = Expect::Comma;
        self.slot = Slot::Other;
        let arguments = self.arguments == Part::Open;
        if arguments {
            self.arguments = Part::Whole;
        }
        arguments.then_some(Stop::ArgumentsEnd)
    }

    fn comes_up(&mut self) -> Option<Stop> {
        self.can_begin = false;
        if self.at_level() {
            self.is_junk(!self.is_between());
        }
        self.depth = self.depth.saturating_sub(1);
        if self.depth >= u32::from(self.level) {
            return self.value_ends();
        }
        if self.depth == 0 {
            return Some(Stop::Body);
        }
        // The object behind `function` is over.
        self.level = 1;
        self.expect = Expect::Comma;
        self.slot = Slot::Other;
        None
    }
}

impl Quote {
    fn sign(self) -> u8 {
        match self {
            Quote::One(sign) => sign,
            Quote::Triple => b'"',
        }
    }
}

/// Adds to a name, but for white space before it; of one that is too long no more than shows that it
/// is: white space behind it does not count.
fn add(name: &mut String, piece: &str) {
    for sign in piece.chars() {
        let white = matches!(sign, ' ' | '\t' | '\r' | '\n');
        let full = name.len() > bounds::NAME;
        let over = full && !name.ends_with([' ', '\t', '\r', '\n']);
        if !(white && (full || name.is_empty()) || over) {
            name.push(sign);
        }
    }
}

/// What an identifier may begin with. (The keys that mean something are ASCII.)
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | 0x80..)
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_end_of_word(byte: u8) -> bool {
    is_white(byte) || matches!(byte, b',' | b'}' | b']' | b'{' | b'[' | b':' | b'"' | b'/')
}
