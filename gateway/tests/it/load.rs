//! 500 streams at once, in the binary, with figures; and LiteLLM beside it.

use std::process::Stdio;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{
    CHAT, MESSAGES, Reply, STAMP, Upstream, ages, call, chat, events, request, streamed,
};

/// No run takes so long.
const LONGEST: Duration = Duration::from_secs(240);

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

/// The times of a run's tokens, and its answers.
struct Run {
    times: Vec<Duration>,
    answers: Vec<Vec<u8>>,
}

/// Sends so many requests at once.
async fn run(url: &str, path: &str, streams: usize) -> Run {
    let client = reqwest::Client::new();
    let asks = join_all((0..streams).map(|_| ask(&client, format!("{url}{path}"), path)));
    let answers = tokio::time::timeout(LONGEST, asks).await.expect("it ends in time");
    let (times, answers): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
    let mut times: Vec<Duration> = times.into_iter().flatten().collect();
    times.sort_unstable();
    Run { times, answers }
}

impl Run {
    /// Returns the time that so many of a thousand tokens do not exceed.
    fn of_thousand(&self, part: usize) -> Duration {
        self.times[(self.times.len() - 1) * part / 1000]
    }

    /// Checks that each stream has its own call: none is lost, none comes twice.
    fn holds(&self, path: &str, tokens: usize) {
        let calls = |bytes: &Vec<u8>| streamed(path, &events(bytes)).calls;
        let cities = self.answers.iter().flat_map(calls);
        let mut cities: Vec<String> = cities
            .map(|(_, arguments, _)| arguments["city"].as_str().unwrap().to_string())
            .collect();
        assert_eq!(cities.len(), self.answers.len(), "a call of each");
        cities.sort_unstable();
        cities.dedup();
        assert_eq!(cities.len(), self.answers.len(), "none is lost, none comes twice");
        assert!(self.times.len() > tokens * self.answers.len() / 2, "the tokens are timed");
    }
}

/// The highest memory while it works, in kB.
async fn watched<T>(pid: u32, work: impl Future<Output = T>) -> (T, u64) {
    let mut highest = memory_of(pid).unwrap_or_default();
    let mut work = std::pin::pin!(work);
    loop {
        match tokio::time::timeout(Duration::from_millis(200), &mut work).await {
            Ok(done) => return (done, highest),
            Err(_) => highest = highest.max(memory_of(pid).unwrap_or_default()),
        }
    }
}

