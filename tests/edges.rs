//! Small texts where a rule begins or ends to count: half a marker, a closer where nothing is open, a quote in a name.
//! Each was cut down from a random one as far as something was still to be seen in it. What comes of each is
//! compared to the byte: the events, after how many bytes each came, and what is said of the markers.
//!
//! `tests/edges.jsonl` has the texts, a line each: `dialect`, `text`, and `tools` and `options` where they matter; `"cut": true`
//! if the stream is cut there and the model has not ended.
#![cfg(feature = "json")]

mod support;

use std::fmt::{self, Write as _};

use serde_json::{Value, json};
use support::expected;
use toolstream::{Dialect, Event, Marker, Options, Parser, Sink, Tool};

/// An event, and how many bytes had been fed then. Slices of a kind that came one after the other, a byte each, are one.
struct Came {
    first: usize,
    last: usize,
    event: Event<String>,
}

impl Came {
    fn goes_on_with(&self, next: &Came) -> bool {
        let same = std::mem::discriminant(&self.event) == std::mem::discriminant(&next.event);
        let bytes = |came: &Came| {
            came.event.slice().is_some_and(|slice| slice.len() == came.last + 1 - came.first)
        };
        same && bytes(self) && bytes(next) && next.first == self.last + 1
    }

    fn take(&mut self, next: Came) {
        let slice = self.event.slice().into_iter().chain(next.event.slice());
        let slice: String = slice.map(String::as_str).collect();
        self.event = std::mem::replace(&mut self.event, next.event).map(|_| slice.clone());
        self.last = next.last;
    }
}

impl fmt::Display for Came {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{:>7} {:?}", self.first, self.event),
            false => write!(f, "{:>7} {:?}", format!("{}-{}", self.first, self.last), self.event),
        }
    }
}

/// What comes of a text that is fed byte by byte.
#[derive(Default)]
struct Told {
    /// How many bytes have been fed.
    fed: usize,
    events: Vec<Came>,
    markers: Vec<String>,
}

impl Sink for Told {
    fn event(&mut self, event: Event<&str>) {
        let came = Came { first: self.fed, last: self.fed, event: event.map(String::from) };
        match self.events.last_mut() {
            Some(before) if before.goes_on_with(&came) => before.take(came),
            _ => self.events.push(came),
        }
    }

    fn wants_markers(&self) -> bool {
        true
    }

    fn marker(&mut self, marker: &Marker<'_>) {
        self.markers.push(format!("        {marker}"));
    }
}

fn parser(line: &Value) -> Parser {
    let dialect = Dialect::by_name(line["dialect"].as_str().expect("a name")).expect("a dialect");
    let tools = Tool::list_from_json(line.get("tools").unwrap_or(&json!([])));
    let options = Options::from_json(line.get("options").unwrap_or(&json!({})));
    let builder = Parser::builder(dialect).tools(tools.expect("tools"));
    builder.options(options.expect("options")).build().expect("a parser")
}

/// What comes of the text of a line.
fn told(line: &Value) -> Told {
    let (mut parser, mut told) = (parser(line), Told::default());
    for byte in line["text"].as_str().expect("a text").as_bytes().chunks(1) {
        told.fed += 1;
        parser.feed_bytes_into(byte, &mut told);
    }
    match line.get("cut") {
        Some(_) => parser.finish_cut_into(&mut told),
        None => parser.finish_into(&mut told),
    }
    told
}

/// `EXPECTED=write` writes the file anew; what has changed is to be read.
#[test]
fn what_comes_of_small_texts() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/edges.jsonl");
    let mut all = String::new();
    for line in std::fs::read_to_string(path).expect("the texts").lines() {
        let told = told(&serde_json::from_str(line).expect("JSON"));
        writeln!(all, "{line}").expect("a string takes all");
        let events = told.events.iter().map(Came::to_string);
        for told in events.chain(told.markers) {
            writeln!(all, "{told}").expect("a string takes all");
        }
    }
    expected::compare("edges.txt", &all);
}
