//! [`Shape`]: a dialect said once, as the model writes it. Rules, written form and stop sequences follow from it.
//!
//! ```text
//! stream   := ( prose | section | call )*         section  := OPEN ( call ws )* CLOSE
//! call     := OPEN ( argument ws )* CLOSE         argument := OPEN value CLOSE
//!           | OPEN object CLOSE
//! ```
//! An opener counts if what may stand in it follows, a closer if what may stand after it does. What is lost, said
//! twice or nobody's follows from the same: [`calls`] (and `tool_call/`, for calls that are objects, and blocks). `tables.md` is the page on it for hosts; keep it true.

mod argument;
mod block;
pub(super) mod calls;
mod derive;
pub(super) mod envelope;
mod grammar;
pub(super) mod keyed;
mod literals;
pub(super) mod notation;
mod object;
pub(super) mod tags;
mod written;

use super::closers::{
    with_cut_openers, with_empty_sections, with_stray_closers, with_stray_tokens,
};
use super::spec::{DialectSpec, Rule, Text};
use super::template::{LiteralForm, PromptForm, StopForm, Template};
use crate::event::{DiagnosticKind, TypeHint};
use crate::options::CallsInReasoning;
use calls::Calls;
use envelope::Envelope;
use keyed::{Form, Keyed};
use literals::LiteralCalls;
use object::Object;
use tags::Tags;

pub(in crate::dialect) use notation::words;
pub(in crate::dialect) use written::ONE_BY_ONE;

/// A dialect, as the model writes it. Every text may have white space, which a reader does without.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub(crate) struct Shape {
    pub name: Text,
    pub about: Text,
    /// Round the calls of a message: hole `{calls}`. Empty: there are no sections.
    pub section: Text,
    /// Other spellings of that.
    pub sections: Vec<Text>,
    /// A call. Holes: `{name}`, `{arguments}`, and `{id}`. Without a `{name}` the id names the tool.
    pub call: Text,
    /// One argument. Holes: `{key}`, `{value}`. Empty: the arguments are a JSON object.
    pub argument: Text,
    /// The arguments are literals, written so.
    pub literals: Option<LiteralForm>,
    /// One argument in which elements nest, where tags have attributes. Holes: those of `argument`.
    pub element: Text,
    /// What the attribute of the hole `{type}` says. Empty: what JSON Schema calls the types.
    pub hints: Vec<(Text, TypeHint)>,
    /// What else may stand between the same openers and closers.
    pub or: Vec<Or>,
    /// Other spellings of a call, which are read.
    pub also: Vec<Also>,
    /// A message, where a header says what it is. Holes: `{header}`, `{body}`.
    pub message: Text,
    /// What else may end one.
    pub ends: Vec<Text>,
    /// Arguments are written in the order of their names.
    pub sorted: bool,
    /// Between two calls of a message.
    pub between: Option<Text>,
    /// What a tool gave. Hole: `{content}`, and those of every result.
    pub result: Text,
    /// Two results of a message: what stands round them, and between. Hole: `{result}`, twice. Empty: a line break
    /// between.
    pub results: Text,
    /// What a model begins a result with that it invents, if not what begins `results`; empty: nothing.
    pub invented: Option<Text>,
    /// What went wrong; empty: `result`, with `Error: ` before the content.
    pub error: Text,
    /// Reasoning. Hole: `{reasoning}`. None: `<think>`; empty: there is none.
    pub reasoning: Option<Text>,
    /// The id of a call that is written, as of a table. Empty: `call_{index}`, where the form has a place for one.
    pub id: Text,
    /// Stop tokens that a server left in the text.
    pub tokens: Vec<Text>,
    /// Its openers are special tokens: in a value whose closers are lost the next call counts.
    pub special: bool,
    /// Its arguments' tags hold signs that nobody types: in a value whose closer is lost the next argument counts.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub marked: bool,
    /// Objects are calls of declared tools, and stand in one of the forms, never bare.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub wrapped: bool,
    /// Its closers may be misspelt: that of a call cut short, that of an argument in one character.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub misspelt: bool,
    /// What a call inside reasoning is. None: a call.
    pub calls_in_reasoning: Option<CallsInReasoning>,
    /// Prompt and stop sequences, as of a table, in place of those that follow.
    pub prompt: Option<PromptForm>,
    pub stop: Option<StopForm>,
    /// Rules of text that no shape says, before its own.
    pub also_rules: Vec<Rule>,
}

/// Another form of a call, as [`Shape::call`] and [`Shape::argument`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Or {
    pub call: Text,
    #[cfg_attr(feature = "serde", serde(default))]
    pub argument: Text,
    /// The word that is written for a hole `{word}`: in place of a name it is none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub word: Text,
}