/// The seconds of processor that a process has had.
fn processor_of(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u32 = fields.skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
    f64::from(ticks) / 100.0
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: gateway/ci load runs it, two times half a minute of 500 streams"]
async fn five_hundred_streams() {
    let script: Vec<Reply> = (0..STREAMS).map(reply).chain((0..STREAMS).map(reply)).collect();
    let upstream = Upstream::new(script).await;
    let direct = upstream.url.trim_end_matches("/v1").to_string();
    let without = run(&direct, CHAT, STREAMS).await;
    let (mut gateway, url) = crate::process::started(&upstream.url).await;
    let pid = gateway.id().expect("a process");
    let before = memory_of(pid).unwrap_or_default();
    let (with, highest) = watched(pid, run(&url, MESSAGES, STREAMS)).await;
    with.holds(MESSAGES, TOKENS);
    println!(
        "{STREAMS} streams of {TOKENS} tokens, {PAUSE:?} apart, Anthropic's protocol, calls in the text"
    );
    let (with, without) = (with.of_thousand(500), without.of_thousand(500));
    // Generous: other work may share the machine. The README has the figures.
    assert!(with < without + Duration::from_millis(20), "{with:?}, {without:?}");
    println!(
        "a token is on its way for {with:?} at the median with the gateway, {without:?} without"
    );
    let each = (highest - before) / STREAMS as u64;
    println!("memory: {before} kB idle, {highest} kB at most: {each} kB a stream");
    assert!(each < 120, "{each} kB a stream");
    gateway.start_kill().expect("it ends");
}

/// A chat whose server reads its calls: both gateways do this.
fn native(number: usize, tokens: usize) -> Reply {
    let chunk = |delta: Value, reason: Value| {
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "qwen3-8b",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    };
    let arguments = json!({"city": format!("city {number}")}).to_string();
    let call = json!([{"index": 0, "id": format!("call_{number}"), "type": "function",
        "function": {"name": "weather", "arguments": arguments}}]);
    let mut chunks = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    chunks.extend((0..tokens).map(|_| chunk(json!({"content": STAMP}), Value::Null)));
    chunks.push(chunk(json!({"tool_calls": call}), Value::Null));
    chunks.push(chunk(json!({}), "tool_calls".into()));
    let mut body: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    body.push_str("data: [DONE]\n\n");
    // All chunks but the last ones are about as long: an event at once.
    let piece = body.len().div_ceil(tokens + 3);
    Reply::sse(body).in_pieces(piece, PAUSE)
}

/// LiteLLM's proxy before this server, and its address.
async fn litellm(upstream: &str) -> Option<(tokio::process::Child, String)> {
    let program = std::env::var("TOOLSTREAM_LITELLM").ok()?;
    let port = std::net::TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
    let file = std::env::temp_dir().join(format!("toolstream-litellm-{}.yaml", std::process::id()));
    let config = json!({"model_list": [{"model_name": "some-model",
        "litellm_params": {"model": "openai/qwen3-8b", "api_base": upstream, "api_key": "none"}}]});
    // JSON is YAML.
    std::fs::write(&file, config.to_string()).expect("a file");
    let mut command = tokio::process::Command::new(program);
    command.args(["--config", file.to_str()?, "--host", "127.0.0.1", "--port", &port.to_string()]);
    command.args(["--telemetry", "False"]).env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
    // It listens on the loopback, for this test.
    command.env("LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY", "true");
    for name in ["HTTP_PROXY", "HTTPS_PROXY"] {
        command.env(name, "http://127.0.0.1:9").env("NO_PROXY", "127.0.0.1");
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().expect("it runs");
    let url = format!("http://127.0.0.1:{port}");
    let began = Instant::now();
    while reqwest::get(format!("{url}/health/liveliness")).await.is_err() {
        let ended = child.try_wait().expect("a state");
        assert!(ended.is_none() && began.elapsed() < LONGEST, "LiteLLM does not begin: {ended:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Some((child, url))
}

/// Chat completions, streamed, with the server's own calls, through this gateway and through LiteLLM.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: gateway/ci load runs it, for four minutes"]
async fn beside_litellm() {
    for (streams, tokens) in [(20, 100), (500, 100)] {
        let script: Vec<Reply> =
            (0..3).flat_map(|_| (0..streams).map(|number| native(number, tokens))).collect();
        let upstream = Upstream::new(script).await;
        let direct = upstream.url.trim_end_matches("/v1").to_string();
        let without = run(&direct, CHAT, streams).await;
        println!(
            "{streams} streams of {tokens} tokens, {PAUSE:?} apart, chat completions; a token without a gateway: {:?} at the \
             median, {:?} of 99 %",
            without.of_thousand(500),
            without.of_thousand(990)
        );
        let ours = crate::process::started(&upstream.url).await;
        let theirs = litellm(&upstream.url).await;
        for (name, started) in [("toolstream-gateway", Some(ours)), ("LiteLLM", theirs)] {
            let Some((mut child, url)) = started else { continue };
            let pid = child.id().expect("a process");
            let (idle, began) = (memory_of(pid).unwrap_or_default(), Instant::now());
            let before = processor_of(pid);
            let (with, highest) = watched(pid, run(&url, CHAT, streams)).await;
            with.holds(CHAT, tokens);
            println!(
                "{name}: a token {:?} at the median, {:?} of 99 %; {:.1?} in all, {:.2} s of processor; memory {idle} kB idle, \
                 {highest} kB at most: {} kB a stream",
                with.of_thousand(500),
                with.of_thousand(990),
                began.elapsed(),
                processor_of(pid) - before,
                (highest - idle) / streams as u64
            );
            child.start_kill().expect("it ends");
        }
    }
}
