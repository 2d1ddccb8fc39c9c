//! Arguments that come as values with paths, written as JSON text while they come.
//!
//! ```text
//! piece := {jsonPath, stringValue | numberValue | boolValue | nullValue, willContinue?}
//! path  := "$" ( "." name | "['" name "']" | "[" index "]" | "[]" )+
//! ```
//! Pieces nearly always come in the order of the document: then each is written behind the last one, and a
//! string grows in its place. A piece that goes back to a closed value is kept. The member of the arguments
//! that it changes is written once more at the end, whole. In JSON the last of two members with a name wins.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::wire;

/// Longest path. Deeper arguments could not be read.
const DEPTH: usize = 120;

/// The pieces that came, and how far they are written.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    root: Map<String, Value>,
    /// The strings that continue, by their paths on the wire.
    going_on: HashSet<Path>,
    /// The containers that are open in the text, below the root: how each was entered, and how it
    /// closes.
    open: Path,
    closers: Vec<char>,
    /// The string that is open in the text.
    string: Option<Path>,
    /// The text is not empty.
    started: bool,
    /// The text ends with a number or a word.
    word: bool,
    /// The members of the root that must be written once more.
    stale: BTreeSet<String>,
}

type Path = Vec<PathStep>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum PathStep {
    Key(String),
    At(usize),
    /// `[]`: after the last element.
    Next,
}

/// A piece that makes no sense.
#[derive(Debug)]
pub(super) struct Misfit;

impl Pieces {
    pub fn is_empty(&self) -> bool {
        self.root.is_empty()
    }

    /// Takes a piece; `text` gets its addition.
    pub fn add(&mut self, piece: &Value, text: &mut String) -> Result<(), Misfit> {
        let wire_path = wire::filled(piece, "jsonPath").and_then(read_path).ok_or(Misfit)?;
        let value = value_of(piece);
        let goes_on = self.going_on.remove(&wire_path);
        let ends_list = value.is_none() && wire_path.last() == Some(&PathStep::Next);
        let asked = &wire_path[..wire_path.len() - usize::from(ends_list)];
        let (path, known) = self.resolve(asked, goes_on)?;
        match value {
            Some(Value::String(more)) if goes_on => self.grow(&path, &more, text)?,
            Some(value) => self.put(&path, known, value, text)?,
            None if ends_list && known < path.len() => {
                self.put(&path, known, Value::Array(Vec::new()), text)?;
            }
            None => {}
        }
        let is_string = piece.get("stringValue").is_some_and(Value::is_string);
        if wire::flag(piece, "willContinue") && (is_string || goes_on) {
            self.going_on.insert(wire_path);
        } else if self.string.as_ref() == Some(&path) {
            self.close_string(text);
        }
        Ok(())
    }

    /// Ends the call. Returns the rest of its text; empty if no piece came.
    pub fn end(&mut self) -> String {
        let mut text = String::new();
        if self.started {
            self.close_to(0, &mut text);
            for key in std::mem::take(&mut self.stale) {
                self.rewrite(&key, &mut text);
            }
            text.push('}');
        }
        text
    }

    /// Ends the stream before the call: its text stays open, and so does everything that may continue.
    pub fn cut(&mut self) -> String {
        let mut text = String::new();
        let goes_on = |key: &String| {
            self.going_on.iter().any(|path| path.first() == Some(&PathStep::Key(key.clone())))
        };
        let (open, whole): (Vec<_>, Vec<_>) = self.stale.clone().into_iter().partition(goes_on);
        if !self.stale.is_empty() {
            self.close_to(0, &mut text);
            whole.iter().for_each(|key| self.rewrite(key, &mut text));
        } else if self.word {
            // Now the number is whole.
            text.push(' ');
        }
        if let Some(key) = open.first() {
            text.push_str(&format!(",{}:", quoted(key)));
        }
        text
    }

    /// Returns a path without `[]`, and how many of its steps exist.
    fn resolve(&self, path: &[PathStep], goes_on: bool) -> Result<(Path, usize), Misfit> {
        let mut resolved = Path::new();
        let mut known = 0;
        let mut here = match path.first() {
            Some(PathStep::Key(key)) => self.root.get(key),
            _ => return Err(Misfit),
        };
        resolved.push(path[0].clone());
        for step in &path[1..] {
            known += usize::from(here.is_some());
            let (next, step) = match (here, step) {
                (None, PathStep::Key(_)) | (None, PathStep::At(0)) => (None, step.clone()),
                (None, PathStep::Next) => (None, PathStep::At(0)),
                (Some(Value::Object(object)), PathStep::Key(key)) => {
                    (object.get(key), step.clone())
                }
                (Some(Value::Array(list)), PathStep::At(at)) if *at <= list.len() => {
                    (list.get(*at), step.clone())
                }
                (Some(Value::Array(list)), PathStep::Next) => {
                    // A string that continues is the last element.
                    let at = list.len().saturating_sub(usize::from(goes_on));
                    (list.get(at), PathStep::At(at))
                }
                _ => return Err(Misfit),
            };
            resolved.push(step);
            here = next;
        }
        known += usize::from(here.is_some());
        Ok((resolved, known))
    }

