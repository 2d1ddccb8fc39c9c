//! A rule that can go while all that its dialect is tested with comes out as before is held by nothing: each rule of
//! each dialect is taken out in turn. It is held by a vector, or by a text of `rule_texts.jsonl`; those that neither holds
//! are in `lost_rules.txt`, which may grow shorter alone.
//!
//! A vector says what must come out. A text was found at random and cut down as far as the rule was still seen in it: what
//! comes of it (`expected/rule_texts.txt`) is what came of it then.
//!
//! ```text
//! EXPECTED=write cargo test --all-features --test lost_rules     # writes the list, and what comes of the texts
//! RULE_TEXTS=4000 EXPECTED=write cargo test --all-features --test lost_rules what_comes   # looks for more texts
//! ```
//! After the second the first, for the list: the two tests run beside each other, and each reads the texts when it begins.
//! `TOOLSTREAM_ONLY=hermes,glm` names the dialects (default: all).
#![cfg(all(feature = "check", feature = "serde"))]

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use support::soup::{self, Choices};
use support::{expected, host_tables, markers, tables};
use toolstream::check::{self, Ended, Vector};
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

/// How the texts are read: with the tools of all soups.
fn reader(dialect: &Dialect) -> Parser {
    let builder = Parser::builder(dialect).tools(soup::tools()).tool_limit(None);
    builder.build().expect("a parser")
}

/// What comes of a text.
fn outcome(parser: &Parser, text: &str) -> String {
    serde_json::to_string(&parser.parse(text)).expect("JSON")
}

/// The texts, by dialect.
fn texts() -> Vec<(String, String)> {
    let path = format!("{}/tests/rule_texts.jsonl", env!("CARGO_MANIFEST_DIR"));
    let lines = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let read =
        |line: &str| serde_json::from_str::<[String; 2]>(line).expect("a dialect and a text");
    lines.lines().map(read).map(|[name, text]| (name, text)).collect()
}

/// A text of the dialect's own markers, or of its vectors.
fn random_text(table: &Value, vectors: &[tables::Sample], seed: u64) -> String {
    match seed % 3 {
        0 => tables::soup(vectors, seed).text,
        _ => host_tables::soup(table, &mut Choices::new(&soup::seeded(seed, 60))),
    }
}

/// The text without what is not needed for the two to differ.
fn cut_down(text: &str, differs: impl Fn(&str) -> bool) -> String {
    let mut text: Vec<char> = text.chars().collect();
    let mut len = text.len() / 2;
    while len > 0 {
        let mut at = 0;
        while at < text.len() {
            let end = (at + len).min(text.len());
            let rest: Vec<char> = [&text[..at], &text[end..]].concat();
            if differs(&rest.iter().collect::<String>()) { text = rest } else { at += len }
        }
        len /= 2;
    }
    text.into_iter().collect()
}

/// Looks for texts that show rules which nothing holds: readers without one of them each.
fn look(dialect: &Dialect, mut without: Vec<Parser>, tries: u64) -> Vec<String> {
    let (reader, table) = (reader(dialect), markers::table(dialect));
    let vectors = tables::vectors(dialect.name());
    let mut found = Vec::new();
    for seed in 0..tries {
        let text = random_text(&table, &vectors, seed);
        let whole = outcome(&reader, &text);
        while let Some(other) = without.iter().find(|other| outcome(other, &text) != whole) {
            let differs = |text: &str| outcome(&reader, text) != outcome(other, text);
            let text = cut_down(&text, differs);
            let whole = outcome(&reader, &text);
            without.retain(|other| outcome(other, &text) == whole);
            found.push(text);
        }
    }
    found
}

/// What comes of the texts; with `RULE_TEXTS`, and `EXPECTED=write`, of more of them than before.
#[test]
fn what_comes_of_texts_that_show_a_rule() {
    let mut all = texts();
    let tries = std::env::var("RULE_TEXTS").ok().and_then(|tries| tries.parse().ok());
    if let Some(tries) = tries.filter(|_| expected::writes()) {
        let more = Mutex::new(Vec::new());
        each_dialect(&asked(), &|dialect| {
            let without = unheld(dialect, &all).into_iter().map(|(_, other)| reader(&other));
            let found = look(dialect, without.collect(), tries);
            let named = found.into_iter().map(|text| (dialect.name().to_string(), text));
            more.lock().expect("no panic").extend(named);
        });
        all.extend(more.into_inner().expect("no panic"));
        all.sort();
        all.dedup();
        let lines = all.iter().map(|(name, text)| json!([name, text]).to_string() + "\n");
        expected::compare_file("tests/rule_texts.jsonl", &lines.collect::<String>());
    }
    let mut told = String::new();
    for (name, text) in &all {
        let reader = reader(&Dialect::by_name(name).expect("a dialect"));
        for ended in [Ended::Stop, Ended::Cut] {
            check::hold(&reader, text, &check::every_cut(text.len()), ended).unwrap();
        }
        writeln!(told, "{}\n    {}", json!([name, text]), outcome(&reader, text)).unwrap();
    }
    expected::compare("rule_texts.txt", &told);
}

/// The rules of a dialect that nothing holds, each with the dialect without it.
fn unheld(dialect: &Dialect, texts: &[(String, String)]) -> Vec<(String, Dialect)> {
    let reader = reader(dialect);
    let texts = texts.iter().filter(|(name, _)| name == dialect.name());
    let texts: Vec<_> = texts.map(|(_, text)| (text, outcome(&reader, text))).collect();
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
        let shows = |other: &Dialect| {
            let reader = self::reader(other);
            texts.iter().any(|(text, whole)| outcome(&reader, text) != *whole)
        };
        if reads.iter().all(|read| read.holds(&other).is_ok()) && !shows(&other) {
            found.push((line(dialect, &rules, at), other));
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

/// Does this with each dialect, a few at a time.
fn each_dialect(dialects: &[&'static Dialect], work: &(dyn Fn(&Dialect) + Sync)) {
    let next = AtomicUsize::new(0);
    let count = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                while let Some(dialect) = dialects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(dialect);
                }
            });
        }
    });
}

#[test]
fn every_rule_is_held() {
    let text = std::fs::read_to_string(list()).unwrap_or_default();
    let (asked, texts) = (asked(), texts());
    let found = Mutex::new(BTreeSet::new());
    each_dialect(&asked, &|dialect| {
        let lines = unheld(dialect, &texts).into_iter().map(|(line, _)| line);
        found.lock().expect("no panic").extend(lines);
    });
    let found = found.into_inner().expect("no panic");
    let of = |line: &str| asked.iter().any(|asked| line.split(' ').next() == Some(asked.name()));
    let (known, others): (BTreeSet<String>, _) =
        text.lines().map(String::from).partition(|line| of(line));
    if expected::writes() {
        let lines: String = (&found | &others).iter().map(|line| format!("{line}\n")).collect();
        return std::fs::write(list(), lines).expect("a file to write to");
    }
    let new: Vec<&String> = found.difference(&known).collect();
    assert!(new.is_empty(), "nothing holds these rules:\n{new:#?}");
    let held: Vec<&String> = known.difference(&found).collect();
    assert!(held.is_empty(), "these are held, EXPECTED=write takes them out:\n{held:#?}");
}
