//! JSON bodies: a resumable reader that knows the call's name and arguments as they go by.
//!
//! ```text
//! body   := "{" ( member | "," )* "}"
//! member := ( key | identifier ) ":" value    the keys of the call stand at depth 1, or inside "function"
//! key    := name, tool_name, function (if its value is a string) | arguments, parameters, args,
//!           input | id, tool_call_id (in dialects that have ids) | anything else
//! ```
//! An object with other keys but no key of arguments has lost its arguments. If all these keys are declared parameters,
//! they are its arguments ([`members`]).
//! The tokens are those of [`crate::json::lexer`]. Keys and the name are decoded strings. Between the members
//! of the call's own object (and of the object inside "function") only white space, comments and commas may
//! stand: anything else is *junk*, because it shows that a raw quote has cut a string short. Otherwise the
//! reader does not judge: any `{` or `[` goes down a level, any `}` or `]` comes up one. It never looks back,
//! so it survives any cut. At the end of a chunk it stays where it is. At the end of the stream an open body
//! is open.

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
    /// The key that was read last, as far as it can have a meaning.
    key: Key,
    /// The quote of the string that is being read.
    quote: u8,
    /// Decodes that string, if it is a key or the name.
    unescape: Unescape,
    meaning: Meaning,
    /// Its members are parameters.
    params: bool,
    /// The open brackets, if the members are parameters.
    brackets: Brackets,
    /// The number of brackets that the open string opened and did not close.
    opened: i16,
    /// The open string holds a quote of its own as data.
    holds_quote: bool,
    /// The open string is a Python string with code in it.
    has_hole: bool,
    /// Behind a string, with no comma or bracket since; if keys may hold blanks, also behind a bracket.
    after_string: bool,
    /// Literals with a quote of their own: keys may hold blanks, and in `(…)` `=` may stand for a colon.
    quoted: bool,
    /// The key that was read last has no quotes and may hold blanks: the next word may go on with it.
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
    /// Only the keys of a call may stand in it.
    only_keys: bool,
    /// A member may hold the call's id.
    ids: bool,
    id: FieldState,
    /// The key of the arguments has come.
    arguments_key: bool,
    /// A member has come whose key is not a call's.
    others: bool,
    /// The key that was read last is not a call's.
    is_other: bool,
    /// Text stood between the members that may not stand there.
    pub junk: bool,
    /// A comma is missing between two members, or the quotes of a key.
    pub repaired: bool,
    /// The key that is being read needs one of these repairs.
    repairs_key: bool,
    /// The word in the place of a key is no key.
    is_no_key: bool,
    /// The first junk or the first repair has just been found.
    noticed: bool,
}

/// The token that may come next at the level of the call's keys.
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
    /// Something that is not a name.
    Bad,
}

/// The place at which the scanner stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// At the end of the text.
    End,
    /// Before a byte that may begin a closer, or a bracket of another kind in the place of the body's own.
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
    /// Before the value of the first member whose key is not a call's: the key is the captured parameter.
    Other,
    /// After the first junk, or the first missing comma or missing quotes.
    Noticed,
    /// After a quote that may end its string.
    Quote,
    /// Before a value without quotes, which may need more text.
    Bare,
    /// After the brace that ends the body.
    Body,
}

impl Json {
    /// A call: the next byte is its `{`. `ids`: a member may hold its id. `only_keys`: any key that is not a
    /// call's is junk. It stops before each byte `stop`, which may begin a closer.
    pub fn call(ids: bool, only_keys: bool, stop: u8) -> Self {
        Json { level: 1, ids, only_keys, lexer: Lexer::stopping_at(stop), ..Json::default() }
    }

    /// A call that is tried, after its `{`.
    pub fn after_brace(only_keys: bool) -> Self {
        Json { level: 1, depth: 1, only_keys, ..Json::default() }
    }

    /// Whether the open key, if there is one, may still become a call's.
    pub fn key_may_fit(&self) -> bool {
        let open = self.at_level() && self.expect == Expect::Key && !self.lexer.is_between();
        !(open && self.only_keys) || self.key.may_fit()
    }

