//! Calls whose tools and parameters are named by attributes: `<invoke name="…"><parameter name="…">…</parameter>`.
//!
//! ```text
//! section := OPEN ( junk call )* junk CLOSE
//! call    := lead? "<invoke" ws "name" ws "=" ws ATTR ws "/"? ">" junk ( param junk )* "</invoke>" END?
//!          | … object "</invoke>"                                     perhaps in tags of its own
//! param   := "<parameter" ws "name" ws "=" ws ATTR … ">" value "</parameter>"         a token may stand for ">"
//! lead    := BEGIN word SEPARATOR?
//! ```
//! A section counts if a call follows. A call of a declared tool without a section counts if a parameter or its closer
//! follows (`missing_opener`; never in reasoning). Tags are read in `tag.rs`, values in `values.rs`.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Tagged::in_text`] |
//! | between calls | in a section, behind an object, objects that are calls | [`Tagged::in_section`] |
//! | between parameters | | [`Tagged::in_call`] |
//! | in a value | plain, in quotes, an element with a type | [`Tagged::in_value`] |
//! | in an object | all arguments of a call; a call | [`Tagged::in_body`] |
//!
//! The opener of a section cut in two, in `invoke`:
//!
//! ```text
//! chunk "<function_calls>\n<inv"   opener: Ok, then the call's tag: More     -> pending
//! chunk "oke name="                the tag's fixed part: Ok                   -> Open(Section(SECTION)), markup
//! ```

pub(crate) mod brackets;
pub(crate) mod messages;
pub(crate) mod nested;
mod tag;
mod values;

use crate::event::DiagnosticKind;
use crate::family::block::{Block, objects};
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Framing, Gives, InBody, Look, SectionFacts, element};
use crate::one_of;
use crate::read::act::{CALLS, InCall, InSection, InText, InValue, Opener, Place, SECTIONS, Scope};
use crate::read::cursor::{Class, Cursor, Half, More, No, Note, Step};
use crate::read::ids::UNKNOWN;
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;
use tag::{CALL_TAG, Called, Known};

/// Kinds of sections. The kinds of objects are [`Block`]'s.
const SECTION: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const AFTER_BARE_OBJECT: u8 = 2;
const OBJECTS: u8 = 3;

/// The kind of calls.
const CALL: u8 = 0;

/// Kinds of values.
const VALUE: u8 = 0;
const QUOTED: u8 = 1;
const ELEMENT: u8 = 2;

/// Kinds of objects.
const OBJECT: u8 = 0;
const BARE_OBJECT: u8 = 1;
const CALL_OBJECT: u8 = 2;

const OPENER: Half = Half::OPENER;
const MARK: Half = Half::MARK;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_SECTION: &str = "opener of a section";
const A_CALL: &str = "opener of a call";
const END_CALL: &str = "closer of a call";
const LOST: &str = "lost closer of a call";

/// The least bytes of a call's closer behind `</` that show it.
const CUT: usize = 4;

/// The texts of a dialect of tags.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// Openers and closers of sections. Without them calls of any tool count.
    pub open: Vec<Box<str>>,
    pub close: Vec<Box<str>>,
    /// The tags of a call and of a parameter up to their attributes, and their closers.
    pub call: Vec<Box<str>>,
    pub end_call: Vec<Box<str>>,
    pub param: Vec<Box<str>>,
    pub end_param: Vec<Box<str>>,
    /// The attribute with a parameter's type.
    pub typed: Option<Box<str>>,
    /// A parameter may also be an element. They nest.
    pub element: Option<Element>,
    /// A parameter may also be an element whose name is its tag.
    pub by_tag: Option<nested::Tags>,
    /// Begin, separator and end of a call around its tags. They may be missing.
    pub lead: Option<[Box<str>; 3]>,
    /// Quotes that may stand around a value in its tags.
    pub quotes: Option<[Box<str>; 2]>,
    /// The attributes that hold the names of calls, and of parameters.
    pub names: [Box<str>; 2],
    /// Other attributes that a call may have.
    pub others: Vec<Other>,
    /// Tokens that end the tags of calls, and of parameters, in place of `>`.
    pub token_ends: [Option<Box<str>>; 2],
    /// Names in attributes have entities.
    pub entities: bool,
    /// An object may stand in place of the parameters, in these tags. The first ends like the tag of a call. They may be
    /// empty.
    pub object: Option<[Box<str>; 2]>,
    /// Objects that are calls may stand in a section of their own.
    pub objects: bool,
    /// Values stand on lines of their own.
    pub lines: bool,
    /// The tags of the dialect are special tokens: the next one ends the open part.
    pub token: bool,
    /// Closers that are cut short or misspelt count if the text behind confirms them.
    pub misspelt: bool,
    /// Servers strip the closers of sections.
    pub stripped: bool,
    /// Stop tokens: behind one of them a call is over.
    pub stops: Vec<Box<str>>,
}

