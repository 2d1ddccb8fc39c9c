//! The validator as a host uses it. `tests/vectors/policy.jsonl` has its rules, one by one.

use serde_json::{Value, json};
use toolstream::policy::{Choice, Decision, PolicyError, Reason, Request, Validator};

fn validator() -> Validator {
    let pattern = json!({"pattern": "write|save", "except": "unsaved", "tools": ["begin_write"]});
    let config = json!({"patterns": [pattern], "blocked_tools": ["finalize"]});
    Validator::from_json(&config).unwrap()
}

/// A validator with this option, and a pattern that needs `x` to save.
fn with(key: &str, value: impl Into<Value>) -> Validator {
    let mut config = json!({"patterns": [{"pattern": "save", "tools": ["x"]}], "max_retries": 9});
    config[key] = value.into();
    Validator::from_json(&config).unwrap()
}

#[test]
fn each_option() {
    let save = Request::new("c", "save it");
    let mut calls = save.clone();
    calls.calls = vec!["read"];

    assert_eq!(with("enabled", false).infer(&save).reason, "disabled");
    assert_eq!(with("enabled", true).infer(&save).reason, "pattern");
    let mut session = save.clone();
    session.active_session = true;
    assert_eq!(with("enabled", true).infer(&session).reason, "active_session");

    let mut strict = with("max_retries", 1);
    let Decision::Escalate(question) = strict.validate(&save).decision else {
        panic!("a limit of 1 asks at once")
    };
    assert!(question.text.contains("1 times in a row"), "{}", question.text);
    assert_eq!(question.reason, Reason::NoToolUsed);
    assert_eq!(question.options(), [Choice::Rephrase, Choice::Manual, Choice::Abort]);

    assert_eq!(with("enabled", true).validate(&calls).decision, Decision::Proceed);
    let mut expected = with("require_expected", true);
    let Decision::Retry(correction) = expected.validate(&calls).decision else { panic!() };
    assert_eq!(correction.reason, Reason::UnexpectedTool);

    let mut one = with("max_conversations", 1);
    one.validate(&save);
    one.validate(&Request::new("d", "save it"));
    assert_eq!((one.count("c"), one.count("d")), (0, 1));

    assert!(!validator().infer(&Request::new("", "two unsaved files")).requires_tool);
    let mut everything = Validator::default();
    assert_eq!(everything.validate(&save).decision, Decision::Proceed);
}

#[test]
fn a_thousand_conversations_are_kept() {
    let mut validator = validator();
    for number in 0..1025 {
        validator.validate(&Request::new(&number.to_string(), "save"));
    }
    assert_eq!((validator.count("0"), validator.count("1"), validator.count("1024")), (0, 1, 1));
}

/// The conversation that was unused for longest is dropped. A tool that failed in it is a use, and a look at its count is no use.
#[test]
fn a_failing_tool_keeps_its_conversation() {
    let mut validator = with("max_conversations", 2);
    for conversation in ["a", "b"] {
        validator.validate(&Request::new(conversation, "save"));
    }
    validator.tool_result("a", false);
    assert_eq!(validator.count("b"), 1);
    validator.validate(&Request::new("c", "save"));
    assert_eq!(["a", "b", "c"].map(|name| validator.count(name)), [1, 0, 1]);
}

#[test]
fn what_cannot_be_built() {
    let pattern =
        |pattern: &str, except: &str| json!({"pattern": pattern, "except": except, "tools": ["x"]});
    for (config, said) in [
        (
            json!({"patterns": [pattern("a(?=b)", "x")]}),
            "config.patterns[0].pattern: `a(?=b)`: look-",
        ),
        // The error names the wrong pattern, and not the whole list.
        (
            json!({"patterns": [pattern("a", "x"), pattern("(", "x")]}),
            "config.patterns[1].pattern: `(`: ",
        ),
        (
            json!({"patterns": [pattern("a", "x"), pattern("a", "[")]}),
            "config.patterns[1].except: `[`: ",
        ),
        (
            json!({"patterns": [pattern("a", "x"), {"tools": []}]}),
            "config.patterns[1]: missing field",
        ),
        (
            json!({"patterns": [{"pattern": "a", "tools": [1]}]}),
            "config.patterns[0].tools[0]: invalid",
        ),
        (json!([]), "config: invalid type: sequence, expected an object"),
        (json!({"max_retries": 0}), "config.max_retries: 0 is no limit: use 1 or more"),
        (json!({"max_conversations": 0}), "config.max_conversations: 0 is no limit: use 1 or more"),
        (json!({"messages": {"blocked": 1}}), "config.messages.blocked: invalid type"),
    ] {
        let error = Validator::from_json(&config).unwrap_err();
        assert!(matches!(error, PolicyError::InvalidConfig(_)), "{error:?}");
        assert!(error.to_string().starts_with(said), "{config}: {error}");
    }
}

#[test]
fn the_state_survives_in_mid_conversation() {
    let mut validator = validator();
    for conversation in ["a", "b", "a", "c"] {
        validator.validate(&Request::new(conversation, "save"));
    }
    validator.forget("c");
    let stored = serde_json::to_string(&validator.snapshot()).unwrap();
    assert_eq!(stored, r#"[["b",1],["a",2]]"#);

    let mut later = self::validator();
    later.restore(&serde_json::from_str(&stored).unwrap()).unwrap();
    assert_eq!((later.count("a"), later.count("b")), (2, 1));
    let verdict = later.validate(&Request::new("a", "save"));
    assert!(matches!(verdict.decision, Decision::Escalate(_)));

    let error = later.restore(&json!([["b", 1], ["a", "x"]])).unwrap_err();
    assert!(matches!(error, PolicyError::InvalidArgument(_)), "{error:?}");
    assert!(error.to_string().contains("snapshot[1][1]: invalid type: string"), "{error}");
    assert_eq!(later.count("a"), 3);
}

#[test]
fn no_count_is_kept_of_none() {
    let mut validator = validator();
    validator.restore(&json!([["a", 0], ["b", 2]])).unwrap();
    assert_eq!((validator.count("a"), validator.count("b")), (0, 2));
    assert_eq!(validator.snapshot(), json!([["b", 2]]));
}

#[test]
fn clones_count_for_themselves() {
    let mut one = validator();
    let mut other = one.clone();
    one.validate(&Request::new("c", "save"));
    other.validate(&Request::new("c", "save"));
    assert_eq!((one.count("c"), other.count("c")), (1, 1));
}
