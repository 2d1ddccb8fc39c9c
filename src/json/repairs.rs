//! Names of the repairs, and the reasons for which a text can be neither read nor repaired.

use std::fmt;

use thiserror::Error;

use crate::options::bounds;

/// A repair: the text was not JSON, but could be read.
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
    /// A Markdown code fence around the text; the closing line may be missing.
    Fence,
    /// The whole text is a JSON string that holds the object.
    DoubleEncoded,
    /// `// …` or `/* … */` between tokens.
    Comment,
    /// A comma before `}` or `]`.
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
    /// A surplus `}` or `]` at the very end.
    ExtraCloser,
}

impl Repair {
    /// All repairs, in the order of the reports.
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

/// The repairs that are allowed.
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
    /// All repairs.
    #[default]
    Default,
    /// No repair: a text that needs one is [`Malformed`](ArgumentsErrorKind::Malformed).
    None,
}

/// The kinds of an [`ArgumentsError`](super::repair::ArgumentsError). The first mistake in the text decides.
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
    /// The text is only white space. Only the caller knows whether that means `{}`.
    #[error("the arguments are empty: write a JSON object, `{{}}` if there is nothing to say")]
    Empty,
    /// The text ends inside the value.
    #[error("the arguments are cut off: the text ends before the JSON object does")]
    Truncated,
    /// The value is a list, text, a number, a boolean or null.
    #[error("the arguments are no JSON object: a list, text, a number, a boolean or null")]
    NotAnObject,
    /// The value has more than 128 levels of objects and lists.
    #[error("the arguments are nested too deep: more than {} levels", bounds::DEPTH)]
    TooDeep,
    /// Any other mistake.
    #[error("the arguments are not valid JSON, and no repair that is allowed makes them so")]
    Malformed,
}

impl ArgumentsErrorKind {
    /// Returns the name in vectors and in the text of a hook for the model.
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
