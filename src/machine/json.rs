//! JSON bodies: a resumable reader that knows the call's name and arguments as they go by.
//!
//! ```text
//! body   := "{" ( member | "," )* "}"
//! member := ( key | identifier ) ":" value    the keys of the call stand at depth 1, or inside "function"
//! key    := name, tool_name, function (if its value is a string) | arguments, parameters, args,
//!           input | id, tool_call_id (in dialects that have ids) | anything else
//! ```
//! The tokens are those of [`crate::json::lexer`]. Keys and the name are what their strings say:
//! escapes in them are decoded. Between the members of the call's own object (and of the one inside
//! "function") nothing but white space, comments and commas may stand: anything else is *junk*, since
//! it shows that a raw quote has cut a string short. Otherwise it does not decide: `{` and `[` go down
//! a level, `}` and `]` come up one, whichever. It never looks back, so it survives any cut. Chunk
//! ends here: it stays where it is. Stream ends here: an open body is open.

mod key;

use crate::json::lexer::{Lexer, Syntax, Token};
use crate::json::unescape::Unescape;
use crate::json::white::{WHITE_SPACE, is_white};
use crate::json::{begins_name, continues_name};
use crate::options::bounds;
use key::{Key, Meaning};

/// The reader's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Json {
    lexer: Lexer,
    depth: u32,
    /// The depth at which the call's keys stand: 1, or 2 inside `function`.
    level: u8,
    expect: Expect,
    /// The key that was read last, as far as it can mean something.
    key: Key,
    /// The quote of the string that is being read.
    quote: u8,
    /// Decodes that string, if it is a key or the name.
    unescape: Unescape,
    meaning: Meaning,
    /// Its members are parameters.
    params: bool,
    name: FieldState,
    /// The arguments, or the value of the parameter that was named last.
    arguments: FieldState,
    /// A member may hold the call's id.
    ids: bool,
    id: FieldState,
    /// The key of the arguments has come.
    arguments_key: bool,
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
enum FieldState {
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
    /// After the quote that closes the call's name.
    Name,
    /// After the quote that closes its id.
    Id,
    /// Before the first byte of the arguments.
    Arguments,
    /// After the last byte of the arguments.
    ArgumentsEnd,
    /// Before the first byte of a name or of arguments that are not the first.
    Duplicate,
    /// After the first junk, or the first comma or quotes that are missing.
    Noticed,
    /// After the brace that ends the body.
    Body,
}

impl Json {
    /// A call: the next byte is its `{`. `ids`: a member may hold its id.
    pub fn call(ids: bool) -> Self {
        Json { level: 1, ids, lexer: Lexer::stopping(), ..Json::default() }
    }

    /// An object that is all arguments: the next byte is its `{`.
    pub fn bare_arguments() -> Self {
        let (expect, meaning, name) = (Expect::Value, Meaning::Arguments, FieldState::Whole);
        Json { expect, meaning, name, lexer: Lexer::stopping(), ..Json::default() }
    }

    /// An object whose members are parameters: the next byte is its bracket.
    pub fn params() -> Self {
        Json { params: true, level: 1, lexer: Lexer::stopping(), ..Json::default() }
    }

    /// A value is open that ends with the stream, unless that was cut.
    pub fn may_have_ended(&self) -> bool {
        self.at_level() && self.lexer.may_have_ended()
    }

    /// How many of the last bytes may be the end of a string, and no value.
    pub fn half_quote(&self) -> usize {
        self.lexer.half_quote()
    }

    pub fn in_arguments(&self) -> bool {
        self.arguments == FieldState::Open
    }

    /// Not even their key has come.
    pub fn lacks_arguments(&self) -> bool {
        !self.arguments_key
    }

    /// Nothing is open but the object itself.
    pub fn is_between_members(&self) -> bool {
        self.at_level() && self.is_between()
    }

    /// The object had not ended with its brace: it goes on after a comma.
    pub fn go_on(&mut self) {
        self.lexer = Lexer::stopping();
        self.depth = 1;
        self.level = 1;
        self.expect = Expect::Key;
        self.repaired = true;
    }

    /// In a string whose text is not kept: what ends it, and what escapes.
    pub fn stops_in_string(&self, quote: &str) -> Option<[u8; 2]> {
        if self.keeps() { None } else { self.lexer.stops_in_string(quote) }
    }

    /// The `<` that comes next begins no closer.
    pub fn pass(&mut self) {
        self.lexer.pass();
    }

    /// The body ends here, and with it a word.
    pub fn cut(&mut self) {
        if self.lexer.in_word() {
            self.value_ends();
        }
        self.junk |= self.at_level() && !self.is_between();
    }

    /// The name that went by is none.
    pub fn refuse_name(&mut self) {
        self.name = FieldState::Bad;
    }

    pub fn has_no_name(&self) -> bool {
        self.name == FieldState::Bad
    }

