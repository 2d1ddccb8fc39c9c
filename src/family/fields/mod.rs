//! Messages of fields, as in a response template: the openers and closers of each field.
//!
//! ```text
//! message := ( field | text )*                     text: where the content has no opener; else it is markup
//! field   := OPEN content CLOSE                    content: text, reasoning, or a call
//! call    := object that is a call, or a list of such | object of arguments, JSON or literals
//!          | ( PARAM value END )* | ( ws KEY SEPARATOR value LINE )*
//! ```
//! An opener counts if the beginning of its call follows. A value in tags ends if the next tag, or the closer of the
//! call, follows its closer. A message may begin in reasoning, or in its content.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | where text begins | no message, [`OPENING`] | [`Fields::at_text_start`] |
//! | text, reasoning | [`CONTENT`], [`THOUGHT`] | [`Fields::in_prose`] |
//! | between fields, between objects, behind arguments | [`HOME`], [`OBJECTS`], [`AFTER`] | [`Fields::in_section`] |
//! | between parameters | | [`Fields::in_call`] |
//! | in a value | | [`Fields::in_value`] |
//! | in an object | | [`Fields::in_body`] |
//!
//! An opener cut in two:
//!
//! ```text
//! chunk "<run li"             the text: Ok; the name: More                    -> pending
//! chunk "st>{"                `>`: Ok, and the object confirms it             -> Open(Call(CALL)), markup
//! ```

pub(crate) mod chars;
pub(crate) mod mark;

use crate::dialect::literals::Literals;
use crate::family::block::objects::{self, Round};
use crate::family::texts::EachText;
use crate::family::{AtEnd, BodyFacts, Family, Framing, Gives, InBody, Look, SectionFacts};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{
    CLOSED, Closer, InCall, InSection, InText, InValue, OPEN, Opener, Place, Scope,
};
use crate::read::cursor::{Class, Cursor, Half, No, Step};
use crate::read::ids::UNKNOWN;
use crate::read::scan::Scan;
use mark::{Mark, any, first, read};

/// Kinds of messages: an opener has come; content and reasoning with an opener.
const OPENING: u8 = 2;
const CONTENT: u8 = 3;
const THOUGHT: u8 = 4;
/// Reasoning that begins with the message, at its first byte.
const BEGUN: u8 = 5;

/// Kinds of sections: between objects, behind all arguments of a call, between fields.
const OBJECTS: u8 = 1;
const AFTER: u8 = 2;
const HOME: u8 = 3;

/// The kind of calls, of values and of objects.
const CALL: u8 = 0;
const VALUE: u8 = 0;
const OBJECT: u8 = 0;

const OPENER: Half = Half::OPENER;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_FIELD: &str = "opener of a field";
const A_CALL: &str = "opener of a call";
const END_FIELD: &str = "closer of a field";
const END_CALL: &str = "closer of a call";
const AN_ARGUMENT: &str = "opener of an argument";
const END_VALUE: &str = "closer of an argument";

/// A field: its openers and its closers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Field {
    pub open: Vec<Mark>,
    pub close: Vec<Mark>,
    /// A message may begin in it.
    pub starts: bool,
}

/// The content of a call.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// An object that is a call, or a list of such objects.
    Calls,
    /// An object with all arguments, as JSON or literals.
    Arguments(Option<Literals>),
    /// Arguments in tags.
    Tags { open: Vec<Mark>, close: Vec<Mark>, framing: Framing },
    /// Arguments on lines: the text before the first value, the text before later values, and the end of a
    /// line.
    Lines { first: Mark, next: Mark, end: Box<str>, framing: Framing },
}

/// The texts of a template.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// The markers in the text outside of all fields. None: that text is not a content.
    pub text: Option<Vec<Mark>>,
    pub content: Option<Field>,
    pub thinks: Option<Field>,
    pub calls: Option<(Field, Content)>,
}

/// The family of fields.
#[derive(Debug)]
pub(crate) struct Fields {
    t: Texts,
    text: Scan,
    /// The scans between parameters, and in values.
    call: Scan,
    value: Scan,
    /// The closers of a call and of content, as texts, and the first byte of one of them.
    ends: Vec<Box<str>>,
    stop: u8,
}

fn scan<'m>(marks: impl IntoIterator<Item = &'m Mark>) -> Scan {
    Scan::from_texts(marks.into_iter().filter_map(first))
}

