//! What a dialect is made of: [`DialectSpec`], all data.
//!
//! A dialect says, for every state of the machine, which *rules* count there. A [`Rule`] is a
//! *marker* (what it looks like), what must *follow* it for it to count, *where* it counts, and what
//! it *does*. The machine knows states and actions, never a dialect's strings.
//!
//! A host writes a table as JSON ([`super::json`]), and the [page on tables](crate::tables), `tables.md`, tells it
//! what is payload in which state, how rules are read, and what every part means: keep it true. A built-in
//! table is made of [`rule`](super::build::rule) and [`pattern!`](crate::pattern), and most follow from a
//! [`Shape`](super::shape).
//!
//! If you add (the compiler finds what is a `match`; `tests/it/spec_json.rs` looks for each word in `tables.md`):
//!
//! * a [`Piece`]: `json/piece.rs` has its key, `check.rs` what makes no sense, `circle.rs` whether it takes a byte,
//!   `rename.rs` its texts, `machine/table/compile.rs` its step, `machine/pattern.rs` how that reads a character;
//! * a flag: `Flags::ALL` its name, `machine/` whoever sets it, if no rule does;
//! * a word of [`AtEnd`]: `machine/pending.rs` what is decided, `check.rs` where it makes no sense;
//! * what a rule does ([`What`]): `json/rule.rs` its key, `machine/action.rs` and `end.rs` the act, `role.rs` its words,
//!   `circle.rs` whether it leads on without a byte;
//! * a field: `check.rs`, and `rename.rs` if it has texts;
//! * a field of a shape: `shape/mod.rs`, what reads it there, and the row of its key in `tables.md`.

pub(crate) use super::chars::Chars;
use std::sync::Arc;

use super::data::{data, table};
#[cfg(feature = "serde")]
use super::data::{is_default, is_true};
pub(crate) use super::flags::Flags;
pub(crate) use super::piece::{
    At, Known, LINE_BREAK, Name, Of, Pattern, Piece, Ref, Run, Text, ToolLine, Trial, WS,
};
use super::template::Template;
use crate::event::{DiagnosticKind, TypeHint};
use crate::json::syntax::Syntax;
use crate::options::CallsInReasoning;
use crate::read::machine::Grammar;

/// A marker, what confirms it, where it counts, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// What it looks like. It begins with a literal, or with [`At::LineStart`], [`At::Start`], [`At::Word`] or
    /// [`At::Quote`].
    pub mark: Pattern,
    /// The follow set: what may come after the marker, each after white space. Empty: the marker
    /// counts by itself.
    pub follow: Vec<Pattern>,
    /// Where it counts: all of these hold.
    pub needs: Flags,
    /// Where it does not count: one of these holds.
    pub not: Flags,
    /// What the end of the stream decides while it is undecided.
    pub at_end: AtEnd,
    /// How many pieces of the marker make it a *rejected opener* if it does not count: it cancels one
    /// orphan closer. 0: never. With [`AtEnd::Prefix`]: how many pieces are enough.
    pub fixed: u8,
    /// It is no marker of a well-formed call: where it is longer than its bounds, nothing is broken, and as
    /// a section's closer it is not missed.
    pub noise: bool,
    /// What it does.
    pub action: Action,
}

/// What a marker does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Action {
    /// What.
    pub what: What,
    /// It does so before the marker, which is read again in the state that follows.
    pub before: bool,
    /// What is reported.
    pub note: Option<DiagnosticKind>,
    /// What holds from here on.
    pub sets: Flags,
    /// What no longer holds.
    pub clears: Flags,
    /// The state that follows, if it is not the one around what was closed.
    pub then: Option<Place>,
}

