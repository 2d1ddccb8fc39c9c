//! Markers that were read before. What a marker comes to follows from its bytes, from the rules that count, and from
//! the names that they ask for; a model writes the same few markers again and again. So the first of each table that
//! come twice are kept, for all parsers of these tables, and one that comes again is compared, not read step by
//! step. Of one that a chunk cuts nothing is read while it goes on like one of these; if it then does not, it is read
//! from its first byte.
//!
//! Nothing is decided here: what is kept is what the pending match came to ([`learn`](super::learn)).

use std::num::NonZeroU8;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::outcome::Outcome;
use super::pattern::{Around, Asked};
use super::table::{Begins, RuleSet};

/// The most markers that are kept of one table, the most bytes of one, and of the names that it asks for: the rest
/// are read as if each came for the first time.
const MARKERS: usize = 16;
pub(super) const BYTES: usize = 128;
const NAMES: usize = 64;

/// Those of all tables of a grammar. What was kept stays, and is never written again: it is read without a lock.
#[derive(Debug, Default)]
pub(crate) struct KnownMarkers {
    /// By the number of the table.
    rows: OnceLock<Box<[OnceLock<Box<Row>>]>>,
    /// A bit for each marker that came once, or for one like it: a parser that reads one message keeps nothing.
    once: AtomicU64,
    /// A bit for each that cannot be kept.
    refused: AtomicU64,
}

impl Clone for KnownMarkers {
    /// Other tables begin anew.
    fn clone(&self) -> KnownMarkers {
        KnownMarkers::default()
    }
}

type Row = [OnceLock<Box<KnownMarker>>; MARKERS];

/// Where a known marker stands among those of its table, counted from 1.
pub(crate) type Place = NonZeroU8;

/// What a text is that may be a known marker.
pub(crate) enum Known<'k> {
    Marker(&'k KnownMarker),
    /// The beginning of the one in this place.
    Begun(Place),
}

/// A marker, and all that its outcome follows from.
#[derive(Clone, Debug)]
pub(crate) struct KnownMarker {
    /// All bytes that it takes to decide: the marker, and what follows it.
    text: Short<BYTES>,
    begins: Begins,
    counts: RuleSet,
    tool: u16,
    asked: Asked,
    /// What stood in the names that were asked for.
    names: Short<NAMES>,
    /// The parameters that were given, if that was asked for: a bit each.
    given: u64,
    pub outcome: Outcome,
}

/// A few bytes.
#[derive(Clone, Debug)]
struct Short<const MOST: usize> {
    bytes: [u8; MOST],
    len: u8,
}

impl<const MOST: usize> Short<MOST> {
    /// These, one after the other, if there is room.
    fn of<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Option<Self> {
        let (mut bytes, mut len) = ([0; MOST], 0);
        for text in texts {
            bytes.get_mut(len..len + text.len())?.copy_from_slice(text);
            len += text.len();
        }
        Some(Short { bytes, len: len.try_into().ok()? })
    }

    #[inline]
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len.into()]
    }
}

/// A bit for each parameter that was given, if there are not too many for that.
fn bits(given: &[bool]) -> Option<u64> {
    let bits = given.iter().rev().fold(0, |bits, given| bits << 1 | u64::from(*given));
    (given.len() < 64).then_some(bits)
}

impl KnownMarkers {
    fn row(&self, table: usize) -> Option<&Row> {
        self.rows.get()?.get(table)?.get().map(|row| &**row)
    }

    fn get(&self, table: usize, place: Place) -> Option<&KnownMarker> {
        self.row(table)?[usize::from(place.get()) - 1].get().map(|known| &**known)
    }

    /// What the marker is that begins at `around.start`, as far as it has come. `begun`: it began like the one in
    /// this place.
    pub fn find(
        &self,
        begins: Begins,
        counts: RuleSet,
        begun: Option<Place>,
        around: &Around<'_>,
    ) -> Option<Known<'_>> {
        let table = around.table.number;
        let text = around.view.slices(around.start, around.view.len());
        // Nothing else that it follows from changes while it comes.
        if let Some(known) = begun.and_then(|place| self.get(table, place)) {
            match known.compare(text) {
                Likeness::Whole => return Some(Known::Marker(known)),
                Likeness::Begun => return begun.map(Known::Begun),
                Likeness::Other => {}
            }
        }
        let known = self.row(table)?.iter().map_while(OnceLock::get);
        known.zip(1..).find_map(|(known, place)| match known.compare(text) {
            Likeness::Other => None,
            _ if !known.comes_to_the_same(begins, counts, around) => None,
            Likeness::Whole => Some(Known::Marker(known)),
            Likeness::Begun => Place::new(place).map(Known::Begun),
        })
    }

    /// Whether a chunk goes on with the text of a marker that has begun like the one in this place, and does not
    /// complete it. So much of it has come.
    #[inline]
    pub fn goes_on(&self, table: usize, place: Place, came: usize, chunk: &[u8]) -> bool {
        let known = self.get(table, place);
        let rest = known.and_then(|known| known.text.as_slice().get(came..)).unwrap_or_default();
        rest.len() > chunk.len() && rest.starts_with(chunk)
    }

    /// Whether a marker like this one has come before, and there is room for it.
    pub fn wants(&self, table: usize, bit: u64) -> bool {
        let before = self.once.fetch_or(bit, Ordering::Relaxed) & bit != 0;
        let refused = self.refused.load(Ordering::Relaxed) & bit != 0;
        let row = || self.row(table);
        before && !refused && row().is_none_or(|row| row[MARKERS - 1].get().is_none())
    }

    /// A marker like this one cannot be kept.
    pub fn refuse(&self, bit: u64) {
        self.refused.fetch_or(bit, Ordering::Relaxed);
    }

    pub fn keep(&self, tables: usize, table: usize, marker: KnownMarker) {
        let rows = self.rows.get_or_init(|| vec![OnceLock::new(); tables].into());
        let Some(row) = rows.get(table) else { return };
        let row = row.get_or_init(Default::default);
        if let Some(free) = row.iter().find(|marker| marker.get().is_none()) {
            // Another thread may be faster: then its own stays.
            let _ = free.set(Box::new(marker));
        }
    }
}

