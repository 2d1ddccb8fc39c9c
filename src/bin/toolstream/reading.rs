//! How model text is read: the arguments that `parse`, `sanitize`, `explain` and `inspect` share, and the
//! parser that they make.

use std::path::{Path, PathBuf};

use serde_json::Map;
use toolstream::check::Ended;
use toolstream::{
    Parser, Tool,
    options::{Options, Start, TextAtCalls},
};

use crate::failure::{Result, say};
use crate::input::{Cut, Input};
use crate::which::{self, Chosen, Which};
use crate::{auto, config};

/// The dialect, the tools, the options and the end of the stream.
#[derive(clap::Args, Default)]
pub struct Reading {
    #[command(flatten)]
    pub which: Which,
    /// Options as a JSON object, e.g. {"fences": "quote", "ended": "cut"}; flags override them
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Tools whose calls may follow each other in one message; a call of any other tool must be the only one
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    chaining_tools: Vec<String>,
    /// Keep white space of text next to calls, or trim it [default: keep]
    #[arg(long, value_name = "keep|trim", value_parser = ["keep", "trim"], hide_possible_values = true)]
    text_at_calls: Option<String>,
    /// End of the stream: the model stopped, or the stream was cut (connection lost, finish reason `length`). After a
    /// cut, the end of the stream completes no call [default: stop]
    #[arg(long, value_name = "stop|cut", value_parser = config::ended)]
    ended: Option<Ended>,
}

/// The number of calls that one message may hold; `None`: any number.
#[derive(Clone, Copy)]
pub struct Limit(pub Option<usize>);

/// The value of `--tool-limit`.
pub fn tool_limit(text: &str) -> std::result::Result<Limit, &'static str> {
    match (text, text.parse()) {
        ("none", _) => Ok(Limit(None)),
        (_, Ok(limit)) if limit > 0 => Ok(Limit(Some(limit))),
        _ => Err("use a whole number from 1 on, or none"),
    }
}

/// A parser, and how the stream ends that it reads.
#[derive(Clone)]
pub struct Ready {
    pub parser: Parser,
    pub ended: Ended,
}

impl Reading {
    /// The parser of a dialect that is known. A `limit` that is given wins over the options'.
    pub fn ready(&self, tools: &[Tool], mut chosen: Chosen, limit: Option<Limit>) -> Result<Ready> {
        let default = Options::default().tool_limit;
        chosen.options.insert("tool_limit".to_string(), default.into());
        let mut config = config::options(self.config.as_deref(), &chosen.options)?;
        if let Some(Limit(limit)) = limit {
            config.options.tool_limit = limit;
        }
        if !self.chaining_tools.is_empty() {
            config.options.chaining_tools = self.chaining_tools.clone();
        }
        match self.text_at_calls.as_deref() {
            Some("trim") => config.options.text_at_calls = TextAtCalls::Trim,
            Some(_) => config.options.text_at_calls = TextAtCalls::Keep,
            None => {}
        }
        let builder = Parser::builder(chosen.dialect).tools(tools.to_vec());
        let parser = builder.options(config.options).build();
        let parser = parser.map_err(|error| config::unbuildable(&error))?;
        Ok(Ready { parser, ended: self.ended.unwrap_or(config.ended) })
    }

    /// The dialect that the text shows.
    pub fn guess(&self, tools: &[Tool], bytes: &[u8], file: Option<&str>) -> Result<Chosen> {
        let of_file = file.map(|file| format!("{file}: ")).unwrap_or_default();
        let options = config::options(self.config.as_deref(), &Map::new())?.options;
        let found = auto::guess(&String::from_utf8_lossy(bytes), tools, &options);
        let found = found.map_err(|failure| failure.in_front(&of_file))?;
        let mut chosen = Chosen { dialect: found.dialect, options: Map::new() };
        if found.start == Start::Reasoning {
            chosen.options.insert("start".to_string(), "reasoning".into());
        }
        let options = which::in_a_note(&chosen.options);
        say(&format!("note: {of_file}{}{options}: {}", chosen.dialect, found.why));
        Ok(chosen)
    }

    /// A parser for all of a file's text, with any number of calls, and the text.
    pub fn whole(&self, path: &Path) -> Result<(Ready, Vec<u8>)> {
        let chosen = self.which.choose()?;
        let tools = self.which.tools()?.unwrap_or_default();
        let ready = |chosen| self.ready(&tools, chosen, Some(Limit(None)));
        // Mistakes in the flags are reported before the text is read.
        let known = chosen.map(ready).transpose()?;
        let text = Input::open(Some(path), Cut::AsItArrives)?.read_all()?;
        let ready = match known {
            Some(known) => known,
            None => ready(self.guess(&tools, &text, None)?)?,
        };
        Ok((ready, text))
    }
}
