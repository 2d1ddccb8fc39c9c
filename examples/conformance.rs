//! toolstream as a program for `conformance/run.py`: it reads and writes lines of JSON. A parser of another kind needs
//! a program like this.
//!
//! ```sh
//! cargo build --release --example conformance
//! python3 conformance/run.py -- target/release/examples/conformance
//! ```
//!
//! A question may name a `model` in place of a dialect, with the end of its `prompt`, and say with `"cut": true` that the
//! stream was cut: `conformance/programs/canitoolcall_adapter.py` asks so.
//!
//! With `templates` it prints the response templates of the dialects that have one.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use serde_json::{Value, json};
use toolstream::{
    CompleteCall, Dialect, Parser, Tool,
    options::{Options, Start},
};

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
    let tools = Tool::list_from_json(&question["tools"])?;
    let parser = match question["model"].as_str() {
        Some(model) => {
            let model =
                Dialect::for_model(model).ok_or_else(|| format!("no dialect for {model}"))?;
            let prompt = question["prompt"].as_str();
            let start = prompt.map_or(model.start, Start::of_prompt);
            let mut options = Options::default();
            (options.start, options.value_whitespace) = (start, model.value_whitespace);
            Parser::builder(model.dialect).options(options)
        }
        None => {
            Parser::builder(Dialect::by_name(question["dialect"].as_str().unwrap_or_default())?)
        }
    };
    let mut reply = parser.tools(tools).tool_limit(None).build()?.reply();
    for chunk in question["chunks"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        reply.feed(chunk).for_each(drop);
    }
    match question["cut"].as_bool() {
        Some(true) => reply.finish_cut().for_each(drop),
        _ => reply.finish().for_each(drop),
    }
    let message = reply.message();
    let call = |call: &CompleteCall| json!({"name": call.name(), "arguments": call.input()});
    let calls: Vec<Value> = message.calls().map(call).collect();
    Ok(json!({"text": message.text(), "reasoning": message.reasoning(), "calls": calls}))
}

/// The templates by their dialect.
fn templates() -> Value {
    let template = |dialect: &Dialect| dialect.to_response_template("<|assistant|>").ok();
    let all = Dialect::ALL.iter().filter_map(|of| Some((of.name(), template(of)?)));
    json!(all.collect::<BTreeMap<_, _>>())
}
