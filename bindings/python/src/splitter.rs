//! `ReasoningSplitter`: an answer for two parsers, as servers read it.

use pyo3::prelude::*;
use toolstream as ts;

use crate::parser::Parser;
use crate::text::{Chunk, Half};

/// Splits the first reasoning of an answer off: up to its end it gives the reasoning, and all that follows as it was
/// written, with its markup, for another parser.
///
/// `parser` says how the answer is read; it is not fed. The markup of that reasoning is in neither half. An answer
/// without reasoning is all rest. The result is the same for every cut.
#[pyclass(module = "toolstream_rs")]
pub struct ReasoningSplitter {
    splitter: ts::reasoning::ReasoningSplitter,
    half: Half,
}

#[pymethods]
impl ReasoningSplitter {
    #[new]
    fn new(parser: &Parser) -> ReasoningSplitter {
        let splitter = ts::reasoning::ReasoningSplitter::new(parser.unread());
        ReasoningSplitter { splitter, half: Half::default() }
    }

    /// Takes a chunk, and gives the reasoning in it. All that comes once it is over is of the rest.
    fn feed(&mut self, chunk: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(match self.half.chunk(chunk)? {
            Chunk::Text(text) => self.splitter.feed(text),
            Chunk::Bytes(bytes) => self.splitter.feed(&String::from_utf8_lossy(&bytes)),
        })
    }

    /// The answer is over: gives the reasoning that its end shows.
    fn finish(&mut self) -> String {
        let last = self.half.end().map(|_| self.splitter.feed("\u{FFFD}"));
        last.unwrap_or_default() + &self.splitter.finish()
    }

    /// Whether the reasoning is over, or there is none.
    #[getter]
    fn is_over(&self) -> bool {
        self.splitter.is_over()
    }

    /// The text behind the reasoning, as far as it came and was not taken; once the reasoning is over.
    #[getter]
    fn rest(&self) -> &str {
        self.splitter.rest()
    }

    /// `rest`, taken out.
    fn take_rest(&mut self) -> String {
        self.splitter.take_rest()
    }
}
