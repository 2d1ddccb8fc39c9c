//! `ReasoningSplitter`: an answer for two parsers, as servers read it.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use toolstream as ts;

use crate::parser::Parser;
use crate::single::Single;
use crate::text::{Chunk, Half};

/// Splits the first reasoning of an answer off: up to its end it gives the reasoning, and all that follows as it was
/// written, with its markup, for another parser.
///
/// `parser` says how the answer is read; it is not fed. The markup of that reasoning is in neither half. An answer
/// without reasoning is all rest. The result is the same for every cut.
#[pyclass(frozen, weakref, module = "toolstream_rs")]
pub struct ReasoningSplitter {
    parser: Py<Parser>,
    answer: Single<Answer>,
}

struct Answer {
    splitter: ts::reasoning::ReasoningSplitter,
    half: Half,
    /// The bytes that came of a character.
    begun: Vec<u8>,
}

impl Answer {
    fn feed(&mut self, bytes: &[u8]) -> String {
        let bytes = [&std::mem::take(&mut self.begun), bytes].concat();
        let whole = bytes.len() - begun(&bytes);
        self.begun = bytes[whole..].to_vec();
        self.splitter.feed(&String::from_utf8_lossy(&bytes[..whole]))
    }
}

/// Returns the number of bytes at the end that may be the beginning of a character.
fn begun(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last();
    // Of an invalid sequence within a text more follows.
    last.map_or(0, |last| {
        let tail = last.invalid();
        let is_begun = std::str::from_utf8(tail).is_err_and(|error| error.error_len().is_none());
        if is_begun { tail.len() } else { 0 }
    })
}

#[pymethods]
impl ReasoningSplitter {
    #[new]
    fn new(parser: Bound<'_, Parser>) -> ReasoningSplitter {
        let splitter = ts::reasoning::ReasoningSplitter::new(parser.get().unread());
        let answer = Single::new(
            "ReasoningSplitter",
            Answer { splitter, half: Half::default(), begun: Vec::new() },
        );
        ReasoningSplitter { parser: parser.unbind(), answer }
    }

    /// Takes a chunk, and gives the reasoning in it. All that comes once it is over is of the rest.
    fn feed(&self, chunk: &Bound<'_, PyAny>) -> PyResult<String> {
        let mut answer = self.answer.take()?;
        Ok(match answer.half.chunk(chunk)? {
            Chunk::Text(text) if answer.begun.is_empty() => answer.splitter.feed(text),
            Chunk::Text(text) => answer.feed(text.as_bytes()),
            Chunk::Bytes(bytes) => answer.feed(&bytes),
        })
    }

    /// The answer is over: gives the reasoning that its end shows.
    fn finish(&self) -> PyResult<String> {
        let Answer { splitter, half, begun } = &mut *self.answer.take()?;
        let is_cut = half.end().is_some() || !std::mem::take(begun).is_empty();
        let last = is_cut.then(|| splitter.feed("\u{FFFD}"));
        Ok(last.unwrap_or_default() + &splitter.finish())
    }

    /// Whether the reasoning is over, or there is none.
    #[getter]
    fn is_over(&self) -> PyResult<bool> {
        Ok(self.answer.take()?.splitter.is_over())
    }

    /// The text behind the reasoning, as far as it came and was not taken; once the reasoning is over.
    #[getter]
    fn rest(&self) -> PyResult<String> {
        Ok(self.answer.take()?.splitter.rest().to_string())
    }

    /// `rest`, taken out.
    fn take_rest(&self) -> PyResult<String> {
        Ok(self.answer.take()?.splitter.take_rest())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.parser)
    }
}
