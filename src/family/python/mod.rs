//! Calls in Python's syntax: `[read(path="a")]`, in `pythonic`, `lfm2`, `olmo3`; and the objects, calls and code behind
//! Llama's token, in `llama3-json`.
//!
//! ```text
//! list  := OPEN? ws "[" ws call ( ws "," ws call )* ws ","? ws "]" ws CLOSE
//! lines := OPEN ws call ( line-start call )* CLOSE
//! one   := head ws "(" … ")" ws CLOSE?                                             see `head.rs`
//! call  := NAME ws "(" ( KEY "=" literal ( "," KEY "=" literal )* ","? )? ")"       read by `Json`, as literals
//! ```
//! A list counts if a name and `(` follow its bracket. Without OPEN it stands at the start of the message. If tools are
//! declared, it may also begin a line, and calls one of them. JSON objects may stand in its place. [`strings`] says where a
//! string ends. Other calls: behind Llama's other token [`tag`], behind a tag with a name [`function`], in a fence or in
//! tags at the start of a message [`leads`].
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Python::in_text`] |
//! | between calls | behind a call, behind one alone, behind a comma, behind a list, in a repeated list; lines; objects, and such in a fence or in tags | [`Python::in_section`] |
//! | behind a name | a call, one behind `.call`, code | [`Python::in_call`], [`Python::at_call_start`] |
//! | in the arguments | of a call, of a repeated one, behind `.call`; of an object | [`Python::in_body`], [`Python::after_quote`] |
//! | in code | | [`Python::in_value`] |
//!
//! An opener cut in two, in `lfm2`:
//!
//! ```text
//! chunk "<|tool_call_start|>[re"      the token: Ok; the name: More          -> pending
//! chunk "ad("                         the name: Ok, and `(` confirms it      -> Open(Call(CALL)), markup
//! ```

mod function;
mod leads;
mod strings;
mod tag;

use crate::dialect::literals::Literals;
use crate::event::DiagnosticKind;
use crate::family::block::objects::{self, Round};
use crate::family::head::{Called, Head};
use crate::family::texts::EachText;
use crate::family::tried::TICKS;
use crate::family::{AfterQuote, BodyFacts, Family, Gives, InBody, Look, SectionFacts};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{CALLS, Closer, InCall, InSection, InText, InValue, Opener, Place, Scope};
use crate::read::attempt::Trial;
use crate::read::cursor::{Class, Cursor, Half, No, Note, Step};
use crate::read::ids::UNKNOWN;
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;
use crate::read::trial;

pub(crate) use leads::Leads;

/// Kinds of sections.
const AFTER_CALL: u8 = 0;
const NEXT_CALL: u8 = 1;
const AFTER_LIST: u8 = 2;
const OBJECTS: u8 = 3;
/// Objects that are tried, and objects behind the opener of a list.
const TRIED: u8 = 4;
const TRIED_BETWEEN: u8 = 5;
const REPEATED: u8 = 6;
const LINES: u8 = 7;
const AFTER_FUNCTION: u8 = 8;
/// Objects behind a lead.
const LED_IN_FENCE: u8 = 9;
const LED_IN_TAGS: u8 = 10;
/// Behind a single call.
const AFTER_ONE: u8 = 11;

/// Kinds of calls, of their arguments, and of values.
const CALL: u8 = 0;
const DOTTED: u8 = 1;
const CODE: u8 = 2;
/// Kinds of other objects: the arguments of a call that is repeated, and objects that name their calls.
const SKIPPED: u8 = 3;
const OBJECT: u8 = 4;
const TRIED_OBJECT: u8 = 5;
/// A call that names its tool in a tag, and its arguments.
const FUNCTION: u8 = 6;

const OPENER: Half = Half::OPENER;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_CALL: &str = "opener of a call";
const A_SECTION: &str = "opener of a section";
const END_SECTION: &str = "closer of a section";
const ENDS: &str = "end of the arguments before their own";

/// How calls stand together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// In a list between tokens, which may be repeated behind them. Objects may stand in its place.
    #[default]
    Between,
    /// In a list that may stand alone. Objects are tried.
    Alone,
    /// In no list: objects are tried, which may be the whole message.
    Objects,
    /// Each on a line of its own.
    Lines,
    /// A single call, behind its opener.
    One,
}

