//! Calls whose id names their tool, before their JSON: `kimi-k2`.
//!
//! ```text
//! section := OPEN ws ( call ws )* CLOSE
//! call    := BEGIN ws ID ws ARGUMENT ws object ws END           ID := PREFIX? NAME ( ":" digits )?
//! ```
//! ID, whole, is the call's id. Tokens need no confirmation, because nobody types them. If tokens are missing:
//!
//! * half a header, up to the next token, is markup (`malformed_call`), and so is ARGUMENT without a header, with its
//!   object;
//! * in a section BEGIN may be missing before the ID of a declared tool that has an index (`missing_opener`);
//! * if ID names no declared tool, the arguments may name one: `{"name": N, "arguments": {…}}`;
//! * if ID is all digits, the tool is the known one whose parameters include all keys of the arguments. (Both are
//!   `inferred_name`. With none or several there is no call.)
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Ids::in_text`] |
//! | between calls | calls, behind an object, a header, ARGUMENT alone, behind its object | [`Ids::in_section`] |
//! | behind a header | | [`Ids::at_call_start`], [`Ids::in_call`] |
//! | in an object | arguments; of no call; a call; arguments that show their tool | [`Ids::in_body`] |
//!
//! A header cut in two:
//!
//! ```text
//! chunk "<|tool_call_begin|>functions.re"         BEGIN: a header follows; the ID: More        -> pending
//! chunk "ad:0<|tool_call_argument_begin|>"        the header: Ok                               -> Open(Call(CALL)), markup
//! ```

use crate::event::DiagnosticKind;
use crate::family::block::objects::ARGUMENT_KEYS;
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Gives, InBody, Look, SectionFacts};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{CALLS, InCall, InSection, InText, Opener, Place, SECTIONS, Scope};
use crate::read::cursor::{Class, Cursor, Half, No, Note, Step, WHITE};
use crate::read::ids::UNKNOWN;
use crate::read::scan::Scan;

/// Kinds of sections.
const SECTION: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const HEADER: u8 = 2;
const STRAY: u8 = 3;
const AFTER_STRAY: u8 = 4;

/// The kind of calls.
const CALL: u8 = 0;

/// Kinds of objects.
const ARGUMENTS: u8 = 0;
const NO_CALL: u8 = 1;
const NAMES: u8 = 2;
const STRAY_OBJECT: u8 = 3;
const INFERS: u8 = 4;

const OPENER: Half = Half::OPENER;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_CALL: &str = "opener of a call";
const END_CALL: &str = "closer of a call";
const LOST: &str = "lost closer of a call";
const NO_HEADER: &str = "header that names no tool";

/// The index of an ID.
pub(super) const INDEX: usize = ":18446744073709551615".len();
/// The most bytes of white space or of words in a header.
const SHORT: usize = 128;

/// The texts of a dialect of ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// Openers and closers of sections.
    pub open: Vec<Box<str>>,
    pub close: Vec<Box<str>>,
    pub begin: Box<str>,
    pub argument: Box<str>,
    pub end: Box<str>,
    /// Prefix that may stand before the tool in an ID.
    pub prefix: Box<str>,
    /// The header of a result: a token, its role, and a token. White space may stand between them.
    pub result: [Box<str>; 3],
    /// Stop tokens: behind one of them a call is over.
    pub stops: Vec<Box<str>>,
}

/// The family of ids.
#[derive(Debug)]
pub(crate) struct Ids {
    t: Texts,
    text: Scan,
    call: Scan,
}

/// The ID of a call.
#[derive(Clone, Copy, Debug)]
struct Id<'t> {
    id: &'t str,
    name: &'t str,
    tool: u16,
}

impl Ids {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Ids {
        let own = [&t.begin, &t.argument, &t.end];
        let tags = || t.open.iter().chain(&t.close).chain(own).map(|tag| tag.as_bytes());
        let result = t.result[..1].iter().map(|token| token.as_bytes());
        let text = Scan::from_texts(tags().chain(result));
        let call = Scan::from_texts(tags().chain(t.stops.iter().map(|stop| stop.as_bytes())));
        Ids { t, text, call }
    }

    // Headers.

