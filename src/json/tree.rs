//! A JSON value that is built from the [parts](super::document::Part) of a text, and can be looked at before
//! it is whole.
//!
//! Open objects and lists stand on a stack, so that a part costs the same at any depth. For a look, the stack
//! is put together, and then taken apart again: both move values and copy nothing. At the end of a chunk
//! everything open goes on.

use serde_json::{Map, Value};

use super::document::Part;
use super::grammar;

/// The value so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The open objects and lists, the outermost first; for an object also the key whose value has not ended.
    open: Vec<(Value, Option<String>)>,
    /// The open string or key.
    string: String,
    /// The open string is a value, and may be seen.
    shows_string: bool,
    /// The value, once it is whole.
    value: Option<Value>,
    /// The keys of the open objects and lists while they are put together, the innermost first; a list has
    /// none.
    path: Vec<Option<String>>,
    /// A member that is not the last one of its object has changed: its key was written a second time.
    revised: bool,
}

impl Tree {
    pub fn part(&mut self, part: Part<'_>) {
        let value = match part {
            Part::Open(b'{') => return self.open.push((Value::Object(Map::new()), None)),
            Part::Open(_) => return self.open.push((Value::Array(Vec::new()), None)),
            Part::StringStart => {
                self.shows_string = !self.wants_key();
                return self.string.clear();
            }
            Part::Text(text) => return self.string.push_str(text),
            Part::StringEnd { key: true } => {
                if let Some((_, key)) = self.open.last_mut() {
                    *key = Some(std::mem::take(&mut self.string));
                }
                return;
            }
            Part::StringEnd { key: false } => {
                self.shows_string = false;
                std::mem::take(&mut self.string).into()
            }
            Part::Word(word) => grammar::scalar(word).unwrap_or_default(),
            Part::Close(_) => match self.open.pop() {
                Some((value, _)) => value,
                None => return,
            },
        };
        match self.open.last_mut() {
            Some((Value::Object(members), key)) => {
                let key = key.take().unwrap_or_default();
                self.revised |= stands_before_the_last(members, &key);
                members.insert(key, value);
            }
            Some((Value::Array(items), _)) => items.push(value),
            _ => self.value = Some(value),
        }
    }

    /// Takes the value, once it is whole.
    pub fn take_value(&mut self) -> Option<Value> {
        self.value.take()
    }

    /// Returns the members of the outermost object when its end did not come. The last one of a name wins,
    /// even if it has only begun: earlier ones are void.
    pub fn closed(self) -> Map<String, Value> {
        let open = self.open.into_iter().next();
        match open.or(self.value.map(|value| (value, None))) {
            Some((Value::Object(mut members), open_key)) => {
                open_key.map(|key| members.remove(&key));
                members
            }
            _ => Map::new(),
        }
    }

    /// Whether a member that is not the last one of its object has changed since this was asked.
    pub fn take_revised(&mut self) -> bool {
        std::mem::take(&mut self.revised)
    }

    /// Hides an open string that is a value, until it ends.
    pub fn hide_string(&mut self) {
        self.shows_string = false;
    }

    /// Whether the open string is a value, and may be seen.
    pub fn shows_string(&self) -> bool {
        self.shows_string
    }

    /// Returns the path from the outermost open object or list to the open value: keys, and nothing for an item of a
    /// list.
    pub fn keys(&self) -> impl Iterator<Item = Option<&str>> {
        self.open.iter().map(|(_, key)| key.as_deref())
    }

    /// Returns the place of the open value in the value that was put together: keys, and nothing for the last item of
    /// a list.
    pub fn path(&self) -> impl Iterator<Item = Option<&str>> {
        // No item of the innermost list may be open.
        let between = !self.shows_string && self.path.first().is_some_and(Option::is_none);
        self.path.iter().skip(usize::from(between)).rev().map(|key| key.as_deref())
    }

    /// Returns a member of the outermost object, while nothing in that object is open.
    pub fn member_mut(&mut self, name: &str) -> Option<&mut Value> {
        match &mut *self.open {
            [(Value::Object(members), _)] => members.get_mut(name),
            _ => None,
        }
    }

