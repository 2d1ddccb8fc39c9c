//! Members of an object that are taken out of it.

use serde_json::{Map, Value};

/// Takes a member out, and leaves the others in their order. `Map::remove` would move the last one to its place, if
/// any crate of the program has turned on `serde_json/preserve_order`; `shift_remove` does not exist without that.
pub(crate) fn take(members: &mut Map<String, Value>, key: &str) -> Option<Value> {
    let taken = members.get_mut(key)?.take();
    members.retain(|member, _| member != key);
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_others_keep_their_order() {
        let mut members: Map<String, Value> =
            ["a", "b", "c", "d"].map(|key| (key.to_string(), key.into())).into_iter().collect();
        assert_eq!(take(&mut members, "b"), Some("b".into()));
        assert_eq!(take(&mut members, "b"), None);
        assert_eq!(members.keys().collect::<Vec<_>>(), ["a", "c", "d"]);
    }
}
