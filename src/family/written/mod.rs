//! Calls of any shape: a header of any texts, then a JSON object, or arguments one by one.
//!
//! ```text
//! section  := OPEN ws ( call ws )* CLOSE                    or no section: calls stand in text
//! call     := header ws object ws END | header ( ws argument )* ws END
//! header   := ( text | NAME | ID | ws )*                    in each of its forms
//! argument := text KEY text value CLOSE | KEY text value ( CLOSE | line break ) | text KEY text value
//! ```
//! An opener counts if the beginning of its body follows, and a closer if a text that may stand behind it does. The next
//! call or the section's closer shows a lost closer. Special tokens, which nobody types ([`Texts::special`]), count by
//! themselves, and the next call also ends a value.
//!
//! A value without a closer ends before the next argument, or with END: the last one on its line, up to the next call.
//! Where END is lost, the next call of a declared tool ends the call, which is not whole then.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Written::in_text`] |
//! | between calls | between calls, behind an object | [`Written::in_section`] (`section.rs`) |
//! | behind a header | | [`Written::at_call_start`], [`Written::in_call`] |
//! | in a value | | [`Written::in_value`] (`arguments.rs`) |
//! | in an object | all arguments of a call; of no call | [`Written::in_body`] |
//!
//! A header cut in two, of `<call name="{name}">{arguments}</call>`:
//!
//! ```text
//! chunk "<call name=\"re"      header: More                              -> pending
//! chunk "ad\">{\"path\""       header: Ok, and an object confirms it     -> Open(Call(CALL)), markup
//! ```

pub(in crate::family) mod arguments;
pub(crate) mod mark;
mod section;

use crate::event::DiagnosticKind;
use crate::family::texts::EachText;
use crate::family::{
    BodyFacts, Family, Framing, Gives, InBody, Look, SectionFacts, element, headers,
};
use crate::one_of;
use crate::read::act::{CALLS, InCall, InSection, InText, InValue, Opener, Place, SECTIONS, Scope};
use crate::read::cursor::{Class, Cursor, Half, More, No, Note, Step};
use crate::read::ids::UNKNOWN;
use crate::read::prose::cut_opener;
use crate::read::scan::Scan;

pub(crate) use arguments::Argument;
use mark::{Closes, Found, Mark, read};

/// Kinds of sections.
const SECTION: u8 = 0;
const AFTER_OBJECT: u8 = 1;

/// The kind of calls, and of values.
const CALL: u8 = 0;
const VALUE: u8 = 0;

/// Kinds of objects.
const ARGUMENTS: u8 = 0;
const NO_CALL: u8 = 1;

const FENCE: &str = "```";

const OPENER: Half = Half::OPENER;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_SECTION: &str = "opener of a section";
const A_CALL: &str = "opener of a call";
const END_CALL: &str = "closer of a call";
const END_SECTION: &str = "closer of a section";
const LOST: &str = "lost closer of a call";
const AN_ARGUMENT: &str = "opener of an argument";
const NO_HEADER: &str = "header that names no tool";

/// The markers of a shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// Opener and closer of a section.
    pub section: Option<[Mark; 2]>,
    /// Headers, in each of their forms: of any tool, of a declared one, and of a declared one if any are declared.
    pub heads: Vec<Mark>,
    pub declared: Vec<Mark>,
    pub if_declared: Vec<Mark>,
    /// A header before an object, whose name is a word that elsewhere is no name ([`mark::Name::not`]).
    pub like_words: Option<Mark>,
    /// Other spellings of a header, and their reports: those that begin with a text, and those that begin
    /// with a name.
    pub also: Vec<(Mark, Note)>,
    pub also_named: Vec<(Mark, Note)>,
    /// Closers of a call: any of them will do. None: the object ends by itself.
    pub ends: Vec<Mark>,
    /// An object may stand in a code fence.
    pub fenced: bool,
    /// The notation of arguments one by one. None: an object.
    pub argument: Option<Argument>,
    /// The texts are special tokens.
    pub special: bool,
    /// Openers that are whole tags: at the end of the stream they are cut openers.
    pub tags: Vec<Mark>,
    /// Closers of values that are whole tags.
    pub stray: Vec<Box<str>>,
    /// Stop tokens.
    pub stops: Vec<Box<str>>,
}

/// The family of written calls.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    t: Texts,
    /// The first text of a header, and the last one before its object.
    begin: Box<str>,
    last: Box<str>,
    /// Closers have the name of their call.
    named_ends: bool,
    /// Texts that no header holds before a call's closer, and texts that it does not hold before its last text.
    others: Vec<Box<str>>,
    no_last: Vec<Box<str>>,
    /// The closers of calls, if each of them is a text.
    end_texts: Vec<Box<str>>,
    text: Scan,
    call: Scan,
    value: Scan,
    /// The first byte of markers that end an object early.
    stop: u8,
}

