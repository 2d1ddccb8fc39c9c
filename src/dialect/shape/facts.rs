//! The facts of a shape.

use super::argument::Argument;
use super::tags::Tags;
use super::{Shape, Wrong};
use crate::dialect::Text;
use crate::dialect::facts::{Facts, Framing};
use crate::dialect::literals::Literals;
use crate::dialect::template::{ArgumentsForm, Template};
use crate::family;
use crate::options::CallsInReasoning;

/// The most bytes of a text of a shape.
const LONGEST: usize = 512;

impl Shape {
    /// The facts of a built-in dialect. Its vectors would show a mistake.
    pub fn facts(&self) -> Facts {
        let facts = self.host_facts();
        debug_assert!(facts.is_ok(), "{facts:?}");
        facts.unwrap_or_else(|_| {
            Facts::new(self.name.clone(), self.about.clone(), Template::default())
        })
    }

    /// The facts of a dialect from a shape.
    ///
    /// # Errors
    /// [`Wrong`] with the field that is a mistake.
    pub fn host_facts(&self) -> Result<Facts, Wrong> {
        self.check_lengths()?;
        if self.is_command() {
            self.command()?;
        }
        let mut template = self.written()?;
        let tags = if self.is_command() { None } else { Tags::from_shape(self)? };
        if let (Some(tags), ArgumentsForm::Params(param)) = (&tags, &mut template.call.arguments) {
            param.quotes = tags.quotes();
        }
        let id = match (self.call.contains("{id}"), &*self.id) {
            (true, "") => "call_{index}".into(),
            _ => self.id.clone(),
        };
        Ok(Facts {
            calls_in_reasoning: self.calls_in_reasoning.unwrap_or(CallsInReasoning::Extract),
            nests: tags.and_then(|tags| tags.nests()),
            literals: self.literals.as_ref().map(|form| Literals {
                quote: form.quote.clone(),
                by_schema: form.strings,
                python: form.python,
                unescaped: form.python,
            }),
            framing: [self.framing()?; 2],
            id,
            ..Facts::new(self.name.clone(), self.about.clone(), template)
        })
    }

    /// Checks the lengths: a marker is pending until it is whole, and the bytes that may be pending are
    /// bounded.
    fn check_lengths(&self) -> Result<(), Wrong> {
        let fields = [
            ("section", &self.section),
            ("call", &self.call),
            ("argument", &self.argument),
            ("element", &self.element),
            ("message", &self.message),
            ("reasoning", self.reasoning.as_ref().unwrap_or(&Text::Borrowed(""))),
        ];
        let long = fields.into_iter().find(|(_, text)| text.len() > LONGEST);
        long.map_or(Ok(()), |(field, text)| {
            let what = format!("it has {} bytes, and {LONGEST} are the most", text.len());
            Err(Wrong::new(field, what))
        })
    }

    /// Returns the white space of values that belongs to the form.
    fn framing(&self) -> Result<Framing, Wrong> {
        if self.is_command() {
            return Ok(if self.separator.is_empty() { Framing::None } else { Framing::Trimmed });
        }
        if !self.message.is_empty() || self.may_have_spellings()? {
            // The grammar reports a mistake in it.
            return Ok(match Argument::new(self).ok().flatten() {
                Some(argument) if argument.framing == family::Framing::LineBreak => {
                    Framing::LineBreak
                }
                Some(argument) if argument.trims => Framing::Trimmed,
                _ => Framing::None,
            });
        }
        // If a value may stand on lines of its own, the line breaks around it are no part of it.
        let mut arguments = self.or.iter().map(|or| &or.argument).chain([&self.argument]);
        let framed = arguments.any(|argument| argument.contains("\n{value}\n"));
        Ok(if framed { Framing::LineBreak } else { Framing::None })
    }
}
