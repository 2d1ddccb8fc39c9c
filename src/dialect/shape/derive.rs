//! What each field of a shape says: markers, and the rules that count in text whatever calls look like. Objects that
//! name their tools are read here, too, by the rules of `tool_call/`.

use super::notation::{self, Part, around, parts, tags};
use super::object::Object;
use super::{Shape, Wrong};
use crate::dialect::answer::{Fences, Tried};
use crate::dialect::bracket::invented;
use crate::dialect::build::rule;
use crate::dialect::prose::{Reasoning, prose_with, reasoning_between, think};
use crate::dialect::spec::{DialectSpec, Gives, Pattern, Piece, Rule, Text, Trial};
use crate::dialect::template::named_hole;
use crate::dialect::tool_call::Block;
use crate::event::TypeHint;
use crate::pattern;

impl Shape {
    /// The parts of a text of this field.
    pub(super) fn parts(
        &self,
        field: &str,
        text: &str,
        holes: &[&str],
    ) -> Result<Vec<Part>, Wrong> {
        parts(text, holes).map_err(|what| Wrong::new(field, format!("in `{text}`: {what}")))
    }

    /// What stands round the calls of a section, if there are some.
    pub(super) fn round_calls(&self) -> Result<Option<[Vec<Part>; 2]>, Wrong> {
        if self.section.is_empty() {
            return Ok(None);
        }
        let parts = self.parts("section", &self.section, &["calls"])?;
        around(&parts, "calls", "section").map(Some)
    }

    /// What opens and closes reasoning. A closer that is a stop token, too, is that in text.
    pub(super) fn reasoning(&self) -> Result<Reasoning, Wrong> {
        let Some(reasoning) = &self.reasoning else { return Ok(think()) };
        if reasoning.is_empty() {
            return Ok(Reasoning::default());
        }
        let parts = self.parts("reasoning", reasoning, &["reasoning"])?;
        let [open, close] = around(&parts, "reasoning", "reasoning")?;
        let [open, close] = [("reasoning", open), ("reasoning", close)].map(literals);
        let close = close?;
        let is_token = self.tokens().contains(&close);
        let [mut in_text, in_reasoning] = reasoning_between(open?, close);
        in_text.truncate(if is_token { 1 } else { 2 });
        Ok([in_text, in_reasoning])
    }

    /// What a model that invents results begins them with: up to the first hole, and in one line.
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

    /// Its table, in which nothing but these rules of text and reasoning counts yet.
    pub(super) fn table(&self, text: Vec<Rule>) -> Result<DialectSpec, Wrong> {
        let (name, about) = (self.name.clone(), self.about.clone());
        let prose = prose_with(text, self.reasoning()?);
        Ok(DialectSpec { prose, ..DialectSpec::new(name, about, self.written()?) })
    }

