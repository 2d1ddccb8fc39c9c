//! Messages with a header, in which calls stand as tags: `muse`.
//!
//! ```text
//! stream  := message*                       message := header body END?
//! header  := ( START ws "assistant" )? ws ( "to=" ws WHOM ws )? MESSAGE
//! body    := reasoning, to the model itself; text, to the user or nobody; else calls with junk between, see tags/mod.rs
//! ```
//! START may be missing where no message is open: the prompt has written it. In a message, a header with START shows
//! that the END before it was forgotten. A header that the end of the stream cuts is markup. In a message to a tool
//! nothing is text: a message without a call is reported (`malformed_call`).
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text, reasoning | no message is open, one of text or reasoning is | [`Messages::in_prose`] |
//! | between calls | | [`Messages::in_section`] |
//! | between parameters | | [`Messages::in_call`] |
//! | in a value | | [`Messages::in_value`] |
//!
//! A header cut in two:
//!
//! ```text
//! chunk "to=rea"            header: More                       -> pending
//! chunk "d_file<|message|>" header: Ok, and it names a tool    -> Open(Section), markup
//! ```

use super::tag::Known;
use super::{MARK, Tagged, WHOLE};
use crate::event::DiagnosticKind;
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Framing, Gives, Look, SectionFacts, element};
use crate::one_of;
use crate::read::act::{
    CLOSED, Closer, InCall, InSection, InText, InValue, OPEN, Opener, Place, Scope,
};
use crate::read::cursor::{Class, Cursor, Half, No, Note, Step};
use crate::read::scan::Scan;

/// The kind of sections.
const CALLS: u8 = 0;

const START: &str = "<|start|>";
const MESSAGE: &str = "<|message|>";
/// The least of MESSAGE in half a header that is markup.
const HALF: &str = "<|m";

const MISSING: Note = Some(DiagnosticKind::MissingCloser);

/// Roles.
const HEADER: &str = "header of a message";
const LOST: &str = "lost closer of a call";
const CUT: &str = "half an opener at the end";

/// The recipient of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whom {
    Itself,
    User,
    Tool,
}

/// The family of such messages.
#[derive(Debug)]
pub(crate) struct Messages {
    tags: Tagged,
    /// Ends of messages. (They close sections, too.)
    ends: Vec<Box<str>>,
    text: Scan,
    values: Scan,
}

impl Messages {
    /// Builds the family from these tags. Their stop tokens end messages.
    pub fn new(tags: Tagged) -> Messages {
        let ends = tags.t.stops.clone();
        let text =
            Scan::from_texts(ends.iter().map(|end| end.as_bytes()).chain([START.as_bytes()]));
        let values = tags.values[0].and(&text);
        Messages { tags, ends, text, values }
    }

    // Headers.

    /// Reads a header behind START and the role, or without them.
    fn recipient(&self, c: &mut Cursor<'_>) -> Step<Whom> {
        c.white()?;
        let mut whom = Whom::User;
        if c.peek()? != b'<' {
            c.literal("to=")?;
            c.white()?;
            whom = match c.name(Class::Name, false)? {
                "self" | "developer" => Whom::Itself,
                "user" | "commentary" => Whom::User,
                _ => Whom::Tool,
            };
            c.white()?;
        }
        c.literal(MESSAGE)?;
        Ok(whom)
    }

    /// Reads a header.
    fn header(&self, c: &mut Cursor<'_>) -> Step<Whom> {
        c.literal(START)?;
        c.white()?;
        c.literal("assistant")?;
        self.recipient(c)
    }

    /// Reads a header whose START may be missing, because no message is open.
    fn first_header(&self, c: &mut Cursor<'_>) -> Step<Whom> {
        c.white()?;
        let start = *c;
        match self.header(c) {
            Err(No) => {
                *c = start;
                self.recipient(c)
            }
            header => header,
        }
    }

    /// Reads half a header at the end of the stream. This much of it is there.
    fn half(&self, c: &mut Cursor<'_>, head: &str) -> Step<()> {
        let start = *c;
        c.literal(head)?;
        *c = start;
        c.or_end(|c| {
            if head == START { self.header(c) } else { self.recipient(c) }?;
            Err::<(), _>(No)
        })?;
        c.pos += c.rest().len();
        Ok(())
    }

