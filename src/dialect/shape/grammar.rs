//! The grammar of a shape.

use super::calls::Calls;
use super::envelope::Envelope;
use super::keyed::Keyed;
use super::literals::LiteralCalls;
use super::notation::{self, around, trimmed};
use super::object::Object;
use super::tags::Tags;
use super::{Shape, Wrong};
use crate::dialect::Text;
use crate::family::commands::Commands;
use crate::family::listed::Listed;
use crate::family::written::Written;
use crate::family::{Family, block, envelope, tried};
use crate::read::machine::Grammar;
use crate::read::prose::Prose;

impl Shape {
    /// The grammar of the shape.
    ///
    /// # Errors
    /// [`Wrong`] with the field that no family can read.
    pub(in crate::dialect) fn grammar(&self) -> Result<Grammar, Wrong> {
        let mut grammar = Grammar::new(self.around()?, self.family()?);
        grammar.lines = self.is_command();
        if grammar.lines {
            return Ok(grammar);
        }
        let mut hints = self.hints.clone();
        if let Some(keyed) = Keyed::from_shape(self)? {
            grammar.hints_yield = keyed.hint.is_some();
            hints = keyed.hints();
        } else if let Some(tags) = Tags::from_shape(self)? {
            hints = tags.hints();
            grammar.entities = tags.has_entities();
        }
        grammar.hints = hints.iter().map(|(text, hint)| (boxed(text), *hint)).collect();
        grammar.messages = !self.message.is_empty();
        grammar.ids =
            Object::parse(&self.call).is_some_and(|object| object.object.contains("{id}"));
        Ok(grammar)
    }

    /// Whether other spellings are read: of calls that name their tools before their arguments, but not in
    /// attributes.
    pub(super) fn may_have_spellings(&self) -> Result<bool, Wrong> {
        let other = self.literals.is_some() || !self.message.is_empty();
        Ok(!other
            && Keyed::from_shape(self)?.is_none()
            && self.tool_block()?.is_none()
            && Tags::from_shape(self)?.is_none()
            && Object::parse(&self.call).is_none())
    }

    /// Returns the family that reads this kind of calls.
    fn family(&self) -> Result<Box<dyn Family>, Wrong> {
        if self.is_command() {
            return Ok(Box::new(Commands::new(self.command()?)));
        }
        for (field, text) in [("tool", &self.tool), ("key", &self.key)] {
            if !text.is_empty() {
                let what =
                    format!("a call has it that has a `{{value}}`, and no other: `{}`", self.call);
                return Err(Wrong::new(field, what));
            }
        }
        if !self.also.is_empty() && !self.may_have_spellings()? {
            let problem = "other spellings need calls that name their tools before their arguments, and not in an \
                           attribute";
            return Err(Wrong::new("also", problem));
        }
        if !self.message.is_empty() {
            let texts = Envelope::from_shape(self)?.texts()?;
            return Ok(Box::new(envelope::Envelope::new(texts)));
        }
        if let Some(form) = &self.literals {
            return Ok(LiteralCalls::from_shape(self, form)?.family());
        }
        if let Some(keyed) = Keyed::from_shape(self)? {
            return Ok(Box::new(Listed::new(keyed.texts())));
        }
        if let Some(block) = self.tool_block()? {
            return Ok(Box::new(block::Block::new(block)));
        }
        if let Some(tags) = Tags::from_shape(self)? {
            return tags.family();
        }
        if !self.element.is_empty() {
            let what = "the tag of its `call` must have an attribute `{name}`";
            return Err(Wrong::new("element", what));
        }
        let Some(object) = Object::parse(&self.call) else {
            return Ok(Box::new(Written::new(Calls::from_shape(self)?.texts())));
        };
        object.check()?;
        if !self.argument.is_empty() {
            let what = "the arguments in an object are JSON, too: omit this key";
            return Err(Wrong::new("argument", what));
        }
        if self.is_bare(&object) {
            return Ok(Box::new(tried::Tried::new(self.tried(object.object)?)));
        }
        Ok(Box::new(block::Block::new(self.objects_block(&object)?)))
    }

