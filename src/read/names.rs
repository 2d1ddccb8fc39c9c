//! Sorted names, looked up one character at a time.

use super::first_bytes::{Beginnings, Next, beginnings};

/// A set of names in which a prefix is a range: narrowing it by the next bytes shows at once whether any name
/// can still come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Each name with its number, sorted by name.
    sorted: Vec<(Box<str>, u16)>,
    /// The first characters of the names.
    first: Beginnings,
    /// The bytes of the longest name.
    longest: usize,
}

/// The names that begin with what was read so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    pub lo: u16,
    pub hi: u16,
}

/// The result of following the names with a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Along<'n> {
    /// The name that ends where the text leaves the names.
    pub id: Option<u16>,
    /// A name goes on there.
    pub goes_on: bool,
    /// The rest of that name, if it is the only one.
    pub rest: Option<&'n str>,
}

/// Returns the length of the common beginning of two texts, in whole characters.
fn common(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let whole = |at: &usize| one.is_char_boundary(*at) && other.is_char_boundary(*at);
    (0..=same).rev().find(whole).unwrap_or(0)
}

impl Names {
    /// Numbers the names in the order they come in.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut sorted: Vec<_> = names.zip(0..).map(|(name, id)| (name.into(), id)).collect();
        sorted.sort();
        let first = beginnings(sorted.iter().map(|(name, _): &(Box<str>, u16)| &**name));
        let longest = sorted.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        Names { sorted, first, longest }
    }

    /// Returns the bytes of the longest name.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Whether a name may begin with the next character.
    pub fn may_begin(&self, next: Next) -> bool {
        next.is_in(&self.first)
    }

    /// Returns a name that came twice.
    pub fn duplicate(&self) -> Option<&str> {
        let same = |pair: &&[(Box<str>, u16)]| pair[0].0 == pair[1].0;
        self.sorted.windows(2).find(same).map(|pair| &*pair[0].0)
    }

    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    pub fn all(&self) -> Range {
        Range { lo: 0, hi: self.sorted.len() as u16 }
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.sorted.iter().map(|(name, _)| &**name)
    }

    /// Returns the numbers of the names in `range`.
    pub fn ids(&self, range: Range) -> impl Iterator<Item = u16> + '_ {
        self.slice(range).iter().map(|(_, id)| *id)
    }

    /// Returns the number of the name with these two halves.
    pub fn find(&self, halves: [&str; 2]) -> Option<u16> {
        let [head, tail] = halves.map(str::as_bytes);
        let order = |known: &[u8]| {
            let (start, rest) = known.split_at(known.len().min(head.len()));
            start.cmp(head).then_with(|| rest.cmp(tail))
        };
        let at = self.sorted.binary_search_by(|(known, _)| order(known.as_bytes())).ok()?;
        Some(self.sorted[at].1)
    }

    /// Whether a name begins like this.
    pub fn has_beginning(&self, text: &str) -> bool {
        let at = self.sorted.partition_point(|(known, _)| **known < *text);
        self.sorted.get(at).is_some_and(|(known, _)| known.starts_with(text))
    }

    /// Returns the numbers of the names that begin like this.
    pub fn beginning_like<'n>(&'n self, text: &'n str) -> impl Iterator<Item = u16> + 'n {
        let at = self.sorted.partition_point(|(known, _)| **known < *text);
        let alike = self.sorted[at..].iter().take_while(move |(known, _)| known.starts_with(text));
        alike.map(|(_, id)| *id)
    }

    /// Follows the names with a text, or those that fit. Returns the number of common bytes, and the names that stand
    /// there.
    pub fn along(&self, text: &str, fits: Option<&dyn Fn(u16) -> bool>) -> (usize, Along<'_>) {
        let (mut most, mut found) = (0, Along::default());
        let fits = |id: &u16| fits.is_none_or(|fits| fits(*id));
        for (name, id) in self.with_first(text).iter().filter(|(_, id)| fits(id)) {
            let same = common(name, text);
            if same < most {
                continue;
            }
            if same > most {
                most = same;
                found = Along::default();
            }
            if name.len() == same {
                found.id = Some(*id);
                found.rest = None;
            } else {
                found.rest = (!found.goes_on && found.id.is_none()).then(|| &name[same..]);
                found.goes_on = true;
            }
        }
        if text.is_empty() {
            found.goes_on = self.sorted.iter().any(|(_, id)| fits(id));
        }
        (most, found)
    }

    /// Returns the names that a text begins with, the longest first.
    pub fn all_in<'n>(&'n self, text: &str) -> impl Iterator<Item = (&'n str, u16)> {
        let whole = |(name, _): &&(Box<str>, u16)| text.starts_with(&**name);
        self.with_first(text).iter().rev().filter(whole).map(|(name, id)| (&**name, *id))
    }

    /// Returns the names that begin with the first byte of a text.
    fn with_first(&self, text: &str) -> &[(Box<str>, u16)] {
        let Some(&byte) = text.as_bytes().first() else { return &[] };
        if !Next::new(Some(byte)).is_in(&self.first) {
            return &[];
        }
        let first = |(name, _): &(Box<str>, u16)| name.as_bytes().first().copied();
        let from = self.sorted.partition_point(|known| first(known) < Some(byte));
        let rest = &self.sorted[from..];
        &rest[..rest.partition_point(|known| first(known) == Some(byte))]
    }

    fn slice(&self, range: Range) -> &[(Box<str>, u16)] {
        &self.sorted[range.lo as usize..range.hi as usize]
    }
}

/// Decodes `&quot;` and `&amp;` in a name from an attribute.
pub(crate) fn decode(name: &mut String) {
    for (entity, character) in [("&quot;", "\""), ("&amp;", "&")] {
        let mut from = 0;
        while let Some(at) = name[from..].find(entity) {
            from += at;
            name.replace_range(from..from + entity.len(), character);
            from += character.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All names of two letters, or four of them: larger and smaller sets are searched differently.
    fn sets() -> [Vec<String>; 2] {
        let pairs = |first: &str| -> Vec<String> {
            first
                .chars()
                .flat_map(|a| "abc\u{e9}".chars().map(move |b| format!("{a}{b}")))
                .collect()
        };
        let mut many = pairs("abc\u{e9}");
        many.extend(["a".into(), "abba".into(), "ab\u{e9}".into(), "abc".into()]);
        [many, vec!["ab".into(), "abba".into(), "abc".into(), "b\u{e9}a".into()]]
    }

    #[test]
    fn found_by_its_halves() {
        for set in sets() {
            let names = Names::new(set.iter().map(|name| &**name));
            for (number, name) in set.iter().enumerate() {
                for cut in (0..=name.len()).filter(|cut| name.is_char_boundary(*cut)) {
                    let (head, tail) = name.split_at(cut);
                    assert_eq!(names.find([head, tail]), Some(number as u16), "{head} {tail}");
                    assert_eq!(names.find([name, "x"]), None);
                }
            }
            assert_eq!(names.duplicate(), None);
        }
        assert_eq!(Names::new(["b", "a", "b"].into_iter()).duplicate(), Some("b"));
    }

    #[test]
    fn entities() {
        for (name, decoded) in [
            ("a&quot;b&amp;c", "a\"b&c"),
            ("&amp;quot;", "&quot;"),
            ("&amp;amp;&quot;&quot;", "&amp;\"\""),
            ("&lt;&quot", "&lt;&quot"),
        ] {
            let mut text = name.to_string();
            decode(&mut text);
            assert_eq!(text, decoded, "{name}");
        }
    }
}
