//! Blocks: JSON objects, functions, or keys and values between one pair of tags, or any of the three.
//!
//! ```text
//! block := OPEN ws BODY ws CLOSE         BODY := objects | functions | keyed
//! ```
//! The opener counts if the beginning of a body follows. A doubled opener is markup. A call in reasoning ends the
//! reasoning. With [`Tags::tried`] a message may also begin with bare objects of declared tools, or with a list of
//! them.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Block::in_text`] |
//! | between calls | objects, functions, behind an object; objects that are tried | [`Block::in_section`] |
//! | between parameters | a function, one that `<NAME>` opened, a keyed call | [`Block::in_call`] |
//! | in a value | of each of them, and one without its opener | [`Block::in_value`] |
//! | in an object | a call, all arguments of a function or of a keyed call | [`Block::in_body`] |
//!
//! An opener cut in two, in `hermes`:
//!
//! ```text
//! chunk "<tool_call>\n{"     opener: Ok, objects: `{` and then More        -> pending
//! chunk "\"name\": \"f\", …"   `{"`: Ok                                       -> Open(Section(OBJECTS)), markup
//! ```

pub(super) mod functions;
mod keyed;
mod members;
pub(super) mod objects;

use crate::event::DiagnosticKind;
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Framing, Gives, InBody, Look, SectionFacts, element};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{InCall, InSection, InText, InValue, Opener, Place, SECTIONS, Scope};
use crate::read::attempt::Trial;
use crate::read::cursor::{Class, Cursor, Half, No, Step};
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;
use crate::read::trial;

pub(crate) use keyed::Keys;

/// Kinds of sections.
const OBJECTS: u8 = 0;
const FUNCTIONS: u8 = 1;
const AFTER_FUNCTION: u8 = 2;
const AFTER_KEYED: u8 = 3;
const MEMBERS: u8 = 4;

/// Kinds of calls, of values, and of objects.
const FUNCTION: u8 = 0;
const NAMED: u8 = 1;
const KEYED: u8 = 2;
/// A value without its opener.
const BARE: u8 = 3;
/// An object that names its call.
const CALL: u8 = 3;
/// A call that is a member of an object, and its value.
const MEMBER: u8 = 4;
/// Objects that are tried at the start of a message: the section, and the objects.
const TRIED: u8 = 5;

/// Half an opener of a call in text: a cut opener.
const OPENER: Half = Half::OPENER;
/// Half a marker where payload is not for the user.
const MARK: Half = Half::MARK;
/// Half a marker between calls and parameters, where a whole marker without its confirmation is markup, too.
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const SECTION: &str = "opener of a section";
const A_CALL: &str = "opener of a call";
const ORPHAN: &str = "closer of a section that nothing opened";
const LOST: &str = "lost closer of a call";
const ARGUMENT: &str = "closer of an argument";
const LOST_ARGUMENT: &str = "lost closer of an argument";

/// The surroundings of objects that are tried: none.
const TRIED_OBJECTS: objects::Round<'_> =
    objects::Round { open: &[], close: &[], tries: Some(Trial::Name), any: false, body: TRIED };

/// Closers of calls and parameters that models also write behind objects.
const SISTERS: [&str; 4] = ["</arg_value>", "</invoke>", "</function>", "</parameter>"];
/// Closers without an opener that may stand before the closer of a block.
const RUN: [&str; 3] = ["</parameter>", "</function>", "</arg_value>"];

/// The texts of a dialect of blocks: its openers and closers, and the kinds of its bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tags {
    /// The openers and closers, in each spelling.
    pub open: Vec<Box<str>>,
    pub close: Vec<Box<str>>,
    /// Spellings of the opener that count only before objects without a fence.
    pub also_open: Vec<Box<str>>,
    /// Stop tokens: behind one of them a call is over.
    pub stops: Vec<Box<str>>,
    pub json: bool,
    /// Between the tags any object is a call, whatever it begins with.
    pub any_object: bool,
    pub functions: bool,
    /// The values of functions stand on lines of their own.
    pub lines: bool,
    pub keyed: Option<Keys>,
    /// The tags of the dialect are special tokens: the next one ends the open part.
    pub token: bool,
    /// The beginning of a result that the model invents, behind a header of its own.
    pub invented_turn: Option<Box<str>>,
    /// Closers of parameters before the block's closer are markup with it.
    pub runs: bool,
    /// A word that opens a section before a list of objects.
    pub list_word: Option<Box<str>>,
    /// Opener of an object whose members are calls.
    pub members: Option<Box<str>>,
    /// Nobody types the openers: an opener at the end of the stream is a cut one, however the stream ended.
    pub untyped: bool,
    /// A section without calls is markup.
    pub empty: bool,
    /// A section with an empty list is markup.
    pub empty_lists: bool,
    /// Servers strip closers.
    pub stripped: bool,
    /// Objects of declared tools count without tags where a message begins with them.
    pub tried: bool,
}

