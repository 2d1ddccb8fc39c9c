//! A stream that is read: where it comes from, the message so far, and half a character between two chunks.

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use toolstream::native::Reader;
use toolstream::{Event, Message, Parser, Sink, diagnostic::Marker};

use crate::event;
use crate::json;
use crate::partial::Seen;
use crate::text::{Chunk, Half, whole};

/// A chunk of more bytes than these is read without the GIL. For a shorter one that would cost more than reading it.
const LONG: usize = 4096;

#[derive(Clone)]
pub struct Stream {
    pub source: Source,
    pub message: Message,
    /// Something came.
    pub begun: bool,
    /// The stream was finished.
    over: bool,
    half: Half,
    seen: Seen,
}

/// The source of a stream: a model's text, or a provider's events.
#[derive(Clone)]
// There is one a stream: the smaller one wastes nothing that counts, and boxed each chunk would go another step.
#[allow(clippy::large_enum_variant)]
pub enum Source {
    Text(Parser),
    Native(Reader),
}

/// The things that come into a stream.
pub enum Input<'a> {
    Chunk(Chunk<'a>),
    /// A special token of the tokenizer.
    Special(&'a str),
    Finish,
    FinishCut,
}

impl Input<'_> {
    fn is_long(&self) -> bool {
        matches!(self, Input::Chunk(chunk) if chunk.len() > LONG)
    }
}

impl Source {
    /// A source of the same kind that has read nothing.
    pub fn fresh(&self) -> Source {
        let mut fresh = self.clone();
        match &mut fresh {
            Source::Text(parser) => parser.reset(),
            Source::Native(reader) => reader.reset(),
        }
        fresh
    }

    pub fn position(&self) -> usize {
        match self {
            Source::Text(parser) => parser.position(),
            Source::Native(reader) => reader.position(),
        }
    }

    pub fn held(&self) -> usize {
        match self {
            Source::Text(parser) => parser.held(),
            Source::Native(reader) => reader.held(),
        }
    }

    fn message(&self) -> Message {
        match self {
            Source::Text(parser) => parser.message(),
            Source::Native(reader) => reader.message(),
        }
    }

    fn read(&mut self, input: &Input<'_>, take: &mut impl Sink) {
        match (self, input) {
            (Source::Text(parser), Input::Chunk(Chunk::Text(text))) => parser.feed_into(text, take),
            (Source::Text(parser), Input::Chunk(Chunk::Bytes(bytes))) => {
                parser.feed_bytes_into(bytes, take);
            }
            (Source::Text(parser), Input::Special(token)) => {
                parser.feed_special_into(token, take);
            }
            (Source::Text(parser), Input::Finish) => parser.finish_into(take),
            (Source::Text(parser), Input::FinishCut) => parser.finish_cut_into(take),
            (Source::Native(reader), Input::Chunk(Chunk::Text(text))) => {
                reader.feed_into(text, take)
            }
            (Source::Native(reader), Input::Chunk(Chunk::Bytes(bytes))) => {
                reader.feed_into(bytes, take);
            }
            // A provider has no tokens.
            (Source::Native(_), Input::Special(_)) => {}
            (Source::Native(reader), Input::Finish) => reader.finish_into(take),
            (Source::Native(reader), Input::FinishCut) => reader.finish_cut_into(take),
        }
    }
}

/// Takes events for the message and for a function, and markers for the message alone.
struct Both<'m, F> {
    message: &'m mut Message,
    take: &'m mut F,
}

impl<F: FnMut(Event<&str>)> Sink for Both<'_, F> {
    fn event(&mut self, event: Event<&str>) {
        self.message.push(event);
        (self.take)(event);
    }

    fn wants_markers(&self) -> bool {
        self.message.wants_markers()
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.message.marker(marker);
    }
}

impl Stream {
    /// A stream that has not begun, of a source that has read nothing.
    pub fn new(source: Source) -> Stream {
        Stream {
            message: source.message(),
            source,
            begun: false,
            over: false,
            half: Half::default(),
            seen: Seen::default(),
        }
    }

