//! OpenAI's Responses: an answer is a list of items, which are told piece by piece and said again at their
//! ends; the last event says the whole answer again.
//!
//! ```text
//! response.created, response.in_progress   {"response": RESPONSE}
//! response.output_item.added               {"output_index": N, "item": ITEM}
//!   message         response.content_part.added, response.output_text.delta, response.output_text.done,
//!                   response.content_part.done
//!   reasoning       response.reasoning_summary_part.added, response.reasoning_summary_text.delta,
//!                   response.reasoning_summary_text.done, response.reasoning_summary_part.done
//!   function_call   response.function_call_arguments.delta, response.function_call_arguments.done
//! response.output_item.done                {"output_index": N, "item": ITEM}
//! response.completed | response.incomplete | response.failed   {"response": RESPONSE}
//! ```
//! Each has its name as `type` and a `sequence_number`, too. A call that may not run has no `.done` of its
//! arguments, and is `incomplete`.

use serde::Serialize;
use serde_json::{Value, json};

use super::frames::Frames;
use super::{Head, Item, Kind, Place, Stop, Usage, Wire};

pub(super) const WIRE: Wire = Wire { open, go_on, close };

/// A piece of an item: most of what a stream is.
#[derive(Serialize)]
struct Piece<'a> {
    #[serde(rename = "type")]
    name: &'static str,
    sequence_number: u64,
    item_id: String,
    output_index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_index: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_index: Option<u8>,
    delta: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<[(); 0]>,
}

/// Sends an event that is none of a piece.
fn send(name: &str, mut body: Value, frames: &mut Frames) {
    body["type"] = name.into();
    body["sequence_number"] = frames.number.into();
    frames.event(name, &body);
}

/// Sends an event of an item.
fn send_of(place: &Place<'_>, name: &str, mut body: Value, frames: &mut Frames) {
    body["item_id"] = place.item_id().into();
    body["output_index"] = place.number.into();
    match place.item.kind {
        Kind::Text => body["content_index"] = 0.into(),
        Kind::Reasoning => body["summary_index"] = 0.into(),
        Kind::Call { .. } => {}
    }
    send(name, body, frames);
}

impl Place<'_> {
    /// The protocol names every item.
    fn item_id(&self) -> String {
        let prefix = match self.item.kind {
            Kind::Text => "msg",
            Kind::Reasoning => "rs",
            Kind::Call { .. } => "fc",
        };
        format!("{prefix}_{}_{}", self.head.id, self.number)
    }

    /// The item, as far as it came.
    fn output(&self, status: &str) -> Value {
        let Item { kind, text, .. } = self.item;
        match kind {
            Kind::Text => {
                let parts: Vec<Value> = match &**text {
                    "" => Vec::new(),
                    text => vec![output_text(text)],
                };
                json!({"id": self.item_id(), "type": "message", "status": status,
                    "role": "assistant", "content": parts})
            }
            Kind::Reasoning => {
                let parts: Vec<Value> = match &**text {
                    "" => Vec::new(),
                    text => vec![summary_text(text)],
                };
                json!({"id": self.item_id(), "type": "reasoning", "summary": parts})
            }
            Kind::Call { name, id, .. } => json!({"id": self.item_id(), "type": "function_call",
                "status": status, "arguments": text, "call_id": id, "name": name}),
        }
    }

    fn status(&self) -> &'static str {
        if self.item.whole { "completed" } else { "incomplete" }
    }
}

