//! Calls that name their tool in a header of special tokens, before their JSON: `deepseek-v31`, `solar-open`, `plamo3`.
//!
//! ```text
//! section := OPEN ws ( call ws )* CLOSE
//! call    := head ws object ws END              head := BEGIN ( TOKEN | NAME | ID | word )*, white space between
//! object  := JSON, perhaps in a fence: "```" letters?
//! ```
//! Tokens need no confirmation, because nobody types them. A call without a section's opener is read as in a section
//! (`missing_opener`). A header that names no tool is markup with its object (`malformed_call`).
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Headers::in_text`] |
//! | between calls | before a header, behind an object | [`Headers::in_section`] |
//! | behind a header | | [`Headers::at_call_start`], [`Headers::in_call`] |
//! | in an object | all arguments of a call; of no call | [`Headers::in_body`] |
//!
//! A header cut in two, in `deepseek-v31`:
//!
//! ```text
//! chunk "<｜tool▁call▁begin｜>read<｜to"    head: More                             -> pending
//! chunk "ol▁sep｜>{"                       head: Ok, and a brace confirms it      -> Open(Call(CALL)), markup
//! ```

use crate::event::DiagnosticKind;
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Gives, InBody, Look, SectionFacts};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{CALLS, InCall, InSection, InText, Opener, Place, SECTIONS, Scope};
use crate::read::cursor::{Class, Cursor, Half, No, Note, Step};
use crate::read::ids::UNKNOWN;
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;

/// Kinds of sections.
const SECTION: u8 = 0;
const AFTER_OBJECT: u8 = 1;

/// The kind of calls.
const CALL: u8 = 0;

/// Kinds of objects.
const ARGUMENTS: u8 = 0;
const NO_CALL: u8 = 1;

const FENCE: &str = "```";

const OPENER: Half = Half::OPENER;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_SECTION: &str = "opener of a section";
const A_CALL: &str = "opener of a call";
const END_CALL: &str = "closer of a call";
const END_SECTION: &str = "closer of a section";
const LOST: &str = "lost closer of a call";
const NO_HEADER: &str = "header that names no tool";

/// A part of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Token(Box<str>),
    Name,
    /// The call's id, perhaps empty.
    Id,
    /// A word that names nothing.
    Word,
}

/// The texts of a dialect of headers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// Opener and closer of a section.
    pub open: Box<str>,
    pub close: Box<str>,
    /// Headers, in each of their forms. All begin with the same token.
    pub heads: Vec<Vec<Part>>,
    /// Headers whose first token was forgotten.
    pub beheaded: Vec<Vec<Part>>,
    /// Words in the place of a name that name no tool.
    pub words: Vec<Box<str>>,
    /// No white space stands around names.
    pub tight: bool,
    /// Closers of a call: any of them will do.
    pub ends: Vec<Box<str>>,
    /// An object may stand in a fence.
    pub fenced: bool,
    /// Stop tokens: behind one of them a call is over.
    pub stops: Vec<Box<str>>,
}

/// The family of headers.
#[derive(Debug)]
pub(crate) struct Headers {
    t: Texts,
    /// The first token of a header, and the last one.
    begin: Box<str>,
    last: Box<str>,
    /// The first tokens of headers without their first token.
    beheaded: Vec<Box<str>>,
    /// Texts that no header holds before a call's closer: the section's closer and the next call. Before its last token
    /// it holds no closer of a call, either (`no_last`).
    others: Vec<Box<str>>,
    no_last: Vec<Box<str>>,
    /// The stop tokens that show that an opener was cut, except those that begin one.
    cut: Vec<Box<str>>,
    text: Scan,
    call: Scan,
}

/// A header.
#[derive(Clone, Copy, Debug)]
struct Head<'t> {
    name: &'t str,
    tool: u16,
    id: Option<&'t str>,
}

/// Whether white space may stand here: between two tags, and between a tag and its neighbour.
fn is_gap(before: &Part, after: &Part, tight: bool) -> bool {
    match (before, after) {
        (Part::Token(_), Part::Token(_)) => true,
        (Part::Token(before), _) => !tight && before.ends_with('>'),
        (_, Part::Token(after)) => !tight && after.starts_with('<'),
        _ => false,
    }
}

/// Returns the first token of a header.
fn first(head: &[Part]) -> Option<&str> {
    head.iter().find_map(|part| match part {
        Part::Token(token) => Some(&**token),
        _ => None,
    })
}

