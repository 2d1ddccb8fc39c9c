//! `Deltas` and `EventWriter`: a stream for a client, piece by piece, and in its protocol.

use std::str::FromStr;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use toolstream::adapt::ReasoningKey;
use toolstream::adapt::{self, Delta, Protocol};
use toolstream::calls::IncompleteReason;

use crate::message::Message;
use crate::parser::Parser;
use crate::reader::Reader;
use crate::record::record;
use crate::single::Single;
use crate::stream::{Input, Source, Stream};
use crate::{json, value_error};

record! {
    /// Visible text, less white space that shows nothing but where a call or reasoning stood.
    DeltaContent as "content" {
        /// The piece.
        text: Py<PyString>,
    }
}
record! {
    /// A piece of the reasoning.
    DeltaReasoning as "reasoning" {
        /// The piece.
        text: Py<PyString>,
    }
}
record! {
    /// A call begins. All that comes up to its end is of it.
    DeltaCall as "call" {
        /// Its number in the message, from 0.
        index: usize,
        /// The tool, as the model names it.
        name: Py<PyString>,
        /// The wire's own id, if one stands in front of the call.
        id: Option<Py<PyString>>,
    }
}
record! {
    /// A fragment of the open call's arguments, as JSON. Joined they are an object if the call may run, and never read
    /// as one if it may not.
    DeltaArguments as "arguments" {
        /// The fragment.
        text: Py<PyString>,
    }
}
record! {
    /// The open call ends.
    DeltaCallEnd as "call_end" {
        /// Whether it is whole. If not, its arguments are no JSON.
        may_run: bool,
        /// Why it may not run, as `IncompleteCall.reason` says it; None: it may.
        reason: Option<Py<PyString>>,
    }
}

/// Returns a fresh parser or reader for the events of an answer.
fn stream_of(source: &Bound<'_, PyAny>) -> PyResult<Stream> {
    if let Ok(parser) = source.cast::<Parser>() {
        return Ok(Stream::new(Source::Text(parser.get().unread().clone())));
    }
    let Ok(reader) = source.cast::<Reader>() else {
        let what = source.get_type().name()?;
        return Err(PyTypeError::new_err(format!("a Parser or a Reader is needed, not {what}")));
    };
    Ok(reader.get().unread())
}

/// Pieces for a client, whatever its protocol: text, reasoning, and calls whose
/// arguments are valid JSON as they come.
///
/// `broken` says how a call reaches the client that the model ended and that may not run: "call" (its arguments are no
/// JSON), "text" or "hide". `calls` says when a call leaves: "as_they_come" or "when_whole" (once it may run). `on_cut`
/// says whether whole calls of a message that was cut may run: "keep" or "refuse_all".
///
/// The stream is one of its own, read by the configuration of the parser or reader.
#[pyclass(frozen, weakref, module = "toolstream_rs")]
pub struct Deltas {
    /// The parser or reader: its function limits the calls.
    source: Py<PyAny>,
    told: Single<Told>,
}

struct Told {
    stream: Stream,
    deltas: adapt::Deltas,
}

/// A delta that outlives its event: the deltas of a long chunk become objects once the GIL is back.
enum Owned {
    Content(String),
    Reasoning(String),
    Call(usize, String, Option<String>),
    Arguments(String),
    End(bool, Option<IncompleteReason>),
}

impl Owned {
    fn of(delta: Delta<'_>) -> Option<Owned> {
        Some(match delta {
            Delta::Content(text) => Owned::Content(text.into()),
            Delta::Reasoning(text) => Owned::Reasoning(text.into()),
            Delta::Call { index, name, id } => {
                Owned::Call(index, name.into(), id.map(String::from))
            }
            Delta::Arguments(text) => Owned::Arguments(text.into()),
            Delta::CallEnd { may_run, reason } => Owned::End(may_run, reason),
            // Both are of one repository: a new delta has its class with the commit that brings it.
            _ => return None,
        })
    }

    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let text = |text: String| PyString::new(py, &text).unbind();
        match self {
            Owned::Content(piece) => DeltaContent { text: text(piece) }.into_bound_py_any(py),
            Owned::Reasoning(piece) => DeltaReasoning { text: text(piece) }.into_bound_py_any(py),
            Owned::Call(index, name, id) => {
                DeltaCall { index, name: text(name), id: id.map(text) }.into_bound_py_any(py)
            }
            Owned::Arguments(piece) => DeltaArguments { text: text(piece) }.into_bound_py_any(py),
            Owned::End(may_run, reason) => {
                let reason = reason.map(|reason| text(reason.to_string()));
                DeltaCallEnd { may_run, reason }.into_bound_py_any(py)
            }
        }
    }
}

