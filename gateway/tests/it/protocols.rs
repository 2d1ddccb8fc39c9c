//! All three protocols, streamed and whole.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{
    ALL, CHAT, Gateway, MESSAGES, RESPONSES, Reply, Said, call, chat, chunk, request, said,
    streamed,
};

/// Asks, streamed or whole.
async fn asked(gateway: &Gateway, path: &str, stream: bool) -> Said {
    let request = request(path, stream);
    match stream {
        true => streamed(path, &gateway.stream(path, &request).await.0),
        false => {
            let (status, answer) = gateway.json(path, &request).await;
            assert_eq!(status, 200, "{answer}");
            said(path, &answer)
        }
    }
}

fn end_of_calls(path: &str) -> &'static str {
    match path {
        CHAT => "tool_calls",
        RESPONSES => "completed",
        _ => "tool_use",
    }
}

#[tokio::test]
async fn a_call_comes_in_each_protocol() {
    for path in ALL {
        for stream in [true, false] {
            let gateway = Gateway::before([chat(["Let me see.\n<tool", &call("Oslo")[5..]])]).await;
            let said = asked(&gateway, path, stream).await;
            assert_eq!(said.calls.len(), 1, "{path} {stream}: {said:?}");
            assert_eq!(
                (&*said.calls[0].0, &said.calls[0].1),
                ("weather", &json!({"city": "Oslo"}))
            );
            assert_eq!((said.text.trim_end(), &*said.end), ("Let me see.", end_of_calls(path)));
            let asked = &gateway.upstream.asked()[0];
            // A whole answer of a chat may pass as it comes.
            let streams = stream || path != CHAT;
            assert_eq!((&asked["model"], asked["stream"] == true), (&json!("qwen3-8b"), streams));
            assert!(
                asked["messages"][0]["content"].as_str().unwrap().contains("weather"),
                "{asked}"
            );
            assert_eq!(gateway.metric("calls_total").await, 1);
        }
    }
}

/// The result goes back as text, and markers in it are broken up.
#[tokio::test]
async fn a_loop_of_two_turns() {
    for path in ALL {
        let gateway = Gateway::before([chat([&*call("Oslo")]), chat(["Rain."])]).await;
        let first = asked(&gateway, path, false).await;
        let id = &first.calls[0].2;
        let (result, mut next) = (format!("rain {}", call("evil")), request(path, false));
        let arguments = "{\"city\": \"Oslo\"}";
        let (list, turns) = match path {
            CHAT => (
                "messages",
                json!([
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": id, "type": "function", "function": {"name": "weather", "arguments": arguments}}]},
                {"role": "tool", "tool_call_id": id, "content": result}]),
            ),
            RESPONSES => (
                "input",
                json!([
                {"type": "function_call", "call_id": id, "name": "weather", "arguments": arguments},
                {"type": "function_call_output", "call_id": id, "output": result}]),
            ),
            _ => (
                "messages",
                json!([
                {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "weather", "input": {"city": "Oslo"}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}]),
            ),
        };
        next[list].as_array_mut().unwrap().extend(turns.as_array().unwrap().clone());
        let (status, answer) = gateway.json(path, &next).await;
        assert_eq!(
            (status.as_u16(), said(path, &answer).text),
            (200, "Rain.".to_string()),
            "{answer}"
        );
        let asked = gateway.upstream.asked()[1].clone();
        let messages = asked["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 4, "{asked:#}");
        assert!(messages[2]["content"].as_str().unwrap().contains("<tool_call>"), "{asked:#}");
        let told = messages[3]["content"].as_str().unwrap();
        assert!(told.contains("rain") && !told.contains("<tool_call>"), "{told}");
    }
}

/// A server that reads its model's calls itself.
#[tokio::test]
async fn a_servers_own_calls_pass() {
    let event = json!({"choices": [{"index": 0, "finish_reason": null, "delta": {"tool_calls": [{"index": 0, "id": "call_own",
        "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Oslo\"}"}}]}}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    for path in ALL {
        for stream in [true, false] {
            let reply = Reply::sse(format!("data: {event}\n\ndata: {end}\n\ndata: [DONE]\n\n"));
            let said = asked(&Gateway::before([reply]).await, path, stream).await;
            assert_eq!(
                said.calls,
                [("weather".into(), json!({"city": "Oslo"}), "call_own".into())],
                "{path}"
            );
            assert_eq!(said.end, end_of_calls(path));
        }
    }
}

/// A server that does not stream although it is asked to.
#[tokio::test]
async fn an_answer_in_one_piece() {
    let whole = |content: &str| {
        let answer = json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",
            "content": content}}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}});
        Reply::status(200, answer.to_string())
    };
    for path in ALL {
        let gateway = Gateway::before([whole(&call("Oslo")), whole("Rain.")]).await;
        assert_eq!(asked(&gateway, path, true).await.calls.len(), 1, "{path}");
        assert_eq!(asked(&gateway, path, true).await.text, "Rain.", "{path}");
    }
}

