//! [`Marker`]: a marker, or the beginning of one, and the verdict on it.

use std::fmt;

/// A marker of the dialect in the text, or the beginning of one, with the reason for which it did not count.
///
/// A [`Sink`](crate::Sink) gets markers if it asks for them ([`Sink::wants_markers`](crate::Sink::wants_markers)): to
/// explain in a log, for example, why a call came out as text. A rejected marker is reported if at least four bytes
/// of it came. Markers come in the order of the text, before the event of their first byte.
///
/// Its `Display` is a sentence.
///
/// ```
/// use toolstream::{Dialect, Event, Parser, Sink, diagnostic::Marker};
///
/// #[derive(Default)]
/// struct Log(Vec<String>);
///
/// impl Sink for Log {
///     fn event(&mut self, _: Event<&str>) {}
///
///     fn wants_markers(&self) -> bool {
///         true
///     }
///
///     fn marker(&mut self, marker: &Marker<'_>) {
///         self.0.push(marker.to_string());
///     }
/// }
///
/// let mut log = Log::default();
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// // The marker is cut over two chunks.
/// for chunk in ["It writes <tool", "_call> before each call."] {
///     parser.feed_into(chunk, &mut log);
/// }
/// parser.finish_into(&mut log);
/// assert!(log.0[0].starts_with("`<tool_call>` at 10 is payload: opener of a section, but at 22 comes `b`"));
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marker<'a> {
    /// Byte offset of the marker's first byte in the stream.
    pub at: usize,
    /// The marker; of an incomplete one, the part that came.
    pub text: &'a str,
    /// The role of the marker: `opener of a call`, `closer of an argument`, …
    pub role: &'a str,
    /// The reason for which the marker does not count and is payload: text, reasoning, or part of a value. `None`: it
    /// counts.
    pub refused: Option<Refused>,
}

/// The reason for which a [`Marker`] does not count.
///
/// ```
/// use toolstream::{Dialect, Event, Parser, Sink, diagnostic::{Marker, Refused}};
///
/// struct Ends(usize);
///
/// impl Sink for Ends {
///     fn event(&mut self, _: Event<&str>) {}
///
///     fn wants_markers(&self) -> bool {
///         true
///     }
///
///     fn marker(&mut self, marker: &Marker<'_>) {
///         self.0 += usize::from(matches!(marker.refused, Some(Refused::End { .. })));
///     }
/// }
///
/// let mut ends = Ends(0);
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// parser.feed_into("Half an opener: <tool", &mut ends);
/// parser.finish_into(&mut ends);
/// assert_eq!(ends.0, 1);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The marker continues, or is followed, with a text that does not fit.
    Next {
        /// Byte offset in the stream of the character that refused it.
        at: usize,
        /// The character.
        found: char,
        /// The texts that would have fitted.
        expected: String,
    },
    /// The stream ends before the marker, or the text that must follow it, is whole.
    End {
        /// The text that would have to come.
        expected: String,
    },
    /// The marker may not stand here, as far as it came: "it stands in Markdown code".
    Place(&'static str),
    /// The marker is whole, but the dialect reads it as payload there: an element of a value's own, for example.
    Payload,
}

impl fmt::Display for Marker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Marker { at, text, role, refused } = self;
        let text = text.escape_debug();
        match refused {
            None => write!(f, "`{text}` at {at}: {role}"),
            Some(refused) => write!(f, "`{text}` at {at} is payload: {role}, but {refused}"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Next { at, found, expected } => {
                write!(f, "at {at} comes `{}` and not {expected}", found.escape_debug())
            }
            Refused::End { expected } => write!(f, "the stream ends before {expected}"),
            Refused::Place(place) => f.write_str(place),
            Refused::Payload => f.write_str("the dialect takes it for payload here"),
        }
    }
}
