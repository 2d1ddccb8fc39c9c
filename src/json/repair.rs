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
//! text    := BOM? ws fence? value closer? character* ws             bom
//! fence   := three or more ` or ~, then a word or nothing      fence; the same closes it again
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
//! closer  := "}" | "]", one, after an object or a list        extra_closer
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

use std::fmt;

use serde_json::{Map, Value};
use thiserror::Error;

pub use super::find::{FindError, find_object, partial};
use crate::json::document::Document;
use crate::json::grammar;
use crate::json::tree::Tree;
use crate::options::bounds;

/// One way in which the text was not JSON, and was read all the same.
///
/// ```
/// use toolstream::repair::Repair;
///
/// assert_eq!(Repair::TrailingComma.to_string(), "trailing_comma");
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
    pub(crate) const ALL: [Repair; 12] = [
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

    fn as_str(self) -> &'static str {
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

/// The name in reports and vectors.
impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
#[non_exhaustive]
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
#[non_exhaustive]
pub struct ArgumentsError {
    /// What is wrong.
    pub kind: ArgumentsErrorKind,
    /// Of [`Truncated`](ArgumentsErrorKind::Truncated) text the top-level members that are
    /// certainly whole: strings and containers that were closed, words and numbers with a
    /// delimiter after them. A key that has begun again is not among them. Empty for the other
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
    /// The name in vectors and in what a hook tells the model.
    #[cfg(any(feature = "check", feature = "policy"))]
    pub(crate) fn as_str(self) -> &'static str {
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
    if let Some(Value::Object(object)) = grammar::strict(text) {
        return Ok(Arguments { object, repairs: Vec::new() });
    }
    let (mut document, mut tree) = (Document::arguments(repairs), Tree::default());
    let kind = match read(&mut document, text, &mut tree) {
        Ok(()) => match tree.take_value() {
            Some(Value::Object(object)) => {
                return Ok(Arguments { object, repairs: document.repairs().collect() });
            }
            _ => {
                let (kind, closed) = (ArgumentsErrorKind::NotAnObject, Map::new());
                return Err(ArgumentsError { kind, closed, at: document.position() });
            }
        },
        Err(kind) => kind,
    };
    let truncated = kind == ArgumentsErrorKind::Truncated && !document.is_in_string();
    if truncated && repairs == Repairs::None {
        document.end_empty_string(&mut |part| tree.part(part));
    }
    let closed = if truncated { tree.closed() } else { Map::new() };
    Err(ArgumentsError { kind, closed, at: document.position() })
}

/// Reads one JSON value of any kind by the same rules; a string stays a string, whatever it holds.
pub(crate) fn value(
    text: &str,
    repairs: Repairs,
) -> Result<(Value, Vec<Repair>), ArgumentsErrorKind> {
    if let Some(value) = grammar::strict(text) {
        return Ok((value, Vec::new()));
    }
    let (mut document, mut tree) = (Document::value(repairs), Tree::default());
    read(&mut document, text, &mut tree)?;
    Ok((tree.take_value().unwrap_or_default(), document.repairs().collect()))
}

/// Levels of objects and lists, the outermost counted.
pub(crate) const MAX_DEPTH: usize = bounds::DEPTH;

/// Reads the whole text.
fn read(document: &mut Document, text: &str, tree: &mut Tree) -> Result<(), ArgumentsErrorKind> {
    document.read(text, &mut |part| tree.part(part))?;
    document.end(&mut |part| tree.part(part))
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
            let (mut document, mut tree) = (Document::value(Repairs::None), Tree::default());
            assert_eq!(read(&mut document, text, &mut tree), Ok(()), "{text}");
            assert_eq!(tree.take_value(), Some(serde_json::from_str(text).unwrap()), "{text}");
        }
    }
}
