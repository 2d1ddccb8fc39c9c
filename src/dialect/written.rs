//! A written call in parts: the texts around the section of calls, around a call, and around its arguments.
//! Response templates are made of it.

use serde_json::Value;

use super::Dialect;
use super::template::{ArgumentsForm, CallForm, fill};

/// A written call. The texts have the holes of [`CallForm`].
pub(crate) struct Written<'a> {
    /// The texts around all calls of a section; empty where a call needs none.
    pub section: [&'a str; 2],
    /// The texts around the arguments.
    pub call: [&'a str; 2],
    pub arguments: &'a ArgumentsForm,
    /// The object that is the call, if the name stands in it.
    pub object: Option<Object>,
}

/// A call that is an object, or a list of one.
pub(crate) struct Object {
    /// The keys of name and arguments.
    pub keys: [String; 2],
    pub list: bool,
}

impl<'a> Written<'a> {
    /// Splits a call with its section around it ([`around`]).
    pub fn new(dialect: &'a Dialect, [open, close]: &'a [String; 2]) -> Written<'a> {
        let arguments = &dialect.template().call.arguments;
        if let (true, Some((section, call, object))) =
            (*arguments == ArgumentsForm::Json, Written::in_object(open, close))
        {
            return Written { section, call, arguments, object: Some(object) };
        }
        let (mut section, mut call) = (["", ""], [open.as_str(), close.as_str()]);
        // The text right before the name opens a call, not a section.
        let CallForm { section_open, section_close, .. } = &dialect.template().call;
        let form = section_open.trim_end_matches(WHITE);
        let form = (!form.is_empty() && !form.contains('{')).then_some(form.len());
        let opener =
            form.filter(|len| !open[*len..].trim_start_matches(WHITE).starts_with("{name"));
        if let Some((before, after)) = opener.map(|len| open.split_at(len)) {
            section[0] = before;
            call[0] = after.trim_start_matches(WHITE);
            let form = section_close.trim_matches(WHITE);
            let closer = (!form.is_empty()).then(|| close.strip_suffix(form)).flatten();
            if let Some(rest) = closer {
                section[1] = &close[rest.len()..];
                call[1] = rest.trim_end_matches(WHITE);
            }
        }
        Written { section, call, arguments, object: None }
    }

    /// Splits a call whose name stands in an object: the texts around the object are the section's.
    fn in_object(open: &'a str, close: &'a str) -> Option<([&'a str; 2], [&'a str; 2], Object)> {
        let begins = open.char_indices().filter(|(_, c)| matches!(c, '{' | '[')).map(|(at, _)| at);
        let ends =
            || close.char_indices().filter(|(_, c)| matches!(c, '}' | ']')).map(|(at, _)| at + 1);
        let mut splits = begins.flat_map(|begin| ends().map(move |end| (begin, end)));
        splits.find_map(|(begin, end)| {
            let object = Object::parse(&open[begin..], &close[..end])?;
            let section =
                [open[..begin].trim_end_matches(WHITE), close[end..].trim_start_matches(WHITE)];
            Some((section, [&open[begin..], &close[..end]], object))
        })
    }
}

impl Object {
    fn parse(open: &str, close: &str) -> Option<Object> {
        // The hole of an id stands in a string, and may stay there.
        let hole = |hole: &str| (hole == "json_name").then(|| "\"N\"".into());
        let text = fill(open, hole) + "{}" + &fill(close, hole);
        let value: Value = serde_json::from_str(&text).ok()?;
        let list = value.is_array();
        let object = value.get(0).unwrap_or(&value).as_object()?;
        let key = |wanted: &dyn Fn(&Value) -> bool| {
            object.iter().find(|(_, value)| wanted(value)).map(|(key, _)| key.clone())
        };
        let keys = [key(&|value| value == "N")?, key(&|value| value.is_object())?];
        Some(Object { keys, list })
    }
}

/// Returns the texts before and after the arguments of one call in a section of its own.
pub(crate) fn around(dialect: &Dialect) -> [String; 2] {
    let CallForm { section_open, open, close, section_close, .. } = &dialect.template().call;
    [format!("{section_open}{open}"), format!("{close}{section_close}")]
}

pub(crate) const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];
