//! What can be wrong with a configuration. Model text never is.

use thiserror::Error;

use crate::options::bounds;

/// Why a parser cannot be built.
///
/// [`ParserBuilder::build`](crate::ParserBuilder::build) says it; [`ParserBuilder`](crate::ParserBuilder) has an example.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A limit of 0 forbids every call.
    #[error("a tool limit of 0 allows no call at all: use 1 or more, or no limit")]
    ToolLimitZero,
    /// A tool or a parameter without a name.
    #[error("a tool or one of its parameters has no name: give it one")]
    EmptyName,
    /// A name that the parser would never read.
    #[error("the name `{name}` is longer than {} bytes: shorten it", bounds::NAME)]
    NameTooLong {
        /// The name.
        name: String,
    },
    /// A name that the dialect's grammar cannot hold.
    #[error(
        "the name `{name}` cannot be a tag of {dialect}: use no `<`, `>`, `/` or white space, and \
         no tag that the parser's dialects have themselves"
    )]
    BadName {
        /// The name.
        name: String,
        /// The dialect whose names are tags; of two, this one alone.
        dialect: String,
    },
    /// No tool, though the dialect knows a call only by a declared tool's name
    /// (`tag_names`).
    #[error(
        "no tool is declared, and {dialect} knows a call only by a declared name: declare the tools \
         that the model was told about"
    )]
    NeedsTools {
        /// The dialect; of two, this one alone.
        dialect: String,
    },
    /// More dialects than a parser reads.
    #[error("a parser reads two dialects at once, and no more: {dialect} are too many")]
    TooManyDialects {
        /// The first of them.
        dialect: String,
    },
    /// Two tools of one name.
    #[error("the tool `{name}` is declared twice: declare it once")]
    DuplicateTool {
        /// The name.
        name: String,
    },
    /// Two parameters of one name in one tool.
    #[error("the tool `{tool}` declares the parameter `{name}` twice: declare it once")]
    DuplicateParameter {
        /// The tool.
        tool: String,
        /// The parameter's name.
        name: String,
    },
    /// More tools or parameters than the tables can number.
    #[error("{count} tools or parameters are too many: declare at most {}", u16::MAX - 1)]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A host's table that the machine could not read, or a rename that finds nothing.
    #[error("the dialect `{dialect}` has a mistake at `{place}`: {what}")]
    Spec {
        /// The dialect's name.
        dialect: String,
        /// Where in its [`DialectSpec`](crate::DialectSpec): `values[0].rules[2].mark`. Or which
        /// of its renames: `renames[0]`.
        place: String,
        /// What is wrong there.
        what: String,
    },
    /// One of [`Options::answer_keywords`](crate::Options::answer_keywords) that could not be read.
    #[error("the answer keyword `{keyword}` cannot be read: {what}")]
    AnswerKeyword {
        /// The keyword.
        keyword: String,
        /// What is wrong with it: too many words, a word that is too long, too many keywords before it.
        what: String,
    },
}

/// A dialect's name that nobody knows, or a name of more than two.
///
/// [`Dialect::by_name`](crate::Dialect::by_name) says it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", told(name, known, "dialect", ""))]
#[non_exhaustive]
pub struct UnknownDialect {
    /// The name that was asked for; of two joined by `+` the one that is unknown.
    pub name: String,
    /// The names there are.
    pub known: Vec<&'static str>,
}

/// What is wrong with the name of a dialect. `kind`: what was asked for; `others`: what else it might
/// have been.
pub(crate) fn told(name: &str, known: &[&str], kind: &str, others: &str) -> String {
    match name.matches('+').count() {
        0 | 1 => format!("unknown {kind} `{name}`: use {others}one of {}", known.join(", ")),
        _ => format!("`{name}` is too many: a parser reads two dialects at once, and no more"),
    }
}
