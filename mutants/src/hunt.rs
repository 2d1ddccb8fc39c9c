//! Runs the mutants: each under the tests that reach it, first those that caught others of its file. In
//! rounds: all mutants run under the quick tests, and survivors under slower ones. Most results come soon.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
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

/// The most seconds of a test in each round. A round runs the tests that were too slow for the round before.
/// Slower tests than in the last do not run.
const SECONDS: [f64; 3] = [0.1, 0.5, 5.5];
/// The factor for the last round: the bodies of the fuzz targets, so many times as long.
const LONG: usize = 20;
/// How many rounds there are.
pub const ROUNDS: usize = SECONDS.len() + 1;
/// The number of tests that caught a neighbour and run before all others, each alone.
const FAVOURITES: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    NotReached,
    Caught,
    Hung,
    /// The tests of so many rounds passed. Those of the next are still to run.
    Passed(usize),
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

/// Returns the known results of mutants, by key.
pub fn results(place: &Place) -> HashMap<String, Line> {
    let text = fs::read_to_string(place.file("results.jsonl")).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    lines.map(|line| (line.key.clone(), line)).collect()
}

pub struct Hunt<'a> {
    pub place: &'a Place,
    pub mutants: &'a [Mutant],
    pub tests: &'a [Test],
    pub rounds: usize,
    /// Files of `tests/it`: only those run, and mutants that pass them keep their result.
    pub only: &'a [String],
    /// The longest time of a test that runs, in seconds.
    pub most: f64,
    pub jobs: usize,
    pub until: Option<Instant>,
}

