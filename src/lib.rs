//! toolstream reads the output of a language model while it streams, and returns visible text, reasoning and
//! tool calls as typed events.
//!
//! Models write tool calls as text, between markers of a *dialect*. Every cut of the stream gives the same events. The
//! crate has no I/O, no runtime, no regular expressions in the parser, and no `unsafe`.
//!
#![cfg_attr(
    feature = "json",
    doc = "```
use toolstream::{Dialect, Event, Param, Parser, Tool};

let tool = Tool::new(\"read_file\").param(Param::required(\"path\"));
let mut reply = Parser::builder(Dialect::CLINE).tool(tool).build()?.reply();
let mut screen = String::new();
// The first chunk ends inside a tag, the second inside its closer.
for chunk in [\"Is a < b? I look.\\n<read_f\", \"ile><path>src/lib.rs</pa\", \"th></read_file>\"] {
    for event in reply.feed(chunk) {
        if let Event::TextContent(text) = event { screen.push_str(text) }
    }
}
reply.finish().for_each(drop); // after a lost connection: `finish_cut`
let call = reply.message().calls().next().expect(\"a call that may run\");
assert_eq!((&*screen, call.name()), (\"Is a < b? I look.\\n\", \"read_file\"));
assert_eq!(call.input()[\"path\"], \"src/lib.rs\");
# Ok::<(), toolstream::BuildError>(())
```"
)]
//!
//! # Which part for which program
//!
//! | your program | use | feature |
//! |---|---|---|
//! | an agent | `policy::ToolLoop`, over a [`Parser`] or a `native::Reader`; with a loop of your own `Reply` | `policy`; `json` |
//! | a screen that shows an answer as it arrives | `Reply`: its events, and its message with the open call | `json` |
//! | a gateway | `native::Reader` with `text_calls` in, `adapt::EventWriter` out, `Tool::from_request` and `Parser::render_chat` for the request | `json` |
//! | a batch over stored answers | `Parser::parse`; without Rust the command line | `json`; `cli` |
//! | logs and figures | `Message`: its calls, the reasons of refused ones, its diagnostics | `json` |
//! | an inference server | [`Parser::feed_into`] and a [`Sink`]: no allocation | |
//!
#![cfg_attr(
    feature = "policy",
    doc = "# Cookbook

* [A gateway for Codex and Claude Code](cookbook::gateway)
* [Calls that leaked into a text](cookbook::leaked_text)
* [Coming from a parser of whole texts](cookbook::whole_texts)
* [Prompts, and corrections for the model](cookbook::telling_the_model)
* [Which text becomes a call](cookbook::what_becomes_a_call)
"
)]
//! A dialect of your own is a call with holes, written as JSON: the page [`shapes`].
//!
//! # Options that bite
//!
//! * **`tool_limit`**: a message may hold one call by default. The opener of a second call raises [`ToolLimitReached`],
//!   and no event has a part of that call. For parallel calls set `None`.
//! * **[`finish`](Parser::finish) or [`finish_cut`](Parser::finish_cut)**: the first says that the model ended its message, the
//!   second that the stream was cut. Then no call is complete that only the end would confirm.
//! * **[`Recoveries`](options::Recoveries)**: by default a call with a forgotten closer is repaired and reported.
//! * **Declared tools**: some dialects (`cline`, `bare-json`) know a call by the names of declared tools alone.
//!
//! [`Options`](options::Options) has a table of all options with their defaults.
//!
//! # Laws
//!
//! Every dialect obeys the [laws]: every cut of the stream gives the same events, no byte is lost, an event is never
//! taken back, and no text of a model causes an error or a panic. Each law has a test that can fail.
//!
//! # Features
//!
//! * `json` (default): `Tool::from_json`, `Options::from_json`, `Dialect::from_json`, `Message`, `Reply`, `native`,
//!   `repair`, `check::hold`; needs `serde_json` and `serde_path_to_error`.
//! * `preserve_order` (default, in `cli`): tools, arguments and prompts keep their order. It enables
//!   `serde_json/preserve_order` for the whole program. Without it they have the order of a `serde_json::Map`.
//! * `serde` (in `json`): events, their parts, and `Message` are `Serialize`, as the command line prints them;
//!   with `json` messages and dialects can be read back.
//! * `stream`: adapters for `futures_core::Stream`; needs `futures-core` and `pin-project-lite`.
//! * `policy`: guard, validator, hooks and `ToolLoop`; needs `regex`. With it `tracing` (events of the policy) and
//!   `jsonschema` (all of JSON Schema).
//! * `schemars`: `Tool::of`, a tool from a Rust type; needs `schemars` 1.
//! * `check`: `check::Vector`, test vectors as code.
//! * `cli`: the command `toolstream`.
//!
//! Without features the crate needs `memchr`, `smallvec`, `bytes` and `thiserror`.

#![forbid(unsafe_code)]
#![deny(missing_docs)]
// On docs.rs, which is built with nightly: each item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

// The tests in `tests/` and the tests in here share code that names the crate.
#[cfg(test)]
extern crate self as toolstream;

#[cfg(feature = "json")]
pub mod adapt;
#[cfg(feature = "json")]
pub mod check;
mod dialect;
mod error;
mod event;
mod family;
mod glob;
#[cfg(feature = "json")]
pub mod grammar;
mod json;
mod limit;
mod marker;
#[cfg(feature = "json")]
mod message;
pub mod model;
#[cfg(feature = "json")]
pub mod native;
mod next_call;
#[cfg(feature = "json")]
mod objects;
pub mod options;
mod parser;
#[cfg(feature = "policy")]
pub mod policy;
#[cfg(feature = "json")]
mod provider;
mod read;
#[cfg(feature = "serde")]
mod serialize;
mod sink;
pub mod sse;
/// Programs, each on a page of its own.
#[cfg(feature = "policy")]
pub mod cookbook {
    #[doc = include_str!("../docs/gateway.md")]
    pub mod gateway {}
    #[doc = include_str!("../docs/leaked-text.md")]
    pub mod leaked_text {}
    #[doc = include_str!("../docs/telling-the-model.md")]
    pub mod telling_the_model {}
    #[doc = include_str!("../docs/what-becomes-a-call.md")]
    pub mod what_becomes_a_call {}
    #[doc = include_str!("../docs/whole-texts.md")]
    pub mod whole_texts {}
}
#[doc = include_str!("laws.md")]
pub mod laws {}
#[cfg_attr(feature = "json", doc = include_str!("dialect/shapes.md"))]
#[cfg_attr(
    not(feature = "json"),
    doc = "Shapes are written as JSON, which needs the feature `json`."
)]
pub mod shapes {}
mod tool;
mod write;

pub use dialect::Dialect;
pub use error::BuildError;
pub use event::{Event, Status, ToolLimitReached, ToolUse};
#[cfg(feature = "json")]
pub use json::repair;
#[cfg(feature = "json")]
pub use message::reply::Reply;
#[cfg(feature = "json")]
pub use message::{Block, CompleteCall, Ending, IncompleteCall, Message, Prose};
#[cfg(feature = "json")]
pub use options::json::JsonError;
#[cfg(feature = "stream")]
pub use parser::stream;
pub use parser::{Parser, ParserBuilder};
pub use sink::Sink;
pub use tool::{Param, Tool};

/// Calls of a message: why one may not run, how one that still comes is read, and which may follow the last.
pub mod calls {
    #[cfg(feature = "json")]
    pub use crate::message::calls::{CallReader, ReadCall};
    #[cfg(feature = "json")]
    pub use crate::message::{
        ArgumentsProblem, IncompleteReason, PartialCall, RawParam, RefusedCall,
    };
    pub use crate::next_call::{CallLimit, NextCall};
}

/// Reports about the text of a model: a kind of one public enum, and an offset in bytes.
pub mod diagnostic {
    pub use crate::event::{Cause, Diagnostic, DiagnosticKind, OpaqueOf};
    pub use crate::marker::{Marker, Refused};
}

/// Iterators that [`Parser::feed`] and its relatives return, and their slices of text.
pub mod events {
    pub use crate::parser::tape::{Events, SharedEvents};
    pub use crate::parser::utf8_bytes::Utf8Bytes;
}

/// Reasoning without tools: a splitter for texts whose dialect has no calls.
pub mod reasoning {
    pub use crate::parser::splitter::ReasoningSplitter;
}

/// Calls and results that go back to the model, for [`Parser::render_call`] and [`Parser::render_results`].
#[cfg(feature = "json")]
pub mod render {
    pub use crate::write::{CallRef, RenderError, ToolResult, restore};
}

/// Types of parameters, and namespaces of tools, beside [`Tool`] and [`Param`].
pub mod tools {
    pub use crate::event::TypeHint;
    #[cfg(feature = "json")]
    pub use crate::tool::json::ForeignType;
    pub use crate::tool::{Namespace, Type};
}

/// The README's examples are tests.
#[cfg(all(doctest, feature = "json"))]
#[doc = include_str!("../README.md")]
struct Readme;
