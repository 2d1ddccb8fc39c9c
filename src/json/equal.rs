//! Equality of JSON values: numbers by value (2.0 is 2), objects in any order of their keys.

#[cfg(feature = "policy")]
pub(crate) use hashing::hash;

use serde_json::{Number, Value};

/// A number by its value, in any notation.
#[derive(PartialEq, Eq, Hash)]
enum Exact {
    Integer(i128),
    /// Not an integer, or one beyond those of JSON: its bits.
    Float(u64),
}

impl Exact {
    fn from_number(number: &Number) -> Exact {
        // Beyond a double it equals no other number.
        let float = number.as_f64().unwrap_or(f64::NAN);
        match number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)) {
            Some(integer) => Exact::Integer(integer),
            // Up to 2^64 an integer of JSON may be equal to it.
            None if float.fract() == 0.0 && float.abs() <= 2f64.powi(64) => {
                Exact::Integer(float as i128)
            }
            None => Exact::Float(float.to_bits()),
        }
    }
}

pub(crate) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && Exact::from_number(a) == Exact::from_number(b)
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

    use serde_json::Value;

    use super::Exact;

    /// Hashes a value. Equal values have equal hashes: numbers by value, objects in any order of their keys.
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
            Value::Number(number) => Exact::from_number(number).hash(hasher),
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the values of these texts are equal or not, in both orders, and that equal values have equal
    /// hashes.
    #[track_caller]
    fn compare(one: &str, other: &str, same: bool) {
        let [a, b] = [one, other].map(|text| serde_json::from_str::<Value>(text).unwrap());
        assert_eq!([equal(&a, &b), equal(&b, &a)], [same; 2], "{one} and {other}");
        #[cfg(feature = "policy")]
        assert_eq!(hash(((), &a)) == hash(((), &b)), same, "{one} and {other}");
    }

    #[test]
    fn numbers_by_value() {
        for (one, other) in
            [("2", "2.0"), ("-3", "-3.0"), ("0", "-0.0"), ("100", "1e2"), ("0.5", "5e-1")]
        {
            compare(one, other, true);
        }
        // These differ, although some would be equal as floats.
        for (one, other) in [
            ("9007199254740993", "9007199254740992.0"),
            ("18446744073709551615", "18446744073709551616.0"),
            ("9223372036854775807", "9223372036854775808"),
            ("-9223372036854775808", "9223372036854775808"),
            ("1", "1.5"),
            ("1", "true"),
            ("0", "null"),
            ("1e300", "1e299"),
            ("1e20", "-1e20"),
        ] {
            compare(one, other, false);
        }
        compare("18446744073709551616.0", "1.8446744073709551616e19", true);
        compare("9223372036854775808", "9223372036854775808.0", true);
    }

    #[test]
    fn lists_and_objects_by_what_is_in_them() {
        compare("[1, [2.0]]", "[1.0, [2]]", true);
        compare("[1, 2]", "[2, 1]", false);
        compare("[1]", "[1, 1]", false);
        compare("[]", "{}", false);
        compare("[[], []]", "[[[]]]", false);
        compare(r#"{"a": 1, "b": {"c": 2}}"#, r#"{"b": {"c": 2.0}, "a": 1}"#, true);
        compare(r#"{"a": 1}"#, r#"{"a": 1, "b": null}"#, false);
        compare(r#"{"a": 1}"#, r#"{"b": 1}"#, false);
        compare(r#"{"a": 1, "b": 2}"#, r#"{"a": 2, "b": 1}"#, false);
        compare(r#""a""#, r#""b""#, false);
        compare(r#"{"a": "x"}"#, r#"{"a": "y"}"#, false);
    }
}
