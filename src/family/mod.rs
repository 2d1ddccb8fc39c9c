//! Families: a kind of grammar a file, with one reader a state.
//!
//! A [`Family`] says what stands somewhere; what becomes of it is said in [`crate::read`].

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
    /// Calls count here: in text, and in reasoning where they do.
    pub calls: bool,
    /// A line begins here.
    pub line_start: bool,
    /// In a value: nothing of it stands before this place.
    pub value_start: bool,
    /// The kind of the open message ([`InText::Message`]).
    pub message: u8,
    /// In text: nothing but blanks stands before it on its line, or it stands right behind markup.
    pub begins_line: bool,
    /// Markers in Markdown code are text.
    pub quotes: bool,
    /// Stream offset before which no object is tried.
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

    /// Whether the schema of the open parameter is there and allows neither an object nor a list.
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
    /// Which bytes may stand in it beside white space.
    pub between: &'static [u8],
    /// Anything may stand in it: it is junk.
    pub junk: bool,
    /// Junk in it is not told.
    pub quiet: bool,
    /// Something closes it.
    pub closes: bool,
    /// White space may stand in it.
    pub white: bool,
    /// Calls stand in it; else it is a marker of text that is read in parts.
    pub calls: bool,
    /// Which section goes on behind a call of it, if it is another one.
    pub behind_call: Option<u8>,
    /// A marker may begin with any line of it.
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

    /// White space in it is its own: behind calls that nothing closes it may be that of the text.
    pub fn takes_white(self) -> bool {
        self.closes || !self.calls
    }
}

/// The events that an object becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    /// A call, which it names.
    Call,
    /// A call, which it names, and which a member with any key but those of a call breaks.
    OnlyCall,
    /// All arguments of a call.
    Arguments,
    /// All arguments of a call that nothing names: the tool is the known one whose parameters include all keys.
    Tool,
    /// The parameters of a call, as literals ([`Family::literals`]).
    Params,
    /// Nothing, though it is written like the parameters of a call.
    NoParams,
    /// Nothing: the object belongs to no call.
    Nothing,
}

/// Marker that ends an object before its own closing bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InBody {
    /// A marker before which it ends. `broken`: its call is not whole.
    Before { note: Note, broken: bool },
    /// A bracket that is not its own.
    Bracket,
}

impl InBody {
    /// A marker before which the object ends.
    pub fn before(note: Note) -> InBody {
        InBody::Before { note, broken: false }
    }
}

/// The part of an object that a quote ends, in a string whose quotes may lack their backslashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterQuote {
    String,
    /// The object, and its call is not whole.
    Body,
}

/// An object of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyFacts {
    pub gives: Gives,
    /// Which section follows it.
    pub then: Option<u8>,
    /// With which byte something may begin that ends it before its time.
    pub stop: u8,
}

/// The white space of a value that is the dialect's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    None,
    /// One line break off each end.
    LineBreak,
    /// All of it, at both ends.
    White,
    /// One line break before a marker that ends the value in place of its own closer.
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
    /// Half of what goes on with it is there.
    Half,
}

/// Reads a tag of any name, without attributes.
pub(crate) fn element<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    c.literal("<")?;
    let name = c.run(Class::Word, 1, bounds::NAME)?;
    c.literal(">")?;
    Ok(name)
}

/// A kind of grammar. Kinds of sections, calls, values and objects are its own numbers.
pub(crate) trait Family: Debug + Send + Sync + RefUnwindSafe {
    /// In text: openers, and closers that nothing opened. In reasoning: openers that end it.
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>>;

