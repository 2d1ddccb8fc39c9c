//! Families: a file for each kind of grammar, with a reader for each state.
//!
//! A [`Family`] reads markers. [`crate::read`] acts on them.

pub(crate) mod block;
pub(crate) mod carets;
#[cfg_attr(not(feature = "json"), allow(dead_code))]
pub(crate) mod commands;
pub(crate) mod elements;
pub(crate) mod envelope;
#[cfg_attr(not(feature = "json"), allow(dead_code))]
pub(crate) mod fields;
pub(crate) mod head;
pub(crate) mod headers;
pub(crate) mod ids;
pub(crate) mod kinds;
pub(crate) mod listed;
pub(crate) mod literals;
pub(crate) mod python;
pub(crate) mod react;
pub(crate) mod recipients;
pub(crate) mod tags;
pub(crate) mod texts;
pub(crate) mod token;
pub(crate) mod tried;
#[cfg_attr(not(feature = "json"), allow(dead_code))]
pub(crate) mod written;

use std::fmt::Debug;
use std::panic::RefUnwindSafe;

use crate::dialect::literals::Literals;
use crate::options::{Options, bounds};
use crate::read::act::{InCall, InSection, InText, InValue};
use crate::read::call::OpenCall;
use crate::read::cursor::{Class, Cursor, No, Note, Step};
use crate::read::feed::Is;
use crate::read::json::Json;
use crate::read::line_starts::LineStarts;
use crate::read::machine::State;
use crate::read::scan::Scan;
use crate::read::tools::Tools;
use crate::tool::{Tool, Type};

/// The state that readers see beside the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    pub tools: &'a Tools,
    pub call: &'a OpenCall,
    pub is: &'a Is,
    /// In reasoning, a thought included.
    pub reasoning: bool,
    /// Calls count here: in text, and in reasoning if calls count there.
    pub calls: bool,
    /// A line begins here.
    pub line_start: bool,
    /// In a value: at its first byte.
    pub value_start: bool,
    /// The kind of the open message ([`InText::Message`]).
    pub message: u8,
    /// In text: only blanks stand before this place on its line, or markup stands right before it.
    pub begins_line: bool,
    /// Markers in Markdown code are text.
    pub quotes: bool,
    /// Stream offset before which objects are not tried.
    pub tries_from: usize,
    /// The open object.
    pub json: &'a Json,
    pub list: &'a [Tool],
    pub options: &'a Options,
}

impl Look<'_> {
    /// In text: at the start of a line, right behind markup or behind a call.
    pub fn begins_block(&self) -> bool {
        self.begins_line || self.is.after_call
    }

    /// Whether the open parameter has a schema that allows neither an object nor a list.
    pub fn is_scalar(&self) -> bool {
        let number = self.tools.params(self.call.tool).find([&self.call.captured.param, ""]);
        let tool = self.list.get(usize::from(self.call.tool));
        let param =
            tool.zip(number).and_then(|(tool, number)| tool.params.get(usize::from(number)));
        let nests = |of: &Type| matches!(of, Type::Object | Type::Array);
        param.is_some_and(|param| !param.types.is_empty() && !param.types.iter().any(nests))
    }

    /// Whether this parameter of the open call's tool was not given yet.
    pub fn is_fresh(&self, param: u16) -> bool {
        !self.call.is_given(param)
    }
}

/// A section of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SectionFacts {
    /// The bytes that may stand in it beside white space.
    pub between: &'static [u8],
    /// Anything may stand in it, as junk.
    pub junk: bool,
    /// Junk in it is not reported.
    pub quiet: bool,
    /// Something closes it.
    pub closes: bool,
    /// White space may stand in it.
    pub white: bool,
    /// Calls stand in it. Otherwise it is a marker of text that is read in parts.
    pub calls: bool,
    /// The section behind a call of it, if it is another one.
    pub behind_call: Option<u8>,
    /// Any line of it may begin a marker.
    pub lines: bool,
}

