//! Calls behind one token, without a closer: `[TOOL_CALLS]read[ARGS]{"path": "a"}`, or objects, in `mistral`.
//!
//! ```text
//! call    := OPEN ws NAME ws ( ID ws )? ( ARGS ws )? object          ID := CALL_ID ws NAME
//!          | NAME OPEN ws ( ARGS ws )? object                        a mistake: NAME is declared, and a word of its own
//! section := OPEN ws OBJECTS                                         as in `block/objects.rs`, perhaps in a fence
//! ```
//! A second token before the calls of the first is markup. If a name stands before its token, the object behind it must
//! not name a tool itself: its first key is not `name`, or `name` is a parameter of the tool.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Token::in_text`] |
//! | between calls | objects, behind arguments | [`Token::in_section`] |
//! | behind a name | | [`Token::at_call_start`] |
//!
//! An opener cut in two:
//!
//! ```text
//! chunk "[TOOL_CALLS]read[AR"     token and name: Ok; what confirms them: More      -> pending
//! chunk "GS]{"                    `[ARGS]` and a brace: Ok                          -> Open(Call(CALL)), markup
//! ```

use crate::event::DiagnosticKind;
use crate::family::block::objects::{self, Round};
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Gives, Look, SectionFacts};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{InCall, InSection, InText, Opener, Place, Scope};
use crate::read::cursor::{Class, Cursor, Half, More, No, Step};
use crate::read::ids::UNKNOWN;
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;

/// Kinds of sections.
const OBJECTS: u8 = 0;
const AFTER_ARGUMENTS: u8 = 1;

/// The kind of calls, and the kinds of objects.
const CALL: u8 = 0;
const ARGUMENTS: u8 = 0;
const OBJECT: u8 = 1;

/// White space that is markup with the first of two tokens.
const BETWEEN: usize = 128;

const OPENER: Half = Half::OPENER;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_CALL: &str = "opener of a call";
const TWICE: &str = "token written twice";

/// The texts of a dialect of such calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub open: Box<str>,
    /// The tokens before an id, and before the arguments.
    pub id: Box<str>,
    pub args: Box<str>,
    /// Stop tokens.
    pub stops: Vec<Box<str>>,
}

/// The family of calls behind a token.
#[derive(Debug)]
pub(crate) struct Token {
    t: Texts,
    text: Scan,
    call: Scan,
}

impl Token {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Token {
        let (text, call) = (Scan::from_texts([&*t.open]), Scan::from_texts(["{"]));
        Token { t, text, call }
    }

    /// Behind a name: reads up to the brace of its arguments. `id` is the call's id, once it is whole.
    fn head<'t>(&self, c: &mut Cursor<'t>, id: &mut Option<&'t str>) -> Step<()> {
        c.white()?;
        if c.peek()? == b'{' {
            return c.literal("{");
        }
        let from = c.pos;
        c.any(&[&self.t.id, &self.t.args])?;
        let names_id = c.since(from) == &*self.t.id;
        c.white()?;
        if !names_id {
            return c.literal("{");
        }
        *id = Some(c.name(Class::Name, false)?);
        c.white()?;
        one_of!(c; |c| c.literal("{"), |c| {
            c.literal(&self.t.args)?;
            c.white()?;
            c.literal("{")
        })
    }

    /// Reads a call that names its tool behind the token.
    fn named<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let opener = c.way(OPENER.role(A_CALL), |c| {
            c.literal(&self.t.open)?;
            c.white()?;
            let name = c.name(Class::Name, false)?;
            let (tool, mut id) = (look.tools.number([name, ""]), None);
            c.follow(tool != UNKNOWN, |c| self.head(c, &mut id))?;
            Ok(Opener { id, ..Opener::new(Place::Call(CALL)).named(name, tool) })
        })?;
        Ok(opener.map(InText::Open))
    }

    /// Reads a call that names its tool before the token.
    fn named_before<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let opener = c.noise_or(Half::NONE.role(A_CALL), |c| {
            let (name, tool) = c.known(&look.tools.names, false, None)?;
            c.literal(&self.t.open)?;
            c.follow(false, |c| {
                c.white()?;
                c.peek()?;
                c.or_end(|c| self.arguments_of(look, tool, c))
            })?;
            let opener = Opener::new(Place::Call(CALL)).named(name, tool);
            Ok(opener.note(DiagnosticKind::MalformedTag))
        })?;
        Ok(opener.map(InText::Open))
    }

    /// Reads the beginning of an object with all arguments of this tool, which names none itself.
    fn arguments_of(&self, look: &Look<'_>, tool: u16, c: &mut Cursor<'_>) -> Step<()> {
        if c.peek()? != b'{' {
            c.literal(&self.t.args)?;
            c.white()?;
            return c.literal("{");
        }
        c.literal("{")?;
        c.white()?;
        if c.peek()? != b'"' {
            return Ok(());
        }
        c.literal("\"")?;
        let key = c.run(Class::Unquoted, 0, bounds::NAME)?;
        let fits = key != "name" || look.tools.params(tool).find([key, ""]).is_some();
        if fits { c.literal("\"") } else { Err(No) }
    }

    /// Reads the second of two tokens, and the beginning of calls behind it.
    fn again(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.open)?;
        c.white()?;
        one_of!(c; objects::one_or_listed, |c| {
            let name = c.name(Class::Name, false)?;
            match look.tools.number([name, ""]) {
                UNKNOWN => self.head(c, &mut None),
                _ => c.or_end(|c| self.head(c, &mut None)),
            }
        })
    }

    /// Reads the token twice: the first is markup, with the white space behind it.
    fn twice(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<bool> {
        let twice = c.way(OPENER.role(TWICE), |c| {
            c.literal(&self.t.open)?;
            c.run(Class::White, 0, BETWEEN)?;
            c.follow(false, |c| self.again(look, c))
        })?;
        Ok(twice.is_some())
    }

    /// Reads the token twice, before objects that may stand in a fence.
    fn twice_before_objects(&self, c: &mut Cursor<'_>) -> Step<bool> {
        let twice = c.way(OPENER.role(TWICE), |c| {
            c.literal(&self.t.open)?;
            c.white()?;
            c.follow(false, |c| {
                c.literal(&self.t.open)?;
                c.white()?;
                objects::begins(c)
            })
        })?;
        Ok(twice.is_some())
    }

    /// Reads the token with an empty list.
    fn empty_list(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.t.open)?;
        c.white()?;
        c.literal("[")?;
        c.white()?;
        c.literal("]")
    }

    fn section_opens(&self, c: &mut Cursor<'_>) -> Step<bool> {
        let opens = c.way(OPENER.role("opener of a section"), |c| {
            c.literal(&self.t.open)?;
            c.follow(false, |c| {
                c.white()?;
                objects::begins(c)
            })
        })?;
        Ok(opens.is_some())
    }
}

