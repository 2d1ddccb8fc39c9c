//! The package `toolstream_rs_arrow`: a column of model output, parsed into a column of structs.
//!
//! `toolstream_rs_arrow.pyi` and the README tell a Python programmer how to use it.

mod column;
mod input;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};
use pyo3_arrow::input::AnyArray;
use toolstream::{Dialect, Parser, Tool, options::Options};

/// Makes a ValueError of an error of the crate.
fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Reads each text of a column, and gives a struct for each, in order; for a null, null.
#[pyfunction]
#[pyo3(signature = (column, dialect, tools = None, **options))]
fn parse_column(
    py: Python<'_>,
    column: &Bound<'_, PyAny>,
    dialect: &Bound<'_, PyAny>,
    tools: Option<&Bound<'_, PyAny>>,
    options: Option<Bound<'_, PyDict>>,
) -> PyResult<Parsed> {
    let parser = parser(dialect, tools, options)?;
    let chunks = chunks(column)?;
    // From here on nothing is Python's: other threads run.
    py.detach(|| column::parse(&parser, &chunks)).map(|array| Parsed { array }).map_err(value_error)
}

/// The Arrow arrays that an object of any library hands out.
fn chunks(column: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if !column.hasattr("__arrow_c_array__")? && !column.hasattr("__arrow_c_stream__")? {
        let what = column.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "{what} is no Arrow column: give an array of pyarrow, a Series of Polars, or what else has `__arrow_c_array__`"
        )));
    }
    let column: AnyArray = column.extract()?;
    Ok(column.into_chunked_array()?.into_inner().0)
}

/// Makes a parser from the arguments of `toolstream_rs.Parser`.
fn parser(
    dialect: &Bound<'_, PyAny>,
    tools: Option<&Bound<'_, PyAny>>,
    options: Option<Bound<'_, PyDict>>,
) -> PyResult<Parser> {
    let options = options.unwrap_or_else(|| PyDict::new(dialect.py()));
    // A column is a log: there is no call to prevent any more.
    if !options.contains("tool_limit")? {
        options.set_item("tool_limit", dialect.py().None())?;
    }
    let dialect = match json(dialect)? {
        serde_json::Value::String(name) => Dialect::by_name(&name).map_err(value_error)?,
        shape => Dialect::from_json(&shape.to_string()).map_err(value_error)?,
    };
    let tools = tools.map_or(Ok(serde_json::Value::Array(Vec::new())), json)?;
    let tools = Tool::list_from_json(&tools).map_err(value_error)?;
    let options = Options::from_json(&json(&options)?).map_err(|error| {
        // `config` is a word of the crate: here options are arguments.
        let said = error.to_string();
        value_error(said.strip_prefix("config.").unwrap_or(&said))
    })?;
    Parser::builder(dialect).tools(tools).options(options).build().map_err(value_error)
}

/// A Python value as JSON.
fn json(value: &Bound<'_, PyAny>) -> PyResult<serde_json::Value> {
    let text: String = value.py().import("json")?.call_method1("dumps", (value,))?.extract()?;
    serde_json::from_str(&text).map_err(value_error)
}

/// A column of structs, for every library that takes Arrow: `pyarrow.array(parsed)`, `polars.Series(parsed)`.
#[pyclass(frozen, module = "toolstream_rs_arrow")]
struct Parsed {
    array: ArrayRef,
}

#[pymethods]
impl Parsed {
    /// The column as Arrow's C data interface has it.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        Ok(to_array_pycapsules(py, Arc::new(column::field()), &*self.array, requested_schema)?)
    }

    /// Its type, which is the same for every column.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        ParsedType.__arrow_c_schema__(py)
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __repr__(&self) -> String {
        format!("<Parsed of {} rows>", self.array.len())
    }
}

/// The type of every parsed column, for every library that takes Arrow: `pyarrow.field(parsed_type()).type`.
#[pyclass(frozen, module = "toolstream_rs_arrow")]
struct ParsedType;

#[pymethods]
impl ParsedType {
    /// The type as Arrow's C data interface has it.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, column::field())?)
    }

    fn __repr__(&self) -> String {
        format!("<ParsedType {}>", column::field().data_type())
    }
}

/// The type of every parsed column, for an engine that asks for it before there are data.
#[pyfunction]
fn parsed_type() -> ParsedType {
    ParsedType
}

/// Arrow columns of what language models wrote, parsed.
#[pymodule(gil_used = false)]
mod toolstream_rs_arrow {
    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::{Parsed, ParsedType, parse_column, parsed_type};
}
