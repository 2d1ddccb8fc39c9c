//! Whether a call's arguments are what they say as they stand there: JSON to the letter, in which nothing is to be
//! repaired or coerced. Then they need not be read into values to be written on.
//!
//! "No" is always right: then they are read. What is looked at here is what a model writes nearly always.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use smallvec::SmallVec;

use crate::json::{fit, grammar};
use crate::tool::{Param, Tool, Type};

/// The levels that are looked at: each is read once more for each level around it.
const LEVELS: usize = 4;
/// The members of an object whose names are compared.
const MEMBERS: usize = 32;
/// Digits of an integer that is one in every reading.
const DIGITS: usize = 15;

/// Whether these arguments of a call of `tool` are read as what stands there, with nothing to be said of them.
pub(super) fn stands(raw: &str, tool: Option<&Tool>) -> bool {
    let params = tool.map(|tool| &*tool.params).unwrap_or_default();
    if !raw.starts_with('{') || may_be_half_a_pair(raw) {
        return false;
    }
    let Ok(Members(members)) = serde_json::from_str(raw) else { return false };
    let is_missing =
        |param: &Param| param.required && !members.iter().any(|(name, _)| *name == param.name);
    let types = |name| params.iter().find(|param| param.name == name).map(|param| &*param.types);
    !params.iter().any(is_missing)
        && members
            .iter()
            .all(|(name, value)| is_plain(value, types(*name).unwrap_or_default(), LEVELS))
}

/// Whether a value has one reading in JSON, and is of one of these types.
fn is_plain(value: &RawValue, types: &[Type], levels: usize) -> bool {
    let text = value.get();
    let of = match text.as_bytes() {
        [b'"', ..] => Type::String,
        [b'{', ..] => Type::Object,
        [b'[', ..] => Type::Array,
        [b't' | b'f', ..] => Type::Boolean,
        [b'n', ..] => Type::Null,
        digits if digits.len() <= DIGITS && digits.iter().all(u8::is_ascii_digit) => Type::Integer,
        _ => {
            let value = grammar::scalar(text);
            return value.is_some_and(|value| fit::is_of(&value, types));
        }
    };
    let fits = types.is_empty()
        || types.contains(&of)
        || of == Type::Integer && types.contains(&Type::Number);
    fits && match of {
        Type::Object if levels > 0 => serde_json::from_str(text).is_ok_and(|Members(members)| {
            members.iter().all(|(_, value)| is_plain(value, &[], levels - 1))
        }),
        Type::Array if levels > 0 => {
            serde_json::from_str(text).is_ok_and(|items: Vec<&RawValue>| {
                items.iter().all(|value| is_plain(value, &[], levels - 1))
            })
        }
        Type::Object | Type::Array => false,
        _ => true,
    }
}

/// Whether there may be an escaped half of a surrogate pair, which a reader that skips a string does not see.
fn may_be_half_a_pair(text: &str) -> bool {
    let mut escapes = memchr::memmem::find_iter(text.as_bytes(), "\\u");
    escapes.any(|at| matches!(text.as_bytes().get(at + 2), Some(b'd' | b'D')))
}

/// The members of an object, each name once: of two of one name readers take the first, the last, or neither.
struct Members<'t>(SmallVec<[(&'t str, &'t RawValue); 8]>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Of)
    }
}

struct Of;

impl<'de> Visitor<'de> for Of {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members(SmallVec::new());
        // A name with an escape in it cannot be borrowed: that is an error, too.
        while let Some((name, value)) = map.next_entry::<&str, &RawValue>()? {
            if members.0.len() == MEMBERS || members.0.iter().any(|(other, _)| *other == name) {
                return Err(A::Error::custom("names that are not compared, or are the same"));
            }
            members.0.push((name, value));
        }
        Ok(members)
    }
}
