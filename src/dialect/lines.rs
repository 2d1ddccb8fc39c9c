//! What a dialect of keyword lines is made of: [`LineSpec`], all data.
//!
//! Such a dialect has no tags. A line that begins with a keyword ends the section before it and says
//! what the next lines are:
//!
//! ```text
//! keyword-line := lead word close? blanks colon close?
//! lead         := up to 32 of: space, tab, * _ # > `     the run of * _ ` at its end is the decoration
//! close        := the decoration in reverse order, once, before the colon or directly behind it
//! word         := a keyword, ASCII case-insensitive; between its words up to 16 of space, tab, _ and -,
//!                 or nothing; behind each word up to 16 blanks and up to 4 digits may stand
//! ```
//! Which words they are, what each does in which section, and what else is tolerated stands in the
//! table. The machine knows sections and acts, never a dialect's words.

use std::borrow::Cow;

use super::spec::List;
use crate::event::DiagnosticKind;

/// What a keyword stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The model thinks: reasoning.
    Thought,
    /// The name of a tool follows.
    Action,
    /// The input of the tool follows.
    Input,
    /// The result of a tool: only the host may write it.
    Result,
    /// The user's question: only the host may write it.
    Question,
    /// The answer for the user.
    Answer,
}

/// What the lines up to the next keyword are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSection {
    /// Text, at the start and behind a call.
    Text,
    /// A thought.
    Thought,
    /// The answer.
    Answer,
    /// The plain input of a call.
    Plain,
    /// A reasoning block, where calls count in reasoning.
    Reasoning,
}

/// What must have come before a keyword counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Nothing.
    Any,
    /// A call.
    Call,
    /// A call, or an action that was none.
    Step,
}

/// What a keyword line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineAct {
    /// A thought begins.
    Thought,
    /// The answer begins.
    Answer,
    /// A tool may be named here.
    Step,
    /// An input that belongs to no call: it is markup, with what follows it.
    Orphan,
    /// The line is markup.
    Markup,
    /// From here on all is markup: the model invents what it cannot know.
    Cut(DiagnosticKind),
    /// The plain input ends before this line, and the call with it.
    End,
}

/// What one keyword does in some sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRule {
    /// Where.
    pub within: List<LineSection>,
    /// Which keyword.
    pub role: Role,
    /// Behind what.
    pub after: After,
    /// The next line that is not blank must begin with one of these. Empty: any line.
    pub followed_by: List<Role>,
    /// What it does.
    pub act: LineAct,
}

/// A keyword: one word or several, with a blank between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// As people write it.
    pub words: Cow<'static, str>,
    /// What it stands for.
    pub role: Role,
}

/// A dialect of keyword lines.
///
/// The keywords of the role [`Role::Answer`] are replaced by the option `answer_keywords`, if a host
/// sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineSpec {
    /// The keywords.
    pub keywords: List<Keyword>,
    /// What may stand for a colon behind a keyword.
    pub colons: List<Cow<'static, str>>,
    /// What the keywords do; the first rule that fits counts, and without one the line is payload.
    pub rules: List<LineRule>,
    /// First words of a name that say that there is no call.
    pub no_call: List<Cow<'static, str>>,
    /// Beginnings of a name that say the same.
    pub no_call_phrases: List<Cow<'static, str>>,
    /// Inputs that say that there is none.
    pub no_input: List<Cow<'static, str>>,
    /// The parameter that an undeclared tool's plain input goes to.
    pub input: Cow<'static, str>,
    /// Info words of a code fence that may stand round a JSON input.
    pub json_fences: List<Cow<'static, str>>,
    /// The keywords before which an opening fence line is markup: it wraps the step.
    pub wrapped: List<Role>,
}

/// A keyword, for tables.
pub(crate) const fn keyword(words: &'static str, role: Role) -> Keyword {
    Keyword { words: Cow::Borrowed(words), role }
}
