//! Options of those who write calls for a client: the treatment of broken calls, and the time at which calls leave.

use std::fmt::Display;
use std::str::FromStr;

use serde_json::Value;
use toolstream::adapt::{Broken, Calls, Deltas, OnCut};
use wasm_bindgen::prelude::*;

use crate::js_error;
use crate::stream::Source;

#[derive(Clone, Copy, Default)]
pub struct Told {
    pub broken: Broken,
    pub calls: Calls,
    pub on_cut: OnCut,
}

impl Told {
    /// Takes its keys out of options.
    pub fn take(options: &mut Value) -> Result<Told, JsError> {
        Ok(Told {
            broken: way(options, "broken")?,
            calls: way(options, "calls")?,
            on_cut: way(options, "on_cut")?,
        })
    }

    /// Returns deltas of a source that are told so.
    pub fn of(self, source: &Source) -> Deltas {
        let deltas = match source {
            Source::Text(parser) => Deltas::new(parser),
            Source::Native(reader) => Deltas::for_reader(reader),
        };
        deltas.broken_as(self.broken).calls(self.calls).on_cut(self.on_cut)
    }
}

fn way<T: FromStr<Err: Display> + Default>(options: &mut Value, key: &str) -> Result<T, JsError> {
    match options.as_object_mut().and_then(|options| options.remove(key)) {
        None => Ok(T::default()),
        Some(Value::String(name)) => name.parse().map_err(js_error),
        Some(_) => Err(JsError::new(&format!("`{key}` must be a string"))),
    }
}