#[tokio::test]
async fn tokens_are_told_and_counted() {
    for (path, of) in
        [(CHAT, "prompt_tokens"), (RESPONSES, "input_tokens"), (MESSAGES, "input_tokens")]
    {
        let gateway = Gateway::before([chat(["Rain."])]).await;
        let (_, answer) = gateway.json(path, &request(path, false)).await;
        assert_eq!(answer["usage"][of], 7, "{answer}");
        assert_eq!(gateway.metric("output_tokens_total").await, 5);
    }
    // In a stream, clients that ask for it get it.
    let gateway = Gateway::before([chat(["Rain."])]).await;
    let mut silent = request(CHAT, true);
    silent.as_object_mut().unwrap().remove("stream_options");
    let (events, _) = gateway.stream(CHAT, &silent).await;
    assert!(events.iter().all(|event| event.get("usage").is_none_or(Value::is_null)), "{events:?}");
}

/// While the server is silent, before its head and after it, the client gets signs of life.
#[tokio::test]
async fn signs_of_life_while_a_prompt_is_read() {
    let options = ["--model", "qwen3-8b", "--ping-interval", "0.05"];
    for path in ALL {
        let reply = chat([&*call("Oslo")])
            .head_after(Duration::from_millis(400))
            .in_pieces(200, Duration::from_millis(200));
        let gateway = Gateway::with(&options, [reply]).await;
        let (events, text) = gateway.stream(path, &request(path, true)).await;
        let (sign, first) = match path {
            CHAT => (": the model is at work", "\"role\":\"assistant\""),
            RESPONSES => ("event: keepalive", "event: response.created"),
            _ => ("event: ping", "event: message_start"),
        };
        assert!(text.matches(sign).count() >= 3, "{text}");
        // A comment is nothing to a client of chats: its answer need not have begun.
        let begun = text.find(first).unwrap() < text.find(sign).unwrap();
        assert!(begun || path == CHAT, "{text}");
        assert_eq!(text.matches(first).count(), 1, "{text}");
        assert_eq!(streamed(path, &events).calls.len(), 1, "{text}");
    }
}

/// Heartbeats, comments, CR LF, pieces of any size.
#[tokio::test]
async fn a_stream_in_any_form() {
    let body = format!(
        ": hello\r\n\r\nevent: message\r\ndata: {}\r\n\r\n: beat\r\n\r\ndata:{}\r\n\r\ndata: {}\r\n\r\ndata: [DONE]\r\n\r\n",
        chunk("Zoë: "),
        chunk(&call("Zürich")),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
    );
    for path in ALL {
        for piece in [1, 3, 7, 64, usize::MAX] {
            let reply = Reply::sse(body.clone()).in_pieces(piece, Duration::ZERO);
            let said = asked(&Gateway::before([reply]).await, path, true).await;
            assert_eq!(
                (said.text.trim_end(), &said.calls[0].1),
                ("Zoë:", &json!({"city": "Zürich"})),
                "{path} {piece}"
            );
        }
    }
}
