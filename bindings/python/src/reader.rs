//! `Reader`: the providers' own streams.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Map, Value};
use toolstream::Tool;
use toolstream::native::{self, Provider};

use crate::config::{Ask, options_of, unknown_option};
use crate::parser::Parser;
use crate::single::Single;
use crate::stream::{Source, Stream, stream_methods};
use crate::tools::declared;
use crate::{json, value_error};

/// The options that a reader has.
const OPTIONS: [&str; 5] = ["tool_limit", "chaining_tools", "types", "required", "repairs"];

/// Reads the stream of one message of a provider's: "openai-chat", "openai-responses", "anthropic", "gemini".
///
/// `text_calls` is a parser for the answer's text, for a server that leaves the calls in it; then its tools and options
/// count for all. `limit_by` as a parser has it. Options: `tool_limit` (None unless said), `chaining_tools`, `types`,
/// `required`, `repairs`, as a parser has them. ValueError where the configuration makes no sense. What is pickled is the
/// configuration, so a reader that has been fed refuses (ValueError).
#[pyclass(frozen, weakref, module = "toolstream_rs")]
pub struct Reader {
    config: Arc<Config>,
    /// A parser that has read nothing.
    text_calls: Option<Py<Parser>>,
    limit_by: Option<Py<Ask>>,
    stream: Single<Stream>,
}

/// A reader's configuration, from its arguments.
struct Config {
    provider: String,
    tools: Value,
    options: Map<String, Value>,
    /// A reader that has read nothing.
    reader: native::Reader,
}

impl Reader {
    /// A stream of its configuration that has not begun.
    pub fn unread(&self) -> Stream {
        Stream::new(Source::Native(self.config.reader.clone()))
    }
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (provider, tools = None, *, text_calls = None, limit_by = None, **options))]
    fn new(
        provider: &str,
        tools: Option<&Bound<'_, PyAny>>,
        text_calls: Option<&Bound<'_, Parser>>,
        limit_by: Option<Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Reader> {
        let of: Provider = provider.parse().map_err(value_error)?;
        let tools = declared(tools)?;
        let options = options.map_or(Ok(Map::new()), json::from_dict)?;
        let mut builder =
            native::Reader::builder(of).tools(Tool::list_from_json(&tools).map_err(value_error)?);
        if let Some(parser) = text_calls {
            builder = builder.text_calls(parser.get().unread().clone());
        }
        let limit_by = Ask::of(limit_by)?;
        if let Some(ask) = &limit_by {
            builder = builder.limit_by(Ask::limit(ask)?);
        }
        let reader = with_options(builder, &options)?.build().map_err(value_error)?;
        let fresh =
            |parser: &Bound<'_, Parser>| Py::new(parser.py(), parser.get().fresh(parser.py()));
        let text_calls = text_calls.map(fresh).transpose()?;
        let stream = Single::new("Reader", Stream::new(Source::Native(reader.clone())));
        let config = Arc::new(Config { provider: provider.to_string(), tools, options, reader });
        Ok(Reader { config, text_calls, limit_by: limit_by.map(Bound::unbind), stream })
    }

    /// Reads one event of the provider's and gives what it says: JSON text (the data of a server-sent event), a
    /// dict, or an object of the provider's SDK. RuntimeError after `finish`; ValueError for a line that still has its `data:`,
    /// and for a first event that is no JSON.
    fn feed<'py>(&self, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let mut stream = self.stream.take()?;
        let input = stream.input(event)?;
        stream.events(event.py(), &input)
    }

    /// A reader of the same configuration that has read nothing.
    fn fresh(&self, py: Python<'_>) -> Reader {
        Reader {
            config: Arc::clone(&self.config),
            text_calls: self.text_calls.as_ref().map(|parser| parser.clone_ref(py)),
            limit_by: self.limit_by.as_ref().map(|ask| ask.clone_ref(py)),
            stream: Single::new("Reader", self.unread()),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.text_calls)?;
        visit.call(&self.limit_by)
    }

    /// The arguments of which `pickle` makes another one.
    #[allow(clippy::type_complexity)]
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((&str, Bound<'py, PyAny>), Bound<'py, PyDict>)> {
        if self.stream.take()?.begun {
            return Err(PyValueError::new_err(
                "a reader that has been fed cannot be pickled: pickle one that is `fresh()`",
            ));
        }
        let Config { provider, tools, options, .. } = &*self.config;
        let options = json::to_dict(py, options)?;
        options.set_item("text_calls", &self.text_calls)?;
        options.set_item("limit_by", self.limit_by.as_ref().map(|ask| ask.get().function()))?;
        Ok(((provider, json::to_python(py, tools)?), options))
    }

    /// The provider's own words on its answer: id, model, stop reason, usage, error.
    #[getter]
    fn envelope<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let envelope = match &self.stream.take()?.source {
            Source::Native(reader) => {
                serde_json::to_value(reader.envelope()).map_err(value_error)?
            }
            Source::Text(_) => Value::Null,
        };
        json::to_python(py, &envelope)
    }
}

stream_methods! {
    Reader {
        /// The stream is over: gives the last events. The provider's own word decides whether it came whole.
        finish,
        /// The stream was cut, whatever the provider said: gives the last events.
        finish_cut,
    }
}

/// Read as a parser's options are, so that a mistake has the same words.
fn with_options(
    mut builder: native::ReaderBuilder,
    options: &Map<String, Value>,
) -> PyResult<native::ReaderBuilder> {
    if let Some(key) = options.keys().find(|key| !OPTIONS.contains(&key.as_str())) {
        return Err(unknown_option(key, " of a reader", &OPTIONS));
    }
    let said = |key: &str| options.contains_key(key);
    let (limit, types, repairs) = (said("tool_limit"), said("types"), said("repairs"));
    let (chaining, required) = (said("chaining_tools"), said("required"));
    let options = options_of(options.clone())?;
    if limit {
        builder = builder.tool_limit(options.tool_limit);
    }
    if types {
        builder = builder.types(options.types);
    }
    if repairs {
        builder = builder.repairs(options.repairs);
    }
    if required {
        builder = builder.required(options.required);
    }
    if chaining {
        builder = builder.chaining_tools(options.chaining_tools);
    }
    Ok(builder)
}