    /// Markers that stand in text beside calls.
    fn around(&self) -> Result<Prose, Wrong> {
        // In messages, headers mark the reasoning.
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

#[cfg(all(test, feature = "json"))]
mod tests {
    use super::{Shape, Wrong};
    use crate::Dialect;

    fn is_read(shape: &str) -> bool {
        Dialect::from_json(shape).is_ok()
    }

    #[test]
    fn each_kind_has_a_family() {
        for shape in [
            r#"{"name": "x", "call": "<call name=\"{name}\">{arguments}</call>"}"#,
            r#"{"name": "x", "call": "@{name}\n{arguments}@end", "argument": "{key}={value}\n"}"#,
            r#"{"name": "x", "call": "<c>{\"name\": {name}, \"arguments\": {arguments}}</c>"}"#,
            r#"{"name": "x", "call": "{\"name\": {name}, \"arguments\": {arguments}}"}"#,
            r#"{"name": "x", "call": "<do n=\"{name}\">{arguments}</do>", "argument": "<a k=\"{key}\">{value}</a>"}"#,
            r#"{"name": "x", "section": "<r>\n{calls}\n</r>", "call": "{name}({arguments})",
                "literals": {"python": true, "separator": "=", "between": ", "}}"#,
            r#"{"name": "x", "call": "<do n=\"{name}\">{arguments}</do>", "element": "<{key}>{value}</{key}>"}"#,
            r#"{"name": "x", "call": "<|do|> n=\"{name}\"<|to|>{arguments}<|od|>", "argument": "<|a|> k=\"{key}\"<|is|>{value}<|/a|>"}"#,
            r#"{"name": "x", "section": "[{calls}]", "call": "{name}({arguments})",
                "literals": {"python": true, "separator": "=", "between": ", "}}"#,
            r#"{"name": "x", "call": "@call {name}{{arguments}}", "literals": {"separator": ": ", "between": ", "}}"#,
            r#"{"name": "x", "message": "[[a]]{header}[[b]]{body}[[c]]", "reasoning": "[[d]]think[[b]]{reasoning}[[c]]",
                "call": "[[a]]to={name}[[d]]call[[e]]json[[b]]{arguments}[[c]]"}"#,
            r#"{"name": "x", "message": "[[a]]{header}[[b]]{body}[[c]]", "call": "[[a]]to={name}[[b]]{arguments}[[c]]",
                "argument": "<{key}>{value}</{key}>"}"#,
            r#"{"name": "x", "call": "$ {value}\n", "tool": "shell", "key": "command"}"#,
        ] {
            assert!(is_read(shape), "{shape}");
        }
    }

    /// A kind that no family has is refused, with the field and its text.
    #[test]
    fn what_no_family_has_is_refused() {
        let call = r#"<do name=\"{name}\">{arguments}</do>"#;
        let tokens = (0..8).map(|n| format!("[[{n}]]x")).collect::<String>();
        for (fields, expected) in [
            (
                format!(
                    r#""section": "<s>{{calls}}</s>", "call": "{call}", "element": "<{{key}}>{{value}}</{{key}}>",
                        "or": [{{"call": "{{\"name\": {{name}}, \"arguments\": {{arguments}}}}"}}]"#
                ),
                "or[0].call: in `{\"name\": {name}, \"arguments\": {arguments}}`: where elements",
            ),
            (
                format!(r#""call": "{call}", "element": "<v k=\"{{key}}\"<|is|>{{value}}</v>""#),
                "element: in `<v k=\"{key}\"<|is|>{value}</v>`: its tag",
            ),
            (
                format!(
                    r#""message": "[[a]]{{header}}[[b]]{{body}}[[c]]", "call": "[[a]]to={{name}}{tokens}[[b]]{{arguments}}[[c]]""#
                ),
                "call: in `[[a]]to={name}[[0]]x",
            ),
        ] {
            let shape = format!("{{\"name\": \"x\", {fields}}}");
            let shape: Shape = serde_json::from_str(&shape).expect(&shape);
            let Wrong { field, problem } = shape.grammar().expect_err("no family");
            assert!(format!("{field}: {problem}").starts_with(expected), "{field}: {problem}");
        }
    }
}