impl Fields {
    /// Builds the family of a template with these texts.
    pub fn new(t: Texts) -> Fields {
        let fields = [&t.content, &t.thinks].into_iter().flatten();
        let fields = fields.chain(t.calls.iter().map(|(field, _)| field));
        let text = scan(fields.flat_map(|field| field.open.iter().chain(&field.close)));
        let text = text.and(&scan(t.text.iter().flatten()));
        let ends = t.calls.as_ref().map_or(&[][..], |(field, _)| &field.close);
        let (mut call, mut value) = (scan(ends).and(&Scan::from_texts(["{"])), scan(ends));
        match t.calls.as_ref().map(|(_, content)| content) {
            Some(Content::Tags { open, close, .. }) => {
                call = call.and(&scan(open)).and(&Scan::from_texts(["</"]));
                value = scan(close);
            }
            Some(Content::Lines { end, .. }) => {
                call = call.and(&Scan::from_texts([&**end]));
                value = value.and(&Scan::from_texts([&**end]));
            }
            _ => {}
        }
        let stop = ends.first().and_then(first).map_or(b'<', |text| text.as_bytes()[0]);
        let ends = ends.iter().chain(t.text.iter().flatten()).filter(|mark| mark.len() == 1);
        let ends = ends.filter_map(first).map(Box::from).collect();
        Fields { t, text, call, value, ends, stop }
    }

    /// Whether the text in no field is text for the user.
    fn is_plain(&self) -> bool {
        self.t.text.is_some()
    }

    fn call_ends(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let (field, _) = self.t.calls.as_ref().ok_or(No)?;
        any(&field.close, look, c).map(|_| ())
    }

    // Text.

    /// Reads the opener of a field. `half`: the meaning of half an opener.
    fn opener<'t>(
        &self,
        look: &Look<'_>,
        half: Half,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let fields = [(&self.t.thinks, THOUGHT, true), (&self.t.content, CONTENT, false)];
        for (field, kind, reasoning) in fields {
            let Some(field) = field else { continue };
            let opens = c.way(half.role(A_FIELD), |c| any(&field.open, look, c))?;
            if opens.is_some() {
                return Ok(Some(InText::Message { kind, reasoning, note: None }));
            }
        }
        self.call_opener(look, half.and(OPENER), c)
    }

    fn call_opener<'t>(
        &self,
        look: &Look<'_>,
        half: Half,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let Some((field, content)) = &self.t.calls else { return Ok(None) };
        for open in &field.open {
            let opener = c.way(half.role(A_CALL), |c| {
                let found = read(open, look, c)?;
                if !matches!(content, Content::Lines { .. }) {
                    c.follow(found.tool != UNKNOWN, |c| {
                        c.white()?;
                        self.begins(look, content, c)
                    })?;
                }
                Ok(match content {
                    Content::Calls => Opener::new(Place::Section(OBJECTS)),
                    _ => {
                        let call = Opener::new(Place::Call(CALL)).named(found.name, found.tool);
                        Opener { id: found.id, ..call }
                    }
                })
            })?;
            if let Some(opener) = opener {
                return Ok(Some(InText::Open(opener)));
            }
        }
        Ok(None)
    }

    /// Reads the beginning of a call's content.
    fn begins(&self, look: &Look<'_>, content: &Content, c: &mut Cursor<'_>) -> Step<()> {
        match content {
            Content::Calls => objects::one_or_listed(c),
            Content::Arguments(_) => c.literal("{"),
            _ => self.next(look, c),
        }
    }

    /// In text that is in no field: reads its markers.
    fn beside<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let Some(marks) = &self.t.text else { return Ok(None) };
        if c.way(Half::NONE.role("markup in text"), |c| any(marks, look, c))?.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let Some(thinks) = &self.t.thinks else { return Ok(None) };
        let orphan = Half::NONE.role("closer of reasoning that nothing opened");
        let closes = c.way(orphan, |c| any(&thinks.close, look, c))?;
        Ok(closes.map(|_| InText::EndThink))
    }

    /// In a field of text.
    fn in_field<'t>(
        &self,
        field: &Field,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        let way = Half::NONE.role(END_FIELD);
        let closed = c.way(way, |c| any(&field.close, look, c))?;
        Ok(closed.map(|_| InText::Message { kind: CLOSED, reasoning: false, note: None }))
    }

    /// Reads an opener of reasoning that the model repeats although the message begins inside reasoning.
    fn begun<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let open = self.t.thinks.as_ref().map_or(&[][..], |field| &field.open);
        let opens = c.way(Half::NONE.role(A_FIELD), |c| {
            c.white()?;
            any(open, look, c)
        })?;
        let thought = InText::Message { kind: THOUGHT, reasoning: true, note: None };
        opens.map_or_else(|| c.none(), |_| Ok(thought))
    }

    /// In reasoning: reads its end, its opener (the prompt may have written it, too), and calls, if they count in
    /// reasoning.
    fn in_reasoning<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if let Some(thinks) = &self.t.thinks {
            if let Some(closed) = self.in_field(thinks, look, c)? {
                return Ok(Some(closed));
            }
            let again = look.is.stream_start
                && c.way(Half::NONE.role(A_FIELD), |c| any(&thinks.open, look, c))?.is_some();
            if again {
                return Ok(Some(InText::Mark(None)));
            }
        }
        if self.is_plain() && look.calls { self.call_opener(look, OPENER, c) } else { Ok(None) }
    }

    // Calls.

    /// Reads a marker that may follow a value in tags: the next tag, the closer of the call, or any closing
    /// tag.
    fn next(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let Some((_, Content::Tags { open, .. })) = &self.t.calls else { return Err(No) };
        one_of!(c;
            |c| any(open, look, c).map(|_| ()),
            |c| self.call_ends(look, c),
            closing_tag,
        )
    }

    /// Reads the opener of a parameter.
    fn param<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InCall<'t>>> {
        let way = WHOLE.role(AN_ARGUMENT);
        let found = match &self.t.calls {
            Some((_, Content::Tags { open, .. })) => c.way(way, |c| any(open, look, c))?,
            Some((_, Content::Lines { next, .. })) => c.way(way, |c| read(next, look, c))?,
            _ => None,
        };
        Ok(found.map(|found| InCall::Param {
            kind: VALUE,
            name: found.param,
            hint: None,
            note: None,
        }))
    }
}

