//! JSON as models write it: the end of a value, and the members of a call's object that are its name and its arguments. Nothing
//! else is checked.
//!
//! ```text
//! string  := '"' … '"'      and, where a key or a value can begin, """…"""  '…'  `…`
//! comment := "//" to the line end  |  "/*" … "*/"
//! ```
//! A backslash in a string takes the next character along. `{` and `[` go one level down, and `}` and `]` go one level up, in
//! any pairing. The value is over after the closer of its first level. If the last closers were forgotten, it is over at the
//! closer of its frame (`</tool_call>`) outside a string.

use super::super::pieces::{Miss, Proof, any_literal, is_space, literal, skip_spaces, ws};
use super::grammar::CLOSER;
use toolstream::options::bounds;

/// A piece of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: usize,
    pub end: usize,
}

/// The end of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The value has its own closer, which ends here.
    Balanced(usize),
    /// A closer of the frame begins here.
    Closer(usize),
    /// The stream ends. Half a closer may begin here, or this is the stream's end.
    Stream(usize),
}

impl End {
    pub fn at(self) -> usize {
        match self {
            End::Balanced(at) | End::Closer(at) | End::Stream(at) => at,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    Comma,
    Colon,
    /// A string with its text between the quotes. `None`: the stream ends in it.
    String(Option<Range>),
    /// A number, a word, or anything else.
    Word,
    Closer,
    Stream,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
    /// Whether a slash that begins no comment stands before it. Between members such a slash is junk, elsewhere it is ignored.
    slash: bool,
}

/// Reads the next token, after white space and comments. `begins`: a key or a value can begin here.
fn token(input: &str, mut at: usize, begins: bool, closers: &[&str]) -> Token {
    let mut slash = false;
    loop {
        at = input.len() - input[at..].trim_start_matches(is_space).len();
        match comment(input, at, closers) {
            Some(end) => at = end,
            // At the end of the stream a slash may begin a comment.
            None if input[at..].starts_with('/') => {
                (at, slash) = (at + 1, slash || at + 1 < input.len());
            }
            None => break,
        }
    }
    Token { slash, ..token_at(input, at, begins, closers) }
}

fn token_at(input: &str, at: usize, begins: bool, closers: &[&str]) -> Token {
    let token = |kind, len| Token { kind, start: at, end: at + len, slash: false };
    match any_literal(input, at, closers) {
        Ok(end) => return token(Kind::Closer, end - at),
        Err(Miss::Cut) => return token(Kind::Stream, 0),
        Err(_) if at == input.len() => return token(Kind::Stream, 0),
        Err(_) => {}
    }
    let rest = &input[at..];
    // The stream ends in two quotes, which may be the first of three.
    if begins && rest == "\"\"" {
        return token(Kind::String(None), rest.len());
    }
    let quotes: &[&str] = if begins { &["\"\"\"", "\"", "'", "`"] } else { &["\""] };
    if let Some(quote) = quotes.iter().find(|quote| rest.starts_with(**quote)) {
        return string(input, at, quote);
    }
    match rest.as_bytes()[0] {
        b'{' | b'[' => token(Kind::Open, 1),
        b'}' | b']' => token(Kind::Close, 1),
        b',' => token(Kind::Comma, 1),
        b':' => token(Kind::Colon, 1),
        _ => {
            let ends = |(offset, c): (usize, char)| {
                let here = at + offset;
                is_space(c)
                    || "{}[],:\"/".contains(c)
                    || !matches!(any_literal(input, here, closers), Err(Miss::No))
            };
            let len = rest.char_indices().find(|c| ends(*c)).map_or(rest.len(), |(len, _)| len);
            token(Kind::Word, len)
        }
    }
}

fn string(input: &str, at: usize, quote: &str) -> Token {
    let start = at + quote.len();
    let mut escaped = false;
    for (offset, c) in input[start..].char_indices() {
        let here = start + offset;
        if !escaped && input[here..].starts_with(quote) {
            let text = Some(Range { start, end: here });
            let end = here + quote.len();
            return Token { kind: Kind::String(text), start: at, end, slash: false };
        }
        escaped = !escaped && c == '\\';
    }
    Token { kind: Kind::String(None), start: at, end: input.len(), slash: false }
}

/// Returns the end of a comment, if one begins here. A closer ends it, too.
fn comment(input: &str, at: usize, closers: &[&str]) -> Option<usize> {
    let rest = &input[at..];
    let ends: &[&str] = match rest.get(..2)? {
        "//" => &["\n", "\r"],
        "/*" => &["*/"],
        _ => return None,
    };
    for (offset, _) in rest.char_indices().skip(2) {
        let here = at + offset;
        if !matches!(any_literal(input, here, closers), Err(Miss::No)) {
            return Some(here);
        }
        if let Some(end) = ends.iter().find(|end| input[here..].starts_with(**end)) {
            return Some(here + end.len());
        }
    }
    Some(input.len())
}

/// Returns the end of the object or list that begins at `at`. One of `closers` can end it early.
pub fn value_end(input: &str, at: usize, closers: &[&str]) -> End {
    let mut depth = 0;
    let mut next = token(input, at, true, closers);
    loop {
        match next.kind {
            Kind::Open => depth += 1,
            Kind::Close if depth == 1 => return End::Balanced(next.end),
            Kind::Close => depth -= 1,
            Kind::Closer => return End::Closer(next.start),
            Kind::Stream => return End::Stream(next.start),
            _ => {}
        }
        next = token(input, next.end, can_begin(next.kind), closers);
    }
}

/// Whether a key or a value can begin after this token.
fn can_begin(kind: Kind) -> bool {
    matches!(kind, Kind::Open | Kind::Comma | Kind::Colon)
}

/// The state of a call's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// No name yet.
    Missing,
    /// A bad name: no string, empty, or too long.
    Bad,
    /// The name, and the end of its closing quote.
    Whole(String, usize),
}

/// The value of the arguments key.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    pub value: Range,
    /// Whether its own closer came.
    pub whole: bool,
}

