//! Parameters as elements, in which elements may nest: `minimax-m3`, whose tags begin with signs that nobody types, and
//! shapes.
//!
//! ```text
//! section := OPEN ( junk call )* junk CLOSE                   or a section of `invoke`'s calls, in tags without the signs
//! call    := "<invoke name=…>" junk ( element junk )* "</invoke>"
//! element := "<" P ">" value "</" P ">"                       value: text and elements, which close as they opened
//! ```
//! Parameters in tags with attributes may stand beside elements: [`Tagged`] reads them. A value ends at its own closer
//! outside of all elements in it. In a value whose schema allows neither an object nor a list, the element of a
//! parameter that the call lacks is the next parameter.
//!
//! An element cut in two:
//!
//! ```text
//! chunk "]<]minimax[>[<pa"      the signs: Ok; the name: More                 -> pending
//! chunk "th>"                   `>`: Ok                                       -> Param, markup
//! ```

use super::tag::{Called, Known};
use super::{A_CALL, A_SECTION, END_CALL, LOST, MARK, OPENER, Tagged, WHOLE, opens_call};
use crate::event::DiagnosticKind;
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Framing, Gives, InBody, Look, SectionFacts, element};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{
    CALLS, Closer, InCall, InSection, InText, InValue, Opener, Place, SECTIONS, Scope,
};
use crate::read::cursor::{Class, Cursor, Half, No, Note, Step, Way};
use crate::read::ids::UNKNOWN;
use crate::read::names::Names;
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;

/// Kinds of sections, of calls and of values; lower numbers are [`Tagged`]'s.
const OWN: u8 = 8;

const ARGUMENT: Way = MARK.role("closer of an argument");
const LOST_ARGUMENT: Way = MARK.role("lost closer of an argument");
const MALFORMED: Way = MARK.role("closer that closes no element");
const DATA: Way = Half::NONE.role("element of a value");

/// The tags of elements whose names are their tags.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tags {
    /// Openers and closers, up to the name.
    pub texts: [Box<str>; 2],
    /// Names that no parameter has.
    pub reserved: Vec<Box<str>>,
}

impl Tags {
    /// Reads the tag of an element of any name.
    pub fn open_element<'t>(&self, c: &mut Cursor<'t>) -> Step<&'t str> {
        c.literal(&self.texts[0])?;
        let name = c.run(Class::TagName, 1, bounds::NAME)?;
        c.literal(">")?;
        if self.is_reserved(name) { Err(No) } else { Ok(name) }
    }

    fn is_reserved(&self, name: &str) -> bool {
        self.reserved.iter().any(|reserved| **reserved == *name)
    }
}

/// The texts of a dialect of elements whose names are their tags.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// The tags of sections and of calls. Their parameters are elements, or stand in tags with attributes.
    pub own: super::Texts,
    /// The tags of elements.
    pub element: Tags,
    /// Calls in tags without the signs. They need their section.
    pub plain: Option<super::Texts>,
}

/// The family of nested elements.
#[derive(Debug)]
pub(crate) struct Nested {
    t: Texts,
    /// Calls in tags without the signs.
    plain: Option<Tagged>,
    /// Parameters in tags with attributes, beside elements.
    beside: Option<Tagged>,
    text: Scan,
    call: Scan,
    value: Scan,
}

impl Nested {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Nested {
        let plain_tags = t.plain.iter().flat_map(|plain| plain.open.iter().chain(&plain.close));
        let own = &t.own;
        let tags = || own.open.iter().chain(&own.close).chain(&own.call).chain(&own.end_call);
        let ends = own.end_param.iter().filter(|_| own.token);
        let stray = t.element.texts[1..].iter().filter(|_| t.plain.is_some());
        let text = tags().chain(plain_tags).chain(stray).chain(ends);
        let text = Scan::from_texts(text.map(|tag| tag.as_bytes()));
        // The scan of elements also finds tags that begin like an element.
        let others = tags()
            .chain(&t.element.texts[1..])
            .filter(|tag| !tag.starts_with(&*t.element.texts[0]));
        let value: Vec<&str> =
            [&t.element.texts[0]].into_iter().chain(others).map(|tag| &**tag).collect();
        let call = Scan::from_texts(["<"])
            .and(&Scan::from_texts(&value))
            .and(&Scan::from_texts(t.own.param.iter().map(|of| of.as_bytes())));
        let plain = t.plain.clone().map(Tagged::new);
        let beside = Some(&t.own).filter(|own| !own.param.is_empty()).cloned();
        let beside =
            beside.map(|own| Tagged::new(super::Texts { by_tag: Some(t.element.clone()), ..own }));
        let value = Scan::from_texts(&value);
        Nested { plain, beside, text, call, value, t }
    }

    /// Returns the calls without the signs, if there are any, or else the parameters beside elements.
    fn other(&self) -> Option<&Tagged> {
        self.plain.as_ref().or(self.beside.as_ref())
    }

