//! The binary: its options, its demo, and how it stops.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::ChildStderr;
use tokio::time::sleep;

use crate::support::{CHAT, MESSAGES, Upstream, call, chat, events, in_time, request, streamed};

const BINARY: &str = env!("CARGO_BIN_EXE_toolstream-gateway");

fn run(arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).output().expect("it runs")
}

/// The binary before this server, and its address.
pub async fn started(upstream: &str) -> (tokio::process::Child, String) {
    let (gateway, url, mut log) = logged(upstream, &[]).await;
    // A full log would block the gateway.
    tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
    (gateway, url)
}

type Log = Lines<BufReader<ChildStderr>>;

/// The binary with more options, and its log behind the first line.
async fn logged(upstream: &str, more: &[&str]) -> (tokio::process::Child, String, Log) {
    let options = [
        "--upstream",
        upstream,
        "--listen",
        "127.0.0.1:0",
        "--model",
        "qwen3-8b",
        "--log-format",
        "json",
    ];
    let mut command = tokio::process::Command::new(BINARY);
    let mut gateway = command
        .args(options)
        .args(more)
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it runs");
    let mut log = BufReader::new(gateway.stderr.take().expect("a log")).lines();
    let first = line(&mut log).await;
    (gateway, format!("http://{}", first["address"].as_str().expect("an address")), log)
}

/// Returns the next line of a log. A key that the address of the server holds is in none.
async fn line(log: &mut Log) -> serde_json::Value {
    let line = in_time(log.next_line()).await.expect("a log").expect("a line");
    assert!(!line.contains("geheim"), "{line}");
    serde_json::from_str(&line).expect("JSON")
}

/// Each request has a line with the id that the client has, one at a wrong address, too.
#[tokio::test]
async fn a_line_a_request() {
    let broken = "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": }}\n</tool_call>";
    let upstream = Upstream::new([chat([broken])]).await;
    let address = upstream.url.replace("http://", "http://me:geheim@") + "?api_key=geheim";
    let (_gateway, url, mut log) = logged(&address, &[]).await;
    let client = reqwest::Client::new();
    let mut asked = request(MESSAGES, false);
    asked["tools"]
        .as_array_mut()
        .unwrap()
        .push(json!({"type": "web_search_20250305", "name": "web_search"}));
    let answer =
        in_time(client.post(format!("{url}{MESSAGES}")).json(&asked).send()).await.unwrap();
    assert_eq!(answer.status(), 200);
    let (id, told) = (answer.headers()["request-id"].clone(), line(&mut log).await);
    assert_eq!((&told["id"], &told["route"]), (&json!(id.to_str().unwrap()), &json!(MESSAGES)));
    assert!(told["broken"].as_str().unwrap().starts_with("weather: "), "{told}");
    assert_eq!(
        (&told["left_out"], &told["end"]),
        (&json!("web_search_20250305"), &json!("tool_use"))
    );
    let refused = client.post(format!("{url}{CHAT}")).json(&json!({})).send();
    assert_eq!(in_time(refused).await.unwrap().headers()["x-request-id"].len(), 32);
    let told = line(&mut log).await;
    assert!(
        told["end"] == "refused" && told["why"].as_str().unwrap().contains("messages"),
        "{told}"
    );
    for (path, status) in
        [("/v1/message", 404), ("/v1/messages/count_tokens", 200), ("/v1/models", 200)]
    {
        let asked = match status {
            200 if path != "/v1/models" => client.post(format!("{url}{path}")).json(&asked),
            _ => client.get(format!("{url}{path}")),
        };
        let answer = in_time(asked.send()).await.unwrap();
        let told = line(&mut log).await;
        assert_eq!((answer.status().as_u16(), &told["status"]), (status, &json!(status)), "{told}");
        assert_eq!(told["route"], path);
    }
}

/// An answer that does not end is broken off at the deadline.
#[cfg(unix)]
#[tokio::test]
async fn it_stops_at_its_deadline() {
    let upstream = Upstream::new([chat(["Hi."]).stall(10)]).await;
    let (mut gateway, url, mut log) = logged(&upstream.url, &["--shutdown-timeout", "0.5"]).await;
    let asked = reqwest::Client::new().post(format!("{url}{CHAT}")).json(&request(CHAT, true));
    let answer = in_time(asked.send()).await.expect("its head");
    let pid = gateway.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(in_time(gateway.wait()).await.unwrap().success());
    assert!(in_time(answer.text()).await.is_err(), "no end, but a broken connection");
    assert_eq!(line(&mut log).await["message"], "stopping");
    assert!(line(&mut log).await["message"].as_str().unwrap().contains("--shutdown-timeout"));
}

