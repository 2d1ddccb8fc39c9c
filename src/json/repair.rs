//! Tool arguments: strict JSON, then named repairs, then an error. Never a guess.
//!
//! # What is accepted
//!
//! First, strictly: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259), at most 128 levels of
//! objects and lists. Such text is taken as it is; integers are exact over `i64` and `u64`, other
//! numbers are `f64`, and of a key that comes twice the last one wins. Else, leniently (the names
//! on the right are the [`Repair`]s that a line costs; `trivia` may stand between any two tokens):
//!
//! ```text
//! text    := BOM? ws fence? value closer? sign* ws             bom
//! fence   := three or more ` or ~, then a word or nothing      fence; the sign closes it again
//! value   := object | list | string | number | word
//! object  := "{" (member ("," member)* ","?)? "}"              trailing_comma
//! member  := (string | name) ":" value
//! name    := (letter | "_" | "$") (letter | digit | "_" | "$" | "-")*      unquoted_key
//! list    := "[" (value ("," value)* ","?)? "]"                trailing_comma
//! string  := " … "  |  ' … '  |  ` … `  |  """ … """           all but the first: quotes
//!            control characters in it                          raw_control
//!            \' is ', \ before anything unknown is a \         bad_escape
//!            half of a surrogate pair is U+FFFD                lone_surrogate
//! number  := as in JSON, in the range of f64
//! word    := true | false | null | True | False | None         the last three: python_literal
//! trivia  := ws | "//" to the line end | "/*" to "*/"          comment
//! closer  := "}" | "]", one, behind an object or a list        extra_closer
//! ```
//!
//! The whole text may also be one JSON string (in double quotes) whose content is such a `text`
//! with an object in it (`double_encoded`); never a member, and never twice.
//!
//! # What is not
//!
//! Whatever would be a guess: missing commas, missing closers, quotes inside a string,
//! typographic quotes, bare words as values, `NaN`, `Infinity`, `undefined`, hex numbers, `+1`,
//! `.5`, numbers beyond `f64`, `#` comments, text around the object, one of several objects. What
//! is open stays open: `rm -rf ./build` may be the beginning of `rm -rf ./build-old`. A *valid*
//! escape in a Windows path (`C:\new`) cannot be told from a line break and stays one.
//!
//! The first thing in the text that is wrong decides on the kind of the error. Strict reading and
//! lenient reading are one pass each; time and space are linear in the text.
//!
//! ```
//! use toolstream::repair::{Repair, Repairs, arguments};
//!
//! let read = arguments(r"{path: 'C:\Projects', deep: True,}", Repairs::Default).unwrap();
//! assert_eq!(read.object["path"], r"C:\Projects");
//! assert_eq!(read.object["deep"], true);
//! assert_eq!(
//!     read.repairs,
//!     [
//!         Repair::TrailingComma,
//!         Repair::Quotes,
//!         Repair::UnquotedKey,
//!         Repair::PythonLiteral,
//!         Repair::BadEscape,
//!     ],
//! );
//! ```

use serde_json::{Map, Value};
use thiserror::Error;

use crate::json::grammar::{self, Grammar};
use crate::json::lexer::Token;
use crate::json::unescape::Unescape;
use crate::white::is_white;

/// One way in which the text was not JSON, and was read all the same.
///
/// ```
/// use toolstream::repair::Repair;
///
/// assert_eq!(Repair::TrailingComma.as_str(), "trailing_comma");
/// assert!(Repair::Bom < Repair::ExtraCloser); // the order of the reports
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Repair {
    /// A byte order mark in front.
    Bom,
    /// A Markdown code fence around it; the closing line may be missing.
    Fence,
    /// The whole text is a JSON string that holds the object.
    DoubleEncoded,
    /// `// …` or `/* … */` between tokens.
    Comment,
    /// One comma before `}` or `]`.
    TrailingComma,
    /// A string in single quotes, in back-ticks or in three double quotes.
    Quotes,
    /// A key that is an identifier.
    UnquotedKey,
    /// `True`, `False` or `None`.
    PythonLiteral,
    /// A line break, a tab or another control character inside a string; it is kept.
    RawControl,
    /// `\'`, or an escape that JSON does not know and that keeps its backslash.
    BadEscape,
    /// Half of a surrogate pair, which became U+FFFD.
    LoneSurrogate,
    /// One `}` or `]` too many at the very end.
    ExtraCloser,
}