impl Hunt<'_> {
    /// Runs those of these mutants that have no final result yet.
    pub fn run(&self, ids: &[usize]) -> Result<()> {
        if !self.only.is_empty() {
            let known = results(self.place);
            let passed = |id: &usize| {
                let line = known.get(&self.mutants[*id].key());
                line.is_none_or(|line| matches!(line.fate, Fate::Passed(_) | Fate::Survived))
            };
            let todo: Vec<usize> = ids.iter().copied().filter(passed).collect();
            eprintln!("{} mutants under {}", todo.len(), self.only.join(" "));
            return self.round(ROUNDS, &todo);
        }
        for round in 0..self.rounds.min(ROUNDS) {
            let known = results(self.place);
            let waits = |id: &usize| match known.get(&self.mutants[*id].key()) {
                None => round == 0,
                Some(line) => line.fate == Fate::Passed(round),
            };
            let todo: Vec<usize> = ids.iter().copied().filter(waits).collect();
            eprintln!("round {}: {} mutants", round + 1, todo.len());
            self.round(round, &todo)?;
        }
        Ok(())
    }

    fn round(&self, round: usize, todo: &[usize]) -> Result<()> {
        let path = self.place.file("results.jsonl");
        let file = Mutex::new(File::options().create(true).append(true).open(path)?);
        let caught = Mutex::new(Favourites::default());
        let (next, start) = (AtomicUsize::new(0), Instant::now());
        let work = || -> Result<()> {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let late = self.until.is_some_and(|until| Instant::now() > until);
                let Some(&id) = todo.get(at).filter(|_| !late) else { return Ok(()) };
                let line = self.mutant(id, round, &caught)?;
                if at % 50 == 0 || line.fate == Fate::Survived {
                    let each = start.elapsed().as_secs_f64() / (at + 1) as f64;
                    eprintln!(
                        "{at}/{} ({each:.2} s each) {:?} {}",
                        todo.len(),
                        line.fate,
                        line.key
                    );
                }
                if round == ROUNDS && !matches!(line.fate, Fate::Caught | Fate::Hung) {
                    continue;
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

    fn mutant(&self, id: usize, round: usize, caught: &Mutex<Favourites>) -> Result<Line> {
        let mutant = &self.mutants[id];
        let line = |fate, by: Option<String>| Line { key: mutant.key(), fate, by };
        let reaches = |test: &usize| self.tests[*test].reaches.contains(&id);
        let reach: Vec<usize> = (0..self.tests.len()).filter(reaches).collect();
        if reach.is_empty() {
            return Ok(line(Fate::NotReached, None));
        }
        let number = id.to_string();
        let mut environment = vec![("TOOLSTREAM_MUTANT", number.as_str())];
        let cases = (process::CASES * LONG).to_string();
        let times = if round >= SECONDS.len() { LONG } else { 1 };
        if times > 1 {
            environment.push(("FUZZ_ROUNDS", &cases));
        }
        let steps = self.steps(&reach, round, &caught.lock().expect("no panic"), &mutant.file);
        for step in steps {
            let binary = &self.tests[step[0]].binary;
            let tests = step.iter().map(|test| &self.tests[*test]);
            let seconds = |test: &Test| test.seconds * times as f64;
            let tests: Vec<_> = tests.map(|test| (test.name.as_str(), seconds(test))).collect();
            let (fate, name) = match process::run(binary, &self.place.tree, &tests, &environment)? {
                Outcome::Passed => continue,
                Outcome::Failed(name) | Outcome::Ended(name) => (Fate::Caught, name),
                Outcome::Hung(name) => (Fate::Hung, name),
            };
            let by = *step.iter().find(|test| self.tests[**test].name == name).unwrap_or(&step[0]);
            caught.lock().expect("no panic").add(&mutant.file, by, &self.tests[by].file);
            return Ok(line(fate, Some(name)));
        }
        let slower = |test: &usize| (round + 1..ROUNDS).any(|next| self.is_of(*test, next));
        let more = reach.iter().any(slower);
        Ok(line(if more { Fate::Passed(round + 1) } else { Fate::Survived }, None))
    }

    /// Whether a test runs in this round.
    fn is_of(&self, test: usize, round: usize) -> bool {
        let Test { seconds, file, .. } = &self.tests[test];
        match SECONDS.get(round) {
            _ if round == ROUNDS => seconds <= &self.most && self.only.contains(file),
            Some(most) => seconds <= most && (round == 0 || *seconds > SECONDS[round - 1]),
            None => file == "fuzz_bodies",
        }
    }

    /// Returns the tests of a round in their order: tests that caught neighbours, each alone, then a process for
    /// each file of tests, those with the most catches first.
    fn steps(
        &self,
        reach: &[usize],
        round: usize,
        caught: &Favourites,
        file: &str,
    ) -> Vec<Vec<usize>> {
        let runs = |test: &usize| reach.contains(test) && self.is_of(*test, round);
        let first: Vec<usize> =
            caught.of(file).iter().copied().filter(runs).take(FAVOURITES).collect();
        let mut files: BTreeMap<(&Path, &str), Vec<usize>> = BTreeMap::new();
        for &test in reach.iter().filter(|test| runs(test) && !first.contains(test)) {
            let Test { binary, file, .. } = &self.tests[test];
            files.entry((binary, file)).or_default().push(test);
        }
        let mut rest: Vec<_> = files.into_iter().collect();
        rest.sort_by_key(|((_, file), _)| Reverse(caught.by(file)));
        let each = first.into_iter().map(|test| vec![test]);
        each.chain(rest.into_iter().map(|(_, tests)| tests)).collect()
    }
}

/// The tests that have caught mutants.
#[derive(Default)]
struct Favourites {
    /// Tests, by the file of the mutant, the last one first.
    tests: HashMap<String, Vec<usize>>,
    /// How many each file of tests has.
    files: HashMap<String, usize>,
}

impl Favourites {
    fn of(&self, file: &str) -> &[usize] {
        self.tests.get(file).map_or(&[], Vec::as_slice)
    }

    fn by(&self, tests_file: &str) -> usize {
        self.files.get(tests_file).copied().unwrap_or_default()
    }

    fn add(&mut self, file: &str, test: usize, tests_file: &str) {
        let tests = self.tests.entry(file.to_string()).or_default();
        tests.retain(|other| *other != test);
        tests.insert(0, test);
        *self.files.entry(tests_file.to_string()).or_default() += 1;
    }
}
