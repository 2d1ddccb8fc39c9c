//! What a parser is built of. Parsers of one configuration share their tables for as long as one of them is there:
//! a server that makes a parser for each request builds once.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use pyo3::PyResult;
use serde_json::{Map, Value};
use toolstream::{Dialect, DialectSpec, Options, Parser, Tool};

use crate::value_error;

/// A configuration, as the arguments of `Parser` said it, and a fresh parser of it.
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
    /// The configuration of these arguments: one that is there, or a new one.
    pub fn of(dialect: Value, tools: Value, options: Map<String, Value>) -> PyResult<Arc<Config>> {
        let key = serde_json::to_string(&(&dialect, &tools, &options)).map_err(value_error)?;
        // In a statement of its own: what is found must not be dropped under the lock, which `drop` takes.
        let found = live().get(&key).and_then(Weak::upgrade);
        if let Some(config) = found {
            return Ok(config);
        }
        let parser = build(&dialect, &tools, &options)?;
        let config = Arc::new(Config { dialect, tools, options, parser, key: key.clone() });
        live().insert(key, Arc::downgrade(&config));
        Ok(config)
    }
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
