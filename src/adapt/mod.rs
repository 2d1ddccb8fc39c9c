//! Adapters: sinks that turn events of one kind into events of another, while the stream runs (feature `json`).
//!
//! Tag dialects have parameters, JSON dialects have arguments. An adapter turns either into the other:
//!
//! | adapter | in | out |
//! |---|---|---|
//! | [`ParamsToJson`] | `ParamStart`, `ParamDelta`, `ParamEnd` | `ArgumentsDelta`: fragments of one JSON object |
//! | [`JsonToParams`] | `ArgumentsDelta` | `ParamStart`, `ParamDelta`, `ParamEnd` for each member, decoded |
//! | [`EventWriter`] | all events | an answer in the client's protocol: chat completions, Responses, Messages |
//! | [`Deltas`] | all events | the parts of such an answer, borrowed, for another protocol |
//!
//! The last two have options for calls that may not run ([`Broken`]) and for when calls leave ([`Calls`], [`OnCut`]).
//! [`EventWriter`] writes whole answers as well, also of a whole [`Message`](crate::Message).
//!
//! Each adapter is a [`Sink`](crate::Sink) with a memory, so it lives outside the stream loop. Feed it with
//! `parser.feed_into(chunk, &mut adapter)`, or with `adapter.push(event)` in the loop over `parser.feed(chunk)`. One
//! adapter reads one message. A clone in the middle of a stream is a snapshot.
//!
//! Adapters keep the laws of the crate, with one exception: a fragment is no slice of the input, so behind an adapter
//! the slices do not tile it (conservation). `Event::slice` and `Message::position` measure slices: a
//! [`Message`](crate::Message) whose ranges matter stands before the adapter. Events are the same for every cut,
//! nothing is taken back, nothing panics, and held bytes are bounded.
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
//!
//! # A gateway
//!
//! A client speaks one protocol, and the model writes its calls as text. This is the part between them without HTTP
//! (the example `gateway` adds it, for three protocols).
//!
//! ```
//! use serde_json::{Value, json};
//! use toolstream::adapt::{EventWriter, Protocol};
//! use toolstream::{Dialect, Parser, Tool};
//!
//! /// What the model is asked, and who reads its answer.
//! fn ask(request: &Value) -> Result<(Value, Parser, EventWriter), Box<dyn std::error::Error>> {
//!     // Tools that the client's provider would run do not run here.
//!     let (tools, left_out) = Tool::from_request(&request["tools"])?;
//!     left_out.iter().for_each(|tool| eprintln!("note: {tool} is left out"));
//!     // A client runs as many calls as it gets; a parser's own limit is one.
//!     let parser = Parser::builder(Dialect::HERMES).tools(tools).tool_limit(None).build()?;
//!     let input = request["input"].as_array().map_or(&[][..], |items| items);
//!     let messages = parser.render_chat(&request["instructions"], input)?;
//!     let asked = json!({"messages": messages, "stop": parser.stop_sequences()});
//!     let writer = EventWriter::new(Protocol::OpenAiResponses, &parser, "resp_1", "local");
//!     Ok((asked, parser, writer.whole(request["stream"] != true)))
//! }
//!
//! let request = json!({"stream": true, "tools": [{"type": "custom", "name": "apply_patch"}, {"type": "web_search"}],
//!     "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Mend it."}]}]});
//! let (asked, mut parser, mut writer) = ask(&request)?;
//! assert_eq!(asked["messages"].as_array().unwrap().len(), 2);
//!
//! let mut sent = Vec::new();
//! for chunk in ["<tool_c", r#"all>{"name": "apply_patch", "arguments": {"input": "*** Begin"}}</tool_call>"#] {
//!     parser.feed_into(chunk, &mut writer);
//!     sent.extend(writer.take()); // to the client, as `writer.content_type()`
//! }
//! parser.finish_into(&mut writer); // `finish_cut_into`, if the model's server broke off
//! writer.finish();
//! sent.extend(writer.take());
//! assert!(String::from_utf8(sent)?.contains(r#""type":"custom_tool_call""#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! If the model's server cannot be reached at all, the answer is an HTTP status with the protocol's error as its
//! body: [`EventWriter::fail`] of a [whole](EventWriter::whole) writer returns that. Once a stream has begun its
//! status is sent, and `fail` ends it with the protocol's event for errors.

mod calls;
mod delta;
mod fragments;
mod json_to_params;
mod params_to_json;
mod reasoning_key;
pub(crate) mod text;
mod valid;
mod writer;

pub use calls::{Broken, BrokenCall, Calls, OnCut};
pub use delta::{Delta, Deltas};
pub use json_to_params::JsonToParams;
pub use params_to_json::ParamsToJson;
pub use reasoning_key::ReasoningKey;
pub use writer::{EventWriter, Protocol};

/// The most bytes of values that [`ParamsToJson`] and [`Deltas`] hold by default. A call that would need
/// more is broken.
const HELD: usize = 1 << 20;
