//! A small agent: a chat in which the model lists, reads and writes the files of a temporary folder.
//!
//! `cargo run --example agent --features policy,stream` shows it with a scripted model and user. With `--
//! --base-url http://127.0.0.1:8080 --model NAME` it talks with you and a server of OpenAI's chat
//! completions. [`ToolLoop`] makes all decisions. The code here is only the outside: `http` asks the model,
//! `tools` runs the calls, and this file talks with the user.
#[path = "../support/mod.rs"]
pub(crate) mod support;

pub(crate) mod http;
pub(crate) mod tools;

use std::error::Error;
use std::io::{BufRead, Cursor, Write};

use serde_json::json;
use support::{Endpoint, scripts};
use toolstream::native::{Provider, Reader};
use toolstream::policy::{Choice, Step, ToolLoop};
use toolstream::{Dialect, Parser};

use tools::Folder;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let model = Endpoint::from_args(scripts::agent())?;
    // The dialect of the model's training. Any other model reads about ReAct in the prompt.
    let known = Dialect::for_model(&model.model);
    let mut agent = agent(known.map_or(Dialect::REACT, |known| known.dialect))?;
    let (folder, mut out) = (Folder::new()?, std::io::stdout());
    if model.server.is_some() {
        let mut user = Cursor::new("Write a list of two things to buy.\nThank you.\n");
        return chat(&mut agent, &model, &folder, &mut user, &mut out).await;
    }
    eprintln!("the files are in {}", folder.path().display());
    chat(&mut agent, &model, &folder, &mut std::io::stdin().lock(), &mut out).await
}

/// The loop of a conversation.
pub(crate) fn agent(dialect: Dialect) -> Result<ToolLoop, Box<dyn Error>> {
    let parser = Parser::builder(dialect).tools(tools::declared()).build()?;
    // The server sends chat completions, and leaves the calls in their text.
    let reader = Reader::builder(Provider::OpenAiChat).text_calls(parser).build()?;
    let about_files = r"\b(files?|folder|list|read|write|save)\b";
    let config = json!({
        "calls": "text",
        "instructions": "You help the user with the files of one folder.",
        "validator": {"patterns": [{"pattern": about_files, "tools": []}]},
    });
    Ok(ToolLoop::from_json(reader, &config)?)
}

/// Talks until the user's input ends.
pub(crate) async fn chat(
    agent: &mut ToolLoop,
    model: &Endpoint,
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
                http::answer(agent, model, out).await?;
            }
            Step::RunTools(calls) => {
                for (id, call) in calls {
                    writeln!(out, "\n[{} {}]", call.name, call.arguments)?;
                    agent.tool_result(id, folder.run(&call))?;
                }
            }
            Step::Blocked(outcome) => writeln!(out, "\n[{} is blocked]", outcome.call.name)?,
            Step::AskUser(question) => {
                let options: Vec<_> = question.options().iter().map(Choice::to_string).collect();
                let text = format!("{}\n({}) ", question.text, options.join(", "));
                let Some(words) = ask(&text, input, out)? else { return Ok(()) };
                // Words that are no option go to the model.
                if words.parse::<Choice>().and_then(|choice| agent.choice(choice)).is_err() {
                    agent.user(words);
                }
            }
            // `Done`: the user has the word.
            _ => match ask("> ", input, out)? {
                Some(words) => agent.user(words),
                None => return Ok(()),
            },
        }
    }
}

/// The user's next line that is not blank.
fn ask(
    what: &str,
    from: &mut impl BufRead,
    out: &mut impl Write,
) -> std::io::Result<Option<String>> {
    write!(out, "\n{what}")?;
    out.flush()?;
    from.lines().find(|line| !line.as_ref().is_ok_and(|line| line.trim().is_empty())).transpose()
}
