//! [`Chars`]: a class of characters.

/// A class of characters: a set of ASCII, and all other characters, their letters and digits, or none of
/// them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chars {
    /// A bit for each ASCII character.
    ascii: u128,
    /// Whether letters and digits beyond ASCII belong to it.
    letters: bool,
    /// Whether all characters beyond ASCII belong to it.
    others: bool,
}

/// The letters and digits of ASCII.
pub(crate) const ALPHANUMERIC: &str =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

impl Chars {
    /// Space, tab, CR, LF.
    pub const WHITE: Chars = Chars::only(" \t\r\n");
    /// All characters but white space.
    pub const NO_WHITE: Chars = Chars::except(" \t\r\n");

    /// The class of these ASCII characters.
    pub const fn only(list: &str) -> Chars {
        Chars { ascii: mask(list), letters: false, others: false }
    }

    /// The class of these ASCII characters, and of all letters and digits beyond ASCII.
    pub const fn letters_and(list: &str) -> Chars {
        Chars { letters: true, ..Chars::only(list) }
    }

    /// The class of all characters but these ASCII ones.
    pub const fn except(list: &str) -> Chars {
        Chars { ascii: !mask(list), letters: true, others: true }
    }

    /// Adds these ASCII characters.
    #[must_use]
    pub const fn and(self, list: &str) -> Chars {
        Chars { ascii: self.ascii | mask(list), ..self }
    }

    /// Whether a character belongs to it.
    pub fn has(self, c: char) -> bool {
        match u8::try_from(c) {
            Ok(byte @ 0..0x80) => self.ascii >> byte & 1 != 0,
            _ => self.others || self.letters && c.is_alphanumeric(),
        }
    }
}

const fn mask(list: &str) -> u128 {
    let bytes = list.as_bytes();
    let (mut mask, mut at) = (0, 0);
    while at < bytes.len() {
        assert!(bytes[at] < 0x80, "a class lists ASCII characters");
        mask |= 1 << bytes[at];
        at += 1;
    }
    mask
}

impl std::fmt::Debug for Chars {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list: String = (0..0x80_u8).map(char::from).filter(|c| self.has(*c)).collect();
        let beyond = match (self.others, self.letters) {
            (true, _) => ", all beyond ASCII",
            (_, true) => ", letters and digits beyond ASCII",
            _ => "",
        };
        write!(f, "Chars({list:?}{beyond})")
    }
}

#[cfg(test)]
mod tests {
    use super::Chars;

    #[test]
    fn what_it_holds_is_shown() {
        for (chars, shown) in [
            (Chars::only("b a"), "Chars(\" ab\")"),
            (Chars::letters_and("_"), "Chars(\"_\", letters and digits beyond ASCII)"),
        ] {
            assert_eq!(format!("{chars:?}"), shown);
        }
        let all = format!("{:?}", Chars::except("<"));
        assert!(all.ends_with("\", all beyond ASCII)"), "{all}");
    }
}
