//! The examples, each against the scripted server: their output, and their requests.
#![allow(clippy::duplicate_mod, reason = "each example has the support as a module of its own")]

#[allow(dead_code)]
#[path = "../../examples/agent_loop.rs"]
mod agent_loop;
#[allow(dead_code)]
#[path = "../../examples/gateway.rs"]
pub mod gateway;
#[allow(dead_code)]
#[path = "../../examples/native_loop.rs"]
mod native_loop;
#[allow(dead_code)]
#[path = "../../examples/stream.rs"]
mod stream;

use std::process::{Command, Stdio};
use std::time::Duration;

use async_openai::types::chat::{
    ChatCompletionMessageToolCalls, CreateChatCompletionResponse,
    CreateChatCompletionStreamResponse, FinishReason,
};
use futures_util::TryStreamExt;
use gateway::support::{Answer, Endpoint};
use serde_json::{Value, json};
use toolstream::native::Provider;
use toolstream::sse::Decoder;

const PATIENCE: Duration = Duration::from_secs(20);

/// Runs an example against its script. Returns its output, its result, and its requests.
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
    assert_eq!(lines, ["Both, Zoë.", "Ok(\"3\")", "", "Ok(\"2\")", "3 and 2 words."]);
    let results = json!([
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "3"},
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": "2"},
    ]);
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
    let (out, end, _) = run!(agent_loop, [answer.clone().cut_after("Zoë is ")]);
    assert!(end.is_err());
    assert_eq!(out, "", "the event that was cut says nothing");
    let (out, end, _) = run!(agent_loop, [answer.cut_after_event("Zoë is \"")]);
    assert!(end.is_err());
    assert_eq!(out, "Zoë is ", "what came before the cut was shown");

    let (_, end, requests) = run!(agent_loop, [Answer::raw("slow down").status(429)]);
    assert_eq!(end, Err("429 Too Many Requests: slow down".to_string()));
    assert_eq!(requests.len(), 1);
    let (_, end, _) = run!(agent_loop, []);
    assert_eq!(end, Err("500 Internal Server Error: no answer is left".to_string()));
}

// The gateway, as a client sees it.

/// An answer that a client has read with the types of a client crate.
#[derive(Debug, Default)]
struct Said {
    content: String,
    /// Id, name and arguments.
    calls: Vec<[String; 3]>,
    finish: Option<FinishReason>,
}

impl Said {
    fn chunk(&mut self, chunk: CreateChatCompletionStreamResponse) {
        for choice in chunk.choices {
            assert_eq!(self.finish, None, "nothing comes after the end");
            self.content += &choice.delta.content.unwrap_or_default();
            for call in choice.delta.tool_calls.into_iter().flatten() {
                let function = call.function.expect("a function");
                if let Some((id, name)) = call.id.zip(function.name) {
                    self.calls.push([id, name, String::new()]);
                }
                assert_eq!(call.index as usize + 1, self.calls.len());
                self.calls.last_mut().unwrap()[2] += &function.arguments.unwrap_or_default();
            }
            self.finish = choice.finish_reason;
        }
    }

    fn whole(mut answer: CreateChatCompletionResponse) -> Said {
        let choice = answer.choices.remove(0);
        let calls = choice.message.tool_calls.unwrap_or_default().into_iter().map(|call| {
            let ChatCompletionMessageToolCalls::Function(call) = call else { panic!("{call:?}") };
            [call.id, call.function.name, call.function.arguments]
        });
        let content = choice.message.content.unwrap_or_default();
        Said { content, calls: calls.collect(), finish: choice.finish_reason }
    }
}

/// A gateway in front of a scripted server.
struct Gateway {
    url: String,
    upstream: Endpoint,
}

impl Gateway {
    async fn before(script: impl IntoIterator<Item = Answer>) -> Gateway {
        let upstream = Endpoint::scripted(script).expect("a server");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let at = upstream.url.clone();
        let answer = move |path, request| gateway::answer(path, request, at.clone());
        tokio::spawn(gateway::support::serve(listener, answer));
        Gateway { url, upstream }
    }

    async fn ask(&self, messages: &[Value], stream: bool) -> Result<Said, String> {
        let tool = toolstream::Tool::new("word_count")
            .param(toolstream::Param::required("text").with(toolstream::tools::Type::String));
        let request = json!({"model": "m", "stream": stream, "temperature": 0.5,
            "tools": [tool.to_request(Provider::OpenAiChat)], "messages": messages});
        let body = gateway::support::post(&self.url, "/v1/chat/completions", &request).await;
        let mut body = body.map_err(|error| error.to_string())?;
        let (mut bytes, mut decoder, mut said) = (Vec::new(), Decoder::default(), Said::default());
        let mut done = false;
        while let Some(piece) = body.try_next().await.map_err(|error| error.to_string())? {
            bytes.extend_from_slice(&piece);
            decoder.feed(&piece, |data| match data {
                b"[DONE]" => done = true,
                data if stream => said.chunk(serde_json::from_slice(data).expect("a chunk")),
                _ => {}
            });
        }
        assert_eq!(done, stream);
        Ok(match stream {
            true => said,
            false => Said::whole(serde_json::from_slice(&bytes).expect("a completion")),
        })
    }
}

