//! The compiled part of the Python package `toolstream_rs`: the crate's types for Python.
//!
//! Docstrings and `_toolstream.pyi` tell a Python programmer how to use it; comments here give reasons.

mod answer;
mod config;
mod event;
mod explain;
mod json;
mod message;
mod model;
mod parser;
mod partial;
mod reader;
mod record;
mod single;
mod splitter;
mod stream;
mod text;
mod tools;
mod write;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An error in the crate's words.
fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A function of the part of the package that is written in Python.
fn in_python<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(format!("toolstream_rs.{module}"))?.getattr(name)
}

/// Streaming parser of the tool calls that language models write.
// Nothing here is shared without a lock, so a build of Python without the GIL need not bring it back.
#[pymodule(gil_used = false)]
mod _toolstream {
    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::answer::{
        DeltaArguments, DeltaCall, DeltaCallEnd, DeltaContent, DeltaReasoning, Deltas, EventWriter,
    };
    #[pymodule_export]
    use super::config::NextCall;
    #[pymodule_export]
    use super::event::{
        AnswerStart, ArgumentsDelta, Diagnostic, Markup, Opaque, ParamDelta, ParamEnd, ParamStart,
        Reasoning, TextContent, ToolEnd, ToolId, ToolLimitReached, ToolStart,
    };
    #[pymodule_export]
    use super::explain::Marker;
    #[pymodule_export]
    use super::message::{Call, IncompleteCall, Message, RefusedCall};
    #[pymodule_export]
    use super::model::{
        ModelMatch, detect, dialects, for_model, markers, reasoning_markers, split_tools,
        start_of_prompt,
    };
    #[pymodule_export]
    use super::parser::Parser;
    #[pymodule_export]
    use super::partial::{PartialText, PartialValue};
    #[pymodule_export]
    use super::reader::Reader;
    #[pymodule_export]
    use super::splitter::ReasoningSplitter;
    #[pymodule_export]
    use super::text::char_offset;
    #[pymodule_export]
    use super::write::restore;
}
