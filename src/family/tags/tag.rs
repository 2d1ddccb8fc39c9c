//! An opening tag with attributes: `<invoke name="…">`, `<parameter name="…" string="true">`.
//!
//! ```text
//! tag       := HEAD ws attribute ( white attribute )? END         attribute := CALLED ws "=" ws ATTR
//! ATTR      := '"' … '"' | "'" … "'" | bare word                  END of a parameter's := ( white … )? ">"
//! ```
//! A name may stand before or behind the tag's other attribute.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::{Other, Texts};
use crate::family::Look;
use crate::options::bounds;
use crate::read::cursor::{Class, Cursor, More, No, Step, WHITE};
use crate::read::names::{Names, decode};
use crate::read::wait::Wait;

/// The names that an attribute may have.
#[derive(Clone, Copy)]
pub(crate) enum Known<'n> {
    Any,
    Tool(&'n Names),
    /// A parameter of the open call that fits.
    Param(&'n Names, &'n dyn Fn(u16) -> bool),
}

impl Known<'_> {
    fn begins(&self, name: &str) -> bool {
        match self {
            Known::Any => true,
            Known::Tool(names) => names.has_beginning(name),
            Known::Param(names, fits) => name.is_empty() || names.beginning_like(name).any(fits),
        }
    }

    fn has(&self, name: &str, quoted: bool) -> bool {
        match self {
            Known::Any => !name.trim_matches(WHITE).is_empty(),
            // (In quotes the beginning of a name is enough.)
            Known::Param(..) if quoted => !name.is_empty(),
            Known::Tool(names) => names.find([name, ""]).is_some(),
            Known::Param(names, fits) => names.find([name, ""]).is_some_and(fits),
        }
    }
}

/// A tool, as an opener names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called<'t> {
    pub name: &'t str,
    pub tool: u16,
    pub id: Option<&'t str>,
}

/// Reads the value of an attribute.
pub(crate) fn value<'t>(c: &mut Cursor<'t>, known: Known<'_>, entities: bool) -> Step<&'t str> {
    let quote = c.peek()?;
    let quoted = matches!(quote, b'"' | b'\'');
    let rest = &c.rest()[usize::from(quoted)..];
    let ends = |byte: &u8| match quoted {
        true => *byte == quote || *byte == b'\n' || *byte == b'<' && !entities,
        false => byte.is_ascii() && !Class::Bare.has_byte(*byte),
    };
    let len = rest.bytes().take(bounds::NAME + 1).position(|byte| ends(&byte));
    let near = (0..=len.unwrap_or(rest.len().min(bounds::NAME))).rev();
    let name = &rest[..near.into_iter().find(|at| rest.is_char_boundary(*at)).unwrap_or(0)];
    if !known.begins(name) {
        return Err(No);
    }
    let quotes = 2 * usize::from(quoted);
    match len {
        None if rest.len() > bounds::NAME => return c.too_long(),
        None if c.is_over_tag(rest.len() + quotes / 2) => return c.too_long(),
        None if matches!(known, Known::Any) => {
            let most = bounds::NAME - name.len();
            let tag = (0..most).find(|more| c.is_over_tag(rest.len() + quotes / 2 + more));
            return c.wait(Wait::Run(Class::Word, tag.unwrap_or(most) as u16));
        }
        None => return c.more(),
        Some(len) if quoted && rest.as_bytes()[len] != quote => return Err(No),
        Some(len) if c.is_over_tag(len + quotes) => return c.too_long(),
        Some(len) => c.pos += len + quotes,
    }
    if known.has(name, quoted) { Ok(name.trim_matches(WHITE)) } else { Err(No) }
}

/// Reads white space between attributes.
fn space(c: &mut Cursor<'_>) -> Step<()> {
    c.run(Class::White, 1, bounds::WHITE_SPACE).map(|_| ())
}

/// The tags whose ends may be tokens, as [`Texts::token_ends`] has them.
pub(super) const CALL_TAG: usize = 0;
const PARAM_TAG: usize = 1;
/// The most white space between the parts of a token, and the most bytes of further attributes before one.
const GAP: usize = 8;
const REST: usize = 256;

/// Reads a text with words between special tokens: white space may stand around each word.
fn spaced(text: &str, c: &mut Cursor<'_>) -> Step<()> {
    let tokens = text.split_inclusive("|>").flat_map(|part| {
        let (word, token) = part.split_at(part.find("<|").unwrap_or(part.len()));
        [word, token].into_iter().filter(|part| !part.is_empty())
    });
    for (at, part) in tokens.enumerate() {
        if at > 0 {
            c.up_to(GAP, Class::White)?;
        }
        c.literal(part)?;
    }
    Ok(())
}

impl Texts {
    /// Whether the tags of calls are like those of XML, not tokens.
    pub fn is_xml(&self) -> bool {
        self.token_ends[CALL_TAG].is_none()
    }

