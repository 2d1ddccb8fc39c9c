//! Clients as people install them: the SDKs of OpenAI and Anthropic, Codex and opencode, before a scripted model.
//! `gateway/ci clients` installs them into the folder that `TOOLSTREAM_CLIENTS` names, and runs these tests. Each client
//! has a home of its own and reaches the loopback alone.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use crate::support::{Gateway, Reply, Upstream, chat, chunk};

/// A client that takes longer hangs.
const LONG: Duration = Duration::from_secs(120);

/// A model that does what the user's lines say, one line a turn: `CALL {…}`, `CANCEL` (a text without end),
/// `STATUS 503`, `BREAKS 503` (an error in the stream), `TOO LONG` (the prompt). Then it is done. It reads each prompt for a
/// while, in which the client gets signs of life.
fn model(request: &Value) -> Reply {
    let messages = request["messages"].as_array().expect("messages");
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().map(|part| part["text"].as_str().unwrap_or_default());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    let steps = |message: &Value| -> Vec<String> {
        // opencode escapes the quotes of its command line.
        let text = text(message).replace("\\\"", "\"");
        let lines = text.lines().map(|line| line.trim().trim_matches('"').to_string());
        let words = ["CALL ", "CANCEL", "STATUS ", "BREAKS ", "TOO LONG"];
        lines.filter(|line| words.iter().any(|word| line.starts_with(word))).collect()
    };
    let has_tools = messages.iter().any(|message| text(message).contains("<tools>"));
    let asked = messages.iter().rposition(|message| !steps(message).is_empty());
    let Some(asked) = asked.filter(|_| has_tools) else { return chat(["A title"]) };
    let turns = messages[asked..].iter().filter(|message| message["role"] == "assistant").count();
    let steps = steps(&messages[asked]);
    let reading = Duration::from_millis(300);
    let Some(step) = steps.get(turns) else {
        return chat(["Done: ", "it is red."]).head_after(reading);
    };
    match step.split_once(' ').unwrap_or((step, "")) {
        ("CALL", call) => {
            let call = format!("<tool_call>\n{call}\n</tool_call>");
            let (half, rest) = call.split_at(14);
            chat(["I look.\n", half, rest]).head_after(reading)
        }
        ("STATUS", status) => {
            let error = json!({"error": {"message": "The engine rests."}});
            Reply::status(status.parse().expect("a status"), error.to_string())
                .header("retry-after", "0")
        }
        ("TOO", _) => {
            let message = "This model's maximum context length is 4096 tokens. You requested 5000.";
            Reply::status(400, json!({"error": {"message": message}}).to_string())
        }
        ("BREAKS", code) => {
            let error = json!({"error": {"message": "The engine died.", "code": code}});
            Reply::sse(format!("data: {}\n\ndata: {error}\n\n", chunk("Hello")))
        }
        _ => {
            let word = format!("data: {}\n\n", chunk("word "));
            let piece = word.len();
            Reply::sse(word.repeat(5_000)).in_pieces(piece, Duration::from_millis(20))
        }
    }
}

/// A client before a gateway.
struct Live {
    gateway: Gateway,
    clients: PathBuf,
    /// A folder of its own, with `red.png` in it.
    home: PathBuf,
}

