//! The guard, as a host uses it. `tests/vectors/policy.jsonl` has its rules, one by one.
#![cfg(feature = "policy")]

use serde_json::{Value, json};
use toolstream::policy::guard::{Choice, Decision, Reason, ResetOn, Turn};
use toolstream::policy::{Guard, PolicyError};
use toolstream::{Dialect, Options, Param, Parser, Tool};

const AUTOMATIC: &str = "(Automatic message: do not answer it.)";

fn parser(dialect: Dialect) -> Parser {
    let tool = Tool::new("read").param(Param::required("path"));
    Parser::builder(dialect).tool(tool).build().unwrap()
}

/// The guard's answer to a model's text, in a fresh conversation.
fn answer(dialect: Dialect, text: &str) -> Decision {
    let message = parser(dialect).parse(text);
    Guard::default().turn(&Turn::from(&message))
}

#[track_caller]
fn retry(decision: Decision) -> (Reason, String, bool) {
    match decision {
        Decision::Retry { message, role: "user", reason, attempt: 1, discard_visible_text } => {
            (reason, message, discard_visible_text)
        }
        other => panic!("{other:?} is no first correction"),
    }
}

#[test]
fn turns_of_messages() {
    let call = "Look: <read><path>a</path></read>";
    assert_eq!(answer(Dialect::CLINE, call), Decision::Proceed);
    // The second call hits the tool limit: no mistake.
    assert_eq!(answer(Dialect::CLINE, &call.repeat(2)), Decision::Proceed);

    let (reason, message, discard) = retry(answer(Dialect::CLINE, "I will look."));
    assert_eq!((reason, discard), (Reason::NoToolsUsed, true));
    assert!(message.ends_with(AUTOMATIC));

    let (reason, _, discard) = retry(answer(Dialect::CLINE, "<thinking>A plan.</thinking>\n"));
    assert_eq!((reason, discard), (Reason::EmptyResponse, false));

    let (reason, message, _) = retry(answer(Dialect::CLINE, "So: <read><path>a.r"));
    assert_eq!(reason, Reason::TruncatedResponse);
    assert!(message.contains("cut off inside the call of 'read', so nothing was run"));

    // Half of an opener: cut off, but not inside a call.
    let (reason, message, _) = retry(answer(Dialect::HERMES, "So: <tool_call>"));
    assert_eq!(reason, Reason::TruncatedResponse);
    assert!(message.contains("cut off"));
}

#[test]
fn calls_that_cannot_be_read() {
    let hermes =
        |body: &str| retry(answer(Dialect::HERMES, &format!("<tool_call>{body}</tool_call>")));
    let (reason, message, _) = hermes("{\"name\": \"read\", \"arguments\": {\"path\" 1}}");
    assert_eq!(reason, Reason::MalformedToolCall);
    assert!(message.contains("could not be read: its arguments are not valid JSON. "), "{message}");

    let (reason, message, _) = hermes("{\"name\": \"read\"}");
    assert_eq!(reason, Reason::MalformedToolCall);
    assert!(message.contains(": it has none of the arguments it needs. "), "{message}");

    let (reason, message, _) = hermes("{\"arguments\": {\"x\": 1}}");
    assert_eq!(reason, Reason::MalformedToolCall);
    assert!(message.contains(": the call was not well formed. "), "{message}");
}

/// A screen takes back what it has shown, whatever white space comes after it.
#[test]
fn text_before_blanks_is_text() {
    let text = "Hello<read></read>\n<thinking>x</thinking>\n";
    let message = parser(Dialect::CLINE).parse(text);
    assert_eq!(Turn::from(&message).text, "Hello");
    let (reason, _, discard) = retry(answer(Dialect::CLINE, text));
    assert_eq!((reason, discard), (Reason::MalformedToolCall, true));
}

#[test]
fn text_between_blanks_is_text() {
    let message = parser(Dialect::CLINE).parse("\n<thinking>x</thinking>\n\nHello");
    let turn = Turn::from(&message);
    assert!(turn.text.contains("Hello"));
    assert!(turn.requires_tool && !turn.final_answer && turn.detail.is_none());
}

