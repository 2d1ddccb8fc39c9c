//! Small texts at the edge of a rule: half a marker, a closer where nothing is open, a quote in a name. Each was cut down from
//! a random text as long as it still showed something. All output is compared to the byte: the events, the number of bytes
//! after which each came, and the report of each marker.
//!
//! `tests/edges.jsonl` has the texts, a line each: `dialect`, `text`, and `tools` and `options` where they matter.
//! `"cut": true` cuts the stream there, before the model has ended. `"show"` selects the output: `"arguments"` are the arguments
//! while they come, `"sent"` is the text for a client, and `"page"` is a page for a model.

use std::fmt::{self, Write as _};

use serde_json::{Value, json};
use toolstream::adapt::{EventWriter, Protocol};
use toolstream::native::{Provider, Reader};
use toolstream::{
    Dialect, Event, Parser, Sink, Tool, diagnostic::Marker, options::Options, render::ToolResult,
};

use crate::support::{expected, partial};

/// An event with the numbers of bytes that had been fed at its first and last byte. Slices of a kind that came in a row, a
/// byte each, are joined.
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

/// Output for a text that is fed byte by byte.
#[derive(Default)]
struct Told {
    /// The number of bytes that have been fed.
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

/// Feeds the text of a line, byte by byte.
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

/// The arguments of an open call that may be shown, after each byte that changes them, and the blocks in the end.
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

/// The lines that a client of OpenAI's chat protocol reads for the text, fed byte by byte.
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

/// A page as a model sees it: from the parser, from its dialect, and as two results. The second result has a tool name that no
/// model writes.
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

/// Compares the lines of a file of `tests/`, each with its output.
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

/// `EXPECTED=write` writes the file anew; read the changes before you commit them.
#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
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

/// Events of a provider, each with its output and the number of bytes that are held then, and the message.
#[test]
#[cfg_attr(not(feature = "preserve_order"), ignore = "holds an order")]
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