/// The texts of a dialect of Python's calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub form: Form,
    /// Openers and closers, in each spelling.
    pub open: Vec<Box<str>>,
    pub close: Vec<Box<str>>,
    /// A prefix that may stand before the name of a single call.
    pub prefix: Box<str>,
    /// Openers that are tags or tokens: alone at the end of the stream they are cut openers.
    pub tags: Vec<Box<str>>,
    /// The token before calls or code. They have no closer.
    pub tag: Option<Box<str>>,
    /// Opener of a call up to its name, and its closer.
    pub function: Option<[Box<str>; 2]>,
    /// The leads of objects at the start of a message.
    pub leads: Option<Leads>,
    /// People may type the opener: it is a cut opener only if the stream was cut.
    pub typed: bool,
    /// A section without calls is markup.
    pub empty: bool,
    /// Objects that name declared tools count where lists may stand without an opener.
    pub tries: bool,
    /// Stop tokens.
    pub stops: Vec<Box<str>>,
}

/// The family of Python's calls.
#[derive(Debug)]
pub(crate) struct Python {
    t: Texts,
    /// The head of a single call.
    head: Head,
    literals: Literals,
    /// The texts behind which a call is over, and those for a call behind the tag.
    ends: [Vec<Box<str>>; 2],
    text: Scan,
    /// The scan of text later in a message, and of reasoning.
    later: Scan,
    tags: Scan,
    call: Scan,
    dotted: Scan,
    /// The scan of code.
    tokens: Scan,
    /// The scan of lines: that of code, and the line ends.
    lines: Scan,
}

