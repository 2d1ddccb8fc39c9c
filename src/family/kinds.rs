//! Messages whose kind is a token: `inkling`.
//!
//! ```text
//! message := header body END?                    header := ( MODEL AUTHOR | NAME )? KIND
//! KIND    := CALL | THINKING | "<|content_" word "|>"
//! call    := CALL ws objects END                 see family/block/objects.rs
//! ```
//! The body depends on the kind: a call, if an object follows; reasoning; else text. A header is markup. NAME without
//! its token counts only at the start of the stream, because servers remove the part that their prompt wrote. In
//! reasoning the ends count, calls, and headers with MODEL. A header that the end of the stream cuts is markup.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Kinds::in_text`], [`Kinds::late_in_text`] |
//! | reasoning | | [`Kinds::in_prose`] |
//! | between calls | objects | [`Kinds::in_section`] |
//! | in an object | a call | [`Kinds::in_body`] |
//!
//! A header cut in two:
//!
//! ```text
//! chunk "<|message_model|>f<|content_in"   header: More                              -> pending
//! chunk "voke_tool_json|>{"                header: Ok, and a brace confirms it       -> Open(Section), markup
//! ```

use crate::event::DiagnosticKind;
use crate::family::block::{Block, Tags};
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, InBody, Look, SectionFacts};
use crate::options::bounds;
use crate::read::act::{InCall, InSection, InText, Opener, Place};
use crate::read::cursor::{Class, Cursor, Half, No, Step};
use crate::read::scan::Scan;

/// The kind of sections.
const OBJECTS: u8 = 0;

/// The most bytes of the word of a kind.
const WORD: usize = 64;

const OPENER: Half = Half::OPENER;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_SECTION: &str = "opener of a section";
const THINKS: &str = "opener of reasoning";
const HEADER: &str = "markup";
const CUT: &str = "half an opener at the end";

/// The texts of a dialect of kinds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// The token of a header before an author.
    pub model: Box<str>,
    /// The kinds that are calls and reasoning.
    pub call: Box<str>,
    pub thinking: Box<str>,
    /// The beginning of any other kind, before its word.
    pub content: Box<str>,
    /// Ends of messages.
    pub ends: Vec<Box<str>>,
}

/// The family of kinds.
#[derive(Debug)]
pub(crate) struct Kinds {
    t: Texts,
    objects: Block,
    text: Scan,
    prose: Scan,
}

/// The part of a header before its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Author,
    Nothing,
    /// A name at the start of the stream.
    Name,
}

/// The parts before a kind that may stand anywhere in text.
const ANYWHERE: [Before; 2] = [Before::Author, Before::Nothing];

impl Kinds {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Kinds {
        let marks = [&t.model, &t.call, &t.thinking, &t.content].into_iter().chain(&t.ends);
        let text = Scan::from_texts(marks.map(|mark| mark.as_bytes()));
        let objects = Block::new(Tags {
            close: t.ends.clone(),
            json: true,
            any_object: true,
            ..Tags::default()
        });
        Kinds { t, objects, prose: text.clone(), text }
    }

    // Headers.

    /// Reads the part of a header before its kind.
    fn before(&self, before: Before, c: &mut Cursor<'_>) -> Step<()> {
        match before {
            Before::Author => {
                c.literal(&self.t.model)?;
                c.run(Class::Line, 0, bounds::NAME).map(|_| ())
            }
            Before::Nothing => Ok(()),
            Before::Name => c.run(Class::Name, 1, bounds::NAME).map(|_| ()),
        }
    }

    /// Reads a kind that is not a call.
    fn other(&self, c: &mut Cursor<'_>) -> Step<()> {
        if c.ahead(|c| c.literal(&self.t.call)).is_ok() {
            return Err(No);
        }
        c.literal(&self.t.content)?;
        c.run(Class::LowWord, 1, WORD)?;
        c.literal("|>")
    }

    /// Reads the header of a message that is not a call.
    fn any_other(&self, before: Before, c: &mut Cursor<'_>) -> Step<()> {
        self.before(before, c)?;
        self.other(c)
    }

    /// Reads the header of reasoning.
    fn thinks(&self, before: Before, c: &mut Cursor<'_>) -> Step<()> {
        self.before(before, c)?;
        c.literal(&self.t.thinking)
    }

    /// Reads the header of a call, without its confirmation.
    fn call(&self, before: Before, c: &mut Cursor<'_>) -> Step<()> {
        self.before(before, c)?;
        c.literal(&self.t.call)
    }

    /// Reads the header of a call that an object follows.
    fn opener(&self, before: Before, c: &mut Cursor<'_>) -> Step<()> {
        self.call(before, c)?;
        c.follow(false, |c| {
            c.white()?;
            c.literal("{")
        })
    }

    /// Reads half a header at the end of the stream. More than its first token is there.
    fn cut(&self, c: &mut Cursor<'_>, rest: impl FnOnce(&mut Cursor<'_>) -> Step<()>) -> Step<()> {
        c.literal(&self.t.model)?;
        c.or_end(|c| {
            c.run(Class::Line, 0, bounds::NAME)?;
            rest(c)?;
            Err::<(), _>(No)
        })?;
        c.pos += c.rest().len();
        Ok(())
    }

    /// Reads half the header of a call.
    fn cut_call(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.cut(c, |c| {
            c.literal(&self.t.call)?;
            c.white()?;
            c.literal("{")
        })
    }
}

