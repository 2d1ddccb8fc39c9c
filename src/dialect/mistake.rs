//! What is wrong with a table, and where in it.

/// The states that have rules of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Prose,
    Section,
    Call,
    Value,
    Body,
}

impl State {
    /// The list of its kinds in a table.
    pub fn list(self) -> &'static str {
        match self {
            State::Prose => "prose",
            State::Section => "sections",
            State::Call => "calls",
            State::Value => "values",
            State::Body => "bodies",
        }
    }
}

/// Where a mistake is, and what. Both are put into words only if there is one.
pub(super) struct Mistake {
    pub place: String,
    pub what: String,
}

pub(super) type Result<T = ()> = std::result::Result<T, Mistake>;
