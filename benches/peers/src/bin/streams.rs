//! Many live streams: 10,000 of `qwen3-coder` calls, each somewhere else in its message, fed in turns in 4-byte chunks
//! by two threads. Seven bytes of ten are a value, two text, one markup.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin streams
//! ```
//! Each parser runs in a process of its own, so its memory is the growth of that process. The processes take
//! turns, and the best of three counts. Nobody collects: each looks at the events and drops them.

#[path = "../../../../tests/it/support/inputs.rs"]
mod inputs;
#[path = "../../../../tests/it/support/streams.rs"]
mod streams;

use std::process::Command;

use dynamo_parsers_v2::{
    Tool as DynamoTool, UnifiedParser, UnifiedParserEvent, UnifiedParserInit, UnifiedParserOutput,
    create_unified_parser_for_family,
};
use serde_json::json;
use streams::{CHUNK, Live, STREAMS, Stream};
use toolstream::Dialect;

const ROUNDS: usize = 3;
const PEERS: [&str; 2] = ["toolstream", "dynamo-parsers-v2"];

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("toolstream") => {
            let fresh = inputs::parser(&Dialect::QWEN3_CODER);
            run(&|| Live::new(&fresh));
        }
        Some("dynamo-parsers-v2") => run(&Dynamo::new),
        Some(other) => {
            eprintln!("`{other}` is no parser that is compared: leave it out, and all are");
            std::process::exit(2);
        }
        None => compare(),
    }
}

/// The result of a process.
#[derive(Clone, Copy, Default)]
struct Found {
    chunks_a_second: f64,
    bytes_a_stream: f64,
}

/// Every parser in a process of its own, in turns.
fn compare() {
    let mut best = [Found::default(); PEERS.len()];
    for _ in 0..ROUNDS {
        for (best, peer) in best.iter_mut().zip(PEERS) {
            let found = of_process(peer);
            best.bytes_a_stream = found.bytes_a_stream;
            best.chunks_a_second = best.chunks_a_second.max(found.chunks_a_second);
        }
    }
    println!("{STREAMS} streams in turns, chunks of {CHUNK} bytes, {} threads", streams::THREADS);
    println!("{:20}{:>20}{:>10}{:>18}", "", "million chunks/s", "slower", "bytes a stream");
    for (found, peer) in best.iter().zip(PEERS) {
        println!(
            "{peer:20}{:>20.2}{:>9.1}x{:>18.0}",
            found.chunks_a_second / 1e6,
            best[0].chunks_a_second / found.chunks_a_second,
            found.bytes_a_stream
        );
    }
}

fn of_process(peer: &str) -> Found {
    let this = std::env::current_exe().expect("this program");
    let output = Command::new(this).arg(peer).output().expect("it runs again");
    assert!(output.status.success(), "{peer}: {}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("numbers");
    let mut numbers = said.split_whitespace().map(|number| number.parse().expect("a number"));
    let mut next = || numbers.next().expect("two numbers");
    Found { chunks_a_second: next(), bytes_a_stream: next() }
}

/// Prints chunks a second, and bytes a stream.
fn run<S: Stream>(fresh: &(impl Fn() -> S + Sync)) {
    let message =
        streams::message(inputs::prose, |value| inputs::write(&Dialect::QWEN3_CODER, value));
    let chunks: Vec<&str> = inputs::pieces(&message, CHUNK).collect();
    // Tables that all streams share belong to no stream.
    drop(fresh());
    let before = streams::resident();
    let speed = streams::in_turns(&chunks, fresh);
    // The threads' streams are freed, but their memory stays with the allocator: this is the peak.
    let after = streams::most_resident();
    println!("{speed} {}", after.saturating_sub(before) as f64 / STREAMS as f64);
}

struct Dynamo {
    parser: Box<dyn UnifiedParser>,
    output: UnifiedParserOutput,
}

impl Dynamo {
    fn new() -> Dynamo {
        let tool = |name: &str, keys: &[&str]| {
            let properties: serde_json::Map<_, _> =
                keys.iter().map(|key| (key.to_string(), json!({"type": "string"}))).collect();
            DynamoTool {
                name: name.to_string(),
                description: None,
                parameters: json!({"type": "object", "properties": properties}),
                strict: None,
            }
        };
        let tools = [tool("read_file", &["path"]), tool("write_to_file", &["path", "content"])];
        let mut parser =
            create_unified_parser_for_family("qwen3_coder", &tools).expect("a known family");
        parser.initialize_request(UnifiedParserInit::default()).expect("the defaults");
        Dynamo { parser, output: UnifiedParserOutput::default() }
    }
}

/// Returns the number of bytes in an event.
fn told(event: UnifiedParserEvent) -> usize {
    match event {
        UnifiedParserEvent::Text(text) => text.len(),
        UnifiedParserEvent::ToolCall(delta) => delta.arguments.len(),
        _ => 0,
    }
}

impl Stream for Dynamo {
    fn feed(&mut self, chunk: &str) -> usize {
        self.parser.parse_into(chunk, &mut self.output).expect("no error");
        self.output.events.drain(..).map(told).sum()
    }

    fn next_message(&mut self) {
        self.parser.finish().expect("no error");
        *self = Dynamo::new();
    }
}
