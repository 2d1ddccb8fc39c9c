//! Markers of a response template: the part of regular expressions that a stream can read.
//!
//! ```text
//! mark := ( text | run of a class | white space, perhaps none | anything up to a text | name )*
//! ```
//! Every marker begins with a text. Of `<run (?P<name>\w+)>`, cut behind `<run l`, the name may go on, so it is
//! pending.

use super::chars::Chars;
use crate::family::Look;
use crate::family::written::mark::Found;
use crate::options::bounds;
use crate::read::cursor::{Cursor, More, No, Step, WHITE};
use crate::read::ids::UNKNOWN;

/// A piece of a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(Box<str>),
    /// A number of characters of a class.
    Run {
        chars: Chars,
        min: u16,
        max: u16,
    },
    White,
    /// Anything up to this text, and with it.
    Until(Box<str>),
    /// A name of characters of a class.
    Name(Of, Chars),
}

/// The thing that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Tool,
    Param,
    Id,
}

/// A marker.
pub(crate) type Mark = Vec<Piece>;

/// Reads characters of a class, up to something else.
fn run<'t>(chars: &Chars, min: usize, max: usize, c: &mut Cursor<'t>) -> Step<&'t str> {
    let rest = c.rest();
    let inner = rest.char_indices().take_while(|(at, next)| *at <= max && chars.has(*next));
    let len = inner.last().map_or(0, |(at, next)| at + next.len_utf8());
    if len > max {
        return c.too_long();
    }
    if len == rest.len() {
        return c.more();
    }
    if len < min {
        return Err(No);
    }
    c.pos += len;
    Ok(&rest[..len])
}

/// Reads the last piece of a marker, which may be empty. The end of the stream ends it, too.
fn up_to_end<'t>(c: &mut Cursor<'t>, read: impl FnOnce(&mut Cursor<'t>) -> Step<()>) -> Step<()> {
    match read(c) {
        Err(More) if c.ended() => {
            c.pos += c.rest().len();
            Ok(())
        }
        read => read,
    }
}

/// Reads a marker.
pub(super) fn read<'t>(mark: &[Piece], look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Found<'t>> {
    let start = c.pos;
    let mut found = Found { name: "", tool: UNKNOWN, id: None, param: "" };
    for (at, piece) in mark.iter().enumerate() {
        let last = at + 1 == mark.len();
        match piece {
            Piece::Text(text) => c.literal(text)?,
            Piece::White if last => up_to_end(c, Cursor::white)?,
            Piece::White => c.white()?,
            Piece::Run { chars, min, max } => {
                let [min, max] = [min, max].map(|most| usize::from(*most));
                let read = |c: &mut Cursor<'t>| run(chars, min, max, c).map(|_| ());
                if last && min == 0 { up_to_end(c, read)? } else { read(c)? }
            }
            Piece::Until(text) => c.until(start, text, &[])?,
            Piece::Name(of, chars) => {
                let name = run(chars, 1, bounds::NAME, c)?;
                if name.trim_matches(WHITE).is_empty() {
                    return Err(No);
                }
                match of {
                    Of::Tool => (found.name, found.tool) = (name, look.tools.number([name, ""])),
                    Of::Param => found.param = name,
                    Of::Id => found.id = Some(name),
                }
            }
        }
    }
    Ok(found)
}

/// Reads the first of several markers that stands here.
pub(super) fn any<'t>(marks: &[Mark], look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Found<'t>> {
    let (start, mut stuck) = (*c, No);
    for mark in marks {
        *c = start;
        match read(mark, look, c) {
            Err(No) => {}
            Ok(found) if stuck == No || c.ended() => return Ok(found),
            Err(other) if other != No && !c.ended() => return Err(other),
            Ok(_) | Err(_) => stuck = More,
        }
    }
    *c = start;
    Err(stuck)
}

/// Returns the beginning of a marker.
pub(super) fn first(mark: &Mark) -> Option<&str> {
    match mark.first() {
        Some(Piece::Text(text)) => Some(text),
        _ => None,
    }
}
