//! Looks at the arguments of an open call: each is the beginning of the next, and of the final arguments.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::{Map, Value};
use toolstream::{Block, Event, Message, Parser, diagnostic::DiagnosticKind};

/// Whether `now` may become `then`.
fn begins(now: &Value, then: &Value) -> bool {
    match (now, then) {
        (Value::String(now), Value::String(then)) => then.starts_with(now.as_str()),
        (Value::Array(now), Value::Array(then)) => {
            let whole = now.len().saturating_sub(1);
            now.len() <= then.len()
                && now[..whole] == then[..whole]
                && now.iter().zip(then).all(|(now, then)| begins(now, then))
        }
        (Value::Object(now), Value::Object(then)) => members_begin(now, then),
        _ => now == then,
    }
}

fn members_begin(now: &Map<String, Value>, then: &Map<String, Value>) -> bool {
    now.iter().all(|(name, value)| then.get(name).is_some_and(|then| begins(value, then)))
}

/// Collects the values at all places of a value, by their pointers.
fn places(value: &Value, at: String, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(value, format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (number, value) in items.iter().enumerate() {
                places(value, format!("{at}/{number}"), found);
            }
        }
        _ => {}
    }
    found.push((at, value.clone()));
}

/// A look at an open call: its number, its arguments, the parts of them that are done, and how often another member than
/// the last one changed.
#[derive(Clone, Debug)]
pub struct Look {
    pub call: usize,
    pub input: Value,
    pub done: Vec<(String, Value)>,
    pub revisions: usize,
}

/// Whoever looks less often sees fewer revisions.
impl PartialEq for Look {
    fn eq(&self, other: &Look) -> bool {
        (self.call, &self.input, &self.done) == (other.call, &other.input, &other.done)
    }
}

/// Whether nothing has changed at any level but the last member or item, and what came behind it.
fn only_the_last_changed(now: &Value, then: &Value) -> bool {
    let pairs: Vec<(&Value, &Value)> = match (now, then) {
        (Value::Array(now), Value::Array(then)) if now.len() <= then.len() => {
            now.iter().zip(then).collect()
        }
        (Value::Object(now), Value::Object(then)) if now.len() <= then.len() => {
            if now.keys().zip(then.keys()).any(|(now, then)| now != then) {
                return false;
            }
            now.values().zip(then.values()).collect()
        }
        _ => return true,
    };
    let Some(((now, then), before)) = pairs.split_last() else { return true };
    before.iter().all(|(now, then)| now == then) && only_the_last_changed(now, then)
}

pub fn look(message: &mut Message) -> Option<Look> {
    let call = message.partial_call()?;
    let input = Value::Object(call.input().clone());
    let mut done = Vec::new();
    places(&input, String::new(), &mut done);
    done.retain(|(pointer, _)| call.is_done(pointer));
    Some(Look { call: call.call().index(), input, done, revisions: call.revisions() })
}

/// Whether the model may have taken something back: its text goes wrong, or a key comes again.
fn is_taken_back(message: &Message, call: usize) -> bool {
    let kinds = [DiagnosticKind::TypeMismatch, DiagnosticKind::DuplicateParameter];
    let reported = message
        .diagnostics()
        .iter()
        .any(|found| kinds.contains(&found.kind) && found.call.is_none_or(|of| of == call));
    let again = message.blocks().iter().any(|block| match block {
        Block::Call(one) if one.index() == call => one.raw().is_some_and(has_key_twice),
        Block::Incomplete(one) if one.index() == call => {
            one.raw().is_some_and(|raw| has_key_twice(raw) || has_key_without_colon(raw))
        }
        _ => false,
    });
    reported || again
}

