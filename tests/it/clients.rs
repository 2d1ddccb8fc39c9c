//! Agents in front of the example gateway, with a scripted model behind it: their requests and the answers that they get.
//! `codex-session.json`, `opencode-session.json` and `tool-runner.json` in `tests/clients` are recordings, the others are written
//! by hand. The recordings lack the agent's own prompts, and tools that no call names.

use std::process::{Command, Stdio};
use std::time::Duration;

use futures_util::TryStreamExt;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use toolstream::sse::Decoder;

use crate::examples::gateway;
use crate::examples::gateway::support::{Answer, Endpoint, post, serve};

const PATIENCE: Duration = Duration::from_secs(20);

/// The gateway in front of a scripted model.
struct Gateway {
    url: String,
    model: Endpoint,
}

impl Gateway {
    async fn before(script: Vec<Answer>) -> Gateway {
        let model = Endpoint::scripted(script).expect("a server");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let at = model.url.clone();
        tokio::spawn(serve(listener, move |path, body| gateway::answer(path, body, at.clone())));
        Gateway { url, model }
    }

    /// The requests that the model's server received.
    fn asked(&self) -> Vec<Value> {
        self.model.server.as_ref().expect("the scripted one").requests()
    }

    /// The events of an answer. An answer that was not asked for as a stream is the only one.
    async fn events(&self, path: &str, request: &Value) -> Vec<Value> {
        let mut body = post(&self.url, path, request).await.expect("an answer");
        let mut answer = Vec::new();
        while let Some(piece) = body.try_next().await.expect("a whole answer") {
            answer.extend_from_slice(&piece);
        }
        if request["stream"] != true {
            return vec![serde_json::from_slice(&answer).expect("JSON")];
        }
        let (mut decoder, mut events) = (Decoder::default(), Vec::new());
        decoder.feed(&answer, |data| {
            if data != b"[DONE]" {
                events.push(serde_json::from_slice(data).expect("an event"));
            }
        });
        events
    }
}

/// Plays a recording: compares each answer, and each request to the model.
async fn play(recording: &str) {
    let turns: Vec<Value> = serde_json::from_str(recording).expect("a recording");
    let script = turns.iter().map(|turn| Answer::chat(strings(&turn["model"])));
    let gateway = Gateway::before(script.collect()).await;
    for (at, turn) in turns.iter().enumerate() {
        let request = request(&turns, turn);
        let path = turn["path"].as_str().expect("a path");
        let events = tokio::time::timeout(PATIENCE, gateway.events(path, &request)).await;
        let events = events.expect("it ends in time");
        let says = match path {
            "/v1/responses" => said_in_responses(&events),
            "/v1/messages" => said_in_messages(&events),
            _ => said_in_a_chat(&events),
        };
        assert_eq!(says, turn["says"], "turn {at}");
        was_asked(&gateway.asked()[at], &turn["asked"]);
    }
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text"))
}

/// The request of a turn. Fields that it lacks are taken from the turn that `like` names.
fn request(turns: &[Value], turn: &Value) -> Value {
    let mut request = match turn["like"].as_u64() {
        Some(like) => turns[like as usize]["request"].clone(),
        None => json!({}),
    };
    let fields = request.as_object_mut().expect("a request");
    fields.extend(turn["request"].as_object().expect("a request").clone());
    request
}

/// Compares the messages that the model received: their roles, and parts of each.
fn was_asked(asked: &Value, expected: &Value) {
    assert!(asked["tools"].is_null() && asked["stream"] == true, "{asked}");
    let (asked, expected) = (asked["messages"].as_array(), expected.as_array());
    let (asked, expected) = (asked.expect("messages"), expected.expect("a list"));
    assert_eq!(asked.len(), expected.len(), "{asked:#?}");
    for (message, expected) in asked.iter().zip(expected) {
        assert_eq!(message["role"], expected[0], "{asked:#?}");
        let content = match message["content"].as_str() {
            Some(text) => text.to_string(),
            None => message["content"].to_string(),
        };
        let content = in_its_order(&content);
        for part in strings(expected).skip(1).map(in_its_order) {
            assert!(content.contains(&part), "{part:?} is not in {content}");
        }
    }
}

/// Returns a text whose lines of JSON have the order of this build: without `preserve_order` that of a sorted map.
fn in_its_order(text: &str) -> String {
    let written = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(value) if !cfg!(feature = "preserve_order") => value.to_string(),
        _ => line.to_string(),
    };
    text.lines().map(written).collect::<Vec<_>>().join("\n")
}

/// Returns the arguments as JSON, or `null` if they are no JSON.
fn read(arguments: &Value) -> Value {
    serde_json::from_str(arguments.as_str().expect("a text")).unwrap_or_default()
}

