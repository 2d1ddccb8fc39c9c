//! What a dialect is made of: [`DialectSpec`], all data.
//!
//! A dialect says, for every state of the machine, which *rules* count there. A [`Rule`] is a
//! *marker* (what it looks like), what must *follow* it for it to count, and what it *does*.
//! The machine knows states and acts, never a dialect's strings.
//!
//! ```text
//! state      payload is     left by
//! text       TextContent    a call's or a section's opener, a reasoning opener
//! reasoning  Reasoning      a reasoning closer (with `extract`: a call's opener, too)
//! section    Markup         a call's opener, the section's closer
//! call       Markup         a parameter's opener, the call's closer, whatever ends the call
//! value      ParamDelta     a closer that is confirmed by what follows it
//! ```
//! A table is checked when a parser is built: [`BuildError::Spec`](crate::BuildError::Spec) names the
//! place of a marker without a beginning, of a kind that is not there, of an act in a state that it does
//! not belong to.

use std::borrow::Cow;

use super::lines::LineSpec;
use super::wire::Wire;
use crate::event::DiagnosticKind;
use crate::options::CallsInReasoning;

/// A list in a table: borrowed in a `const`, owned where a host builds its own.
pub type List<T> = Cow<'static, [T]>;

/// What a marker looks like: pieces in a row.
pub type Pattern = List<Piece>;

/// One piece of a [`Pattern`]. Every piece is decided by the next character alone, so a pattern
/// never backtracks and a run over it survives any cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// This text.
    Lit(Cow<'static, str>),
    /// White space, possibly none; between tags at most [`crate::bounds::WHITE_SPACE`] bytes.
    Ws,
    /// `NAME` of spec/common.md: letters, digits, `_ . - / : + @ $`. Captured.
    Name,
    /// The same, as the name of a tool, declared or not. Captured.
    ToolName,
    /// `[A-Za-z0-9_.-]`, 1 to 128.
    Word,
    /// The name of a declared tool. Captured.
    Tool,
    /// The name of a parameter that the tool declares. Captured.
    Declared,
    /// The same, and not yet given in this call.
    Fresh,
    /// A [`Piece::Word`] that is no declared parameter of the tool. Captured for `Same`.
    Undeclared,
    /// The name that this alternative captured last.
    Same,
    /// The name that this rule's marker captured.
    Captured,
    /// The open call's name.
    CallName,
    /// The open parameter's name.
    ParamName,
    /// A tool's name, perhaps in quotes, declared or not. Captured.
    QuotedToolName,
    /// The same, of a declared tool. Captured.
    QuotedTool,
    /// A parameter's name, perhaps in quotes: no `<`, `>`, `=`, quote or line break. Captured.
    QuotedKey,
    /// A parameter's name: anything but `<`, possibly nothing. Captured.
    Key,
    /// LF or CRLF.
    LineBreak,
    /// One of these characters.
    OneOf(Cow<'static, str>),
    /// ASCII letters, possibly none.
    Letters,
    /// Nothing, but the tool is declared, or none is.
    IfKnown,
    /// A quoted or bare attribute value. Captured.
    Attr,
    /// The same, as the name of a tool, declared or not.
    ToolAttr,
    /// The same, as the name of a declared tool.
    KnownToolAttr,
    /// Further attributes: anything but `<` and `>`.
    Rest,
    /// A `/` or nothing. If it stands there, the call has no body.
    Slash,
    /// Text without `<`, possibly none, at most [`crate::bounds::WORDS`] bytes.
    Words,
    /// One of the dialect's boundary tokens.
    Boundary,
    /// A key that names the call or its arguments in a JSON body, without quotes.
    CallKey,
    /// Nothing more: only the end of the stream can stand here.
    End,
}

/// A marker, what confirms it, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it looks like.
    pub mark: Pattern,
    /// The follow set: what may stand behind the marker, each behind white space. Empty: the
    /// marker counts by itself.
    pub follow: List<Pattern>,
    /// What the end of the stream decides while the follow set is still open.
    pub at_end: AtEnd,
    /// How many pieces of the marker make it a *rejected opener* if it is not confirmed
    /// (it pays for one orphan closer). 0: never.
    pub fixed: usize,
    /// Where it counts at all.
    pub only: Only,
    /// What it does.
    pub act: Act,
}