    fn id<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Id<'t>> {
        let id = c.run(Class::Name, 1, self.t.prefix.len() + bounds::NAME + INDEX)?;
        let name = tool_in(&self.t.prefix, id);
        if name.is_empty() || name.len() > bounds::NAME {
            return Err(No);
        }
        Ok(Id { id, name, tool: look.tools.number([name, ""]) })
    }

    /// Reads the ID of a declared tool with its index, and ARGUMENT: the header of a call without BEGIN. `or_end`:
    /// the end of the stream confirms it, too.
    fn bare<'t>(&self, look: &Look<'_>, or_end: bool, c: &mut Cursor<'t>) -> Step<Id<'t>> {
        if Class::Name.run(c.rest(), bounds::HELD) == c.rest().len() {
            // Each character decides whether the text may still become the ID of a declared tool.
            return if self.may_be_id(look, c.rest()) { c.more() } else { Err(No) };
        }
        let id = self.id(look, c)?;
        // Without BEGIN, only a declared tool with an index distinguishes an ID from a word of prose.
        if id.tool == UNKNOWN || id.id.ends_with(id.name) {
            return Err(No);
        }
        c.literal(&self.t.argument)?;
        c.follow(or_end, |c| {
            c.white()?;
            c.literal("{")
        })?;
        Ok(id)
    }

    fn may_be_id(&self, look: &Look<'_>, text: &str) -> bool {
        let names = &look.tools.names;
        let may_be = |tool: &str| {
            let digits = |index: &str| index.bytes().all(|byte| byte.is_ascii_digit());
            let index = tool.rsplit_once(':').filter(|(_, index)| digits(index));
            names.has_beginning(tool)
                || index.is_some_and(|(tool, _)| names.find([tool, ""]).is_some())
        };
        let after = text.strip_prefix(&*self.t.prefix);
        self.t.prefix.starts_with(text) || may_be(text) || after.is_some_and(may_be)
    }

    /// Reads ARGUMENT, and the brace of an object.
    fn argument_object(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.argument)?;
        c.white()?;
        c.literal("{")
    }

    /// Reads any token.
    fn token(&self, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c;
            |c| c.any(&self.t.open),
            |c| c.any(&self.t.close),
            |c| c.any(&self.t.stops),
            |c| c.any(&[&self.t.begin, &self.t.argument, &self.t.end]),
        )
    }

    /// Reads an ID that names no declared tool, where the object names one.
    fn foreign<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<&'t str> {
        short(c)?;
        let id = self.id(look, c)?;
        if id.tool != UNKNOWN || look.tools.names.is_empty() {
            return Err(No);
        }
        short(c)?;
        c.literal(&self.t.argument)?;
        short(c)?;
        c.literal("{")?;
        c.follow(false, |c| {
            c.white()?;
            c.literal("\"name\"")?;
            short(c)?;
            c.literal(":")?;
            short(c)?;
            c.literal("\"")?;
            c.known(&look.tools.names, false, None)?;
            // The object names a known tool: the end of the stream confirms it.
            c.or_end(|c| {
                c.literal("\"")?;
                short(c)?;
                c.literal(",")?;
                short(c)?;
                one_of!(c;
                    |c| key(c, ARGUMENT_KEYS[0]),
                    |c| key(c, ARGUMENT_KEYS[1]),
                    |c| key(c, ARGUMENT_KEYS[2]),
                    |c| key(c, ARGUMENT_KEYS[3]),
                )
            })
        })?;
        Ok(id.id)
    }

    /// Behind the token that begins a call. White space alone is also half a header.
    fn header<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let half = WHOLE.and(Half::OPENER);
        let body = |kind: u8, id: &'t str| {
            let id = Some(id);
            Ok(InSection::Open(Opener { id, ..Opener::new(Place::Body(kind)) }))
        };
        // Before the plain ID, which may be any word: here the object behind it names the tool.
        if let Some(id) = c.way(half.role(A_CALL), |c| self.foreign(look, c))? {
            return body(NAMES, id);
        }
        let named = c.way(half.role(A_CALL), |c| {
            c.white()?;
            let id = self.id(look, c)?;
            c.white()?;
            c.literal(&self.t.argument)?;
            Ok(id)
        })?;
        if let Some(id) = named {
            return Ok(InSection::Open(opens(id)));
        }
        let number = c.way(half.role(A_CALL), |c| {
            c.white()?;
            let id = c.run(Class::Digits, 1, bounds::NAME)?;
            c.white()?;
            self.argument_object(c)?;
            Ok(id)
        })?;
        if let Some(id) = number {
            return body(INFERS, id);
        }
        let nameless = c.way(half.role(NO_HEADER), |c| {
            c.run(Class::Words, 0, SHORT)?;
            self.argument_object(c)
        })?;
        if nameless.is_some() {
            return Ok(InSection::Malformed(Some(NO_CALL)));
        }
        let note = Some(DiagnosticKind::MalformedCall);
        let cut = c.way(WHOLE.role(NO_HEADER), |c| {
            c.run(Class::Words, 0, SHORT)?;
            if matches!(c.peek()?, b'\r' | b'\n') {
                return Err(No);
            }
            c.follow(false, |c| {
                c.white()?;
                self.token(c)
            })
        })?;
        if cut.is_some() {
            let section = Opener { note, ..Opener::new(Place::Section(SECTION)) };
            return Ok(InSection::Open(section));
        }
        match c.noise_or(WHOLE.role(NO_HEADER), |_| Ok(()))? {
            Some(()) => Ok(InSection::Close(note)),
            None => c.none(),
        }
    }

    // Between calls.

    fn among_calls<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InSection<'t>>> {
        if c.way(WHOLE.role(A_CALL), |c| c.literal(&self.t.begin))?.is_some() {
            return Ok(Some(InSection::Open(Opener::new(Place::Section(HEADER)))));
        }
        let nameless = WHOLE.and(Half::OPENER).role(NO_HEADER);
        if c.way(nameless, |c| self.argument_object(c))?.is_some() {
            return Ok(Some(InSection::Malformed(Some(NO_CALL))));
        }
        if c.way(WHOLE.role(NO_HEADER), |c| c.literal(&self.t.argument))?.is_some() {
            return Ok(Some(InSection::Malformed(None)));
        }
        if !look.is.owed {
            let half = WHOLE.and(Half::OPENER);
            if let Some(id) = c.way(half.role(A_CALL), |c| self.bare(look, true, c))? {
                return Ok(Some(InSection::Open(opens(id).note(DiagnosticKind::MissingOpener))));
            }
        }
        if c.way(WHOLE.role(END_CALL), |c| c.literal(&self.t.end))?.is_some() {
            return Ok(Some(InSection::Mark(None)));
        }
        let again = look.is.section_start
            && c.way(WHOLE.role("opener of a section"), |c| c.any(&self.t.open))?.is_some();
        if again {
            return Ok(Some(InSection::Mark(None)));
        }
        let close = c.way(WHOLE.role("closer of a section"), |c| c.any(&self.t.close))?;
        Ok(close.map(|()| InSection::Close(None)))
    }

    /// Behind an object: reads its call's closer. If it was forgotten, the text there is read again.
    fn behind_object<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InSection<'t>>> {
        let goes_on = |note: Note, before: bool| {
            let section = Opener { note, before, ..Opener::new(Place::Section(SECTION)) };
            Ok(Some(InSection::Open(section)))
        };
        if c.way(WHOLE.role(END_CALL), |c| c.literal(&self.t.end))?.is_some() {
            return goes_on(None, false);
        }
        if let Some(garbage) = super::headers::garbage(c)? {
            return Ok(Some(garbage));
        }
        let start = *c;
        let next = c.way(WHOLE.role(LOST), |c| c.literal(&self.t.begin))?.is_some()
            || !look.is.owed
                && c.way(WHOLE.and(Half::OPENER).role(LOST), |c| self.bare(look, false, c))?
                    .is_some();
        if next {
            *c = start;
            return goes_on(Some(DiagnosticKind::MissingCloser), true);
        }
        let close = c.way(WHOLE.role("closer of a section"), |c| c.any(&self.t.close))?;
        Ok(close.map(|()| InSection::Close(Some(DiagnosticKind::MissingCloser))))
    }

    /// ARGUMENT in text.
    fn stray<'t>(&self, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let object = c.way(WHOLE.role(NO_HEADER), |c| self.argument_object(c))?;
        if object.is_some() {
            return Ok(InSection::Malformed(Some(STRAY_OBJECT)));
        }
        match c.way(WHOLE.role(NO_HEADER), |c| c.literal(&self.t.argument))? {
            Some(()) => Ok(InSection::Close(Some(DiagnosticKind::MalformedCall))),
            None => c.none(),
        }
    }
}

