//! [`Utf8Bytes`]: text that owns a share of the buffer it came in.

use std::fmt;
use std::ops::Deref;

use bytes::Bytes;

/// UTF-8 text in a [`Bytes`]: cheap to clone, `Send`, and a slice of the chunk that it came from.
///
/// Each look as `&str` checks the UTF-8 anew (this crate has no `unsafe`), which costs about as much as a copy would;
/// [`Utf8Bytes::into_bytes`] costs nothing.
///
/// ```
/// use bytes::Bytes;
/// use toolstream::{Dialect, Event, Parser};
///
/// let chunk = Bytes::from_static("Zoë looks.".as_bytes());
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let Some(Event::TextContent(text)) = parser.feed_shared(&chunk).next() else { panic!() };
/// assert!(text.starts_with("Zoë"));
/// assert_eq!(text.into_bytes().as_ptr(), chunk.as_ptr()); // nothing was copied
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Utf8Bytes(Bytes);

impl Utf8Bytes {
    /// Makes a share of `whole`. The caller knows that it is text there.
    pub(crate) fn share(whole: &Bytes, range: std::ops::Range<usize>) -> Self {
        Utf8Bytes(whole.slice(range))
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns the bytes, without a copy.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

/// Returns the place of `slice` in `whole`, by address.
pub(crate) fn offset_in(whole: &[u8], slice: &str) -> Option<usize> {
    let at = (slice.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (at + slice.len() <= whole.len()).then_some(at)
}

impl From<&str> for Utf8Bytes {
    fn from(text: &str) -> Self {
        Utf8Bytes(Bytes::copy_from_slice(text.as_bytes()))
    }
}

impl Deref for Utf8Bytes {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Utf8Bytes {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Utf8Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Utf8Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
