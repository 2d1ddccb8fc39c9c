//! A server that breaks off at any byte, long arguments, and mistakes in a call.

use futures_util::future::join_all;
use serde_json::json;

use crate::errors::failed;
use crate::passing::{NATIVE, frames};
use crate::support::{ALL, CHAT, Gateway, MESSAGES, Reply, call, chat, request, said, streamed};

/// Wherever the connection breaks, the client gets an error. Only behind `[DONE]` it is an answer.
#[tokio::test]
async fn cut_at_every_byte() {
    let whole = chat(["I look.\n<tool", &call("Oslo")[5..]]);
    let done = whole.body.windows(6).position(|bytes| bytes == b"[DONE]").expect("an end") + 6;
    for path in ALL {
        for begin in (0..whole.body.len()).step_by(32) {
            let cuts = begin..(begin + 32).min(whole.body.len());
            join_all(cuts.map(|cut| cut_there(path, whole.clone().cut(cut), cut > done))).await;
        }
    }
}

/// Chunks that pass as the server sent them, and answers in one piece.
#[tokio::test]
async fn cut_at_every_byte_of_what_passes() {
    let body = frames(&NATIVE);
    let done = body.find("[DONE]").expect("an end") + 6;
    for begin in (0..body.len()).step_by(32) {
        let cuts = begin..(begin + 32).min(body.len());
        join_all(cuts.map(|cut| cut_there(CHAT, Reply::sse(body.clone()).cut(cut), cut > done)))
            .await;
    }
    let answer = json!({"choices": [{"index": 0, "finish_reason": "stop", "message":
        {"role": "assistant", "content": call("Zürich")}}]});
    let body = answer.to_string();
    for path in ALL {
        for cut in 0..body.len() {
            let reply = Reply::status(200, body.clone()).cut(cut);
            let gateway = Gateway::before([reply]).await;
            let (status, answer) = gateway.json(path, &request(path, false)).await;
            assert_eq!(status, 502, "{path} cut at {cut}: {answer}");
        }
    }
}

async fn cut_there(path: &str, reply: Reply, ended: bool) {
    let gateway = Gateway::before([reply]).await;
    let (events, text) = gateway.stream(path, &request(path, true)).await;
    // The line of `[DONE]` counts once its end has come.
    match ended {
        true => assert_eq!(streamed(path, &events).calls.len(), 1, "{path}: {text}"),
        false => assert!(failed(path, &events, &text).contains("broke its answer off"), "{text}"),
    }
}

#[tokio::test]
async fn a_megabyte_of_arguments() {
    let city = "Zürich ".repeat(120_000);
    let city = city.trim_end();
    let text = call(city);
    let pieces: Vec<String> =
        text.chars().collect::<Vec<_>>().chunks(4096).map(|piece| piece.iter().collect()).collect();
    for path in ALL {
        for stream in [true, false] {
            let gateway = Gateway::before([chat(pieces.iter().map(|piece| &**piece))]).await;
            let request = request(path, stream);
            let said = match stream {
                true => streamed(path, &gateway.stream(path, &request).await.0),
                false => said(path, &gateway.json(path, &request).await.1),
            };
            assert_eq!(
                said.calls[0].1["city"].as_str().map(str::len),
                Some(city.len()),
                "{path} {stream}"
            );
        }
    }
}

/// The agent reports the mistake to the model: the answer does not count as truncated.
#[tokio::test]
async fn a_broken_call_is_one_of_calls() {
    let broken = "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": }}\n</tool_call>";
    for path in ALL {
        let gateway = Gateway::before([chat([broken]), chat([broken])]).await;
        let (_, answer) = gateway.json(path, &request(path, false)).await;
        let whole = said(path, &answer);
        let (events, _) = gateway.stream(path, &request(path, true)).await;
        let end = match path {
            CHAT => "tool_calls",
            MESSAGES => "tool_use",
            _ => "completed",
        };
        for said in [whole, streamed(path, &events)] {
            assert_eq!((said.calls.len(), &*said.end), (1, end), "{path}: {answer}");
            assert_ne!(said.calls[0].1, json!({"city": ""}));
        }
        assert_eq!(gateway.metric("broken_calls_total").await, 2);
        assert_eq!(gateway.metric("calls_total").await, 0);
    }
}

#[tokio::test]
async fn an_answer_without_end_is_ended() {
    let options = ["--model", "qwen3-8b", "--max-answer", "1"];
    let piece = "word ".repeat(2_000);
    let pieces: Vec<&str> = std::iter::repeat_n(&*piece, 300).collect();
    let gateway = Gateway::with(&options, [chat(pieces)]).await;
    let (events, text) = gateway.stream(CHAT, &request(CHAT, true)).await;
    assert!(failed(CHAT, &events, &text).contains("--max-answer"));
}