    fn cut(&self, half: Half, c: &mut Cursor<'_>) -> Step<bool> {
        Ok(c.noise_or(half.role(CUT), |c| self.half(c, START))?.is_some())
    }

    /// Returns the act of a header.
    fn opens<'t>(whom: Whom, note: Note) -> InText<'t> {
        let section = Opener { note, ..Opener::new(Place::Section(CALLS)) };
        match whom {
            Whom::Tool => InText::Open(section),
            whom => InText::Message { kind: OPEN, reasoning: whom == Whom::Itself, note },
        }
    }

    /// Reads a header, or the second half of a header, where no message is open.
    fn first_message<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if let Some(whom) = c.way(Half::NONE.role(HEADER), |c| self.first_header(c))? {
            return Ok(Some(Messages::opens(whom, None)));
        }
        for (head, note) in [
            (START, Some(DiagnosticKind::CutOpener)),
            ("to=", Some(DiagnosticKind::CutOpener)),
            (HALF, None),
        ] {
            let half = c.noise_or(Half::OPENER.role(CUT), |c| {
                c.white()?;
                self.half(c, head)
            })?;
            if half.is_some() {
                return Ok(Some(InText::Mark(note)));
            }
        }
        Ok(None)
    }

    // In calls.

    /// Reads the text that may stand behind a value.
    fn after_value(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c; |c| self.tags.after_value(look, c), |c| {
            c.white()?;
            self.header(c).map(|_| ())
        })
    }

    /// Reads the text that may stand behind a closer with the parameter's name.
    fn after_named(&self, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c; |c| self.tags.after_malformed(false, c), |c| {
            c.white()?;
            self.header(c).map(|_| ())
        })
    }

    /// Reads a closer of the open value.
    fn closer(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<Option<Closer>> {
        let own = c.way(MARK.role("closer of an argument"), |c| {
            c.any(&self.tags.t.end_param)?;
            c.is_own_closer();
            c.follow(true, |c| self.after_value(look, c))
        })?;
        if own.is_some() {
            return Ok(Some(Closer::OWN));
        }
        for head in &self.tags.named {
            let named = c.noise_or(MARK.role("closer of an argument under another name"), |c| {
                c.literal(head)?;
                c.literal(&look.call.captured.param)?;
                c.literal(">")?;
                c.follow(false, |c| self.after_named(c))
            })?;
            if named.is_some() {
                return Ok(Some(Closer::OWN.note(DiagnosticKind::MismatchedCloser)));
            }
        }
        self.tags.lost_closer(look, c)
    }

    /// In a value: reads data that looks like tags, and tags whose closers before them were forgotten.
    fn tags_in_value<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InValue<'t>>> {
        let data = Half::NONE.role("data that looks like a marker");
        let quotes = !look.is.doubtful
            && c.noise_or(data, |c| {
                self.tags.t.open_tag(look, c, Known::Tool(&look.tools.names))?;
                c.follow(false, |c| {
                    c.white()?;
                    self.tags.body(c)
                })
            })?
            .is_some();
        if quotes {
            return Ok(Some(InValue::Suspect { doubtful: true }));
        }
        let start = *c;
        let params = look.tools.params(look.call.tool);
        let fresh = |param: u16| look.is_fresh(param);
        let param = c.noise_or(MARK.role("lost closer of an argument"), |c| {
            self.tags.t.param_tag(c, Known::Param(params, &fresh)).map(|_| ())
        })?;
        if param.is_some() {
            *c = start;
            return Ok(Some(InValue::Close(Closer::BEFORE)));
        }
        let suspect =
            !look.is.suspected && c.noise_or(data, |c| c.any(&self.tags.heads))?.is_some();
        Ok(suspect.then_some(InValue::Suspect { doubtful: true }))
    }
}

impl Family for Messages {
    fn in_text<'t>(&self, _: &Look<'_>, _: &mut Cursor<'t>) -> Step<InText<'t>> {
        Err(No)
    }

    fn starts_text(&self) -> bool {
        true
    }