/// A member with a key that a call does not have.
#[derive(Debug)]
pub struct Other {
    pub key: String,
    pub value: Range,
    /// Whether its own closer came.
    pub whole: bool,
    /// Whether an arguments key came before it, perhaps without a value. Then it is not an argument, and waits for no
    /// name.
    pub late: bool,
}

/// A call's object.
#[derive(Debug)]
pub struct Object {
    pub end: End,
    /// The proof of its end, if it has its own closer.
    pub proof: Proof,
    pub name: Name,
    pub arguments: Option<Arguments>,
    /// Members with other keys. With arguments they mean nothing.
    pub others: Vec<Other>,
    /// The beginnings of further names and arguments. Only the first ones count.
    pub duplicates: Vec<usize>,
    /// The places that are not quite JSON, but harmless.
    pub repaired: Vec<usize>,
    /// The place of the first junk between the members.
    pub junk: Option<usize>,
    /// Whether the object ended without its closer, inside an open member.
    pub is_open: bool,
    /// Whether it lacks an arguments key, so that only a byte behind it that is not blank ends it.
    pub may_go_on: bool,
}

/// The keys of a name. Before a string, `function` is one, too.
pub const NAMES: [&str; 2] = ["name", "tool_name"];
pub const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
/// Keys of a call that the parser ignores.
const CALLS: [&str; 5] = ["id", "call_id", "tool_call_id", "type", "index"];