/// Returns the whole answer of the last event, and checks that the pieces before it say the same.
fn said_in_responses(events: &[Value]) -> Value {
    let last = events.last().expect("an event");
    assert!(last["type"].as_str().is_some_and(|kind| kind.starts_with("response.")), "{last}");
    let joined: String = events
        .iter()
        .filter(|event| event["type"] == "response.output_text.delta")
        .map(|event| event["delta"].as_str().expect("a text"))
        .collect();
    let (mut output, mut text, mut ids) = (Vec::new(), String::new(), Vec::new());
    for item in last["response"]["output"].as_array().expect("items") {
        let mut said = Map::new();
        for key in ["type", "namespace", "name", "input"] {
            said.extend(item.get(key).map(|value| (key.to_string(), value.clone())));
        }
        ids.extend(item.get("call_id").map(|id| id.as_str().expect("an id")));
        if let Some(arguments) = item.get("arguments") {
            said.insert("arguments".to_string(), read(arguments));
        }
        for key in ["content", "summary"] {
            if let Some(part) = item[key].as_array().and_then(|parts| parts.first()) {
                said.insert("text".to_string(), part["text"].clone());
            }
        }
        if item["type"] == "message" {
            text += said["text"].as_str().expect("a text");
        }
        output.push(Value::Object(said));
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((joined, ids.len()), (text, count), "each call has an id of its own");
    json!({"end": last["response"]["status"], "output": output})
}

fn said_in_a_chat(events: &[Value]) -> Value {
    let (mut text, mut calls, mut end) =
        (String::new(), Vec::<(Value, String)>::new(), Value::Null);
    for choice in events.iter().flat_map(|event| event["choices"].as_array().into_iter().flatten())
    {
        let delta = &choice["delta"];
        text += delta["content"].as_str().unwrap_or_default();
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            if call["id"].is_string() {
                calls.push((call["function"]["name"].clone(), String::new()));
            }
            let at = call["index"].as_u64().expect("an index") as usize;
            calls[at].1 += call["function"]["arguments"].as_str().unwrap_or_default();
        }
        if !choice["finish_reason"].is_null() {
            end = choice["finish_reason"].clone();
        }
    }
    let calls = calls.into_iter().map(|(name, arguments)| json!([name, read(&arguments.into())]));
    json!({"end": end, "text": text, "calls": calls.collect::<Vec<_>>()})
}

/// Reads a message, whole or as a stream whose blocks come one after another.
fn said_in_messages(events: &[Value]) -> Value {
    let (mut blocks, mut end) = (Vec::new(), Value::Null);
    for event in events {
        match event["type"].as_str().expect("a type") {
            "message" => {
                blocks = event["content"].as_array().expect("blocks").clone();
                end = event["stop_reason"].clone();
            }
            "content_block_start" => {
                assert_eq!(event["index"], blocks.len(), "{event}");
                blocks.push(event["content_block"].clone());
                blocks.last_mut().expect("a block")["json"] = "".into();
            }
            "content_block_delta" => {
                assert_eq!(event["index"], blocks.len() - 1, "{event}");
                let block = blocks.last_mut().expect("a block");
                for (key, piece) in [("text", "text"), ("json", "partial_json")] {
                    if let Some(piece) = event["delta"][piece].as_str() {
                        let before = block[key].as_str().expect("a text");
                        block[key] = format!("{before}{piece}").into();
                    }
                }
            }
            "content_block_stop" => {
                let block = blocks.last_mut().expect("a block");
                if block["type"] == "tool_use" {
                    block["input"] = read(&block["json"]);
                }
            }
            "message_delta" => end = event["delta"]["stop_reason"].clone(),
            other => assert!(["message_start", "message_stop"].contains(&other), "{event}"),
        }
    }
    let (mut text, mut calls, mut ids) = (String::new(), Vec::new(), Vec::new());
    for block in &blocks {
        text += block["text"].as_str().unwrap_or_default();
        if block["type"] == "tool_use" {
            calls.push(json!([block["name"], block["input"]]));
            ids.push(block["id"].as_str().expect("an id"));
        }
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), calls.len(), "each call has an id of its own");
    json!({"end": end, "text": text, "calls": calls})
}

/// Commands, a page in a result, a broken call with Codex's answer to it, and a patch as free text.
#[tokio::test]
async fn codex_runs_commands() {
    play(include_str!("../clients/codex-exec.json")).await;
}