impl Written {
    /// Builds the family of a dialect with these markers.
    pub fn new(t: Texts) -> Written {
        let head = t.heads.first().map_or(&[][..], |head| head);
        let begin = mark::texts(head).next().cloned().unwrap_or_default();
        let last = mark::texts(head).last().cloned().unwrap_or_default();
        let [open, close] = t.section.clone().unwrap_or_default();
        let others: Vec<_> = [&begin].into_iter().chain(mark::texts(&close)).cloned().collect();
        let ends = t.ends.iter().flat_map(|end| mark::texts(end));
        let no_last = others.iter().chain(ends).cloned().collect();
        let is_text = t.ends.iter().all(|end| end.len() == 1);
        let end_texts = t.ends.iter().filter(|_| is_text);
        let end_texts = end_texts.flat_map(|end| mark::first(end)).cloned().collect();
        let also = t.also.iter().map(|(mark, _)| mark);
        let headers = || t.heads.iter().chain(t.also.iter().map(|(mark, _)| mark));
        let opens = || headers().chain([&open, &close]).flat_map(|mark| mark::first(mark));
        let firsts = || opens().chain(t.ends.iter().flat_map(|end| mark::first(end)));
        let text = Scan::from_texts(firsts().chain(&t.stray).map(|text| text.as_bytes()));
        let argument = t.argument.as_ref();
        let call = match argument {
            Some(argument) if !argument.is_xml => Scan::any(),
            Some(_) => Scan::from_texts(["<"])
                .and(&Scan::from_texts(firsts().chain(&t.stops).map(|text| text.as_bytes()))),
            None => Scan::from_texts(firsts().chain(&t.stops).map(|text| text.as_bytes())),
        };
        let in_value = argument.into_iter().flat_map(Argument::firsts);
        let value = Scan::from_texts(firsts().map(|text| text.as_bytes().to_vec()).chain(in_value));
        let begins = also.chain(&t.heads).flat_map(|mark| mark::first(mark));
        let stop = t.ends.iter().flat_map(|end| mark::first(end)).chain(begins);
        let stop = stop.filter_map(|text| text.bytes().next()).find(|byte| *byte != b'"');
        let named_ends = t.ends.iter().any(|end| mark::repeats_name(end));
        Written {
            begin,
            last,
            named_ends,
            others,
            no_last,
            end_texts,
            text,
            call,
            value,
            stop: stop.unwrap_or(b'<'),
            t,
        }
    }

    // Headers.

    /// Reads the brace of an object, perhaps in a fence.
    fn brace(&self, c: &mut Cursor<'_>) -> Step<()> {
        if self.t.fenced && c.peek()? == b'`' {
            c.literal(FENCE)?;
            c.run(Class::Letters, 0, 128)?;
            c.white()?;
        }
        c.literal("{")
    }

    /// Reads the beginning of a call's body: its first argument, or its object. With special tokens the brace of an
    /// object is enough.
    fn body(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        let Some(argument) = &self.t.argument else {
            self.brace(c)?;
            if self.t.special {
                return Ok(());
            }
            c.white()?;
            return c.byte_of(b"\"}").map(|_| ());
        };
        read(&argument.any, look, Closes::Any, c).map(|_| ())
    }

    /// Reads the closer of a call.
    fn end(&self, look: &Look<'_>, closes: Closes<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let mut stuck = No;
        for end in &self.t.ends {
            let mut at = *c;
            // An earlier spelling may still come.
            let waits = stuck == More && !c.ended();
            match read(end, look, closes, &mut at) {
                Err(No) => {}
                Ok(_) if !waits => {
                    *c = at;
                    return Ok(());
                }
                _ => stuck = More,
            }
        }
        Err(stuck)
    }

    /// Whether the closer of a call alone confirms the header of any tool.
    fn counts_alone(&self) -> bool {
        self.t.special || self.named_ends
    }