impl SectionFacts {
    /// Calls with nothing but white space between them.
    pub const CALLS: SectionFacts = SectionFacts {
        between: b"",
        junk: false,
        quiet: false,
        closes: true,
        white: true,
        calls: true,
        behind_call: None,
        lines: false,
    };

    /// Whether white space in it belongs to it. Behind calls without a closer, it may belong to the text.
    pub fn takes_white(self) -> bool {
        self.closes || !self.calls
    }
}

/// The events that an object becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    /// A call that is named in it.
    Call,
    /// A call that is named in it, and that a member with a foreign key breaks.
    OnlyCall,
    /// All arguments of a call.
    Arguments,
    /// All arguments of a call without a name: the tool is the known one whose parameters include all keys.
    Tool,
    /// The parameters of a call, as literals ([`Family::literals`]).
    Params,
    /// Nothing, though it is written like a call's parameters.
    NoParams,
    /// Nothing: the object belongs to no call.
    Nothing,
}

/// The marker that ends an object before its own closing bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InBody {
    /// A marker before which the object ends. `broken`: its call is not whole.
    Before { note: Note, broken: bool },
    /// A bracket other than its own.
    Bracket,
}

impl InBody {
    /// Ends the object before a marker.
    pub fn before(note: Note) -> InBody {
        InBody::Before { note, broken: false }
    }
}

/// The part of an object that a quote ends, where quotes in strings may lack their backslashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterQuote {
    String,
    /// The object, whose call is not whole.
    Body,
}

/// An object of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyFacts {
    pub gives: Gives,
    /// The section behind it.
    pub then: Option<u8>,
    /// The first byte of markers that end it early.
    pub stop: u8,
}

/// The white space at the ends of a value that belongs to the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    None,
    /// A line break at each end.
    LineBreak,
    /// All white space at the end. The reader of the opener takes the blanks before the value.
    White,
    /// A line break before a marker that ends the value in place of its own closer.
    Recovered,
}

/// The end of a call that nothing has closed when the stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// The call is cut.
    Cut,
    /// The call is whole.
    Closed,
    /// The call is whole, if its tool requires no more than was given.
    Whole,
    /// Half the beginning of the next part is there.
    Half,
}

/// Reads a tag of any name, without attributes.
pub(crate) fn element<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    c.literal("<")?;
    let name = c.run(Class::Word, 1, bounds::NAME)?;
    c.literal(">")?;
    Ok(name)
}

/// A kind of grammar, which numbers its own kinds of sections, calls, values and objects.
pub(crate) trait Family: Debug + Send + Sync + RefUnwindSafe {
    /// In text: reads openers, and orphan closers. In reasoning: reads openers that end it.
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>>;

