//! Keys and values in a section, all in special tokens. [`listed`](crate::family::listed) reads them.
//!
//! ```text
//! section := OPEN ws ( call ws )* CLOSE
//! call    := BEGIN ws NAME ws SEP? ws ( KEY key /KEY ws ( TYPE word /TYPE ws )? VALUE value /VALUE ws )* END
//!          | BEGIN ws NAME ws object END | BEGIN json END
//! ```
//! A section counts if BEGIN follows. A call without a section is not reported. Text that is not a call ends a
//! section. The section's closer ends a call whose own closer is missing.

use super::argument::Tagged;
use super::derive::owned;
use super::grammar::boxed;
use super::notation::{Part, around, token_head};
use super::object::Object;
use super::{OTHERWISE, Shape, Wrong};
use crate::dialect::Text;
use crate::event::TypeHint;
use crate::family::listed;

/// The tags of keyed calls.
pub(in crate::dialect) struct Keyed<'a> {
    shape: &'a Shape,
    section: [Text; 2],
    call: [Text; 2],
    /// The separator behind a name. It confirms a call of any name.
    separator: Option<Text>,
    key: [Text; 2],
    pub hint: Option<[Text; 2]>,
    value: [Text; 2],
    /// An object may stand in place of keys, and JSON in place of a name and its keys.
    object: bool,
    json: bool,
}

impl<'a> Keyed<'a> {
    /// Returns the tags of a shape, if its calls are keyed.
    pub fn from_shape(shape: &'a Shape) -> Result<Option<Keyed<'a>>, Wrong> {
        let Some(section) = shape.round_calls()?.filter(|_| shape.special) else { return Ok(None) };
        let Some(Tagged { key, hint, value }) = Tagged::parse(&shape.argument) else {
            return Ok(None);
        };
        let both = [&key, &value].into_iter().chain(&hint).flatten();
        if key[1] == value[0] || !both.into_iter().all(|tag| tag.ends_with('>')) {
            return Ok(None);
        }
        let parts = shape.parts("call", &shape.call, &["name", "arguments"])?;
        let [open, end] = around(&parts, "arguments", "call")?;
        let [open, separator] = around(&open, "name", "call")?;
        let [Some(before), Some(after)] = section.map(|parts| single_text(&parts)) else {
            return Ok(None);
        };
        let (Some(open), Some(end)) = (single_text(&open), single_text(&end)) else {
            return Ok(None);
        };
        let (mut object, mut json) = (false, false);
        for (at, or) in shape.or.iter().enumerate() {
            let (is_json, is_object) = match Object::parse(&or.call) {
                Some(object) => (object.before.trim() == open && object.after.trim() == end, false),
                None => (
                    false,
                    or.argument.is_empty()
                        && or.call == format!("{open}{{name}}{{arguments}}{end}"),
                ),
            };
            if !is_json && !is_object {
                return Err(or.mistake(at, OTHERWISE));
            }
            json = json || is_json;
            object = object || is_object;
        }
        let (section, call) = ([before, after], [open, end]);
        let separator = single_text(&separator);
        Ok(Some(Keyed { shape, section, call, separator, key, hint, value, object, json }))
    }

    /// Returns the texts of the section, its calls and their keys for readers.
    pub fn texts(&self) -> listed::Texts {
        let both = |tags: &[Text; 2]| tags.each_ref().map(boxed);
        let all = [&self.key, &self.value].into_iter().flatten();
        let mut suspects: Vec<String> = all.filter_map(|tag| token_head(tag)).collect();
        suspects.sort();
        suspects.dedup();
        let close = &self.value[1];
        let head = token_head(close).filter(|head| !head.ends_with(char::is_alphanumeric));
        let named =
            head.into_iter().chain([String::from("</")]).filter(|_| close.starts_with("</"));
        listed::Texts {
            section: both(&self.section),
            call: both(&self.call),
            separator: self.separator.as_ref().map(boxed),
            key: both(&self.key),
            hint: self.hint.as_ref().map(both),
            value: both(&self.value),
            object: self.object,
            named_objects: self.json,
            suspects: suspects.into_iter().map(Box::from).collect(),
            named_closers: named.map(Box::from).collect(),
            tokens: self.shape.tokens.iter().map(boxed).collect(),
            suffixes: None,
        }
    }

    /// Returns the types that a value may name, each with its meaning.
    pub fn hints(&self) -> Vec<(Text, TypeHint)> {
        self.shape.hints_or(if self.hint.is_some() { TYPES } else { &[] })
    }
}

/// The types that a value may have on the wire: those of `{whole_type}`, which has `integer`.
const TYPES: &[(&str, TypeHint)] = &[
    ("string", TypeHint::String),
    ("integer", TypeHint::Json),
    ("number", TypeHint::Json),
    ("boolean", TypeHint::Json),
    ("null", TypeHint::Json),
    ("object", TypeHint::Json),
    ("array", TypeHint::Json),
];

/// Returns the text of these parts, if they are one tag and white space.
fn single_text(parts: &[Part]) -> Option<Text> {
    let mut texts = parts.iter().filter(|part| !matches!(part, Part::White(_)));
    match (texts.next(), texts.next()) {
        (Some(Part::Text(text)), None) if text.ends_with('>') => Some(owned(text)),
        _ => None,
    }
}
