//! Arguments one by one, and the values in them.

use super::mark::{self, Closes, Mark, read};
use super::{OPENER, Written};
use crate::event::DiagnosticKind;
use crate::family::{Framing, Look, headers};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{Closer, InValue, Scope};
use crate::read::cursor::{Class, Cursor, Half, No, Step};

const MARK: Half = Half::MARK;

/// Roles.
const END_VALUE: &str = "closer of an argument";
const LOST: &str = "lost closer of an argument";
const DATA: &str = "data that looks like a marker";

/// Behind a closer that may stand in a value, no other one stands on its line before the next call: the last one is the call's, and
/// the others are data. If the stream is cut, the last one is unknown.
pub(in crate::family) fn is_last_of_line<'t>(
    c: &mut Cursor<'t>,
    closer: impl Fn(&mut Cursor<'t>) -> Step<()>,
    call: impl Fn(&mut Cursor<'t>) -> Step<()>,
) -> Step<()> {
    let start = c.pos;
    while c.pos - start < bounds::LINE && c.peek()? != b'\n' {
        match c.ahead(&closer) {
            Err(No) => {}
            other => return other.and(Err(No)),
        }
        match c.ahead(&call) {
            Err(No) => c.one_but(&[])?,
            other => return other,
        }
    }
    Ok(())
}

/// The markers of an argument.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// The opener of an argument: up to the value, with any name; as it stands in a call, perhaps behind white
    /// space; and as it confirms a closer.
    pub any: Mark,
    pub opener: Mark,
    pub next: Mark,
    /// The openers of a declared argument, and of one that was not given yet. Empty if an argument begins with
    /// its key.
    pub declared: Mark,
    pub fresh: Mark,
    /// Openers before which a value ends that has no closer. Empty: it has one.
    pub starts: Vec<Mark>,
    pub close: Mark,
    /// A line break closes the value, and is read again: it may stand before the next key.
    pub closes_line: bool,
    /// Calls and arguments are tags like those of XML.
    pub is_xml: bool,
    pub framing: Framing,
    /// Data that looks like a marker, where arguments are special tokens.
    pub suspects: Vec<Mark>,
}

impl Argument {
    /// Reads the opener of an argument in its call.
    pub fn opens<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<&'t str> {
        let opener = |mark: &Mark, c: &mut Cursor<'t>| {
            read(mark, look, Closes::Any, c).map(|found| found.param)
        };
        match self.starts.first() {
            // A declared key may be any text.
            Some(declared) => c.either(|c| opener(declared, c), |c| opener(&self.opener, c)),
            None => opener(&self.opener, c),
        }
    }

    /// Reads the opener of the first argument, if it begins with its key: any white space may stand before
    /// it.
    pub fn opens_first<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<&'t str> {
        if !self.declared.is_empty() {
            return Err(No);
        }
        c.run(Class::White, 1, bounds::WHITE_SPACE)?;
        read(&self.next, look, Closes::Any, c).map(|found| found.param)
    }

    /// Returns the beginnings of the markers that a value may hold.
    pub fn firsts(&self) -> impl Iterator<Item = Vec<u8>> {
        let line = self.closes_line.then(|| [b"\n".to_vec(), b"\r\n".to_vec()]);
        let tag = (self.is_xml).then(|| b"</".to_vec());
        let marks = [&self.close, &self.declared, &self.fresh].into_iter().chain(&self.suspects);
        let texts = marks.flat_map(|mark| mark::first(mark)).map(|text| text.as_bytes().to_vec());
        texts.chain(line.into_iter().flatten()).chain(tag)
    }
}

