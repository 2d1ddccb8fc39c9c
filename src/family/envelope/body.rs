//! Bodies of calls: an object, arguments one by one, or one text that is the parameter `input`.

use super::parts::text_of_dialect;
use super::{
    AN_END, Argument, CUT, Envelope, HALF, HEADER, LOST, MARKUP, MISSING, NEXT, OBJECT, STARTED,
    TEXT, VALUE, header,
};
use crate::event::DiagnosticKind;
use crate::family::written::mark::{Closes, read};
use crate::family::{InBody, Look};
use crate::one_of;
use crate::read::act::{Closer, InCall, InSection, InValue, Scope};
use crate::read::cursor::{Cursor, Half, No, Note, Step};

/// Signs that models write behind an object, and that mean nothing.
const GARBAGE: [&str; 4] = ["]", ",", ";", "```"];

const LOST_ARGUMENT: &str = "lost closer of an argument";
const DATA: Half = Half::NONE;

/// Ends the call.
fn ends_call<'t>(note: Note, before: bool) -> InCall<'t> {
    InCall::Close { scope: Scope::Call, note, before }
}

impl Envelope {
    /// Reads the text behind a message: its end, or the next header.
    fn over(&self, start: usize, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| self.ends(c),
            |c| self.p.next_header(start, c),
            |c| self.p.next_channel(start, c),
        )
    }

    /// In a call or a value, behind `lead`: reads the next header, which shows that the end of the message was
    /// forgotten, or half of it at the end of the stream.
    fn next_message(
        &self,
        role: &'static str,
        lead: fn(&mut Cursor<'_>) -> Step<()>,
        c: &mut Cursor<'_>,
    ) -> Step<Option<Note>> {
        let (start, way) = (*c, MARKUP.role(role));
        let next = c.noise_or(way, |c| {
            lead(c)?;
            self.p.next_header(start.pos, c)
        })?;
        if next.is_some() {
            *c = start;
            return Ok(Some(MISSING));
        }
        let half = c.noise_or(MARKUP.role(HALF), |c| {
            lead(c)?;
            self.p.half_header(start.pos, c)
        })?;
        if half.is_some() {
            return Ok(Some(CUT));
        }
        let next = c.noise_or(way, |c| {
            lead(c)?;
            self.p.next_channel(start.pos, c)
        })?;
        *c = start;
        Ok(next.map(|()| MISSING))
    }

    // An object, or a text.

    /// Behind the header of a call.
    pub(super) fn at_body<'t>(&self, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let object = c.noise_or(MARKUP.role("opener of the arguments"), |c| {
            c.white()?;
            c.literal("{")
        })?;
        if object.is_some() {
            return Ok(InCall::Object(OBJECT));
        }
        let end = c.noise_or(MARKUP.role("closer of a call"), |c| {
            let mut whole = false;
            c.or_end(|c| {
                c.white()?;
                self.ends(c)?;
                whole = true;
                Ok(())
            })?;
            c.pos += if whole { 0 } else { c.rest().len() };
            Ok(())
        })?;
        if end.is_some() {
            return Ok(ends_call(None, false));
        }
        if let Some(note) = self.next_message(LOST, |c| c.white(), c)? {
            return Ok(ends_call(note, note == MISSING));
        }
        Ok(InCall::Param { kind: VALUE, name: "input", hint: None, note: None })
    }

    /// In the text that is the parameter `input`.
    pub(super) fn in_input<'t>(&self, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let close = Closer { scope: Scope::Call, ..Closer::OWN };
        if c.way(Half::MARK.role(AN_END), |c| self.ends(c))?.is_some() {
            return Ok(InValue::Close(close));
        }
        match self.next_message(LOST_ARGUMENT, |_| Ok(()), c)? {
            Some(note) => Ok(InValue::Close(Closer { note, before: note == MISSING, ..close })),
            None => c.none(),
        }
    }

    /// In an object: reads the end of the message, if it comes before the object's own end.
    pub(super) fn ends_object(&self, c: &mut Cursor<'_>) -> Step<InBody> {
        let way = MARKUP.role("end of an object before its own");
        let start = c.pos;
        if c.way(way, |c| self.ends(c))?.is_some() {
            return Ok(InBody::before(None));
        }
        let next = c.way(
            way,
            |c| one_of!(c; |c| self.p.next_header(start, c), |c| self.p.next_channel(start, c)),
        )?;
        next.map_or_else(|| c.none(), |()| Ok(InBody::before(MISSING)))
    }

    /// Behind an object. `lost`: the report if nothing ends its message.
    pub(super) fn behind_object<'t>(&self, lost: Note, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let start = *c;
        let message = |kind: u8, note: Note| InSection::Message { kind, note };
        let way = MARKUP.role("what follows a call");
        if c.way(way, |c| self.start(c))?.is_some() {
            return Ok(message(STARTED, None));
        }
        if c.way(MARKUP.role(HALF), |c| self.lone_start(c))?.is_some() {
            return Ok(InSection::Mark(CUT));
        }
        if c.way(way, |c| self.ends(c))?.is_some() {
            return Ok(message(NEXT, None));
        }
        if c.way(way, |c| self.p.headless(start.pos, c))?.is_some() {
            *c = start;
            return Ok(message(HEADER, None));
        }
        let half = c.way(MARKUP.role(HALF), |c| {
            let first = |c: &mut Cursor<'_>| text_of_dialect(&self.p.t.channel, c);
            header::half(c, first, |c| {
                *c = start;
                self.p.headless(start.pos, c)
            })
        })?;
        if half.is_some() {
            return Ok(InSection::Mark(CUT));
        }
        if c.way(way, |c| c.any(&GARBAGE))?.is_some() {
            return Ok(InSection::Mark(None));
        }
        if c.way(way, |c| c.literal("}"))?.is_some() {
            return Ok(InSection::Mark(Some(DiagnosticKind::RepairedJson)));
        }
        match c.none() {
            Err(No) => Ok(message(TEXT, lost)),
            half => half,
        }
    }

    // Arguments one by one.

    /// Right behind the header: an argument whose key comes first.
    pub(super) fn first_argument<'t>(
        &self,
        argument: &Argument,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<InCall<'t>> {
        let way = MARKUP.role("opener of an argument");
        match c.way(way, |c| argument.marks.opens_first(look, c))? {
            Some(name) => Ok(InCall::Param { kind: VALUE, name, hint: None, note: None }),
            None => c.none(),
        }
    }

    /// Between arguments.
    pub(super) fn between_arguments<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<InCall<'t>> {
        let way = MARKUP.role("opener of an argument");
        if let Some(argument) = &self.p.t.argument {
            if let Some(name) = c.way(way, |c| argument.marks.opens(look, c))? {
                return Ok(InCall::Param { kind: VALUE, name, hint: None, note: None });
            }
        }
        if c.way(MARKUP.role(AN_END), |c| self.ends(c))?.is_some() {
            return Ok(ends_call(None, false));
        }
        match self.next_message(LOST, |_| Ok(()), c)? {
            Some(note) => Ok(ends_call(note, note == MISSING)),
            None => c.none(),
        }
    }

    /// Reads the text that confirms the closer of an argument.
    fn after_argument(
        &self,
        argument: &Argument,
        look: &Look<'_>,
        start: usize,
        c: &mut Cursor<'_>,
    ) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| read(&argument.marks.next, look, Closes::Any, c).map(|_| ()),
            |c| self.over(start, c),
        )
    }

    /// Reads a closer of the open argument: its own, or one with its name.
    fn closer(
        &self,
        argument: &Argument,
        look: &Look<'_>,
        c: &mut Cursor<'_>,
    ) -> Step<Option<Closer>> {
        let (start, marks) = (c.pos, &argument.marks);
        let own = c.way(Half::MARK.role("closer of an argument"), |c| {
            match marks.closes_line {
                true => c.line_break()?,
                false => read(&marks.close, look, Closes::Any, c).map(|_| ())?,
            }
            c.is_own_closer();
            c.follow(true, |c| self.after_argument(argument, look, start, c))
        })?;
        if own.is_some() {
            return Ok(Some(Closer { before: marks.closes_line, ..Closer::OWN }));
        }
        let role = "closer of an argument under another name";
        for named in &argument.named {
            let named = c.noise_or(Half::MARK.role(role), |c| {
                read(named, look, Closes::Any, c)?;
                c.follow(false, |c| self.after_argument(argument, look, start, c))
            })?;
            if named.is_some() {
                return Ok(Some(Closer::OWN.note(DiagnosticKind::MismatchedCloser)));
            }
        }
        if marks.fresh.is_empty() {
            return Ok(None);
        }
        let before = *c;
        let lost = Half::MARK.role(LOST_ARGUMENT);
        let next = c.noise_or(lost, |c| read(&marks.fresh, look, Closes::Any, c))?;
        *c = before;
        Ok(next.map(|_| Closer::BEFORE))
    }

    /// In the value of an argument.
    pub(super) fn in_argument<'t>(
        &self,
        argument: &Argument,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<InValue<'t>> {
        if let Some(closer) = self.closer(argument, look, c)? {
            return Ok(InValue::Close(closer));
        }
        let broken = Closer { scope: Scope::Call, broken: true, ..Closer::BOTH };
        if c.way(Half::MARK.role(LOST_ARGUMENT), |c| self.ends(c))?.is_some() {
            return Ok(InValue::Close(broken));
        }
        if let Some(note) = self.next_message(LOST_ARGUMENT, |_| Ok(()), c)? {
            let lost = note == MISSING;
            return Ok(InValue::Close(Closer { note, before: lost, broken: lost, ..broken }));
        }
        let way = DATA.role("data that looks like a marker");
        for mark in argument.marks.suspects.iter().filter(|_| !look.is.suspected) {
            if c.noise_or(way, |c| read(mark, look, Closes::Any, c))?.is_some() {
                return Ok(InValue::Suspect { doubtful: true });
            }
        }
        c.none()
    }
}
