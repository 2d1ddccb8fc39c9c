//! OpenAI's Responses stream: output items that are added, grow and are done.
//!
//! ```text
//! response.output_item.added | done          {output_index, item}
//! item := {type: function_call, id, call_id, name, arguments}
//!       | {type: custom_tool_call, id, call_id, name, input}
//! response.function_call_arguments.delta | done    {item_id, output_index, delta | arguments}
//! response.custom_tool_call_input.delta | done     {item_id, output_index, delta | input}
//! response.output_text | refusal | reasoning_text | reasoning_summary_text, each .delta | .done
//! response.completed {response: {output: [item]}} | incomplete | failed
//! ```
//! The contents of `done` events and of the completed response came before, or were lost on the way. The
//! items themselves go back as they came, calls without their arguments.
//!
//! A response without a stream is the `response` alone.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::assembler::{CallIndex, Output, Word};
use super::call::Closing;
use super::wire;
use crate::event::{DiagnosticKind, OpaqueOf};
use crate::json::members::take;

#[derive(Clone, Debug, Default)]
pub(super) struct Responses {
    by_item: HashMap<String, CallIndex>,
    by_call: HashMap<String, CallIndex>,
    by_output: HashMap<i64, CallIndex>,
    /// The parts whose deltas came.
    streamed_parts: HashSet<ProsePart>,
    /// The last of them.
    part: Option<ProsePart>,
    refused: bool,
    /// The items that are kept to go back, by their ids.
    kept: HashSet<String>,
    /// The server stores nothing.
    stateless: bool,
    /// The provider sent reasoning that it neither stores nor encrypted: references to it are left out.
    forgets: bool,
}

/// A part of the visible text or of the reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ProsePart {
    kind: PartKind,
    item: Option<String>,
    output: Option<i64>,
    number: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PartKind {
    Text,
    Refusal,
    Reasoning,
    Summary,
}

impl PartKind {
    fn from_name(name: &str) -> Option<PartKind> {
        Some(match name {
            "output_text" => PartKind::Text,
            "refusal" => PartKind::Refusal,
            "reasoning_text" => PartKind::Reasoning,
            "reasoning_summary_text" => PartKind::Summary,
            _ => return None,
        })
    }
}

impl Responses {
    pub fn event(&mut self, event: &Value, out: &mut Output<'_>) {
        if wire::filled(event, "object") == Some("response") {
            return self.whole_response(event, out);
        }
        let Some(kind) = wire::filled(event, "type") else { return };
        let Some(kind) = kind.strip_prefix("response.") else { return };
        if let Some(response) = event.get("response") {
            self.stateless |= response.get("store") == Some(&Value::Bool(false));
        }
        match kind {
            "output_item.added" => self.item(event, false, out),
            "output_item.done" => self.item(event, true, out),
            "function_call_arguments.delta" | "custom_tool_call_input.delta" => {
                let call_index = self.found(event, kind.starts_with("custom"), out);
                let fragment = wire::arguments(event, "delta").unwrap_or_default();
                out.fragment(call_index, &fragment);
            }
            "function_call_arguments.done" => self.whole(event, "arguments", out),
            "custom_tool_call_input.done" => self.whole(event, "input", out),
            "completed" => {
                self.completed(event, out);
                out.set_end(Word::Normal);
            }
            "incomplete" => out.set_end(Word::Cut),
            _ => {
                let split = kind.rsplit_once('.');
                match split.and_then(|(name, step)| Some((PartKind::from_name(name)?, step))) {
                    Some((prose, "delta")) => self.delta(prose, event, out),
                    Some((prose, "done")) => self.done(prose, event, out),
                    _ => {}
                }
            }
        }
    }

    /// Whether the event may be of this provider, by its type. Unknown types may be new.
    pub fn is_own(event: &Value) -> bool {
        let others = |of: &str| of.starts_with("message") || of.starts_with("content_block");
        wire::filled(event, "object") == Some("response")
            || wire::filled(event, "type").is_some_and(|of| !others(of))
    }

    /// A response that was not streamed.
    fn whole_response(&mut self, response: &Value, out: &mut Output<'_>) {
        self.stateless = response.get("store") == Some(&Value::Bool(false));
        for (at, item) in (0..).zip(wire::list(response, "output")) {
            for (kind, text) in texts(item) {
                self.prose(kind, text, out);
            }
            // Each item is separate, even if two ids are equal.
            self.take(item, None, Some(at), true, out);
        }
        if wire::filled(response, "status") == Some("completed") {
            out.set_end(Word::Normal);
        }
    }

