//! JSON objects, as in `hermes`.
//!
//! ```text
//! objects := fence? ( object | "[" ( object ","? )* "]" ) fence? ( ws object )*       fence := "```" letters?
//! object  := {"name": N, "arguments": {…}}
//! ```
//! An object begins with `{` `ws` and one of `"` `'` `}`, or a key of a call and `:`.

use super::{Block, CALL, SISTERS, WHOLE};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::one_of;
use crate::read::act::{InSection, Opener, Place};
use crate::read::attempt::Trial;
use crate::read::cursor::{Class, Cursor, Half, Note, Step};
use crate::read::trial;

/// The keys of a call.
const CALL_KEYS: [&str; 7] =
    ["name", "tool_name", "function", "arguments", "parameters", "args", "input"];
/// The keys of a call that hold its arguments.
pub(crate) const ARGUMENT_KEYS: [&str; 4] = ["arguments", "parameters", "args", "input"];
const FENCE: &str = "```";

/// Reads the beginning of an object, of a list of objects, or of either in a fence.
pub(crate) fn begins(c: &mut Cursor<'_>) -> Step<()> {
    match c.peek()? {
        b'{' | b'[' => one_or_listed(c),
        b'`' => {
            c.literal(FENCE)?;
            c.run(Class::Letters, 0, 128)?;
            c.white()?;
            one_or_listed(c)
        }
        _ => c.byte_of(b"{[`").map(|_| ()),
    }
}

/// Reads the beginning of a list of objects.
pub(super) fn list_begins(c: &mut Cursor<'_>) -> Step<()> {
    c.literal("[")?;
    c.white()?;
    c.literal("{")?;
    c.white()?;
    members(c)
}

/// Reads the beginning of an object, or of a list of objects.
pub(crate) fn one_or_listed(c: &mut Cursor<'_>) -> Step<()> {
    if c.byte_of(b"{[")? == b'[' {
        c.white()?;
        c.literal("{")?;
    }
    c.white()?;
    members(c)
}

/// Reads the beginning of a member of a call, or the end of the object.
fn members(c: &mut Cursor<'_>) -> Step<()> {
    if c.peek().is_ok_and(|byte| b"\"'}".contains(&byte)) {
        return Ok(());
    }
    c.any(&CALL_KEYS)?;
    c.white()?;
    c.literal(":")
}

/// Reads arguments behind the comma after an object: its brace closed too early.
fn late_arguments(c: &mut Cursor<'_>) -> Step<()> {
    c.literal(",")?;
    c.white()?;
    let begun = !c.rest().is_empty();
    c.follow(begun, |c| {
        let key = |quote: &'static str| {
            move |c: &mut Cursor<'_>| {
                c.literal(quote)?;
                c.any(&ARGUMENT_KEYS)?;
                c.literal(quote)?;
                c.white()?;
                c.literal(":")
            }
        };
        one_of!(c; key("\""), key("'"), key("`"), key("\"\"\""))
    })
}

/// The surroundings of objects that are calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round<'a> {
    /// The openers of a section, if they may begin like a closer.
    pub open: &'a [Box<str>],
    /// The closers of the section; any of them will do.
    pub close: &'a [Box<str>],
    /// How an object must show that it is a call. If it must, closers are not missed.
    pub tries: Option<Trial>,
    /// Any object is a call, whatever it begins with.
    pub any: bool,
    /// The kind of the objects.
    pub body: u8,
}

impl Block {
    /// Between objects.
    pub(super) fn among_objects<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        among(
            look,
            c,
            Round {
                open: &self.t.open,
                close: &self.t.close,
                tries: None,
                any: self.t.any_object,
                body: CALL,
            },
        )
    }
}

