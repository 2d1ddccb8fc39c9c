//! Messages without their tokens, which a server has taken off, as in `harmony:stripped`.
//!
//! ```text
//! start := ws "analysis" reasoning | call                    turn := AUTHOR then
//! then  := "final" text | "analysis" reasoning | "commentary" text | call
//! call  := ws ( "commentary" blanks )? "to=" PREFIX? NAME ws ( "commentary" ws )?
//!          ( ( "json" | "code" ) ws )? object
//! ```
//! NAME is declared, and no white space stands after `analysis` and `commentary`. Reasoning, and the text after
//! `commentary`, end at a turn; after a call a turn may stand. In `analysisI read it.assistantcommentary to=read {`,
//! cut before `to=`, the turn is pending; with the brace it is a call.

use super::header::first_of;
use super::{
    Envelope, MARKUP, STRIPPED, STRIPPED_CALL, STRIPPED_OBJECT, TEXT, TURN, message, reasoning,
};
use crate::family::Look;
use crate::options::bounds;
use crate::read::act::{InCall, InSection, InText, Opener, Place};
use crate::read::cursor::{Class, Cursor, Half, Step};

const FINAL: &str = "final";
const COMMENTARY: &str = "commentary";

/// The words that may stand between a name and its object.
const BEFORE_OBJECT: [&[&str]; 6] =
    [&[], &[COMMENTARY], &["json"], &["code"], &[COMMENTARY, "json"], &[COMMENTARY, "code"]];

/// Reads words, and the object behind them.
fn object(words: &[&str], c: &mut Cursor<'_>) -> Step<()> {
    for word in words {
        c.white()?;
        c.literal(word)?;
    }
    c.white()?;
    c.literal("{")
}

fn any_object(c: &mut Cursor<'_>) -> Step<()> {
    first_of(BEFORE_OBJECT, c, object)
}

/// Reads a channel's word that no white space follows.
fn channel(word: &str, c: &mut Cursor<'_>) -> Step<()> {
    c.literal(word)?;
    c.ahead(|c| c.one_but(b" \t\r\n"))
}

impl Envelope {
    /// Reads the header of a call up to the name of its declared tool, behind this text.
    fn stripped_call<'t>(
        &self,
        look: &Look<'_>,
        before: &str,
        half: Half,
        c: &mut Cursor<'t>,
    ) -> Step<Option<Opener<'t>>> {
        let t = &self.p.t;
        let ways = [(false, ""), (false, &*t.prefix), (true, ""), (true, &*t.prefix)];
        let called = c.way(half.and(Half::OPENER).role("opener of a call"), |c| {
            first_of(ways, c, |(commentary, prefix), c| {
                c.literal(before)?;
                c.white()?;
                if commentary {
                    c.literal(COMMENTARY)?;
                    c.run(Class::Gap, 1, bounds::WHITE_SPACE)?;
                }
                c.literal(&t.to)?;
                c.literal(prefix)?;
                let called = c.known(&look.tools.names, false, None)?;
                c.follow(true, any_object)?;
                Ok(called)
            })
        })?;
        let opener = Opener::new(Place::Call(STRIPPED_CALL));
        Ok(called.map(|(name, tool)| opener.named(name, tool)))
    }

    /// Reads the first message of a stream.
    pub(super) fn stripped_start<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        if !self.p.t.stripped {
            return Ok(None);
        }
        let thinks = c.way(MARKUP.role("opener of reasoning"), |c| {
            c.white()?;
            channel(&self.p.t.thinks, c)
        })?;
        if thinks.is_some() {
            return Ok(Some(reasoning(STRIPPED, None)));
        }
        Ok(self.stripped_call(look, "", MARKUP, c)?.map(InText::Open))
    }

    /// Reads the author and the message behind it. `half`: the meaning of half a turn.
    pub(super) fn turn<'t>(
        &self,
        look: &Look<'_>,
        half: Half,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let t = &self.p.t;
        let after = |word: &str, c: &mut Cursor<'_>| {
            c.literal(&t.author)?;
            channel(word, c)
        };
        let last = c.way(half.role("last message"), |c| {
            c.literal(&t.author)?;
            c.literal(FINAL)
        })?;
        if last.is_some() {
            return Ok(Some(message(TEXT, None)));
        }
        let way = half.and(Half::OPENER).role("next message");
        if c.way(way, |c| after(&t.thinks, c))?.is_some() {
            return Ok(Some(reasoning(STRIPPED, None)));
        }
        if c.way(way, |c| after(COMMENTARY, c))?.is_some() {
            return Ok(Some(message(STRIPPED, None)));
        }
        if !look.calls {
            return Ok(None);
        }
        Ok(self.stripped_call(look, &t.author, half, c)?.map(InText::Open))
    }

    /// Behind the object of such a call: reads a turn. A message that begins with it is read where text
    /// begins.
    pub(super) fn turn_behind_object<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let start = *c;
        Ok(self.turn(look, MARKUP, c)?.map(|turn| match turn {
            InText::Open(opener) => InSection::Open(opener),
            _ => {
                *c = start;
                InSection::Message { kind: TURN, note: None }
            }
        }))
    }

    /// Behind the name of such a call.
    pub(super) fn stripped_body<'t>(&self, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        match c.way(MARKUP.role("opener of the arguments"), any_object)? {
            Some(()) => Ok(InCall::Object(STRIPPED_OBJECT)),
            None => c.none(),
        }
    }
}