    /// Reads a header in any of these forms, and its confirmation. `or_end`: the end of the stream confirms a header of
    /// a known tool.
    fn one_of_forms<'t>(
        &self,
        look: &Look<'_>,
        forms: &[Mark],
        half: Half,
        or_end: bool,
        confirm: impl Fn(&Found<'t>, &mut Cursor<'_>) -> Step<()>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<Found<'t>>> {
        for form in forms {
            let found = c.way(half.role(A_CALL), |c| {
                let found = read(form, look, Closes::Any, c)?;
                c.follow(or_end && found.tool != UNKNOWN, |c| confirm(&found, c))?;
                Ok(found)
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Reads the header of a call, and its confirmation. `declared`: it names a declared tool.
    fn opener<'t>(
        &self,
        look: &Look<'_>,
        declared: bool,
        half: Half,
        c: &mut Cursor<'t>,
    ) -> Step<Option<Found<'t>>> {
        let object = |_: &Found<'t>, c: &mut Cursor<'_>| {
            c.white()?;
            c.literal("{")
        };
        let words = self.t.like_words.as_slice();
        // First: a fixed word stands where other forms have the name, and these would read it as one.
        let found = self.one_of_forms(look, words, half, true, object, c)?;
        if found.is_some() {
            return Ok(found);
        }
        let body = |found: &Found<'t>, c: &mut Cursor<'_>| {
            one_of!(c; |c| self.body(look, c), |c| match self.counts_alone() {
                true => {
                    c.white()?;
                    self.end(look, Closes::Named(found.name), c)
                }
                false => Err(No),
            })
        };
        let forms = if declared { &self.t.declared } else { &self.t.heads };
        let found = self.one_of_forms(look, forms, half, true, body, c)?;
        if found.is_some() || self.counts_alone() || self.t.ends.is_empty() {
            return Ok(found);
        }
        // Between tags, only a known tool may have nothing but its closer.
        let nothing = |found: &Found<'t>, c: &mut Cursor<'_>| {
            c.white()?;
            self.end(look, Closes::Named(found.name), c)
        };
        let forms = if declared { &self.t.declared } else { &self.t.if_declared };
        self.one_of_forms(look, forms, half, true, nothing, c)
    }

    /// Reads a header in another spelling, and its confirmation. Returns the header and its report.
    fn other_spelling<'t>(
        &self,
        look: &Look<'_>,
        spellings: &[(Mark, Note)],
        half: Half,
        c: &mut Cursor<'t>,
    ) -> Step<Option<(Found<'t>, Note)>> {
        for (mark, note) in spellings {
            let named_first = mark::first(mark).is_empty();
            let confirm = |found: &Found<'t>, c: &mut Cursor<'_>| {
                one_of!(c; |c| self.body(look, c), |c| {
                    if !self.t.special || named_first {
                        return Err(No);
                    }
                    c.white()?;
                    self.end(look, Closes::Named(found.name), c)
                })
            };
            let mark = std::slice::from_ref(mark);
            if let Some(found) = self.one_of_forms(look, mark, half, true, confirm, c)? {
                return Ok(Some((found, *note)));
            }
        }
        Ok(None)
    }

    /// Reads a call of any tool, in any spelling: it shows that something before it is over.
    fn next_call(&self, look: &Look<'_>, half: Half, c: &mut Cursor<'_>) -> Step<bool> {
        let call =
            c.way(half.role(A_CALL), |c| c.follow(false, |c| self.confirmed_call(look, c)))?;
        Ok(call.is_some())
    }

