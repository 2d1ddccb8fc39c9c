//! Seeds of the fuzz targets. `FUZZ_CORPORA=write cargo test --test it fuzz_corpora::` writes them to `fuzz/`:
//!
//! ```sh
//! cargo +nightly fuzz run laws -- -dict=fuzz/markers.dict -len_control=0
//! ```
//!
//! Targets that read texts get the input of every vector, and a dictionary of the markers of all dialects. The others make
//! their texts from choices, a byte each, and get byte strings that are long enough for a few calls. Without seeds, and with
//! libFuzzer's own control of lengths, a target that reads each text at every cut is still at eight bytes after ten minutes:
//! too few for a tool call.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use toolstream::Dialect;

use crate::support::{markers, soup};

/// Targets whose inputs `soup::raw` reads.
const OF_TEXTS: [&str; 3] = ["laws", "deltas", "partial"];
/// Their longest input in the nightly job, in bytes. libFuzzer cuts a longer seed, whose tools may then be no JSON.
const LONGEST: usize = 1024;
/// The number of byte strings for each of the others, and their lengths.
const SEEDS: u64 = 200;
const LENGTHS: std::ops::Range<u64> = 24..120;

#[test]
fn corpora() {
    let all = texts();
    for (id, data) in &all {
        let case = soup::raw(data).unwrap_or_else(|| panic!("{id} is no text"));
        assert!(data.ends_with(case.text.as_bytes()), "{id}");
    }
    assert!(all.len() > 3_000, "{}", all.len());
    let whole = all.iter().filter(|(_, data)| data.len() <= LONGEST).count();
    assert!(whole > all.len() * 9 / 10, "{whole} of {} seeds are not cut", all.len());
    let dictionary = dictionary();
    assert!(dictionary.lines().any(|line| line == r#""</tool_call>""#), "{dictionary}");
    if std::env::var("FUZZ_CORPORA").is_ok_and(|what| what == "write") {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
        std::fs::write(fuzz.join("markers.dict"), dictionary).unwrap();
        for target in targets(&fuzz) {
            let folder = fuzz.join("corpus").join(&target);
            std::fs::create_dir_all(&folder).unwrap();
            let inputs = if OF_TEXTS.contains(&&*target) { &all } else { &seeds() };
            inputs.iter().for_each(|(id, data)| std::fs::write(folder.join(id), data).unwrap());
        }
    }
}

/// The nightly job runs every fuzz target, and none that is gone.
#[test]
fn the_nightly_job_names_every_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let nightly = std::fs::read_to_string(root.join(".github/workflows/nightly.yml")).unwrap();
    let matrix = nightly.split("target:").nth(1).expect("a matrix");
    let list = matrix.split(['[', ']']).nth(1).expect("a list");
    let named: BTreeSet<String> = list.split(',').map(|name| name.trim().to_string()).collect();
    assert_eq!(named, targets(&root.join("fuzz")).into_iter().collect());
    let lengths = format!(
        "-max_len=${{{{ contains('{}', matrix.target) && {LONGEST} || 256 }}}}",
        OF_TEXTS.join(" ")
    );
    assert!(nightly.contains(&lengths), "{lengths}");
    // YAML takes a colon at the end of a plain line for the key of a mapping.
    let is_key = |line: &&str| line.trim_start().starts_with("- run:") && line.ends_with(':');
    assert_eq!(nightly.lines().find(is_key), None);
}

/// The fuzz targets, by the names of their files.
fn targets(fuzz: &Path) -> Vec<String> {
    let files = fuzz.join("fuzz_targets").read_dir().unwrap().map(|file| file.unwrap().path());
    files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_string()).collect()
}

/// Byte strings for targets that read them as choices.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let span = LENGTHS.end - LENGTHS.start;
    let seed = |number: u64| soup::seeded(number, (LENGTHS.start + number % span) as usize);
    (0..SEEDS).map(|number| (format!("seed-{number}"), seed(number))).collect()
}

/// The inputs of all vectors that a parser reads, by the vector's id.
fn texts() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let lines = files.iter().map(|file| std::fs::read_to_string(file).unwrap());
    let lines = lines.flat_map(|text| text.lines().map(String::from).collect::<Vec<_>>());
    let text = |line: String| {
        let vector: Value = serde_json::from_str(&line).expect("a vector");
        let (id, dialect) = (vector["id"].as_str()?, vector["dialect"].as_str()?);
        let head = json!({"dialect": dialect, "tools": vector["tools"]});
        Some((id.to_string(), format!("{head}\n{}", vector["input"].as_str()?).into_bytes()))
    };
    lines.filter_map(text).collect()
}

/// Every marker in the form that libFuzzer reads.
fn dictionary() -> String {
    let marks: BTreeSet<String> = Dialect::ALL.iter().flat_map(markers::of).collect();
    let mut lines = String::new();
    for mark in marks {
        let escaped = mark.bytes().fold(String::new(), |mut out, byte| {
            match byte {
                b'"' | b'\\' => write!(out, "\\{}", byte as char),
                0x20..0x7F => write!(out, "{}", byte as char),
                _ => write!(out, "\\x{byte:02X}"),
            }
            .expect("a string takes all");
            out
        });
        writeln!(lines, "\"{escaped}\"").expect("a string takes all");
    }
    lines
}
