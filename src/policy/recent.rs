//! A value for each of the conversations that were used last; the others are forgotten.

use std::collections::HashMap;

/// A table of at most `max` values by name. Only a new name in a full table costs more than O(1): the search for
/// the value that was not used for longest.
#[derive(Clone, Debug)]
pub(super) struct Recent<T> {
    max: usize,
    uses: u64,
    /// The values, each with the number of its last use.
    values: HashMap<String, (u64, T)>,
}

/// The default number of conversations.
pub(super) const CONVERSATIONS: usize = 1024;

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent::new(CONVERSATIONS)
    }
}

impl<T> Recent<T> {
    pub fn new(max: usize) -> Self {
        Recent { max, uses: 0, values: HashMap::new() }
    }

    /// Looks without using it.
    pub fn peek(&self, name: &str) -> Option<&T> {
        self.values.get(name).map(|(_, value)| value)
    }

    /// Uses the value, if there is one.
    pub fn get(&mut self, name: &str) -> Option<&mut T> {
        self.uses += 1;
        let (used, value) = self.values.get_mut(name)?;
        *used = self.uses;
        Some(value)
    }

    /// Uses the value, and makes it if there is none. If there are too many values, the one that was not used
    /// for longest is dropped.
    pub fn get_or_insert(&mut self, name: &str, value: T) -> &mut T {
        if !self.values.contains_key(name) && self.values.len() >= self.max {
            let oldest = self.values.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.values.remove(&oldest);
            }
        }
        self.uses += 1;
        let entry = self.values.entry(name.to_string()).or_insert((0, value));
        entry.0 = self.uses;
        &mut entry.1
    }

    pub fn remove(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// Returns all values, the one that was not used for longest first.
    pub fn in_order(&self) -> Vec<(&str, &T)> {
        let mut all: Vec<_> = self.values.iter().collect();
        all.sort_unstable_by_key(|(_, (used, _))| *used);
        all.into_iter().map(|(name, (_, value))| (name.as_str(), value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn the_oldest_goes() {
        let mut recent = Recent::new(2);
        *recent.get_or_insert("a", 0) += 1;
        *recent.get_or_insert("b", 0) += 2;
        assert_eq!(recent.get("a"), Some(&mut 1));
        *recent.get_or_insert("c", 0) += 3;
        assert_eq!(recent.in_order(), [("a", &1), ("c", &3)]);
        recent.remove("a");
        *recent.get_or_insert("d", 0) += 4;
        assert_eq!(recent.in_order(), [("c", &3), ("d", &4)]);
    }
}