    /// Returns the value so far, put together, if it has begun. Call [`Tree::take_apart`] with it before the
    /// next part.
    pub fn put_together(&mut self) -> Option<Value> {
        let mut inner = self.shows_string.then(|| std::mem::take(&mut self.string).into());
        while let Some((mut container, key)) = self.open.pop() {
            if let Some(inner) = inner {
                self.revised |= put(&mut container, key.as_ref(), inner);
            }
            self.path.push(key);
            inner = Some(container);
        }
        inner.or_else(|| self.value.take())
    }

    /// Goes on with a value from [`Tree::put_together`].
    pub fn take_apart(&mut self, value: Value) {
        let mut next = Some(value);
        while let Some(key) = self.path.pop() {
            let Some(mut container) = next.take() else { break };
            if !self.path.is_empty() || self.shows_string {
                next = take(&mut container, key.as_ref());
            }
            self.open.push((container, key));
        }
        match next {
            Some(Value::String(text)) if self.shows_string => self.string = text,
            next => self.value = next,
        }
    }

    /// Whether a string that begins here is a key.
    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some((Value::Object(_), None)))
    }
}

/// Puts an open value into its container. It replaces a member of the same name: returns whether that is not the last
/// one.
fn put(container: &mut Value, key: Option<&String>, value: Value) -> bool {
    match (container, key) {
        (Value::Object(members), Some(key)) => {
            let revised = stands_before_the_last(members, key);
            match members.get_mut(key) {
                Some(member) => *member = value,
                None => drop(members.insert(key.clone(), value)),
            }
            revised
        }
        (Value::Array(items), _) => {
            items.push(value);
            false
        }
        _ => false,
    }
}

/// Whether there is a member of this name, and it is not the last one.
pub(crate) fn stands_before_the_last(members: &Map<String, Value>, key: &str) -> bool {
    members.keys().next_back().is_some_and(|last| last != key) && members.contains_key(key)
}

/// Takes the last member or item out. A member's place stays.
fn take(container: &mut Value, key: Option<&String>) -> Option<Value> {
    match container {
        Value::Object(members) => members.get_mut(key?).map(Value::take),
        Value::Array(items) => items.pop(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY_END: Part<'_> = Part::StringEnd { key: true };
    const END: Part<'_> = Part::StringEnd { key: false };

    /// Returns the visible value after these parts, where the open part stands in it (`*`: the last item of a list),
    /// and whether that is a string. Then the value is taken apart again.
    fn look(tree: &mut Tree, parts: &[Part<'_>]) -> (Option<Value>, String, bool) {
        parts.iter().for_each(|part| tree.part(*part));
        let value = tree.put_together();
        let path: Vec<&str> = tree.path().map(|key| key.unwrap_or("*")).collect();
        let path = path.join("/");
        if let Some(value) = value.clone() {
            tree.take_apart(value);
        }
        (value, path, tree.shows_string())
    }

    #[test]
    fn while_it_comes() {
        use Part::{Close, Open, StringStart, Text, Word};
        let tree = &mut Tree::default();
        assert_eq!(look(tree, &[]), (None, String::new(), false));
        let steps: [(&[Part<'_>], Value, &str, bool); 6] = [
            (&[Open(b'{'), StringStart, Text("a")], json!({}), "", false),
            (&[KEY_END], json!({}), "a", false),
            // No item of the list is open.
            (&[Open(b'['), Word("1")], json!({"a": [1]}), "a", false),
            (&[StringStart, Text("x")], json!({"a": [1, "x"]}), "a/*", true),
            (
                &[Text("y"), END, Open(b'{'), StringStart, Text("b"), KEY_END],
                json!({"a": [1, "xy", {}]}),
                "a/*/b",
                false,
            ),
            (&[Word("2"), Close(b'}'), Close(b']')], json!({"a": [1, "xy", {"b": 2}]}), "", false),
        ];
        for (parts, value, path, is_string) in steps {
            assert_eq!(look(tree, parts), (Some(value), path.into(), is_string), "{parts:?}");
        }
        tree.part(Close(b'}'));
        assert_eq!(tree.take_value(), Some(json!({"a": [1, "xy", {"b": 2}]})));
    }

    #[test]
    fn a_string_alone() {
        let tree = &mut Tree::default();
        let begun = look(tree, &[Part::StringStart, Part::Text("x")]);
        assert_eq!(begun, (Some(json!("x")), String::new(), true));
        assert_eq!(look(tree, &[END]), (Some(json!("x")), String::new(), false));
        assert_eq!(tree.take_value(), Some(json!("x")));
    }
}
