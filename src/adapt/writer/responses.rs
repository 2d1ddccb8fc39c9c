//! OpenAI's Responses: an answer is a list of items, which are sent piece by piece and repeated at their
//! ends; the last event repeats the whole answer.
//!
//! ```text
//! response.created, response.in_progress   {"response": RESPONSE}
//! response.output_item.added               {"output_index": N, "item": ITEM}
//!   message         response.content_part.added, response.output_text.delta, response.output_text.done,
//!                   response.content_part.done
//!   reasoning       response.reasoning_summary_part.added, response.reasoning_summary_text.delta,
//!                   response.reasoning_summary_text.done, response.reasoning_summary_part.done
//!   function_call   response.function_call_arguments.delta, response.function_call_arguments.done
//!   custom_tool_call   response.custom_tool_call_input.delta, response.custom_tool_call_input.done
//! response.output_item.done                {"output_index": N, "item": ITEM}
//! response.completed | response.incomplete | response.failed   {"response": RESPONSE}
//! ```
//! Each has its name as `type` and a `sequence_number`, too. A truncated call has no `.done` of its arguments, and
//! is `incomplete`; so is a broken one of a custom tool. RESPONSE has `broken_calls` at the end, if there are any.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::json;

use super::frames::Frames;
use super::{Failure, Head, Item, Kind, Place, State, Stop, Usage, Wire};
use crate::adapt::BrokenCall;

pub(super) static WIRE: Wire = Wire { open, write_piece, close };

/// An event: its name, and the members that its name needs.
#[derive(Default, Serialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    sequence_number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_id: Option<ItemId<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_index: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_index: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<[(); 0]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Part<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<Output<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Response<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    OutputText { text: &'a str, annotations: [(); 0], logprobs: [(); 0] },
    SummaryText { text: &'a str },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Output<'a> {
    Message {
        id: ItemId<'a>,
        status: &'static str,
        role: &'static str,
        content: Vec<Part<'a>>,
    },
    Reasoning {
        id: ItemId<'a>,
        summary: Vec<Part<'a>>,
    },
    FunctionCall {
        id: ItemId<'a>,
        status: &'static str,
        arguments: &'a str,
        call_id: &'a str,
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        namespace: Option<&'a str>,
    },
    CustomToolCall {
        id: ItemId<'a>,
        status: &'static str,
        input: &'a str,
        call_id: &'a str,
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        namespace: Option<&'a str>,
    },
}

/// The protocol names every item.
struct ItemId<'a> {
    prefix: &'static str,
    answer: &'a str,
    number: usize,
}

impl fmt::Display for ItemId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}_{}", self.prefix, self.answer, self.number)
    }
}

impl Serialize for ItemId<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The answer around its items.
#[derive(Serialize)]
struct Response<'a> {
    id: &'a str,
    object: &'static str,
    created_at: u64,
    status: &'static str,
    error: Option<Failed<'a>>,
    incomplete_details: Option<Details>,
    instructions: Option<()>,
    metadata: Empty,
    model: &'a str,
    output: Vec<Output<'a>>,
    parallel_tool_calls: bool,
    temperature: Option<()>,
    tool_choice: &'static str,
    tools: [(); 0],
    top_p: Option<()>,
    usage: Option<Tokens>,
    #[serde(skip_serializing_if = "<[BrokenCall]>::is_empty")]
    broken_calls: &'a [BrokenCall],
}

#[derive(Serialize)]
struct Failed<'a> {
    code: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct Details {
    reason: &'static str,
}

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
struct Tokens {
    input_tokens: u64,
    input_tokens_details: Cached,
    output_tokens: u64,
    output_tokens_details: Reasoned,
    total_tokens: u64,
}

#[derive(Serialize)]
struct Cached {
    cached_tokens: u64,
}

#[derive(Serialize)]
struct Reasoned {
    reasoning_tokens: u64,
}

fn tokens(Usage { input, output }: Usage) -> Tokens {
    Tokens {
        input_tokens: input,
        input_tokens_details: Cached { cached_tokens: 0 },
        output_tokens: output,
        output_tokens_details: Reasoned { reasoning_tokens: 0 },
        total_tokens: input.saturating_add(output),
    }
}

fn response<'a>(head: &'a Head, status: &'static str, output: Vec<Output<'a>>) -> Response<'a> {
    let cut = status == "incomplete";
    Response {
        id: &head.id,
        object: "response",
        created_at: head.created,
        status,
        error: None,
        incomplete_details: cut.then_some(Details { reason: "max_output_tokens" }),
        instructions: None,
        metadata: Empty {},
        model: &head.model,
        output,
        parallel_tool_calls: true,
        temperature: None,
        tool_choice: "auto",
        tools: [],
        top_p: None,
        usage: head.usage.map(tokens),
        broken_calls: &head.broken,
    }
}

fn outputs<'a>(head: &'a Head, items: &'a [Item]) -> Vec<Output<'a>> {
    let place = |(number, item)| Place { head, item, number };
    let places = items.iter().enumerate().map(place);
    places.map(|place| place.output(place.status())).collect()
}

fn output_text(text: &str) -> Part<'_> {
    Part::OutputText { text, annotations: [], logprobs: [] }
}

