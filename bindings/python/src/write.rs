//! `Parser`: what goes to the model, in the parser's dialect.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Value, json};
use toolstream::{Format, Options, ToolChoice, ToolResult};

use crate::parser::Parser;
use crate::{json, value_error};

/// The keys of a result, as `render_results` takes it.
const RESULT: [&str; 4] = ["name", "id", "content", "is_error"];

#[pymethods]
impl Parser {
    /// A call as the model would have written it. It is read back before it is handed out: ValueError for one that
    /// the dialect cannot carry.
    fn render_call(&self, name: &str, arguments: &Bound<'_, PyDict>) -> PyResult<String> {
        self.unread().render_call(name, &json::from_dict(arguments)?).map_err(value_error)
    }

    /// The user message that brings the model the results of its calls, in the order of the calls. Each is a dict
    /// with `name` and `content`, perhaps with the call's `id`, and with `is_error` for what went wrong. `markers`
    /// says what becomes of the dialect's markers in them, in place of the option `results`: "neutralise", "refuse"
    /// (ValueError) or "verbatim".
    #[pyo3(signature = (results, *, markers = None))]
    fn render_results(
        &self,
        results: Vec<Bound<'_, PyDict>>,
        markers: Option<&str>,
    ) -> PyResult<String> {
        let results = results.iter().map(result).collect::<PyResult<Vec<_>>>()?;
        self.writing(markers)?.render_results(&results).map_err(value_error)
    }

    /// A client's history as the messages of an OpenAI chat, with calls and results as text. It takes the messages of
    /// a chat, those of Anthropic's Messages, or the input items of OpenAI's Responses. ValueError, with the place,
    /// for what the dialect cannot carry. `markers` as in `render_results`, for results and for what users say.
    #[pyo3(signature = (messages, *, markers = None))]
    fn render_history<'py>(
        &self,
        messages: &Bound<'py, PyList>,
        markers: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let read = messages.iter().map(|message| json::from_python(&message));
        let read = read.collect::<PyResult<Vec<_>>>()?;
        let written = self.writing(markers)?.render_history(&read).map_err(value_error)?;
        json::to_python(messages.py(), &Value::Array(written))
    }

    /// A text that somebody else wrote, for the model: the dialect's markers and special tokens in it are broken up by one
    /// "␛" behind their first character. `restore` gives the text back.
    fn neutralise(&self, text: &str) -> String {
        self.unread().neutralise(text).into_owned()
    }

    /// The section of the system prompt that tells the model these tools and how to call them; empty without tools.
    fn system_prompt(&self) -> String {
        self.unread().system_prompt()
    }

    /// What a server should stop at: a model that goes on would invent a result.
    fn stop_sequences(&self) -> Vec<String> {
        self.unread().stop_sequences().into_iter().map(String::from).collect()
    }

    /// A grammar of what the model may write, for constrained decoding: "lark" (`llguidance`) or "structural_tag"
    /// (`xgrammar`, and vLLM and SGLang with it). `tool_choice` is that of a request, as OpenAI or Anthropic writes it:
    /// "required" or a named tool make a call certain, "none" allows none; as many calls are allowed as `tool_limit` says.
    /// ValueError for a dialect that has no grammar, and for a named tool that is not declared.
    #[pyo3(signature = (format, tool_choice = None))]
    fn grammar(&self, format: &str, tool_choice: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let format = match format {
            "lark" => Format::Lark,
            "structural_tag" => Format::StructuralTag,
            _ => {
                let what = format!("unknown format `{format}`: use one of lark, structural_tag");
                return Err(PyValueError::new_err(what));
            }
        };
        let choice = tool_choice.map_or(Ok(Value::Null), json::from_python)?;
        let choice = ToolChoice::from_json(&choice).map_err(value_error)?;
        self.unread().grammar_for(format, &choice).map_err(value_error)
    }
}

/// Gives back a text that `Parser.neutralise` or `render_results` changed, or a piece of one.
#[pyfunction]
pub fn restore(text: &str) -> String {
    toolstream::restore(text).into_owned()
}

impl Parser {
    /// The parser that writes, by this choice.
    fn writing(&self, markers: Option<&str>) -> PyResult<Cow<'_, toolstream::Parser>> {
        let Some(markers) = markers else { return Ok(Cow::Borrowed(self.unread())) };
        let options = Options::from_json(&json!({"results": markers}));
        let Ok(options) = options else {
            let what =
                format!("unknown `markers` {markers:?}: use one of neutralise, refuse, verbatim");
            return Err(PyValueError::new_err(what));
        };
        let parser = self.unread().to_builder().results(options.results).build();
        Ok(Cow::Owned(parser.map_err(value_error)?))
    }
}

fn result(result: &Bound<'_, PyDict>) -> PyResult<ToolResult> {
    let mut result = json::from_dict(result)?;
    if let Some(key) = result.keys().find(|key| !RESULT.contains(&key.as_str())) {
        let known = RESULT.join(", ");
        let what = format!("a result has no key `{key}`: its keys are {known}");
        return Err(PyValueError::new_err(what));
    }
    result.entry("is_error").or_insert(Value::Bool(false));
    serde_json::from_value(result.into()).map_err(value_error)
}