/// A parameter as an element.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    /// Its tag up to the attributes, and its closer up to `>`.
    pub head: Box<str>,
    pub close: Box<str>,
    /// The attribute with its name, and the one with its type, if there is one.
    pub name: Box<str>,
    pub typed: Option<Box<str>>,
}

/// An attribute of a call beside its name.
#[derive(Clone, Debug)]
pub(crate) enum Other {
    Id(Box<str>),
    /// The number of the call, which means nothing.
    Number(Box<str>),
}

impl Other {
    fn called(&self) -> &str {
        let (Other::Id(called) | Other::Number(called)) = self;
        called
    }
}

/// The family of tags.
#[derive(Debug)]
pub(crate) struct Tagged {
    t: Texts,
    /// Objects that are calls.
    objects: Option<Block>,
    /// Texts before the name in a closer that names the open parameter.
    named: Vec<Box<str>>,
    /// The fixed parts of its tokens.
    heads: Vec<Box<str>>,
    text: Scan,
    call: Scan,
    /// The scans of values, by kind.
    values: [Scan; 3],
}

impl Tagged {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Tagged {
        let own =
            |texts: &[Box<str>]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let lead: Vec<String> = t.lead.iter().flatten().map(|text| text.to_string()).collect();
        let tags = [own(&t.open), own(&t.close), own(&t.call), own(&t.end_call), lead].concat();
        let stray = if t.token { own(&t.end_param) } else { Vec::new() };
        let text = Scan::from_texts([tags.clone(), stray].concat());
        let object = t.object.iter().map(|[open, _]| if open.is_empty() { "{" } else { open });
        let ends = own(&t.end_call).into_iter().chain(own(&t.call)).chain(own(&t.param));
        let ends =
            ends.chain(own(&t.close)).chain(t.lead.iter().flatten().map(|of| of.to_string()));
        let ends = ends.chain(object.map(String::from)).collect::<Vec<_>>();
        let call = Scan::from_texts(["<"]).and(&Scan::from_texts(&ends));
        let mut closers = own(&t.end_param);
        closers.retain(|close| !close.starts_with("</"));
        let value = [tags, own(&t.param), closers, vec!["</".to_string()]].concat();
        let quotes: Vec<String> = t.quotes.iter().flatten().map(|text| text.to_string()).collect();
        let quoted = [&value[..], &quotes].concat();
        let element =
            t.element.iter().flat_map(|of| [&of.head, &of.close]).map(|of| of.to_string());
        let element = value.iter().cloned().chain(element).collect::<Vec<_>>();
        let values =
            [Scan::from_texts(&quoted), Scan::from_texts(&quoted), Scan::from_texts(element)];
        let objects = t.objects.then(|| Block::of_objects(t.open.clone(), t.close.clone()));
        let (named, heads) = (values::named_closers(&t), values::token_heads(&t));
        Tagged { t, objects, named, heads, text, call, values }
    }

    fn has_sections(&self) -> bool {
        !self.t.open.is_empty()
    }

    /// Returns the tools that a call without a section may name.
    fn bare_tools<'l>(&self, look: &'l Look<'_>) -> Known<'l> {
        if self.has_sections() { Known::Tool(&look.tools.names) } else { Known::Any }
    }

    // Openers.

    /// Reads begin, word and separator of a call, as far as they stand here. Returns whether they do.
    fn lead(&self, c: &mut Cursor<'_>) -> Step<bool> {
        let Some([begin, separator, _]) = &self.t.lead else { return Ok(false) };
        match c.literal(begin) {
            Err(No) => return Ok(false),
            begin => begin?,
        }
        c.run(Class::Keyword, 0, 64)?;
        match c.literal(separator) {
            Err(No) => Ok(true),
            separator => separator.map(|()| true),
        }
    }