impl Repair {
    /// In the order of the reports.
    const ALL: [Repair; 12] = [
        Repair::Bom,
        Repair::Fence,
        Repair::DoubleEncoded,
        Repair::Comment,
        Repair::TrailingComma,
        Repair::Quotes,
        Repair::UnquotedKey,
        Repair::PythonLiteral,
        Repair::RawControl,
        Repair::BadEscape,
        Repair::LoneSurrogate,
        Repair::ExtraCloser,
    ];

    /// The name in reports and vectors.
    ///
    /// ```
    /// assert_eq!(toolstream::repair::Repair::DoubleEncoded.as_str(), "double_encoded");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Repair::Bom => "bom",
            Repair::Fence => "fence",
            Repair::DoubleEncoded => "double_encoded",
            Repair::Comment => "comment",
            Repair::TrailingComma => "trailing_comma",
            Repair::Quotes => "quotes",
            Repair::UnquotedKey => "unquoted_key",
            Repair::PythonLiteral => "python_literal",
            Repair::RawControl => "raw_control",
            Repair::BadEscape => "bad_escape",
            Repair::LoneSurrogate => "lone_surrogate",
            Repair::ExtraCloser => "extra_closer",
        }
    }
}

/// Which repairs are allowed.
///
/// ```
/// use toolstream::repair::{ArgumentsErrorKind, Repairs, arguments};
///
/// assert!(arguments("{'a': 1}", Repairs::Default).is_ok());
/// let error = arguments("{'a': 1}", Repairs::None).unwrap_err();
/// assert_eq!(error.kind, ArgumentsErrorKind::Malformed);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repairs {
    /// All of them.
    #[default]
    Default,
    /// None: what needs a repair is [`Malformed`](ArgumentsErrorKind::Malformed).
    None,
}

/// Arguments that were read.
///
/// ```
/// use toolstream::repair::{Arguments, Repairs, arguments};
///
/// let Arguments { object, repairs } = arguments(r#"{"n": 3}"#, Repairs::Default).unwrap();
/// assert_eq!(object["n"], 3);
/// assert!(repairs.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The object.
    pub object: Map<String, Value>,
    /// The repairs that were needed, each once, in the order of [`Repair`]. Empty for JSON.
    pub repairs: Vec<Repair>,
}

/// Why arguments cannot be read. The caller keeps the raw text; it never becomes `{}`.
///
/// ```
/// use toolstream::repair::{ArgumentsErrorKind, Repairs, arguments};
///
/// let error = arguments(r#"{"path": "a.rs", "line": 12"#, Repairs::Default).unwrap_err();
/// assert_eq!(error.kind, ArgumentsErrorKind::Truncated);
/// assert_eq!(error.closed["path"], "a.rs");
/// assert!(!error.closed.contains_key("line")); // 12 may be the beginning of 120
/// assert!(error.to_string().contains("cut off"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct ArgumentsError {
    /// What is wrong.
    pub kind: ArgumentsErrorKind,
    /// Of [`Truncated`](ArgumentsErrorKind::Truncated) text the top-level members that are
    /// certainly whole: strings and containers that were closed, words and numbers with a
    /// delimiter behind them. A key that has begun again is not among them. Empty for the other
    /// kinds.
    pub closed: Map<String, Value>,
}

/// The kinds of an [`ArgumentsError`]. The first thing that is wrong in the text decides.
///
/// ```
/// use toolstream::repair::{ArgumentsErrorKind, Repairs, arguments};
///
/// let kind = |text| arguments(text, Repairs::Default).unwrap_err().kind;
/// assert_eq!(kind(" \n"), ArgumentsErrorKind::Empty);
/// assert_eq!(kind("{\"a\": ["), ArgumentsErrorKind::Truncated);
/// assert_eq!(kind("[1, 2]"), ArgumentsErrorKind::NotAnObject);
/// assert_eq!(kind("{\"a\": 1 \"b\": 2}"), ArgumentsErrorKind::Malformed);
///
/// let deep = "{\"a\":".repeat(129);
/// assert_eq!(arguments(&deep, Repairs::Default).unwrap_err().kind, ArgumentsErrorKind::TooDeep);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum ArgumentsErrorKind {
    /// Nothing but white space. Only the caller knows whether that means `{}`.
    #[error("the arguments are empty: write a JSON object, `{{}}` if there is nothing to say")]
    Empty,
    /// The text ends inside the value.
    #[error("the arguments are cut off: the text ends before the JSON object does")]
    Truncated,
    /// A list, text, a number, a boolean or null.
    #[error("the arguments are no JSON object: a list, text, a number, a boolean or null")]
    NotAnObject,
    /// More than 128 levels of objects and lists.
    #[error("the arguments are nested too deep: more than {MAX_DEPTH} levels")]
    TooDeep,
    /// Everything else.
    #[error("the arguments are not valid JSON, and no repair that is allowed makes them so")]
    Malformed,
}

