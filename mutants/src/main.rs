//! Finds changes of the source that no test notices. One build holds all mutants, each behind a question; an
//! environment variable selects the one that runs. See README.md.

mod build;
mod cover;
mod hunt;
mod list;
mod process;
mod report;
mod rewrite;
mod sites;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

use crate::build::Place;
use crate::cover::Test;
use crate::list::{Mutant, State};

#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Put all mutants into a copy of the checkout and build its library. What was known of mutants is
    /// forgotten
    Build,
    /// See which test reaches which mutants, and how long it takes
    Cover {
        /// Files of tests/it beside the library's own tests and the vectors (default: all)
        tests: Vec<String>,
        /// How many run at a time
        #[arg(long, default_value_t = 1)]
        jobs: usize,
    },
    /// Run the mutants of which nothing is known yet. It can be stopped and goes on where it was
    Run {
        /// Folders of src/, or files (`src/read/json.rs`) (default: all)
        folders: Vec<String>,
        /// Stop after so many minutes
        #[arg(long)]
        minutes: Option<u64>,
        /// Every so many-th mutant alone
        #[arg(long, default_value_t = 1)]
        every: usize,
        /// With `every`: from this one on
        #[arg(long, default_value_t = 0)]
        from: usize,
        /// Number of rounds of tests: those of up to 0.1 second (1), 0.5 (2) and 5.5 (3), and the bodies of the fuzz
        /// targets, twenty times as long (4)
        #[arg(long, default_value_t = hunt::ROUNDS)]
        rounds: usize,
        /// Run those that have passed so far under the tests of these files of tests/it alone (`toolstream`: the
        /// library's own)
        #[arg(long, num_args = 1.., value_name = "FILE")]
        only: Vec<String>,
        /// With `only`: leave out the tests that take more than so many seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
        most: f64,
        /// How many run at a time
        #[arg(long, default_value_t = 1)]
        jobs: usize,
    },
    /// Print the table and the survivors that `survivors.md` does not explain; fails if there are any
    Report,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().context("the checkout is above")?;
    let place = Place::new(root);
    match args.command {
        Command::Build => {
            let mut mutants = list::list(&place.root)?;
            eprintln!("{} mutants", mutants.len());
            build::build(&place, &mut mutants)?;
            fs::write(place.file("mutants.json"), serde_json::to_vec(&mutants)?)?;
            let _ = fs::remove_file(place.file("results.jsonl"));
        }
        Command::Cover { tests, jobs } => {
            let tests = cover::cover(&place, &tests, jobs)?;
            fs::write(place.file("tests.json"), serde_json::to_vec(&tests)?)?;
        }
        Command::Run { folders, minutes, every, from, rounds, only, most, jobs } => {
            let (mutants, tests): (Vec<Mutant>, Vec<Test>) =
                (read(&place, "mutants.json")?, read(&place, "tests.json")?);
            let until = minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
            let wanted = |mutant: &Mutant| {
                let folder = folders.is_empty()
                    || folders.iter().any(|name| name == mutant.folder() || *name == mutant.file);
                folder && mutant.state == State::Made
            };
            let ids: Vec<usize> = (0..mutants.len()).filter(|id| wanted(&mutants[*id])).collect();
            let ids: Vec<usize> = ids.into_iter().skip(from).step_by(every).collect();
            let (mutants, tests) = (&mutants, &tests);
            hunt::Hunt { place: &place, mutants, tests, rounds, only: &only, most, jobs, until }
                .run(&ids)?;
        }
        Command::Report => {
            let mutants: Vec<Mutant> = read(&place, "mutants.json")?;
            let clean = report::report(&mutants, &hunt::results(&place), here)?;
            return Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn read<T: serde::de::DeserializeOwned>(place: &Place, name: &str) -> Result<T> {
    let path = place.file(name);
    let bytes = fs::read(&path)
        .with_context(|| format!("no {}: run `build` and `cover`", path.display()))?;
    Ok(serde_json::from_slice(&bytes)?)
}
