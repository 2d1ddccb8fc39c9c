//! The arguments of an open call, asked for after each chunk: toolstream's `partial_call` beside `jiter`'s
//! partial mode, which reads the text from its beginning each time.
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml --bin partial
//! ```
//!
//! The same arguments in 4-byte chunks, at two sizes. toolstream parses the model's text (`hermes`), collects
//! the message, and gives the value by reference. `jiter` knows no dialect: it gets the bare JSON, and gives a
//! value of its own. Before the clock starts both values are compared, after each 64th chunk.

#[path = "../../../../tests/it/support/inputs.rs"]
#[allow(dead_code, reason = "a part is used")]
mod inputs;

use std::hint::black_box;
use std::time::Instant;

use jiter::{JsonValue, PartialMode};
use serde_json::Value;
use toolstream::{Dialect, Event, Message, Parser};

const CHUNK: usize = 4;
const OPEN: &str = r#"<tool_call>{"name": "write", "arguments": "#;

fn main() {
    println!("{:>8}  {:>12}  {:>12}  {:>8}", "bytes", "toolstream", "jiter", "times");
    let parser = Parser::builder(Dialect::HERMES).build().expect("a parser");
    for size in [16 << 10, 64 << 10] {
        let arguments =
            serde_json::json!({"path": "src/lib.rs", "text": inputs::code(size)}).to_string();
        check(&parser, &arguments);
        let ours = best(|| ours(&parser, &arguments));
        let theirs = best(|| theirs(&arguments));
        let [ms, their_ms] = [ours, theirs].map(|seconds| format!("{:.2} ms", seconds * 1e3));
        println!("{size:>8}  {ms:>12}  {their_ms:>12}  {:>8.0}", theirs / ours);
    }
}

/// The quickest of a few runs, in seconds.
fn best(mut run: impl FnMut() -> usize) -> f64 {
    let time = |_| {
        let begun = Instant::now();
        black_box(run());
        begun.elapsed().as_secs_f64()
    };
    (0..5).map(time).fold(f64::INFINITY, f64::min)
}

fn opened(parser: &Parser) -> (Parser, Message) {
    let (mut parser, mut message) = (parser.clone(), parser.message());
    parser.feed_into(OPEN, &mut |event: Event<&str>| message.push(event));
    (parser, message)
}

fn ours(parser: &Parser, arguments: &str) -> usize {
    let (mut parser, mut message) = opened(parser);
    let mut members = 0;
    for piece in inputs::pieces(arguments, CHUNK) {
        parser.feed_into(piece, &mut |event: Event<&str>| message.push(event));
        members += message.partial_call().map_or(0, |call| black_box(call.input()).len());
    }
    members
}

fn theirs(arguments: &str) -> usize {
    let (mut members, mut came) = (0, 0);
    for piece in inputs::pieces(arguments, CHUNK) {
        came += piece.len();
        if let JsonValue::Object(object) = black_box(begun(&arguments[..came])) {
            members += object.len();
        }
    }
    members
}

fn begun(json: &str) -> JsonValue<'_> {
    let read = JsonValue::parse_with_config(json.as_bytes(), true, PartialMode::TrailingStrings);
    read.unwrap_or(JsonValue::Null)
}

/// Checks that both give the same value. (`jiter` leaves out a string that ends inside an escape: such chunks
/// are skipped.)
fn check(parser: &Parser, arguments: &str) {
    let (mut parser, mut message) = opened(parser);
    let (mut came, mut compared) = (0, 0);
    for (number, piece) in inputs::pieces(arguments, CHUNK).enumerate() {
        came += piece.len();
        parser.feed_into(piece, &mut |event: Event<&str>| message.push(event));
        let Some(call) = message.partial_call().filter(|_| number % 64 == 63) else { continue };
        let JsonValue::Object(theirs) = begun(&arguments[..came]) else { continue };
        let text = theirs.iter().find(|(key, _)| key == "text").map(|(_, text)| text);
        if let (Some(JsonValue::Str(text)), Some(Value::String(ours))) =
            (text, call.input().get("text"))
        {
            assert_eq!(text, ours);
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared} looks were compared");
}
