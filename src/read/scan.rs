//! The next byte at which a marker of a state may begin.

use memchr::{memchr, memchr2, memchr3, memmem};

use crate::read::class::Class;

/// The first bytes of a marker, as far as they are known, at most four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    bytes: u32,
    mask: u32,
}

impl Head {
    fn new(text: &[u8]) -> Head {
        let (mut bytes, mut mask) = ([0; 4], [0; 4]);
        for (at, byte) in text.iter().take(4).enumerate() {
            bytes[at] = *byte;
            mask[at] = 0xFF;
        }
        Head { bytes: u32::from_le_bytes(bytes), mask: u32::from_le_bytes(mask) }
    }
}

/// The most first bytes that are searched one by one. One dialect has no more in any state; several at once may
/// have.
const FIRSTS: usize = 4;

/// First bytes of markers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes {
    /// The first four bytes that were added.
    some: [u8; FIRSTS],
    count: u8,
    all: [u64; 4],
}

impl Bytes {
    fn add(&mut self, byte: u8) {
        if self.has(byte) {
            return;
        }
        self.all[usize::from(byte / 64)] |= 1 << (byte % 64);
        if let Some(place) = self.some.get_mut(usize::from(self.count)) {
            *place = byte;
        }
        self.count += 1;
    }

    fn and(mut self, other: Bytes) -> Bytes {
        (0..=u8::MAX).filter(|byte| other.has(*byte)).for_each(|byte| self.add(byte));
        self
    }

    #[inline]
    pub fn has(&self, byte: u8) -> bool {
        self.all[usize::from(byte / 64)] >> (byte % 64) & 1 != 0
    }
}

/// The beginnings of the markers of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    first: Bytes,
    /// The first bytes of markers that do not begin with a word.
    signs: Bytes,
    /// The first four bytes of markers that begin with a word. Letters are everywhere in text, so these bytes are
    /// searched as a whole.
    words: Vec<[u8; 4]>,
    /// The beginnings of markers, sorted by their second byte.
    heads: Vec<Head>,
    /// The range of its heads, by second byte.
    groups: Box<[[u16; 2]; 256]>,
    /// First bytes behind which a marker may go on with any byte.
    loose: Bytes,
    /// A declared name may stand behind the first byte.
    named: bool,
    /// The beginnings of markers that count only behind a line break or white space.
    lines: Vec<Head>,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan {
            first: Bytes::default(),
            signs: Bytes::default(),
            words: Vec::new(),
            heads: Vec::new(),
            groups: Box::new([[0; 2]; 256]),
            loose: Bytes::default(),
            named: false,
            lines: Vec::new(),
        }
    }
}

impl Scan {
    /// The scan of markers that begin like these texts.
    pub fn from_texts<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Scan {
        let mut scan = Scan::default();
        texts.into_iter().for_each(|text| scan.add(text.as_ref()));
        scan.group();
        scan
    }

    /// The scan of markers that may begin with any byte. (No text holds the last byte.)
    pub fn any() -> Scan {
        Scan::from_texts((0..u8::MAX).map(|byte| [byte]))
    }

    /// Adds a text.
    fn add(&mut self, text: &[u8]) {
        let Some(&first) = text.first() else { return };
        self.first.add(first);
        match text.first_chunk::<4>() {
            Some(word) if first.is_ascii_alphabetic() => {
                if !self.words.contains(word) {
                    self.words.push(*word);
                }
            }
            _ => self.signs.add(first),
        }
        if text.len() < 2 {
            self.loose.add(first);
        }
        let head = Head::new(text);
        if !self.heads.contains(&head) {
            self.heads.push(head);
        }
    }

    /// Puts heads with the same second byte side by side.
    fn group(&mut self) {
        let second = |head: &Head| head.bytes.to_le_bytes()[1];
        self.heads.sort_by_key(second);
        for (at, head) in (0..).zip(&self.heads) {
            let group = &mut self.groups[usize::from(second(head))];
            *group = [if group[1] == 0 { at } else { group[0] }, at + 1];
        }
    }

    /// Adds declared names behind this byte.
    pub fn before_names(mut self, sign: u8) -> Scan {
        self.first.add(sign);
        self.signs.add(sign);
        Scan { named: true, ..self }
    }

    /// Adds markers that count only at the start of a line, or behind markup.
    pub fn and_lines(mut self, texts: &[&str]) -> Scan {
        texts.iter().for_each(|text| self.add_line(Head::new(text.as_bytes())));
        self
    }

    fn add_line(&mut self, head: Head) {
        let sign = head.bytes.to_le_bytes()[0];
        self.first.add(sign);
        self.signs.add(sign);
        if !self.lines.contains(&head) {
            self.lines.push(head);
        }
    }

