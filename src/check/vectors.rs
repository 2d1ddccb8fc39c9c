//! Conformance vectors: a text, and its expected message.
//!
//! One JSON object a line:
//!
//! ```json
//! {"id": "cline-1", "dialect": "cline", "tools": [{"name": "list", "parameters": {}}],
//!  "config": {"tool_limit": null}, "input": "the whole model output",
//!  "expect": {"text": "…", "reasoning": "…", "finish": "tool_use", "diagnostics": ["…"],
//!             "calls": [{"name": "list", "arguments": {}, "status": "complete"}]},
//!  "why": "what this case checks"}
//! ```
//! A key of `expect` that is absent is not checked. `text` and `reasoning` are compared with every
//! run of white space folded to one space and both ends trimmed; `arguments` as JSON values;
//! `diagnostics` must be among those reported. `config.ended` says how the stream ends: `stop`
//! ([`Parser::finish`]) or `cut` ([`Parser::finish_cut`]).
//! With `provider` instead of `dialect`, `input` is the list of the provider's stream events.

use serde_json::Value;

use super::expect::{compare, options};
use super::laws::{self, Ended};
#[cfg(feature = "policy")]
use super::policy;
use super::{native, steps};
use crate::dialect::Dialect;
use crate::message::Message;
use crate::options::Options;
use crate::options::json::{JsonError, shape};
use crate::parser::Parser;
use crate::provider::Provider;
use crate::tool::Tool;

/// Vector: one line of a file.
///
/// ```
/// use toolstream::check::{VectorOutcome, Vector, every_cut};
///
/// let line = r#"{"id": "one", "dialect": "hermes", "input": "2 < 3", "expect": {"text": "2 < 3"}}"#;
/// assert_eq!(Vector::from_line(line)?.run(every_cut), VectorOutcome::Passed);
/// # Ok::<(), toolstream::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// The line's `id`.
    pub id: String,
    line: Value,
}

/// Outcome of a vector.
///
/// [`Vector::run`] returns it.
///
/// ```
/// use toolstream::check::{Vector, VectorOutcome, every_cut};
///
/// let line = r#"{"id": "a", "dialect": "hermes", "input": "Hi.", "expect": {"text": "Hi", "finish": "stop"}}"#;
/// let outcome = Vector::from_line(line)?.run(every_cut);
/// let VectorOutcome::Failed(why) = outcome else { panic!("{outcome:?}") };
/// assert!(why.contains("Hi."), "{why}"); // it shows the expected text and the other one
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VectorOutcome {
    /// The vector passed for every cut, and the laws hold.
    Passed,
    /// The vector failed, with the difference.
    Failed(String),
    /// The vector was not run: this build lacks the dialect or the component of this name.
    Skipped(String),
}

impl VectorOutcome {
    fn new(checked: Result<(), String>) -> VectorOutcome {
        checked.map_or_else(VectorOutcome::Failed, |()| VectorOutcome::Passed)
    }
}

impl Vector {
    /// Reads a line.
    ///
    /// # Errors
    /// [`JsonError`] if the line is no JSON object with an `id`.
    pub fn from_line(line: &str) -> Result<Vector, JsonError> {
        let line: Value = serde_json::from_str(line)?;
        let id = line.get("id").and_then(Value::as_str);
        let expected = "a string (is this a vector file?)";
        let id = id.ok_or_else(|| shape("id", expected))?;
        Ok(Vector { id: id.to_string(), line })
    }

    /// Returns the purpose of the vector, in its author's words.
    pub fn why(&self) -> Option<&str> {
        self.text("why")
    }

    /// Runs the vector with these cuts of its input, which has the given number of bytes:
    /// [`every_cut`](crate::check::every_cut), for example.
    pub fn run(&self, cuts: impl Fn(usize) -> Vec<Vec<usize>>) -> VectorOutcome {
        match self.text("component") {
            Some("repair") => return VectorOutcome::new(steps::repair(&self.line)),
            #[cfg(feature = "policy")]
            Some(name @ ("guard" | "validator" | "hooks")) => {
                return VectorOutcome::new(policy::run(name, &self.line));
            }
            Some(name) => return VectorOutcome::Skipped(name.to_string()),
            None => {}
        }
        if let Some(name) = self.text("provider") {
            return match name.parse::<Provider>() {
                Ok(provider) => VectorOutcome::new(native::check(&self.line, provider)),
                Err(_) => VectorOutcome::Skipped(name.to_string()),
            };
        }
        let Some(name) = self.text("dialect") else {
            return VectorOutcome::Failed("it names no dialect".to_string());
        };
        let Ok(dialect) = Dialect::by_name(name) else {
            return VectorOutcome::Skipped(name.to_string());
        };
        VectorOutcome::new(self.check(dialect, cuts))
    }

    /// Returns the input, and the parser of the vector.
    ///
    /// # Errors
    /// For a mistake in its tools or its configuration.
    fn parser(&self, dialect: Dialect) -> Result<(&str, Parser), String> {
        let tools = self.line.get("tools").and_then(Value::as_array).into_iter().flatten();
        let tools: Result<Vec<Tool>, _> = tools.map(Tool::from_json).collect();
        let (options, _) = options(&self.line, Options::default().tool_limit)?;
        let parser = Parser::builder(dialect)
            .tools(tools.map_err(|error| error.to_string())?)
            .options(options)
            .build()
            .map_err(|error| error.to_string())?;
        Ok((self.text("input").ok_or("it has no input")?, parser))
    }

    /// Returns how its stream ends: `config.ended`.
    ///
    /// # Errors
    /// For a mistake in its configuration.
    fn ended(&self) -> Result<Ended, String> {
        options(&self.line, Options::default().tool_limit).map(|(_, ended)| ended)
    }

    /// Compares a message of any parser with the expected one.
    ///
    /// # Errors
    /// The difference.
    pub fn compare(&self, message: &Message) -> Result<(), String> {
        let expect = self.line.get("expect").and_then(Value::as_object);
        compare(expect.ok_or("it expects nothing")?, message)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.line.get(key).and_then(Value::as_str)
    }

    fn check(
        &self,
        dialect: Dialect,
        cuts: impl Fn(usize) -> Vec<Vec<usize>>,
    ) -> Result<(), String> {
        let (input, parser) = self.parser(dialect)?;
        let events = laws::hold(&parser, input, &cuts(input.len()), self.ended()?);
        let events = events.map_err(|error| error.to_string())?;
        let mut message = parser.message();
        events.into_iter().for_each(|event| message.push(event));
        message.close();
        self.compare(&message)
    }
}
