//! Bounds of the bytes that the parser holds. They are constants, not options: a model that needs more is broken, and
//! a bound that differs by program would make results differ.
//!
//! ```
//! use toolstream::options::bounds;
//!
//! assert_eq!((bounds::NAME, bounds::HELD, bounds::ARGUMENTS), (128, 2000, 65_536));
//! ```

/// Longest tool or parameter name, in bytes.
pub const NAME: usize = 128;
/// Longest tag from `<` to `>`, in bytes.
pub(crate) const TAG: usize = 512;
/// Most nested levels of a value: objects and lists, elements. The outermost counts.
pub(crate) const DEPTH: usize = 128;
/// Longest run of white space after a marker, in bytes.
pub(crate) const WHITE_SPACE: usize = 256;
/// Longest keyword line that waits for the next line, in bytes.
pub(crate) const LINE: usize = 256;
/// Longest header of a message, in bytes.
pub(crate) const HEADER: usize = 1024;
/// Longest text of the one undeclared element that may stand after a raw value, in bytes.
pub(crate) const WORDS: usize = 256;
/// Most bytes of a pending marker and of the text that confirms it.
pub const HELD: usize = 2000;
/// Most bytes of arguments that are held because the call's name comes after them.
pub const ARGUMENTS: usize = 64 * 1024;
/// Most bytes of white space at a text's end that are held because a call may follow, and of markup behind it.
pub(crate) const CALL_TEXT: usize = 512;
/// Longest search/replace line that is delivered whole, in bytes.
pub(crate) const DIFF_LINE: usize = 32;
