//! The calls of a history, as clients store them.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::fill::{self, CallRef, Lists};
use super::result;
use crate::json::white::trim;
use crate::options::UnwritableCalls;
use crate::parser::Parser;
use crate::parser::tables::Tables;
use crate::repair;
use crate::tool::namespace::known_name;

/// A call in a history.
pub(super) struct PastCall {
    /// The id of the client.
    pub id: String,
    /// The id that the dialect writes.
    pub written_id: String,
    pub name: String,
    /// Its arguments, if they can be read.
    arguments: Option<Map<String, Value>>,
    /// Its arguments as they stand, if the dialect cannot write the call so that it reads back.
    as_it_stands: Option<String>,
    /// A result that is not written yet.
    pub result: Option<String>,
    pub answered: bool,
}

impl Parser {
    /// Makes a past call from a client's call, the `number`th of the history, with an id that the dialect can
    /// carry.
    pub(super) fn past_call(&self, call: &Value, number: usize) -> PastCall {
        let stored = Stored::from_json(call, self.tables());
        let id = call["id"].as_str().unwrap_or_default();
        let own = result::id(self.tables().facts(0), None, &stored.name, number);
        let has_id = self.tables().dialect.template().call.has_id();
        let arguments = stored.arguments;
        let carried = arguments.as_ref().and_then(|arguments| {
            let call = CallRef::new(&stored.name, arguments);
            let mut ids = [id, &own].into_iter();
            ids.find(|id| self.render_calls(&[call.with_id(Some(id))]).is_ok())
        });
        let written_id = carried.unwrap_or(if has_id { &own } else { id }).to_string();
        let as_it_stands = carried.is_none().then_some(stored.text);
        let (id, name) = (id.to_string(), stored.name);
        PastCall { id, written_id, name, arguments, as_it_stands, result: None, answered: false }
    }

    /// Writes the calls of a turn in the dialect's own form, with unwritable calls behind the others. Empty if none of them
    /// is to be written.
    pub(super) fn write_past_calls(&self, calls: &[PastCall]) -> String {
        let good = calls.iter().filter(|call| call.as_it_stands.is_none());
        let good: Vec<CallRef<'_>> = good.filter_map(PastCall::to_ref).collect();
        // Each can be written alone. Beside each other they may still read back as other calls.
        let as_they_are = |_| fill::write_calls(self.tables(), &good, Lists::Repeated);
        let mut written = self.render_calls(&good).unwrap_or_else(as_they_are);
        if self.tables().options.unwritable_calls == UnwritableCalls::Note {
            return written;
        }
        for (number, call) in calls.iter().enumerate() {
            let Some(text) = &call.as_it_stands else { continue };
            if !written.is_empty() && !written.ends_with('\n') {
                written.push('\n');
            }
            let (id, name) = (&*call.written_id, &*call.name);
            written.push_str(&match call.to_ref() {
                Some(call) => fill::write_calls(self.tables(), &[call], Lists::Repeated),
                None if name.is_empty() => text.clone(),
                None => fill::write_raw(self.tables(), number, [id, name], text),
            });
        }
        written
    }
}

impl PastCall {
    fn to_ref(&self) -> Option<CallRef<'_>> {
        let call = CallRef::new(&self.name, self.arguments.as_ref()?);
        Some(call.with_id(Some(&self.written_id)))
    }

    /// The note on a call that is left out.
    pub fn note(&self, how: UnwritableCalls) -> Option<String> {
        let arguments = self.as_it_stands.as_ref().filter(|_| how == UnwritableCalls::Note)?;
        let name = if self.name.is_empty() { "a tool without a name" } else { &self.name };
        let what = format!("The call of {name} could not be written here");
        Some(format!("[{what}. Its arguments were: {arguments}]\n"))
    }
}

/// A stored call.
pub(super) struct Stored {
    pub name: String,
    pub arguments: Option<Map<String, Value>>,
    /// The arguments as text; the whole call, if it has no name.
    pub text: String,
}

impl Stored {
    pub fn from_json(call: &Value, tables: &Tables) -> Stored {
        let custom = call.get("custom").filter(|custom| custom.is_object());
        let function = call.get("function").filter(|function| function.is_object());
        let of = custom.or(function).unwrap_or(call);
        let name = of["name"].as_str().unwrap_or_default();
        let namespace = [&of["namespace"], &call["namespace"]].into_iter().find_map(Value::as_str);
        let name = match namespace.filter(|namespace| !namespace.is_empty() && !name.is_empty()) {
            Some(namespace) => known_name(&tables.tools, namespace, name),
            None => name.to_string(),
        };
        let given = match custom {
            Some(custom) => Cow::Owned(serde_json::json!({"input": custom["input"]})),
            None => Cow::Borrowed(&of["arguments"]),
        };
        let text = match &*given {
            _ if name.is_empty() => call.to_string(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let arguments = match &*given {
            _ if name.is_empty() => None,
            Value::Null => Some(Map::new()),
            Value::Object(arguments) => Some(arguments.clone()),
            Value::String(text) if trim(text).is_empty() => Some(Map::new()),
            Value::String(text) => {
                repair::arguments(text, tables.options.repairs).ok().map(|read| read.object)
            }
            _ => None,
        };
        Stored { name, arguments, text }
    }
}
