//! `Message`: the result of a stream.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolstream as ts;
use toolstream::Block;
use toolstream::native::Provider;

use crate::event::{Diagnostic, Opaque, Reasoning, TextContent, diagnostic};
use crate::json;
use crate::record::record;
use crate::value_error;

/// The record of a call of one of the crate's two kinds, and its conversion: the common fields, and then its own.
macro_rules! call {
    ($(#[doc = $doc:literal])* $name:ident of $of:ty {
        $(#[doc = $about_arguments:literal])* arguments,
        $($(#[doc = $about:literal])* $field:ident: $type:ty = $value:expr,)*
    }) => {
        record! {
            $(#[doc = $doc])*
            $name {
                /// The tool's name.
                name: Py<PyString>,
                $(#[doc = $about_arguments])*
                arguments: Py<PyDict>,
                /// The wire's own id, where the dialect has one.
                id: Option<Py<PyString>>,
                /// Its number in the message, from 0.
                index: usize,
                /// The arguments as the model wrote them, where the dialect speaks JSON.
                raw: Option<Py<PyString>>,
                /// Start in the stream, in bytes of UTF-8.
                start: usize,
                /// End in the stream.
                end: usize,
                $($(#[doc = $about])* $field: $type,)*
            }
        }

        #[pymethods]
        impl $name {
            /// `arguments` under its other name.
            #[getter]
            fn input<'py>(&self, py: Python<'py>) -> &Bound<'py, PyDict> {
                self.arguments.bind(py)
            }
        }

        impl $name {
            fn of(py: Python<'_>, call: &$of) -> PyResult<$name> {
                $(let $field: fn(Python<'_>, &$of) -> PyResult<$type> = $value;)*
                Ok($name {
                    name: PyString::new(py, call.name()).unbind(),
                    arguments: json::to_dict(py, call.input())?.unbind(),
                    id: call.id().map(|id| PyString::new(py, id).unbind()),
                    index: call.index(),
                    raw: call.raw().map(|raw| PyString::new(py, raw).unbind()),
                    start: call.range().start,
                    end: call.range().end,
                    $($field: $field(py, call)?,)*
                })
            }
        }
    };
}

call! {
    /// A call that may run: its markup closed and its arguments were read. Only a `Message` has them.
    Call of ts::CompleteCall {
        /// The arguments, typed by the tool's schema.
        arguments,
        /// The parameters that its tool requires and that it does not have.
        missing: Py<PyTuple> = |py, call| Ok(PyTuple::new(py, call.missing())?.unbind()),
    }
}
#[pymethods]
impl Call {
    /// The arguments as an object of this class: a pydantic model, which checks them, or a dataclass, whose fields they
    /// become. ValueError for arguments that do not fit.
    fn parse<'py>(
        slf: &Bound<'py, Self>,
        model: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = slf.get().arguments.bind(slf.py());
        crate::in_python(slf.py(), "_models", "parse")?.call1((arguments, model))
    }
}
call! {
    /// A call that may not run: still open, cut off, broken, or without the arguments that it needs.
    IncompleteCall of ts::IncompleteCall {
        /// The arguments that were closed.
        arguments,
        /// Why: "cut", "broken", "malformed_arguments", "missing_arguments", "type_mismatch".
        reason: Py<PyString> = |py, call| {
            Ok(PyString::new(py, &call.reason().to_string()).unbind())
        },
        /// The mistake in the arguments, and its place, if they cannot be read.
        problem: Option<Py<PyString>> = |py, call| {
            Ok(call.problem().map(|problem| PyString::new(py, &problem.to_string()).unbind()))
        },
        /// The diagnostic for which it may not run ("missing_closer"), or None.
        broken_by: Option<Py<PyString>> = |py, call| {
            Ok(call.broken_by().map(|found| PyString::new(py, found.kind.as_str()).unbind()))
        },
    }
}

record! {
    /// A call that may not run, or an opener of a declared tool that did not count.
    RefusedCall {
        /// Start in the stream, in bytes of UTF-8.
        start: usize,
        /// End in the stream.
        end: usize,
        /// The tool's name, if it is known.
        name: Option<Py<PyString>>,
        /// The number of the incomplete call in the message, if one began.
        index: Option<usize>,
        /// The reason, without a full stop: "`</parameter>` is missing before `</invoke>`".
        why: Py<PyString>,
    }
}

/// A message: what came of a stream, or has come so far.
///
/// `json` and `to_dict` say all of it; `Message.from_json` reads it back. Two are equal if they say the same.
#[pyclass(frozen, weakref, module = "toolstream_rs")]
pub struct Message {
    message: ts::Message,
}

impl From<ts::Message> for Message {
    fn from(message: ts::Message) -> Message {
        Message { message }
    }
}

#[pymethods]
impl Message {
    /// The visible text, joined.
    #[getter]
    fn text(&self) -> String {
        self.message.text()
    }

    /// The reasoning, joined.
    #[getter]
    fn reasoning(&self) -> String {
        self.message.reasoning()
    }

    /// The calls that may run, in order.
    #[getter]
    fn calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let calls = self.message.calls().map(|call| Call::of(py, call));
        PyList::new(py, calls.collect::<PyResult<Vec<_>>>()?)
    }

    /// The calls that may not run, in order.
    #[getter]
    fn incomplete_calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let calls = self.message.blocks().iter().filter_map(|block| match block {
            Block::Incomplete(call) => Some(IncompleteCall::of(py, call)),
            _ => None,
        });
        PyList::new(py, calls.collect::<PyResult<Vec<_>>>()?)
    }

    /// Why calls may not run, in the order of the stream. With the option `explain_refused` also openers of declared
    /// tools that did not count, and which marker stood where another one is missing.
    #[getter]
    fn refused<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let text = |text: &str| PyString::new(py, text).unbind();
        let refused = self.message.refused().into_iter().map(|call| RefusedCall {
            start: call.range.start,
            end: call.range.end,
            name: call.name.as_deref().map(text),
            index: call.index,
            why: text(&call.why),
        });
        PyList::new(py, refused.map(|call| Bound::new(py, call)).collect::<PyResult<Vec<_>>>()?)
    }

    /// The text that tells the model what was wrong with its calls; None if nothing was.
    fn correction(&self) -> Option<String> {
        self.message.correction()
    }

    /// How it ended: "tool_use", "stop", "truncated" or "tool_limit_reached".
    #[getter]
    fn finish(&self) -> String {
        self.message.ended().to_string()
    }

    /// The things that were noticed, by the parser and in the arguments.
    #[getter]
    fn diagnostics(&self, py: Python<'_>) -> Vec<Diagnostic> {
        self.message.diagnostics().iter().map(|found| diagnostic(py, *found)).collect()
    }

    /// How many bytes of the stream are in it.
    #[getter]
    fn position(&self) -> usize {
        self.message.position()
    }

    /// Whether the dialect's answer marker began the answer (ReAct's `Final Answer:`).
    #[getter]
    fn answered(&self) -> bool {
        self.message.answered()
    }

    /// The blocks in order: `TextContent`, `Reasoning`, `Call`, `IncompleteCall`, and `Opaque` for what only the provider
    /// reads.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let text = |text: &str| PyString::new(py, text).unbind();
        let blocks = self.message.blocks().iter().filter_map(|block| {
            Some(match block {
                Block::Text(prose) => TextContent { text: text(&prose.text) }.into_bound_py_any(py),
                Block::Reasoning(prose) => {
                    Reasoning { text: text(&prose.text) }.into_bound_py_any(py)
                }
                Block::Call(call) => Call::of(py, call).and_then(|call| call.into_bound_py_any(py)),
                Block::Incomplete(call) => {
                    IncompleteCall::of(py, call).and_then(|call| call.into_bound_py_any(py))
                }
                Block::Opaque(value) => {
                    let (of, json) = (PyString::intern(py, "item").unbind(), value.to_string());
                    Opaque { of, json: text(&json) }.into_bound_py_any(py)
                }
                // Both are of one repository: a new block has its class with the commit that brings it.
                _ => return None,
            })
        });
        blocks.collect()
    }

    /// All of it as JSON text: the blocks in order (`content`), `finish`, `diagnostics`, `position`. Other threads run
    /// meanwhile.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| serde_json::to_string(&self.message)).map_err(value_error)
    }

    /// All of it as a dict, with the keys of `json`: `json.dumps` takes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = py.detach(|| serde_json::to_value(&self.message)).map_err(value_error)?;
        json::to_python(py, &value)
    }

    /// `to_dict` under its other name.
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)
    }

    /// A message of which `json` or `to_dict` says this. ValueError if it is none.
    #[staticmethod]
    fn from_json(message: &Bound<'_, PyAny>) -> PyResult<Message> {
        let read = match message.cast::<PyString>() {
            Ok(text) => {
                let text = text.to_str()?;
                message.py().detach(|| serde_json::from_str(text))
            }
            Err(_) => serde_json::from_value(json::from_python(message)?),
        };
        read.map(|message| Message { message }).map_err(value_error)
    }

    /// The assistant's turn for the next request, with what the provider wants back: an element of `messages`
    /// ("openai-chat", "anthropic") or of `contents` ("gemini"), the items of `input` ("openai-responses").
    fn to_request<'py>(&self, py: Python<'py>, provider: &str) -> PyResult<Bound<'py, PyAny>> {
        let provider: Provider = provider.parse().map_err(value_error)?;
        json::to_python(py, &self.message.to_request(provider))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = PyString::new(py, &self.message.text());
        let (text, calls) = (text.repr()?, self.calls(py)?.repr()?);
        Ok(format!("<Message {} text={text} calls={calls}>", self.message.ended()))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.message == other.message
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let from_json = slf.get_type().getattr("from_json")?;
        Ok((from_json, (slf.get().json(slf.py())?,)))
    }
}
