//! Objects that may be calls, or the answer, with or without a lead: `bare-json`, `wrapped-json`.
//!
//! ```text
//! calls := LEAD ( "[" ws )? OBJECT ( ws ( "," | ";" )? ws OBJECT )* ( ws "]" )? CLOSERS
//! LEAD  := FENCE ws ( TAG ws )? | TAG ws ( FENCE ws )? | nothing      FENCE := "```" word? line-end
//!        | NAMED ws, before all arguments of a declared tool          NAMED := TAG ws NAME | "```tool" NAME line-end
//!        | "{" … "tool_calls" ":" "["                                 at the message's start
//! ```
//! OBJECT counts if its name and its keys show that it is a call ([`trial`]). Until then it is pending, and an object or
//! a list that is not a call is text up to its end. Without a lead, or in a fence, it counts at the start of a line,
//! behind markup and behind a call. A tag counts anywhere in text. Nothing counts in reasoning. CLOSERS are those of
//! LEAD. Each may be missing; the closer of the part that was opened last ends an open object. A line of back-ticks
//! that leads to no call opens a fence of the text, and the next such line without a word closes it.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Tried::in_text`] |
//! | between calls | by the text around them, in a message's list, behind that, behind arguments | [`Tried::in_section`] |
//! | behind a name | in a tag, in a fence | [`Tried::at_call_start`] |
//! | in an object | by the last opener; all arguments of a call | [`Tried::in_body`] |
//!
//! An opener cut in two:
//!
//! ```text
//! chunk "<tool_call>{\"name\": \"re"     the tag: Ok; the object: More       -> pending, and the object's reader waits
//! chunk "ad\", \"arguments\": {"         tool and arguments: Ok              -> Open(Section(…)), markup
//! ```

mod lead;
mod message;

use crate::event::DiagnosticKind;
use crate::family::block::objects::{self, Round};
use crate::family::block::run_of_closers;
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Gives, InBody, Look, SectionFacts};
use crate::read::act::{ANSWER, InCall, InSection, InText, Opener, Place};
use crate::read::attempt::Trial;
use crate::read::cursor::{Class, Cursor, Half, No, Step, Way};
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;
use crate::read::trial;
use lead::Lead;

/// Kinds of sections beside those of leads. The first two are also kinds of calls and of arguments.
const NAMED_TAG: u8 = 0;
const NAMED_FENCE: u8 = 1;
/// In the list of a message.
const LIST: u8 = 2;
/// Behind the list, in the message.
const BESIDE: u8 = 3;

pub(crate) const TICKS: &str = "```";
/// Info strings of fences that hold data or examples.
const JSON: [&str; 3] = ["json", "JSON", "Json"];
/// Tags before a tool's name, and behind its arguments.
const NAMED: [[&str; 2]; 2] = [["<function>", "<tool>"], ["</function>", "</tool>"]];

const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_SECTION: &str = "opener of a section";
const A_CALL: &str = "opener of a call";
const END_SECTION: &str = "closer of a section";
const DATA: &str = "data";

/// The texts of a dialect of objects that are tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// Openers and closers of tags, in groups whose closers begin alike: any closer of a group closes any of
    /// its openers.
    pub groups: Vec<[Vec<Box<str>>; 2]>,
    /// Something always stands around the objects.
    pub wrapped: bool,
    /// Only tags stand around the objects: no fence.
    pub unfenced: bool,
    /// Only objects in these leads count: no call named by a tag or a fence, no message in an object, and no run of
    /// closers.
    pub only: bool,
    /// Stop tokens.
    pub stops: Vec<Box<str>>,
}

/// The family of objects that are tried.
#[derive(Debug)]
pub(crate) struct Tried {
    t: Texts,
    /// The closers of all tags.
    closes: Vec<Box<str>>,
    text: Scan,
    /// Openers alone.
    tags: Scan,
    call: Scan,
    beside: Scan,
}

impl Tried {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Tried {
        let closes: Vec<Box<str>> = t.groups.iter().flat_map(|[_, close]| close.clone()).collect();
        let opens = t.groups.iter().flat_map(|[open, _]| open).map(|open| &**open);
        let named = NAMED[0].into_iter().filter(|_| !t.only);
        let tags = Scan::from_texts(opens.chain(named));
        let lines: &[&str] = match (t.wrapped, t.unfenced) {
            (true, _) => &[TICKS],
            (false, true) => &["{", "["],
            (false, false) => &["{", "[", TICKS],
        };
        let closers: &[&str] = if t.only { &[] } else { &["</"] };
        let text = tags.and(&Scan::from_texts(closers)).and_lines(lines);
        Tried {
            t,
            closes,
            text,
            tags,
            call: Scan::from_texts(["{"]),
            beside: Scan::from_texts([":", "}"]),
        }
    }

