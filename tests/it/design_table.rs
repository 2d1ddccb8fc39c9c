//! The table of all dialects in DESIGN.md is made of their tables. `EXPECTED=write cargo test --test it
//! design_table::` writes it anew.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolstream::Dialect;

use crate::support::expected;

const BEGIN: &str = "<!-- tables -->\n";
const END: &str = "<!-- /tables -->";
/// What a table has for each kind of state, and what one is called.
const STATES: [(&str, &str); 5] = [
    ("prose", "prose"),
    ("sections", "section"),
    ("calls", "call"),
    ("values", "value"),
    ("bodies", "body"),
];
/// What every table has, or what says nothing of how it reads.
const COMMON: [&str; 5] = ["name", "about", "template", "boundary", "calls_in_reasoning"];
/// Pieces that nearly every table has.
const PLAIN: [&str; 2] = ["any", "run"];

#[test]
fn the_table_of_the_design_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/DESIGN.md");
    let design = std::fs::read_to_string(path).unwrap();
    let (before, rest) = design.split_once(BEGIN).expect("the marker before the table");
    let (_, after) = rest.split_once(END).expect("the marker after the table");
    let now = format!("{before}{BEGIN}{}{END}{after}", table());
    expected::compare_file("DESIGN.md", &now);
}

fn table() -> String {
    let mut text =
        "| dialect | rules | states | pieces | keys of its own |\n|---|---|---|---|---|\n"
            .to_string();
    for dialect in Dialect::ALL {
        let json: Value = serde_json::from_str(&dialect.spec().to_json()).expect("a table");
        let json = json.as_object().expect("an object");
        let mut pieces = BTreeSet::new();
        let mut rules = 0;
        for rule in STATES.iter().flat_map(|(list, _)| rules_of(json, list)) {
            rules += 1;
            let follow = rule["follow"].as_array().into_iter().flatten();
            let patterns = follow.chain([&rule["mark"]]).filter_map(Value::as_array);
            pieces.extend(patterns.flatten().filter_map(piece));
        }
        let keys = json.keys().filter(|key| {
            !COMMON.contains(&&***key) && !STATES.iter().any(|(list, _)| list == key)
        });
        let row = [
            format!("`{}`", dialect.name()),
            rules.to_string(),
            states(json),
            listed(pieces.into_iter()),
            listed(keys.map(|key| format!("`{key}`"))),
        ];
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}

fn rules_of<'t>(table: &'t Map<String, Value>, list: &str) -> impl Iterator<Item = &'t Value> {
    let kinds = table.get(list).and_then(Value::as_array).into_iter().flatten();
    kinds.flat_map(|kind| kind["rules"].as_array().into_iter().flatten())
}

/// How many kinds of each state there are, of prose beyond text and reasoning.
fn states(table: &Map<String, Value>) -> String {
    let count = |list: &str| table.get(list).and_then(Value::as_array).map_or(0, Vec::len);
    let said = STATES.iter().filter_map(|(list, one)| match (count(list), *list) {
        (0, _) | (..=2, "prose") => None,
        (1, _) => Some(format!("1 {one}")),
        (count, list) => Some(format!("{count} {list}")),
    });
    let gives = table.get("bodies").and_then(Value::as_array).into_iter().flatten();
    let gives: BTreeSet<String> = gives.map(|body| kind_of(&body["gives"])).collect();
    let said = listed(said);
    if gives.is_empty() { said } else { format!("{said} ({})", listed(gives.into_iter())) }
}

/// A word, or the one key of an object.
fn kind_of(value: &Value) -> String {
    let key = || value.as_object()?.keys().next().map(String::as_str);
    value.as_str().or_else(key).unwrap_or_default().to_string()
}

/// What a piece is, unless it is a text or another one that all tables have.
fn piece(piece: &Value) -> Option<String> {
    let (kind, of) = piece.as_object()?.iter().next()?;
    if PLAIN.contains(&&**kind) {
        return None;
    }
    let of = of.as_str().map_or(String::new(), |of| format!(" {of}"));
    let known = piece["known"].as_str().map_or(String::new(), |known| format!(" ({known})"));
    Some(match &**kind {
        "until" | "keyword" => kind.clone(),
        kind => format!("{kind}{of}{known}"),
    })
}

fn listed(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() { "—".to_string() } else { all.join(", ") }
}
