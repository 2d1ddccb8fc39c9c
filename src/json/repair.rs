//! Tool arguments: strict JSON, then named repairs, then an error. Never a guess.
//!
//! # What is accepted
//!
//! First, strictly: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259), at most 128 levels of objects and
//! lists. Such text is taken as it is. Integers are exact over `i64` and `u64`, other numbers are `f64`, and
//! of a repeated key the last one wins. Otherwise leniently. The names on the right are the [`Repair`]s of a
//! line; `trivia` may stand between any two tokens:
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
//! # What is not accepted
//!
//! Anything that would be a guess: missing commas, missing closers, quotes inside a string, typographic
//! quotes, bare words as values, `NaN`, `Infinity`, `undefined`, hex numbers, `+1`, `.5`, numbers beyond
//! `f64`, `#` comments, text around the object, one of several objects. An open value stays open: `rm -rf
//! ./build` may be the beginning of `rm -rf ./build-old`. A *valid* escape in a Windows path (`C:
//! ew`) cannot be told from a line break and stays one.
//!
//! The first mistake in the text decides the kind of the error. Strict reading and lenient reading are one
//! pass each; time and space are linear in the text.
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

pub use super::repairs::{ArgumentsErrorKind, Repair, Repairs};
use crate::json::document::Document;
use crate::json::grammar;
use crate::json::tree::Tree;

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

/// Error of arguments that cannot be read. The caller keeps the raw text; it never becomes `{}`.
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
    /// The kind of the mistake.
    pub kind: ArgumentsErrorKind,
    /// The top-level members of a [`Truncated`](ArgumentsErrorKind::Truncated) text that are certainly whole: strings
    /// and containers that were closed, words and numbers with a delimiter after them. A key that has begun again is
    /// not among them. Empty for the other kinds.
    pub closed: Map<String, Value>,
    /// The byte of the text at which reading stopped.
    pub at: usize,
}

/// Reads the arguments of a call: one JSON object, strictly if possible, else with the allowed repairs.
///
/// At most 128 levels, the object itself counted. (`serde_json` alone stops at 127: an object with 128 levels cannot
/// be read back by it without lifting its limit.)
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
/// For text that is neither JSON nor can be repaired, and for a value that is not an object: see
/// [`ArgumentsErrorKind`].
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

/// Reads one JSON value of any kind in the same way. A string stays a string.
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
        for closed_by_another in ["{]", "[}", "[1}", "{\"a\": 1]", "[{]", "[[}"] {
            assert_eq!(kind(closed_by_another), ArgumentsErrorKind::Malformed);
        }
        // More text may follow the first two, but not the third.
        assert_eq!(kind("tru"), ArgumentsErrorKind::Truncated);
        assert_eq!(kind("1e"), ArgumentsErrorKind::Truncated);
        assert_eq!(kind("xyz"), ArgumentsErrorKind::Malformed);
        assert_eq!(kind(&"[".repeat(129)), ArgumentsErrorKind::TooDeep);
        assert_eq!(value("[1,]", Repairs::None), Err(ArgumentsErrorKind::Malformed));
    }

    /// The lenient reader alone, on strict text: it must not need the strict one.
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
