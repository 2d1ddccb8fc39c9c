//! Keyed calls in a section, with special tokens as tags: `hunyuan` and `k2-horizon`.
//!
//! ```text
//! section := SECTION ws ( call ws )* END_SECTION
//! call    := CALL ws NAME ws ( SEP? keyed | object )? END_CALL  |  CALL ws objects END_CALL     one of the two, by dialect
//! keyed   := ( KEY key END_KEY ( TYPE ws hint END_TYPE )? VALUE value END_VALUE )*              white space between
//! objects := see family/block/objects.rs
//! ```
//! A call may stand without a section. Its opener counts if its body follows, or its closer behind a declared name.
//! In `hunyuan` tags may have a suffix (`<arg_key:S>`): all tags of a call have the same suffix, or none. [`tag`]
//! reads tags, [`values`] reads values, [`text`] and [`section`] read the places in text and between calls.
//!
//! | state | kinds | reader |
//! |---|---|---|
//! | text | | [`Listed::in_text`], [`Listed::late_in_text`] |
//! | between calls | a section; behind an object of arguments, in a section or not; objects, in a section or not | [`Listed::in_section`] |
//! | between keys | without a suffix, with one | [`Listed::in_call`] |
//! | in a value | the same | [`Listed::in_value`] |
//! | in an object | all arguments, in a section or not; a call | [`Listed::in_body`] |
//!
//! An opener cut in two, in `hunyuan`:
//!
//! ```text
//! chunk "<tool_call:a>find<arg"     call: Ok, then KEY: More                       -> pending
//! chunk "_key:a>q"                  KEY of the same suffix: Ok                     -> Open(Call), markup
//! ```

mod section;
mod tag;
mod text;
mod values;

use crate::event::DiagnosticKind;
use crate::family::block::functions::end_of;
use crate::family::block::objects;
use crate::family::block::{Block, Tags};
use crate::family::texts::EachText;
use crate::family::{BodyFacts, Family, Framing, Gives, InBody, Look, SectionFacts, element};
use crate::one_of;
use crate::options::bounds;
use crate::read::act::{InCall, InSection, InText, InValue, Opener, Place, Scope};
use crate::read::cursor::{Class, Cursor, Half, No, Step};
use crate::read::ids::UNKNOWN;
use crate::read::scan::Scan;
use tag::{Suffix, Tag};

/// Kinds of sections.
const LIST: u8 = 0;
const AFTER_OBJECT: u8 = 1;
const AFTER_ALONE: u8 = 2;
const OBJECTS: u8 = 3;
const OBJECTS_ALONE: u8 = 4;

/// Kinds of calls and of values: without a suffix, with one.
const PLAIN: u8 = 0;
const SUFFIXED: u8 = 1;

/// Kinds of objects: arguments of a call in a section, and alone. (Objects that name a call have the number
/// of [`Block`].)
const ARGUMENTS: u8 = 0;
const ALONE: u8 = 1;

const OPENER: Half = Half::OPENER;
const MARK: Half = Half::MARK;
const WHOLE: Half = Half::MARK.and(Half::WHOLE);

/// Roles.
const A_SECTION: &str = "opener of a section";
const A_CALL: &str = "opener of a call";
const ORPHAN: &str = "closer of a section that nothing opened";
const STRAY: &str = "closer of an argument that nothing opened";
const LOST: &str = "lost closer of a call";
const KEY: &str = "name of an argument";
const VALUE: &str = "opener of an argument";

const MALFORMED: DiagnosticKind = DiagnosticKind::MalformedTag;