/// The family of blocks.
#[derive(Debug)]
pub(crate) struct Block {
    t: Tags,
    /// The fixed parts of its tokens.
    heads: Vec<Box<str>>,
    /// A closer may begin with something other than `</`.
    closes_by_token: bool,
    /// Closers that are markup in text. Back-ticks are not among them: in text they are text.
    orphans: Vec<Box<str>>,
    scans: Scans,
}

/// The beginnings of markers, by state.
#[derive(Clone, Debug, Default)]
struct Scans {
    text: Scan,
    /// The beginnings later in a message, and in reasoning.
    later: Scan,
    call: Scan,
    value: Scan,
}

impl Block {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Tags) -> Block {
        let keys: Vec<&str> = t
            .keyed
            .iter()
            .flat_map(|keys| keys.key.iter().chain(&keys.value))
            .map(|text| &**text)
            .collect();
        let tags = t.open.iter().chain(&t.also_open).chain(&t.close);
        let tags: Vec<&str> = tags.map(|text| &**text).collect();
        let functions: &[&str] = if t.functions { &["<function=", "<parameter"] } else { &[] };
        let turn: &[&str] = if t.invented_turn.is_some() { &["<|im_start|>"] } else { &[] };
        let value = Scan::from_texts([&tags[..], &keys, functions, &["</"]].concat());
        let run: &[&str] = if t.runs { &RUN } else { &[] };
        let stray: Vec<&str> =
            t.keyed.iter().filter(|_| t.token).map(|keys| &*keys.value[1]).collect();
        let bare = &functions[..functions.len().min(1)];
        let word: Vec<&str> = t.list_word.iter().map(|word| &**word).collect();
        let members: Vec<&str> = t.members.iter().map(|open| &**open).collect();
        let later =
            Scan::from_texts([&tags[..], bare, turn, run, &stray, &word, &members].concat());
        let start: &[&str] = if t.tried { &["{", "["] } else { &[] };
        let text = later.and(&Scan::from_texts(start));
        let scans = Scans { text, later, call: Scan::from_texts(["<", "{"]), value };
        let heads = if t.token { token_heads(&keys) } else { Vec::new() };
        let tag = |close: &str| close.starts_with("</");
        let closes_by_token = t.token || !t.close.iter().all(|close| tag(close));
        let orphans = t.close.iter().filter(|close| !close.starts_with('`')).cloned().collect();
        Block { t, heads, closes_by_token, orphans, scans }
    }

    /// Builds a family of objects alone between these tags, for a dialect of another family.
    pub fn of_objects(open: Vec<Box<str>>, close: Vec<Box<str>>) -> Block {
        Block::new(Tags { open, close, json: true, ..Tags::default() })
    }

    /// Between objects.
    pub fn in_objects<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        self.in_section(look, OBJECTS, c)
    }

    /// Reads the beginning of a body. `known`: at the end of the stream the name of a declared tool is
    /// enough.
    fn body_begins(&self, look: &Look<'_>, c: &mut Cursor<'_>, known: bool) -> Step<()> {
        one_of!(c;
            |c| if self.t.json { objects::begins(c) } else { Err(No) },
            |c| if self.t.functions { functions::begins(look, c, known) } else { Err(No) },
            |c| self.keyed_begins(look, c, known),
        )
    }

    /// Reads the beginning of a block. The end of the stream does not confirm it.
    fn block(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.any(&self.t.open)?;
        c.white()?;
        self.body_begins(look, c, false)
    }

    /// Reads the text behind the closer of a call that confirms it.
    fn over(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        one_of!(c; |c| c.at_end(), |c| self.after_white(c, |c| c.any(&self.t.stops)), |c| {
            self.after_white(c, |c| self.block(look, c))
        })
    }

    fn after_white(
        &self,
        c: &mut Cursor<'_>,
        read: impl FnOnce(&mut Cursor<'_>) -> Step<()>,
    ) -> Step<()> {
        c.white()?;
        read(c)
    }

    /// Reads the opener of a block, and the beginning of its body.
    fn opener<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        // The tag is whole for each of its bodies or for none. The first token of an opener with a blank is
        // enough to be rejected.
        let mut firsts = self.t.also_open.iter().filter_map(|open| open.split(' ').next());
        if firsts.any(|first| c.ahead(|c| c.literal(first)) == Ok(())) {
            c.may_be_rejected(SECTIONS);
        }
        let tag = c.way(OPENER.role(self.opens()), |c| self.tag(c))?;
        let Some(tag) = tag else { return Ok(None) };
        c.may_be_rejected(SECTIONS);
        let plain = c.ahead(|c| c.any(&self.t.also_open)) == Ok(());
        let begins = if plain { objects::one_or_listed } else { objects::begins };
        let start = std::mem::replace(c, tag);
        if self.t.json {
            let objects =
                c.way(OPENER.role(SECTION), |c| c.follow(false, |c| self.after_white(c, begins)))?;
            if objects.is_some() {
                return Ok(Some(opens_section(OBJECTS)));
            }
        }
        if self.t.functions {
            let functions = c.way(OPENER.role(SECTION), |c| {
                c.follow(false, |c| self.after_white(c, |c| functions::begins(look, c, true)))
            })?;
            if functions.is_some() {
                return Ok(Some(opens_section(FUNCTIONS)));
            }
        }
        if self.t.keyed.is_some() {
            let call = c.way(OPENER.role(A_CALL), |c| {
                c.white()?;
                self.keyed_opener(look, c)
            })?;
            if let Some(opener) = call {
                return Ok(Some(InText::Open(opener)));
            }
        }
        // With several spellings there would be too many pairs to try.
        let doubled = match self.t.open.len() {
            1 => c.way(OPENER.role("opener written twice"), |c| {
                c.white()?;
                c.follow(false, |c| {
                    c.any(&self.t.open)?;
                    c.white()?;
                    self.body_begins(look, c, true)
                })
            })?,
            _ => None,
        };
        if doubled.is_none() {
            *c = start;
        }
        Ok(doubled.map(|()| InText::Mark(None)))
    }

    /// Reads a word that opens a section before a list of objects.
    fn list_word<'t>(&self, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let Some(word) = &self.t.list_word else { return Ok(None) };
        let opener = c.way(OPENER.role(SECTION), |c| {
            c.literal(word)?;
            c.follow(false, |c| self.after_white(c, objects::list_begins))
        })?;
        Ok(opener.map(|()| opens_section(OBJECTS)))
    }

    /// Reads the opener of a section of any kind.
    fn any_opener(&self, c: &mut Cursor<'_>) -> Step<()> {
        let Some(members) = &self.t.members else { return c.any(&self.t.open) };
        c.either(
            |c| c.any(&self.t.open),
            |c| c.either(|c| c.any(&self.t.also_open), |c| c.literal(members)),
        )
    }

    /// Reads a section without calls.
    fn empty_section(&self, c: &mut Cursor<'_>) -> Step<()> {
        match &self.t.list_word {
            Some(word) if c.peek()? == word.as_bytes()[0] => c.literal(word)?,
            _ => self.any_opener(c)?,
        }
        c.white()?;
        if self.t.empty_lists && c.peek()? == b'[' {
            c.literal("[")?;
            c.white()?;
            c.literal("]")?;
            c.white()?;
        }
        c.any(&self.t.close)
    }

    /// Reads objects at the start of a message, without tags.
    fn tried_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if !self.t.tried || look.reasoning || look.is.whole || !look.is.message_start {
            return Ok(None);
        }
        let tried = c.way(OPENER.role(SECTION), |c| trial::call(look, Trial::Name, c))?;
        let section = Opener::new(Place::Section(TRIED));
        Ok(tried.map(|()| InText::Open(Opener { before: true, ..section })))
    }

    /// Reads an opener in text.
    fn opens_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let text = !look.reasoning;
        if text
            && look.is.after_call
            && c.way(Half::NONE.role("result that the model invents"), |c| self.invented(c))?
                .is_some()
        {
            return Ok(Some(InText::Rest(DiagnosticKind::FabricatedResult)));
        }
        if let Some(found) = self.list_word(c)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.opener(look, c)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.members_in_text(look, c)? {
            return Ok(Some(found));
        }
        if self.t.functions && text && !look.tools.names.is_empty() {
            let opener = c.way(OPENER.role("call whose section's opener is lost"), |c| {
                functions::bare_opener(look, c)
            })?;
            return Ok(opener.map(InText::Open));
        }
        Ok(None)
    }

    /// Returns a cursor behind the opener.
    fn tag<'t>(&self, c: &Cursor<'t>) -> Step<Cursor<'t>> {
        let mut tag = *c;
        match self.t.also_open.is_empty() {
            true => tag.any(&self.t.open)?,
            false => tag.either(|c| c.any(&self.t.open), |c| c.any(&self.t.also_open))?,
        }
        Ok(tag)
    }

    /// Returns the role of the opener, in words.
    fn opens(&self) -> &'static str {
        if self.t.json || self.t.functions { SECTION } else { A_CALL }
    }

    /// Reads the beginning of a result that the model invents, behind a header of its own.
    fn invented(&self, c: &mut Cursor<'_>) -> Step<()> {
        let result = self.t.invented_turn.as_ref().ok_or(No)?;
        c.literal("<|im_start|>")?;
        c.run(Class::Letters, 0, 128)?;
        c.line_break()?;
        c.white()?;
        c.literal(result)
    }

    /// Reads a whole opener at the end of the stream, with nothing behind it but white space and stop tokens.
    fn cut_opener(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.any_opener(c)?;
        cut_opener(c, self.t.untyped, &self.t.stops)
    }

    /// Between calls or behind an object: reads closers of something that is not open.
    fn stray_closers(&self, c: &mut Cursor<'_>) -> Step<()> {
        let functions = self.t.functions && c.ahead(|c| c.any(&RUN[..2])) != Err(No);
        if functions {
            return c.any(&RUN[..2]);
        }
        match &self.t.keyed {
            Some(keys) => c.literal(&keys.value[1]),
            None => Err(No),
        }
    }
}

