//! The arguments of calls while they come, as steps from one look to the next.
//!
//! Each look after the first costs as much as the arguments are long. So the next look comes after a 64th of
//! the call, and all looks together cost as much as 64 times the last.
//! If a text continues as it stands in the stream, the page needs no look (`page/stream.js`).

use serde::Serialize;
use serde_json::Value;
use toolstream::check::Ended;
use toolstream::{Event, Parser, ToolUse};

use super::play::{EventAt, Step, play};

/// The next look comes after one byte of so many.
const LOOKS: usize = 64;

/// A value of the open call came or grew.
#[derive(Debug, PartialEq, Serialize)]
pub struct Growth {
    /// The number of events that have begun when the change is seen …
    pub events: usize,
    /// The number of bytes that have left.
    pub at: usize,
    /// The place in the arguments: keys and indices.
    pub path: Vec<Value>,
    #[serde(flatten)]
    pub by: By,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The value is replaced.
    Set(Value),
    /// A text, and this follows.
    Append(String),
}

/// The events of a text, byte by byte, and how the arguments of its calls grow.
pub fn record(parser: &Parser, ended: Ended, text: &str) -> (Vec<EventAt>, Vec<Growth>) {
    let mut growth = Vec::new();
    let mut message = parser.message();
    // The beginning of the open call, and the place and the value of the last look.
    let (mut at, mut start, mut looked, mut seen) = (0, 0, 0, Value::Null);
    let joined = play(parser, ended, text, 1, |step| {
        let joined = match step {
            Step::Event(event) => {
                if let Event::ToolUse(ToolUse::Start { .. }) = event {
                    start = at;
                    looked = at;
                    seen = Value::Null;
                }
                return message.push(event);
            }
            Step::Over(joined) => joined,
        };
        at = joined.at;
        if at < looked + ((at - start) / LOOKS).max(1) {
            return;
        }
        let Some(call) = message.partial_call() else { return };
        looked = at;
        let now = Value::Object(call.input().clone());
        let events = joined.events.len();
        grow(&seen, &now, &mut Vec::new(), &mut |path, by| {
            growth.push(Growth { events, at, path: path.to_vec(), by });
        });
        seen = now;
    });
    (joined.events, growth)
}

/// Sends `each` the steps that turn `old` into `new`.
fn grow(old: &Value, new: &Value, path: &mut Vec<Value>, each: &mut impl FnMut(&[Value], By)) {
    match (old, new) {
        (old, new) if old == new => {}
        (Value::String(old), Value::String(new)) if new.starts_with(old.as_str()) => {
            each(path, By::Append(new[old.len()..].to_string()));
        }
        (Value::Object(old), Value::Object(new)) if old.keys().all(|key| new.contains_key(key)) => {
            for (key, new) in new {
                member(old.get(key), new, key.as_str().into(), path, each);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() <= new.len() => {
            for (at, new) in new.iter().enumerate() {
                member(old.get(at), new, at.into(), path, each);
            }
        }
        (_, new) => each(path, By::Set(new.clone())),
    }
}

/// Compares a member of an object or a list, which may be new.
fn member(
    old: Option<&Value>,
    new: &Value,
    key: Value,
    path: &mut Vec<Value>,
    each: &mut impl FnMut(&[Value], By),
) {
    path.push(key);
    match old {
        Some(old) => grow(old, new, path, each),
        None => each(path, By::Set(new.clone())),
    }
    path.pop();
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolstream::Dialect;

    use super::*;

    fn steps(old: &Value, new: &Value) -> Vec<Value> {
        let mut steps = Vec::new();
        grow(old, new, &mut Vec::new(), &mut |path, by| {
            steps.push(json!([path, by]));
        });
        steps
    }

    #[test]
    fn an_equal_value_makes_no_step() {
        let old = json!({"a": "x", "b": [1, {"c": "y"}], "d": 1});
        let new = json!({"a": "xy", "b": [1, {"c": "yz", "e": null}, 2], "d": 2});
        assert_eq!(steps(&old, &old), Vec::<Value>::new());
        assert_eq!(
            json!(steps(&old, &new)),
            json!([
                [["a"], {"append": "y"}],
                [["b", 1, "c"], {"append": "z"}],
                [["b", 1, "e"], {"set": null}],
                [["b", 2], {"set": 2}],
                [["d"], {"set": 2}],
            ])
        );
        let fewer = json!({"a": "x"});
        assert_eq!(json!(steps(&old, &fewer)), json!([[[], {"set": fewer}]]));
    }

    /// A long value is looked at some hundred times, not once a byte, but is complete except for its end.
    #[test]
    fn a_long_value_is_told_in_few_steps() {
        let parser = Parser::builder(Dialect::HERMES).build().unwrap();
        let value = "words ".repeat(10_000);
        let text = format!("<tool_call>{{\"name\": \"f\", \"arguments\": {{\"x\": \"{value}");
        let (_, growth) = record(&parser, Ended::Cut, &text);
        assert!((100..1000).contains(&growth.len()), "{}", growth.len());
        let appended: usize = growth.iter().map(|step| step.by.len()).sum();
        assert!(appended > value.len() * 9 / 10, "{appended}");
    }

    impl By {
        fn len(&self) -> usize {
            match self {
                By::Append(text) => text.len(),
                By::Set(_) => 0,
            }
        }
    }
}