    /// Reads the first of these texts that stands here. A single text may have white space in it, if it is made of
    /// tokens.
    pub fn any(&self, texts: &[Box<str>], c: &mut Cursor<'_>) -> Step<()> {
        match texts {
            [text] if text.contains("|>") || text.contains("<|") => spaced(text, c),
            texts => c.any(texts),
        }
    }

    /// Reads white space in a tag.
    fn gap(&self, tag: usize, c: &mut Cursor<'_>) -> Step<()> {
        if self.token_ends[tag].is_some() { c.up_to(GAP, Class::White) } else { c.white() }
    }

    /// Reads the end of a tag behind its name: other attributes may stand there.
    pub fn tag_end(&self, tag: usize, c: &mut Cursor<'_>) -> Step<()> {
        let Some(end) = &self.token_ends[tag] else {
            if c.peek()? != b'>' {
                c.byte_of(b" \t\r\n")?;
                c.run(Class::Rest, 0, bounds::TAG)?;
            }
            return c.literal(">");
        };
        c.either(
            |c| c.literal(end),
            |c| {
                space(c)?;
                c.up_to(REST, Class::Line)?;
                c.literal(end)
            },
        )
    }

    /// Returns the tag of this text without its end, if it is a tag.
    pub fn head_of(&self, tag: &str) -> Option<Box<str>> {
        let end = self.token_ends[CALL_TAG].as_deref().unwrap_or(">");
        tag.strip_suffix(end).map(|head| head.trim_end().into())
    }

    /// Reads a tag of tokens with any name.
    pub fn any_tag(&self, c: &mut Cursor<'_>) -> Step<()> {
        let Some(end) = &self.token_ends[CALL_TAG] else { return Err(No) };
        let head = self.call.first().ok_or(No)?;
        c.literal(head.trim_end_matches(|c: char| c.is_ascii_alphanumeric()))?;
        self.gap(CALL_TAG, c)?;
        c.run(Class::Word, 1, bounds::NAME)?;
        c.up_to(REST, Class::NoTag)?;
        c.literal(end)
    }

    /// Reads the name of an attribute, up to its value.
    fn called(&self, tag: usize, called: &str, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(called)?;
        self.gap(tag, c)?;
        c.literal("=")?;
        self.gap(tag, c)
    }

