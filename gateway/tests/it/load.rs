//! 500 streams at once, in the binary, with figures.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;

use crate::support::{
    MESSAGES, Reply, STAMP, Upstream, ages, call, chat, events, request, streamed,
};

const STREAMS: usize = 500;
const PAUSE: Duration = Duration::from_millis(100);
const TOKENS: usize = 300;

/// The answers' text: words, then a call of its own for each stream.
fn reply(number: usize) -> Reply {
    let call = call(&format!("city {number}"));
    let texts: Vec<&str> = std::iter::repeat_n(STAMP, TOKENS).chain([&*call]).collect();
    let reply = chat(texts);
    // An event at once.
    let piece = reply.body.windows(2).position(|bytes| bytes == b"\n\n").expect("an event") + 2;
    reply.in_pieces(piece, PAUSE)
}

/// How long each text was on its way, and the answer.
async fn ask(client: &reqwest::Client, url: String, path: &str) -> (Vec<Duration>, Vec<u8>) {
    let response = client.post(url).json(&request(path, true)).send().await.expect("an answer");
    let (mut body, mut times, mut bytes) = (response.bytes_stream(), Vec::new(), Vec::new());
    while let Some(piece) = body.next().await {
        let piece = piece.expect("a piece");
        times.extend(ages(&piece));
        bytes.extend_from_slice(&piece);
    }
    (times, bytes)
}

fn memory_of(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: two times half a minute of 500 streams"]
async fn five_hundred_streams() {
    let script: Vec<Reply> = (0..STREAMS).map(reply).chain((0..STREAMS).map(reply)).collect();
    let upstream = Upstream::new(script).await;
    let client = reqwest::Client::new();
    let direct = format!("{}/chat/completions", upstream.url);
    let without = join_all((0..STREAMS).map(|_| ask(&client, direct.clone(), MESSAGES))).await;
    let (mut gateway, url) = crate::process::started(&upstream.url).await;
    let pid = gateway.id().expect("a process");
    let before = memory_of(pid);
    let all = join_all((0..STREAMS).map(|_| ask(&client, format!("{url}{MESSAGES}"), MESSAGES)));
    let highest = async {
        let mut highest = before;
        for _ in 0..40 {
            tokio::time::sleep(Duration::from_millis(500)).await;
            highest = highest.max(memory_of(pid));
        }
        highest
    };
    let (answers, highest) = tokio::join!(all, highest);
    let mut cities: Vec<String> = Vec::new();
    for (_, bytes) in &answers {
        let said = streamed(MESSAGES, &events(bytes));
        cities.extend(
            said.calls
                .iter()
                .map(|(_, arguments, _)| arguments["city"].as_str().unwrap().to_string()),
        );
    }
    assert_eq!(cities.len(), STREAMS, "a call of each");
    cities.sort_unstable();
    cities.dedup();
    assert_eq!(cities.len(), STREAMS, "none is lost, none comes twice");
    let times = |answers: Vec<(Vec<Duration>, Vec<u8>)>| {
        median(answers.into_iter().flat_map(|(times, _)| times).collect())
    };
    assert!(answers.iter().all(|(times, _)| times.len() > TOKENS / 2), "the tokens are timed");
    let (with, without) = (times(answers), times(without));
    println!("{STREAMS} streams of {TOKENS} tokens, {PAUSE:?} apart");
    println!(
        "a token is on its way for {with:?} at the median with the gateway, {without:?} without"
    );
    if let (Some(before), Some(highest)) = (before, highest) {
        println!(
            "memory: {before} kB idle, {highest} kB at most: {} kB a stream",
            (highest - before) / STREAMS as u64
        );
    }
    gateway.start_kill().expect("it ends");
}
