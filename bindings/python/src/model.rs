//! Which dialects there are, and which model writes which.

use pyo3::prelude::*;
use toolstream::Dialect;

use crate::{json, value_error};

/// The names of the built-in dialects.
#[pyfunction]
pub fn dialects() -> Vec<String> {
    Dialect::ALL.iter().map(|dialect| dialect.name().to_string()).collect()
}

/// The table of a built-in dialect: what a dialect of one's own may begin with. ValueError for a name that is none.
#[pyfunction]
pub fn table<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let table = Dialect::by_name(name).map_err(value_error)?.spec().to_json();
    json::to_python(py, &serde_json::from_str(&table).map_err(value_error)?)
}
