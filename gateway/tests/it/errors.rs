//! Errors, in the words of the client's protocol.

use axum::http::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{ALL, CHAT, Gateway, MESSAGES, RESPONSES, Reply, chunk, in_time, request};

#[tokio::test]
async fn the_servers_status_is_kept() {
    let error = |message: &str| json!({"error": {"message": message}}).to_string();
    for path in ALL {
        for (status, expected, openai, anthropic) in [
            (429, 429, "rate_limit_error", "rate_limit_error"),
            (401, 401, "authentication_error", "authentication_error"),
            (500, 500, "server_error", "api_error"),
            (503, if path == MESSAGES { 529 } else { 503 }, "server_error", "overloaded_error"),
            (529, if path == MESSAGES { 529 } else { 503 }, "server_error", "overloaded_error"),
            (302, 502, "server_error", "api_error"),
        ] {
            for stream in [true, false] {
                let reply = Reply::status(status, error("Not now.")).header("retry-after", "7");
                let gateway =
                    Gateway::before([reply.header("location", "http://127.0.0.1:1/")]).await;
                let response = gateway.post(path, &request(path, stream)).await;
                assert_eq!(response.status(), expected, "{path} {status}");
                assert_eq!(response.headers()["retry-after"], "7");
                let body: Value = response.json().await.unwrap();
                let kind = if path == MESSAGES { anthropic } else { openai };
                assert_eq!(
                    (&body["error"]["type"], &body["error"]["message"]),
                    (&json!(kind), &json!("Not now."))
                );
                assert_eq!(body["type"] == "error", path == MESSAGES, "{body}");
            }
        }
    }
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_recognised() {
    for body in [
        json!({"message": "This model's maximum context length is 4096 tokens. However, you requested 5000."}),
        json!({"message": "the request exceeds the available context size, try increasing it"}),
        json!({"error": {"message": "Too much.", "type": "exceed_context_size_error", "code": 400}}),
        json!({"error": {"message": "Zu viel, é.", "code": "context_length_exceeded"}}),
        json!({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096."}),
        json!({"error": {"message": "Please reduce the length of the messages or completion."}}),
    ] {
        for path in ALL {
            let reply = Reply::status(422, body.to_string());
            let gateway = Gateway::before([reply.clone(), reply]).await;
            let (status, body) = gateway.json(path, &request(path, false)).await;
            assert_eq!(status, 400);
            let (word, code) = (&body["error"]["message"], &body["error"]["code"]);
            match path {
                MESSAGES => {
                    assert!(word.as_str().unwrap().starts_with("prompt is too long"), "{body}")
                }
                _ => assert_eq!(code, "context_length_exceeded", "{body}"),
            }
            if path == RESPONSES {
                // Codex reads it only in a stream.
                let (events, text) = gateway.stream(path, &request(path, true)).await;
                failed(path, &events, &text);
                let error = &events.last().unwrap()["response"]["error"];
                assert_eq!(error["code"], "context_length_exceeded", "{text}");
            }
        }
    }
}

/// An answer that may be too long is no prompt that is: a client must not throw its history away.
#[tokio::test]
async fn too_many_tokens_of_an_answer_are_another_mistake() {
    let message = "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is \
                   64001 tokens and your request has 10 input tokens.";
    for path in ALL {
        let reply = Reply::status(400, json!({"error": {"message": message}}).to_string());
        let gateway = Gateway::before([reply]).await;
        let (status, body) = gateway.json(path, &request(path, true)).await;
        assert_eq!((status.as_u16(), &body["error"]["message"]), (400, &json!(message)));
        assert_ne!(body["error"]["code"], "context_length_exceeded");
    }
}

/// Clients tell by the code whether to try again.
#[tokio::test]
async fn the_servers_code_is_kept() {
    for (status, code) in [(429, "insufficient_quota"), (404, "model_not_found")] {
        let error = json!({"error": {"message": "No.", "type": "x", "code": code}});
        for path in ALL {
            let gateway = Gateway::before([Reply::status(status, error.to_string())]).await;
            let (answered, body) = gateway.json(path, &request(path, true)).await;
            let at = if path == MESSAGES { "/error/details/error_code" } else { "/error/code" };
            assert_eq!(
                (answered.as_u16(), body.pointer(at)),
                (status, Some(&json!(code))),
                "{body}"
            );
        }
    }
}

/// Returns the event of the error. Nothing behind it looks like an end.
pub fn failed(path: &str, events: &[Value], text: &str) -> String {
    let last = events.last().expect("an event");
    for end in [
        "\"finish_reason\":\"",
        "response.completed",
        "response.incomplete",
        "message_stop",
        "stop_reason\":\"",
    ] {
        assert!(!text.contains(end), "{text}");
    }
    let error = match path {
        CHAT => &last["error"]["message"],
        RESPONSES => {
            assert_eq!(
                (&last["type"], &last["response"]["status"]),
                (&json!("response.failed"), &json!("failed"))
            );
            &last["response"]["error"]["message"]
        }
        _ => {
            assert_eq!(last["type"], "error");
            &last["error"]["message"]
        }
    };
    error.as_str().unwrap_or_else(|| panic!("no error in {last}")).to_string()
}

#[tokio::test]
async fn an_error_in_a_stream_is_one_for_the_client() {
    let ends_with = |reason: &str| {
        let chunk = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
        format!("data: {chunk}\n\ndata: [DONE]\n\n")
    };
    let ends = [
        ("data: {\"error\": {\"message\": \"engine died\"}}\n\ndata: [DONE]\n\n", "engine died"),
        ("data: {wrong}\n\ndata: [DONE]\n\n", "what is no answer"),
        ("", "broke its answer off"),
        (&*ends_with("abort"), "`abort`"),
        (&*ends_with("error"), "`error`"),
        (&*ends_with("insufficient_system_resource"), "`insufficient_system_resource`"),
    ];
    for path in ALL {
        for (end, why) in ends {
            let reply = Reply::sse(format!("data: {}\n\n{end}", chunk("Hello")));
            let gateway = Gateway::before([reply.clone(), reply]).await;
            let (events, text) = gateway.stream(path, &request(path, true)).await;
            assert!(failed(path, &events, &text).contains(why), "{text}");
            let (status, body) = gateway.json(path, &request(path, false)).await;
            assert!(
                status == 502 && body["error"]["message"].as_str().unwrap().contains(why),
                "{body}"
            );
            assert_eq!(gateway.metric("failed_total").await, 2);
        }
    }
}

/// An error behind the first token has the kind that it has at the beginning of an answer.
#[tokio::test]
async fn an_error_in_a_stream_has_its_kind() {
    let too_long = "maximum context length is 4096 tokens";
    // The error; the kind and code of chats; the code of Responses; the kind of Messages.
    for (error, chat, code, responses, anthropic) in [
        (
            json!({"code": 429, "message": "Slowly."}),
            "rate_limit_error",
            json!("rate_limit_exceeded"),
            "rate_limit_exceeded",
            "rate_limit_error",
        ),
        (
            json!({"type": "rate_limit_error", "message": "Slowly."}),
            "rate_limit_error",
            json!("rate_limit_exceeded"),
            "rate_limit_exceeded",
            "rate_limit_error",
        ),
        (
            json!({"code": 503, "message": "Full."}),
            "server_error",
            Value::Null,
            "server_error",
            "overloaded_error",
        ),
        (
            json!({"type": "overloaded_error", "message": "Full."}),
            "server_error",
            Value::Null,
            "server_error",
            "overloaded_error",
        ),
        (
            json!({"code": 504, "message": "Late."}),
            "server_error",
            Value::Null,
            "server_error",
            "timeout_error",
        ),
        (
            json!({"code": 401, "message": "Who?"}),
            "authentication_error",
            json!("invalid_api_key"),
            "invalid_api_key",
            "authentication_error",
        ),
        (
            json!({"code": 400, "type": "BadRequestError", "message": too_long}),
            "invalid_request_error",
            json!("context_length_exceeded"),
            "context_length_exceeded",
            "invalid_request_error",
        ),
        (
            json!({"message": too_long}),
            "invalid_request_error",
            json!("context_length_exceeded"),
            "context_length_exceeded",
            "invalid_request_error",
        ),
        (json!({"message": "Broken."}), "server_error", Value::Null, "server_error", "api_error"),
    ] {
        for path in ALL {
            let says = json!({"error": error});
            let reply = Reply::sse(format!("data: {}\n\ndata: {says}\n\n", chunk("Hello")));
            let gateway = Gateway::before([reply]).await;
            let (events, text) = gateway.stream(path, &request(path, true)).await;
            let why = failed(path, &events, &text);
            assert!(why.ends_with(error["message"].as_str().unwrap()), "{why}");
            let last = events.last().unwrap();
            match path {
                CHAT => assert_eq!(
                    (&last["error"]["type"], &last["error"]["code"]),
                    (&json!(chat), &code),
                    "{error}"
                ),
                RESPONSES => assert_eq!(last["response"]["error"]["code"], responses, "{error}"),
                _ => {
                    assert_eq!(last["error"]["type"], anthropic, "{error}");
                    assert_eq!(why.starts_with("prompt is too long"), error["message"] == too_long);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_page_of_html_is_no_answer() {
    let gateway = Gateway::before([Reply::sse("<html><body>Welcome</body></html>")]).await;
    let (status, body) = gateway.json(CHAT, &request(CHAT, false)).await;
    assert_eq!(status, 502, "{body}");
}

#[tokio::test]
async fn nobody_listens_there() {
    let options = ["--model", "qwen3-8b", "--upstream", "http://127.0.0.1:1/v1"];
    let gateway = Gateway::only(&options).await;
    for path in ALL {
        let (status, body) = gateway.json(path, &request(path, true)).await;
        assert!(status == 502 && body.to_string().contains("cannot be reached"), "{body}");
    }
}

#[tokio::test]
async fn methods_and_addresses() {
    let gateway = Gateway::before([]).await;
    for (method, path, status) in [
        (Method::GET, CHAT, 405),
        (Method::HEAD, MESSAGES, 405),
        (Method::OPTIONS, MESSAGES, 204),
        (Method::POST, "/v1/models", 405),
        (Method::HEAD, "/health", 200),
        (Method::GET, "/v1/nothing", 404),
        (Method::GET, "/v1/messages/batches", 404),
    ] {
        let response = in_time(gateway.client().request(method.clone(), gateway.at(path)).send())
            .await
            .unwrap();
        assert_eq!(response.status(), status, "{method} {path}");
        if status == 405 || status == 204 {
            assert!(response.headers().contains_key("allow"), "{method} {path}");
        }
        let id = if path.starts_with(MESSAGES) { "request-id" } else { "x-request-id" };
        assert!(response.headers().contains_key(id), "{method} {path}");
        let body = response.text().await.unwrap();
        if status == 404 {
            assert_eq!(body.contains("not_found_error"), path.starts_with(MESSAGES), "{body}");
        }
    }
}

#[tokio::test]
async fn hostile_requests() {
    let gateway = Gateway::with(&["--model", "qwen3-8b", "--max-request", "1"], []).await;
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let long = format!("{{\"messages\": \"{}\"}}", "x".repeat(2 << 20));
    let bodies: [(&str, String, u16); 12] = [
        ("empty", String::new(), 400),
        ("no JSON", "{".into(), 400),
        ("no object", "[]".into(), 400),
        ("null", "null".into(), 400),
        ("deep", deep, 400),
        ("long", long, 413),
        ("no messages", "{\"model\": \"m\"}".into(), 400),
        ("messages of a wrong kind", "{\"messages\": 3, \"input\": 3}".into(), 400),
        ("a message of a wrong kind", "{\"messages\": [1], \"input\": [1]}".into(), 400),
        (
            "tools of a wrong kind",
            "{\"tools\": 1, \"messages\": [{\"role\": \"user\"}]}".into(),
            400,
        ),
        ("a tool of a wrong kind", "{\"tools\": [1], \"input\": \"x\"}".into(), 400),
        ("a choice of a wrong kind", "{\"tool_choice\": 1, \"input\": \"x\"}".into(), 400),
    ];
    for path in ALL {
        for (what, body, status) in &bodies {
            let response =
                in_time(gateway.client().post(gateway.at(path)).body(body.clone()).send())
                    .await
                    .unwrap();
            assert_eq!(response.status(), *status, "{path} {what}");
            let body: Value = response.json().await.expect("an error in JSON");
            assert!(body["error"]["message"].is_string(), "{path} {what}: {body}");
        }
    }
    assert!(gateway.upstream.asked().is_empty());
}

/// The client sends all of its request before it reads. It gets the answer, and no broken connection.
#[tokio::test]
async fn a_request_that_is_too_long_has_its_answer() {
    let gateway = Gateway::before([]).await;
    let body = vec![b' '; 40 << 20];
    for path in ALL {
        for length in
            [format!("Content-Length: {}", body.len()), "Transfer-Encoding: chunked".into()]
        {
            let address = gateway.url.strip_prefix("http://").expect("an address");
            let mut socket = TcpStream::connect(address).await.expect("a connection");
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{length}\r\n\r\n"
            );
            socket.write_all(head.as_bytes()).await.expect("it takes the head");
            if length.ends_with("chunked") {
                socket.write_all(format!("{:x}\r\n", body.len()).as_bytes()).await.expect("a size");
            }
            in_time(socket.write_all(&body)).await.expect("it takes all of the body");
            if length.ends_with("chunked") {
                socket.write_all(b"\r\n0\r\n\r\n").await.expect("the end");
            }
            let mut told = Vec::new();
            in_time(socket.read_to_end(&mut told)).await.expect("an answer");
            let told = String::from_utf8_lossy(&told);
            let kind = if path == MESSAGES { "request_too_large" } else { "invalid_request_error" };
            assert!(
                told.starts_with("HTTP/1.1 413") && told.contains(kind),
                "{path} {length}: {told}"
            );
            assert!(told.contains("--max-request"), "{told}");
        }
    }
}

/// A page in a browser, under its own name or under one that leads to the loopback.
#[tokio::test]
async fn a_page_may_not_ask() {
    let gateway =
        Gateway::with(&["--model", "qwen3-8b", "--cors", "http://good.example"], []).await;
    for (name, value, status) in [
        ("origin", "http://evil.example", 403),
        ("origin", "http://good.example", 200),
        ("host", "evil.example", 403),
        ("host", "localhost:8787", 200),
        ("host", "[::1]:8787", 200),
    ] {
        let asked = gateway.client().get(gateway.at("/health")).header(name, value);
        assert_eq!(in_time(asked.send()).await.unwrap().status(), status, "{name}: {value}");
    }
    let preflight = gateway.client().request(Method::OPTIONS, gateway.at(CHAT));
    let preflight = preflight
        .header("origin", "http://good.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization");
    let response = in_time(preflight.send()).await.unwrap();
    assert_eq!(response.headers()["access-control-allow-origin"], "http://good.example");
    assert_eq!(response.headers()["access-control-allow-headers"], "authorization");
    let asked = gateway.client().get(gateway.at("/health")).header("origin", "http://good.example");
    let response = in_time(asked.send()).await.unwrap();
    let exposed = response.headers()["access-control-expose-headers"].to_str().unwrap();
    assert!(exposed.contains("x-toolstream-tokens") && exposed.contains("request-id"), "{exposed}");
}
