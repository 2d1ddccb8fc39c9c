//! Tags whose brackets are special tokens: `<|open|>call tool="read"<|sep|>`. `kimi-k3`.
//!
//! ```text
//! section  := OPEN "tools" SEP ( junk call )* junk CLOSE "tools" SEP
//! call     := OPEN "call" ( index white )? tool ( white … )? SEP junk ( argument junk | json )* CLOSE "call" SEP
//! argument := OPEN "argument" ( key ( white type )? | type white key ) ( white … )? SEP value CLOSE "argument" SEP
//! json     := OPEN "json" ( white … )? SEP ws object CLOSE "json" SEP
//! message  := OPEN ( "response" | "message" ) … SEP | CLOSE "response" SEP | CLOSE "message" SEP       markup in text
//! think    := OPEN "think" … SEP reasoning CLOSE "think" SEP
//! ```
//! Up to eight bytes of white space may stand between the parts of a tag. A section counts if a call follows. A call of a
//! declared tool without a section counts if an argument, the call's closer or an object follows.
//!
//! A tag cut in two:
//!
//! ```text
//! chunk "<|open|>argument ke"        OPEN and the word: Ok; the attribute: More   -> pending
//! chunk "y=\"path\"<|sep|>"          the key, and SEP: Ok                         -> Param, markup
//! ```

use super::tag::{Called, Known, value};
use super::{A_CALL, A_SECTION, END_CALL, LOST, MARK, OPENER, WHOLE, opens_call};
use crate::event::DiagnosticKind;
use crate::family::block::objects;
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Framing, Gives, InBody, Look, SectionFacts};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{
    CALLS, Closer, InCall, InSection, InText, InValue, Opener, Place, SECTIONS, Scope,
};
use crate::read::cursor::{Class, Cursor, Half, No, Note, Step, Way};
use crate::read::ids::UNKNOWN;
use crate::read::names::decode;
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;

/// Kinds of sections.
const SECTION: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const AFTER_BARE_OBJECT: u8 = 2;

/// Kinds of objects.
const OBJECT: u8 = 0;
const BARE_OBJECT: u8 = 1;

/// The kind of values.
const VALUE: u8 = 0;

/// The most bytes of white space between the parts of a tag.
const GAP: usize = 8;
/// The most bytes of a tag's further attributes.
const REST: usize = 256;
/// The most bytes of a call's number, with its quotes.
const NUMBER: usize = 16;

const LOST_ARGUMENT: Way = MARK.role("lost closer of an argument");
const DATA: Way = Half::NONE.role("data that looks like a marker");

/// The texts of a dialect of brackets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub open: Box<str>,
    pub close: Box<str>,
    pub sep: Box<str>,
    /// Stop tokens: behind one of them a call is over.
    pub stops: Vec<Box<str>>,
}

/// The family of brackets.
#[derive(Debug)]
pub(crate) struct Brackets {
    t: Texts,
    tags: Scan,
}

/// The tag of an argument.
type Argument<'t> = (&'t str, Option<&'t str>);

impl Brackets {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Brackets {
        let tags = Scan::from_texts([&*t.open, &*t.close]);
        Brackets { t, tags }
    }

    // Parts of tags.

