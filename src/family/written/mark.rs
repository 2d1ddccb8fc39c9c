//! Markers of texts, white space and names, as in a shape.
//!
//! ```text
//! mark := ( text | one of several texts | white space, perhaps none | a word | a name | a name once more )*
//! ```

use crate::family::Look;
use crate::family::ids::{INDEX, tool_in};
use crate::options::bounds;
use crate::read::cursor::{Class, Cursor, No, Step, WHITE};
use crate::read::ids::UNKNOWN;

/// A piece of a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(Box<str>),
    /// Any of these texts.
    Any(Vec<Box<str>>),
    /// White space, perhaps none.
    White,
    /// A word that names nothing.
    Word,
    Name(Name),
    /// The name of the open call, or of the call that the marker before has opened.
    SameTool,
    /// The name of the open parameter.
    SameParam,
}

/// The thing that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Tool,
    /// A tool in the call's id, perhaps with its index: `functions.read:0`.
    ToolId,
    Param,
    Id,
}

/// Names that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Any,
    Declared,
    /// Declared names, or any if none are declared. Of parameters, those that were not given yet.
    IfDeclared,
    /// Declared parameters that were not given yet.
    Fresh,
}

/// A name in a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub kind: Of,
    pub known: Known,
    pub class: Class,
    /// Whether it may stand in quotes.
    pub quoted: bool,
    /// The character behind it, which it never holds.
    pub up_to: Option<u8>,
    pub optional: bool,
    /// A text that may stand before the tool in an id.
    pub prefix: Box<str>,
    /// Words that are no names.
    pub not: Vec<Box<str>>,
}

impl Name {
    /// Any name of this kind.
    pub fn new(kind: Of) -> Name {
        Name {
            kind,
            known: Known::Any,
            class: Class::Name,
            quoted: false,
            up_to: None,
            optional: false,
            prefix: Box::from(""),
            not: Vec::new(),
        }
    }
}

/// A marker.
pub(crate) type Mark = Vec<Piece>;

/// The names that a marker holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'t> {
    pub name: &'t str,
    pub tool: u16,
    pub id: Option<&'t str>,
    pub param: &'t str,
}

/// The call that a closer names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Closes<'c> {
    /// The call with this name.
    Named(&'c str),
    /// Any call.
    Any,
}

/// Reads a marker. `closes`: the call whose name it repeats.
pub(crate) fn read<'t>(
    mark: &[Piece],
    look: &Look<'_>,
    closes: Closes<'_>,
    c: &mut Cursor<'t>,
) -> Step<Found<'t>> {
    let mut found = Found { name: "", tool: UNKNOWN, id: None, param: "" };
    for piece in mark {
        match piece {
            Piece::Text(text) => c.literal(text)?,
            Piece::Any(texts) => c.any(texts)?,
            Piece::White => c.white()?,
            Piece::Word => c.run(Class::Name, 1, bounds::NAME).map(|_| ())?,
            Piece::SameTool => match closes {
                Closes::Named(name) => c.literal(name)?,
                Closes::Any => c.name(Class::Name, false).map(|_| ())?,
            },
            Piece::SameParam => c.literal(&look.call.captured.param)?,
            Piece::Name(name) => name.read(look, &mut found, c)?,
        }
    }
    Ok(found)
}

/// Returns the first text of a marker, in all spellings, if the marker begins with a text.
pub(crate) fn first(mark: &[Piece]) -> &[Box<str>] {
    match mark.first() {
        Some(Piece::Text(text)) => std::slice::from_ref(text),
        Some(Piece::Any(texts)) => texts,
        _ => &[],
    }
}

/// Returns the texts of a marker.
pub(crate) fn texts(mark: &[Piece]) -> impl Iterator<Item = &Box<str>> {
    mark.iter().flat_map(|piece| match piece {
        Piece::Text(text) => std::slice::from_ref(text),
        Piece::Any(texts) => texts,
        _ => &[],
    })
}

/// Whether a marker repeats the name of its call.
pub(crate) fn repeats_name(mark: &[Piece]) -> bool {
    mark.contains(&Piece::SameTool)
}

impl Name {
    fn read<'t>(&self, look: &Look<'_>, found: &mut Found<'t>, c: &mut Cursor<'t>) -> Step<()> {
        match self.kind {
            Of::Tool => {
                let name = self.text(look, c)?;
                found.name = name;
                found.tool = look.tools.number([name, ""]);
                self.counts(look, found)
            }
            Of::ToolId => {
                let id = self.text(look, c)?;
                let name = tool_in(&self.prefix, id);
                if name.is_empty() || name.len() > bounds::NAME {
                    return Err(No);
                }
                found.name = name;
                found.tool = look.tools.number([name, ""]);
                found.id = Some(id);
                // The index shows that it is an id.
                if self.known == Known::Declared && id.ends_with(name) {
                    return Err(No);
                }
                self.counts(look, found)
            }
            Of::Id => {
                found.id = Some(self.text(look, c)?);
                Ok(())
            }
            Of::Param => {
                found.param = self.param(look, c)?;
                Ok(())
            }
        }
    }

    /// Checks that the tool may be named here.
    fn counts(&self, look: &Look<'_>, found: &Found<'_>) -> Step<()> {
        let counts = match self.known {
            Known::Any | Known::Fresh => true,
            Known::Declared => found.tool != UNKNOWN,
            Known::IfDeclared => found.tool != UNKNOWN || look.tools.names.is_empty(),
        };
        if counts && !self.not.iter().any(|word| **word == *found.name) { Ok(()) } else { Err(No) }
    }

    fn param<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<&'t str> {
        let params = look.tools.params(look.call.tool);
        let fresh = self.known != Known::Declared;
        let fits = |param: u16| !fresh || look.is_fresh(param);
        match self.known {
            Known::Any => self.text(look, c),
            Known::IfDeclared if look.call.tool == UNKNOWN => self.text(look, c),
            _ => c.known(params, self.quoted, Some(&fits)).map(|(name, _)| name),
        }
    }

    /// Reads the name as it stands there, perhaps in quotes.
    fn text<'t>(&self, look: &Look<'_>, c: &mut Cursor<'t>) -> Step<&'t str> {
        let declared = match self.known {
            Known::Declared => true,
            Known::IfDeclared => !look.tools.names.is_empty(),
            Known::Any | Known::Fresh => false,
        };
        if declared && self.kind == Of::Tool {
            return c.known(&look.tools.names, self.quoted, None).map(|(name, _)| name);
        }
        let quote = Some(c.peek()?).filter(|byte| self.quoted && matches!(byte, b'"' | b'\''));
        let (index, min) = (self.kind == Of::ToolId, usize::from(!self.optional));
        let most = self.prefix.len() + bounds::NAME + if index { INDEX } else { 0 };
        let Some(quote) = quote else {
            return c.run_up_to(self.class, self.up_to, min, most);
        };
        c.pos += 1;
        let name = c.run_up_to(Class::Line, Some(quote), 1, most)?;
        if name.trim_matches(WHITE).is_empty() {
            return Err(No);
        }
        c.byte_of(&[quote])?;
        Ok(name)
    }
}
