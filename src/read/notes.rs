//! Notes that readers leave beside their answers: the bytes that they wait for, the meaning of half a marker,
//! crossed bounds.
//!
//! A [`Cursor`](super::cursor::Cursor) writes the notes, a [`Feed`](super::feed::Feed) reads them. One set of notes
//! serves a whole feed; each marker clears it.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use crate::read::cursor::Cursor;
use crate::read::explain::Diagnosis;
use crate::read::trial::Trials;
use crate::read::wait::Waits;

/// The end of the stream behind the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// More may come.
    No,
    /// The model ended the stream.
    Stop,
    /// The stream was cut.
    Cut,
}

/// The meaning of half a marker at the end of the stream, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Half(u8);

impl Half {
    /// The half is payload.
    pub const NONE: Half = Half(0);
    /// The half is markup, if the marker is not whole.
    pub const MARK: Half = Half(1);
    /// The half is the opener of a call or of a section.
    pub const OPENER: Half = Half(2);
    /// The half is markup, even if the marker is whole and nothing confirms it.
    pub const WHOLE: Half = Half(4);
    /// The half may begin the arguments of the object before it.
    pub const RESUMES: Half = Half(8);
    /// The half is an opener, from the object on that is tried in it. Without an object it is payload.
    pub const TRIED: Half = Half(16);

    pub const fn and(self, other: Half) -> Half {
        Half(self.0 | other.0)
    }

    pub const fn without(self, other: Half) -> Half {
        Half(self.0 & !other.0)
    }

    pub fn has(self, other: Half) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the way of a marker with this role.
    pub const fn role(self, role: &'static str) -> Way {
        Way { half: self, role }
    }
}

/// A marker that may stand somewhere: the meaning of its half at the end of the stream, and its role, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub half: Half,
    pub role: &'static str,
}

impl From<Half> for Way {
    fn from(half: Half) -> Way {
        half.role("markup")
    }
}

/// The special tokens of the model's tokenizer. A marker with one of their texts counts only where that token came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Special<'a> {
    pub texts: &'a [String],
    /// The places of the tokens, as stream offsets.
    pub came: &'a [Range<usize>],
    /// Stream offset of the text.
    pub base: usize,
}

/// The notes of a feed.
#[derive(Debug)]
pub(crate) struct Notes<'a> {
    pub end: End,
    pub(super) special: Option<Special<'a>>,
    /// Notes for a sink that asks why markers count.
    pub diagnosis: Option<Box<Diagnosis>>,
    pub(super) waits: Cell<Waits>,
    /// A bound was crossed.
    pub(super) long: Cell<bool>,
    pub(super) half: Cell<Half>,
    /// The marker is whole, and its confirmation is read.
    pub(super) follows: Cell<bool>,
    /// Only the end of the stream confirmed the marker.
    pub(super) by_end: Cell<bool>,
    /// The end of the stream left a marker of a well-formed message undecided.
    pub(super) undecided: Cell<bool>,
    /// The end of the stream left any marker undecided.
    pub(super) open: Cell<bool>,
    /// The kinds of openers whose fixed part stands here without a confirmation, a bit each.
    pub(super) rejected: Cell<u8>,
    /// The value's own closer stands here.
    pub(super) own_closer: Cell<bool>,
    /// The number of the dialect whose marker stands here.
    pub part: Cell<u8>,
    /// Stream offset of the text.
    pub base: usize,
    /// The objects that are tried: they outlive the feed.
    pub trials: RefCell<Option<Box<Trials>>>,
    /// The place in the text where the first tried object or list begins.
    pub(super) tried: Cell<Option<usize>>,
}

impl<'a> Notes<'a> {
    pub fn new(end: End, special: Option<Special<'a>>, tells: bool) -> Notes<'a> {
        Notes {
            end,
            special,
            diagnosis: tells.then(Box::default),
            waits: Cell::default(),
            long: Cell::new(false),
            half: Cell::default(),
            follows: Cell::new(false),
            by_end: Cell::new(false),
            undecided: Cell::new(false),
            open: Cell::new(false),
            rejected: Cell::new(0),
            own_closer: Cell::new(false),
            part: Cell::new(0),
            base: 0,
            trials: RefCell::new(None),
            tried: Cell::new(None),
        }
    }

    /// Clears the notes for the next marker.
    #[inline]
    pub fn clear(&self) {
        self.waits.set(Waits::default());
        self.long.set(false);
        self.half.set(Half::NONE);
        self.by_end.set(false);
        self.undecided.set(false);
        self.open.set(false);
        self.rejected.set(0);
        self.own_closer.set(false);
        self.tried.set(None);
        if let Some(diagnosis) = &self.diagnosis {
            diagnosis.clear();
        }
    }

    pub fn waits(&self) -> Waits {
        self.waits.get()
    }

    pub fn long(&self) -> bool {
        self.long.get()
    }

    pub fn half(&self) -> Half {
        self.half.get()
    }

    pub fn by_end(&self) -> bool {
        self.by_end.get()
    }

    pub fn rejected(&self) -> u8 {
        self.rejected.get()
    }

    pub fn own_closer(&self) -> bool {
        self.own_closer.get()
    }

    /// Returns the place in the text where the first tried object or list begins.
    pub fn tried(&self) -> Option<usize> {
        self.tried.get()
    }
}

impl Cursor<'_> {
    /// Whether the text alone decides: it goes on, special tokens do not count, and nobody asks for a
    /// diagnosis.
    pub fn is_plain(&self) -> bool {
        let notes = self.notes();
        notes.end == End::No && notes.special.is_none() && notes.diagnosis.is_none()
    }

    /// Notes that the fixed part of an opener of this kind stands here.
    pub fn may_be_rejected(&self, kind: u8) {
        self.notes().rejected.set(self.notes().rejected.get() | 1 << kind);
    }

    /// Notes that the value's own closer stands here.
    pub fn is_own_closer(&self) {
        self.notes().own_closer.set(true);
    }
}