    /// Reads the beginning of a tag with this word.
    fn open(&self, word: &str, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.open)?;
        gap(c)?;
        c.literal(word)
    }

    /// Reads the tag with this word, without attributes.
    fn whole(&self, word: &str, c: &mut Cursor<'_>) -> Step<()> {
        self.open(word, c)?;
        gap(c)?;
        c.literal(&self.t.sep)
    }

    /// Reads the closing tag with this word.
    fn close(&self, word: &str, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.close)?;
        gap(c)?;
        c.literal(word)?;
        gap(c)?;
        c.literal(&self.t.sep)
    }

    /// Reads the tag with this word, with anything in it.
    fn any_of(&self, word: &str, c: &mut Cursor<'_>) -> Step<()> {
        self.open(word, c)?;
        c.up_to(REST, Class::NoTag)?;
        c.literal(&self.t.sep)
    }

    /// Reads the end of a tag, perhaps behind further attributes.
    fn ends(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.either(
            |c| c.literal(&self.t.sep),
            |c| {
                space(c)?;
                c.up_to(REST, Class::Line)?;
                c.literal(&self.t.sep)
            },
        )
    }

    /// Reads the tag of a call.
    fn call_tag<'t>(
        &self,
        look: &Look<'_>,
        declared: bool,
        c: &mut Cursor<'t>,
    ) -> Step<Called<'t>> {
        self.open("call", c)?;
        gap(c)?;
        if c.peek()? == b'i' {
            equals("index", c)?;
            c.run(Class::Number, 1, NUMBER)?;
            space(c)?;
        }
        equals("tool", c)?;
        let name = value(c, Known::Any, true)?;
        let mut decoded = std::borrow::Cow::Borrowed(name);
        if name.contains('&') {
            decode(decoded.to_mut());
        }
        let tool = look.tools.number([&decoded, ""]);
        if declared && tool == UNKNOWN {
            return Err(No);
        }
        self.ends(c)?;
        Ok(Called { name, tool, id: None })
    }

    /// Reads the tag of an argument: its key, and its type if the tag has one.
    fn argument<'t>(&self, known: Known<'_>, c: &mut Cursor<'t>) -> Step<Argument<'t>> {
        self.open("argument", c)?;
        gap(c)?;
        if c.peek()? == b't' {
            equals("type", c)?;
            let of = value(c, Known::Any, true)?;
            space(c)?;
            equals("key", c)?;
            let key = value(c, known, true)?;
            return self.ends(c).map(|()| (key, Some(of)));
        }
        equals("key", c)?;
        let key = value(c, known, true)?;
        let typed = |c: &mut Cursor<'t>| {
            space(c)?;
            equals("type", c)?;
            let of = value(c, Known::Any, true)?;
            self.ends(c).map(|()| (key, Some(of)))
        };
        c.either(typed, |c| self.ends(c).map(|()| (key, None)))
    }

    /// Reads the tag of an object, with its brace.
    fn object(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.open("json", c)?;
        self.ends(c)?;
        c.white()?;
        c.literal("{")
    }

    /// Reads the tag that confirms a call without a section.
    fn body(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| self.open("argument", c),
            |c| self.close("call", c),
            |c| self.open("json", c),
        )
    }

    /// Reads the opener of the next call, and its confirmation.
    fn next(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.call_tag(look, !look.is.in_section, c)?;
        c.follow(false, |c| self.body(c))
    }

    /// Reads the opener of a section, and its confirmation.
    fn section_begins(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.whole("tools", c)?;
        c.follow(false, |c| {
            c.white()?;
            self.open("call", c)
        })
    }

    // Text.

    fn call_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let begins = |c: &mut Cursor<'t>| {
            self.open("call", c)?;
            gap(c)?;
            one_of!(c; |c| c.literal("tool"), |c| c.literal("index"))
        };
        if c.ahead(begins) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        let called = c.way(OPENER.role(A_CALL), |c| {
            let called = self.call_tag(look, true, c)?;
            c.follow(true, |c| self.body(c))?;
            Ok(called)
        })?;
        Ok(called.map(|called| InText::Open(Opener { owed: true, ..opens_call(called) })))
    }

    // Between calls.

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
        if c.way(WHOLE.role(END_CALL), |c| self.close("call", c))?.is_some() {
            return Ok(Some(goes_on(None, false)));
        }
        let start = *c;
        let mut forgotten = c.way(WHOLE.role(LOST), |c| self.close("tools", c))?.is_some();
        if !forgotten
            && c.way(WHOLE.role("closer of an object"), |c| self.close("json", c))?.is_some()
        {
            return Ok(Some(InSection::Mark(None)));
        }
        if !forgotten {
            let half = if bare { WHOLE } else { WHOLE.and(Half::OPENER) }.role(LOST);
            let next = c.way(half, |c| match bare {
                true => {
                    self.call_tag(look, true, c)?;
                    c.follow(false, |c| self.body(c))
                }
                false => self.call_tag(look, false, c).map(|_| ()),
            })?;
            forgotten = next.is_some();
        }
        if !forgotten {
            return Ok(None);
        }
        *c = start;
        Ok(Some(goes_on(Some(DiagnosticKind::MissingCloser), true)))
    }

    // Values.

    /// Reads the tag that confirms the closer of a value.
    fn after_value(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| self.argument(Known::Any, c).map(|_| ()),
            |c| self.close("call", c),
            |c| self.close("tools", c),
            |c| self.call_tag(look, false, c).map(|_| ()),
        )
    }

    /// Reads the text behind the closer of a call in an open value that confirms it.
    fn is_over(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let stop =
            |c: &mut Cursor<'_>| one_of!(c; |c| self.close("message", c), |c| c.any(&self.t.stops));
        let section = |c: &mut Cursor<'_>| {
            self.whole("tools", c)?;
            c.white()?;
            self.open("call", c)
        };
        let bare = |c: &mut Cursor<'_>| {
            self.call_tag(look, true, c)?;
            self.body(c)
        };
        one_of!(c;
            |c| c.at_end(),
            |c| c.or_end(|c| {
                c.white()?;
                self.close("tools", c)?;
                c.at_end()
            }),
            |c| {
                c.white()?;
                one_of!(c;
                    stop,
                    section,
                    |c| {
                        self.close("tools", c)?;
                        c.white()?;
                        one_of!(c; stop, section, bare)
                    },
                    |c| match look.is.in_section {
                        true => self.call_tag(look, false, c).map(|_| ()),
                        false => bare(c),
                    },
                )
            },
        )
    }

    fn ends_value(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        let own = c.way(MARK.role("closer of an argument"), |c| {
            self.close("argument", c)?;
            c.is_own_closer();
            c.follow(true, |c| self.after_value(look, c))
        })?;
        if own.is_some() {
            return Ok(Some(Closer::OWN));
        }
        let both = !look.is.holds_closer
            && c.noise_or(LOST_ARGUMENT, |c| {
                self.close("call", c)?;
                c.follow(false, |c| self.is_over(look, c))
            })?
            .is_some();
        if both {
            return Ok(Some(Closer::BOTH));
        }
        let start = *c;
        let before = Closer { before: true, broken: true, ..Closer::BOTH };
        if c.noise_or(LOST_ARGUMENT, |c| self.next(look, c))?.is_some() {
            *c = start;
            return Ok(Some(before));
        }
        if c.noise_or(LOST_ARGUMENT, |c| self.section_begins(c))?.is_some() {
            *c = start;
            return Ok(Some(Closer { scope: Scope::Section, ..before }));
        }
        let fresh = |param: u16| look.is_fresh(param);
        let known = Known::Param(look.tools.params(look.call.tool), &fresh);
        if c.noise_or(LOST_ARGUMENT, |c| self.argument(known, c))?.is_some() {
            *c = start;
            return Ok(Some(Closer::BEFORE));
        }
        let end = c.noise_or(LOST_ARGUMENT, |c| self.close("call", c))?;
        Ok(end.map(|()| Closer { broken: true, ..Closer::BOTH }))
    }
}

