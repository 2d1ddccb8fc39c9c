//! The rivals on crates.io as programs that `conformance/run.py` asks:
//!
//! ```sh
//! cargo build --release --manifest-path benches/peers/Cargo.toml --bin conformance
//! python3 conformance/run.py -- benches/peers/target/release/conformance dynamo-parsers-v2
//! python3 conformance/run.py -- benches/peers/target/release/conformance tool-parser
//! ```
//!
//! Each is driven as its README says. A dialect is mapped to a parser that is meant for the same models.

use std::io::{BufRead, Write};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use dynamo_parsers_v2 as dynamo;
use openai_protocol::common::Tool;
use serde_json::{Value, json};
use tool_parser::ParserFactory;
use tool_parser::types::{ToolCall, ToolCallItem};

/// A dialect, perhaps with a form after a colon, and the parser that reads it.
type Parsers = [(&'static str, &'static str)];

const DYNAMO: &Parsers = &[
    ("beam", "beam"),
    ("deepseek-dsml", "deepseek_v4"),
    ("deepseek-dsml:v4.1", "deepseek_v41"),
    ("gemma4", "gemma4"),
    ("glm:inline", "glm47"),
    ("harmony", "gpt_oss"),
    ("kimi-k2", "kimi_k2"),
    ("kimi-k3", "kimi_k3"),
    // Its only parser reads tools alone.
    (ALONE, "minimax_m2"),
    ("minimax-m3", "minimax_m3"),
    ("muse", "muse_spark"),
    ("qwen3-coder", "qwen3_coder"),
];

const ALONE: &str = "minimax-m2";

const TOOL_PARSER: &Parsers = &[
    ("bare-json", "json"),
    ("command-r", "cohere"),
    ("deepseek-dsml", "deepseek_v4"),
    ("deepseek-dsml:v3.2", "deepseek32"),
    ("deepseek-dsml:v4.1", "deepseek_v41"),
    ("deepseek-v3", "deepseek"),
    ("deepseek-v31", "deepseek31"),
    ("gemma4", "gemma4"),
    ("glm", "glm45_moe"),
    ("glm:inline", "glm47_moe"),
    ("hermes", "qwen"),
    ("hunyuan:4", "hy_v4"),
    ("inkling", "inkling"),
    ("kimi-k2", "kimik2"),
    ("kimi-k3", "kimi_k3"),
    ("llama3-json", "llama"),
    ("minimax-m2", "minimax_m2"),
    ("minimax-m3", "minimax_m3"),
    ("mistral:v3", "mistral"),
    ("mistral:v7", "mistral"),
    ("pythonic", "pythonic"),
    ("qwen3-coder", "qwen_xml"),
    ("step3", "step3"),
];

type Error = Box<dyn std::error::Error>;

/// The result of a message.
#[derive(Default)]
struct Found {
    text: String,
    reasoning: String,
    calls: Vec<Call>,
}

#[derive(Clone, Default)]
struct Call {
    name: String,
    arguments: String,
    /// The parser's own verdict, if it has one.
    complete: Option<bool>,
}