    /// Reads an attribute and its value.
    fn attribute<'t>(
        &self,
        tag: usize,
        called: &str,
        known: Known<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<&'t str> {
        self.called(tag, called, c)?;
        match known {
            // The name is known once it is decoded.
            Known::Tool(names) if self.entities => {
                let name = value(c, Known::Any, true)?;
                match names.find([&self.decoded(name), ""]) {
                    Some(_) => Ok(name),
                    None => Err(No),
                }
            }
            known => value(c, known, self.entities),
        }
    }

    fn decoded<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let mut name = Cow::Borrowed(name);
        if self.entities && name.contains('&') {
            decode(name.to_mut());
        }
        name
    }

    /// Returns the number of the tool with this name.
    fn tool(&self, look: &Look<'_>, name: &str) -> u16 {
        match self.entities && name.contains('&') {
            true => look.tools.number([&self.decoded(name), ""]),
            false => look.tools.number([name, ""]),
        }
    }

    /// Reads the tag of a call up to its end.
    fn call_head<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
        known: Known<'_>,
    ) -> Step<Called<'t>> {
        self.any(&self.call, c)?;
        self.gap(CALL_TAG, c)?;
        let [named, _] = &self.names;
        let (mut id, mut undecided) = (None, false);
        let next = if self.others.is_empty() { 0 } else { c.peek()? };
        for other in self.others.iter().filter(|of| of.called().starts_with(char::from(next))) {
            match c.ahead(|c| self.called(CALL_TAG, other.called(), c)) {
                Err(No) => continue,
                Err(More) if !c.ended() => return Err(More),
                Err(More) => {
                    undecided = true;
                    continue;
                }
                Ok(()) => {}
            }
            id = self.other(other, c)?;
            space(c)?;
            break;
        }
        let name = match self.attribute(CALL_TAG, named, known, c) {
            Err(No) if undecided => return c.more(),
            name => name?,
        };
        let mut called = Called { name, tool: self.tool(look, name), id };
        // Anything may stand before a token.
        let last = |other: &&Other| self.is_xml() || matches!(other, Other::Id(_));
        for other in self.others.iter().filter(|_| id.is_none()).filter(last) {
            let mut last = *c;
            match space(&mut last).and_then(|()| self.other(other, &mut last)) {
                Ok(id) => {
                    *c = last;
                    called.id = id;
                    return Ok(called);
                }
                Err(More) => return Err(More),
                Err(No) => {}
            }
        }
        Ok(called)
    }

    /// Reads an attribute of a call beside its name. Returns the id, if it is one.
    fn other<'t>(&self, other: &Other, c: &mut Cursor<'t>) -> Step<Option<&'t str>> {
        match other {
            Other::Id(called) => self.attribute(CALL_TAG, called, Known::Any, c).map(Some),
            Other::Number(called) => {
                self.called(CALL_TAG, called, c)?;
                c.run(Class::Number, 1, 16)?;
                Ok(None)
            }
        }
    }

    /// Reads the tag of a call. `true`: the tag also ends the call.
    pub(super) fn call_tag<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
        known: Known<'_>,
    ) -> Step<(Called<'t>, bool)> {
        let called = self.call_head(look, c, known)?;
        if !self.is_xml() {
            return self.tag_end(CALL_TAG, c).map(|()| (called, false));
        }
        c.white()?;
        let whole = c.peek()? == b'/';
        c.literal(if whole { "/>" } else { ">" })?;
        Ok((called, whole))
    }

    /// Reads the tag of a call, unless it also ends the call.
    pub(super) fn open_tag<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
        known: Known<'_>,
    ) -> Step<Called<'t>> {
        let called = self.call_head(look, c, known)?;
        if !self.is_xml() {
            return self.tag_end(CALL_TAG, c).map(|()| called);
        }
        c.white()?;
        c.literal(">")?;
        Ok(called)
    }

    /// Reads the tag of a call up to `name`: nobody writes it for anything else.
    pub fn call_begins(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.any(&self.call, c)?;
        self.gap(CALL_TAG, c)?;
        let others = self.others.iter().map(Other::called);
        let names: SmallVec<[&str; 4]> = others.chain([&*self.names[0]]).collect();
        c.any(&names)
    }

    /// Reads the tag of a parameter: its name, and its type if tags have types.
    pub(super) fn param_tag<'t>(
        &self,
        c: &mut Cursor<'t>,
        known: Known<'_>,
    ) -> Step<(&'t str, Option<&'t str>)> {
        self.typed_tag(&self.param, [Some(&self.names[1]), self.typed.as_deref()], known, c)
    }

    /// Reads the tag of a parameter that is an element with a type.
    pub fn element_tag<'t>(&self, c: &mut Cursor<'t>) -> Step<(&'t str, Option<&'t str>)> {
        let of = self.element.as_ref().ok_or(No)?;
        let heads = std::slice::from_ref(&of.head);
        self.typed_tag(heads, [Some(&of.name), of.typed.as_deref()], Known::Any, c)
    }

    /// Reads the tag of a parameter whose name is its tag.
    pub fn element_by_tag<'t>(&self, c: &mut Cursor<'t>) -> Step<&'t str> {
        self.by_tag.as_ref().ok_or(No)?.open_element(c)
    }

    /// Reads the tag of a parameter whose name comes first.
    pub fn named_element(&self, c: &mut Cursor<'_>) -> Step<()> {
        let of = self.element.as_ref().ok_or(No)?;
        c.literal(&of.head)?;
        c.white()?;
        self.attribute(PARAM_TAG, &of.name, Known::Any, c)?;
        self.tag_end(PARAM_TAG, c)
    }

    /// Reads a tag with these attributes, the name and the type.
    fn typed_tag<'t>(
        &self,
        heads: &[Box<str>],
        [named, typed]: [Option<&str>; 2],
        known: Known<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<(&'t str, Option<&'t str>)> {
        self.any(heads, c)?;
        self.gap(PARAM_TAG, c)?;
        let named = named.ok_or(No)?;
        let Some(typed) = typed else {
            let name = self.attribute(PARAM_TAG, named, known, c)?;
            return self.tag_end(PARAM_TAG, c).map(|()| (name, None));
        };
        let type_first = match c.peek()? == typed.as_bytes()[0] {
            true => c.ahead(|c| self.called(PARAM_TAG, typed, c)),
            false => Err(No),
        };
        if type_first == Err(More) && !c.ended() {
            return Err(More);
        }
        if type_first.is_ok() {
            let says = self.attribute(PARAM_TAG, typed, Known::Any, c)?;
            space(c)?;
            let name = self.attribute(PARAM_TAG, named, known, c)?;
            return self.tag_end(PARAM_TAG, c).map(|()| (name, Some(says)));
        }
        let name = match self.attribute(PARAM_TAG, named, known, c) {
            Err(No) if type_first == Err(More) => return c.more(),
            name => name?,
        };
        let says = |c: &mut Cursor<'t>| {
            space(c)?;
            let says = self.attribute(PARAM_TAG, typed, Known::Any, c)?;
            self.tag_end(PARAM_TAG, c).map(|()| (name, Some(says)))
        };
        c.either(says, |c| self.tag_end(PARAM_TAG, c).map(|()| (name, None)))
    }
}
