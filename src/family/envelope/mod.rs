//! Messages in envelopes, whose headers name their kinds: `harmony` and `beam`.
//!
//! ```text
//! stream  := message*                       message := START? header MESSAGE body END
//! header  := words ( "to=" NAME words )? ( CHANNEL word rest )?
//! rest    := ( "json" | "code" | "text" | "xml" | "to=" NAME | CONSTRAIN any | CHANNEL word )*
//! body    := reasoning, in its channel; a call, to somebody; else text
//! call    := object | "" | any              any: one parameter, `input`
//!          | argument*                      see `Argument`
//! ```
//! A stream begins in a header: the prompt has written its START. Two words of a header count, wherever they stand:
//! the recipient, if it is not the author, and the word of reasoning. Of several channels the last one counts. A text
//! that is no header is text from its first byte. If it begins like a header and breaks off, the text begins behind
//! the channel's word. A header inside a message shows that the end of the message was forgotten. A header that the
//! end of the stream cuts is markup. So is a header that ends with its message, and it is reported. After a call, a
//! header of another author to the model is a result that the model invents. Messages without tokens: [`stripped`].
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text, where a message or a header begins | [`FIRST`], [`NEXT`]; [`FIRST_HEADER`], [`HEADER`], [`STARTED`] | [`Envelope::at_text_start`] |
//! | the next turn, without tokens | [`TURN`] | [`Envelope::turn`] |
//! | a usual header, in one pass | | [`usual`] |
//! | text, reasoning | [`TEXT`], [`STRIPPED`] | [`Envelope::in_prose`] |
//! | behind the header of a call | | [`Envelope::at_call_start`] |
//! | between arguments | | [`Envelope::in_call`] |
//! | in a value | | [`Envelope::in_value`] |
//! | in an object | | [`Envelope::in_body`] |
//! | behind an object | | [`Envelope::in_section`] |
//!
//! A header cut in two:
//!
//! ```text
//! chunk "<|channel|>comm"                   header: More, a channel's word may go on   -> pending
//! chunk "entary to=f<|message|>"            header: Ok, and it has a recipient         -> Open(Call), markup
//! ```

mod body;
mod header;
mod parts;
mod stripped;
mod usual;
mod words;

use crate::event::DiagnosticKind;
use crate::family::texts::EachText;
use crate::family::written::mark::{self, Mark};
use crate::family::written::{self};
use crate::family::{AtEnd, BodyFacts, Family, Framing, Gives, InBody, Look, SectionFacts};
use crate::read::act::{CLOSED, InCall, InSection, InText, InValue, OPEN, Opener, Place};
use crate::read::cursor::{Class, Cursor, Half, No, Note, Step, Way};
use crate::read::scan::Scan;
use header::{Header, Instead};
use parts::Parts;
use usual::Usual;

/// Kinds of messages: none is open, at the start of the stream and later.
const FIRST: u8 = CLOSED;
const NEXT: u8 = OPEN;
/// Headers: of the stream's first message, of a later one, and one whose START has come.
const FIRST_HEADER: u8 = 2;
const HEADER: u8 = 3;
const STARTED: u8 = 4;
/// A message.
const TEXT: u8 = 5;
/// A message without tokens, which the next turn ends; a turn that has come.
const STRIPPED: u8 = 6;
const TURN: u8 = 7;

/// The kinds of calls, of values and of objects, and that of the section behind an object.
const CALL: u8 = 0;
const VALUE: u8 = 0;
const OBJECT: u8 = 0;
const AFTER_OBJECT: u8 = 0;
/// A call without tokens, its object, and the section behind that.
const STRIPPED_CALL: u8 = 1;
const STRIPPED_OBJECT: u8 = 1;
const AFTER_STRIPPED: u8 = 1;

/// The most tokens of types: one pass over a header knows no more words.
pub(crate) const MOST_TYPES: usize = 6;

const MARKUP: Half = Half::MARK.and(Half::WHOLE);
const MISSING: Note = Some(DiagnosticKind::MissingCloser);
const CUT: Note = Some(DiagnosticKind::CutOpener);
const MALFORMED: Note = Some(DiagnosticKind::MalformedTag);

/// Roles.
const A_HEADER: &str = "header of a message";
const AN_END: &str = "end of a message";
const LOST: &str = "lost end of a message";
const HALF: &str = "half an opener at the end";

