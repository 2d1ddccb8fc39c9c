//! The keys of a call, told apart while they come.

/// What the value after the last key is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Meaning {
    #[default]
    Other,
    Name,
    /// `function`: the name, or an object to enter.
    Function,
    Arguments,
    /// The call's id, in dialects that have one.
    Id,
    /// The same, by another name.
    LongId,
    /// These mean something only where no other key than those of a call may stand.
    Tool,
    CallId,
    Type,
}

/// A key, as far as it was read: the ones of [`KEYS`] that begin like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// A bit for each.
    fits: u16,
    len: u8,
}

/// The keys that mean something.
const KEYS: [(&str, Meaning); 13] = [
    ("name", Meaning::Name),
    ("tool_name", Meaning::Name),
    ("function", Meaning::Function),
    ("arguments", Meaning::Arguments),
    ("parameters", Meaning::Arguments),
    ("args", Meaning::Arguments),
    ("input", Meaning::Arguments),
    ("id", Meaning::Id),
    ("tool_call_id", Meaning::LongId),
    ("tool", Meaning::Tool),
    ("call_id", Meaning::CallId),
    ("type", Meaning::Type),
    // No key, but a value of `type`.
    ("tool_call", Meaning::Other),
];

impl Default for Key {
    fn default() -> Self {
        Key { fits: (1 << KEYS.len()) - 1, len: 0 }
    }
}

impl Key {
    pub fn push(&mut self, text: &str) {
        let (from, Some(first)) = (usize::from(self.len), text.as_bytes().first()) else { return };
        for (bit, (key, _)) in KEYS.iter().enumerate() {
            // Nearly always the first byte says it.
            let key = key.as_bytes();
            let fits = key.get(from) == Some(first) && key[from..].starts_with(text.as_bytes());
            self.fits &= !(u16::from(!fits) << bit);
        }
        // As long as something fits, it is short.
        self.len = if self.fits == 0 { 0 } else { self.len + text.len() as u8 };
    }

    /// As the value of `type`: whether it is that of a call.
    pub fn is_type_of_call(self) -> bool {
        let len = usize::from(self.len);
        let is = |(bit, (key, _)): (usize, &(&str, Meaning))| {
            self.fits & 1 << bit != 0
                && key.len() == len
                && matches!(*key, "function" | "tool_call")
        };
        KEYS.iter().enumerate().any(is)
    }

    /// Whether it may yet be a key of a call.
    pub fn may_fit(self) -> bool {
        let key = |meaning| !matches!(meaning, Meaning::Other | Meaning::LongId);
        KEYS.iter().enumerate().any(|(bit, (_, of))| self.fits & 1 << bit != 0 && key(*of))
    }

    pub fn meaning(self) -> Meaning {
        let is_whole =
            |bit: usize, key: &str| self.fits & 1 << bit != 0 && key.len() == usize::from(self.len);
        let whole = KEYS.iter().enumerate().find(|(bit, (key, _))| is_whole(*bit, key));
        whole.map_or(Meaning::Other, |(_, (_, meaning))| *meaning)
    }
}
