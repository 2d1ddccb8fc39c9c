//! Which rules of the tables no vector needs: each rule is left out in turn, and each element of what may follow one, and
//! the dialect's vectors are read whole by what is left.
//!
//! ```sh
//! TABLE_MUTANTS=tool-call cargo test --all-features --test table_mutants -- --nocapture   # or `all`
//! ```
#![cfg(feature = "check")]

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};
use toolstream::check::Vector;
use toolstream::{Dialect, DialectSpec, Options, Parser, Tool};

#[path = "support/mod.rs"]
mod support;

use support::markers;

const STATES: [&str; 5] = ["prose", "sections", "calls", "values", "bodies"];

/// A vector, and what it is read with beside a dialect.
struct Case {
    vector: Vector,
    input: String,
    tools: Vec<Tool>,
    options: Options,
    cut: bool,
}

fn cases(dialect: &Dialect) -> Vec<Case> {
    let path = format!("{}/tests/vectors/{}.jsonl", env!("CARGO_MANIFEST_DIR"), dialect.name());
    let text = std::fs::read_to_string(path).expect("the vectors");
    let case = |line: &str| {
        let json: Value = serde_json::from_str(line).expect("a vector");
        let mut config = json.get("config").cloned().unwrap_or_else(|| json!({}));
        let ended = config.as_object_mut().and_then(|config| config.remove("ended"));
        Some(Case {
            vector: Vector::from_line(line).expect("a vector"),
            input: (json["dialect"] == dialect.name()).then(|| json["input"].as_str())??.into(),
            tools: Tool::list_from_json(&json["tools"]).expect("tools"),
            options: Options::from_json(&config).expect("options"),
            cut: ended == Some("cut".into()),
        })
    };
    text.lines().filter_map(case).collect()
}

/// The first vector that is read wrongly by a table; `None`: it may as well be this one.
fn killed_by<'c>(table: &Value, cases: &'c [Case]) -> Option<&'c str> {
    let Ok(spec) = DialectSpec::deserialize(table) else { return Some("it is no table") };
    let dialect = Dialect::new(spec);
    for case in cases {
        let builder = Parser::builder(&dialect).tools(case.tools.clone());
        let Ok(mut parser) = builder.options(case.options.clone()).build() else {
            return Some("it cannot be built");
        };
        let mut message = parser.message();
        parser.feed(&case.input).for_each(|event| message.push(event));
        let ending = if case.cut { parser.finish_cut() } else { parser.finish() };
        ending.for_each(|event| message.push(event));
        message.close();
        if case.vector.compare(&message).is_err() {
            return Some(&case.vector.id);
        }
    }
    None
}

/// A table with something left out, and what that was.
fn mutants(table: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for state in STATES {
        for (kind, _) in markers::list(&table[state]).iter().enumerate() {
            let rules = markers::list(&table[state][kind]["rules"]);
            for (at, rule) in rules.iter().enumerate() {
                let place = format!("{state}[{kind}].rules[{at}]");
                let without = |pointer: &str, at: usize| {
                    let mut table = table.clone();
                    let list = table.pointer_mut(pointer).and_then(Value::as_array_mut);
                    list.expect("a list").remove(at);
                    table
                };
                let pointer = format!("/{state}/{kind}/rules");
                let role = rule["role"].as_str().unwrap_or_default();
                all.push((format!("{place} {role}"), without(&pointer, at)));
                for element in 0..markers::list(&rule["follow"]).len() {
                    let table = without(&format!("{pointer}/{at}/follow"), element);
                    all.push((format!("{place}.follow[{element}]"), table));
                }
            }
        }
    }
    all
}

/// What survives in a dialect, and how many there were.
fn survivors(dialect: &Dialect) -> (Vec<String>, usize) {
    let (cases, table) = (cases(dialect), markers::table(dialect));
    assert_eq!(killed_by(&table, &cases), None, "{dialect} itself");
    let all = mutants(&table);
    let count = all.len();
    let survives =
        |(what, table): (String, Value)| killed_by(&table, &cases).is_none().then_some(what);
    (all.into_iter().filter_map(survives).collect(), count)
}

#[test]
fn a_rule_that_counts_is_missed() {
    let asked = std::env::var("TABLE_MUTANTS").unwrap_or_else(|_| "hermes".into());
    let dialects: Vec<_> =
        Dialect::ALL.iter().filter(|dialect| asked == "all" || asked == dialect.name()).collect();
    assert!(!dialects.is_empty(), "there is no dialect {asked}");
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(dialect) = dialects.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (survivors, count) = survivors(dialect);
            let places: String = survivors.iter().map(|place| format!("\n  {place}")).collect();
            println!("{dialect}: {} of {count} survive{places}", survivors.len());
            found.push((survivors.len(), count));
        }
        found
    };
    let found: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let (left, all) = found.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    println!("{left} of {all} survive");
    // Most of what a table says is needed by some vector.
    assert!(all > 20 && left * 2 < all, "{left} of {all}");
}