/// Reads white space between the parts of a tag.
fn gap(c: &mut Cursor<'_>) -> Step<()> {
    c.run(Class::White, 0, GAP).map(|_| ())
}

/// Reads white space between attributes.
fn space(c: &mut Cursor<'_>) -> Step<()> {
    c.run(Class::White, 1, bounds::WHITE_SPACE).map(|_| ())
}

/// Reads the name of an attribute, up to its value.
fn equals(called: &str, c: &mut Cursor<'_>) -> Step<()> {
    c.literal(called)?;
    gap(c)?;
    c.literal("=")?;
    gap(c)
}

impl Family for Brackets {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let begins = c.ahead(|c| self.whole("tools", c)) == Ok(());
        if begins {
            c.may_be_rejected(SECTIONS);
        }
        if c.way(OPENER.role(A_SECTION), |c| self.section_begins(c))?.is_some() {
            return Ok(InText::Open(Opener::new(Place::Section(SECTION))));
        }
        if look.reasoning {
            return c.none();
        }
        if !look.tools.names.is_empty() {
            if let Some(found) = self.call_in_text(look, c)? {
                return Ok(found);
            }
        }
        let call = Half::NONE.role("closer of a call that nothing opened");
        if c.way(call, |c| self.close("call", c))?.is_some() {
            return Ok(InText::Orphan(CALLS));
        }
        let section = Half::NONE.role("closer of a section that nothing opened");
        if c.way(section, |c| self.close("tools", c))?.is_some() {
            return Ok(InText::Closer(SECTIONS));
        }
        c.none()
    }

    fn in_prose<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let part = Half::NONE.role("part of a message");
        let (opens, closes) = ("opener of reasoning", "closer of reasoning");
        let (opens, closes) = (Half::NONE.role(opens), Half::NONE.role(closes));
        if look.reasoning {
            if c.way(closes, |c| self.close("think", c))?.is_some() {
                return Ok(Some(InText::EndThink));
            }
            let again =
                look.is.stream_start && c.way(opens, |c| self.any_of("think", c))?.is_some();
            if again {
                return Ok(Some(InText::Mark(None)));
            }
            let over = c.way(part, |c| self.any_of("response", c))?;
            return Ok(over.map(|()| InText::EndThink));
        }
        let invented = look.is.after_call
            && c.way(Half::NONE.role("result that the model invents"), |c| {
                self.open("message", c)?;
                space(c)?;
                c.literal("role=\"tool\"")
            })?
            .is_some();
        if invented {
            return Ok(Some(InText::Rest(DiagnosticKind::FabricatedResult)));
        }
        let marks = c.way(part, |c| self.any_of("response", c))?.is_some()
            || c.way(part, |c| self.any_of("message", c))?.is_some()
            || c.way(part, |c| self.close("response", c))?.is_some()
            || c.way(part, |c| self.close("message", c))?.is_some();
        if marks {
            return Ok(Some(InText::Mark(None)));
        }
        if c.noise_or(opens, |c| self.any_of("think", c))?.is_some() {
            return Ok(Some(InText::Think));
        }
        Ok(c.way(closes, |c| self.close("think", c))?.map(|()| InText::EndThink))
    }

    fn late_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let stray = Half::NONE.role("closer of an argument that nothing opened");
        let stray = !look.reasoning
            && (c.noise_or(stray, |c| self.close("argument", c))?.is_some()
                || c.noise_or(stray, |c| self.close("json", c))?.is_some());
        if stray {
            return Ok(Some(InText::StrayCloser));
        }
        let empty = c.noise_or(Half::NONE.role("section without calls"), |c| {
            self.whole("tools", c)?;
            c.white()?;
            self.close("tools", c)
        })?;
        if empty.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| {
            self.whole("tools", c)?;
            cut_opener(c, true, &self.t.stops)
        })?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        if kind != SECTION {
            let found = self.behind_object(look, kind == AFTER_BARE_OBJECT, c)?;
            return found.map_or_else(|| c.none(), Ok);
        }
        let half = WHOLE.and(Half::OPENER).role(A_CALL);
        if let Some(called) = c.way(half, |c| self.call_tag(look, false, c))? {
            return Ok(InSection::Open(opens_call(called)));
        }
        match c.way(WHOLE.role("closer of a section"), |c| self.close("tools", c))? {
            Some(()) => Ok(InSection::Close(None)),
            None => c.none(),
        }
    }

    fn in_call<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if let Some((name, hint)) =
            c.way(WHOLE.role("opener of an argument"), |c| self.argument(Known::Any, c))?
        {
            return Ok(InCall::Param { kind: VALUE, name, hint, note: None });
        }
        let object = look.is.call_start
            && c.way(WHOLE.role("object of arguments"), |c| self.object(c))?.is_some();
        if object {
            return Ok(InCall::Object(if look.is.in_section { OBJECT } else { BARE_OBJECT }));
        }
        let close = |note: Note, before| InCall::Close { scope: Scope::Call, note, before };
        if c.way(WHOLE.role(END_CALL), |c| self.close("call", c))?.is_some() {
            return Ok(close(None, false));
        }
        let next = c.way(WHOLE.role(LOST), |c| match look.is.in_section {
            true => self.call_tag(look, false, c).map(|_| ()),
            false => self.next(look, c),
        })?;
        if next.is_some() || c.way(WHOLE.role(LOST), |c| self.close("tools", c))?.is_some() {
            return Ok(close(Some(DiagnosticKind::MissingCloser), true));
        }
        let stray = c.noise(|c| {
            c.literal(&self.t.open)?;
            gap(c)?;
            c.run(Class::Word, 1, bounds::NAME)?;
            c.up_to(REST, Class::NoTag)?;
            c.literal(&self.t.sep)
        })?;
        match stray {
            Some(()) => Ok(InCall::Stray(DiagnosticKind::UnknownParameter)),
            None => c.none(),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        if let Some(closer) = self.ends_value(look, c)? {
            return Ok(InValue::Close(closer));
        }
        let suspect = !look.is.suspected
            && c.noise_or(DATA, |c| c.any(&[&self.t.close, &self.t.open]))?.is_some();
        if suspect { Ok(InValue::Suspect { doubtful: true }) } else { c.none() }
    }

    fn in_body(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let half = WHOLE.role("end of an object before its own");
        for word in ["json", "call", "tools"] {
            if c.way(half, |c| self.close(word, c))?.is_some() {
                return Ok(InBody::before(None));
            }
        }
        c.none()
    }

    fn text_scan(&self) -> &Scan {
        &self.tags
    }

    fn prose_scan(&self) -> Option<&Scan> {
        Some(&self.tags)
    }

    fn value_scan(&self, _: u8) -> &Scan {
        &self.tags
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.tags
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let between: &[u8] = if kind == SECTION { b"" } else { b"],;" };
        SectionFacts { between, junk: kind == SECTION, ..SectionFacts::CALLS }
    }

    fn framing(&self, _: u8) -> Framing {
        Framing::Recovered
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let then = if kind == OBJECT { AFTER_OBJECT } else { AFTER_BARE_OBJECT };
        BodyFacts { gives: Gives::Arguments, then: Some(then), stop: b'<' }
    }

    fn is_stripped(&self) -> bool {
        true
    }

    fn speaks_in_parts(&self) -> bool {
        true
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Brackets::new(t)))
    }
}
