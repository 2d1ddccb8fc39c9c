//! [`Sink`]: where the machine pushes its events.

use crate::event::Event;
use crate::marker::Marker;

/// The fast entry point: the machine calls it with every event as it happens. No tape, no allocation.
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
/// A layer is a sink that holds a `&mut S` of another sink. (There is no implementation for
/// `&mut S` itself: it would collide with the one for closures.)
pub trait Sink {
    /// Takes one event.
    fn event(&mut self, event: Event<&str>);

    /// Whether [`Sink::marker`] is to be called, always or never. Default: no, and then nothing is done
    /// for it. It has its price: each chunk is read in full, each `<` is looked at once for every rule,
    /// and a marker that may not stand where it does is held until it is seen whole (up to 512 bytes).
    fn wants_markers(&self) -> bool {
        false
    }

    /// Takes a marker, or what began like one, with what became of it. [`Marker`] has an example.
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
