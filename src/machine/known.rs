//! Markers that were read before. What a marker comes to follows from its bytes, from the rules that count, and from
//! the names that they ask for; a model writes the same few markers again and again. So the first of each table that
//! come twice are kept, for all parsers of these tables, and one that comes again in one chunk is not read step by
//! step.
//!
//! Nothing is decided here: what is kept is what [`Pending`](super::pending) said. In debug builds, and so in all tests,
//! each marker that was found here is read again, and must come to the same.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::outcome::Outcome;
use super::pattern::{Around, Asked};
use super::table::{Begins, RuleSet};

/// The most markers that are kept of one table, the most bytes of one, and of the names that it asks for: the rest
/// are read as if each came for the first time.
const MARKERS: usize = 16;
const BYTES: usize = 128;
const NAMES: usize = 64;

/// Those of all tables of a grammar. What was kept stays, and is never written again: it is read without a lock.
#[derive(Debug, Default)]
pub(crate) struct KnownMarkers {
    /// By the number of the table.
    rows: OnceLock<Box<[OnceLock<Box<Row>>]>>,
    /// A bit for each marker that came once, or for one like it: a parser that reads one message keeps nothing.
    once: AtomicU64,
}

impl Clone for KnownMarkers {
    /// Other tables begin anew.
    fn clone(&self) -> KnownMarkers {
        KnownMarkers::default()
    }
}

type Row = [OnceLock<Box<KnownMarker>>; MARKERS];

/// A marker, and all that its outcome follows from.
#[derive(Clone, Debug)]
struct KnownMarker {
    /// All bytes that were looked at: the marker, what follows it, the character after that.
    text: Short<BYTES>,
    begins: Begins,
    counts: RuleSet,
    tool: u16,
    asked: Asked,
    /// What stood in the names that were asked for.
    names: Short<NAMES>,
    /// The parameters that were given, if that was asked for: a bit each.
    given: u64,
    outcome: Outcome,
    examined: usize,
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
    /// What the marker that comes next was, and how many bytes were looked at to say so.
    pub fn find(
        &self,
        begins: Begins,
        counts: RuleSet,
        around: &Around<'_>,
    ) -> Option<(&Outcome, usize)> {
        let row = self.rows.get()?.get(around.table.number)?.get()?;
        let known = row.iter().map_while(OnceLock::get);
        let mut same = known.filter(|marker| marker.is(begins, counts, around));
        same.next().map(|marker| (&marker.outcome, marker.examined))
    }

    /// Keeps what a marker was, if there is room, and if nothing was asked that is not kept with it.
    // Out of line: of all markers few are new.
    #[inline(never)]
    pub fn keep(&self, begins: Begins, counts: RuleSet, outcome: Outcome, around: &Around<'_>) {
        let Some(text) = around.looked_at() else { return };
        let like = 31 * around.table.number + 7 * outcome.rule() + text.len();
        let bit = 1 << (like & 63);
        if self.once.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            return;
        }
        let rows = self.rows.get_or_init(|| vec![OnceLock::new(); around.grammar.tables].into());
        let Some(row) = rows.get(around.table.number) else { return };
        let row = row.get_or_init(Default::default);
        let Some(free) = row.iter().find(|marker| marker.get().is_none()) else { return };
        if let Some(marker) = KnownMarker::new(text, begins, counts, outcome, around) {
            // Another thread may be faster: then its own stays.
            let _ = free.set(Box::new(marker));
        }
    }
}

impl KnownMarker {
    fn new(
        text: &[u8],
        begins: Begins,
        counts: RuleSet,
        outcome: Outcome,
        around: &Around<'_>,
    ) -> Option<KnownMarker> {
        let asked = around.asked.get();
        Some(KnownMarker {
            text: Short::of([text].into_iter())?,
            begins,
            counts,
            tool: around.tool(),
            asked,
            names: Short::of(around.names_of(asked).map(str::as_bytes))?,
            given: if asked.has(Asked::GIVEN) { bits(around.given())? } else { 0 },
            outcome,
            examined: around.examined.get(),
        })
    }

    fn is(&self, begins: Begins, counts: RuleSet, around: &Around<'_>) -> bool {
        let (text, comes) = (self.text.as_slice(), around.text);
        // The last byte tells most of them.
        comes.get(text.len() - 1) == text.last()
            && comes.starts_with(text)
            && (self.begins, self.counts, self.tool) == (begins, counts, around.tool())
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