impl Family for Token {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if c.bytes().first() != self.t.open.as_bytes().first() {
            let found = self.named_before(look, c)?;
            return found.map_or_else(|| c.none(), Ok);
        }
        if let Some(found) = self.named(look, c)? {
            return Ok(found);
        }
        if self.twice(look, c)? {
            return Ok(InText::Mark(None));
        }
        if c.noise_or(Half::NONE.role("empty list"), |c| self.empty_list(c))?.is_some() {
            return Ok(InText::Mark(None));
        }
        if self.section_opens(c)? {
            return Ok(InText::Open(Opener::new(Place::Section(OBJECTS))));
        }
        if self.twice_before_objects(c)? { Ok(InText::Mark(None)) } else { c.none() }
    }

    fn late_in_text<'t>(&self, _: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| {
            c.literal(&self.t.open)?;
            cut_opener(c, true, &self.t.stops)
        })?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let found = match kind {
            OBJECTS => objects::among(
                look,
                c,
                Round { open: &[], close: &[], tries: None, any: false, body: OBJECT },
            )?,
            _ => objects::behind_object(c)?,
        };
        found.map_or_else(|| c.none(), Ok)
    }

    fn at_call_start<'t>(&self, _: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let id = c.way(WHOLE.role("id of a call"), |c| {
            c.white()?;
            c.literal(&self.t.id)?;
            c.white()?;
            c.name(Class::Name, false)
        })?;
        let mark = id.is_some()
            || c.way(WHOLE.role("token before arguments"), |c| {
                c.white()?;
                c.literal(&self.t.args)
            })?
            .is_some();
        if mark {
            return Ok(InCall::Mark);
        }
        let object = c.way(WHOLE.role("object of arguments"), |c| {
            c.white()?;
            c.literal("{")
        })?;
        if object.is_some() {
            return Ok(InCall::Object(ARGUMENTS));
        }
        let none = c.way(WHOLE.role("no arguments"), |c| {
            c.white()?;
            c.literal("null")
        })?;
        let close = |before| InCall::Close { scope: Scope::Call, note: None, before };
        match none {
            Some(()) => Ok(close(false)),
            // Any other text there has ended the call.
            None => match c.none::<()>() {
                Err(No) => Ok(close(true)),
                _ => Err(More),
            },
        }
    }

    fn in_call<'t>(&self, _: &Look<'_>, _: u8, _: &mut Cursor<'t>) -> Step<InCall<'t>> {
        Err(No)
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.call
    }

    fn section(&self, _: u8) -> SectionFacts {
        SectionFacts { between: b"],;", closes: false, ..SectionFacts::CALLS }
    }

    fn body(&self, kind: u8) -> BodyFacts {
        match kind {
            ARGUMENTS => {
                BodyFacts { gives: Gives::Arguments, then: Some(AFTER_ARGUMENTS), stop: b'<' }
            }
            _ => BodyFacts { gives: Gives::Call, then: None, stop: b'<' },
        }
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Token::new(t)))
    }
}