    /// Reads the call of any tool, with its confirmation, without consuming it.
    fn confirmed_call(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let forms = self.t.heads.iter().map(|form| (form, false));
        let only_end = self.t.if_declared.iter().filter(|_| !self.counts_alone());
        let also = self.t.also.iter().map(|(mark, _)| (mark, false));
        let all = forms.chain(only_end.map(|form| (form, true))).chain(also);
        headers::first_of(all.map(|(form, only_end)| {
            c.ahead(|c| {
                let found = read(form, look, Closes::Any, c)?;
                let end = |c: &mut Cursor<'_>| {
                    c.white()?;
                    self.end(look, Closes::Named(found.name), c)
                };
                match only_end {
                    true => end(c),
                    false if self.counts_alone() => one_of!(c; |c| self.body(look, c), end),
                    false => self.body(look, c),
                }
            })
        }))
    }

    /// Reads a call of a declared tool ahead; without declared tools, a call of any tool.
    fn declared_call(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        headers::first_of(self.t.if_declared.iter().map(|form| {
            c.ahead(|c| {
                let found = read(form, look, Closes::Any, c)?;
                one_of!(c; |c| self.body(look, c), |c| {
                    c.white()?;
                    self.end(look, Closes::Named(found.name), c)
                })
            })
        }))
    }

    // Text.

    /// Checks that the first text of a header stands here.
    fn begins(&self, c: &mut Cursor<'_>) -> Step<()> {
        let also = self.t.also.iter().map(|(mark, _)| mark);
        let firsts = self.t.heads.iter().chain(also).map(|mark| mark::first(mark));
        headers::first_of(firsts.map(|texts| c.ahead(|c| c.any(texts))))
    }

    fn section_in_text<'t>(
        &self,
        look: &Look<'_>,
        [open, _]: &[Mark; 2],
        c: &mut Cursor<'t>,
    ) -> Step<Option<InText<'t>>> {
        if c.ahead(|c| read(&open[..1], look, Closes::Any, c)).is_ok() {
            c.may_be_rejected(SECTIONS);
        }
        let opens = c.way(OPENER.role(A_SECTION), |c| {
            read(open, look, Closes::Any, c)?;
            c.follow(false, |c| {
                c.white()?;
                one_of!(c; |c| c.literal(&self.begin), |c| {
                    let also = self.t.also.iter();
                    headers::first_of(also.map(|(mark, _)| c.ahead(|c| {
                        read(mark, look, Closes::Any, c)?;
                        self.body(look, c)
                    })))
                })
            })
        })?;
        Ok(opens.map(|()| InText::Open(Opener::new(Place::Section(SECTION)))))
    }

    /// Reads a call in text. In a shape with sections, it is a call without its section's opener.
    fn call_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if self.begins(c).is_ok() {
            c.may_be_rejected(CALLS);
        }
        let section = self.t.section.is_some();
        // Without a section's opener tags must name a declared tool.
        let declared = section && !self.t.special;
        let found = match self.opener(look, declared, OPENER, c)? {
            Some(found) => Some((found, None)),
            None => self.other_spelling(look, &self.t.also, OPENER, c)?,
        };
        let owed = Opener { owed: true, before: true, ..Opener::new(Place::Section(SECTION)) };
        Ok(found.map(|found| InText::Open(if section { owed } else { opens(found) })))
    }

    /// Reads a section without calls.
    fn empty_section(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<()> {
        let [open, close] = self.t.section.as_ref().filter(|_| self.t.special).ok_or(No)?;
        read(open, look, Closes::Any, c)?;
        c.white()?;
        read(close, look, Closes::Any, c).map(|_| ())
    }

    // Calls.

    /// Whether the stream ends in the closer of the call, which might also begin a key.
    fn is_last(&self, look: &Look<'_>, argument: &Argument, c: &Cursor<'_>) -> bool {
        let end = |c: &mut Cursor<'_>| {
            c.white()?;
            self.end(look, Closes::Any, c)
        };
        c.ended() && c.ahead(|c| argument.opens(look, c)) == Err(More) && c.ahead(end).is_ok()
    }

    /// Reads the end of a call whose own closer is lost. `stops`: stop tokens end it, too.
    fn is_over(&self, look: &Look<'_>, stops: bool, c: &mut Cursor<'_>) -> Step<bool> {
        if let Some([_, close]) = &self.t.section {
            if c.way(WHOLE.role(LOST), |c| read(close, look, Closes::Any, c))?.is_some() {
                return Ok(true);
            }
        }
        if stops && c.way(WHOLE.role(LOST), |c| c.any(&self.t.stops))?.is_some() {
            return Ok(true);
        }
        if self.t.special {
            // Nobody types a special token, so it needs no confirmation.
            return Ok(c.way(WHOLE.role(LOST), |c| c.literal(&self.begin))?.is_some());
        }
        if self.next_call(look, WHOLE, c)? {
            return Ok(true);
        }
        let Some([open, _]) = &self.t.section else { return Ok(false) };
        let again = c.way(WHOLE.role(LOST), |c| {
            read(open, look, Closes::Any, c)?;
            c.follow(false, |c| {
                c.white()?;
                c.literal(&self.begin)
            })
        })?;
        Ok(again.is_some())
    }
}

