//! A test binary that runs some of its tests, watched: stopped at the first that fails or hangs.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// What a test may take, and in all, so that a mutant that loops or piles up ends: memory in KiB, time of
/// the processor in seconds.
const LIMITS: &str = "ulimit -v 6000000; ulimit -t 300; exec \"$0\" \"$@\"";

/// A test may take so many times what it usually takes, and this much more.
const TIMES: f64 = 10.0;
const MORE: Duration = Duration::from_secs(5);

#[derive(Debug, PartialEq)]
pub enum Outcome {
    Passed,
    /// The test that failed, or during which the process ended.
    Failed(String),
    Hung(String),
}

/// Runs these tests of a binary, each with the seconds it usually takes, ordered by name as they run.
pub fn run(
    binary: &Path,
    folder: &Path,
    tests: &[(&str, f64)],
    environment: &[(&str, &str)],
) -> Result<Outcome> {
    let mut command = Command::new("sh");
    command.args(["-c", LIMITS]).arg(binary);
    command.args(["--exact", "--test-threads=1", "--include-ignored"]);
    command.args(tests.iter().map(|(name, _)| *name)).current_dir(folder);
    // The same cases every time, and few of them.
    for name in ["SOUP_ROUNDS", "TWIN_ROUNDS", "FUZZ_ROUNDS", "ROUND_TRIPS"] {
        command.env(name, "20");
    }
    command.env("PROPTEST_RNG_SEED", "1").env("PROPTEST_CASES", "16");
    command.env("CARGO_MANIFEST_DIR", folder).envs(environment.iter().copied());
    // A group of its own: what the tests start ends with them.
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().context("sh does not start")?;
    let lines = lines(&mut child);
    let outcome = watch(&lines, tests);
    if outcome != Outcome::Passed {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
    child.wait()?;
    Ok(outcome)
}

fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    let out = BufReader::new(child.stdout.take().expect("piped"));
    std::thread::spawn(move || {
        for line in out.split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Follows the tests as they end.
fn watch(lines: &Receiver<String>, tests: &[(&str, f64)]) -> Outcome {
    let mut at = 0;
    let mut since = Instant::now();
    while let Some((name, usual)) = tests.get(at) {
        let limit = MORE + Duration::from_secs_f64(TIMES * usual);
        let line = match lines.recv_timeout(limit.saturating_sub(since.elapsed())) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => return Outcome::Hung((*name).to_string()),
            Err(RecvTimeoutError::Disconnected) => {
                return Outcome::Failed((*name).to_string());
            }
        };
        let Some((_, result)) =
            line.strip_prefix("test ").and_then(|line| line.split_once(" ... "))
        else {
            continue;
        };
        match result.starts_with("ok") {
            true => (at, since) = (at + 1, Instant::now()),
            false => return Outcome::Failed((*name).to_string()),
        }
    }
    Outcome::Passed
}
