//! Writes a call by the dialect's [`CallForm`], without a check that it reads back.

use serde_json::{Map, Value};

use super::literal::write_literals;
use super::result::id;
use super::{write_json, write_object};
use crate::dialect::facts::Framing;
use crate::dialect::template::{
    ArgumentsForm, CallForm, LineBreaks, LiteralForm, ParamForm, call_hole, fill, param_hole,
};
use crate::message::CompleteCall;
#[cfg(doc)]
use crate::parser::Parser;
use crate::parser::tables::Tables;

/// Call to write with [`Parser::render_calls`]. A call that was read converts into it.
///
/// ```
/// use serde_json::Map;
/// use toolstream::{Dialect, Parser, render::CallRef};
///
/// let parser = Parser::builder(Dialect::KIMI_K2).build()?;
/// let none = Map::new();
/// let list = CallRef::new("list", &none);
/// let call = parser.render_calls(&[list.with_id(Some("functions.list:3"))])?;
/// assert!(call.contains("<|tool_call_begin|>functions.list:3<|tool_call_argument_begin|>{}"));
/// // An id that the dialect cannot have.
/// assert!(parser.render_calls(&[list.with_id(Some("call_7f3a"))]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallRef<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a Map<String, Value>,
}

impl<'a> CallRef<'a> {
    /// Makes a call of this tool, without an id.
    pub fn new(name: &'a str, arguments: &'a Map<String, Value>) -> CallRef<'a> {
        CallRef { id: None, name, arguments }
    }

    /// Sets the id, if there is one ([`CompleteCall::id`]). Dialects whose calls have ids write it, and read it back;
    /// a call without an id gets one of the dialect's own there.
    #[must_use]
    pub fn with_id(self, id: Option<&'a str>) -> CallRef<'a> {
        CallRef { id, ..self }
    }
}

impl<'a> From<&'a CompleteCall> for CallRef<'a> {
    fn from(call: &'a CompleteCall) -> CallRef<'a> {
        CallRef { id: call.id(), name: call.name(), arguments: call.input() }
    }
}

/// The notation of lists and strings, in dialects that have another one beside JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    /// Each element by itself, under the singular of the list's name, or inside the list's own.
    Repeated,
    /// JSON, which carries everything.
    Json,
}

/// Writes the calls of one message in the dialect's own form.
pub(crate) fn write_calls(tables: &Tables, calls: &[CallRef<'_>], lists: Lists) -> String {
    let CallForm { section_open, between, section_close, .. } = &tables.dialect.template().call;
    let write = |(index, call)| write_call(tables, index, call, lists);
    let written: Vec<String> = calls.iter().enumerate().map(write).collect();
    [section_open, &*written.join(between), section_close].concat()
}

/// Writes a call whose arguments cannot be read, as they stand, between the dialect's markers.
pub(super) fn write_raw(
    tables: &Tables,
    index: usize,
    [id, name]: [&str; 2],
    arguments: &str,
) -> String {
    let CallForm { section_open, open, close, section_close, .. } = &tables.dialect.template().call;
    let numbers = [index, index + 1].map(|number| number.to_string());
    let with_names = |template: &str| {
        fill(template, call_hole(name, id, numbers.each_ref().map(|text| &**text)))
    };
    [section_open, &*with_names(open), arguments, &with_names(close), section_close].concat()
}

fn write_call(tables: &Tables, index: usize, call: &CallRef<'_>, lists: Lists) -> String {
    let CallForm { open, arguments: form, close, .. } = &tables.dialect.template().call;
    let &CallRef { id: own_id, name, arguments } = call;
    let id = id(tables.facts(0), own_id, name, index);
    let numbers = [index, index + 1].map(|number| number.to_string());
    let with_names = |template: &str| {
        fill(template, call_hole(name, &id, numbers.each_ref().map(|text| &**text)))
    };
    let mut out = with_names(open);
    match form {
        ArgumentsForm::Json => write_object(arguments, &mut out),
        ArgumentsForm::Literals(form) if lists == Lists::Json => {
            let quoted = LiteralForm { plain_quote: "".into(), ..form.clone() };
            write_literals(arguments, &quoted, &mut out);
        }
        ArgumentsForm::Literals(form) => write_literals(arguments, form, &mut out),
        ArgumentsForm::Params(form) => {
            let mut arguments: Vec<_> = arguments.iter().collect();
            if form.sorted {
                arguments.sort_by_key(|(key, _)| *key);
            }
            let tool = tables.names.number([name, ""]);
            if !form.between.is_empty() {
                let number = |key| tables.names.params(tool).find([key, ""]).unwrap_or(u16::MAX);
                arguments.sort_by_key(|(key, _)| number(key));
            }
            let mut params = Params { tables, tool, form, out: &mut out };
            for (at, (key, value)) in arguments.into_iter().enumerate() {
                params.out.push_str(if at > 0 { &form.between } else { "" });
                params.argument(key, value, lists);
            }
        }
    }
    out + &with_names(close)
}

/// Writes arguments one by one.
struct Params<'a> {
    tables: &'a Tables,
    tool: u16,
    form: &'a ParamForm,
    out: &'a mut String,
}

