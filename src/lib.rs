//! Model text in, typed events out: visible text, reasoning and tool calls, while the stream runs.
//!
//! Language models without native tool support write their calls as text, between markers of one
//! dialect or another. An agent, gateway or proxy needs them apart from the prose, chunk by chunk,
//! and the same for every way the stream is cut. That is all this crate does: no I/O, no runtime,
//! no regular expressions, no `unsafe`.
//!
//! ```
//! use toolstream::{Dialect, Event, Param, Parser, Tool, ToolUse};
//!
//! let mut parser = Parser::builder(Dialect::CLINE)
//!     .tool(Tool::new("read_file").param(Param::required("path")))
//!     .build()?;
//!
//! // The first chunk ends inside a tag, the second inside its closer.
//! let mut screen = String::new();
//! for chunk in ["Is a < b? I look.\n<read_f", "ile><path>src/lib.rs</pa", "th></read_file>"] {
//!     for event in parser.feed(chunk) {
//!         match event {
//!             Event::TextContent(text) => screen.push_str(text),
//!             Event::ToolUse(ToolUse::Start { name, .. }) => screen.push_str(&format!("[{name}]")),
//!             Event::ToolUse(ToolUse::ParamDelta(value)) => screen.push_str(value),
//!             _ => {}
//!         }
//!     }
//! }
//! // The model ended its message. One that was cut (connection lost, finish reason `length`) ends
//! // with `parser.finish_cut()`.
//! for event in parser.finish() {
//!     assert!(!matches!(event, Event::Markup(_)), "nothing was left open");
//! }
//! assert_eq!(screen, "Is a < b? I look.\n[read_file]src/lib.rs");
//! # Ok::<(), toolstream::BuildError>(())
//! ```
//!
//! # Which part for whom
//!
//! | you build | take | feature |
//! |---|---|---|
//! | an agent | `policy::ToolLoop`, over a [`Parser`] or a `native::Reader`; with a loop of your own `Reply` | `policy`; `json` |
//! | a screen that shows an answer while it comes | `Reply`: its events, and its message with what is still open | `json` |
//! | a gateway that clients speak to | `native::Reader` with `text_calls` in, `adapt::EventWriter` out, `Tool::from_request` and `Parser::render_chat` for the request | `json` |
//! | a batch over stored answers | `Parser::parse`; without Rust the command line | `json`; `cli` |
//! | logs and figures | `Message`: its calls, why one may not run, its diagnostics | `json` |
//! | a server's engine | [`Parser::feed_into`] and a [`Sink`]: no allocation, no feature | |
//!
//! # The laws
//!
//! Each has a test that can fail, and every dialect obeys all of them.
//!
//! 1. **Split.** However the same bytes are cut (also inside a character, through
//!    [`Parser::feed_bytes`]), the events are equal once neighbouring slices of a kind are joined.
//! 2. **Conservation.** The slices in `TextContent`, `Reasoning`, `ParamDelta`, `ArgumentsDelta`
//!    and `Markup`, joined in order, are the input, byte for byte, up to [`Parser::position`]. All
//!    other events are zero-width.
//! 3. **Shape.** Every call that starts ends exactly once, its parameters too, also at the end of
//!    the stream and at the limit. A call that did not close is incomplete, which is another type.
//! 4. **Append-only.** An event that went out is never taken back. A name is sent once, whole.
//! 5. **Prompt.** A byte that can no longer be part of a marker that counts here leaves in the same
//!    feed. `a < b` is not held back.
//! 6. **Bounded.** Time is linear for every input and every chunk size. Held bytes are bounded by
//!    constants ([`bounds`]): less than 2 KiB, and 64 KiB of JSON arguments that come before their
//!    call's name. No allocation per event or chunk once warm.
//! 7. **Infallible.** `feed`, `finish` and `finish_cut` return no error and never panic on what a model
//!    writes. Errors are for configuration, a table of the host's own included.
//! 8. **No leak.** What was classified as markup never appears in text, whole or in part. (Half an
//!    opener at the very end was not: it is text, and the message is truncated.)
//! 9. **Prose is safe.** A marker that is not followed by what its grammar demands is text, with
//!    everything after it and one closer of its own.
//! 10. **Values may contain markers.** A tag closes a value only if the grammar can go on after it.
//! 11. **Verbatim.** A value is what the model wrote, less the dialect's own framing.
//! 12. **One code path.** A whole text is parsed by one `feed` and one `finish`. After
//!     [`Parser::finish_cut`] nothing is complete that only the end of the stream would confirm.
//! 13. **Isolated.** A parser is a plain value; a clone in the middle of a stream is a snapshot.
//!
//! What no parser can decide: a value that quotes its own closer *followed by what the grammar
//! allows there* (`</content></write_to_file>` inside a file) ends there. The first complete close
//! wins.
//!
//! # The parts
//!
//! * [`Parser`], built by a [`ParserBuilder`] from a [`Dialect`], [`Tool`]s and [`Options`]. Two ways into
//!   one machine: [`Parser::feed`] gives an iterator that replays a tape (`.await`, `?` and `break`
//!   work in the loop), [`Parser::feed_into`] pushes into a [`Sink`] and allocates nothing.
//!   [`Parser::feed_shared`] takes `bytes::Bytes` and gives events that own shares of it.
//! * [`Event`], generic over its slice type.
#![cfg_attr(
    feature = "json",
    doc = "* [`Message`], the collector: blocks in order, arguments read by the tool's schema, calls that
  may run ([`CompleteCall`]) and calls that may not ([`IncompleteCall`]) as different types.
