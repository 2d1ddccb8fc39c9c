//! A client that leaves stops the model's server. A silent server is not waited for forever.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::join_all;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::errors::failed;
use crate::support::{
    ALL, CHAT, Gateway, MESSAGES, PATIENCE, Reply, chat, chunk, in_time, request, said,
};

/// Waits until it holds.
async fn until(what: &str, holds: impl Fn() -> bool) -> Duration {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what} never came");
        sleep(Duration::from_millis(2)).await;
    }
    began.elapsed()
}

/// A second is generous: 100 ms are promised, on a machine that has nothing else to do.
const AT_ONCE: Duration = Duration::from_secs(1);

#[tokio::test]
async fn a_client_that_leaves_stops_the_server() {
    let first = format!("data: {}\n\n", chunk("Hello"));
    let mut times = Vec::new();
    for path in ALL {
        for stream in [true, false] {
            for (when, reply) in [
                ("before the head", chat(["Hi."]).head_after(PATIENCE * 10)),
                ("before the first token", chat(["Hi."]).stall(0)),
                ("after it", Reply::sse(first.clone() + "data: ").stall(first.len())),
            ] {
                let gateway = Gateway::before([reply]).await;
                let (client, url) = (reqwest::Client::new(), gateway.at(path));
                let request = request(path, stream);
                let after = when == "after it" && stream;
                let asks = tokio::spawn(async move {
                    let response = client.post(url).json(&request).send().await.expect("an answer");
                    let mut body = response.bytes_stream();
                    if after {
                        body.next().await.expect("a piece").expect("a piece");
                    }
                    body.next().await;
                });
                until("the request", || gateway.upstream.open() == 1).await;
                sleep(Duration::from_millis(30)).await;
                asks.abort();
                let took = until("the end", || gateway.upstream.open() == 0).await;
                assert!(took < AT_ONCE, "{path} {stream} {when}: {took:?}");
                times.push(took);
                eprintln!(
                    "{path} streamed: {stream}, {when}: the server was stopped after {took:?}"
                );
                in_time(async {
                    while gateway.metric("client_left_total").await != 1 {
                        sleep(Duration::from_millis(2)).await;
                    }
                })
                .await;
            }
        }
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    assert!(median < Duration::from_millis(100), "the promise: {times:?}");
}

#[tokio::test]
async fn a_server_that_stalls_is_left() {
    let options = [
        "--model",
        "qwen3-8b",
        "--first-byte-timeout",
        "0.3",
        "--idle-timeout",
        "0.3",
        "--ping-interval",
        "0.1",
    ];
    let first = format!("data: {}\n\n", chunk("Hello"));
    for path in ALL {
        for reply in [
            chat(["Hi."]).head_after(PATIENCE * 10),
            chat(["Hi."]).stall(0),
            Reply::sse(first.clone() + "data: ").stall(first.len()),
        ] {
            let gateway = Gateway::with(&options, [reply.clone(), reply]).await;
            let (events, text) = gateway.stream(path, &request(path, true)).await;
            assert!(failed(path, &events, &text).contains("in time"), "{text}");
            if path != CHAT {
                let (status, body) = gateway.json(path, &request(path, false)).await;
                assert!(status == 504 && body.to_string().contains("in time"), "{body}");
            }
            until("the end", || gateway.upstream.open() == 0).await;
        }
    }
}

/// Each time has an option of its own, which the error names. In a stream it is an error event of that kind.
#[tokio::test]
async fn each_time_has_its_option() {
    let begun = format!("data: {}\n\n", chunk("Hello"));
    let slow = Reply::sse(begun.repeat(1_000)).in_pieces(begun.len(), Duration::from_millis(30));
    for (option, reply) in [
        ("--first-byte-timeout", chat(["Hi."]).head_after(PATIENCE * 10)),
        ("--first-byte-timeout", chat(["Hi."]).stall(0)),
        ("--idle-timeout", Reply::sse(begun.clone() + "data: ").stall(begun.len())),
        ("--answer-timeout", slow),
    ] {
        let options = ["--model", "qwen3-8b", "--ping-interval", "0.1", option, "0.3"];
        for path in ALL {
            let gateway = Gateway::with(&options, [reply.clone(), reply.clone()]).await;
            let (events, text) = gateway.stream(path, &request(path, true)).await;
            assert!(failed(path, &events, &text).contains(option), "{option}: {text}");
            if path == MESSAGES {
                assert_eq!(events.last().unwrap()["error"]["type"], "timeout_error", "{text}");
            }
            // A whole answer of a chat has only the last.
            if path != CHAT || option == "--answer-timeout" {
                let (status, body) = gateway.json(path, &request(path, false)).await;
                assert!(status == 504 && body.to_string().contains(option), "{option}: {body}");
            }
            until("the end", || gateway.upstream.open() == 0).await;
        }
    }
}

/// The first byte of an answer in one piece comes with its last: the time to read a prompt does not limit it.
#[tokio::test]
async fn a_whole_answer_has_all_its_time() {
    let options = ["--model", "qwen3-8b", "--first-byte-timeout", "0.1", "--idle-timeout", "0.1"];
    let answer = json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi."}}]});
    let late = Reply::status(200, answer.to_string()).head_after(Duration::from_millis(400));
    let slow = Reply::status(200, answer.to_string()).in_pieces(70, Duration::from_millis(200));
    for reply in [late, slow] {
        let gateway = Gateway::with(&options, [reply]).await;
        let (status, body) = gateway.json(CHAT, &request(CHAT, false)).await;
        assert_eq!((status.as_u16(), said(CHAT, &body).text), (200, "Hi.".to_string()), "{body}");
    }
}

/// A client that neither reads nor leaves: a suspended machine.
#[tokio::test]
async fn a_client_that_reads_no_more_is_dropped() {
    let flood = format!("data: {}\n\n", chunk(&"word ".repeat(2_000))).repeat(5_000);
    let options = ["--model", "qwen3-8b", "--client-timeout", "0.5"];
    for path in ALL {
        let reply = Reply::sse(flood.clone()).in_pieces(10_000, Duration::ZERO);
        let gateway = Gateway::with(&options, [reply]).await;
        let response = gateway.post(path, &request(path, true)).await;
        until("the end", || gateway.upstream.sent() > 0 && gateway.upstream.open() == 0).await;
        assert_eq!(gateway.metric("client_left_total").await, 1, "{path}");
        drop(response);
    }
}

/// A client without a place waits for one.
#[tokio::test]
async fn no_more_connections_than_told() {
    let options = ["--model", "qwen3-8b", "--max-connections", "2"];
    let slow = chat(["Hi."]).head_after(Duration::from_millis(300));
    let gateway = Gateway::with(&options, vec![slow; 6]).await;
    let ask = async || {
        // A connection of its own, closed behind the answer.
        let client =
            reqwest::Client::builder().pool_max_idle_per_host(0).build().expect("a client");
        let asked = client.post(gateway.at(CHAT)).json(&request(CHAT, true));
        let answer = in_time(asked.header("connection", "close").send()).await.expect("an answer");
        in_time(answer.text()).await.expect("all of it")
    };
    let most = async {
        let mut most = 0;
        for _ in 0..100 {
            most = most.max(gateway.upstream.open());
            sleep(Duration::from_millis(5)).await;
        }
        most
    };
    let (answers, most) = tokio::join!(join_all((0..6).map(|_| ask())), most);
    assert_eq!(most, 2);
    assert!(answers.iter().all(|answer| answer.contains("[DONE]")), "{answers:?}");
}

/// A server that takes no connection: its queue is full.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_cannot_be_reached_in_time() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let server = socket.listen(1).unwrap();
    let address = server.local_addr().unwrap();
    let mut queue = Vec::new();
    while let Ok(Ok(one)) = timeout(Duration::from_millis(300), TcpStream::connect(address)).await {
        queue.push(one);
        assert!(queue.len() < 100, "the queue has an end");
    }
    let upstream = format!("http://{address}/v1");
    let options = ["--model", "qwen3-8b", "--upstream", &upstream, "--connect-timeout", "0.3"];
    let gateway = Gateway::only(&options).await;
    for path in ALL {
        let (status, body) = gateway.json(path, &request(path, true)).await;
        assert!(status == 504 && body.to_string().contains("--connect-timeout"), "{body}");
    }
}

