//! A place for state that few streams need.

/// State that few streams need. It is on the heap once it is used, so that a parser is small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seldom<T>(Option<Box<T>>);

impl<T> Default for Seldom<T> {
    fn default() -> Self {
        Seldom(None)
    }
}

impl<T: Default> Seldom<T> {
    /// Returns the state, if it was used.
    pub fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}