    /// Returns the place of a resolved path, and makes it if it does not exist.
    fn place(&mut self, path: &[PathStep]) -> Result<&mut Value, Misfit> {
        let Some((PathStep::Key(key), steps)) = path.split_first() else { return Err(Misfit) };
        let mut here = self.root.entry(key.clone()).or_insert(Value::Null);
        for step in steps {
            here = match step {
                PathStep::Key(key) => {
                    if here.is_null() {
                        *here = Value::Object(Map::new());
                    }
                    let object = here.as_object_mut().ok_or(Misfit)?;
                    object.entry(key.clone()).or_insert(Value::Null)
                }
                PathStep::At(at) => {
                    if here.is_null() {
                        *here = Value::Array(Vec::new());
                    }
                    let list = here.as_array_mut().ok_or(Misfit)?;
                    if *at == list.len() {
                        list.push(Value::Null);
                    }
                    list.get_mut(*at).ok_or(Misfit)?
                }
                PathStep::Next => return Err(Misfit),
            };
        }
        Ok(here)
    }

    /// More of a string.
    fn grow(&mut self, path: &Path, more: &str, text: &mut String) -> Result<(), Misfit> {
        let Value::String(string) = self.place(path)? else { return Err(Misfit) };
        string.push_str(more);
        if self.string.as_ref() == Some(path) {
            text.push_str(&escaped(more))
        } else {
            self.go_back(path)
        }
        Ok(())
    }

    fn put(
        &mut self,
        path: &Path,
        known: usize,
        value: Value,
        text: &mut String,
    ) -> Result<(), Misfit> {
        *self.place(path)? = value.clone();
        let open = self.open.iter().zip(&path[..path.len() - 1]);
        let open = open.take_while(|(one, other)| one == other).count();
        // Nothing is there, and where it belongs the text is open.
        if known < path.len() && known == open && !self.is_stale(path) {
            self.write(path, open, &value, text)
        } else {
            self.go_back(path)
        }
        Ok(())
    }

    /// Writes a value after all others, in a container that is `open` steps deep or deeper.
    fn write(&mut self, path: &Path, open: usize, value: &Value, text: &mut String) {
        self.close_to(open, text);
        text.push(if self.started { ',' } else { '{' });
        self.started = true;
        for (at, step) in path.iter().enumerate().skip(open) {
            if let PathStep::Key(key) = step {
                text.push_str(&quoted(key));
                text.push(':');
            }
            if let Some(inner) = path.get(at + 1) {
                let is_object = matches!(inner, PathStep::Key(_));
                text.push(if is_object { '{' } else { '[' });
                self.closers.push(if is_object { '}' } else { ']' });
                self.open.push(step.clone());
            }
        }
        if let Value::String(string) = value {
            text.push('"');
            text.push_str(&escaped(string));
            self.string = Some(path.clone());
        } else {
            text.push_str(&value.to_string());
            self.word = !value.is_array();
        }
    }

    fn close_to(&mut self, depth: usize, text: &mut String) {
        self.close_string(text);
        self.word = false;
        while self.open.len() > depth {
            self.open.pop();
            text.push(self.closers.pop().unwrap_or('}'));
        }
    }

    fn close_string(&mut self, text: &mut String) {
        if self.string.take().is_some() {
            text.push('"');
        }
    }

    fn is_stale(&self, path: &Path) -> bool {
        matches!(path.first(), Some(PathStep::Key(key)) if self.stale.contains(key))
    }

    /// Notes that the written value of a member was wrong.
    fn go_back(&mut self, path: &Path) {
        if let Some(PathStep::Key(key)) = path.first() {
            self.stale.insert(key.clone());
        }
    }

    fn rewrite(&self, key: &str, text: &mut String) {
        let value = self.root.get(key).unwrap_or(&Value::Null);
        text.push_str(&format!(",{}:{value}", quoted(key)));
    }
}

