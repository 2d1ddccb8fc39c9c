//! Waits of undecided readers: bytes that change nothing are appended to the pending bytes unread.

use crate::read::class::Class;

/// The bytes of a literal that are kept.
const TEXT: usize = 14;
/// The most places that may be undecided at once.
const MOST: usize = 2;

/// The wait of one undecided place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Any byte may decide.
    Anything,
    /// The next bytes of a literal.
    Text { rest: [u8; TEXT], len: u8 },
    /// More of a run, at most so many bytes.
    Run(Class, u16),
    /// More of a tried object: its reader knows ([`Trials`](super::trial::Trials)).
    Object,
}

impl Wait {
    /// The rest of a literal. (The byte that completes it decides.)
    pub fn text(rest: &[u8]) -> Wait {
        let len = rest.len().min(TEXT);
        let mut text = [0; TEXT];
        text[..len].copy_from_slice(&rest[..len]);
        Wait::Text { rest: text, len: len as u8 }
    }

    /// Whether a chunk only continues it.
    fn goes_on(&self, chunk: &[u8]) -> bool {
        match self {
            Wait::Anything | Wait::Object => false,
            Wait::Text { rest, len } => {
                chunk.len() < usize::from(*len) && rest[..usize::from(*len)].starts_with(chunk)
            }
            Wait::Run(class, most) => {
                chunk.len() <= usize::from(*most) && chunk.iter().all(|byte| class.has_byte(*byte))
            }
        }
    }

    fn shorten(&mut self, by: usize) {
        match self {
            Wait::Anything | Wait::Object => {}
            Wait::Text { rest, len } => {
                rest.copy_within(by.., 0);
                *len -= by as u8;
            }
            Wait::Run(_, most) => *most -= by as u16,
        }
    }
}

/// The waits of all undecided places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waits {
    all: [Wait; MOST],
    len: u8,
}

impl Default for Waits {
    fn default() -> Waits {
        Waits { all: [Wait::Anything; MOST], len: 0 }
    }
}

impl Waits {
    /// Adds a place.
    pub fn and(mut self, wait: Wait) -> Waits {
        let at = usize::from(self.len);
        let known = self.all[..at.min(MOST)].contains(&wait);
        if at < MOST && !known {
            self.all[at] = wait;
            self.len += 1;
        } else if !known {
            self.all[0] = Wait::Anything;
        }
        self
    }

    /// Whether all places wait for a tried object.
    pub fn is_object(&self) -> bool {
        self.len == 1 && self.all[0] == Wait::Object
    }

    /// Whether a chunk only continues all of them. Then it is taken.
    pub fn extends(&mut self, chunk: &[u8]) -> bool {
        let all = &mut self.all[..usize::from(self.len)];
        let goes_on = !all.is_empty() && all.iter().all(|wait| wait.goes_on(chunk));
        if goes_on {
            all.iter_mut().for_each(|wait| wait.shorten(chunk.len()));
        }
        goes_on
    }
}