/// The piece that the object's grammar waits for, with the last key. An unknown key is "".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// A member, a comma or the end.
    Member,
    /// A colon. Known keys have their name here, others "".
    Colon(&'static str),
    Value(&'static str),
}

/// Reads the call's object that begins at `at`.
///
/// ```text
/// object    := "{" ( member | "," )* "}"          member := key ":" value
/// name      := "name" | "tool_name" | "function" before a string
/// arguments := "arguments" | "parameters" | "args" | "input"
/// ```
/// at the first level, or at the first level of the object after `"function":`. Both keys and
/// names may have escapes, keys may lack their quotes, and one comma may be missing between two
/// members; anything else between members is junk. White space and comments may stand anywhere.
pub fn object(input: &str, at: usize) -> Object {
    let object = Object {
        end: End::Stream(input.len()),
        proof: Proof::Text,
        name: Name::Missing,
        arguments: None,
        others: Vec::new(),
        duplicates: Vec::new(),
        repaired: Vec::new(),
        junk: None,
        is_open: false,
        may_go_on: false,
    };
    let mut reader = Members {
        input,
        object,
        depth: 0,
        level: 1,
        wait: Wait::Member,
        key: None,
        is_repaired: false,
        may_go_on: true,
        lost: false,
    };
    let mut next = token(input, at, true, &[CLOSER]);
    while !reader.takes(next) {
        next = token(input, next.end, can_begin(next.kind), &[CLOSER]);
    }
    reader.object
}

/// A reader of a call's object, and its place there.
struct Members<'a> {
    input: &'a str,
    object: Object,
    depth: usize,
    /// The level of the members that count: 2 inside `"function": {`.
    level: usize,
    wait: Wait,
    /// The last key.
    key: Option<String>,
    /// Whether the next key has no quotes, or no comma before it.
    is_repaired: bool,
    /// Whether no arguments key came.
    may_go_on: bool,
    /// Whether the object was broken before it had a name. Then strings protect nothing any more.
    lost: bool,
}

