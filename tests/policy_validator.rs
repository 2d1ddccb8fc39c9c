//! The validator, as a host uses it. `tests/vectors/policy.jsonl` has its rules, one by one.
#![cfg(feature = "policy")]

use serde_json::json;
use toolstream::policy::validator::{Action, Failure, Override, Pattern, Reason, Request};
use toolstream::policy::{PolicyError, Validator};

fn validator() -> Validator {
    Validator::builder()
        .pattern(Pattern::new("write|save", ["begin_write"]).except("unsaved"))
        .blocked_tools(["finalize"])
        .build()
        .unwrap()
}

#[test]
fn each_option_by_the_builder() {
    let save = Request::new("c", "save it");
    let mut calls = save.clone();
    calls.calls = vec!["read"];

    let mut off = Validator::builder().pattern(Pattern::new("save", ["x"])).enabled(false);
    assert_eq!(off.clone().build().unwrap().infer(&save).reason, Reason::Disabled);
    off = off.enabled(true);
    assert_eq!(off.clone().build().unwrap().infer(&save).reason, Reason::Pattern);

    let mut strict = off.clone().max_retries(1).message("escalate", "{count}!").build().unwrap();
    let Action::Escalate { notice, options, failure } = strict.validate(&save).action else {
        panic!("a limit of 1 asks at once")
    };
    assert_eq!((&*notice, failure), ("1!", Failure::NoToolUsed));
    assert_eq!(options, ["rephrase", "manual", "abort"]);

    assert!(off.clone().build().unwrap().validate(&calls).is_valid());
    let mut expected = off.clone().require_expected(true).build().unwrap();
    let Action::Retry { failure, .. } = expected.validate(&calls).action else { panic!() };
    assert_eq!(failure, Failure::UnexpectedTool);

    let mut one = off.max_conversations(1).build().unwrap();
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
    let mut two = Validator::builder().pattern(Pattern::new("save", ["x"])).max_conversations(2);
    two = two.max_retries(9);
    let mut validator = two.build().unwrap();
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
    let error = Validator::builder().pattern(Pattern::new("a(?=b)", ["x"])).build().unwrap_err();
    let PolicyError::Pattern { pattern, reason } = &error else { panic!("{error:?}") };
    assert_eq!(pattern, "a(?=b)");
    assert!(reason.contains("look-around"), "{reason}");
    assert_eq!(error.code(), "invalid_config");

    // The one that is wrong is named, not the whole list.
    let list =
        Validator::builder().pattern(Pattern::new("a", ["x"])).pattern(Pattern::new("(", [""]));
    assert!(list.build().unwrap_err().to_string().starts_with("the pattern `(` cannot be used"));

    for builder in [Validator::builder().max_retries(0), Validator::builder().max_conversations(0)]
    {
        assert!(matches!(builder.build(), Err(PolicyError::ZeroLimit { .. })));
    }
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
    assert!(matches!(verdict.action, Action::Escalate { .. }));

    assert_eq!(later.restore(&json!([["a"]])).unwrap_err().code(), "invalid_argument");
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
