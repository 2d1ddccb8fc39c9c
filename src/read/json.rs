//! JSON bodies: a resumable reader that knows the call's name and arguments as they go by.
//!
//! ```text
//! body   := "{" ( member | "," )* "}"
//! member := ( key | identifier ) ":" value    the keys of the call stand at depth 1, or inside "function"
//! key    := name, tool_name, function (if its value is a string) | arguments, parameters, args,
//!           input | id, tool_call_id (in dialects that have ids) | anything else
//! ```
//! An object without a key of arguments, but with others that are none of a call's, has lost its arguments; where all of
//! those are declared parameters, they are its arguments ([`members`]).
//! The tokens are those of [`crate::json::lexer`]. Keys and the name are what their strings say:
//! escapes in them are decoded. Between the members of the call's own object (and of the one inside
//! "function") nothing but white space, comments and commas may stand: anything else is *junk*, since
//! it shows that a raw quote has cut a string short. Otherwise it does not decide: `{` and `[` go down
//! a level, `}` and `]` come up one, whichever. It never looks back, so it survives any cut. Chunk
//! ends here: it stays where it is. Stream ends here: an open body is open.

mod brackets;
mod key;
pub(crate) mod members;
mod plain;
mod words;

use crate::json::lexer::{Lexer, Token};
use crate::json::syntax::Syntax;
use crate::json::unescape::Unescape;
use crate::options::bounds;
use crate::read::open_call::Captured;
use brackets::Brackets;
use key::{Key, Meaning};
use words::{add, add_to_key};

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
    /// Those that are open, where the members are parameters.
    brackets: Brackets,
    /// How many brackets more the open string opened than it closed.
    opened: i16,
    /// The open string holds a quote of its own as data.
    holds_quote: bool,
    /// The open string is one of Python's with code in it.
    has_hole: bool,
    /// A string has ended, and neither a comma nor a bracket came; where keys may hold blanks, a bracket, too.
    after_string: bool,
    /// Literals with a quote of their own: keys may hold blanks, and in `(…)` `=` may stand for a colon.
    quoted: bool,
    /// The key that was read last is such a one without quotes: what follows may go on with it.
    word_key: bool,
    /// The last value was a string, or had brackets.
    closed: bool,
    /// No comma stands before the key that was read last.
    lacks_comma: bool,
    /// The value without quotes that comes next is a word.
    bare_known: bool,
    name: FieldState,
    /// The arguments, or the value of the parameter that was named last.
    arguments: FieldState,
    /// No other key may stand in it than those of a call.
    only_keys: bool,
    /// A member may hold the call's id.
    ids: bool,
    id: FieldState,
    /// The key of the arguments has come.
    arguments_key: bool,
    /// A member has come whose key is none of a call's.
    others: bool,
    /// The key that was read last is such a one.
    is_other: bool,
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
    /// Before a byte with which the closer may begin, or a bracket in the place of the one that closes the body.
    Marker,
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
    /// Before the value of the first member whose key is none of a call's: the key is the captured parameter.
    Other,
    /// After the first junk, or the first comma or quotes that are missing.
    Noticed,
    /// After a quote that may end its string.
    Quote,
    /// Before a value without quotes, of which more may have to come.
    Bare,
    /// After the brace that ends the body.
    Body,
}

impl Json {
    /// A call: the next byte is its `{`. `ids`: a member may hold its id. `only_keys`: another key than those of a
    /// call is junk. It stops before each byte `stop`, with which a closer may begin.
    pub fn call(ids: bool, only_keys: bool, stop: u8) -> Self {
        Json { level: 1, ids, only_keys, lexer: Lexer::stopping_at(stop), ..Json::default() }
    }

    /// A call that is only tried, after its `{`.
    pub fn after_brace(only_keys: bool) -> Self {
        Json { level: 1, depth: 1, only_keys, ..Json::default() }
    }