impl Headers {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Headers {
        let own = t.heads.first().map_or(&[][..], |head| head);
        let begin: Box<str> = first(own).unwrap_or_default().into();
        let last = own.iter().rev().find_map(|part| first(std::slice::from_ref(part)));
        let last: Box<str> = last.unwrap_or_default().into();
        let others = vec![begin.clone(), t.close.clone()];
        let no_last = [&others[..], &t.ends].concat();
        let beheaded = t.beheaded.iter().filter_map(|head| first(head).map(Box::from));
        let mut beheaded: Vec<Box<str>> = beheaded.collect();
        beheaded.dedup();
        let tags: Vec<Box<str>> =
            [&t.open, &t.close, &begin].into_iter().cloned().chain(t.ends.clone()).collect();
        let text = Scan::from_texts(tags.iter().chain(&beheaded).map(|tag| tag.as_bytes()));
        let call = Scan::from_texts(tags.iter().chain(&t.stops).map(|tag| tag.as_bytes()));
        // A shorter stop token would be read in place of the longer one that begins with it.
        let longer = |stop: &str| t.stops.iter().any(|it| **it != *stop && it.starts_with(stop));
        let cut = t.stops.iter().filter(|stop| !longer(stop)).cloned().collect();
        Headers { t, begin, last, beheaded, others, no_last, cut, text, call }
    }

    // Headers.

