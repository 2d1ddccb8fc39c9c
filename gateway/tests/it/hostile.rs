//! Requests of somebody who means harm, as bytes of a socket: each is refused, and the gateway serves on.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{CHAT, Gateway, call, chat, in_time, request, said};

/// Sends bytes, and returns all that comes back. A gateway that waits for more gives up after its `--request-timeout`.
async fn told(gateway: &Gateway, sent: &[u8]) -> String {
    let address = gateway.url.strip_prefix("http://").expect("an address");
    let mut socket = in_time(TcpStream::connect(address)).await.expect("a connection");
    // It may close before it has all.
    let _ = in_time(socket.write_all(sent)).await;
    let mut told = Vec::new();
    let _ = in_time(socket.read_to_end(&mut told)).await;
    String::from_utf8_lossy(&told).into_owned()
}

fn post(headers: &str, body: &str) -> Vec<u8> {
    format!("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n\r\n{body}")
        .into()
}

fn with_length(body: &str) -> Vec<u8> {
    post(&format!("Content-Length: {}", body.len()), body)
}

#[tokio::test]
async fn twenty_hostile_requests() {
    let options = ["--model", "qwen3-8b", "--max-request", "1", "--request-timeout", "1"];
    let gateway = Gateway::with(&options, [chat([&*call("Oslo")])]).await;
    let long = "x".repeat(2 << 20);
    let tools = |name: &str, schema: &str| {
        with_length(&format!(
            "{{\"messages\": [{{\"role\": \"user\", \"content\": \"x\"}}], \"tools\": [{{\"type\": \"function\", \
             \"function\": {{\"name\": {name}, \"parameters\": {schema}}}}}]}}"
        ))
    };
    let deep = |open: &str, close: &str| {
        with_length(&format!("{{\"messages\": {}{}}}", open.repeat(3_000), close.repeat(3_000)))
    };
    let requests: [(&str, Vec<u8>, &str); 20] = [
        ("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(), "400"),
        ("nothing", Vec::new(), ""),
        ("a head without end", format!("GET / HTTP/1.1\r\nx: {long}").into(), "431"),
        ("a thousand headers", post(&"x: y\r\n".repeat(1_000), ""), "431"),
        ("an address without end", format!("GET /{long} HTTP/1.1\r\n\r\n").into(), "4"),
        ("a header in a header", post("x: a\nContent-Length: 5", "hello"), "4"),
        ("NUL in a header", post("x: a\0b", ""), "400"),
        ("two lengths", post("Content-Length: 2\r\nContent-Length: 3", "{}}"), "400"),
        ("a length below 0", post("Content-Length: -1", "{}"), "400"),
        ("a length beyond any", post("Content-Length: 99999999999999999999", "{}"), "400"),
        (
            "a length and chunks",
            post(
                "Content-Length: 5\r\nTransfer-Encoding: chunked",
                "0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n",
            ),
            "400",
        ),
        ("chunks of a wrong size", post("Transfer-Encoding: chunked", "zz\r\n{}\r\n"), "400"),
        (
            "a body that is too long, in chunks",
            post("Transfer-Encoding: chunked", &format!("{:x}\r\n{long}\r\n0\r\n\r\n", long.len())),
            "413",
        ),
        ("a length that is too long", post("Content-Length: 999999999", "{}"), "413"),
        ("a body that ends early", post("Content-Length: 50", "{\"messages\": ["), ""),
        (
            "bytes that are no text",
            [with_length("")[..].to_vec(), b"\xff".to_vec()].concat(),
            "400",
        ),
        ("a list in lists", deep("[", "]"), "400"),
        ("objects in objects", deep("{\"a\":", "}"), "400"),
        ("a tool without a name", tools("\"\"", "{}"), "400"),
        (
            "a schema without end",
            tools("\"t\"", &format!("{}1{}", "{\"items\":".repeat(2_000), "}".repeat(2_000))),
            "400",
        ),
    ];
    for (what, sent, status) in requests {
        let told = told(&gateway, &sent).await;
        let expected = match status {
            "" => told.is_empty() || told.starts_with("HTTP/1.1 4"),
            status => told.starts_with(&format!("HTTP/1.1 {status}")),
        };
        assert!(expected, "{what}: {}", told.chars().take(300).collect::<String>());
        assert!(
            !told.contains("toolstream_gateway_requests_total"),
            "{what} reached /metrics: {told}"
        );
    }
    assert!(gateway.upstream.asked().is_empty(), "{:#?}", gateway.upstream.asked());
    let (status, answer) = gateway.json(CHAT, &request(CHAT, false)).await;
    assert_eq!((status.as_u16(), said(CHAT, &answer).calls.len()), (200, 1), "{answer}");
}