fn main() -> Result<(), Error> {
    let rival = std::env::args().nth(1).unwrap_or_default();
    let (parsers, reasoning) = match &*rival {
        "dynamo-parsers-v2" => {
            let thinks = DYNAMO.iter().map(|(dialect, _)| *dialect);
            (DYNAMO, json!(thinks.filter(|dialect| *dialect != ALONE).collect::<Vec<_>>()))
        }
        "tool-parser" => (TOOL_PARSER, json!(false)),
        _ => return Err("say which: dynamo-parsers-v2 or tool-parser".into()),
    };
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let answer = if question.get("hello").is_some() {
            let dialects: Vec<_> = parsers.iter().map(|(dialect, _)| dialect).collect();
            json!({"name": rival, "version": version(&rival), "dialects": dialects, "reasoning": reasoning})
        } else {
            match read(&rival, parsers, &question) {
                Ok(found) => found.to_json(),
                Err(error) => json!({"error": error.to_string()}),
            }
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// Returns the linked version.
fn version(name: &str) -> &'static str {
    let lock = include_str!("../../Cargo.lock");
    let after = lock.split(&format!("name = \"{name}\"\nversion = \"")).nth(1);
    after.and_then(|after| after.split('"').next()).expect("a locked version")
}

fn read(rival: &str, parsers: &Parsers, question: &Value) -> Result<Found, Error> {
    let asked = question["dialect"].as_str().unwrap_or_default();
    let (dialect, parser) =
        parsers.iter().find(|(dialect, _)| *dialect == asked).ok_or("not this dialect")?;
    let chunks: Vec<&str> =
        question["chunks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match (rival, *dialect) {
        ("tool-parser", _) => now(tools_alone(parser, &question["tools"], &chunks)),
        (_, ALONE) => dynamo_alone(parser, &question["tools"], &chunks),
        _ => unified(parser, &question["tools"], &chunks),
    }
}

fn dynamo_tools(tools: &Value) -> Vec<dynamo::Tool> {
    let tool = |tool: &Value| dynamo::Tool {
        name: tool["name"].as_str().unwrap_or_default().to_string(),
        description: None,
        parameters: tool["parameters"].clone(),
        strict: None,
    };
    tools.as_array().into_iter().flatten().map(tool).collect()
}

/// Reads text, reasoning and calls in their order. The model ended the message.
fn unified(family: &str, tools: &Value, chunks: &[&str]) -> Result<Found, Error> {
    let mut parser = dynamo::create_unified_parser_for_family(family, &dynamo_tools(tools))?;
    parser.initialize_request(dynamo::UnifiedParserInit::default())?;
    let mut found = Found::default();
    for chunk in chunks {
        let mut output = dynamo::UnifiedParserOutput::default();
        parser.parse_into(chunk, &mut output)?;
        found.take(output);
    }
    found.take(parser.finish_at_eos()?);
    Ok(found)
}

fn dynamo_alone(family: &str, tools: &Value, chunks: &[&str]) -> Result<Found, Error> {
    let mut parser = dynamo::create_tool_parser_for_family(family, &dynamo_tools(tools))?;
    let mut found = Found::default();
    for chunk in chunks {
        let result = parser.push(chunk)?;
        found.text.push_str(&result.normal_text);
        result.calls.into_iter().for_each(|delta| found.delta(delta));
    }
    let result = parser.finish()?;
    found.text.push_str(&result.normal_text);
    result.calls.into_iter().for_each(|delta| found.delta(delta));
    Ok(found)
}

/// Reads a whole text by the method for whole texts, as the parser's server does it without a stream.
async fn tools_alone(format: &str, tools: &Value, chunks: &[&str]) -> Result<Found, Error> {
    let functions = tools.as_array().into_iter().flatten();
    let functions = functions.map(|tool| json!({"type": "function", "function": tool}));
    let tools: Vec<Tool> = serde_json::from_value(functions.collect())?;
    let mut parser =
        ParserFactory::new().registry().create_parser(format).ok_or("no such parser")?;
    let mut found = Found::default();
    if let [whole] = chunks {
        let (text, calls) = parser.parse_complete_with_tools(whole, &tools).await?;
        found.text = text;
        found.calls = calls.into_iter().map(Call::from).collect();
        return Ok(found);
    }
    for chunk in chunks {
        let result = parser.parse_incremental(chunk, &tools).await?;
        found.text.push_str(&result.normal_text);
        result.calls.into_iter().for_each(|item| found.item(item));
    }
    let rest = parser.get_unstreamed_tool_args().unwrap_or_default();
    rest.into_iter().for_each(|item| found.item(item));
    found.text.push_str(&parser.take_unstreamed_normal_text());
    Ok(found)
}

/// Polls once: its futures never wait.
fn now<T>(future: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match pin!(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(found) => found,
        Poll::Pending => Err("it waits".into()),
    }
}

impl From<ToolCall> for Call {
    fn from(call: ToolCall) -> Call {
        let function = call.function;
        Call { name: function.name, arguments: function.arguments, complete: None }
    }
}

impl Found {
    fn call(&mut self, index: usize) -> &mut Call {
        if self.calls.len() <= index {
            self.calls.resize(index + 1, Call::default());
        }
        &mut self.calls[index]
    }

    fn take(&mut self, output: dynamo::UnifiedParserOutput) {
        for event in output.events {
            match event {
                dynamo::UnifiedParserEvent::Text(text) => self.text.push_str(&text),
                dynamo::UnifiedParserEvent::Reasoning(text) => self.reasoning.push_str(&text),
                dynamo::UnifiedParserEvent::ToolCall(delta) => self.delta(delta),
                _ => {}
            }
        }
    }

    fn delta(&mut self, delta: dynamo::ToolCallDelta) {
        let call = self.call(delta.tool_index);
        call.name.push_str(delta.name.as_deref().unwrap_or_default());
        call.arguments.push_str(&delta.arguments);
        call.complete = Some(delta.complete || call.complete == Some(true));
    }

    fn item(&mut self, item: ToolCallItem) {
        let call = self.call(item.tool_index);
        call.name.push_str(item.name.as_deref().unwrap_or_default());
        call.arguments.push_str(&item.parameters);
    }

    fn to_json(&self) -> Value {
        let calls = self.calls.iter().map(|call| {
            let complete = call.complete.unwrap_or(true);
            json!({"name": call.name, "arguments": call.arguments, "complete": complete})
        });
        json!({"text": self.text, "reasoning": self.reasoning, "calls": calls.collect::<Vec<_>>()})
    }
}
