//! JSON as models write it: where a value ends, and which members of a call's object are its name
//! and its arguments. Nothing is checked beyond what these two questions need.
//!
//! ```text
//! string  := '"' … '"'      and, where a key or a value can begin, """…"""  '…'  `…`
//! comment := "//" to the line end  |  "/*" … "*/"
//! ```
//! A backslash in a string takes the character behind it along. `{` and `[` go one level down,
//! `}` and `]` one up, whichever; behind the closer of the first level the value is over. So it is
//! at `</tool_call>` outside a string, where somebody forgot the last closers.

use super::super::grammar::{Miss, is_space, literal};
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
    /// Behind its own closer, which ends here.
    Balanced(usize),
    /// At a `</tool_call>`, which begins here.
    Closer(usize),
    /// With the stream: half a `</tool_call>` may begin here, or it is the stream's end.
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
}

/// The next token, behind white space and comments. `begins`: a key or a value can begin here.
fn token(input: &str, mut at: usize, begins: bool) -> Token {
    loop {
        at = input.len() - input[at..].trim_start_matches(is_space).len();
        match comment(input, at) {
            Some(end) => at = end,
            // A lone slash is nothing.
            None if input[at..].starts_with('/') => at += 1,
            None => break,
        }
    }
    let token = |kind, len| Token { kind, start: at, end: at + len };
    match literal(input, at, CLOSER) {
        Ok(_) => return token(Kind::Closer, CLOSER.len()),
        Err(Miss::Cut) => return token(Kind::Stream, 0),
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
                    || !matches!(literal(input, here, CLOSER), Err(Miss::No))
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
            return Token { kind: Kind::String(text), start: at, end: here + quote.len() };
        }
        escaped = !escaped && c == '\\';
    }
    Token { kind: Kind::String(None), start: at, end: input.len() }
}

/// The end of a comment, if one begins here. A `</tool_call>` ends it, too.
fn comment(input: &str, at: usize) -> Option<usize> {
    let rest = &input[at..];
    let ends: &[&str] = match rest.get(..2)? {
        "//" => &["\n", "\r"],
        "/*" => &["*/"],
        _ => return None,
    };
    for (offset, _) in rest.char_indices().skip(2) {
        let here = at + offset;
        if !matches!(literal(input, here, CLOSER), Err(Miss::No)) {
            return Some(here);
        }
        if let Some(end) = ends.iter().find(|end| input[here..].starts_with(**end)) {
            return Some(here + end.len());
        }
    }
    Some(input.len())
}

/// Where the object or list that begins at `at` ends.
pub fn value_end(input: &str, at: usize) -> End {
    let mut depth = 0;
    let mut next = token(input, at, true);
    loop {
        match next.kind {
            Kind::Open => depth += 1,
            Kind::Close if depth == 1 => return End::Balanced(next.end),
            Kind::Close => depth -= 1,
            Kind::Closer => return End::Closer(next.start),
            Kind::Stream => return End::Stream(next.start),
            _ => {}
        }
        next = token(input, next.end, can_begin(next.kind));
    }
}

/// Whether a key or a value can begin behind this token.
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

/// A call's object.
#[derive(Debug)]
pub struct Object {
    pub end: End,
    pub name: Name,
    pub arguments: Option<Arguments>,
    /// The object ends between the arguments key and its value.
    pub announces_arguments: bool,
    /// Where further names and arguments begin; the first ones count.
    pub duplicates: Vec<usize>,
}

