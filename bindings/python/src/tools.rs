//! Tools as hosts declare them: dicts as they are, and what Python makes dicts of.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::Value;

use crate::{in_python, json};

/// The declarations of tools, as the crate reads them. Python's own part knows of models, functions and other objects; a list
/// of dicts needs none of it.
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