    /// A chunk, as Python hands it over, unless the stream is over.
    pub fn input<'a>(&mut self, chunk: &'a Bound<'_, PyAny>) -> PyResult<Input<'a>> {
        self.goes_on()?;
        if let Source::Text(_) = self.source {
            return self.half.chunk(chunk).map(Input::Chunk);
        }
        // An event of a provider is whole: nothing continues in the next one.
        Ok(Input::Chunk(if let Ok(event) = chunk.cast::<PyDict>() {
            let event = serde_json::to_vec(&json::from_dict(event)?).map_err(crate::value_error)?;
            Chunk::Bytes(event.into())
        } else if let Ok(text) = chunk.cast::<PyString>() {
            Chunk::Bytes(whole(text)?.into_owned().into_bytes().into())
        } else if let Ok(write) = chunk.getattr("model_dump_json") {
            // An object of a provider's SDK.
            let options = PyDict::new(chunk.py());
            options.set_item("by_alias", true)?;
            options.set_item("exclude_unset", true)?;
            let text: String = write.call((), Some(&options))?.extract()?;
            Chunk::Bytes(text.into_bytes().into())
        } else if let Ok(event) = Half::default().chunk(chunk) {
            event
        } else {
            let what = json::kind(chunk)?;
            return Err(PyTypeError::new_err(format!(
                "an event is a str, bytes, a dict or an object of an SDK, not {what}"
            )));
        }))
        .and_then(no_line)
        .and_then(|event| if self.begun { Ok(event) } else { begins_as_json(event) })
    }

    /// A special token of the tokenizer as input, unless the stream is over.
    pub fn special<'a>(&self, token: &'a str) -> PyResult<Input<'a>> {
        self.goes_on().map(|()| Input::Special(token))
    }

    fn goes_on(&self) -> PyResult<()> {
        if !self.over {
            return Ok(());
        }
        Err(PyRuntimeError::new_err(
            "the stream was finished and takes no more chunks: read the next one with `fresh()`, or make another object",
        ))
    }

    /// Reads on: each event goes into the message, and to `take`.
    pub fn read(&mut self, input: &Input<'_>, take: &mut impl FnMut(Event<&str>)) {
        let Stream { source, message, begun, over, half, .. } = self;
        *begun = true;
        let mut take = Both { message, take };
        // A chunk begins with the pending half.
        let half = if let Input::Chunk(_) = input { None } else { half.end() };
        if let Some(half) = half {
            source.read(&Input::Chunk(Chunk::Bytes(vec![half].into())), &mut take);
        }
        source.read(input, &mut take);
        if let Input::Finish | Input::FinishCut = input {
            take.message.close();
            *over = true;
        }
    }

    /// The arguments of the open call so far.
    pub fn partial_input<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let call = self.message.partial_call();
        call.map(|call| json::to_dict(py, call.input())).transpose()
    }

    /// Returns the changes of those arguments since the last call of this method.
    pub fn partial_changes<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let Some(call) = self.message.partial_call() else { return Ok(PyList::empty(py)) };
        self.seen.changes(py, call)
    }

    /// The number of values that `partial_changes` compared, for a test.
    pub fn compared(&self) -> usize {
        self.seen.compared
    }

    /// Reads on without the GIL, if that is worth it.
    pub fn read_detached(
        &mut self,
        py: Python<'_>,
        input: &Input<'_>,
        mut take: impl FnMut(Event<&str>) + Send,
    ) {
        let mut read = || self.read(input, &mut take);
        if input.is_long() { py.detach(read) } else { read() }
    }

    /// Reads on, and gives the events as Python has them.
    pub fn events<'py>(
        &mut self,
        py: Python<'py>,
        input: &Input<'_>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut events = Vec::new();
        let mut failed = Ok(());
        let mut add = |event: Event<&str>| match event::to_python(py, event) {
            Ok(event) => events.extend(event),
            Err(error) => failed = Err(error),
        };
        if input.is_long() {
            let mut owned: Vec<Event<String>> = Vec::new();
            self.read_detached(py, input, |event| owned.push(event.map(String::from)));
            owned.iter().for_each(|event| add(event.as_str()));
        } else {
            self.read(input, &mut add);
        }
        failed?;
        PyList::new(py, events)
    }
}