/// The texts of a dialect of envelopes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// The texts before a header, and behind it.
    pub start: Box<str>,
    pub message: Box<str>,
    /// Ends of messages.
    pub ends: Vec<Box<str>>,
    /// The tokens of headers: before the channel's word, and before the type of the message's content. The
    /// channel's token may be missing. There are at most six tokens of types, perhaps none.
    pub channel: Box<str>,
    pub constrain: Vec<Box<str>>,
    /// The channel of reasoning, if there is one.
    pub thinks: Box<str>,
    /// The writer of messages; empty: headers name none.
    pub author: Box<str>,
    /// The text before a recipient, and the part of its name that is cut off.
    pub to: Box<str>,
    pub prefix: Box<str>,
    /// The notation of arguments one by one. None: they are an object, or the body as it stands.
    pub argument: Option<Argument>,
    /// Servers strip the tokens: messages count without them, too.
    pub stripped: bool,
}

/// The markers of an argument.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub marks: written::Argument,
    /// Closers with the argument's name.
    pub named: Vec<Mark>,
}

/// The family of envelopes.
#[derive(Debug)]
pub(crate) struct Envelope {
    p: Parts,
    text: Scan,
    values: Scan,
}

impl Envelope {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Envelope {
        let tokens = t.ends.iter().chain([&t.start, &t.channel]);
        let tokens = tokens.filter(|token| !token.is_empty());
        let tokens = Scan::from_texts(tokens.map(|token| token.as_bytes()));
        let turns = Scan::from_texts([&*t.author].into_iter().filter(|_| t.stripped));
        let text = tokens.and(&turns);
        let tags = t.argument.iter().flat_map(|of| of.marks.firsts());
        let named = t.argument.iter().flat_map(|of| of.named.iter().chain([&of.marks.opener]));
        let named = named.flat_map(|mark| mark::first(mark)).map(|text| text.as_bytes().to_vec());
        let values = tokens.and(&Scan::from_texts(tags.chain(named)));
        Envelope { p: Parts::new(&t), text, values }
    }

    fn ends(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.any(&self.p.t.ends)
    }

    // Where no message is open.

