//! The input of a call: an object, text up to a line that ends it, or text in a bracket.
//!
//! ```text
//! input     := blanks signs? object rest-of-line | fence-line ws object rest-of-line ( ws fence-line )? | text
//! signs     := up to 8 of * `
//! bracketed := text "]" line-end
//! ends      := a step, a line with another keyword, or the fence that closes the one round the step
//! ```
//! At the end of the stream a text ends well, and so does a call without an input whose tool needs none.

use super::line::{self, Keyword};
use super::{
    AT_INPUT, BRACKETED, CUT_NAME, ENDS_INPUT, FENCE, FENCED_ORPHAN_TAIL, FENCED_TAIL, INPUT,
    INPUT_OBJECT, OBJECT, ORPHAN_OBJECT, ORPHAN_TAIL, PLAIN, React, TAIL,
};
use crate::family::Look;
use crate::options::bounds;
use crate::read::act::{InCall, InSection, Opener, Place, Scope};
use crate::read::cursor::{Class, Cursor, Half, More, No, Step, Way};

/// Info words of a fence around an object.
const INFOS: [&str; 9] =
    ["json5", "jsonc", "json", "JSON5", "JSONC", "JSON", "Json5", "Jsonc", "Json"];
/// Most signs before an object.
const SIGNS: usize = 8;

const BLANK: Way = Half::NONE.role("blank line");
const BEFORE: InCall<'_> = InCall::Close { scope: Scope::Call, note: None, before: true };

impl React {
    /// Behind a name: only its input may stand there.
    pub(super) fn behind_name<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if c.noise_or(BLANK, line::end)?.is_some() {
            return Ok(InCall::Mark);
        }
        let input =
            c.noise_or(INPUT, |c| self.keyword(look, |of| of == Keyword::Input, c)?.close(c))?;
        if input.is_some() {
            return Ok(InCall::Then(AT_INPUT));
        }
        if c.ended() && self.half_keyword(look, c) {
            c.pos += c.rest().len();
            return Ok(InCall::Then(CUT_NAME));
        }
        // The call ended before any other text.
        c.noise_or(ENDS_INPUT, |_| Ok(()))?;
        Ok(BEFORE)
    }

    /// Whether the end of the stream leaves at least a letter of the keyword.
    fn half_keyword(&self, look: &Look<'_>, c: &Cursor<'_>) -> bool {
        let half = c.ahead(|c| self.keyword(look, |of| of == Keyword::Input, c).map(|_| ()));
        half == Err(More) && self.has_letters(look, c)
    }

    /// Behind the keyword of the input.
    pub(super) fn at_input<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if look.line_start {
            if let Some(fenced) = c.noise_or(OBJECT, object)? {
                return Ok(InCall::Object(INPUT_OBJECT + fenced));
            }
            if self.ends_here(look, false, c)? {
                return Ok(BEFORE);
            }
        }
        if white(c) {
            return Ok(InCall::Mark);
        }
        let mut fenced = false;
        if !look.line_start {
            if let Some(fenced) = c.noise_or(OBJECT, object)? {
                return Ok(InCall::Object(INPUT_OBJECT + fenced));
            }
            fenced = c.ahead(|c| c.noise_or(FENCE, line::fence))?.is_some();
        }
        Ok(InCall::Input { kind: PLAIN, fenced })
    }

    /// Behind the bracket that opens an input.
    pub(super) fn at_bracket<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if look.line_start && self.ends_here(look, true, c)? {
            return Ok(InCall::Lost);
        }
        if white(c) {
            return Ok(InCall::Mark);
        }
        if c.noise_or(ENDS_INPUT, bracket)?.is_some() {
            return Ok(InCall::Close { scope: Scope::Call, note: None, before: false });
        }
        Ok(InCall::Input { kind: BRACKETED, fenced: false })
    }

    /// Whether an input has ended before this line.
    pub(super) fn ends_here(
        &self,
        look: &Look<'_>,
        bracketed: bool,
        c: &mut Cursor<'_>,
    ) -> Step<bool> {
        let start = *c;
        let ends = c.noise_or(ENDS_INPUT, |c| self.ends_input(look, c))?.is_some()
            || !bracketed && c.noise_or(ENDS_INPUT, |c| self.half_stop_word(look, c))?.is_some()
            || look.is.wrapped && c.noise_or(ENDS_INPUT, line::closing_fence)?.is_some();
        *c = start;
        Ok(ends)
    }

    /// Reads a line with a keyword that ends an input.
    fn ends_input(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let start = c.pos;
        let found = self.keyword(look, |of| of != Keyword::Input, c)?;
        match found.keyword {
            Keyword::Action => self.any_step(look, found, c),
            Keyword::Question => {
                line::whole(start, c)?;
                c.follow(false, |c| self.follows(look, Keyword::is_step, c))
            }
            _ => Ok(()),
        }
    }

    /// Behind an object: reads the rest of its line, and the line that closes the fence around it.
    pub(super) fn in_tail<'t>(
        &self,
        look: &Look<'_>,
        kind: u8,
        c: &mut Cursor<'t>,
    ) -> Step<InSection<'t>> {
        let fenced = matches!(kind, FENCED_TAIL | FENCED_ORPHAN_TAIL);
        if look.line_start {
            if fenced {
                c.noise_or(FENCE, |c| {
                    c.white()?;
                    c.literal("```")?;
                    line::gap(c)?;
                    line::end(c)
                })?;
            }
            return Ok(InSection::Close(None));
        }
        if fenced && c.noise_or(FENCE, |c| c.literal("```"))?.is_some() {
            let tail = if kind == FENCED_TAIL { TAIL } else { ORPHAN_TAIL };
            return Ok(InSection::Open(Opener::new(Place::Section(tail))));
        }
        c.none()
    }

    /// An input that belongs to no call.
    pub(super) fn in_orphan<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        if !look.line_start && white(c) {
            return Ok(InSection::Mark(None));
        }
        if let Some(fenced) = c.noise_or(OBJECT, object)? {
            let object = Place::Body(ORPHAN_OBJECT + fenced);
            return Ok(InSection::Open(Opener::new(object)));
        }
        if !look.line_start {
            let tail = Opener { before: true, ..Opener::new(Place::Section(ORPHAN_TAIL)) };
            return Ok(InSection::Open(tail));
        }
        let blank = c.noise_or(BLANK, line::end)?.is_some();
        Ok(if blank { InSection::Mark(None) } else { InSection::Close(None) })
    }
}

