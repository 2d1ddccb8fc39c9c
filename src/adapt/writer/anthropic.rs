//! Anthropic's Messages: an answer is a list of blocks, each of which begins, goes on and stops.
//!
//! ```text
//! message_start        {"message": {"id", "type": "message", "role": "assistant", "model", "content": [],
//!                       "stop_reason": null, "stop_sequence": null, "usage": USAGE}}
//! content_block_start  {"index": N, "content_block": {"type": "text", "text": ""}
//!                       | {"type": "thinking", "thinking": "", "signature": ""}
//!                       | {"type": "tool_use", "id": ID, "name": NAME, "input": {}}}
//! content_block_delta  {"index": N, "delta": {"type": "text_delta", "text": TEXT}
//!                       | {"type": "thinking_delta", "thinking": TEXT}
//!                       | {"type": "input_json_delta", "partial_json": FRAGMENT}}
//! content_block_stop   {"index": N}
//! message_delta        {"delta": {"stop_reason": REASON, "stop_sequence": null}, "usage": USAGE, "broken_calls"?: []}
//! message_stop         {}
//! ```
//! Each has its name as `type`, too. Thinking of other models has no signature: it is the empty text.

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::frames::{Frames, raw};
use super::{Failure, Head, Item, Kind, Place, State, Stop, Usage, Wire};
use crate::adapt::BrokenCall;

pub(super) static WIRE: Wire = Wire { open, write_piece, close };

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event<'a> {
    MessageStart {
        message: Message<'a>,
    },
    ContentBlockStart {
        index: usize,
        content_block: Block<'a>,
    },
    ContentBlockDelta {
        index: usize,
        delta: Piece<'a>,
    },
    ContentBlockStop {
        index: usize,
    },
    MessageDelta {
        delta: End,
        usage: Tokens,
        #[serde(skip_serializing_if = "<[BrokenCall]>::is_empty")]
        broken_calls: &'a [BrokenCall],
    },
    MessageStop {},
}

#[derive(Serialize)]
struct Message<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    role: &'static str,
    model: &'a str,
    content: Vec<Block<'a>>,
    #[serde(flatten)]
    end: End,
    usage: Tokens,
    #[serde(skip_serializing_if = "<[BrokenCall]>::is_empty")]
    broken_calls: &'a [BrokenCall],
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text { text: &'a str },
    Thinking { thinking: &'a str, signature: &'static str },
    ToolUse { id: &'a str, name: &'a str, input: Box<RawValue> },
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Piece<'a> {
    #[serde(rename = "text_delta")]
    Text { text: &'a str },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: &'a str },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: &'a str },
}

#[derive(Serialize)]
struct End {
    stop_reason: Option<&'static str>,
    stop_sequence: Option<&'static str>,
}

#[derive(Serialize)]
struct Tokens {
    input_tokens: u64,
    output_tokens: u64,
}

impl Tokens {
    fn new(head: &Head) -> Tokens {
        let Usage { input, output } = head.usage.unwrap_or(Usage { input: 0, output: 0 });
        Tokens { input_tokens: input, output_tokens: output }
    }
}

pub(super) fn reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Cut => "max_tokens",
        Stop::Calls => "tool_use",
        Stop::Turn => "end_turn",
    }
}

fn message<'a>(head: &'a Head, content: Vec<Block<'a>>, stop: Option<Stop>) -> Message<'a> {
    let end = End { stop_reason: stop.map(reason), stop_sequence: None };
    let (kind, role, usage) = ("message", "assistant", Tokens::new(head));
    let (id, model, broken_calls) = (&head.id, &head.model, &head.broken);
    Message { id, kind, role, model, content, end, usage, broken_calls }
}

fn block<'a>(kind: &'a Kind, text: &'a str) -> Block<'a> {
    match kind {
        Kind::Text => Block::Text { text },
        Kind::Reasoning => Block::Thinking { thinking: text, signature: "" },
        Kind::Call { name, id, .. } => {
            Block::ToolUse { id, name, input: raw(if text.is_empty() { "{}" } else { text }) }
        }
    }
}

pub(super) fn start(head: &Head, frames: &mut Frames) {
    let message = message(head, Vec::new(), None);
    frames.event("message_start", &Event::MessageStart { message });
}

fn open(place: &Place<'_>, frames: &mut Frames) {
    let content_block = block(&place.item.kind, "");
    let event = Event::ContentBlockStart { index: place.number, content_block };
    frames.event("content_block_start", &event);
}

fn write_piece(place: &Place<'_>, piece: &str, frames: &mut Frames) {
    let delta = match place.item.kind {
        Kind::Text => Piece::Text { text: piece },
        Kind::Reasoning => Piece::Thinking { thinking: piece },
        Kind::Call { .. } => Piece::Input { partial_json: piece },
    };
    frames.event("content_block_delta", &Event::ContentBlockDelta { index: place.number, delta });
}

fn close(place: &Place<'_>, frames: &mut Frames) {
    frames.event("content_block_stop", &Event::ContentBlockStop { index: place.number });
}

pub(super) fn end(head: &Head, stop: Stop, frames: &mut Frames) {
    let delta = End { stop_reason: Some(reason(stop)), stop_sequence: None };
    let (usage, broken_calls) = (Tokens::new(head), &*head.broken);
    frames.event("message_delta", &Event::MessageDelta { delta, usage, broken_calls });
    frames.event("message_stop", &Event::MessageStop {});
}

pub(super) fn fail(failure: &Failure<'_>, whole: bool, frames: &mut Frames) {
    let Failure { kind, message, .. } = failure;
    let error = json!({"type": "error", "error": {"type": kind, "message": message}});
    if whole { frames.object(&error) } else { frames.event("error", &error) }
}

pub(super) fn whole(head: &Head, items: &[Item], stop: Stop, frames: &mut Frames) {
    let items = items.iter().filter(|item| item.state != State::Cut);
    let content = items.map(|item| block(&item.kind, &item.text)).collect();
    frames.object(&message(head, content, Some(stop)));
}
