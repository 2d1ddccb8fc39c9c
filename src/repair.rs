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

use serde_json::{Map, Number, Value};
use thiserror::Error;

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
    /// The byte of the text at which it could not be read on.
    pub at: usize,
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
            Err(ArgumentsError { kind, closed: reader.closed, at: reader.at })
        }
        Err(kind) => Err(ArgumentsError { kind, closed: Map::new(), at: reader.at }),
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

/// Levels of objects and lists, the outermost counted. Also bounds the recursion of [`Reader`].
pub(crate) const MAX_DEPTH: usize = 128;

type Read<T> = Result<T, ArgumentsErrorKind>;

/// The lenient reader: recursive descent, a function for each line of the grammar. Strict text
/// passes through it without a repair, and with [`Repairs::None`] nothing else does.
struct Reader<'a> {
    text: &'a str,
    /// The next byte; always the first one of a character.
    at: usize,
    depth: usize,
    allowed: Repairs,
    /// A bit for each repair that was needed.
    needed: u16,
    /// The members of the outermost object when its end did not come.
    closed: Map<String, Value>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, allowed: Repairs) -> Self {
        Reader { text, at: 0, depth: 0, allowed, needed: 0, closed: Map::new() }
    }

    // The text.

    /// The whole text, as any value.
    fn document(&mut self) -> Read<Value> {
        let fence = self.prologue()?;
        let value = self.value()?;
        self.epilogue(fence, &value)?;
        Ok(value)
    }

    /// The whole text, as an object or as a JSON string that holds one.
    fn arguments(&mut self) -> Read<Map<String, Value>> {
        let fence = self.prologue()?;
        let json_string = self.rest().starts_with('"') && !self.rest().starts_with(TRIPLE);
        let value = match self.value()? {
            Value::String(content) if json_string => self.double_encoded(content)?,
            value => value,
        };
        match (self.epilogue(fence, &value), value) {
            (Ok(()), Value::Object(object)) => Ok(object),
            (Ok(()), _) => Err(ArgumentsErrorKind::NotAnObject),
            (Err(kind), Value::Object(object)) => {
                self.closed = object;
                Err(kind)
            }
            (Err(kind), _) => Err(kind),
        }
    }

    /// The object in a string, if it holds one, else the string.
    fn double_encoded(&mut self, content: String) -> Read<Value> {
        let mut inner = Reader::new(&content, Repairs::Default);
        if let Ok(value @ Value::Object(_)) = inner.document() {
            self.repair(Repair::DoubleEncoded)?;
            self.needed |= inner.needed;
            return Ok(value);
        }
        Ok(Value::String(content))
    }

    /// What may stand before the value. Returns the sign of the fence, if there is one.
    fn prologue(&mut self) -> Read<Option<char>> {
        if self.rest().starts_with('\u{feff}') {
            self.repair(Repair::Bom)?;
            self.at += '\u{feff}'.len_utf8();
        }
        self.skip(is_white);
        if self.at_end() {
            return Err(ArgumentsErrorKind::Empty);
        }
        let fence = self.fence()?;
        self.trivia()?;
        // A fence around nothing: its closing line is no string in back-ticks.
        if fence.is_some_and(|sign| self.count(sign) >= FENCE) {
            return Err(ArgumentsErrorKind::Malformed);
        }
        Ok(fence)
    }

    /// The value may begin in the fence's own line, so of the info string only a word is read.
    fn fence(&mut self) -> Read<Option<char>> {
        let Some(sign) = ['`', '~'].into_iter().find(|sign| self.count(*sign) >= FENCE) else {
            return Ok(None);
        };
        self.repair(Repair::Fence)?;
        self.skip(|c| c == sign);
        self.skip(|c| c == ' ' || c == '\t');
        if self.rest().starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.skip(|c| c.is_ascii_alphanumeric() || "_-+.".contains(c));
        }
        Ok(Some(sign))
    }

    /// What may stand behind the value. A closing fence may itself be cut short.
    fn epilogue(&mut self, fence: Option<char>, value: &Value) -> Read<()> {
        self.trivia()?;
        let container = value.is_object() || value.is_array();
        if container && self.rest().starts_with(['}', ']']) {
            self.repair(Repair::ExtraCloser)?;
            self.at += 1;
            self.trivia()?;
        }
        if let Some(sign) = fence {
            self.skip(|c| c == sign);
            self.skip(is_white);
        }
        if self.at_end() { Ok(()) } else { Err(ArgumentsErrorKind::Malformed) }
    }

    // Values.

    fn value(&mut self) -> Read<Value> {
        match self.peek()? {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' | b'\'' | b'`' => self.string().map(Value::String),
            b'-' | b'0'..=b'9' => self.number().map(Value::Number),
            _ => self.word(),
        }
    }

    fn object(&mut self) -> Read<Value> {
        self.enter()?;
        let mut members = Map::new();
        let read = self.members(&mut members);
        self.depth -= 1;
        match read {
            Ok(()) => Ok(Value::Object(members)),
            Err(kind) => {
                if self.depth == 0 {
                    self.closed = members;
                }
                Err(kind)
            }
        }
    }

    fn members(&mut self, members: &mut Map<String, Value>) -> Read<()> {
        while self.another(b'}', members.is_empty())? {
            let key = self.key()?;
            match self.member() {
                Ok(value) => members.insert(key, value),
                // The last one wins, and it has begun: what an earlier one said is void.
                Err(kind) => {
                    members.remove(&key);
                    return Err(kind);
                }
            };
        }
        Ok(())
    }

    fn member(&mut self) -> Read<Value> {
        self.trivia()?;
        if self.peek()? != b':' {
            return Err(ArgumentsErrorKind::Malformed);
        }
        self.at += 1;
        self.trivia()?;
        self.value()
    }

    fn key(&mut self) -> Read<String> {
        if matches!(self.peek()?, b'"' | b'\'' | b'`') {
            return self.string();
        }
        if !self.rest().starts_with(is_name_start) {
            return Err(ArgumentsErrorKind::Malformed);
        }
        self.repair(Repair::UnquotedKey)?;
        let start = self.at;
        self.skip(|c| is_name_start(c) || c.is_ascii_digit() || c == '-');
        Ok(self.text[start..self.at].to_owned())
    }

    fn list(&mut self) -> Read<Value> {
        self.enter()?;
        let read = self.items();
        self.depth -= 1;
        read.map(Value::Array)
    }

    fn items(&mut self) -> Read<Vec<Value>> {
        let mut items = Vec::new();
        while self.another(b']', items.is_empty())? {
            items.push(self.value()?);
        }
        Ok(items)
    }

    /// Goes over the opener.
    fn enter(&mut self) -> Read<()> {
        if self.depth == MAX_DEPTH {
            return Err(ArgumentsErrorKind::TooDeep);
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Goes over what stands between two elements, to the next one (`true`) or over the closer.
    fn another(&mut self, closer: u8, first: bool) -> Read<bool> {
        self.trivia()?;
        let comma = !first && self.peek()? == b',';
        if comma {
            self.at += 1;
            self.trivia()?;
        }
        if self.peek()? == closer {
            if comma {
                self.repair(Repair::TrailingComma)?;
            }
            self.at += 1;
            return Ok(false);
        }
        if first || comma { Ok(true) } else { Err(ArgumentsErrorKind::Malformed) }
    }

    // Strings.

    fn string(&mut self) -> Read<String> {
        let quote = self.quote()?;
        let sign = quote.as_bytes()[0];
        let mut out = String::new();
        loop {
            let plain = self.rest().bytes().position(|b| b == sign || b == b'\\' || b < b' ');
            let plain = plain.ok_or(ArgumentsErrorKind::Truncated)?;
            out.push_str(&self.rest()[..plain]);
            self.at += plain;
            match self.peek()? {
                b'\\' => self.escape(sign, &mut out)?,
                b if b == sign && self.rest().starts_with(quote) => {
                    self.at += quote.len();
                    return Ok(out);
                }
                // A control character, or less than the three quotes that would close.
                b => {
                    if b != sign {
                        self.repair(Repair::RawControl)?;
                    }
                    out.push(char::from(b));
                    self.at += 1;
                }
            }
        }
    }

    /// Goes over the opening quote.
    fn quote(&mut self) -> Read<&'static str> {
        let quote = match self.peek()? {
            b'\'' => "'",
            b'`' => "`",
            _ if self.rest().starts_with(TRIPLE) => TRIPLE,
            // At the cut this is an empty string or two of three quotes.
            _ if self.depth > 0 && self.allowed == Repairs::Default && self.rest() == "\"\"" => {
                return Err(ArgumentsErrorKind::Truncated);
            }
            _ => "\"",
        };
        if quote != "\"" {
            self.repair(Repair::Quotes)?;
        }
        self.at += quote.len();
        Ok(quote)
    }

    fn escape(&mut self, sign: u8, out: &mut String) -> Read<()> {
        self.at += 1;
        let escaped = match self.peek()? {
            b'u' => return self.unicode_escape(out),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b @ (b'"' | b'\\' | b'/') => char::from(b),
            b if b == sign => char::from(b),
            b'\'' => {
                self.repair(Repair::BadEscape)?;
                '\''
            }
            // Only the backslash is read here: what follows may be any character.
            _ => {
                self.repair(Repair::BadEscape)?;
                out.push('\\');
                return Ok(());
            }
        };
        out.push(escaped);
        self.at += 1;
        Ok(())
    }

    /// `\uXXXX`, or two of them for a character beyond U+FFFF.
    fn unicode_escape(&mut self, out: &mut String) -> Read<()> {
        let Some(high) = self.hex(self.at + 1)? else {
            self.repair(Repair::BadEscape)?;
            out.push('\\');
            return Ok(());
        };
        self.at += "uXXXX".len();
        let low = if (0xd800..0xdc00).contains(&high) { self.low_surrogate()? } else { None };
        if low.is_some() {
            self.at += "\\uXXXX".len();
        }
        match char::decode_utf16([high].into_iter().chain(low)).next() {
            Some(Ok(c)) => out.push(c),
            _ => {
                self.repair(Repair::LoneSurrogate)?;
                out.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Ok(())
    }

    /// The second half of a pair, if it comes next. It is not gone over.
    fn low_surrogate(&self) -> Read<Option<u16>> {
        match self.rest() {
            "" | "\\" => Err(ArgumentsErrorKind::Truncated),
            rest if rest.starts_with("\\u") => {
                Ok(self.hex(self.at + 2)?.filter(|low| (0xdc00..0xe000).contains(low)))
            }
            _ => Ok(None),
        }
    }

    /// The four hex digits at `from`, if they are that. Cut off they are no bad escape, yet.
    fn hex(&self, from: usize) -> Read<Option<u16>> {
        let digits = self.text.as_bytes()[from..].iter().take(4);
        let digits = digits.take_while(|b| b.is_ascii_hexdigit()).count();
        if digits < 4 && from + digits == self.text.len() {
            return Err(ArgumentsErrorKind::Truncated);
        }
        Ok(u16::from_str_radix(&self.text[from..from + digits], 16).ok().filter(|_| digits == 4))
    }

    // Numbers and words.

    fn number(&mut self) -> Read<Number> {
        let start = self.at;
        self.at += usize::from(self.peek()? == b'-');
        if self.peek()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.rest().starts_with('.') {
            self.at += 1;
            self.digits()?;
        }
        if self.rest().starts_with(['e', 'E']) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek()?, b'+' | b'-'));
            self.digits()?;
        }
        self.delimiter()?;
        // The strict reader's own numbers, so that both agree to the last bit.
        let number = serde_json::from_str(&self.text[start..self.at]);
        number.map_err(|_| ArgumentsErrorKind::Malformed)
    }

    fn digits(&mut self) -> Read<()> {
        if !self.peek()?.is_ascii_digit() {
            return Err(ArgumentsErrorKind::Malformed);
        }
        self.skip(|c| c.is_ascii_digit());
        Ok(())
    }

    fn word(&mut self) -> Read<Value> {
        for (word, value) in WORDS {
            let whole = self.rest().starts_with(word);
            if !whole && !word.starts_with(self.rest()) {
                continue;
            }
            if word.starts_with(|c: char| c.is_ascii_uppercase()) {
                self.repair(Repair::PythonLiteral)?;
            }
            if !whole {
                return Err(ArgumentsErrorKind::Truncated);
            }
            self.at += word.len();
            self.delimiter()?;
            return Ok(value);
        }
        Err(ArgumentsErrorKind::Malformed)
    }

    /// A number or a word inside a container may go on behind the cut. What may not stand behind
    /// it is refused where the next token is read.
    fn delimiter(&self) -> Read<()> {
        if self.depth > 0 && self.at_end() {
            return Err(ArgumentsErrorKind::Truncated);
        }
        Ok(())
    }

    // What stands between tokens.

    fn trivia(&mut self) -> Read<()> {
        loop {
            self.skip(is_white);
            let rest = self.rest();
            if rest.starts_with("//") {
                self.repair(Repair::Comment)?;
                self.skip(|c| c != '\n' && c != '\r');
            } else if let Some(comment) = rest.strip_prefix("/*") {
                self.repair(Repair::Comment)?;
                let end = comment.find("*/").ok_or(ArgumentsErrorKind::Truncated)?;
                self.at += "/*".len() + end + "*/".len();
            } else if rest == "/" {
                self.repair(Repair::Comment)?;
                return Err(ArgumentsErrorKind::Truncated);
            } else {
                return Ok(());
            }
        }
    }

    // The cursor.

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// The next byte. Wherever one is asked for, the end of the text is a cut.
    fn peek(&self) -> Read<u8> {
        self.text.as_bytes().get(self.at).copied().ok_or(ArgumentsErrorKind::Truncated)
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        self.at = self.text.len() - self.rest().trim_start_matches(skipped).len();
    }

    /// How often `sign` stands here.
    fn count(&self, sign: char) -> usize {
        self.rest().chars().take_while(|c| *c == sign).count()
    }

    // The flags.

    fn repair(&mut self, repair: Repair) -> Read<()> {
        if self.allowed == Repairs::None {
            return Err(ArgumentsErrorKind::Malformed);
        }
        self.needed |= 1 << repair as u16;
        Ok(())
    }

    fn found(&self) -> Vec<Repair> {
        Repair::ALL.into_iter().filter(|repair| self.needed & (1 << *repair as u16) != 0).collect()
    }
}

/// How many signs at least make a code fence.
const FENCE: usize = 3;

const TRIPLE: &str = "\"\"\"";

/// The Python ones begin with a capital letter.
pub(crate) const WORDS: [(&str, Value); 6] = [
    ("true", Value::Bool(true)),
    ("false", Value::Bool(false)),
    ("null", Value::Null),
    ("True", Value::Bool(true)),
    ("False", Value::Bool(false)),
    ("None", Value::Null),
];

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

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