    /// Reads on to the next stop; gives the bytes read. Of the call's name, of its id or of a
    /// parameter's name what went by is added to `name`.
    pub fn read<'t>(
        &mut self,
        text: &'t str,
        syntax: Syntax<'t>,
        name: &mut String,
    ) -> (usize, Stop) {
        let mut at = 0;
        loop {
            let floor = u32::from(self.level);
            at += if self.depth > floor && !self.params {
                self.lexer.skip_nested(&text.as_bytes()[at..], &mut self.depth, floor)
            } else {
                self.lexer.skip_white(&text[at..])
            };
            if at == text.len() {
                return (at, Stop::End);
            }
            let lexer = self.lexer;
            let (read, token) = self.lexer.next_of(&text[at..], syntax);
            let begins = lexer.is_between();
            if let Some(stop) = if begins { self.before(token) } else { None } {
                self.lexer = lexer;
                return (at, stop);
            }
            let (read, stop) = match token {
                Token::Word(word) => (self.word(word, begins, name), None),
                _ => (read, self.take(token, name)),
            };
            at += read;
            let noticed = std::mem::take(&mut self.noticed);
            if let Some(stop) = stop.or(noticed.then_some(Stop::Noticed)) {
                return (at, stop);
            }
        }
    }

    /// What is decided before this token is taken, if it begins a value.
    fn before(&mut self, token: Token<'_>) -> Option<Stop> {
        if self.expect != Expect::Value || !self.at_level() {
            return None;
        }
        let is_string = matches!(token, Token::StringStart(_));
        if !is_string && !matches!(token, Token::Open(_) | Token::Word(_)) {
            return None;
        }
        // The first value of a kind counts. A name must be a string; `function` is one if it is.
        let again = match self.meaning {
            Meaning::Arguments | Meaning::Other if self.arguments_may_begin() => {
                self.arguments = FieldState::Open;
                return Some(Stop::Arguments);
            }
            Meaning::Arguments => self.arguments == FieldState::Whole,
            Meaning::Name => self.name != FieldState::Missing,
            Meaning::Function => self.name != FieldState::Missing && is_string,
            Meaning::Id | Meaning::Other => false,
        };
        if again {
            self.meaning = Meaning::Other;
        }
        again.then_some(Stop::Duplicate)
    }

    /// After junk nobody knows what is a member: no parameter begins any more.
    fn arguments_may_begin(&self) -> bool {
        let arguments = self.meaning == Meaning::Arguments || self.params && !self.junk;
        self.arguments == FieldState::Missing && arguments
    }

    fn take(&mut self, token: Token<'_>, name: &mut String) -> Option<Stop> {
        match token {
            Token::White | Token::Comment | Token::MayEnd | Token::Word(_) => None,
            Token::NoComment => {
                self.is_junk(self.at_level() && self.is_between());
                None
            }
            Token::Open(byte) => self.goes_down(byte, name),
            Token::Close(_) => self.comes_up(),
            Token::Comma | Token::Colon if !self.at_level() => None,
            Token::Comma => {
                self.is_junk(!self.is_between());
                self.expect = Expect::Key;
                None
            }
            Token::Colon => self.colon(),
            Token::StringStart(quote) => {
                (self.quote, self.unescape) = (quote, Unescape::default());
                self.token_begins(token, name);
                None
            }
            Token::Text(text) => {
                self.keep(name, |unescape, quote, send| unescape.read(text, quote, send));
                None
            }
            Token::StringEnd => self.string_ends(name),
            Token::WordEnd => self.value_ends(),
            Token::Stop => Some(Stop::Angle),
        }
    }
    /// Text of a string: of a key or of the name, it is decoded and kept.
    fn keep(
        &mut self,
        name: &mut String,
        decode: impl FnOnce(&mut Unescape, u8, &mut dyn FnMut(&str)),
    ) {
        let (unescape, key) = (&mut self.unescape, &mut self.key);
        match self.expect {
            _ if self.depth != u32::from(self.level) => {}
            Expect::Key if self.params => {
                decode(unescape, self.quote, &mut |piece| add(name, piece));
            }
            Expect::Key => decode(unescape, self.quote, &mut |piece| key.push(piece)),
            _ if self.name == FieldState::Open || self.id == FieldState::Open => {
                decode(unescape, self.quote, &mut |piece| add(name, piece));
            }
            _ => {}
        }
    }

    /// Whether the string that is being read is a key of the call, its name or its id.
    fn keeps(&self) -> bool {
        let in_name = self.name == FieldState::Open || self.id == FieldState::Open;
        self.at_level() && (self.expect == Expect::Key || in_name)
    }

    /// What the value of the key that has just ended is.
    fn meaning(&self) -> Meaning {
        match self.key.meaning() {
            Meaning::Id if !self.ids => Meaning::Other,
            meaning => meaning,
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

    fn colon(&mut self) -> Option<Stop> {
        if self.expect == Expect::Colon {
            self.arguments_key |= self.meaning == Meaning::Arguments;
            self.is_repaired(self.repairs_key && !self.params);
        } else {
            self.is_junk(true);
            self.meaning = Meaning::Other;
        }
        self.expect = Expect::Value;
        None
    }

    /// A key, a value, or nothing that may stand here.
    fn token_begins(&mut self, token: Token<'_>, name: &mut String) {
        if !self.at_level() {
            return;
        }
        let is_string = matches!(token, Token::StringStart(_));
        match (self.expect, self.meaning) {
            (Expect::Value, Meaning::Name) => self.name_begins(is_string, name),
            (Expect::Value, Meaning::Function) if is_string => self.name_begins(true, name),
            (Expect::Value, Meaning::Id) if is_string && self.id == FieldState::Missing => {
                self.id = FieldState::Open;
                name.clear();
            }
            (Expect::Value, _) => {}
            _ if matches!(token, Token::Open(_)) => {
                self.is_junk(true);
                self.expect = Expect::Comma;
                self.meaning = Meaning::Other;
            }
            _ => {
                let lacks_comma = self.params && self.expect == Expect::Comma;
                self.is_junk(self.expect == Expect::Colon || lacks_comma);
                let lacks = self.expect == Expect::Comma || !is_string;
                self.repairs_key = lacks || self.expect == Expect::Colon && self.repairs_key;
                self.expect = Expect::Key;
                self.meaning = Meaning::Other;
                self.key = Key::default();
                if self.params {
                    name.clear();
                    // A long key that comes late asks for no memory then.
                    name.reserve(bounds::NAME + char::MAX.len_utf8());
                }
            }
        }
    }

    fn name_begins(&mut self, is_string: bool, name: &mut String) {
        self.name = if is_string { FieldState::Open } else { FieldState::Bad };
        name.clear();
    }

    /// A piece of a word; gives how much of it was read. A key without quotes is read character by
    /// character: an identifier, or junk.
    fn word(&mut self, word: &str, begins: bool, name: &mut String) -> usize {
        if begins {
            self.token_begins(Token::Word(word), name);
        }
        if !self.at_level() || self.level == 0 || self.expect != Expect::Key {
            return word.len();
        }
        let len = word.chars().next().map_or(0, char::len_utf8);
        let fits = word[..len].starts_with(if begins { begins_name } else { continues_name });
        self.is_no_key = !fits || !begins && self.is_no_key;
        self.is_junk(self.is_no_key);
        if self.params {
            add(name, &word[..len]);
        } else {
            self.key.push(&word[..len]);
        }
        len
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

    /// At `{` or `[`.
    fn goes_down(&mut self, byte: u8, name: &mut String) -> Option<Stop> {
        let enters = self.at_level()
            && self.level == 1
            && (self.expect, self.meaning) == (Expect::Value, Meaning::Function)
            && byte == b'{';
        if enters {
            self.level = 2;
            self.expect = Expect::Key;
        } else {
            self.token_begins(Token::Open(byte), name);
        }
        self.depth += 1;
        None
    }

    fn comes_up(&mut self) -> Option<Stop> {
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
        // The object after `function` is over.
        self.level = 1;
        self.expect = Expect::Comma;
        self.meaning = Meaning::Other;
        None
    }

    fn string_ends(&mut self, name: &mut String) -> Option<Stop> {
        if !self.at_level() {
            return None;
        }
        self.keep(name, |unescape, _, send| unescape.end(send));
        if self.expect == Expect::Key {
            self.expect = Expect::Colon;
            self.meaning = self.meaning();
            return None;
        }
        if self.id == FieldState::Open {
            self.id = FieldState::Whole;
            self.value_ends();
            return Some(Stop::Id);
        }
        let named = self.name == FieldState::Open;
        if named {
            self.name = FieldState::Whole;
        }
        let stop = self.value_ends();
        if named { Some(Stop::Name) } else { stop }
    }

    /// A value at the level of the keys is whole, or a key without quotes.
    fn value_ends(&mut self) -> Option<Stop> {
        if self.at_level() && self.expect == Expect::Key && self.level > 0 {
            // A word that is no key is nothing; a key may follow it.
            self.expect = if self.is_no_key { Expect::Comma } else { Expect::Colon };
            self.meaning = self.meaning();
        }
        if !self.at_level() || self.expect != Expect::Value {
            return None;
        }
        self.expect = Expect::Comma;
        self.meaning = Meaning::Other;
        let arguments = self.arguments == FieldState::Open;
        if arguments {
            self.arguments = if self.params { FieldState::Missing } else { FieldState::Whole };
        }
        arguments.then_some(Stop::ArgumentsEnd)
    }
}

/// Adds to a name, but for white space before it; of one that is too long no more than shows that it
/// is: white space after it does not count.
fn add(name: &mut String, piece: &str) {
    if name.len() + piece.len() <= bounds::NAME && !piece.starts_with(WHITE_SPACE) {
        return name.push_str(piece);
    }
    for c in piece.chars() {
        let white = is_white(c);
        let full = name.len() > bounds::NAME;
        let over = full && !name.ends_with(WHITE_SPACE);
        if !(white && (full || name.is_empty()) || over) {
            name.push(c);
        }
    }
}
