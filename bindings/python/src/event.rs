//! The crate's events as frozen classes.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolstream::{self as ts, Event, Status, ToolUse, diagnostic::Cause};

use crate::record::record;

record! {
    /// Text for the user.
    TextContent as "text_content" {
        /// A slice of the stream.
        text: Py<PyString>,
    }
}
record! {
    /// The model's reasoning, without its tags.
    Reasoning as "reasoning" {
        /// A slice of the stream.
        text: Py<PyString>,
    }
}
record! {
    /// Characters of the dialect's own grammar: never for the user.
    Markup as "markup" {
        /// A slice of the stream.
        text: Py<PyString>,
    }
}
record! {
    /// A call begins. Each is followed by one `ToolEnd`, and the events of two calls are never mixed.
    ToolStart as "tool_start" {
        /// The call's number in this stream, from 0.
        index: usize,
        /// The tool's name as the model wrote it.
        name: Py<PyString>,
        /// The wire's own id, where the dialect has one in front.
        id: Option<Py<PyString>>,
        /// Start of the call's opener, in bytes of UTF-8.
        at: usize,
        /// The number of the parser's dialect that wrote it, from 0; 64 is a provider's own form.
        dialect: usize,
    }
}
record! {
    /// The wire's own id, where the dialect names it late.
    ToolId as "tool_id" {
        /// The id.
        id: Py<PyString>,
    }
}
record! {
    /// A parameter begins.
    ParamStart as "param_start" {
        /// The parameter's name as the model wrote it.
        name: Py<PyString>,
        /// Its type, as the wire says it: "string", "json", "literal", "lines", or None.
        hint: Option<Py<PyString>>,
    }
}
record! {
    /// A piece of the open parameter's value, as the model wrote it.
    ParamDelta as "param_delta" {
        /// A slice of the stream.
        text: Py<PyString>,
    }
}
record! {
    /// The open parameter ends.
    ParamEnd as "param_end" {
        /// False if the stream or the call ended before the value's closer.
        closed: bool,
    }
}
record! {
    /// A piece of the call's arguments, as raw JSON text.
    ArgumentsDelta as "arguments_delta" {
        /// A slice of the stream.
        text: Py<PyString>,
    }
}
record! {
    /// The call ends.
    ToolEnd as "tool_end" {
        /// "complete": its markup closed; "incomplete": it did not. Whether it may run says `Message.calls`.
        status: Py<PyString>,
        /// Why it is incomplete: "end_of_stream", "broken", or None.
        cause: Option<Py<PyString>>,
        /// End of the call, in bytes of UTF-8: behind its closer, without the closer's line break.
        at: usize,
    }
}
record! {
    /// The text that follows is the answer (ReAct's `Final Answer:`).
    AnswerStart as "answer_start" {}
}
record! {
    /// A thing that a provider wants back with the next request. Only a `Reader` says it.
    Opaque as "opaque" {
        /// The thing that it belongs to: "text", "reasoning", "call" or "item".
        of: Py<PyString>,
        /// The thing, as the text of a JSON object.
        json: Py<PyString>,
    }
}
record! {
    /// A surplus call begins; the last event of the stream.
    ToolLimitReached as "tool_limit_reached" {
        /// How many calls one message may hold.
        limit: usize,
        /// Start of the surplus, in bytes of UTF-8.
        at: usize,
    }
}
record! {
    /// Something unexpected was noticed. It never changes what another event said.
    Diagnostic as "diagnostic" {
        /// The kind: "unknown_tool", "missing_closer", …
        kind: Py<PyString>,
        /// Place, in bytes of UTF-8.
        at: usize,
        /// The number of the call that it concerns, if it concerns one.
        call: Option<usize>,
    }
}

/// An event of the crate's as one of these classes.
pub fn to_python<'py>(py: Python<'py>, event: Event<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let text = |text: &str| PyString::new(py, text).unbind();
    let word = |word: &str| PyString::intern(py, word).unbind();
    let object = match event {
        Event::TextContent(piece) => TextContent { text: text(piece) }.into_bound_py_any(py),
        Event::Reasoning(piece) => Reasoning { text: text(piece) }.into_bound_py_any(py),
        Event::Markup(piece) => Markup { text: text(piece) }.into_bound_py_any(py),
        Event::ToolUse(event) => return tool_use(py, event),
        Event::AnswerStart => AnswerStart {}.into_bound_py_any(py),
        Event::Opaque { of, json } => {
            Opaque { of: word(of.as_str()), json: text(json) }.into_bound_py_any(py)
        }
        Event::ToolLimitReached(ts::ToolLimitReached { limit, at, .. }) => {
            ToolLimitReached { limit, at }.into_bound_py_any(py)
        }
        Event::Diagnostic(found) => diagnostic(py, found).into_bound_py_any(py),
        // Both are of one repository: a new event has its class with the commit that brings it.
        _ => return Ok(None),
    };
    object.map(Some)
}

fn tool_use<'py>(py: Python<'py>, event: ToolUse<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let text = |text: &str| PyString::new(py, text).unbind();
    let word = |word: &'static str| PyString::intern(py, word).unbind();
    let object = match event {
        ToolUse::Start { index, name, id, at, dialect } => {
            ToolStart { index, name: text(name), id: id.map(text), at, dialect }
                .into_bound_py_any(py)
        }
        ToolUse::Id(id) => ToolId { id: text(id) }.into_bound_py_any(py),
        ToolUse::ParamStart { name, hint } => {
            ParamStart { name: text(name), hint: hint.map(|hint| word(hint.as_str())) }
                .into_bound_py_any(py)
        }
        ToolUse::ParamDelta(piece) => ParamDelta { text: text(piece) }.into_bound_py_any(py),
        ToolUse::ParamEnd { closed } => ParamEnd { closed }.into_bound_py_any(py),
        ToolUse::ArgumentsDelta(piece) => {
            ArgumentsDelta { text: text(piece) }.into_bound_py_any(py)
        }
        ToolUse::End { status, at } => {
            let (status, cause) = match status {
                Status::Complete => ("complete", None),
                Status::Incomplete(Cause::EndOfStream) => ("incomplete", Some("end_of_stream")),
                Status::Incomplete(_) => ("incomplete", Some("broken")),
            };
            ToolEnd { status: word(status), cause: cause.map(word), at }.into_bound_py_any(py)
        }
        _ => return Ok(None),
    };
    object.map(Some)
}

pub fn diagnostic(py: Python<'_>, found: ts::diagnostic::Diagnostic) -> Diagnostic {
    let kind = PyString::intern(py, found.kind.as_str()).unbind();
    Diagnostic { kind, at: found.at, call: found.call }
}
