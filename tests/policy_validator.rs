//! The validator, as a host uses it. `tests/vectors/policy.jsonl` has its rules, one by one.
#![cfg(feature = "policy")]

use serde_json::json;
use toolstream::policy::validator::{Basis, Override, Pattern, Request, ValidatorConfig};
use toolstream::policy::{Choice, Decision, PolicyError, Reason, Validator};

fn validator() -> Validator {
    let mut pattern = Pattern::new("write|save", ["begin_write"]);
    pattern.except = Some("unsaved".to_string());
    let blocked_tools = vec!["finalize".to_string()];
    built(ValidatorConfig { blocked_tools, ..of(pattern) })
}

/// With one pattern.
fn of(pattern: Pattern) -> ValidatorConfig {
    ValidatorConfig { patterns: vec![pattern], ..ValidatorConfig::default() }
}

fn built(config: ValidatorConfig) -> Validator {
    Validator::new(config).unwrap()
}

#[test]
fn each_option() {
    let save = Request::new("c", "save it");
    let mut calls = save.clone();
    calls.calls = vec!["read"];

    let of = || of(Pattern::new("save", ["x"]));
    let off = built(ValidatorConfig { enabled: false, ..of() });
    assert_eq!(off.infer(&save).reason, Basis::Disabled);
    assert_eq!(built(of()).infer(&save).reason, Basis::Pattern);

    let mut strict = built(ValidatorConfig { max_retries: 1, ..of() });
    let Decision::Escalate(question) = strict.validate(&save).decision else {
        panic!("a limit of 1 asks at once")
    };
    assert!(question.notice.contains("1 times in a row"), "{}", question.notice);
    assert_eq!(question.reason, Reason::NoToolUsed);
    assert_eq!(question.options(), [Choice::Rephrase, Choice::Manual, Choice::Abort]);

    assert!(built(of()).validate(&calls).is_valid());
    let mut expected = built(ValidatorConfig { require_expected: true, ..of() });
    let Decision::Retry(correction) = expected.validate(&calls).decision else { panic!() };
    assert_eq!(correction.reason, Reason::UnexpectedTool);

    let mut one = built(ValidatorConfig { max_conversations: 1, ..of() });
    one.validate(&save);
    one.validate(&Request::new("d", "save it"));
    assert_eq!((one.count("c"), one.count("d")), (0, 1));

    assert_eq!(validator().blocked_tools(), ["finalize"]);
    assert!(!validator().infer(&Request::new("", "two unsaved files")).requires_tool);
    let mut everything = Validator::default();
    assert!(everything.validate(&save).is_valid());
}

#[test]
fn a_thousand_conversations_are_kept() {
    let mut validator = validator();
    for number in 0..1025 {
        validator.validate(&Request::new(&number.to_string(), "save"));
    }
    assert_eq!((validator.count("0"), validator.count("1"), validator.count("1024")), (0, 1, 1));
}

/// The conversation that was not used for longest goes. A tool that failed in it is a use, to look at
/// its count is none.
#[test]
fn a_failing_tool_keeps_its_conversation() {
    let pattern = Pattern::new("save", ["x"]);
    let mut validator =
        built(ValidatorConfig { max_conversations: 2, max_retries: 9, ..of(pattern) });
    for conversation in ["a", "b"] {
        validator.validate(&Request::new(conversation, "save"));
    }
    validator.tool_failure("a");
    assert_eq!(validator.count("b"), 1);
    validator.validate(&Request::new("c", "save"));
    assert_eq!(["a", "b", "c"].map(|name| validator.count(name)), [1, 0, 1]);
}

#[test]
fn what_cannot_be_built() {
    let error = Validator::new(of(Pattern::new("a(?=b)", ["x"]))).unwrap_err();
    let PolicyError::Config { place, what } = &error else { panic!("{error:?}") };
    assert_eq!(place, "patterns");
    assert!(what.starts_with("`a(?=b)`: ") && what.contains("look-around"), "{what}");
    assert_eq!(error.code(), "invalid_config");

    // The one that is wrong is named, not the whole list.
    let mut list = of(Pattern::new("a", ["x"]));
    list.patterns.push(Pattern::new("(", [""]));
    let error = Validator::new(list).unwrap_err();
    assert!(error.to_string().starts_with("patterns: `(`: "));

    let default = ValidatorConfig::default;
    for config in [
        ValidatorConfig { max_retries: 0, ..default() },
        ValidatorConfig { max_conversations: 0, ..default() },
    ] {
        let error = Validator::new(config).unwrap_err();
        assert!(error.to_string().ends_with(": 0 is no limit: use 1 or more"), "{error}");
    }
    let error =
        Validator::from_json(&json!({"patterns": [{"pattern": "a", "tools": [1]}]})).unwrap_err();
    assert!(error.to_string().starts_with("config.patterns[0].tools[0]: invalid type: integer"));
    assert_eq!("no".parse::<Override>().unwrap_err().code(), "invalid_argument");
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
    assert_eq!(error.code(), "invalid_argument");
    assert!(error.to_string().contains("snapshot[1][1]: invalid type: string"), "{error}");
    assert_eq!(later.count("a"), 3);
}

#[test]
fn clones_count_for_themselves() {
    let mut one = validator();
    let mut other = one.clone();
    one.validate(&Request::new("c", "save"));
    other.validate(&Request::new("c", "save"));
    assert_eq!((one.count("c"), other.count("c")), (1, 1));
}