    fn delta(&mut self, kind: PartKind, event: &Value, out: &mut Output<'_>) {
        let Some(text) = wire::text(event, "delta") else { return };
        if !self.part.as_ref().is_some_and(|part| part.is(kind, event)) {
            let part = ProsePart::new(kind, event);
            self.streamed_parts.insert(part.clone());
            self.part = Some(part);
        }
        self.prose(kind, text, out);
    }

    fn done(&mut self, kind: PartKind, event: &Value, out: &mut Output<'_>) {
        let key = if kind == PartKind::Refusal { "refusal" } else { "text" };
        let Some(text) = wire::text(event, key) else { return };
        if self.streamed_parts.insert(ProsePart::new(kind, event)) {
            self.prose(kind, text, out);
        }
    }

    fn prose(&mut self, kind: PartKind, text: &str, out: &mut Output<'_>) {
        if kind == PartKind::Refusal && !std::mem::replace(&mut self.refused, true) {
            out.diagnostic(DiagnosticKind::Refusal);
        }
        match kind {
            PartKind::Text | PartKind::Refusal => out.text(text),
            PartKind::Reasoning | PartKind::Summary => out.reasoning(text),
        }
    }

    fn item(&mut self, event: &Value, done: bool, out: &mut Output<'_>) {
        let Some(item) = event.get("item") else { return };
        let output = wire::number(event, "output_index");
        let here = output.and_then(|output| self.by_output.get(&output)).copied();
        // An added item is new, unless a delta came before it.
        let here = here.filter(|here| done || out.state.call(*here).name.is_empty());
        let known = self.by_item(item).or(here);
        let known = known.or_else(|| self.by_call(item).filter(|_| done));
        self.take(item, known, output, done, out);
    }

    fn take(
        &mut self,
        item: &Value,
        known: Option<CallIndex>,
        output: Option<i64>,
        done: bool,
        out: &mut Output<'_>,
    ) {
        let Some(key) = arguments_key(item) else {
            if done {
                self.keep(item, out);
            }
            return;
        };
        let call_index = self.named(known, item, key, output, out);
        let arguments = wire::arguments(item, key).unwrap_or_default();
        if done {
            out.whole(call_index, &arguments);
            self.keep_call(item, key, call_index, out);
            out.close(call_index, Closing::Closed);
        } else {
            out.fragment(call_index, &arguments);
        }
    }

    /// The items of the completed response. They are found by their ids: their places may differ,
    /// if some are left out.
    fn completed(&mut self, event: &Value, out: &mut Output<'_>) {
        let response = event.get("response").unwrap_or(&Value::Null);
        for (at, item) in (0..).zip(wire::list(response, "output")) {
            let Some(key) = arguments_key(item) else {
                if wire::filled(item, "id").is_some_and(|id| !self.kept.contains(id)) {
                    self.keep(item, out);
                }
                continue;
            };
            let nameless = ["id", "call_id"].iter().all(|id| wire::filled(item, id).is_none());
            let here = || self.by_output.get(&at).copied().filter(|_| nameless);
            let known = self.by_item(item).or_else(|| self.by_call(item)).or_else(here);
            let call_index = self.named(known, item, key, None, out);
            out.whole(call_index, &wire::arguments(item, key).unwrap_or_default());
            self.keep_call(item, key, call_index, out);
            out.close(call_index, Closing::Closed);
        }
    }

    /// An item that is not a call is whole.
    fn keep(&mut self, item: &Value, out: &mut Output<'_>) {
        self.kept.extend(wire::filled(item, "id").map(String::from));
        let of = match wire::filled(item, "type") {
            Some("reasoning") if self.stateless && wire::text(item, ENCRYPTED).is_none() => {
                self.forgets = true;
                return;
            }
            Some("reasoning") => OpaqueOf::Reasoning,
            Some("message") => OpaqueOf::Text,
            _ => OpaqueOf::Item,
        };
        out.opaque(of, &self.nameable(item));
    }

    /// A call's item is whole; its arguments are the call's own.
    fn keep_call(&mut self, item: &Value, key: &str, call_index: CallIndex, out: &mut Output<'_>) {
        let mut item = self.nameable(item);
        if let Some(item) = item.as_object_mut() {
            take(item, key);
        }
        out.call_opaque(call_index, &item);
    }

