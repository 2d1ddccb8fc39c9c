//! OpenAI's chat completions: chunks that all look alike, and a word at the end.
//!
//! ```text
//! data: {"id", "object": "chat.completion.chunk", "created", "model",
//!        "choices": [{"index": 0, "delta": DELTA, "finish_reason": null | REASON, "broken_calls"?: []}]}
//! DELTA   {"role": "assistant"}  {"content": TEXT}  {"reasoning_content": TEXT}
//!         {"tool_calls": [{"index": N, "id": ID, "type": "function",
//!                          "function": {"name": NAME, "arguments": ""}}]}
//!         {"tool_calls": [{"index": N, "function": {"arguments": FRAGMENT}}]}  {}
//! data: [DONE]
//! ```

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::json;

use super::frames::Frames;
use super::{Failure, Head, Item, Kind, Place, State, Stop, Usage, Wire};
use crate::adapt::BrokenCall;
use crate::adapt::ReasoningKey;

pub(super) static WIRE: Wire = Wire { open, write_piece, close: |_, _| () };

#[derive(Serialize)]
struct Chunk<'a, C> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: C,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Tokens>,
}

#[derive(Serialize)]
struct Choice<'a, D> {
    index: u8,
    delta: D,
    finish_reason: Option<&'static str>,
    #[serde(skip_serializing_if = "<[BrokenCall]>::is_empty")]
    broken_calls: &'a [BrokenCall],
}

#[derive(Default, Serialize)]
struct Said<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[Call<'a>; 1]>,
}

#[derive(Serialize)]
struct Call<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    arguments: &'a str,
}

/// Reasoning under each of its keys.
struct Reasoning<'a>(ReasoningKey, &'a str);

impl Serialize for Reasoning<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for key in self.0.keys() {
            map.serialize_entry(key, self.1)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Tokens {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

impl Tokens {
    fn new(usage: Usage) -> Tokens {
        let Usage { input, output } = usage;
        Tokens {
            prompt_tokens: input,
            completion_tokens: output,
            total_tokens: input.saturating_add(output),
        }
    }
}

fn chunk<C>(head: &Head, choices: C) -> Chunk<'_, C> {
    let Head { id, model, created, .. } = head;
    let object = "chat.completion.chunk";
    Chunk { id, object, created: *created, model, choices, usage: None }
}

fn send(head: &Head, delta: impl Serialize, reason: Option<&'static str>, frames: &mut Frames) {
    // They are sent only at the end of the answer.
    let broken_calls = if reason.is_some() { &*head.broken } else { &[] };
    frames.data(&chunk(head, [Choice { index: 0, delta, finish_reason: reason, broken_calls }]));
}

pub(super) fn reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Cut => "length",
        Stop::Calls => "tool_calls",
        Stop::Turn => "stop",
    }
}

pub(super) fn start(head: &Head, frames: &mut Frames) {
    send(head, Said { role: Some("assistant"), ..Said::default() }, None, frames);
}

fn open(place: &Place<'_>, frames: &mut Frames) {
    if let Kind::Call { number, name, namespace, id, .. } = &place.item.kind {
        let namespace = namespace.as_deref();
        let function = Function { name: Some(name), namespace, arguments: "" };
        let (index, id) = (Some(*number), Some(&**id));
        let call = Call { index, id, kind: Some("function"), function };
        send(place.head, Said { tool_calls: Some([call]), ..Said::default() }, None, frames);
    }
}

fn write_piece(place: &Place<'_>, piece: &str, frames: &mut Frames) {
    let head = place.head;
    match &place.item.kind {
        Kind::Text => {
            send(head, Said { content: Some(piece), ..Said::default() }, None, frames);
        }
        Kind::Reasoning => send(head, Reasoning(head.reasoning, piece), None, frames),
        Kind::Call { number, .. } => {
            let function = Function { name: None, namespace: None, arguments: piece };
            let call = Call { index: Some(*number), id: None, kind: None, function };
            send(head, Said { tool_calls: Some([call]), ..Said::default() }, None, frames);
        }
    }
}

pub(super) fn end(head: &Head, stop: Stop, frames: &mut Frames) {
    send(head, Said::default(), Some(reason(stop)), frames);
    if let Some(usage) = head.usage {
        let none: [(); 0] = [];
        frames.data(&Chunk { usage: Some(Tokens::new(usage)), ..chunk(head, none) });
    }
    frames.bytes.extend_from_slice(b"data: [DONE]\n\n");
}

pub(super) fn fail(failure: &Failure<'_>, whole: bool, frames: &mut Frames) {
    let Failure { kind, code, message } = failure;
    let error = json!({"error": {"message": message, "type": kind, "code": code}});
    if whole { frames.object(&error) } else { frames.data(&error) }
}

#[derive(Serialize)]
struct Answered<'a> {
    index: u8,
    message: Message<'a>,
    finish_reason: &'static str,
    #[serde(skip_serializing_if = "<[BrokenCall]>::is_empty")]
    broken_calls: &'a [BrokenCall],
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Option<String>,
    #[serde(flatten)]
    reasoning: Option<Reasoning<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
}

pub(super) fn whole(head: &Head, items: &[Item], stop: Stop, frames: &mut Frames) {
    let of = |is: fn(&Kind) -> bool| {
        let texts = items.iter().filter(|item| is(&item.kind)).map(|item| &*item.text);
        Some(texts.collect::<String>()).filter(|text| !text.is_empty())
    };
    let reasoning = of(|kind| matches!(kind, Kind::Reasoning));
    let calls = items.iter().filter(|item| item.state != State::Cut).filter_map(written);
    let message = Message {
        role: "assistant",
        content: of(|kind| matches!(kind, Kind::Text)),
        reasoning: reasoning.as_ref().map(|text| Reasoning(head.reasoning, text)),
        tool_calls: calls.collect(),
    };
    let (finish_reason, broken_calls) = (reason(stop), &*head.broken);
    let choice = Answered { index: 0, message, finish_reason, broken_calls };
    let usage = head.usage.map(Tokens::new);
    let answer = Chunk { object: "chat.completion", usage, ..chunk(head, [choice]) };
    frames.object(&answer);
}

fn written(item: &Item) -> Option<Call<'_>> {
    let Kind::Call { name, namespace, id, .. } = &item.kind else { return None };
    let namespace = namespace.as_deref();
    let function = Function { name: Some(name), namespace, arguments: &item.text };
    Some(Call { index: None, id: Some(id), kind: Some("function"), function })
}
