//! Calls whose tags hold the names: `<read_file><path>…</path></read_file>`, `<tool:read_file><param:path>…</param:path>`.
//!
//! ```text
//! call    := CALL TOOL ">" junk ( param junk )* END_CALL TOOL ">"
//! param   := PARAM P ">" value END_PARAM P ">"
//! wrapper := WRAPPER ws, before a call's opener
//! ```
//! CALL and PARAM are `<` if the declared names alone make the tags, or else prefixes of any name ([`Texts::bare`]). A
//! call's opener counts if a parameter or the call's closer follows; if names are bare, any tag confirms it:
//!
//! ```text
//! anytag  := "<" ( a name that TOOL declares | [A-Za-z0-9_.-]{1,128} ) ">"
//! ```
//! A value's closer counts at the end of the stream, and before
//!
//! | value | text behind it |
//! |---|---|
//! | bare, short | `</TOOL>`, `anytag` |
//! | bare, raw | `</TOOL>`, `<Q>` with Q declared and not given yet, one small undeclared element and then one of these |
//! | prefixed | a parameter, the closer of a call, its opener |
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Elements::in_text`] |
//! | between parameters | | [`Elements::in_call`] |
//! | in a value | short, raw | [`Elements::in_value`] |
//!
//! An opener cut in two:
//!
//! ```text
//! chunk "<read_file>\n<pa"      the tag: Ok; the tag behind it: More          -> pending
//! chunk "th>src"                `<path>`: Ok                                  -> Open(Call(CALL)), markup
//! ```

use crate::event::DiagnosticKind;
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Framing, Gives, Look, SectionFacts, element};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{
    CALLS, Closer, InCall, InSection, InText, InValue, Opener, Place, SECTIONS, Scope,
};
use crate::read::cursor::{Class, Cursor, Half, No, Step};
use crate::read::ids::UNKNOWN;
use crate::read::names::Names;
use crate::read::scan::Scan;

/// The kind of calls.
const CALL: u8 = 0;

/// Kinds of values.
const SHORT: u8 = 0;
pub(crate) const RAW: u8 = 1;

const MARK: Half = Half::MARK;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_CALL: &str = "opener of a call";
const END_CALL: &str = "closer of a call";
const LOST: &str = "lost closer of a call";
const DATA: &str = "data that looks like a marker";
const ORPHAN: &str = "closer of a call that nothing opened";
const ORPHAN_WRAPPER: &str = "closer of a section that nothing opened";

/// The texts of a dialect of elements.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    /// Openers and closers of calls and of parameters, up to the name.
    pub call: [Box<str>; 2],
    pub param: [Box<str>; 2],
    /// Only a declared name makes a tag.
    pub bare: bool,
    /// Opener that may stand before a call, and its closer.
    pub wrapper: Option<[Box<str>; 2]>,
    /// Short values, too, stand on lines of their own.
    pub lines: bool,
}

/// The family of elements.
#[derive(Debug)]
pub(crate) struct Elements {
    t: Texts,
    text: Scan,
    call: Scan,
    value: Scan,
}

/// A tool, as a tag names it.
#[derive(Clone, Copy, Debug)]
struct Called<'t> {
    name: &'t str,
    tool: u16,
}

impl Elements {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Elements {
        let wrapper = t.wrapper.iter().flatten().map(|tag| &**tag);
        let (text, value) = match t.bare {
            true => (
                Scan::from_texts(wrapper.chain(["</"])).before_names(b'<'),
                Scan::from_texts(["</"]).before_names(b'<'),
            ),
            false => (
                Scan::from_texts(wrapper.chain(t.call.iter().map(|tag| &**tag))),
                Scan::from_texts([&*t.call[0], &*t.param[0], "</"]),
            ),
        };
        Elements { t, text, call: Scan::from_texts(["<"]), value }
    }

    // Tags.