impl Rule {
    /// A rule whose marker counts by itself and anywhere, for `..` in tables.
    pub const fn plain(act: Act) -> Rule {
        Rule {
            mark: Cow::Borrowed(&[]),
            follow: Cow::Borrowed(&[]),
            at_end: AtEnd::Rejects,
            fixed: 0,
            only: Only::Anywhere,
            act,
        }
    }
}

/// What the end of the stream does to a marker whose follow set is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// It is payload.
    Rejects,
    /// It counts: the end is in the follow set, also in the middle of an element.
    Confirms,
    /// It counts in an element that has an [`Piece::End`], also in the middle of it.
    ConfirmsEnd,
    /// It counts in the middle of an element, if that has begun.
    ConfirmsBegun,
    /// It counts if the tool's name is whole and known.
    ConfirmsKnown,
}

/// Where a marker counts at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// In every place of the state.
    Anywhere,
    /// At the start of the stream or of a line (blanks before it allowed), or behind markup.
    LineStart,
    /// At the very start of a stream that begins in reasoning.
    StreamStart,
    /// In a value that does not hold its own closer as data.
    CleanValue,
    /// The same, at the start of a line, while a declared parameter is not yet given.
    CleanLine,
    /// Behind a call, with nothing but white space and markup between.
    BehindCall,
    /// In a call, with nothing but white space behind its opener.
    CallStart,
    /// In a call, behind the name of a parameter.
    Named,
    /// In a section.
    InSection,
    /// In a section, before its first body.
    SectionStart,
    /// In a call that lacks its section's opener.
    BareCall,
    /// In a value that does not hold its own closer as data, of a call in a section.
    CleanInSection,
    /// The same, of a call that lacks its section's opener.
    CleanBare,
    /// Behind a JSON body whose arguments may yet come.
    Waiting,
    /// In a value, until one such marker has come.
    Unsuspected,
}

/// What a confirmed marker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Text, reasoning: a section of calls opens, of this kind.
    OpenSection(u8),
    /// Text, reasoning, section: a call opens.
    OpenCall(Opening),
    /// Section: a call opens that is a JSON object; the marker is its `{`.
    OpenObject,
    /// Call: a JSON object opens that is all of its arguments; the marker is its `{`. The call ends
    /// with it, and a section of this kind stands behind.
    OpenArguments(u8),
    /// Text: from here on the model invents what it cannot know.
    Fabricate,
    /// Markup and nothing else.
    Markup,
    /// The same: the first of two openers.
    SpareOpener,
    /// Never confirmed: an opener that is always rejected.
    Reject,
    /// Text: a block of reasoning opens.
    OpenReasoning,
    /// Reasoning: the block closes.
    CloseReasoning,
    /// Text: a closer of a call that is not open.
    OrphanCall,
    /// Text: a closer of a section that is not open.
    OrphanSection,
    /// Text: a closer of reasoning that is not open.
    OrphanReasoning,
    /// Section: it closes.
    CloseSection,
    /// Call: a parameter opens, of this value kind.
    OpenParam(u8),
    /// The same, with a tag that is not quite one.
    OpenOddParam(u8),
    /// Call: the name of the next parameter.
    NameParam,
    /// Call: the value of the parameter that was named, of this value kind.
    OpenValue(u8),
    /// Call: it closes.
    CloseCall,
    /// JSON body: it ends before this marker, balanced or not.
    EndBody,
    /// Behind a JSON body: it has not ended, its arguments follow the comma that this marker is.
    ResumeBody,
    /// Section: it goes on as one of this kind.
    SectionGoesOn(u8),
    /// The same before the marker: a closer was forgotten.
    SectionGoesOnBefore(u8),
    /// Section: a call that has no parameters and no closer.
    WholeCall,
    /// Call: the key of a parameter that is not closed; the call is broken.
    BrokenKey,
    /// Value: nothing, but it is worth a diagnostic.
    Suspect,
    /// Call: the call ends *before* this marker; its own closer was forgotten.
    EndCall,
    /// Call: it and its section end before this marker.
    EndBlock,
    /// Call: an element that is no parameter begins.
    Stray(DiagnosticKind),
    /// Value: its own closer.
    CloseValue,
    /// Value: closed by a marker of another name.
    CloseValueMismatched,
    /// Value: the call's closer ends value and call.
    CloseBoth,
    /// Value: it ends before this marker; its closer was forgotten.
    EndValue,
    /// Value: the section's closer ends value, call and section.
    CloseAll,
}

