//! Messages with the recipient on a line, `>>>read`, and its arguments on the next line: `functionary`.
//!
//! ```text
//! stream := ( NEXT? header body | text ) ( NEXT header body )*
//! header := ( "all" | NAME ) line-break              it holds no blanks
//! body   := text, to "all" | object, the arguments | code, one parameter
//! ```
//! The stream begins in a header, or else everything is text from its first byte. A first line that is neither `all`
//! nor a declared name is a header only if the next line begins with `{`. Later, NEXT and a header count at the start
//! of a line. A header to `all` or to a declared tool also counts in the middle of a line. Code is verbatim; a stop
//! token is its closer.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Recipients::in_text`] |
//! | behind a header | of an object, of code | [`Recipients::in_call`], [`Recipients::at_call_start`] |
//! | in code | | [`Recipients::in_value`] |
//! | behind an object | | [`Recipients::in_section`] |
//!
//! A header cut in two:
//!
//! ```text
//! chunk ">>>re"        NEXT: Ok; the name: More                          -> pending
//! chunk "ad\n{"        the name: Ok, and `{` on the next line confirms it -> Open(Call(OBJECT)), markup
//! ```

use crate::event::DiagnosticKind;
use crate::family::block::objects::behind_object;
use crate::family::{BodyFacts, Family, Gives, Look, SectionFacts};
use crate::read::act::{
    CLOSED, Closer, InCall, InSection, InText, InValue, OPEN, Opener, Place, Scope,
};
use crate::read::cursor::{Class, Cursor, Half, More, No, Step};
use crate::read::ids::UNKNOWN;
use crate::read::scan::Scan;

/// Kinds of calls: with an object, and with code. The kind of objects is the first.
const OBJECT: u8 = 0;
const CODE: u8 = 1;
/// The kind of sections.
const AFTER_OBJECT: u8 = 0;

const NEXT: &str = ">>>";
const ALL: &str = "all";
/// The least bytes of a name that are a cut name.
const LETTERS: usize = 3;

const OPENER: Half = Half::OPENER;

/// Roles.
const A_CALL: &str = "opener of a call";
const A_MESSAGE: &str = "opener of text";
const LOST: &str = "lost closer of an argument";

/// The family of recipients.
#[derive(Debug)]
pub(crate) struct Recipients {
    /// The stop token.
    stop: Box<str>,
    text: Scan,
    call: Scan,
}

/// A tool, as a header names it.
#[derive(Clone, Copy, Debug)]
struct Called<'t> {
    name: &'t str,
    tool: u16,
}

/// Reads a header to `all`, behind this lead.
fn all(lead: &str, c: &mut Cursor<'_>) -> Step<()> {
    c.literal(lead)?;
    c.literal(ALL)?;
    c.line_break()
}

/// Reads a header up to the name of a declared tool.
fn declared_name<'t>(look: &Look<'_>, lead: &str, c: &mut Cursor<'t>) -> Step<Called<'t>> {
    c.literal(lead)?;
    let (name, tool) = c.known(&look.tools.names, false, None)?;
    Ok(Called { name, tool })
}

/// Reads a header up to any name.
fn any_name<'t>(look: &Look<'_>, lead: &str, c: &mut Cursor<'t>) -> Step<Called<'t>> {
    c.literal(lead)?;
    let name = c.name(Class::Name, false)?;
    Ok(Called { name, tool: look.tools.number([name, ""]) })
}

/// Reads a header to a declared tool.
fn declared<'t>(look: &Look<'_>, lead: &str, c: &mut Cursor<'t>) -> Step<Called<'t>> {
    let called = declared_name(look, lead, c)?;
    c.line_break()?;
    Ok(called)
}

/// Reads a header to any tool.
fn any<'t>(look: &Look<'_>, lead: &str, c: &mut Cursor<'t>) -> Step<Called<'t>> {
    let called = any_name(look, lead, c)?;
    c.line_break()?;
    Ok(called)
}

/// Reads as much of a header to a declared tool as has come: at the end of the stream a few letters of its name.
fn half(look: &Look<'_>, lead: &str, c: &mut Cursor<'_>) -> Step<()> {
    c.literal(lead)?;
    let (names, rest) = (&look.tools.names, c.rest());
    let (len, along) = names.along(rest, None);
    match c.known(names, false, None) {
        Err(More) if len >= LETTERS || along.id.is_some() => c.or_end(|c| {
            c.pos += rest.len();
            Err(More)
        }),
        Err(stuck) => Err(stuck),
        Ok(_) => c.or_end(Cursor::line_break),
    }
}

/// Returns the call that such a header opens: with an object, or with code.
fn call<'t>(
    c: &mut Cursor<'t>,
    header: impl Fn(&mut Cursor<'t>) -> Step<Called<'t>>,
) -> Step<Option<InText<'t>>> {
    let opens = |kind: u8, Called { name, tool }: Called<'t>| {
        InText::Open(Opener::new(Place::Call(kind)).named(name, tool))
    };
    let object = c.way(OPENER.role(A_CALL), |c| {
        let called = header(c)?;
        c.follow(called.tool != UNKNOWN, |c| {
            c.white()?;
            c.literal("{")
        })?;
        Ok(called)
    })?;
    if let Some(called) = object {
        return Ok(Some(opens(OBJECT, called)));
    }
    let code = c.way(OPENER.role(A_CALL), |c| {
        let called = header(c)?;
        c.follow(false, |c| {
            c.white()?;
            c.one_but(b" \t\r\n")
        })?;
        Ok(called)
    })?;
    Ok(code.map(|called| opens(CODE, called)))
}