    /// The markers of both.
    #[must_use]
    pub fn and(&self, other: &Scan) -> Scan {
        Scan::all([self, other])
    }

    /// The markers of all.
    pub fn all<'s>(scans: impl IntoIterator<Item = &'s Scan>) -> Scan {
        let mut all = Scan::default();
        for scan in scans {
            all.named |= scan.named;
            all.first = all.first.and(scan.first);
            all.signs = all.signs.and(scan.signs);
            scan.lines.iter().for_each(|head| all.add_line(*head));
            for head in &scan.heads {
                let known = head.mask.count_ones() as usize / 8;
                all.add(&head.bytes.to_le_bytes()[..known]);
            }
        }
        all.group();
        all
    }

    /// Whether a marker may begin with this byte.
    pub fn begins_with(&self, byte: u8) -> bool {
        self.first.has(byte)
    }

    /// Returns the bytes with which a marker may begin.
    pub fn first(&self) -> Bytes {
        self.first
    }

    /// Returns the first bytes, one of them repeated if they are fewer. `None`: they are more.
    pub fn firsts(&self) -> Option<[u8; FIRSTS]> {
        let [one, two, three, four] = self.first.some;
        Some(match self.first.count {
            0 => [0xFF; FIRSTS],
            1 => [one; FIRSTS],
            2 => [one, two, two, two],
            3 => [one, two, three, three],
            4 => [one, two, three, four],
            _ => return None,
        })
    }

    /// Finds the next place in `text` where a marker may begin, as far as its first four bytes show. `names`: whether a
    /// declared name begins with a byte.
    #[inline]
    pub fn find(&self, text: &[u8], from: usize, names: impl Fn(u8) -> bool) -> Option<usize> {
        let sign = self.find_sign(text, from, names);
        if self.words.is_empty() {
            return sign;
        }
        self.find_word(text, from, sign).or(sign)
    }

    /// Like [`find`](Scan::find), and also finds the starts of lines for which `begins` holds.
    pub fn find_in_lines(
        &self,
        text: &[u8],
        from: usize,
        names: impl Fn(u8) -> bool,
        begins: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let sign = self.find_line_or_sign(text, from, names, begins);
        if self.words.is_empty() {
            return sign;
        }
        self.find_word(text, from, sign).or(sign)
    }

    #[inline]
    fn find_line_or_sign(
        &self,
        text: &[u8],
        mut from: usize,
        names: impl Fn(u8) -> bool,
        begins: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        loop {
            let rest = &text[from..];
            let [one, two, ..] = self.signs.some;
            from += match self.signs.count {
                0 => memchr(b'\n', rest),
                1 => memchr2(b'\n', one, rest),
                2 => memchr3(b'\n', one, two, rest),
                _ => rest.iter().position(|byte| *byte == b'\n' || self.signs.has(*byte)),
            }?;
            let line = text[from] == b'\n';
            let at = from + usize::from(line);
            if if line { begins(at) } else { self.stands(text, from, at, &names) } {
                return Some(at);
            }
            from += 1;
        }
    }

    /// Finds the next word that begins before this sign, or, where the text ends there, the beginning of a word.
    #[inline(never)]
    fn find_word(&self, text: &[u8], from: usize, sign: Option<usize>) -> Option<usize> {
        let before = sign.unwrap_or(text.len());
        // A word that begins before the sign ends behind it.
        let near = &text[..text.len().min(before + 3)];
        let ends = near.len() == text.len();
        let find = |word: &[u8; 4]| {
            let whole = memmem::find(&near[from..], word).map(|at| from + at);
            let half = || (1..4).rev().find(|len| near[from..].ends_with(&word[..*len]));
            whole.or_else(|| half().filter(|_| ends).map(|len| near.len() - len))
        };
        self.words.iter().filter_map(find).filter(|at| *at < before).min()
    }

    #[inline]
    fn find_sign(&self, text: &[u8], mut from: usize, names: impl Fn(u8) -> bool) -> Option<usize> {
        let start = from;
        loop {
            let rest = &text[from..];
            let [one, two, three, _] = self.signs.some;
            from += match self.signs.count {
                0 => None,
                1 => memchr(one, rest),
                2 => memchr2(one, two, rest),
                3 => memchr3(one, two, three, rest),
                _ => rest.iter().position(|byte| self.signs.has(*byte)),
            }?;
            if self.stands(text, start, from, &names) {
                return Some(from);
            }
            from += 1;
        }
    }

    /// Whether a marker may begin with the sign at `at`, in a text that is searched from `start` on.
    #[inline]
    fn stands(&self, text: &[u8], start: usize, at: usize, names: &impl Fn(u8) -> bool) -> bool {
        let Some(next) = text.get(at + 1) else { return self.stands_last(text, start, at) };
        // For most signs the byte behind them decides.
        let [from, to] = self.groups[usize::from(*next)];
        from != to && self.may_begin(&text[at..])
            || self.named && names(*next)
            || self.loose.has(text[at])
            || !self.lines.is_empty() && self.may_begin_line(text, start, at)
    }

    /// Whether a marker may begin at `at`, whatever stands before it, as far as its first four bytes say.
    pub fn may_stand(&self, text: &[u8], at: usize, names: impl Fn(u8) -> bool) -> bool {
        self.first.has(text[at]) && self.stands(text, at, at, &names)
    }

    /// Whether a marker may begin with the last byte of the text.
    #[inline(never)]
    fn stands_last(&self, text: &[u8], start: usize, at: usize) -> bool {
        self.loose.has(text[at])
            || self.may_begin(&text[at..])
            || !self.lines.is_empty() && self.may_begin_line(text, start, at)
    }

    /// Whether a marker may begin at `at` that counts only at the start of a line: no text stands right before it since
    /// `start`.
    fn may_begin_line(&self, text: &[u8], start: usize, at: usize) -> bool {
        if at > start && !Class::White.has_byte(text[at - 1]) {
            return false;
        }
        let Head { bytes, mask } = Head::new(&text[at..]);
        self.lines.iter().any(|head| (bytes ^ head.bytes) & mask & head.mask == 0)
    }

    #[inline]
    fn may_begin(&self, text: &[u8]) -> bool {
        let Some(next) = text.first_chunk::<4>() else { return self.may_go_on(text) };
        let [from, to] = self.groups[usize::from(next[1])];
        let next = u32::from_le_bytes(*next);
        let heads = self.heads.get(usize::from(from)..usize::from(to)).unwrap_or_default();
        heads.iter().any(|head| next & head.mask == head.bytes)
    }

    /// Whether a marker may begin with a text that ends before its fourth byte.
    #[inline(never)]
    fn may_go_on(&self, text: &[u8]) -> bool {
        let Some(second) = text.get(1) else {
            let begins = |head: &Head| head.bytes.to_le_bytes()[0] == text[0];
            return self.named || self.heads.iter().any(begins);
        };
        let [from, to] = self.groups[usize::from(*second)];
        let Head { bytes, mask } = Head::new(text);
        let heads = self.heads.get(usize::from(from)..usize::from(to)).unwrap_or_default();
        heads.iter().any(|head| (bytes ^ head.bytes) & mask & head.mask == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Scan;

    /// A candidate is a place with the first four bytes of a marker, or as many as there are before the end.
    fn slow(markers: &[&str], text: &[u8], from: usize) -> Option<usize> {
        let may_begin = |at: &usize| {
            markers.iter().any(|marker| {
                let len = marker.len().min(4).min(text.len() - at);
                text[*at..*at + len] == marker.as_bytes()[..len]
            })
        };
        (from..text.len()).find(may_begin)
    }

    #[test]
    fn words_are_found_as_signs_are() {
        let all: [&[&str]; 5] = [
            &["<|tool|>", "functools", "function call"],
            &["functools"],
            &["<think>", "fund", "[END"],
            &["<|tool|>", "</x>"],
            // A word contains the beginning of another marker.
            &["n</f>", "<think>", "</fund>"],
        ];
        let pieces = [
            "f",
            "fu",
            "fun",
            "func",
            "functools",
            "fund",
            "<",
            "<|",
            "<|to",
            "[",
            "[E",
            "</",
            "n",
            " ",
            "é",
        ];
        for markers in all {
            let scan = Scan::from_texts(markers);
            for number in 0..pieces.len().pow(3) {
                let piece = |at: u32| pieces[number / pieces.len().pow(at) % pieces.len()];
                let text = [piece(0), piece(1), piece(2)].concat();
                for from in 0..=text.len() {
                    let (found, expected) = (
                        scan.find(text.as_bytes(), from, |_| false),
                        slow(markers, text.as_bytes(), from),
                    );
                    assert_eq!(found, expected, "{markers:?} in {text:?} from {from}");
                }
            }
        }
    }

    #[test]
    fn signs_of_lines_are_found_behind_white_space_alone() {
        let scan = Scan::from_texts(["<t>", "[TOOL"]).and_lines(&["{", "[", "```"]);
        for (text, found) in [
            ("{", Some(0)),
            ("a{", None),
            ("a {", Some(2)),
            ("a\n{", Some(2)),
            ("a[b", None),
            ("a [b", Some(2)),
            ("a[TOO", Some(1)),
            (" `b`", None),
            ("a\n```", Some(2)),
            ("a<b", None),
            ("a<t", Some(1)),
        ] {
            assert_eq!(scan.find(text.as_bytes(), 0, |_| false), found, "{text:?}");
        }
    }
}
