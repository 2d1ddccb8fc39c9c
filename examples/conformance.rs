//! toolstream as a program that `conformance/run.py` asks: a line of JSON comes, a line of JSON goes. Whoever brings a
//! parser of another kind writes one like it.
//!
//! ```sh
//! cargo build --release --example conformance
//! python3 conformance/run.py -- target/release/examples/conformance
//! ```
//!
//! With `templates` it prints the response templates of the dialects that have one.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use serde_json::{Value, json};
use toolstream::{CompleteCall, Dialect, Parser, Tool};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    if std::env::args().nth(1).as_deref() == Some("templates") {
        return writeln!(out, "{}", templates());
    }
    for line in std::io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let answer = match question.get("hello") {
            Some(_) => about(),
            None => read(&question).unwrap_or_else(|error| json!({"error": error.to_string()})),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn about() -> Value {
    let all = Dialect::ALL.iter().flat_map(|of| std::iter::once(of.clone()).chain(of.forms()));
    let dialects: Vec<String> = all.map(|dialect| dialect.to_string()).collect();
    json!({"name": "toolstream", "version": env!("CARGO_PKG_VERSION"), "dialects": dialects, "reasoning": true})
}

fn read(question: &Value) -> Result<Value, Box<dyn std::error::Error>> {
    let dialect = Dialect::by_name(question["dialect"].as_str().unwrap_or_default())?;
    let tools = Tool::list_from_json(&question["tools"])?;
    let mut reply = Parser::builder(dialect).tools(tools).tool_limit(None).build()?.reply();
    for chunk in question["chunks"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        reply.feed(chunk).for_each(drop);
    }
    reply.finish().for_each(drop);
    let message = reply.message();
    let call = |call: &CompleteCall| json!({"name": call.name(), "arguments": call.input()});
    let calls: Vec<Value> = message.calls().map(call).collect();
    Ok(json!({"text": message.text(), "reasoning": message.reasoning(), "calls": calls}))
}

/// The templates by their dialect.
fn templates() -> Value {
    let template = |dialect: &Dialect| dialect.spec().to_response_template("<|assistant|>").ok();
    let all = Dialect::ALL.iter().filter_map(|of| Some((of.name(), template(of)?)));
    json!(all.collect::<BTreeMap<_, _>>())
}
