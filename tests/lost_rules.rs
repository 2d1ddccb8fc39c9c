//! A rule that can go while all vectors of its dialect come out as before is held by nothing: each rule of
//! each dialect is taken out in turn. Those that no vector holds are in `lost_rules.txt`; the list may grow
//! shorter alone.
//!
//! ```text
//! EXPECTED=write cargo test --all-features --test lost_rules     # writes the list
//! ```
//! `TOOLSTREAM_ONLY=hermes,glm` names the dialects (default: all).
#![cfg(feature = "check")]

#[path = "support/expected.rs"]
mod expected;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use toolstream::check::{Ended, Vector};
use toolstream::{Dialect, DialectSpec, Event, Options, Parser, RuleText, Tool};

/// A vector, and how its text is read.
struct Read {
    vector: Vector,
    input: String,
    tools: Vec<Tool>,
    options: Options,
    ended: Ended,
}

impl Read {
    fn new(line: &str) -> Read {
        let value: Value = serde_json::from_str(line).expect("a vector");
        let mut config = value.get("config").cloned().unwrap_or(json!({}));
        let ended = config.as_object_mut().expect("an object").remove("ended");
        let ended = ended.map_or(Ended::Stop, |ended| ended.as_str().unwrap().parse().unwrap());
        let tools = value.get("tools").cloned().unwrap_or(json!([]));
        Read {
            vector: Vector::from_line(line).expect("a vector"),
            input: value["input"].as_str().expect("a text").to_string(),
            tools: Tool::list_from_json(&tools).expect("tools"),
            options: Options::from_json(&config).expect("options"),
            ended,
        }
    }

    /// Whether it comes out as the vector says.
    fn holds(&self, dialect: &Dialect) -> Result<(), String> {
        let builder = Parser::builder(dialect).tools(self.tools.clone());
        let built = builder.options(self.options.clone()).build();
        let mut parser = built.map_err(|error| error.to_string())?;
        let mut message = parser.message();
        let mut take = |event: Event<&str>| message.push(event);
        parser.feed_into(&self.input, &mut take);
        match self.ended {
            Ended::Stop => parser.finish_into(&mut take),
            Ended::Cut => parser.finish_cut_into(&mut take),
        }
        message.close();
        self.vector.compare(&message)
    }
}

fn reads(name: &str) -> Vec<Read> {
    let path = format!("{}/tests/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().filter(|line| line.contains(&format!("\"{name}\""))).map(Read::new).collect()
}

/// The table without the rule of this number in this state, `prose[0]`; none where another part of the
/// table needs it.
fn without(spec: &Value, state: &str, number: usize) -> Option<Dialect> {
    let pointer = format!("/{}/rules", state.replace('[', "/").trim_end_matches(']'));
    let mut table = spec.clone();
    let rules = table.pointer_mut(&pointer).and_then(Value::as_array_mut);
    rules.unwrap_or_else(|| panic!("no {pointer}")).remove(number);
    let table = DialectSpec::from_json(&table.to_string()).ok()?;
    let dialect = Dialect::new(table);
    Parser::builder(&dialect).build().ok()?;
    Some(dialect)
}

/// What names a rule in the list. Two of a state can be alike to the eye: the second is called so.
fn line(dialect: &Dialect, rules: &[RuleText], at: usize) -> String {
    let rule = &rules[at];
    let before = words(dialect, rule);
    let alike = rules[..at].iter().filter(|other| words(dialect, other) == before).count();
    if alike == 0 { before } else { format!("{before} ({})", alike + 1) }
}

fn words(dialect: &Dialect, rule: &RuleText) -> String {
    let follow = if rule.follow.is_empty() {
        String::new()
    } else {
        format!("  then  {}", rule.follow.join("  or  "))
    };
    let mark: String = format!("{}{follow}", rule.mark).chars().take(160).collect();
    format!("{} {} {}: {mark}", dialect.name(), rule.state, rule.role)
}

/// The rules of a dialect that no vector holds.
fn unheld(dialect: &Dialect) -> Vec<String> {
    let reads = reads(dialect.name());
    let spec: Value = serde_json::from_str(&dialect.spec().to_json()).expect("JSON");
    let copy = Dialect::new(DialectSpec::from_json(&spec.to_string()).expect("a table"));
    for read in &reads {
        assert_eq!(read.holds(&copy), Ok(()), "{}, with all rules", read.vector.id);
    }
    let rules = dialect.spec().rules();
    let mut found = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let number = rules[..at].iter().filter(|other| other.state == rule.state).count();
        let Some(other) = without(&spec, &rule.state, number) else { continue };
        if reads.iter().all(|read| read.holds(&other).is_ok()) {
            found.push(line(dialect, &rules, at));
        }
    }
    found
}

/// Where the rules are listed that no vector holds, a line each.
fn list() -> String {
    format!("{}/tests/lost_rules.txt", env!("CARGO_MANIFEST_DIR"))
}

/// The dialects of this run.
fn asked() -> Vec<&'static Dialect> {
    let only = std::env::var("TOOLSTREAM_ONLY").unwrap_or_default();
    let only: Vec<&str> = only.split(',').filter(|name| !name.is_empty()).collect();
    let wanted = |dialect: &&Dialect| only.is_empty() || only.contains(&dialect.name());
    Dialect::ALL.iter().filter(wanted).collect()
}

#[test]
fn every_rule_is_held_by_a_vector() {
    let text = std::fs::read_to_string(list()).unwrap_or_default();
    let asked = asked();
    let next = AtomicUsize::new(0);
    let work = || {
        let dialects = std::iter::from_fn(|| asked.get(next.fetch_add(1, Ordering::Relaxed)));
        dialects.flat_map(|dialect| unheld(dialect)).collect::<Vec<_>>()
    };
    let found: BTreeSet<String> = std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(2, usize::from);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let of = |line: &str| asked.iter().any(|asked| line.split(' ').next() == Some(asked.name()));
    let (known, others): (BTreeSet<String>, _) =
        text.lines().map(String::from).partition(|line| of(line));
    if expected::writes() {
        let lines: String = (&found | &others).iter().map(|line| format!("{line}\n")).collect();
        return std::fs::write(list(), lines).expect("a file to write to");
    }
    let new: Vec<&String> = found.difference(&known).collect();
    assert!(new.is_empty(), "no vector holds these rules:\n{new:#?}");
    let held: Vec<&String> = known.difference(&found).collect();
    assert!(held.is_empty(), "a vector holds these, EXPECTED=write takes them out:\n{held:#?}");
}
