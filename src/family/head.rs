//! The head of a single call, before its arguments: its token, a prefix of its name, and the name.
//!
//! ```text
//! head := OPEN ws ( SIGN ws )? NAME | OPEN ws PREFIX? NAME        SIGN: the last sign of PREFIX, if it is one
//! ```
//! `<|tool_call>call:read` and `<|tool_call>:read` are heads of one call. Cut behind `re` the name is undecided.

use crate::family::Look;
use crate::options::bounds;
use crate::read::cursor::{Class, Cursor, Step};

/// The texts of a head.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    pub open: Box<str>,
    /// Prefix that may stand before the name.
    pub prefix: Box<str>,
}

/// A tool, as a head names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called<'t> {
    pub name: &'t str,
    pub tool: u16,
}

/// The text between a token and the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    Sign,
    Prefix,
    Nothing,
}

impl Head {
    /// Returns the last sign of the prefix.
    fn sign(&self) -> Option<&str> {
        let (at, sign) = self.prefix.char_indices().next_back()?;
        (!sign.is_alphanumeric()).then(|| &self.prefix[at..])
    }

    /// The heads of calls of any tool.
    pub fn ways(&self) -> &'static [Before] {
        let ways = &[Before::Sign, Before::Prefix];
        if self.sign().is_some() { ways } else { &ways[1..] }
    }

    /// The heads of calls of declared tools, whose names are looked up from their first letter on.
    fn known_ways(&self) -> &'static [Before] {
        let ways = &[Before::Sign, Before::Prefix, Before::Nothing];
        match (self.sign(), &*self.prefix) {
            (Some(_), _) => ways,
            (None, "") => &ways[2..],
            (None, _) => &ways[1..],
        }
    }

    /// Reads the head of a call of any tool. `before`: the sign or the prefix, which may be missing.
    pub fn any<'t>(&self, look: &Look<'_>, before: Before, c: &mut Cursor<'t>) -> Step<Called<'t>> {
        c.literal(&self.open)?;
        c.white()?;
        let mut prefix = &*self.prefix;
        if let (Before::Sign, Some(sign)) = (before, self.sign()) {
            c.literal(sign)?;
            c.white()?;
            prefix = "";
        }
        let name = c.run(Class::Name, 1, prefix.len() + bounds::NAME)?;
        let after = name.strip_prefix(prefix).filter(|name| !name.is_empty());
        let name = after.unwrap_or(name);
        if name.len() > bounds::NAME {
            return c.too_long();
        }
        Ok(Called { name, tool: look.tools.number([name, ""]) })
    }

    /// Reads the head of a call of a declared tool.
    fn known(&self, look: &Look<'_>, before: Before, c: &mut Cursor<'_>) -> Step<()> {
        c.literal(&self.open)?;
        c.white()?;
        match (before, self.sign()) {
            (Before::Sign, Some(sign)) => {
                c.literal(sign)?;
                c.white()?;
            }
            (Before::Prefix, _) => c.literal(&self.prefix)?,
            _ => {}
        }
        c.known(&look.tools.names, false, None).map(|_| ())
    }

    /// In the arguments: reads the head of the next call, and the text that confirms it (`confirms`). In a string only
    /// declared tools count, if there are any.
    pub fn next(
        &self,
        look: &Look<'_>,
        way: crate::read::cursor::Way,
        confirms: fn(&mut Cursor<'_>) -> Step<()>,
        c: &mut Cursor<'_>,
    ) -> Step<bool> {
        let known = look.json.in_string() && !look.tools.names.is_empty();
        let ways = if known { self.known_ways() } else { self.ways() };
        for before in ways {
            let next = c.noise_or(way, |c| {
                match known {
                    true => self.known(look, *before, c)?,
                    false => self.any(look, *before, c).map(|_| ())?,
                }
                c.follow(false, confirms)
            })?;
            if next.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