/// How a call opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Which of the dialect's calls.
    pub kind: u8,
    /// It lacks its section's opener.
    pub bare: bool,
    /// What else is odd about its opener.
    pub odd: Option<DiagnosticKind>,
}

/// A call with a well-formed opener.
pub(crate) const CALL: Opening = Opening { kind: 0, bare: false, odd: None };
/// A call without its section's opener.
pub(crate) const BARE: Opening = Opening { bare: true, ..CALL };

/// A kind of section: its rules, and what may stand between its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionKind {
    /// What counts between its calls.
    pub rules: List<Rule>,
    /// What else may stand there.
    pub between: Between,
}

/// What may stand between the calls of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Anything: it is junk.
    Junk,
    /// White space. Anything else ends the section before it.
    White,
    /// White space, brackets, commas, a code fence. Anything else ends the section before it.
    Json,
}

/// A kind of value: which closers count, and what is framing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueKind {
    /// What counts in it.
    pub rules: List<Rule>,
    /// What of its white space is no value.
    pub framing: Framing,
}

/// What of a value's white space is the dialect's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One line break off each end.
    LineBreak,
    /// Everything belongs to the value.
    None,
    /// Everything belongs to the value, but `Message` trims both ends.
    Trimmed,
}

/// Which names the dialect cannot write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// Names stand inside quotes or a class of their own.
    Free,
    /// Names are tags: no `<`, `>`, `/`, white space, and none of the dialect's own tags.
    Tag,
}

/// A dialect, all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectSpec {
    /// Its name, for people and for `Dialect::by_name`.
    pub name: Cow<'static, str>,
    /// One line for people: what it looks like, who writes it.
    pub about: Cow<'static, str>,
    /// Which names of tools and parameters it cannot write.
    pub names: NameRule,
    /// The tags that open a block of reasoning.
    pub reasoning_openers: List<Cow<'static, str>>,
    /// Either closer closes either opener.
    pub reasoning_closers: List<Cow<'static, str>>,
    /// What a call inside reasoning is, unless the host says so.
    pub calls_in_reasoning: CallsInReasoning,
    /// What counts in text, beside reasoning tags and boundary tokens.
    pub text: List<Rule>,
    /// The kinds of sections; acts name them by their number here.
    pub sections: List<SectionKind>,
    /// The rules of each kind of call.
    pub calls: List<List<Rule>>,
    /// The kinds of values.
    pub values: List<ValueKind>,
    /// What ends a JSON body before its time.
    pub body: List<Rule>,
    /// The value kind of the parameters in `raw_params` and of those the host adds.
    pub raw: Option<u8>,
    /// The parameters that are of the kind `raw`.
    pub raw_params: List<Cow<'static, str>>,
    /// Stop tokens that a server left in the text.
    pub boundary: List<Cow<'static, str>>,
    /// The parameters whose search/replace lines are delivered whole.
    pub diff_params: List<Cow<'static, str>>,
    /// A repeated parameter, or the singular of a list's name, feeds the list.
    pub lists: bool,
    /// Its keyword lines, if it has some.
    pub lines: Option<LineSpec>,
    /// How a host writes it: prompt, calls, results, stop sequences.
    pub wire: Wire,
}

