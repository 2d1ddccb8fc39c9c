//! `Reader`: the providers' own streams.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Map, Value};
use toolstream::Tool;
use toolstream::native::{self, Provider};

use crate::config::{may_open, options_of, unknown_option};
use crate::parser::Parser;
use crate::stream::{Source, Stream, stream_methods};
use crate::tools::declared;
use crate::{json, mine, value_error};

/// The options that a reader has.
const OPTIONS: [&str; 5] = ["tool_limit", "chaining_tools", "types", "required", "repairs"];

/// Reads the stream of one message of a provider's: "openai-chat", "openai-responses", "anthropic", "gemini".
///
/// `text_calls` is a parser for the answer's text, for a server that leaves the calls in it; then its tools and options
/// count for all. `limit_by` as a parser has it. Options: `tool_limit` (None unless said), `chaining_tools`, `types`,
/// `required`, `repairs`, as a parser has them. ValueError where the configuration makes no sense. What is pickled is the
/// configuration, so a reader that has been fed refuses (ValueError).
#[pyclass(weakref, module = "toolstream_rs")]
pub struct Reader {
    config: Arc<Config>,
    stream: Stream,
}

/// A reader's configuration, from its arguments.
struct Config {
    provider: String,
    tools: Value,
    /// A parser that has read nothing.
    text_calls: Option<Py<Parser>>,
    limit_by: Option<Py<PyAny>>,
    options: Map<String, Value>,
}

impl Reader {
    pub fn source(&self) -> &Source {
        &self.stream.source
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
        limit_by: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Reader> {
        let of: Provider = provider.parse().map_err(value_error)?;
        let tools = declared(tools)?;
        let options = options.map_or(Ok(Map::new()), json::from_dict)?;
        let mut builder =
            native::Reader::builder(of).tools(Tool::list_from_json(&tools).map_err(value_error)?);
        if let Some(parser) = text_calls {
            builder = builder.text_calls(parser.try_borrow()?.unread().clone());
        }
        if let Some(ask) = &limit_by {
            let ask = Python::attach(|py| ask.clone_ref(py));
            builder = builder.limit_by(move |call| may_open(&ask, call));
        }
        let reader = with_options(builder, &options)?.build().map_err(value_error)?;
        let fresh = |parser: &Bound<'_, Parser>| Py::new(parser.py(), parser.try_borrow()?.fresh());
        let text_calls = text_calls.map(fresh).transpose()?;
        let provider = provider.to_string();
        let config = Arc::new(Config { provider, tools, text_calls, limit_by, options });
        Ok(Reader { config, stream: Stream::new(Source::Native(reader)) })
    }

    /// Reads one event of the provider's and gives what it says: JSON text (the data of a server-sent event), a
    /// dict, or an object of the provider's SDK. RuntimeError after `finish`; ValueError for a line that still has its `data:`.
    fn feed<'py>(
        slf: &Bound<'py, Self>,
        event: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut reader = mine(slf)?;
        let input = reader.stream.input(event)?;
        reader.stream.events(event.py(), &input)
    }

    /// A reader of the same configuration that has read nothing.
    fn fresh(&self) -> Reader {
        let stream = Stream::new(self.stream.source.fresh());
        Reader { config: Arc::clone(&self.config), stream }
    }

    /// The arguments of which `pickle` makes another one.
    #[allow(clippy::type_complexity)]
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((&str, Bound<'py, PyAny>), Bound<'py, PyDict>)> {
        if self.stream.begun {
            return Err(PyValueError::new_err(
                "a reader that has been fed cannot be pickled: pickle one that is `fresh()`",
            ));
        }
        let Config { provider, tools, text_calls, limit_by, options } = &*self.config;
        let options = json::to_dict(py, options)?;
        options.set_item("text_calls", text_calls)?;
        options.set_item("limit_by", limit_by)?;
        Ok(((provider, json::to_python(py, tools)?), options))
    }

    /// The provider's own words on its answer: id, model, stop reason, usage, error.
    #[getter]
    fn envelope<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let envelope = match &self.stream.source {
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
