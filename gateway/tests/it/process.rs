//! The binary: its options, its demo, and how it stops.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::sleep;

use crate::support::{CHAT, Upstream, call, chat, events, in_time, request, streamed};

const BINARY: &str = env!("CARGO_BIN_EXE_toolstream-gateway");

fn run(arguments: &[&str]) -> Output {
    Command::new(BINARY).args(arguments).output().expect("it runs")
}

/// The binary before this server, and its address.
pub async fn started(upstream: &str) -> (tokio::process::Child, String) {
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
    let mut gateway =
        command.args(options).stderr(Stdio::piped()).kill_on_drop(true).spawn().expect("it runs");
    let mut log = BufReader::new(gateway.stderr.take().expect("a log")).lines();
    let first = in_time(log.next_line()).await.expect("a log").expect("a line");
    let first: serde_json::Value = serde_json::from_str(&first).expect("JSON");
    // A full log would block the gateway.
    tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
    (gateway, format!("http://{}", first["address"].as_str().expect("an address")))
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
    // A recording holds the model's text.
    let text = record.join(format!("{}.txt", line["id"].as_str().unwrap()));
    assert_eq!(std::fs::read_to_string(text).unwrap(), format!("I look.\n{}", call("Oslo")));
    std::fs::remove_dir_all(dir).unwrap();
}
