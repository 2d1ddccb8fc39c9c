//! [`Shape`]: a dialect as the model writes it. Grammar, written form and stop sequences follow from it.
//!
//! ```text
//! stream   := ( prose | section | call )*         section  := OPEN ( call ws )* CLOSE
//! call     := OPEN ( argument ws )* CLOSE         argument := OPEN value CLOSE
//!           | OPEN object CLOSE
//! ```
//! An opener counts if something that may stand in it follows, and a closer if something that may stand behind it does.
//! [`grammar`] finds the family that reads a shape. `shapes.md` is its page in the docs; keep it true.

mod argument;
mod block;
pub(super) mod calls;
mod command;
mod derive;
pub(super) mod envelope;
mod facts;
mod grammar;
pub(super) mod keyed;
mod literals;
pub(super) mod notation;
pub(in crate::dialect) mod object;
pub(super) mod tags;
mod written;
use super::template::{LiteralForm, PromptForm, StopForm, Template};
use crate::dialect::Text;
use crate::event::{DiagnosticKind, TypeHint};
use crate::options::CallsInReasoning;

pub(in crate::dialect) use written::ONE_BY_ONE;

/// A dialect, as the model writes it. Every text may have white space, which a reader does not need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub(crate) struct Shape {
    pub name: Text,
    pub about: Text,
    /// The texts around the calls of a message: hole `{calls}`. Empty: there are no sections.
    pub section: Text,
    /// Other spellings of `section`.
    pub sections: Vec<Text>,
    /// A call. Holes: `{name}`, `{arguments}`, and `{id}`. Without a `{name}` the id names the tool. In place of
    /// `{arguments}`: `{value}`.
    pub call: Text,
    /// The tool of all calls and the argument of their one value, where `call` has a hole `{value}`. Empty: the call
    /// names the tool, and the argument is the only one that this requires, or has.
    pub tool: Text,
    pub key: Text,
    /// The text between two values, where `argument` is `{value}`. Empty: values have keys.
    pub separator: Text,
    /// An argument. Holes: `{key}`, `{value}`. Empty: the arguments are a JSON object.
    pub argument: Text,
    /// The notation of literals, if the arguments are literals.
    pub literals: Option<LiteralForm>,
    /// An argument in which elements nest, where tags have attributes. Holes: those of `argument`.
    pub element: Text,
    /// The values of the attribute with the hole `{type}`. Empty: the names of types in JSON Schema.
    pub hints: Vec<(Text, TypeHint)>,
    /// Other forms between the same openers and closers.
    pub or: Vec<Or>,
    /// Other spellings of a call. They are only read.
    pub also: Vec<Also>,
    /// A message whose header names its kind. Holes: `{header}`, `{body}`.
    pub message: Text,
    /// Other ends of a message.
    pub ends: Vec<Text>,
    /// Arguments are written in the order of their names.
    pub sorted: bool,
    /// The text between two calls of a message.
    pub between: Option<Text>,
    /// The result of a tool. Hole: `{content}`, and those of every result.
    pub result: Text,
    /// Two results of a message, with the texts around and between them. Hole: `{result}`, twice. Empty: a line
    /// break between results.
    pub results: Text,
    /// The beginning of a result that a model invents, if it is not the beginning of `results`; empty:
    /// nothing.
    pub invented: Option<Text>,
    /// The result of a call that failed; empty: `result`, with `Error: ` before the content.
    pub error: Text,
    /// Reasoning. Hole: `{reasoning}`. None: `<think>`; empty: there is no reasoning.
    pub reasoning: Option<Text>,
    /// The id of a written call, as in [`Facts::id`](super::facts::Facts::id). Empty: `call_{index}`, if the form
    /// has a place for an id.
    pub id: Text,
    /// Stop tokens that a server may leave in the text.
    pub tokens: Vec<Text>,
    /// Openers are special tokens: in a value whose closers are lost the next call counts.
    pub special: bool,
    /// Tags of arguments hold signs that nobody types: in a value whose closer is lost the next argument counts.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub marked: bool,
    /// Objects are calls of declared tools, and stand in one of the forms, never bare.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub wrapped: bool,
    /// Closers may be misspelt: the closer of a call is cut short, that of an argument is wrong in one
    /// character.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub misspelt: bool,
    /// How a call inside reasoning counts. None: as a call.
    pub calls_in_reasoning: Option<CallsInReasoning>,
    /// Prompt and stop sequences, in place of those that follow from the shape.
    pub prompt: Option<PromptForm>,
    pub stop: Option<StopForm>,
}

/// Another form of a call, like [`Shape::call`] and [`Shape::argument`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Or {
    pub call: Text,
    #[cfg_attr(feature = "serde", serde(default))]
    pub argument: Text,
    /// The word that is written for the hole `{word}`. In the place of a name it names no tool.
    #[cfg_attr(feature = "serde", serde(default))]
    pub word: Text,
}

/// Another spelling of [`Shape::call`], which is read and never written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Also {
    /// The call. It has the holes of [`Shape::call`], and the same end.
    pub call: Text,
    /// The diagnostic of a call in this spelling.
    #[cfg_attr(feature = "serde", serde(rename = "as", default))]
    pub reported: Option<DiagnosticKind>,
}

impl Or {
    /// Makes the mistake of the form with this number.
    fn mistake(&self, number: usize, problem: &str) -> Wrong {
        Wrong::new(&format!("or[{number}].call"), format!("`{}` {problem}", self.call))
    }

    pub fn new(call: impl Into<Text>, argument: impl Into<Text>) -> Or {
        Or { call: call.into(), argument: argument.into(), word: "".into() }
    }

    /// Makes a form without arguments of its own: a JSON object.
    pub fn json(call: impl Into<Text>) -> Or {
        Or::new(call, "")
    }
}

/// Texts of a shape.
pub(crate) fn texts(texts: &[&'static str]) -> Vec<Text> {
    texts.iter().map(|text| Text::Borrowed(text)).collect()
}

/// The mistake of another form that has nothing to do with the first.
const OTHERWISE: &str = "must begin and end as `call` does";

/// A mistake in a shape, and its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub field: String,
    pub problem: String,
}

impl Wrong {
    pub fn new(field: &str, problem: impl Into<String>) -> Wrong {
        Wrong { field: field.into(), problem: problem.into() }
    }
}

impl Shape {
    /// Returns the written form, for dialects whose grammar comes from elsewhere.
    pub fn template(&self) -> Template {
        let written = self.written();
        debug_assert!(written.is_ok(), "{written:?}");
        written.unwrap_or_default()
    }
}