impl ArgumentsErrorKind {
    /// The name in reports and vectors.
    ///
    /// ```
    /// use toolstream::repair::ArgumentsErrorKind;
    ///
    /// assert_eq!(ArgumentsErrorKind::NotAnObject.as_str(), "not_an_object");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            ArgumentsErrorKind::Empty => "empty",
            ArgumentsErrorKind::Truncated => "truncated",
            ArgumentsErrorKind::NotAnObject => "not_an_object",
            ArgumentsErrorKind::TooDeep => "too_deep",
            ArgumentsErrorKind::Malformed => "malformed",
        }
    }
}

/// Reads the arguments of a call: one JSON object, strictly if it can be, else with the repairs
/// that are allowed.
///
/// At most 128 levels, the object itself counted. (`serde_json` on its own stops at 127: an
/// object with 128 levels cannot be read back by it without lifting its limit.)
///
/// ```
/// use toolstream::repair::{Repair, Repairs, arguments};
///
/// let read = arguments(r#"{"city": "Oslo"}"#, Repairs::Default).unwrap();
/// assert_eq!(read.object["city"], "Oslo");
/// assert!(read.repairs.is_empty());
///
/// let read = arguments("```json\n{\"city\": \"Oslo\"}\n```", Repairs::Default).unwrap();
/// assert_eq!(read.object["city"], "Oslo");
/// assert_eq!(read.repairs, [Repair::Fence]);
/// ```
///
/// # Errors
///
/// What neither is JSON nor can be repaired, and what is no object: see [`ArgumentsErrorKind`].
pub fn arguments(text: &str, repairs: Repairs) -> Result<Arguments, ArgumentsError> {
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        return Ok(Arguments { object, repairs: Vec::new() });
    }
    let mut reader = Reader::new(text, repairs);
    match reader.arguments() {
        Ok(object) => Ok(Arguments { object, repairs: reader.found() }),
        Err(kind @ ArgumentsErrorKind::Truncated) => {
            Err(ArgumentsError { kind, closed: reader.closed() })
        }
        Err(kind) => Err(ArgumentsError { kind, closed: Map::new() }),
    }
}

/// Reads one JSON value of any kind by the same rules; a string stays a string, whatever it holds.
pub(crate) fn value(
    text: &str,
    repairs: Repairs,
) -> Result<(Value, Vec<Repair>), ArgumentsErrorKind> {
    if let Ok(value) = serde_json::from_str(text) {
        return Ok((value, Vec::new()));
    }
    let mut reader = Reader::new(text, repairs);
    let value = reader.document()?;
    Ok((value, reader.found()))
}

/// Levels of objects and lists, the outermost counted.
pub(crate) const MAX_DEPTH: usize = 128;

type Read<T> = Result<T, ArgumentsErrorKind>;

