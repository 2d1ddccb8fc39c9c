//! A value for each of the conversations that were used last; the others are forgotten.

use std::collections::{BTreeMap, HashMap};

/// At most `max` values by name. Every use costs O(log n).
#[derive(Clone, Debug)]
pub(super) struct Recent<T> {
    max: usize,
    uses: u64,
    values: HashMap<String, (u64, T)>,
    /// The names by their last use.
    order: BTreeMap<u64, String>,
}

/// How many conversations are kept, if nobody says otherwise.
pub(super) const CONVERSATIONS: usize = 1024;

impl<T> Recent<T> {
    pub fn new(max: usize) -> Self {
        Recent { max, uses: 0, values: HashMap::new(), order: BTreeMap::new() }
    }

    /// Looks without using it.
    pub fn peek(&self, name: &str) -> Option<&T> {
        self.values.get(name).map(|(_, value)| value)
    }

    /// Uses the value, if there is one.
    pub fn get(&mut self, name: &str) -> Option<&mut T> {
        let (used, value) = self.values.get_mut(name)?;
        let owned = self.order.remove(used)?;
        self.uses += 1;
        *used = self.uses;
        self.order.insert(self.uses, owned);
        Some(value)
    }

    /// Uses the value, which is made if there is none; then the one not used for longest goes if
    /// there are too many.
    pub fn get_or_insert(&mut self, name: &str, value: T) -> &mut T {
        if self.get(name).is_none() {
            if self.values.len() >= self.max {
                if let Some((_, oldest)) = self.order.pop_first() {
                    self.values.remove(&oldest);
                }
            }
            self.uses += 1;
            self.order.insert(self.uses, name.to_string());
        }
        let entry = self.values.entry(name.to_string());
        &mut entry.or_insert((self.uses, value)).1
    }

    pub fn remove(&mut self, name: &str) {
        if let Some((used, _)) = self.values.remove(name) {
            self.order.remove(&used);
        }
    }

    /// All of them, the one that was not used for longest first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.order.values().filter_map(|name| Some((name.as_str(), self.peek(name)?)))
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
        assert_eq!(recent.iter().collect::<Vec<_>>(), [("a", &1), ("c", &3)]);
        recent.remove("a");
        *recent.get_or_insert("d", 0) += 4;
        assert_eq!(recent.iter().collect::<Vec<_>>(), [("c", &3), ("d", &4)]);
        assert_eq!((recent.values.len(), recent.order.len()), (2, 2));
    }
}
