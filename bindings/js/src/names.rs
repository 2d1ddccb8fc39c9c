//! The dialects by name, by model and by chat template, and their markers.

use serde_json::{Map, json};
use toolstream as ts;
use toolstream::options::{Start, ValueWhitespace};
use wasm_bindgen::prelude::*;

use crate::{named, read};

/// The names of the dialects.
#[wasm_bindgen]
pub fn dialects() -> Vec<String> {
    ts::Dialect::ALL.iter().map(|dialect| dialect.name().to_string()).collect()
}

/// The dialect of the model of this id, with its options and the names of its family, as JSON.
#[wasm_bindgen(js_name = dialectOfModel)]
pub fn dialect_of_model(id: &str) -> Option<String> {
    let found = ts::Dialect::for_model(id)?;
    let mut options = Map::new();
    if found.start != Start::default() {
        options.insert("start".into(), found.start.to_string().into());
    }
    if found.value_whitespace != ValueWhitespace::default() {
        options.insert("value_whitespace".into(), found.value_whitespace.to_string().into());
    }
    let names: Vec<_> = found.names().collect();
    let (dialect, options) = (found.dialect.to_string(), options);
    Some(json!({"dialect": dialect, "options": options, "names": names}).to_string())
}

/// The dialect that a chat template asks its model for.
#[wasm_bindgen]
pub fn detect(chat_template: &str) -> Option<String> {
    ts::Dialect::detect(chat_template).map(|dialect| dialect.to_string())
}

/// The beginning of a stream whose prompt ends like this.
#[wasm_bindgen(js_name = startOfPrompt)]
pub fn start_of_prompt(end_of_prompt: &str) -> String {
    Start::of_prompt(end_of_prompt).to_string()
}

/// The texts of a dialect's markers, or of a shape's.
#[wasm_bindgen]
pub fn markers(dialect: &str) -> Result<Vec<String>, JsError> {
    Ok(named(dialect)?.markers())
}

/// The texts that open and that close reasoning, as JSON.
#[wasm_bindgen(js_name = reasoningMarkers)]
pub fn reasoning_markers(dialect: &str) -> Result<String, JsError> {
    let dialect = named(dialect)?;
    let [open, close] = dialect.reasoning_markers();
    Ok(json!({"open": open, "close": close}).to_string())
}

/// The tools of a client's request that a parser takes, and the types of those that are left out, as JSON.
#[wasm_bindgen(js_name = splitTools)]
pub fn split_tools(tools: &str) -> Result<String, JsError> {
    let (tools, left_out) = ts::Tool::split_request(&read(tools)?);
    Ok(json!({"tools": tools, "leftOut": left_out}).to_string())
}

/// A text as it was before `neutralise`.
#[wasm_bindgen]
pub fn restore(text: &str) -> String {
    ts::render::restore(text).into()
}