impl Members<'_> {
    /// Takes the next token. If strings protect nothing, a closer inside the token ends the object.
    fn takes(&mut self, next: Token) -> bool {
        let breaks = self.depth == self.level
            && (next.slash && self.wait == Wait::Member
                || matches!((next.kind, self.wait), (Kind::String(_), Wait::Colon(_))));
        let is_named = self.object.name != Name::Missing;
        self.lost |= (breaks || self.object.junk.is_some()) && !is_named;
        let closer = match next.kind {
            Kind::String(_) if self.lost => closer_in_string(self.input, next),
            _ => None,
        };
        match closer {
            Some(closer) => {
                let half = Token { kind: Kind::String(None), end: closer.start, ..next };
                self.token(half) || self.token(closer)
            }
            None => self.token(next),
        }
    }

    /// Takes the next token. `true`: it was the last one.
    fn token(&mut self, next: Token) -> bool {
        let counts = self.depth == self.level;
        if counts && next.slash && self.wait == Wait::Member {
            self.junk(next.start);
        }
        match next.kind {
            Kind::Open => self.open(next),
            Kind::Close => return self.close(next),
            Kind::Comma if counts => {
                if self.wait != Wait::Member {
                    self.junk(next.start);
                }
                self.between(false);
            }
            Kind::Colon if counts => self.colon(next),
            Kind::String(_) | Kind::Word if counts => match self.wait {
                Wait::Value(key) => self.member(key, next),
                Wait::Member | Wait::Colon(_) => self.key(next),
            },
            Kind::Closer => {
                if counts && self.wait != Wait::Member {
                    self.junk(next.start);
                }
                return self.cut(End::Closer(next.start));
            }
            Kind::Stream => return self.cut(End::Stream(next.start)),
            _ => {}
        }
        false
    }

    fn junk(&mut self, at: usize) {
        self.object.junk.get_or_insert(at);
    }

    /// Goes on between two members. `lacks_comma`: a member stands directly before.
    fn between(&mut self, lacks_comma: bool) {
        self.wait = Wait::Member;
        self.is_repaired = lacks_comma;
    }

    fn open(&mut self, next: Token) {
        let is_object = self.input[next.start..].starts_with('{');
        match self.wait {
            _ if self.depth == 0 => self.between(false),
            Wait::Value("function") if self.depth == 1 && self.level == 1 && is_object => {
                self.level = 2;
                self.between(false);
            }
            Wait::Value(key) if self.depth == self.level => self.member(key, next),
            _ if self.depth == self.level => {
                self.junk(next.start);
                self.between(true);
            }
            _ => {}
        }
        self.depth += 1;
    }

    fn close(&mut self, next: Token) -> bool {
        if self.depth == self.level && self.wait != Wait::Member {
            self.junk(next.start);
        }
        self.depth -= 1;
        if self.depth == 0 {
            return !self.goes_on(next);
        }
        match &mut self.object.arguments {
            Some(arguments) if self.depth == self.level && !arguments.whole => {
                arguments.value.end = next.end;
                arguments.whole = true;
            }
            _ => {}
        }
        match self.object.others.last_mut() {
            Some(other) if self.depth == self.level && !other.whole => {
                other.value.end = next.end;
                other.whole = true;
            }
            _ => {}
        }
        if self.depth < self.level {
            self.level = 1;
            self.between(true);
        }
        false
    }

    /// Reads on after the last brace, which may have come too early.
    fn goes_on(&mut self, last: Token) -> bool {
        let goes_on = if self.may_go_on { goes_on(self.input, last.end) } else { GoesOn::No };
        self.object.may_go_on = self.may_go_on;
        match goes_on {
            GoesOn::No => self.object.end = End::Balanced(last.end),
            GoesOn::Undecided => {
                self.object.end = End::Balanced(last.end);
                self.object.proof = Proof::End;
            }
            GoesOn::Cut => self.object.repaired.push(last.start),
            GoesOn::Yes => {
                self.object.repaired.push(last.start);
                (self.depth, self.level) = (1, 1);
                self.between(true);
                return true;
            }
        }
        false
    }

    /// Reads a string or a word where a key may stand. A colon behind it makes it a key.
    fn key(&mut self, next: Token) {
        if self.wait != Wait::Member {
            self.junk(next.start);
        }
        let word = &self.input[next.start..next.end];
        match next.kind {
            Kind::String(Some(text)) => {
                let key = unescaped(self.input, next.start, text);
                self.wait = Wait::Colon(known_key(&key));
                self.key = Some(key);
            }
            Kind::Word if is_identifier(word) => {
                self.key = Some(word.to_string());
                self.wait = Wait::Colon(known_key(word));
                self.is_repaired = true;
            }
            Kind::Word => {
                self.key = Some(word.to_string());
                self.junk(next.start);
                self.between(true);
            }
            _ => {}
        }
    }

    fn colon(&mut self, next: Token) {
        match self.wait {
            Wait::Colon(key) => {
                self.wait = Wait::Value(key);
                self.may_go_on &= !ARGUMENTS.contains(&key);
                if self.is_repaired {
                    self.object.repaired.push(next.start);
                }
            }
            Wait::Member | Wait::Value(_) => {
                self.junk(next.start);
                self.wait = Wait::Value("");
            }
        }
    }

    /// Takes a value's first token, with the value's key.
    fn member(&mut self, key: &str, first: Token) {
        self.between(true);
        let object = &mut self.object;
        let is_string = matches!(first.kind, Kind::String(_));
        if ARGUMENTS.contains(&key) {
            if object.arguments.is_some() {
                object.duplicates.push(first.start);
                return;
            }
            let whole = matches!(first.kind, Kind::String(Some(_)) | Kind::Word);
            let value = Range { start: first.start, end: first.end };
            object.arguments = Some(Arguments { value, whole });
        } else if NAMES.contains(&key) || key == "function" && is_string {
            if object.name != Name::Missing {
                object.duplicates.push(first.start);
                return;
            }
            object.name = match first.kind {
                Kind::String(Some(text)) => {
                    let name = unescaped(self.input, first.start, text);
                    let name = name.trim_matches(is_space).to_string();
                    let fits = (1..=bounds::NAME).contains(&name.len());
                    if fits { Name::Whole(name, first.end) } else { Name::Bad }
                }
                Kind::String(None) => Name::Missing,
                _ => Name::Bad,
            };
        } else if let (true, Some(key)) = (key.is_empty(), &self.key) {
            let value = Range { start: first.start, end: first.end };
            let whole = matches!(first.kind, Kind::String(Some(_)) | Kind::Word);
            if known_key(key).is_empty() && !CALLS.contains(&&**key) {
                let late = !self.may_go_on;
                object.others.push(Other { key: key.clone(), value, whole, late });
            }
        }
    }

    /// Ends the object without a closer of its own.
    fn cut(&mut self, end: End) -> bool {
        self.object.end = end;
        self.object.is_open = self.depth > self.level;
        match &mut self.object.arguments {
            Some(arguments) if !arguments.whole => arguments.value.end = end.at(),
            _ => {}
        }
        true
    }
}