/// What an [`Action`] does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum What {
    /// This opens.
    Open(Place),
    /// A parameter begins, whose value is of this kind.
    Param(u8, Named),
    /// The name or the type of the next parameter is remembered.
    Name,
    /// This closes, and all that is open in it.
    Close(Scope),
    /// A closer of what is not open. Text, if a rejected opener cancels it; else markup.
    Orphan(Scope),
    /// Markup, and nothing else.
    #[default]
    Mark,
    /// Markup in a call where it should not be.
    Unexpected,
    /// Payload: the marker only sets flags, or is reported.
    Pass,
    /// Payload: an opener of reasoning that does not count here. One closer of reasoning that is an orphan
    /// is payload, too.
    Reject,
    /// Markup up to the end of the stream: the model invents what it cannot know.
    Rest,
}

data! {
    /// A state that opens: the number is that of the kind in the list of the spec.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Place {
        /// Text or reasoning.
        Prose(u8),
        /// A section of calls, a header, or the rest of a line.
        Section(u8),
        /// A call. The marker names the tool.
        Call(u8),
        /// A body of literals. It begins with the last byte of the marker, its opening bracket.
        Body(u8),
    }

    /// What closes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Scope {
        /// The open value.
        Value,
        /// The open body.
        Body,
        /// The open string of a body, with the quote before the marker.
        String,
        /// The open call.
        Call,
        /// The open section.
        Section,
        /// The reasoning, or the message.
        Prose,
    }

    /// Where the name of a parameter comes from.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Named {
        /// The marker captured it.
        Captured,
        /// [`What::Name`] remembered it.
        Remembered,
        /// It is [`DialectSpec::input`].
        Input,
        /// It is the tool's one parameter: its only required one, or, if it requires none, its only one.
        OnlyOne,
    }

    /// What the end of the stream does to a marker that is undecided.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) enum AtEnd {
        /// It is payload.
        #[default]
        Payload,
        /// It counts: the end is in the follow set, also in the middle of an element.
        Confirm,
        /// It counts in an element that names the end ([`At::End`]), also in the middle of it; not where
        /// the stream was cut.
        Listed,
        /// The end is in the follow set where the stream was cut: it counts there alone.
        Cut,
        /// It counts if it names a known tool.
        Known,
        /// It counts if enough of the marker is there ([`Rule::fixed`]; of a keyword, and of a name that must
        /// be declared, three letters or the whole), or an element of the follow set has begun.
        Prefix,
    }

    /// Text or reasoning. The first kind is text, the second one what reasoning tags (or `start =
    /// reasoning`) open, and further ones a dialect's own.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct ProseKind {
        /// Its payload is reasoning.
        pub reasoning: bool,
        /// It is the answer: where it begins, `AnswerStart` goes out, and no call of another dialect counts
        /// in it.
        pub answer: bool,
        /// What counts in it.
        pub rules: Vec<Rule>,
    }
}

/// Text.
impl Default for Place {
    fn default() -> Place {
        Place::Prose(0)
    }
}

/// A section: what stands between calls.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub(crate) struct SectionKind {
    /// What counts in it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_default"))]
    pub rules: Vec<Rule>,
    /// What else may stand in it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_default"))]
    pub between: Between,
    /// Calls stand in it: the tool limit is asked where it opens.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_true"))]
    pub calls: bool,
}

impl Default for SectionKind {
    fn default() -> SectionKind {
        SectionKind::new(Vec::new())
    }
}

impl SectionKind {
    /// A section in which these rules count, and white space stands between calls: anything else is
    /// reported.
    pub fn new(rules: Vec<Rule>) -> SectionKind {
        SectionKind { rules, between: Between::default(), calls: true }
    }
}