    /// Reads the token that ends a call behind its closer.
    fn lead_end(&self, c: &mut Cursor<'_>) -> Step<()> {
        match &self.t.lead {
            Some([.., end]) => c.literal(end),
            None => Err(No),
        }
    }

    /// Reads the opener of a call, unless its tag also ends the call.
    fn opener<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
        known: Known<'_>,
    ) -> Step<Called<'t>> {
        let known = if self.lead(c)? { Known::Any } else { known };
        self.t.open_tag(look, c, known)
    }

    /// Reads the next call of a section.
    fn next_call(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.lead(c)?;
        self.t.call_tag(look, c, Known::Any).map(|_| ())
    }

    /// Reads the next call without a section, and its confirmation.
    fn next_bare(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.opener(look, c, self.bare_tools(look))?;
        c.white()?;
        self.body(c)
    }

    /// Reads the next call, in the section of the open one or without.
    fn next(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        if look.is.in_section { self.next_call(look, c) } else { self.next_bare(look, c) }
    }

    /// Reads the opener of a parameter.
    fn any_param(&self, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| self.t.param_tag(c, Known::Any).map(|_| ()),
            |c| self.t.named_element(c),
            |c| self.t.element_by_tag(c).map(|_| ()),
        )
    }

    /// Reads the confirmation of a call without a section.
    fn body(&self, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| match self.has_sections() && self.t.is_xml() || self.t.param.is_empty() {
                true => self.any_param(c),
                false => self.t.any(&self.t.param, c),
            },
            |c| self.t.any(&self.t.end_call, c),
            |c| self.object_begins(c),
        )
    }

    /// Reads the confirmation of a section's opener.
    fn section_begins(&self, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c; |c| self.t.any(&self.t.call, c), |c| match &self.t.lead {
            Some([begin, ..]) => c.literal(begin),
            None => Err(No),
        })
    }

    /// Reads the next section, and its confirmation.
    fn next_section(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.t.any(&self.t.open, c)?;
        c.white()?;
        self.section_begins(c)
    }

    /// Reads the closer of a section, or of a call with a lead.
    fn closer(&self, c: &mut Cursor<'_>) -> Step<()> {
        match self.lead_end(c) {
            Ok(()) => Ok(()),
            // An undecided lead may still become the closer, so a mismatch of the section's closer decides
            // nothing.
            lead => self
                .t
                .any(&self.t.close, c)
                .map_err(|stuck| if lead == Err(More) { More } else { stuck }),
        }
    }

    /// Reads a closer of a call that is cut short.
    fn cut_call(&self, c: &mut Cursor<'_>) -> Step<()> {
        if !self.t.misspelt {
            return Err(No);
        }
        let mut stuck = No;
        for close in &self.t.end_call {
            match c.ahead(|c| cut_short(c, close).map(|()| *c)) {
                Ok(end) => {
                    *c = end;
                    return Ok(());
                }
                Err(other) => stuck = if stuck == No { other } else { stuck },
            }
        }
        Err(stuck)
    }

    /// Reads the confirmation of a closer that is cut short.
    fn after_cut(&self, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c; |c| c.at_end(), |c| {
            c.white()?;
            one_of!(c; |c| self.closer(c), |c| self.section_begins(c))
        })
    }

    // Text.

    fn section_in_text<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let tag = |c: &mut Cursor<'t>| {
            let mut tag = *c;
            self.t.any(&self.t.open, &mut tag).map(|()| tag)
        };
        let Some(tag) = c.way(OPENER.role(A_SECTION), tag)? else { return Ok(None) };
        c.may_be_rejected(SECTIONS);
        let start = std::mem::replace(c, tag);
        let opens = |kind: u8| Ok(Some(InText::Open(Opener::new(Place::Section(kind)))));
        let calls = c.way(OPENER.role(A_SECTION), |c| {
            c.follow(false, |c| {
                c.white()?;
                self.section_begins(c)
            })
        })?;
        if calls.is_some() {
            return opens(SECTION);
        }
        let listed = self.objects.is_some()
            && c.way(OPENER.role(A_SECTION), |c| {
                c.follow(false, |c| {
                    c.white()?;
                    objects::begins(c)
                })
            })?
            .is_some();
        if listed {
            return opens(OBJECTS);
        }
        *c = start;
        Ok(None)
    }

    /// Reads a call without a section.
    fn call_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let begins = |c: &mut Cursor<'_>| {
            one_of!(c; |c| self.t.call_begins(c), |c| match &self.t.lead {
                Some([begin, ..]) => c.literal(begin),
                None => Err(No),
            })
        };
        if c.ahead(begins) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        let called = c.way(OPENER.role(A_CALL), |c| {
            let called = self.opener(look, c, self.bare_tools(look))?;
            c.follow(called.tool != UNKNOWN, |c| {
                c.white()?;
                self.body(c)
            })?;
            Ok(called)
        })?;
        Ok(called.map(|called| {
            let opener = opens_call(called);
            InText::Open(Opener { owed: self.has_sections(), ..opener })
        }))
    }

    /// Reads a section without calls.
    fn empty_section(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.t.any(&self.t.open, c)?;
        c.white()?;
        self.t.any(&self.t.close, c)
    }

    /// Reads a whole opener at the end of the stream, with nothing behind it but white space and stop tokens.
    fn cut_opener(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.t.any(&self.t.open, c)?;
        cut_opener(c, self.t.token, &self.t.stops)
    }

    // Between calls.

    fn among_calls<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        let half = WHOLE.and(Half::OPENER).role(A_CALL);
        let opener = c.way(half, |c| {
            self.lead(c)?;
            self.t.call_tag(look, c, Known::Any)
        })?;
        if let Some((called, whole)) = opener {
            return Ok(Some(InSection::Open(Opener { whole, ..opens_call(called) })));
        }
        if let Some(lead @ [begin, separator, _]) = &self.t.lead {
            let whole = |c: &mut Cursor<'_>| {
                c.literal(begin)?;
                c.run(Class::Keyword, 0, 64)?;
                c.literal(separator)
            };
            let alone = c.way(WHOLE.role("lead of a call"), whole)?.is_some()
                || c.way(WHOLE.role("lead of a call"), |c| c.any(lead))?.is_some();
            if alone {
                return Ok(Some(InSection::Mark(None)));
            }
        }
        if c.way(WHOLE.role("closer of a section"), |c| self.t.any(&self.t.close, c))?.is_some() {
            return Ok(Some(InSection::Close(None)));
        }
        self.stray_closer(c, true)
    }

    /// Between calls: reads closers of something that is not open.
    fn stray_closer<'t>(&self, c: &mut Cursor<'t>, of_call: bool) -> Step<Option<InSection<'t>>> {
        let stray = c.noise_or(WHOLE.role("closer that nothing opened"), |c| {
            one_of!(c;
                |c| self.t.any(&self.t.end_param, c).map(|()| *c),
                |c| if of_call { self.t.any(&self.t.end_call, c).map(|()| *c) } else { Err(No) },
            )
        })?;
        let Some(end) = stray else { return Ok(None) };
        *c = end;
        Ok(Some(InSection::Mark(Some(DiagnosticKind::OrphanCloser))))
    }

    /// Behind an object with all arguments of a call. `bare`: the call has no section.
    fn behind_object<'t>(
        &self,
        look: &Look<'_>,
        bare: bool,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        if let Some(found) = objects::behind_object(c)? {
            return Ok(Some(found));
        }
        let goes_on = |note, before| objects::goes_on(SECTION, bare, note, before);
        if c.way(WHOLE.role(END_CALL), |c| self.t.any(&self.t.end_call, c))?.is_some() {
            return Ok(Some(goes_on(None, false)));
        }
        let own = self.t.object.iter().any(|[_, close]| !close.is_empty());
        if own && c.way(WHOLE.role("closer of an object"), |c| self.object_end(c))?.is_some() {
            return Ok(Some(InSection::Mark(None)));
        }
        let start = *c;
        let half = if bare { WHOLE } else { WHOLE.and(Half::OPENER) }.role(LOST);
        let next = |c: &mut Cursor<'t>| match bare {
            true => {
                self.opener(look, c, self.bare_tools(look))?;
                c.follow(false, |c| {
                    c.white()?;
                    self.body(c)
                })
            }
            false => self.next_call(look, c),
        };
        let forgotten = c.way(WHOLE.role(LOST), |c| self.t.any(&self.t.close, c))?.is_some()
            || c.way(half, next)?.is_some();
        if forgotten {
            *c = start;
            return Ok(Some(goes_on(Some(DiagnosticKind::MissingCloser), true)));
        }
        self.stray_closer(c, false)
    }

    // Between parameters.

    /// Reads the beginning of an object in place of the parameters: its tag, or its brace.
    fn object_begins(&self, c: &mut Cursor<'_>) -> Step<()> {
        let [open, _] = self.t.object.as_ref().ok_or(No)?;
        if let Some(head) = self.t.head_of(open) {
            return self.t.any(&[head], c);
        }
        c.literal("{")?;
        c.white()?;
        c.byte_of(b"\"}").map(|_| ())
    }

    /// Reads the object's tag, and its brace.
    fn object_tag(&self, c: &mut Cursor<'_>) -> Step<()> {
        let [open, _] = self.t.object.as_ref().ok_or(No)?;
        if let Some(head) = self.t.head_of(open) {
            self.t.any(&[head], c)?;
            self.t.tag_end(CALL_TAG, c)?;
            c.white()?;
        }
        c.literal("{")
    }

    /// Reads the closer of the object's tag.
    fn object_end(&self, c: &mut Cursor<'_>) -> Step<()> {
        match &self.t.object {
            Some([_, close]) => self.t.any(std::slice::from_ref(close), c),
            None => Err(No),
        }
    }

    /// Reads the opener of a parameter, in each of its forms.
    fn param_in_call<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InCall<'t>>> {
        let opens = |kind: u8, (name, hint): (&'t str, Option<&'t str>)| {
            Ok(Some(InCall::Param { kind, name, hint, note: None }))
        };
        if let Some([quote, _]) = &self.t.quotes {
            // The longer form first: the plain one would read the quote as a part of the value.
            let quoted = c.noise(|c| {
                let found = self.t.param_tag(c, Known::Any)?;
                c.white()?;
                c.literal(quote).map(|()| found)
            })?;
            if let Some(found) = quoted {
                return opens(QUOTED, found);
            }
        }
        let half = WHOLE.role("opener of an argument");
        if let Some(found) = c.way(half, |c| self.t.param_tag(c, Known::Any))? {
            return opens(VALUE, found);
        }
        match c.way(half, |c| self.t.element_tag(c))? {
            Some(found) => opens(ELEMENT, found),
            None => Ok(None),
        }
    }

    /// Reads the end of a call between its parameters.
    fn ends_in_call<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InCall<'t>>> {
        let close =
            |note: Note, before: bool| Ok(Some(InCall::Close { scope: Scope::Call, note, before }));
        if c.way(WHOLE.role(END_CALL), |c| self.t.any(&self.t.end_call, c))?.is_some() {
            return close(None, false);
        }
        let cut = c.noise_or(WHOLE.role(END_CALL), |c| {
            self.cut_call(c)?;
            c.follow(false, |c| self.after_cut(c))
        })?;
        if cut.is_some() {
            return close(Some(DiagnosticKind::MalformedTag), false);
        }
        let next = |c: &mut Cursor<'t>| match look.is.in_section {
            true => self.next_call(look, c),
            false => {
                self.opener(look, c, self.bare_tools(look))?;
                c.follow(false, |c| {
                    c.white()?;
                    self.body(c)
                })
            }
        };
        let ends = c.way(WHOLE.role(LOST), next)?.is_some()
            || c.way(WHOLE.role(LOST), |c| self.closer(c))?.is_some();
        if ends { close(Some(DiagnosticKind::MissingCloser), true) } else { Ok(None) }
    }
}