    fn has_sections(&self) -> bool {
        !self.t.own.open.is_empty()
    }

    // Tags.

    /// Reads the tag of one of these parameters, if it fits.
    fn known_element(
        &self,
        params: &Names,
        fits: impl Fn(u16) -> bool,
        c: &mut Cursor<'_>,
    ) -> Step<()> {
        c.literal(&self.t.element.texts[0])?;
        let (name, _) = c.known(params, false, Some(&fits))?;
        c.literal(">")?;
        if self.t.element.is_reserved(name) { Err(No) } else { Ok(()) }
    }

    /// Reads the closer of the element with this name.
    fn end_element(&self, name: &str, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.element.texts[1])?;
        c.literal(name)?;
        c.literal(">")
    }

    /// Reads the closer of any element.
    fn end_any(&self, class: Class, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.element.texts[1])?;
        c.run(class, 1, bounds::NAME)?;
        c.literal(">")
    }

    /// Returns the tools that a call without a section may name.
    fn bare_tools<'l>(&self, look: &'l Look<'_>) -> Known<'l> {
        if self.has_sections() { Known::Tool(&look.tools.names) } else { Known::Any }
    }

    /// Reads the confirmation of a call: an element, or the call's closer.
    fn body(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| self.t.element.open_element(c).map(|_| ()),
            |c| match &self.beside {
                Some(beside) => beside.body(c),
                None => Err(No),
            },
            |c| self.t.own.any(&self.t.own.end_call, c),
        )
    }

    /// Reads the opener of a call, and its confirmation.
    fn next<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        let known = if look.is.in_section { Known::Any } else { self.bare_tools(look) };
        let called = self.t.own.open_tag(look, c, known)?;
        c.follow(false, |c| self.body(c))?;
        Ok(called)
    }

    fn section_begins(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.t.own.any(&self.t.own.open, c)?;
        c.follow(false, |c| {
            c.white()?;
            self.t.own.any(&self.t.own.call, c)
        })
    }

    // Text.

    fn section_in_text<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if c.ahead(|c| self.t.own.any(&self.t.own.open, c)) == Ok(()) {
            c.may_be_rejected(SECTIONS);
        }
        let opens = c.way(OPENER.role(A_SECTION), |c| self.section_begins(c))?;
        Ok(opens.map(|()| InText::Open(Opener::new(Place::Section(OWN)))))
    }

    fn call_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if c.ahead(|c| self.t.own.call_begins(c)) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        let called = c.way(OPENER.role(A_CALL), |c| {
            let called = self.t.own.open_tag(look, c, self.bare_tools(look))?;
            c.follow(called.tool != UNKNOWN, |c| self.body(c))?;
            Ok(called)
        })?;
        let owed = self.has_sections();
        Ok(called.map(|called| InText::Open(Opener { owed, ..self.opens(called) })))
    }

    fn opens<'t>(&self, called: Called<'t>) -> Opener<'t> {
        Opener { place: Place::Call(OWN), ..opens_call(called) }
    }

    fn empty_section(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.t.own.any(&self.t.own.open, c)?;
        c.white()?;
        self.t.own.any(&self.t.own.close, c)
    }

    // Values.

    /// Reads the end of a value: its own closer, or a lost one.
    fn ends_value(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        let (nested, name) = (look.call.is_nested(), &look.call.captured.param);
        if !nested && c.way(ARGUMENT, |c| self.end_element(name, c))?.is_some() {
            return Ok(Some(Closer::OWN));
        }
        let call = |c: &mut Cursor<'_>| self.t.own.any(&self.t.own.end_call, c);
        if !nested && c.noise_or(LOST_ARGUMENT, call)?.is_some() {
            return Ok(Some(Closer::BOTH));
        }
        if c.noise_or(LOST_ARGUMENT, |c| self.t.own.any(&self.t.own.close, c))?.is_some() {
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

    /// In a value that holds no elements by its schema: reads the next parameter, or one that looks like it.
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

    /// Reads elements of the value, and the next call or section in it.
    fn elements<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        if let Some(name) = c.noise_or(DATA, |c| self.t.element.open_element(c))? {
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
        let orphan = Half::NONE.role("closer of a section that nothing opened");
        if let Some(plain) = &self.plain {
            if let Some(found) = plain.section_in_text(c)? {
                return Ok(found);
            }
            let closes = !look.reasoning && c.way(orphan, |c| c.any(&plain.t.close))?.is_some();
            if closes {
                return Ok(InText::Orphan(SECTIONS));
            }
        }
        if let Some(found) = self.section_in_text(c)? {
            return Ok(found);
        }
        let counts = !look.reasoning && !look.tools.names.is_empty() || !self.has_sections();
        if let Some(found) = if counts { self.call_in_text(look, c)? } else { None } {
            return Ok(found);
        }
        if look.reasoning {
            return c.none();
        }
        let call = Half::NONE.role("closer of a call that nothing opened");
        if c.way(call, |c| self.t.own.any(&self.t.own.end_call, c))?.is_some() {
            return Ok(InText::Orphan(CALLS));
        }
        if c.way(orphan, |c| self.t.own.any(&self.t.own.close, c))?.is_some() {
            return Ok(InText::Closer(SECTIONS));
        }
        c.none()
    }

    fn late_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let empty = Half::NONE.role("section without calls");
        if self.t.own.token && c.noise_or(empty, |c| self.empty_section(c))?.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let stray = Half::NONE.role("closer of an argument that nothing opened");
        let own = self.t.own.token
            && !look.reasoning
            && c.noise_or(stray, |c| self.t.own.any(&self.t.own.end_param, c))?.is_some();
        if own {
            return Ok(Some(InText::StrayCloser));
        }
        let signs = self.plain.is_some() && !look.reasoning;
        if signs && c.noise_or(stray, |c| self.end_any(Class::Word, c))?.is_some() {
            return Ok(Some(InText::StrayCloser));
        }
        let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| {
            let plain = self.plain.as_ref().map_or(&[][..], |plain| &plain.t.open);
            c.either(|c| c.any(plain), |c| self.t.own.any(&self.t.own.open, c))?;
            cut_opener(c, self.t.own.token, &self.t.own.stops)
        })?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        if kind != OWN {
            return self.other().ok_or(No)?.in_section(look, kind, c);
        }
        let half = WHOLE.and(Half::OPENER).role(A_CALL);
        if let Some((called, whole)) = c.way(half, |c| self.t.own.call_tag(look, c, Known::Any))? {
            return Ok(InSection::Open(Opener { whole, ..self.opens(called) }));
        }
        if c.way(WHOLE.role("closer of a section"), |c| self.t.own.any(&self.t.own.close, c))?
            .is_some()
        {
            return Ok(InSection::Close(None));
        }
        let orphan = WHOLE.role("closer that nothing opened");
        let own = &self.t.own;
        let stray = c.noise_or(orphan, |c| {
            one_of!(c;
                |c| own.any(&own.end_param, c).map(|()| *c),
                |c| own.any(&own.end_call, c).map(|()| *c),
            )
        })?;
        match stray.map(|end| *c = end) {
            Some(()) => Ok(InSection::Mark(Some(DiagnosticKind::OrphanCloser))),
            None => c.none(),
        }
    }

    fn in_call<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if kind != OWN {
            return self.other().ok_or(No)?.in_call(look, kind, c);
        }
        if let Some(beside) = &self.beside {
            if let Some(found) = beside.param_in_call(c)? {
                return Ok(found);
            }
        }
        let param = WHOLE.role("opener of an argument");
        if let Some(name) = c.way(param, |c| self.t.element.open_element(c))? {
            return Ok(InCall::Param { kind: OWN, name, hint: None, note: None });
        }
        let close = |note: Note, before| InCall::Close { scope: Scope::Call, note, before };
        if c.way(WHOLE.role(END_CALL), |c| self.t.own.any(&self.t.own.end_call, c))?.is_some() {
            return Ok(close(None, false));
        }
        let next = c.way(WHOLE.role(LOST), |c| match look.is.in_section {
            true => self.t.own.call_tag(look, c, Known::Any).map(|_| ()),
            false => self.next(look, c).map(|_| ()),
        })?;
        if next.is_some()
            || c.way(WHOLE.role(LOST), |c| self.t.own.any(&self.t.own.close, c))?.is_some()
        {
            return Ok(close(Some(DiagnosticKind::MissingCloser), true));
        }
        let stray = c.noise(|c| match self.t.own.is_xml() {
            true => element(c).map(|_| ()),
            false => self.t.own.any_tag(c),
        })?;
        match stray {
            Some(()) => Ok(InCall::Stray(DiagnosticKind::UnknownParameter)),
            None => c.none(),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        if kind != OWN {
            return self.other().ok_or(No)?.in_value(look, kind, c);
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
        self.other().ok_or(No)?.in_body(look, kind, c)
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, kind: u8) -> &Scan {
        match self.other() {
            Some(other) if kind != OWN => other.call_scan(kind),
            _ => &self.call,
        }
    }

    fn value_scan(&self, kind: u8) -> &Scan {
        match self.other() {
            Some(other) if kind != OWN => other.value_scan(kind),
            _ => &self.value,
        }
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let junk = kind == OWN || self.other().is_some_and(|other| other.section(kind).junk);
        SectionFacts { junk, ..SectionFacts::CALLS }
    }

    fn framing(&self, kind: u8) -> Framing {
        match self.other() {
            Some(other) if kind != OWN => other.framing(kind),
            _ => Framing::Recovered,
        }
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let none = BodyFacts { gives: Gives::Nothing, then: None, stop: b'<' };
        self.other().map_or(none, |other| Family::body(other, kind))
    }

    fn is_stripped(&self) -> bool {
        self.t.own.stripped
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Nested::new(t)))
    }
}
