//! The results, folder by folder, and the survivors without an explanation.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::hunt::{Fate, Line};
use crate::list::{FOLDERS, Mutant, State};

/// The columns of the table.
const COLUMNS: [&str; 9] = [
    "listed",
    "left out",
    "do not compile",
    "not run",
    "not reached",
    "caught",
    "hung",
    "explained",
    "survived",
];

/// Returns the survivors that no test should catch: lines of "* `key`: why". In a key "…" stands for any text, for
/// all mutants of a function that is a short cut.
fn explained(path: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let lines = text.lines().filter_map(|line| line.strip_prefix("* `")?.split_once("`: "));
    Ok(lines.map(|(key, _)| key.to_string()).collect())
}

fn is_explained_by(key: &str, line: &str) -> bool {
    match line.split_once('…') {
        None => key == line,
        Some((head, tail)) => {
            let key = key.split_once(" #").map_or(key, |(key, _)| key);
            key.len() >= head.len() + tail.len() && key.starts_with(head) && key.ends_with(tail)
        }
    }
}

/// Prints the table and the survivors to look at. Returns whether there are none. `here`: the folder of
/// `survivors.md`.
pub fn report(mutants: &[Mutant], results: &HashMap<String, Line>, here: &Path) -> Result<bool> {
    let explained = explained(&here.join("survivors.md"))?;
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut survived, mut stale) = (Vec::new(), BTreeSet::from_iter(&explained));
    for mutant in mutants {
        let key = mutant.key();
        let fate = results.get(&key).map(|line| &line.fate);
        let mut by = explained.iter().filter(|line| is_explained_by(&key, line)).peekable();
        let column = match (&mutant.state, fate) {
            (State::LeftOut(_), _) => "left out",
            (State::DoesNotCompile, _) => "do not compile",
            (State::Made, None | Some(Fate::Passed(_))) => "not run",
            (State::Made, Some(Fate::NotReached)) => "not reached",
            (State::Made, Some(Fate::Caught)) => "caught",
            (State::Made, Some(Fate::Hung)) => "hung",
            (State::Made, Some(Fate::Survived)) if by.peek().is_some() => "explained",
            (State::Made, Some(Fate::Survived)) => "survived",
        };
        match column {
            "survived" => survived.push(key.clone()),
            // An explanation stands as long as no result contradicts it.
            "caught" | "hung" => {}
            _ => by.for_each(|line| _ = stale.remove(line)),
        }
        *counts.entry((mutant.folder(), column)).or_default() += 1;
        *counts.entry((mutant.folder(), "listed")).or_default() += 1;
    }
    table(&counts);
    left_out(mutants);
    for key in &survived {
        println!("survived, and nobody has said why: {key}");
    }
    for key in &stale {
        println!("explained, but it is caught or no longer there: {key}");
    }
    Ok(survived.is_empty() && stale.is_empty())
}

fn table(counts: &BTreeMap<(&str, &str), usize>) {
    println!("| folder | {} |", COLUMNS.join(" | "));
    println!("|---|{}", "---:|".repeat(COLUMNS.len()));
    let row = |name: &str, count: &dyn Fn(&str) -> usize| {
        let cells = COLUMNS.map(|column| count(column).to_string());
        println!("| {name} | {} |", cells.join(" | "));
    };
    for folder in FOLDERS {
        row(folder, &|column| counts.get(&(folder, column)).copied().unwrap_or(0));
    }
    let all = |column: &str| {
        counts.iter().filter(|((_, other), _)| *other == column).map(|(_, count)| count).sum()
    };
    row("all", &all);
}

fn left_out(mutants: &[Mutant]) {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for mutant in mutants {
        if let State::LeftOut(why) = &mutant.state {
            *reasons.entry(why).or_default() += 1;
        }
    }
    for (why, count) in reasons {
        println!("left out: {count}: {why}");
    }
}