    // Text.

    /// Reads calls in tags, or in a fence in tags.
    fn tagged<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        for (group, [open, _]) in (0..).zip(&self.t.groups) {
            let tag = c.way(tries(look), |c| {
                c.any(open)?;
                c.follow(false, |c| calls(look, c))
            })?;
            if tag.is_some() {
                return Ok(Some(Lead::tag(group).opens()));
            }
            if look.quotes || self.t.unfenced {
                continue;
            }
            let fenced = c.way(tries(look), |c| {
                c.any(open)?;
                c.white()?;
                fence(c)?;
                c.follow(false, |c| calls(look, c))
            })?;
            if fenced.is_some() {
                return Ok(Some(Lead::tag(group).and_fence().opens()));
            }
        }
        Ok(None)
    }

    /// Reads calls in a fence, or in tags in a fence.
    fn fenced<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let alone = c.way(tries(look), |c| {
            if self.t.wrapped {
                worded_fence(c)?
            } else {
                fence(c)?
            }
            c.follow(false, |c| calls(look, c))
        })?;
        if alone.is_some() {
            return Ok(Some(Lead::FENCE.opens()));
        }
        for (group, [open, _]) in (0..).zip(&self.t.groups) {
            let tag = c.way(tries(look), |c| {
                fence(c)?;
                c.white()?;
                c.any(open)?;
                c.follow(false, |c| calls(look, c))
            })?;
            if tag.is_some() {
                return Ok(Some(Lead::FENCE.and_tag(group).opens()));
            }
        }
        Ok(None)
    }

    /// Reads calls without a lead.
    fn plain<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let calls = c.way(tries(look), |c| trial::call(look, Trial::Keys, c))?;
        let section = Opener { before: true, ..Opener::new(Lead::NOTHING.place()) };
        Ok(calls.map(|()| InText::Open(section)))
    }

    /// Reads a line of back-ticks: it may belong to calls, to one call, or to the text.
    fn ticks<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let counts = look.begins_block() && !look.quotes;
        let names = counts && !self.t.only;
        if let Some(found) = if names { named(look, NAMED_FENCE, c)? } else { None } {
            return Ok(Some(found));
        }
        let line = look.begins_line;
        // In a fence of text, back-ticks end it: they do not begin a fence of calls.
        if line && look.is.text_fence && fence_of_text(false, c)? {
            return Ok(Some(InText::Fence { opens: false }));
        }
        if let Some(found) = if counts { self.fenced(look, c)? } else { None } {
            return Ok(Some(found));
        }
        let opens = line && !look.is.text_fence && fence_of_text(true, c)?;
        Ok(opens.then_some(InText::Fence { opens: true }))
    }

    /// Reads tags, and closers of nothing.
    fn angle<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if self.t.only {
            return if look.is.whole { Ok(None) } else { self.tagged(look, c) };
        }
        if let Some(found) = if look.is.whole { None } else { named(look, NAMED_TAG, c)? } {
            return Ok(Some(found));
        }
        let run = Half::NONE.role("closers that nothing opened");
        if c.noise_or(run, |c| run_of_closers(&self.closes, c))?.is_some() {
            return Ok(Some(InText::Mark(Some(DiagnosticKind::OrphanCloser))));
        }
        if look.is.whole { Ok(None) } else { self.tagged(look, c) }
    }

    // Between calls.

    /// Between objects in this lead.
    fn in_lead<'t>(
        &self,
        look: &Look<'_>,
        lead: Lead,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        if let Some(found) = objects::among(look, c, among(lead))? {
            return Ok(Some(found));
        }
        if lead.has_fence() && c.noise_or(WHOLE.role(END_SECTION), end_fence)?.is_some() {
            return Ok(Some(lead.without_fence().goes_on()));
        }
        let Some([_, close]) = lead.group().and_then(|of| self.t.groups.get(usize::from(of)))
        else {
            return Ok(None);
        };
        let closed = c.noise_or(WHOLE.role(END_SECTION), |c| c.any(close))?;
        Ok(closed.map(|()| lead.without_tag().goes_on()))
    }

    /// Behind an object with all arguments of a call.
    fn behind_arguments<'t>(&self, kind: u8, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        if c.peek()? == b'}' {
            c.pos += 1;
            return Ok(Some(InSection::Brace));
        }
        let closed = c.noise_or(WHOLE.role(END_SECTION), |c| match kind {
            NAMED_TAG => c.any(&NAMED[1]),
            _ => end_fence(c),
        })?;
        Ok(closed.map(|()| InSection::Close(None)))
    }
}

