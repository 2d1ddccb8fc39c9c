//! The guard as a host uses it. `tests/vectors/policy.jsonl` has its rules, one by one.

use serde_json::{Value, json};
use toolstream::policy::{Choice, Decision, Guard, PolicyError, Reason, Turn};
use toolstream::{Dialect, Param, Parser, Tool, options::Options};

const AUTOMATIC: &str = "(Automatic message: do not answer it.)";

fn parser(dialect: Dialect) -> Parser {
    let tool = Tool::new("read").param(Param::required("path"));
    Parser::builder(dialect).tool(tool).build().unwrap()
}

fn text(text: &str) -> Turn<'_> {
    let mut turn = Turn::default();
    turn.text = text;
    turn
}

fn calls(name: &str) -> Turn<'_> {
    let mut turn = Turn::default();
    turn.calls = vec![name];
    turn
}

/// The guard's answer to a model's text, in a fresh conversation.
fn answer(dialect: Dialect, text: &str) -> Decision {
    let message = parser(dialect).parse(text);
    Guard::default().turn(&Turn::from(&message))
}

#[track_caller]
fn retry(decision: Decision) -> (Reason, String, bool) {
    match decision {
        Decision::Retry(correction) if correction.count == 1 => {
            (correction.reason, correction.text, correction.discard_visible_text)
        }
        other => panic!("{other:?} is no first correction"),
    }
}

#[test]
fn turns_of_messages() {
    let call = "Look: <read><path>a</path></read>";
    assert_eq!(answer(Dialect::CLINE, call), Decision::Proceed);
    // The second call exceeds the tool limit, which is not a mistake.
    assert_eq!(answer(Dialect::CLINE, &call.repeat(2)), Decision::Proceed);

    let (reason, message, discard) = retry(answer(Dialect::CLINE, "I will look."));
    assert_eq!((reason, discard), (Reason::NoToolsUsed, true));
    assert!(message.ends_with(AUTOMATIC));

    let (reason, _, discard) = retry(answer(Dialect::CLINE, "<thinking>A plan.</thinking>\n"));
    assert_eq!((reason, discard), (Reason::EmptyResponse, false));

    let (reason, message, _) = retry(answer(Dialect::CLINE, "So: <read><path>a.r"));
    assert_eq!(reason, Reason::TruncatedResponse);
    assert!(message.contains("cut off inside the call of 'read', so nothing was run"));

    // Half of an opener is cut off, but is not inside a call.
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
    assert!(
        message
            .contains("could not be read: its arguments are not valid JSON (line 1, column 9). "),
        "{message}"
    );

    let (reason, message, _) = hermes("{\"name\": \"read\"}");
    assert_eq!(reason, Reason::MalformedToolCall);
    assert!(message.contains(": it has none of the arguments it needs. "), "{message}");

    let (reason, message, _) = hermes("{\"arguments\": {\"x\": 1}}");
    assert_eq!(reason, Reason::MalformedToolCall);
    assert!(message.contains(": the call was not well formed. "), "{message}");
}

/// A value of a wrong type that is allowed is not the mistake of a call that may not run for another reason.
#[test]
fn a_type_that_was_let_be_is_not_what_is_wrong() {
    let line = Param::optional("line").with(toolstream::tools::Type::Integer);
    let tool = Tool::new("read").param(Param::required("path")).param(line);
    let parser = Parser::builder(Dialect::CLINE).tool(tool).build().unwrap();
    let message = parser.parse("<read><line>x</line><path>a");
    let told: Vec<&str> = message.diagnostics().iter().map(|found| found.kind.as_str()).collect();
    assert!(told.contains(&"type_mismatch"), "{told:?}");
    let turn = Turn::from(&message);
    assert_eq!((turn.incomplete, turn.detail), (vec!["read"], None));
}

/// A screen takes back the text that it has shown, even if white space follows.
#[test]
fn text_before_blanks_is_text() {
    let text = "Hello<read></read>\n<thinking>x</thinking>\n";
    let message = parser(Dialect::CLINE).parse(text);
    assert_eq!(Turn::from(&message).text, "Hello");
    let (reason, _, discard) = retry(answer(Dialect::CLINE, text));
    assert_eq!((reason, discard), (Reason::MalformedToolCall, true));
}

/// White space is space, tab, CR and LF. A no-break space is text.
#[test]
fn other_blanks_are_text() {
    let (reason, _, discard) = retry(Guard::default().turn(&text("\u{a0}")));
    assert_eq!((reason, discard), (Reason::NoToolsUsed, true));
    let (reason, _, discard) = retry(Guard::default().turn(&text(" \t\r\n")));
    assert_eq!((reason, discard), (Reason::EmptyResponse, false));
}

#[test]
fn text_between_blanks_is_text() {
    let message = parser(Dialect::CLINE).parse("\n<thinking>x</thinking>\n\nHello");
    let turn = Turn::from(&message);
    assert!(turn.text.contains("Hello"));
    assert!(turn.requires_tool && !turn.final_answer && turn.detail.is_none());
}

