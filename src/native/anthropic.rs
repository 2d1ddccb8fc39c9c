//! Anthropic's Messages stream: content blocks that start, grow and stop.
//!
//! ```text
//! content_block_start {index, content_block: {type: text | thinking | tool_use | …}}
//! content_block_delta {index, delta: {type: text_delta | thinking_delta | input_json_delta | …}}
//! content_block_stop  {index}
//! message_delta       {delta: {stop_reason}}
//! ```
//! Blocks of other types are the provider's own (its searches and their results, encrypted thoughts). They
//! are neither text nor calls, but they go back, so each is an opaque item.
//!
//! A response without a stream is a `message` whose `content` has whole blocks.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::assembler::{CallIndex, Output, Word};
use super::call::Closing;
use super::wire;
use crate::event::OpaqueOf;

#[derive(Clone, Debug, Default)]
pub(super) struct Anthropic {
    blocks: HashMap<i64, StreamBlock>,
    /// The block that was spoken of last.
    last: i64,
}

#[derive(Clone, Debug)]
enum StreamBlock {
    Text,
    Thinking {
        /// Comes after the thoughts; without it they may not go back.
        signature: String,
    },
    Tool(StreamTool),
    Own {
        /// The block, as it started.
        block: Value,
        /// The fragments of its `input`.
        input: String,
    },
}

#[derive(Clone, Debug)]
struct StreamTool {
    call_index: CallIndex,
    /// The input in the start: the arguments, unless fragments come.
    input: Option<String>,
}

impl Anthropic {
    pub fn event(&mut self, event: &Value, out: &mut Output<'_>) {
        let of = |key: &str| event.get(key).unwrap_or(&Value::Null);
        match wire::filled(event, "type") {
            Some("content_block_start") => self.start(event, of("content_block"), out),
            Some("content_block_delta") => self.delta(event, of("delta"), out),
            Some("content_block_stop") => {
                let index = self.index(event);
                self.stop(index, out);
            }
            Some("message_delta") => stop_reason(of("delta"), out),
            Some("message") => {
                for (index, block) in (0..).zip(wire::list(event, "content")) {
                    self.begin(index, block, true, out);
                    self.stop(index, out);
                }
                stop_reason(event, out);
            }
            _ => {}
        }
    }

    /// Whether the event may be of this provider, by its type. Unknown types may be new.
    pub fn is_own(event: &Value) -> bool {
        wire::filled(event, "type").is_some_and(|of| !of.starts_with("response."))
            && event.get("choices").is_none()
    }

    /// Ends the stream. A block that never stopped is whole, if the message is.
    pub fn finish(&mut self, out: &mut Output<'_>) {
        if !out.state.is_cut() {
            let mut open: Vec<i64> = self.blocks.keys().copied().collect();
            open.sort_unstable();
            open.into_iter().for_each(|index| self.complete(index, out));
        }
    }

    fn index(&mut self, event: &Value) -> i64 {
        self.last = wire::number(event, "index").unwrap_or(self.last);
        self.last
    }

    fn start(&mut self, event: &Value, block: &Value, out: &mut Output<'_>) {
        let index = self.index(event);
        // A block that was here before has ended, even without an event for it.
        self.stop(index, out);
        self.begin(index, block, false, out);
    }

    /// Begins a block. `whole`: no deltas follow, so an input of `{}` is the arguments. In a stream it is only a
    /// placeholder.
    fn begin(&mut self, index: i64, block: &Value, whole: bool, out: &mut Output<'_>) {
        let started = match wire::filled(block, "type") {
            Some("text") => {
                out.text(wire::text(block, "text").unwrap_or_default());
                StreamBlock::Text
            }
            Some("thinking") => {
                out.reasoning(wire::text(block, "thinking").unwrap_or_default());
                let signature = wire::text(block, "signature").unwrap_or_default().to_string();
                StreamBlock::Thinking { signature }
            }
            Some("tool_use") => {
                let call_index = out.begin(wire::filled(block, "id"));
                if let Some(name) = wire::filled(block, "name") {
                    out.name(call_index, name);
                }
                let input = wire::arguments(block, "input").map(|input| input.into_owned());
                let says = |input: &String| match input.trim() {
                    "" => false,
                    "{}" => whole,
                    _ => true,
                };
                StreamBlock::Tool(StreamTool { call_index, input: input.filter(says) })
            }
            _ => StreamBlock::Own { block: block.clone(), input: String::new() },
        };
        self.blocks.insert(index, started);
    }

    fn delta(&mut self, event: &Value, delta: &Value, out: &mut Output<'_>) {
        let index = self.index(event);
        match (self.blocks.get_mut(&index), wire::filled(delta, "type")) {
            (Some(StreamBlock::Own { input, .. }), Some("input_json_delta")) => {
                input.push_str(&wire::arguments(delta, "partial_json").unwrap_or_default());
            }
            (Some(StreamBlock::Own { .. }), _) => {}
            (Some(StreamBlock::Thinking { signature }), Some("signature_delta")) => {
                signature.push_str(wire::text(delta, "signature").unwrap_or_default());
            }
            (_, Some(kind)) => self.piece(index, kind, delta, out),
            (_, None) => {}
        }
    }

    /// A piece of text, of thoughts, or of a call's arguments.
    fn piece(&mut self, index: i64, kind: &str, delta: &Value, out: &mut Output<'_>) {
        match kind {
            "text_delta" => out.text(wire::text(delta, "text").unwrap_or_default()),
            "thinking_delta" => {
                out.reasoning(wire::text(delta, "thinking").unwrap_or_default());
            }
            "input_json_delta" => {
                let fragment = wire::arguments(delta, "partial_json").unwrap_or_default();
                if fragment.is_empty() {
                    return;
                }
                // The block's start may have been lost: then it is a call without a name.
                let lost =
                    || StreamBlock::Tool(StreamTool { call_index: out.begin(None), input: None });
                if let StreamBlock::Tool(tool) = self.blocks.entry(index).or_insert_with(lost) {
                    tool.input = None;
                    out.fragment(tool.call_index, &fragment);
                }
            }
            _ => {}
        }
    }

    fn stop(&mut self, index: i64, out: &mut Output<'_>) {
        self.complete(index, out);
        if let Some(StreamBlock::Tool(tool)) = self.blocks.get(&index) {
            out.close(tool.call_index, Closing::Final);
        }
    }

    /// Emits the events of a whole block, once.
    fn complete(&mut self, index: i64, out: &mut Output<'_>) {
        match self.blocks.get_mut(&index) {
            Some(StreamBlock::Tool(tool)) => {
                if let Some(input) = tool.input.take() {
                    out.fragment(tool.call_index, &input);
                }
            }
            Some(StreamBlock::Thinking { signature }) if !signature.is_empty() => {
                let signature = std::mem::take(signature);
                out.opaque(OpaqueOf::Reasoning, &json!({"signature": signature}));
            }
            Some(StreamBlock::Own { block, input }) if block.is_object() => {
                let mut block = block.take();
                if let Ok(input) = serde_json::from_str::<Value>(input) {
                    block["input"] = input;
                }
                out.opaque(OpaqueOf::Item, &block);
            }
            _ => {}
        }
    }
}

fn stop_reason(of: &Value, out: &mut Output<'_>) {
    if let Some(reason) = wire::filled(of, "stop_reason") {
        let cut = matches!(reason, "max_tokens" | "model_context_window_exceeded");
        out.set_end(if cut { Word::Cut } else { Word::Normal });
    }
}