    /// At the start of text or reasoning: reads markers that stand only there, whatever they begin with.
    fn at_text_start<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let _ = (look, c);
        Err(No)
    }

    /// Whether there are such markers.
    fn starts_text(&self) -> bool {
        false
    }

    /// Whether the first message of a stream begins inside its header. Behind another dialect it does not.
    fn begins_in_header(&self) -> bool {
        false
    }

    /// In text or reasoning: reads markers beside calls, even where calls in reasoning do not count.
    fn in_prose<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let _ = (look, c);
        Ok(None)
    }

    /// In text: reads markers that count only if no other marker stands there.
    fn late_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let _ = (look, c);
        Ok(None)
    }

    /// Between calls, behind white space.
    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>>;

    /// Between parameters.
    fn in_call<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>>;

    /// Right behind the opener of a call, or behind a key: reads markers that stand only there.
    fn at_call_start<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let _ = (look, kind, c);
        Err(No)
    }

    /// In a value, at a byte of its scan.
    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let _ = (look, kind, c);
        Err(No)
    }

    /// In an object, at its [`BodyFacts::stop`] or at a bracket of another kind: reads the marker that ends it
    /// early.
    fn in_body(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let _ = (look, kind, c);
        Err(No)
    }

    /// Behind a quote in a string of such an object: returns the part that the quote ends. `No`: the quote is
    /// text.
    fn after_quote(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<AfterQuote> {
        let _ = (look, kind, c);
        Err(No)
    }

    /// Returns the beginnings of the markers of text.
    fn text_scan(&self) -> &Scan;

    /// Returns fewer beginnings for text behind anything but white space, markup and reasoning, if fewer are possible
    /// there.
    fn later_scan(&self) -> Option<&Scan> {
        None
    }

    /// Returns the beginnings of the markers that count in reasoning.
    fn reasoning_scan(&self) -> &Scan {
        self.text_scan()
    }

    /// Whether [`may_begin`](Family::may_begin) is implemented. Its [`Look`] costs more than most markers.
    fn asks_before(&self) -> bool {
        false
    }

    /// Whether a marker of text may begin here with this byte of its scan, by the text before it.
    fn may_begin(&self, look: &Look<'_>, byte: u8) -> bool {
        let _ = (look, byte);
        true
    }

    /// Returns the lines that may begin a marker in this state, in a call or value of this kind, in addition to the
    /// scan.
    fn lines(&self, options: &Options, state: State, kind: u8) -> Option<&LineStarts> {
        let _ = (options, state, kind);
        None
    }

    /// Whether this line may begin a marker, if its first byte does not decide it.
    fn begins_line(&self, options: &Options, line: &[u8]) -> bool {
        let _ = (options, line);
        false
    }

    /// Returns the beginnings of the markers of [`in_prose`](Family::in_prose).
    fn prose_scan(&self) -> Option<&Scan> {
        None
    }

    /// Returns the beginnings of the markers in a value.
    fn value_scan(&self, kind: u8) -> &Scan {
        self.call_scan(kind)
    }

    /// Returns the beginnings of the markers between parameters.
    fn call_scan(&self, kind: u8) -> &Scan;

    fn section(&self, kind: u8) -> SectionFacts;

    /// Whether a value of this kind is whole at the end of the stream: a stop token is its closer.
    fn is_whole_at_end(&self, kind: u8) -> bool {
        let _ = kind;
        false
    }

    /// How a call of this kind ends that is still open at the end of the stream.
    fn call_at_end(&self, kind: u8) -> AtEnd {
        let _ = kind;
        AtEnd::Cut
    }

    fn framing(&self, kind: u8) -> Framing {
        let _ = kind;
        Framing::None
    }

    fn body(&self, kind: u8) -> BodyFacts;

    /// Returns the literals of an object whose members are parameters.
    fn literals(&self, kind: u8) -> Option<&Literals> {
        let _ = kind;
        None
    }

    /// Returns the markers that end a value without quotes in such an object.
    fn ends_of_bare(&self, kind: u8) -> &[Box<str>] {
        let _ = kind;
        &[]
    }

    /// Returns the argument that is all text of a call ([`InCall::Input`]), if it is not the only argument of its tool.
    fn only_key(&self) -> Option<&str> {
        None
    }

    /// Whether a missing closer of a section is not reported: servers strip special tokens.
    fn is_stripped(&self) -> bool {
        false
    }

    /// Calls `each` with the texts of markers that cannot be renamed: they are part of the family's grammar.
    fn own_texts(&self, each: &mut dyn FnMut(&str)) {
        let _ = each;
    }

    /// Whether text is a part of a message with an opener of its own.
    #[cfg_attr(not(feature = "json"), allow(dead_code))]
    fn speaks_in_parts(&self) -> bool {
        false
    }

    /// Returns the openers and closers of reasoning, if they are tokens of the family's messages.
    fn reasoning(&self) -> Option<[&[Box<str>]; 2]> {
        None
    }

    /// Returns the texts that are markers only before the name of a declared tool.
    #[cfg_attr(not(feature = "json"), allow(dead_code))]
    fn before_names(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Returns the keywords that begin the markers of lines, each up to its colon.
    fn keywords(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Returns the family with other texts. `None`: texts of the family are part of its grammar.
    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let _ = rename;
        None
    }
}