#[test]
fn the_demo_answers_in_three_protocols() {
    let out = run(&["--demo"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    for sign in [
        "\"finish_reason\":\"tool_calls\"",
        "\"type\":\"function_call\"",
        "\"stop_reason\":\"tool_use\"",
        "Zoë is here",
        "It has three words.",
    ] {
        assert!(text.contains(sign), "no {sign} in {text}");
    }
}

#[test]
fn wrong_options_are_told_in_a_sentence() {
    let dir = std::env::temp_dir().join(format!("toolstream-gateway-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("gateway.toml");
    std::fs::write(&file, "upstream = \"http://127.0.0.1:1/v1\"\nmodell = \"x\"\n").unwrap();
    for (arguments, words) in [
        (&[][..], "--upstream http://127.0.0.1:8080/v1"),
        (&["--upstream", "ftp://x"], "--upstream must be an address"),
        (&["--upstream", "http://127.0.0.1:1", "--dialect", "hermess"], "--dialect"),
        (
            &["--upstream", "http://127.0.0.1:1", "--api-key-env", "NO_SUCH_KEY_HERE"],
            "NO_SUCH_KEY_HERE",
        ),
        (&["--upstream", "http://127.0.0.1:1", "--idle-timeout", "0"], "idle-timeout"),
        (
            &["--upstream", "http://127.0.0.1:1", "--max-request", "0"],
            "max-request must be above 0",
        ),
        (&["--upstream", "http://127.0.0.1:1", "--cors", "*"], "--cors must be an origin"),
        (&["--upstream", "http://127.0.0.1:1", "--body", "[1]"], "--body must be a JSON object"),
        (
            &["--upstream", "http://127.0.0.1:1", "--body", "{\"stream\": false}"],
            "may not set `stream`",
        ),
        (&["--upstream", "http://127.0.0.1:1", "--model", "my-own"], "--dialect NAME"),
        (
            &["--upstream", "http://127.0.0.1:1", "--tools", "template", "--grammar", "vllm"],
            "--grammar has no effect",
        ),
        (&["--config", file.to_str().unwrap()], "unknown field `modell`"),
        (&["--config", "/nowhere.toml"], "cannot read /nowhere.toml"),
    ] {
        let out = run(arguments);
        let text = String::from_utf8(out.stderr).unwrap();
        assert!(!out.status.success() && text.contains(words), "{arguments:?}: {text}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_help_has_three_examples() {
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    for client in ["for Codex", "for Claude Code", "for opencode"] {
        assert!(help.contains(client), "{help}");
    }
}

/// Options from a file. On SIGTERM open answers come to their end, and new requests are refused.
#[cfg(unix)]
#[tokio::test]
async fn it_stops_when_its_answers_have_ended() {
    const AT_ONCE: usize = 200;
    // Long enough for all to be open at once, on a busy machine, too.
    let reply = chat(["I look.\n", &call("Oslo")]).head_after(Duration::from_secs(4));
    let reply = reply.in_pieces(20, Duration::from_millis(100));
    let upstream = Upstream::new(vec![reply; AT_ONCE]).await;
    let dir = std::env::temp_dir().join(format!("toolstream-gateway-stop-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("gateway.toml");
    let record = dir.join("record");
    let toml = format!(
        "upstream = \"{}\"\nlisten = \"127.0.0.1:0\"\nmodel = \"qwen3-8b\"\nlog-format = \"json\"\nrecord = {record:?}\napi-key-env = \"THE_KEY\"\n",
        upstream.url
    );
    std::fs::write(&file, toml).unwrap();
    let mut gateway = tokio::process::Command::new(BINARY)
        .args(["--config", file.to_str().unwrap()])
        .env("THE_KEY", "very-secret")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut log = BufReader::new(gateway.stderr.take().unwrap()).lines();
    let first = in_time(log.next_line()).await.unwrap().unwrap();
    let first: serde_json::Value = serde_json::from_str(&first).unwrap();
    let url = format!("http://{}{CHAT}", first["address"].as_str().expect("an address"));
    // Read all along: a full pipe holds the gateway.
    let log = tokio::spawn(async move {
        let mut lines = Vec::new();
        while let Some(line) = log.next_line().await.unwrap() {
            lines.push(line);
        }
        lines
    });
    let client = reqwest::Client::new();
    let asks: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let asked = client.post(&url).json(&request(CHAT, true)).send();
            tokio::spawn(
                async move { asked.await.expect("an answer").text().await.expect("all of it") },
            )
        })
        .collect();
    in_time(async {
        while upstream.open() < AT_ONCE {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let pid = gateway.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    for asked in asks {
        let text = in_time(asked).await.unwrap();
        assert_eq!(streamed(CHAT, &events(text.as_bytes())).calls.len(), 1, "{text}");
    }
    assert!(in_time(gateway.wait()).await.unwrap().success());
    assert!(client.post(&url).json(&request(CHAT, true)).send().await.is_err());
    let lines = in_time(log).await.unwrap();
    assert!(lines.iter().all(|line| !line.contains("very-secret")));
    let of_requests: Vec<_> =
        lines.iter().filter(|line| line.contains("\"message\":\"request\"")).collect();
    assert_eq!(of_requests.len(), AT_ONCE, "{lines:#?}");
    let line: serde_json::Value = serde_json::from_str(of_requests[0]).unwrap();
    assert_eq!(
        (&line["dialect"], &line["calls"], &line["output"]),
        (&"hermes".into(), &"weather".into(), &5.into())
    );
    assert_eq!(upstream.keys()[0].as_deref(), Some("Bearer very-secret"));
    // A recording holds the model's text, the server's bytes and the request, for its owner alone.
    let file = |kind: &str| record.join(format!("{}.{kind}", line["id"].as_str().unwrap()));
    let read = |kind: &str| std::fs::read_to_string(file(kind)).unwrap();
    assert_eq!(read("txt"), format!("I look.\n{}", call("Oslo")));
    assert!(read("sse").starts_with("data: {") && read("sse").ends_with("data: [DONE]\n\n"));
    let sent: serde_json::Value = serde_json::from_str(&read("request.json")).unwrap();
    assert_eq!(sent, request(CHAT, true));
    use std::os::unix::fs::PermissionsExt;
    for kind in ["txt", "sse", "request.json"] {
        assert_eq!(
            std::fs::metadata(file(kind)).unwrap().permissions().mode() & 0o077,
            0,
            "{kind}"
        );
    }
    std::fs::remove_dir_all(dir).unwrap();
}
