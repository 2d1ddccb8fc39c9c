//! An agent's decisions around a turn: values in, decisions out; no clock, no I/O, no async.
//!
//! ```text
//! message parsed -> has complete calls?
//!    no  -> does this turn need a tool? (validator.infer, or your program)   no -> accept the text
//!           guard.turn / validator.validate -> retry with a correction, or ask the user
//!    yes -> validator.validate -> hooks: pre -> tool -> post -> result to the model
//!           guard.tool_result, validator.tool_result
//! ```
//!
//! * [`Guard`]: corrects a model that answers without a tool, with nothing, or with an unreadable call. One for each
//!   conversation.
//! * [`Validator`]: demands a tool for requests that need it. One for all conversations.
//! * [`Hooks`]: run around a call. One set for all conversations.
//! * [`ToolLoop`]: joins all of these and a parser. One for each conversation.
//!
//! All are plain values. Errors come when a value is built ([`PolicyError::InvalidConfig`]), or when it is called
//! with an argument that was not offered ([`PolicyError::InvalidArgument`]). A model's text is never an error.
//!
//! # Configuration
//!
//! Each part is configured by one JSON object, from a file or `serde_json::json!`: `from_json` lists the keys. An
//! absent key keeps its default. An unknown key is an error, and every error has its place:
//! `config.patterns[1].tools[0]: …`.
//!
//! Every text for the model or the user has a default and may be replaced alone. In a text, `{name}` stands for a
//! value: each is replaced once, and values are not searched again. An unknown name, and every other brace, stays as
//! it is.

mod config;
mod decision;
mod guard;
mod hooks;
mod recent;
mod tool_loop;
mod turn;
mod validator;

pub use config::PolicyError;
#[cfg(feature = "check")]
pub(crate) use config::read;
pub use decision::{Choice, Decision, Objection, Reason};
pub use guard::Guard;
pub use hooks::{Call, CallOutcome, Hook, Hooks, Pre, Report, Running};
pub use tool_loop::{CallId, Step, ToolLoop};
pub use turn::Turn;
pub use validator::{Inference, Request, Validator, Verdict};
