//! When two JSON values are the same: numbers by value (2.0 is 2), objects whatever the order of
//! their keys.

#[cfg(feature = "policy")]
pub(crate) use hashing::hash;

use serde_json::Value;

pub(crate) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || a.as_f64() == b.as_f64() && (a.is_f64() || b.is_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|b| equal(v, b)))
        }
        _ => one == other,
    }
}

#[cfg(feature = "policy")]
mod hashing {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use serde_json::{Number, Value};

    /// Equal values have equal hashes: numbers by value, objects whatever the order of their keys.
    pub(crate) fn hash((beside, value): (impl Hash, &Value)) -> u64 {
        let mut hasher = DefaultHasher::new();
        beside.hash(&mut hasher);
        feed(value, &mut hasher);
        hasher.finish()
    }

    fn feed(value: &Value, hasher: &mut DefaultHasher) {
        std::mem::discriminant(value).hash(hasher);
        match value {
            Value::Null => {}
            Value::Bool(truth) => truth.hash(hasher),
            Value::Number(number) => feed_number(number, hasher),
            Value::String(text) => text.hash(hasher),
            Value::Array(items) => {
                items.len().hash(hasher);
                items.iter().for_each(|item| feed(item, hasher));
            }
            Value::Object(members) => {
                let member = |(key, value): (&String, &Value)| hash((key, value));
                members.len().hash(hasher);
                members.iter().map(member).fold(0, u64::wrapping_add).hash(hasher);
            }
        }
    }

    /// 2.0 is 2.
    fn feed_number(number: &Number, hasher: &mut DefaultHasher) {
        let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        let float = number.as_f64().unwrap_or_default();
        match integer {
            Some(integer) => integer.hash(hasher),
            // Beyond 2^64 no integer of JSON's is equal to it.
            None if float.fract() == 0.0 && float.abs() <= 2f64.powi(64) => {
                (float as i128).hash(hasher);
            }
            None => float.to_bits().hash(hasher),
        }
    }
}
