//! Frozen classes with named fields, like frozen dataclasses of Python. They are made in Rust because each
//! event needs one.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

/// A frozen class with these fields, in this order: constructor, `__match_args__`, `repr`, equality, hash and
/// pickling. With `as "name"` it has a class attribute `type`, by which a union of such classes is told apart.
macro_rules! record {
    ($(#[doc = $doc:literal])* $name:ident $(as $kind:literal)? {
        $($(#[doc = $about:literal])* $field:ident: $type:ty,)*
    }) => {
        $(#[doc = $doc])*
        #[pyo3::pyclass(frozen, weakref, module = "toolstream_rs")]
        pub struct $name {
            $($(#[doc = $about])* #[pyo3(get)] pub $field: $type,)*
        }

        #[pyo3::pymethods]
        impl $name {
            #[new]
            #[allow(clippy::too_many_arguments)]
            fn new($($field: $type),*) -> Self {
                $name { $($field),* }
            }

            $(
                /// The name of the record's class.
                #[classattr]
                #[pyo3(name = "type")]
                fn kind(py: pyo3::Python<'_>) -> pyo3::Bound<'_, pyo3::types::PyString> {
                    pyo3::types::PyString::intern(py, $kind)
                }
            )?

            #[classattr]
            fn __match_args__(
                py: pyo3::Python<'_>,
            ) -> pyo3::PyResult<pyo3::Bound<'_, pyo3::types::PyTuple>> {
                crate::record::strings(py, Self::FIELDS)
            }

            /// The fields as a dict, and `type` where there is one: `json.dumps` takes it.
            fn to_dict<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::types::PyDict>> {
                crate::record::to_dict(Self::KIND, Self::FIELDS, &self.values(py)?)
            }

            fn __repr__(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<String> {
                crate::record::repr(stringify!($name), Self::FIELDS, &self.values(py)?)
            }

            fn __eq__(&self, other: &Self, py: pyo3::Python<'_>) -> pyo3::PyResult<bool> {
                pyo3::types::PyAnyMethods::eq(&*self.values(py)?, other.values(py)?)
            }

            fn __hash__(&self, py: pyo3::Python<'_>) -> pyo3::PyResult<isize> {
                crate::record::hash(stringify!($name), &self.values(py)?)
            }

            fn __reduce__<'py>(
                slf: &pyo3::Bound<'py, Self>,
            ) -> pyo3::PyResult<(
                pyo3::Bound<'py, pyo3::types::PyType>,
                pyo3::Bound<'py, pyo3::types::PyTuple>,
            )> {
                use pyo3::types::PyAnyMethods;
                Ok((slf.get_type(), slf.get().values(slf.py())?))
            }
        }

        impl $name {
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];
            const KIND: &'static [&'static str] = &[$($kind)?];

            fn values<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::types::PyTuple>> {
                let values: Vec<pyo3::Bound<'py, pyo3::PyAny>> =
                    vec![$(pyo3::IntoPyObjectExt::into_bound_py_any(&self.$field, py)?),*];
                pyo3::types::PyTuple::new(py, values)
            }
        }
    };
}
pub(crate) use record;

pub fn strings<'py>(py: Python<'py>, names: &[&str]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, names.iter().map(|name| PyString::intern(py, name)))
}

pub fn to_dict<'py>(
    kind: &[&str],
    fields: &[&str],
    values: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(values.py());
    for kind in kind {
        dict.set_item("type", kind)?;
    }
    for (field, value) in fields.iter().zip(values) {
        // A tuple comes back from JSON as a list.
        match value.cast::<PyTuple>() {
            Ok(tuple) => dict.set_item(field, tuple.to_list())?,
            Err(_) => dict.set_item(field, value)?,
        }
    }
    Ok(dict)
}

/// `Name(field=value, …)`
pub fn repr(name: &str, fields: &[&str], values: &Bound<'_, PyTuple>) -> PyResult<String> {
    let mut members = Vec::new();
    for (field, value) in fields.iter().zip(values) {
        members.push(format!("{field}={}", value.repr()?.to_str()?));
    }
    Ok(format!("{name}({})", members.join(", ")))
}

/// The hash of the name and the values: two records of other names and the same values differ.
pub fn hash(name: &str, values: &Bound<'_, PyTuple>) -> PyResult<isize> {
    (name, values).into_pyobject(values.py())?.hash()
}