impl Told {
    fn read<'py>(&mut self, py: Python<'py>, input: &Input<'_>) -> PyResult<Bound<'py, PyList>> {
        let Told { stream, deltas } = self;
        let mut told = Vec::new();
        let mut tell = |delta: Delta<'_>| told.extend(Owned::of(delta));
        stream.read_detached(py, input, |event| deltas.push(event, &mut tell));
        let told = told.into_iter().map(|delta| delta.into_python(py));
        PyList::new(py, told.collect::<PyResult<Vec<_>>>()?)
    }
}

#[pymethods]
impl Deltas {
    #[new]
    #[pyo3(signature = (source, *, broken = "call", calls = "as_they_come", on_cut = "keep"))]
    fn new(source: &Bound<'_, PyAny>, broken: &str, calls: &str, on_cut: &str) -> PyResult<Deltas> {
        let stream = stream_of(source)?;
        let deltas = match &stream.source {
            Source::Text(parser) => adapt::Deltas::new(parser),
            Source::Native(reader) => adapt::Deltas::for_reader(reader),
        };
        let deltas = deltas.broken_as(named(broken)?).calls(named(calls)?).on_cut(named(on_cut)?);
        let told = Single::new("Deltas", Told { stream, deltas });
        Ok(Deltas { source: source.clone().unbind(), told })
    }

    /// Reads a chunk, or a provider's event, and gives what it makes.
    fn feed<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let mut told = self.told.take()?;
        let input = told.stream.input(chunk)?;
        told.read(chunk.py(), &input)
    }

    /// Reads one special token of the model's tokenizer, whole.
    fn feed_special<'py>(&self, py: Python<'py>, token: &str) -> PyResult<Bound<'py, PyList>> {
        let mut told = self.told.take()?;
        let input = told.stream.special(token)?;
        told.read(py, &input)
    }

    /// The model ended its message: gives the last deltas.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.told.take()?.read(py, &Input::Finish)
    }

    /// The stream was cut: gives the last deltas.
    fn finish_cut<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.told.take()?.read(py, &Input::FinishCut)
    }

    /// The message so far: a copy, so ask once it is finished.
    #[getter]
    fn message(&self) -> PyResult<Message> {
        Ok(Message::from(self.told.take()?.stream.message.clone()))
    }

    /// The calls that the model ended and that may not run: dicts of `index`, `name` and `reason`.
    #[getter]
    fn broken_calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let calls =
            serde_json::to_value(self.told.take()?.deltas.broken_calls()).map_err(value_error)?;
        json::to_python(py, &calls)
    }

    /// The calls that must not run, by their index, as far as they have ended.
    #[getter]
    fn broken(&self) -> PyResult<Vec<usize>> {
        Ok(self.told.take()?.deltas.broken().to_vec())
    }

    /// Whether there is a call that may run.
    #[getter]
    fn has_calls(&self) -> PyResult<bool> {
        Ok(self.told.take()?.deltas.has_calls())
    }

    /// Whether the answer is not whole. To be asked once it is finished.
    #[getter]
    fn is_cut(&self) -> PyResult<bool> {
        Ok(self.told.take()?.deltas.is_cut())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.source)
    }
}

/// Writes an answer for a client in its protocol: "openai-chat", "openai-responses" or "anthropic", as server-sent
/// events, or with `whole` as one JSON object. `id` and `model` are the answer's, `created` its time in seconds since
/// 1970. `reasoning` says under which names it goes out in a chat: "reasoning_content", "reasoning", "both", "none".
///
/// `broken`, `calls` and `on_cut` as `Deltas` has them.
///
/// The stream is one of its own, read by the configuration of the parser or reader.
#[pyclass(frozen, weakref, module = "toolstream_rs")]
pub struct EventWriter {
    /// The parser or reader: its function limits the calls.
    source: Py<PyAny>,
    written: Single<Written>,
}

struct Written {
    stream: Stream,
    writer: adapt::EventWriter,
}

impl Written {
    fn read<'py>(&mut self, py: Python<'py>, input: &Input<'_>) -> Bound<'py, PyBytes> {
        let Written { stream, writer } = self;
        stream.read_detached(py, input, |event| writer.push(event));
        if let Input::Finish | Input::FinishCut = input {
            writer.finish();
        }
        PyBytes::new(py, &writer.take())
    }
}

