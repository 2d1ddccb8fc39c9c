//! Adapters: events of one kind into events of another, while the stream runs (feature `json`).
//!
//! Tag dialects speak parameters, JSON dialects speak arguments. A host that wants the one and gets
//! the other puts an adapter between:
//!
//! | adapter | in | out |
//! |---|---|---|
//! | [`ParamsToJson`] | `ParamStart`, `ParamDelta`, `ParamEnd` | `ArgumentsDelta`: fragments of one JSON object |
//! | [`JsonToParams`] | `ArgumentsDelta` | `ParamStart`, `ParamDelta`, `ParamEnd` for each member, decoded |
//! | [`EventWriter`] | all events | an answer in the client's protocol: chat completions, Responses, Messages |
//! | [`Deltas`] | all events | what such an answer says, borrowed, for another protocol |
//! | [`openai::DeltaWriter`] | all events | `delta` objects of OpenAI's chat stream, as `Value`s |
//!
//! [`EventWriter`] writes whole answers as well, and [`openai::completion`] one of a whole
//! [`Message`](crate::Message).
//!
//! Each is a [`Sink`](crate::Sink) with a memory, so it lives outside the stream loop and is fed
//! either way: `parser.feed_into(chunk, &mut adapter)`, or `adapter.push(event)` in the loop
//! over `parser.feed(chunk)`. One adapter reads one message. A clone in the middle of a
//! stream is a snapshot.
//!
//! They keep the laws of the crate, but for one: a fragment is no slice of the input, so after
//! an adapter the slices do not tile it (conservation). That is what `Event::slice` and
//! `Message::position` measure: a [`Message`](crate::Message) whose ranges matter stands before the
//! adapter, not after it. Events are the same for every cut, nothing is taken back, nothing
//! panics, and what is held is bounded.
//!
//! ```
//! use toolstream::adapt::ParamsToJson;
//! use toolstream::{Dialect, Event, Parser, Tool, ToolUse};
//!
//! let mut parser = Parser::builder(Dialect::CODE_ASSISTANT).tool(Tool::new("say")).build()?;
//! let mut json = ParamsToJson::new(&parser, |event: Event<&str>| {
//!     if let Event::ToolUse(ToolUse::ArgumentsDelta(fragment)) = event {
//!         print!("{fragment}"); // {"text":"Good \"morning\""}
//!     }
//! });
//! for chunk in ["<tool:say><param:text>Good \"mor", "ning\"</par", "am:text></tool:say>"] {
//!     parser.feed_into(chunk, &mut json);
//! }
//! parser.finish_into(&mut json);
//! # Ok::<(), toolstream::BuildError>(())
//! ```

mod delta;
mod fragments;
mod json_to_params;
pub mod openai;
mod params_to_json;
pub(crate) mod text;
mod valid;
mod writer;

pub use delta::{Delta, Deltas};
pub use json_to_params::JsonToParams;
pub use params_to_json::ParamsToJson;
pub use writer::{EventWriter, Protocol};

/// How many bytes of values [`ParamsToJson`] and [`openai::DeltaWriter`] hold at most, unless the host
/// says otherwise. A call that would need more is broken.
const HELD: usize = 1 << 20;