impl Params<'_> {
    fn argument(&mut self, key: &str, value: &Value, lists: Lists) {
        let elements = value.as_array().filter(|_| lists == Lists::Repeated);
        let elements = elements.filter(|elements| can_be_repeated(elements));
        match (elements, self.element_key(key)) {
            (Some(elements), Some(key)) => {
                for element in elements {
                    self.param(key, element);
                }
            }
            _ if lists == Lists::Repeated && !self.form.items.is_empty() => {
                self.element(key, value);
            }
            _ if lists == Lists::Repeated && self.lines(key, value) => {}
            _ => self.param(key, value),
        }
    }

    /// Writes a list with a line for each element, if the dialect has such a form and the elements are lines.
    fn lines(&mut self, key: &str, value: &Value) -> bool {
        let (Some([open, after, close]), Some(list)) = (&self.form.list, value.as_array()) else {
            return false;
        };
        let texts: Vec<String> = list.iter().map(|element| self.value_text(key, element)).collect();
        let fits = !texts.is_empty() && texts.iter().all(|text| is_line(text) && text != "]");
        if fits {
            let open = fill(open, |hole| (hole == "key").then_some(key.into()));
            self.out.push_str(&open);
            texts.iter().for_each(|text| self.out.extend([text, &**after]));
            self.out.push_str(close);
        }
        fits
    }

    /// Writes a parameter whose members, if it has any, are elements of their own.
    fn element(&mut self, key: &str, value: &Value) {
        let members: Vec<(&str, &Value)> = match value {
            Value::Array(list) => list.iter().map(|value| (&*self.form.items, value)).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, value)| (key.as_str(), value)).collect()
            }
            value => return self.param(key, value),
        };
        let tag = |template: &str| fill(template, |hole| (hole == "key").then_some(key.into()));
        self.out.push_str(&tag(&self.form.open));
        members.into_iter().for_each(|(key, value)| self.element(key, value));
        self.out.push_str(&tag(&self.form.close));
    }

    /// Returns the key for each element of a list, if this parameter is one: the singular, or the list's own
    /// name if there is no singular, or if it is the name of another parameter.
    fn element_key<'k>(&self, key: &'k str) -> Option<&'k str> {
        let names = self.tables.names.params(self.tool);
        let list = names.find([key, ""])?;
        let singular = key.strip_suffix('s').filter(|name| !name.is_empty());
        let free = singular.filter(|name| names.find([name, ""]).is_none());
        self.tables.is_list(0, self.tool, list).then_some(free.unwrap_or(key))
    }

    fn param(&mut self, key: &str, value: &Value) {
        let text = self.value_text(key, value);
        let [open, close] = match &self.form.line {
            Some(line) if is_line(&text) => line.each_ref(),
            _ => [&self.form.open, &self.form.close],
        };
        let [open, close] =
            [open, close].map(|template| fill(template, param_hole(key, type_of(value))));
        let quotes = self.form.quotes.as_ref().filter(|_| text.contains(['<', '&', '\n']));
        let [before, after] = match quotes {
            Some((open, close)) => [&**open, close],
            None => self.framing(key, &text),
        };
        self.out.extend([&open, before, &text, after, &close]);
    }

    /// Returns the line breaks around a value.
    fn framing(&self, key: &str, value: &str) -> [&'static str; 2] {
        let framed = self.tables.framing(0, key) == Framing::LineBreak;
        let wanted = match self.form.line_breaks {
            LineBreaks::Always => true,
            LineBreaks::WithLines => value.contains('\n'),
            LineBreaks::AtEnds => {
                value.starts_with('\n') || value.starts_with("\r\n") || value.ends_with('\n')
            }
        };
        if !(framed && wanted) {
            ["", ""]
        } else if value.ends_with('\r') {
            // A CR at the end and our line feed would be one line break.
            ["\n", ""]
        } else {
            ["\n", "\n"]
        }
    }

    /// Returns a string as it is, and any other value as JSON.
    fn value_text(&self, key: &str, value: &Value) -> String {
        let mut text = String::new();
        match value {
            Value::String(string) => text.push_str(string),
            value => write_json(value, &mut text),
        }
        if self.tables.options.decode_entities && !self.says_type(key, value) {
            text.replace('&', "&amp;").replace('<', "&lt;")
        } else {
            text
        }
    }

    /// Whether the value is written with its type. Then it is read by that type, and not decoded.
    fn says_type(&self, key: &str, value: &Value) -> bool {
        let holes = ["{type}", "{whole_type}", "{is_string}"];
        let number = self.tables.param_number(0, self.tool, key);
        let decides = || self.tables.leaves_to_wire(self.tool, number, type_of(value));
        let says = holes.iter().any(|hole| self.form.open.contains(hole));
        says && (!self.tables.grammar(0).hints_yield || decides())
    }
}

/// Whether a value is one line without white space at its ends that could be lost.
fn is_line(value: &str) -> bool {
    let blank = |next: char| matches!(next, ' ' | '\t');
    !value.is_empty()
        && !value.contains(['\n', '\r'])
        && !value.starts_with(blank)
        && !value.ends_with(blank)
}

/// Returns the type of a value, as in JSON Schema.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether a list is still this list when its elements are written one by one. An empty list would leave
/// nothing, and a single JSON array *is* the list.
fn can_be_repeated(elements: &[Value]) -> bool {
    match elements {
        [] | [Value::Array(_)] => false,
        [Value::String(text)] => !text.trim_start().starts_with('['),
        _ => true,
    }
}