    /// What its types say, or else these.
    pub(super) fn hints_or(&self, hints: &[(&'static str, TypeHint)]) -> Vec<(Text, TypeHint)> {
        let own = hints.iter().map(|(text, hint)| (Text::Borrowed(*text), *hint));
        if self.hints.is_empty() { own.collect() } else { self.hints.clone() }
    }

    /// What counts in text beside calls: results that are invented, and these tokens.
    pub(super) fn others(&self, tokens: Vec<Pattern>) -> Vec<Rule> {
        let result = self.invented().map(|text| invented(pattern![text]));
        result.into_iter().chain(tokens.into_iter().map(rule)).collect()
    }

    /// What stands round the calls of a section, in each spelling, without white space.
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

    /// The stop tokens. Of two that begin alike the longer one comes first.
    pub(super) fn tokens(&self) -> Vec<Pattern> {
        self.tokens.iter().map(|token| pattern![token]).collect()
    }

    /// The same as one marker, where none of them begins another.
    pub(super) fn any_token(&self) -> Vec<Pattern> {
        (!self.tokens.is_empty()).then(|| pattern![self.tokens]).into_iter().collect()
    }

    /// What opens and what closes a section, in any of its spellings.
    pub(super) fn section_marks(&self) -> Result<Option<[Pattern; 2]>, Wrong> {
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
            Some((opens, closes)) => Ok(Some([opens, closes].map(|texts| vec![Piece::Any(texts)]))),
            None => {
                Err(Wrong::new("sections", "each has one text before its hole, and one after it"))
            }
        }
    }

    /// Whether the id of a call says which tool it calls.
    pub(super) fn names_by_id(&self) -> bool {
        self.call.contains("{id}") && !self.call.contains("{name}")
    }

    /// JSON objects that name their tools, one after the other or in a list.
    pub(super) fn of_objects(&self, object: &Object<'_>) -> Result<DialectSpec, Wrong> {
        object.check()?;
        if !self.argument.is_empty() {
            let what = "the arguments in an object are JSON, too: leave this out";
            return Err(Wrong::new("argument", what));
        }
        if self.is_bare(object) {
            return self.bare_objects(object.object);
        }
        let block = self.objects_block(object)?;
        let (stripped, ids) = (self.special, object.object.contains("{id}"));
        Ok(DialectSpec { stripped, ids, ..self.of_block(&block)? })
    }

    /// Nothing stands round the objects.
    pub(super) fn is_bare(&self, object: &Object<'_>) -> bool {
        self.wrapped || self.section.is_empty() && object.object == self.call.trim()
    }

    /// The markers round such objects.
    pub(super) fn objects_block(&self, object: &Object<'_>) -> Result<Block, Wrong> {
        let mut sections = self.all_sections()?;
        let field = if self.section.is_empty() { "call" } else { "section" };
        if self.section.is_empty() {
            for text in [object.before, object.after] {
                self.parts("call", text, &[])?;
            }
            sections.insert(0, [object.before, object.after].map(str::to_string));
        } else if !(object.before.trim().is_empty() && object.after.trim().is_empty()) {
            let what = format!("with a `section` nothing stands round the object: `{}`", self.call);
            return Err(Wrong::new("call", what));
        }
        let mut block = Block { json: true, ..self.any_block() };
        for [open, close] in &sections {
            // A list is read where objects are.
            let open = open.trim().trim_end_matches('[').trim_end();
            let close = close.trim().trim_start_matches(']').trim_start();
            if open.is_empty() {
                let what = "nothing stands before the object: any JSON would be a call";
                return Err(Wrong::new(field, what));
            }
            add(&mut block.open, open);
            add(&mut block.close, close);
        }
        Ok(block)
    }

    /// Objects that nothing stands round, but perhaps tags or a fence: those that name a declared tool.
    pub(super) fn tried(&self, call: &str) -> Result<Tried, Wrong> {
        let (mut tags, mut fences) = (Vec::new(), Fences::No);
        if self.wrapped {
            let round = self.call.split_once(call).unwrap_or_default();
            tags.push([round.0, round.1].map(|text| owned(text.trim())));
        }
        for (at, or) in self.or.iter().enumerate() {
            match or.call.split_once(call).map(|(open, close)| [open.trim(), close.trim()]) {
                Some([open, "```"]) if open.starts_with("```") => fences = Fences::WithTags,
                Some([open, close]) if !open.is_empty() && !close.is_empty() => {
                    tags.push([open, close].map(owned));
                }
                _ => {
                    let what = format!("in `{}` nothing stands round `{call}`", or.call);
                    return Err(Wrong::new(&format!("or[{at}].call"), what));
                }
            }
        }
        let (trial, gives) = (Trial::Keys, Gives::OnlyCall);
        let wrapped = self.wrapped;
        Ok(Tried { trial, gives, tags: tags.into(), fences, wrapped, section: 0, body: 0 })
    }

    /// Their table.
    fn bare_objects(&self, call: &str) -> Result<DialectSpec, Wrong> {
        let tried = self.tried(call)?;
        let mut text = tried.text();
        text.extend(self.others(self.any_token()));
        Ok(DialectSpec {
            sections: tried.sections(),
            bodies: tried.bodies(),
            stripped: true,
            ..self.table(text)?
        })
    }

    /// A block, of which nothing is known yet but what all blocks of the shape have.
    pub(super) fn any_block(&self) -> Block {
        Block { token: self.special, stop: self.any_token(), ..Block::default() }
    }

    /// Its table.
    pub(super) fn of_block(&self, block: &Block) -> Result<DialectSpec, Wrong> {
        let text = [block.text(), self.others(self.any_token())].concat();
        Ok(block.states(self.table(text)?))
    }
}

/// The marker that parts without names are.
fn literals((field, parts): (&str, Vec<Part>)) -> Result<Pattern, Wrong> {
    let pattern = notation::closer(&parts);
    if pattern.is_empty() {
        return Err(Wrong::new(field, "nothing stands on one side of its hole"));
    }
    Ok(pattern)
}

/// One more spelling, if it is one.
pub(super) fn add(all: &mut Vec<Text>, text: &str) {
    let text = text.trim();
    if !text.is_empty() && !all.iter().any(|known| known == text) {
        all.push(owned(text));
    }
}

/// Texts as they are in the template of a shape.
pub(super) fn owned(text: impl Into<String>) -> Text {
    Text::Owned(text.into())
}
