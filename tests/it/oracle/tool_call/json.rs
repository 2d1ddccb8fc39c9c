//! JSON as models write it: where a value ends, and which members of a call's object are its name
//! and its arguments. Nothing is checked beyond what these two questions need.
//!
//! ```text
//! string  := '"' … '"'      and, where a key or a value can begin, """…"""  '…'  `…`
//! comment := "//" to the line end  |  "/*" … "*/"
//! ```
//! A backslash in a string takes the character after it along. `{` and `[` go one level down,
//! `}` and `]` one up, whichever; after the closer of the first level the value is over. So it is
//! at a closer of what it stands in (`</tool_call>`) outside a string, where somebody forgot the last closers.

use super::super::pieces::{Miss, Proof, any_literal, is_space, literal, skip_spaces, ws};
use super::grammar::CLOSER;
use toolstream::bounds;

/// A piece of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: usize,
    pub end: usize,
}

/// How a value ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// After its own closer, which ends here.
    Balanced(usize),
    /// At a closer, which begins here.
    Closer(usize),
    /// With the stream: half a closer may begin here, or it is the stream's end.
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
    /// Its text, between the quotes; `None` if the stream ends in it.
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
    /// A slash stands before it that begins no comment: nothing, but junk between members.
    slash: bool,
}

/// The next token, after white space and comments. `begins`: a key or a value can begin here.
fn token(input: &str, mut at: usize, begins: bool, closers: &[&str]) -> Token {
    let mut slash = false;
    loop {
        at = input.len() - input[at..].trim_start_matches(is_space).len();
        match comment(input, at, closers) {
            Some(end) => at = end,
            // At the end of the stream it may begin a comment.
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
    // The stream ends in quotes that may be the first two of three.
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

/// The end of a comment, if one begins here. A closer ends it, too.
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

/// Where the object or list that begins at `at` ends: one of `closers` ends it before its time.
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

/// What is known of a call's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// Nothing.
    Missing,
    /// It is none: no string, empty, or too long.
    Bad,
    /// Its text, and where its closing quote ends.
    Whole(String, usize),
}

/// The value of the arguments key.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    pub value: Range,
    /// Its own closer came.
    pub whole: bool,
}

/// A member under a key that is none of a call's.
#[derive(Debug)]
pub struct Other {
    pub key: String,
    pub value: Range,
    /// Its own closer came.
    pub whole: bool,
}

/// A call's object.
#[derive(Debug)]
pub struct Object {
    pub end: End,
    /// What proves its end, where it has its own closer.
    pub proof: Proof,
    pub name: Name,
    pub arguments: Option<Arguments>,
    /// Members that mean nothing, where there are arguments.
    pub others: Vec<Other>,
    /// Where further names and arguments begin; the first ones count.
    pub duplicates: Vec<usize>,
    /// Where something is not quite JSON, but no matter.
    pub repaired: Vec<usize>,
    /// Where something stands between the members that is none.
    pub junk: Option<usize>,
    /// It has no closer of its own, and neither has one of its members.
    pub is_open: bool,
    /// It lacks an arguments key, so that it has not ended before the next byte that is not blank.
    pub may_go_on: bool,
}

/// The keys of a name; `function` is one, too, before a string.
pub const NAMES: [&str; 2] = ["name", "tool_name"];
pub const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
/// Keys of a call that say nothing to us.
const CALLS: [&str; 5] = ["id", "call_id", "tool_call_id", "type", "index"];

/// What the object's own grammar waits for, and after which key; one that means nothing is "".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// A member, a comma or the end.
    Member,
    /// Known keys are their name, others "".
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

/// Where in the call's object the reader is.
struct Members<'a> {
    input: &'a str,
    object: Object,
    depth: usize,
    /// The level of the members that count: 2 inside `"function": {`.
    level: usize,
    wait: Wait,
    /// The last key.
    key: Option<String>,
    /// The next key has no quotes, or no comma before it.
    is_repaired: bool,
    /// No arguments key came.
    may_go_on: bool,
    /// It was broken before it had a name: strings protect nothing any more.
    lost: bool,
}

impl Members<'_> {
    /// The same, where strings may not protect a closer.
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

    /// Takes the next token; `true`: it was the last one.
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

    /// Between two members; `lacks_comma`: one stands directly before.
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

    /// After the last brace: whether it counted too early.
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

    /// A string or a word where a key may stand: one, if a colon follows.
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

    /// A value's first token, and its key.
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
                object.others.push(Other { key: key.clone(), value, whole });
            }
        }
    }

    /// The object has no closer of its own.
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

/// The closer in a string that does not protect it, or half of one where the stream ends.
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

/// A key that may go without quotes: a letter, `_` or `$`, then also digits and `-`.
fn is_identifier(word: &str) -> bool {
    let begins = |c: char| c.is_alphabetic() || "_$".contains(c);
    word.starts_with(begins) && word.chars().all(|c| begins(c) || c.is_ascii_digit() || c == '-')
}

/// What stands after the brace of an object that has no arguments key.
enum GoesOn {
    /// `ws "," ws`, a quoted arguments key and `ws ":"`.
    Yes,
    /// The stream ends in it, in the key or after.
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

/// Whether a string that begins like this may be an arguments key. One with escapes is none here.
fn may_become_arguments(half: &str) -> bool {
    ARGUMENTS.iter().any(|key| key.starts_with(half))
}

/// The text of a string whose first quote is at `at`. An escape that JSON does not know keeps its
/// backslash, half a surrogate pair becomes U+FFFD.
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

/// `u` and four hex digits.
fn hex(text: &str) -> Option<u16> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if all_hex { u16::from_str_radix(digits, 16).ok() } else { None }
}
