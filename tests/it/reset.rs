//! A parser that was reset equals a fresh one. It keeps its buffers, and nothing that it has read.

use std::collections::HashMap;

use serde_json::{Value, json};
use toolstream::{Dialect, Event, Parser, Tool, options::Options};

use crate::support::inputs::{every, pieces};

/// Bytes between two places at which a stream is dropped.
const STEP: usize = 31;

/// The text and the parser of a vector, or `None` if its input is no text.
fn vector(line: &Value) -> Option<(&str, Parser)> {
    let dialect = Dialect::by_name(line["dialect"].as_str()?).ok()?;
    let mut config = line.get("config").cloned().unwrap_or_else(|| json!({}));
    config.as_object_mut()?.remove("ended");
    let tools = Tool::list_from_json(line.get("tools").unwrap_or(&json!([]))).ok()?;
    let options = Options::from_json(&config).ok()?;
    let parser = Parser::builder(dialect).tools(tools).options(options).build().ok()?;
    Some((line["input"].as_str()?, parser))
}

/// The events of a text, and the state of the parser behind it.
fn said(parser: &mut Parser, text: &str) -> (Vec<Event<String>>, usize, usize, bool) {
    let mut events = Vec::new();
    let mut take = |event: Event<&str>| events.push(event.map(String::from));
    for piece in pieces(text, 5) {
        parser.feed_into(piece, &mut take);
    }
    parser.finish_into(&mut take);
    (events, parser.position(), parser.held(), parser.limit_reached().is_err())
}

/// A parser that reads all texts of a configuration, and is dropped at many places of each, equals a fresh one.
#[test]
fn what_was_reset_is_fresh() {
    let mut compared = 0;
    for dialect in Dialect::ALL {
        let path = format!("{}/tests/vectors/{}.jsonl", env!("CARGO_MANIFEST_DIR"), dialect.name());
        let lines =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut used: HashMap<String, Parser> = HashMap::new();
        for line in lines.lines().step_by(every()) {
            let line: Value = serde_json::from_str(line).expect("a JSON object");
            let Some((text, fresh)) = vector(&line) else { continue };
            let wanted = said(&mut fresh.clone(), text);
            let key = json!([line["dialect"], line["tools"], line["config"]]).to_string();
            let parser = used.entry(key).or_insert_with(|| fresh.clone());
            for to in (0..=text.len()).step_by(STEP) {
                // Half a character at the end is dropped, too.
                parser.feed_bytes_into(&text.as_bytes()[..to], &mut |_: Event<&str>| {});
                parser.reset();
                assert_eq!(said(parser, text), wanted, "{} after {to} bytes", line["id"]);
                parser.reset();
                compared += 1;
            }
        }
    }
    assert!(compared > 5_000 / every(), "{compared} were compared");
}
