//! `toolstream check`: conformance vectors, for every cut.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolstream::check::{Vector, VectorOutcome, every_cut};

use crate::cuts::Sizes;
use crate::failure::{BAD_INPUT, Result, say};
use crate::progress::Progress;
use crate::view::harmless_lines;
use crate::{config, files};

/// Run conformance vectors and print the differences
///
/// Each vector runs whole, byte by byte, cut in two at every byte, and at a few random cuts, also
/// inside characters; the laws are checked on every cut. Exit code 1 if a vector failed, 2 if a
/// file or a line could not be read. The last line is always "N passed, N failed, N skipped".
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Vector files, one JSON object a line, and folders for all *.jsonl in them
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// Run only the vectors with this id; may be repeated
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  toolstream check tests/vectors
  One vector of them:
    toolstream check --id mine-1 tests/vectors
  A vector, on one line of its file:
    {\"id\": \"mine-1\", \"dialect\": \"cline\", \"tools\": [{\"name\": \"list\"}],
     \"input\": \"Now: <list></list>\",
     \"expect\": {\"text\": \"Now:\", \"calls\": [{\"name\": \"list\", \"arguments\": {}}]},
     \"why\": \"a call without parameters\"}";

pub fn run(args: &Args) -> Result<ExitCode> {
    let files = files::expand(&args.file, Some("jsonl"))?;
    let mut run = Run::new(&args.id);
    for (number, path) in files.iter().enumerate() {
        if files.len() > 1 {
            run.place = format!(" of file {} of {}", number + 1, files.len());
        }
        run.file(path)?;
    }
    run.end()
}

struct Run<'a> {
    /// The ids of the vectors that run; none: all.
    ids: &'a [String],
    /// The ids that some vector had.
    found: BTreeSet<String>,
    out: StdoutLock<'static>,
    progress: Progress,
    /// The file's number, as progress shows it.
    place: String,
    passed: usize,
    failed: usize,
    /// The number of vectors for each dialect or component that this build lacks.
    skipped: BTreeMap<String, usize>,
    unreadable: bool,
}

impl<'a> Run<'a> {
    fn new(ids: &'a [String]) -> Run<'a> {
        Run {
            ids,
            found: BTreeSet::new(),
            out: io::stdout().lock(),
            progress: Progress::new(),
            place: String::new(),
            passed: 0,
            failed: 0,
            skipped: BTreeMap::new(),
            unreadable: false,
        }
    }

    /// Runs a file. A line that cannot be read is reported, and the rest runs: a bad line must not hide the others.
    fn file(&mut self, path: &Path) -> Result<()> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.unreadable(&config::unreadable(path, &error));
                return Ok(());
            }
        };
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let place = format!("{}:{}", path.display(), number + 1);
            match read(line, &place) {
                Ok(vector) if self.ids.is_empty() => self.vector(&vector, &place)?,
                Ok(vector) if self.ids.contains(&vector.id) => {
                    self.vector(&vector, &place)?;
                    self.found.insert(vector.id);
                }
                Ok(_) => {}
                Err(what) => self.unreadable(&what),
            }
        }
        Ok(())
    }

    fn unreadable(&mut self, what: &str) {
        self.progress.clear();
        self.unreadable = true;
        say(what);
    }

    fn vector(&mut self, vector: &Vector, place: &str) -> Result<()> {
        let done = self.passed + self.failed;
        let place_of_run = &self.place;
        self.progress.show(|| format!("{done} vectors run, now {}{place_of_run}", vector.id));
        match vector.run(cuts) {
            VectorOutcome::Passed => self.passed += 1,
            VectorOutcome::Skipped(name) => *self.skipped.entry(name).or_default() += 1,
            VectorOutcome::Failed(what) => {
                self.failed += 1;
                self.progress.clear();
                let why = vector.why().map(|why| format!("  why: {why}\n")).unwrap_or_default();
                let report = format!("FAILED {} ({place})\n{why}  {what}", vector.id);
                writeln!(self.out, "{}", harmless_lines(&report))?;
            }
        }
        Ok(())
    }

    fn end(mut self) -> Result<ExitCode> {
        self.progress.clear();
        for id in self.ids.iter().filter(|id| !self.found.contains(*id)) {
            self.unreadable = true;
            say(&format!("no vector has the id `{id}`: an id is compared whole"));
        }
        let skipped: usize = self.skipped.values().sum();
        if skipped > 0 {
            let names = self.skipped.iter().map(|(name, count)| format!("{name} {count}"));
            let names = names.collect::<Vec<_>>().join(", ");
            writeln!(self.out, "skipped, not in this build: {names}")?;
        }
        writeln!(self.out, "{} passed, {} failed, {skipped} skipped", self.passed, self.failed)?;
        Ok(match (self.unreadable, self.failed) {
            (true, _) => ExitCode::from(BAD_INPUT),
            (false, 0) => ExitCode::SUCCESS,
            (false, _) => ExitCode::FAILURE,
        })
    }
}

fn read(line: &[u8], place: &str) -> std::result::Result<Vector, String> {
    let line = std::str::from_utf8(line);
    let line = line.map_err(|_| format!("{place}: not valid UTF-8; save the file as UTF-8"))?;
    Vector::from_line(line).map_err(|error| match config::no_json(&error) {
        Some(error) => format!("{place}:{}: {}", error.column(), config::syntax(error)),
        None => format!("{place}: {error}"),
    })
}

/// Every cut that the law of split names, and a few with many chunks of unequal sizes.
fn cuts(len: usize) -> Vec<Vec<usize>> {
    let random = (0..4).map(|seed| Sizes::seeded(seed).cuts(len));
    every_cut(len).into_iter().chain(random).collect()
}