/// Reads a call that names its declared tool in a tag or in a fence.
fn named<'t>(look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
    let call = c.way(half(look, Half::OPENER).role(A_CALL), |c| {
        match kind {
            NAMED_TAG => {
                c.any(&NAMED[0])?;
                c.white()?;
            }
            _ => {
                c.literal("```tool")?;
                blanks(c)?;
            }
        }
        let (name, tool) = c.known(&look.tools.names, false, None)?;
        if kind == NAMED_FENCE {
            c.or_end(Cursor::line_end)?;
        }
        c.follow(true, arguments_begin)?;
        Ok(Opener::new(Place::Call(kind)).named(name, tool))
    })?;
    Ok(call.map(InText::Open))
}

/// The meaning of half an opener. Without declared tools it is nothing, since no call can follow.
fn half(look: &Look<'_>, half: Half) -> Half {
    if look.tools.names.is_empty() { Half::NONE } else { half }
}

/// The way of an opener that only its object shows.
fn tries(look: &Look<'_>) -> Way {
    half(look, Half::TRIED).role(A_SECTION)
}

/// The surroundings of objects in this lead.
fn among<'a>(lead: Lead) -> Round<'a> {
    Round { open: &[], close: &[], tries: Some(Trial::Keys), any: false, body: lead.kind() }
}

/// Reads the confirmation of a lead.
fn calls(look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
    trial::confirms(look, Trial::Keys, c)
}

/// Behind a name: reads the object of its arguments, up to its first quote or its end.
fn arguments_begin(c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    c.literal("{")?;
    c.white()?;
    c.byte_of(b"\"}").map(|_| ())
}

/// Reads at least one blank.
fn blanks(c: &mut Cursor<'_>) -> Step<()> {
    let blanks = c.bytes().iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if blanks > 32 || blanks == 0 && !c.rest().is_empty() {
        return Err(No);
    }
    c.pos += blanks;
    c.peek().map(|_| ())
}

/// Reads the first line of a fence.
pub(crate) fn fence(c: &mut Cursor<'_>) -> Step<()> {
    c.literal(TICKS)?;
    c.run(Class::Info, 0, 128)?;
    c.line_end()
}

/// Reads the first line of a fence whose word names no data format.
fn worded_fence(c: &mut Cursor<'_>) -> Step<()> {
    c.literal(TICKS)?;
    let word = c.run(Class::Info, 1, 128)?;
    if JSON.contains(&word) { Err(No) } else { c.line_end() }
}

/// Reads the closer of a fence of calls.
pub(crate) fn end_fence(c: &mut Cursor<'_>) -> Step<()> {
    c.literal(TICKS)?;
    c.or_end(|c| {
        let next = c.peek()?;
        let goes_on = next == b'`' || Class::Info.has_byte(next);
        if goes_on { Err(No) } else { Ok(()) }
    })
}

/// Reads a line of back-ticks that is text. `word`: something may stand behind them.
fn fence_of_text(word: bool, c: &mut Cursor<'_>) -> Step<bool> {
    let line = c.way(Half::NONE.role(DATA), |c| {
        c.literal(TICKS)?;
        c.or_end(|c| {
            c.run(Class::Ticks, 0, 256)?;
            if word {
                c.run(Class::FenceLine, 0, 256)?;
            }
            c.line_end()
        })
    })?;
    Ok(line.is_some())
}