fn value_of(piece: &Value) -> Option<Value> {
    let of = |key: &str, is: fn(&Value) -> bool| piece.get(key).filter(|value| is(value)).cloned();
    of("stringValue", Value::is_string)
        .or_else(|| of("numberValue", Value::is_number))
        .or_else(|| of("boolValue", Value::is_boolean))
        .or_else(|| piece.get("nullValue").map(|_| Value::Null))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The inside of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = quoted(text);
    quoted[1..quoted.len() - 1].to_string()
}

/// Reads a path. `None` if it is not a path, or too long.
fn read_path(text: &str) -> Option<Path> {
    let mut rest = text.trim().strip_prefix('$')?;
    let mut path = Path::new();
    while !rest.is_empty() {
        let (step, after) = read_step(rest)?;
        path.push(step);
        rest = after;
    }
    (1..=DEPTH).contains(&path.len()).then_some(path)
}

fn read_step(text: &str) -> Option<(PathStep, &str)> {
    if let Some(name) = text.strip_prefix('.') {
        let (name, rest) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
        return (!name.is_empty()).then(|| (PathStep::Key(name.to_string()), rest));
    }
    let inner = text.strip_prefix('[')?;
    if let Some(quote) = inner.chars().next().filter(|quote| matches!(quote, '\'' | '"')) {
        let (name, rest) = read_name(&inner[1..], quote)?;
        return Some((PathStep::Key(name), rest.strip_prefix(']')?));
    }
    let (index, rest) = inner.split_once(']')?;
    match index {
        "" => Some((PathStep::Next, rest)),
        _ => Some((PathStep::At(index.parse().ok()?), rest)),
    }
}

/// Reads a name up to its quote; `\` takes the next character as it is.
fn read_name(text: &str, quote: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.push(chars.next()?.1),
            _ if c == quote => return Some((name, &text[at + 1..])),
            _ => name.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The text of these pieces, and whether one of them made no sense.
    fn text(pieces: &[Value]) -> (String, bool) {
        let (mut all, mut text, mut misfits) = (Pieces::default(), String::new(), false);
        for piece in pieces {
            misfits |= all.add(piece, &mut text).is_err();
        }
        (text + &all.end(), misfits)
    }

    fn string(path: &str, value: &str, more: bool) -> Value {
        json!({"jsonPath": path, "stringValue": value, "willContinue": more})
    }

    #[test]
    fn in_order() {
        let pieces = [
            string("$.a.b[0].c", "x\n", true),
            string("$.a.b[0].c", "\"y", false),
            json!({"jsonPath": "$.a.b[0].d", "boolValue": true}),
            json!({"jsonPath": "$.a.b[1]", "nullValue": null}),
            json!({"jsonPath": "$.a.b[]"}),
            json!({"jsonPath": "$['e f']", "numberValue": 40}),
            json!({"jsonPath": "$.none[]"}),
        ];
        let expected = r#"{"a":{"b":[{"c":"x\n\"y","d":true},null]},"e f":40,"none":[]}"#;
        assert_eq!(text(&pieces), (expected.to_string(), false));
    }

    #[test]
    fn after_the_last_element() {
        let pieces = [
            string("$.l[]", "a", true),
            string("$.l[]", "b", false),
            string("$.l[]", "c", false),
            json!({"jsonPath": "$.l[]"}),
        ];
        assert_eq!(text(&pieces), (r#"{"l":["ab","c"]}"#.to_string(), false));
    }

    #[test]
    fn going_back() {
        let pieces = [
            string("$.a.x", "1", true),
            string("$.b", "2", false),
            string("$.a.x", "1", false),
            string("$.a.y", "3", false),
            string("$.c", "4", false),
        ];
        let (text, misfits) = text(&pieces);
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, json!({"a": {"x": "11", "y": "3"}, "b": "2", "c": "4"}));
        assert!(!misfits);
    }

    #[test]
    fn cut() {
        let (mut all, mut text) = (Pieces::default(), String::new());
        all.add(&json!({"jsonPath": "$.n", "numberValue": 4}), &mut text).unwrap();
        assert_eq!((text.clone() + &all.clone().cut()).as_str(), "{\"n\":4 ");
        all.add(&string("$.s", "x", true), &mut text).unwrap();
        assert_eq!(text + &all.cut(), "{\"n\":4,\"s\":\"x");
    }

    #[test]
    fn misfits() {
        let deep = format!("$.a{}", "[0]".repeat(DEPTH));
        for path in
            ["", "a", "$", "$.", "$[0]", "$.a[", "$.a[x]", "$.a[1]", "$['a", "$.a..b", &deep]
        {
            assert!(text(&[string(path, "x", false)]).1, "{path}");
        }
        assert!(text(&[string("$.a", "x", false), string("$.a.b", "x", false)]).1);
    }
}