/// Opens a call.
fn opens_call<'t>(called: Called<'t>) -> Opener<'t> {
    let opener = Opener::new(Place::Call(CALL)).named(called.name, called.tool);
    Opener { id: called.id, ..opener }
}

/// Reads a closer without its end, except `>`.
fn cut_short(c: &mut Cursor<'_>, close: &str) -> Step<()> {
    let inner = close.strip_prefix("</").and_then(|rest| rest.strip_suffix('>')).ok_or(No)?;
    c.literal("</")?;
    let come = c.rest();
    let same = come.bytes().zip(inner.bytes()).take_while(|(a, b)| a == b).count();
    if same == come.len() && same < inner.len() {
        return c.more();
    }
    if !(CUT..inner.len()).contains(&same) || !inner.is_char_boundary(same) {
        return Err(No);
    }
    c.pos += same;
    c.literal(">")
}

impl Family for Tagged {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let text = !look.reasoning;
        let second = c.bytes().get(1).copied();
        if second != Some(b'/') {
            if let Some(found) = self.section_in_text(c)? {
                return Ok(found);
            }
            // Without a section around it, a tag in reasoning, or of an undeclared tool, may be prose.
            let may_be_bare = text && !look.tools.names.is_empty() || !self.has_sections();
            if may_be_bare {
                if let Some(found) = self.call_in_text(look, c)? {
                    return Ok(found);
                }
            }
        }
        if !text {
            return c.none();
        }
        let closer = Half::NONE.role("closer that nothing opened");
        if c.way(closer, |c| self.t.any(&self.t.end_call, c))?.is_some() {
            return Ok(InText::Orphan(CALLS));
        }
        if c.way(closer, |c| self.lead_end(c))?.is_some() {
            return Ok(InText::CallEnd);
        }
        if c.way(closer, |c| self.t.any(&self.t.close, c))?.is_some() {
            return Ok(InText::Closer(SECTIONS));
        }
        c.none()
    }

    fn late_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let empty = self.t.token
            && c.noise_or(Half::NONE.role("section without calls"), |c| self.empty_section(c))?
                .is_some();
        if empty {
            return Ok(Some(InText::Mark(None)));
        }
        let stray = Half::NONE.role("closer of an argument that nothing opened");
        let stray = self.t.token
            && !look.reasoning
            && c.noise_or(stray, |c| self.t.any(&self.t.end_param, c))?.is_some();
        if stray {
            return Ok(Some(InText::StrayCloser));
        }
        let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| self.cut_opener(c))?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let found = match (kind, &self.objects) {
            (SECTION, _) => self.among_calls(look, c)?,
            (OBJECTS, Some(objects)) => return objects.in_objects(look, c),
            (kind, _) => self.behind_object(look, kind == AFTER_BARE_OBJECT, c)?,
        };
        found.map_or_else(|| c.none(), Ok)
    }

    fn in_call<'t>(&self, look: &Look<'_>, _kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let object = look.is.call_start
            && c.way(WHOLE.role("opener of an object"), |c| self.object_tag(c))?.is_some();
        if object {
            let kind = if look.is.in_section { OBJECT } else { BARE_OBJECT };
            return Ok(InCall::Object(kind));
        }
        if let Some(found) = self.param_in_call(c)? {
            return Ok(found);
        }
        if let Some(found) = self.ends_in_call(look, c)? {
            return Ok(found);
        }
        let stray = c.noise(|c| match self.t.is_xml() {
            true => element(c).map(|_| ()),
            false => self.t.any_tag(c),
        })?;
        match stray {
            Some(()) => Ok(InCall::Stray(DiagnosticKind::UnknownParameter)),
            None => c.none(),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        match kind {
            ELEMENT => self.in_element(look, c),
            kind => self.in_plain(look, kind == QUOTED, c),
        }
    }

    fn in_body(&self, _look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let half = WHOLE.role("end of an object before its own");
        let own = self.t.object.iter().any(|[_, close]| !close.is_empty());
        let ends = kind != CALL_OBJECT
            && (own && c.way(half, |c| self.object_end(c))?.is_some()
                || c.way(half, |c| self.t.any(&self.t.end_call, c))?.is_some())
            || c.way(half, |c| self.t.any(&self.t.close, c))?.is_some();
        if ends { Ok(InBody::before(None)) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn value_scan(&self, kind: u8) -> &Scan {
        &self.values[usize::from(kind)]
    }

    fn call_scan(&self, _kind: u8) -> &Scan {
        &self.call
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let between: &[u8] = if kind == SECTION { b"" } else { b"],;" };
        SectionFacts { between, junk: kind == SECTION, ..SectionFacts::CALLS }
    }

    fn framing(&self, kind: u8) -> Framing {
        match kind {
            QUOTED => Framing::None,
            _ if self.t.lines => Framing::LineBreak,
            ELEMENT => Framing::None,
            _ => Framing::Recovered,
        }
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let (gives, then) = match kind {
            OBJECT => (Gives::Arguments, Some(AFTER_OBJECT)),
            BARE_OBJECT => (Gives::Arguments, Some(AFTER_BARE_OBJECT)),
            _ => (Gives::Call, None),
        };
        BodyFacts { gives, then, stop: b'<' }
    }

    fn is_stripped(&self) -> bool {
        self.t.stripped
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Tagged::new(t)))
    }
}
