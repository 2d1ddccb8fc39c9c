//! Objects that may be calls, or the answer: each is pending until that is decided.
//!
//! ```text
//! object := "{" member*          of a call, as `read/attempt.rs` decides
//! ```
//! The verdict is a pure function of the text behind the brace and of the declared tools. The reader of an object is
//! kept beside the pending bytes, with the stream offset behind the brace. When a marker is read again, the text before
//! the object is read again, and the object's reader goes on. If a chunk ends in an object, the wait is [`Wait::Object`]:
//! a chunk that decides nothing is appended to the pending bytes once the object's reader has seen it. If the stream ends
//! there, the object is a call if its tool is known and no key has begun that may not stand there.

use crate::family::Look;
use crate::read::attempt::Trial;
use crate::read::attempt::{Reader, Verdict};
use crate::read::cursor::{Cursor, No, Step};
use crate::read::ids::UNKNOWN;
use crate::read::tools::Tools;
use crate::read::wait::Wait;

/// The expectation of an object, in words.
const CALL: &str = "the members of a call of a known tool";

/// The most objects that are kept: an object, and one inside it as the first call of a list.
const KEPT: usize = 2;

/// An object that is tried.
#[derive(Clone, Debug)]
struct Tried {
    /// Stream offset behind its brace.
    at: usize,
    trial: Trial,
    reader: Reader,
}

/// The objects that are tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trials {
    kept: [Option<Tried>; KEPT],
    /// The number of the object that was asked for last.
    last: usize,
    /// The bytes that their readers looked at.
    pub examined: usize,
}

impl Trials {
    /// Returns the reader of the object behind the brace here. `None`: no object is tried here.
    fn read(&mut self, look: &Look<'_>, trial: Trial, c: &Cursor<'_>) -> Option<&Reader> {
        let base = c.notes().base;
        let at = base + c.pos;
        let is = |kept: &Option<Tried>| {
            kept.as_ref().is_some_and(|kept| (kept.at, kept.trial) == (at, trial))
        };
        self.last = match self.kept.iter().position(is) {
            Some(known) => known,
            None if at < look.tries_from => return None,
            None => self.begin(trial, at, base + c.notes().tried().unwrap_or(c.pos)),
        };
        let reader = &mut self.kept[self.last].as_mut()?.reader;
        if let (Verdict::Open, Some(rest)) = (reader.verdict, c.rest().get(reader.read..)) {
            reader.read_on(rest, trial, look.tools, &mut self.examined);
        }
        Some(reader)
    }

    /// Begins an object in place of another, but not of one in the same marker. `first`: where the first of them
    /// stands.
    fn begin(&mut self, trial: Trial, at: usize, first: usize) -> usize {
        let place = usize::from(self.kept[0].as_ref().is_some_and(|kept| kept.at > first));
        let kept = self.kept[place].take();
        let mut reader = kept.map(|kept| kept.reader).unwrap_or_default();
        reader.begin(trial);
        self.kept[place] = Some(Tried { at, trial, reader });
        place
    }

    /// Whether the object that was asked for last goes on with a chunk that decides nothing.
    pub fn goes_on(&mut self, chunk: &str, tools: &Tools) -> bool {
        let Some(kept) = &mut self.kept[self.last] else { return false };
        kept.reader.read_on(chunk, kept.trial, tools, &mut self.examined);
        kept.reader.verdict == Verdict::Open
    }

    /// Returns the stream offset behind the brace of the object that was asked for last.
    #[cfg(feature = "json")]
    pub fn last_at(&self) -> Option<usize> {
        self.kept[self.last].as_ref().map(|kept| kept.at)
    }

    /// Returns the stream offset up to which that object was read.
    pub fn read_to(&self) -> usize {
        self.kept[self.last].as_ref().map_or(0, |kept| kept.at + kept.reader.read)
    }
}

impl Cursor<'_> {
    /// Notes that an object or a list that is tried may begin here.
    pub fn tries_here(&self) {
        let begins = matches!(self.bytes().first(), Some(b'{' | b'['));
        let tried = &self.notes().tried;
        if begins && tried.get().is_none() {
            tried.set(Some(self.pos));
        }
    }
}

/// Reads an object that is a call, or a list that begins with one. It confirms its own first sign.
pub(crate) fn call(look: &Look<'_>, trial: Trial, c: &mut Cursor<'_>) -> Step<()> {
    c.tries_here();
    let list = c.byte_of(b"{[")? == b'[';
    c.follow(false, |c| {
        c.white()?;
        if list { object(look, trial, c) } else { behind_brace(look, trial, c) }
    })
}

/// Reads an object that is a call, or a list that begins with one, as the confirmation of the marker before
/// it.
pub(crate) fn confirms(look: &Look<'_>, trial: Trial, c: &mut Cursor<'_>) -> Step<()> {
    c.white()?;
    c.tries_here();
    if c.byte_of(b"{[")? == b'{' {
        return behind_brace(look, trial, c);
    }
    c.white()?;
    object(look, trial, c)
}

/// Reads an object that is a call.
pub(crate) fn object(look: &Look<'_>, trial: Trial, c: &mut Cursor<'_>) -> Step<()> {
    c.tries_here();
    c.literal("{")?;
    behind_brace(look, trial, c)
}

/// Reads an object that is a call, from behind its brace.
pub(crate) fn behind_brace(look: &Look<'_>, trial: Trial, c: &mut Cursor<'_>) -> Step<()> {
    let notes = c.notes();
    c.wants(c.pos, CALL);
    let mut trials = notes.trials.borrow_mut();
    let trials = trials.get_or_insert_default();
    let Some(reader) = trials.read(look, trial, c) else { return Err(No) };
    match reader.verdict {
        Verdict::Call => Ok(()),
        Verdict::NoCall => Err(No),
        Verdict::Open if reader.tool != UNKNOWN && reader.may_be_call() => {
            c.or_end(|c| c.wait(Wait::Object))
        }
        Verdict::Open => c.wait(Wait::Object),
    }
}
