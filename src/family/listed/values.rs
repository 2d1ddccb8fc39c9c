//! Values between tokens: their own closers, and the signs of a forgotten one.
//!
//! ```text
//! END_VALUE ws ( KEY | END_CALL | CALL | END_SECTION | end )       closes the value
//! END_CALL where the call is over                                  both closers, the first forgotten
//! CALL that begins, KEY of a parameter that is not given           before it: what was forgotten is broken
//! ```
//! Anything else that looks like a token is data, and is reported once a call.

use super::{LOST, Listed, MARK, Suffix};
use crate::event::DiagnosticKind;
use crate::family::Look;
use crate::family::headers::first_of;
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{Closer, InValue, Scope};
use crate::read::cursor::{Class, Cursor, Half, Step};

const ARGUMENT: &str = "closer of an argument";
const LOST_ARGUMENT: &str = "lost closer of an argument";

impl Listed {
    pub(super) fn value_ends<'t>(
        &self,
        look: &Look<'_>,
        suffix: Suffix<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        if c.way(MARK.role(ARGUMENT), |c| self.own_closer(suffix, c))?.is_some() {
            return Ok(InValue::Close(Closer::OWN));
        }
        let open = !look.is.holds_closer;
        if open && c.noise_or(MARK.role(LOST_ARGUMENT), |c| self.both(look, suffix, c))?.is_some() {
            return Ok(InValue::Close(Closer::BOTH));
        }
        let named = c.noise_or(MARK.role("closer of an argument under another name"), |c| {
            self.named_closer(look, suffix, c)
        })?;
        if named.is_some() {
            return Ok(InValue::Close(Closer::OWN.note(DiagnosticKind::MismatchedCloser)));
        }
        let both = open
            && look.is.in_section
            && c.noise_or(MARK.role(LOST_ARGUMENT), |c| {
                self.call[1].read(suffix, c)?;
                c.follow(false, |c| {
                    c.white()?;
                    self.call[0].read(suffix, c)?;
                    self.nothing_given(suffix, c)
                })
            })?
            .is_some();
        if both {
            return Ok(InValue::Close(Closer::BOTH));
        }
        if let Some(found) = self.something_begins(look, suffix, c)? {
            return Ok(found);
        }
        if c.noise_or(MARK.role(LOST_ARGUMENT), |c| self.call[1].read(suffix, c))?.is_some() {
            return Ok(InValue::Close(Closer { broken: true, ..Closer::BOTH }));
        }
        let data = Half::NONE.role("data that looks like a marker");
        if !look.is.suspected && c.noise_or(data, |c| c.any(&self.t.suspects))?.is_some() {
            return Ok(InValue::Suspect { doubtful: true });
        }
        c.none()
    }

    /// Reads the value's own closer, confirmed by the text behind it.
    fn own_closer(&self, suffix: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.value[1].read(suffix, c)?;
        c.is_own_closer();
        c.follow(true, |c| {
            c.white()?;
            let tags = [&self.key[0], &self.call[1], &self.call[0], &self.section[1]];
            first_of(tags.map(|tag| c.ahead(|c| tag.read(suffix, c).map(|_| ()))))
        })
    }

    /// Reads the closer of the call, if the call is over there.
    fn both(&self, look: &Look<'_>, suffix: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.call[1].read(suffix, c)?;
        c.follow(false, |c| {
            one_of!(c;
                |c| self.over(look, suffix, c),
                |c| {
                    // The stream may also end in the middle of the section's closer.
                    c.or_end(|c| {
                        c.white()?;
                        self.section[1].read(suffix, c)?;
                        c.at_end()
                    })
                },
                |c| {
                    c.white()?;
                    self.section[1].read(suffix, c)?;
                    self.over(look, suffix, c)
                },
            )
        })
    }

    /// Reads the proof that a call, or its section, is over.
    fn over(&self, look: &Look<'_>, suffix: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| c.at_end(),
            |c| {
                c.white()?;
                self.section[0].read(suffix, c)?;
                c.white()?;
                c.literal(&self.call[0].head)
            },
            |c| {
                c.white()?;
                first_of(self.tokens.iter().map(|tag| {
                    c.ahead(|c| tag.read(suffix, c).map(|_| ()))
                }))
            },
            |c| {
                c.white()?;
                self.begins(look, suffix, false, c)
            },
        )
    }

    /// Reads a closer with the parameter's name.
    fn named_closer(&self, look: &Look<'_>, suffix: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.any(&self.t.named_closers)?;
        c.literal(&look.call.captured.param)?;
        if suffix != Suffix::Without && c.peek()? == b':' {
            c.literal(":")?;
            c.literal(suffix.text())?;
        }
        c.literal(">")?;
        c.follow(false, |c| {
            c.white()?;
            let tags = [&self.key[0], &self.call[1], &self.section[1]];
            first_of(tags.map(|tag| c.ahead(|c| tag.read(suffix, c).map(|_| ()))))
        })
    }

    /// Reads the beginning of a call, a section or a parameter: the value ended before it.
    fn something_begins<'t>(
        &self,
        look: &Look<'_>,
        suffix: Suffix<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InValue<'t>>> {
        let start = *c;
        let broken = Closer { before: true, broken: true, ..Closer::BOTH };
        let next = c.noise_or(MARK.role(LOST_ARGUMENT), |c| self.next_call(look, suffix, c))?;
        let call = next.is_some()
            || look.is.in_section
                && c.noise_or(MARK.role(LOST), |c| self.next_empty(suffix, c))?.is_some();
        if call {
            *c = start;
            return Ok(Some(InValue::Close(broken)));
        }
        let section = c.noise_or(MARK.role(LOST_ARGUMENT), |c| self.section_opens(suffix, c))?;
        if section.is_some() {
            *c = start;
            return Ok(Some(InValue::Close(Closer { scope: Scope::Section, ..broken })));
        }
        for hint in [None].into_iter().chain(self.hint.as_ref().map(Some)) {
            let key = c.noise_or(MARK.role(LOST_ARGUMENT), |c| {
                self.key[0].read(suffix, c)?;
                c.white()?;
                let params = look.tools.params(look.call.tool);
                c.known(params, false, Some(&|param| look.is_fresh(param)))?;
                c.white()?;
                self.key[1].read(suffix, c)?;
                c.white()?;
                if let Some([open, close]) = hint {
                    open.read(suffix, c)?;
                    c.run(Class::NoTag, 0, bounds::NAME)?;
                    close.read(suffix, c)?;
                    c.white()?;
                }
                self.value[0].read(suffix, c)
            })?;
            if key.is_some() {
                *c = start;
                return Ok(Some(InValue::Close(Closer::BEFORE)));
            }
        }
        Ok(None)
    }
}
