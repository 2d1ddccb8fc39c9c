//! Each program against the scripted server: its output, and its requests.

use std::process::Command;

use serde_json::Value;
use toolstream_clients::{Answer, Endpoint, script};

const ASYNC_OPENAI: &str = env!("CARGO_BIN_EXE_with_async_openai");
const REQWEST: &str = env!("CARGO_BIN_EXE_with_reqwest");
const RIG: &str = env!("CARGO_BIN_EXE_with_rig");
const PROGRAMS: [&str; 3] = [ASYNC_OPENAI, REQWEST, RIG];

/// Runs a program, and returns its output. Its server ends after a minute, and the program with it.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn each_runs_the_call_and_prints_the_answer() {
    for program in PROGRAMS {
        let output = output(program, &[]);
        assert!(
            output.ends_with("[word_count: 3]\nZoë, there are 3 words.\n"),
            "{program}: {output}"
        );
        assert!(!output.contains("tool_call"), "{program}: {output}");
    }
}

#[test]
fn the_model_reads_and_writes_text_alone() {
    for program in PROGRAMS {
        let at = Endpoint::scripted(script()).expect("a server");
        output(program, &["--base-url", &at.url]);
        let requests = at.server.as_ref().expect("the scripted one").requests();
        assert_eq!(requests.len(), 2, "{program}");
        for request in &requests {
            assert!(request["tools"].is_null(), "{program}: {request}");
        }
        let said: Vec<[&str; 2]> = messages(&requests[1]);
        let [[system, prompt], [user, question], call, result] = said[..] else {
            panic!("{program}: {said:?}");
        };
        assert_eq!([system, user], ["system", "user"], "{program}");
        assert!(prompt.contains("word_count") && question.contains("Zoë"), "{program}: {said:?}");
        assert_eq!(call[0], "assistant", "{program}");
        let arguments = "<tool_call>\n{\"name\": \"word_count\", \"arguments\": {\"text\": \"Zoë is here\"}}\n</tool_call>";
        assert_eq!(call[1], format!("I count.\n{arguments}"), "{program}");
        assert_eq!(result, ["user", "<tool_response>\n3\n</tool_response>"], "{program}");
    }
}

/// Returns the script with a cut call in front.
fn cut_at_first() -> Endpoint {
    let cut = ["<tool_call>\n{\"name\": \"word_count\", \"arguments\": {\"text\": \"Zo"];
    Endpoint::scripted([Answer::too_long(cut)].into_iter().chain(script())).expect("a server")
}

#[test]
fn a_call_that_was_cut_is_asked_for_again() {
    for program in [ASYNC_OPENAI, REQWEST] {
        let at = cut_at_first();
        let output = output(program, &["--base-url", &at.url]);
        assert!(
            output.ends_with("[word_count: 3]\nZoë, there are 3 words.\n"),
            "{program}: {output}"
        );
        let requests = at.server.as_ref().expect("the scripted one").requests();
        assert_eq!(requests.len(), 3, "{program}");
        let [.., [role, asked]] = messages(&requests[1])[..] else { panic!("no messages") };
        assert!(role == "user" && asked.contains("cut off"), "{program}: {asked}");
    }
}

/// rig takes an answer that is too long for an error.
#[test]
fn a_call_that_was_cut_does_not_run_in_rig() {
    let at = cut_at_first();
    let output = Command::new(RIG).args(["--base-url", &at.url]).output().expect("it starts");
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("finish_reason=Length"), "{output:?}");
}

/// Returns role and text of each message.
fn messages(request: &Value) -> Vec<[&str; 2]> {
    let messages = request["messages"].as_array().expect("messages");
    messages.iter().map(|message| ["role", "content"].map(|key| text(&message[key]))).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}
