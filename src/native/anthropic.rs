//! Anthropic's Messages stream: content blocks that start, grow and stop.
//!
//! ```text
//! content_block_start {index, content_block: {type: text | thinking | tool_use | …}}
//! content_block_delta {index, delta: {type: text_delta | thinking_delta | input_json_delta | …}}
//! content_block_stop  {index}
//! message_delta       {delta: {stop_reason}}
//! ```
//! Blocks of other types are the provider's own (its searches and their results): nothing goes out
//! for them, nor for their deltas.

use std::collections::HashMap;

use serde_json::Value;

use super::assembler::{Slot, Turn, Word};
use super::call::Closing;
use super::wire;

#[derive(Clone, Debug, Default)]
pub(super) struct Anthropic {
    blocks: HashMap<i64, Block>,
    /// The block that was spoken of last.
    last: i64,
}

#[derive(Clone, Debug)]
enum Block {
    Prose,
    Tool(Tool),
    /// The provider's own.
    Foreign,
}

#[derive(Clone, Debug)]
struct Tool {
    slot: Slot,
    /// The input in the start: the arguments, unless fragments come.
    input: Option<String>,
}

impl Anthropic {
    pub fn event(&mut self, event: &Value, out: &mut Turn<'_>) {
        let of = |key: &str| event.get(key).unwrap_or(&Value::Null);
        match wire::filled(event, "type") {
            Some("content_block_start") => self.start(event, of("content_block"), out),
            Some("content_block_delta") => self.delta(event, of("delta"), out),
            Some("content_block_stop") => {
                let index = self.index(event);
                self.stop(index, out);
            }
            Some("message_delta") => {
                if let Some(reason) = wire::filled(of("delta"), "stop_reason") {
                    let cut = matches!(reason, "max_tokens" | "model_context_window_exceeded");
                    out.said(if cut { Word::Cut } else { Word::Normal });
                }
            }
            _ => {}
        }
    }

    /// The stream is over: a block that never stopped has its input all the same, if the message
    /// is whole.
    pub fn finish(&mut self, out: &mut Turn<'_>) {
        if !out.state.is_cut() {
            let mut open: Vec<i64> = self.blocks.keys().copied().collect();
            open.sort_unstable();
            open.into_iter().for_each(|index| self.use_input(index, out));
        }
    }

    fn index(&mut self, event: &Value) -> i64 {
        self.last = wire::number(event, "index").unwrap_or(self.last);
        self.last
    }

    fn start(&mut self, event: &Value, block: &Value, out: &mut Turn<'_>) {
        let index = self.index(event);
        // A block that was here before has ended, whether anybody said so or not.
        self.stop(index, out);
        let begun = match wire::filled(block, "type") {
            Some("text") => {
                out.text(wire::text(block, "text").unwrap_or_default());
                Block::Prose
            }
            Some("thinking") => {
                out.reasoning(wire::text(block, "thinking").unwrap_or_default());
                Block::Prose
            }
            Some("tool_use") => {
                let slot = out.begin(wire::filled(block, "id"));
                if let Some(name) = wire::filled(block, "name") {
                    out.name(slot, name);
                }
                let input = wire::arguments(block, "input").map(|input| input.into_owned());
                let says = |input: &String| !matches!(input.trim(), "" | "{}");
                Block::Tool(Tool { slot, input: input.filter(says) })
            }
            _ => Block::Foreign,
        };
        self.blocks.insert(index, begun);
    }

    fn delta(&mut self, event: &Value, delta: &Value, out: &mut Turn<'_>) {
        let index = self.index(event);
        if let Some(Block::Foreign) = self.blocks.get(&index) {
            return;
        }
        match wire::filled(delta, "type") {
            Some("text_delta") => out.text(wire::text(delta, "text").unwrap_or_default()),
            Some("thinking_delta") => {
                out.reasoning(wire::text(delta, "thinking").unwrap_or_default());
            }
            Some("input_json_delta") => {
                let fragment = wire::arguments(delta, "partial_json").unwrap_or_default();
                if fragment.is_empty() {
                    return;
                }
                // The block's start may have been lost: then it is a call without a name.
                let lost = || Block::Tool(Tool { slot: out.begin(None), input: None });
                if let Block::Tool(tool) = self.blocks.entry(index).or_insert_with(lost) {
                    tool.input = None;
                    out.fragment(tool.slot, &fragment);
                }
            }
            _ => {}
        }
    }

    fn stop(&mut self, index: i64, out: &mut Turn<'_>) {
        self.use_input(index, out);
        if let Some(Block::Tool(tool)) = self.blocks.get(&index) {
            out.close(tool.slot, Closing::Final);
        }
    }

    fn use_input(&mut self, index: i64, out: &mut Turn<'_>) {
        if let Some(Block::Tool(tool)) = self.blocks.get_mut(&index) {
            if let Some(input) = tool.input.take() {
                out.fragment(tool.slot, &input);
            }
        }
    }
}
