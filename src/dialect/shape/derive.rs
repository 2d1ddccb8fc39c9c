//! The fields of a shape as markers and texts, for every kind of call. Objects that name their tools are made
//! here, too: the texts of the families [`block`](crate::family::block) and [`tried`](crate::family::tried).

use std::ops::Deref;

use super::grammar::boxed;
use super::notation::{self, Part, around, parts, tags};
use super::object::Object;
use super::{Shape, Wrong};
use crate::dialect::Text;
use crate::dialect::template::named_hole;
use crate::event::TypeHint;
use crate::family::block::Tags;
use crate::family::tried;
use crate::family::written::mark::{Mark, Piece};

impl Shape {
    /// Returns the parts of this field's text.
    pub(super) fn parts(
        &self,
        field: &str,
        text: &str,
        holes: &[&str],
    ) -> Result<Vec<Part>, Wrong> {
        parts(text, holes).map_err(|what| Wrong::new(field, format!("in `{text}`: {what}")))
    }

    /// Returns the parts around the calls of a section, if the shape has sections.
    pub(super) fn round_calls(&self) -> Result<Option<[Vec<Part>; 2]>, Wrong> {
        if self.section.is_empty() {
            return Ok(None);
        }
        let parts = self.parts("section", &self.section, &["calls"])?;
        around(&parts, "calls", "section").map(Some)
    }

    /// Returns the beginning of results that a model invents: the first line, up to its first hole.
    pub(super) fn invented(&self) -> Option<String> {
        let begin = match &self.invented {
            Some(invented) => invented,
            None if self.results.trim_start().starts_with("{result}") => &self.result,
            None if self.results.is_empty() => &self.result,
            None => &self.results,
        };
        let line = begin.trim_start().lines().next()?;
        let mut holes = line.match_indices('{').map(|(at, _)| at);
        let end = holes.find(|at| named_hole(&line[*at..]).is_some());
        let text = line[..end.unwrap_or(line.len())].trim_end().trim_end_matches('[');
        (!text.is_empty()).then(|| text.to_string())
    }

