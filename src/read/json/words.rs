//! Words: keys without quotes, literals, and junk; and how names are kept.

use super::{Expect, Json};
use crate::json::lexer::{Lexer, Token};
use crate::json::syntax::Syntax;
use crate::json::white::{WHITE_SPACE, is_white};
use crate::json::{begins_name, continues_name};
use crate::options::bounds;
use crate::read::open_call::Captured;

impl Json {
    /// Takes a piece of a word. Returns how much of it was taken. `before`: the lexer before the piece.
    pub(super) fn take_word(
        &mut self,
        word: &str,
        before: Lexer,
        syntax: Syntax<'_>,
        captured: &mut Captured,
    ) -> usize {
        let len = self.word(word, before.is_between(), captured);
        if len < word.len() {
            // The lexer has counted the brackets of the whole piece.
            let exposed = self.lexer.is_exposed();
            self.lexer = before;
            self.lexer.next_of(&word[..len], syntax);
            if exposed {
                self.lexer.expose();
            }
        }
        len
    }

    /// Takes a piece of a word. Returns how much of it was read: all of it, or up to the first character that
    /// is noticed. A key without quotes is an identifier; anything else is junk.
    fn word(&mut self, word: &str, begins: bool, captured: &mut Captured) -> usize {
        let goes_on = begins && self.at_level() && self.word_key && self.expect == Expect::Colon;
        if begins {
            let after_string = std::mem::take(&mut self.after_string);
            self.is_repaired(after_string && self.params);
            self.token_begins(Token::Word(word), captured);
        }
        // It is noticed at its first character.
        let first = word.chars().next().map_or(0, char::len_utf8);
        let word = if self.noticed { &word[..first] } else { word };
        if !self.at_level() || self.level == 0 || self.expect != Expect::Key {
            return word.len();
        }
        let fits = |(at, c): &(usize, char)| {
            if begins && !goes_on && *at == 0 { begins_name(*c) } else { continues_name(*c) }
        };
        let misfit = word.char_indices().find(|one| !fits(one));
        self.is_no_key = misfit.is_some() || (!begins || goes_on) && self.is_no_key;
        self.is_junk(self.is_no_key);
        let len = match misfit {
            Some((at, c)) if self.noticed => at + c.len_utf8(),
            _ => word.len(),
        };
        if self.params {
            add(&mut captured.param, &word[..len]);
        } else {
            self.key.push(&word[..len]);
            if !self.others {
                add(&mut captured.param, &word[..len]);
            }
        }
        len
    }
}

/// Adds to a name, without white space before it. Of a name that is too long, only enough is kept to show its
/// length. White space after it does not count.
pub(super) fn add(name: &mut String, piece: &str) {
    if name.len() + piece.len() <= bounds::NAME && !piece.starts_with(WHITE_SPACE) {
        return name.push_str(piece);
    }
    for c in piece.chars() {
        let white = is_white(c);
        let full = name.len() > bounds::NAME;
        let over = full && !name.ends_with(WHITE_SPACE);
        if !(white && (full || name.is_empty()) || over) {
            name.push(c);
        }
    }
}

/// Adds to a key, with all its white space. Of a key that is too long, only enough is kept to show its
/// length.
pub(super) fn add_to_key(key: &mut String, piece: &str) {
    if key.len() + piece.len() <= bounds::NAME {
        return key.push_str(piece);
    }
    let fits = piece.char_indices().take_while(|(at, _)| key.len() + at <= bounds::NAME);
    let len = fits.last().map_or(0, |(at, c)| at + c.len_utf8());
    key.push_str(&piece[..len]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// White space before a name is no part of it. Of a name that is too long, only enough is kept to show
    /// its length.
    #[test]
    fn names_as_they_are_kept() {
        let long = "x".repeat(bounds::NAME);
        for (pieces, kept) in [
            (&[" a", "b ", "c"][..], "ab c".to_string()),
            (&["  ", "\t", "a"], "a".into()),
            (&[&long], long.clone()),
            (&[&long, "y", "z"], format!("{long}y")),
            (&[&long, "yz"], format!("{long}y")),
            // Also a name that comes in one piece.
            (&[&format!("{long}yz")], format!("{long}y")),
            (&[&long, "  "], format!("{long} ")),
            (&[&format!("{long}  y")], format!("{long} y")),
            (&[&long, " ", "y", "z"], format!("{long} y")),
            (&[&long[1..], " ", " "], format!("{} ", &long[1..]) + " "),
        ] {
            let mut name = String::new();
            pieces.iter().for_each(|piece| add(&mut name, piece));
            assert_eq!(name, kept, "{pieces:?}");
        }
    }
}
