//! An agent's decisions around a turn: values in, decisions out; no clock, no I/O, no async.
//!
//! ```text
//! message parsed -> has complete calls?
//!    no  -> does this turn need a tool? (validator.infer, or the host)   no -> accept the text
//!           guard.turn / validator.validate -> retry with a correction, or ask the user
//!    yes -> validator.validate -> hooks: pre -> tool -> post -> result to the model
//!           guard.tool_result, validator.tool_result
//! ```
//!
//! * [`Guard`]: the model answered without a tool, with nothing, or with a call that cannot be
//!   read. One a conversation.
//! * [`Validator`]: this request needs this tool. One for all conversations.
//! * [`Hooks`]: around one call. One for all.
//! * [`ToolLoop`]: all of these and a parser, joined. One a conversation.
//!
//! All are plain values. What can fail, fails when it is built ([`PolicyError::InvalidConfig`]) or when
//! it is asked with an argument that was not offered ([`PolicyError::InvalidArgument`]); a model's text
//! never is an error.
//!
//! # Configuration
//!
//! Each is configured by one JSON object, from a file or `serde_json::json!`: `from_json` has the
//! keys. What is absent keeps its default. An unknown key is an error, and every error says where:
//! `config.patterns[1].tools[0]: …`.
//!
//! Every text for the model or the user has a default and may be replaced, one by one. In it,
//! `{name}` stands for a value: each is replaced once, and what a value holds is never looked at
//! again. A name that the text does not know, and every other brace, stays as it is.

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