/// The texts of a dialect of keyed calls in a section: opener and closer of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub section: [Box<str>; 2],
    pub call: [Box<str>; 2],
    /// A text that may stand behind the name.
    pub separator: Option<Box<str>>,
    pub key: [Box<str>; 2],
    /// The opener and the closer of a value's type.
    pub hint: Option<[Box<str>; 2]>,
    pub value: [Box<str>; 2],
    /// A call may be an object of its arguments, or an object that also names it.
    pub object: bool,
    pub named_objects: bool,
    /// The beginnings of data that looks like a token of a parameter.
    pub suspects: Vec<Box<str>>,
    /// The texts before the name in a closer with the parameter's name.
    pub named_closers: Vec<Box<str>>,
    /// Stop tokens.
    pub tokens: Vec<Box<str>>,
    /// Tags may have suffixes. Further tags that may have one: results that the model invents, and reasoning.
    pub suffixes: Option<Suffixes>,
}

/// Tags that may have suffixes and stand around no call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suffixes {
    pub invented: Vec<Box<str>>,
    pub reasoning: [Box<str>; 2],
}

/// The family of keyed calls in a section.
#[derive(Debug)]
pub(crate) struct Listed {
    section: [Tag; 2],
    call: [Tag; 2],
    separator: Option<Tag>,
    key: [Tag; 2],
    hint: Option<[Tag; 2]>,
    value: [Tag; 2],
    tokens: Vec<Tag>,
    invented: Vec<Tag>,
    reasoning: Option<[Tag; 2]>,
    objects: Option<Block>,
    t: Texts,
    /// Tags without their ends, with the colon of a suffix.
    colons: Vec<Box<str>>,
    text: Scan,
    prose: Option<Scan>,
    between: Scan,
    values: Scan,
}

impl Listed {
    /// Builds the family of a dialect with these texts.
    pub fn new(t: Texts) -> Listed {
        let pair = |tags: &[Box<str>; 2]| [Tag::parse(&tags[0]), Tag::parse(&tags[1])];
        let suffixes = t.suffixes.clone().unwrap_or_default();
        let reasoning = t.suffixes.as_ref().map(|of| pair(&of.reasoning));
        let invented: Vec<Tag> = suffixes.invented.iter().map(|tag| Tag::parse(tag)).collect();
        let around = t.section.iter().chain(&t.call);
        let ends = [&t.key[1], &t.value[1]].into_iter().chain(t.hint.iter().map(|hint| &hint[1]));
        let marks = around.chain(ends).map(|tag| &**tag);
        let prose = suffixes.reasoning.iter().map(|tag| Tag::parse(tag).head);
        let prose: Option<Vec<Box<str>>> = t.suffixes.as_ref().map(|_| prose.collect());
        let beside = suffixes.invented.iter().chain(prose.iter().flatten()).map(|tag| &**tag);
        let tokens: Vec<Tag> = t.tokens.iter().map(|tag| Tag::parse(tag)).collect();
        let heads = tokens.iter().map(|tag| &*tag.head);
        let text: Vec<Box<str>> = marks
            .chain(beside)
            .map(|tag| Tag::parse(tag).head)
            .chain(heads.map(Box::from))
            .collect();
        let objects = t.named_objects.then(|| {
            let close = vec![t.call[1].clone()];
            Block::new(Tags { close, json: true, ..Tags::default() })
        });
        let params = t.key.iter().chain(&t.value);
        let colons = t.section.iter().chain(&t.call).chain(params);
        let colons = colons.chain(&suffixes.reasoning).chain(&suffixes.invented);
        let colons = colons.map(|tag| format!("{}:", Tag::parse(tag).head).into()).collect();
        let tags = [&t.key, &t.value, &t.section, &t.call].into_iter().chain(&t.hint);
        let values: Vec<_> = tags.flatten().map(|tag| Tag::parse(tag).head).collect();
        Listed {
            section: pair(&t.section),
            call: pair(&t.call),
            separator: t.separator.as_ref().map(|tag| Tag::parse(tag)),
            key: pair(&t.key),
            hint: t.hint.as_ref().map(pair),
            value: pair(&t.value),
            tokens,
            invented,
            reasoning,
            objects,
            colons,
            text: Scan::from_texts(text.iter().map(|tag| tag.as_bytes())),
            prose: prose.map(|tags| Scan::from_texts(tags.iter().map(|tag| tag.as_bytes()))),
            between: Scan::from_texts(["<", "{"]),
            values: Scan::from_texts(values.iter().map(|tag| &**tag).chain(["</"])),
            t,
        }
    }

