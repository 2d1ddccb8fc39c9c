//! The grammar that readers read, of a shape.

use super::calls::Calls;
use super::envelope::Envelope;
use super::keyed::Keyed;
use super::literals::LiteralCalls;
use super::notation::{self, around, trimmed};
use super::object::Object;
use super::tags::Tags;
use super::{Shape, Wrong};
use crate::dialect::answer::Fences;
use crate::dialect::spec::{Chars, Known, Name, Of, Pattern, Piece, Ref, Text};
use crate::dialect::tool_call::{Block, Keys};
use crate::family::listed::Listed;
use crate::family::tags::Tagged;
use crate::family::written::{Written, mark};
use crate::family::{Family, block, envelope, tried};
use crate::read::class::Class;
use crate::read::machine::Grammar;
use crate::read::prose::Prose;

impl Shape {
    /// The grammar of the shape, if a family has its kind of calls.
    pub(in crate::dialect) fn grammar(&self) -> Result<Option<Grammar>, Wrong> {
        let mut grammar = match self.family()? {
            Some(family) => Grammar::new(self.around()?, family),
            None => return Ok(None),
        };
        let mut hints = self.hints.clone();
        if let Some(keyed) = Keyed::of(self)? {
            (grammar.hints_yield, hints) = (keyed.hint.is_some(), keyed.hints());
        } else if let Some(tags) = Tags::of(self)? {
            hints = tags.hints();
            grammar.entities = tags.texts().is_some_and(|texts| texts.entities);
        }
        grammar.hints = hints.iter().map(|(text, hint)| (boxed(text), *hint)).collect();
        grammar.messages = !self.message.is_empty();
        grammar.ids = Object::of(&self.call).is_some_and(|object| object.object.contains("{id}"));
        Ok(Some(grammar))
    }

    /// The family that has its kind of calls, if there is one.
    fn family(&self) -> Result<Option<Box<dyn Family>>, Wrong> {
        if !self.also_rules.is_empty() {
            return Ok(None);
        }
        if !self.message.is_empty() {
            let texts = Envelope::of(self)?.texts();
            return Ok(texts.map(|t| Box::new(envelope::Envelope::new(t)) as Box<dyn Family>));
        }
        if let Some(form) = &self.literals {
            return Ok(LiteralCalls::of(self, form)?.family());
        }
        if let Some(keyed) = Keyed::of(self)? {
            return Ok(Some(Box::new(Listed::new(keyed.texts()))));
        }
        if let Some(block) = self.tool_block()? {
            return Ok(Some(Box::new(block::Block::new(self.tags(&block)))));
        }
        if let Some(tags) = Tags::of(self)? {
            return Ok(tags.texts().map(|texts| Box::new(Tagged::new(texts)) as Box<dyn Family>));
        }
        let Some(object) = Object::of(&self.call) else {
            return Ok(Some(Box::new(Written::new(Calls::of(self)?.texts()))));
        };
        if self.is_bare(&object) {
            let tried = self.tried(object.object)?;
            let groups = tried.tag_groups().into_iter();
            let groups = groups.map(|round| round.map(|texts| texts.iter().map(boxed).collect()));
            return Ok(Some(Box::new(tried::Tried::new(tried::Texts {
                groups: groups.collect(),
                wrapped: self.wrapped,
                unfenced: tried.fences == Fences::No,
                only: true,
                stops: self.tokens.iter().map(boxed).collect(),
            }))));
        }
        let tags =
            block::Tags { stripped: self.special, ..self.tags(&self.objects_block(&object)?) };
        Ok(Some(Box::new(block::Block::new(tags))))
    }

    /// The tags of a block.
    fn tags(&self, block: &Block) -> block::Tags {
        let boxed = |texts: &[Text]| texts.iter().map(boxed).collect();
        let before = self.section.split("{calls}").next().unwrap_or_default();
        let text = |pattern: &Pattern| {
            pattern
                .iter()
                .flat_map(Piece::texts)
                .next()
                .map_or_else(Box::default, |text| Box::from(&**text))
        };
        let keys = |keys: &Keys| block::Keys {
            key: keys.key.each_ref().map(text),
            value: keys.value.each_ref().map(text),
        };
        block::Tags {
            open: boxed(&block.open),
            close: boxed(&block.close),
            stops: boxed(&self.tokens),
            json: block.json,
            functions: block.functions,
            lines: block.lines,
            keyed: block.keyed.as_ref().map(keys),
            token: block.token,
            untyped: self.special,
            empty: self.special,
            empty_lists: self.special && before.trim_end().ends_with('['),
            ..block::Tags::default()
        }
    }

