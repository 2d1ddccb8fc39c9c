//! Words of headers: the words that may come before a token.
//!
//! ```text
//! words := ( ws | WORD | "to=" name? | TOKEN any )*         any: up to the next character with which TOKEN begins
//! ```
//! A word ends at a character that no name has. Text that is none of the words ends the reading.

use crate::options::bounds;
use crate::read::cursor::{Class, Cursor, No, Step};

/// The words that may stand in one part of a header.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    all: Vec<Box<str>>,
    /// A bit for each word that is a token: any text may follow it.
    open: u16,
}

/// The part of a word that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// A number of bytes of these words, with a bit for each word.
    Word(u16, usize),
    /// The name behind a word that ends in `=`.
    Name,
    /// Anything, behind this token.
    Token(usize),
}

impl Words {
    pub fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Words {
        Words { all: words.into_iter().map(Box::from).collect(), open: 0 }
    }

    /// Returns these words, and tokens that any text may follow.
    pub fn and_tokens<'w>(mut self, tokens: impl IntoIterator<Item = &'w str>) -> Words {
        for token in tokens {
            self.open |= 1 << self.all.len();
            self.all.push(token.into());
        }
        self
    }

    /// Returns these words, and more.
    pub fn and(mut self, words: impl IntoIterator<Item = String>) -> Words {
        self.all.extend(words.into_iter().map(String::into_boxed_str));
        self
    }

    /// Reads words up to this text, and with it. A text that the dialect lacks is never there. The marker begins at
    /// `start`.
    pub fn until(&self, start: usize, to: &str, c: &mut Cursor<'_>) -> Step<()> {
        if to.is_empty() {
            return Err(No);
        }
        let from = c.pos;
        // Most often that text stands here, and no word begins like it.
        let near = from - start + to.len() < bounds::HEADER;
        if near
            && c.rest().starts_with(to)
            && self.none_begins_as(to)
            && c.is_as_it_came(to.as_bytes(), from)
        {
            c.pos += to.len();
            return Ok(());
        }
        let mut within = self.begins();
        for next in c.rest().chars() {
            within = self.goes_on(within, next, to).ok_or(No)?;
            c.pos += next.len_utf8();
            let read = c.since(from);
            if read.ends_with(to) && c.is_as_it_came(to.as_bytes(), c.pos - to.len()) {
                return Ok(());
            }
            if c.pos - start >= bounds::HEADER {
                return c.too_long();
            }
        }
        c.more()
    }

    fn none_begins_as(&self, to: &str) -> bool {
        self.all.iter().all(|word| word.as_bytes().first() != to.as_bytes().first())
    }

    /// The state in which any word may begin, or the text that ends them.
    fn begins(&self) -> Within {
        Within::Word(u16::MAX >> (15 - self.all.len()), 0)
    }

    fn text<'w>(&'w self, bit: usize, to: &'w str) -> &'w str {
        self.all.get(bit).map_or(to, |word| word)
    }

    /// Returns the texts of this set that go on with this character, behind a number of bytes.
    fn narrow(&self, set: u16, len: usize, next: char, to: &str) -> Within {
        let (mut left, mut open) = (0, set);
        while open != 0 {
            let bit = open.trailing_zeros();
            let rest = self.text(bit as usize, to).get(len..);
            left |= u16::from(rest.is_some_and(|rest| rest.starts_with(next))) << bit;
            open &= open - 1;
        }
        Within::Word(left, len + next.len_utf8())
    }

    /// Returns the word of this set that is whole.
    fn whole(&self, set: u16, len: usize) -> Option<usize> {
        (0..self.all.len()).find(|bit| set >> bit & 1 != 0 && self.all[*bit].len() == len)
    }

    /// Returns the state behind the next character. `None`: no word goes on with it.
    fn goes_on(&self, within: Within, next: char, to: &str) -> Option<Within> {
        let all = u16::MAX >> (15 - self.all.len());
        let found = |within: Within| match within {
            Within::Word(0, _) => None,
            within => Some(within),
        };
        let may_end = match within {
            Within::Name if Class::Name.has(next) => return Some(within),
            Within::Token(bit) if self.all[bit].starts_with(next) => {
                return found(self.narrow(all, 0, next, to));
            }
            Within::Token(_) => return Some(within),
            Within::Name => true,
            Within::Word(set, len) => {
                if let Within::Word(left @ 1.., len) = self.narrow(set, len, next, to) {
                    return Some(match self.whole(left, len) {
                        Some(_) if next == '=' => Within::Name,
                        Some(bit) if self.open >> bit & 1 != 0 => Within::Token(bit),
                        _ => Within::Word(left, len),
                    });
                }
                len == 0 || self.whole(set, len).is_some()
            }
        };
        match may_end {
            true if next.is_ascii() && Class::White.has(next) => Some(self.begins()),
            // A text that goes on with no word may stand right behind one, and so may a token.
            true if !Class::Name.has(next) => found(self.narrow(all, 0, next, to)),
            _ => None,
        }
    }
}