    /// Reads START, with something behind it.
    fn start(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.p.t.start)?;
        c.follow(false, |c| {
            c.white()?;
            c.one_but(b"")
        })
    }

    /// Reads START with nothing behind it.
    fn lone_start(&self, c: &mut Cursor<'_>) -> Step<()> {
        header::half(
            c,
            |c| c.literal(&self.p.t.start),
            |c| {
                c.white()?;
                c.one_but(b"")
            },
        )
    }

    /// Reads START, or the end of a message that is not open.
    fn before_header<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let way = MARKUP.role(A_HEADER);
        if c.way(way, |c| self.start(c))?.is_some() {
            return Ok(Some(message(STARTED, None)));
        }
        if c.way(MARKUP.role(HALF), |c| self.lone_start(c))?.is_some() {
            return Ok(Some(InText::Mark(CUT)));
        }
        let end = c.way(MARKUP.role(AN_END), |c| self.ends(c))?;
        Ok(end.map(|()| message(NEXT, None)))
    }

    /// Reads the beginning of a message: a header, or text.
    fn between<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if let Some(found) = self.before_header(c)? {
            return Ok(found);
        }
        let start = *c;
        if c.way(MARKUP.role(A_HEADER), |c| self.p.is_ahead(c))?.is_some() {
            *c = start;
            let kind = if look.message == FIRST { FIRST_HEADER } else { HEADER };
            return Ok(message(kind, None));
        }
        let first = look.message == FIRST;
        if let Some(found) = if first { self.stripped_start(look, c)? } else { None } {
            return Ok(found);
        }
        if c.way(MARKUP.role(HALF), |c| self.p.half_recipient(c))?.is_some() {
            return Ok(InText::Mark(CUT));
        }
        Ok(message(TEXT, None))
    }

    // Headers.

    /// In a header.
    fn in_header<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if c.is_plain() {
            let start = *c;
            match self.p.usual(look, c) {
                Err(No) => *c = start,
                read => return read.map(opened),
            }
        }
        if let Some(found) = self.before_header(c)? {
            return Ok(found);
        }
        let header = self.p.header(c.pos, c);
        if let Some(found) = self.call(&header, look, c)? {
            return Ok(found);
        }
        if let Some(found) = self.no_call(&header, look, c)? {
            return Ok(found);
        }
        if let Some(found) = self.unfinished(&header, c)? {
            return Ok(found);
        }
        if let Some(note) = self.half_header(&header, look, c)? {
            return Ok(InText::Mark(note));
        }
        if let Some(found) = self.no_header(&header, c)? {
            return Ok(found);
        }
        c.none().or_else(|stuck| match stuck {
            No => Ok(message(TEXT, None)),
            half => Err(half),
        })
    }

    /// Reads the header of a call. After a call: also the header of a result that the model invents.
    fn call<'t>(
        &self,
        header: &Header<'_, 't>,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let invented = MARKUP.role("result that the model invents");
        let after_call = look.call.count > 0;
        if after_call && c.noise_or(invented, |c| header.invented(c))?.is_some() {
            return Ok(Some(InText::Rest(DiagnosticKind::FabricatedResult)));
        }
        let begun = header.has_channel() || header.has_recipient();
        let half = if begun { MARKUP.and(Half::OPENER) } else { Half::NONE };
        let called = c.way(half.role("opener of a call"), |c| header.call(look, c))?;
        Ok(called.map(|called| opened(Usual::Call(called))))
    }

    /// Reads the header of reasoning, of text, or a channel that another one follows.
    fn no_call<'t>(
        &self,
        header: &Header<'_, 't>,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        if c.way(MARKUP.role("opener of reasoning"), |c| header.thinks(c))?.is_some() {
            return Ok(Some(reasoning(TEXT, None)));
        }
        let way = markup_if(header.has_channel()).role(A_HEADER);
        let again = message(look.message, None);
        if let Some(found) = noise(way, c, |c| header.first_channel(c).map(|()| again))? {
            return Ok(Some(found));
        }
        let whole = c.way(way, |c| header.whole(c))?;
        Ok(whole.map(|()| message(TEXT, None)))
    }

    /// Reads the beginning of something that turns out to be no header.
    fn no_header<'t>(
        &self,
        header: &Header<'_, 't>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let way = MARKUP.role(A_HEADER);
        let thinks =
            |c: &mut Cursor<'t>| header.to_reasoning(c).map(|()| reasoning(TEXT, MALFORMED));
        if let Some(found) = noise(way, c, thinks)? {
            return Ok(Some(found));
        }
        let text = |c: &mut Cursor<'t>| header.to_word(c).map(|()| message(TEXT, MALFORMED));
        if let Some(found) = noise(way, c, text)? {
            return Ok(Some(found));
        }
        // A token alone is no text.
        Ok(c.way(way, |c| header.token(c))?.map(|()| InText::Mark(MALFORMED)))
    }

    /// Reads a header that the end of its message, or the next header, cuts short.
    fn unfinished<'t>(
        &self,
        header: &Header<'_, 't>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let opens = |instead: Instead| if instead == Instead::End { NEXT } else { STARTED };
        let half = markup_if(header.has_channel() || header.has_recipient());
        let call =
            c.noise_or(half.role("half an opener of a call"), |c| header.unfinished_call(c))?;
        if let Some(instead) = call {
            return Ok(Some(message(opens(instead), Some(DiagnosticKind::MalformedCall))));
        }
        let half = c.noise_or(MARKUP.role(A_HEADER), |c| header.unfinished(c))?;
        Ok(half.map(|instead| message(opens(instead), MALFORMED)))
    }

    /// Reads half a header at the end of the stream. Returns its report.
    fn half_header<'t>(
        &self,
        header: &Header<'_, 't>,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<Note>> {
        let way = Half::NONE.role(HALF);
        if look.message == STARTED {
            return Ok(c.way(way, |c| header.half(c))?.map(|()| CUT));
        }
        if c.way(way, |c| header.half_call(look, c))?.is_some() {
            return Ok(Some(CUT));
        }
        // In every stream that ends before its first message, the first header is half.
        let note = if look.message == FIRST_HEADER { MALFORMED } else { CUT };
        Ok(c.way(way, |c| header.half_channel(c))?.map(|()| note))
    }
}

/// Tries a form that well-formed messages do not have. If the end of the stream leaves an earlier form undecided, it is
/// markup.
fn noise<'t>(
    way: impl Into<Way>,
    c: &mut Cursor<'t>,
    read: impl FnOnce(&mut Cursor<'t>) -> Step<InText<'t>>,
) -> Step<Option<InText<'t>>> {
    let mut stands = false;
    let found = c.noise_or(way, |c| {
        let found = read(c)?;
        stands = true;
        Ok(found)
    })?;
    if stands && found.is_none() { c.none() } else { Ok(found) }
}

