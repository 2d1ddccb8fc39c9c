//! `Parser`: texts for the model, in the parser's dialect.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple};
use serde_json::{Value, json};
use toolstream::{
    grammar::{CallGrammar, Format, ToolChoice},
    options::Options,
    render::ToolResult,
};

use crate::parser::Parser;
use crate::{json, value_error};

/// The keys of a result, as `render_results` takes it.
const RESULT: [&str; 4] = ["name", "id", "content", "is_error"];

#[pymethods]
impl Parser {
    /// A call as the model would have written it. It is read back before it is handed out: ValueError for one that
    /// the dialect cannot carry.
    fn render_call(&self, name: &str, arguments: &Bound<'_, PyAny>) -> PyResult<String> {
        let Ok(arguments) = arguments.cast::<PyDict>() else {
            let what = json::kind(arguments)?;
            return Err(PyTypeError::new_err(format!("arguments must be a dict, not {what}")));
        };
        self.unread().render_call(name, &json::from_dict(arguments)?).map_err(value_error)
    }

    /// The user message that brings the model the results of its calls, in the order of the calls. Each is a dict
    /// with `name` and `content`, perhaps with the call's `id`, and with `is_error` for what went wrong. `markers`
    /// says what becomes of the dialect's markers in them, in place of the option `results`: "neutralise", "refuse"
    /// (ValueError) or "verbatim".
    #[pyo3(signature = (results, *, markers = None))]
    fn render_results(
        &self,
        results: &Bound<'_, PyAny>,
        markers: Option<&str>,
    ) -> PyResult<String> {
        let results = listed("results", results)?.enumerate().map(|(at, one)| result(at, &one?));
        let results = results.collect::<PyResult<Vec<_>>>()?;
        self.writing(markers)?.render_results(&results).map_err(value_error)
    }

    /// A client's history as the messages of an OpenAI chat, with calls and results as text. It takes the messages of
    /// a chat, those of Anthropic's Messages, or the input items of OpenAI's Responses, with whatever an agent stored in
    /// them (the options `attachments`, `unwritable_calls`, `hosted_calls` and `late_system` say what becomes of it).
    /// A message is a dict or an object of an SDK's, as it came. ValueError, with the place, for one that is neither. `markers` as in `render_results`, for results and for
    /// what users say.
    #[pyo3(signature = (messages, *, markers = None))]
    fn render_history<'py>(
        &self,
        messages: &Bound<'py, PyAny>,
        markers: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let read = history(messages)?;
        let written = self.writing(markers)?.render_history(&read).map_err(value_error)?;
        json::to_python(messages.py(), &Value::Array(written))
    }

    /// The messages of a request: the prompt that tells the tools (`system_prompt`), `system` (Anthropic's `system`, the
    /// `instructions` of Responses: a str or a list of texts), and the messages as `render_history` writes them. All that
    /// the system says is one message.
    #[pyo3(signature = (messages, *, system = None, markers = None))]
    fn render_chat<'py>(
        &self,
        messages: &Bound<'py, PyAny>,
        system: Option<&Bound<'py, PyAny>>,
        markers: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let read = history(messages)?;
        let system = system.map_or(Ok(Value::Null), json::from_python)?;
        let written = self.writing(markers)?.render_chat(&system, &read).map_err(value_error)?;
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

    /// The texts at which a server should stop: a model that goes on would invent a result.
    fn stop_sequences(&self) -> Vec<String> {
        self.unread().stop_sequences().into_iter().map(String::from).collect()
    }

    /// A grammar of what the model may write, for constrained decoding: "lark" (`llguidance`) or "structural_tag"
    /// (`xgrammar`, and vLLM and SGLang with it). `tool_choice` is that of a request, as OpenAI or Anthropic writes it:
    /// "required" or a named tool make a call certain, "none" allows none; as many calls are allowed as `tool_limit` says.
    /// ValueError for a dialect that has no grammar, and for a named tool that is not declared.
    #[pyo3(signature = (format, tool_choice = None))]
    fn grammar(&self, format: &str, tool_choice: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let (format, choice) = (format_of(format)?, choice_of(tool_choice)?);
        self.unread().grammar_for(format, &choice).map_err(value_error)
    }

    /// Grammars that begin behind the opener of a call and end with it, for a server that switches a grammar on at a
    /// marker: dicts of `opener`, `tools` (the names of those whose calls begin with it) and `grammar`. `format` and
    /// `tool_choice` as `grammar` takes them.
    #[pyo3(signature = (format, tool_choice = None))]
    fn call_grammars<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        tool_choice: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (format, choice) = (format_of(format)?, choice_of(tool_choice)?);
        let grammars = self.unread().call_grammars(format, &choice).map_err(value_error)?;
        let grammars = grammars.into_iter().map(|CallGrammar { opener, tools, grammar, .. }| {
            json!({"opener": opener, "tools": tools, "grammar": grammar})
        });
        json::to_python(py, &Value::from_iter(grammars))
    }
}

/// Gives back a text that `Parser.neutralise` or `render_results` changed, or a piece of one.
#[pyfunction]
pub fn restore(text: &str) -> String {
    toolstream::render::restore(text).into_owned()
}

fn format_of(name: &str) -> PyResult<Format> {
    match name {
        "lark" => Ok(Format::Lark),
        "structural_tag" => Ok(Format::StructuralTag),
        _ => {
            let what = format!("unknown format `{name}`: use one of lark, structural_tag");
            Err(PyValueError::new_err(what))
        }
    }
}

fn choice_of(tool_choice: Option<&Bound<'_, PyAny>>) -> PyResult<ToolChoice> {
    let choice = tool_choice.map_or(Ok(Value::Null), json::from_python)?;
    ToolChoice::from_json(&choice).map_err(value_error)
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

/// Returns the items of an argument that must be a list, or a tuple.
fn listed<'py>(name: &str, list: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    if list.is_instance_of::<PyList>() || list.is_instance_of::<PyTuple>() {
        return list.try_iter();
    }
    let what = json::kind(list)?;
    Err(PyTypeError::new_err(format!("{name} must be a list of dicts, not {what}")))
}

/// Reads the messages of a history. An error names the one that is no JSON.
fn history(messages: &Bound<'_, PyAny>) -> PyResult<Vec<Value>> {
    let read = |(at, message): (usize, PyResult<Bound<'_, PyAny>>)| {
        let py = messages.py();
        json::from_python(&message?).map_err(|error| {
            let said = PyValueError::new_err(format!("messages[{at}]: {}", error.value(py)));
            said.set_cause(py, Some(error));
            said
        })
    };
    listed("messages", messages)?.enumerate().map(read).collect()
}

fn result(at: usize, result: &Bound<'_, PyAny>) -> PyResult<ToolResult> {
    let Ok(dict) = result.cast::<PyDict>() else {
        let what = json::kind(result)?;
        return Err(PyTypeError::new_err(format!("results[{at}] must be a dict, not {what}")));
    };
    let mut result = json::from_dict(dict)?;
    if let Some(key) = result.keys().find(|key| !RESULT.contains(&key.as_str())) {
        let known = RESULT.join(", ");
        let what = format!("results[{at}] has the key `{key}`: the keys of a result are {known}");
        return Err(PyValueError::new_err(what));
    }
    for key in ["name", "content"] {
        if !result.contains_key(key) {
            return Err(PyValueError::new_err(format!("results[{at}] has no `{key}`")));
        }
    }
    result.entry("is_error").or_insert(Value::Bool(false));
    let read = serde_json::from_value(result.into());
    read.map_err(|error| PyValueError::new_err(format!("results[{at}]: {error}")))
}
