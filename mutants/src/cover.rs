//! Which test reaches which mutants, and how long it takes.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::build::Place;
use crate::process::{self, Outcome};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Test {
    pub binary: PathBuf,
    pub name: String,
    pub seconds: f64,
    pub reaches: BTreeSet<usize>,
}

/// Builds the tests, runs each alone, and says which do not pass though nothing is mutated.
pub fn cover(place: &Place, files: &[String]) -> Result<Vec<Test>> {
    let binaries = binaries(place, files)?;
    let mut tests = Vec::new();
    for binary in binaries {
        let names = names(&binary)?;
        eprintln!("{} tests of {}", names.len(), binary.display());
        for name in names {
            let reached = place.file("reached");
            let _ = fs::remove_file(&reached);
            let path = reached.to_str().context("a UTF-8 path")?;
            let start = Instant::now();
            let environment = [("TOOLSTREAM_REACHED", path)];
            // What takes more than a minute here is of no use for thousands of mutants.
            let usual = [(name.as_str(), 5.5)];
            let outcome = process::run(&binary, &place.tree, &usual, &environment)?;
            let seconds = start.elapsed().as_secs_f64();
            if outcome != Outcome::Passed {
                eprintln!("left out, for it does not pass or takes too long: {name}");
                continue;
            }
            let reaches = fs::read_to_string(&reached).unwrap_or_default();
            let reaches = reaches.lines().filter_map(|id| id.parse().ok()).collect();
            tests.push(Test { binary: binary.clone(), name, seconds, reaches });
        }
    }
    Ok(tests)
}

/// The test binaries, of all features.
fn binaries(place: &Place, files: &[String]) -> Result<Vec<PathBuf>> {
    let mut cargo = place.cargo();
    cargo.args(["test", "--all-features", "--no-run", "--message-format=json", "--lib"]);
    match files {
        [] => _ = cargo.arg("--tests"),
        files => {
            cargo.args(["--test", "mutant_vectors"]);
            files.iter().for_each(|file| _ = cargo.args(["--test", file]));
        }
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
