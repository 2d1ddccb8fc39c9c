//! A small agent: a chat in which the model lists, reads and writes the files of a temporary
//! folder. Any dialect, any server that speaks OpenAI's chat completions.
//!
//! `cargo run --example agent --features policy -- --base-url http://127.0.0.1:8080 --model NAME
//! --dialect react`
//!
//! All that it decides, [`ToolLoop`] decides; here is what has an outside: `http` asks the model,
//! `tools` runs the calls, and this file talks with the user.
#[path = "../support/mod.rs"]
pub(crate) mod support;

pub(crate) mod http;
pub(crate) mod tools;

use std::error::Error;
use std::io::{BufRead, Write};

use toolstream::policy::tool_loop::{LoopConfig, Step};
use toolstream::policy::validator::{Pattern, ValidatorConfig};
use toolstream::policy::{Choice, ToolLoop, Validator};
use toolstream::{Dialect, Parser};

use http::Model;
use tools::Folder;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut url, mut name, mut dialect) = (None, "default".to_string(), Dialect::REACT);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let value = args.next().ok_or_else(|| format!("{arg} needs a value"))?;
        match &*arg {
            "--base-url" => url = Some(value),
            "--model" => name = value,
            "--dialect" => dialect = Dialect::by_name(&value)?,
            _ => return Err(format!("`{arg}`: use --base-url, --model and --dialect").into()),
        }
    }
    let url = url.ok_or("say where the model is: --base-url http://HOST:PORT")?;
    let folder = Folder::new()?;
    eprintln!("the files are in {}", folder.path().display());
    let mut agent = agent(dialect)?;
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout());
    chat(&mut agent, &Model { url, name }, &folder, &mut input, &mut out).await
}

/// The loop of a conversation.
pub(crate) fn agent(dialect: Dialect) -> Result<ToolLoop, Box<dyn Error>> {
    let parser = Parser::builder(dialect).tools(tools::declared()).build()?;
    let about_files = Pattern::new(r"\b(files?|folder|list|read|write|save)\b", [""; 0]);
    let patterns = vec![about_files];
    let validator = Validator::new(ValidatorConfig { patterns, ..ValidatorConfig::default() })?;
    let config = LoopConfig {
        instructions: "You help the user with the files of one folder.".to_string(),
        validator: Some(validator),
        ..LoopConfig::default()
    };
    Ok(ToolLoop::new(parser, config)?)
}

/// Talks until the user's input ends.
pub(crate) async fn chat(
    agent: &mut ToolLoop,
    model: &Model,
    folder: &Folder,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    loop {
        match agent.step() {
            Step::CallModel { discard_visible_text } => {
                if discard_visible_text {
                    writeln!(out, "\n[that was no answer: again]")?;
                }
                model.answer(agent, out).await?;
            }
            Step::RunTools(calls) => {
                for pending in calls {
                    let call = &pending.call;
                    writeln!(out, "\n[{} {}]", call.name(), call.arguments())?;
                    agent.tool_result(pending.id, folder.run(call))?;
                }
            }
            Step::Blocked(outcome) => writeln!(out, "\n[{} is blocked]", outcome.call.name())?,
            Step::AskUser(question) => {
                let options: Vec<_> = question.options().iter().map(|it| it.to_string()).collect();
                write!(out, "\n{}\n({}) ", question.notice, options.join(", "))?;
                let Some(words) = line(input, out)? else { return Ok(()) };
                // What is no option is said to the model.
                let choice = words.parse::<Choice>().and_then(|choice| agent.choice(choice));
                if choice.is_err() {
                    agent.user(words);
                }
            }
            // `Done`: the user has the word.
            _ => {
                write!(out, "\n> ")?;
                let Some(words) = line(input, out)? else { return Ok(()) };
                agent.user(words);
            }
        }
    }
}

/// The next line that is not blank.
fn line(input: &mut impl BufRead, out: &mut impl Write) -> std::io::Result<Option<String>> {
    out.flush()?;
    let mut line = String::new();
    while line.trim().is_empty() {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(line.trim().to_string()))
}
