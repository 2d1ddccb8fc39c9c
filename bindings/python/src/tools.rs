//! Tools as hosts declare them: dicts, and objects that Python turns into dicts.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::Value;

use crate::{in_python, json};

/// Returns the declarations of tools for the crate. The Python part of the package knows models, functions and other objects;
/// a list of dicts does not need it.
pub fn declared(tools: Option<&Bound<'_, PyAny>>) -> PyResult<Value> {
    let Some(tools) = tools.filter(|tools| !tools.is_none()) else {
        return Ok(Value::Array(Vec::new()));
    };
    let is_dict = |tool: Bound<'_, PyAny>| tool.is_instance_of::<PyDict>();
    let dicts = match (tools.cast::<PyList>(), tools.cast::<PyTuple>()) {
        (Ok(list), _) => list.iter().all(is_dict),
        (_, Ok(tuple)) => tuple.iter().all(is_dict),
        _ => false,
    };
    if dicts {
        return json::from_python(tools);
    }
    json::from_python(&in_python(tools.py(), "_tools", "declarations")?.call1((tools,))?)
}