/// Opens a call at this place.
fn opens(called: Called<'_>, place: Place) -> Opener<'_> {
    Opener::new(place).named(called.name, called.tool)
}

/// Checks that a name begins like a word.
fn word(name: &str) -> Step<&str> {
    let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if begins { Ok(name) } else { Err(No) }
}

/// Reads the bracket that confirms the name of a call.
fn bracket(c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    c.literal("(")
}

impl Python {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Python {
        let literals = Literals { python: true, unescaped: true, ..Literals::default() };
        let own = |texts: &[Box<str>]| [texts, &t.stops[..]].concat();
        let behind_tag = t.tag.as_ref().map(|tag| own(std::slice::from_ref(tag)));
        let ends = [own(&t.close), behind_tag.unwrap_or_default()];
        let tags = t.open.iter().chain(&t.close).chain(&t.tag).map(|text| &**text);
        let tags = Scan::from_texts(tags.chain(t.function.iter().map(|[open, _]| &**open)));
        let [later, start]: [&[&str]; 2] = match t.form {
            Form::Between => [&["["], &[]],
            Form::Alone if t.tries => [&["["], &["{"]],
            Form::Alone => [&["["], &[]],
            Form::Objects => [&[], &["[", "{"]],
            Form::Lines | Form::One => [&[], &[]],
        };
        let later = tags.and(&Scan::from_texts(later));
        let leads = t.leads.iter().flat_map(|leads| [&*leads.tags[0], &*leads.word, TICKS]);
        let text = later.and(&Scan::from_texts(start.iter().copied().chain(leads)));
        let tokens = tags.and(&Scan::from_texts(t.stops.iter().map(|stop| stop.as_bytes())));
        let [call, dotted] = [Scan::from_texts(["("]), Scan::from_texts([tag::DOT_CALL])];
        let lines = tokens.and(&Scan::from_texts(["\n"]));
        let open = t.open.first().cloned().unwrap_or_default();
        let head = Head { open, prefix: t.prefix.clone() };
        Python { t, head, literals, ends, text, later, tags, call, dotted, tokens, lines }
    }

    fn is_alone(&self) -> bool {
        self.t.form == Form::Alone
    }

    /// Reads the name of a tool. `declared`: if tools are declared, only their names count.
    fn name<'t>(&self, look: &Look<'_>, declared: bool, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        let names = &look.tools.names;
        // Without a marker before it, only a declared name tells a call from prose such as `[see(1)]`.
        if declared && !names.is_empty() {
            let (name, tool) = c.known(names, false, None)?;
            return Ok(Called { name: word(name)?, tool });
        }
        let name = word(c.run(Class::Spelled, 1, bounds::NAME)?)?;
        Ok(Called { name, tool: look.tools.number([name, ""]) })
    }

    /// Reads a call up to its name, confirmed by its bracket.
    fn called<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        let called = self.name(look, self.is_alone(), c)?;
        c.follow(called.tool != UNKNOWN, bracket)?;
        Ok(called)
    }

    // Text.

    /// Reads a list up to the name of its first call, behind one of these openers, if there are any.
    fn list<'t>(
        &self,
        look: &Look<'_>,
        open: &[Box<str>],
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let called = c.way(OPENER.role(A_CALL), |c| {
            if !open.is_empty() {
                c.any(open)?;
                c.white()?;
            }
            c.literal("[")?;
            c.white()?;
            self.called(look, c)
        })?;
        Ok(called.map(|called| InText::Open(opens(called, Place::Call(CALL)))))
    }

    /// Reads the opener of objects or of lines.
    fn section<'t>(
        &self,
        kind: u8,
        c: &mut Cursor<'t>,
        confirms: impl Fn(&mut Cursor<'t>) -> Step<()>,
    ) -> Step<Option<InText<'t>>> {
        let opens = c.way(OPENER.role(A_SECTION), |c| {
            c.any(&self.t.open)?;
            c.follow(false, |c| {
                c.white()?;
                confirms(c)
            })
        })?;
        Ok(opens.map(|()| InText::Open(Opener::new(Place::Section(kind)))))
    }

    /// Behind a token of the dialect.
    fn behind_token<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if self.t.open.is_empty() {
            return Ok(None);
        }
        if c.ahead(|c| c.any(&self.t.open)) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        if self.t.form == Form::One {
            return self.single_call(look, c);
        }
        if self.t.form == Form::Lines {
            return self.section(LINES, c, |c| {
                let called = self.name(look, false, c)?;
                match called.tool {
                    UNKNOWN => bracket(c),
                    _ => c.or_end(bracket),
                }
            });
        }
        if let Some(found) = self.list(look, &self.t.open, c)? {
            return Ok(Some(found));
        }
        match self.is_alone() && self.t.tries {
            true => self.section(TRIED_BETWEEN, c, |c| trial::confirms(look, Trial::Name, c)),
            false => self.section(OBJECTS, c, objects::one_or_listed),
        }
    }

    /// Reads a single call, up to its name.
    fn single_call<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        for before in self.head.ways() {
            let called = c.way(OPENER.role(A_CALL), |c| {
                let called = self.head.any(look, *before, c)?;
                c.follow(called.tool != UNKNOWN, bracket)?;
                Ok(called)
            })?;
            if let Some(called) = called {
                return Ok(Some(InText::Open(opens(called, Place::Call(CALL)))));
            }
        }
        Ok(None)
    }

    /// Reads a list or an object without an opener.
    fn alone<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let message = look.is.message_start;
        if message && self.t.tries {
            let way = OPENER.role(A_SECTION);
            let tried = c.way(way, |c| trial::call(look, Trial::Name, c))?;
            if tried.is_some() {
                let section = Opener::new(Place::Section(TRIED));
                return Ok(Some(InText::Open(Opener { before: true, ..section })));
            }
        }
        let line = look.begins_line && !look.tools.names.is_empty();
        if !self.is_alone() {
            return Ok(None);
        }
        if message || line { self.list(look, &[], c) } else { Ok(None) }
    }

    /// Reads a repetition of the list that has just ended, up to the bracket of its first call.
    fn repeated_list<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if !look.is.after_call {
            return Ok(None);
        }
        let first = look.call.first();
        let again = c.way(OPENER.role("repeated list of calls"), |c| {
            c.literal("[")?;
            c.white()?;
            // The first name again shows a repetition: another list behind the calls is text.
            c.literal(first)?;
            bracket(c)
        })?;
        let tool = look.tools.number([first, ""]);
        let opener = Opener::new(Place::Body(SKIPPED)).named("", tool);
        Ok(again.map(|()| InText::Open(opener)))
    }

    /// Reads a section without calls.
    fn empty_section(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.any(&self.t.open)?;
        c.white()?;
        if c.peek()? == b'[' {
            c.literal("[")?;
            c.white()?;
            c.literal("]")?;
            c.white()?;
        }
        c.any(&self.t.close)
    }

    /// Reads any opener of calls in text.
    fn opens_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let begins = c.peek()?;
        if self.tags.begins_with(begins) {
            let own = self.led(look, c)?;
            let own = if own.is_none() { self.behind_token(look, c)? } else { own };
            let own = if own.is_none() { self.behind_tag(look, c)? } else { own };
            let own = if own.is_none() { self.function(look, c)? } else { own };
            // A list or an object without an opener never begins with `<`.
            if own.is_some() || begins == b'<' {
                return Ok(own);
            }
        }
        match self.t.form {
            _ if look.reasoning => Ok(None),
            Form::Alone | Form::Objects => match self.alone(look, c)? {
                None => self.led(look, c),
                found => Ok(found),
            },
            _ => self.repeated_list(look, c),
        }
    }

    // Between calls.

    fn after_call<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        if c.peek()? == b',' {
            let next = c.way(WHOLE.role("comma between calls"), |c| {
                c.literal(",")?;
                c.white()?;
                c.follow(true, |c| {
                    one_of!(c; |c| c.literal("]"), |c| {
                        self.name(look, self.is_alone(), c)?;
                        bracket(c)
                    })
                })
            })?;
            return Ok(next.map(|()| goes_on(NEXT_CALL)));
        }
        self.list_ends(c)
    }

    fn next_call<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        let next = c.way(WHOLE.and(OPENER).role(A_CALL), |c| self.called(look, c))?;
        match next {
            Some(called) => Ok(Some(InSection::Open(opens(called, Place::Call(CALL))))),
            None => self.list_ends(c),
        }
    }

    fn list_ends<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        if c.way(WHOLE.role("end of a list"), |c| c.literal("]"))?.is_some() {
            return Ok(Some(goes_on(AFTER_LIST)));
        }
        self.closes(None, c)
    }

    fn closes<'t>(&self, note: Note, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        let close = c.way(WHOLE.role(END_SECTION), |c| c.any(&self.t.close))?;
        Ok(close.map(|()| InSection::Close(note)))
    }

    fn after_list<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        if let Some(close) = self.closes(None, c)? {
            return Ok(Some(close));
        }
        if self.is_alone() || self.t.close.is_empty() {
            return Ok(None);
        }
        let lost = c.noise_or(WHOLE.role("lost closer of a section"), |_| Ok(()))?;
        Ok(lost.map(|()| InSection::Close(Some(DiagnosticKind::MissingCloser))))
    }

    /// Behind the arguments of a single call.
    fn after_one<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        if let Some(close) = self.closes(None, c)? {
            return Ok(Some(close));
        }
        if c.way(WHOLE.role("bracket round the arguments"), |c| c.literal(")"))?.is_some() {
            return Ok(Some(InSection::Mark(None)));
        }
        if c.way(WHOLE.role("bracket too many"), |c| c.literal("}"))?.is_some() {
            return Ok(Some(InSection::Mark(Some(DiagnosticKind::RepairedJson))));
        }
        let lost = c.noise_or(WHOLE.role("lost closer of a call"), |_| Ok(()))?;
        let note = (!self.t.close.is_empty()).then_some(DiagnosticKind::MissingCloser);
        Ok(lost.map(|()| InSection::Close(note)))
    }

    /// Reads the text behind a repeated call.
    fn repeated_call<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let next = c.way(WHOLE.and(OPENER).role("repeated call"), |c| {
            c.literal(",")?;
            c.white()?;
            let called = self.name(look, false, c)?;
            bracket(c)?;
            Ok(called)
        })?;
        if let Some(called) = next {
            return Ok(Some(InSection::Open(opens(called, Place::Body(SKIPPED)))));
        }
        if c.way(WHOLE.role("end of a list"), |c| c.literal("]"))?.is_some() {
            return Ok(Some(InSection::Close(None)));
        }
        self.closes(Some(DiagnosticKind::OrphanCloser), c)
    }

    /// Between calls on lines of their own.
    fn lines<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        let start = *c;
        let half = WHOLE.and(OPENER).role(A_CALL);
        let mut next = None;
        if look.is.section_start {
            next = c.way(half, |c| {
                c.white()?;
                self.called(look, c)
            })?;
        }
        if next.is_none() && look.line_start {
            next = c.way(half, |c| self.called(look, c))?;
        }
        if let Some(called) = next {
            return Ok(Some(InSection::Open(opens(called, Place::Call(CALL)))));
        }
        if let Some(close) = self.closes(None, c)? {
            return Ok(Some(close));
        }
        let lost = c.way(WHOLE.role("lost closer of a section"), |c| c.any(&self.t.stops))?;
        *c = start;
        let note = (!self.t.close.is_empty()).then_some(DiagnosticKind::MissingCloser);
        Ok(lost.map(|()| InSection::Close(note)))
    }
}

