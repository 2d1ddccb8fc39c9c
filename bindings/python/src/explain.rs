//! `Parser.explain`: why a marker counted, or did not.

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolstream::{self as ts, Event, Sink};

use crate::parser::Parser;
use crate::record::record;
use crate::text::whole;

record! {
    /// Something in a text that is a marker of the dialect, or began like one.
    Marker {
        /// Start, in bytes of UTF-8.
        at: usize,
        /// The marker; of one that is not whole, as much of it as came.
        text: Py<PyString>,
        /// The role: "opener of a call", "closer of an argument", …
        role: Py<PyString>,
        /// Why it does not count and is payload; None: it counts.
        refused: Option<Py<PyString>>,
    }
}

/// Keeps the markers, as they can leave the parser.
struct Markers(Vec<(usize, String, String, Option<String>)>);

impl Sink for Markers {
    fn event(&mut self, _: Event<&str>) {}

    fn wants_markers(&self) -> bool {
        true
    }

    fn marker(&mut self, marker: &ts::diagnostic::Marker<'_>) {
        let refused = marker.refused.as_ref().map(ToString::to_string);
        self.0.push((marker.at, marker.text.into(), marker.role.into(), refused));
    }
}

#[pymethods]
impl Parser {
    /// The markers of a whole text, and what began like one, each with why it did not count: for the question why a
    /// call came out as text.
    fn explain(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<Marker>> {
        let (py, whole) = (text.py(), whole(text)?);
        let (mut parser, mut markers) = (self.unread().clone(), Markers(Vec::new()));
        py.detach(|| {
            parser.feed_into(&whole, &mut markers);
            parser.finish_into(&mut markers);
        });
        let string = |text: String| PyString::new(py, &text).unbind();
        let marker = |(at, text, role, refused): (_, _, _, Option<String>)| Marker {
            at,
            text: string(text),
            role: string(role),
            refused: refused.map(string),
        };
        Ok(markers.0.into_iter().map(marker).collect())
    }
}
