//! Runs the mutants: each under the tests that reach it, those first that have caught others of its file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::build::Place;
use crate::cover::Test;
use crate::list::Mutant;
use crate::process::{self, Outcome};

/// Tests are run in steps, the quick ones first: those that take up to so many seconds.
const STEPS: [f64; 3] = [0.1, 0.5, 4.0];
/// So many of the tests that have caught a neighbour run before all others, each alone.
const FAVOURITES: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    NotReached,
    Caught,
    Hung,
    Survived,
}

/// A line of `results.jsonl`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Line {
    pub key: String,
    pub fate: Fate,
    /// The test that caught it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What is known of mutants by now, by key.
pub fn results(place: &Place) -> HashMap<String, Line> {
    let text = fs::read_to_string(place.file("results.jsonl")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    lines.map(|line| (line.key.clone(), line)).collect()
}

pub struct Hunt<'a> {
    pub place: &'a Place,
    pub mutants: &'a [Mutant],
    pub tests: &'a [Test],
    pub jobs: usize,
    pub until: Option<Instant>,
}

impl Hunt<'_> {
    /// Runs those of these mutants of which nothing is known yet.
    pub fn run(&self, ids: &[usize]) -> Result<()> {
        let known = results(self.place);
        let todo: Vec<usize> = ids
            .iter()
            .copied()
            .filter(|id| !known.contains_key(&self.mutants[*id].key()))
            .collect();
        let path = self.place.file("results.jsonl");
        let file = Mutex::new(File::options().create(true).append(true).open(path)?);
        let caught = Mutex::new(Favourites::default());
        let (next, start) = (AtomicUsize::new(0), Instant::now());
        let work = || -> Result<()> {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let late = self.until.is_some_and(|until| Instant::now() > until);
                let Some(&id) = todo.get(at).filter(|_| !late) else { return Ok(()) };
                let line = self.mutant(id, &caught)?;
                if at % 50 == 0 || line.fate == Fate::Survived {
                    let each = start.elapsed().as_secs_f64() / (at + 1) as f64;
                    eprintln!(
                        "{at}/{} ({each:.2} s each) {:?} {}",
                        todo.len(),
                        line.fate,
                        line.key
                    );
                }
                let text = serde_json::to_string(&line)? + "\n";
                file.lock().expect("no panic").write_all(text.as_bytes())?;
            }
        };
        std::thread::scope(|scope| {
            let jobs: Vec<_> = (0..self.jobs).map(|_| scope.spawn(work)).collect();
            jobs.into_iter().try_for_each(|job| job.join().expect("no panic"))
        })
    }

    fn mutant(&self, id: usize, caught: &Mutex<Favourites>) -> Result<Line> {
        let mutant = &self.mutants[id];
        let line = |fate, by: Option<String>| Line { key: mutant.key(), fate, by };
        let reaches = |test: &usize| self.tests[*test].reaches.contains(&id);
        let reach: Vec<usize> = (0..self.tests.len()).filter(reaches).collect();
        if reach.is_empty() {
            return Ok(line(Fate::NotReached, None));
        }
        let number = id.to_string();
        let environment = [("TOOLSTREAM_MUTANT", number.as_str())];
        let steps = self.steps(&reach, caught.lock().expect("no panic").of(&mutant.file));
        for step in steps {
            let binary = &self.tests[step[0]].binary;
            let tests = step.iter().map(|test| &self.tests[*test]);
            let tests: Vec<_> = tests.map(|test| (test.name.as_str(), test.seconds)).collect();
            let (fate, name) = match process::run(binary, &self.place.tree, &tests, &environment)? {
                Outcome::Passed => continue,
                Outcome::Failed(name) | Outcome::Ended(name) => (Fate::Caught, name),
                Outcome::Hung(name) => (Fate::Hung, name),
            };
            let by = step.iter().find(|test| self.tests[**test].name == name);
            caught.lock().expect("no panic").add(&mutant.file, *by.unwrap_or(&step[0]));
            return Ok(line(fate, Some(name)));
        }
        Ok(line(Fate::Survived, None))
    }

    /// The tests in the order in which they run: what has caught neighbours each alone, then the quick
    /// ones, a process for each binary. Those that are slower than the last step do not run.
    fn steps(&self, reach: &[usize], caught: &[usize]) -> Vec<Vec<usize>> {
        let first = caught.iter().filter(|test| reach.contains(test)).take(FAVOURITES);
        let mut steps: Vec<Vec<usize>> = first.map(|test| vec![*test]).collect();
        let mut done: HashSet<usize> = steps.iter().flatten().copied().collect();
        for limit in STEPS {
            let mut binaries: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
            for &test in reach {
                if self.tests[test].seconds <= limit && done.insert(test) {
                    binaries.entry(&self.tests[test].binary).or_default().push(test);
                }
            }
            steps.extend(binaries.into_values());
        }
        steps
    }
}

/// The tests that have caught mutants, by file, the last one first.
#[derive(Default)]
struct Favourites(HashMap<String, Vec<usize>>);

impl Favourites {
    fn of(&self, file: &str) -> &[usize] {
        self.0.get(file).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, file: &str, test: usize) {
        let tests = self.0.entry(file.to_string()).or_default();
        tests.retain(|other| *other != test);
        tests.insert(0, test);
    }
}
