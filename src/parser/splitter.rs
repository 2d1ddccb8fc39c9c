//! [`ReasoningSplitter`]: the first reasoning of an answer, and the rest as it was written.

use crate::event::Event;
use crate::marker::Marker;
use crate::options::Start;
use crate::parser::Parser;
use crate::sink::Sink;

/// Splits the first reasoning of an answer off. Up to its end the splitter returns the reasoning, and then the rest
/// verbatim, with its markup, for another parser. Inference servers read an answer that way, with a parser for each
/// half.
///
/// The markup of that reasoning is in neither half. All other markup is in the rest, so that a call right behind the
/// reasoning, or one that ends it, is whole there. An answer without reasoning is all rest. The result is the same
/// for every cut.
///
/// ```
/// use toolstream::{Dialect, Parser, reasoning::ReasoningSplitter};
///
/// let parser = Parser::builder(Dialect::HERMES).build()?;
/// let mut splitter = ReasoningSplitter::new(&parser);
/// let mut reasoning = String::new();
/// // The closer is cut over two chunks.
/// for chunk in ["<think>Look fir", "st.</thi", "nk><tool_call>{\"name\": \"list\"", ", \"arguments\": {}}</tool_call>"] {
///     reasoning += &splitter.feed(chunk);
///     if splitter.is_over() {
///         print!("{}", splitter.take_rest()); // to the parser of the calls
///     }
/// }
/// reasoning += &splitter.finish();
/// assert_eq!(reasoning, "Look first.");
/// # assert_eq!(splitter.take_rest(), "");
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReasoningSplitter {
    parser: Parser,
    is_over: bool,
    /// The text behind the last reasoning. Until the reasoning is over, its markup may stand before the rest.
    rest: String,
    /// The number of bytes of `rest` that have left the parser as markup or as white space.
    left: usize,
    inside: bool,
}

impl ReasoningSplitter {
    /// Makes a splitter for the answer that a parser of this configuration would read. With [`Start::Reasoning`] the
    /// answer begins in reasoning.
    pub fn new(parser: &Parser) -> ReasoningSplitter {
        let mut parser = parser.clone();
        parser.reset();
        let inside = parser.options().start == Start::Reasoning;
        ReasoningSplitter { parser, is_over: false, rest: String::new(), left: 0, inside }
    }

    /// Takes a chunk, and returns the reasoning in it. All text behind the reasoning belongs to the rest.
    #[must_use]
    pub fn feed(&mut self, chunk: &str) -> String {
        self.rest.push_str(chunk);
        if self.is_over {
            return String::new();
        }
        self.read(|parser, mut take| parser.feed_into(chunk, &mut take))
    }

    /// Ends the answer, and returns the reasoning that its end shows.
    #[must_use]
    pub fn finish(&mut self) -> String {
        if self.is_over {
            return String::new();
        }
        let reasoning = self.read(|parser, mut take| parser.finish_into(&mut take));
        if !self.is_over {
            self.end();
        }
        reasoning
    }

    /// Whether the reasoning is over, or there is none: other text has come, or the end.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the text behind the reasoning that came and was not taken. Before the reasoning [is
    /// over](Self::is_over), the text may turn out to be markup of the reasoning.
    pub fn rest(&self) -> &str {
        &self.rest
    }

    /// Takes the text behind the reasoning ([`rest`](Self::rest)).
    pub fn take_rest(&mut self) -> String {
        std::mem::take(&mut self.rest)
    }

    fn read(&mut self, feed: impl FnOnce(&mut Parser, &mut dyn FnMut(Event<&str>))) -> String {
        let ReasoningSplitter { parser, is_over, left, inside, .. } = self;
        // The beginning, in `rest`, of the text behind the last reasoning.
        let (mut reasoning, mut begin) = (String::new(), 0);
        feed(parser, &mut |event| match event {
            _ if *is_over => {}
            Event::Reasoning(text) => {
                reasoning.push_str(text);
                begin += std::mem::take(left) + text.len();
                *inside = true;
            }
            Event::Markup(text) => *left += text.len(),
            Event::TextContent(text) if text.trim().is_empty() => *left += text.len(),
            Event::Diagnostic(_) => {}
            _ => *is_over = true,
        });
        self.rest.drain(..begin);
        if self.is_over {
            self.end();
        }
        reasoning
    }

    /// Ends the reasoning: its markup is taken off the rest. Other markup belongs to the text behind it.
    fn end(&mut self) {
        self.is_over = true;
        let start = if self.inside { Start::Reasoning } else { Start::Text };
        // A parser can start in either way: this was checked when it was built.
        let Ok(mut parser) = self.parser.to_builder().start(start).build() else { return };
        let mut last = LastOfReasoning { before: self.left, end: 0 };
        parser.feed_into(&self.rest, &mut last);
        parser.finish_into(&mut last);
        self.rest.drain(..last.end);
    }
}

/// Returns the end of the last marker of reasoning before a place.
struct LastOfReasoning {
    before: usize,
    end: usize,
}

impl Sink for LastOfReasoning {
    fn event(&mut self, _: Event<&str>) {}

    fn wants_markers(&self) -> bool {
        true
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        let end = marker.at + marker.text.len();
        if marker.refused.is_none() && marker.role.contains("reasoning") && end <= self.before {
            self.end = end;
        }
    }
}
