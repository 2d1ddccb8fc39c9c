//! Named patterns (`let`) and groups of rules (`groups`) of a table, put in where it uses them.
//!
//! ```text
//! {"let": {"end": ["</", {"ref": "call"}, ">"]}, …  "mark": [{"use": "end"}]
//! {"groups": {"ends": [{"mark": …}]}, …              "rules": [{"use": "ends", "close": "call"}]
//! ```

use serde_json::{Map, Value};

/// How many pieces and rules may be put in, and how deep names may stand in each other.
const MOST: usize = 10_000;
const DEPTH: usize = 16;

/// What is wrong with names, and where they stand.
type Wrong = (&'static str, String);

/// The table with what it names put in.
pub(super) fn put_in(mut table: Map<String, Value>) -> Result<Value, Wrong> {
    let mut names = Names { left: MOST, patterns: Map::new(), groups: Map::new() };
    for (key, to) in [("let", &mut names.patterns), ("groups", &mut names.groups)] {
        match table.remove(key) {
            None => {}
            Some(Value::Object(named)) => *to = named,
            Some(_) => return Err((key, "must be an object of names".into())),
        }
    }
    let mut table = Value::Object(table);
    names.value("", &mut table, DEPTH)?;
    Ok(table)
}

struct Names {
    left: usize,
    patterns: Map<String, Value>,
    groups: Map<String, Value>,
}

impl Names {
    /// In all lists of a value with this key.
    fn value(&mut self, key: &str, value: &mut Value, depth: usize) -> Result<(), Wrong> {
        match value {
            Value::Object(object) => {
                object.iter_mut().try_for_each(|(key, value)| self.value(key, value, depth))
            }
            Value::Array(list) => {
                let mut all = Vec::new();
                for mut item in std::mem::take(list) {
                    match item.get("use").and_then(Value::as_str).map(str::to_string) {
                        Some(name) => all.extend(self.named(key, &name, &item, depth)?),
                        None => {
                            self.value(key, &mut item, depth)?;
                            all.push(item);
                        }
                    }
                }
                *list = all;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// What has this name: rules get what else its use says.
    fn named(
        &mut self,
        key: &str,
        name: &str,
        uses: &Value,
        depth: usize,
    ) -> Result<Vec<Value>, Wrong> {
        let rules = key == "rules";
        let named = if rules { self.groups.get(name) } else { self.patterns.get(name) };
        let what = if rules { "groups" } else { "let" };
        let mut named = named.cloned().ok_or_else(|| (what, format!("there is no `{name}`")))?;
        let depth = depth.checked_sub(1);
        let depth = depth.ok_or_else(|| (what, format!("`{name}` leads back to itself")))?;
        self.value(if rules { "rules" } else { "mark" }, &mut named, depth)?;
        let Value::Array(mut named) = named else {
            return Err((what, format!("`{name}` must be a list")));
        };
        let left = self.left.checked_sub(named.len());
        self.left = left.ok_or_else(|| (what, format!("they put in more than {MOST}")))?;
        let more: Vec<(&String, &Value)> =
            uses.as_object().into_iter().flatten().filter(|(key, _)| *key != "use").collect();
        if !rules && !more.is_empty() {
            return Err((what, format!("nothing stands beside the use of `{name}` in a pattern")));
        }
        for rule in named.iter_mut().filter_map(Value::as_object_mut) {
            for (key, value) in &more {
                match (rule.get_mut(*key).and_then(Value::as_array_mut), value) {
                    (Some(own), Value::Array(more)) => own.extend(more.iter().cloned()),
                    _ => {
                        rule.insert((*key).clone(), (*value).clone());
                    }
                }
            }
        }
        Ok(named)
    }
}