/// Opens the next part of the list.
fn goes_on<'t>(kind: u8) -> InSection<'t> {
    InSection::Open(Opener::new(Place::Section(kind)))
}

impl Family for Python {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        // An object that is not a call is text up to its end.
        let found = if look.is.whole { None } else { self.opens_in_text(look, c)? };
        if let Some(found) = found {
            return Ok(found);
        }
        let orphan = Half::NONE.role("closer of a section that nothing opened");
        let closes = !look.reasoning && !self.t.close.is_empty();
        if closes && c.way(orphan, |c| c.any(&self.t.close))?.is_some() {
            return Ok(InText::Orphan(CALLS));
        }
        c.none()
    }

    fn late_in_text<'t>(&self, _: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if self.t.tag.is_some() {
            return Ok(None);
        }
        let empty = Half::NONE.role("section without calls");
        if self.t.empty && c.noise_or(empty, |c| self.empty_section(c))?.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| {
            c.any(&self.t.tags)?;
            cut_opener(c, !self.t.typed, &self.t.stops)
        })?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn asks_before(&self) -> bool {
        self.t.tries
    }

    fn may_begin(&self, look: &Look<'_>, byte: u8) -> bool {
        let line = || byte == b'[' && look.begins_line && !look.tools.names.is_empty();
        match self.t.form {
            _ if byte == b'<' => true,
            _ if look.reasoning => false,
            // An object that is text may end in bytes that have not left yet.
            Form::Alone => look.is.message_start || line(),
            _ => look.is.message_start,
        }
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let close = &*self.t.close;
        let named = Some(Trial::Name);
        let round = |close, tries, body| Round { open: &[], close, tries, any: false, body };
        let found = match kind {
            AFTER_CALL => self.after_call(look, c)?,
            NEXT_CALL => self.next_call(look, c)?,
            AFTER_LIST => self.after_list(c)?,
            REPEATED => self.repeated_call(look, c)?,
            LINES => self.lines(look, c)?,
            AFTER_FUNCTION => self.after_function(c)?,
            AFTER_ONE => self.after_one(c)?,
            // Objects behind the tag have no closer.
            OBJECTS if self.t.tag.is_some() => objects::among(look, c, round(&[], None, OBJECT))?,
            OBJECTS => objects::among(look, c, round(close, None, OBJECT))?,
            TRIED => objects::among(look, c, round(&[], named, TRIED_OBJECT))?,
            LED_IN_FENCE | LED_IN_TAGS => match objects::among(look, c, round(&[], named, kind))? {
                None => self.lead_ends(kind, c)?,
                found => found,
            },
            _ => objects::among(look, c, round(close, named, OBJECT))?,
        };
        found.map_or_else(|| c.none(), Ok)
    }

    fn at_call_start<'t>(&self, _: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        match kind {
            CODE => Ok(InCall::Param { kind: CODE, name: "code", hint: None, note: None }),
            FUNCTION => function::arguments(c),
            _ => Err(No),
        }
    }

    fn in_call<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if !look.is.call_start {
            return Err(No);
        }
        let open = if kind == DOTTED { tag::DOT_CALL } else { "(" };
        match c.way(WHOLE.role("bracket of the arguments"), |c| c.literal(open))? {
            Some(()) => Ok(InCall::Object(kind)),
            None => c.none(),
        }
    }

    fn in_value<'t>(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let lost = Half::MARK.role("lost closer of an argument");
        let close = Closer { scope: Scope::Call, ..Closer::OWN };
        if c.way(lost, |c| c.any(&self.t.stops))?.is_some() {
            return Ok(InValue::Close(close));
        }
        let Some(tag) = &self.t.tag else { return c.none() };
        match c.way(lost, |c| c.literal(tag))? {
            Some(()) => Ok(InValue::Close(Closer { before: true, ..close })),
            None => c.none(),
        }
    }

    fn in_body(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        if matches!(kind, LED_IN_FENCE | LED_IN_TAGS) {
            let ends = c.way(WHOLE.role(ENDS), |c| c.literal(self.lead_cuts(kind)))?;
            return ends.map_or_else(|| c.none(), |()| Ok(InBody::before(None)));
        }
        if let (FUNCTION, Some([_, close])) = (kind, &self.t.function) {
            let ends = c.way(WHOLE.role(ENDS), |c| c.literal(close))?;
            return ends.map_or_else(|| c.none(), |()| Ok(InBody::before(None)));
        }
        let object = kind == OBJECT;
        let closes = matches!(kind, OBJECT | CALL | SKIPPED) && !self.t.close.is_empty();
        if closes && c.way(WHOLE.role(ENDS), |c| c.any(&self.t.close))?.is_some() {
            return Ok(InBody::Before { note: None, broken: !object });
        }
        if self.t.form == Form::One && self.head.next(look, WHOLE.role(ENDS), bracket, c)? {
            let note = Some(DiagnosticKind::MissingCloser);
            return Ok(InBody::Before { note, broken: true });
        }
        if object || kind == TRIED_OBJECT || look.json.is_nested() {
            return c.none();
        }
        let bracket = c.way(WHOLE.role("bracket of another kind"), |c| {
            c.byte_of(b"]}")?;
            c.follow(true, |c| {
                one_of!(c; |c| c.at_end(), |c| {
                    c.white()?;
                    c.any(self.ends(kind))
                })
            })
        })?;
        if bracket.is_some() { Ok(InBody::Bracket) } else { c.none() }
    }

    fn after_quote(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<AfterQuote> {
        let string = Half::NONE.role("end of a string");
        if c.way(string, |c| self.string_ends(look, kind, c))?.is_some() {
            return Ok(AfterQuote::String);
        }
        let cut = kind != DOTTED
            && c.way(Half::NONE.role(ENDS), |c| {
                c.white()?;
                c.any(&self.t.close)
            })?
            .is_some();
        if cut { Ok(AfterQuote::Body) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn later_scan(&self) -> Option<&Scan> {
        Some(&self.later)
    }

    fn reasoning_scan(&self) -> &Scan {
        &self.tags
    }

    fn call_scan(&self, kind: u8) -> &Scan {
        match kind {
            DOTTED => &self.dotted,
            CODE => &self.tokens,
            LINES => &self.lines,
            _ => &self.call,
        }
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let calls = SectionFacts::CALLS;
        match kind {
            LINES => {
                let closes = !self.t.close.is_empty();
                SectionFacts { junk: true, lines: true, closes, ..calls }
            }
            AFTER_FUNCTION => SectionFacts { between: b"],;", ..calls },
            OBJECTS | TRIED | TRIED_BETWEEN | LED_IN_FENCE | LED_IN_TAGS => {
                let closes = kind == OBJECTS && self.t.tag.is_none();
                SectionFacts { between: b"],;", closes, ..calls }
            }
            _ => SectionFacts { calls: false, closes: false, ..calls },
        }
    }

    fn is_whole_at_end(&self, _: u8) -> bool {
        true
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let after_call = match self.t.form {
            Form::Lines => None,
            Form::One => Some(AFTER_ONE),
            _ => Some(AFTER_CALL),
        };
        let (gives, then) = match kind {
            CALL => (Gives::Params, after_call),
            SKIPPED => (Gives::NoParams, Some(REPEATED)),
            DOTTED => (Gives::Params, None),
            FUNCTION => (Gives::Arguments, Some(AFTER_FUNCTION)),
            _ => (Gives::Call, None),
        };
        let stop = if kind == LED_IN_FENCE { b'`' } else { b'<' };
        BodyFacts { gives, then, stop }
    }

    fn literals(&self, kind: u8) -> Option<&Literals> {
        matches!(kind, CALL | DOTTED | SKIPPED).then_some(&self.literals)
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Python::new(t)))
    }
}
