//! The messages of Codex, opencode and Anthropic's tool runner: the recordings in `tests/clients`, beside the library's tests,
//! played against the gateway.

use serde_json::{Map, Value, json};

use crate::support::{Gateway, MESSAGES, RESPONSES, Said, chat, said, streamed};

/// Each answer is the recorded one, and the request to the model, too.
async fn play(recording: &str) {
    let turns: Vec<Value> = serde_json::from_str(recording).expect("a recording");
    let script = turns.iter().map(|turn| chat(texts(&turn["model"])));
    let gateway = Gateway::before(script.collect::<Vec<_>>()).await;
    for (at, turn) in turns.iter().enumerate() {
        let path = turn["path"].as_str().expect("a path");
        let request = request(&turns, turn);
        let (says, text) = if request["stream"] == true {
            let (events, text) = gateway.stream(path, &request).await;
            let says = match path {
                RESPONSES => said_in_responses(&events),
                _ => of_a_turn(streamed(path, &events)),
            };
            (says, text)
        } else {
            let (status, answer) = gateway.json(path, &request).await;
            assert_eq!((status.as_u16(), path), (200, MESSAGES), "{answer}");
            (of_a_turn(said(path, &answer)), answer.to_string())
        };
        assert_eq!(says, turn["says"], "turn {at}: {text}");
        was_asked(&gateway.upstream.asked()[at], &turn["asked"]);
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text"))
}

/// A turn without some fields has those of the turn that it resembles.
fn request(turns: &[Value], turn: &Value) -> Value {
    let like = turn["like"].as_u64().map(|like| turns[like as usize]["request"].clone());
    let mut request = like.unwrap_or_else(|| json!({}));
    let fields = request.as_object_mut().expect("a request");
    fields.extend(turn["request"].as_object().expect("a request").clone());
    request
}

/// The roles of the messages that the model had, and parts of each.
fn was_asked(asked: &Value, expected: &Value) {
    let (asked, expected) = (asked["messages"].as_array().unwrap(), expected.as_array().unwrap());
    assert_eq!(asked.len(), expected.len(), "{asked:#?}");
    for (message, expected) in asked.iter().zip(expected) {
        assert_eq!(message["role"], expected[0], "{asked:#?}");
        let content = &message["content"];
        let content = content.as_str().map_or_else(|| content.to_string(), str::to_string);
        for part in texts(expected).skip(1) {
            assert!(content.contains(part), "{part:?} is not in {content}");
        }
    }
}

fn said_in_responses(events: &[Value]) -> Value {
    let last = &events.last().expect("an event")["response"];
    let mut output = Vec::new();
    for item in last["output"].as_array().expect("items") {
        let mut said = Map::new();
        for key in ["type", "namespace", "name", "input"] {
            said.extend(item.get(key).map(|value| (key.to_string(), value.clone())));
        }
        if let Some(arguments) = item["arguments"].as_str() {
            let read = serde_json::from_str(arguments).unwrap_or_default();
            said.insert("arguments".to_string(), read);
        }
        for key in ["content", "summary"] {
            if let Some(part) = item[key].as_array().and_then(|parts| parts.first()) {
                said.insert("text".to_string(), part["text"].clone());
            }
        }
        output.push(Value::Object(said));
    }
    json!({"end": last["status"], "output": output})
}

/// Text, calls and end of a chat or a message.
fn of_a_turn(said: Said) -> Value {
    let calls = said.calls.into_iter().map(|(name, arguments, _)| json!([name, arguments]));
    json!({"end": said.end, "text": said.text, "calls": calls.collect::<Vec<_>>()})
}

#[tokio::test]
async fn codex_runs_commands() {
    play(include_str!("../../../tests/clients/codex-exec.json")).await;
}

#[tokio::test]
async fn codex_holds_a_session() {
    play(include_str!("../../../tests/clients/codex-session.json")).await;
}

#[tokio::test]
async fn codex_calls_an_mcp_server() {
    play(include_str!("../../../tests/clients/codex-mcp.json")).await;
}

#[tokio::test]
async fn opencode_runs_commands_and_reads_an_image() {
    play(include_str!("../../../tests/clients/opencode.json")).await;
}

#[tokio::test]
async fn opencode_holds_a_session() {
    play(include_str!("../../../tests/clients/opencode-session.json")).await;
}

#[tokio::test]
async fn the_tool_runner_holds_a_session() {
    let recording = include_str!("../../../tests/clients/tool-runner.json");
    play(recording).await;
    // With a stream its requests have one field more, and nothing else differs.
    let streamed = recording.replacen("\"max_tokens\"", "\"stream\": true, \"max_tokens\"", 1);
    assert_ne!(streamed, recording);
    play(&streamed).await;
}