/// Half a marker is markup, if the marker has begun.
fn markup_if(begun: bool) -> Half {
    if begun { MARKUP } else { Half::NONE }
}

/// Returns the act of a usual header.
fn opened(header: Usual<'_>) -> InText<'_> {
    match header {
        Usual::Call(called) => {
            InText::Open(Opener::new(Place::Call(CALL)).named(called.name, called.tool))
        }
        Usual::Reasoning => reasoning(TEXT, None),
        Usual::Text => message(TEXT, None),
    }
}

/// Opens a message of this kind, as text.
fn message<'t>(kind: u8, note: Note) -> InText<'t> {
    InText::Message { kind, reasoning: false, note }
}

fn reasoning<'t>(kind: u8, note: Note) -> InText<'t> {
    InText::Message { kind, reasoning: true, note }
}

impl Family for Envelope {
    fn in_text<'t>(&self, _: &Look<'_>, _: &mut Cursor<'t>) -> Step<InText<'t>> {
        Err(No)
    }

    fn starts_text(&self) -> bool {
        true
    }

    fn begins_in_header(&self) -> bool {
        true
    }

    fn at_text_start<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if look.reasoning || matches!(look.message, TEXT | STRIPPED) {
            return Err(No);
        }
        if look.message != FIRST && Class::White.has_byte(c.peek()?) {
            c.pos += Class::White.run(c.rest(), c.rest().len());
            return Ok(InText::Mark(None));
        }
        match look.message {
            FIRST | NEXT => self.between(look, c),
            TURN => self.turn(look, MARKUP, c)?.map_or_else(|| c.none(), Ok),
            _ => self.in_header(look, c),
        }
    }

    fn in_prose<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let start = *c;
        if look.message == STRIPPED {
            if let Some(found) = self.turn(look, Half::NONE, c)? {
                return Ok(Some(found));
            }
        }
        if c.way(Half::NONE.role(AN_END), |c| self.ends(c))?.is_some() {
            return Ok(Some(message(NEXT, None)));
        }
        let lost = Half::NONE.role(LOST);
        if c.noise_or(lost, |c| self.p.next_header(start.pos, c))?.is_some() {
            *c = start;
            return Ok(Some(message(HEADER, MISSING)));
        }
        if c.way(Half::OPENER.role(HALF), |c| self.p.half_header(start.pos, c))?.is_some() {
            return Ok(Some(InText::Mark(CUT)));
        }
        let next = c.noise_or(lost, |c| self.p.next_channel(start.pos, c))?;
        *c = start;
        Ok(next.map(|()| message(HEADER, MISSING)))
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        if kind != AFTER_STRIPPED {
            return self.behind_object(MISSING, c);
        }
        match self.turn_behind_object(look, c)? {
            Some(found) => Ok(found),
            None => self.behind_object(None, c),
        }
    }

    fn at_call_start<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        match &self.p.t.argument {
            Some(argument) => self.first_argument(argument, look, c),
            None if kind == STRIPPED_CALL => self.stripped_body(c),
            None => self.at_body(c),
        }
    }

    fn in_call<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        self.between_arguments(look, c)
    }

    fn in_value<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        match &self.p.t.argument {
            Some(argument) => self.in_argument(argument, look, c),
            None => self.in_input(c),
        }
    }

    fn in_body(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        self.ends_object(c)
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn prose_scan(&self) -> Option<&Scan> {
        Some(&self.text)
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.values
    }

    fn section(&self, _: u8) -> SectionFacts {
        SectionFacts { closes: false, calls: false, ..SectionFacts::CALLS }
    }

    fn is_whole_at_end(&self, _: u8) -> bool {
        self.p.t.argument.is_none()
    }

    fn call_at_end(&self, _: u8) -> AtEnd {
        AtEnd::Closed
    }

    fn framing(&self, _: u8) -> Framing {
        self.p.t.argument.as_ref().map_or(Framing::None, |argument| argument.marks.framing)
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let then = if kind == OBJECT { AFTER_OBJECT } else { AFTER_STRIPPED };
        BodyFacts {
            gives: Gives::Arguments,
            then: Some(then),
            stop: self.p.t.start.bytes().next().unwrap_or(b'<'),
        }
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.p.t.clone();
        t.each_text(rename);
        Some(Box::new(Envelope::new(t)))
    }
}