/// Between objects.
pub(crate) fn among<'t>(
    look: &Look<'_>,
    c: &mut Cursor<'t>,
    round: Round<'_>,
) -> Step<Option<InSection<'t>>> {
    let is = look.is;
    let body = InSection::Open(Opener::new(Place::Body(round.body)));
    let half = WHOLE.and(Half::OPENER);
    let opens = half.role("opener of a call that is an object");
    match c.peek()? {
        b',' if is.waiting => {
            let late = c.way(half.and(Half::RESUMES).role(opens.role), late_arguments)?;
            return Ok(late.map(|()| body));
        }
        b'{' if !is.waiting => {
            let way = match round.tries {
                // It has been tried.
                Some(_) if is.section_start => {
                    return Ok(c.way(opens, |c| c.literal("{"))?.map(|()| body));
                }
                Some(_) => Half::OPENER.role(opens.role),
                None => opens,
            };
            let object = c.way(way, |c| {
                c.literal("{")?;
                if round.any {
                    return Ok(());
                }
                c.follow(false, |c| {
                    c.white()?;
                    match round.tries {
                        Some(trial) => trial::behind_brace(look, trial, c),
                        None => members(c),
                    }
                })
            })?;
            return Ok(object.map(|()| body));
        }
        b'[' if is.section_start && !is.bracket && !is.waiting => {
            c.pos += 1;
            return Ok(Some(InSection::Bracket));
        }
        b'}' if !is.waiting => {
            c.pos += 1;
            return Ok(Some(InSection::Brace));
        }
        b'`' if round.tries.is_none() => {
            return match fence_closes(look, c, &round)? {
                Some(close) => Ok(close.then_some(InSection::Close(None))),
                None => fence(look, c),
            };
        }
        _ => {}
    }
    if c.way(WHOLE.role("closer of a section"), |c| c.any(round.close))?.is_some() {
        return Ok(Some(InSection::Close(None)));
    }
    match is.waiting || round.tries.is_some() || round.close.is_empty() {
        true => Ok(None),
        false => sister(round.close, c),
    }
}

/// Reads the closer of a sister form in place of the section's own, or before it.
fn sister<'t>(close: &[Box<str>], c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
    let sister = c.noise_or(WHOLE, |c| {
        c.any(&SISTERS)?;
        c.follow(true, |c| {
            one_of!(c; |c| c.at_end(), |c| {
                c.white()?;
                one_of!(c; |c| c.any(close), |c| c.any(&SISTERS))
            })
        })
    })?;
    Ok(sister.map(|()| InSection::Mark(Some(DiagnosticKind::MismatchedCloser))))
}

/// Whether back-ticks close the section, in a section that they may close. `false`: they open the next one.
fn fence_closes(look: &Look<'_>, c: &mut Cursor<'_>, round: &Round<'_>) -> Step<Option<bool>> {
    let ticks = |texts: &[Box<str>]| texts.iter().any(|text| text.starts_with('`'));
    if look.is.section_start || look.is.waiting || !ticks(round.close) {
        return Ok(None);
    }
    let start = *c;
    if ticks(round.open) && c.way(WHOLE, |c| c.any(round.open))?.is_some() {
        *c = start;
        return Ok(Some(false));
    }
    let closes = c.way(WHOLE.role("closer of a section"), |c| c.any(round.close))?;
    Ok(closes.map(|()| true))
}

/// Reads a fence around the objects.
fn fence<'t>(look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
    if look.is.section_start {
        let opens = c.way(WHOLE, |c| {
            c.literal(FENCE)?;
            c.run(Class::Letters, 0, 128).map(|_| ())
        })?;
        if opens.is_some() {
            return Ok(Some(InSection::Mark(None)));
        }
    }
    if look.is.waiting {
        return Ok(None);
    }
    let closes = c.way(WHOLE, |c| c.literal(FENCE))?;
    Ok(closes.map(|()| InSection::Mark(None)))
}

/// Goes on with the section behind the object of a call. `bare`: the call has no section, and is over. `before`: the text here
/// is read again.
pub(crate) fn goes_on<'t>(section: u8, bare: bool, note: Note, before: bool) -> InSection<'t> {
    match bare {
        true => InSection::Over { note, before },
        false => InSection::Open(Opener { note, before, ..Opener::new(Place::Section(section)) }),
    }
}

/// Reads brackets, commas, fences and braces that belong to nothing, behind an object with all arguments of a
/// call.
pub(crate) fn behind_object<'t>(c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
    match c.peek()? {
        b'}' => {
            c.pos += 1;
            Ok(Some(InSection::Brace))
        }
        b'`' => Ok(c.way(WHOLE, |c| c.literal(FENCE))?.map(|()| InSection::Mark(None))),
        _ => Ok(None),
    }
}