    fn at_text_start<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let counts = if look.reasoning { look.calls } else { look.message == CLOSED };
        if !counts {
            return Err(No);
        }
        self.first_message(c)?.map_or_else(|| c.none(), Ok)
    }

    fn in_prose<'t>(&self, _: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if let Some(whom) = c.way(Half::NONE.role(HEADER), |c| self.header(c))? {
            return Ok(Some(Messages::opens(whom, MISSING)));
        }
        if self.cut(Half::OPENER, c)? {
            return Ok(Some(InText::Mark(Some(DiagnosticKind::CutOpener))));
        }
        let end = c.way(Half::NONE.role("end of a message"), |c| c.any(&self.ends))?;
        let closed = InText::Message { kind: CLOSED, reasoning: false, note: None };
        Ok(end.map(|()| closed))
    }

    fn in_section<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let call = c.way(WHOLE.and(Half::OPENER).role("opener of a call"), |c| {
            self.tags.t.call_tag(look, c, Known::Any)
        })?;
        if let Some((called, whole)) = call {
            return Ok(InSection::Open(Opener { whole, ..super::opens_call(called) }));
        }
        let around = c.way(WHOLE, |c| c.any(&self.tags.t.open))?.is_some()
            || c.way(WHOLE, |c| c.literal(&self.tags.t.close[0]))?.is_some();
        if around {
            return Ok(InSection::Mark(None));
        }
        let malformed = look.is.section_start.then_some(DiagnosticKind::MalformedCall);
        if c.way(WHOLE.role("end of a message"), |c| c.any(&self.ends))?.is_some() {
            return Ok(InSection::Close(malformed));
        }
        let start = *c;
        if c.noise_or(WHOLE.role(LOST), |c| self.header(c))?.is_some() {
            *c = start;
            return Ok(InSection::Close(malformed.or(MISSING)));
        }
        if self.cut(WHOLE, c)? {
            return Ok(InSection::Mark(Some(DiagnosticKind::CutOpener)));
        }
        c.none()
    }

    fn in_call<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if let Some(found) = self.tags.param_in_call(c)? {
            return Ok(found);
        }
        if let Some(found) = self.tags.ends_in_call(look, c)? {
            return Ok(found);
        }
        let close =
            |note: Note, before: bool| InCall::Close { scope: Scope::Section, note, before };
        if c.way(WHOLE.role(LOST), |c| c.any(&self.ends))?.is_some() {
            return Ok(InCall::Close { scope: Scope::Call, note: MISSING, before: true });
        }
        if c.noise(|c| element(c).map(|_| ()))?.is_some() {
            return Ok(InCall::Stray(DiagnosticKind::UnknownParameter));
        }
        if c.noise_or(WHOLE.role(LOST), |c| self.header(c))?.is_some() {
            return Ok(close(MISSING, true));
        }
        if self.cut(WHOLE, c)? {
            return Ok(close(Some(DiagnosticKind::CutOpener), false));
        }
        c.none()
    }

    fn in_value<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        if let Some(closer) = self.closer(look, c)? {
            return Ok(InValue::Close(closer));
        }
        if let Some(found) = self.tags_in_value(look, c)? {
            return Ok(found);
        }
        let lost = MARK.role("lost closer of an argument");
        let broken = Closer { scope: Scope::Section, broken: true, ..Closer::BOTH };
        if c.way(lost, |c| c.any(&self.ends))?.is_some() {
            return Ok(InValue::Close(broken));
        }
        let start = *c;
        if c.noise_or(lost, |c| self.header(c))?.is_some() {
            *c = start;
            return Ok(InValue::Close(Closer { before: true, ..broken }));
        }
        if self.cut(WHOLE, c)? {
            let cut = Closer { broken: false, ..broken };
            return Ok(InValue::Close(cut.note(DiagnosticKind::CutOpener)));
        }
        c.none()
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn prose_scan(&self) -> Option<&Scan> {
        Some(&self.text)
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.tags.call
    }

    fn value_scan(&self, _: u8) -> &Scan {
        &self.values
    }

    fn section(&self, _: u8) -> SectionFacts {
        SectionFacts { junk: true, ..SectionFacts::CALLS }
    }

    fn framing(&self, _: u8) -> Framing {
        Framing::Recovered
    }

    fn body(&self, _: u8) -> BodyFacts {
        BodyFacts { gives: Gives::Nothing, then: None, stop: b'<' }
    }

    fn is_stripped(&self) -> bool {
        true
    }

    fn own_texts(&self, each: &mut dyn FnMut(&str)) {
        [START, MESSAGE, HALF, "to="].into_iter().for_each(each);
    }

    fn speaks_in_parts(&self) -> bool {
        true
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.tags.t.clone();
        t.each_text(rename);
        Some(Box::new(Messages::new(Tagged::new(t))))
    }
}