    /// Where text or reasoning begins: what stands there alone, whatever it begins with.
    fn at_text_start<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let _ = (look, c);
        Err(No)
    }

    /// Whether anything stands there alone.
    fn starts_text(&self) -> bool {
        false
    }

    /// The first message of a stream begins in its header, without an opener. Behind another dialect it does not.
    fn begins_in_header(&self) -> bool {
        false
    }

    /// In text or reasoning: markers that have to do with no call, also where calls in reasoning do not count.
    fn in_prose<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let _ = (look, c);
        Ok(None)
    }

    /// In text, if nothing else stands there.
    fn late_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let _ = (look, c);
        Ok(None)
    }

    /// Between calls, behind white space.
    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>>;

    /// Between parameters.
    fn in_call<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>>;

    /// Right behind the opener of a call, or behind a key: what stands there alone.
    fn at_call_start<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let _ = (look, kind, c);
        Err(No)
    }

    /// In a value, at a byte of its scan.
    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let _ = (look, kind, c);
        Err(No)
    }

    /// In an object, where [`BodyFacts::stop`] or a bracket of another kind stands: what ends it before its time.
    fn in_body(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let _ = (look, kind, c);
        Err(No)
    }

    /// Behind a quote in a string of such an object: what it ends. Else it is text of the string.
    fn after_quote(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<AfterQuote> {
        let _ = (look, kind, c);
        Err(No)
    }

    /// With what the markers of text begin.
    fn text_scan(&self) -> &Scan;

    /// The beginnings of the markers of text once anything but white space, markup and reasoning has come, if they are
    /// fewer then.
    fn later_scan(&self) -> Option<&Scan> {
        None
    }

    /// With what those of them begin that count in reasoning.
    fn reasoning_scan(&self) -> &Scan {
        self.text_scan()
    }

    /// Whether [`may_begin`](Family::may_begin) has an answer of its own: the [`Look`] for it costs more than most markers.
    fn asks_before(&self) -> bool {
        false
    }

    /// Whether a marker of text may begin here with this byte of its scan, by what stands before it.
    fn may_begin(&self, look: &Look<'_>, byte: u8) -> bool {
        let _ = (look, byte);
        true
    }

    /// The lines that may begin a marker of this state, in a call or value of this kind, whatever stands in the scan.
    fn lines(&self, options: &Options, state: State, kind: u8) -> Option<&LineStarts> {
        let _ = (options, state, kind);
        None
    }

    /// Whether a marker may begin with this line, whose first byte does not say it.
    fn begins_line(&self, options: &Options, line: &[u8]) -> bool {
        let _ = (options, line);
        false
    }

    /// With what the markers of [`in_prose`](Family::in_prose) begin.
    fn prose_scan(&self) -> Option<&Scan> {
        None
    }

    /// With what the markers of a value begin.
    fn value_scan(&self, kind: u8) -> &Scan {
        self.call_scan(kind)
    }

    /// With what the markers between parameters begin.
    fn call_scan(&self, kind: u8) -> &Scan;

    fn section(&self, kind: u8) -> SectionFacts;

    /// The end of the stream ends a value of this kind well: a stop token is its closer.
    fn is_whole_at_end(&self, kind: u8) -> bool {
        let _ = kind;
        false
    }

    /// The end of a call of this kind that nothing has closed when the stream ends.
    fn call_at_end(&self, kind: u8) -> AtEnd {
        let _ = kind;
        AtEnd::Cut
    }

    fn framing(&self, kind: u8) -> Framing {
        let _ = kind;
        Framing::None
    }

    fn body(&self, kind: u8) -> BodyFacts;

    /// How the members of an object are written that are parameters.
    fn literals(&self, kind: u8) -> Option<&Literals> {
        let _ = kind;
        None
    }

    /// The markers that end a value without quotes in such an object.
    fn ends_of_bare(&self, kind: u8) -> &[Box<str>] {
        let _ = kind;
        &[]
    }

    /// The argument that all text of a call is ([`InCall::Input`]), if it is not the only one of its tool.
    fn only_key(&self) -> Option<&str> {
        None
    }

    /// A section without its closer is nothing to tell: servers strip special tokens.
    fn is_stripped(&self) -> bool {
        false
    }

    /// Calls `each` with the texts of markers that no dialect can rename: they are part of the family's grammar.
    fn own_texts(&self, each: &mut dyn FnMut(&str)) {
        let _ = each;
    }

    /// Text is a part of a message with an opener of its own.
    #[cfg_attr(not(feature = "json"), allow(dead_code))]
    fn speaks_in_parts(&self) -> bool {
        false
    }

    /// The openers and closers of reasoning, if they are tokens of the family's messages.
    fn reasoning(&self) -> Option<[&[Box<str>]; 2]> {
        None
    }

    /// Texts that are markers before the name of a declared tool alone.
    #[cfg_attr(not(feature = "json"), allow(dead_code))]
    fn before_names(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Keywords that begin the markers of lines, each up to its colon.
    fn keywords(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The family with other texts; `None` where texts of its own are part of its grammar.
    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let _ = rename;
        None
    }
}