/// An event that is no line of a stream of server-sent events.
fn no_line(event: Input<'_>) -> PyResult<Input<'_>> {
    let Input::Chunk(Chunk::Bytes(bytes)) = &event else { return Ok(event) };
    let line = bytes.trim_ascii_start();
    for field in ["data:", "event:", "id:", "retry:", ":"] {
        if line.starts_with(field.as_bytes()) {
            return Err(PyValueError::new_err(format!(
                "this is a line of a stream of server-sent events, it begins with `{field}`: feed what stands behind \
                 `data:`, without it"
            )));
        }
    }
    Ok(event)
}

/// The first event of a stream, which shows whether events come as they should: it is JSON, the end, or nothing. Once
/// one was JSON, a broken one is the provider's mistake.
fn begins_as_json(event: Input<'_>) -> PyResult<Input<'_>> {
    let Input::Chunk(Chunk::Bytes(bytes)) = &event else { return Ok(event) };
    let text = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes).trim_ascii_start();
    // The end is `[DONE]`.
    if let None | Some(b'{' | b'[') = text.first() {
        return Ok(event);
    }
    let text = String::from_utf8_lossy(&text[..text.len().min(80)]);
    let begins: String = text.chars().take(20).collect();
    Err(PyValueError::new_err(format!(
        "an event is a JSON object, and this begins with {begins:?}: feed the data of one server-sent event after another \
         (a model's own text is for a Parser)"
    )))
}

/// The methods of a class that has a `stream`, which all such classes share.
macro_rules! stream_methods {
    ($name:ident {
        $(#[doc = $finish:literal])* finish,
        $(#[doc = $finish_cut:literal])* finish_cut,
    }) => {
        #[pyo3::pymethods]
        impl $name {
            /// The events of a whole stream while it comes: `for event in parser.stream(chunks)`. It feeds each chunk and
            /// finishes. With `finish=False` the end is left to you (`finish_cut` for one that was cut), as it is when
            /// `chunks` raises.
            #[pyo3(signature = (chunks, *, finish = true))]
            fn stream<'py>(
                slf: &pyo3::Bound<'py, Self>,
                chunks: &pyo3::Bound<'py, pyo3::PyAny>,
                finish: bool,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                crate::in_python(slf.py(), "_stream", "stream")?.call1((slf, chunks, finish))
            }

            /// `stream` for chunks that come asynchronously: `async for event in parser.astream(chunks)`.
            #[pyo3(signature = (chunks, *, finish = true))]
            fn astream<'py>(
                slf: &pyo3::Bound<'py, Self>,
                chunks: &pyo3::Bound<'py, pyo3::PyAny>,
                finish: bool,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                crate::in_python(slf.py(), "_stream", "astream")?.call1((slf, chunks, finish))
            }

            $(#[doc = $finish])*
            fn finish<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::types::PyList>> {
                self.stream.take()?.events(py, &crate::stream::Input::Finish)
            }

            $(#[doc = $finish_cut])*
            fn finish_cut<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::types::PyList>> {
                self.stream.take()?.events(py, &crate::stream::Input::FinishCut)
            }

            /// The message so far: a copy, so ask once it is finished.
            #[getter]
            fn message(&self) -> pyo3::PyResult<crate::message::Message> {
                Ok(crate::message::Message::from(self.stream.take()?.message.clone()))
            }

            /// The arguments of the open call so far, typed by the tool's schema; None between calls. Each time it is a new
            /// dict, which costs what is there: who looks after each chunk of a long call asks for `partial_changes`.
            fn partial_input<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<Option<pyo3::Bound<'py, pyo3::types::PyDict>>> {
                self.stream.take()?.partial_input(py)
            }

            /// The changes of the open call's arguments since this was last asked: they cost what has come. A
            /// `PartialValue` puts a value at its path, the first one of a call all arguments at the path `()`; a
            /// `PartialText` is what a text at its path has grown by. Empty between calls: the end of the last value
            /// is in the finished call alone.
            fn partial_changes<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::types::PyList>> {
                self.stream.take()?.partial_changes(py)
            }

            /// The number of values that `partial_changes` compared, for a test.
            #[getter]
            fn _compared(&self) -> pyo3::PyResult<usize> {
                Ok(self.stream.take()?.compared())
            }
        }
    };
}
pub(crate) use stream_methods;
