//! A client of [`Deltas`], as a gateway for OpenAI's chat stream writes one: `delta` objects, and a whole message.

use std::collections::VecDeque;

use serde_json::{Value, json};
use toolstream::adapt::{Broken, BrokenCall, Calls, Delta, Deltas, OnCut};
use toolstream::native::Reader;
use toolstream::{Event, Message, Parser, Sink, calls::IncompleteReason};

#[derive(Clone)]
pub struct DeltaWriter {
    deltas: Deltas,
    queue: VecDeque<Value>,
    id: fn(usize) -> String,
    /// The number of calls so far: for clients the place in this list counts.
    calls: usize,
}

impl DeltaWriter {
    pub fn new(parser: &Parser) -> Self {
        DeltaWriter::with_deltas(Deltas::new(parser))
    }

    pub fn for_reader(reader: &Reader) -> Self {
        DeltaWriter::with_deltas(Deltas::for_reader(reader))
    }

    pub fn untyped() -> Self {
        DeltaWriter::with_deltas(Deltas::untyped())
    }

    fn with_deltas(deltas: Deltas) -> Self {
        DeltaWriter {
            deltas,
            queue: VecDeque::new(),
            id: |index| format!("call_{index}"),
            calls: 0,
        }
    }

    pub fn ids(self, id: fn(usize) -> String) -> Self {
        DeltaWriter { id, ..self }
    }

    fn change(self, change: impl FnOnce(Deltas) -> Deltas) -> Self {
        DeltaWriter { deltas: change(self.deltas), ..self }
    }

    pub fn verbatim_arguments(self) -> Self {
        self.change(Deltas::verbatim_arguments)
    }

    pub fn verbatim_content(self) -> Self {
        self.change(Deltas::verbatim_content)
    }

    pub fn hold(self, bytes: usize) -> Self {
        self.change(|deltas| deltas.hold(bytes))
    }

    pub fn broken_as(self, broken: Broken) -> Self {
        self.change(|deltas| deltas.broken_as(broken))
    }

    pub fn calls(self, calls: Calls) -> Self {
        self.change(|deltas| deltas.calls(calls))
    }

    pub fn on_cut(self, on_cut: OnCut) -> Self {
        self.change(|deltas| deltas.on_cut(on_cut))
    }

    pub fn push<S: AsRef<str>>(&mut self, event: Event<S>) -> impl Iterator<Item = Value> {
        self.event(event.as_str());
        self.deltas()
    }

    pub fn finish(&mut self) -> impl Iterator<Item = Value> {
        let DeltaWriter { deltas, queue, id, calls } = self;
        deltas.finish(&mut |delta| put(queue, *id, calls, delta));
        self.deltas()
    }

    /// The deltas that were not taken yet, in order.
    pub fn deltas(&mut self) -> impl Iterator<Item = Value> {
        std::iter::from_fn(|| self.queue.pop_front())
    }

    pub fn broken(&self) -> &[usize] {
        self.deltas.broken()
    }

    pub fn broken_calls(&self) -> &[BrokenCall] {
        self.deltas.broken_calls()
    }

    pub fn finish_reason(&self) -> &'static str {
        finish_reason(&self.deltas)
    }
}

impl Sink for DeltaWriter {
    fn event(&mut self, event: Event<&str>) {
        let DeltaWriter { deltas, queue, id, calls } = self;
        deltas.push(event, &mut |delta| put(queue, *id, calls, delta));
    }
}

fn put(queue: &mut VecDeque<Value>, ids: fn(usize) -> String, calls: &mut usize, delta: Delta<'_>) {
    queue.push_back(match delta {
        Delta::Content(text) => json!({"content": text}),
        Delta::Reasoning(text) => json!({"reasoning_content": text}),
        Delta::Call { index, name, id } => {
            *calls += 1;
            let id = id.map_or_else(|| ids(index), String::from);
            json!({"tool_calls": [{
                "index": *calls - 1, "id": id, "type": "function", "function": {"name": name, "arguments": ""},
            }]})
        }
        Delta::Arguments(fragment) => {
            let number = calls.saturating_sub(1);
            json!({"tool_calls": [{"index": number, "function": {"arguments": fragment}}]})
        }
        _ => return,
    });
}

fn finish_reason(deltas: &Deltas) -> &'static str {
    match (deltas.is_cut(), deltas.expects_results()) {
        (true, _) => "length",
        (false, true) => "tool_calls",
        (false, false) => "stop",
    }
}

/// A delta as the one element of a chunk's `choices`.
pub fn choice(delta: Value, finish_reason: Option<&str>) -> Value {
    json!({"index": 0, "delta": delta, "finish_reason": finish_reason})
}

/// A whole message as the one element of the `choices` of an answer.
pub fn completion(message: &Message) -> Value {
    let (mut deltas, mut calls) = (Deltas::untyped(), Vec::new());
    let (mut content, mut thought) = (String::new(), String::new());
    deltas.push_message(message, &mut |delta| match delta {
        Delta::Content(text) => content.push_str(text),
        Delta::Reasoning(text) => thought.push_str(text),
        Delta::Call { index, name, id } => {
            let id = id.map_or_else(|| format!("call_{index}"), String::from);
            calls.push(
                json!({"id": id, "type": "function", "function": {"name": name, "arguments": ""}}),
            );
        }
        Delta::Arguments(arguments) => {
            let call: &mut Value = calls.last_mut().expect("a call");
            call["function"]["arguments"] = arguments.into();
        }
        // Its client must not see a call of which only the beginning came.
        Delta::CallEnd { reason: Some(IncompleteReason::Cut), .. } => drop(calls.pop()),
        _ => {}
    });
    let content = Some(content).filter(|text| !text.is_empty());
    json!({
        "message": {"content": content, "reasoning_content": thought, "tool_calls": calls},
        "finish_reason": finish_reason(&deltas),
        "broken_calls": deltas.broken_calls(),
    })
}