    /// An object with all arguments: the next byte is its `{`. It stops before this byte.
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

    /// Whether a list, a tuple or a dict is open.
    pub fn is_nested(&self) -> bool {
        self.depth > u32::from(self.level)
    }

    /// Returns the closer of the innermost open bracket.
    pub fn closing(&self) -> &'static str {
        self.brackets.closing(self.depth)
    }

    /// Whether the open string opened more brackets than it closed.
    pub fn opened_more(&self) -> bool {
        self.opened > 0
    }

    /// Whether the open string holds a quote of its own as data.
    pub fn holds_quote(&self) -> bool {
        self.holds_quote
    }

    /// Whether a quote was just read that ends its string or is text of it.
    pub fn at_quote(&self) -> bool {
        self.lexer.at_quote()
    }

    /// Ends the string at the quote that was read last.
    pub fn string_ends_here(&mut self, captured: &mut Captured) -> Option<Stop> {
        self.lexer.string_ends();
        self.string_ends(captured)
    }

    /// Makes that quote text of its string. `next`: the byte behind it.
    pub fn string_goes_on(&mut self, next: Option<u8>) {
        let lacks_backslash = self.lexer.string_goes_on(next);
        self.repaired |= lacks_backslash;
        self.holds_quote |= lacks_backslash;
    }

    /// Lets the next bracket close the object, though it is of another kind.
    pub fn closes_otherwise(&mut self) -> Option<Stop> {
        self.repaired = true;
        let stop = if self.lexer.in_word() { self.value_ends() } else { None };
        self.is_junk(!self.is_between());
        stop
    }

    /// Returns how many of the last bytes may belong to a quote, and not to the value.
    pub fn half_quote(&self) -> usize {
        self.lexer.half_quote()
    }

    /// Before a value: whether no comma stands before its key.
    pub fn lacks_comma(&self) -> bool {
        self.lacks_comma
    }

    /// Notes a forgotten comma before the key, if the key is a parameter. Otherwise no value begins here.
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

    /// Whether the key of the arguments has not come.
    pub fn lacks_arguments(&self) -> bool {
        !self.arguments_key
    }

    /// Whether members with other keys have come, but not the key of the arguments.
    pub fn has_others_alone(&self) -> bool {
        self.others && !self.arguments_key
    }

    /// Whether nothing is open but the object itself.
    pub fn is_between_members(&self) -> bool {
        self.at_level() && self.is_between()
    }

    /// Goes on behind a comma: the object had not ended with its brace.
    pub fn resume(&mut self) {
        self.lexer = self.lexer.anew();
        self.depth = 1;
        self.level = 1;
        self.expect = Expect::Key;
        self.repaired = true;
    }

    /// In a string whose text is not kept: returns the byte that ends it, and the byte that escapes.
    pub fn stops_in_string(&self, quote: &str) -> Option<[u8; 2]> {
        // The brackets in a parameter's string are counted.
        let counts = self.params && quote.is_empty() && self.at_level();
        // So is a brace in a string that may hold code.
        if self.keeps() || counts || self.lexer.is_format() {
            None
        } else {
            self.lexer.stops_in_string(quote)
        }
    }

    /// Passes the next byte: it begins no closer.
    pub fn pass(&mut self) {
        self.lexer.pass();
    }

    /// Ends the body here, and with it a word. The value of a parameter is not whole then.
    pub fn cut(&mut self) {
        if self.params && self.in_arguments() {
            return;
        }
        if self.lexer.in_word() {
            self.value_ends();
        }
        self.junk |= self.at_level() && !self.is_between();
    }

    /// Refuses the name that was read.
    pub fn refuse_name(&mut self) {
        self.name = FieldState::Bad;
    }

    pub fn has_no_name(&self) -> bool {
        self.name == FieldState::Bad
    }

    /// Reads up to the next stop. Returns the bytes that were read. Adds the parts of the call's name, of its id or
    /// of a parameter's name to `captured`, and the number of examined bytes to `examined`.
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

    /// Takes white space behind a key without quotes, which may go on after it.
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

    /// Takes the object's own bracket.
    fn opens(&mut self, bracket: u8) {
        self.brackets.open(bracket, 0);
        self.depth = 1;
    }

    /// Whether this bracket, at the level of the keys, is of another kind than the object's.
    fn closes_too(&self, byte: u8) -> Option<Stop> {
        let closes = matches!(byte, b')' | b']' | b'}');
        let other = closes && self.at_level() && !self.is_closed_by(byte);
        other.then_some(Stop::Marker)
    }

    /// Whether this bracket closes the innermost one. If that is not known, any bracket does.
    fn is_closed_by(&self, byte: u8) -> bool {
        self.closing().bytes().all(|own| own == byte)
    }

    /// Counts the brackets in a string.
    fn count(&mut self, text: &str) {
        for byte in text.bytes() {
            let opens = i16::from(matches!(byte, b'(' | b'[' | b'{'));
            let closes = i16::from(matches!(byte, b')' | b']' | b'}'));
            self.opened = self.opened.saturating_add(opens - closes);
        }
    }

    /// Decides before this token is taken, if the token begins a value.
    fn before(&mut self, token: Token<'_>) -> Option<Stop> {
        if self.expect != Expect::Value || !self.at_level() {
            return None;
        }
        let is_string = matches!(token, Token::StringStart(_));
        if !is_string && !matches!(token, Token::Open(_) | Token::Word(_)) {
            return None;
        }
        // The first value of a kind counts. A name must be a string; `function` is a name if it is a string.
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

    /// Stops before a value without quotes, if it was not decided yet.
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

    /// Returns the number of open brackets.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Notes that the next value without quotes is a word. `stray`: a quote behind it is junk.
    pub fn is_word(&mut self, stray: bool) {
        self.bare_known = true;
        self.is_junk(stray);
    }

    /// Ends a string whose opening quote is missing, at its closing quote.
    pub fn unopened_ends(&mut self) -> Option<Stop> {
        self.lexer.unopened_ends();
        self.repaired = true;
        self.after_string = true;
        self.closed = true;
        self.value_ends()
    }

    /// Whether arguments may begin. Behind junk no parameter begins, because the members cannot be found.
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

    /// Begins a string with this quote.
    fn begins_string(&mut self, quote: u8) {
        self.quote = quote;
        self.unescape = Unescape::default();
        self.opened = 0;
        self.holds_quote = false;
        self.has_hole = false;
    }

    /// Takes text of a string. A key or the name is decoded and kept.
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

    /// Returns the meaning of the value behind the key that has just ended.
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

    /// Ends the key: the meaning of its value is known.
    fn key_ends(&mut self) {
        self.meaning = self.meaning();
        let known = self.key.meaning();
        let of_call = !matches!(known, Meaning::Other | Meaning::LongId | Meaning::Index);
        self.is_other = self.level > 0 && !self.params && !self.only_keys && self.key.is_other();
        self.is_junk(self.only_keys && !of_call);
    }

    /// Whether the place is between two members.
    fn is_between(&self) -> bool {
        matches!(self.expect, Expect::Key | Expect::Comma)
    }

    /// Whether the place is at the level of the call's keys.
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

    /// Begins a key, a value, or junk.
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
                // The end of the key shows whether it is a parameter's.
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
                    // This saves memory for a long key that comes late.
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
            // Broken before it had a name: text that looks like a string may not be one.
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

    /// Takes `{` or `[`.
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
            // A bracket of another kind closes it.
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
        // Behind the object of `function`.
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

    /// Ends a string: its text is whole.
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

    /// Ends a value at the level of the keys, or a key without quotes.
    fn value_ends(&mut self) -> Option<Stop> {
        if self.at_level() && self.expect == Expect::Key && self.level > 0 {
            // A word that is not a key is ignored; a key may follow it.
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