/// Reads closers of parameters alone, up to one of these closers.
pub(crate) fn run_of_closers(close: &[Box<str>], c: &mut Cursor<'_>) -> Step<()> {
    let start = c.pos;
    c.any(&RUN)?;
    loop {
        let room = bounds::HEADER.saturating_sub(c.pos - start);
        c.run(Class::White, 0, room)?;
        if c.pos - start >= bounds::HEADER {
            return Err(No);
        }
        match c.any(close) {
            Err(No) => c.any(&RUN)?,
            closed => return closed,
        }
    }
}

/// Opens a section of this kind.
fn opens_section<'t>(kind: u8) -> InText<'t> {
    InText::Open(Opener::new(Place::Section(kind)))
}

/// Returns the fixed parts of tokens: `<|tool_arg:` of `<|tool_arg:start|>`.
fn token_heads(tags: &[&str]) -> Vec<Box<str>> {
    let head = |tag: &&str| {
        let word = tag.trim_end_matches(|c: char| !c.is_alphanumeric());
        let head = word.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if head.contains(char::is_alphanumeric) { head } else { word }.into()
    };
    let mut heads: Vec<Box<str>> = tags.iter().map(head).collect();
    heads.sort();
    heads.dedup();
    heads
}

impl Family for Block {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        let text = !look.reasoning;
        let second = c.bytes().get(1).copied();
        if second != Some(b'/') || self.t.token {
            if let Some(found) = self.opens_in_text(look, c)? {
                return Ok(found);
            }
        }
        if let Some(found) = self.tried_in_text(look, c)? {
            return Ok(found);
        }
        if text && (matches!(second, None | Some(b'/')) || self.closes_by_token) {
            if self.t.runs
                && c.way(Half::NONE.role(ORPHAN), |c| run_of_closers(&self.t.close, c))?.is_some()
            {
                return Ok(InText::Orphan(SECTIONS));
            }
            if c.way(Half::NONE.role(ORPHAN), |c| c.any(&self.orphans))?.is_some() {
                return Ok(InText::Closer(SECTIONS));
            }
        }
        c.none()
    }

    fn late_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let empty = self.t.empty
            && c.noise_or(Half::NONE.role("section without calls"), |c| self.empty_section(c))?
                .is_some();
        if empty {
            return Ok(Some(InText::Mark(None)));
        }
        let keys = self.t.keyed.as_ref().filter(|_| self.t.token && !look.reasoning);
        if let Some(keys) = keys {
            // A token that closes nothing.
            let stray = Half::NONE.role("closer of an argument that nothing opened");
            if c.noise_or(stray, |c| c.literal(&keys.value[1]))?.is_some() {
                return Ok(Some(InText::StrayCloser));
            }
        }
        let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| self.cut_opener(c))?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let found = match kind {
            OBJECTS => self.among_objects(look, c)?,
            FUNCTIONS => self.among_functions(look, c)?,
            AFTER_FUNCTION => self.behind_function_object(look, c)?,
            MEMBERS => self.among_members(look, c)?,
            TRIED => objects::among(look, c, TRIED_OBJECTS)?,
            _ => self.behind_keyed_object(c)?,
        };
        if let Some(found) = found {
            return Ok(found);
        }
        let stray = !matches!(kind, OBJECTS | MEMBERS | TRIED)
            && c.noise_or(WHOLE.role("closer that nothing opened"), |c| self.stray_closers(c))?
                .is_some();
        if stray { Ok(InSection::Mark(Some(DiagnosticKind::OrphanCloser))) } else { c.none() }
    }

    fn in_call<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let found = match kind {
            KEYED => self.between_keys(look, c)?,
            kind => self.between_function_params(look, kind, c)?,
        };
        if let Some(found) = found {
            return Ok(found);
        }
        if c.bytes().first().is_some_and(|byte| *byte != b'<') {
            return c.none();
        }
        // The block ended before the next one.
        let next = c.way(WHOLE.role(LOST), |c| {
            c.any(&self.t.open)?;
            c.follow(false, |c| {
                c.white()?;
                one_of!(c; |c| self.body_begins(look, c, false), |c| self.block(look, c))
            })
        })?;
        if next.is_some() {
            let note = Some(DiagnosticKind::MissingCloser);
            return Ok(InCall::Close { scope: Scope::Section, note, before: true });
        }
        let stray = c.noise(|c| element(c).map(|_| ()))?;
        if stray.is_some() {
            return Ok(InCall::Stray(DiagnosticKind::UnknownParameter));
        }
        c.none()
    }

    fn at_call_start<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if kind == MEMBER {
            return self.member_value(c);
        }
        match self.forgiving().filter(|_| kind == KEYED) {
            Some(keys) => self.lost_opener(look, keys, c),
            None => Err(No),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        match kind {
            KEYED => self.in_keyed_value(look, c),
            BARE => self.in_bare_value(look, c),
            kind => self.in_function_value(look, kind, c),
        }
    }

    fn in_body(&self, _look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        if kind == TRIED {
            return Err(No);
        }
        if c.way(WHOLE.role("end of an object before its own"), |c| c.any(&self.t.close))?.is_some()
        {
            return Ok(InBody::before(None));
        }
        let function = kind == FUNCTION
            && c.way(WHOLE.role("end of an object before its own"), |c| {
                c.literal(functions::END_FUNCTION)
            })?
            .is_some();
        if function {
            return Ok(InBody::before(None));
        }
        let next = self.t.token
            && kind == CALL
            && c.way(WHOLE, |c| {
                c.any(&self.t.open)?;
                c.follow(false, |c| self.after_white(c, objects::begins))
            })?
            .is_some();
        // In a section without a closer, only this shows that the object is not whole.
        let note = self.t.close.is_empty().then_some(DiagnosticKind::MissingCloser);
        if next { Ok(InBody::before(note)) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.scans.text
    }

    fn later_scan(&self) -> Option<&Scan> {
        self.t.tried.then_some(&self.scans.later)
    }

    fn reasoning_scan(&self) -> &Scan {
        &self.scans.later
    }

    fn value_scan(&self, _kind: u8) -> &Scan {
        &self.scans.value
    }

    fn call_scan(&self, _kind: u8) -> &Scan {
        &self.scans.call
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let between: &[u8] = match kind {
            FUNCTIONS => b"",
            MEMBERS => b"],",
            _ => b"],;",
        };
        let closes = kind != TRIED && !self.t.close.is_empty();
        SectionFacts { between, closes, ..SectionFacts::CALLS }
    }

    fn framing(&self, kind: u8) -> Framing {
        match kind {
            BARE => Framing::None,
            FUNCTION | NAMED if self.t.lines => Framing::LineBreak,
            _ => Framing::Recovered,
        }
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let (gives, then) = match kind {
            CALL | TRIED => (Gives::Call, None),
            KEYED => (Gives::Arguments, Some(AFTER_KEYED)),
            MEMBER => (Gives::Arguments, Some(MEMBERS)),
            _ => (Gives::Arguments, Some(AFTER_FUNCTION)),
        };
        let stop = self.t.close.first().map_or(b'<', |close| close.as_bytes()[0]);
        BodyFacts { gives, then, stop }
    }

    fn is_stripped(&self) -> bool {
        self.t.stripped
    }

    fn own_texts(&self, each: &mut dyn FnMut(&str)) {
        let functions = self.t.functions.then_some(functions::TEXTS);
        let turn = self.t.invented_turn.as_ref().map(|_| "<|im_start|>");
        let sisters = self.t.json.then_some(SISTERS).into_iter().flatten();
        let own = sisters.chain(functions.into_iter().flatten()).chain(turn);
        own.for_each(each);
    }

    fn before_names(&self) -> Vec<&str> {
        if self.t.functions { vec!["<"] } else { Vec::new() }
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Block::new(t)))
    }
}
