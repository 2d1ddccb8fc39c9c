//! `Reader`: the providers' own streams.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Map, Value};
use toolstream::native::{self, Provider};
use toolstream::{Options, Tool};

use crate::config::may_open;
use crate::parser::Parser;
use crate::stream::{Source, Stream, stream_methods};
use crate::{json, value_error};

/// The options that a reader has.
const OPTIONS: [&str; 5] = ["tool_limit", "chaining_tools", "types", "required", "repairs"];

/// Reads the stream of one message of a provider's: "openai-chat", "openai-responses", "anthropic", "gemini".
///
/// `text_calls` is a parser for the answer's text, for a server that leaves the calls in it; then its tools and options
/// count for all. `limit_by` as a parser has it. Options: `tool_limit` (None unless said), `chaining_tools`, `types`, `required`, `repairs`, as a parser has them. ValueError where the
/// configuration makes no sense.
#[pyclass(module = "toolstream_rs")]
pub struct Reader {
    stream: Stream,
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
        text_calls: Option<&Parser>,
        limit_by: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Reader> {
        let provider: Provider = provider.parse().map_err(value_error)?;
        let tools = tools.map_or(Ok(Value::Array(Vec::new())), json::from_python)?;
        let mut builder = native::Reader::builder(provider)
            .tools(Tool::list_from_json(&tools).map_err(value_error)?);
        if let Some(parser) = text_calls {
            builder = builder.text_calls(parser.unread().clone());
        }
        if let Some(ask) = limit_by {
            builder = builder.limit_by(move |call| may_open(&ask, call));
        }
        let builder = with_options(builder, options.map_or(Ok(Map::new()), json::from_dict)?)?;
        let reader = builder.build().map_err(value_error)?;
        Ok(Reader { stream: Stream::new(Source::Native(reader)) })
    }

    /// Reads one event of the provider's and gives what it says: JSON text (the data of a server-sent event), or a
    /// dict.
    fn feed<'py>(&mut self, event: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let input = self.stream.input(event)?;
        self.stream.events(event.py(), &input)
    }

    /// What the provider says of its answer: id, model, stop reason, usage, error.
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
    options: Map<String, Value>,
) -> PyResult<native::ReaderBuilder> {
    if let Some(key) = options.keys().find(|key| !OPTIONS.contains(&key.as_str())) {
        let known = OPTIONS.join(", ");
        let what = format!("unknown option `{key}`: the options of a reader are {known}");
        return Err(PyValueError::new_err(what));
    }
    let said = |key: &str| options.contains_key(key);
    let (limit, types, repairs) = (said("tool_limit"), said("types"), said("repairs"));
    let (chaining, required) = (said("chaining_tools"), said("required"));
    let options = Options::from_json(&Value::Object(options.clone())).map_err(value_error)?;
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
