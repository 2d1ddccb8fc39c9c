//! Parameters as elements, in which elements may nest: `minimax-m3`. Its tags begin with signs that nobody types.
//!
//! ```text
//! section := OPEN ( junk call )* junk CLOSE                   or a section of `invoke`'s calls, in tags without the signs
//! call    := "<invoke name=…>" junk ( element junk )* "</invoke>"
//! element := "<" P ">" value "</" P ">"                       value: text and elements, which close as they opened
//! ```
//! A value ends at its own closer outside of all elements in it. In a value whose schema allows neither an object nor a
//! list the element of a parameter that the call lacks is the next parameter.
//!
//! An element cut in two:
//!
//! ```text
//! chunk "]<]minimax[>[<pa"      the signs: Ok; the name: More                 -> held
//! chunk "th>"                   `>`: Ok                                       -> Param, markup
//! ```

use super::tag::{Called, Known};
use super::{A_CALL, A_SECTION, END_CALL, LOST, MARK, OPENER, Tagged, Texts, WHOLE, opens_call};
use crate::event::DiagnosticKind;
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Framing, InBody, Look, SectionFacts, element};
use crate::machine::ids::UNKNOWN;
use crate::machine::names::Names;
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{
    CALLS, Closer, InCall, InSection, InText, InValue, Opener, Place, SECTIONS, Scope,
};
use crate::read::cursor::{Class, Cursor, Half, No, Note, Step, Way};
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;

/// Kinds of sections, of calls and of values; those below are [`Tagged`]'s.
const OWN: u8 = 8;

const ARGUMENT: Way = MARK.of("closer of an argument");
const LOST_ARGUMENT: Way = MARK.of("lost closer of an argument");
const MALFORMED: Way = MARK.of("closer that closes no element");
const DATA: Way = Half::NONE.of("element of a value");

/// The family.
#[derive(Debug)]
pub(crate) struct Nested {
    /// The tags with the signs: sections and calls. Their parameters are elements.
    own: Texts,
    /// Openers and closers of elements, up to the name.
    element: [Box<str>; 2],
    /// Names that no parameter has.
    reserved: Vec<Box<str>>,
    /// Calls in tags without the signs. They need their section.
    plain: Tagged,
    text: Scan,
    call: Scan,
    value: Scan,
}

impl Nested {
    /// Builds the family of a dialect with these texts.
    pub fn new(
        own: Texts,
        element: [Box<str>; 2],
        reserved: Vec<Box<str>>,
        plain: Texts,
    ) -> Nested {
        let tags = own.open.iter().chain(&own.close).chain(&own.call).chain(&own.end_call);
        let plain_tags = plain.open.iter().chain(&plain.close);
        let text = tags.chain(plain_tags).chain(&element[1..]);
        let text = Scan::of(text.map(|tag| tag.as_bytes()));
        let call = Scan::of([&element[0][..2], "<"]);
        let value = Scan::of([&*element[0]]);
        Nested { own, element, reserved, plain: Tagged::new(plain), text, call, value }
    }

    // Tags.