/// How a text begins, beside a marker's.
enum Likeness {
    /// With all of it.
    Whole,
    /// It is shorter, and the same.
    Begun,
    Other,
}

impl KnownMarker {
    /// None, if something of it is too long.
    pub fn new(
        text: [&[u8]; 2],
        (begins, counts): (Begins, RuleSet),
        outcome: Outcome,
        asked: Asked,
        around: &Around<'_>,
    ) -> Option<KnownMarker> {
        Some(KnownMarker {
            text: Short::of(text.into_iter())?,
            begins,
            counts,
            tool: around.tool(),
            asked,
            names: Short::of(around.names_of(asked).map(str::as_bytes))?,
            given: if asked.has(Asked::GIVEN) { bits(around.given())? } else { 0 },
            outcome,
        })
    }

    pub fn len(&self) -> usize {
        self.text.as_slice().len()
    }

    fn compare(&self, [head, tail]: [&str; 2]) -> Likeness {
        let (text, head, tail) = (self.text.as_slice(), head.as_bytes(), tail.as_bytes());
        let (of_head, of_tail) = text.split_at(text.len().min(head.len()));
        let of_tail = &of_tail[..of_tail.len().min(tail.len())];
        if !head.starts_with(of_head) || !tail.starts_with(of_tail) {
            return Likeness::Other;
        }
        match of_head.len() + of_tail.len() == self.len() {
            true => Likeness::Whole,
            false => Likeness::Begun,
        }
    }

    fn comes_to_the_same(&self, begins: Begins, counts: RuleSet, around: &Around<'_>) -> bool {
        (self.begins, self.counts, self.tool) == (begins, counts, around.tool())
            && self.has_names(around)
    }

    fn has_names(&self, around: &Around<'_>) -> bool {
        if self.asked == Asked::default() {
            return true;
        }
        let mut rest = Some(self.names.as_slice());
        for name in around.names_of(self.asked) {
            rest = rest.and_then(|rest| rest.strip_prefix(name.as_bytes()));
        }
        // As many as when it was kept, for the tool is the same.
        let given = || bits(around.given()) == Some(self.given);
        rest.is_some_and(<[u8]>::is_empty) && (!self.asked.has(Asked::GIVEN) || given())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Param, Parser, Tool};

    #[test]
    fn texts_as_long_as_there_is_room() {
        let of = |texts: [&str; 2]| Short::<4>::of(texts.iter().map(|text| text.as_bytes()));
        assert_eq!(of(["a", "bcd"]).unwrap().as_slice(), b"abcd");
        assert_eq!(of(["", ""]).unwrap().as_slice(), b"");
        assert!(of(["ab", "cde"]).is_none() && of(["abcde", ""]).is_none());
    }

    #[test]
    fn a_bit_for_each_parameter() {
        assert_eq!((bits(&[]), bits(&[true, false, true, true])), (Some(0), Some(0b1101)));
        let mut many = [false; 64];
        many[62] = true;
        assert_eq!((bits(&many[..63]), bits(&many)), (Some(1 << 62), None));
    }

    /// What is decided by an object that is tried cannot be kept: it is read once more the second time it comes, and
    /// never again.
    #[test]
    fn what_cannot_be_kept_is_read_once_more_a_single_time() {
        let tool = Tool::new("read_file").param(Param::required("path"));
        // A host's own table is read by rules.
        let rules = Dialect::new(Dialect::BARE_JSON.spec().clone());
        let parser = Parser::builder(&rules).tools([tool]).build().unwrap();
        let known = &parser.tables().known;
        let comes = || {
            let mut reader = parser.clone();
            reader
                .feed("{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}")
                .for_each(drop);
            reader.finish().for_each(drop);
            known.refused.load(Ordering::Relaxed)
        };
        assert_eq!(comes(), 0);
        let refused = comes();
        assert_ne!(refused, 0);
        for bit in (0..64).map(|bit| 1 << bit).filter(|bit| refused & bit != 0) {
            assert!(!known.wants(0, bit));
        }
        assert_eq!(comes(), refused);
    }
}