impl Live {
    async fn new(name: &str) -> Live {
        let clients = std::env::var("TOOLSTREAM_CLIENTS").expect("`gateway/ci clients` sets it");
        let clients = PathBuf::from(clients);
        let home = clients.join(format!("home-{name}-{}", std::process::id()));
        std::fs::create_dir_all(home.join("work")).expect("a folder");
        let image = home.join("work/red.png");
        std::fs::write(image, RED).expect("an image");
        let options = ["--model", "qwen3-8b", "--ping-interval", "0.05"];
        let gateway = Gateway::to(&options, Upstream::by(model).await).await;
        Live { gateway, clients, home }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.home.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Writes the only block of this kind in the README that names the client's file, with the address of this gateway.
    fn configure(&self, path: &str, kind: &str) {
        let readme = include_str!("../../README.md");
        let block = readme.split(&format!("```{kind}\n")).nth(1).expect("a block");
        let block = block.split("```").next().expect("its end");
        assert!(block.contains("http://127.0.0.1:8787"), "{block}");
        self.write(path, &block.replace("http://127.0.0.1:8787", &self.gateway.url));
    }

    /// A command that finds its own home, and nobody but the loopback.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.home.join("work")).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var("PATH").unwrap_or_default()).env("HOME", &self.home);
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            command.env(name, "http://127.0.0.1:9");
        }
        for name in ["NO_PROXY", "no_proxy"] {
            command.env(name, "127.0.0.1,localhost");
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    async fn run(&self, command: &mut Command) -> (bool, String) {
        let output = timeout(LONG, command.output()).await.expect("it ends in time");
        let Output { status, stdout, stderr } = output.expect("it runs");
        let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (status.success(), text.concat())
    }

    /// Starts a turn without end, presses Ctrl-C, and returns how long the server went on.
    async fn cancelled(&self, command: &mut Command) -> Duration {
        // A client is a script that starts another program: both have the signal, as from a terminal.
        let mut client = command.process_group(0).spawn().expect("it runs");
        // A client asks for a title, too.
        until("the turn", || {
            let last = self.gateway.upstream.asked().pop().unwrap_or_default().to_string();
            last.contains("<tools>") && last.contains("CANCEL") && self.gateway.upstream.open() > 0
        })
        .await;
        sleep(Duration::from_millis(500)).await;
        let group = format!("-{}", client.id().expect("it is there"));
        let signalled = std::process::Command::new("kill").args(["-INT", "--", &group]).status();
        assert!(signalled.expect("it runs").success());
        let began = Instant::now();
        until("the end", || self.gateway.upstream.open() == 0).await;
        let took = began.elapsed();
        timeout(LONG, client.wait()).await.expect("it ends in time").expect("it ends");
        assert!(took < Duration::from_secs(5), "the server went on for {took:?}");
        took
    }

    /// Holds two turns: the client runs a command and looks at an image, and then goes on with the session. `runs` and
    /// `sees` are calls of its tools; `again` are the words that continue a session. Returns the number of requests.
    async fn holds_two_turns(
        &self,
        client: impl Fn(&[&str]) -> Command,
        runs: impl Fn(&str) -> Value,
        sees: impl Fn(&Path) -> Value,
        again: &[&str],
    ) -> usize {
        let image = self.home.join("work/red.png");
        let (run, see) = (runs("echo grüß dich > told.txt; echo it ran"), sees(&image));
        let first = format!("Please.\nCALL {run}\nCALL {see}");
        let (good, text) = self.run(&mut client(&[&first])).await;
        assert!(good && text.contains("Done: it is red."), "{text}");
        let told = std::fs::read_to_string(self.home.join("work/told.txt"));
        assert_eq!(told.unwrap_or_else(|_| panic!("no command ran: {text}")), "grüß dich\n");
        assert!(self.saw_an_image(), "{text}");
        let second = format!("CALL {}", runs("cat told.txt"));
        let (good, text) = self.run(&mut client(&[again, &[&*second]].concat())).await;
        assert!(good && text.contains("Done: it is red."), "{text}");
        let last = self.gateway.upstream.asked().last().expect("a turn")["messages"].to_string();
        assert!(last.matches("grüß dich").count() > 1, "the first turn and the result: {last}");
        self.gateway.upstream.asked().len()
    }

    /// Whether the model has seen an image.
    fn saw_an_image(&self) -> bool {
        let asked = self.gateway.upstream.asked();
        asked.iter().any(|asked| asked["messages"].to_string().contains("data:image/png;base64"))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < LONG, "{what} never came");
        sleep(Duration::from_millis(2)).await;
    }
}

/// A PNG of one red dot.
const RED: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

#[tokio::test]
#[ignore = "clients: gateway/ci clients runs it"]
async fn the_sdks() {
    let live = Live::new("sdk").await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/sdks.py");
    let began = Instant::now();
    let mut python = live.command(&live.clients.join("python/bin/python"));
    let (good, text) = live.run(python.args([script, &live.gateway.url])).await;
    assert!(good, "{text}");
    assert!(live.saw_an_image());
    println!(
        "{text}the SDKs: {} turns in {:.1?}",
        live.gateway.upstream.asked().len(),
        began.elapsed()
    );
}