data! {
    /// A call: what stands between its parameters.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct CallKind {
        /// What counts in it.
        pub rules: Vec<Rule>,
        /// What else may stand in it.
        pub between: Between,
        /// The end of the stream ends it well: a stop token is its closer. In a dialect of lines it does so
        /// where the call has an input, or its tool requires nothing.
        pub whole_at_end: bool,
    }

    /// What may stand in a section or a call beside what its rules know.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) enum Between {
        /// Anything. What is not of these characters is reported.
        Junk(Chars),
        /// These characters. Anything else ends the section or the call before it.
        Only(Chars),
    }

    /// The value of a parameter.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct ValueKind {
        /// What counts in it.
        pub rules: Vec<Rule>,
        /// What of its white space is no value.
        pub framing: Framing,
        /// The end of the stream ends it well: a stop token is its closer.
        pub whole_at_end: bool,
    }

    /// What of a value's white space is the dialect's own.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) enum Framing {
        /// Nothing.
        #[default]
        None,
        /// One line break off each end.
        LineBreak,
        /// One line break before a marker that ends the value in place of its own closer. The value is verbatim
        /// otherwise.
        Recovered,
        /// Nothing, but `Message` trims both ends.
        Trimmed,
        /// All white space at its end, up to 256 bytes.
        White,
    }
}

/// Anything, and all but white space is reported.
impl Default for Between {
    fn default() -> Between {
        Between::Junk(Chars::WHITE)
    }
}

/// A body: an object of literals.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct BodyKind {
    /// What it is.
    pub gives: Gives,
    /// What ends it before its time: rules whose markers stand outside strings.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub rules: Vec<Rule>,
    /// The state after it, if it is not the one around the call: the section that reads the call's closing
    /// marker.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub then: Option<Place>,
}

data! {
    /// What a [`BodyKind`] is.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) enum Gives {
        /// A JSON object that is a call: one member names the tool, one holds the arguments. An id that its
        /// marker captured is the call's (`inferred_name`).
        Call,
        /// The same, which a member with another key than those of a call breaks.
        OnlyCall,
        /// A JSON object that is all of a call's arguments ([how](self#calls-with-json)). Where no call is
        /// open, its marker names none: the tool is the one known tool whose parameters include all keys of the object.
        Arguments,
        /// A JSON object that belongs to no call.
        Nothing,
        /// An object, or Python's keywords in brackets, whose members are the parameters of the open call.
        Params(Literals),
        /// The same, but it belongs to no call. The tool is that which the marker names, or else
        /// [`Ref::First`].
        NoParams(Literals),
    }

    /// How the values of [`Gives::Params`] are written: JSON, with some more. They go out as they are
    /// written, with the hint [`TypeHint::Literal`]; `Message` decodes them.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Literals {
        /// What opens and closes a string in which nothing escapes, beside quotes: `<|"|>`. Its first
        /// character does not come in it again. Where there is one, a value without quotes is any text
        /// without white space, commas and brackets, and for a parameter that may be a string it is that
        /// text.
        pub quote: Text,
        /// A string in `quote` that is the whole value is read by the parameter's schema, as the values of
        /// tags are.
        pub by_schema: bool,
        /// They are Python's: keywords before `=`, tuples and sets, strings in three quotes of either kind.
        pub python: bool,
        /// A quote in a string may lack its backslash: it ends the string where a rule of the body that begins
        /// with [`At::Quote`] says so, and is text of it elsewhere (`repaired_json`).
        pub unescaped: bool,
    }

    /// A keyword of a dialect of lines.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Keyword {
        /// What it may be: each of one word or several, with a blank between.
        pub words: Vec<Text>,
        /// It begins the answer: the option `answer_keywords` replaces its words.
        pub answer: bool,
    }

    /// What a dialect of lines tolerates.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Lines {
        /// First words of a name that say that there is no call.
        pub no_call: Vec<Text>,
        /// Beginnings of a name that say the same.
        pub no_call_phrases: Vec<Text>,
        /// Inputs that say that there is none.
        pub no_input: Vec<Text>,
        /// Tags that end a block of reasoning: a line in it that holds one names no tool.
        pub ends_block: Vec<Text>,
    }
}

/// The name of a parameter that nothing else names: `input`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Input(pub Text);

