//! Setters of the builder, one for each key of the options.

use serde_json::{Value, json};
use toolstream::repair::Repairs;
use toolstream::{options::*, *};

type Setter = (&'static str, fn() -> Value, fn(ParserBuilder) -> ParserBuilder);

/// Each key with a value that is not the default, and the setter for this value.
const SETTERS: &[Setter] = &[
    ("tool_limit", || json!(2), |builder| builder.tool_limit(2)),
    ("chaining_tools", || json!(["a"]), |builder| builder.chaining_tools(["a"])),
    ("limit_on", || json!("text_after_tool"), |builder| builder.limit_on(LimitOn::TextAfterTool)),
    ("start", || json!("reasoning"), |builder| builder.start(Start::Reasoning)),
    (
        "calls_in_reasoning",
        || json!("extract"),
        |builder| builder.calls_in_reasoning(CallsInReasoning::Extract),
    ),
    (
        "reasoning_tags",
        || json!("anywhere"),
        |builder| builder.reasoning_tags(ReasoningTags::Anywhere),
    ),
    ("fences", || json!("quote"), |builder| builder.fences(Fences::Quote)),
    ("decode_entities", || json!(true), |builder| builder.decode_entities(true)),
    ("raw_params", || json!(["a"]), |builder| builder.raw_params(["a"])),
    ("diff_params", || json!(["a"]), |builder| builder.diff_params(["a"])),
    (
        "value_whitespace",
        || json!("verbatim"),
        |builder| builder.value_whitespace(ValueWhitespace::Verbatim),
    ),
    ("text_at_calls", || json!("trim"), |builder| builder.text_at_calls(TextAtCalls::Trim)),
    ("implicit_thought", || json!(true), |builder| builder.implicit_thought(true)),
    ("answer_keywords", || json!(["Answer"]), |builder| builder.answer_keywords(["Answer"])),
    ("special_tokens", || json!(["<x>"]), |builder| builder.special_tokens(["<x>"])),
    ("recoveries", || json!("strict"), |builder| builder.recoveries(Recoveries::Strict)),
    ("required", || json!("strict"), |builder| builder.required(Required::Strict)),
    ("explain_refused", || json!(true), |builder| builder.explain_refused(true)),
    ("repairs", || json!("none"), |builder| builder.repairs(Repairs::None)),
    ("types", || json!("coerce"), |builder| builder.types(Types::Coerce)),
    ("results", || json!("refuse"), |builder| builder.results(Results::Refuse)),
    ("attachments", || json!("all"), |builder| builder.attachments(Attachments::All)),
    (
        "unwritable_calls",
        || json!("note"),
        |builder| builder.unwritable_calls(UnwritableCalls::Note),
    ),
    ("hosted_calls", || json!("leave_out"), |builder| builder.hosted_calls(HostedCalls::LeaveOut)),
    ("late_system", || json!("user"), |builder| builder.late_system(LateSystem::User)),
];

#[test]
fn each_key_has_a_setter_that_says_the_same() {
    let error = Options::from_json(&json!({"no such key": 1})).unwrap_err();
    let (_, keys) = error.unknown_key().unwrap();
    let mut with: Vec<_> = SETTERS.iter().map(|(key, ..)| *key).collect();
    let mut keys = keys.to_vec();
    with.sort_unstable();
    keys.sort_unstable();
    assert_eq!(with, keys);
    for (key, value, set) in SETTERS {
        let read = Options::from_json(&json!({*key: value()})).unwrap();
        assert_ne!(read, Options::default(), "{key}");
        let parser = set(Parser::builder(Dialect::HERMES)).build().unwrap();
        assert_eq!(parser.options(), &read, "{key}");
    }
}

#[test]
fn no_limit_is_a_limit_too() {
    let builder = Parser::builder(Dialect::HERMES);
    assert_eq!(builder.tool_limit(None).build().unwrap().options().tool_limit, None);
}

/// A host's keywords of an answer must be few and short.
#[test]
fn answer_keywords_have_bounds() {
    let build = |keywords: Vec<String>| {
        Parser::builder(Dialect::REACT).answer_keywords(keywords).build().map(drop)
    };
    let number = |number| format!("Answer {number}");
    assert_eq!(build((0..32).map(number).chain([" ".into()]).collect()), Ok(()));
    assert_eq!(build(vec!["a ".repeat(8), "a".repeat(128)]), Ok(()));
    for (keywords, expected) in [
        ((0..33).map(number).collect(), "`Answer 32` cannot be read: 33 are too many"),
        (vec!["a ".repeat(9)], "cannot be read: 9 are too many"),
        (vec!["a".repeat(129)], "cannot be read: 129 are too many"),
    ] {
        let error = build(keywords).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
