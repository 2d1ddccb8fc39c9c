//! [`Shape`]: a dialect said once, as the model writes it. Grammar, written form and stop sequences follow from it.
//!
//! ```text
//! stream   := ( prose | section | call )*         section  := OPEN ( call ws )* CLOSE
//! call     := OPEN ( argument ws )* CLOSE         argument := OPEN value CLOSE
//!           | OPEN object CLOSE
//! ```
//! An opener counts if what may stand in it follows, a closer if what may stand after it does. The
//! families do the rest: [`grammar`] says which family a shape has. `shapes.md` is the page on it for hosts; keep it true.

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
    /// A call. Holes: `{name}`, `{arguments}`, and `{id}`. Without a `{name}` the id names the tool. In place of
    /// `{arguments}`: `{value}`.
    pub call: Text,
    /// The tool of all calls and the argument of their one value, where `call` has a hole `{value}`. Empty: the call
    /// names the tool, and the argument is the only one that this requires, or has.
    pub tool: Text,
    pub key: Text,
    /// Between two values that have no keys, where `argument` is `{value}`. Empty: they have.
    pub separator: Text,
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
    /// How that is written, where a table says what it reads, or another shape.
    pub fn template(&self) -> Template {
        let written = self.written();
        debug_assert!(written.is_ok(), "{written:?}");
        written.unwrap_or_default()
    }
}