impl Default for Input {
    fn default() -> Input {
        Input("input".into())
    }
}

impl Gives {
    /// How its values are written, where its members are parameters.
    pub(crate) fn literals(&self) -> Option<&Literals> {
        match self {
            Gives::Params(literals) | Gives::NoParams(literals) => Some(literals),
            Gives::Call | Gives::OnlyCall | Gives::Arguments | Gives::Nothing => None,
        }
    }
}

impl Literals {
    pub(crate) fn syntax(&self) -> Syntax<'_> {
        let Literals { quote, python, unescaped, .. } = self;
        Syntax { quote, python: *python, unescaped: *unescaped, equals: false, comments: false }
    }
}

/// The grammar of a host's dialect. Tables are compared without it: it follows from the shape that they follow from.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnGrammar(pub Option<Arc<Grammar>>);

impl PartialEq for OwnGrammar {
    fn eq(&self, _: &OwnGrammar) -> bool {
        true
    }
}

impl Eq for OwnGrammar {}

table! {
    /// The table of a dialect: what it reads, and how it is written.
    ///
    /// It is opaque: as JSON it can be written, read and changed, and [the page on tables](crate::tables) says what
    /// its keys mean. Every built-in dialect has one ([`Dialect::spec`](crate::Dialect::spec)), and
    /// [`Dialect::new`](crate::Dialect::new) makes a dialect of one.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DialectSpec {
        /// Its name, for people and for `Dialect::by_name`.
        pub(crate) name: Text,
        /// One line for people: what it looks like, who writes it.
        pub(crate) about: Text,
        /// Names of tools and parameters are tags: they hold no `<`, `>`, `/` or white space, and are none
        /// of the dialect's own tags. Without tools there is no call, so a parser needs some
        /// ([`BuildError::needs_tools`](crate::BuildError::needs_tools)).
        pub(crate) tag_names: bool,
        /// Where a stream begins, unless the options say otherwise.
        pub(crate) entry: Place,
        /// What a call inside reasoning is, unless the host says so.
        pub(crate) calls_in_reasoning: CallsInReasoning,
        /// The kinds of prose: text, reasoning, and others.
        pub(crate) prose: Vec<ProseKind>,
        /// The kinds of sections.
        pub(crate) sections: Vec<SectionKind>,
        /// The kinds of calls.
        pub(crate) calls: Vec<CallKind>,
        /// The kinds of values.
        pub(crate) values: Vec<ValueKind>,
        /// The kinds of bodies.
        pub(crate) bodies: Vec<BodyKind>,
        /// Stop tokens that a server left in the text.
        pub(crate) boundary: Vec<Text>,
        /// Its closers of sections are special tokens, which servers strip, or there are none: that one is
        /// missing at the end of the stream is not reported.
        pub(crate) stripped: bool,
        /// The value kind of the parameters in `raw_params` and of those the host adds.
        pub(crate) raw: Option<u8>,
        /// The parameters that are of the kind `raw`.
        pub(crate) raw_params: Vec<Text>,
        /// The parameters whose search/replace lines are delivered whole.
        pub(crate) diff_params: Vec<Text>,
        /// The singular of a list's name feeds the list, an element each time.
        pub(crate) singulars: bool,
        /// A JSON object that is a call may hold its id, as `id` or `tool_call_id`: a string of at most
        /// [`crate::bounds::NAME`] bytes.
        pub(crate) ids: bool,
        /// What [`Of::Hint`] captures, and what it says of the value's type. Nothing (`""`) stands for all
        /// that is not listed, and for a marker that captures none.
        pub(crate) hints: Vec<(Text, TypeHint)>,
        /// What opens and closes an element of a value, up to its name (`<item>`) or its attributes `name` and
        /// `type`. `Message` reads a value of such elements as an object or a list; the machine counts those
        /// that rules set and clear with [`Flags::NESTED`].
        pub(crate) nests: Option<(Text, Text)>,
        /// A schema of one type wins over what [`Of::Hint`] captures.
        pub(crate) hints_yield: bool,
        /// The parameter of [`Named::Input`].
        pub(crate) input: Input,
        /// Its keywords, if it is one of lines.
        pub(crate) keywords: Vec<Keyword>,
        /// The kind of prose that a stream begins in with the option `implicit_thought`.
        pub(crate) thought: Option<u8>,
        /// What it tolerates, if it is one of lines.
        pub(crate) lines: Lines,
        /// The id of a call that has none, where `template` writes one. Holes: `{name}` of the tool, `{index}` of
        /// the call or of its result among those that are written together.
        pub(crate) id: Text,
        /// How a host writes it: prompt, calls, results, stop sequences.
        pub(crate) template: Template,
    } no key {
        /// The grammar that readers read, of a shape.
        pub(crate) grammar: OwnGrammar,
    }
}