    /// The item, without its id if the server would look for the thoughts that belong to it.
    fn nameable(&self, item: &Value) -> Value {
        let mut item = item.clone();
        if let Some(item) = item.as_object_mut().filter(|_| self.forgets) {
            take(item, "id");
        }
        item
    }

    fn by_item(&self, item: &Value) -> Option<CallIndex> {
        wire::filled(item, "id").and_then(|id| self.by_item.get(id)).copied()
    }

    /// Two calls may share this id, and a proxy may change that of an item.
    fn by_call(&self, item: &Value) -> Option<CallIndex> {
        wire::filled(item, "call_id").and_then(|id| self.by_call.get(id)).copied()
    }

    /// Returns the item's call, with all names in the item.
    fn named(
        &mut self,
        known: Option<CallIndex>,
        item: &Value,
        key: &str,
        output: Option<i64>,
        out: &mut Output<'_>,
    ) -> CallIndex {
        let call_index = known.unwrap_or_else(|| begin(key == "input", out));
        if let Some(id) = wire::filled(item, "id") {
            self.by_item.entry(id.to_string()).or_insert(call_index);
        }
        if let Some(id) = wire::filled(item, "call_id") {
            self.by_call.entry(id.to_string()).or_insert(call_index);
            out.id(call_index, id);
        }
        if let Some(output) = output {
            self.by_output.insert(output, call_index);
        }
        if let Some(name) = wire::filled(item, "name") {
            out.name(call_index, name);
        }
        call_index
    }

    /// The call that a delta speaks of. Its item may have been lost: then it has no name, yet.
    fn found(&mut self, event: &Value, custom: bool, out: &mut Output<'_>) -> CallIndex {
        let item = wire::filled(event, "item_id");
        let output = wire::number(event, "output_index");
        let by_item = item.and_then(|id| self.by_item.get(id));
        let by_output = || output.and_then(|output| self.by_output.get(&output));
        if let Some(call_index) = by_item.or_else(by_output) {
            return *call_index;
        }
        let call_index = begin(custom, out);
        if let Some(id) = item {
            self.by_item.insert(id.to_string(), call_index);
        }
        if let Some(output) = output {
            self.by_output.insert(output, call_index);
        }
        call_index
    }

    fn whole(&mut self, event: &Value, key: &str, out: &mut Output<'_>) {
        let call_index = self.found(event, key == "input", out);
        if let Some(name) = wire::filled(event, "name") {
            out.name(call_index, name);
        }
        out.whole(call_index, &wire::arguments(event, key).unwrap_or_default());
        out.close(call_index, Closing::Closed);
    }
}

impl ProsePart {
    fn new(kind: PartKind, event: &Value) -> ProsePart {
        let (output, number) = places(event);
        let item = wire::filled(event, "item_id").map(String::from);
        ProsePart { kind, item, output, number }
    }

    fn is(&self, kind: PartKind, event: &Value) -> bool {
        self.kind == kind
            && self.item.as_deref() == wire::filled(event, "item_id")
            && (self.output, self.number) == places(event)
    }
}

fn places(event: &Value) -> (Option<i64>, Option<i64>) {
    let number = wire::number(event, "content_index");
    let number = number.or_else(|| wire::number(event, "summary_index"));
    (wire::number(event, "output_index"), number)
}

const ENCRYPTED: &str = "encrypted_content";

/// The texts of an item, in order.
fn texts(item: &Value) -> impl Iterator<Item = (PartKind, &str)> {
    let parts = ["summary", "content"].into_iter().flat_map(|key| wire::list(item, key));
    parts.filter_map(|part| {
        Some(match wire::filled(part, "type")? {
            "output_text" => (PartKind::Text, wire::text(part, "text")?),
            "refusal" => (PartKind::Refusal, wire::text(part, "refusal")?),
            "summary_text" => (PartKind::Summary, wire::text(part, "text")?),
            "reasoning_text" => (PartKind::Reasoning, wire::text(part, "text")?),
            _ => return None,
        })
    })
}

/// Returns the key of an item's arguments; `None` if the item is no call of ours.
fn arguments_key(item: &Value) -> Option<&'static str> {
    match wire::filled(item, "type")? {
        "function_call" => Some("arguments"),
        "custom_tool_call" => Some("input"),
        _ => None,
    }
}

fn begin(custom: bool, out: &mut Output<'_>) -> CallIndex {
    let call_index = out.begin(None);
    if custom {
        out.free_text(call_index);
    }
    call_index
}