/// Reads a closing tag of any name.
fn closing_tag(c: &mut Cursor<'_>) -> Step<()> {
    c.literal("</")?;
    c.run(Class::Word, 1, bounds::NAME)?;
    c.literal(">")
}

impl Family for Fields {
    fn in_text<'t>(&self, _: &Look<'_>, _: &mut Cursor<'t>) -> Step<InText<'t>> {
        Err(No)
    }

    fn starts_text(&self) -> bool {
        true
    }

    fn at_text_start<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let starts = |field: &Option<Field>| field.as_ref().is_some_and(|field| field.starts);
        let begins = |kind: u8, reasoning| Ok(InText::Message { kind, reasoning, note: None });
        match look.message {
            BEGUN => self.begun(look, c),
            _ if look.reasoning => Err(No),
            CLOSED if look.is.stream_start && starts(&self.t.thinks) => begins(BEGUN, true),
            CLOSED if look.is.stream_start && starts(&self.t.content) => begins(CONTENT, false),
            OPENING => self.opener(look, WHOLE, c)?.map_or_else(|| c.none(), Ok),
            CLOSED | OPEN if !self.is_plain() => {
                let home = Opener::new(Place::Section(HOME));
                Ok(InText::Open(Opener { before: true, ..home }))
            }
            _ => Err(No),
        }
    }

    fn in_prose<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if look.reasoning {
            return self.in_reasoning(look, c);
        }
        match &self.t.content {
            Some(content) => self.in_field(content, look, c),
            None => match self.opener(look, Half::NONE, c)? {
                None => self.beside(look, c),
                found => Ok(found),
            },
        }
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        if kind == HOME {
            let start = *c;
            let opens = self.opener(look, WHOLE, c)?.is_some();
            // The header's own state reads the opener; here it only ends the junk before it.
            *c = start;
            let message = InSection::Message { kind: OPENING, note: None };
            return if opens { Ok(message) } else { c.none() };
        }
        if kind == OBJECTS {
            let round = Round { open: &[], close: &[], tries: None, any: false, body: OBJECT };
            if let Some(found) = objects::among(look, c, round)? {
                return Ok(found);
            }
        }
        let close = WHOLE.role(if kind == OBJECTS { "closer of a section" } else { END_CALL });
        match c.way(close, |c| self.call_ends(look, c))? {
            Some(()) => Ok(InSection::Close(None)),
            None => c.none(),
        }
    }

    fn at_call_start<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let Some((_, Content::Lines { first, .. })) = &self.t.calls else { return Err(No) };
        match c.way(WHOLE.role(AN_ARGUMENT), |c| read(first, look, c))? {
            Some(found) => {
                Ok(InCall::Param { kind: VALUE, name: found.param, hint: None, note: None })
            }
            None => c.none(),
        }
    }

    fn in_call<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let arguments = matches!(self.t.calls, Some((_, Content::Arguments(_))));
        let object = arguments
            && look.is.call_start
            && c.way(WHOLE.role("opener of the arguments"), |c| c.literal("{"))?.is_some();
        if object {
            return Ok(InCall::Object(OBJECT));
        }
        if let Some(param) = self.param(look, c)? {
            return Ok(param);
        }
        if c.way(WHOLE.role(END_CALL), |c| self.call_ends(look, c))?.is_some() {
            return Ok(InCall::Close { scope: Scope::Call, note: None, before: false });
        }
        let tags = matches!(self.t.calls, Some((_, Content::Tags { .. })));
        match tags && c.noise_or(WHOLE.role("closing tag"), closing_tag)?.is_some() {
            true => Ok(InCall::Mark),
            false => c.none(),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        let way = Half::MARK.role(END_VALUE);
        match &self.t.calls {
            Some((_, Content::Tags { close, .. })) => {
                for close in close {
                    let closed = c.way(way, |c| {
                        read(close, look, c)?;
                        c.is_own_closer();
                        c.follow(true, |c| {
                            one_of!(c; |c| c.at_end(), |c| {
                                c.white()?;
                                self.next(look, c)
                            })
                        })
                    })?;
                    if closed.is_some() {
                        return Ok(InValue::Close(Closer::OWN));
                    }
                }
                c.none()
            }
            Some((_, Content::Lines { end, .. })) => {
                let closed = c.way(way, |c| self.call_ends(look, c))?.is_some()
                    || c.way(way, |c| c.literal(end))?.is_some();
                let before = Closer { before: true, ..Closer::OWN };
                if closed { Ok(InValue::Close(before)) } else { c.none() }
            }
            _ => Err(No),
        }
    }

    fn in_body(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        // A string may hold the closer.
        if look.json.in_string() {
            return Err(No);
        }
        let ends = WHOLE.role("end of an object before its own");
        match c.way(ends, |c| self.call_ends(look, c))? {
            Some(()) => Ok(InBody::before(None)),
            None => c.none(),
        }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn prose_scan(&self) -> Option<&Scan> {
        Some(&self.text)
    }

    fn call_scan(&self, kind: u8) -> &Scan {
        if kind == HOME { &self.text } else { &self.call }
    }

    fn value_scan(&self, _: u8) -> &Scan {
        &self.value
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let calls = SectionFacts::CALLS;
        let closes = self.t.calls.as_ref().is_some_and(|(field, _)| !field.close.is_empty());
        match kind {
            HOME => SectionFacts { junk: true, closes: false, calls: false, ..calls },
            OBJECTS => SectionFacts { between: b"],;", closes, ..calls },
            _ => SectionFacts { closes: false, calls: false, ..calls },
        }
    }

    fn is_whole_at_end(&self, _: u8) -> bool {
        match &self.t.calls {
            Some((field, Content::Lines { .. })) => field.close.is_empty(),
            _ => false,
        }
    }

    fn call_at_end(&self, _: u8) -> AtEnd {
        match &self.t.calls {
            Some((field, Content::Tags { .. } | Content::Lines { .. }))
                if field.close.is_empty() =>
            {
                AtEnd::Closed
            }
            _ => AtEnd::Cut,
        }
    }

    fn framing(&self, _: u8) -> Framing {
        match &self.t.calls {
            Some((_, Content::Tags { framing, .. } | Content::Lines { framing, .. })) => *framing,
            _ => Framing::None,
        }
    }

    fn body(&self, _: u8) -> BodyFacts {
        let (gives, then) = match &self.t.calls {
            Some((_, Content::Arguments(Some(_)))) => (Gives::Params, Some(AFTER)),
            Some((_, Content::Arguments(None))) => (Gives::Arguments, Some(AFTER)),
            _ => (Gives::Call, None),
        };
        BodyFacts { gives, then, stop: self.stop }
    }

    fn literals(&self, _: u8) -> Option<&Literals> {
        match &self.t.calls {
            Some((_, Content::Arguments(literals))) => literals.as_ref(),
            _ => None,
        }
    }

    fn ends_of_bare(&self, _: u8) -> &[Box<str>] {
        &self.ends
    }

    /// Servers strip special tokens.
    fn is_stripped(&self) -> bool {
        true
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Fields::new(t)))
    }
}
