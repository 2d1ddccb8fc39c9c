//! OpenAI's chat stream, and its imitations by many servers.
//!
//! ```text
//! {"choices": [{"index": 0, "finish_reason": …,
//!   "delta": {"content", "refusal", "reasoning_content", "reasoning",
//!             "tool_calls": [{"index", "id", "function": {"name", "arguments"}}],
//!             "function_call": {"name", "arguments"}}}]}
//! ```
//! Which call an entry belongs to is the one hard question; [`Chat::entry`] answers it.
//!
//! A response without a stream has a `message` in place of the `delta`. Some servers send `extra_content`
//! (Gemini's signatures) with a call, which goes back.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Value, json};

use super::assembler::{CallIndex, Output, Word};
use super::call::{BodyState, CallPhase};
use super::wire;
use crate::event::DiagnosticKind;

#[derive(Clone, Debug, Default)]
pub(super) struct Chat {
    /// The last call at each index.
    by_index: HashMap<i64, CallIndex>,
    by_id: HashMap<String, CallIndex>,
    last: Option<CallIndex>,
    refused: bool,
    /// A delta came.
    streams: bool,
}

/// A piece of a call. Blank ids and names are ignored.
#[derive(Debug, Default)]
struct Entry<'e> {
    index: Option<i64>,
    id: Option<&'e str>,
    name: Option<&'e str>,
    arguments: Option<Cow<'e, str>>,
}

impl Chat {
    pub fn event(&mut self, event: &Value, out: &mut Output<'_>) {
        for choice in wire::list(event, "choices").iter().filter(|choice| wire::is_first(choice)) {
            // Some servers repeat the whole message after its deltas.
            let whole = choice.get("message").filter(|_| !self.streams);
            if let Some(delta) = choice.get("delta").filter(|delta| delta.is_object()) {
                self.streams = true;
                self.delta(delta, false, out);
            } else if let Some(message) = whole {
                self.delta(message, true, out);
            }
            if let Some(reason) = wire::filled(choice, "finish_reason") {
                self.finish_reason(reason, out);
            }
        }
    }

    /// Whether the event may be of this provider.
    pub fn is_own(event: &Value) -> bool {
        let named =
            wire::filled(event, "object").is_some_and(|of| of.starts_with("chat.completion"));
        let usage = event.get("usage").is_some() && event.get("type").is_none();
        named || usage || event.get("choices").is_some()
    }

