//! A test binary that runs some of its tests, watched: stopped at the first that fails or hangs.

use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result};

/// Limits for a mutant that loops or piles up: so many KiB, and so many seconds of the processor. Not of the
/// clock: on a busy machine a test can wait for longer than it runs.
const LIMITS: &str = "ulimit -v 6000000; ulimit -t \"$1\"; shift; exec \"$@\"";

/// The limits for a test: so many times its usual time, and so many seconds more.
const TIMES: f64 = 10.0;
const MORE: f64 = 5.0;

/// The time after which a run counts as stuck: nothing has ended for so long.
const STILL: Duration = Duration::from_secs(600);

/// The signals that end a process whose time is up: `SIGXCPU`, and `SIGKILL`, from us or, a second later,
/// from the system.
const LATE: [i32; 2] = [24, 9];

/// How many cases random tests take.
pub const CASES: usize = 20;

#[derive(Debug, PartialEq)]
pub enum Outcome {
    Passed,
    Failed(String),
    /// The process ended in this test.
    Ended(String),
    Hung(String),
}

/// Runs these tests of a binary, each with the seconds it usually takes, ordered by name as they run.
pub fn run(
    binary: &Path,
    folder: &Path,
    tests: &[(&str, f64)],
    environment: &[(&str, &str)],
) -> Result<Outcome> {
    let usual: f64 = tests.iter().map(|(_, seconds)| seconds).sum();
    let seconds = (TIMES * usual + MORE).ceil();
    let mut command = Command::new("sh");
    command.args(["-c", LIMITS, "sh", &seconds.to_string()]).arg(binary);
    command.args(["--exact", "--test-threads=1", "--include-ignored"]);
    command.args(tests.iter().map(|(name, _)| *name)).current_dir(folder);
    // The same cases every time, and few of them.
    for name in ["SOUP_ROUNDS", "TWIN_ROUNDS", "FUZZ_ROUNDS", "ROUND_TRIPS"] {
        command.env(name, CASES.to_string());
    }
    command.env("TEST_EVERY", "9");
    command.env("PROPTEST_RNG_SEED", "1").env("PROPTEST_CASES", "16");
    command.env("CARGO_MANIFEST_DIR", folder).envs(environment.iter().copied());
    // A process group of its own: children of the tests end with them.
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().context("sh does not start")?;
    let lines = lines(&mut child);
    let outcome = watch(&lines, tests);
    if !matches!(outcome, Outcome::Passed | Outcome::Ended(_)) {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
    let late = child.wait()?.signal().is_some_and(|signal| LATE.contains(&signal));
    Ok(match outcome {
        Outcome::Ended(test) if late => Outcome::Hung(test),
        outcome => outcome,
    })
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
    let names = tests.iter().map(|(name, _)| (*name).to_string());
    for name in names {
        let result = loop {
            match lines.recv_timeout(STILL) {
                Err(RecvTimeoutError::Timeout) => return Outcome::Hung(name),
                Err(RecvTimeoutError::Disconnected) => return Outcome::Ended(name),
                Ok(line) => {
                    let test = line.strip_prefix("test ").and_then(|line| line.split_once(" ... "));
                    if let Some((_, result)) = test {
                        break result.to_string();
                    }
                }
            }
        };
        if !result.starts_with("ok") {
            return Outcome::Failed(name);
        }
    }
    Outcome::Passed
}
