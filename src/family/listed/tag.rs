//! Tags that may have a suffix before their end: `<arg_key:S>` beside `<arg_key>`.

use crate::read::cursor::{Class, Cursor, No, Step};

/// The most bytes of a suffix.
const SUFFIX: usize = 64;

/// The suffix of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suffix<'a> {
    Without,
    Any,
    /// The suffix of the open call.
    Own(&'a str),
}

impl<'a> Suffix<'a> {
    /// The suffix of tags in a call that has not begun yet.
    pub fn inner(self) -> Suffix<'a> {
        if self == Suffix::Without { self } else { Suffix::Any }
    }

    pub fn text(self) -> &'a str {
        match self {
            Suffix::Own(text) => text,
            _ => "",
        }
    }
}

/// A tag.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    whole: Box<str>,
    /// The tag without its end, before which a suffix may stand.
    pub head: Box<str>,
    /// `>`, in stop tokens behind a bar.
    end: Box<str>,
}

impl Tag {
    /// The tag with this text without a suffix.
    pub fn parse(whole: &str) -> Tag {
        let head = whole.trim_end_matches(['>', '｜']);
        Tag { whole: whole.into(), head: head.into(), end: whole[head.len()..].into() }
    }

    /// Reads the tag with such a suffix. Returns the suffix that it has.
    pub fn read<'t>(&self, suffix: Suffix<'_>, c: &mut Cursor<'t>) -> Step<Suffix<'t>> {
        self.read_of(Class::Suffix, suffix, c)
    }

    /// Reads a stop token with any suffix. A bar ends the suffix.
    pub fn read_token(&self, c: &mut Cursor<'_>) -> Step<()> {
        self.read_of(Class::Token, Suffix::Any, c).map(|_| ())
    }

    fn read_of<'t>(
        &self,
        class: Class,
        suffix: Suffix<'_>,
        c: &mut Cursor<'t>,
    ) -> Step<Suffix<'t>> {
        if suffix == Suffix::Without {
            c.literal(&self.whole)?;
            return Ok(Suffix::Without);
        }
        c.literal(&self.head)?;
        c.literal(":")?;
        let from = c.pos;
        match suffix {
            Suffix::Own(own) => c.literal(own)?,
            _ => c.run(class, 1, SUFFIX).map(|_| ())?,
        }
        let own = c.since(from);
        c.literal(&self.end)?;
        Ok(Suffix::Own(own))
    }

    /// Reads the tag in one of these forms.
    pub fn any_form(&self, forms: &[Suffix<'_>], c: &mut Cursor<'_>) -> Step<()> {
        let mut stuck = No;
        for form in forms {
            let mut ahead = *c;
            match self.read(*form, &mut ahead) {
                Ok(_) => {
                    *c = ahead;
                    return Ok(());
                }
                Err(No) => {}
                Err(more) => stuck = more,
            }
        }
        Err(stuck)
    }

    /// Reads a suffix that is too long.
    pub fn long_suffix(c: &mut Cursor<'_>) -> Step<()> {
        if Class::Suffix.run(c.rest(), SUFFIX) > SUFFIX {
            return Ok(());
        }
        c.run(Class::Suffix, 0, SUFFIX)?;
        Err(No)
    }
}
