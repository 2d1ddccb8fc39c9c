//! The first bytes of names, as sets of bits.

/// The ASCII characters that a name may begin with, a bit for each. The last word is for characters beyond
/// ASCII, or unknown ones.
pub(crate) type Beginnings = [u64; 3];

/// Returns the beginnings of these texts.
pub(crate) fn beginnings<'t>(texts: impl Iterator<Item = &'t str>) -> Beginnings {
    let mut begins = [0, 0, 1];
    for text in texts {
        let Next(word, bit) = Next::new(text.bytes().next());
        begins[word] |= bit;
    }
    begins
}

/// The next character, as far as it is known: a word and a bit of [`Beginnings`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next(usize, u64);

impl Next {
    #[inline]
    pub fn new(byte: Option<u8>) -> Next {
        match byte {
            Some(byte @ 0..0x80) => Next(usize::from(byte >> 6), 1 << (byte & 63)),
            _ => Next(2, 1),
        }
    }

    #[inline]
    pub fn is_in(self, begins: &Beginnings) -> bool {
        begins[self.0] & self.1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_texts_begin_with() {
        let begins = beginnings(["ab", "\u{1}", "@", "?", "\u{7f}"].into_iter());
        let may = |byte: &u8| Next::new(Some(*byte)).is_in(&begins);
        assert_eq!((0..0x80).filter(may).collect::<Vec<_>>(), b"\x01?@a\x7f");
        // An unknown character, or one beyond ASCII, may always come.
        assert!(may(&0x80) && may(&0xFF) && Next::new(None).is_in(&begins));
        assert_eq!(beginnings(["\u{e9}", ""].into_iter()), [0, 0, 1]);
    }
}