/// Another spelling of [`Shape::call`], which is read and never written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Also {
    /// It has the holes of `call`, and ends as that does.
    pub call: Text,
    /// What is told of a call that is written so.
    #[cfg_attr(feature = "serde", serde(rename = "as", default))]
    pub told: Option<DiagnosticKind>,
}

impl Or {
    /// What is wrong with the one of this number.
    fn wrong(&self, number: usize, what: &str) -> Wrong {
        Wrong::new(&format!("or[{number}].call"), format!("`{}` {what}", self.call))
    }

    pub fn new(call: impl Into<Text>, argument: impl Into<Text>) -> Or {
        Or { call: call.into(), argument: argument.into(), word: "".into() }
    }

    /// One without arguments of its own: a JSON object.
    pub fn json(call: impl Into<Text>) -> Or {
        Or::new(call, "")
    }
}

/// Texts of a shape.
pub(crate) fn texts(texts: &[&'static str]) -> Vec<Text> {
    texts.iter().map(|text| Text::Borrowed(text)).collect()
}

/// What is wrong with another form that has nothing to do with the first.
const OTHERWISE: &str = "begins or ends otherwise than `call`";

/// What is wrong with a shape, and in which field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub field: String,
    pub what: String,
}

impl Wrong {
    fn new(field: &str, what: impl Into<String>) -> Wrong {
        Wrong { field: field.into(), what: what.into() }
    }
}

impl Shape {
    /// That of a built-in dialect, whose vectors would show what is wrong with it.
    pub fn built_in(&self) -> DialectSpec {
        self.built_in_with(|keyed| vec![keyed.form()])
    }

    /// The same, whose tags, if it is keyed, have these forms.
    pub fn built_in_with(&self, forms: impl Fn(&Keyed<'_>) -> Vec<Form>) -> DialectSpec {
        let spec = self.spec_with(forms);
        debug_assert!(spec.is_ok(), "{spec:?}");
        let empty = || DialectSpec::new(self.name.clone(), self.about.clone(), Default::default());
        spec.unwrap_or_else(|_| empty())
    }

    /// How that is written, where a table says what it reads, or another shape.
    pub fn template(&self) -> Template {
        let written = self.written();
        debug_assert!(written.is_ok(), "{written:?}");
        written.unwrap_or_default()
    }

    /// The table that follows from it.
    ///
    /// # Errors
    /// [`Wrong`] with the field that says what nobody could read.
    #[cfg(feature = "json")]
    pub fn spec(&self) -> Result<DialectSpec, Wrong> {
        self.spec_with(|keyed| vec![keyed.form()])
    }

    fn spec_with(&self, forms: impl Fn(&Keyed<'_>) -> Vec<Form>) -> Result<DialectSpec, Wrong> {
        let mut is_read = false;
        let mut spec = if !self.message.is_empty() {
            Envelope::of(self)?.dialect()?
        } else if let Some(form) = &self.literals {
            LiteralCalls::of(self, form)?.dialect()?
        } else if let Some(keyed) = Keyed::of(self)? {
            keyed.dialect(&forms(&keyed))?
        } else if let Some(spec) = self.block()? {
            spec
        } else if let Some(tags) = Tags::of(self)? {
            tags.dialect()?
        } else if !self.element.is_empty() {
            return Err(Wrong::new(
                "element",
                "the tag of its `call` must have an attribute `{name}`",
            ));
        } else if let Some(object) = Object::of(&self.call) {
            self.of_objects(&object)?
        } else {
            is_read = true;
            Calls::of(self)?.dialect()?
        };
        if !is_read && !self.also.is_empty() {
            let what = "other spellings are read of calls that name their tools before their arguments, in no \
                        attribute";
            return Err(Wrong::new("also", what));
        }
        spec.prose[0].rules.splice(0..0, self.also_rules.iter().cloned());
        if self.message.is_empty() {
            spec = self.with_lost_marks(spec);
        }
        let id = match (self.call.contains("{id}"), &*self.id) {
            (true, "") => "call_{index}".into(),
            _ => self.id.clone(),
        };
        Ok(DialectSpec {
            id,
            calls_in_reasoning: self.calls_in_reasoning.unwrap_or(CallsInReasoning::Extract),
            boundary: self.tokens.clone(),
            ..spec
        })
    }

    /// With what counts where nothing is open, or nothing comes any more.
    fn with_lost_marks(&self, spec: DialectSpec) -> DialectSpec {
        let mut spec = DialectSpec { boundary: self.tokens.clone(), ..spec };
        let quoted = self.literals.as_ref().is_some_and(|literals| !literals.quote.is_empty());
        if self.special {
            let before = self.section.split("{calls}").next().unwrap_or_default();
            spec = with_empty_sections(spec, before.trim_end().ends_with('['));
            spec = with_stray_tokens(spec);
        }
        with_cut_openers(with_stray_closers(spec), self.special || quoted)
    }
}
