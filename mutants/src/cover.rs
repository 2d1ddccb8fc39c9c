//! The mutants that each test reaches, and the time that it takes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::build::Place;
use crate::process::{self, Outcome};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Test {
    pub binary: PathBuf,
    /// Its file in `tests/it`; for other binaries their name (`toolstream`: the library's own).
    pub file: String,
    pub name: String,
    pub seconds: f64,
    pub reaches: BTreeSet<usize>,
}

/// Builds the tests, runs each alone, and reports those that fail without a mutant.
pub fn cover(place: &Place, files: &[String], jobs: usize) -> Result<Vec<Test>> {
    let mut todo = Vec::new();
    for binary in binaries(place, files)? {
        let mut names = names(&binary)?;
        if stem(&binary) == "it" && !files.is_empty() {
            names.retain(|name| files.contains(&file(&binary, name)));
        }
        eprintln!("{} tests of {}", names.len(), binary.display());
        todo.extend(names.into_iter().map(|name| (binary.clone(), name)));
    }
    for of in files {
        ensure!(todo.iter().any(|(binary, name)| file(binary, name) == *of), "no tests of {of}");
    }
    let (next, tests) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = |job: usize| -> Result<()> {
        let reached = place.file(&format!("reached{job}"));
        while let Some((binary, name)) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
            match watch(place, binary, name, &reached)? {
                Some(test) => tests.lock().expect("no panic").push(test),
                None => eprintln!("left out, for it does not pass or takes too long: {name}"),
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..jobs).map(|job| scope.spawn(move || work(job))).collect();
        jobs.into_iter().try_for_each(|job| job.join().expect("no panic"))
    })?;
    let mut tests = tests.into_inner().expect("no panic");
    tests.sort_by(|one: &Test, other| (&one.binary, &one.name).cmp(&(&other.binary, &other.name)));
    Ok(tests)
}

/// Runs a test alone; none if it does not pass.
fn watch(place: &Place, binary: &Path, name: &str, reached: &Path) -> Result<Option<Test>> {
    let _ = fs::remove_file(reached);
    let path = reached.to_str().context("a UTF-8 path")?;
    let start = Instant::now();
    let environment = [("TOOLSTREAM_REACHED", path)];
    // A test of more than a minute is of no use for thousands of mutants.
    let outcome = process::run(binary, &place.tree, &[(name, 5.5)], &environment)?;
    let seconds = start.elapsed().as_secs_f64();
    if outcome != Outcome::Passed {
        return Ok(None);
    }
    let reaches = fs::read_to_string(reached).unwrap_or_default();
    let reaches = reaches.lines().filter_map(|id| id.parse().ok()).collect();
    let (binary, file, name) = (binary.to_path_buf(), file(binary, name), name.to_string());
    Ok(Some(Test { binary, file, name, seconds, reaches }))
}

/// Returns the name of a binary, without the suffix of Cargo.
fn stem(binary: &Path) -> String {
    let name = binary.file_name().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').map_or(&*name, |(stem, _)| stem).to_string()
}

fn file(binary: &Path, test: &str) -> String {
    match (stem(binary), test.split_once("::")) {
        (stem, Some((file, _))) if stem == "it" => file.to_string(),
        (stem, _) => stem,
    }
}

/// The test binaries, of all features.
fn binaries(place: &Place, files: &[String]) -> Result<Vec<PathBuf>> {
    let mut cargo = place.cargo();
    cargo.args(["test", "--all-features", "--no-run", "--message-format=json", "--lib"]);
    match files {
        [] => _ = cargo.arg("--tests"),
        _ => _ = cargo.args(["--test", "mutant_vectors", "--test", "it"]),
    }
    let out = cargo.stderr(std::process::Stdio::inherit()).output()?;
    ensure!(out.status.success(), "the tests do not build");
    let text = String::from_utf8(out.stdout)?;
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let tests = messages.filter(|message| message["profile"]["test"] == true);
    Ok(tests.filter_map(|message| Some(message["executable"].as_str()?.into())).collect())
}

fn names(binary: &PathBuf) -> Result<Vec<String>> {
    let out = Command::new(binary).arg("--list").output()?;
    let text = String::from_utf8(out.stdout)?;
    let mut names: Vec<String> =
        text.lines().filter_map(|line| Some(line.strip_suffix(": test")?.to_string())).collect();
    names.sort();
    Ok(names)
}