    /// Returns the types of the shape, or else these.
    pub(super) fn hints_or(&self, hints: &[(&'static str, TypeHint)]) -> Vec<(Text, TypeHint)> {
        let own = hints.iter().map(|(text, hint)| (Text::Borrowed(*text), *hint));
        if self.hints.is_empty() { own.collect() } else { self.hints.clone() }
    }

    /// Returns the texts around the calls of a section, in each spelling, without white space.
    pub(super) fn all_sections(&self) -> Result<Vec<[String; 2]>, Wrong> {
        let own = self.round_calls()?.into_iter().map(Ok);
        let others = self.sections.iter().map(|other| {
            let parts = self.parts("sections", other, &["calls"])?;
            around(&parts, "calls", "sections")
        });
        let texts =
            |round: [Vec<Part>; 2]| round.map(|parts| notation::text(&parts).trim().to_string());
        own.chain(others).map(|round| round.map(texts)).collect()
    }

    /// Returns the opener and the closer of a section, in all spellings.
    pub(super) fn section_marks(&self) -> Result<Option<[Mark; 2]>, Wrong> {
        let Some([open, close]) = self.round_calls()? else { return Ok(None) };
        if self.sections.is_empty() {
            return Ok(Some([literals(("section", open))?, literals(("section", close))?]));
        }
        let (mut opens, mut closes) = (tags(&open), tags(&close));
        for (at, other) in self.sections.iter().enumerate() {
            let field = format!("sections[{at}]");
            let parts = self.parts(&field, other, &["calls"])?;
            let [open, close] = around(&parts, "calls", &field)?;
            opens = opens.zip(tags(&open)).map(|(opens, open)| [opens, open].concat());
            closes = closes.zip(tags(&close)).map(|(closes, close)| [closes, close].concat());
        }
        let count = self.sections.len() + 1;
        let texts = |texts: Option<Vec<Text>>| texts.filter(|texts| texts.len() == count);
        match texts(opens).zip(texts(closes)) {
            Some((opens, closes)) => Ok(Some([opens, closes].map(|texts| {
                vec![Piece::Any(texts.iter().map(|text| Box::from(&**text)).collect())]
            }))),
            None => {
                Err(Wrong::new("sections", "each has one text before its hole, and one after it"))
            }
        }
    }

    /// Whether the id of a call says which tool it calls.
    pub(super) fn names_by_id(&self) -> bool {
        self.call.contains("{id}") && !self.call.contains("{name}")
    }

    /// Whether nothing stands around the objects.
    pub(super) fn is_bare(&self, object: &Object<'_>) -> bool {
        self.wrapped || self.section.is_empty() && object.object == self.call.trim()
    }

    /// Returns the texts of the block that such objects stand in.
    pub(super) fn objects_block(&self, object: &Object<'_>) -> Result<Tags, Wrong> {
        let mut sections = self.all_sections()?;
        let field = if self.section.is_empty() { "call" } else { "section" };
        if self.section.is_empty() {
            for text in [object.before, object.after] {
                self.parts("call", text, &[])?;
            }
            sections.insert(0, [object.before, object.after].map(str::to_string));
        } else if !(object.before.trim().is_empty() && object.after.trim().is_empty()) {
            let what =
                format!("with a `section` the object has no text around it: `{}`", self.call);
            return Err(Wrong::new("call", what));
        }
        let mut block = Tags { json: true, stripped: self.special, ..self.any_block() };
        for [open, close] in &sections {
            // The brackets of a list are read with the objects.
            let open = open.trim().trim_end_matches('[').trim_end();
            let close = close.trim().trim_start_matches(']').trim_start();
            if open.is_empty() {
                let what = "a text must stand before the object, or any JSON would be a call";
                return Err(Wrong::new(field, what));
            }
            add(&mut block.open, open);
            add(&mut block.close, close);
        }
        Ok(block)
    }

    /// Returns the texts of objects without markers, or with tags or a fence alone: those that name a
    /// declared tool.
    pub(super) fn tried(&self, call: &str) -> Result<tried::Texts, Wrong> {
        let (mut tags, mut unfenced) = (Vec::new(), true);
        if self.wrapped {
            let round = self.call.split_once(call).unwrap_or_default();
            tags.push([round.0, round.1].map(str::trim));
        }
        for (at, or) in self.or.iter().enumerate() {
            match or.call.split_once(call).map(|(open, close)| [open.trim(), close.trim()]) {
                Some([open, "```"]) if open.starts_with("```") => unfenced = false,
                Some([open, close]) if !open.is_empty() && !close.is_empty() => {
                    tags.push([open, close]);
                }
                _ => {
                    let what = format!("in `{}` no text may stand around `{call}`", or.call);
                    return Err(Wrong::new(&format!("or[{at}].call"), what));
                }
            }
        }
        Ok(tried::Texts {
            groups: groups(&tags),
            wrapped: self.wrapped,
            unfenced,
            only: true,
            stops: self.tokens.iter().map(boxed).collect(),
        })
    }

    /// Returns the texts that all blocks of the shape have.
    pub(super) fn any_block(&self) -> Tags {
        let before = self.section.split("{calls}").next().unwrap_or_default();
        Tags {
            stops: self.tokens.iter().map(boxed).collect(),
            token: self.special,
            untyped: self.special,
            empty: self.special,
            empty_lists: self.special && before.trim_end().ends_with('['),
            ..Tags::default()
        }
    }
}

/// Openers and closers of tags, in groups whose closers begin alike.
fn groups(tags: &[[&str; 2]]) -> Vec<[Vec<Box<str>>; 2]> {
    let mut groups: Vec<[Vec<Box<str>>; 2]> = Vec::new();
    for tag in tags {
        let first = |close: &str| close.bytes().next();
        let of = groups.iter_mut().find(|[_, closes]| first(&closes[0]) == first(tag[1]));
        let tag = tag.map(Box::<str>::from);
        match of {
            Some(group) => {
                let sides = group.iter_mut().zip(tag).filter(|(all, text)| !all.contains(text));
                sides.for_each(|(all, text)| all.push(text));
            }
            None => groups.push(tag.map(|text| vec![text])),
        }
    }
    groups
}

/// Returns the marker of parts without names.
fn literals((field, parts): (&str, Vec<Part>)) -> Result<Mark, Wrong> {
    let pattern = notation::closer(&parts);
    if pattern.is_empty() {
        return Err(Wrong::new(field, "nothing stands on one side of its hole"));
    }
    Ok(pattern)
}

/// Adds a spelling, if it is a new one.
pub(super) fn add<T: From<String> + Deref<Target = str>>(all: &mut Vec<T>, text: &str) {
    let text = text.trim();
    if !text.is_empty() && !all.iter().any(|known| **known == *text) {
        all.push(text.to_string().into());
    }
}

/// Owned text, as a shape's template has it.
pub(super) fn owned(text: impl Into<String>) -> Text {
    Text::Owned(text.into())
}
