//! [`Parser::sanitize`]: the visible text of a finished answer.

use std::borrow::Cow;

use crate::event::Event;
use crate::parser::Parser;

impl Parser {
    /// Returns the text of a finished answer, without calls, reasoning and markers: the `TextContent` of a fresh
    /// parser of this kind, without a limit. Borrowed if nothing had to go; white space is never touched.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// let parser = Parser::builder(Dialect::CLINE).tool(Tool::new("list")).build()?;
    /// assert_eq!(parser.sanitize("Done.\n</list>"), "Done.\n");
    /// assert!(matches!(parser.sanitize("if a < b { }"), Cow::Borrowed(_)));
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn sanitize<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut parser = self.unlimited();
        let mut clean = String::new();
        // Text so far is this much of the input's beginning; nothing has been copied.
        let mut same = 0;
        let mut gap = false;
        let mut sink = |event: Event<&str>| match event {
            Event::TextContent(piece) if gap => clean.push_str(piece),
            Event::TextContent(piece) => same += piece.len(),
            event if event.slice().is_some_and(|slice| !slice.is_empty()) && !gap => {
                gap = true;
                clean.push_str(&text[..same]);
            }
            _ => {}
        };
        parser.feed_into(text, &mut sink);
        parser.finish_into(&mut sink);
        if gap && clean.len() > same { Cow::Owned(clean) } else { Cow::Borrowed(&text[..same]) }
    }
}