impl Family for Kinds {
    fn in_text<'t>(&self, _: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        for before in ANYWHERE {
            if c.way(OPENER.role(A_SECTION), |c| self.opener(before, c))?.is_some() {
                return Ok(InText::Open(Opener::new(Place::Section(OBJECTS))));
            }
        }
        c.none()
    }

    fn starts_text(&self) -> bool {
        true
    }

    fn at_text_start<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if !look.is.stream_start || !look.calls {
            return Err(No);
        }
        let name = Before::Name;
        let opens = Half::NONE.role(A_SECTION);
        if c.noise_or(opens, |c| self.opener(name, c))?.is_some() {
            return Ok(InText::Open(Opener::new(Place::Section(OBJECTS))));
        }
        if look.reasoning {
            return c.none();
        }
        if c.noise_or(Half::NONE.role(THINKS), |c| self.thinks(name, c))?.is_some() {
            return Ok(InText::Think);
        }
        if c.noise(|c| self.call(name, c))?.is_some() {
            return Ok(InText::Data(None));
        }
        match c.noise_or(Half::NONE.role(HEADER), |c| self.any_other(name, c))? {
            Some(()) => Ok(InText::Mark(None)),
            None => c.none(),
        }
    }

    fn in_prose<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if look.reasoning { self.in_reasoning(look, c) } else { self.beside_calls(c) }
    }

    fn in_section<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        self.objects.in_objects(look, c)
    }

    fn in_call<'t>(&self, _: &Look<'_>, _: u8, _: &mut Cursor<'t>) -> Step<InCall<'t>> {
        Err(No)
    }

    fn in_body(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let half = WHOLE.role("end of an object before its own");
        let ends = c.way(half, |c| c.any(&self.t.ends))?.is_some()
            || c.way(half, |c| self.opener(Before::Author, c))?.is_some()
            || c.way(half, |c| self.opener(Before::Nothing, c))?.is_some();
        if ends { Ok(InBody::before(None)) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn prose_scan(&self) -> Option<&Scan> {
        Some(&self.prose)
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.text
    }

    fn section(&self, kind: u8) -> SectionFacts {
        self.objects.section(kind)
    }

    fn body(&self, kind: u8) -> BodyFacts {
        BodyFacts { stop: b'<', ..self.objects.body(kind) }
    }

    fn is_stripped(&self) -> bool {
        true
    }

    fn reasoning(&self) -> Option<[&[Box<str>]; 2]> {
        Some([std::slice::from_ref(&self.t.thinking), &self.t.ends])
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Kinds::new(t)))
    }
}

impl Kinds {
    /// In text: reads ends of messages, and headers of messages that are no calls.
    fn beside_calls<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        for before in ANYWHERE {
            if c.way(Half::NONE.role(THINKS), |c| self.thinks(before, c))?.is_some() {
                return Ok(Some(InText::Think));
            }
        }
        if c.way(Half::NONE.role(HEADER), |c| c.any(&self.t.ends))?.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let cut = Some(InText::Mark(Some(DiagnosticKind::CutOpener)));
        if c.way(OPENER.role(CUT), |c| self.cut_call(c))?.is_some() {
            return Ok(cut);
        }
        for before in ANYWHERE {
            if c.noise(|c| self.call(before, c))?.is_some() {
                // Without an object it is not a kind of text, either.
                return Ok(Some(InText::Data(None)));
            }
        }
        for before in ANYWHERE {
            if c.way(Half::NONE.role(HEADER), |c| self.any_other(before, c))?.is_some() {
                return Ok(Some(InText::Mark(None)));
            }
        }
        let half = c.way(OPENER.role(CUT), |c| self.cut(c, |c| self.other(c)))?;
        Ok(half.and(cut))
    }

    /// In reasoning: reads ends of messages, and headers with an author.
    fn in_reasoning<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let closes = Half::NONE.role("closer of reasoning or a message");
        if c.way(closes, |c| c.any(&self.t.ends))?.is_some() {
            return Ok(Some(InText::EndThink));
        }
        let goes_on = c.way(Half::NONE.role(HEADER), |c| self.thinks(Before::Author, c))?;
        if goes_on.is_some() {
            return Ok(Some(InText::Think));
        }
        // Where calls in reasoning do not count, the header of a call is reasoning, and not cut.
        if c.noise(|c| self.opener(Before::Author, c))?.is_some() {
            return Ok(Some(InText::Data(None)));
        }
        let cut = Some(InText::Mark(Some(DiagnosticKind::CutOpener)));
        if c.way(OPENER.role(CUT), |c| self.cut_call(c))?.is_some() {
            return Ok(cut);
        }
        if c.noise(|c| self.call(Before::Author, c))?.is_some() {
            return Ok(Some(InText::Data(None)));
        }
        let ends = c.way(closes, |c| self.any_other(Before::Author, c))?;
        if ends.is_some() {
            return Ok(Some(InText::EndThink));
        }
        let there = look.is.stream_start
            && c.way(Half::NONE.role(HEADER), |c| c.literal(&self.t.thinking))?.is_some();
        if there {
            return Ok(Some(InText::Think));
        }
        let half = c.way(OPENER.role(CUT), |c| self.cut(c, |c| self.other(c)))?;
        Ok(half.and(cut))
    }
}