/// Finds a closer in a string that does not protect it, or half a closer at the end of the stream.
fn closer_in_string(input: &str, string: Token) -> Option<Token> {
    input[string.start..string.end].char_indices().find_map(|(offset, _)| {
        let at = string.start + offset;
        let kind = match literal(input, at, CLOSER) {
            Ok(_) => Kind::Closer,
            Err(Miss::Cut) => Kind::Stream,
            Err(_) => return None,
        };
        Some(Token { kind, start: at, end: at, slash: false })
    })
}

fn known_key(key: &str) -> &'static str {
    let mut known = NAMES.into_iter().chain(ARGUMENTS).chain(["function"]);
    known.find(|known| *known == key).unwrap_or("")
}

/// Whether the word may be a key without quotes: a letter, `_` or `$`, then also digits and `-`.
fn is_identifier(word: &str) -> bool {
    let begins = |c: char| c.is_alphabetic() || "_$".contains(c);
    word.starts_with(begins) && word.chars().all(|c| begins(c) || c.is_ascii_digit() || c == '-')
}

/// The text behind the brace of an object without an arguments key.
enum GoesOn {
    /// `ws "," ws`, a quoted arguments key and `ws ":"`.
    Yes,
    /// The stream ends in this text, in the key or behind it.
    Cut,
    /// The stream ends before the key.
    Undecided,
    No,
}

fn goes_on(input: &str, at: usize) -> GoesOn {
    let comma = skip_spaces(input, at);
    if comma == input.len() {
        return GoesOn::Undecided;
    }
    let Some(key) = literal(input, comma, ",").ok().and_then(|end| ws(input, end).ok()) else {
        return GoesOn::No;
    };
    if key == input.len() {
        return GoesOn::Undecided;
    }
    if !input[key..].starts_with(['"', '\'', '`']) {
        return GoesOn::No;
    }
    let token = token_at(input, key, true, &[CLOSER]);
    let Kind::String(Some(text)) = token.kind else {
        let half = input[key..].trim_start_matches(['"', '\'', '`']);
        return if may_become_arguments(half) { GoesOn::Cut } else { GoesOn::No };
    };
    let is_arguments = ARGUMENTS.contains(&&input[text.start..text.end]);
    match ws(input, token.end) {
        Ok(end) if is_arguments && end == input.len() => GoesOn::Cut,
        Ok(end) if is_arguments && literal(input, end, ":").is_ok() => GoesOn::Yes,
        _ => GoesOn::No,
    }
}

/// Whether a string that begins like this may be an arguments key. A key with escapes does not count here.
fn may_become_arguments(half: &str) -> bool {
    ARGUMENTS.iter().any(|key| key.starts_with(half))
}

/// Decodes the text of a string whose first quote is at `at`. An unknown escape keeps its backslash, and half a surrogate pair
/// becomes U+FFFD.
fn unescaped(input: &str, at: usize, text: Range) -> String {
    let in_backticks = input[at..].starts_with('`');
    let mut out = String::new();
    let mut rest = &input[text.start..text.end];
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        if let Some(unit) = hex(rest) {
            let low = rest[5..].strip_prefix('\\').and_then(hex).unwrap_or(0);
            let pair: Vec<_> = char::decode_utf16([unit, low]).collect();
            out.push(*pair[0].as_ref().unwrap_or(&char::REPLACEMENT_CHARACTER));
            rest = if pair.len() == 1 { &rest[11..] } else { &rest[5..] };
            continue;
        }
        match c {
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            '"' | '\'' | '\\' | '/' => out.push(c),
            '`' if in_backticks => out.push(c),
            _ => out.extend(['\\', c]),
        }
        rest = &rest[c.len_utf8()..];
    }
    out + rest
}

/// Reads `u` and four hex digits.
fn hex(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if all_hex { u16::from_str_radix(digits, 16).ok() } else { None }
}
