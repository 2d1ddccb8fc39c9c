//! `serde::Serialize` for events and messages (feature `serde`), and a [`Dialect`] by its name.
//!
//! This is the JSON that `toolstream parse --format events` and `--format message` print: an object for each
//! event, with its `type` in front, and `null` for absent values.
//!
//! | event | JSON |
//! |---|---|
//! | `TextContent`, `Reasoning`, `Markup`, `ParamDelta`, `ArgumentsDelta` | `{"type": "text_content", "text": …}`, … |
//! | `Start` | `{"type": "tool_start", "index": 0, "name": …, "id": …}` |
//! | `Id` | `{"type": "tool_id", "id": …}` |
//! | `ParamStart`, `ParamEnd` | `{"type": "param_start", "name": …, "hint": …}`, `{"type": "param_end", "closed": true}` |
//! | `End` | `{"type": "tool_end", "status": "complete"}`, or `"incomplete"` |
//! | `AnswerStart` | `{"type": "answer_start"}` (the command line prints nothing for it) |
//! | `Opaque` | `{"type": "opaque", "of": "text", "json": "{…}"}`, `"reasoning"`, `"call"` or `"item"` |
//! | `ToolLimitReached` | `{"type": "tool_limit_reached", "at": 68, "limit": 1}` |
//! | `Diagnostic` | `{"type": "diagnostic", "kind": …, "at": 20, "call": 0}` |

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, SerializeStruct, Serializer};

use crate::dialect::Dialect;
use crate::event::{
    Diagnostic, DiagnosticKind, Event, Status, ToolLimitReached, ToolUse, TypeHint,
};
use crate::parser::utf8_bytes::Utf8Bytes;

impl<S: AsRef<str>> Serialize for Event<S> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        match self.as_str() {
            Event::TextContent(text) => slice(to, "text_content", text),
            Event::Reasoning(text) => slice(to, "reasoning", text),
            Event::Markup(text) => slice(to, "markup", text),
            Event::ToolUse(tool) => tool.serialize(to),
            Event::AnswerStart => object(to, "answer_start", 0)?.end(),
            Event::Opaque { of, json } => {
                let mut object = object(to, "opaque", 2)?;
                object.serialize_field("of", of.as_str())?;
                object.serialize_field("json", json)?;
                object.end()
            }
            Event::ToolLimitReached(ToolLimitReached { limit, at }) => {
                let mut object = object(to, "tool_limit_reached", 2)?;
                object.serialize_field("at", &at)?;
                object.serialize_field("limit", &limit)?;
                object.end()
            }
            Event::Diagnostic(Diagnostic { kind, at, call }) => {
                let mut object = object(to, "diagnostic", 3)?;
                object.serialize_field("kind", &kind)?;
                object.serialize_field("at", &at)?;
                object.serialize_field("call", &call)?;
                object.end()
            }
        }
    }
}

impl<S: AsRef<str>> Serialize for ToolUse<S> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        match self.as_str() {
            ToolUse::Start { index, name, id, .. } => {
                let mut object = object(to, "tool_start", 3)?;
                object.serialize_field("index", &index)?;
                object.serialize_field("name", name)?;
                object.serialize_field("id", &id)?;
                object.end()
            }
            ToolUse::Id(id) => {
                let mut object = object(to, "tool_id", 1)?;
                object.serialize_field("id", id)?;
                object.end()
            }
            ToolUse::ParamStart { name, hint } => {
                let mut object = object(to, "param_start", 2)?;
                object.serialize_field("name", name)?;
                object.serialize_field("hint", &hint)?;
                object.end()
            }
            ToolUse::ParamDelta(text) => slice(to, "param_delta", text),
            ToolUse::ParamEnd { closed } => {
                let mut object = object(to, "param_end", 1)?;
                object.serialize_field("closed", &closed)?;
                object.end()
            }
            ToolUse::ArgumentsDelta(text) => slice(to, "arguments_delta", text),
            ToolUse::End { status, .. } => {
                let mut object = object(to, "tool_end", 1)?;
                object.serialize_field("status", &status)?;
                object.end()
            }
        }
    }
}