#[pymethods]
impl EventWriter {
    #[new]
    #[pyo3(signature = (protocol, source, id, model, *, whole = false, created = 0, reasoning = "reasoning_content",
        broken = "call", calls = "as_they_come", on_cut = "keep"))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        protocol: &str,
        source: &Bound<'_, PyAny>,
        id: &str,
        model: &str,
        whole: bool,
        created: u64,
        reasoning: &str,
        broken: &str,
        calls: &str,
        on_cut: &str,
    ) -> PyResult<EventWriter> {
        let (protocol, reasoning) = (protocol_of(protocol)?, reasoning_key(reasoning)?);
        let stream = stream_of(source)?;
        let writer = match &stream.source {
            Source::Text(parser) => adapt::EventWriter::new(protocol, parser, id, model),
            Source::Native(reader) => adapt::EventWriter::for_reader(protocol, reader, id, model),
        };
        let writer = writer.whole(whole).created(created).reasoning_key(reasoning);
        let writer = writer.broken_as(named(broken)?).calls(named(calls)?).on_cut(named(on_cut)?);
        let written = Single::new("EventWriter", Written { stream, writer });
        Ok(EventWriter { source: source.clone().unbind(), written })
    }

    /// Reads a chunk, or a provider's event, and gives the bytes to send: whole events, or none.
    fn feed<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let mut written = self.written.take()?;
        let input = written.stream.input(chunk)?;
        Ok(written.read(chunk.py(), &input))
    }

    /// Reads one special token of the model's tokenizer, whole.
    fn feed_special<'py>(&self, py: Python<'py>, token: &str) -> PyResult<Bound<'py, PyBytes>> {
        let mut written = self.written.take()?;
        let input = written.stream.special(token)?;
        Ok(written.read(py, &input))
    }

    /// How many tokens were read and written, as far as it is known.
    fn usage(&self, input: u64, output: u64) -> PyResult<()> {
        self.written.take()?.writer.usage(input, output);
        Ok(())
    }

    /// The model ended its message: gives the last bytes.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(self.written.take()?.read(py, &Input::Finish))
    }

    /// The stream was cut: gives the last bytes.
    fn finish_cut<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(self.written.take()?.read(py, &Input::FinishCut))
    }

    /// Ends the answer with an error of the server's, as the protocol says it: gives the last bytes.
    fn fail<'py>(&self, py: Python<'py>, what: &str) -> PyResult<Bound<'py, PyBytes>> {
        let writer = &mut self.written.take()?.writer;
        writer.fail(what);
        Ok(PyBytes::new(py, &writer.take()))
    }

    /// The message so far: a copy, so ask once it is finished.
    #[getter]
    fn message(&self) -> PyResult<Message> {
        Ok(Message::from(self.written.take()?.stream.message.clone()))
    }

    /// The `content-type` of the answer.
    #[getter]
    fn content_type(&self) -> PyResult<&'static str> {
        Ok(self.written.take()?.writer.content_type())
    }

    /// How the answer ended, in the protocol's words, once it has.
    #[getter]
    fn stop_reason(&self) -> PyResult<&'static str> {
        Ok(self.written.take()?.writer.stop_reason())
    }

    /// The calls that the model ended and that may not run: dicts of `index`, `name` and `reason`.
    #[getter]
    fn broken_calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let calls = serde_json::to_value(self.written.take()?.writer.broken_calls())
            .map_err(value_error)?;
        json::to_python(py, &calls)
    }

    /// The calls that must not run, by their index, as far as they have ended.
    #[getter]
    fn broken(&self) -> PyResult<Vec<usize>> {
        Ok(self.written.take()?.writer.broken().to_vec())
    }

    /// The calls whose ids the wire did not name, by their index.
    #[getter]
    fn made_up_ids(&self) -> PyResult<Vec<usize>> {
        Ok(self.written.take()?.writer.made_up_ids().to_vec())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.source)
    }
}

/// A way of an option, by its name.
fn named<T: FromStr<Err: std::fmt::Display>>(name: &str) -> PyResult<T> {
    name.parse().map_err(value_error)
}

fn protocol_of(name: &str) -> PyResult<Protocol> {
    match name {
        "openai-chat" => Ok(Protocol::OpenAiChat),
        "openai-responses" => Ok(Protocol::OpenAiResponses),
        "anthropic" => Ok(Protocol::Anthropic),
        _ => Err(PyValueError::new_err(format!(
            "unknown protocol `{name}`: use one of openai-chat, openai-responses, anthropic"
        ))),
    }
}

fn reasoning_key(name: &str) -> PyResult<ReasoningKey> {
    match name {
        "reasoning_content" => Ok(ReasoningKey::Content),
        "reasoning" => Ok(ReasoningKey::Reasoning),
        "both" => Ok(ReasoningKey::Both),
        "none" => Ok(ReasoningKey::None),
        _ => Err(PyValueError::new_err(format!(
            "unknown name of reasoning `{name}`: use one of reasoning_content, reasoning, both, none"
        ))),
    }
}