    /// Returns the forms of tags where no call is open.
    fn forms(&self) -> &'static [Suffix<'static>] {
        let forms = &[Suffix::Without, Suffix::Any];
        if self.t.suffixes.is_some() { forms } else { &forms[..1] }
    }

    /// Returns the form of tags in the open call, or in the last one.
    fn suffix_of_call<'a>(&self, look: &Look<'a>) -> Suffix<'a> {
        match look.call.kind {
            SUFFIXED => Suffix::Own(look.call.captured.element()),
            _ => Suffix::Without,
        }
    }

    // Openers of calls.

    /// Reads the name of a declared tool, or any name if no tool is declared. Returns whether it is declared.
    fn known_or_any(&self, look: &Look<'_>, c: &mut Cursor<'_>) -> Step<bool> {
        let name = c.name(Class::Name, false)?;
        let declared = look.tools.number([name, ""]) != UNKNOWN;
        if declared || look.tools.names.is_empty() { Ok(declared) } else { Err(No) }
    }

    /// Reads the beginning of an object of arguments.
    fn object(&self, c: &mut Cursor<'_>) -> Step<()> {
        if !self.t.object {
            return Err(No);
        }
        c.literal("{")?;
        c.white()?;
        c.byte_of(b"\"}").map(|_| ())
    }

    /// Reads the beginning of the body behind a name.
    fn body(&self, suffix: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        one_of!(c;
            |c| self.key[0].read(suffix, c).map(|_| ()),
            |c| match &self.separator {
                Some(tag) => tag.read(suffix, c).map(|_| ()),
                None => Err(No),
            },
            |c| self.object(c),
        )
    }

    /// Reads the rest of a call's opener: its name and its body. If the opener has a suffix, the body's tags may
    /// have any. `known`: at the end of the stream the name of a declared tool is enough.
    fn goes_on(
        &self,
        look: &Look<'_>,
        suffix: Suffix<'_>,
        known: bool,
        c: &mut Cursor<'_>,
    ) -> Step<()> {
        let inner = suffix.inner();
        c.white()?;
        one_of!(c;
            |c| {
                let name = c.name(Class::Name, false)?;
                let known = known && look.tools.number([name, ""]) != UNKNOWN;
                end_of(known, c, |c| self.body(inner, c))
            },
            |c| {
                let declared = self.known_or_any(look, c)?;
                end_of(known && declared, c, |c| {
                    c.white()?;
                    self.call[1].read(inner, c).map(|_| ())
                })
            },
            |c| if self.t.named_objects { objects::begins(c) } else { Err(No) },
        )
    }

    /// Reads a whole opener of a call, and its confirmation.
    fn begins(
        &self,
        look: &Look<'_>,
        suffix: Suffix<'_>,
        known: bool,
        c: &mut Cursor<'_>,
    ) -> Step<()> {
        self.call[0].read(suffix, c)?;
        self.goes_on(look, suffix, known, c)
    }

    /// Reads the opener of the next call, confirmed by that call or by a second opener.
    fn next_call(&self, look: &Look<'_>, suffix: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.call[0].read(suffix, c)?;
        c.follow(false, |c| {
            one_of!(c; |c| self.goes_on(look, suffix, false, c), |c| {
                c.white()?;
                self.begins(look, suffix, false, c)
            })
        })
    }

    /// Reads the opener of the next call of a section, if it has no arguments and any name.
    fn next_empty(&self, suffix: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.call[0].read(suffix, c)?;
        c.follow(false, |c| self.nothing_given(suffix, c))
    }

    /// Reads the opener of a call with objects.
    fn objects_open(&self, form: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.call[0].read(form, c)?;
        c.follow(false, |c| {
            c.white()?;
            objects::begins(c)
        })
    }

    /// Reads the opener of a section, confirmed by the head of a call.
    fn section_opens(&self, form: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        self.section[0].read(form, c)?;
        c.follow(false, |c| {
            c.white()?;
            c.literal(&self.call[0].head)
        })
    }

    /// Behind the opener of a call in a section: reads any name, and the call's closer.
    fn nothing_given(&self, suffix: Suffix<'_>, c: &mut Cursor<'_>) -> Step<()> {
        c.white()?;
        c.name(Class::Name, false)?;
        c.white()?;
        self.call[1].read(suffix, c).map(|_| ())
    }

    /// Reads a confirmed opener of a call. `any`: a call without arguments may have any name.
    fn opener<'t>(
        &self,
        look: &Look<'_>,
        form: Suffix<'_>,
        half: Half,
        any: bool,
        c: &mut Cursor<'t>,
    ) -> Step<Option<Opener<'t>>> {
        let opener = |suffix: Suffix<'t>, name: &'t str, tool: u16| {
            let kind = if matches!(suffix, Suffix::Without) { PLAIN } else { SUFFIXED };
            let element = suffix.text();
            Opener { element, ..Opener::new(Place::Call(kind)).named(name, tool) }
        };
        let named = c.way(half.role(A_CALL), |c| {
            let suffix = self.call[0].read(form, c)?;
            c.white()?;
            let name = c.name(Class::Name, false)?;
            let tool = look.tools.number([name, ""]);
            let none = any || tool != UNKNOWN || look.tools.names.is_empty();
            c.follow(tool != UNKNOWN, |c| {
                one_of!(c; |c| self.body(suffix, c), |c| {
                    c.white()?;
                    if none { self.call[1].read(suffix, c).map(|_| ()) } else { Err(No) }
                })
            })?;
            Ok(opener(suffix, name, tool))
        })?;
        if named.is_some() {
            return Ok(named);
        }
        // A value's closer in place of a body.
        c.way(half.role(A_CALL), |c| {
            let suffix = self.call[0].read(form, c)?;
            c.white()?;
            let (name, tool) = c.known(&look.tools.names, false, None)?;
            c.white()?;
            self.value[1].read(suffix, c)?;
            c.follow(true, |c| {
                c.white()?;
                one_of!(c;
                    |c| self.call[1].read(suffix, c).map(|_| ()),
                    |c| c.literal(&self.call[0].head),
                )
            })?;
            Ok(opener(suffix, name, tool).note(MALFORMED))
        })
    }

    // Between keys.

    /// Reads a key with its type, or the opener of its value. The key may be malformed: it waits for its value
    /// all the same.
    fn key_or_value<'t>(
        &self,
        look: &Look<'_>,
        suffix: Suffix<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InCall<'t>>> {
        let name = c.way(WHOLE.role(KEY), |c| {
            self.key[0].read(suffix, c)?;
            let name = c.name(Class::NoTag, false)?;
            self.key[1].read(suffix, c)?;
            Ok(name)
        })?;
        if let Some(name) = name {
            return Ok(Some(InCall::Key { name, hint: None, note: None, broken: false }));
        }
        let text = |c: &mut Cursor<'t>| {
            self.key[0].read(suffix, c)?;
            c.run(Class::NoTag, 0, bounds::NAME).map(|_| ())
        };
        let closed = c.way(WHOLE.role(KEY), |c| {
            text(c)?;
            self.key[1].read(suffix, c)
        })?;
        if closed.is_some()
            || c.noise_or(WHOLE, text)?.is_some()
            || c.noise_or(WHOLE, |c| self.key[0].read(suffix, c))?.is_some()
        {
            let note = Some(MALFORMED);
            return Ok(Some(InCall::Key { name: "", hint: None, note, broken: true }));
        }
        if !look.is.named {
            return Ok(None);
        }
        let doubled = c.noise_or(WHOLE, |c| {
            self.value[0].read(suffix, c)?;
            self.value[0].read(suffix, c)
        })?;
        let note = doubled.map(|_| MALFORMED);
        let opens = note.is_some()
            || c.way(WHOLE.role(VALUE), |c| self.value[0].read(suffix, c))?.is_some();
        if opens {
            return Ok(Some(InCall::Value { kind: look.call.kind, note, before: false }));
        }
        let Some(hint) = &self.hint else { return Ok(None) };
        let hint = c.way(WHOLE.role(KEY), |c| {
            hint[0].read(suffix, c)?;
            c.white()?;
            let word = c.run(Class::Word, 1, bounds::NAME)?;
            c.white()?;
            if c.peek()? == b'[' {
                c.pos += 1;
                c.run(Class::NoTag, 0, bounds::NAME)?;
            }
            hint[1].read(suffix, c)?;
            Ok(word)
        })?;
        Ok(hint.map(InCall::Hint))
    }

    /// Reads the end of a call between its keys.
    fn call_closes<'t>(
        &self,
        look: &Look<'_>,
        suffix: Suffix<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Option<InCall<'t>>> {
        let close = |note, before| Ok(Some(InCall::Close { scope: Scope::Call, note, before }));
        if c.way(WHOLE.role("closer of a call"), |c| self.call[1].read(suffix, c))?.is_some() {
            return close(None, false);
        }
        let section = look.is.in_section;
        let lost = c.way(WHOLE.role(LOST), |c| self.next_call(look, suffix, c))?.is_some()
            || section && c.way(WHOLE.role(LOST), |c| self.next_empty(suffix, c))?.is_some()
            || c.way(WHOLE.role(LOST), |c| self.section[1].read(suffix, c))?.is_some();
        if lost { close(Some(DiagnosticKind::MissingCloser), true) } else { Ok(None) }
    }
}

