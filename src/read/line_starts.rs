//! The lines that may begin a marker, as far as their first four bytes show.

use std::sync::Arc;

use crate::family::Family;
use crate::options::Options;
use crate::read::machine::{Grammar, State};

/// The byte may be the first of a line that begins a marker.
const FIRST: u8 = 1;
/// The byte does not decide: the family reads the line.
const ASK: u8 = 2;

/// The first bytes of lines that may begin a marker of a state.
#[derive(Clone, Debug)]
pub(crate) struct LineStarts {
    says: Box<[u8; 256]>,
    /// The beginnings of such lines as [`letters`], and the bits of them that a short word has. None: any text may
    /// follow the first byte.
    words: Vec<[u32; 2]>,
    /// Only the first line of the state may begin a marker.
    pub at_start_only: bool,
}

/// Four letters in lower case. (Another byte may come out as a letter: the family reads the text, too.)
fn letters(text: [u8; 4]) -> u32 {
    u32::from_le_bytes(text) | 0x2020_2020
}

impl LineStarts {
    fn new(says: Box<[u8; 256]>) -> LineStarts {
        LineStarts { says, words: Vec::new(), at_start_only: false }
    }

    /// All lines.
    pub fn any() -> LineStarts {
        LineStarts::new(Box::new([FIRST; 256]))
    }

    /// All lines, and the family decides about each.
    pub fn asked() -> LineStarts {
        LineStarts::new(Box::new([ASK; 256]))
    }

    /// The lines that begin with one of these bytes.
    pub fn from_firsts(firsts: &[u8]) -> LineStarts {
        let mut says = Box::new([0; 256]);
        firsts.iter().for_each(|byte| says[usize::from(*byte)] = FIRST);
        LineStarts::new(says)
    }

    /// The lines that begin with these words in any case, or with one of these bytes: then the family decides.
    pub fn of_words<'w>(words: impl Iterator<Item = &'w str>, ask: &[u8]) -> LineStarts {
        let mut says = Box::new([0; 256]);
        ask.iter().for_each(|byte| says[usize::from(*byte)] = ASK);
        let mut heads = Vec::new();
        for word in words.map(str::as_bytes).filter(|word| !word.is_empty()) {
            let (mut head, len) = ([0; 4], word.len().min(4));
            head[..len].copy_from_slice(&word[..len]);
            heads.push([letters(head), u32::MAX >> (32 - 8 * len)]);
            says[usize::from(head[0].to_ascii_lowercase())] = FIRST;
            says[usize::from(head[0].to_ascii_uppercase())] = FIRST;
        }
        LineStarts { words: heads, ..LineStarts::new(says) }
    }

    /// Lets only the first line of the state begin a marker.
    pub fn at_start_only(self) -> LineStarts {
        LineStarts { at_start_only: true, ..self }
    }

    /// Whether the family must read a line that begins with this byte.
    #[inline]
    pub fn asks(&self, byte: u8) -> bool {
        self.says[usize::from(byte)] == ASK
    }

    /// Whether a marker may begin with this line. An empty line begins none. `asks`: the family's answer.
    #[inline]
    pub fn fit(&self, line: &[u8], asks: impl FnOnce() -> bool) -> bool {
        match line.first().map(|byte| self.says[usize::from(*byte)]) {
            None | Some(0) => false,
            Some(ASK) => asks(),
            Some(_) => self.words.is_empty() || self.begins_word(line),
        }
    }

    /// Whether the line begins with a word, as far as it has come.
    fn begins_word(&self, line: &[u8]) -> bool {
        let (mut head, come) = ([0; 4], line.len().min(4));
        head[..come].copy_from_slice(&line[..come]);
        let known = u32::MAX >> (32 - 8 * come);
        self.words.iter().any(|[word, bits]| (word ^ letters(head)) & bits & known == 0)
    }
}

/// The lines that may begin a marker of the present state, with the family that is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<'t> {
    pub starts: &'t LineStarts,
    pub family: &'t dyn Family,
    pub options: &'t Options,
    /// In text: the dialects behind that of the family. Any of them may count lines, too.
    pub others: &'t [Arc<Grammar>],
}

impl Lines<'_> {
    /// Whether a marker may begin with this line.
    #[inline]
    pub fn fit(&self, line: &[u8]) -> bool {
        self.starts.fit(line, || self.family.begins_line(self.options, line))
            || !self.others.is_empty() && self.other_fits(line)
    }

    #[cold]
    fn other_fits(&self, line: &[u8]) -> bool {
        self.others.iter().any(|other| self.fits(&*other.family, line))
    }

    /// Whether a marker of text of this family may begin with this line.
    fn fits(&self, family: &dyn Family, line: &[u8]) -> bool {
        let starts = family.lines(self.options, State::Text, 0);
        starts.is_some_and(|starts| starts.fit(line, || family.begins_line(self.options, line)))
    }
}

#[cfg(test)]
mod tests {
    use super::LineStarts;

    #[test]
    fn four_letters_say_it() {
        let lines = LineStarts::of_words(["Action", "Thought"].into_iter(), b"*");
        for (line, fits) in [
            ("", false),
            ("A", true),
            ("ac", true),
            ("tH", true),
            ("an", false),
            ("the", false),
            ("THOU", true),
            ("actor", false),
            ("action", true),
            ("b", false),
            ("*b", true),
        ] {
            assert_eq!(lines.fit(line.as_bytes(), || true), fits, "{line:?}");
        }
        assert!(!lines.fit(b"*b", || false));
        let short = LineStarts::of_words(["Do"].into_iter(), b"");
        assert!(short.fit(b"do: x", || false) && !short.fit(b"dash", || false));
        let dash = LineStarts::from_firsts(b"-");
        assert!(dash.fit(b"-x", || false) && !dash.fit(b"x-", || true));
        let any = LineStarts::any();
        assert!(any.fit("é".as_bytes(), || false) && !any.fit(b"", || true));
    }
}
