//! The examples, each against the scripted server: what they print, and what they ask.
#![allow(clippy::duplicate_mod, reason = "each example has the support as a module of its own")]

#[allow(dead_code)]
#[path = "../examples/agent_loop.rs"]
mod agent_loop;
#[allow(dead_code)]
#[path = "../examples/native_loop.rs"]
mod native_loop;
#[allow(dead_code)]
#[path = "../examples/stream.rs"]
mod stream;

use std::time::Duration;

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(20);

/// What the example prints against its script, how it ends, and the requests that it sends.
macro_rules! run {
    ($example:ident, $script:expr) => {{
        let endpoint = $example::support::Endpoint::scripted($script).expect("a server");
        let mut out = Vec::new();
        let example = tokio::time::timeout(PATIENCE, $example::run(&endpoint, &mut out));
        let end = example.await.expect("it ends in time");
        let requests = endpoint.server.as_ref().expect("the scripted one").requests();
        (String::from_utf8(out).expect("text"), end.map_err(|error| error.to_string()), requests)
    }};
}

#[tokio::test]
async fn agent_loop_runs_one_call_a_message_until_there_is_none() {
    let (out, end, requests) = run!(agent_loop, agent_loop::support::scripts::text());
    assert_eq!(end, Ok(()));
    // The line break between the two calls is text, too.
    assert_eq!(
        out,
        "I count: is 1 < 2?\n\n[word_count: cut off: again, please]\n\
         Again.\n\n\n[word_count: 3]\n\
         Zoë, there are 3 words."
    );
    let contents = |request: &Value| -> Vec<String> {
        let messages = request["messages"].as_array().expect("messages");
        messages.iter().map(|message| message["content"].as_str().unwrap().to_string()).collect()
    };
    let contents: Vec<_> = requests.iter().map(contents).collect();
    assert_eq!(contents.iter().map(Vec::len).collect::<Vec<_>>(), [2, 4, 6]);
    assert!(contents[0][0].contains("word_count"), "the prompt names the tool");
    assert!(contents[2][3].contains("cut off"), "{:?}", contents[2]);
    assert_eq!(
        contents[2][4], "Again.\n<word_count>\n<text>Zoë is here</text>\n</word_count>\n",
        "the model sees its call again, and nothing of the surplus one"
    );
    assert!(contents[2][5].contains('3'), "{:?}", contents[2]);
}

#[tokio::test]
async fn native_loop_answers_every_call() {
    let (out, end, requests) = run!(native_loop, native_loop::support::scripts::anthropic());
    assert_eq!(end, Ok(()));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[2]), (3, "Both, Zoë.", "3 and 2 words."));
    let results = json!([
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "3", "is_error": false},
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": "2", "is_error": false},
    ]);
    assert_eq!(serde_json::from_str::<Value>(lines[1]).unwrap(), results);
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[1]["messages"][2]["content"], results);
    assert_eq!(
        requests[1]["messages"][1]["content"],
        json!([
            {"type": "text", "text": "Both, Zoë."},
            {"type": "tool_use", "id": "toolu_1", "name": "word_count",
                "input": {"text": "Zoë is here"}},
            {"type": "tool_use", "id": "toolu_2", "name": "word_count",
                "input": {"text": "two words"}},
        ])
    );
}

#[tokio::test]
async fn stream_prints_events_and_the_message() {
    let script = stream::support::scripts::text().split_off(1);
    let (out, end, _) = run!(stream, script);
    assert_eq!(end, Ok(()));
    let events: Vec<Value> =
        out.lines().map_while(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(events.last().unwrap()["type"], "tool_limit_reached", "{out}");
    let joined = |of: &str| -> String {
        let events = events.iter().filter(|event| event["type"] == of);
        events.map(|event| event["text"].as_str().unwrap()).collect()
    };
    assert_eq!((&*joined("text_content"), &*joined("param_delta")), ("Again.\n\n", "Zoë is here"));
    let message = out.lines().skip(events.len()).collect::<Vec<_>>().join("\n");
    let message: Value = serde_json::from_str(&message).expect("the message");
    assert_eq!(message["content"][1]["input"], json!({"text": "Zoë is here"}));
    assert_eq!(message["finish"], "tool_limit_reached");
}

#[tokio::test]
async fn a_connection_that_breaks_and_a_server_that_refuses_are_errors() {
    use agent_loop::support::Answer;

    let answer = Answer::chat(["Zoë is ", "here"]);
    let (out, end, _) = run!(agent_loop, [answer.clone().cut_behind("Zoë is ")]);
    assert!(end.is_err());
    assert_eq!(out, "", "the event that was cut says nothing");
    let (out, end, _) =
        run!(agent_loop, [answer.cut_behind("Zoë is \"},\"finish_reason\":null}]}\n\n")]);
    assert!(end.is_err());
    assert_eq!(out, "Zoë is ", "what came before the cut was shown");

    let (_, end, requests) = run!(agent_loop, [Answer::raw("slow down").status(429)]);
    assert_eq!(end, Err("429 Too Many Requests: slow down".to_string()));
    assert_eq!(requests.len(), 1);
    let (_, end, _) = run!(agent_loop, []);
    assert_eq!(end, Err("500 Internal Server Error: no answer is left".to_string()));
}