impl Family for Listed {
    fn in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<InText<'t>> {
        if !look.reasoning {
            if let Some(found) = self.stray(c)? {
                return Ok(found);
            }
        }
        for form in self.forms() {
            if let Some(found) = self.opens_in_text(look, *form, c)? {
                return Ok(found);
            }
            if look.reasoning {
                continue;
            }
            if let Some(found) = self.beside_calls(look, *form, c)? {
                return Ok(found);
            }
        }
        c.none()
    }

    fn in_prose<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        let Some([open, close]) = &self.reasoning else { return Ok(None) };
        let opens = !look.reasoning || look.is.stream_start;
        let half = Half::NONE.role("opener of reasoning");
        if opens && c.noise_or(half, |c| open.read(Suffix::Any, c))?.is_some() {
            return Ok(Some(InText::Think));
        }
        let half = Half::NONE.role("closer of reasoning");
        let closes = c.way(half, |c| close.read(Suffix::Any, c))?;
        Ok(closes.map(|_| InText::EndThink))
    }

    fn late_in_text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<Option<InText<'t>>> {
        if c.noise_or(Half::NONE.role("section without calls"), |c| self.empty(c))?.is_some() {
            return Ok(Some(InText::Mark(None)));
        }
        let stray = !look.reasoning
            && c.noise_or(Half::NONE.role(STRAY), |c| self.value[1].read(Suffix::Without, c))?
                .is_some();
        if stray {
            return Ok(Some(InText::StrayCloser));
        }
        let cut = c.noise_or(OPENER.role("half an opener at the end"), |c| self.cut_opener(c))?;
        Ok(cut.map(|()| InText::Mark(Some(DiagnosticKind::CutOpener))))
    }

    fn in_section<'t>(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'t>) -> Step<InSection<'t>> {
        let found = match kind {
            LIST => self.among_calls(look, c)?,
            AFTER_OBJECT | AFTER_ALONE => self.behind_object(look, kind, c)?,
            _ => self.among_objects(look, kind, c)?,
        };
        found.map_or_else(|| c.none(), Ok)
    }

    fn in_call<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InCall<'t>> {
        let suffix = self.suffix_of_call(look);
        if let Some(found) = self.key_or_value(look, suffix, c)? {
            return Ok(found);
        }
        if look.is.call_start {
            let separator = match &self.separator {
                Some(tag) => c.way(WHOLE, |c| tag.read(suffix, c))?,
                None => None,
            };
            if separator.is_some() {
                return Ok(InCall::Mark);
            }
            let object = self.t.object
                && c.way(WHOLE.role("opener of the arguments"), |c| {
                    c.literal("{")?;
                    c.follow(false, |c| {
                        c.white()?;
                        c.byte_of(b"\"}").map(|_| ())
                    })
                })?
                .is_some();
            if object {
                return Ok(InCall::Object(if look.is.in_section { ARGUMENTS } else { ALONE }));
            }
        }
        if let Some(found) = self.call_closes(look, suffix, c)? {
            return Ok(found);
        }
        match c.noise(|c| element(c).map(|_| ()))? {
            Some(()) => Ok(InCall::Stray(DiagnosticKind::UnknownParameter)),
            None => c.none(),
        }
    }

    fn in_value<'t>(&self, look: &Look<'_>, _: u8, c: &mut Cursor<'t>) -> Step<InValue<'t>> {
        self.value_ends(look, self.suffix_of_call(look), c)
    }

    fn in_body(&self, look: &Look<'_>, kind: u8, c: &mut Cursor<'_>) -> Step<InBody> {
        let half = WHOLE.role("end of an object before its own");
        let own = matches!(kind, ARGUMENTS | ALONE);
        let suffix = if own { self.suffix_of_call(look) } else { Suffix::Without };
        let ends = c.way(half, |c| self.call[1].read(suffix, c))?.is_some()
            || c.way(half, |c| {
                self.call[0].read(suffix, c)?;
                c.follow(false, |c| self.goes_on(look, suffix, false, c))
            })?
            .is_some();
        if ends { Ok(InBody::before(None)) } else { c.none() }
    }

    fn text_scan(&self) -> &Scan {
        &self.text
    }

    fn prose_scan(&self) -> Option<&Scan> {
        self.prose.as_ref()
    }

    fn call_scan(&self, _: u8) -> &Scan {
        &self.between
    }

    fn value_scan(&self, _: u8) -> &Scan {
        &self.values
    }

    fn section(&self, kind: u8) -> SectionFacts {
        let between: &[u8] = if kind == LIST { b"" } else { b"],;" };
        // Objects in a section are inside a call that has begun.
        let behind_call = (kind == OBJECTS).then_some(OBJECTS);
        SectionFacts { between, behind_call, ..SectionFacts::CALLS }
    }

    fn framing(&self, _: u8) -> Framing {
        Framing::Recovered
    }

    fn body(&self, kind: u8) -> BodyFacts {
        let (gives, then) = match kind {
            ARGUMENTS => (Gives::Arguments, Some(AFTER_OBJECT)),
            ALONE => (Gives::Arguments, Some(AFTER_ALONE)),
            _ => (Gives::Call, None),
        };
        BodyFacts { gives, then, stop: b'<' }
    }

    fn own_texts(&self, each: &mut dyn FnMut(&str)) {
        if self.t.suffixes.is_some() {
            self.colons.iter().for_each(|text| each(text));
        }
    }

    fn renamed(&self, rename: &mut dyn FnMut(&mut Box<str>)) -> Option<Box<dyn Family>> {
        let mut t = self.t.clone();
        t.each_text(rename);
        Some(Box::new(Listed::new(t)))
    }
}
