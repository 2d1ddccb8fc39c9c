//! The dialects, and the models that write them.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use toolstream::{
    Dialect, Tool,
    options::{Start, ValueWhitespace},
};

use crate::config::dialect_of;
use crate::json;
use crate::record::record;
use crate::text::whole;
use crate::tools::declared;

/// The names of the built-in dialects.
#[pyfunction]
pub fn dialects() -> Vec<String> {
    Dialect::ALL.iter().map(|dialect| dialect.name().to_string()).collect()
}

/// The tools of a client's request that a parser takes, namespaces among them, and the types of those that are left out
/// because a provider runs them: `[{"type": "web_search"}]` gives `([], ["web_search"])`.
#[pyfunction]
pub fn split_tools<'py>(
    py: Python<'py>,
    tools: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    let (declared, left_out) = Tool::split_request(&declared(Some(tools))?);
    Ok((json::to_python(py, &declared)?, left_out))
}

/// The texts of a built-in dialect's markers. Names of tools and arguments stand between them. ValueError for a name that
/// is none.
#[pyfunction]
pub fn markers(name: &str) -> PyResult<Vec<String>> {
    Ok(dialect_of(name)?.markers())
}

/// The texts that open reasoning in a built-in dialect, and those that close it. ValueError for a name that is none.
#[pyfunction]
pub fn reasoning_markers(name: &str) -> PyResult<(Vec<String>, Vec<String>)> {
    let dialect = dialect_of(name)?;
    let [open, close] = dialect.reasoning_markers();
    let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_string).collect();
    Ok((owned(open), owned(close)))
}

/// Start of a stream whose rendered prompt ends like this: "reasoning" if the chat template left a reasoning
/// block open, else "text".
#[pyfunction]
pub fn start_of_prompt(end_of_prompt: &Bound<'_, PyString>) -> PyResult<String> {
    Ok(Start::of_prompt(&whole(end_of_prompt)?).to_string())
}

record! {
    /// A model's dialect, by its name: `Parser(found.dialect, tools, **found.options)`.
    ModelMatch {
        /// How it writes its calls.
        dialect: Py<PyString>,
        /// Options for it: where its stream begins, and whether white space in values is its own.
        options: Py<PyDict>,
        /// The names of its family, as they are looked for in an id; `*` stands for anything.
        names: Py<PyTuple>,
    }
}

/// The dialect of the model of this id ("Qwen/Qwen3-8B"), and its options; None for one that is in no family.
#[pyfunction]
pub fn for_model(py: Python<'_>, id: &str) -> PyResult<Option<ModelMatch>> {
    let Some(found) = Dialect::for_model(id) else { return Ok(None) };
    let options = PyDict::new(py);
    if found.start != Start::default() {
        options.set_item("start", found.start.to_string())?;
    }
    if found.value_whitespace != ValueWhitespace::default() {
        options.set_item("value_whitespace", found.value_whitespace.to_string())?;
    }
    Ok(Some(ModelMatch {
        dialect: PyString::new(py, &found.dialect.to_string()).unbind(),
        options: options.unbind(),
        names: PyTuple::new(py, found.names().collect::<Vec<_>>())?.unbind(),
    }))
}

/// The dialect that a chat template asks its model for; None if it is none that is known.
#[pyfunction]
pub fn detect(chat_template: &str) -> Option<String> {
    Dialect::detect(chat_template).map(|dialect| dialect.to_string())
}