fn arguments(said: &Said) -> Option<Value> {
    serde_json::from_str(&said.calls[0][2]).ok()
}

#[tokio::test]
async fn gateway_says_its_own_question() {
    let (out, end, _) = run!(gateway, gateway::support::scripts::hermes());
    assert_eq!(end, Ok(()));
    assert_eq!(out.matches("tool_calls\"}").count(), 2, "{out}");
}

#[tokio::test]
async fn a_gateway_takes_two_turns() {
    const CALL: &str =
        "<tool_call>\n{\"name\": \"word_count\", \"arguments\": {'text': 'Zoë is',}}";
    for stream in [true, false] {
        let script = [
            Answer::chat(["<think>\nHm</think>\nI co", "unt.\n\n", CALL, "\n</tool_call>\n"]),
            Answer::chat(["Two wo", "rds."]),
        ];
        let gateway = Gateway::before(script).await;
        let mut messages = vec![json!({"role": "user", "content": "How many?"})];
        let said = gateway.ask(&messages, stream).await.unwrap();
        assert_eq!((&*said.content, said.finish), ("I count.\n\n", Some(FinishReason::ToolCalls)));
        let [[id, name, _]] = &*said.calls else { panic!("{said:?}") };
        assert_eq!((&**name, arguments(&said)), ("word_count", Some(json!({"text": "Zoë is"}))));

        messages.push(json!({"role": "assistant", "content": said.content, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": said.calls[0][2]}},
        ]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": "2"}));
        let said = gateway.ask(&messages, stream).await.unwrap();
        assert_eq!((&*said.content, said.calls.len()), ("Two words.", 0));
        assert_eq!(said.finish, Some(FinishReason::Stop));

        let asked = gateway.upstream.server.as_ref().unwrap().requests();
        assert_eq!((asked.len(), &asked[1]["temperature"]), (2, &json!(0.5)));
        assert!(
            asked.iter().all(|request| request["stream"] == true && request["tools"].is_null())
        );
        let messages = asked[1]["messages"].as_array().unwrap();
        let said = |at: usize| messages[at]["content"].as_str().unwrap();
        assert!(said(0).contains("word_count") && messages.len() == 4);
        assert!(said(2).starts_with("I count.\n\n<tool_call>") && said(2).contains("Zoë is"));
        assert!(said(3).contains("<tool_response>") && said(3).contains('2'));
    }
}

#[tokio::test]
async fn a_gateway_hands_out_no_broken_call_as_a_whole_one() {
    const NAME: &str = "<tool_call>{\"name\": \"wo";
    const HALF: &str = "rd_count\", \"arguments\": {\"text\": \"rm -rf ./build";
    const REST: &str = "-old\"}}";
    let broken = "rd_count\", \"arguments\": {\"text\": oops}}</tool_call>";
    let call = Answer::chat(["I count.\n", NAME, HALF, REST, "</tool_call>"]);
    // The connection breaks after the chunk with this end.
    let dropped = |end: &str| call.clone().cut_after_event(&format!("{end}\""));
    for (case, answer, calls, whole) in [
        ("broken", Answer::chat(["I count.\n", NAME, broken]), [1, 1], None),
        ("dropped in the name", dropped("wo"), [0, 0], None),
        // A cut call is not sent unless bytes of it had to leave before the cut.
        ("dropped in the arguments", dropped("./build"), [1, 0], None),
        ("too long", Answer::too_long(["I count.\n", NAME, HALF]), [1, 0], None),
        // Only the closer is missing.
        ("dropped after", dropped("}}"), [1, 1], Some(json!({"text": "rm -rf ./build-old"}))),
    ] {
        for stream in [true, false] {
            let gateway = Gateway::before([answer.clone()]).await;
            let messages = [json!({"role": "user", "content": "Go."})];
            let said = gateway.ask(&messages, stream).await.unwrap();
            assert_eq!(said.content, "I count.\n", "{case}");
            // The model has ended its answer, and hears of the mistake in it.
            let finish =
                if case == "broken" { FinishReason::ToolCalls } else { FinishReason::Length };
            assert_eq!(said.finish, Some(finish), "{case}");
            let sent = calls[usize::from(!stream)];
            assert_eq!(said.calls.len(), sent, "{case}: {said:?}");
            assert!(sent == 0 || arguments(&said) == whole, "{case}: {said:?}");
        }
    }
}

#[tokio::test]
async fn a_gateway_says_whose_fault_it_is() {
    let gateway = Gateway::before([Answer::raw("slow down").status(429)]).await;
    let user = json!({"role": "user", "content": "Go."});
    let refused = gateway.ask(std::slice::from_ref(&user), true).await.unwrap_err();
    assert!(refused.starts_with("502") && refused.contains("slow down"), "{refused}");
    // The index in the error is the client's own, whatever messages the gateway puts in front.
    let refused = gateway.ask(&[user, json!(3)], true).await.unwrap_err();
    assert!(refused.starts_with("400") && refused.contains("messages[1] must be"), "{refused}");
}

/// Returns the Python interpreter, if it has the packages. `TOOLSTREAM_PYTHON` names another interpreter.
fn python(packages: &str) -> Option<String> {
    let python = std::env::var("TOOLSTREAM_PYTHON").unwrap_or_else(|_| "python3".into());
    let import = format!("import {packages}");
    let found = Command::new(&python).args(["-c", &import]).stderr(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        eprintln!("left out: there is no Python with {packages}");
    }
    found.then_some(python)
}

/// Runs a script that asks this gateway, and returns its output.
async fn asks(python: String, script: &str, gateway: &Gateway) -> Vec<Value> {
    let mut client = Command::new(python);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/");
    client.args([folder.to_string() + script, gateway.url.clone()]);
    let ran = tokio::task::spawn_blocking(move || client.output()).await.unwrap().unwrap();
    let out = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `pip install openai anthropic`: in three protocols, streamed and whole, every client reads the same answers.
#[tokio::test]
async fn the_official_clients_of_all_protocols_have_the_same() {
    let Some(python) = python("openai, anthropic") else { return };
    let call = |text: &str| {
        format!("<tool_call>{{\"name\": \"word_count\", \"arguments\": {text}}}</tool_call>\n")
    };
    let [one, two] = ["{'text': 'Zoë is',}", "{\"text\": \"1 < 2\"}"].map(call);
    let answers = [
        Answer::chat(["I co", "unt.\n", &one]),
        Answer::chat(["\n", &one, "\n\n", &two]),
        Answer::chat(["<think>\nHm", ".</think>\nTwo wo", "rds."]),
        Answer::chat([&*one, &call("{\"text\": oops}")]),
        Answer::too_long(["So:\n", "<tool_call>{\"name\": \"word_count\", \"arguments\": {\"te"]),
    ];
    let count = json!(["word_count", {"text": "Zoë is"}]);
    let half = json!(["word_count", null]);
    let expected = [
        ("one", "I count.\n", "", vec![count.clone()]),
        ("parallel", "", "", vec![count.clone(), json!(["word_count", {"text": "1 < 2"}])]),
        ("reasoning", "Two words.", "\nHm.", vec![]),
        ("broken", "", "", vec![count.clone(), half.clone()]),
        ("cut", "So:\n", "", vec![half]),
    ];
    let gateway = Gateway::before(vec![answers; 6].concat()).await;
    let told = asks(python, "clients.py", &gateway).await;
    assert_eq!(told.len(), 30);
    for (told, number) in told.iter().zip(0..) {
        let (case, content, reasoning, calls) = &expected[number % 5];
        let ends = match told["protocol"].as_str() {
            Some("chat") => ["tool_calls", "stop", "length"],
            Some("responses") => ["completed", "completed", "incomplete"],
            _ => ["tool_use", "end_turn", "max_tokens"],
        };
        let end = [0, 0, 1, 0, 2][number % 5];
        let (streams, protocol) = (told["stream"] == true, &told["protocol"]);
        let mut calls = calls.clone();
        // A cut call is left out unless bytes of it had to leave before the cut. Responses always have it.
        if end == 2 && !(streams && protocol == "chat" || protocol == "responses") {
            calls.clear();
        }
        // In Anthropic's protocol the input of a broken call must be an object.
        if *case == "broken" && protocol == "messages" {
            calls[1][1] = json!({"INVALID_JSON": "{\"text\":,]"});
        }
        assert_eq!(told["case"], *case);
        assert_eq!(
            (&told["content"], &told["reasoning"]),
            (&json!(content), &json!(reasoning)),
            "{told}"
        );
        assert_eq!((&told["calls"], &told["end"]), (&json!(calls), &json!(ends[end])), "{told}");
    }
}

/// `pip install openai`: the client that most people have reads the answers of a gateway.
#[tokio::test]
async fn the_official_client_reads_a_gateway() {
    let Some(python) = python("openai") else { return };
    const CALL: &str = "<tool_call>{\"name\": \"word_count\", \"arguments\": {'text': 'Zoë is',}}";
    const BROKEN: &str = "<tool_call>{\"name\": \"word_count\", \"arguments\": {\"text\": oops}}";
    let turns = [
        Answer::chat(["I co", "unt.\n", CALL, "</tool_call>"]),
        Answer::chat(["Two wo", "rds."]),
        Answer::chat(["Again.\n", BROKEN, "</tool_call>"]),
    ];
    let gateway = Gateway::before([turns.clone(), turns].concat()).await;
    let said = asks(python, "openai_client.py", &gateway).await;
    let call = json!({"content": "I count.\n", "finish": "tool_calls",
        "calls": [["word_count", {"text": "Zoë is"}]]});
    let answer = json!({"content": "Two words.", "finish": "stop", "calls": []});
    let once = [call, answer, json!("no JSON")];
    assert_eq!(said, [once.clone(), once].concat());
}