impl<'a> Place<'a> {
    fn id(&self) -> ItemId<'a> {
        let prefix = match self.item.kind {
            Kind::Text => "msg",
            Kind::Reasoning => "rs",
            Kind::Call { free_text: true, .. } => "ctc",
            Kind::Call { .. } => "fc",
        };
        ItemId { prefix, answer: &self.head.id, number: self.number }
    }

    /// An event of this item's.
    fn event(&self) -> Event<'a> {
        Event {
            item_id: Some(self.id()),
            output_index: Some(self.number),
            content_index: matches!(self.item.kind, Kind::Text).then_some(0),
            summary_index: matches!(self.item.kind, Kind::Reasoning).then_some(0),
            ..Event::default()
        }
    }

    /// Sends the item itself.
    fn send(&self, kind: &str, status: &'static str, frames: &mut Frames) {
        let (output_index, item) = (Some(self.number), Some(self.output(status)));
        send(kind, Event { output_index, item, ..Event::default() }, frames);
    }

    /// The item, as far as it came.
    fn output(&self, status: &'static str) -> Output<'a> {
        let Item { kind, text, .. } = self.item;
        let some = !text.is_empty();
        let id = self.id();
        match kind {
            Kind::Text => {
                let content = some.then(|| output_text(text)).into_iter().collect();
                Output::Message { id, status, role: "assistant", content }
            }
            Kind::Reasoning => {
                let summary = some.then_some(Part::SummaryText { text }).into_iter().collect();
                Output::Reasoning { id, summary }
            }
            Kind::Call { name, namespace, id: call_id, free_text: true, .. } => {
                let namespace = namespace.as_deref();
                // Before that the text is the beginning of a JSON object.
                let input = if self.item.state == State::Whole { text } else { "" };
                Output::CustomToolCall { id, status, input, call_id, name, namespace }
            }
            Kind::Call { name, namespace, id: call_id, .. } => {
                let namespace = namespace.as_deref();
                Output::FunctionCall { id, status, arguments: text, call_id, name, namespace }
            }
        }
    }

    fn status(&self) -> &'static str {
        let free_text = matches!(self.item.kind, Kind::Call { free_text: true, .. });
        match self.item.state {
            State::Whole => "completed",
            // Any text may run.
            State::Broken if !free_text => "completed",
            _ => "incomplete",
        }
    }
}

fn send(kind: &str, event: Event<'_>, frames: &mut Frames) {
    let sequence_number = frames.number;
    frames.event(kind, &Event { kind, sequence_number, ..event });
}

pub(super) fn status(stop: Stop) -> &'static str {
    if stop == Stop::Cut { "incomplete" } else { "completed" }
}

pub(super) fn start(head: &Head, frames: &mut Frames) {
    for kind in ["response.created", "response.in_progress"] {
        let response = Some(response(head, "in_progress", Vec::new()));
        send(kind, Event { response, ..Event::default() }, frames);
    }
}

fn open(place: &Place<'_>, frames: &mut Frames) {
    place.send("response.output_item.added", "in_progress", frames);
    let (kind, part) = match place.item.kind {
        Kind::Text => ("response.content_part.added", output_text("")),
        Kind::Reasoning => {
            ("response.reasoning_summary_part.added", Part::SummaryText { text: "" })
        }
        Kind::Call { .. } => return,
    };
    send(kind, Event { part: Some(part), ..place.event() }, frames);
}

fn write_piece(place: &Place<'_>, piece: &str, frames: &mut Frames) {
    let kind = match place.item.kind {
        Kind::Text => "response.output_text.delta",
        Kind::Reasoning => "response.reasoning_summary_text.delta",
        Kind::Call { free_text: true, .. } => return,
        Kind::Call { .. } => "response.function_call_arguments.delta",
    };
    let logprobs = matches!(place.item.kind, Kind::Text).then_some([]);
    send(kind, Event { delta: Some(piece), logprobs, ..place.event() }, frames);
}

fn close(place: &Place<'_>, frames: &mut Frames) {
    let text = &*place.item.text;
    let said = || Event { text: Some(text), ..place.event() };
    let part = |part| Event { part: Some(part), ..place.event() };
    match &place.item.kind {
        Kind::Text => {
            let logprobs = Some([]);
            send("response.output_text.done", Event { logprobs, ..said() }, frames);
            send("response.content_part.done", part(output_text(text)), frames);
        }
        Kind::Reasoning => {
            send("response.reasoning_summary_text.done", said(), frames);
            let part = part(Part::SummaryText { text });
            send("response.reasoning_summary_part.done", part, frames);
        }
        Kind::Call { free_text: true, .. } if place.item.state == State::Whole => {
            let delta = Event { delta: Some(text), ..place.event() };
            send("response.custom_tool_call_input.delta", delta, frames);
            let done = Event { input: Some(text), ..place.event() };
            send("response.custom_tool_call_input.done", done, frames);
        }
        Kind::Call { name, free_text: false, .. } if place.item.state != State::Cut => {
            let (name, arguments) = (Some(&**name), Some(text));
            let event = Event { name, arguments, ..place.event() };
            send("response.function_call_arguments.done", event, frames);
        }
        Kind::Call { .. } => {}
    }
    place.send("response.output_item.done", place.status(), frames);
}

pub(super) fn end(head: &Head, items: &[Item], stop: Stop, streams: bool, frames: &mut Frames) {
    let response = response(head, status(stop), outputs(head, items));
    if !streams {
        return frames.object(&response);
    }
    let kind = if stop == Stop::Cut { "response.incomplete" } else { "response.completed" };
    send(kind, Event { response: Some(response), ..Event::default() }, frames);
}

pub(super) fn fail(
    head: &Head,
    items: &[Item],
    failure: &Failure<'_>,
    whole: bool,
    frames: &mut Frames,
) {
    let Failure { kind, code, message } = *failure;
    if whole {
        let error = json!({"message": message, "type": kind, "code": code});
        return frames.object(&json!({"error": error}));
    }
    let mut response = response(head, "failed", outputs(head, items));
    response.error = Some(Failed { code: code.unwrap_or(kind), message });
    send("response.failed", Event { response: Some(response), ..Event::default() }, frames);
}