    /// Reads the opener of a call. `declared`: only a declared tool counts.
    fn tool_tag<'t>(
        &self,
        look: &Look<'_>,
        declared: bool,
        c: &mut Cursor<'t>,
    ) -> Step<Called<'t>> {
        c.literal(&self.t.call[0])?;
        let called = match declared || self.t.bare {
            true => {
                let (name, tool) = c.known(&look.tools.names, !self.t.bare, None)?;
                Called { name, tool }
            }
            false => {
                let name = c.name(Class::Name, true)?;
                Called { name, tool: look.tools.number([name, ""]) }
            }
        };
        c.literal(">")?;
        Ok(called)
    }

    /// Reads the closer of the call with this name.
    fn end_call(&self, name: &str, c: &mut Cursor<'_>) -> Step<()> {
        closer(&self.t.call[1], name, c)
    }

    /// Reads the closer of any call or, if names are bare, of the call with this name. Returns whether it has
    /// this name.
    fn end_any_call(&self, name: &str, c: &mut Cursor<'_>) -> Step<bool> {
        if self.t.bare {
            return self.end_call(name, c).map(|()| true);
        }
        c.literal(&self.t.call[1])?;
        let found = c.name(Class::Name, false)?;
        c.literal(">")?;
        Ok(found == name)
    }

    /// Reads the opener of one of these parameters, if it fits.
    fn known_param<'t>(
        &self,
        names: &Names,
        fits: impl Fn(u16) -> bool,
        c: &mut Cursor<'t>,
    ) -> Step<&'t str> {
        c.literal(&self.t.param[0])?;
        let (name, _) = c.known(names, false, Some(&fits))?;
        c.literal(">")?;
        Ok(name)
    }

    /// Reads the opener of any parameter or, if names are bare, of one of these.
    fn param<'t>(&self, names: &Names, c: &mut Cursor<'t>) -> Step<&'t str> {
        if self.t.bare {
            return self.known_param(names, |_| true, c);
        }
        c.literal(&self.t.param[0])?;
        let name = c.name(Class::Name, false)?;
        c.literal(">")?;
        Ok(name)
    }

    /// Reads the opener of any parameter, or, where names are bare, any tag.
    fn any_tag(&self, names: &Names, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| self.param(names, c).map(|_| ()),
            |c| if self.t.bare { element(c).map(|_| ()) } else { Err(No) },
        )
    }

    /// Reads the beginning of a call's body: a parameter, or the closer of the call.
    fn body(&self, look: &Look<'_>, called: Called<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let params = look.tools.params(called.tool);
        c.white()?;
        one_of!(c; |c| self.end_call(called.name, c), |c| self.any_tag(params, c))
    }

    /// Reads an opener of a call, and its confirmation.
    fn opener(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let called = self.tool_tag(look, false, c)?;
        self.body(look, called, c)
    }

    // Text.

    /// Reads the fixed part of a call's opener. A bare opener may have attributes: then it is not a tag, but its closer
    /// belongs to it.
    fn call_begins(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.call[0])?;
        if self.t.bare {
            c.known(&look.tools.names, false, None)?;
            c.byte_of(b"> \t\r\n")?;
        }
        Ok(())
    }

    fn call_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if c.ahead(|c| self.call_begins(look, c)) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        let called = c.way(Half::OPENER.role(A_CALL), |c| {
            let called = self.tool_tag(look, false, c)?;
            c.follow(called.tool != UNKNOWN, |c| self.body(look, called, c))?;
            Ok(called)
        })?;
        Ok(called.map(|called| {
            InText::Open(Opener::new(Place::Call(CALL)).named(called.name, called.tool))
        }))
    }

    /// Reads the opener around calls, which means nothing.
    fn wrapper_in_text(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<bool> {
        let Some([open, _]) = &self.t.wrapper else { return Ok(false) };
        if c.ahead(|c| c.literal(open)) == Ok(()) {
            c.may_be_rejected(SECTIONS);
        }
        let wrapper = c.noise_or(Half::NONE.role("markup round calls"), |c| {
            c.literal(open)?;
            c.white()?;
            c.follow(false, |c| {
                let called = self.tool_tag(look, true, c)?;
                c.or_end(|c| self.body(look, called, c))
            })
        })?;
        Ok(wrapper.is_some())
    }

    // Values.

    /// Reads the marker that confirms the closer of a short value.
    fn after_value(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let params = look.tools.params(look.call.tool);
        c.white()?;
        one_of!(c;
            |c| self.end_any_call(&look.call.captured.name, c).map(|_| ()),
            |c| self.any_tag(params, c),
            |c| if self.t.bare { Err(No) } else { self.tool_tag(look, false, c).map(|_| ()) },
        )
    }

    /// Reads the marker that confirms the closer of a raw value.
    fn after_raw(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let params = look.tools.params(look.call.tool);
        let next = |c: &mut Cursor<'_>| {
            let fresh = |param: u16| look.is_fresh(param);
            one_of!(c;
                |c| self.end_call(&look.call.captured.name, c),
                |c| self.known_param(params, fresh, c).map(|_| ()),
            )
        };
        c.white()?;
        one_of!(c; next, |c| {
            let element = element(c)?;
            // Only an undeclared element may come in between: a declared one that the call already has is data.
            if params.find([element, ""]).is_some() {
                return Err(No);
            }
            c.up_to(bounds::WORDS, Class::NoTag)?;
            closer("</", element, c)?;
            c.white()?;
            next(c)
        })
    }

    /// Reads the end of a value: its own closer, or a lost one.
    fn ends_value(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        let names = &look.call.captured;
        let own = c.way(MARK.role("closer of an argument"), |c| {
            closer(&self.t.param[1], &names.param, c)?;
            c.is_own_closer();
            c.follow(true, |c| match kind {
                RAW => self.after_raw(look, c),
                _ => self.after_value(look, c),
            })
        })?;
        if own.is_some() {
            return Ok(Some(Closer::OWN));
        }
        let params = look.tools.params(look.call.tool);
        let renamed = !self.t.bare
            && c.noise_or(MARK.role("closer of an argument under another name"), |c| {
                closer("</", &names.param, c)?;
                c.follow(false, |c| {
                    c.white()?;
                    one_of!(c;
                        |c| self.param(params, c).map(|_| ()),
                        |c| self.end_call(&names.name, c),
                    )
                })
            })?
            .is_some();
        if renamed {
            return Ok(Some(Closer::OWN.note(DiagnosticKind::MismatchedCloser)));
        }
        if look.is.holds_closer {
            return Ok(None);
        }
        let both = c.noise_or(MARK.role("lost closer of an argument"), |c| {
            self.end_call(&names.name, c)?;
            c.follow(false, |c| {
                one_of!(c; |c| c.at_end(), |c| {
                    c.white()?;
                    self.opener(look, c)
                })
            })
        })?;
        Ok(both.map(|()| Closer::BOTH))
    }

    /// Reads data that looks like the opener of a call.
    fn quotes(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<bool> {
        if look.is.doubtful {
            return Ok(false);
        }
        let quotes = c.noise_or(Half::NONE.role(DATA), |c| {
            let called = self.tool_tag(look, true, c)?;
            let params = look.tools.params(called.tool);
            c.follow(false, |c| {
                c.white()?;
                one_of!(c;
                    |c| self.param(params, c).map(|_| ()),
                    |c| self.end_call(called.name, c),
                )
            })
        })?;
        Ok(quotes.is_some())
    }

    /// Reads data that looks like the end of the value, or like the next value.
    fn suspect(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<bool> {
        let names = &look.call.captured;
        let params = look.tools.params(look.call.tool);
        let data = Half::NONE.role(DATA);
        let close = &self.t.param[1];
        let found = c.noise_or(data, |c| closer(close, &names.param, c))?.is_some()
            || c.noise_or(data, |c| self.end_call(&names.name, c))?.is_some()
            || c.noise_or(data, |c| self.known_param(params, |_| true, c))?.is_some();
        Ok(found)
    }
}

/// Reads the closer with this name.
fn closer(close: &str, name: &str, c: &mut Cursor<'_>) -> Step<()> {
    c.literal(close)?;
    c.literal(name)?;
    c.literal(">")
}

impl Family for Elements {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if c.bytes().get(1) != Some(&b'/') {
            if let Some(found) = self.call_in_text(look, c)? {
                return Ok(found);
            }
            if self.wrapper_in_text(look, c)? {
                return Ok(InText::Mark(None));
            }
        }
        if look.reasoning {
            return c.none();
        }
        let call = c.way(Half::NONE.role(ORPHAN), |c| {
            c.literal(&self.t.call[1])?;
            match self.t.bare {
                true => c.known(&look.tools.names, false, None).map(|_| ())?,
                false => c.name(Class::Name, false).map(|_| ())?,
            }
            c.literal(">")
        })?;
        if call.is_some() {
            return Ok(InText::Orphan(CALLS));
        }
        let Some([_, close]) = &self.t.wrapper else { return c.none() };
        match c.way(Half::NONE.role(ORPHAN_WRAPPER), |c| c.literal(close))? {
            Some(()) => Ok(InText::Orphan(SECTIONS)),
            None => c.none(),
        }
    }

    fn in_section<'t>(&self, _: &Look<'_>, _: u8, _: &mut Cursor<'t>) -> Step<InSection<'t>> {
        Err(No)
    }

    fn in_call<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let params = look.tools.params(look.call.tool);
        if let Some(name) = c.way(WHOLE.role("opener of an argument"), |c| self.param(params, c))? {
            return Ok(InCall::Param { kind: SHORT, name, hint: None, note: None });
        }
        let close = |note, before| InCall::Close { scope: Scope::Call, note, before };
        let name = &look.call.captured.name;
        if let Some(same) = c.way(WHOLE.role(END_CALL), |c| self.end_any_call(name, c))? {
            return Ok(close((!same).then_some(DiagnosticKind::MismatchedCloser), false));
        }
        let next = c.way(WHOLE.role(LOST), |c| {
            let called = self.tool_tag(look, false, c)?;
            c.follow(false, |c| self.body(look, called, c))
        })?;
        if next.is_some() {
            return Ok(close(Some(DiagnosticKind::MissingCloser), true));
        }
        match c.noise(|c| element(c))? {
            Some(_) => Ok(InCall::Stray(DiagnosticKind::UnknownParameter)),
            None => c.none(),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        if let Some(closer) = self.ends_value(look, kind, c)? {
            return Ok(InValue::Close(closer));
        }
        if self.quotes(look, c)? {
            return Ok(InValue::Suspect { doubtful: true });
        }
        match !look.is.suspected && self.suspect(look, c)? {
            true => Ok(InValue::Suspect { doubtful: false }),
            false => c.none(),
        }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.call
    }

    fn value_scan(&self, _: u8) -> &Scan {
        &self.value
    }

    fn section(&self, _: u8) -> SectionFacts {
        SectionFacts::CALLS
    }

    fn framing(&self, kind: u8) -> Framing {
        if kind == RAW || self.t.lines { Framing::LineBreak } else { Framing::None }
    }

    fn body(&self, _: u8) -> BodyFacts {
        BodyFacts { gives: Gives::Nothing, then: None, stop: 0 }
    }

    fn before_names(&self) -> Vec<&str> {
        self.t.call.iter().map(|text| &**text).collect()
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Elements::new(t)))
    }
}
