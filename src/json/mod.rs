//! The lenient JSON of language models, read in one place.
//! * [`lexer`] cuts text into tokens, over any cut of the stream, by a [`syntax`]; [`unescape`] decodes strings. The
//!   machine reads bodies of calls only with these, because it may refuse nothing.
//! * [`grammar`] decides which token may stand where, and which text is not JSON; [`repair`] and `JsonToParams` read
//!   by it.
//! * [`tree`] is the resulting value, also while it comes.
//! * [`literal`] reads literals of other kinds, [`bare`] finds the ends of literals without quotes, and
//!   [`elements`] reads elements that nest.
//! * [`coerce`] reads the values of tag parameters by their schema; [`members`] takes members out of objects.

pub(crate) mod bare;
#[cfg(feature = "json")]
pub(crate) mod coerce;
#[cfg(feature = "json")]
pub(crate) mod document;
#[cfg(feature = "json")]
pub(crate) mod elements;
#[cfg(any(feature = "check", feature = "policy"))]
pub(crate) mod equal;
#[cfg(feature = "json")]
#[cfg(feature = "json")]
pub(crate) mod fit;
#[cfg(feature = "json")]
pub(crate) mod grammar;
pub(crate) mod lexer;
#[cfg(feature = "json")]
pub(crate) mod literal;
#[cfg(feature = "json")]
pub(crate) mod members;
#[cfg(feature = "json")]
pub mod repair;
#[cfg(feature = "json")]
pub(crate) mod repairs;
pub(crate) mod syntax;
#[cfg(feature = "json")]
pub(crate) mod tree;
pub(crate) mod unescape;
pub(crate) mod white;

/// Whether an unquoted key may begin with this character.
pub(crate) fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

/// Whether an unquoted key may continue with this character.
pub(crate) fn continues_name(c: char) -> bool {
    begins_name(c) || c.is_ascii_digit() || c == '-'
}
