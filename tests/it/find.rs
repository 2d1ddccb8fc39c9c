//! An object in a text, and a value that is cut.

use serde_json::{Map, Value, json};
use toolstream::repair::{self, ArgumentsErrorKind, FindError, Repairs, find_object, partial};

use crate::support::{documents, soup};

fn first(text: &str) -> Result<Value, FindError> {
    find_object::<Map<String, Value>>(text, Repairs::Default).map(Value::Object)
}

#[test]
fn the_first_object_counts() {
    for (text, expected) in [
        (r#"{"a": 1}"#, json!({"a": 1})),
        (r#"Here: {"a": {"b": [{}]}} and {"c": 2}"#, json!({"a": {"b": [{}]}})),
        ("For {you}, {name, ```json\n{'a': 1,}\n```", json!({"a": 1})),
        (r#"<think>{"no": 1}</think>{"a": 1}"#, json!({"a": 1})),
        (r#"{"no": 1}</think> {"a": 1}"#, json!({"a": 1})),
        (r#"{"a": "</think>"}"#, json!({"a": "</think>"})),
        // An object that is cut or goes wrong does not count, and nothing inside it does.
        (r#"{"a": {"b": 1} "c"} {"d": 2}"#, json!({"d": 2})),
        // But a quote without its closer hides nothing.
        (r#"He said {"oops, then {"a": 1}"#, json!({"a": 1})),
        (r#"{"oops, {'well, {"a": 1}"#, json!({"a": 1})),
        ("[{\"a\": 1}, {\"b\": 2}]", json!({"a": 1})),
        ("{{{{\"a\": 1}}}}", json!({"a": 1})),
        ("é{\"é\": \"é\"}é", json!({"é": "é"})),
    ] {
        assert_eq!(first(text).expect(text), expected, "{text}");
    }
}

#[test]
fn why_there_is_none() {
    assert!(matches!(first("no object"), Err(FindError::Missing)));
    assert!(matches!(first("<think>{\"a\": 1}"), Err(FindError::Missing)));
    assert!(matches!(first("it is {\"a\": [1"), Err(FindError::Truncated)));
    assert!(matches!(first("it is {\"a\" 1}"), Err(FindError::Malformed { at: 11 })));
    let lists: Result<Map<String, Value>, _> = find_object("{'a': 1}", Repairs::None);
    assert!(matches!(lists, Err(FindError::Malformed { .. })), "{lists:?}");
}

/// The first object of the right type counts. If none has it, the error is that of the first object.
#[test]
fn the_first_that_fits() {
    #[derive(serde::Deserialize, Debug)]
    struct Point {
        x: i32,
    }
    let text = r#"{"y": 1} {"x": "2"} {"x": 3} {"x": 4}"#;
    assert_eq!(find_object::<Point>(text, Repairs::Default).expect("the third").x, 3);
    let error = find_object::<Point>(&text[..20], Repairs::Default).expect_err("none");
    assert_eq!(error.to_string(), "no JSON object in the text fits: arguments: missing field `x`");
}

/// Hostile texts that begin an object at each byte: the time grows with the length, and not with its square. (Quadratic work
/// would not end.)
#[test]
#[ignore = "slow: .ci/run runs it"]
fn linear_in_hostile_text() {
    for piece in
        ["{", "{\"", "{\"a", "{'{\"", "{\"a\":{", "{\"\\", "{a", "{\"a\": \"{b", "`{`\"", "{/*"]
    {
        let text = piece.repeat((1 << 20) / piece.len());
        assert!(first(&text).is_err(), "{piece}");
    }
}

/// A document between prose is found. Cut, it is the beginning of the document.
#[test]
fn documents_are_found_and_begun() {
    let mut cut = 0;
    for seed in 0..100 {
        let document = documents::document(&soup::seeded(seed, 60));
        let Ok(value) = serde_json::from_str::<Value>(&document.json) else { continue };
        if document.json.len() > 300 {
            continue;
        }
        let value = json!({"of": value});
        let text = value.to_string();
        assert_eq!(first(&format!("So {{it}}: {text}, yes {{}}")).expect(&text), value);
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            match partial(&text[..at], Repairs::Default) {
                Ok(part) => {
                    cut += 1;
                    assert!(begins(&part, &value), "{part} of {value}");
                }
                Err(kind) => assert_eq!((kind, at), (ArgumentsErrorKind::Empty, 0), "{text}"),
            }
        }
        assert_eq!(partial(&text, Repairs::Default), Ok(value));
    }
    assert!(cut > 1000, "{cut}");
}

/// Whether `now` may become `then`. A null may become anything.
fn begins(now: &Value, then: &Value) -> bool {
    match (now, then) {
        (Value::String(now), Value::String(then)) => then.starts_with(now.as_str()),
        (Value::Array(now), Value::Array(then)) => {
            now.len() <= then.len() && now.iter().zip(then).all(|(now, then)| begins(now, then))
        }
        (Value::Object(now), Value::Object(then)) => {
            now.iter().all(|(name, now)| then.get(name).is_some_and(|then| begins(now, then)))
        }
        _ => now == then || now.is_null(),
    }
}

#[test]
fn what_is_wrong_is_said() {
    let kind = |text| partial(text, Repairs::Default).expect_err(text);
    assert_eq!(kind(" "), ArgumentsErrorKind::Empty);
    assert_eq!(kind("{\"a\" 1"), ArgumentsErrorKind::Malformed);
    assert_eq!(kind(&"[".repeat(129)), ArgumentsErrorKind::TooDeep);
    assert_eq!(partial("12", Repairs::Default), Ok(Value::Null));
    assert_eq!(partial("{a: 'b", Repairs::Default), Ok(json!({"a": "b"})));
    assert!(partial("{a: 'b", Repairs::None).is_err());
    // A whole object is read as `arguments` reads it.
    let text = "```\n{a: True,}\n```";
    let whole = repair::arguments(text, Repairs::Default).expect("an object").object;
    assert_eq!(partial(text, Repairs::Default), Ok(Value::Object(whole)));
}
