//! The mutants, as `cargo mutants --list` names them.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// The folders of `src/`, or files without their ending, by risk.
pub const FOLDERS: [&str; 9] =
    ["machine", "json", "message", "adapt", "native", "write", "policy", "model", "dialect"];

/// A line and a column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

#[derive(Deserialize)]
struct Span {
    start: Place,
}

/// A mutant in the list.
#[derive(Deserialize)]
struct Listed {
    file: String,
    name: String,
    genre: String,
    replacement: String,
    span: Span,
}

/// State of a mutant in the rewritten source.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum State {
    /// The mutant is in, behind a question.
    Made,
    /// No question is possible in this place; the reason.
    LeftOut(String),
    /// The compiler refuses the mutant's text.
    DoesNotCompile,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Mutant {
    pub file: String,
    /// The change, and its function.
    pub what: String,
    /// Its number among the mutants with the same words in the file, from 1.
    pub nth: usize,
    pub genre: String,
    pub replacement: String,
    pub place: Place,
    pub state: State,
}

impl Mutant {
    /// Returns the name in `survivors.md`: no line numbers, so that it outlives edits elsewhere.
    pub fn key(&self) -> String {
        let nth = if self.nth > 1 { format!(" #{}", self.nth) } else { String::new() };
        format!("{}: {}{nth}", self.file, self.what)
    }

    pub fn folder(&self) -> &str {
        let inner = self.file.strip_prefix("src/").unwrap_or(&self.file);
        inner.split(['/', '.']).next().unwrap_or(inner)
    }
}

/// Returns all mutants of [`FOLDERS`] in this checkout, those at the highest risk first.
pub fn list(root: &Path) -> Result<Vec<Mutant>> {
    let out = Command::new("cargo")
        .args(["mutants", "--list", "--json"])
        .current_dir(root)
        .output()
        .context("cargo mutants does not start: `cargo install cargo-mutants --locked`")?;
    ensure!(out.status.success(), "cargo mutants: {}", String::from_utf8_lossy(&out.stderr));
    let listed: Vec<Listed> = serde_json::from_slice(&out.stdout)?;
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    let named = listed.into_iter().map(|one| {
        // "src/a.rs:12:5: replace …": the place is known from other fields.
        let what = one.name.split_once(": ").map_or(&*one.name, |(_, what)| what).to_string();
        let nth = seen.entry((one.file.clone(), what.clone())).or_default();
        *nth += 1;
        let (nth, state) = (*nth, State::Made);
        let (file, genre, replacement) = (one.file, one.genre, one.replacement);
        Mutant { file, what, nth, genre, replacement, place: one.span.start, state }
    });
    let risk = |mutant: &Mutant| FOLDERS.iter().position(|folder| *folder == mutant.folder());
    let mut mutants: Vec<Mutant> = named.filter(|mutant| risk(mutant).is_some()).collect();
    mutants.sort_by_key(risk);
    Ok(mutants)
}