/// Skips white space, no further than to the next line. Returns whether there is some.
fn white(c: &mut Cursor<'_>) -> bool {
    let bytes = c.bytes();
    let blanks = bytes.iter().take_while(|byte| Class::Blank.has_byte(**byte)).count();
    let white = blanks + usize::from(bytes.get(blanks) == Some(&b'\n'));
    c.pos += white;
    white > 0
}

/// Reads the bracket that closes an input, if nothing follows it on its line.
pub(super) fn bracket(c: &mut Cursor<'_>) -> Step<()> {
    c.literal("]")?;
    line::end(c)
}

/// Reads the brace of an object, behind signs or the line of a fence. Returns 1 behind a fence.
fn object(c: &mut Cursor<'_>) -> Step<u8> {
    c.run(Class::Gap, 0, bounds::LINE)?;
    let start = *c;
    let is_sign = |byte: &&u8| matches!(**byte, b'*' | b'`');
    c.pos += c.bytes().iter().take(SIGNS).take_while(is_sign).count();
    if c.peek()? == b'{' {
        c.pos += 1;
        return Ok(0);
    }
    *c = start;
    c.literal("```")?;
    line::gap(c)?;
    info(c)?;
    c.run(Class::Blank, 0, bounds::LINE)?;
    c.literal("\n")?;
    c.white()?;
    c.literal("{")?;
    Ok(1)
}

/// Reads an info word that names JSON, or an empty one.
fn info(c: &mut Cursor<'_>) -> Step<()> {
    let start = c.pos;
    let word = c.bytes().iter().take(6).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    c.pos += word;
    let word = c.since(start);
    if c.bytes().is_empty() && INFOS.iter().any(|known| known.starts_with(word)) {
        return c.more();
    }
    if word.is_empty() || INFOS.contains(&word) { Ok(()) } else { Err(No) }
}
