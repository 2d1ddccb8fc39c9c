//! [`Sink`]: the receiver of a parser's events.

use crate::event::Event;
use crate::marker::Marker;

/// Receiver of every event as it happens: the entry point without tape and allocation.
///
/// Every closure that takes an `Event<&str>` is a sink. The slices live as long as the call.
///
/// ```
/// use toolstream::{Dialect, Event, Parser};
///
/// let mut parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut text = String::new();
/// parser.feed_into("2 < 3", &mut |event: Event<&str>| {
///     if let Event::TextContent(piece) = event {
///         text.push_str(piece);
///     }
/// });
/// assert_eq!(text, "2 < 3");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
///
/// A layer is a sink that holds a `&mut S` of another sink. (There is no implementation for `&mut S` itself: it would
/// collide with that for closures.)
pub trait Sink {
    /// Takes one event.
    fn event(&mut self, event: Event<&str>);

    /// Whether the parser calls [`Sink::marker`], always or never. Default: no, without any cost. With markers, each
    /// chunk is read in full, and a marker in a wrong place is pending until it is whole (up to 512
    /// bytes).
    fn wants_markers(&self) -> bool {
        false
    }

    /// Takes a marker, or the beginning of one, with the verdict on it. [`Marker`] has an example.
    fn marker(&mut self, marker: &Marker<'_>) {
        let _ = marker;
    }
}

impl<F: FnMut(Event<&str>)> Sink for F {
    #[inline]
    fn event(&mut self, event: Event<&str>) {
        self(event);
    }
}
