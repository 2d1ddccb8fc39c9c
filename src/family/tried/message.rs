//! A message in OpenAI's form at the start of the model's message: `{"content": null, "tool_calls": [{…},
//! {…}]}`.
//!
//! ```text
//! message := "{" ( ROLE "," )? ( CONTENT "," )? "tool_calls" ":" "[" OBJECT ( "," OBJECT )* "]" ( "," … )? "}"
//! ROLE    := "role" ":" "assistant"        CONTENT := "content" ":" ( "null" | "…" )
//! ```
//! Its content beside the calls is markup, and is reported: it is a JSON string, not text as it stands.

use super::{BESIDE, LIST, Lead, Tried, WHOLE, among, tries};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::family::block::objects;
use crate::read::act::{InSection, InText, Opener, Place};
use crate::read::attempt::Trial;
use crate::read::cursor::{Class, Cursor, Step};
use crate::read::trial;

const ROLE: &str = "\"role\"";
const CONTENT: &str = "\"content\"";
const CALLS: &str = "\"tool_calls\"";

/// The most white space between two signs, and the longest content, in bytes.
const SPACE: usize = 32;
const SAID: usize = 512;

fn space(c: &mut Cursor<'_>) -> Step<()> {
    c.run(Class::White, 0, SPACE).map(|_| ())
}

/// Reads a sign with space around it.
fn sign(sign: &str, c: &mut Cursor<'_>) -> Step<()> {
    space(c)?;
    c.literal(sign)?;
    space(c)
}

/// Reads a key of this list.
fn key<'t>(keys: &[&str], c: &mut Cursor<'t>) -> Step<&'t str> {
    let from = c.pos;
    c.any(keys)?;
    Ok(c.since(from))
}

/// Reads `null`, or a string. Returns whether it has text.
fn content(c: &mut Cursor<'_>) -> Step<bool> {
    if c.byte_of(b"\"n")? == b'n' {
        c.literal("ull")?;
        return Ok(false);
    }
    let said = c.run(Class::Unquoted, 0, SAID)?;
    c.literal("\"")?;
    Ok(!said.is_empty())
}

/// Reads everything before the first call. Returns whether there is content.
fn before_calls(c: &mut Cursor<'_>) -> Step<bool> {
    c.tries_here();
    c.literal("{")?;
    space(c)?;
    let mut next = key(&[ROLE, CONTENT, CALLS], c)?;
    if next == ROLE {
        sign(":", c)?;
        c.literal("\"assistant\"")?;
        sign(",", c)?;
        next = key(&[CONTENT, CALLS], c)?;
    }
    let mut says = false;
    if next == CONTENT {
        sign(":", c)?;
        says = content(c)?;
        sign(",", c)?;
        key(&[CALLS], c)?;
    }
    space(c)?;
    c.literal(":")?;
    space(c)?;
    c.literal("[")?;
    Ok(says)
}

/// Behind the first quote of the members that follow the calls.
pub(super) fn beside<'t>(c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
    if c.peek()? == b'}' {
        c.pos += 1;
        return Ok(Some(InSection::Close(None)));
    }
    let value = c.noise_or(WHOLE, |c| {
        c.literal(":")?;
        c.white()?;
        content(c)
    })?;
    let note = |says: bool| says.then_some(DiagnosticKind::StrayText);
    Ok(value.map(|says| InSection::Mark(note(says))))
}

impl Tried {
    /// Reads such a message, at the start of the model's message.
    pub(super) fn message<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        if !look.is.message_start || look.is.whole {
            return Ok(None);
        }
        let says = c.way(tries(look), |c| {
            let says = before_calls(c)?;
            c.follow(false, |c| {
                c.white()?;
                trial::object(look, Trial::Keys, c)
            })?;
            Ok(says)
        })?;
        Ok(says.map(|says| {
            let note = says.then_some(DiagnosticKind::StrayText);
            InText::Open(Opener { note, ..Opener::new(Place::Section(LIST)) })
        }))
    }

    /// Between the calls of such a message.
    pub(super) fn in_list<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        if let Some(found) = objects::among(look, c, among(Lead::NOTHING))? {
            return Ok(Some(found));
        }
        if c.peek()? != b']' {
            return Ok(None);
        }
        let ends = c.noise_or(WHOLE.role("closer of a section"), |c| {
            c.literal("]")?;
            c.white()?;
            c.literal("}")
        })?;
        if ends.is_some() {
            return Ok(Some(InSection::Close(None)));
        }
        let goes_on = c.noise_or(WHOLE, |c| {
            c.literal("]")?;
            c.white()?;
            c.literal(",")?;
            c.white()?;
            c.literal("\"")
        })?;
        Ok(goes_on.map(|()| InSection::Open(Opener::new(Place::Section(BESIDE)))))
    }
}