    /// Reads a header of this form. `words`: a word that names nothing is a name here, too.
    fn head<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
        form: &[Part],
        words: bool,
    ) -> Step<Head<'t>> {
        let mut head = Head { name: "", tool: UNKNOWN, id: None };
        let has_word = form.contains(&Part::Word);
        for (at, part) in form.iter().enumerate() {
            if at > 0 && is_gap(&form[at - 1], part, self.t.tight) {
                c.white()?;
            }
            match part {
                Part::Token(token) => c.literal(token)?,
                Part::Id => {
                    let id = c.run(Class::Name, 0, bounds::NAME)?;
                    head.id = Some(id);
                }
                Part::Word => {
                    c.run(Class::Name, 1, bounds::NAME)?;
                }
                Part::Name => {
                    head.name = c.name(Class::Name, false)?;
                    let is_word = self.t.words.iter().any(|word| **word == *head.name);
                    if is_word && !words && !has_word {
                        return Err(No);
                    }
                    head.tool = look.tools.number([head.name, ""]);
                }
            }
        }
        Ok(head)
    }

    /// Reads the brace of an object, perhaps in a fence.
    fn brace(&self, c: &mut Cursor<'_>) -> Step<()> {
        if self.t.fenced && c.peek()? == b'`' {
            c.literal(FENCE)?;
            c.run(Class::Letters, 0, 128)?;
            c.white()?;
        }
        c.literal("{")
    }

    /// Reads the confirmation of a header: its object, or the closer of a call without arguments.
    fn confirm(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c; |c| self.brace(c), |c| c.any(&self.t.ends))
    }

    /// Reads a header in any form, and its confirmation. `half`: the meaning of half a header.
    fn opener<'t>(
        &self,
        look: &Look<'_>,
        half: Half,
        c: &mut Cursor<'t>,
    ) -> Step<Option<Head<'t>>> {
        let like_a_word = self.t.heads.first().filter(|_| !self.t.words.is_empty());
        // A tool may be called like the word: the object right behind it shows that the word is the name.
        if let Some(form) = like_a_word {
            let head = c.way(half.role(A_CALL), |c| {
                let head = self.head(look, c, form, true)?;
                c.follow(head.tool != UNKNOWN, |c| {
                    c.white()?;
                    c.literal("{")
                })?;
                Ok(head)
            })?;
            if head.is_some() {
                return Ok(head);
            }
        }
        self.one_of_forms(look, &self.t.heads, half, true, c)
    }

    /// Reads one of these forms. `or_end`: the end of the stream confirms a header that names a known tool.
    fn one_of_forms<'t>(
        &self,
        look: &Look<'_>,
        forms: &[Vec<Part>],
        half: Half,
        or_end: bool,
        c: &mut Cursor<'t>,
    ) -> Step<Option<Head<'t>>> {
        for form in forms {
            let head = c.way(half.role(A_CALL), |c| {
                let head = self.head(look, c, form, false)?;
                c.follow(or_end && head.tool != UNKNOWN, |c| self.confirm(c))?;
                Ok(head)
            })?;
            if head.is_some() {
                return Ok(head);
            }
        }
        Ok(None)
    }

    /// Reads a header without its first token, and its confirmation. The end of the stream confirms a known
    /// tool, too.
    fn beheaded(&self, look: &Look<'_>, c: &mut Cursor<'_>, form: &[Part]) -> Step<()> {
        let whole = |c: &mut Cursor<'_>| {
            self.head(look, c, form, false)?;
            self.confirm(c)
        };
        let named = form.iter().position(|part| *part == Part::Name).map_or(0, |at| at + 1);
        let known = c.ahead(|c| self.head(look, c, &form[..named], false));
        match known.is_ok_and(|head| head.tool != UNKNOWN) {
            true => c.or_end(whole),
            false => whole(c),
        }
    }

    /// Reads the first token of a header without its first token.
    fn is_beheaded(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.any(&self.beheaded)
    }

    // Text.

    fn section_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if c.ahead(|c| c.literal(&self.t.open)) == Ok(()) {
            c.may_be_rejected(SECTIONS);
        }
        let opens = c.way(OPENER.role(A_SECTION), |c| {
            c.literal(&self.t.open)?;
            c.follow(false, |c| {
                c.white()?;
                one_of!(c; |c| c.literal(&self.begin), |c| {
                    let beheaded = self.t.beheaded.iter();
                    first_of(beheaded.map(|form| c.ahead(|c| self.beheaded(look, c, form))))
                })
            })
        })?;
        Ok(opens.map(|()| InText::Open(Opener::new(Place::Section(SECTION)))))
    }

    /// Reads a call without a section: the section begins before it.
    fn call_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let begins =
            |c: &mut Cursor<'_>| one_of!(c; |c| c.literal(&self.begin), |c| self.is_beheaded(c));
        if c.ahead(begins) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        let head = match self.opener(look, OPENER, c)? {
            None => self.one_of_forms(look, &self.t.beheaded, OPENER, true, c)?,
            head => head,
        };
        let section = Opener { owed: true, before: true, ..Opener::new(Place::Section(SECTION)) };
        Ok(head.map(|_| InText::Open(section)))
    }

    /// Reads a section without calls.
    fn empty_section(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.open)?;
        c.white()?;
        c.literal(&self.t.close)
    }

    /// Reads a whole opener at the end of the stream, with nothing behind it but white space and stop tokens.
    fn cut_opener(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.open)?;
        cut_opener(c, true, &self.cut)
    }

    // Between calls.

    fn among_calls<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        let half = WHOLE.and(Half::OPENER);
        if let Some(head) = self.opener(look, half, c)? {
            return Ok(Some(InSection::Open(opens(head))));
        }
        if let Some(head) = self.one_of_forms(look, &self.t.beheaded, half, true, c)? {
            let note = Some(DiagnosticKind::MissingOpener);
            return Ok(Some(InSection::Open(Opener { note, ..opens(head) })));
        }
        if let Some(found) = self.malformed(c)? {
            return Ok(Some(found));
        }
        if c.way(WHOLE.role(END_CALL), |c| c.any(&self.t.ends))?.is_some() {
            return Ok(Some(InSection::Mark(None)));
        }
        let again = look.is.section_start
            && c.way(WHOLE.role(A_SECTION), |c| c.literal(&self.t.open))?.is_some();
        if again {
            return Ok(Some(InSection::Mark(None)));
        }
        let close = c.way(WHOLE.role(END_SECTION), |c| c.literal(&self.t.close))?;
        Ok(close.map(|()| InSection::Close(None)))
    }

    /// Reads a call that names no tool: with its object, up to its closer, or its token alone.
    fn malformed<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        let start = c.pos;
        let mark = InSection::Malformed;
        // A header of one token has no other token that could end it.
        if self.last != self.begin {
            let nameless = c.way(WHOLE.and(Half::OPENER).role(NO_HEADER), |c| {
                c.literal(&self.begin)?;
                c.until(start, &self.last, &self.no_last)?;
                c.white()?;
                self.brace(c)
            })?;
            if nameless.is_some() {
                return Ok(Some(mark(Some(NO_CALL))));
            }
        }
        for end in &self.t.ends {
            let closed = c.way(WHOLE.role(NO_HEADER), |c| {
                c.literal(&self.begin)?;
                c.until(start, end, &self.others)
            })?;
            if closed.is_some() {
                return Ok(Some(mark(None)));
            }
        }
        let begun = c.noise_or(WHOLE.role(NO_HEADER), |c| c.literal(&self.begin))?.is_some()
            || c.noise_or(WHOLE.role(NO_HEADER), |c| self.is_beheaded(c))?.is_some();
        Ok(begun.then(|| mark(None)))
    }

    /// Behind an object: reads its call's closer. If it was forgotten, the text there is read again.
    fn behind_object<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let goes_on = |note: Note, before: bool| {
            let section = Opener { note, before, ..Opener::new(Place::Section(SECTION)) };
            Ok(Some(InSection::Open(section)))
        };
        if c.way(WHOLE.role(END_CALL), |c| c.any(&self.t.ends))?.is_some() {
            return goes_on(None, false);
        }
        if let Some(garbage) = garbage(c)? {
            return Ok(Some(garbage));
        }
        let start = *c;
        let half = WHOLE.and(Half::OPENER);
        let next = c.way(WHOLE.role(LOST), |c| c.literal(&self.begin))?.is_some()
            || self.one_of_forms(look, &self.t.beheaded, half, false, c)?.is_some();
        if next {
            *c = start;
            return goes_on(Some(DiagnosticKind::MissingCloser), true);
        }
        let close = c.way(WHOLE.role(END_SECTION), |c| c.literal(&self.t.close))?;
        Ok(close.map(|()| InSection::Close(Some(DiagnosticKind::MissingCloser))))
    }
}