/// The lenient reader: builds the value from the tokens of the [`Grammar`]. Strict text passes
/// through it without a repair, and with [`Repairs::None`] nothing else does.
struct Reader<'a> {
    text: &'a str,
    /// The next byte; always the first one of a character.
    at: usize,
    allowed: Repairs,
    grammar: Grammar,
    /// A string that is the whole text may hold the value.
    unwraps: bool,
    /// What the fence around the value is made of, if it has one.
    fence: Option<char>,
    /// The objects and lists that are open; of an object also the key whose value did not end.
    open: Vec<(Value, Option<String>)>,
    /// The string that is being read, and its quote.
    string: String,
    quote: u8,
    unescape: Unescape,
    /// The value, once it is whole.
    value: Option<Value>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, allowed: Repairs) -> Self {
        Reader {
            text,
            at: 0,
            allowed,
            grammar: Grammar::default(),
            unwraps: false,
            fence: None,
            open: Vec::new(),
            string: String::new(),
            quote: 0,
            unescape: Unescape::default(),
            value: None,
        }
    }

    // The text.

    /// The whole text, as any value.
    fn document(&mut self) -> Read<Value> {
        self.prologue()?;
        while self.at < self.text.len() {
            if self.at_fence() {
                self.closing_fence()?;
                break;
            }
            let (read, token) = self.grammar.next(self.rest())?;
            self.at += read;
            self.build(token);
            self.check_repairs()?;
        }
        if let Some(token) = self.grammar.end()? {
            self.build(token);
            self.check_repairs()?;
        }
        self.value.take().ok_or(ArgumentsErrorKind::Truncated)
    }

    /// The whole text, as an object or as a JSON string that holds one.
    fn arguments(&mut self) -> Read<Map<String, Value>> {
        self.unwraps = true;
        match self.document()? {
            Value::Object(object) => Ok(object),
            _ => Err(ArgumentsErrorKind::NotAnObject),
        }
    }

    /// The object in the string that is the whole text, if it holds one.
    fn unwrapped(&mut self, value: Value) -> Value {
        let quotes = 1 << Repair::Quotes as u16;
        let Value::String(content) = &value else { return value };
        if !self.unwraps || self.grammar.repairs() & quotes != 0 {
            return value;
        }
        let mut inner = Reader::new(content, Repairs::Default);
        let Ok(object @ Value::Object(_)) = inner.document() else { return value };
        self.grammar.holds_object();
        inner.found().into_iter().for_each(|repair| self.grammar.note(repair));
        object
    }

    /// What may stand before the value, but for comments.
    fn prologue(&mut self) -> Read<()> {
        if self.rest().starts_with('\u{feff}') {
            self.grammar.note(Repair::Bom);
            self.at += '\u{feff}'.len_utf8();
        }
        self.skip(is_white);
        self.check_repairs()?;
        if self.rest().is_empty() {
            return Err(ArgumentsErrorKind::Empty);
        }
        self.fence = ['`', '~'].into_iter().find(|sign| self.count(*sign) >= FENCE);
        let Some(sign) = self.fence else { return Ok(()) };
        self.grammar.note(Repair::Fence);
        // The value may begin in the fence's own line, so of the info string only a word is read.
        self.skip(|c| c == sign);
        self.skip(|c| c == ' ' || c == '\t');
        if self.rest().starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.skip(|c| c.is_ascii_alphanumeric() || "_-+.".contains(c));
        }
        self.check_repairs()
    }

    /// Before the closing line of the fence, which may itself be cut short.
    fn at_fence(&self) -> bool {
        let Some((sign, over)) = self.fence.zip(self.grammar.is_outside()) else { return false };
        self.count(sign) >= if over { 1 } else { FENCE }
    }

    /// A fence around nothing is none: its closing line is no string in back-ticks.
    fn closing_fence(&mut self) -> Read<()> {
        let sign = self.fence;
        self.skip(|c| Some(c) == sign);
        self.skip(is_white);
        match self.value.is_some() && self.rest().is_empty() {
            true => Ok(()),
            false => Err(ArgumentsErrorKind::Malformed),
        }
    }

    // The value.

    fn build(&mut self, token: Token<'_>) {
        let is_key = self.grammar.is_key();
        let value = match token {
            Token::Open(b'{') => return self.open.push((Value::Object(Map::new()), None)),
            Token::Open(_) => return self.open.push((Value::Array(Vec::new()), None)),
            Token::StringStart(quote) => {
                (self.quote, self.unescape) = (quote, Unescape::default());
                return;
            }
            Token::Text(text) => {
                self.grammar.note_if(text.bytes().any(|byte| byte < b' '), Repair::RawControl);
                self.unescape.read(text, self.quote, &mut |piece| self.string.push_str(piece));
                return self.note_escapes();
            }
            Token::StringEnd => {
                self.unescape.end(&mut |piece| self.string.push_str(piece));
                self.note_escapes();
                Value::String(std::mem::take(&mut self.string))
            }
            Token::WordEnd if is_key => self.grammar.word().into(),
            Token::WordEnd => grammar::scalar(self.grammar.word()).unwrap_or_default(),
            Token::Close(_) => match self.open.pop() {
                Some((value, _)) => value,
                None => return,
            },
            _ => return,
        };
        match (self.open.last_mut(), value) {
            (Some((_, key)), Value::String(text)) if is_key => *key = Some(text),
            (Some((Value::Object(members), key)), value) => {
                members.insert(key.take().unwrap_or_default(), value);
            }
            (Some((Value::Array(items), _)), value) => items.push(value),
            (_, value) => self.value = Some(self.unwrapped(value)),
        }
    }

    fn note_escapes(&mut self) {
        self.grammar.note_if(self.unescape.bad_escape, Repair::BadEscape);
        self.grammar.note_if(self.unescape.lone_surrogate, Repair::LoneSurrogate);
    }

    /// The members of the outermost object when its end did not come. The last one of a name wins,
    /// also if it has only begun: what an earlier one said is void.
    fn closed(mut self) -> Map<String, Value> {
        if self.allowed == Repairs::None && self.grammar.at_empty_string() {
            self.build(Token::StringEnd);
        }
        let open = self.open.into_iter().next();
        match open.or(self.value.map(|value| (value, None))) {
            Some((Value::Object(mut members), begun)) => {
                begun.map(|key| members.remove(&key));
                members
            }
            _ => Map::new(),
        }
    }

    // The cursor.

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        self.at = self.text.len() - self.rest().trim_start_matches(skipped).len();
    }

    /// How often `sign` stands here.
    fn count(&self, sign: char) -> usize {
        self.rest().chars().take_while(|c| *c == sign).count()
    }

    // The repairs.

    fn check_repairs(&self) -> Read<()> {
        match self.allowed == Repairs::None && self.grammar.repairs() != 0 {
            true => Err(ArgumentsErrorKind::Malformed),
            false => Ok(()),
        }
    }

    fn found(&self) -> Vec<Repair> {
        let needed = self.grammar.repairs();
        Repair::ALL.into_iter().filter(|repair| needed & (1 << *repair as u16) != 0).collect()
    }
}