/// A client that sends half a head, or half a body.
#[tokio::test]
async fn half_a_request_is_not_waited_for() {
    let options = ["--model", "qwen3-8b", "--request-timeout", "0.3"];
    let gateway = Gateway::with(&options, []).await;
    let address = gateway.url.strip_prefix("http://").unwrap();
    for (sent, answer) in [
        ("POST /v1/messages HTTP/1.1\r\nHost: lo", ""),
        (
            "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"mod",
            "HTTP/1.1 408",
        ),
    ] {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(sent.as_bytes()).await.unwrap();
        let mut told = Vec::new();
        in_time(client.read_to_end(&mut told)).await.unwrap();
        let told = String::from_utf8_lossy(&told);
        assert!(told.starts_with(answer), "{sent}: {told}");
        assert!(answer.is_empty() || told.contains("--request-timeout"), "{told}");
    }
}

/// A slow client slows the server down.
#[tokio::test]
async fn a_slow_reader_holds_the_server() {
    let flood = format!("data: {}\n\n", chunk(&"word ".repeat(2_000))).repeat(5_000);
    let whole = flood.len();
    let gateway = Gateway::before([Reply::sse(flood).in_pieces(10_000, Duration::ZERO)]).await;
    let response = gateway.post(CHAT, &request(CHAT, true)).await;
    let mut last = 0;
    // Until nothing moves any more: the sockets are full.
    loop {
        sleep(Duration::from_millis(300)).await;
        let sent = gateway.upstream.sent();
        if sent == last && sent > 0 {
            break;
        }
        last = sent;
    }
    assert!(last < whole / 2, "{last} of {whole} bytes have left, and nobody reads");
    drop(response);
    until("the end", || gateway.upstream.open() == 0).await;
}