/// What the object's own grammar waits for, and behind which key; one that means nothing is "".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Key,
    Colon(&'static str),
    Value(&'static str),
    Comma,
}

/// Reads the call's object that begins at `at`.
///
/// ```text
/// name      := "name" | "tool_name" | "function" before a string
/// arguments := "arguments" | "parameters" | "args" | "input"
/// ```
/// in quotes, at the first level, or at the first level of the object behind `"function":`. Both
/// keys and names may have escapes.
pub fn object(input: &str, at: usize) -> Object {
    let mut object = Object {
        end: End::Stream(input.len()),
        name: Name::Missing,
        arguments: None,
        announces_arguments: false,
        duplicates: Vec::new(),
    };
    let mut depth = 0;
    // The level of the members that count: 2 inside `"function": {`.
    let mut level = 1;
    let mut wait = Wait::Comma;
    let mut next = token(input, at, true);
    loop {
        let counts = depth == level;
        match next.kind {
            Kind::Open => {
                depth += 1;
                let enters =
                    wait == Wait::Value("function") && input[next.start..].starts_with('{');
                if depth == 1 {
                    wait = Wait::Key;
                } else if counts && level == 1 && enters {
                    level = 2;
                    wait = Wait::Key;
                } else if counts {
                    object.member(input, wait, next);
                    wait = Wait::Comma;
                }
            }
            Kind::Close => {
                depth -= 1;
                if depth == 0 {
                    object.end = End::Balanced(next.end);
                    return object;
                }
                match &mut object.arguments {
                    Some(arguments) if depth == level && !arguments.whole => {
                        arguments.value.end = next.end;
                        arguments.whole = true;
                    }
                    _ => {}
                }
                if depth < level {
                    level = 1;
                    wait = Wait::Comma;
                }
            }
            Kind::Comma if counts => wait = Wait::Key,
            Kind::Colon if counts => {
                wait = Wait::Value(if let Wait::Colon(key) = wait { key } else { "" });
            }
            Kind::String(Some(text)) if counts && wait == Wait::Key => {
                wait = Wait::Colon(known_key(&unescaped(input, next.start, text)));
            }
            Kind::String(_) | Kind::Word if counts => {
                object.member(input, wait, next);
                wait = Wait::Comma;
            }
            Kind::Closer | Kind::Stream => {
                object.end = match next.kind {
                    Kind::Closer => End::Closer(next.start),
                    _ => End::Stream(next.start),
                };
                match &mut object.arguments {
                    Some(arguments) if !arguments.whole => arguments.value.end = next.start,
                    _ => {}
                }
                let key = match wait {
                    Wait::Colon(key) | Wait::Value(key) => key,
                    _ => "",
                };
                object.announces_arguments = is_arguments(key) && object.arguments.is_none();
                return object;
            }
            _ => {}
        }
        next = token(input, next.end, can_begin(next.kind));
    }
}

const NAMES: [&str; 2] = ["name", "tool_name"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];

fn known_key(key: &str) -> &'static str {
    let mut known = NAMES.into_iter().chain(ARGUMENTS).chain(["function"]);
    known.find(|known| *known == key).unwrap_or("")
}

fn is_arguments(key: &str) -> bool {
    ARGUMENTS.contains(&key)
}

impl Object {
    /// A value's first token, where `wait` says which key it belongs to.
    fn member(&mut self, input: &str, wait: Wait, first: Token) {
        let Wait::Value(key) = wait else { return };
        let is_string = matches!(first.kind, Kind::String(_));
        if is_arguments(key) {
            if self.arguments.is_some() {
                self.duplicates.push(first.start);
                return;
            }
            let whole = matches!(first.kind, Kind::String(Some(_)) | Kind::Word);
            let value = Range { start: first.start, end: first.end };
            self.arguments = Some(Arguments { value, whole });
        } else if NAMES.contains(&key) || key == "function" && is_string {
            if self.name != Name::Missing {
                self.duplicates.push(first.start);
                return;
            }
            self.name = match first.kind {
                Kind::String(Some(text)) => {
                    let name = unescaped(input, first.start, text);
                    let fits = (1..=bounds::NAME).contains(&name.len());
                    if fits { Name::Whole(name, first.end) } else { Name::Bad }
                }
                Kind::String(None) => Name::Missing,
                _ => Name::Bad,
            };
        }
    }
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
