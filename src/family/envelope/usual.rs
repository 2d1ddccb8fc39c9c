//! The usual headers, decided in one pass over their bytes. The forms of [`super::header`] read all others.
//!
//! ```text
//! usual   := words "to=" NAME words MESSAGE
//!          | words "to=" NAME words CHANNEL ws word? content
//!          | words CHANNEL ws word ( ws "to=" NAME )? content
//! content := ws ( "json" | "code" | "text" | "xml" )? ws ( CONSTRAIN any )? MESSAGE
//! words   := anything without ">", before a recipient or a channel also without "="
//! ```
//! Every token ends with its only `>`, and the text before a recipient with its only `=`: nothing is decided before one of these
//! bytes comes. The general forms give the same answer: forms that are tried before the one that reads such a header fail inside
//! it. The general forms also read headers longer than [`SHORT`], so that no bound is near, and headers of a dialect with other
//! tokens.
//!
//! The forms are its twin: for a sink that asks for a diagnosis, only they read, and the events are the same
//! (`tests/it/explain.rs`).

use memchr::{memchr, memchr2};

use super::header::Called;
use super::parts::{CONTENTS, Parts};
use crate::family::Look;
use crate::read::cursor::{Class, Cursor, More, No, Step};
use crate::read::wait::Wait;

/// Longest usual header, in bytes: no longer than a name may be.
const SHORT: usize = 128;

/// A usual header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usual<'t> {
    Call(Called<'t>),
    Reasoning,
    Text,
}

impl Parts {
    /// Reads a usual header. `No`: another header, or none.
    pub fn usual<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Usual<'t>> {
        if self.t.channel.is_empty() || self.t.constrain.len() != 1 {
            return Err(No);
        }
        let (start, come) = (c.pos, c.bytes().len());
        let read = self.read_usual(look, c);
        let len = if read == Err(More) { come } else { c.pos - start };
        if len > SHORT { Err(No) } else { read }
    }

    fn read_usual<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Usual<'t>> {
        let t = &self.t;
        let rest = c.rest();
        let words = up_to(memchr2(b'=', b'>', short(c)), c)?;
        if words.ends_with(t.to.as_bytes()) {
            // After a call, another author may write to the model.
            let writer = &rest[..Class::Name.run(rest, SHORT).min(words.len())];
            if look.call.count > 0 && *writer != *t.author && !rest.starts_with(&*t.to) {
                return Err(No);
            }
            return self.usual_call(look, c);
        }
        if !words.ends_with(t.channel.as_bytes()) {
            return Err(No);
        }
        white(c)?;
        let channel = name(c)?;
        if channel.is_empty() {
            return Err(No);
        }
        white(c)?;
        if c.peek()? == b't' {
            match c.literal(&t.to) {
                Err(No) => {}
                read => {
                    read?;
                    let called = self.named(look, name(c)?)?;
                    self.usual_content(c)?;
                    return Ok(Usual::Call(called));
                }
            }
        }
        self.usual_content(c)?;
        Ok(if *channel == *t.thinks { Usual::Reasoning } else { Usual::Text })
    }

    /// Behind the text before a recipient, ahead of any token.
    fn usual_call<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Usual<'t>> {
        let called = self.named(look, name(c)?)?;
        let words = up_to(memchr(b'>', short(c)), c)?;
        if words.ends_with(self.t.channel.as_bytes()) {
            white(c)?;
            name(c)?;
            self.usual_content(c)?;
        } else if !words.ends_with(self.t.message.as_bytes()) {
            return Err(No);
        }
        Ok(Usual::Call(called))
    }

    /// Reads the content's type and the token of the message.
    fn usual_content(&self, c: &mut Cursor<'_>) -> Step<()> {
        white(c)?;
        if c.peek()? != b'<' {
            c.any(&CONTENTS)?;
            if Class::Name.has_byte(c.peek()?) {
                return Err(No);
            }
            white(c)?;
        }
        match c.any(&self.t.constrain) {
            Err(No) => return c.literal(&self.t.message),
            read => read?,
        }
        let kind = up_to(memchr2(b'<', b'=', short(c)), c)?;
        if kind.ends_with(b"=") {
            return Err(No);
        }
        c.pos -= 1;
        c.literal(&self.t.message)
    }
}

/// Returns as much of the text as a usual header may be long.
fn short<'t>(c: &Cursor<'t>) -> &'t [u8] {
    let bytes = c.bytes();
    &bytes[..bytes.len().min(SHORT)]
}

/// Reads up to a byte at this distance, and with it.
fn up_to<'t>(at: Option<usize>, c: &mut Cursor<'t>) -> Step<&'t [u8]> {
    match at {
        Some(at) => {
            let read = &c.bytes()[..=at];
            c.pos += read.len();
            Ok(read)
        }
        // Only a sign that no key has decides.
        None => match SHORT.checked_sub(c.bytes().len()) {
            Some(room @ 1..) => c.wait(Wait::Run(Class::Key, room as u16)),
            _ => Err(No),
        },
    }
}

/// Reads a name, perhaps an empty one, up to something else.
fn name<'t>(c: &mut Cursor<'t>) -> Step<&'t str> {
    let len = Class::Name.run(c.rest(), SHORT);
    match c.rest().len() {
        _ if len > SHORT => Err(No),
        come if come == len => c.wait(Wait::Run(Class::Name, (SHORT - len) as u16)),
        _ => {
            c.pos += len;
            Ok(c.since(c.pos - len))
        }
    }
}

/// Reads white space, perhaps none, up to something else.
fn white(c: &mut Cursor<'_>) -> Step<()> {
    while Class::White.has_byte(c.peek()?) {
        c.pos += 1;
    }
    Ok(())
}
