//! The tables that follow from shapes, to the byte: a rule a line, so that a change of what is derived shows which
//! rules of which dialects it changes. What their prompts say is in `expected/prompts.txt`.

use std::fmt::Write as _;

use serde_json::Value;
use toolstream::{Dialect, DialectSpec, JsonError};

use crate::support::{expected, markers};

/// The kinds of states of a table, each a list.
const STATES: [&str; 5] = ["prose", "sections", "calls", "values", "bodies"];

/// A table as text: a line for each rule, and for whatever else it says.
fn lines(table: &Value) -> String {
    let mut lines = String::new();
    for (key, part) in table.as_object().expect("a table is an object") {
        match part.as_array() {
            Some(states) if STATES.contains(&&**key) => {
                states
                    .iter()
                    .enumerate()
                    .for_each(|(at, state)| of_state(&mut lines, key, at, state));
            }
            // What is said in a prompt has a file of its own.
            _ if key == "template" => {
                let template = part.as_object().expect("a template is an object");
                for (key, part) in template.iter().filter(|(key, _)| *key != "prompt") {
                    writeln!(lines, "template.{key}: {part}").expect("a string takes all");
                }
            }
            _ => writeln!(lines, "{key}: {part}").expect("a string takes all"),
        }
    }
    lines
}

fn of_state(lines: &mut String, kind: &str, at: usize, state: &Value) {
    for (key, part) in state.as_object().expect("a state is an object") {
        match part.as_array() {
            Some(rules) if key == "rules" => {
                for rule in rules {
                    writeln!(lines, "{kind}[{at}] {rule}").expect("a string takes all");
                }
            }
            _ => writeln!(lines, "{kind}[{at}].{key}: {part}").expect("a string takes all"),
        }
    }
}

/// Every built-in dialect. `EXPECTED=write` writes the files anew; what has changed is to be read.
#[test]
fn tables_of_the_dialects() {
    for dialect in Dialect::ALL {
        let name = format!("tables/{}.txt", dialect.name());
        expected::compare(&name, &lines(&markers::table(dialect)));
        // Forms that are read otherwise.
        for form in dialect.forms().filter(|form| form != dialect) {
            let name = format!("tables/{}.txt", form.name().replace(':', "-"));
            expected::compare(&name, &lines(&markers::table(&form)));
        }
    }
}

/// What follows from each line of a file of `tests/`, or why it is refused.
fn compare(name: &str, read: impl Fn(&str) -> Result<DialectSpec, JsonError>) {
    let path = format!("{}/tests/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let mut all = String::new();
    for line in std::fs::read_to_string(path).expect("the lines").lines() {
        writeln!(all, "{line}").expect("a string takes all");
        all += &match read(line) {
            Ok(spec) => lines(&serde_json::to_value(&spec).expect("a table is JSON")),
            Err(error) => format!("{error}\n"),
        };
    }
    expected::compare(&format!("tables/{name}.txt"), &all);
}

/// Shapes as hosts may write them, each with a turn that another one has not.
#[test]
fn tables_of_hosts() {
    compare("shapes", DialectSpec::from_json);
}

/// Response templates as checkpoints may ship them, likewise.
#[test]
fn tables_of_checkpoints() {
    compare("response_templates", DialectSpec::from_response_template);
}
