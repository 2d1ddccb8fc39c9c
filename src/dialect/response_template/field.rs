//! A field of a template, and the mistakes in one.

use serde_json::{Map, Value};

use super::mark::mark;
use super::shape::{Item, Shape, shapes};
use super::{Result, problem_at};
use crate::family::fields::mark::{Mark, Piece};

pub(super) fn known(object: &Map<String, Value>, place: &str, keys: &[&str]) -> Result {
    match object.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => {
            problem_at(format!("{place}{key}"), format!("unknown: use {}", keys.join(", ")))
        }
        None => Ok(()),
    }
}

const FIELD: &[&str] = &[
    "open",
    "open_pattern",
    "close",
    "close_pattern",
    "content",
    "content_args",
    "repeats",
    "join",
    "optional",
    "transform",
    "transform_each",
];

/// A field: its openers, its closers, and the notation of its content.
pub(super) struct Field<'a> {
    pub(super) place: String,
    pub(super) object: &'a Map<String, Value>,
    /// The openers. `None`: the field holds the text that is in no other field.
    pub(super) open: Option<Vec<Shape>>,
    pub(super) close: Vec<Shape>,
}

impl<'a> Field<'a> {
    pub(super) fn read(name: &str, value: &'a Value) -> Result<Field<'a>> {
        let place = format!("fields.{name}");
        let Some(object) = value.as_object() else { return problem_at(place, "must be an object") };
        known(object, &format!("{place}."), FIELD)?;
        let field = Field { place, object, open: None, close: Vec::new() };
        let open = field.anchor("open", "open_pattern")?;
        let close = field.anchor("close", "close_pattern")?.unwrap_or_default();
        Ok(Field { open, close, ..field })
    }

    pub(super) fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.place)
    }

    pub(super) fn anchor(&self, literal: &str, expression: &str) -> Result<Option<Vec<Shape>>> {
        let place = self.at(literal);
        let texts = match (self.object.get(literal), self.object.get(expression)) {
            (Some(_), Some(_)) => {
                return problem_at(place, format!("and {expression}: one of the two"));
            }
            (None, None) => return Ok(None),
            (None, Some(Value::String(text))) => {
                return match shapes(text) {
                    Ok(shapes) => Ok(Some(shapes)),
                    Err(what) => problem_at(self.at(expression), what),
                };
            }
            (None, Some(_)) => return problem_at(self.at(expression), "must be a text"),
            (Some(Value::String(text)), None) => vec![text],
            (Some(Value::Array(list)), None) => {
                let texts: Option<Vec<&String>> = list
                    .iter()
                    .map(|text| match text {
                        Value::String(text) => Some(text),
                        _ => None,
                    })
                    .collect();
                match texts {
                    Some(texts) => texts,
                    None => return problem_at(place, "must be a text or a list of texts"),
                }
            }
            (Some(_), None) => return problem_at(place, "must be a text or a list of texts"),
        };
        if texts.is_empty() || texts.iter().any(|text| text.is_empty()) {
            return problem_at(place, "must not be empty");
        }
        Ok(Some(texts.into_iter().map(|text| vec![Item::Lit(text.clone())]).collect()))
    }

    pub(super) fn content(&self) -> Result<&str> {
        match self.object.get("content") {
            None => Ok("text"),
            Some(Value::String(name)) => Ok(name),
            Some(_) => problem_at(self.at("content"), "must be a text"),
        }
    }

    pub(super) fn args(&self, keys: &[&str]) -> Result<Option<&'a Map<String, Value>>> {
        match self.object.get("content_args") {
            None => Ok(None),
            Some(Value::Object(args)) => {
                known(args, &format!("{}.", self.at("content_args")), keys)?;
                Ok(Some(args))
            }
            Some(_) => problem_at(self.at("content_args"), "must be an object"),
        }
    }

    /// Checks that text and reasoning are plain text.
    pub(super) fn text(&self) -> Result {
        if self.content()? != "text" {
            return problem_at(self.at("content"), "text and reasoning are `text` here");
        }
        self.args(&["strip"])?;
        match self.object.get("transform") {
            Some(_) => problem_at(self.at("transform"), "text and reasoning come as written"),
            None => Ok(()),
        }
    }

    /// The markers of its opener, without the start of the message.
    pub(super) fn openers(&self) -> Result<Vec<Mark>> {
        let ways = self.open.iter().flatten().filter(|way| **way != [Item::Start]);
        ways.map(|way| mark(way, &self.at("open_pattern"))).collect()
    }

    pub(super) fn at_start(&self) -> bool {
        self.open.iter().flatten().any(|way| *way == [Item::Start])
    }

    /// The markers of its closer, without the end of the stream. White space before them belongs to the
    /// field, except one line break that the template names.
    pub(super) fn closers(&self) -> Result<Vec<Mark>> {
        let place = self.at("close_pattern");
        let mut all = Vec::new();
        for way in self.close.iter().filter(|way| **way != [Item::End]) {
            let white = way.iter().take_while(|item| item.is_white()).count();
            let plain = mark(&way[white..], &place)?;
            // An optional line break is no part of the text before it.
            if let (Some(Item::Run { max: Some(1), chars, .. }), 1) = (way.first(), white) {
                if chars.has('\n') {
                    all.push([&[Piece::Text("\n".into())], &*plain].concat());
                }
            }
            all.push(plain);
        }
        all.dedup();
        Ok(all)
    }
}