/// Opens a call.
fn opens((found, note): (Found<'_>, Note)) -> Opener<'_> {
    let call = Opener::new(Place::Call(CALL)).named(found.name, found.tool);
    Opener { id: found.id.filter(|id| !id.is_empty()), note, ..call }
}

impl Family for Written {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if let Some(section) = &self.t.section {
            if let Some(found) = self.section_in_text(look, section, c)? {
                return Ok(found);
            }
        }
        if look.reasoning && self.t.section.is_some() {
            return c.none();
        }
        if let Some(found) = self.call_in_text(look, c)? {
            return Ok(found);
        }
        if look.reasoning {
            return c.none();
        }
        let closer = Half::NONE.role("closer that nothing opened");
        if let Some([_, close]) = &self.t.section {
            if c.way(closer, |c| read(close, look, Closes::Any, c))?.is_some() {
                return Ok(InText::Closer(SECTIONS));
            }
        }
        match c.way(closer, |c| self.end(look, Closes::Any, c))? {
            Some(()) => Ok(InText::Orphan(CALLS)),
            None => c.none(),
        }
    }

    fn late_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let empty = Half::NONE.role("section without calls");
        if c.noise_or(empty, |c| self.empty_section(look, c))?.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let stray = Half::NONE.role("closer of an argument that nothing opened");
        let is_stray = self.t.special && !look.reasoning;
        if is_stray && c.noise_or(stray, |c| c.any(&self.t.stray))?.is_some() {
            return Ok(Some(InText::StrayCloser));
        }
        for tag in &self.t.tags {
            let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| {
                read(tag, look, Closes::Any, c)?;
                cut_opener(c, self.t.special, &self.t.stops)
            })?;
            if cut.is_some() {
                return Ok(Some(InText::Mark(Some(DiagnosticKind::CutOpener))));
            }
        }
        Ok(None)
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let found = match kind {
            SECTION => self.among_calls(look, c)?,
            _ => self.behind_object(look, c)?,
        };
        found.map_or_else(|| c.none(), Ok)
    }

    fn at_call_start<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if let Some(argument) = &self.t.argument {
            // Any white space may stand before the first argument.
            let first = c.way(WHOLE.role(AN_ARGUMENT), |c| argument.opens_first(look, c))?;
            let param = |name| InCall::Param { kind: VALUE, name, hint: None, note: None };
            return first.map_or_else(|| c.none(), |name| Ok(param(name)));
        }
        let object = c.way(WHOLE.role("object of arguments"), |c| {
            c.white()?;
            self.brace(c)
        })?;
        object.map_or_else(|| c.none(), |()| Ok(InCall::Object(ARGUMENTS)))
    }

    fn in_call<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        if let Some(argument) = self.t.argument.as_ref().filter(|of| !self.is_last(look, of, c)) {
            let param = c.way(WHOLE.role(AN_ARGUMENT), |c| argument.opens(look, c))?;
            if let Some(name) = param {
                return Ok(InCall::Param { kind: VALUE, name, hint: None, note: None });
            }
        }
        let close = |note: Note, before: bool| InCall::Close { scope: Scope::Call, note, before };
        let name = Closes::Named(&look.call.captured.name);
        if c.way(WHOLE.role(END_CALL), |c| self.end(look, name, c))?.is_some() {
            return Ok(close(None, false));
        }
        let other = self.named_ends
            && c.way(WHOLE.role(END_CALL), |c| self.end(look, Closes::Any, c))?.is_some();
        if other {
            return Ok(close(Some(DiagnosticKind::MismatchedCloser), false));
        }
        if self.is_over(look, true, c)? {
            return Ok(close(Some(DiagnosticKind::MissingCloser), true));
        }
        let Some(argument) = &self.t.argument else { return c.none() };
        if argument.is_xml {
            return match c.noise(|c| element(c))? {
                Some(_) => Ok(InCall::Stray(DiagnosticKind::UnknownParameter)),
                None => c.none(),
            };
        }
        // Only white space stands between arguments: anything else ends the call.
        match c.none::<()>() {
            Err(No) if !c.peek().is_ok_and(|byte| Class::White.has_byte(byte)) => Ok(InCall::Lost),
            _ => c.none(),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        match &self.t.argument {
            Some(argument) => self.value_marker(look, argument, c),
            None => Err(No),
        }
    }

    fn in_body(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let half = WHOLE.role("end of an object before its own");
        let name = Closes::Named(&look.call.captured.name);
        let ends = c.way(half, |c| self.end(look, name, c))?.is_some()
            || self.is_over(look, !self.t.special, c)?;
        if ends { Ok(InBody::before(None)) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.call
    }

    fn value_scan(&self, _: u8) -> &Scan {
        &self.value
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let closes = kind == SECTION || self.t.section.is_some() || !self.t.ends.is_empty();
        SectionFacts { closes, calls: kind == SECTION, ..SectionFacts::CALLS }
    }

    fn framing(&self, _: u8) -> Framing {
        self.t.argument.as_ref().map_or(Framing::None, |argument| argument.framing)
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let gives = if kind == ARGUMENTS { Gives::Arguments } else { Gives::Nothing };
        BodyFacts { gives, then: Some(AFTER_OBJECT), stop: self.stop }
    }

    fn is_stripped(&self) -> bool {
        self.t.special && self.t.section.is_some()
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Written::new(t)))
    }
}