    /// Markers that stand in text beside calls.
    fn around(&self) -> Result<Prose, Wrong> {
        // Headers say what is reasoning in messages.
        let reasoning = self.reasoning.as_deref();
        let [open, close] = match reasoning.filter(|_| self.message.is_empty()) {
            _ if !self.message.is_empty() => Default::default(),
            None => [["<think>", "<thinking>"], ["</think>", "</thinking>"]]
                .map(|texts| texts.map(Box::from).to_vec()),
            Some("") => Default::default(),
            Some(reasoning) => {
                let parts = self.parts("reasoning", reasoning, &["reasoning"])?;
                let round = around(&parts, "reasoning", "reasoning")?;
                round.map(|parts| vec![notation::text(trimmed(&parts)).into()])
            }
        };
        Ok(Prose {
            open,
            close,
            anywhere: self.reasoning.is_some(),
            tokens: self.tokens.iter().map(boxed).collect(),
            invented: self.invented().into_iter().map(Box::from).collect(),
            ..Prose::default()
        })
    }
}

pub(super) fn boxed(text: &Text) -> Box<str> {
    Box::from(&**text)
}

/// The marker of a pattern.
pub(super) fn mark(pattern: &Pattern) -> mark::Mark {
    let piece = |piece: &Piece| {
        Some(match piece {
            Piece::Lit(text) => mark::Piece::Text(boxed(text)),
            Piece::Any(texts) => mark::Piece::Any(texts.iter().map(boxed).collect()),
            Piece::Run(run) if run.chars == Chars::WHITE => mark::Piece::White,
            Piece::Run(_) => mark::Piece::Word,
            Piece::Ref(Ref::Param) => mark::Piece::SameParam,
            Piece::Ref(_) => mark::Piece::SameTool,
            Piece::Name(name) => mark::Piece::Name(hole(name)),
            _ => return None,
        })
    };
    pattern.iter().filter_map(piece).collect()
}

fn hole(name: &Name) -> mark::Name {
    let bare = ['!', '~', '?'].iter().filter(|c| name.chars.has(**c)).count() > 1;
    let (class, all) = if bare { (Class::Bare, Chars::BARE) } else { (Class::Name, Chars::NAME) };
    let up_to = (0..0x80_u8).find(|byte| {
        let c = char::from(*byte);
        all.has(c) && !name.chars.has(c)
    });
    mark::Name {
        of: match name.of {
            Of::ToolId => mark::Of::ToolId,
            Of::Param => mark::Of::Param,
            Of::Id => mark::Of::Id,
            _ => mark::Of::Tool,
        },
        known: match name.known {
            Known::Declared => mark::Known::Declared,
            Known::IfDeclared => mark::Known::IfDeclared,
            Known::Fresh => mark::Known::Fresh,
            _ => mark::Known::Any,
        },
        class,
        quoted: name.quoted.is_some(),
        up_to,
        optional: name.optional,
        prefix: boxed(&name.prefix),
        not: name.not.iter().map(boxed).collect(),
    }
}

#[cfg(all(test, feature = "json"))]
mod tests {
    use crate::dialect::DialectSpec;

    fn is_read(shape: &str) -> bool {
        DialectSpec::from_json(shape).expect("a shape").grammar.0.is_some()
    }

    /// A shape without a family is read by rules, and says the same: nothing else would show it.
    #[test]
    fn most_kinds_have_a_family() {
        for shape in [
            r#"{"name": "x", "call": "<call name=\"{name}\">{arguments}</call>"}"#,
            r#"{"name": "x", "call": "@{name}\n{arguments}@end", "argument": "{key}={value}\n"}"#,
            r#"{"name": "x", "call": "<c>{\"name\": {name}, \"arguments\": {arguments}}</c>"}"#,
            r#"{"name": "x", "call": "{\"name\": {name}, \"arguments\": {arguments}}"}"#,
            r#"{"name": "x", "call": "<do n=\"{name}\">{arguments}</do>", "argument": "<a k=\"{key}\">{value}</a>"}"#,
            r#"{"name": "x", "section": "<r>\n{calls}\n</r>", "call": "{name}({arguments})",
                "literals": {"python": true, "separator": "=", "between": ", "}}"#,
            r#"{"name": "x", "message": "[[a]]{header}[[b]]{body}[[c]]", "reasoning": "[[d]]think[[b]]{reasoning}[[c]]",
                "call": "[[a]]to={name}[[d]]call[[e]]json[[b]]{arguments}[[c]]"}"#,
        ] {
            assert!(is_read(shape), "{shape}");
        }
        // Of elements that are named by their tags there is no family yet.
        let named = r#"{"name": "x", "call": "<do n=\"{name}\">{arguments}</do>", "element": "<{key}>{value}</{key}>"}"#;
        assert!(!is_read(named));
    }
}
