//! [`Sink`]: where the machine pushes its events.

use crate::event::Event;

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
}

impl<F: FnMut(Event<&str>)> Sink for F {
    #[inline]
    fn event(&mut self, event: Event<&str>) {
        self(event);
    }
}