#[test]
fn each_option_by_the_builder() {
    let turn = Turn::text("x");
    let built = |guard: Result<Guard, PolicyError>| guard.unwrap();

    let mut off = built(Guard::builder().enabled(false).build());
    assert_eq!(off.turn(&turn), Decision::Accept);

    let mut strict = built(Guard::builder().mistake_limit(1).message("escalate", "?").build());
    let Decision::Escalate(question) = strict.turn(&turn) else { panic!() };
    assert_eq!((&*question.notice, question.options), ("?", Choice::ALL));

    let mut family = built(Guard::builder().enabled(false).model("DeepSeek*", true).build());
    let mut deepseek = turn.clone();
    deepseek.model = Some("deepseek-chat");
    assert_eq!(family.turn(&turn), Decision::Accept);
    retry(family.turn(&deepseek));

    let mut by_use = built(Guard::builder().reset_on(ResetOn::Use).build());
    by_use.turn(&turn);
    by_use.turn(&Turn::calls(["read"]));
    assert_eq!(by_use.count(), 0);

    let mut errors = built(Guard::builder().count_tool_errors(true).mistake_limit(2).build());
    assert_eq!(errors.tool_result(false), None);
    assert_eq!(errors.tool_result(false).unwrap().reason, Reason::ToolErrors);
}

#[test]
fn what_cannot_be_built() {
    let zero = Guard::builder().mistake_limit(0).build().unwrap_err();
    assert_eq!(zero, PolicyError::ZeroLimit { option: "mistake_limit" });
    assert_eq!(
        (zero.code(), zero.to_string()),
        ("invalid_config", "`mistake_limit` is 0: use 1 or more".to_string())
    );

    let text = Guard::builder().message("no_tools", "x").build().unwrap_err();
    assert!(text.to_string().starts_with("unknown text `no_tools`: the texts are no_tools_used, "));

    let error = |config: Value| Guard::from_json(&config).unwrap_err().to_string();
    assert_eq!(error(json!(3)), "config must be an object");
    assert_eq!(error(json!({"enabled": 1})), "config.enabled must be true or false");
    assert_eq!(
        error(json!({"reset_on": "call"})),
        "config.reset_on must be \"success\" or \"use\""
    );
    assert_eq!(error(json!({"models": [{"match": "x"}]})), "models[0].enabled must be given");
    assert!(error(json!({"limit": 3})).contains("unknown option `limit` in config: the options"));

    let choice = "abort".parse::<Choice>().unwrap_err();
    assert_eq!(choice.code(), "invalid_argument");
    for choice in Choice::ALL {
        assert_eq!(choice.as_str().parse(), Ok(*choice));
    }
}

#[test]
fn the_state_survives_in_mid_conversation() {
    let config = json!({"mistake_limit": 2});
    let mut guard = Guard::from_json(&config).unwrap();
    guard.turn(&Turn::text("x"));
    guard.suspend();
    let stored = serde_json::to_string(&guard.snapshot()).unwrap();

    let mut later = Guard::from_json(&config).unwrap();
    later.restore(&serde_json::from_str(&stored).unwrap()).unwrap();
    assert!(later.is_suspended());
    assert_eq!(later.turn(&Turn::text("x")), Decision::Accept);
    later.resume();
    assert!(matches!(later.turn(&Turn::text("x")), Decision::Escalate(_)));

    for wrong in [json!(null), json!({"count": 1}), json!({"count": -1, "suspended": false})] {
        let error = later.restore(&wrong).unwrap_err();
        assert_eq!(error.code(), "invalid_argument");
    }
    assert_eq!(later.count(), 2);
}

#[test]
fn a_clone_is_a_snapshot() {
    let mut guard = Guard::default();
    guard.turn(&Turn::text("x"));
    let mut clone = guard.clone();
    clone.turn(&Turn::text("x"));
    assert_eq!((guard.count(), clone.count()), (1, 2));
}

/// Two calls in one message, both allowed: neither is a mistake.
#[test]
fn several_calls() {
    let options = Options::from_json(&json!({"tool_limit": null})).unwrap();
    let tool = Tool::new("read").param(Param::required("path"));
    let parser = Parser::builder(Dialect::CLINE).tool(tool).options(options).build().unwrap();
    let message = parser.parse("<read><path>a</path></read><read><path>b</path></read>");
    assert_eq!(Turn::from(&message).calls, ["read", "read"]);
}

#[test]
fn values_can_be_sent_and_shared() {
    fn plain<T: Send + Sync + Clone + std::fmt::Debug>() {}
    plain::<Guard>();
    plain::<toolstream::policy::Validator>();
    plain::<toolstream::policy::Hooks>();
}
