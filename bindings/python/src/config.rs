//! The configuration of a parser. Parsers of one configuration share their tables as long as one of them exists: a
//! server that makes a parser for each request builds once.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyWeakrefMethods, PyWeakrefReference};
use serde_json::{Map, Value};
use toolstream as ts;
use toolstream::{
    BuildError, Dialect, JsonError, Parser, Tool, calls::CallLimit, options::Options,
};

use crate::record::record;
use crate::value_error;

/// A configuration, from the arguments of `Parser`, and a fresh parser of it. One with a function (`limit_by`) is not shared.
pub struct Config {
    pub dialect: Value,
    pub tools: Value,
    pub options: Map<String, Value>,
    pub parser: Parser,
    key: String,
}

/// The configurations that some parser has.
static LIVE: LazyLock<Mutex<HashMap<String, Weak<Config>>>> = LazyLock::new(Mutex::default);

fn live() -> MutexGuard<'static, HashMap<String, Weak<Config>>> {
    // A map of weak pointers is whole after each statement.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Config {
    /// Returns the configuration of these arguments: an existing one, or a new one.
    pub fn of(dialect: Value, tools: Value, options: Map<String, Value>) -> PyResult<Arc<Config>> {
        let key = serde_json::to_string(&(&dialect, &tools, &options)).map_err(value_error)?;
        // In a statement of its own: the result must not be dropped under the lock, because `drop` takes the
        // lock.
        let found = live().get(&key).and_then(Weak::upgrade);
        if let Some(config) = found {
            return Ok(config);
        }
        let parser = build(&dialect, &tools, &options)?;
        let config = Arc::new(Config { dialect, tools, options, parser, key: key.clone() });
        live().insert(key, Arc::downgrade(&config));
        Ok(config)
    }

    /// Adds a function that is asked before each call opens.
    pub fn limited(
        dialect: Value,
        tools: Value,
        options: Map<String, Value>,
        ask: &Bound<'_, Ask>,
    ) -> PyResult<Arc<Config>> {
        let parser = build(&dialect, &tools, &options)?;
        let parser = parser.to_builder().limit_by(Ask::limit(ask)?);
        let parser = parser.build().map_err(value_error)?;
        Ok(Arc::new(Config { dialect, tools, options, parser, key: String::new() }))
    }
}

/// The host's function that is asked before each call (`limit_by`).
///
/// The function may hold the parser that calls it: a cycle, which only Python's collector frees. So each Python object of
/// ours that calls the function holds this one, and shows it to the collector. The collector does not see into the crate's
/// parsers: they find the function by a weak reference.
#[pyclass(frozen, weakref)]
pub struct Ask(Py<PyAny>);