    /// The tag of an element of any name.
    fn open_element<'t>(&self, c: &mut Cursor<'t>) -> Step<&'t str> {
        c.literal(&self.element[0])?;
        let name = c.run(Class::TagName, 1, bounds::NAME)?;
        c.literal(">")?;
        if self.is_reserved(name) { Err(No) } else { Ok(name) }
    }

    /// The tag of one of these parameters, of those that fit.
    fn known_element(
        &self,
        params: &Names,
        fits: impl Fn(u16) -> bool,
        c: &mut Cursor<'_>,
    ) -> Step<()> {
        c.literal(&self.element[0])?;
        let (name, _) = c.known(params, false, fits)?;
        c.literal(">")?;
        if self.is_reserved(name) { Err(No) } else { Ok(()) }
    }

    fn is_reserved(&self, name: &str) -> bool {
        self.reserved.iter().any(|reserved| **reserved == *name)
    }

    /// The closer of the element of this name.
    fn end_element(&self, name: &str, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.element[1])?;
        c.literal(name)?;
        c.literal(">")
    }

    /// The closer of any element.
    fn end_any(&self, class: Class, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.element[1])?;
        c.run(class, 1, bounds::NAME)?;
        c.literal(">")
    }

    /// Which tools a call without a section may name.
    fn bare_tools<'l>(look: &'l Look<'_>) -> Known<'l> {
        Known::Tool(&look.tools.names)
    }

    /// Reads what confirms a call: an element, or its closer.
    fn body(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| self.open_element(c).map(|_| ()),
            |c| c.any(&self.own.end_call),
        )
    }

    /// The opener of a call, confirmed.
    fn next<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        let known = if look.is.in_section { Known::Any } else { Self::bare_tools(look) };
        let called = self.own.open_tag(look, c, known)?;
        c.follow(false, |c| self.body(c))?;
        Ok(called)
    }

    fn section_begins(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.any(&self.own.open)?;
        c.follow(false, |c| {
            c.white()?;
            c.any(&self.own.call)
        })
    }

    // Text.

    fn section_in_text<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if c.ahead(|c| c.any(&self.own.open)) == Ok(()) {
            c.may_be_rejected(SECTIONS);
        }
        let opens = c.way(OPENER.of(A_SECTION), |c| self.section_begins(c))?;
        Ok(opens.map(|()| InText::Open(Opener::of(Place::Section(OWN)))))
    }

    fn call_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if c.ahead(|c| self.own.call_begins(c)) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        let called = c.way(OPENER.of(A_CALL), |c| {
            let called = self.own.open_tag(look, c, Self::bare_tools(look))?;
            c.follow(called.tool != UNKNOWN, |c| self.body(c))?;
            Ok(called)
        })?;
        Ok(called.map(|called| InText::Open(Opener { owed: true, ..self.opens(called) })))
    }

    fn opens<'t>(&self, called: Called<'t>) -> Opener<'t> {
        Opener { place: Place::Call(OWN), ..opens_call(called) }
    }

    fn empty_section(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.any(&self.own.open)?;
        c.white()?;
        c.any(&self.own.close)
    }

    // Values.

    /// The end of a value, lost or not.
    fn ends_value(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        let (nested, name) = (look.call.is_nested(), &look.call.captured.param);
        if !nested && c.way(ARGUMENT, |c| self.end_element(name, c))?.is_some() {
            return Ok(Some(Closer::OWN));
        }
        let call = |c: &mut Cursor<'_>| c.any(&self.own.end_call);
        if !nested && c.noise_or(LOST_ARGUMENT, call)?.is_some() {
            return Ok(Some(Closer::BOTH));
        }
        if c.noise_or(LOST_ARGUMENT, |c| c.any(&self.own.close))?.is_some() {
            return Ok(Some(Closer { scope: Scope::Section, broken: true, ..Closer::BOTH }));
        }
        let malformed = nested
            && c.noise_or(MALFORMED, |c| {
                self.end_element(name, c)?;
                c.white()?;
                call(c)
            })?
            .is_some()
            || c.noise_or(MALFORMED, call)?.is_some();
        if malformed {
            let closer = Closer { broken: true, ..Closer::BOTH };
            return Ok(Some(closer.note(DiagnosticKind::MalformedTag)));
        }
        Ok(None)
    }

    /// In a value that holds no elements by its schema: a parameter, the next one or one that looks like it.
    fn param_in_scalar<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InValue<'t>>> {
        if !look.is_scalar() {
            return Ok(None);
        }
        let start = *c;
        let params = look.tools.params(look.call.tool);
        let is_fresh = |param: u16| look.is_fresh(param);
        if c.noise_or(LOST_ARGUMENT, |c| self.known_element(params, is_fresh, c))?.is_some() {
            *c = start;
            return Ok(Some(InValue::Close(Closer::BEFORE)));
        }
        let known = !look.is.suspected
            && c.noise_or(DATA, |c| self.known_element(params, |_| true, c))?.is_some();
        Ok(known.then_some(InValue::Nests { name: "", suspect: true }))
    }

    /// Elements of the value, and the next call or section in it.
    fn elements<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        if let Some(name) = c.noise_or(DATA, |c| self.open_element(c))? {
            return Ok(InValue::Nests { name, suspect: false });
        }
        let nested = look.call.nested();
        if look.call.is_nested() && c.noise_or(DATA, |c| self.end_element(nested, c))?.is_some() {
            return Ok(InValue::Unnests);
        }
        if c.noise_or(MALFORMED, |c| self.end_any(Class::TagName, c))?.is_some() {
            let closer = Closer { broken: true, ..Closer::OWN };
            return Ok(InValue::Close(closer.note(DiagnosticKind::MalformedTag)));
        }
        let start = *c;
        let before = Closer { before: true, broken: true, ..Closer::BOTH };
        if c.noise_or(LOST_ARGUMENT, |c| self.next(look, c))?.is_some() {
            *c = start;
            return Ok(InValue::Close(before));
        }
        if c.noise_or(LOST_ARGUMENT, |c| self.section_begins(c))?.is_some() {
            *c = start;
            return Ok(InValue::Close(Closer { scope: Scope::Section, ..before }));
        }
        c.none()
    }
}