/// Reads the first line of the stream: a header, or text.
fn first_line<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
    let lead = if c.peek()? == b'>' { NEXT } else { "" };
    if c.way(Half::NONE.role(A_MESSAGE), |c| all(lead, c))?.is_some() {
        return Ok(Some(InText::Message { kind: OPEN, reasoning: false, note: None }));
    }
    let known = !look.tools.names.is_empty();
    if let Some(found) = if known { call(c, |c| declared(look, lead, c))? } else { None } {
        return Ok(Some(found));
    }
    let unknown = c.noise_or(Half::NONE.role(A_CALL), |c| {
        let called = any(look, lead, c)?;
        c.ahead(|c| c.literal("{"))?;
        Ok(called)
    })?;
    if let Some(Called { name, tool }) = unknown {
        let opener = Opener::new(Place::Call(OBJECT)).named(name, tool);
        return Ok(Some(InText::Open(opener)));
    }
    let cut = known && c.noise_or(Half::NONE.role("data"), |c| half(look, lead, c))?.is_some();
    if cut {
        return Ok(Some(InText::Data(Some(DiagnosticKind::CutOpener))));
    }
    // A line that is not a header here is also none in the text that follows.
    let next = !lead.is_empty() && c.way(Half::NONE.role("data"), |c| c.literal(lead))?.is_some();
    Ok(next.then_some(InText::Data(None)))
}

impl Recipients {
    /// Builds the family of a dialect with this stop token.
    pub fn new(stop: &str) -> Recipients {
        Recipients {
            stop: stop.into(),
            text: Scan::from_texts([NEXT, stop]),
            call: Scan::from_texts(["{"]),
        }
    }
}

impl Family for Recipients {
    fn starts_text(&self) -> bool {
        true
    }

    fn begins_in_header(&self) -> bool {
        true
    }

    fn at_text_start<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if look.message != CLOSED || look.reasoning {
            return Err(No);
        }
        first_line(look, c)?.map_or_else(|| c.none(), Ok)
    }

    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if c.way(Half::NONE.role(A_MESSAGE), |c| all(NEXT, c))?.is_some() {
            return Ok(InText::Mark(None));
        }
        let known = !look.tools.names.is_empty();
        if let Some(found) = if known { call(c, |c| declared(look, NEXT, c))? } else { None } {
            return Ok(found);
        }
        let begins = look.begins_line;
        if let Some(found) = if begins { call(c, |c| any(look, NEXT, c))? } else { None } {
            return Ok(found);
        }
        match c.way(Half::NONE.role("stop token"), |c| c.literal(&self.stop))? {
            Some(()) => Ok(InText::Mark(None)),
            None => c.none(),
        }
    }

    fn in_section<'t>(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        behind_object(c)?.map_or_else(|| c.none(), Ok)
    }

    fn at_call_start<'t>(&self, _: &Look<'_>, kind: u8, _: &mut Cursor<'t>) -> Step<InCall<'t>> {
        match kind {
            CODE => Ok(InCall::Param { kind: CODE, name: "code", hint: None, note: None }),
            _ => Err(No),
        }
    }

    fn in_call<'t>(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        c.literal("{").map(|()| InCall::Object(OBJECT))
    }

    fn in_value<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let close = Closer { scope: Scope::Call, ..Closer::OWN };
        let way = Half::MARK.role(LOST);
        let known = !look.tools.names.is_empty();
        let next = c.way(way, |c| all(NEXT, c))?.is_some()
            || known && c.way(way, |c| declared(look, NEXT, c))?.is_some()
            || look.line_start && c.way(way, |c| any(look, NEXT, c))?.is_some();
        if next {
            return Ok(InValue::Close(Closer { before: true, ..close }));
        }
        let stop = c.way(way, |c| {
            c.literal(&self.stop)?;
            c.follow(false, Cursor::at_end)
        })?;
        match stop {
            Some(()) => Ok(InValue::Close(close)),
            None => c.none(),
        }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.call
    }

    fn value_scan(&self, _: u8) -> &Scan {
        &self.text
    }

    fn section(&self, _: u8) -> SectionFacts {
        SectionFacts { between: b"],;", closes: false, ..SectionFacts::CALLS }
    }

    fn is_whole_at_end(&self, _: u8) -> bool {
        true
    }

    fn body(&self, _: u8) -> BodyFacts {
        BodyFacts { gives: Gives::Arguments, then: Some(AFTER_OBJECT), stop: b'<' }
    }

    fn own_texts(&self, each: &mut dyn FnMut(&str)) {
        each(NEXT);
    }

    fn before_names(&self) -> Vec<&str> {
        vec![NEXT]
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut stop = self.stop.clone();
        rename(&mut stop);
        Some(Box::new(Recipients::new(&stop)))
    }
}