/// How many characters at least make a code fence.
const FENCE: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_of_any_kind() {
        let read = |text| value(text, Repairs::Default).unwrap();
        assert_eq!(read("[1, \"a\"]"), (json!([1, "a"]), vec![]));
        assert_eq!(read("['a',]"), (json!(["a"]), vec![Repair::TrailingComma, Repair::Quotes]));
        assert_eq!(
            read("{a: 1}}"),
            (json!({"a": 1}), vec![Repair::UnquotedKey, Repair::ExtraCloser])
        );
        assert_eq!(read("None"), (json!(null), vec![Repair::PythonLiteral]));
        assert_eq!(read("```\n[1]\n```"), (json!([1]), vec![Repair::Fence]));
        assert_eq!(read(" -0.5 "), (json!(-0.5), vec![]));
    }

    #[test]
    fn a_string_stays_a_string() {
        assert_eq!(value("\"{}\"", Repairs::Default), Ok((json!("{}"), vec![])));
        assert_eq!(value("'{}'", Repairs::Default), Ok((json!("{}"), vec![Repair::Quotes])));
    }

    #[test]
    fn no_value() {
        let kind = |text| value(text, Repairs::Default).unwrap_err();
        assert_eq!(kind(""), ArgumentsErrorKind::Empty);
        assert_eq!(kind("[1, 2"), ArgumentsErrorKind::Truncated);
        assert_eq!(kind("[1] [2]"), ArgumentsErrorKind::Malformed);
        assert_eq!(kind(&"[".repeat(129)), ArgumentsErrorKind::TooDeep);
        assert_eq!(value("[1,]", Repairs::None), Err(ArgumentsErrorKind::Malformed));
    }

    /// The lenient reader alone, on strict text: it must not depend on the strict one.
    #[test]
    fn strict_text_needs_no_repair() {
        for text in
            ["{}", "[]", "\"\"", "0", "-0", "1.5E+3", "{\"\":[{\"a\":\"\\u00e9\\/\"},\"\",null]}"]
        {
            let mut reader = Reader::new(text, Repairs::None);
            assert_eq!(reader.document(), Ok(serde_json::from_str(text).unwrap()), "{text}");
        }
    }
}