/// `complete` or `incomplete`.
impl Serialize for Status {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        to.serialize_str(if self.is_complete() { "complete" } else { "incomplete" })
    }
}

impl Serialize for TypeHint {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        to.serialize_str(TypeHint::as_str(*self))
    }
}

impl Serialize for DiagnosticKind {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        to.serialize_str(DiagnosticKind::as_str(*self))
    }
}

/// `{"kind": …, "at": …}`, with `"call": …` if it concerns a call, as in a message.
impl Serialize for Diagnostic {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut object = to.serialize_struct("Diagnostic", 2 + usize::from(self.call.is_some()))?;
        object.serialize_field("kind", &self.kind)?;
        object.serialize_field("at", &self.at)?;
        if let Some(call) = self.call {
            object.serialize_field("call", &call)?;
        }
        object.end()
    }
}

/// Reads a word of a fixed list.
fn named<'de, D: Deserializer<'de>, T: Copy>(
    from: D,
    kind: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, D::Error> {
    let text = String::deserialize(from)?;
    let found = all.iter().copied().find(|known| name(*known) == text);
    found.ok_or_else(|| {
        let all: Vec<&str> = all.iter().map(|known| name(*known)).collect();
        D::Error::custom(format_args!("unknown {kind} `{text}`: use one of {}", all.join(", ")))
    })
}

impl<'de> Deserialize<'de> for DiagnosticKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<DiagnosticKind, D::Error> {
        named(from, "diagnostic", DiagnosticKind::ALL, DiagnosticKind::as_str)
    }
}

impl<'de> Deserialize<'de> for TypeHint {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<TypeHint, D::Error> {
        named(from, "type", TypeHint::ALL, TypeHint::as_str)
    }
}

impl<'de> Deserialize<'de> for Diagnostic {
    fn deserialize<Z: Deserializer<'de>>(from: Z) -> Result<Diagnostic, Z::Error> {
        #[derive(serde::Deserialize)]
        struct Stored {
            kind: DiagnosticKind,
            at: usize,
            call: Option<usize>,
        }
        let Stored { kind, at, call } = Stored::deserialize(from)?;
        Ok(Diagnostic { call, ..Diagnostic::new(kind, at) })
    }
}

/// `{"at": …, "limit": …}`.
impl Serialize for ToolLimitReached {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut object = to.serialize_struct("ToolLimitReached", 2)?;
        object.serialize_field("at", &self.at)?;
        object.serialize_field("limit", &self.limit)?;
        object.end()
    }
}

/// The name. A dialect of your own cannot be found by its name, so it is an error.
impl Serialize for Dialect {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let name = self.to_string();
        match Dialect::by_name(&name) {
            Ok(named) if named == *self => to.serialize_str(&name),
            _ => Err(Z::Error::custom(format_args!(
                "the dialect `{name}` is not built in, so its name does not say what it is: write \
                 the JSON that it was made of"
            ))),
        }
    }
}

/// Finds a dialect by its name, as [`Dialect::by_name`] takes it.
impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<Z: Deserializer<'de>>(from: Z) -> Result<Dialect, Z::Error> {
        let name = String::deserialize(from)?;
        name.parse().map_err(Z::Error::custom)
    }
}

impl Serialize for Utf8Bytes {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        to.serialize_str(self.as_str())
    }
}

#[cfg(feature = "json")]
mod message {
    use serde::de::Error as _;
    use serde::ser::SerializeMap;
    use serde_json::{Map, Value};

    use super::{Deserialize, Deserializer, Serialize, Serializer};
    use crate::event::Diagnostic;
    use crate::message::{
        ArgumentsProblem, Block, CompleteCall, Ending, IncompleteCall, IncompleteReason, Message,
        Parts, Prose, RawParam,
    };