impl DialectSpec {
    /// What a table is where it says nothing. Without a name it is refused.
    #[cfg(feature = "serde")]
    pub(super) fn empty() -> DialectSpec {
        DialectSpec::new("", "", Template::default())
    }

    /// Its name, as [`Dialect::name`](crate::Dialect::name) gives it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A dialect in which nothing counts yet.
    pub(crate) fn new(
        name: impl Into<Text>,
        about: impl Into<Text>,
        template: Template,
    ) -> DialectSpec {
        DialectSpec {
            name: name.into(),
            about: about.into(),
            tag_names: false,
            entry: Place::Prose(0),
            calls_in_reasoning: CallsInReasoning::Ignore,
            prose: vec![
                ProseKind::default(),
                ProseKind { reasoning: true, ..ProseKind::default() },
            ],
            sections: Vec::new(),
            calls: Vec::new(),
            values: Vec::new(),
            bodies: Vec::new(),
            boundary: Vec::new(),
            stripped: false,
            raw: None,
            raw_params: Vec::new(),
            diff_params: Vec::new(),
            singulars: false,
            ids: false,
            hints: Vec::new(),
            nests: None,
            hints_yield: false,
            input: Input::default(),
            keywords: Vec::new(),
            thought: None,
            lines: Lines::default(),
            id: Text::Borrowed(""),
            template,
            grammar: OwnGrammar::default(),
        }
    }

    /// A stream begins in a header, or in what is text only if no header comes first.
    #[cfg(feature = "json")]
    pub(crate) fn begins_in_header(&self) -> bool {
        match self.entry {
            Place::Prose(kind @ 2..) => {
                let rules = self.prose.get(kind as usize).map_or(&[][..], |kind| &kind.rules);
                rules.iter().any(|rule| rule.mark.first() == Some(&Piece::At(At::Start)))
            }
            entry => !matches!(entry, Place::Prose(_)),
        }
    }

    /// All its rules.
    pub(crate) fn rules_mut(&mut self) -> impl Iterator<Item = &mut Rule> {
        self.rule_lists_mut().flatten()
    }

    /// Its markers begin with keywords at the start of lines.
    #[cfg(feature = "json")]
    pub(crate) fn has_lines(&self) -> bool {
        !self.keywords.is_empty()
    }

    /// The rules of each of its states.
    pub(crate) fn rule_lists_mut(&mut self) -> impl Iterator<Item = &mut Vec<Rule>> {
        let DialectSpec { prose, sections, calls, values, bodies, .. } = self;
        let prose = prose.iter_mut().map(|kind| &mut kind.rules);
        let sections = sections.iter_mut().map(|kind| &mut kind.rules);
        let calls = calls.iter_mut().map(|kind| &mut kind.rules);
        let values = values.iter_mut().map(|kind| &mut kind.rules);
        let bodies = bodies.iter_mut().map(|kind| &mut kind.rules);
        prose.chain(sections).chain(calls).chain(values).chain(bodies)
    }
}
