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
//! # Pages
//!
//! The page [`shapes`] explains dialects of your own. The folder `docs` of the source has further pages, whose programs are
//! tests: `gateway.md`, `leaked-text.md` (calls in a text of unknown origin), `whole-texts.md`, `telling-the-model.md`
//! (prompts and corrections), and `what-becomes-a-call.md`. `tour.md` lists every part.
//!
//! # Options that bite
//!
//! * **`tool_limit`**: a message may hold one call by default. The opener of a second call raises [`ToolLimitReached`],
//!   and nothing of it is in any slice. For parallel calls set `None`.
//! * **[`finish`](Parser::finish) or [`finish_cut`](Parser::finish_cut)**: the first says that the model ended its message, the
//!   second that the stream was cut. Then no call is complete that only the end would confirm.
//! * **[`Recoveries`](options::Recoveries)**: by default a call with a forgotten closer is repaired and reported.
//! * **Declared tools**: some dialects (`cline`, `bare-json`) know a call by the names of declared tools alone.
//!
//! [`Options`](options::Options) has a table of all options with their defaults.
//!
//! # The parts
//!
//! * [`Parser`], built by a [`ParserBuilder`] from a [`Dialect`], [`Tool`]s and [`options`]. Three methods feed it:
//!   [`Parser::feed`] returns an iterator (`.await`, `?` and `break` work in the loop), and [`Parser::feed_into`] pushes
//!   into a [`Sink`] and allocates nothing. [`Parser::feed_shared`] takes `bytes::Bytes` and returns events that own
//!   shares of it.
//! * [`Event`], generic over its slice type.
#![cfg_attr(
    feature = "json",
    doc = "* [`Reply`], a parser and its message in one.
* [`Message`], the collector: blocks in order, arguments read by the tool's schema. Calls that may run ([`CompleteCall`])
  and calls that may not ([`IncompleteCall`]) are different types.
* [`native`], the native tool-call streams of providers as the same events and messages, with calls that a server left in
  its text.
* [`adapt`], sinks behind the parser: parameters as JSON and back, and answers in the protocols of clients.
* [`Parser::render_call`], [`Parser::render_history`], [`Parser::render_chat`]: calls, histories and requests as the dialect
  writes them.
* [`repair`], for JSON that is not quite JSON; [`check`], the laws and vectors as code."
)]
#![cfg_attr(
    feature = "stream",
    doc = "* [`stream`]: a stream of chunks in, a stream of events out."
)]
#![cfg_attr(
    feature = "policy",
    doc = "* [`policy`]: decisions of an agent around a turn, as values in and values out."
)]
//! * [`Parser::sanitize`], for finished answers.
//! * [`sse`]: server-sent events out of the bytes of a response.
//! * [`Dialect::for_model`], [`Dialect::detect`] and a router in [`model`]: the dialect of a model, or the provider's
//!   native tools.
//! * [`Dialect`] of your own: rename the markers of a built-in one, or show a call as JSON ([`shapes`]).
//!   [`Dialect::stop_sequences`] reads it.
//!
//! # The laws
//!
//! Every dialect obeys all of them, and each has a test that can fail.
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
//!    constants ([`bounds`](options::bounds)): less than 2 KiB, and 64 KiB of JSON arguments that come before their
//!    call's name. No allocation per event or chunk once warm.
//! 7. **Infallible.** `feed`, `finish` and `finish_cut` return no error and never panic on the output of a
//!    model. Errors are for configuration, including a shape of the host.
//! 8. **No leak.** Text that was classified as markup never appears in text, whole or in part. (Half an
//!    opener at the very end was not: it is text, and the message is truncated.)
//! 9. **Prose is safe.** A marker without the text that its grammar demands behind it is text, with
//!    everything after it and one closer of its own.
//! 10. **Values may contain markers.** A tag closes a value only if the grammar can go on after it.
//! 11. **Verbatim.** A value is the model's text, without the dialect's own framing.
//! 12. **One code path.** A whole text is parsed by one `feed` and one `finish`. After
//!     [`Parser::finish_cut`] nothing is complete that only the end of the stream would confirm.
//! 13. **Isolated.** A parser is a plain value; a clone in the middle of a stream is a snapshot.
//!
//! No parser can decide this: a value that quotes its own closer *followed by text that the grammar allows there*
//! (`</content></write_to_file>` inside a file) ends there. The first complete close wins.
//!
//! # Features
//!
//! * `json` (default): `Tool::from_json`, `Options::from_json`, `Dialect::from_json`, `Message`, `Reply`, `native`,
//!   `repair`, `check::hold`; needs `serde_json` and `serde_path_to_error`.
//! * `preserve_order` (default, in `cli`): tools, arguments and prompts keep their order, by `serde_json/preserve_order`, which
//!   counts for the whole program. Without it they have the order of a `serde_json::Map`.
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