    /// [`Message::to_json`], with the calls' `params` as they were written, and the number of the dialect if
    /// there are two.
    impl Serialize for Message {
        fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
            let answered = self.speaks_lines().then(|| self.answered());
            let mut object = to.serialize_map(Some(4 + usize::from(answered.is_some())))?;
            object.serialize_entry("content", self.blocks())?;
            object.serialize_entry("finish", &self.ended())?;
            object.serialize_entry("diagnostics", self.diagnostics())?;
            object.serialize_entry("position", &self.position())?;
            if let Some(answered) = answered {
                object.serialize_entry("answered", &answered)?;
            }
            object.end()
        }
    }

    /// An element of `content` in a message.
    impl Serialize for Block {
        fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
            match self {
                Block::Text(of) => prose(to, "text", of),
                Block::Reasoning(of) => prose(to, "reasoning", of),
                Block::Opaque(item) => {
                    let mut object = to.serialize_map(Some(2))?;
                    object.serialize_entry("type", "opaque")?;
                    object.serialize_entry("opaque", item)?;
                    object.end()
                }
                Block::Call(call) => tool_use(to, &call.parts, "complete", |object| {
                    optional(object, "missing", &call.missing, call.missing.is_empty())
                }),
                Block::Incomplete(call) => tool_use(to, &call.parts, "incomplete", |object| {
                    object.serialize_entry("reason", call.reason.as_str())?;
                    optional(object, "problem", &call.problem, call.problem.is_none())?;
                    optional(object, "partial", &call.partial, !call.partial)
                }),
            }
        }
    }

    fn prose<Z: Serializer>(to: Z, of: &str, prose: &Prose) -> Result<Z::Ok, Z::Error> {
        let mut object = to.serialize_map(None)?;
        object.serialize_entry("type", of)?;
        object.serialize_entry("text", &prose.text)?;
        optional(&mut object, "opaque", &prose.opaque, prose.opaque.is_none())?;
        optional(&mut object, "partial", &prose.partial, !prose.partial)?;
        object.end()
    }

    fn optional<M: SerializeMap>(
        object: &mut M,
        key: &str,
        value: &impl Serialize,
        absent: bool,
    ) -> Result<(), M::Error> {
        if absent { Ok(()) } else { object.serialize_entry(key, value) }
    }

    fn tool_use<Z: Serializer>(
        to: Z,
        parts: &Parts,
        status: &str,
        more: impl FnOnce(&mut Z::SerializeMap) -> Result<(), Z::Error>,
    ) -> Result<Z::Ok, Z::Error> {
        let mut object = to.serialize_map(None)?;
        object.serialize_entry("type", "tool_use")?;
        object.serialize_entry("index", &parts.index)?;
        object.serialize_entry("id", &parts.id)?;
        object.serialize_entry("name", &parts.name)?;
        object.serialize_entry("input", &parts.input)?;
        object.serialize_entry("raw", &parts.raw)?;
        object.serialize_entry("status", status)?;
        object.serialize_entry("start", &parts.range.start)?;
        object.serialize_entry("end", &parts.range.end)?;
        more(&mut object)?;
        optional(&mut object, "opaque", &parts.opaque, parts.opaque.is_none())?;
        optional(&mut object, "params", &parts.params, parts.params.is_empty())?;
        optional(&mut object, "dialect", &parts.dialect, parts.dialect == 0)?;
        object.end()
    }

    /// A message as it was written, from a log for example. It takes no more events.
    impl<'de> Deserialize<'de> for Message {
        fn deserialize<Z: Deserializer<'de>>(from: Z) -> Result<Message, Z::Error> {
            #[derive(serde::Deserialize)]
            struct Stored {
                content: Vec<StoredBlock>,
                finish: Ending,
                diagnostics: Vec<Diagnostic>,
                position: usize,
                answered: Option<bool>,
            }
            let Stored { content, finish, diagnostics, position, answered } =
                Stored::deserialize(from)?;
            let blocks = content.into_iter().map(Block::from).collect();
            Ok(Message::read_back(blocks, diagnostics, position, finish, answered))
        }
    }

    enum StoredBlock {
        Text(StoredProse),
        Reasoning(StoredProse),
        ToolUse(Box<StoredCall>),
        Opaque(StoredOpaque),
    }

    /// A block by its `type`. Not by serde's own tag, which reads no numbers if a crate of the program has
    /// turned on `serde_json`'s `arbitrary_precision`.
    impl<'de> Deserialize<'de> for StoredBlock {
        fn deserialize<Z: Deserializer<'de>>(from: Z) -> Result<StoredBlock, Z::Error> {
            let block = Value::deserialize(from)?;
            let read = match block.get("type").and_then(Value::as_str) {
                Some("text") => StoredProse::deserialize(block).map(StoredBlock::Text),
                Some("reasoning") => StoredProse::deserialize(block).map(StoredBlock::Reasoning),
                Some("tool_use") => Box::deserialize(block).map(StoredBlock::ToolUse),
                Some("opaque") => StoredOpaque::deserialize(block).map(StoredBlock::Opaque),
                of => Err(serde_json::Error::custom(format_args!("no block has the type {of:?}"))),
            };
            read.map_err(Z::Error::custom)
        }
    }

    #[derive(serde::Deserialize)]
    struct StoredOpaque {
        opaque: Value,
    }

    #[derive(serde::Deserialize)]
    struct StoredProse {
        text: String,
        #[serde(default)]
        partial: bool,
        opaque: Option<Value>,
    }

    #[derive(serde::Deserialize)]
    struct StoredCall {
        index: usize,
        id: Option<String>,
        name: String,
        input: Map<String, Value>,
        raw: Option<String>,
        status: StoredStatus,
        start: usize,
        end: usize,
        #[serde(default)]
        missing: Vec<String>,
        reason: Option<IncompleteReason>,
        problem: Option<ArgumentsProblem>,
        #[serde(default)]
        partial: bool,
        #[serde(default)]
        params: Vec<RawParam>,
        #[serde(default)]
        dialect: usize,
        opaque: Option<Value>,
    }

    #[derive(serde::Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum StoredStatus {
        Complete,
        Incomplete,
    }

    impl From<StoredBlock> for Block {
        fn from(block: StoredBlock) -> Block {
            match block {
                StoredBlock::Text(prose) => Block::Text(prose.into()),
                StoredBlock::Reasoning(prose) => Block::Reasoning(prose.into()),
                StoredBlock::ToolUse(call) => Block::from(*call),
                StoredBlock::Opaque(stored) => Block::Opaque(stored.opaque),
            }
        }
    }

    impl From<StoredProse> for Prose {
        fn from(StoredProse { text, partial, opaque }: StoredProse) -> Prose {
            Prose { text, partial, opaque }
        }
    }

    impl From<StoredCall> for Block {
        fn from(call: StoredCall) -> Block {
            let parts = Parts {
                index: call.index,
                dialect: call.dialect,
                id: call.id,
                name: call.name,
                params: call.params,
                raw: call.raw,
                input: call.input,
                range: call.start..call.end,
                opaque: call.opaque,
            };
            if call.status == StoredStatus::Complete {
                return Block::Call(CompleteCall { parts, missing: call.missing });
            }
            Block::Incomplete(IncompleteCall {
                parts,
                partial: call.partial,
                reason: call.reason.unwrap_or(IncompleteReason::Cut),
                problem: call.problem,
                // The diagnostics are in the message.
                broken_by: None,
            })
        }
    }

    impl Serialize for Ending {
        fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
            to.serialize_str(self.as_str())
        }
    }
}

/// An object whose first field is its type.
fn object<Z: Serializer>(
    to: Z,
    type_name: &'static str,
    more: usize,
) -> Result<Z::SerializeStruct, Z::Error> {
    let mut object = to.serialize_struct("Event", 1 + more)?;
    object.serialize_field("type", type_name)?;
    Ok(object)
}

fn slice<Z: Serializer>(to: Z, type_name: &'static str, text: &str) -> Result<Z::Ok, Z::Error> {
    let mut object = object(to, type_name, 1)?;
    object.serialize_field("text", text)?;
    object.end()
}
