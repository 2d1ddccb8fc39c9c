//! placeholder
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod bytes;
#[cfg(feature = "json")]
pub mod check;
#[cfg(feature = "json")]
mod coerce;
mod dialect;
mod error;
mod event;
#[cfg(feature = "json")]
mod from_json;
mod limit;
mod lines;
mod machine;
#[cfg(feature = "json")]
mod message;
mod names;
mod options;
mod parser;
#[cfg(feature = "json")]
pub mod repair;
mod sanitize;
mod sink;
mod tables;
mod tape;
mod tool;
mod utf8;

pub use crate::bytes::Utf8Bytes;
pub use dialect::Dialect;
pub use error::{BuildError, UnknownDialect};
pub use event::{
    Cause, Diagnostic, DiagnosticKind, Event, Status, ToolLimitReached, ToolUse, TypeHint,
};
#[cfg(feature = "json")]
pub use from_json::JsonError;
#[cfg(feature = "json")]
pub use message::{Block, CompleteCall, Finish, IncompleteCall, Message, Prose, RawParam};
pub use options::{CallsInReasoning, Fences, LimitOn, Options, Start, ValueWhitespace, bounds};
pub use parser::{Builder, Parser};
pub use sink::Sink;
pub use tape::{Events, SharedEvents};
pub use tool::{Param, Tool, Type};