    /// Takes a delta. `whole`: it is a message, whose calls are whole and in order.
    fn delta(&mut self, delta: &Value, whole: bool, out: &mut Output<'_>) {
        let reasoning = ["reasoning_content", "reasoning"];
        let reasoning = reasoning.iter().find_map(|key| wire::text(delta, key));
        out.reasoning(reasoning.unwrap_or_default());
        match delta.get("content") {
            Some(Value::String(text)) => out.text(text),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| part_of_content(part, out)),
            _ => {}
        }
        if let Some(refusal) = wire::text(delta, "refusal") {
            self.refusal(refusal, out);
        }
        for (at, entry) in (0..).zip(wire::list(delta, "tool_calls")) {
            let function = entry.get("function").unwrap_or(&Value::Null);
            let index = wire::number(entry, "index").or(whole.then_some(at));
            let id = wire::filled(entry, "id");
            let call_index = self.entry(Entry { index, id, ..Entry::new(function) }, out);
            if let Some(extra) = entry.get("extra_content").filter(|extra| extra.is_object()) {
                out.call_opaque(call_index, &json!({"extra_content": extra}));
            }
        }
        if let Some(function) = delta.get("function_call").filter(|call| call.is_object()) {
            self.entry(Entry { index: Some(0), ..Entry::new(function) }, out);
        }
    }

    fn refusal(&mut self, refusal: &str, out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.refused, true) {
            out.diagnostic(DiagnosticKind::Refusal);
        }
        out.text(refusal);
    }

    fn finish_reason(&mut self, reason: &str, out: &mut Output<'_>) {
        let cut = matches!(reason, "length" | "content_filter");
        out.set_end(if cut { Word::Cut } else { Word::Normal });
    }

    fn entry(&mut self, entry: Entry<'_>, out: &mut Output<'_>) -> CallIndex {
        let call_index = match self.goes_on(&entry, out) {
            Some(call_index) => call_index,
            None => out.begin(None),
        };
        self.last = Some(self.last.map_or(call_index, |last| last.max(call_index)));
        if let Some(index) = entry.index {
            self.by_index.insert(index, call_index);
        }
        if let Some(id) = entry.id {
            out.id(call_index, id);
            let is_its_own = out.state.call(call_index).id.as_deref() == Some(id);
            if is_its_own && self.by_id.get(id) != Some(&call_index) {
                self.by_id.insert(id.to_string(), call_index);
            }
        }
        if let Some(name) = entry.name {
            let call = out.state.call(call_index);
            if call.phase == CallPhase::Unnamed {
                out.begin_name(call_index, name);
            } else if call.name != name {
                if let Some(joined) = joined(call_index, name, out) {
                    out.begin_name(call_index, &joined);
                }
            }
        }
        out.fragment(call_index, entry.arguments.as_deref().unwrap_or_default());
        call_index
    }

    /// The call that an entry continues; `None`: it begins one.
    fn goes_on(&self, entry: &Entry<'_>, out: &Output<'_>) -> Option<CallIndex> {
        if let Some(index) = entry.index {
            let Some(&call_index) = self.by_index.get(&index) else {
                return self.the_open_one(out).filter(|_| entry.id.or(entry.name).is_none());
            };
            return self.goes_on_at(call_index, entry, out).then_some(call_index);
        }
        match (entry.id, entry.name) {
            (Some(id), _) => self.by_id.get(id).copied(),
            (None, None) => self.last,
            (None, Some(name)) => self.last.filter(|last| {
                out.state.call(*last).name == name && out.body(*last) == BodyState::Open
            }),
        }
    }

    /// Returns the one call whose arguments are open, or have not come. It continues at a new index, if neither an
    /// id nor a name shows that another begins.
    fn the_open_one(&self, out: &Output<'_>) -> Option<CallIndex> {
        let calls = 0..=self.last?;
        let mut open = calls.filter(|call_index| {
            let is_over =
                matches!(out.state.call(*call_index).phase, CallPhase::Ended | CallPhase::Dead);
            !is_over && out.body(*call_index) != BodyState::Closed
        });
        let one = open.next()?;
        open.next().is_none().then_some(one)
    }

    /// Whether an entry continues the call at its index.
    fn goes_on_at(&self, call_index: CallIndex, entry: &Entry<'_>, out: &Output<'_>) -> bool {
        let call = out.state.call(call_index);
        let Some(name) = entry.name.filter(|_| !call.name.is_empty()) else { return true };
        if call.name == name {
            let other_id = call.id.as_deref().zip(entry.id).is_some_and(|(one, two)| one != two);
            return !other_id || out.body(call_index) == BodyState::Open;
        }
        joined(call_index, name, out).is_some()
    }
}

impl<'e> Entry<'e> {
    fn new(function: &'e Value) -> Entry<'e> {
        let arguments = wire::arguments(function, "arguments");
        Entry { name: wire::filled(function, "name"), arguments, ..Entry::default() }
    }
}

/// Returns the call's name with one more piece, if names come in pieces here: no arguments came yet, the name
/// so far is no declared tool, and both together are the beginning of one.
fn joined(call_index: CallIndex, piece: &str, out: &Output<'_>) -> Option<String> {
    let call = out.state.call(call_index);
    let joined = call.name.clone() + piece;
    (call.phase == CallPhase::Guess && out.state.begins_a_name(&joined)).then_some(joined)
}

fn part_of_content(part: &Value, out: &mut Output<'_>) {
    match part.get("type").and_then(Value::as_str) {
        Some("text") => out.text(wire::text(part, "text").unwrap_or_default()),
        Some("thinking") => {
            out.reasoning(wire::text(part, "thinking").unwrap_or_default());
            for thought in wire::list(part, "thinking") {
                if wire::filled(thought, "type") == Some("text") {
                    out.reasoning(wire::text(thought, "text").unwrap_or_default());
                }
            }
        }
        _ => {}
    }
}
