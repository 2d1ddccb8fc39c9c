//! What a marker looks like: [`Piece`]s in a row.

use std::borrow::Cow;

use super::chars::Chars;
use super::data::data;

/// A text of a table: borrowed in the built-in ones, owned where a host builds its own.
pub(crate) type Text = Cow<'static, str>;

/// What a marker looks like: pieces in a row.
pub(crate) type Pattern = Vec<Piece>;

/// One piece of a [`Pattern`]. Each is decided by the next character alone, so a pattern never
/// backtracks, and reading it can stop at any cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// This text.
    Lit(Text),
    /// One of these texts, none of which is the beginning of another.
    Any(Vec<Text>),
    /// This text with one character wrong: missing, written twice, or another one. Its last character stands nowhere
    /// else in it, and is neither missing nor another.
    Near(Text),
    /// A run of characters of one class, as long as they come.
    Run(Run),
    /// Anything up to this text, the text included: the marker has at most 1,024
    /// bytes up to there. One in which one of `unless` comes first does not fit.
    Until {
        /// What ends it.
        to: Text,
        /// What must not come before that.
        unless: Vec<Text>,
        /// If there are some, nothing but white space and these words may stand before it. One that ends in
        /// `=` goes on with a name, and one behind which `…` stands with anything up to the character that it begins
        /// with.
        words: Vec<Text>,
        /// If not 0: a marker fits, too, in which none of these texts has come after so many bytes, or up to the
        /// end of the stream.
        within: u16,
    },
    /// A name, which is captured.
    Name(Name),
    /// A name that came before, once more.
    Ref(Ref),
    /// A place, which takes no character.
    At(At),
    /// None of these characters comes next; it takes none.
    NotNext(Chars),
    /// The tool is the first of these that is declared: it takes no character, and fits if one is.
    Tool(Vec<Text>),
    /// The rest of an object, after its `{`, if that is a call: the last piece of what follows. It is
    /// read until that is decided, and held for so long: at most [`crate::bounds::ARGUMENTS`] bytes.
    Object(Trial),
    /// The keyword of this number, as a line begins with it ([`DialectSpec::keywords`]). ReAct alone.
    Keyword(u8),
    /// The rest of the line, or the next line that is not blank, in which a tool is named like this.
    /// ReAct alone.
    ToolLine(ToolLine),
}

impl Piece {
    /// The texts of which it is one; none: it is something else.
    pub(crate) fn texts(&self) -> &[Text] {
        match self {
            Piece::Lit(text) => std::slice::from_ref(text),
            Piece::Any(texts) => texts,
            _ => &[],
        }
    }
}

/// A run of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Of these characters.
    pub chars: Chars,
    /// At least so many bytes.
    pub min: u16,
    /// At most so many bytes. A longer run breaks the marker, but for one of `min` = `max`: it ends with
    /// the character that reaches it, and with 1 is one character.
    pub max: u16,
}

/// White space, possibly none: at most 256 bytes; within a tag the tag's own
/// bound counts.
pub(crate) const WS: Piece =
    Piece::Run(Run { chars: Chars::WHITE, min: 0, max: crate::bounds::WHITE_SPACE as u16 });

/// How a line ends.
pub(crate) const LINE_BREAK: &[&str] = &["\n", "\r\n"];

#[cfg(feature = "json")]
impl Run {
    /// A run of at least `min` and at most `max` bytes.
    pub const fn new(chars: Chars, min: u16, max: u16) -> Run {
        Run { chars, min, max }
    }
}