#[pymethods]
impl Ask {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

impl Ask {
    pub fn of(function: Option<Bound<'_, PyAny>>) -> PyResult<Option<Bound<'_, Ask>>> {
        function.map(|function| Bound::new(function.py(), Ask(function.unbind()))).transpose()
    }

    pub fn function(&self) -> &Py<PyAny> {
        &self.0
    }

    /// The limit of the crate's that asks it.
    pub fn limit(
        ask: &Bound<'_, Ask>,
    ) -> PyResult<impl Fn(ts::calls::NextCall<'_>) -> CallLimit + Send + Sync + use<>> {
        let asked = PyWeakrefReference::new(ask)?.unbind();
        Ok(move |call: ts::calls::NextCall<'_>| may_open(&asked, call))
    }
}

record! {
    /// A call that is about to open: what `limit_by` is asked about.
    NextCall {
        /// Its number in the message, from 0.
        index: usize,
        /// The tool's name, as the model wrote it.
        name: Py<PyString>,
        /// The name of the call before it, or None.
        previous: Option<Py<PyString>>,
    }
}

/// Asks Python. A function that fails stops the call: no call runs without an answer.
fn may_open(asked: &Py<PyWeakrefReference>, call: ts::calls::NextCall<'_>) -> CallLimit {
    Python::attach(|py| {
        // The object whose parser asks holds it.
        let Ok(Some(ask)) = asked.bind(py).upgrade_as::<Ask>() else { return CallLimit::Stop };
        let text = |text: &str| PyString::new(py, text).unbind();
        let (index, name) = (call.index, text(call.name));
        let next = NextCall { index, name, previous: call.previous.map(text) };
        match ask.get().0.call1(py, (next,)).and_then(|may| may.is_truthy(py)) {
            Ok(true) => CallLimit::Allow,
            Ok(false) => CallLimit::Stop,
            Err(error) => {
                error.write_unraisable(py, None);
                CallLimit::Stop
            }
        }
    })
}

impl Drop for Config {
    fn drop(&mut self) {
        let mut live = live();
        // Another one of the same key may have come since.
        if live.get(&self.key).is_some_and(|config| config.strong_count() == 0) {
            live.remove(&self.key);
        }
    }
}

/// Reads options in the crate's way.
pub fn options_of(options: Map<String, Value>) -> PyResult<Options> {
    Options::from_json(&Value::Object(options)).map_err(|error| {
        let unknown = error.unknown_key();
        unknown
            .map_or_else(|| not_of_its_type(&error), |(key, known)| unknown_option(key, "", known))
    })
}

/// The error of an option's value of a wrong type. `config` and `null` are words of the crate: here options are
/// arguments of a function of Python's.
fn not_of_its_type(error: &JsonError) -> PyErr {
    let said = error.to_string();
    let said = said.strip_prefix("config.").unwrap_or(&said);
    value_error(said.replace("or null", "or None").replace("true or false", "True or False"))
}

/// The error of an unknown option, with the option that may have been meant.
pub fn unknown_option(key: &str, of: &str, known: &[&str]) -> PyErr {
    let meant = meant(key, known, 0.6);
    let known = known.join(", ");
    value_error(match meant {
        Err(error) => return error,
        Ok(None) => format!("unknown option `{key}`: the options{of} are {known}"),
        Ok(Some(meant)) => {
            format!("unknown option `{key}`, did you mean `{meant}`? The options{of} are {known}")
        }
    })
}

/// Returns the built-in dialect of this name.
pub fn dialect_of(name: &str) -> PyResult<Dialect> {
    Dialect::by_name(name).map_err(|unknown| unknown_dialect(&unknown))
}

/// The error of an unknown dialect. A typing error is more likely than a model of that name, which "hermess" would be,
/// too.
fn unknown_dialect(unknown: &BuildError) -> PyErr {
    let known: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    let name = unknown.unknown_name().unwrap_or_default();
    value_error(match meant(name, &known, 0.9) {
        Err(error) => return error,
        Ok(Some(meant)) => format!(
            "unknown dialect `{name}`, did you mean `{meant}`? Use one of {}",
            known.join(", ")
        ),
        // The function is one of the module here.
        Ok(None) => unknown.to_string().replace("`Dialect::for_model`", "`for_model`"),
    })
}

/// The known name that may have been meant: as alike as this, where 1 is the same name.
fn meant(name: &str, known: &[&str], alike: f64) -> PyResult<Option<String>> {
    Python::attach(|py| {
        let matches = py.import("difflib")?.getattr("get_close_matches")?;
        Ok(matches.call1((name, known, 1, alike))?.extract::<Vec<String>>()?.pop())
    })
}

fn build(dialect: &Value, tools: &Value, options: &Map<String, Value>) -> PyResult<Parser> {
    let dialect = match dialect {
        Value::String(name) => dialect_of(name)?,
        shape => Dialect::from_json(&shape.to_string()).map_err(value_error)?,
    };
    let tools = Tool::list_from_json(tools).map_err(value_error)?;
    let mut options = options.clone();
    // The caller decides about the calls of a message when it reads them: none is stopped here.
    options.entry("tool_limit").or_insert(Value::Null);
    let options = options_of(options)?;
    Parser::builder(dialect).tools(tools).options(options).build().map_err(value_error)
}
