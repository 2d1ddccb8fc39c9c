//! A gateway never hands out a broken call as a whole one. Whatever a model writes, an OpenAI client has what `Message` has, or
//! is told that it does not.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{gateway, soup};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_client_has_what_a_message_has(data in vec(any::<u8>(), 0..96)) {
        gateway::body(&data);
    }
}

/// The fuzz target on seeded inputs, `FUZZ_ROUNDS` of them.
#[test]
fn seeded() {
    let rounds: u64 = std::env::var("FUZZ_ROUNDS").map_or(100, |n| n.parse().expect("a number"));
    (0..rounds).for_each(|round| {
        let data = soup::seeded(0x6A7E << 32 | round, 16 + round as usize % 48);
        gateway::body(&data);
    });
}

/// The vectors through the command: `--format openai` and `--format message` say the same.
#[cfg(feature = "cli")]
mod command_line {
    use std::path::PathBuf;
    use std::process::Command;

    use serde_json::{Value, json};

    use super::gateway::{Client, agrees};

    /// A folder in the temporary directory. It is deleted when it is dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let name = format!("toolstream-gateway-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&path).expect("a folder");
            Folder(path)
        }

        fn write(&self, name: &str, text: &str) -> String {
            let path = self.0.join(name);
            std::fs::write(&path, text).expect("a file");
            path.to_str().expect("a path").to_string()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn output(args: &[String]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolstream"));
        let done = command.args(args).output().expect("the command runs");
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{args:?}: {told}");
        String::from_utf8(done.stdout).expect("text")
    }

    fn client(lines: &str) -> Client {
        let mut client = Client::default();
        lines.lines().for_each(|line| client.take(&serde_json::from_str(line).expect("a choice")));
        client
    }

    fn replay(file: &str) {
        let folder = Folder::new(file);
        let path = format!("{}/tests/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let vectors = std::fs::read_to_string(path).expect("a vector file");
        for line in vectors.lines() {
            let vector: Value = serde_json::from_str(line).expect("a vector");
            let config = vector.get("config").cloned().unwrap_or(json!({}));
            let mut args = match (vector["dialect"].as_str(), vector["provider"].as_str()) {
                (Some(dialect), _) => vec!["parse".into(), "--dialect".into(), dialect.into()],
                (_, Some(name)) => vec!["native".into(), "--provider".into(), name.into()],
                _ => panic!("{line}"),
            };
            args.extend(["--config".into(), folder.write("config.json", &config.to_string())]);
            if vector["tools"].as_array().is_some_and(|tools| !tools.is_empty()) {
                let tools = folder.write("tools.json", &vector["tools"].to_string());
                args.extend(["--tools".into(), tools]);
            }
            let text = match &vector["input"] {
                Value::Array(events) => {
                    events.iter().map(|event| event.to_string() + "\n").collect::<String>()
                }
                input => input.as_str().expect("text").to_string(),
            };
            let input = folder.write("input", &text);
            let run = |format: &str, more: &[&str]| {
                let more = more.iter().map(|arg| arg.to_string());
                let format = ["--format".to_string(), format.to_string(), input.clone()];
                output(&args.iter().cloned().chain(more).chain(format).collect::<Vec<_>>())
            };
            let message = serde_json::from_str(&run("message", &[])).expect("a message");
            let whole = client(&run("openai", &[]));
            println!("{}", vector["id"]);
            agrees(&whole, &message);
            if vector.get("dialect").is_some() {
                for size in ["1", "5"] {
                    assert_eq!(client(&run("openai", &["--chunk", size])), whole);
                }
            }
        }
    }

    macro_rules! replayed {
        ($($name:ident $file:literal)*) => {$(
            #[test]
            fn $name() {
                replay($file);
            }
        )*};
    }

    replayed! {
        cline "cline"
        code_assistant "code-assistant"
        invoke "invoke"
        hermes "hermes"
        qwen3_coder "qwen3-coder"
        glm "glm"
        tool_call "tool-call"
        kimi_k2 "kimi-k2"
        react "react"
        types "types"
        native "native"
    }
}
