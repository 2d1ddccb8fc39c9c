//! Markers that begin with a word: the name of a declared tool, and then a text of the family.
//!
//! Words are everywhere, so no word is read where it begins. The text behind is searched, and the name is looked for
//! before it. At the end of a chunk a word is pending while it may become a name and the text may come. At the end of
//! the stream it is payload.

use crate::read::class::Class;
use crate::read::feed::Feed;
use crate::read::machine::{Machine, Setup, State};
use crate::read::names::Names;

impl Feed<'_, '_> {
    /// Finds the place where a marker may begin with the last word before `to`, from the next byte on. If the text may
    /// stand there (`found`), the word must be a name; otherwise it may become one.
    pub fn word_before(&self, to: usize, found: bool) -> Option<usize> {
        if !self.m.reads_words(self.t) {
            return None;
        }
        let names = &self.t.tools.names;
        let within = match self.at > self.from {
            true => ends_in_word(&self.text[self.from..self.at]),
            false => self.m.in_word,
        };
        let scanned = &self.text[self.at..to];
        let word = last_word(names, scanned, within)?;
        let text = &scanned[word..];
        let may_be =
            if found { names.find([text, ""]).is_some() } else { names.has_beginning(text) };
        may_be.then_some(self.at + word)
    }
}

impl Machine {
    /// Whether markers that begin with a word count in this state, in a dialect that has some.
    fn reads_words(&self, t: &Setup<'_>) -> bool {
        match self.state {
            State::Text => true,
            State::Reasoning => t.extract && !self.is.sealed,
            _ => false,
        }
    }

    /// Whether a chunk ends in a text that may become the name at the start of a marker.
    pub fn ends_in_half_name(&self, t: &Setup<'_>, chunk: &str) -> bool {
        let names = &t.tools.names;
        self.reads_words(t)
            && last_word(names, chunk, self.in_word)
                .is_some_and(|word| names.has_beginning(&chunk[word..]))
    }
}

/// Returns the beginning of the last word, if the text ends in one that is no longer than a name. `within`: the text
/// begins inside a word.
fn last_word(names: &Names, text: &str, within: bool) -> Option<usize> {
    let most = names.longest();
    let word = text.char_indices().rev().take(most + 1).take_while(|(_, c)| is_spelled(*c));
    let start = word.last().map_or(text.len(), |(at, _)| at);
    let len = text.len() - start;
    (0 < len && len <= most && !(within && start == 0)).then_some(start)
}

/// Returns the text behind the word that it begins with, or all of it.
pub(crate) fn behind_word(text: &str) -> &str {
    text.trim_start_matches(is_spelled)
}

/// Whether a text ends in a word.
pub(crate) fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_spelled)
}

fn is_spelled(c: char) -> bool {
    Class::Spelled.has(c)
}