#[tokio::test]
#[ignore = "clients: gateway/ci clients runs it"]
async fn codex() {
    let live = Live::new("codex").await;
    live.configure(".codex/config.toml", "toml");
    let began = Instant::now();
    let codex = |words: &[&str]| {
        let mut command = live.command(&live.clients.join("node_modules/.bin/codex"));
        command.args([
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            // No more than one repetition: a user waits for more.
            "-c",
            "model_providers.local.request_max_retries=1",
            "-c",
            "model_providers.local.stream_max_retries=1",
        ]);
        command.args(words);
        command
    };
    let runs = |cmd: &str| json!({"name": "exec_command", "arguments": {"cmd": cmd}});
    let sees = |image: &Path| json!({"name": "view_image", "arguments": {"path": image}});
    let turns = live.holds_two_turns(codex, runs, sees, &["resume", "--last"]).await;
    let took = live.cancelled(&mut codex(&["CANCEL"])).await;
    // A prompt that is too long has words of Codex's own, which compacts then.
    let (_, text) = live.run(&mut codex(&["TOO LONG"])).await;
    assert!(text.contains("context window"), "{text}");
    for error in ["STATUS 500", "BREAKS 503"] {
        let (good, text) = live.run(&mut codex(&[error])).await;
        // A 500 has words of Codex's own.
        assert!(!good && text.contains("ERROR"), "{error}: {text}");
    }
    println!(
        "codex: {turns} turns in two sessions; stopped, the server's request ended after {took:.0?}; {:.1?}",
        began.elapsed()
    );
}

#[tokio::test]
#[ignore = "clients: gateway/ci clients runs it"]
async fn opencode() {
    let live = Live::new("opencode").await;
    live.configure("work/opencode.json", "json");
    // Nothing is asked of a user, or of the network.
    let quiet = json!({"autoupdate": false, "share": "disabled", "small_model": "local/qwen3-8b", "permission": "allow"});
    live.write(".config/opencode/opencode.json", &quiet.to_string());
    let began = Instant::now();
    let opencode = |words: &[&str]| {
        let mut command = live.command(&live.clients.join("node_modules/.bin/opencode"));
        command.env("OPENCODE_DISABLE_MODELS_FETCH", "1").env("OPENCODE_DISABLE_AUTOUPDATE", "1");
        command
            .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1")
            .env("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1");
        command.args(["run", "-m", "local/qwen3-8b", "--format", "json"]).args(words);
        command
    };
    let runs = |command: &str| json!({"name": "bash", "arguments": {"command": command, "description": "Runs"}});
    let sees = |image: &Path| json!({"name": "read", "arguments": {"filePath": image}});
    let turns = live.holds_two_turns(opencode, runs, sees, &["-c"]).await;
    let took = live.cancelled(&mut opencode(&["CANCEL"])).await;
    // For other errors it repeats the request for more than a minute.
    for error in ["STATUS 400", "BREAKS 400"] {
        let (_, text) = live.run(&mut opencode(&[error])).await;
        assert!(text.contains("The engine"), "{error}: {text}");
    }
    println!(
        "opencode: {turns} turns in two sessions; stopped, the server's request ended after {took:.0?}; {:.1?}",
        began.elapsed()
    );
}

#[tokio::test]
#[ignore = "clients: gateway/ci clients runs it"]
async fn claude_code() {
    let live = Live::new("claude").await;
    let began = Instant::now();
    let claude = |words: &[&str]| {
        let mut command = live.command(&live.clients.join("node_modules/.bin/claude"));
        command.env("ANTHROPIC_BASE_URL", &live.gateway.url).env("ANTHROPIC_AUTH_TOKEN", "none");
        // Nothing goes to anybody else, and an error is repeated once.
        command
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("CLAUDE_CODE_MAX_RETRIES", "1");
        command.args(["--allowedTools", "Bash,Read", "-p"]).args(words);
        command
    };
    let runs = |command: &str| json!({"name": "Bash", "arguments": {"command": command, "description": "Runs"}});
    let sees = |image: &Path| json!({"name": "Read", "arguments": {"file_path": image}});
    let turns = live.holds_two_turns(claude, runs, sees, &["--continue"]).await;
    let took = live.cancelled(&mut claude(&["CANCEL"])).await;
    // A prompt that is too long has words of its own: a session compacts then.
    for (error, words) in [("TOO LONG", "Prompt is too long"), ("STATUS 500", "The engine rests.")]
    {
        let (good, text) = live.run(&mut claude(&[error])).await;
        assert!(!good && text.contains(words), "{error}: {text}");
    }
    println!(
        "claude code: {turns} turns in two sessions; stopped, the server's request ended after {took:.0?}; {:.1?}",
        began.elapsed()
    );
}
