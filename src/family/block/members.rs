//! Calls that are members of an object: the key is the tool's name, the value its arguments.
//!
//! ```text
//! members := OPEN ws "["? ( "{"? ws "\"" NAME "\"" ws ":" ws ( object | "null" ) ","? "}"? )* "]"? CLOSE
//! ```
//! OPEN counts if the first key follows. Behind it an object may also be a call with the usual keys.

use super::{A_CALL, Block, CALL, MEMBER, MEMBERS, WHOLE, opens_section};
use crate::family::Look;
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{InCall, InSection, InText, Opener, Place, SECTIONS, Scope};
use crate::read::cursor::{Class, Cursor, Half, No, Step, WHITE};
use crate::read::ids::UNKNOWN;

/// A key that is a tool's name.
fn name<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    c.literal("\"")?;
    let name = c.run(Class::Quoted, 1, bounds::NAME)?.trim_matches(WHITE);
    if name.is_empty() {
        return Err(No);
    }
    c.literal("\"")?;
    Ok(name)
}

fn colon(c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    c.literal(":")
}

/// Reads a key up to the colon before its value.
fn key<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    let name = name(c)?;
    colon(c)?;
    Ok(name)
}

/// Reads the first key of an object, with its brace.
fn first_key<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    c.literal("{")?;
    c.white()?;
    key(c)
}

/// Reads the value that shows that a key names a tool.
fn value(c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    one_of!(c; |c| c.literal("{"), |c| c.literal("null"))
}

impl Block {
    /// Reads the opener of such members in text.
    pub(super) fn members_in_text<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let Some(open) = &self.t.members else { return Ok(None) };
        if c.ahead(|c| c.literal(open)) == Ok(()) {
            c.may_be_rejected(SECTIONS);
        }
        let opens = c.way(Half::OPENER.role("opener of a section"), |c| {
            c.literal(open)?;
            c.follow(false, |c| {
                c.white()?;
                if c.peek()? == b'[' {
                    c.literal("[")?;
                    c.white()?;
                }
                c.literal("{")?;
                c.white()?;
                // The end of the stream confirms the name of a known tool.
                let tool = look.tools.number([name(c)?, ""]);
                if tool == UNKNOWN { colon(c) } else { c.or_end(colon) }
            })
        })?;
        Ok(opens.map(|()| opens_section(MEMBERS)))
    }

    /// Between members.
    pub(super) fn among_members<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let half = WHOLE.and(Half::OPENER);
        for read in [first_key, key] {
            let member = c.way(half.role(A_CALL), |c| {
                let name = read(c)?;
                let tool = look.tools.number([name, ""]);
                c.follow(tool != UNKNOWN, value)?;
                Ok((name, tool))
            })?;
            if let Some((name, tool)) = member {
                let opener = Opener::new(Place::Call(MEMBER)).named(name, tool);
                return Ok(Some(InSection::Open(opener)));
            }
        }
        if c.way(half.role(A_CALL), |c| c.literal("{"))?.is_some() {
            return Ok(Some(InSection::Open(Opener::new(Place::Body(CALL)))));
        }
        match c.peek()? {
            b'[' if look.is.section_start && !look.is.bracket => {
                c.pos += 1;
                return Ok(Some(InSection::Bracket));
            }
            b'}' => {
                c.pos += 1;
                return Ok(Some(InSection::Mark(None)));
            }
            _ => {}
        }
        let close = c.way(WHOLE.role("closer of a section"), |c| c.any(&self.t.close))?;
        Ok(close.map(|()| InSection::Close(None)))
    }

    /// Behind a key: an object with all arguments, or none.
    pub(super) fn member_value<'t>(&self, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let object = c.way(WHOLE.role("object of arguments"), |c| {
            c.white()?;
            c.literal("{")
        })?;
        if object.is_some() {
            return Ok(InCall::Object(MEMBER));
        }
        let none = c.way(WHOLE.role("no arguments"), |c| {
            c.white()?;
            c.literal("null")
        })?;
        let close = InCall::Close { scope: Scope::Call, note: None, before: false };
        none.map_or_else(|| c.none(), |()| Ok(close))
    }
}
