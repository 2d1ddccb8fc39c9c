//! The text a feed works on: what was held, then the chunk, as if they were one string.

use crate::json::white::WHITE_SPACE;

/// Held text and chunk, joined without a copy. Offsets are bytes from the start of `held`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub held: &'a str,
    pub chunk: &'a str,
    /// The stream offset of the first byte.
    pub base: usize,
}

impl<'a> View<'a> {
    pub fn len(&self) -> usize {
        self.held.len() + self.chunk.len()
    }

    /// The text from `at` to the end of the part that `at` lies in: never empty before the end.
    #[inline(always)]
    pub fn part(&self, at: usize) -> &'a str {
        match at.checked_sub(self.held.len()) {
            None => &self.held[at..],
            Some(at) => &self.chunk[at..],
        }
    }

    /// The bytes from `from` to `to` as one or two slices, the second perhaps empty.
    #[inline(always)]
    pub fn slices(&self, from: usize, to: usize) -> [&'a str; 2] {
        let seam = self.held.len();
        if from >= seam {
            return ["", &self.chunk[from - seam..to.max(from) - seam]];
        }
        let held = &self.held[from..to.min(seam)];
        let chunk = &self.chunk[..to.max(seam) - seam];
        [held, chunk]
    }

    /// The text from `at` on as one string, at most `LEN` bytes of it; in `room`, if it lies in both.
    pub fn stretch<'s, const LEN: usize>(
        &self,
        at: usize,
        room: &'s mut Option<[u8; LEN]>,
    ) -> &'s str
    where
        'a: 's,
    {
        let [held, chunk] = self.slices(at, self.len());
        let most = |text: &'a str, most: usize| {
            let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
            &text[..end.unwrap_or_default()]
        };
        if held.is_empty() || chunk.is_empty() {
            return most(if held.is_empty() { chunk } else { held }, LEN);
        }
        let held = most(held, LEN);
        let chunk = most(chunk, LEN - held.len());
        let len = held.len() + chunk.len();
        let room = room.insert([0; LEN]);
        room[..held.len()].copy_from_slice(held.as_bytes());
        room[held.len()..len].copy_from_slice(chunk.as_bytes());
        std::str::from_utf8(&room[..len]).unwrap_or_default()
    }

    /// Where the run of white space that ends before `to` begins, at `from` or after it.
    pub fn white_space_before(&self, from: usize, to: usize) -> usize {
        let [held, chunk] = self.slices(from, to);
        let white = |text: &str| text.len() - text.trim_end_matches(WHITE_SPACE).len();
        let tail = white(chunk);
        to - tail - if tail == chunk.len() { white(held) } else { 0 }
    }

    pub fn byte(&self, at: usize) -> Option<u8> {
        match at.checked_sub(self.held.len()) {
            None => self.held.as_bytes().get(at).copied(),
            Some(at) => self.chunk.as_bytes().get(at).copied(),
        }
    }

    /// Appends the text from `from` to `to`.
    pub fn copy(&self, from: usize, to: usize, into: &mut String) {
        for slice in self.slices(from, to) {
            into.push_str(slice);
        }
    }
}