/// Opens a call.
fn opens(head: Head<'_>) -> Opener<'_> {
    Opener { id: head.id, ..Opener::new(Place::Call(CALL)).named(head.name, head.tool) }
}

/// Behind an object: reads brackets, commas, fences and braces that belong to nothing.
pub(super) fn garbage<'t>(c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
    let garbage = WHOLE.role("garbage behind an object");
    if c.way(garbage, |c| c.any(&["]", ",", ";", FENCE]))?.is_some() {
        return Ok(Some(InSection::Mark(None)));
    }
    let brace = c.way(garbage, |c| c.literal("}"))?;
    Ok(brace.map(|()| InSection::Mark(Some(DiagnosticKind::RepairedJson))))
}

/// Returns the first of these that stands there.
pub(super) fn first_of(steps: impl IntoIterator<Item = Step<()>>) -> Step<()> {
    let mut stuck = No;
    for step in steps {
        match step {
            Ok(()) => return Ok(()),
            Err(No) => {}
            Err(more) => stuck = more,
        }
    }
    Err(stuck)
}

impl Family for Headers {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if let Some(found) = self.section_in_text(look, c)? {
            return Ok(found);
        }
        if look.reasoning {
            return c.none();
        }
        if let Some(found) = self.call_in_text(look, c)? {
            return Ok(found);
        }
        let closer = Half::NONE.role("closer that nothing opened");
        if c.way(closer, |c| c.literal(&self.t.close))?.is_some() {
            return Ok(InText::Closer(SECTIONS));
        }
        if c.way(closer, |c| c.any(&self.t.ends))?.is_some() {
            return Ok(InText::Orphan(CALLS));
        }
        c.none()
    }

    fn late_in_text<'t>(&self, _: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let empty = Half::NONE.role("section without calls");
        if c.noise_or(empty, |c| self.empty_section(c))?.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| self.cut_opener(c))?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let found = match kind {
            SECTION => self.among_calls(look, c)?,
            _ => self.behind_object(look, c)?,
        };
        found.map_or_else(|| c.none(), Ok)
    }

    fn at_call_start<'t>(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let object = c.way(WHOLE.role("object of arguments"), |c| {
            c.white()?;
            self.brace(c)
        })?;
        object.map_or_else(|| c.none(), |()| Ok(InCall::Object(ARGUMENTS)))
    }

    fn in_call<'t>(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let close = |note: Note, before: bool| InCall::Close { scope: Scope::Call, note, before };
        if c.way(WHOLE.role(END_CALL), |c| c.any(&self.t.ends))?.is_some() {
            return Ok(close(None, false));
        }
        let over = c.way(WHOLE.role(LOST), |c| c.any(&[&self.t.close, &self.begin]))?.is_some()
            || c.way(WHOLE.role(LOST), |c| c.any(&self.t.stops))?.is_some();
        if over { Ok(close(Some(DiagnosticKind::MissingCloser), true)) } else { c.none() }
    }

    fn in_body(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let half = WHOLE.role("end of an object before its own");
        let ends = c.way(half, |c| c.any(&self.t.ends))?.is_some()
            || c.way(half, |c| c.any(&[&self.t.close, &self.begin]))?.is_some();
        if ends { Ok(InBody::before(None)) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.call
    }

    fn section(&self, _: u8) -> SectionFacts {
        SectionFacts::CALLS
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let gives = if kind == ARGUMENTS { Gives::Arguments } else { Gives::Nothing };
        BodyFacts { gives, then: Some(AFTER_OBJECT), stop: b'<' }
    }

    fn is_stripped(&self) -> bool {
        true
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Headers::new(t)))
    }
}