/// Recorded with Codex 0.171.0, `codex exec`: a command that fails, an image, a tool of an MCP server, and a broken call after
/// which the model goes on.
#[tokio::test]
async fn codex_holds_a_session() {
    play(include_str!("../clients/codex-session.json")).await;
}

/// The tools of an MCP server are in a namespace, and their calls keep it.
#[tokio::test]
async fn codex_calls_an_mcp_server() {
    play(include_str!("../clients/codex-mcp.json")).await;
}

#[tokio::test]
async fn opencode_runs_commands_and_reads_an_image() {
    play(include_str!("../clients/opencode.json")).await;
}

/// Recorded with opencode 1.18.33, `opencode run`: a command that fails, an image that is read, and a broken call, which opencode
/// answers with a tool of its own.
#[tokio::test]
async fn opencode_holds_a_session() {
    play(include_str!("../clients/opencode-session.json")).await;
}

/// Recorded with anthropic 2.14.0, its tool runner: two calls, a broken call to which the runner answers with an error, and the end.
#[tokio::test]
async fn the_tool_runner_holds_a_session() {
    let recording = include_str!("../clients/tool-runner.json");
    play(recording).await;
    // With a stream its requests have one field more, and nothing else differs.
    let streamed = recording.replacen("\"max_tokens\"", "\"stream\": true, \"max_tokens\"", 1);
    assert_ne!(streamed, recording);
    play(&streamed).await;
}

/// Returns `TOOLSTREAM_PYTHON`, or `python3`, if it has Anthropic's client with its tool runner.
fn python() -> Option<String> {
    let python = std::env::var("TOOLSTREAM_PYTHON").unwrap_or_else(|_| "python3".into());
    let import = ["-c", "from anthropic import beta_tool"];
    let found = Command::new(&python).args(import).stderr(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        eprintln!("left out: there is no Python with anthropic");
    }
    found.then_some(python)
}

/// `pip install anthropic`: its runner runs two calls of one message, hears of a broken call, and comes to an end.
#[tokio::test]
async fn anthropics_tool_runner_comes_to_an_end() {
    let Some(python) = python() else { return };
    let call = |text: &str| {
        format!("<tool_call>\n{{\"name\": \"word_count\", \"arguments\": {text}}}\n</tool_call>\n")
    };
    let [one, two] = [r#"{"text": "Zoë is here"}"#, r#"{"text": "1 < 2"}"#].map(call);
    let script = vec![
        Answer::chat(["I co", "unt.\n", &one, &two]),
        Answer::chat([&*call("{\"text\": }")]),
        Answer::chat(["Three, and ", "three."]),
    ];
    let gateway = Gateway::before(script).await;
    let mut runner = Command::new(python);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/tool_runner.py");
    runner.args([script, &gateway.url]);
    let ran = tokio::task::spawn_blocking(move || runner.output()).await.unwrap().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let said = String::from_utf8(ran.stdout).unwrap();
    let said: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let counted = |text: &str| json!(["word_count", {"text": text}]);
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(
        said[0],
        json!({"text": "I count.\n", "calls": [counted("Zoë is here"), counted("1 < 2")], "end": "tool_use"})
    );
    assert_eq!(said[1]["end"], "tool_use", "a broken call is no end");
    assert_eq!(said[2], json!({"text": "Three, and three.", "calls": [], "end": "end_turn"}));
    let asked = gateway.asked();
    // The request has the whole history each time: this gateway stores nothing.
    was_asked(
        &asked[1],
        &json!([
            ["system", "word_count"],
            ["user", "each?"],
            ["assistant", "Zoë is here"],
            ["user", "3"]
        ]),
    );
    let last = asked[2]["messages"].as_array().unwrap();
    assert_eq!(last.len(), 6, "{last:#?}");
    assert!(last[5]["content"].as_str().unwrap().contains("Error"), "{}", last[5]);
}

/// A request for something that a provider stores for its clients is refused, and the refusal says why.
#[tokio::test]
async fn what_is_stored_elsewhere_is_refused_in_words() {
    let gateway = Gateway::before(Vec::new()).await;
    for (path, field, code) in [
        ("/v1/messages", json!({"thread": {"type": "continue"}}), "thread_unsupported_request"),
        ("/v1/responses", json!({"previous_response_id": "resp_1"}), "previous_response_not_found"),
    ] {
        let mut request = json!({"model": "m", "messages": [], "input": []});
        request.as_object_mut().unwrap().extend(field.as_object().unwrap().clone());
        let refused = post(&gateway.url, path, &request).await.unwrap_err().to_string();
        assert!(refused.starts_with("400") && refused.contains(code), "{refused}");
        assert!(refused.contains("the whole history"), "{refused}");
    }
    assert!(gateway.asked().is_empty());
}