* [`adapt`]: parameters to JSON arguments and back, and answers in the protocols of clients, as sinks.
* [`Reply`], a parser and its message in one.
* [`native`], the providers' own tool-call streams as the same events and messages, and calls that a
  server leaves in the text of its stream.
* [`Parser::render_call`], a call as the dialect writes it, read back before it is handed out;
  [`Parser::render_history`], a client's history.
* [`repair`], for JSON that is not quite JSON; [`check`], the laws and vectors as code."
)]
#![cfg_attr(
    feature = "stream",
    doc = "* [`stream`]: a stream of chunks in, a stream of events out."
)]
#![cfg_attr(
    feature = "policy",
    doc = "* [`policy`]: what an agent does around a turn, as values in and decisions out."
)]
//! * The tool limit: by default one call per message; the second one's opener raises
//!   [`ToolLimitReached`], and nothing of it is in any slice.
//! * [`Parser::sanitize`], for finished answers.
//! * [`sse`]: the events of a provider's response, out of its bytes.
//! * [`Dialect::for_model`], [`Dialect::detect`] and a [`Router`]: which grammar for which model, or
//!   the provider's native tools.
//! * [`DialectSpec`], what a dialect is made of: rename its markers, or bring a table of your own as JSON
//!   ([`tables`]). How each dialect is written is part of it: [`Dialect::stop_sequences`] reads it, with
//!   the feature `json` also `render_call`, `render_results` and `system_prompt`.
//!
//! # Options and their defaults
//!
//! See [`Options`]. The defaults suit an agent that runs one tool per message.
//!
//! # Features
//!
//! * `json` (default): `Tool::from_json`, `Options::from_json`, `DialectSpec::from_json`, `Message`,
//!   `Reply`, `native`, `repair`, `check::hold`; needs `serde_json` and `serde_path_to_error`.
//! * `preserve_order` (default, in `cli`): tools, arguments and prompts in the order in which they were written, by
//!   `serde_json/preserve_order`, which counts for the whole program; without it in that of a `serde_json::Map`.
//! * `serde` (in `json`): events, their parts and `Message` are `Serialize`, as the command line
//!   prints them, and a `DialectSpec` is; with `json` both can be read back. Without it a host can
//!   rename a dialect, but has no way to write a table of its own.
//! * `stream`: adapters for `futures_core::Stream`; needs `futures-core` and `pin-project-lite`.
//! * `policy`: guard, validator and hooks around a turn; needs `regex`. With it `tracing`, to say
//!   when it corrects and when it asks, and `jsonschema`, a checker for all of JSON Schema.
//! * `schemars`: `Tool::of`, a tool from a Rust type; needs `schemars` 1.
//! * `check`: `check::Vector`, test vectors as code.
//! * `cli`: the command `toolstream`.
//!
//! Without features the crate needs `memchr`, `smallvec`, `bytes` and `thiserror`.

