//! Runs the command for tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Time after which a test gives up. Nothing here takes nearly as long.
const DEADLINE: Duration = Duration::from_secs(60);

pub const TOOLS: &str = r#"[
  {"name": "read_file", "parameters": {"type": "object",
   "properties": {"path": {"type": "string"}, "line": {"type": "integer"}}, "required": ["path"]}}
]"#;
pub const CALL: &str = "<read_file><path>a.rs</path></read_file>";

/// A file or a folder in the temporary directory. It is deleted when it is dropped.
pub struct Temp(pub PathBuf);

impl Temp {
    pub fn file(name: &str, text: impl AsRef<[u8]>) -> Temp {
        let temp = Temp::named(name);
        std::fs::write(&temp.0, text).unwrap();
        temp
    }

    pub fn folder(name: &str) -> Temp {
        let temp = Temp::named(name);
        std::fs::create_dir_all(&temp.0).unwrap();
        temp
    }

    fn named(name: &str) -> Temp {
        Temp(std::env::temp_dir().join(format!("toolstream-{}-{name}", std::process::id())))
    }

    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = if self.0.is_dir() {
            std::fs::remove_dir_all(&self.0)
        } else {
            std::fs::remove_file(&self.0)
        };
    }
}

pub struct Done {
    pub out: String,
    pub err: String,
    pub code: i32,
}

pub fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_toolstream"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs `what` on another thread, and fails if it does not end.
pub fn bounded<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(what()));
    receiver.recv_timeout(DEADLINE).expect("it should have ended by now")
}

pub fn end(child: Child) -> Done {
    let output = bounded(|| child.wait_with_output().unwrap());
    Done {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

pub fn run(args: &[&str], stdin: impl AsRef<[u8]>) -> Done {
    let mut child = start(args);
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.as_ref().to_vec();
    // The command may end before it has read everything, at the limit for example.
    let writer = thread::spawn(move || pipe.write_all(&stdin).is_ok());
    let done = end(child);
    writer.join().unwrap();
    done
}

/// `parse --dialect cline` with the tools above.
pub fn parse(args: &[&str], stdin: impl AsRef<[u8]>) -> Done {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let tools = Temp::file(&format!("tools-{count}.json"), TOOLS);
    let all = [&["parse", "--dialect", "cline", "--tools", tools.path()], args].concat();
    run(&all, stdin)
}

pub fn events(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the slices of all events, joined.
pub fn joined(out: &str) -> String {
    events(out).iter().filter_map(|event| event["text"].as_str()).collect()
}

pub fn transcript(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/transcripts");
    folder.join(name).to_str().unwrap().to_string()
}
/// Checks the exit code 2, an empty stdout, and one line on stderr that holds all of `told`.
pub fn refused(args: &[&str], told: &[&str]) {
    let done = run(args, "");
    assert_eq!((done.code, &*done.out), (2, ""), "{args:?}");
    assert!(done.err.starts_with("toolstream: "), "{}", done.err);
    assert_eq!(done.err.matches('\n').count(), 1, "{}", done.err);
    for part in told {
        assert!(done.err.contains(part), "no {part:?} in {}", done.err);
    }
}
