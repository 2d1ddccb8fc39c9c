//! An agent's stream loop, with the provider played by a list of chunks.
//!
//! `cargo run --example agent_loop`
use std::error::Error;
use std::io::Write;

use toolstream::{Block, Dialect, Event, Finish, Param, Parser, Tool, ToolUse};

fn main() -> Result<(), Box<dyn Error>> {
    let fresh = Parser::builder(Dialect::CLINE)
        .tool(Tool::new("read_file").param(Param::required("path")))
        .tool(Tool::new("list_files").param(Param::optional("path")))
        .build()?;

    // One parser a message: cloning a fresh one shares its tables.
    for answer in [FIRST, SECOND] {
        let finish = one_message(fresh.clone(), answer)?;
        println!("\n-- {}\n", finish.as_str());
    }
    Ok(())
}

fn one_message(mut parser: Parser, chunks: &[&str]) -> Result<Finish, Box<dyn Error>> {
    let mut message = parser.message();
    'stream: for chunk in chunks {
        for event in parser.feed(chunk) {
            message.push(event);
            match event {
                Event::TextContent(text) => print!("{text}"),
                Event::ToolUse(ToolUse::Start { name, .. }) => print!("→ {name} "),
                Event::ToolUse(ToolUse::ParamDelta(value)) => print!("{value}"),
                // The model goes on with a second call: no need to read on.
                Event::ToolLimitReached(_) => break 'stream,
                _ => {}
            }
            std::io::stdout().flush()?;
        }
    }
    for event in parser.finish() {
        message.push(event);
    }
    message.close();

    for block in message.blocks() {
        match block {
            Block::Call(call) => println!("\nrun {}({:?})", call.name(), call.input()),
            Block::Incomplete(call) => println!("\nnot run: {} was cut off", call.name()),
            _ => {}
        }
    }
    Ok(message.finish())
}

const FIRST: &[&str] = &[
    "If a < b I need both files. First this one.\n<read_f",
    "ile>\n<path>src/ma",
    "in.rs</path>\n</read_file>\n<list_fi",
    "les>\n</list_files>",
];

const SECOND: &[&str] = &["Now the other.\n<read_file><path>src/li"];
