//! The ends of Python strings.
//!
//! Models escape nothing, so a quote ends its string only before text that may follow a value:
//!
//! ```text
//! first  := quote ws ( "," ws ANY-KEY ws "=" | ("," ws)? ")" ( "," ws ANY-NAME ws "(" | end ) )
//! value  := quote ws ( "," ws KEY ws "=" | ("," ws)? ")" over )                KEY was not given to the call
//! nested := quote ws ( "," ws ( literal | bracket ) | ":" ws literal | own bracket ws ( "," | bracket ) )
//! ```
//! `first` counts at the first quote of a string, where everything may still be correct Python. Once a quote was text,
//! only declared names end the string. At the end of the stream, half of the text behind a quote is enough.

use super::{DOTTED, Form, Python, word};
use crate::family::Look;
use crate::one_of;
use crate::options::bounds;
use crate::read::cursor::{Class, Cursor, No, Step};
use crate::read::ids::UNKNOWN;

/// The most letters before a string.
const PREFIX: usize = 2;
/// White space before the next call, if a comma stands before a bracket: there is less room.
const SHORT: usize = 192;

impl Python {
    /// Whether no other call of a list or of a line may follow a call of this kind.
    fn is_one(&self, kind: u8) -> bool {
        kind == DOTTED || self.t.form == Form::One
    }

    /// Returns the texts behind which a call of this kind is over.
    pub(super) fn ends(&self, kind: u8) -> &[Box<str>] {
        &self.ends[usize::from(kind == DOTTED)]
    }

    /// Reads the text which shows that the string before it has ended.
    pub(super) fn string_ends(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        if look.json.is_nested() {
            return nested(look.json.closing(), c);
        }
        match c.peek()? {
            b')' => c.or_end(|c| self.call_ends(look, kind, bounds::WHITE_SPACE, c)),
            b',' => c.or_end(|c| {
                c.literal(",")?;
                let from = c.pos;
                c.white()?;
                if c.peek()? != b')' {
                    return next_key(look, c);
                }
                let white = if c.pos - from > SHORT { 0 } else { SHORT };
                self.call_ends(look, kind, white, c)
            }),
            _ => Err(No),
        }
    }

    /// Reads the bracket of the call, and the end of the list or its next call. `white`: the most white space between
    /// the parts of a call of a declared tool.
    fn call_ends(&self, look: &Look<'_>, kind: u8, white: usize, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(")")?;
        let first = !look.json.holds_quote();
        let closed = first || !look.json.opened_more();
        if self.is_one(kind) {
            return if closed { Ok(()) } else { self.is_over(kind, c) };
        }
        one_of!(c;
            |c| if closed { self.closes_list(c) } else { Err(No) },
            |c| if first { self.any_call(look, c) } else { Err(No) },
            |c| self.is_over(kind, c),
            |c| if white > 0 { self.known_call(look, white, c) } else { Err(No) },
        )
    }

    /// Reads the bracket of the list, or the end of the line.
    fn closes_list(&self, c: &mut Cursor<'_>) -> Step<()> {
        if self.t.form == Form::Lines {
            return c.line_end();
        }
        c.white()?;
        c.literal("]")
    }

    /// Reads the end of the list, if there is one, with the closer behind it or the end of the message.
    fn is_over(&self, kind: u8, c: &mut Cursor<'_>) -> Step<()> {
        let listed = !self.is_one(kind) && self.t.form != Form::Lines;
        c.white()?;
        if listed && c.peek()? == b']' {
            c.literal("]")?;
            c.white()?;
        }
        c.any(self.ends(kind))
    }

    /// Reads the text that separates two calls.
    fn between(&self, c: &mut Cursor<'_>) -> Step<()> {
        if self.t.form == Form::Lines {
            return c.line_end();
        }
        c.white()?;
        c.literal(",")
    }

    /// Reads the beginning of the next call, with any name.
    fn any_call(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.between(c)?;
        c.white()?;
        self.name(look, false, c)?;
        super::bracket(c)
    }

    /// Reads the beginning of the next call, whose bracket or keyword shows that it is one.
    fn known_call(&self, look: &Look<'_>, white: usize, c: &mut Cursor<'_>) -> Step<()> {
        let gap = |c: &mut Cursor<'_>| c.run(Class::White, 0, white).map(|_| ());
        self.between(c)?;
        gap(c)?;
        self.name(look, true, c)?;
        gap(c)?;
        c.literal("(")?;
        gap(c)?;
        one_of!(c; |c| c.literal(")"), |c| {
            key(c)?;
            gap(c)?;
            c.literal("=")
        })
    }
}

/// Reads a keyword.
fn key(c: &mut Cursor<'_>) -> Step<()> {
    word(c.run(Class::Keyed, 1, bounds::NAME)?).map(|_| ())
}

/// Reads the keyword of the next value: any keyword at the first quote of a string, later one that the call
/// lacks.
fn next_key(look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
    let any = !look.json.holds_quote() || look.call.tool == UNKNOWN;
    match any {
        true => key(c)?,
        false => {
            let params = look.tools.params(look.call.tool);
            let (name, _) = c.known(params, false, Some(&|param| look.is_fresh(param)))?;
            word(name)?;
        }
    }
    c.white()?;
    c.literal("=")?;
    c.one_but(b"=")
}

/// In a list, a tuple or a dict, whose closer is `own`.
fn nested(own: &str, c: &mut Cursor<'_>) -> Step<()> {
    let next = c.peek()?;
    match next {
        // The closer is not known.
        b',' | b')' | b']' | b'}' if own.is_empty() => Ok(()),
        b',' => c.or_end(|c| {
            c.literal(",")?;
            c.white()?;
            one_of!(c; |c| c.byte_of(b")]}").map(|_| ()), literal)
        }),
        b':' if own == "}" => c.or_end(|c| {
            c.literal(":")?;
            c.white()?;
            literal(c)
        }),
        _ if own.as_bytes().first() == Some(&next) => c.or_end(|c| {
            c.literal(own)?;
            c.white()?;
            c.byte_of(b",)]}").map(|_| ())
        }),
        _ => Err(No),
    }
}

/// Reads the beginning of a literal.
fn literal(c: &mut Cursor<'_>) -> Step<()> {
    let begins = |c: &mut Cursor<'_>| c.byte_of(b"'\"[({-+.0123456789").map(|_| ());
    one_of!(c; begins, prefixed_string, |c| {
        c.any(&["True", "False", "None", "true", "false", "null"])?;
        let next = c.peek()?;
        if next.is_ascii_alphanumeric() || next == b'_' { Err(No) } else { Ok(()) }
    })
}

/// Reads a string with letters before its quote.
fn prefixed_string(c: &mut Cursor<'_>) -> Step<()> {
    let letter = |byte: &&u8| b"FRUfru".contains(byte);
    let letters = c.bytes().iter().take(PREFIX + 1).take_while(letter).count();
    if letters == 0 && !c.bytes().is_empty() || letters > PREFIX {
        return Err(No);
    }
    c.pos += letters;
    c.byte_of(b"\"'").map(|_| ())
}