#![forbid(unsafe_code)]
#![deny(missing_docs)]
// On docs.rs, which is built with nightly: each item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

// What the tests in `tests/` and those in here share speaks of the crate by its name.
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
mod grammar;
mod json;
mod limit;
mod machine;
mod marker;
#[cfg(feature = "json")]
mod message;
mod model;
#[cfg(feature = "json")]
pub mod native;
mod next_call;
#[cfg(feature = "serde")]
mod objects;
mod options;
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
#[cfg_attr(feature = "json", doc = include_str!("dialect/tables.md"))]
#[cfg_attr(
    not(feature = "json"),
    doc = "Tables are written as JSON, which needs the feature `json`."
)]
pub mod tables {}
mod tool;
mod write;

#[cfg(feature = "json")]
pub use dialect::RuleText;
use dialect::build::pattern;
pub use dialect::{Dialect, DialectSpec};
pub use error::{BuildError, UnknownName};
pub use event::{
    Cause, Diagnostic, DiagnosticKind, Event, OpaqueOf, Status, ToolLimitReached, ToolUse, TypeHint,
};
#[cfg(feature = "json")]
pub use grammar::{CallGrammar, Format, GrammarError, ToolChoice};
#[cfg(feature = "json")]
use json::coerce;
#[cfg(feature = "json")]
pub use json::repair;
pub use marker::{Marker, Refused};
#[cfg(feature = "json")]
pub use message::calls::{CallReader, ReadCall};
#[cfg(feature = "json")]
pub use message::reply::Reply;
#[cfg(feature = "json")]
pub use message::{
    ArgumentsProblem, Block, CompleteCall, Ending, IncompleteCall, IncompleteReason, Message,
    PartialCall, Prose, RawParam, RefusedCall,
};
pub use model::{ModelMatch, Route, Router, ToolFormat};
pub use next_call::{CallLimit, NextCall};
#[cfg(feature = "json")]
pub use options::json::JsonError;
#[cfg(feature = "json")]
pub use options::{Attachments, HostedCalls, LateSystem, Results, Types, UnwritableCalls};
pub use options::{
    CallsInReasoning, Fences, LimitOn, Options, ReasoningTags, Recoveries, Required, Start,
    TextAtCalls, ValueWhitespace, bounds,
};
pub use parser::splitter::ReasoningSplitter;
#[cfg(feature = "stream")]
pub use parser::stream;
pub use parser::tape::{Events, SharedEvents};
pub use parser::utf8_bytes::Utf8Bytes;
pub use parser::{Parser, ParserBuilder};
pub use sink::Sink;
#[cfg(feature = "json")]
pub use tool::json::ForeignType;
pub use tool::{Namespace, Param, Tool, Type};
#[cfg(feature = "json")]
pub use write::{CallRef, RenderError, ToolResult, restore};

/// The README's examples are tests.
#[cfg(all(doctest, feature = "json"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The pages' examples are tests.
#[cfg(all(doctest, feature = "policy"))]
mod pages {
    #[doc = include_str!("../docs/gateway.md")]
    struct Gateway;
    #[doc = include_str!("../docs/leaked-text.md")]
    struct LeakedText;
    #[doc = include_str!("../docs/telling-the-model.md")]
    struct TellingTheModel;
    #[doc = include_str!("../docs/what-becomes-a-call.md")]
    struct WhatBecomesACall;
    #[doc = include_str!("../docs/whole-texts.md")]
    struct WholeTexts;
}
