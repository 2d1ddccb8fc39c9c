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
}

/// A key, as far as it was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key {
    text: [u8; LONGEST],
    /// More than [`LONGEST`]: it means nothing.
    len: u8,
}

/// Of the keys that mean something.
const LONGEST: usize = "tool_call_id".len();

/// The keys that mean something.
const KEYS: [(&str, Meaning); 9] = [
    ("name", Meaning::Name),
    ("tool_name", Meaning::Name),
    ("function", Meaning::Function),
    ("arguments", Meaning::Arguments),
    ("parameters", Meaning::Arguments),
    ("args", Meaning::Arguments),
    ("input", Meaning::Arguments),
    ("id", Meaning::Id),
    ("tool_call_id", Meaning::Id),
];

impl Key {
    pub fn push(&mut self, text: &str) {
        let from = usize::from(self.len);
        match self.text.get_mut(from..from + text.len()) {
            Some(free) => {
                free.copy_from_slice(text.as_bytes());
                self.len += text.len() as u8;
            }
            None => self.len = LONGEST as u8 + 1,
        }
    }

    pub fn meaning(&self) -> Meaning {
        let key = self.text.get(..usize::from(self.len));
        let known = KEYS.iter().find(|(known, _)| key == Some(known.as_bytes()));
        known.map_or(Meaning::Other, |(_, meaning)| *meaning)
    }
}
