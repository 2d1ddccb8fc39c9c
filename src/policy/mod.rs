//! What an agent does around a turn, as values in and decisions out: no clock, no I/O, no async.
//!
//! ```text
//! message parsed -> has complete calls?
//!    no  -> does this turn need a tool? (validator.infer, or the host)   no -> accept the text
//!           guard.turn / validator.validate -> retry with a correction, or ask the user
//!    yes -> validator.validate -> hooks: pre -> tool -> post -> result to the model
//!           guard.tool_result, validator.tool_success / tool_failure
//! ```
//!
//! * [`guard`]: the model answered without a tool, with nothing, or with a call that cannot be
//!   read. One [`Guard`] a conversation.
//! * [`validator`]: this request needs this tool. One [`Validator`] for all conversations.
//! * [`hooks`]: around one call. One [`Hooks`] for all.
//! * [`tool_loop`]: all of these and a parser, joined. One [`ToolLoop`] a conversation.
//!
//! Guard and validator speak the same words: a [`Decision`], in it a [`Correction`] for the model or a
//! [`Question`] to the user. Each is built from a configuration: a plain struct, which serde reads too
//! (`from_json`; a key that there is none of is an error).
//!
//! All are plain values. What can fail, fails when it is built ([`PolicyError`], code
//! `invalid_config`) or when it is asked with an argument that was not offered
//! (`invalid_argument`); a model's text never is an error.
//!
//! # Texts
//!
//! Every text for the model or the user has a default and may be replaced, one by one. In it,
//! `{name}` stands for a value: each is replaced once, and what a value holds is never looked at
//! again. A name that the text does not know, and every other brace, stays as it is.

mod config;
mod decision;
pub mod guard;
pub mod hooks;
mod recent;
mod texts;
pub mod tool_loop;
pub mod validator;

pub use config::PolicyError;
#[cfg(feature = "check")]
pub(crate) use config::read;
pub use decision::{Choice, Correction, Decision, Question, Reason};
pub use guard::Guard;
pub use hooks::Hooks;
pub use tool_loop::ToolLoop;
pub use validator::Validator;
