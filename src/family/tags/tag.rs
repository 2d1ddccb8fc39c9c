//! An opening tag with attributes: `<invoke name="…">`, `<parameter name="…" string="true">`.
//!
//! ```text
//! tag       := HEAD ws attribute ( white attribute )? END         attribute := CALLED ws "=" ws ATTR
//! ATTR      := '"' … '"' | "'" … "'" | bare word                  END of a parameter's := ( white … )? ">"
//! ```
//! A name may stand before or behind the tag's other attribute.

use std::borrow::Cow;

use super::Texts;
use crate::family::Look;
use crate::machine::names::{Names, decode};
use crate::options::bounds;
use crate::read::cursor::{Class, Cursor, More, No, Step, WHITE};
use crate::read::wait::Wait;

/// Which names an attribute may have.
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
            // (As rules have it: in quotes the beginning of a name is enough.)
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

/// The value of an attribute.
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

/// White space that parts attributes.
fn space(c: &mut Cursor<'_>) -> Step<()> {
    c.run(Class::White, 1, bounds::WHITE_SPACE).map(|_| ())
}

/// The end of a parameter's tag behind its name: others may stand there.
fn tag_end(c: &mut Cursor<'_>) -> Step<()> {
    if c.peek()? != b'>' {
        c.byte_of(b" \t\r\n")?;
        c.run(Class::Rest, 0, bounds::TAG)?;
    }
    c.literal(">")
}

impl Texts {
    /// An attribute and its value.
    fn attribute<'t>(&self, c: &mut Cursor<'t>, called: &str, known: Known<'_>) -> Step<&'t str> {
        c.literal(called)?;
        c.white()?;
        c.literal("=")?;
        c.white()?;
        match known {
            // It is known when it is decoded.
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

    /// The number of a tool with this name.
    fn tool(&self, look: &Look<'_>, name: &str) -> u16 {
        match self.entities && name.contains('&') {
            true => look.tools.number([&self.decoded(name), ""]),
            false => look.tools.number([name, ""]),
        }
    }

    /// The tag of a call up to what ends it.
    fn call_head<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
        known: Known<'_>,
    ) -> Step<Called<'t>> {
        c.any(&self.call)?;
        c.white()?;
        let [named, _] = &self.names;
        if let Some(id) = self.id_first(c)? {
            let id = Some(self.attribute(c, id, Known::Any)?);
            space(c)?;
            let name = self.attribute(c, named, known)?;
            return Ok(Called { name, tool: self.tool(look, name), id });
        }
        let name = self.attribute(c, named, known)?;
        let called = Called { name, tool: self.tool(look, name), id: None };
        let Some(id) = &self.id else { return Ok(called) };
        let mut last = *c;
        match space(&mut last).and_then(|()| self.attribute(&mut last, id, Known::Any)) {
            Ok(id) => {
                *c = last;
                Ok(Called { id: Some(id), ..called })
            }
            Err(More) => Err(More),
            Err(No) => Ok(called),
        }
    }

    /// The attribute of the id, if the tag of a call goes on with that, not with the name. They begin otherwise.
    fn id_first(&self, c: &Cursor<'_>) -> Step<Option<&str>> {
        let Some(id) = &self.id else { return Ok(None) };
        let next = c.peek()?;
        Ok(Some(&**id).filter(|id| id.as_bytes()[0] == next))
    }

    /// The tag of a call; `true`: it is over with it.
    pub(super) fn call_tag<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
        known: Known<'_>,
    ) -> Step<(Called<'t>, bool)> {
        let called = self.call_head(look, c, known)?;
        c.white()?;
        let whole = c.peek()? == b'/';
        c.literal(if whole { "/>" } else { ">" })?;
        Ok((called, whole))
    }

    /// Reads the tag of a call that is not over with it.
    pub(super) fn open_tag<'t>(
        &self,
        look: &Look<'_>,
        c: &mut Cursor<'t>,
        known: Known<'_>,
    ) -> Step<Called<'t>> {
        let called = self.call_head(look, c, known)?;
        c.white()?;
        c.literal(">")?;
        Ok(called)
    }

    /// The tag of a call up to `name`: nobody writes it for something else.
    pub fn call_begins(&self, c: &mut Cursor<'_>) -> Step<()> {
        c.any(&self.call)?;
        c.white()?;
        let id = self.id_first(c)?;
        c.literal(id.unwrap_or(&self.names[0]))
    }

    /// The tag of a parameter: its name, and its type where tags say it.
    pub(super) fn param_tag<'t>(
        &self,
        c: &mut Cursor<'t>,
        known: Known<'_>,
    ) -> Step<(&'t str, Option<&'t str>)> {
        self.typed_tag(c, &self.param, self.typed.as_deref(), known)
    }

    /// A parameter that is an element with a type.
    pub fn element_tag<'t>(&self, c: &mut Cursor<'t>) -> Step<(&'t str, Option<&'t str>)> {
        let [head, typed, _] = self.element.as_ref().ok_or(No)?;
        self.typed_tag(c, std::slice::from_ref(head), Some(typed), Known::Any)
    }

    /// Reads the tag of a parameter whose name comes first.
    pub fn named_element(&self, c: &mut Cursor<'_>) -> Step<()> {
        let [head, ..] = self.element.as_ref().ok_or(No)?;
        c.literal(head)?;
        c.white()?;
        self.attribute(c, &self.names[1], Known::Any)?;
        tag_end(c)
    }

    fn typed_tag<'t>(
        &self,
        c: &mut Cursor<'t>,
        heads: &[Box<str>],
        typed: Option<&str>,
        known: Known<'_>,
    ) -> Step<(&'t str, Option<&'t str>)> {
        c.any(heads)?;
        c.white()?;
        let Some(typed) = typed else {
            let name = self.attribute(c, &self.names[1], known)?;
            return tag_end(c).map(|()| (name, None));
        };
        if c.peek()? == typed.as_bytes()[0] {
            let says = self.attribute(c, typed, Known::Any)?;
            space(c)?;
            let name = self.attribute(c, &self.names[1], known)?;
            return tag_end(c).map(|()| (name, Some(says)));
        }
        let name = self.attribute(c, &self.names[1], known)?;
        let says = |c: &mut Cursor<'t>| {
            space(c)?;
            let says = self.attribute(c, typed, Known::Any)?;
            tag_end(c).map(|()| (name, Some(says)))
        };
        c.either(says, |c| tag_end(c).map(|()| (name, None)))
    }
}
