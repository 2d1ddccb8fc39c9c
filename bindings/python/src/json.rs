//! JSON values as Python objects, and back.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

use crate::text::whole;

/// The most levels of a host's value: the crate's own bound for model output. A value that holds itself has no
/// end.
const LEVELS: usize = 128;

pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(truth) => truth.into_bound_py_any(py),
        Value::Number(number) => to_number(py, number),
        Value::String(text) => Ok(PyString::new(py, text).into_any()),
        Value::Array(items) => {
            let items = items.iter().map(|item| to_python(py, item));
            Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        Value::Object(members) => Ok(to_dict(py, members)?.into_any()),
    }
}

pub fn to_dict<'py>(py: Python<'py>, members: &Map<String, Value>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in members {
        dict.set_item(key, to_python(py, value)?)?;
    }
    Ok(dict)
}

/// Returns exactly the written integer, or the nearest float. Numbers that Python cannot hold become text: an integer
/// of more than some 4,300 digits, and a number beyond the largest float. Arguments have no such number, but a
/// provider's own data may.
fn to_number<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    if let Some(small) = number.as_i64() {
        return small.into_bound_py_any(py);
    }
    let text = number.to_string();
    if text.contains(['.', 'e', 'E']) {
        return match number.as_f64() {
            Some(float) => float.into_bound_py_any(py),
            None => text.into_bound_py_any(py),
        };
    }
    match py.get_type::<PyInt>().call1((&text,)) {
        Err(error) if error.is_instance_of::<PyValueError>(py) => text.into_bound_py_any(py),
        integer => integer,
    }
}

/// The words for an object in an error: "a str", "None".
pub fn kind(object: &Bound<'_, PyAny>) -> PyResult<String> {
    if object.is_none() {
        return Ok("None".into());
    }
    let name = object.get_type().name()?.to_string();
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    Ok(format!("{article} {name}"))
}

pub fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    from_level(object, LEVELS)
}

pub fn from_dict(dict: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    from_members(dict, LEVELS)
}

fn from_level(object: &Bound<'_, PyAny>, levels: usize) -> PyResult<Value> {
    if levels == 0 {
        let what = format!("JSON of more than {LEVELS} levels");
        return Err(PyValueError::new_err(what));
    }
    if object.is_none() {
        Ok(Value::Null)
    } else if let Ok(truth) = object.cast::<PyBool>() {
        Ok(truth.is_true().into())
    } else if let Ok(text) = object.cast::<PyString>() {
        Ok(whole(text)?.into_owned().into())
    } else if object.is_instance_of::<PyInt>() {
        from_integer(object)
    } else if let Ok(float) = object.cast::<PyFloat>() {
        let number = Number::from_f64(float.value());
        let error = || PyValueError::new_err(format!("{} is no number of JSON's", float.value()));
        number.map(Value::Number).ok_or_else(error)
    } else if let Ok(dict) = object.cast::<PyDict>() {
        from_members(dict, levels).map(Value::Object)
    } else if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let items = object.try_iter()?.map(|item| from_level(&item?, levels - 1));
        items.collect::<PyResult<Vec<_>>>().map(Value::Array)
    } else if let Ok(dump) = object.getattr("model_dump") {
        // An object of a provider's SDK, as that SDK would send it.
        let options = [("by_alias", true), ("exclude_unset", true)].into_py_dict(object.py())?;
        options.set_item("mode", "json")?;
        from_level(&dump.call((), Some(&options))?, levels - 1)
    } else {
        Err(PyTypeError::new_err(format!("{} is no JSON", object.get_type().name()?)))
    }
}

fn from_members(dict: &Bound<'_, PyDict>, levels: usize) -> PyResult<Map<String, Value>> {
    let member = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((whole(key.cast::<PyString>()?)?.into_owned(), from_level(&value, levels - 1)?))
    };
    dict.iter().map(member).collect()
}

fn from_integer(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(small) = object.extract::<i64>() {
        return Ok(small.into());
    }
    // `int.__repr__`, not `str`: an `IntEnum` has its own text.
    let digits = object.py().get_type::<PyInt>().call_method1("__repr__", (object,))?;
    serde_json::from_str(digits.cast::<PyString>()?.to_str()?).map_err(crate::value_error)
}
