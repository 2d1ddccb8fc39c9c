//! Small texts where a rule begins or ends to count: half a marker, a closer where nothing is open, a quote in a name.
//! Each was cut down from a random one as far as something was still to be seen in it. What comes of each is
//! compared to the byte: the events, after how many bytes each came, and what is said of the markers.
//!
//! `tests/edges.jsonl` has the texts, a line each: `dialect`, `text`, and `tools` and `options` where they matter;
//! `"cut": true` if the stream is cut there and the model has not ended; `"show": "arguments"` where it is about
//! what is seen of them while they come, `"sent"` where it is about what a client gets, and `"page"` where it is a page
//! that a model is shown.

use std::fmt::{self, Write as _};

use serde_json::{Value, json};
use toolstream::adapt::{EventWriter, Protocol};
use toolstream::native::{Provider, Reader};
use toolstream::{Dialect, Event, Marker, Options, Parser, Sink, Tool, ToolResult};

use crate::support::{expected, partial};

/// An event, and how many bytes had been fed then. Slices of a kind that came one after the other, a byte each, are
/// one.
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

/// What may be shown of an open call's arguments, after each byte with which that changes, and what they are in the
/// end.
fn looks(line: &Value) -> Vec<String> {
    let text = line["text"].as_str().expect("a text");
    let bytes: Vec<_> = (0..text.len()).map(|at| at..at + 1).collect();
    let (looks, message) = partial::looks(&parser(line), text, &bytes, line.get("cut").is_some());
    let mut told = Vec::new();
    let mut last = String::new();
    for (at, look) in looks.iter().enumerate() {
        let Some(look) = look else { continue };
        let done: Vec<&String> = look.done.iter().map(|(pointer, _)| pointer).collect();
        let now = format!("call {}: {}, done: {done:?}", look.call, look.input);
        if now != last {
            told.push(format!("{:>7} {now}", at + 1));
        }
        last = now;
    }
    told.extend(message.blocks().iter().map(|block| format!("        {block:?}")));
    told
}

/// What a client of OpenAI's chat protocol reads of the text, fed byte by byte.
fn sent(line: &Value) -> Vec<String> {
    let mut parser = parser(line);
    let mut writer = EventWriter::new(Protocol::OpenAiChat, &parser, "a1", "m");
    for byte in line["text"].as_str().expect("a text").as_bytes().chunks(1) {
        parser.feed_bytes_into(byte, &mut writer);
    }
    parser.finish_into(&mut writer);
    writer.finish();
    let sent = String::from_utf8(writer.take()).expect("text");
    sent.lines().filter(|line| !line.is_empty()).map(|line| format!("        {line}")).collect()
}

/// How a page is put before a model: by a parser, by its dialect, and as two results, one of a tool with a name that
/// no model writes.
fn page(line: &Value) -> Vec<String> {
    let (parser, text) = (parser(line), line["text"].as_str().expect("a text"));
    let dialect = parser.dialect();
    let results = [ToolResult::ok("read", text), ToolResult::ok("odd name\n", text)];
    let shown =
        [parser.neutralise(text), dialect.neutralise(text)].map(|shown| format!("{shown:?}"));
    let rendered = [parser.render_results(&results), Ok(dialect.render_results(&results))];
    let rendered = rendered.map(|rendered| format!("{:?}", rendered.expect("results")));
    shown.into_iter().chain(rendered).map(|told| format!("        {told}")).collect()
}

/// The lines of a file of `tests/`, each with what comes of it.
fn compare(name: &str, of: impl Fn(&Value) -> Vec<String>) {
    let path = format!("{}/tests/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let mut all = String::new();
    for line in std::fs::read_to_string(path).expect("the lines").lines() {
        writeln!(all, "{line}").expect("a string takes all");
        for told in of(&serde_json::from_str(line).expect("JSON")) {
            writeln!(all, "{told}").expect("a string takes all");
        }
    }
    expected::compare(&format!("{name}.txt"), &all);
}

/// `EXPECTED=write` writes the file anew; what has changed is to be read.
#[test]
fn what_comes_of_small_texts() {
    compare("edges", |line| match line["show"].as_str() {
        Some("arguments") => looks(line),
        Some("sent") => sent(line),
        Some("page") => page(line),
        _ => {
            let Told { events, markers, .. } = told(line);
            events.iter().map(Came::to_string).chain(markers).collect()
        }
    });
}

/// The same of a provider's events: what comes of each, how many bytes are held then, and the message.
#[test]
fn what_comes_of_small_native_streams() {
    compare("native_edges", |line| {
        let provider: Provider = line["provider"].as_str().expect("a name").parse().expect("one");
        let mut reader = Reader::builder(provider).build().expect("a reader");
        let (mut message, mut told) = (reader.message(), Vec::new());
        let events = line["events"].as_array().expect("a list").iter();
        for (number, event) in events.map(Some).chain([None]).enumerate() {
            let mut take = |event: Event<&str>| {
                told.push(format!("{number:>7} {event:?}"));
                message.push(event);
            };
            match event {
                Some(event) => reader.feed_into(event.to_string().as_bytes(), &mut take),
                None => reader.finish_into(&mut take),
            }
            if reader.held() > 0 {
                told.push(format!("{number:>7} {} bytes are held", reader.held()));
            }
        }
        message.close();
        told.extend(message.blocks().iter().map(|block| format!("        {block:?}")));
        told
    });
}
