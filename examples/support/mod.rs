//! Common parts of the examples. They have nothing to do with the parser.
#![allow(dead_code, unused_imports, missing_debug_implementations)] // no example uses all of it

mod client;
pub mod scripts;
mod serve;
mod server;

use std::error::Error;

use serde_json::{Map, Value};

pub use client::{Body, Chunk, chunk, post};
pub use serve::{Refusal, Reply, serve};
pub use server::{Answer, Server};

/// The arguments `--base-url URL` and `--model NAME`. Without a URL the scripted server runs: keep
/// it for as long as you ask it.
pub struct Endpoint {
    pub url: String,
    pub model: String,
    pub server: Option<Server>,
}

impl Endpoint {
    /// Reads the command line.
    ///
    /// # Errors
    /// For an argument that is neither of the two, or has no value.
    pub fn from_args(script: impl IntoIterator<Item = Answer>) -> Result<Endpoint, Box<dyn Error>> {
        let (mut url, mut model) = (None, None);
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let slot = match &*arg {
                "--base-url" => &mut url,
                "--model" => &mut model,
                _ => return Err(format!("`{arg}`: use --base-url URL and --model NAME").into()),
            };
            *slot = Some(args.next().ok_or_else(|| format!("{arg} needs a value"))?);
        }
        let model = model.unwrap_or_else(|| "default".to_string());
        match url {
            Some(url) => Ok(Endpoint { url, model, server: None }),
            None => Ok(Endpoint { model, ..Endpoint::scripted(script)? }),
        }
    }

    /// Starts a scripted server, without a look at the command line.
    ///
    /// # Errors
    /// If no port is free.
    pub fn scripted(script: impl IntoIterator<Item = Answer>) -> Result<Endpoint, Box<dyn Error>> {
        let server = Server::start(script)?;
        let url = server.url.clone();
        Ok(Endpoint { url, model: "scripted".to_string(), server: Some(server) })
    }
}

/// The tool of the examples.
///
/// # Errors
/// A text for the model, if the arguments hold no text.
pub fn word_count(input: &Map<String, Value>) -> Result<String, &'static str> {
    let text = input.get("text").and_then(Value::as_str).ok_or("give it a `text`")?;
    Ok(text.split_whitespace().count().to_string())
}
