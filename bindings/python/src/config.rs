//! What a parser is built of. Parsers of one configuration share their tables for as long as one of them is there:
//! a server that makes a parser for each request builds once.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::{Map, Value};
use toolstream as ts;
use toolstream::{CallLimit, Dialect, DialectSpec, Options, Parser, Tool};

use crate::record::record;
use crate::value_error;

/// A configuration, as the arguments of `Parser` said it, and a fresh parser of it.
pub struct Config {
    pub dialect: Value,
    pub tools: Value,
    pub options: Map<String, Value>,
    pub parser: Parser,
    /// The host's function that is asked for each call. A configuration with one is nobody else's.
    pub limit_by: Option<Py<PyAny>>,
    key: String,
}

/// The configurations that some parser has.
static LIVE: LazyLock<Mutex<HashMap<String, Weak<Config>>>> = LazyLock::new(Mutex::default);

fn live() -> MutexGuard<'static, HashMap<String, Weak<Config>>> {
    // A map of weak pointers is whole after each statement.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Config {
    /// The configuration of these arguments: one that is there, or a new one.
    pub fn of(dialect: Value, tools: Value, options: Map<String, Value>) -> PyResult<Arc<Config>> {
        let key = serde_json::to_string(&(&dialect, &tools, &options)).map_err(value_error)?;
        // In a statement of its own: what is found must not be dropped under the lock, which `drop` takes.
        let found = live().get(&key).and_then(Weak::upgrade);
        if let Some(config) = found {
            return Ok(config);
        }
        let parser = build(&dialect, &tools, &options)?;
        let limit_by = None;
        let config =
            Arc::new(Config { dialect, tools, options, parser, limit_by, key: key.clone() });
        live().insert(key, Arc::downgrade(&config));
        Ok(config)
    }

    /// Adds a function that is asked before each call opens.
    pub fn limited(
        dialect: Value,
        tools: Value,
        options: Map<String, Value>,
        ask: Py<PyAny>,
    ) -> PyResult<Arc<Config>> {
        let parser = build(&dialect, &tools, &options)?;
        let asked = Python::attach(|py| ask.clone_ref(py));
        let parser = parser.to_builder().limit_by(move |call| may_open(&asked, call));
        let parser = parser.build().map_err(value_error)?;
        let (limit_by, key) = (Some(ask), String::new());
        Ok(Arc::new(Config { dialect, tools, options, parser, limit_by, key }))
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

/// Asks Python. A function that fails stops the call: nothing runs of which nobody knows whether it may.
pub fn may_open(ask: &Py<PyAny>, call: ts::NextCall<'_>) -> CallLimit {
    Python::attach(|py| {
        let text = |text: &str| PyString::new(py, text).unbind();
        let (index, name) = (call.index, text(call.name));
        let next = NextCall { index, name, previous: call.previous.map(text) };
        match ask.call1(py, (next,)).and_then(|may| may.is_truthy(py)) {
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

fn build(dialect: &Value, tools: &Value, options: &Map<String, Value>) -> PyResult<Parser> {
    let dialect = match dialect {
        Value::String(name) => Dialect::by_name(name).map_err(value_error)?,
        table => Dialect::new(DialectSpec::from_json(&table.to_string()).map_err(value_error)?),
    };
    let tools = Tool::list_from_json(tools).map_err(value_error)?;
    let options = Options::from_json(&Value::Object(options.clone())).map_err(value_error)?;
    Parser::builder(dialect).tools(tools).options(options).build().map_err(value_error)
}