impl Family for Nested {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let orphan = Half::NONE.of("closer of a section that nothing opened");
        if let Some(found) = self.plain.section_in_text(c)? {
            return Ok(found);
        }
        if !look.reasoning && c.way(orphan, |c| c.any(&self.plain.t.close))?.is_some() {
            return Ok(InText::Orphan(SECTIONS));
        }
        if let Some(found) = self.section_in_text(c)? {
            return Ok(found);
        }
        if look.reasoning {
            return c.none();
        }
        if !look.tools.names.is_empty() {
            if let Some(found) = self.call_in_text(look, c)? {
                return Ok(found);
            }
        }
        let call = Half::NONE.of("closer of a call that nothing opened");
        if c.way(call, |c| c.any(&self.own.end_call))?.is_some() {
            return Ok(InText::Orphan(CALLS));
        }
        if c.way(orphan, |c| c.any(&self.own.close))?.is_some() {
            return Ok(InText::Closer(SECTIONS));
        }
        c.none()
    }

    fn late_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let empty = Half::NONE.of("section without calls");
        if c.noise_or(empty, |c| self.empty_section(c))?.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let stray = Half::NONE.of("closer of an argument that nothing opened");
        if !look.reasoning && c.noise_or(stray, |c| self.end_any(Class::Word, c))?.is_some() {
            return Ok(Some(InText::StrayCloser));
        }
        let cut = c.noise_or(OPENER.of("half an opener at the end"), |c| {
            c.either(|c| c.any(&self.plain.t.open), |c| c.any(&self.own.open))?;
            cut_opener(c, true, &self.own.stops)
        })?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        if kind != OWN {
            return self.plain.in_section(look, kind, c);
        }
        let half = WHOLE.and(Half::OPENER).of(A_CALL);
        if let Some((called, whole)) = c.way(half, |c| self.own.call_tag(look, c, Known::Any))? {
            return Ok(InSection::Open(Opener { whole, ..self.opens(called) }));
        }
        if c.way(WHOLE.of("closer of a section"), |c| c.any(&self.own.close))?.is_some() {
            return Ok(InSection::Close(None));
        }
        let orphan = WHOLE.of("closer of a call that nothing opened");
        match c.noise_or(orphan, |c| c.any(&self.own.end_call))? {
            Some(()) => Ok(InSection::Mark(Some(DiagnosticKind::OrphanCloser))),
            None => c.none(),
        }
    }

    fn in_call<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if kind != OWN {
            return self.plain.in_call(look, kind, c);
        }
        let param = WHOLE.of("opener of an argument");
        if let Some(name) = c.way(param, |c| self.open_element(c))? {
            return Ok(InCall::Param { kind: OWN, name, hint: None, note: None });
        }
        let close = |note: Note, before| InCall::Close { scope: Scope::Call, note, before };
        if c.way(WHOLE.of(END_CALL), |c| c.any(&self.own.end_call))?.is_some() {
            return Ok(close(None, false));
        }
        let next = c.way(WHOLE.of(LOST), |c| match look.is.in_section {
            true => self.own.call_tag(look, c, Known::Any).map(|_| ()),
            false => self.next(look, c).map(|_| ()),
        })?;
        if next.is_some() || c.way(WHOLE.of(LOST), |c| c.any(&self.own.close))?.is_some() {
            return Ok(close(Some(DiagnosticKind::MissingCloser), true));
        }
        let stray = c.noise(|c| element(c).map(|_| ()))?;
        match stray {
            Some(()) => Ok(InCall::Stray(DiagnosticKind::UnknownParameter)),
            None => c.none(),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        if kind != OWN {
            return self.plain.in_value(look, kind, c);
        }
        if let Some(closer) = self.ends_value(look, c)? {
            return Ok(InValue::Close(closer));
        }
        if let Some(found) = self.param_in_scalar(look, c)? {
            return Ok(found);
        }
        self.elements(look, c)
    }

    fn in_body(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        self.plain.in_body(look, kind, c)
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, kind: u8) -> &Scan {
        if kind == OWN { &self.call } else { self.plain.call_scan(kind) }
    }

    fn value_scan(&self, kind: u8) -> &Scan {
        if kind == OWN { &self.value } else { self.plain.value_scan(kind) }
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let junk = kind == OWN || self.plain.section(kind).junk;
        SectionFacts { junk, ..SectionFacts::CALLS }
    }

    fn framing(&self, kind: u8) -> Framing {
        if kind == OWN { Framing::Recovered } else { self.plain.framing(kind) }
    }

    fn body(&self, kind: u8) -> BodyFacts {
        Family::body(&self.plain, kind)
    }

    fn own_texts(&self, each: &mut dyn FnMut(&str)) {
        for texts in [&self.own, &self.plain.t] {
            texts.clone().each_text(&mut |text| each(text));
        }
        self.element.iter().for_each(|text| each(text));
    }
}
