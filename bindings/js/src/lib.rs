//! toolstream for JavaScript. Texts, events and deltas cross the border as numbers and bytes (`wire`), and what is seldom
//! asked for as JSON.
//!
//! `index.js` makes objects of them, and keeps half a surrogate pair back.

mod ask;
mod names;
mod parser;
mod stream;
mod told;
mod wire;
mod writer;

use std::fmt::Display;

use serde_json::Value;
use toolstream::Dialect;
use wasm_bindgen::prelude::*;

fn js_error(error: impl Display) -> JsError {
    JsError::new(&error.to_string())
}

fn read(json: &str) -> Result<Value, JsError> {
    serde_json::from_str(json).map_err(js_error)
}

/// A JSON array.
fn list(items: impl Iterator<Item = Value>) -> String {
    items.collect::<Value>().to_string()
}

/// The dialect of a name, or of a shape as a JSON object.
fn named(dialect: &str) -> Result<Dialect, JsError> {
    match dialect.starts_with('{') {
        true => Dialect::from_json(dialect).map_err(js_error),
        false => Dialect::by_name(dialect).map_err(js_error),
    }
}
