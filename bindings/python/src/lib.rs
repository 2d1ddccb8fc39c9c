//! The compiled part of the Python package `toolstream_rs`: the crate's types as Python has them.
//!
//! What a Python programmer is told stands in the docstrings and in `_toolstream.pyi`; what is said here is why
//! things are as they are.

mod answer;
mod config;
mod event;
mod explain;
mod json;
mod message;
mod model;
mod parser;
mod reader;
mod record;
mod splitter;
mod stream;
mod text;
mod write;

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;
use pyo3::pymodule;

/// What is wrong, as the crate says it.
fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Streaming parser of the tool calls that language models write.
// Nothing here is shared without a lock, so a build of Python without the GIL need not bring it back.
#[pymodule(gil_used = false)]
mod _toolstream {
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
        ModelMatch, detect, dialects, for_model, split_tools, start_of_prompt, table,
    };
    #[pymodule_export]
    use super::parser::Parser;
    #[pymodule_export]
    use super::reader::Reader;
    #[pymodule_export]
    use super::splitter::ReasoningSplitter;
    #[pymodule_export]
    use super::text::char_offset;
    #[pymodule_export]
    use super::write::restore;
}