/// Reads a short run of white space.
fn short(c: &mut Cursor<'_>) -> Step<()> {
    c.run(Class::White, 0, SHORT).map(|_| ())
}

/// Reads the key of arguments.
fn key(c: &mut Cursor<'_>, key: &str) -> Step<()> {
    c.literal("\"")?;
    c.literal(key)?;
    c.literal("\"")?;
    short(c)?;
    c.literal(":")
}

/// Opens the call of this ID.
fn opens(id: Id<'_>) -> Opener<'_> {
    let name = id.name.trim_matches(WHITE);
    Opener { id: Some(id.id), ..Opener::new(Place::Call(CALL)).named(name, id.tool) }
}

/// Returns the tool in an id, behind this prefix and before its index. Digits alone name no tool.
pub(super) fn tool_in<'t>(prefix: &str, id: &'t str) -> &'t str {
    let after = id.strip_prefix(prefix).filter(|rest| !rest.is_empty());
    let tool = after.unwrap_or(id);
    let before = tool.trim_end_matches(|c: char| c.is_ascii_digit());
    match before.strip_suffix(':') {
        _ if before.is_empty() => "",
        Some(before) if before.len() + 1 < tool.len() => before,
        _ => tool,
    }
}

impl Family for Ids {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let opens = |opener: Opener<'t>| Ok(InText::Open(opener));
        let section = Opener::new(Place::Section(SECTION));
        if c.way(OPENER.role("opener of a section"), |c| c.any(&self.t.open))?.is_some() {
            return opens(section);
        }
        if look.reasoning {
            return c.none();
        }
        if c.way(OPENER.role(A_CALL), |c| c.literal(&self.t.begin))?.is_some() {
            return opens(Opener { owed: true, before: true, ..section });
        }
        let closer = Half::NONE.role("closer that nothing opened");
        if c.way(closer, |c| c.any(&self.t.close))?.is_some() {
            return Ok(InText::Closer(SECTIONS));
        }
        if c.way(closer, |c| c.literal(&self.t.end))?.is_some() {
            return Ok(InText::Orphan(CALLS));
        }
        let [turn, role, message] = &self.t.result;
        let invented = look.is.after_call
            && c.way(Half::NONE.role("result that the model invents"), |c| {
                c.literal(turn)?;
                short(c)?;
                c.literal(role)?;
                short(c)?;
                c.literal(message)
            })?
            .is_some();
        if invented {
            return Ok(InText::Rest(DiagnosticKind::FabricatedResult));
        }
        if c.way(OPENER.role(NO_HEADER), |c| c.literal(&self.t.argument))?.is_some() {
            return opens(Opener { before: true, ..Opener::new(Place::Section(STRAY)) });
        }
        c.none()
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let found = match kind {
            SECTION => self.among_calls(look, c)?,
            AFTER_OBJECT => self.behind_object(look, c)?,
            HEADER => return self.header(look, c),
            STRAY => return self.stray(c),
            _ => {
                c.way(Half::NONE.role(END_CALL), |c| c.literal(&self.t.end))?;
                return Ok(InSection::Close(None));
            }
        };
        found.map_or_else(|| c.none(), Ok)
    }

    fn at_call_start<'t>(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let object = c.way(WHOLE.role("object of arguments"), |c| {
            c.white()?;
            c.literal("{")
        })?;
        if object.is_some() {
            return Ok(InCall::Object(ARGUMENTS));
        }
        let none = c.way(WHOLE.role("no arguments"), |c| {
            c.white()?;
            c.literal("null")?;
            c.follow(false, |c| {
                c.white()?;
                c.literal(&self.t.end)
            })
        })?;
        none.map_or_else(|| c.none(), |()| Ok(InCall::Mark))
    }

    fn in_call<'t>(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let close = |note: Note, before: bool| InCall::Close { scope: Scope::Call, note, before };
        if c.way(WHOLE.role(END_CALL), |c| c.literal(&self.t.end))?.is_some() {
            return Ok(close(None, false));
        }
        let over = c.way(WHOLE.role(LOST), |c| c.any(&self.t.close))?.is_some()
            || c.way(WHOLE.role(LOST), |c| c.literal(&self.t.begin))?.is_some()
            || c.way(WHOLE.role(LOST), |c| c.any(&self.t.stops))?.is_some();
        if over { Ok(close(Some(DiagnosticKind::MissingCloser), true)) } else { c.none() }
    }

    fn in_body(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let half = WHOLE.role("end of an object before its own");
        let ends = c.way(half, |c| c.literal(&self.t.end))?.is_some()
            || c.way(half, |c| c.any(&self.t.close))?.is_some()
            || c.way(half, |c| c.literal(&self.t.begin))?.is_some();
        if ends { Ok(InBody::before(None)) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.call
    }

    fn section(&self, kind: u8) -> SectionFacts {
        SectionFacts {
            white: kind != HEADER,
            calls: !matches!(kind, STRAY | AFTER_STRAY),
            behind_call: (kind == HEADER).then_some(SECTION),
            ..SectionFacts::CALLS
        }
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let (gives, then) = match kind {
            ARGUMENTS => (Gives::Arguments, AFTER_OBJECT),
            NAMES => (Gives::Call, AFTER_OBJECT),
            INFERS => (Gives::Tool, AFTER_OBJECT),
            STRAY_OBJECT => (Gives::Nothing, AFTER_STRAY),
            _ => (Gives::Nothing, AFTER_OBJECT),
        };
        BodyFacts { gives, then: Some(then), stop: b'<' }
    }

    fn is_stripped(&self) -> bool {
        true
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Ids::new(t)))
    }
}