impl DialectSpec {
    /// The same dialect with every `from` in its markers replaced by `to`: for checkpoints that were
    /// trained on other literals. What the host writes (prompt, calls, results) follows.
    ///
    /// ```
    /// use std::sync::LazyLock;
    ///
    /// use toolstream::spec::DialectSpec;
    /// use toolstream::{Dialect, Parser};
    ///
    /// static SEED: LazyLock<DialectSpec> = LazyLock::new(|| {
    ///     let hermes = Dialect::HERMES.spec();
    ///     hermes.renamed("tool_call>", "seed:tool_call>").renamed("think>", "seed:think>")
    /// });
    ///
    /// let mut parser = Parser::builder(Dialect::new(&SEED)).build()?;
    /// let mut names = Vec::new();
    /// for chunk in ["<seed:tool_", "call>{\"name\": \"now\"}</seed:tool_call>"] {
    ///     for event in parser.feed(chunk) {
    ///         if let toolstream::Event::ToolUse(toolstream::ToolUse::Start { name, .. }) = event {
    ///             names.push(name.to_string());
    ///         }
    ///     }
    /// }
    /// assert_eq!(names, ["now"]);
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    #[must_use]
    pub fn renamed(&self, from: &str, to: &str) -> DialectSpec {
        let text = |text: &Cow<'static, str>| Cow::Owned(text.replace(from, to));
        let texts = |all: &List<Cow<'static, str>>| all.iter().map(text).collect();
        let piece = |piece: &Piece| match piece {
            Piece::Lit(literal) => Piece::Lit(text(literal)),
            other => other.clone(),
        };
        let pattern = |pattern: &Pattern| pattern.iter().map(piece).collect::<Pattern>();
        let rule = |rule: &Rule| Rule {
            mark: pattern(&rule.mark),
            follow: rule.follow.iter().map(pattern).collect(),
            ..rule.clone()
        };
        let rules = |all: &List<Rule>| all.iter().map(rule).collect::<List<Rule>>();
        let section =
            |kind: &SectionKind| SectionKind { rules: rules(&kind.rules), between: kind.between };
        let value =
            |kind: &ValueKind| ValueKind { rules: rules(&kind.rules), framing: kind.framing };
        DialectSpec {
            reasoning_openers: texts(&self.reasoning_openers),
            reasoning_closers: texts(&self.reasoning_closers),
            boundary: texts(&self.boundary),
            text: rules(&self.text),
            sections: self.sections.iter().map(section).collect(),
            calls: self.calls.iter().map(rules).collect(),
            values: self.values.iter().map(value).collect(),
            body: rules(&self.body),
            wire: self.wire.clone().renamed(from, to),
            ..self.clone()
        }
    }
}

/// A literal piece, for tables.
pub(crate) const fn lit(text: &'static str) -> Piece {
    Piece::Lit(Cow::Borrowed(text))
}

/// A list that is known at compile time, for tables: `list![Rule; a, b]`.
macro_rules! list {
    ($of:ty; $($item:expr),* $(,)?) => {{
        const ITEMS: &[$of] = &[$($item),*];
        ::std::borrow::Cow::Borrowed(ITEMS)
    }};
}

/// A pattern, for tables.
macro_rules! pattern {
    ($($piece:expr),* $(,)?) => { list![crate::dialect::spec::Piece; $($piece),*] };
}

/// The elements of a follow set, for tables.
macro_rules! follow {
    ($($pattern:expr),* $(,)?) => { list![crate::dialect::spec::Pattern; $($pattern),*] };
}

/// The rules of a state, for tables.
macro_rules! rules {
    ($($rule:expr),* $(,)?) => { list![crate::dialect::spec::Rule; $($rule),*] };
}

/// Strings, for tables.
macro_rules! strings {
    ($($text:literal),* $(,)?) => {
        list![::std::borrow::Cow<'static, str>; $(::std::borrow::Cow::Borrowed($text)),*]
    };
}

pub(crate) use {follow, list, pattern, rules, strings};
