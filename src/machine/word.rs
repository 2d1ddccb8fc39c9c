//! Markers that begin with a word: the name of a declared tool, and then a text.
//!
//! Words are everywhere, so none is looked at where it begins. What is searched for is the text, and from
//! there it is looked back for the name. Chunk ends here: a
//! word is held while it may become a name, and the text may come. Stream ends here: it is payload.

use super::first_bytes::Next;
use super::table::Begins;
use super::{Feed, Machine};
use crate::dialect::spec::Chars;
use crate::machine::tables::Tables;
use crate::sink::Sink;

impl<S: Sink> Feed<'_, '_, S> {
    /// Where a marker may begin with the last word of what was scanned: one that is a name, if what comes
    /// after it is `found`; else one that may become a name.
    #[inline]
    pub(super) fn begins_with_word(&mut self, scanned: &str, found: bool) -> Option<usize> {
        if !self.grammar.words || !self.table().begins_at(Begins::Word) {
            return None;
        }
        let within = match self.at > self.from {
            true => ends_in_word(self.before(self.at)),
            false => self.machine.in_word,
        };
        let word = last_word(self.tables, scanned, within)?;
        self.machine.examined += scanned.len() - word;
        let (names, text) = (&self.tables.names.names, &scanned[word..]);
        let may_be = match found {
            true => names.find([text, ""]).is_some(),
            false => may_become_name(self.tables, text),
        };
        (may_be && self.word_tried != Some(self.at + word)).then_some(word)
    }

    /// What has not left and stands before `at`, as far as it lies in one part with that.
    fn before(&self, at: usize) -> &str {
        let [held, chunk] = self.view.slices(self.from, at);
        if chunk.is_empty() { held } else { chunk }
    }
}

impl Machine {
    /// Whether a chunk ends in what may become a name with which a marker begins.
    // Out of line: few dialects have such markers.
    #[inline(never)]
    pub(super) fn ends_in_half_name(&self, tables: &Tables, chunk: &str) -> bool {
        let word = last_word(tables, chunk, self.in_word);
        word.is_some_and(|word| may_become_name(tables, &chunk[word..]))
    }
}

/// Where the last word begins, if the text ends in one that is no longer than a name of a tool. `within`: it
/// goes on with a word.
#[inline]
fn last_word(tables: &Tables, text: &str, within: bool) -> Option<usize> {
    let longest = tables.names.names.longest();
    let bytes = text.as_bytes();
    let word = bytes.iter().rev().take(longest + 1).take_while(|byte| is_spelled(**byte));
    let mut start = bytes.len() - word.count();
    if start > 0 && !bytes[start - 1].is_ascii() {
        let before = text[..start].char_indices().rev().take(longest + 1);
        let word = before.take_while(|(_, c)| Chars::SPELLED.has(*c));
        start = word.last().map_or(start, |(at, _)| at);
    }
    let len = bytes.len() - start;
    (0 < len && len <= longest && !(within && start == 0)).then_some(start)
}

fn may_become_name(tables: &Tables, word: &str) -> bool {
    let names = &tables.names.names;
    names.may_begin(Next::new(word.bytes().next()))
        && names.narrow(names.all(), 0, word.as_bytes()).is_some()
}

#[inline]
pub(super) fn ends_in_word(text: &str) -> bool {
    match text.as_bytes().last() {
        Some(last) if last.is_ascii() => is_spelled(*last),
        _ => text.chars().next_back().is_some_and(|last| Chars::SPELLED.has(last)),
    }
}

/// [`Chars::SPELLED`] of ASCII: it is asked for each byte at the end of a chunk.
#[inline]
fn is_spelled(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}