impl Family for Tried {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        // In a dialect of lines, the answer holds no calls.
        if look.reasoning || look.message == ANSWER {
            return Err(No);
        }
        let block = look.begins_block() && !look.is.whole && !self.t.wrapped;
        let found = match c.peek()? {
            b'<' => self.angle(look, c)?,
            b'`' => self.ticks(look, c)?,
            b'[' => match if block { self.plain(look, c)? } else { None } {
                None if !look.is.whole => self.tagged(look, c)?,
                found => found,
            },
            b'{' => match if block { self.plain(look, c)? } else { None } {
                None if !self.t.wrapped && !self.t.only => self.message(look, c)?,
                None if !look.is.whole => self.tagged(look, c)?,
                found => found,
            },
            _ if !look.is.whole => self.tagged(look, c)?,
            _ => None,
        };
        found.map_or_else(|| c.none(), Ok)
    }

    fn late_in_text<'t>(&self, _: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let cut = Half::OPENER.role("half an opener at the end");
        let note = InText::Mark(Some(DiagnosticKind::CutOpener));
        let named = !self.t.only
            && c.noise_or(cut, |c| {
                c.any(&NAMED[0])?;
                cut_opener(c, false, &self.t.stops)
            })?
            .is_some();
        if named {
            return Ok(Some(note));
        }
        for [open, _] in &self.t.groups {
            let found = c.noise_or(cut, |c| {
                c.any(open)?;
                cut_opener(c, false, &self.t.stops)
            })?;
            if found.is_some() {
                return Ok(Some(note));
            }
        }
        Ok(None)
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let found = match Lead::find(kind) {
            Some(lead) => self.in_lead(look, lead, c)?,
            None if kind == LIST => self.in_list(look, c)?,
            None if kind == BESIDE => message::beside(c)?,
            None => self.behind_arguments(kind, c)?,
        };
        found.map_or_else(|| c.none(), Ok)
    }

    fn at_call_start<'t>(&self, _: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let object = c.way(WHOLE.role("object of arguments"), |c| {
            c.white()?;
            c.literal("{")
        })?;
        object.map_or_else(|| c.none(), |()| Ok(InCall::Object(kind)))
    }

    fn in_call<'t>(&self, _: &Look<'_>, _: u8, _: &mut Cursor<'t>) -> Step<InCall<'t>> {
        Err(No)
    }

    fn in_body(&self, _: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let end = WHOLE.role("end of an object before its own");
        let ends = match Lead::find(kind) {
            None if kind == NAMED_TAG => c.way(end, |c| c.any(&NAMED[1]))?,
            None if kind == NAMED_FENCE => c.way(end, |c| c.literal(TICKS))?,
            Some(lead) if lead.ends_in_fence() => c.way(end, |c| c.literal(TICKS))?,
            Some(lead) => match lead.group().and_then(|of| self.t.groups.get(usize::from(of))) {
                Some([_, close]) => c.way(end, |c| c.any(close))?,
                None => None,
            },
            None => None,
        };
        if ends.is_some() { Ok(InBody::before(None)) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn reasoning_scan(&self) -> &Scan {
        &self.tags
    }

    fn asks_before(&self) -> bool {
        true
    }

    fn may_begin(&self, look: &Look<'_>, byte: u8) -> bool {
        match byte {
            b'{' => look.begins_block() || look.is.message_start,
            b'`' if self.tags.begins_with(byte) => true,
            b'`' => look.begins_block(),
            _ => true,
        }
    }

    fn call_scan(&self, kind: u8) -> &Scan {
        if kind == BESIDE { &self.beside } else { &self.call }
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let lists = SectionFacts { between: b",;]", closes: false, ..SectionFacts::CALLS };
        let beside = SectionFacts { junk: true, quiet: true, calls: false, ..SectionFacts::CALLS };
        if kind == BESIDE { beside } else { lists }
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let arguments = |stop: u8| BodyFacts { gives: Gives::Arguments, then: Some(kind), stop };
        let call = |stop: u8| BodyFacts { gives: Gives::OnlyCall, then: None, stop };
        match Lead::find(kind) {
            None if kind == NAMED_TAG => arguments(b'<'),
            None if kind == NAMED_FENCE => arguments(b'`'),
            Some(lead) if lead.ends_in_fence() => call(b'`'),
            Some(lead) => {
                let close = lead.group().and_then(|of| self.t.groups.get(usize::from(of)));
                let first = close.and_then(|[_, close]| close.first());
                call(first.map_or(b'<', |close| close.as_bytes()[0]))
            }
            None => call(b'<'),
        }
    }

    fn is_stripped(&self) -> bool {
        true
    }

    fn own_texts(&self, each: &mut dyn FnMut(&str)) {
        if !self.t.only {
            NAMED.into_iter().flatten().chain([TICKS]).for_each(each);
        }
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Tried::new(t)))
    }
}
