//! Whether two tables say the same of every text: for whoever rewrites a table, or what makes it.
//!
//! Put the tables as they are into a folder, change them, and compare:
//!
//! ```text
//! TOOLSTREAM_TABLES=/tmp/tables cargo test --all-features --test it same_table::     # writes those that are not there
//! TOOLSTREAM_TABLES=/tmp/tables cargo test --all-features --test it same_table::     # compares with those that are
//! ```
//! `TOOLSTREAM_ONLY=hermes,glm` names the dialects (default: all), `SOUP_ROUNDS` says how many texts of soup
//! each reads beside its vectors (default: 300).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use toolstream::{Dialect, DialectSpec};

use crate::support::tables::{differ, soup, vectors};

/// How many texts, and where the first three of them differ.
fn compare(one: &Dialect, other: &Dialect, name: &str, rounds: u64) -> (usize, Vec<String>) {
    let vectors = vectors(name);
    let soup = (0..rounds).map(|seed| soup(&vectors, seed));
    let found = vectors.iter().filter_map(|sample| differ(one, other, sample));
    let found: Vec<String> =
        found.chain(soup.filter_map(|sample| differ(one, other, &sample))).take(3).collect();
    (vectors.len() + rounds as usize, found)
}

fn read(path: &Path) -> Dialect {
    let table = std::fs::read_to_string(path).expect("a table");
    Dialect::new(DialectSpec::from_json(&table).expect("a table that can be read"))
}

/// Without one rule it is another table, and that shows.
#[test]
fn a_lost_rule_shows() {
    let mut table = serde_json::to_value(Dialect::HERMES.spec()).unwrap();
    let rules = table["sections"][0]["rules"].as_array_mut().unwrap();
    let closes = |rule: &serde_json::Value| rule["close"] == "section" && rule["note"].is_null();
    let closer = rules.iter().position(closes).unwrap();
    rules.remove(closer);
    let other = Dialect::new(serde_json::from_value(table).unwrap());
    let (_, found) = compare(&Dialect::HERMES, &other, "hermes", 0);
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn tables_are_as_they_were() {
    let Some(folder) = std::env::var_os("TOOLSTREAM_TABLES").map(PathBuf::from) else { return };
    let rounds = std::env::var("SOUP_ROUNDS").map_or(300, |n| n.parse().expect("a number"));
    let only = std::env::var("TOOLSTREAM_ONLY").unwrap_or_default();
    let only: Vec<&str> = only.split(',').filter(|name| !name.is_empty()).collect();
    // Those of the forms that are read otherwise, too.
    let forms = Dialect::ALL.iter().flat_map(|dialect| dialect.forms().map(move |f| (f, dialect)));
    let forms = forms.filter(|(form, dialect)| form != *dialect).map(|(form, _)| form);
    let all: Vec<Dialect> = Dialect::ALL.iter().cloned().chain(forms).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut differ = Vec::new();
        while let Some(dialect) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = dialect.spec().name();
            let base = name.split(':').next().unwrap_or(name);
            let path = folder.join(format!("{}.json", name.replace(':', "@")));
            if !only.is_empty() && !only.contains(&name) {
                continue;
            }
            if !path.exists() {
                std::fs::write(&path, dialect.spec().to_json()).expect("a folder to write to");
                continue;
            }
            let (count, found) = compare(&read(&path), dialect, base, rounds);
            println!("{name}: {count} texts, {} differ", found.len());
            differ.extend(found.iter().map(|found| format!("{name}: {found}")));
        }
        differ
    };
    let differ: Vec<String> = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(differ.is_empty(), "{} texts differ:\n{}", differ.len(), differ.join("\n"));
}