/// A name in a marker: at most [`crate::bounds::NAME`] bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// Whose name it is.
    pub of: Of,
    /// What it is made of where it stands without quotes.
    pub chars: Chars,
    /// What it is made of in single or double quotes, if it may stand in some.
    pub quoted: Option<Chars>,
    /// Whether it must be declared.
    pub known: Known,
    /// What is cut off its beginning, if it is there: `functions.`
    pub prefix: Text,
    /// It may be empty.
    pub optional: bool,
    /// With its prefix it is none of these.
    pub not: Vec<Text>,
    /// The entities `&quot;` and `&amp;` in it are decoded.
    pub entities: bool,
    /// It begins with a letter or `_`.
    pub word: bool,
    /// What follows may stand right behind it: of names that begin alike each is tried with which the text
    /// begins, the longest first. It must be known.
    pub glued: bool,
}

impl Name {
    /// A parameter's that must not have been given before.
    pub(crate) fn is_fresh(&self) -> bool {
        let if_declared = self.of == Of::Param && self.known == Known::IfDeclared;
        self.known == Known::Fresh || if_declared
    }
}

data! {
    /// What shows that an object is a call, where it may as well be the answer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Trial {
        /// Its name: that of a declared tool. Where none is declared, any, if there is a key for arguments.
        Name,
        /// Its name, that of a declared tool, and its keys: none but those of a call, up to its arguments.
        Keys,
    }

    /// Whose name a [`Name`] is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Of {
        /// A tool's.
        Tool,
        /// A tool's, with an index `:N` after it, which one that must be declared has; all of it is the call's
        /// id. Digits alone name no tool.
        ToolId,
        /// A parameter's.
        Param,
        /// The call's id.
        Id,
        /// The type of the value that follows ([`DialectSpec::hints`]).
        Hint,
        /// An element's: for [`Ref::Element`].
        Element,
    }

    /// Which names fit a [`Name`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) enum Known {
        /// All.
        #[default]
        Any,
        /// Those that are declared: of tools, or of parameters of the tool that is called.
        Declared,
        /// The same; all, if no tool is declared. Of parameters: those that the call does not have yet; all, if
        /// its tool is not declared.
        IfDeclared,
        /// Parameters that are declared and that the call does not have yet.
        Fresh,
        /// Those that are no declared parameter of the tool that is called; of tools, where some are declared,
        /// those that are none.
        Undeclared,
    }

    /// What a [`Piece::Ref`] repeats.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Ref {
        /// The name of the open call.
        Call,
        /// The name of the open parameter.
        Param,
        /// The name that this rule's marker captured.
        Marker,
        /// The name of an element that this pattern captured last, or else the open call's opener.
        Element,
        /// The name of the innermost element that is open in the open value: the one with which a marker set
        /// [`Flags::NESTED`](super::spec::Flags::NESTED).
        Nested,
        /// What closes the innermost open bracket of a body.
        Bracket,
        /// The name of the first of the calls that were opened together last.
        First,
    }

    /// A place in the stream.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum At {
        /// The first byte of a line (of the stream, after a line feed). A marker that begins with it is
        /// asked for at every line.
        LineStart,
        /// Up to the end of the line: blanks and the line break, or the end of the stream.
        LineEnd,
        /// The first byte of the state. A marker that begins with it is asked for there alone.
        Start,
        /// The first character of a word: none of `Chars::SPELLED` stands before it. After it comes the
        /// name of a declared tool, of such characters alone, and then a text: that is
        /// searched for, and from there it is looked back.
        Word,
        /// Nothing but white space up to the end of the stream.
        End,
        /// After a quote in a string of a body whose quotes may lack their backslashes
        /// ([`Literals::unescaped`](super::spec::Literals::unescaped)). A marker that begins with it is asked for
        /// there alone, and has nothing else: what follows says that the string ends.
        Quote,
    }

    /// How a line names a tool ([`Piece::ToolLine`]).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum ToolLine {
        /// A declared name and nothing else but a note in brackets.
        Alone,
        /// A declared name before `(` and `{`, which begins its JSON arguments.
        Paren,
        /// A declared name before `[`, after which its input stands.
        Bracket,
        /// Words that say that no tool is called.
        NoCall,
        /// Any name.
        Any,
        /// No name: the line begins with a keyword instead.
        Missing,
    }
}
