//! [`Flags`]: what holds where a marker stands.

use std::ops::BitOr;

/// What holds where a marker stands: a rule needs some of them and forbids others. Those that are
/// marked *set* are kept by rules ([`Action::sets`](super::spec::Action::sets)), all others by the
/// machine.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<String>", into = "Vec<String>"))]
pub(crate) struct Flags(u32);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal,)*) => {
        impl Flags {
            $($(#[$doc])* pub const $name: Flags = Flags(1 << $bit);)*

            pub(super) const ALL: &[(&str, Flags)] = &[$((stringify!($name), Flags::$name)),*];
        }
    };
}

flags! {
    /// In prose: at the start of the stream or of a line (blanks before it allowed), or right after
    /// markup. Elsewhere: at the first byte of a line.
    LINE_START = 0,
    /// Nothing but white space has come since the stream began, and no markup.
    STREAM_START = 1,
    /// The payload is reasoning that reasoning tags (or `start = reasoning`) opened.
    REASONING = 2,
    /// A call has come.
    CALLED = 3,
    /// A call has come, with nothing but white space and markup since.
    AFTER_CALL = 4,
    /// *Set*: a call without its section has come (`missing_opener`), with nothing but white space
    /// since: it is owed the closer of a section.
    OWED = 5,
    /// In a section.
    IN_SECTION = 6,
    /// In a section that has no call yet. A rule that sets it begins a section within the open one.
    SECTION_START = 7,
    /// In a call, with nothing but white space since its opener.
    CALL_START = 8,
    /// The name of the next parameter has come, its value not.
    NAMED = 9,
    /// The value holds its own closer as data. In a body: the string holds its own quote. Behind a
    /// body: a brace too many has come (*set*).
    HOLDS_CLOSER = 10,
    /// *Set*: the value is inside an element of its own. It is counted: each rule that clears it leaves
    /// one element. In a body: in a list, a tuple or a dict that is a value.
    NESTED = 11,
    /// A JSON object has closed, but its arguments may follow.
    WAITING = 12,
    /// The marker stands in Markdown code, and `fences = quote`: nothing counts.
    QUOTED = 13,
    /// *Set*: the call is broken; whatever closes it, it is incomplete.
    BROKEN = 14,
    /// *Set*: a suspect marker was reported in this call. A further one is not.
    SUSPECTED = 15,
    /// *Set*: in a code fence.
    FENCED = 16,
    /// *Set*: a code fence wraps the present step.
    WRAPPED = 17,
    /// *Set*: an action has come, though perhaps no call.
    STEPPED = 18,
    /// *Set*: a code fence stands round the body.
    BODY_FENCED = 19,
    /// The option `fences = quote`.
    FENCES_QUOTE = 21,
    /// *Set*: a bracket stands round the calls of the section.
    BRACKET = 20,
    /// Nothing but white space, markup and reasoning has come since the stream began.
    MESSAGE_START = 22,
    /// In prose: what `LINE_START` says, or after a call with nothing but white space and markup since.
    BLOCK_START = 23,
    /// The payload is reasoning, of whatever kind.
    THINKING = 24,
    /// In an object or a list that was tried ([`Piece::Object`](super::piece::Piece::Object)) and is no
    /// call: text, up to its end.
    WHOLE = 25,
    /// *Set*: in a code fence of the text.
    TEXT_FENCE = 26,
    /// In a string of a body: only rules that need it count there.
    IN_STRING = 27,
    /// In a string that opened more brackets than it closed.
    OPENED = 28,
    /// In a dict.
    IN_DICT = 29,
    /// *Set*: the call may not be what it looks like. With `recoveries = strict` it is broken.
    DOUBTFUL = 30,
    /// The schema of the open value is there and allows neither an object nor a list; known where elements nest in
    /// values.
    SCALAR = 31,
}

impl Flags {
    /// None.
    pub const NONE: Flags = Flags(0);

    /// Both.
    #[must_use]
    pub const fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Those that are not among `other`.
    #[must_use]
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Whether all of `other` are among them.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether one of `other` is among them.
    pub const fn has_any(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        Flags::ALL.iter().filter(move |(_, flag)| self.has(*flag)).map(|(name, _)| *name)
    }

    pub(crate) fn set(&mut self, other: Flags, on: bool) {
        *self = if on { self.and(other) } else { self.without(other) };
    }

    pub(crate) fn take(&mut self, other: Flags) -> bool {
        let had = self.has(other);
        *self = self.without(other);
        had
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        self.and(other)
    }
}

impl std::fmt::Debug for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