/// Whether a key comes again and the text goes wrong right behind it, so that no colon shows that it is a key.
fn has_key_without_colon(raw: &str) -> bool {
    let quoted = raw.split('"').skip(1).step_by(2);
    let parts: Vec<&str> = raw.split('"').collect();
    let place = |number: usize| (parts[2 * number].trim_end(), parts.get(2 * number + 2));
    let is_key = |number: usize| place(number).0.ends_with(['{', ',']);
    let has_colon =
        |number: usize| place(number).1.is_some_and(|after| after.trim_start().starts_with(':'));
    let all: Vec<(usize, &str)> =
        quoted.enumerate().filter(|(number, _)| is_key(*number)).collect();
    let again = |(number, key): &(usize, &str)| {
        !has_colon(*number)
            && all.iter().any(|(before, one)| before < number && one == key && has_colon(*before))
    };
    all.iter().any(again)
}

/// Whether JSON may have a key twice without a diagnostic.
fn has_key_twice(raw: &str) -> bool {
    let before = |colon: usize| raw[..colon].trim_end().trim_end_matches(['"', '\'', '`', '\\']);
    let key =
        |text: &str| text.rsplit(['"', '\'', '`', '{', ',', ' ', '\n']).next().map(String::from);
    let mut keys: Vec<String> =
        raw.match_indices(':').filter_map(|(at, _)| key(before(at))).collect();
    let count = keys.len();
    keys.sort();
    keys.dedup();
    keys.len() < count
}

/// The first mistake in the looks at a message, one look after each of its pieces.
pub fn broken(looks: &[Option<Look>], message: &Message) -> Option<String> {
    let mut last: HashMap<usize, &Look> = HashMap::new();
    for look in looks.iter().flatten() {
        let taken_back = is_taken_back(message, look.call);
        let before = last.insert(look.call, look);
        // Members that stand in the order of their names say nothing of it.
        let unrevised = before.filter(|before| {
            cfg!(feature = "preserve_order") && before.revisions == look.revisions
        });
        if let Some(before) =
            unrevised.filter(|before| !only_the_last_changed(&before.input, &look.input))
        {
            return Some(format!("{} became {} unrevised", before.input, look.input));
        }
        if let Some(before) = before.filter(|_| !taken_back) {
            if !begins(&before.input, &look.input) {
                return Some(format!("{} became {}", before.input, look.input));
            }
            if let Some(undone) = before.done.iter().find(|done| !look.done.contains(done)) {
                return Some(format!("{undone:?} was done, not so in {}", look.input));
            }
        }
    }
    message.blocks().iter().find_map(|block| match block {
        Block::Call(call) if !is_taken_back(message, call.index()) => {
            let look = last.get(&call.index())?;
            let then = Value::Object(call.input().clone());
            let open = look.done.iter().find(|(at, value)| then.pointer(at) != Some(value));
            let whole = begins(&look.input, &then) && open.is_none();
            (!whole).then(|| format!("{} became {then}, done: {:?}", look.input, look.done))
        }
        Block::Incomplete(call) if !is_taken_back(message, call.index()) => {
            let look = last.get(&call.index())?;
            let seen = call.input().iter().all(|(name, value)| look.input.get(name) == Some(value));
            // A word that only the end of the stream ends, and a value that only the end decides, were not visible.
            let may_lack = call
                .input()
                .iter()
                .all(|(name, value)| look.input.get(name).is_none_or(|seen| begins(seen, value)));
            (!seen && !may_lack).then(|| format!("{} became {:?}", look.input, call.input()))
        }
        _ => None,
    })
}

/// Looks at the message after each of these pieces, which tile the text.
pub fn looks(
    parser: &Parser,
    text: &str,
    pieces: &[Range<usize>],
    cut: bool,
) -> (Vec<Option<Look>>, Message) {
    let mut parser = parser.clone();
    let mut message = parser.message();
    let mut seen = Vec::new();
    for piece in pieces {
        parser.feed_bytes(&text.as_bytes()[piece.clone()]).for_each(|event| message.push(event));
        seen.push(look(&mut message));
    }
    let mut take = |event: Event<&str>| message.push(event);
    if cut {
        parser.finish_cut_into(&mut take)
    } else {
        parser.finish_into(&mut take)
    }
    message.close();
    (seen, message)
}
