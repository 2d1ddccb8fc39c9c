//! Calls, objects and code behind Llama's `<|python_tag|>`.
//!
//! ```text
//! tagged := TAG ws ( list | object | "[" object … | NAME ".call(" arguments ")" | code )
//! ```
//! Objects are calls of any name; lists count only in `pythonic`. Anything else is code: the raw parameter `code` of the first
//! declared tool for code, up to a stop token, the next TAG or the end. If no such tool is declared, TAG is markup and the rest
//! is text.

use super::{A_CALL, A_SECTION, CODE, DOTTED, OBJECTS, OPENER, Python, word};
use crate::family::Look;
use crate::family::block::objects;
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{CALLS, InText, Opener, Place};
use crate::read::cursor::{Class, Cursor, No, Step};
use crate::read::ids::UNKNOWN;

/// The tools that run code.
const RUN_CODE: [&str; 3] = ["code_interpreter", "python", "ipython"];
pub(super) const DOT_CALL: &str = ".call(";

impl Python {
    pub(super) fn behind_tag<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let Some(tag) = &self.t.tag else { return Ok(None) };
        if c.ahead(|c| c.literal(tag)) == Ok(()) {
            c.may_be_rejected(CALLS);
        }
        let list =
            if self.is_alone() { self.list(look, std::slice::from_ref(tag), c)? } else { None };
        if list.is_some() {
            return Ok(list);
        }
        let objects = c.way(OPENER.role(A_SECTION), |c| {
            c.literal(tag)?;
            c.follow(false, |c| {
                c.white()?;
                objects::one_or_listed(c)
            })
        })?;
        if objects.is_some() {
            return Ok(Some(InText::Open(Opener::new(Place::Section(OBJECTS)))));
        }
        if let Some((name, tool)) = c.way(OPENER.role(A_CALL), |c| dotted(look, tag, c))? {
            return Ok(Some(InText::Open(Opener::new(Place::Call(DOTTED)).named(name, tool))));
        }
        let nothing = c.way(OPENER.role("token of calls"), |c| {
            c.literal(tag)?;
            c.follow(false, |c| {
                c.white()?;
                one_of!(c; |c| c.any(&self.t.stops), |c| c.literal(tag))
            })
        })?;
        if nothing.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let runs = RUN_CODE.into_iter().map(|name| (name, look.tools.number([name, ""])));
        if let Some((name, tool)) = runs.into_iter().find(|(_, tool)| *tool != UNKNOWN) {
            let code = c.way(OPENER.role(A_CALL), |c| {
                c.literal(tag)?;
                c.white()?;
                c.follow(false, |c| c.one_but(b" \t\r\n"))
            })?;
            if code.is_some() {
                return Ok(Some(InText::Open(Opener::new(Place::Call(CODE)).named(name, tool))));
            }
        }
        let mark =
            !look.reasoning && c.way(OPENER.role("token of calls"), |c| c.literal(tag))?.is_some();
        Ok(mark.then_some(InText::Mark(None)))
    }
}

/// Reads a call with `.call` behind its name. The name stands alone: it is not an attribute of an expression
/// before it.
fn dotted<'t>(look: &Look<'_>, tag: &str, c: &mut Cursor<'t>) -> Step<(&'t str, u16)> {
    c.literal(tag)?;
    c.white()?;
    let name = word(c.run(Class::Keyed, 1, bounds::NAME)?)?;
    if Class::White.has_byte(c.peek()?) {
        return Err(No);
    }
    let tool = look.tools.number([name, ""]);
    c.follow(tool != UNKNOWN, |c| c.literal(DOT_CALL))?;
    Ok((name, tool))
}