fn output_text(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

fn summary_text(text: &str) -> Value {
    json!({"type": "summary_text", "text": text})
}

/// The answer around its items.
fn response(head: &Head, status: &str, output: Vec<Value>, error: Value) -> Value {
    let details = match status {
        "incomplete" => json!({"reason": "max_output_tokens"}),
        _ => Value::Null,
    };
    let usage = head.usage.map(|Usage { input, output }| {
        json!({"input_tokens": input, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input.saturating_add(output)})
    });
    json!({"id": head.id, "object": "response", "created_at": head.created, "status": status,
        "error": error, "incomplete_details": details, "instructions": null, "metadata": {},
        "model": head.model, "output": output, "parallel_tool_calls": true, "temperature": null,
        "tool_choice": "auto", "tools": [], "top_p": null, "usage": usage})
}

fn outputs(head: &Head, items: &[Item]) -> Vec<Value> {
    let place = |(number, item)| Place { head, item, number };
    let places = items.iter().enumerate().map(place);
    places.map(|place| place.output(place.status())).collect()
}

pub(super) fn status(stop: Stop) -> &'static str {
    if stop == Stop::Cut { "incomplete" } else { "completed" }
}

pub(super) fn start(head: &Head, frames: &mut Frames) {
    for name in ["response.created", "response.in_progress"] {
        let response = response(head, "in_progress", Vec::new(), Value::Null);
        send(name, json!({"response": response}), frames);
    }
}

fn open(place: &Place<'_>, frames: &mut Frames) {
    let item = place.output("in_progress");
    let body = json!({"output_index": place.number, "item": item});
    send("response.output_item.added", body, frames);
    let (name, part) = match place.item.kind {
        Kind::Text => ("response.content_part.added", output_text("")),
        Kind::Reasoning => ("response.reasoning_summary_part.added", summary_text("")),
        Kind::Call { .. } => return,
    };
    send_of(place, name, json!({"part": part}), frames);
}

fn go_on(place: &Place<'_>, piece: &str, frames: &mut Frames) {
    let name = match place.item.kind {
        Kind::Text => "response.output_text.delta",
        Kind::Reasoning => "response.reasoning_summary_text.delta",
        Kind::Call { .. } => "response.function_call_arguments.delta",
    };
    let text = matches!(place.item.kind, Kind::Text);
    let piece = Piece {
        name,
        sequence_number: frames.number,
        item_id: place.item_id(),
        output_index: place.number,
        content_index: text.then_some(0),
        summary_index: matches!(place.item.kind, Kind::Reasoning).then_some(0),
        delta: piece,
        logprobs: text.then_some([]),
    };
    frames.event(name, &piece);
}

fn close(place: &Place<'_>, frames: &mut Frames) {
    let text = &place.item.text;
    match &place.item.kind {
        Kind::Text => {
            let body = json!({"text": text, "logprobs": []});
            send_of(place, "response.output_text.done", body, frames);
            let body = json!({"part": output_text(text)});
            send_of(place, "response.content_part.done", body, frames);
        }
        Kind::Reasoning => {
            let body = json!({"text": text});
            send_of(place, "response.reasoning_summary_text.done", body, frames);
            let body = json!({"part": summary_text(text)});
            send_of(place, "response.reasoning_summary_part.done", body, frames);
        }
        Kind::Call { name, .. } if place.item.whole => {
            let body = json!({"name": name, "arguments": text});
            send_of(place, "response.function_call_arguments.done", body, frames);
        }
        Kind::Call { .. } => {}
    }
    let body = json!({"output_index": place.number, "item": place.output(place.status())});
    send("response.output_item.done", body, frames);
}

pub(super) fn end(head: &Head, items: &[Item], stop: Stop, streams: bool, frames: &mut Frames) {
    let status = status(stop);
    let response = response(head, status, outputs(head, items), Value::Null);
    if streams {
        send(&format!("response.{status}"), json!({"response": response}), frames);
    } else {
        frames.object(&response);
    }
}

pub(super) fn fail(head: &Head, items: &[Item], message: &str, whole: bool, frames: &mut Frames) {
    if whole {
        let error = json!({"message": message, "type": "server_error", "code": null});
        return frames.object(&json!({"error": error}));
    }
    let error = json!({"code": "server_error", "message": message});
    let response = response(head, "failed", outputs(head, items), error);
    send("response.failed", json!({"response": response}), frames);
}
