//! `Parser`: reading.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde_json::{Map, Value};
use toolstream as ts;

use crate::config::Config;
use crate::message::Message;
use crate::stream::{Input, Source, Stream, stream_methods};
use crate::text::whole;
use crate::{json, value_error};

/// A streaming parser for one message of one model.
///
/// `dialect` is the name of a built-in one ("hermes"), of two ("react+tool-call"), or a table or a shape of one's
/// own as a dict. `tools` are declarations as OpenAI, Anthropic, Gemini or MCP write them. The options are those
/// of the crate, under the names that they have in JSON: `Parser("hermes", tools, tool_limit=None)`.
/// `limit_by` is a function that is asked before each call whether it may open: it gets a `NextCall`, and what it
/// gives is true or not. A stream ends before a call that may not. (An exception in it stops the call, too.)
/// ValueError where the configuration makes no sense.
///
/// One parser reads one stream, in one thread at a time (RuntimeError otherwise). Chunks of more than 4 KiB are
/// read without the GIL. Parsers of the same configuration share their tables. A copy in the middle of a stream is
/// a snapshot; what is pickled is the configuration, so a parser that has been fed refuses (ValueError).
#[pyclass(module = "toolstream_rs")]
pub struct Parser {
    config: Arc<Config>,
    stream: Stream,
}

impl Parser {
    fn of(config: Arc<Config>) -> Parser {
        let stream = Stream::new(Source::Text(config.parser.clone()));
        Parser { config, stream }
    }

    /// A parser of its configuration that has read nothing.
    pub fn unread(&self) -> &ts::Parser {
        &self.config.parser
    }

    /// The message of a whole text.
    fn read_whole(&self, text: &Bound<'_, PyAny>) -> PyResult<ts::Message> {
        let mut stream = Stream::new(Source::Text(self.config.parser.clone()));
        let input = stream.input(text)?;
        stream.read_detached(text.py(), &input, |_| {});
        stream.read(&Input::Finish, &mut |_| {});
        Ok(stream.message)
    }
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (dialect, tools = None, *, limit_by = None, **options))]
    fn new(
        dialect: &Bound<'_, PyAny>,
        tools: Option<&Bound<'_, PyAny>>,
        limit_by: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Parser> {
        let dialect = json::from_python(dialect)?;
        let tools = tools.map_or(Ok(Value::Array(Vec::new())), json::from_python)?;
        let options = options.map_or(Ok(Map::new()), json::from_dict)?;
        let config = match limit_by {
            Some(ask) => Config::limited(dialect, tools, options, ask),
            None => Config::of(dialect, tools, options),
        };
        config.map(Parser::of)
    }

    /// Reads a chunk and gives its events. After `finish` chunks are ignored.
    ///
    /// A chunk may end anywhere, also in a character: bytes in the middle of UTF-8, a `str` in the middle of a
    /// surrogate pair.
    fn feed<'py>(&mut self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let input = self.stream.input(chunk)?;
        self.stream.events(chunk.py(), &input)
    }

    /// Reads one special token of the model's tokenizer, whole. With the option `special_tokens` a marker counts
    /// only where its token came through here.
    fn feed_special<'py>(&mut self, py: Python<'py>, token: &str) -> PyResult<Bound<'py, PyList>> {
        self.stream.events(py, &Input::Special(token))
    }

    /// The message of a whole text, whatever this parser has read.
    fn parse(&self, text: &Bound<'_, PyAny>) -> PyResult<Message> {
        self.read_whole(text).map(Message::from)
    }

    /// The messages of many whole texts, as JSON, without the GIL from the first to the last.
    fn parse_json_batch(
        &self,
        py: Python<'_>,
        texts: Vec<Bound<'_, PyString>>,
    ) -> PyResult<Vec<String>> {
        let texts = texts.iter().map(whole).collect::<PyResult<Vec<_>>>()?;
        let parser = self.unread();
        let write = |text| serde_json::to_string(&parser.parse(text)).map_err(value_error);
        py.detach(|| texts.iter().map(|text| write(text)).collect())
    }

    /// A parser of the same configuration that has read nothing.
    fn fresh(&self) -> Parser {
        Parser::of(Arc::clone(&self.config))
    }

    /// How many bytes of the stream have left in events.
    #[getter]
    fn position(&self) -> usize {
        self.stream.source.position()
    }

    /// How many bytes are held because they may yet be part of a marker.
    #[getter]
    fn held(&self) -> usize {
        self.stream.source.held()
    }

    /// The dialect, as it was given.
    #[getter]
    fn dialect<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, &self.config.dialect)
    }

    /// The tools, as they were given.
    #[getter]
    fn tools<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::to_python(py, &self.config.tools)
    }

    /// The options that were given.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        json::to_dict(py, &self.config.options)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = self.unread().tools().iter().map(|tool| &tool.name);
        let mut text =
            format!("<Parser {} {}", self.unread().dialect(), PyList::new(py, names)?.repr()?);
        for (key, value) in self.options(py)? {
            text += &format!(" {key}={}", value.repr()?);
        }
        Ok(text + ">")
    }

    fn __copy__(&self) -> Parser {
        Parser { config: Arc::clone(&self.config), stream: self.stream.clone() }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Parser {
        self.__copy__()
    }

    /// What `pickle` makes it of again.
    #[allow(clippy::type_complexity)]
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((Bound<'py, PyAny>, Bound<'py, PyAny>), Bound<'py, PyDict>)> {
        if self.stream.begun {
            return Err(PyValueError::new_err(
                "a parser that has been fed cannot be pickled: pickle one that is `fresh()`",
            ));
        }
        let options = self.options(py)?;
        if let Some(ask) = &self.config.limit_by {
            options.set_item("limit_by", ask)?;
        }
        Ok(((self.dialect(py)?, self.tools(py)?), options))
    }
}

stream_methods! {
    Parser {
        /// The model ended its message: gives the last events.
        finish,
        /// The stream was cut (connection lost, finish reason "length"): gives the last events. Nothing that only the
        /// end of the stream would confirm is complete then.
        finish_cut,
    }
}
