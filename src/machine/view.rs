//! The text a feed works on: what was held, then the chunk, as if they were one string.

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
    pub fn part(&self, at: usize) -> &'a str {
        match at.checked_sub(self.held.len()) {
            None => &self.held[at..],
            Some(at) => &self.chunk[at..],
        }
    }

    /// The bytes from `from` to `to` as one or two slices, the second perhaps empty.
    pub fn slices(&self, from: usize, to: usize) -> [&'a str; 2] {
        let seam = self.held.len();
        let held = if from < seam { &self.held[from..to.min(seam)] } else { "" };
        let chunk = if to > seam { &self.chunk[from.max(seam) - seam..to - seam] } else { "" };
        [held, chunk]
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