    /// Whether the key that is open, if one is, may yet be one of a call.
    pub fn key_may_fit(&self) -> bool {
        let open = self.at_level() && self.expect == Expect::Key && !self.lexer.is_between();
        !(open && self.only_keys) || self.key.may_fit()
    }

    /// An object that is all arguments: the next byte is its `{`. It stops before this byte.
    pub fn bare_arguments(stop: u8) -> Self {
        let (expect, meaning) = (Expect::Value, Meaning::Arguments);
        Json { expect, meaning, lexer: Lexer::stopping_at(stop), ..Json::default() }
    }

    /// An object whose members are parameters: the next byte is its bracket.
    /// `quoted`: its strings have a quote of their own.
    pub fn params(quoted: bool) -> Self {
        Json { params: true, quoted, level: 1, lexer: Lexer::stopping(), ..Json::default() }
    }

    pub fn in_string(&self) -> bool {
        self.lexer.in_string() && !self.lexer.is_exposed()
    }

    /// In a list, a tuple or a dict.
    pub fn is_nested(&self) -> bool {
        self.depth > u32::from(self.level)
    }

    /// The closer of the innermost open bracket.
    pub fn closing(&self) -> &'static str {
        self.brackets.closing(self.depth)
    }

    /// The open string opened more brackets than it closed.
    pub fn opened_more(&self) -> bool {
        self.opened > 0
    }

    /// The open string holds a quote of its own as data.
    pub fn holds_quote(&self) -> bool {
        self.holds_quote
    }

    /// Right behind a quote that ends its string or is text of it.
    pub fn at_quote(&self) -> bool {
        self.lexer.at_quote()
    }

    /// The quote that was read last ends its string.
    pub fn string_ends_here(&mut self, captured: &mut Captured) -> Option<Stop> {
        self.lexer.string_ends();
        self.string_ends(captured)
    }

    /// It is text of it, before this byte.
    pub fn string_goes_on(&mut self, next: Option<u8>) {
        let lacks_backslash = self.lexer.string_goes_on(next);
        self.repaired |= lacks_backslash;
        self.holds_quote |= lacks_backslash;
    }

    /// The bracket that comes next closes the object though it is another one.
    pub fn closes_otherwise(&mut self) -> Option<Stop> {
        self.repaired = true;
        let stop = if self.lexer.in_word() { self.value_ends() } else { None };
        self.is_junk(!self.is_between());
        stop
    }

    /// How many of the last bytes may be the end of a string, and no value.
    pub fn half_quote(&self) -> usize {
        self.lexer.half_quote()
    }

    /// Before a value: no comma stands before its key.
    pub fn lacks_comma(&self) -> bool {
        self.lacks_comma
    }

    /// The comma before the key was forgotten, if this is a parameter; else no value begins here.
    pub fn misses_comma(&mut self, is_param: bool) {
        self.lacks_comma = false;
        self.repaired = true;
        if !is_param {
            self.is_junk(true);
            self.arguments = FieldState::Missing;
        }
    }

    pub fn in_arguments(&self) -> bool {
        self.arguments == FieldState::Open
    }

    /// Not even their key has come.
    pub fn lacks_arguments(&self) -> bool {
        !self.arguments_key
    }

    /// Not even their key has come, but members with keys that are none of a call's.
    pub fn has_others_alone(&self) -> bool {
        self.others && !self.arguments_key
    }

    /// Nothing is open but the object itself.
    pub fn is_between_members(&self) -> bool {
        self.at_level() && self.is_between()
    }

    /// The object had not ended with its brace: it goes on after a comma.
    pub fn go_on(&mut self) {
        self.lexer = Lexer::stopping_at(self.lexer.stop());
        self.depth = 1;
        self.level = 1;
        self.expect = Expect::Key;
        self.repaired = true;
    }

    /// In a string whose text is not kept: what ends it, and what escapes.
    pub fn stops_in_string(&self, quote: &str) -> Option<[u8; 2]> {
        // Of a parameter's string the brackets are counted.
        let counts = self.params && quote.is_empty() && self.at_level();
        // And a brace in one that may hold code.
        if self.keeps() || counts || self.lexer.is_format() {
            None
        } else {
            self.lexer.stops_in_string(quote)
        }
    }

    /// What comes next begins no closer.
    pub fn pass(&mut self) {
        self.lexer.pass();
    }

    /// The body ends here, and with it a word; the value of a parameter is not whole then.
    pub fn cut(&mut self) {
        if self.params && self.in_arguments() {
            return;
        }
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

    /// Reads on to the next stop; gives the bytes read. What went by of the call's
    /// name, of its id or of a parameter's name is added to `captured`; to `examined` the bytes that were looked at.
    pub fn read<'t>(
        &mut self,
        text: &'t str,
        syntax: Syntax<'t>,
        captured: &mut Captured,
        examined: &mut usize,
    ) -> (usize, Stop) {
        let mut at = 0;
        loop {
            let floor = u32::from(self.level);
            let skipped = if self.depth > floor && !self.params {
                self.lexer.skip_nested(&text.as_bytes()[at..], &mut self.depth, floor)
            } else {
                self.lexer.skip_white(&text[at..])
            };
            *examined += skipped;
            self.blanks(&text[at..at + skipped], captured);
            at += skipped;
            if at == text.len() {
                return (at, Stop::End);
            }
            if self.depth == 0 && self.params {
                self.opens(text.as_bytes()[at]);
                at += 1;
                continue;
            }
            if let Some((read, stop)) = self.plain(&text[at..], captured) {
                *examined += read;
                at += read;
                let noticed = std::mem::take(&mut self.noticed);
                match stop.or(noticed.then_some(Stop::Noticed)) {
                    Some(stop) => return (at, stop),
                    None => continue,
                }
            }
            let lexer = self.lexer;
            let syntax = Syntax { equals: self.reads_equals(), ..syntax };
            let (read, token) = self.lexer.next_of(&text[at..], syntax);
            *examined += read.max(1);
            let begins = lexer.is_between();
            let stop = match token {
                _ if !self.params => None,
                Token::MayEnd => return (at + read, Stop::Quote),
                Token::Close(byte) => self.closes_too(byte),
                Token::WordEnd => self.closes_too(text.as_bytes()[at]),
                Token::Colon => {
                    self.is_repaired(syntax.equals && text.as_bytes()[at] == b'=');
                    None
                }
                Token::Text(text) => {
                    self.count(text);
                    self.has_hole |= self.lexer.is_format() && text.contains('{');
                    None
                }
                _ => None,
            };
            let before =
                |json: &mut Json| json.before(token).or_else(|| json.is_bare(token, &lexer));
            if let Some(stop) = stop.or_else(|| if begins { before(self) } else { None }) {
                self.lexer = lexer;
                return (at, stop);
            }
            let (read, stop) = match token {
                Token::Word(word) => (self.take_word(word, lexer, syntax, captured), None),
                _ => (read, self.take(token, captured)),
            };
            at += read;
            let noticed = std::mem::take(&mut self.noticed);
            if let Some(stop) = stop.or(noticed.then_some(Stop::Noticed)) {
                return (at, stop);
            }
        }
    }

    /// White space behind a key without quotes, which may go on after it.
    fn blanks(&mut self, white: &str, captured: &mut Captured) {
        if self.word_key && self.expect == Expect::Colon && self.at_level() {
            self.word_key = !white.contains(['\n', '\r']);
            add(&mut captured.param, white);
        }
    }

    /// Whether a key of the object may end at `=`.
    fn reads_equals(&self) -> bool {
        let in_round = self.quoted && self.at_level() && self.closing() == ")";
        in_round && self.expect != Expect::Value
    }

    /// The object's own bracket.
    fn opens(&mut self, bracket: u8) {
        self.brackets.open(bracket, 0);
        self.depth = 1;
    }

    /// Whether this is a bracket that does not belong to the object, at the level of its keys.
    fn closes_too(&self, byte: u8) -> Option<Stop> {
        let closes = matches!(byte, b')' | b']' | b'}');
        let other = closes && self.at_level() && !self.is_closed_by(byte);
        other.then_some(Stop::Marker)
    }

    /// Whether this closes the innermost bracket; so does any where that is not known.
    fn is_closed_by(&self, byte: u8) -> bool {
        self.closing().bytes().all(|own| own == byte)
    }

    /// Notes the brackets in a string.
    fn count(&mut self, text: &str) {
        for byte in text.bytes() {
            let opens = i16::from(matches!(byte, b'(' | b'[' | b'{'));
            let closes = i16::from(matches!(byte, b')' | b']' | b'}'));
            self.opened = self.opened.saturating_add(opens - closes);
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
            Meaning::Id
            | Meaning::LongId
            | Meaning::Tool
            | Meaning::CallId
            | Meaning::Type
            | Meaning::Index
            | Meaning::Other => false,
        };
        if again {
            self.meaning = Meaning::Other;
            return Some(Stop::Duplicate);
        }
        if self.is_other && !self.others {
            self.others = true;
            return Some(Stop::Other);
        }
        None
    }

    /// Whether this begins a value without quotes, and not even the text behind it was looked at.
    fn is_bare(&mut self, token: Token<'_>, lexer: &Lexer) -> Option<Stop> {
        if !self.quoted || !matches!(token, Token::Word(_)) {
            return None;
        }
        let is_value = match self.closing() {
            _ if self.at_level() => self.expect == Expect::Value,
            "]" => true,
            "}" => lexer.is_after_colon(),
            _ => false,
        };
        let known = std::mem::take(&mut self.bare_known);
        (is_value && !known && !self.junk).then_some(Stop::Bare)
    }

    /// How many brackets are open.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The value without quotes that comes next is a word. `stray`: a quote stands behind it that is none.
    pub fn is_word(&mut self, stray: bool) {
        self.bare_known = true;
        self.is_junk(stray);
    }

    /// A string whose opening quote is missing, up to its closing quote.
    pub fn unopened_ends(&mut self) -> Option<Stop> {
        self.lexer.unopened_ends();
        self.repaired = true;
        (self.after_string, self.closed) = (true, true);
        self.value_ends()
    }

    /// After junk nobody knows what is a member: no parameter begins any more.
    fn arguments_may_begin(&self) -> bool {
        let arguments = self.meaning == Meaning::Arguments || self.params && !self.junk;
        self.arguments == FieldState::Missing && arguments
    }

    fn take(&mut self, token: Token<'_>, captured: &mut Captured) -> Option<Stop> {
        if self.after_string && self.params {
            self.after_string =
                matches!(token, Token::White | Token::Stop | Token::Comment | Token::Stray);
            self.is_repaired(matches!(token, Token::Open(_) | Token::StringStart(_)));
        }
        match token {
            Token::White | Token::Comment | Token::MayEnd | Token::Word(_) => None,
            Token::Stray => {
                self.is_repaired(true);
                None
            }
            Token::NoComment => {
                self.is_junk(self.at_level() && self.is_between());
                None
            }
            Token::Open(byte) => {
                self.goes_down(byte, captured);
                None
            }
            Token::Close(byte) => self.comes_up(byte),
            Token::Comma | Token::Colon if !self.at_level() => None,
            Token::Comma => {
                self.is_junk(!self.is_between());
                self.expect = Expect::Key;
                None
            }
            Token::Colon => {
                self.colon();
                None
            }
            Token::StringStart(quote) => {
                self.begins_string(quote);
                self.token_begins(token, captured);
                None
            }
            Token::Text(text) => {
                self.keep(captured, |unescape, quote, send| unescape.read(text, quote, send));
                None
            }
            Token::StringEnd => self.string_ends(captured),
            Token::WordEnd => {
                self.closed = false;
                self.value_ends()
            }
            Token::Stop => Some(Stop::Marker),
        }
    }

    /// A string begins with this quote.
    fn begins_string(&mut self, quote: u8) {
        (self.quote, self.unescape) = (quote, Unescape::default());
        self.opened = 0;
        (self.holds_quote, self.has_hole) = (false, false);
    }

    /// Text of a string: of a key or of the name, it is decoded and kept.
    fn keep(
        &mut self,
        captured: &mut Captured,
        decode: impl FnOnce(&mut Unescape, u8, &mut dyn FnMut(&str)),
    ) {
        let (unescape, key) = (&mut self.unescape, &mut self.key);
        match self.expect {
            _ if self.depth != u32::from(self.level) => {}
            Expect::Key if self.params => {
                decode(unescape, self.quote, &mut |piece| add(&mut captured.param, piece));
            }
            Expect::Key => decode(unescape, self.quote, &mut |piece| {
                key.push(piece);
                if !self.others {
                    add_to_key(&mut captured.param, piece);
                }
            }),
            Expect::Value if self.meaning == Meaning::Type => {
                decode(unescape, self.quote, &mut |piece| key.push(piece));
            }
            _ if self.name == FieldState::Open => {
                decode(unescape, self.quote, &mut |piece| add(&mut captured.name, piece));
            }
            _ if self.id == FieldState::Open => {
                decode(unescape, self.quote, &mut |piece| add(captured.id_mut(), piece));
            }
            _ => {}
        }
    }

    /// Whether the string that is being read is a key of the call, its name or its id.
    fn keeps(&self) -> bool {
        let in_name = self.name == FieldState::Open || self.id == FieldState::Open;
        let value = in_name || self.expect == Expect::Value && self.meaning == Meaning::Type;
        self.at_level() && (self.expect == Expect::Key || value)
    }

    /// What the value of the key that has just ended is.
    fn meaning(&self) -> Meaning {
        match self.key.meaning() {
            Meaning::Tool if self.only_keys => Meaning::Name,
            Meaning::Type if self.only_keys => Meaning::Type,
            Meaning::Id | Meaning::LongId if self.ids => Meaning::Id,
            Meaning::Id
            | Meaning::LongId
            | Meaning::Tool
            | Meaning::CallId
            | Meaning::Type
            | Meaning::Index => Meaning::Other,
            meaning => meaning,
        }
    }

    /// The key has ended: what its value is.
    fn key_ends(&mut self) {
        self.meaning = self.meaning();
        let known = self.key.meaning();
        let of_call = !matches!(known, Meaning::Other | Meaning::LongId | Meaning::Index);
        self.is_other = self.level > 0 && !self.params && !self.only_keys && self.key.is_other();
        self.is_junk(self.only_keys && !of_call);
    }

    /// Between two members.
    fn is_between(&self) -> bool {
        matches!(self.expect, Expect::Key | Expect::Comma)
    }

    /// Where the call's keys stand.
    fn at_level(&self) -> bool {
        self.depth == u32::from(self.level)
    }

    fn colon(&mut self) {
        if self.expect == Expect::Colon {
            self.arguments_key |= self.meaning == Meaning::Arguments;
            self.is_repaired(self.repairs_key && !self.params);
        } else {
            self.is_junk(true);
            self.meaning = Meaning::Other;
        }
        self.expect = Expect::Value;
    }

    /// A key, a value, or nothing that may stand here.
    fn token_begins(&mut self, token: Token<'_>, captured: &mut Captured) {
        if !self.at_level() {
            return;
        }
        let is_string = matches!(token, Token::StringStart(_));
        match (self.expect, self.meaning) {
            (Expect::Value, Meaning::Name) => self.name_begins(is_string, captured),
            (Expect::Value, Meaning::Function) if is_string => self.name_begins(true, captured),
            (Expect::Value, Meaning::Id) if is_string && self.id == FieldState::Missing => {
                self.id = FieldState::Open;
                captured.clear_id();
            }
            (Expect::Value, Meaning::Type) => {
                self.key = Key::default();
                self.is_junk(!is_string);
            }
            (Expect::Value, Meaning::Function) => self.is_junk(self.only_keys),
            (Expect::Value, _) => {}
            // More of the key.
            (Expect::Colon, _) if self.word_key && matches!(token, Token::Word(_)) => {
                self.expect = Expect::Key;
            }
            _ if matches!(token, Token::Open(_)) => {
                self.is_junk(true);
                self.expect = Expect::Comma;
                self.meaning = Meaning::Other;
            }
            _ => {
                let lacks_comma = self.params && self.expect == Expect::Comma;
                // Whether it is a parameter's key is known at its end.
                let may_lack = self.quoted && self.closed && token != Token::StringStart(0);
                self.lacks_comma = lacks_comma && may_lack;
                self.is_junk(self.expect == Expect::Colon || lacks_comma && !may_lack);
                self.word_key = self.quoted && !is_string;
                let lacks = self.expect == Expect::Comma || !is_string;
                self.repairs_key = lacks || self.expect == Expect::Colon && self.repairs_key;
                self.expect = Expect::Key;
                self.meaning = Meaning::Other;
                self.key = Key::default();
                self.is_other = false;
                if self.params || !self.others && !self.only_keys {
                    captured.param.clear();
                    // A long key that comes late asks for no memory then.
                    captured.param.reserve(bounds::NAME + char::MAX.len_utf8());
                }
            }
        }
    }

    fn name_begins(&mut self, is_string: bool, captured: &mut Captured) {
        self.name = if is_string { FieldState::Open } else { FieldState::Bad };
        self.noticed |= !is_string;
        captured.name.clear();
    }

    fn is_junk(&mut self, is: bool) {
        if is && self.level > 0 && !std::mem::replace(&mut self.junk, true) {
            self.noticed = true;
            // Broken before it had a name: what looks like a string may be none.
            if self.name == FieldState::Missing && !self.params {
                self.lexer.expose();
            }
        }
    }

    fn is_repaired(&mut self, is: bool) {
        if is && !std::mem::replace(&mut self.repaired, true) {
            self.noticed = true;
        }
    }

    /// At `{` or `[`.
    fn goes_down(&mut self, byte: u8, captured: &mut Captured) {
        let enters = self.at_level()
            && self.level == 1
            && (self.expect, self.meaning) == (Expect::Value, Meaning::Function)
            && byte == b'{';
        if enters {
            self.level = 2;
            self.expect = Expect::Key;
        } else {
            self.token_begins(Token::Open(byte), captured);
        }
        if self.params {
            self.brackets.open(byte, self.depth);
        }
        self.depth += 1;
    }

    fn comes_up(&mut self, byte: u8) -> Option<Stop> {
        if self.at_level() {
            self.is_junk(!self.is_between());
        }
        if self.params {
            // One bracket is closed by another.
            self.is_repaired(!self.is_closed_by(byte));
        }
        self.depth = self.depth.saturating_sub(1);
        if self.depth >= u32::from(self.level) {
            self.after_string |= self.quoted;
            self.closed = true;
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

    fn string_ends(&mut self, captured: &mut Captured) -> Option<Stop> {
        self.keep(captured, |unescape, _, send| unescape.end(send));
        let has_hole = std::mem::take(&mut self.has_hole);
        self.is_junk(has_hole);
        self.text_ends()
    }

    /// A string has ended, and its text is whole.
    fn text_ends(&mut self) -> Option<Stop> {
        self.after_string = true;
        self.closed = true;
        if !self.at_level() {
            return None;
        }
        if self.expect == Expect::Key {
            self.expect = Expect::Colon;
            self.key_ends();
            return None;
        }
        if self.expect == Expect::Value && self.meaning == Meaning::Type {
            self.is_junk(!self.key.is_type_of_call());
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
            self.key_ends();
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