#[test]
fn each_option() {
    let turn = text("x");
    let built = |config: Value| Guard::from_json(&config).unwrap();

    let mut off = built(json!({"enabled": false}));
    assert_eq!(off.turn(&turn), Decision::Accept);

    let mut strict = built(json!({"mistake_limit": 1}));
    let Decision::Escalate(question) = strict.turn(&turn) else { panic!() };
    assert!(question.text.starts_with("The model failed 1 times in a row"));
    let options = [Choice::Continue, Choice::SwitchModel, Choice::AdjustInstructions];
    assert_eq!(question.options(), options);

    let models = json!([{"match": "DeepSeek*", "enabled": true}]);
    let mut family = built(json!({"enabled": false, "models": models}));
    let mut deepseek = turn.clone();
    deepseek.model = Some("deepseek-Chat");
    assert_eq!(family.turn(&turn), Decision::Accept);
    retry(family.turn(&deepseek));

    let mut by_use = built(json!({"reset_on": "use"}));
    by_use.turn(&turn);
    by_use.turn(&calls("read"));
    assert_eq!(by_use.count(), 0);

    let mut errors = built(json!({"count_tool_errors": true, "mistake_limit": 2}));
    assert_eq!(errors.tool_result(false), None);
    assert_eq!(errors.tool_result(false).unwrap().reason, Reason::ToolErrors);
}

#[test]
fn what_cannot_be_built() {
    for (config, said) in [
        (json!(3), "config: invalid type: integer `3`, expected an object"),
        (json!([true, 1]), "config: invalid type: sequence, expected an object"),
        (json!({"messages": ["x"]}), "config.messages: invalid type: sequence, expected an object"),
        (json!({"enabled": 1}), "config.enabled: invalid type: integer `1`, expected a boolean"),
        (json!({"mistake_limit": 0}), "config.mistake_limit: 0 is no limit: use 1 or more"),
        (json!({"mistake_limit": -1}), "config.mistake_limit: invalid value: integer `-1`"),
        (
            json!({"mistake_limit": "3"}),
            "config.mistake_limit: invalid type: string \"3\", expected a whole number of 0 or more",
        ),
        (
            json!({"reset_on": "call"}),
            "config.reset_on: unknown variant `call`, expected `success` or `use`",
        ),
        (
            json!({"models": [{"match": "a", "enabled": true}, {"match": "x"}]}),
            "config.models[1]: missing field `enabled`",
        ),
        (json!({"limit": 3}), "config.limit: unknown field `limit`, expected one of `enabled`, "),
        (
            json!({"messages": {"no_tools": "x"}}),
            "config.messages.no_tools: unknown field `no_tools`, expected one of `no_tools_used`, ",
        ),
        (json!({"messages": {"escalate": 1}}), "config.messages.escalate: invalid type"),
    ] {
        let error = Guard::from_json(&config).unwrap_err();
        assert!(matches!(error, PolicyError::InvalidConfig(_)), "{error:?}");
        assert!(error.to_string().starts_with(said), "{config}: {error}");
    }

    let mut guard = Guard::default();
    guard.turn(&text("x"));
    let error = guard.choice(Choice::Abort).unwrap_err();
    assert!(error.to_string().contains("`abort` was not offered: choose one of continue, switch"));
    assert!(matches!(error, PolicyError::InvalidArgument(_)), "{error:?}");
    assert_eq!(guard.count(), 1);
    let error = "go".parse::<Choice>().unwrap_err();
    assert!(matches!(error, PolicyError::InvalidArgument(_)), "{error:?}");
    use Choice::*;
    for choice in [Continue, SwitchModel, AdjustInstructions, Rephrase, Manual, Abort] {
        assert_eq!(choice.to_string().parse(), Ok(choice));
    }
}

#[test]
fn the_state_survives_in_mid_conversation() {
    let config = json!({"mistake_limit": 2});
    let mut guard = Guard::from_json(&config).unwrap();
    guard.turn(&text("x"));
    guard.set_suspended(true);
    let stored = serde_json::to_string(&guard.snapshot()).unwrap();

    let mut later = Guard::from_json(&config).unwrap();
    later.restore(&serde_json::from_str(&stored).unwrap()).unwrap();
    assert_eq!(later.snapshot()["suspended"], true);
    assert_eq!(later.turn(&text("x")), Decision::Accept);
    later.set_suspended(false);
    assert!(matches!(later.turn(&text("x")), Decision::Escalate(_)));

    for wrong in [json!(null), json!({"count": 1}), json!({"count": -1, "suspended": false})] {
        let error = later.restore(&wrong).unwrap_err();
        assert!(matches!(error, PolicyError::InvalidArgument(_)), "{error:?}");
    }
    assert_eq!(later.count(), 2);
}

#[test]
fn a_clone_is_a_snapshot() {
    let mut guard = Guard::default();
    guard.turn(&text("x"));
    let mut clone = guard.clone();
    clone.turn(&text("x"));
    assert_eq!((guard.count(), clone.count()), (1, 2));
}

/// Two allowed calls in one message are no mistake.
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