impl Written {
    /// Reads a marker in a value: its closer, the end of its call, or data that looks like one.
    pub(super) fn value_marker<'t>(
        &self,
        look: &Look<'_>,
        argument: &Argument,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        let ends = match argument.starts.is_empty() {
            true => self.value_ends(look, argument, c)?,
            false => self.open_value_ends(look, argument, c)?,
        };
        if let Some(closer) = ends {
            return Ok(InValue::Close(closer));
        }
        let quotes = !self.t.special && !look.is.doubtful && self.quotes(look, c)?;
        if quotes {
            return Ok(InValue::Suspect { doubtful: true });
        }
        if !look.is.suspected && self.is_suspect(look, argument, c)? {
            return Ok(InValue::Suspect { doubtful: self.t.special });
        }
        c.none()
    }

    /// The end of a value that nothing closes: the next argument, or the closer of the call. Where that is lost, the
    /// closer of the section or the next call shows it: then the call is not whole.
    fn open_value_ends(
        &self,
        look: &Look<'_>,
        argument: &Argument,
        c: &mut Cursor<'_>,
    ) -> Step<Option<Closer>> {
        for start in &argument.starts {
            if c.way(MARK.role(END_VALUE), |c| read(start, look, Closes::Any, c))?.is_some() {
                return Ok(Some(Closer { note: None, ..Closer::BEFORE }));
            }
        }
        let name = Closes::Named(&look.call.captured.name);
        let closes = c.way(MARK.role(END_VALUE), |c| {
            self.end(look, name, c)?;
            c.is_own_closer();
            c.follow(!c.cut(), |c| {
                is_last_of_line(c, |c| self.end(look, Closes::Any, c), |c| self.begins(c))
            })
        })?;
        if closes.is_some() {
            return Ok(Some(Closer { scope: Scope::Call, ..Closer::OWN }));
        }
        let lost = c.noise_or(MARK.and(OPENER).role(LOST), |c| {
            c.follow(
                false,
                |c| one_of!(c; |c| self.end_section(look, c), |c| self.declared_call(look, c)),
            )
        })?;
        Ok(lost.map(|()| Closer { scope: Scope::Call, broken: true, ..Closer::BEFORE }))
    }

    fn value_ends(
        &self,
        look: &Look<'_>,
        argument: &Argument,
        c: &mut Cursor<'_>,
    ) -> Step<Option<Closer>> {
        let own = c.way(MARK.role(END_VALUE), |c| {
            match argument.closes_line {
                true => c.line_break()?,
                false => read(&argument.close, look, Closes::Any, c).map(|_| ())?,
            }
            c.is_own_closer();
            c.follow(true, |c| self.follows_value(look, argument, c))
        })?;
        if own.is_some() {
            return Ok(Some(Closer { before: argument.closes_line, ..Closer::OWN }));
        }
        let name = Closes::Named(&look.call.captured.name);
        let renamed = argument.is_xml
            && c.noise_or(MARK.role("closer of an argument under another name"), |c| {
                c.literal("</")?;
                c.literal(&look.call.captured.param)?;
                c.literal(">")?;
                c.follow(false, |c| {
                    c.white()?;
                    one_of!(c;
                        |c| read(&argument.next, look, Closes::Any, c).map(|_| ()),
                        |c| self.end(look, name, c),
                    )
                })
            })?
            .is_some();
        if renamed {
            return Ok(Some(Closer::OWN.note(DiagnosticKind::MismatchedCloser)));
        }
        let both = !look.is.holds_closer
            && c.noise_or(MARK.role(LOST), |c| {
                self.end(look, name, c)?;
                c.follow(false, |c| self.follows_call(look, c))
            })?
            .is_some();
        if both {
            return Ok(Some(Closer::BOTH));
        }
        if !self.t.special {
            return Ok(None);
        }
        // No value holds special tokens: the next call ends this one, and the next argument ends this value.
        let next = c.noise_or(MARK.and(OPENER).role(LOST), |c| self.confirmed_call(look, c))?;
        if next.is_some() {
            return Ok(Some(Closer { scope: Scope::Call, broken: true, ..Closer::BEFORE }));
        }
        let fresh = !argument.fresh.is_empty()
            && c.noise_or(MARK.role(LOST), |c| read(&argument.fresh, look, Closes::Any, c))?
                .is_some();
        Ok(fresh.then_some(Closer::BEFORE))
    }

    /// Reads the confirmation of a value's closer: the next argument, the closer of the call or of its section, or
    /// the next call.
    fn follows_value(&self, look: &Look<'_>, argument: &Argument, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| read(&argument.next, look, Closes::Any, c).map(|_| ()),
            |c| self.end(look, Closes::Any, c),
            |c| self.end_section(look, c),
            |c| match self.named_ends {
                // If closers name their call, the header of the next call confirms without its body.
                true => {
                    let heads = self.t.heads.iter();
                    let read = |head: &Mark| c.ahead(|c| read(head, look, Closes::Any, c).map(|_| ()));
                    headers::first_of(heads.map(read))
                }
                false => self.confirmed_call(look, c),
            },
        )
    }

    /// Reads the text which shows that a call is over: the end of the stream, a stop token, the closer of the section,
    /// or the next call.
    fn follows_call(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c; |c| c.at_end(), |c| {
            c.white()?;
            one_of!(c;
                |c| c.any(&self.t.stops),
                |c| self.end_section(look, c),
                |c| self.confirmed_call(look, c),
            )
        })
    }

    fn end_section(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let [_, close] = self.t.section.as_ref().ok_or(No)?;
        read(close, look, Closes::Any, c).map(|_| ())
    }

    /// Reads data that looks like a call of a declared tool.
    fn quotes(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<bool> {
        for head in &self.t.declared {
            let quotes = c.noise_or(Half::NONE.role(DATA), |c| {
                let found = read(head, look, Closes::Any, c)?;
                c.follow(false, |c| {
                    one_of!(c; |c| self.body(look, c), |c| {
                        c.white()?;
                        self.end(look, Closes::Named(found.name), c)
                    })
                })
            })?;
            if quotes.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads data that looks like a closer, or like the next argument.
    fn is_suspect(&self, look: &Look<'_>, argument: &Argument, c: &mut Cursor<'_>) -> Step<bool> {
        let data = Half::NONE.role(DATA);
        for mark in &argument.suspects {
            if c.noise_or(data, |c| read(mark, look, Closes::Any, c))?.is_some() {
                return Ok(true);
            }
        }
        if self.t.special {
            return Ok(false);
        }
        let name = Closes::Named(&look.call.captured.name);
        Ok(c.noise_or(data, |c| self.end(look, name, c))?.is_some())
    }
}
