//! Calls that name their tool in a tag before their object: `<function=read>{"path": "a"}</function>`.
//!
//! ```text
//! call := OPEN ws NAME ws ">" ws object ws ( "```" | "}" )* CLOSE
//! ```
//! OPEN counts if an object follows, by its first quote or its end.

use super::{A_CALL, END_SECTION, FUNCTION, OPENER, Python, WHOLE};
use crate::family::Look;
use crate::family::block::objects;
use crate::read::act::{InCall, InSection, InText, Opener, Place};
use crate::read::cursor::{Class, Cursor, Step};
use crate::read::ids::UNKNOWN;

/// Between the name and its object.
pub(super) fn arguments<'t>(c: &mut Cursor<'t>) -> Step<InCall<'t>> {
    let object = c.way(WHOLE.role("object of arguments"), |c| {
        c.white()?;
        c.literal("{")
    })?;
    object.map_or_else(|| c.none(), |()| Ok(InCall::Object(FUNCTION)))
}

impl Python {
    /// Reads the opener of such a call.
    pub(super) fn function<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let Some([open, _]) = &self.t.function else { return Ok(None) };
        let opener = c.way(OPENER.role(A_CALL), |c| {
            c.literal(open)?;
            c.white()?;
            let name = c.name(Class::Name, false)?;
            c.white()?;
            c.literal(">")?;
            let tool = look.tools.number([name, ""]);
            c.follow(tool != UNKNOWN, |c| {
                c.white()?;
                c.literal("{")?;
                c.white()?;
                c.byte_of(b"\"}").map(|_| ())
            })?;
            Ok(Opener::new(Place::Call(FUNCTION)).named(name, tool))
        })?;
        Ok(opener.map(InText::Open))
    }

    /// Behind the object.
    pub(super) fn after_function<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        if let Some(found) = objects::behind_object(c)? {
            return Ok(Some(found));
        }
        let Some([_, close]) = &self.t.function else { return Ok(None) };
        let closed = c.way(WHOLE.role(END_SECTION), |c| c.literal(close))?;
        Ok(closed.map(|()| InSection::Close(None)))
    }
}
